"""Owns the locks between processes, and the hooks that run when this process forks.

The modules that use locks and hooks decide what a lock protects, and what a child has to renew.
Every folder above may import it; it imports only errors.
"""
