"""Reads the suburbs that people write, and searches and matches them among the names known on this machine.

The form of a suburb name is in sal, that of a written text in written, and the choice of a suburb in matching.
Contains only pure functions and plain collections, and does not import pandas.
Reading names from users' frames is left to frames; asking the service about a name is left to geocoding.
Every folder from frames upwards may import this one. It imports only errors.
"""
