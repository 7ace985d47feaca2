"""Owns one HTTP exchange: the session of requests that makes it, its timeouts, and the size limit of its response.

It uses only public parts of requests and urllib3, and is the only folder that imports them for calls.
Retrying and giving up are left to purchasing, the meaning and the cost of a response to service.
client and the folders above it may import it; cassettes and store may not.
"""
