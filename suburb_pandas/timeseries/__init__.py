"""Computes with rents over time: the line between points, resampling, growth, indices, cadence and data quality.

Its main functions are `resample` and `growth`. Every value comes from points by the one rule of `line`.
Reading frames and dates is left to frames, loading rents and grouping suburbs to loaders, drawing to plotting.
Nothing here uses a client, the store or the service, and no growth or last value may depend on later points.
Every folder from service upwards may import this one.
"""
