"""The tree of errors and warnings."""

import inspect
import pickle

import pytest

import suburb_pandas as sp
from suburb_pandas import errors

ALL_ERRORS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]
RETRYABLE = {"RateLimited", "ServiceError", "Unreachable"}
FIELDS = {"status_code": 418, "request_id": "r1", "cents": 30}


def test_every_error_and_warning_is_public_and_in_the_tree():
    """Every error and warning is in ``sp.errors``, in its ``dir`` and in the tree of its docstring.

    An error from a worker process arrives with its message and all its fields.
    """
    assert {kind.__name__ for kind in ALL_ERRORS if getattr(kind, "retryable", False)} == RETRYABLE
    assert [kind for kind in ALL_ERRORS if getattr(kind, "is_stored", False)] == [errors.NoData]
    assert dir(errors) == [kind.__name__ for kind in ALL_ERRORS]
    for kind in ALL_ERRORS:
        assert issubclass(kind, sp.SuburbError | sp.SuburbWarning)
        assert f" {kind.__name__} " in f"{errors.__doc__} ".replace("\n", " ")
        if issubclass(kind, sp.SuburbError):
            arrived = pickle.loads(pickle.dumps(kind("What happened.", **FIELDS)))  # noqa: S301 - of this test
            assert (type(arrived), str(arrived), vars(arrived)) == (kind, "What happened.", FIELDS)
            assert arrived.retry_after is None


def test_an_error_has_no_other_fields():
    """A misspelt field is refused, so that no cents are lost. A field of one class is none of another."""
    for kind, fields in [(sp.SuburbError, {"centz": 3}), (sp.errors.NoData, {"suggestions": ()})]:
        with pytest.raises(AttributeError, match=next(iter(fields))):
            kind("What happened.", **fields)
