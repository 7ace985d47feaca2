"""`df.suburb`: the names that it finds, the options that it passes on, and that only its methods make calls."""

import _thread
import collections
import contextlib
import importlib
import inspect
import operator
import pydoc
import re
import warnings
from functools import partial

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import suburb_pandas as sp
from suburb_pandas.accessor import suburb
from suburb_pandas.accessor.suburb import LOOKUPS, METHODS
from tests.support.common import wait_for

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"


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


def parameters_of(function):
    """Return the parameters of a function by name, or those of a method of ``df.suburb``."""
    found = getattr(pd.DataFrame().suburb, function) if isinstance(function, str) else function
    return {**inspect.signature(found).parameters}


def look_at_all(thing):
    """Read every attribute of an object, as `inspect.getmembers` does; skip those that need a library not installed."""
    (repr(thing), str(thing), vars(type(thing)))
    for name in dir(thing):
        with contextlib.suppress(Exception):
            getattr(thing, name)


# Results


def test_options_reach_the_loader(asked):
    """All options but `column` reach the loader unchanged; those left out arrive with the loader's own defaults."""
    df = pd.DataFrame({"suburb": [BAY], "place": [STEPS]})
    df.suburb.rent("place", layout="wide", max_cents=30, refresh=True, errors="warn", progress=False, client=None)
    df.suburb.impacts(max_cents=5)
    given = {"max_cents": 30, "refresh": True, "errors": "warn", "progress": False, "client": None, "layout": "wide"}
    for call, loader, name, options in zip(
        asked, (sp.rent, sp.impacts), (STEPS, BAY), (given, {"max_cents": 5}), strict=True
    ):
        defaults = {one.name: one.default for one in parameters_of(loader).values() if one.kind is one.KEYWORD_ONLY}
        assert (call[0], [*call[1]], call[2]) == (loader.__name__, [name], defaults | options)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "plot"])
def test_an_unknown_option_is_a_type_error(asked, method):
    """A misspelt option raises TypeError with its name, as for any Python function, before anything else happens."""
    with pytest.raises(TypeError, match="'max_cent'"):
        getattr(pd.DataFrame({"place": [BAY]}).suburb, method)(*["ME"] * (method == "resample"), max_cent=5)
    assert not asked


# The source of the names


def test_the_lookups_on_a_column_are_its_frames(asked):
    """Lookups read the frame when they are called, also if no variable refers to it; ``area_name`` takes precedence.

    A quote of `resolve` reads the column of queries all the same.
    """
    df = pd.DataFrame({"suburb": [BAY], "state": ["NSW"], "postcode": ["2000"]})
    kept = df.suburb
    df["suburb"] = [STEPS]
    df.pipe(lambda frame: frame.suburb.rent())
    df["area_name"] = [HEIGHTS]
    del df
    kept.rent()
    kept.quote("resolve", state="state", postcode="postcode")
    assert [[*names] for _, names, _ in asked] == [[STEPS], [HEIGHTS], [STEPS]]
    assert [[*asked[-1][2][label]] for label in ("state", "postcode")] == [["NSW"], ["2000"]]


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


def shown_by_help(shell, frame):
    """Return the documentation that `df.suburb?` shows in IPython."""
    shell.push({"df": frame})
    return shell.object_inspect("df.suburb")["docstring"]


def test_help_on_the_column_begins_with_the_lookups(shell):
    """On a frame with the column, `df.suburb?` and `help` list each lookup first, and say where the others are."""
    df = pd.DataFrame({"suburb": [BAY]})
    beginning, _, rest = shown_by_help(shell, df).partition("\n\nTheir options")
    assert all(re.search(rf"^{name}\(\) +[A-Z][^\n]+$", beginning, re.MULTILINE) for name in LOOKUPS)
    assert 'sp.rent(df["suburb"])' in rest
    assert beginning.splitlines()[2] in pydoc.plain(pydoc.render_doc(df.suburb))


def test_the_accessor_says_what_it_offers(shell):
    """On a frame without the column, `df.suburb?` names each lookup first; Tab and the short repr name all methods."""
    df = pd.DataFrame({"place": [BAY]})
    _, lookups, _ = shown_by_help(shell, df).split("\n\n", 2)
    assert all(f"``{name}()``" in lookups for name in LOOKUPS)
    assert completions(shell, "df.suburb.", df) == {*METHODS}
    assert all(name in repr(df.suburb) for name in METHODS)
    assert len(repr(df.suburb)) < 220


def test_a_mistyped_column_is_an_attribute_error():
    """Without such a column, methods of Series and comparisons raise AttributeError, as in stock pandas."""
    for mistake in (operator.attrgetter("unique"), partial(operator.ne, BAY), partial(operator.eq, BAY)):
        with pytest.raises(AttributeError, match="no column called 'suburb'"):
            mistake(pd.DataFrame({"Suburb": [BAY]}).suburb)


def test_access_from_outside_python():
    """The attribute also works when C code reads it without a Python frame, as from R or in a bare thread."""
    frames, found = [pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]})], collections.deque()
    _thread.start_new_thread(found.extend, (map(operator.attrgetter("suburb"), frames),))
    wait_for(lambda: len(found) == 2)
    assert [type(one) for one in found] == [pd.Series, suburb.SuburbAccessor]


def test_the_accessor_keeps_no_state():
    """The accessor refuses new attributes, and is hashable."""
    accessor = pd.DataFrame({"place": [BAY]}).suburb
    with pytest.raises(AttributeError):
        accessor.note = 1
    assert {accessor: 1}


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


LOADERS = {"join_rent": sp.impacts, "join_impacts": sp.impact_summary, "join_scorecard": sp.scorecard}
OWN = {
    "join_rent": ["on", "tolerance", "lag", "column"],
    "join_impacts": ["columns", "prefix", "column"],
    "join_scorecard": ["columns", "prefix", "column"],
    "resolve": ["state", "postcode", "region", "column"],
    "quote": ["endpoints", "state", "postcode", "column"],
}
"""The parameters that a method does not have from its loader. They come first."""


@pytest.mark.parametrize("name", [name for name in METHODS if name not in {"join_places", "places", "plot", "style"}])
def test_help_and_tab_show_the_options_spelt_out(name):
    """A method has the options of its loader, with the same defaults and types, and `column` for the suburbs.

    A method for frames of rents has the parameters of its function.
    """
    own, loader = parameters_of(name), LOADERS.get(name) or getattr(sp, name)
    first, [_, *function] = OWN.get(name, ["column"]), parameters_of(loader).values()
    if name not in LOOKUPS:
        first, options = [], function
    else:
        options = [one for one in function if one.kind is one.KEYWORD_ONLY and one.name not in first]
    assert [*own] == first + [one.name for one in options]
    assert [*own.values()][len(first) :] == options


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
