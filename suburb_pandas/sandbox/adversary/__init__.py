"""The sandbox as an adversary, for tests: faults, scripts of answers, and slow or broken delivery.

Owns what can be made to go wrong; answers that are right are left to the folder above.
Only ``sandbox`` imports it.
"""
