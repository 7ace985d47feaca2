"""From what people write to suburb names: find, suggest, resolve, places, and files of names.

Owns pins and the errors for queries without one answer; the rule for a match is left to names.matching.
Look-ups are bought through loaders. accessor and notebook may import it; plotting may not.
"""
