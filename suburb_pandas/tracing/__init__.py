"""Traces frames to the responses behind them, by their values: provenance, citations, and revisions between vintages.

`provenance.trace` compares a frame with the responses that it can have come from; `citation.cite` writes the sentence.
Leaves reading responses to client and loaders, and computing to timeseries. plotting, geocoding and the folders above
them may import it.
Never make a call, never believe a frame's attrs without comparing its values, and refuse what cannot be compared.
"""
