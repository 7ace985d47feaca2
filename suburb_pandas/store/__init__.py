"""Owns the store: one SQLite file of responses, the ledger of calls, reservations and lists of suburb names.

Stores bytes and does not interpret them: decoding is left to service, spending to purchasing.
client and the folders above it may import it; cassettes and http may not.
"""
