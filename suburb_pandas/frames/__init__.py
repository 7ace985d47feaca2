"""Reads the users' frames: which column holds the suburbs, and which names and queries are in it.

Also owns what all frames of this package share: the names of columns and the marks in ``attrs``.
Building frames from responses is left to loaders; the rules for names are left to names.
Every folder from timeseries upwards may import it.
"""
