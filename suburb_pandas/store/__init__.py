"""Owns the store: one SQLite file of responses, the ledger of calls, reservations and lists of suburb names.

Its main class is `Store`, with which a purchase claims items, writes its steps and releases what it holds. Read in this
order: store, reservations, holders, ledger, responses, rows; then database, forks, migrations, names_table.
Never remove a call or a response, edit the SQL of a released version, or write outside a transaction of `Store`.
It stores bytes and does not interpret them: decoding is left to service, spending to purchasing.
client and the folders above it may import it; cassettes and http may not.
"""
