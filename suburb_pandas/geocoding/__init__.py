"""Turns free text into suburb names: find, suggest, resolve, places, and files of names.

Owns files of pins, and the errors for queries that do not mean exactly one suburb.
The rule for a match is left to names.matching, reading a text to names.written, buying look-ups to loaders.
accessor and notebook may import it; plotting may not.
"""
