"""``df.suburb``: how it gets onto DataFrame, and its methods.

Every method passes its call on: to loaders, geocoding, timeseries or plotting. Nothing is computed here.
Only the package's own ``__init__`` imports it; notebook may not.
"""
