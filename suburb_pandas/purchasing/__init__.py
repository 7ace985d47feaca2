"""Owns purchases: quotes, paid calls, waiting for other requests, and replay. It is the only folder that spends money.

A call is in the ledger before it is sent, and its response is stored before it is decoded.
Decoding responses is left to service, making frames to loaders.
loaders and the folders above it may import it.
"""
