"""Owns the locks between processes, and what this process does when it forks.

It knows nothing of suburbs, stores or money: the module that owns a lock or a connection decides what it protects.
Every folder above may import it; it imports only errors.
"""
