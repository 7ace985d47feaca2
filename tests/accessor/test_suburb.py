"""`df.suburb` as tools read it: completion, help and inspection make no call, and every option is described."""

import _thread
import collections
import contextlib
import importlib
import inspect
import operator
import pydoc
import re
import warnings

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import suburb_pandas as sp
from suburb_pandas.accessor import suburb
from suburb_pandas.accessor.suburb import LOOKUPS, METHODS
from tests.support.common import wait_for

BAY = "Quokka Bay"


@pytest.fixture
def shell():
    """Return an IPython shell that writes no history."""
    return InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))


def completions(shell, text, frame, *, use_jedi=False):
    """Return the completions that Tab offers after a text in which a frame is called `df`."""
    shell.push({"df": frame})
    shell.Completer.use_jedi = use_jedi
    with provisionalcompleter():
        return {one.text.rpartition(".")[2] for one in shell.Completer.completions(text, len(text))}


def look_at_all(thing):
    """Read every attribute of an object, as `inspect.getmembers` does; skip those that need a library not installed."""
    (repr(thing), str(thing), vars(type(thing)))
    for name in dir(thing):
        with contextlib.suppress(Exception):
            getattr(thing, name)


def test_a_quote_of_resolve_is_for_the_queries(asked):
    """It reads the column of queries, even if there is an ``area_name``, and the columns of states and postcodes."""
    df = pd.DataFrame({"suburb": [BAY], "area_name": "Woylie", "state": "WA", "postcode": "2000"})
    df.suburb.quote("resolve", state="state", postcode="postcode")
    [[_, names, options]] = asked
    assert [*names, *options["state"], *options["postcode"]] == [BAY, "WA", "2000"]


# Attribute access


@pytest.mark.parametrize(
    "frame", [pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]}), pd.DataFrame({"suburb": [None]})]
)
def test_introspection_makes_no_call(asked, shell, frame):
    """Representation, completion, help and inspection of the attribute make no call and raise no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        look_at_all(frame)
        look_at_all(frame.suburb)
        inspect.getmembers_static(frame.suburb)
        pydoc.render_doc(frame.suburb.rent)
        inspect.signature(frame.suburb.rent)
        shell.display_formatter.format(frame.suburb)
        shell.inspector.info(frame.suburb, "df.suburb")
        for text in ("df.", "df.suburb.", "df.suburb.r", "df.suburb.rent(", "df['"):
            completions(shell, text, frame)
    assert not asked


@pytest.mark.parametrize("text", ["df.rent", pytest.param("df.suburb.rent", marks=pytest.mark.long)])
def test_jedi_completes_a_lookup_without_a_call(asked, shell, text):
    """IPython completes with jedi by default. Of a whole frame, jedi first reads the source of pandas: seconds."""
    frame = pd.DataFrame({"place": [BAY]})
    assert "rent" in completions(shell, text, frame.suburb if text == "df.rent" else frame, use_jedi=True)
    assert not asked


@pytest.mark.parametrize("text", ["df.", "df.suburb.", "df['"])
def test_tab_lists_what_it_did(shell, monkeypatch, text):
    """On a frame with the column, Tab offers the completions of pandas, plus the lookups on the column."""
    df = pd.DataFrame({"suburb": [BAY], "x": [1]})
    with monkeypatch.context() as patch:
        patch.delattr(pd.DataFrame, "suburb")
        stock = completions(shell, text, df)
    lookups = {*LOOKUPS} if text == "df.suburb." else set()
    assert completions(shell, text, df) == stock | lookups != set()


def test_help_begins_with_the_lookups(shell):
    """`df.suburb?` and `help` say first which lookups there are. Without such a column, Tab offers the methods only."""
    with_column, without = pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]})
    for frame, documentation in ((with_column, suburb.COLUMN_HELP), (without, inspect.getdoc(suburb.SuburbAccessor))):
        shell.push({"df": frame})
        assert shell.object_inspect("df.suburb")["docstring"] == documentation
    assert all(f"``{name}()``" in documentation.split("\n\n")[1] for name in LOOKUPS)
    assert suburb.COLUMN_HELP.splitlines()[2] in pydoc.plain(pydoc.render_doc(with_column.suburb))
    assert completions(shell, "df.suburb.", without) == {*METHODS}


def test_access_from_outside_python():
    """The attribute also works when C code reads it without a Python frame, as from R or in a bare thread."""
    frames, found = [pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]})], collections.deque()
    _thread.start_new_thread(found.extend, (map(operator.attrgetter("suburb"), frames),))
    wait_for(lambda: len(found) == 2)
    assert [type(one) for one in found] == [pd.Series, suburb.SuburbAccessor]


# Installing


def test_reloading_the_package():
    """A reload of the modules and of the package installs the reloaded accessor without a warning."""
    before = vars(suburb).copy()
    try:
        importlib.reload(suburb)
        importlib.reload(sp)
        assert pd.DataFrame.suburb is suburb.SuburbAccessor is not before["SuburbAccessor"]
    finally:
        vars(suburb).update(before)
        importlib.reload(sp)


def test_a_pandas_that_would_lose_what_is_assigned(monkeypatch):
    """If assignment would miss the column, the attribute is not installed, and a warning names the alternative."""
    monkeypatch.setattr(pd.DataFrame, "__setattr__", object.__setattr__)
    with pytest.warns(sp.SuburbWarning, match="df.suburb is not available.*Use the functions"):
        suburb.install()
    assert not hasattr(pd.DataFrame, "suburb")
    monkeypatch.undo()
    suburb.install()


@pytest.mark.parametrize("name", METHODS)
def test_help_describes_every_option(name):
    """The help of a method has an entry for each of its parameters, and the help of the column says which is used.

    Each parameter has a type, and so has the result.
    """
    method = getattr(pd.DataFrame().suburb, name)
    entries = inspect.getdoc(method).partition("Parameters\n---")[2].partition("Returns\n---")[0]
    described = {
        option.strip(" *") for line in re.findall(r"^\w.*|^\*.*", entries, re.MULTILINE) for option in line.split(",")
    }
    signature = inspect.signature(method)
    assert described - {"frame : the frame in front of ``.suburb``"} == {*signature.parameters}
    annotations = [*(one.annotation for one in signature.parameters.values()), signature.return_annotation]
    assert inspect.Signature.empty not in annotations
    assert name == "resolve" or "column" not in described or "By default ``area_name``" in entries
