"""`df.suburb`: the names that it finds, the options that it passes on, and that only its methods make calls."""

import _thread
import collections
import contextlib
import copy
import importlib
import inspect
import operator
import pydoc
import re
import time
import warnings

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import suburb_pandas as sp
from suburb_pandas.accessor import suburb
from suburb_pandas.accessor.suburb import LOOKUPS, METHODS
from tests.support.common import names_asked

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"


@pytest.fixture
def shell():
    """Return an IPython shell that writes no history."""
    return InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))


def completions(shell, text, **names):
    """Return the completions that Tab offers after a text."""
    shell.push(names)
    shell.Completer.use_jedi = False
    with provisionalcompleter():
        return {one.text.rpartition(".")[2] for one in shell.Completer.completions(text, len(text))}


def look_at_all(thing):
    """Read every attribute of an object, as `inspect.getmembers` does; skip those that need a library not installed."""
    (repr(thing), str(thing), vars(type(thing)))
    for name in dir(thing):
        with contextlib.suppress(Exception):
            getattr(thing, name)


# Results


def defaults_of(loader):
    """Return the keyword options of a loader with their defaults."""
    parameters = inspect.signature(loader).parameters.values()
    return {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY}


def test_options_reach_the_loader(asked):
    """All options but `column` reach the loader unchanged; those left out arrive with the loader's own defaults."""
    df = pd.DataFrame({"suburb": [BAY], "place": [STEPS]})
    df.suburb.rent("place", layout="wide", max_cents=30, refresh=True, errors="warn", progress=False, client=None)
    df.suburb.impacts(max_cents=5)
    options = {"max_cents": 30, "refresh": True, "errors": "warn", "progress": False, "client": None, "layout": "wide"}
    assert [(name, list(names), passed) for name, names, passed in asked] == [
        ("rent", [STEPS], defaults_of(sp.rent) | options),
        ("impacts", [BAY], defaults_of(sp.impacts) | {"max_cents": 5}),
    ]


@pytest.mark.parametrize("method", [name for name in METHODS if name != "plot"])
def test_an_unknown_option_is_a_type_error(asked, method):
    """A misspelt option raises TypeError with its name, as for any Python function, before anything else happens."""
    with pytest.raises(TypeError, match="'max_cent'"):
        getattr(pd.DataFrame({"place": [BAY]}).suburb, method)(*["ME"] * (method == "resample"), max_cent=5)
    assert not asked


# The source of the names


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pd.DataFrame({"suburb": [STEPS], "area_name": [BAY]}),
        lambda: pd.DataFrame({"suburb": [STEPS]}, index=pd.Index([BAY], name="area_name")),
        lambda: pd.DataFrame({"suburb": [BAY, STEPS]}).query(f"suburb == '{BAY}'"),
    ],
)
def test_a_column_outlives_its_frame(asked, frame):
    """`make().suburb.rent()` finds its names although no variable refers to the frame."""
    frame().suburb.rent()
    assert names_asked(asked) == [BAY]


def test_the_lookups_on_a_column_are_its_frames(asked):
    """Lookups read the frame when they are called, not when the column was taken; ``area_name`` takes precedence."""
    df = pd.DataFrame({"suburb": [BAY]})
    kept = df.suburb
    df["suburb"] = [STEPS]
    kept.rent()
    df["area_name"] = [HEIGHTS]
    kept.rent()
    assert [list(names) for _, names, _ in asked] == [[STEPS], [HEIGHTS]]


def test_a_quote_of_resolve_is_of_the_queries(asked):
    """A quote of `resolve` reads the column of queries, even if the frame has the names that they were resolved to."""
    df = pd.DataFrame({"suburb": ["quokka bay"], "area_name": [BAY]})
    df.suburb.quote("resolve")
    df.suburb.quote("rent")
    assert [list(names) for _, names, _ in asked] == [["quokka bay"], [BAY]]


@pytest.mark.parametrize("derive", [lambda s: s.head(), lambda s: s.copy(), copy.copy, copy.deepcopy, lambda s: s + ""])
def test_only_the_column_itself_has_the_lookups(derive):
    """A Series derived from the column is a plain Series without lookups."""
    assert not hasattr(derive(pd.DataFrame({"suburb": [BAY]}).suburb), "rent")


def test_a_row_label_comes_before_a_lookup():
    """If a row is labelled `rent`, `df.suburb.rent` is its value; the other lookups stay."""
    df = pd.DataFrame({"suburb": [BAY, STEPS]}, index=["rent", "x"])
    assert df.suburb.rent == BAY
    assert callable(df.suburb.impacts)


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
            completions(shell, text, df=frame)
        shell.Completer.use_jedi = True
        with provisionalcompleter():
            list(shell.Completer.completions("df.suburb.", len("df.suburb.")))
    assert not asked


