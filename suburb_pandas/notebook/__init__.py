"""Serves notebooks: the suburb picker and the ``%%cassette`` magic.

Owns the widgets and their scripts for the browser, and the check whether a notebook reruns. The loaded data of a picker
are shown by `result`. Loading is left to loaders, names to geocoding, charts to plotting.
Only the package's own ``__init__`` imports it; accessor may not.
"""
