"""Owns purchases: quotes, paid calls, waiting for other requests, and replay. It is the only folder that spends money.

Its main function is `purchase.buy`. Read in this order: quote, purchase, loop, decisions, explanations, replay.
A call is in the ledger before it is sent. Its response is stored, whatever reading it raises.
Never send a call that `Store.step` has not returned, and never repeat one that may have cost something.
Exchanges are left to http, transactions to store, decoding responses to service, and making frames to loaders.
loaders and the folders above it may import it.
"""
