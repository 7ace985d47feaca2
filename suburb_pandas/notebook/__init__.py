"""Serves notebooks: the suburb picker and the ``%%cassette`` magic.

Owns the widgets and what they show in a browser, and the check whether a notebook reruns. What a picker loaded is shown
by `result`. Loading is left to loaders, names to geocoding, charts to plotting.
Only the package's own ``__init__`` imports it; accessor may not.
"""
