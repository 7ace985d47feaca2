"""Importing the package does not load libraries that only a call, a chart or a widget needs."""

import subprocess
import sys

HEAVY = {
    "matplotlib",
    "geopandas",
    "shapely",
    "ipywidgets",
    "anywidget",
    "vcr",
    "werkzeug",
    "tqdm",
    "requests",
    "IPython",
    "polars",
    "dask",
}

PROGRAM = """
import sys, warnings
warnings.filterwarnings('ignore', '\\nPyarrow')  # of pandas 2.2.0, at its own import
import suburb_pandas as sp
print(*sys.modules)
shown = str(sp.connect())
sp.Client(api_key='test', base_url='http://127.0.0.1:1')
print(*sys.modules)
"""


def test_the_import_is_light_and_a_client_opens_nothing_before_it_is_needed():
    """Neither the import nor a new client loads a drawing, widget, cassette, sandbox or HTTP library, or warns."""
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=110)
    assert (done.returncode, done.stderr) == (0, "")
    for line in done.stdout.splitlines():
        assert "suburb_pandas.client.client" in line.split()
        assert not HEAVY & {*line.split()}
