"""Owns cassettes: files of recorded calls in vcrpy's YAML format, from which requests are answered without a call.

Deciding which requests are answered from a cassette is left to client and purchasing.
client and the folders above it may import it; http and store may not.
"""
