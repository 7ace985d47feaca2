"""Turns free text into suburb names: find, suggest, resolve, places, and files of names.

`resolve.resolve` is the main function. Also owns files of pins, and the errors for queries that do not mean exactly one
suburb.
Leaves the rule for a match to names.matching, reading a text to names.written, and buying look-ups to loaders. accessor
and notebook may import it; plotting may not.
Never choose between two suburbs, and never take a similar name for the one that was written.
"""
