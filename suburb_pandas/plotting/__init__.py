"""Charts of rents and of amenity price impacts with matplotlib.

Draws frames that were loaded elsewhere and makes no call; the arithmetic of time is left to timeseries.
accessor and notebook may import it; geocoding may not.
"""
