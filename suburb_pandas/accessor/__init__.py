"""Owns ``df.suburb``: its installation on ``pandas.DataFrame``, and its methods.

Computes nothing: every method passes its arguments on to loaders, geocoding, timeseries or plotting.
Only the package's own ``__init__`` imports it; notebook may not.
"""
