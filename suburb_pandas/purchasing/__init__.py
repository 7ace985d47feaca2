"""The only folder that spends money: quote, purchase, workers, circuit breaker, replay.

A call is in the ledger before it is sent, and its response is stored before it is read.
What a response means is left to service, what a frame looks like to loaders.
loaders and the folders above it may import it.
"""
