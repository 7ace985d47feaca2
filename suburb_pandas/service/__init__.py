"""The service's specification as code, one file for each endpoint.

Owns paths, prices, decoders, statuses, and the words for a call and its response.
Makes no call (http), keeps nothing (store), builds no frame (loaders) and does not import pandas.
Every folder from cassettes, http and store upwards may import it; it imports timeseries and below.
"""
