"""Computes with frames of rents over time: calendars, the line between points, resampling, growth,
indices, cadence and data quality.

The frames may come from anywhere: nothing here uses a client, the store or the service.
Loading rents is left to loaders, and drawing them to plotting.
Every folder from service upwards may import this one.
"""
