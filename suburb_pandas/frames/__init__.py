"""Reads the users' frames: dates, rents in any layout, and which column holds the suburbs, names and queries.

Owns the names of columns and the marks in ``attrs`` that all frames of this package share, and the layouts of rents:
`rents.read_rents` reads any of them into points by property type, and its `Layout` puts a result back.
Building frames from responses is left to loaders, computing with rents to timeseries, the rules for names to names.
A user's frame is never changed, and nothing is computed here but what reading needs.
timeseries, loaders and the folders above loaders may import it.
"""
