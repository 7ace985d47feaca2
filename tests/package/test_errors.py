"""The tree of errors and warnings."""

import inspect
import pickle
import sqlite3
import traceback
from pathlib import Path

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas import errors
from tests.support.common import of_this_call

ALL_ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", ALL_ERRORS)
def test_every_error_and_warning_is_public(kind):
    """Every error and warning class can be imported from the top of the package."""
    assert getattr(sp.errors, kind.__name__) is kind
    assert kind.__name__ in dir(sp.errors)
    assert issubclass(kind, sp.SuburbError | sp.SuburbWarning)


@pytest.mark.parametrize("kind", [kind for kind in ALL_ERRORS if issubclass(kind, sp.SuburbError)])
def test_an_error_survives_pickling_with_its_fields(kind):
    """An error from a worker process arrives with its message and all its fields."""
    error = pickle.loads(pickle.dumps(kind("What happened.", status_code=418, request_id="r1", cents=30)))  # noqa: S301
    assert str(error) == "What happened."
    assert (error.status_code, error.request_id, error.cents, error.retry_after) == (418, "r1", 30, None)


def test_the_tree_in_the_docstring_is_complete():
    """The tree in the module's docstring lists each error and warning."""
    assert all(f" {kind.__name__} " in f"{errors.__doc__} ".replace("\n", " ") for kind in ALL_ERRORS)


def test_a_warning_points_at_the_line_of_the_caller(embedded):
    """A warning points at the user's own line, at any depth of the package."""
    with pytest.warns(sp.errors.NoDataWarning) as caught:
        sp.rent(["Thorny Devil"])
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]


def lines_of(error):
    """Return the file and the function of each line of a traceback, without the test's own."""
    _, *lines = traceback.extract_tb(error.__traceback__)
    return [(Path(line.filename).name, line.name) for line in lines]


@pytest.mark.parametrize("load", [sp.rent, sp.impacts, sp.impact_summary, sp.scorecard, sp.quote, sp.resolve])
def test_a_traceback_ends_in_the_public_function_and_the_line_that_raised(embedded, load):
    """Between the user's line and the error stand two lines of the package at most."""
    with pytest.raises(sp.errors.InvalidName) as caught:
        load([3])
    (_, function), (_, raised) = lines_of(caught.value)
    assert (function, raised) in {(load.__name__, "check"), (load.__name__, "_text")}


def test_a_traceback_through_the_accessor_shows_its_method_too(embedded):
    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        pd.DataFrame({"suburb": ["Quokka Bay", "Nowhere"]}).suburb.resolve()
    assert lines_of(caught.value)[0] == ("naming.py", "resolve")


def test_a_traceback_keeps_the_users_own_lines(embedded):
    """A generator of the user's that fails inside a loader shows the line in which it failed."""

    def names():
        yield "Quokka Bay"
        yield sp.rent("Nowhere").attrs["suburb_pandas"]["area_name"]

    with pytest.raises(sp.errors.UnknownSuburb) as caught:
        sp.impacts(names())
    files = [file for file, _ in lines_of(caught.value)]
    assert files == ["loaders.py", Path(__file__).name, "outcome.py"]


def test_an_error_with_a_cause_keeps_it(tmp_path):
    """The error of a damaged store still has SQLite's error as its cause."""
    (tmp_path / "store").write_bytes(b"no database" * 99)
    with (
        sp.Client(api_key="embedded", store=tmp_path / "store") as client,
        pytest.raises(sp.errors.StoreError) as caught,
    ):
        sp.rent("Quokka Bay", client=client)
    assert isinstance(caught.value.__cause__, sqlite3.DatabaseError)
