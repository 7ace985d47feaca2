"""Owns the client (settings and store), the default client, and the context of a request.

`session.request_context` makes the context that a request reads: the client, and the cassette in use when the request
began. Also owns the names known to a client, and the log of the responses that were used.
Leaves calls to purchasing. purchasing and the folders above it may import it.
Never make a call here, and never read the settings again once a request has its context.
"""
