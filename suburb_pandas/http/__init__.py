"""Owns one HTTP exchange: the connections, the deadline of a call, and the size limit of a response.

It is the only folder that imports urllib3, and deadline is its only module that touches private parts of urllib3.
It neither retries nor decides what a response means or costs: that is left to purchasing and service.
client and the folders above it may import it; cassettes and store may not.
"""
