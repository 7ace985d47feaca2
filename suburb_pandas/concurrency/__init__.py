"""Owns the locks between processes, and the hooks that run when this process forks.

What a lock protects, and what a child has to renew, is left to the modules that use them.
Every folder above may import it; it imports only errors.
"""
