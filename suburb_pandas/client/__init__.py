"""The client: settings together with the store, the connections and the cassette in use.

Also owns the default client, the names known to a client, and the log of served responses.
Makes no call and spends nothing: that is left to purchasing.
purchasing and the folders above it may import it.
"""
