"""Loads lists of made-up suburbs."""

from io import StringIO

import pandas as pd

import suburb_pandas as sp


def load(table, *, complete=True):
    """Load a list that is written as CSV, with the columns of the ABS's allocation files."""
    sp.load_gazetteer(pd.read_csv(StringIO(table), keep_default_na=False), complete)
