"""Loads data about suburbs into frames: rents, impacts, scorecards, joins, rent indices, quotes and the ledger.

Owns the handling of suburbs that fail in a request for many, and the index, columns and dtypes of the results.
Buying responses is left to purchasing, decoding them to service, and reading the users' frames to frames.
tracing and the folders above it may import it.
"""
