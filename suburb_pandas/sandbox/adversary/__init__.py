"""The sandbox as an adversary: faults, scripts of faults and canned responses, slow and broken delivery.

Owns the effect of each fault, the choice of the requests that get it, and the delivery of bytes to the client.
Correct responses, keys, wallets and sockets are left to sandbox.
Only sandbox and its tests may import it; tests elsewhere use `Sandbox.fail` and `Sandbox.answer`.
"""
