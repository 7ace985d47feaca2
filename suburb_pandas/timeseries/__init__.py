"""Computes with rents over time: the line between points, resampling, growth, indices, cadence and data quality.

Its main functions are `resample` and `growth`. A value between two points is on the one `line`.
Reading frames and dates is left to frames, loading rents and grouping suburbs to loaders, drawing to plotting.
Nothing here uses a client, the store or the service, and no growth may depend on later points.
loaders and the folders above it may import this one.
"""
