"""Traces frames to the responses behind them, by their values: provenance, citations, and revisions between vintages.

Owns the comparison of frames with responses, and the citation. Leaves reading responses to client and loaders, and
computing to timeseries. No function here makes a call. geocoding, plotting and the folders above may import this
folder.
"""
