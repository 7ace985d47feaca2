"""Suburb names: the ABS's rules for them, the names known on this machine, search and matching.

Pure functions and plain collections; pandas is not imported here.
Reading names from users' frames is left to frames, asking the service about a name to geocoding.
Every folder above may import it; it imports only settings, messages and errors.
"""
