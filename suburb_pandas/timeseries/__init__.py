"""The arithmetic of time: calendars, resampling, growth, cadence and quality of frames of rents.

Works on frames from any origin; knows no client, no store and no service.
Loading rents is left to loaders, drawing them to plotting.
Every folder from service upwards may import it.
"""
