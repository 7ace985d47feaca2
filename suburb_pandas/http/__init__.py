"""Owns one HTTP exchange: the connections, the deadline of a call, and the size limit of a response.

It is the only folder that imports urllib3, and connections is its only module that touches private parts of urllib3.
Retrying is left to purchasing, and deciding what a response means or costs to service.
client and the folders above it may import it; cassettes and store may not.
"""
