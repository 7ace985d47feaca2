"""Owns one HTTP exchange: the session of requests that makes it, its timeouts, and the size limit of its response.

`wire.Wire.exchange` makes it. Only public parts of requests and urllib3 are used, and no other folder imports them for
calls.
Leaves retrying and giving up to purchasing, and the meaning and the price of a response to service. client and the
folders above it may import it; cassettes and store may not.
Never send a call twice, follow a redirect, or use a connection again that may still deliver an earlier response.
"""
