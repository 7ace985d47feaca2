"""Loads data about suburbs into frames: rents, impacts, scorecards, joins, rent indices, quotes and the ledger.

`batch.gather` runs a request from names to decoded responses; each loader makes its frame from the result. Also owns
the handling of suburbs that fail in a request for many, and the index, columns and dtypes of the results.
Leaves buying responses to purchasing, decoding them to service, and reading the users' frames to frames. tracing and
the folders above it may import it.
Never buy before every option is checked, and never drop a suburb without an error, a warning or a row.
"""
