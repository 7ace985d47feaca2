"""Owns ``df.suburb``: its installation on ``pandas.DataFrame``, and its methods.

`suburb.install` installs it, and `methods.method` makes each method from a function of the package.
Leaves all work to loaders, geocoding, timeseries and plotting. Only the package's own ``__init__`` imports it.
Never compute, check or call anything when ``df.suburb`` is accessed: Tab must stay free, and a column called
``suburb`` must behave as in pandas.
"""
