"""Serves notebooks: the suburb picker and the ``%%cassette`` magic.

Owns the widget with its script for the browser, and the check whether a notebook reruns. Loading is left to loaders,
names to geocoding, charts to plotting.
Only the package's own ``__init__`` and ``__main__`` import it; accessor may not.
"""
