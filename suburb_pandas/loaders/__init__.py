"""From suburbs to frames: rent, impacts, scorecard, joins, quote, ledger and provenance.

Owns what happens to the suburbs of a request that fail, and the index, columns and dtypes of the results.
Buying is left to purchasing, decoding to service, reading the users' frames to frames.
geocoding, plotting, accessor and notebook may import it.
"""
