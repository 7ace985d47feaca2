"""Owns the client (settings and store), the default client, and the context of a request.

Also owns the names known to a client, and the log of the responses that were used.
Makes no call and spends nothing: that is left to purchasing.
purchasing and the folders above it may import it.
"""