@pytest.mark.parametrize("text", ["df.", "df.suburb.", "df.suburb.str.", "df['", "df[df."])
def test_tab_lists_what_it_did(shell, monkeypatch, text):
    """On a frame with the column, Tab offers the completions of pandas, plus the lookups on the column."""
    df = pd.DataFrame({"suburb": [BAY], "x": [1]})
    with monkeypatch.context() as patch:
        patch.delattr(pd.DataFrame, "suburb")
        stock = completions(shell, text, df=df)
    lookups = {*LOOKUPS} if text == "df.suburb." else set()
    assert completions(shell, text, df=df) == stock | lookups != set()


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


def test_help_on_the_accessor_begins_with_the_lookups(shell):
    """On a frame without the column, `df.suburb?` names each lookup before anything else."""
    first, lookups, _ = shown_by_help(shell, pd.DataFrame({"place": [BAY]})).split("\n\n", 2)
    assert first.startswith("Look up")
    assert all(f"``{name}()``" in lookups for name in LOOKUPS)


def test_tab_on_the_accessor_lists_nothing_else(shell):
    """The accessor's public names are the lookups and the methods for frames of rents."""
    df = pd.DataFrame({"place": [BAY]})
    assert {name for name in dir(df.suburb) if not name.startswith("_")} == {*METHODS}
    assert completions(shell, "df.suburb.", df=df) == {*METHODS}


def test_the_accessor_says_what_it_offers():
    """The accessor's repr is one short line that names all its methods."""
    text = repr(pd.DataFrame({"place": [BAY]}).suburb)
    assert all(name in text for name in METHODS)
    assert len(text) < 220


@pytest.mark.parametrize("frame", [pd.DataFrame({"Suburb": [BAY]}), pd.DataFrame()])
def test_a_mistyped_column_is_an_attribute_error(frame):
    """Without such a column, methods of Series and comparisons raise AttributeError, as in stock pandas."""
    for mistake in (
        lambda column: column.unique(),
        lambda column: column == BAY,
        lambda column: column != BAY,
        lambda column: operator.eq(BAY, column),
    ):
        with pytest.raises(AttributeError, match="no column called 'suburb'"):
            mistake(frame.suburb)


def test_access_from_outside_python():
    """The attribute also works when C code reads it without a Python frame, as from R or in a bare thread."""
    frames, found = [pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]})], collections.deque()
    _thread.start_new_thread(found.extend, (map(operator.attrgetter("suburb"), frames),))
    for _ in range(500):
        time.sleep(0 if len(found) == 2 else 0.01)
    assert [type(one) for one in found] == [pd.Series, suburb.SuburbAccessor]


def test_the_accessor_keeps_no_state():
    """The accessor refuses new attributes, leaves no state on the frame, and is hashable."""
    df = pd.DataFrame({"place": [BAY]})
    with pytest.raises(AttributeError):
        df.suburb.note = 1
    assert vars(df).keys() == vars(pd.DataFrame()).keys()
    assert {df.suburb: 1}


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


@pytest.mark.parametrize("name", [name for name in LOOKUPS if not name.startswith("join_")])
def test_help_and_tab_show_the_options_spelt_out(name):
    """A method has the options of its loader, with the same defaults and types, and `column` for the suburbs."""
    own = inspect.signature(getattr(pd.DataFrame().suburb, name)).parameters
    loader = inspect.signature(getattr(sp, name)).parameters
    filters = {"state", "lga", "sa4", "postcode"} if name == "places" else set()
    labels = {"resolve": {"region"}, "quote": {"state", "postcode"}}.get(name, set())  # columns of the frame
    assert {*own} == {"column", *list(loader)[1:]} - filters
    options = {option: one for option, one in loader.items() if one.kind is one.KEYWORD_ONLY}
    options = {option: one for option, one in options.items() if option not in filters | labels}
    assert {option: own[option] for option in options} == options
    assert not [one for one in own.values() if one.kind is one.VAR_KEYWORD]


@pytest.mark.parametrize(
    ("name", "own_options", "loader"),
    [
        ("join_rent", ["on", "tolerance", "lag"], sp.impacts),
        ("join_impacts", ["columns", "prefix"], sp.impact_summary),
        ("join_scorecard", ["columns", "prefix"], sp.scorecard),
    ],
)
def test_help_and_tab_show_the_options_of_a_join(name, own_options, loader):
    """A join takes the options of its loader with the same defaults, and a few of its own before them."""
    own = inspect.signature(getattr(pd.DataFrame().suburb, name)).parameters
    assert list(own)[: len(own_options) + 1] == [*own_options, "column"]
    assert {option: own[option].default for option in defaults_of(loader)} == defaults_of(loader)
    assert {*own} == {*own_options, "column", *defaults_of(loader)}


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


@pytest.mark.parametrize("name", [name for name in METHODS if name not in LOOKUPS and name not in {"plot", "style"}])
def test_a_door_of_a_frame_of_rents_is_the_function(name):
    """A method for frames of rents has the signature of its function, without the frame."""
    own = inspect.signature(getattr(pd.DataFrame().suburb, name)).parameters
    _, *function = inspect.signature(getattr(sp, name)).parameters.values()
    assert [(one.name, one.default) for one in own.values()] == [(one.name, one.default) for one in function]
