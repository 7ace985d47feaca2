"""Draws charts of rents and of amenity price impacts, and maps, with matplotlib.

Takes frames that are already loaded, and makes no call.
Loading is left to loaders, the arithmetic of time to timeseries, the look and the arrangement of charts to composition.
accessor and notebook may import it; geocoding may not.
"""
