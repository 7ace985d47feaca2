"""The sandbox as an adversary: faults, scripts of faults and canned responses, slow and broken delivery.

Owns what each fault does, which request meets it, and how bytes reach the client.
Correct responses, keys, wallets and sockets are left to sandbox.
Only sandbox and its tests may import it; tests elsewhere use `Sandbox.fail` and `Sandbox.answer`.
"""
