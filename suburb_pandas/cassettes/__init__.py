"""Cassettes: recorded calls in vcrpy's YAML format, and answers from them without a call.

Which request is answered from a cassette is decided in client and purchasing.
client and the folders above it may import it; http and store may not.
"""
