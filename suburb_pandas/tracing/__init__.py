"""Traces frames to the responses behind them, by their values: provenance, citations, and revisions between vintages.

Owns what a frame is compared with, and what may be said of it. Leaves reading responses to client and loaders, and
computing to timeseries. No function here makes a call. plotting and the folders above it may import this folder.
"""
