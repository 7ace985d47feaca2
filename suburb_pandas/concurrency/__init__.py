"""Locks between processes, and what has to happen when this process forks.

Knows nothing of suburbs, stores or money.
Every folder above may import it; it imports only errors.
"""
