"""Importing the package does not load libraries that only a call, a chart or a widget needs."""

import subprocess
import sys

import pandas as pd

HEAVY = ["matplotlib", "ipywidgets", "anywidget", "vcr", "werkzeug", "tqdm", "requests", "IPython"]


def loaded_after(code):
    """Run code in a new process and return the names of the modules loaded at its end."""
    program = f"{code}\nimport sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_the_import_is_light():
    """The import loads no drawing, widget, cassette, sandbox or HTTP library."""
    assert not loaded_after("import suburb_pandas") & set(HEAVY)


def test_the_import_raises_no_warning():
    """A program that turns every warning into an error, as with `python -W error`, can import the package."""
    code = "import suburb_pandas"
    if pd.__version__ == "2.2.0":  # it warns of pyarrow at its own import
        code = f"import warnings; warnings.filterwarnings('ignore', '\\nPyarrow'); {code}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_client_opens_nothing_before_it_is_needed():
    """A new client loads no HTTP library and starts no sandbox."""
    code = "import suburb_pandas as sp; print(sp.connect()); sp.Client(api_key='test', base_url='http://127.0.0.1:1')"
    assert not loaded_after(code) & {"requests", "werkzeug"}
