"""Draws charts of rents and of amenity price impacts, and maps, with matplotlib.

Takes frames that are already loaded, and makes no call.
Each kind of chart has a module; figure, look and words are shared. Loading is left to loaders, time to timeseries.
accessor and notebook may import it; geocoding may not.
"""
