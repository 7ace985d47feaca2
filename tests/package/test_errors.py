"""The tree of errors and warnings."""

import inspect
import pickle

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


def test_an_error_has_no_other_fields():
    """A misspelt field is refused, so that no cents are lost. A field of one class is none of another."""
    for kind, fields in [(sp.SuburbError, {"centz": 3}), (sp.errors.NoData, {"suggestions": ()})]:
        with pytest.raises(AttributeError, match=next(iter(fields))):
            kind("What happened.", **fields)


def test_the_tree_in_the_docstring_is_complete():
    """The tree in the module's docstring lists each error and warning."""
    assert all(f" {kind.__name__} " in f"{errors.__doc__} ".replace("\n", " ") for kind in ALL_ERRORS)


def test_a_warning_points_at_the_line_of_the_caller(embedded):
    """A warning points at the user's own line, at any depth of the package."""
    with pytest.warns(sp.errors.NoDataWarning) as caught:
        sp.rent(["Thorny Devil"])
    assert [warning.filename for warning in of_this_call(caught)] == [__file__]
