"""Loads data about suburbs into frames: rents, impacts, scorecards, joins, rent indices, quotes, ledger, provenance.

Owns the handling of suburbs that fail in a request for many, and the index, columns and dtypes of the results.
Buying responses is left to purchasing, decoding them to service, and reading the users' frames to frames.
geocoding, plotting, accessor and notebook may import it.
"""
