"""Reads the users' frames: which column holds the suburbs, and which names and queries are in it.

Also owns the names of columns and the marks in ``attrs`` that all frames of this package share.
Building frames from responses is left to loaders; the rules for names are left to names.
Every folder from timeseries upwards may import it.
"""
