"""Parses suburb names by the ABS's rules, holds the names known on this machine, and searches and matches them.

Contains only pure functions and plain collections, and does not import pandas.
Reading names from users' frames is left to frames; asking the service about a name is left to geocoding.
Every folder from frames upwards may import this one. It imports only errors.
"""
