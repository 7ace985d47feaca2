"""Holds the suburb names known on this machine, reads what people write for them, and searches and matches them.

The forms of names are in sal, of written texts in written, the decision in matching.
Contains only pure functions and plain collections, and does not import pandas.
Reading names from users' frames is left to frames; asking the service about a name is left to geocoding.
Every folder from frames upwards may import this one. It imports only errors.
"""
