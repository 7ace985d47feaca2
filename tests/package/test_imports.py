"""Importing the package does not load libraries that only a call, a chart or a widget needs."""

import subprocess
import sys

import pandas as pd
import pytest

HEAVY = [
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
]


PROGRAM = """
import sys
import suburb_pandas as sp
print(*sys.modules)
shown = str(sp.connect())
sp.Client(api_key='test', base_url='http://127.0.0.1:1')
print(*sys.modules)
"""


@pytest.fixture(scope="module")
def loaded():
    """Return the modules that a new process has loaded after the import, and those after two clients were made."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_the_import_is_light(loaded):
    """The import loads no drawing, widget, cassette, sandbox or HTTP library."""
    after_import, _ = loaded
    assert "suburb_pandas" in after_import
    assert not after_import & set(HEAVY)


def test_the_import_raises_no_warning():
    """A program that turns every warning into an error, as with `python -W error`, can import the package."""
    code = "import suburb_pandas"
    if pd.__version__ == "2.2.0":  # it warns of pyarrow at its own import
        code = f"import warnings; warnings.filterwarnings('ignore', '\\nPyarrow'); {code}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_client_opens_nothing_before_it_is_needed(loaded):
    """A new client loads no HTTP library and starts no sandbox."""
    _, after_clients = loaded
    assert "suburb_pandas.client.client" in after_clients
    assert not after_clients & {"requests", "werkzeug"}
