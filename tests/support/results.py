"""A pytest plugin that compares results, such as the output of examples, with a file that a person has read.

If a change is wanted, run the test with ``--renew``: it writes the file, and git shows the difference to be read.
"""

import doctest
import hashlib
import io
import warnings
from contextlib import ExitStack, redirect_stdout
from importlib.metadata import version

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.common import RENTED

_SHOWN = 3  # rows at each end of a long frame


def show(function, *given, **options):
    """Print what a function returns, or its error.

    A frame is printed as CSV: a long one as its ends, with a digest of all rows; then its unit and its operations.
    """
    try:
        frame = function(*given, **options)
    except (sp.SuburbError, ValueError, TypeError) as error:
        frame = f"{type(error).__name__}: {error}"
    if not isinstance(frame, pd.DataFrame | pd.Series):
        print(frame)  # noqa: T201 - it is compared
        return
    lines = frame.to_csv(float_format="%.7g").splitlines()
    if len(lines) > 3 * _SHOWN:
        digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
        lines[1 + _SHOWN : -_SHOWN] = [f"... {len(lines) - 1} rows, {digest}"]
    marks = frame.attrs.get("suburb_pandas", {})
    print(*lines, marks.get("unit", ""), *marks.get("operations", ()), sep="\n")  # noqa: T201 - as above


def printed(source, names):
    """Return what an example prints, and its warnings, without empty lines: one of these ends an example."""
    with redirect_stdout(io.StringIO()) as out, warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", sp.SuburbWarning)
        exec(compile(source, "example", "single"), names)  # noqa: S102 - our own file
    said = "".join(f"{each.category.__name__}: {each.message}\n" for each in warned)
    return "".join(line for line in f"{out.getvalue()}{said}".splitlines(keepends=True) if line.strip())


def examples_of(path):
    """Run the examples of a file, and return its text with what they print now.

    What they enter in ``stack`` is left at the end, or after an error.
    """
    found = ""
    with ExitStack() as stack:
        names = {"sp": sp, "np": np, "pd": pd, "show": show, "RENTED": RENTED, "stack": stack}
        for part in doctest.DocTestParser().parse(path.read_text("utf-8")):
            if isinstance(part, str):
                found += part
                continue
            first, *more = part.source.splitlines()
            code = [f">>> {first}", *(f"... {line}".rstrip() for line in more)]
            found += "\n".join([*code, printed(part.source, names)])
    return found


def pytest_addoption(parser):
    """Add the option that writes the files anew."""
    parser.addoption("--renew", action="store_true", help="write results.txt and session.txt as they are now")


@pytest.fixture
def as_read(request):
    """Return a function that asserts that a text is that of a file, which names no version."""

    def compare(found, path):
        found = found.replace(version("suburb_pandas"), "VERSION")
        if request.config.getoption("renew"):
            path.write_text(found, "utf-8")
        assert found == path.read_text("utf-8"), "If this change is wanted, run the test with --renew."

    return compare
