"""Draws values by suburb on a map: reads values and boundaries, joins them by exact names, and draws them in classes.

The words of a map and its arrangement in a figure are composed as those of all charts.
Only this folder imports geopandas and shapely, which come with the extra ``map``.
Only plotting may import it.
"""
