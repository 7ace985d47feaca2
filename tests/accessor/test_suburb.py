"""`df.suburb`: which names it finds, what it passes on, and that nothing but a method makes a call."""

import _thread
import collections
import contextlib
import copy
import importlib
import inspect
import operator
import pydoc
import time
import warnings

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import suburb_pandas as sp
from suburb_pandas.accessor import install, suburb
from suburb_pandas.accessor.suburb import DOORS, LOOKUPS
from tests.support.common import RENTED, names_asked, of_this_call

BAY, HEIGHTS, STEPS = "Quokka Bay", "Bilby Heights", "Mangrove Steps"


@pytest.fixture
def shell():
    """An IPython that writes no history."""
    return InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))


def completions(shell, text, **names):
    """What Tab offers after the text."""
    shell.push(names)
    shell.Completer.use_jedi = False
    with provisionalcompleter():
        return {one.text.rpartition(".")[2] for one in shell.Completer.completions(text, len(text))}


def look_at_all(thing):
    """What `inspect.getmembers` does, past the members for which this pandas wants a library that is not there."""
    (repr(thing), str(thing), vars(type(thing)))
    for name in dir(thing):
        with contextlib.suppress(Exception):
            getattr(thing, name)


# What comes back


@pytest.mark.parametrize("label", ["place", "suburb"])
@pytest.mark.usefixtures("embedded")
def test_rent_is_what_the_loader_gives(label):
    """From the accessor and from the column alike, in the order of the rows, each suburb once."""
    df = pd.DataFrame({label: [STEPS, BAY, STEPS]})
    pd.testing.assert_frame_equal(df.suburb.rent(column=label), sp.rent([STEPS, BAY]))


@pytest.mark.parametrize("label", ["locality", "suburb"])
@pytest.mark.usefixtures("embedded")
def test_impacts_and_summary_are_what_the_loaders_give(label):
    """The drivers and the summary are those of the loaders for the same names."""
    df = pd.DataFrame({label: [BAY, HEIGHTS]})
    pd.testing.assert_frame_equal(df.suburb.impacts(), sp.impacts([BAY, HEIGHTS]))
    pd.testing.assert_frame_equal(df.suburb.impact_summary(), sp.impact_summary([BAY, HEIGHTS]))


def test_options_reach_the_loader(asked):
    """What is given beside `column` is passed on as it is, and nothing else is."""
    df = pd.DataFrame({"suburb": [BAY], "place": [STEPS]})
    df.suburb.rent("place", layout="wide", max_cents=30, refresh=True, errors="warn", progress=False, client=None)
    df.suburb.impacts(max_cents=5)
    options = {"max_cents": 30, "refresh": True, "errors": "warn", "progress": False, "client": None, "layout": "wide"}
    assert [(name, list(names), given_) for name, names, given_ in asked] == [
        ("rent", [STEPS], options),
        ("impacts", [BAY], {"max_cents": 5}),
    ]


@pytest.mark.usefixtures("embedded")
def test_an_unknown_option_is_a_type_error():
    """A misspelt option is refused as Python refuses it."""
    with pytest.raises(TypeError, match="max_cent"):
        pd.DataFrame({"suburb": [BAY]}).suburb.rent(max_cent=5)


@pytest.mark.usefixtures("embedded")
def test_the_summary_of_a_summary():
    """An index level `area_name`, as a summary has, is found."""
    summary = sp.impact_summary([BAY, HEIGHTS])
    pd.testing.assert_frame_equal(summary.suburb.impact_summary(), summary)


@pytest.mark.parametrize("label", ["place", "suburb"])
@pytest.mark.usefixtures("embedded")
def test_rows_without_a_name_are_skipped_with_a_warning(label):
    """The warning counts them, lists their labels, and stands at the user's line."""
    df = pd.DataFrame({label: [BAY, None, HEIGHTS, float("nan")]}, index=["a", "b", "c", "d"])
    with pytest.warns(sp.SkippedRowsWarning, match=r"2 of 4 .*'b', 'd'") as caught:
        rents = df.suburb.rent(column=label)
    assert list(rents["area_name"].cat.categories) == [BAY, HEIGHTS]
    assert [w.filename for w in of_this_call(caught)] == [__file__]


@pytest.mark.parametrize("label", ["place", "suburb"])
@pytest.mark.parametrize("method", [name for name in LOOKUPS if name not in {"quote", "resolve"}])
@pytest.mark.usefixtures("embedded")
def test_no_rows_give_an_empty_frame_of_the_same_shape(label, method):
    """A frame of no rows has no suburbs to look up, which is no error."""
    full = pd.DataFrame({label: [BAY], "date": [pd.Timestamp("2026-03-31")]})
    empty = getattr(full[:0].suburb, method)(column=label)
    assert len(empty) == 0
    assert list(empty.columns) == list(getattr(full.suburb, method)(column=label).columns)


@pytest.mark.usefixtures("embedded")
def test_an_unknown_suburb_is_the_loaders_error():
    """Of several suburbs, one that is unknown is in the `failures` of a BatchIncomplete."""
    df = pd.DataFrame({"suburb": [BAY, "Nowhere at All"]})
    with pytest.raises(sp.BatchIncomplete) as caught:
        df.suburb.rent()
    assert list(caught.value.failures) == ["Nowhere at All"]


# The rule


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pd.DataFrame({"suburb": [BAY], "x": [1]}),
        lambda: pd.DataFrame({"suburb": [STEPS], "area_name": [BAY]}),
        lambda: pd.DataFrame({"suburb": [STEPS]}, index=pd.Index([BAY], name="area_name")),
        lambda: pd.DataFrame({"suburb": [BAY, STEPS]}).query(f"suburb == '{BAY}'"),
        lambda: pd.DataFrame({"suburb": pd.Series([BAY], dtype="category")}),
        lambda: pd.DataFrame({"suburb": pd.Series([BAY], dtype="string")}),
    ],
)
def test_a_column_outlives_its_frame(asked, frame):
    """`make().suburb.rent()` finds its names although nothing holds the frame any more."""
    frame().suburb.rent()
    assert names_asked(asked) == [BAY]


def test_another_column_of_a_frame_in_passing(asked):
    """The lookups on a column find any column of its frame, also of a frame that nobody else holds."""
    df = pd.DataFrame({"suburb": ["messy", "x"], "place": [STEPS, BAY]})
    df.head(1).suburb.rent(column="place")
    df.query("place != 'x'").suburb.rent(column="place")
    assert [list(names) for _, names, _ in asked] == [[STEPS], [STEPS, BAY]]


def test_the_lookups_on_a_column_are_its_frames(asked):
    """They ask for what the frame holds when they are called: its column of suburbs then, and ``area_name`` first."""
    df = pd.DataFrame({"suburb": [BAY]})
    kept = df.suburb
    df["suburb"] = [STEPS]
    kept.rent()
    df["area_name"] = [HEIGHTS]
    kept.rent()
    assert [list(names) for _, names, _ in asked] == [[STEPS], [HEIGHTS]]


def test_rows_keep_their_labels(asked):
    """The names go to the loader with the frame's index, so that a warning can list the rows."""
    pd.DataFrame({"suburb": [BAY, None]}, index=["a", "b"]).suburb.rent()
    ((_, names, _),) = asked
    pd.testing.assert_index_equal(names.index, pd.Index(["a", "b"]))


@pytest.mark.parametrize("derive", [lambda s: s.head(), lambda s: s.copy(), copy.copy, copy.deepcopy, lambda s: s + ""])
def test_only_the_column_itself_has_the_lookups(derive):
    """What is made from it is a plain Series."""
    assert not hasattr(derive(pd.DataFrame({"suburb": [BAY]}).suburb), "rent")


def test_a_row_label_comes_before_a_lookup():
    """`df.suburb.rent` is the value of the row labelled `rent` where there is one; other lookups stay."""
    df = pd.DataFrame({"suburb": [BAY, STEPS]}, index=["rent", "x"])
    assert df.suburb.rent == BAY
    assert callable(df.suburb.impacts)


# Access


@pytest.mark.parametrize(
    "frame", [pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]}), pd.DataFrame({"suburb": [None]})]
)
def test_introspection_makes_no_call(asked, shell, frame):
    """Looking at the attribute in every way that tools do makes no call and raises nothing."""
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


@pytest.mark.usefixtures("live")
def test_introspection_reaches_no_service(service):
    """On a service that counts what it is sent, completion and representation send nothing."""
    df = pd.DataFrame({"suburb": [BAY]})
    for frame in (df, df.rename(columns={"suburb": "place"})):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            look_at_all(frame)
            look_at_all(frame.suburb)
    assert not service.requests


@pytest.mark.parametrize("label", ["suburb", "place"])
def test_tab_lists_the_lookups(shell, label):
    """`df.suburb.` and Tab lists the lookups, on the accessor and on the column."""
    df = pd.DataFrame({label: [BAY]})
    assert {*LOOKUPS} <= completions(shell, "df.suburb.", df=df)
    assert completions(shell, "df.suburb.re", df=df) >= {"rent"}
    assert "suburb" in completions(shell, "df.su", df=df)


@pytest.mark.parametrize("text", ["df.", "df.suburb.", "df.suburb.str.", "df['", "df[df."])
def test_tab_lists_what_it_did(shell, monkeypatch, text):
    """On a frame with the column, Tab offers what pandas alone offers, and the lookups on the column."""
    df = pd.DataFrame({"suburb": [BAY], "x": [1]})
    with monkeypatch.context() as patch:
        patch.delattr(pd.DataFrame, "suburb")
        stock = completions(shell, text, df=df)
    lookups = {*LOOKUPS} if text == "df.suburb." else set()
    assert completions(shell, text, df=df) == stock | lookups != set()


def test_tab_on_the_accessor_lists_nothing_else(shell):
    """The accessor has no public names but its lookups, and what a frame of rents can be asked for."""
    df = pd.DataFrame({"place": [BAY]})
    assert {name for name in dir(df.suburb) if not name.startswith("_")} == {*DOORS}
    assert completions(shell, "df.suburb.", df=df) == {*DOORS}


def test_the_class_gives_the_accessor_class():
    """`DataFrame.suburb` is the accessor's class, with its docs, as for accessors of pandas' own."""
    assert pd.DataFrame.suburb is suburb.SuburbAccessor
    assert "area_name" in pd.DataFrame.suburb.__doc__
    assert all("Raises" in getattr(pd.DataFrame.suburb, name).__doc__ for name in LOOKUPS)


def test_the_accessor_says_what_it_offers():
    """Its representation is one short line with the names of the methods."""
    text = repr(pd.DataFrame({"place": [BAY]}).suburb)
    assert all(name in text for name in DOORS)
    assert len(text) < 140


@pytest.mark.parametrize("frame", [pd.DataFrame({"Suburb": [BAY]}), pd.DataFrame()])
def test_a_mistyped_column_is_an_attribute_error(frame):
    """Methods of a column and comparisons are AttributeErrors where there is no column, as they always were."""
    for mistake in (
        lambda column: column.unique(),
        lambda column: column == BAY,
        lambda column: column != BAY,
        lambda column: operator.eq(BAY, column),
    ):
        with pytest.raises(AttributeError, match="no column called 'suburb'"):
            mistake(frame.suburb)


def test_access_from_outside_python():
    """Where no line of Python asks, as from R or from a bare thread, it is there all the same."""
    frames, found = [pd.DataFrame({"suburb": [BAY]}), pd.DataFrame({"place": [BAY]})], collections.deque()
    _thread.start_new_thread(found.extend, (map(operator.attrgetter("suburb"), frames),))
    for _ in range(500):
        time.sleep(0 if len(found) == 2 else 0.01)
    assert [type(one) for one in found] == [pd.Series, suburb.SuburbAccessor]


def test_the_accessor_keeps_no_state():
    """Nothing can be put on it, and it can be a key of a dictionary."""
    df = pd.DataFrame({"place": [BAY]})
    with pytest.raises(AttributeError):
        df.suburb.note = 1
    assert vars(df).keys() == vars(pd.DataFrame()).keys()
    assert {df.suburb: 1}


# Installing


def test_installing_again_changes_nothing():
    """A second `install` neither warns nor stacks; the column and the accessor are as before."""
    install.install()
    install.install()
    df = pd.DataFrame({"suburb": [BAY]})
    df.suburb = STEPS
    assert list(df["suburb"]) == [STEPS]
    assert isinstance(pd.DataFrame().suburb, suburb.SuburbAccessor)


def test_reloading_the_package():
    """After a reload of the module and of the package, the reloaded accessor is there, without a warning."""
    before = vars(suburb).copy()
    try:
        importlib.reload(suburb)
        importlib.reload(install)
        importlib.reload(sp)
        assert pd.DataFrame.suburb is suburb.SuburbAccessor is not before["SuburbAccessor"]
    finally:
        vars(suburb).update(before)
        importlib.reload(install)
        install.install()


def test_another_library_s_attribute_is_replaced_with_a_warning(monkeypatch):
    """As pandas does for two accessors of one name: the later one counts, and a warning says so."""
    monkeypatch.setattr(pd.DataFrame, "suburb", property(lambda _: 1))
    with pytest.warns(sp.SuburbWarning, match="another library"):
        install.install()
    assert pd.DataFrame.suburb is suburb.SuburbAccessor


def test_an_accessor_registered_later_is_that_library_s():
    """There pandas warns of the name and lets it through, as for any other."""
    try:
        with pytest.warns(UserWarning, match="overriding a preexisting attribute"):
            pd.api.extensions.register_dataframe_accessor("suburb")(list)
        assert pd.DataFrame({"place": [BAY]}).suburb == ["place"]
    finally:
        pd.DataFrame._accessors.discard("suburb")
        del pd.DataFrame.suburb
        install.install()


def test_a_pandas_that_would_lose_what_is_assigned(monkeypatch):
    """Where assignment would miss the column, the attribute is not put there, and a warning says what to do."""
    monkeypatch.setattr(pd.DataFrame, "__setattr__", object.__setattr__)
    with pytest.warns(sp.SuburbWarning, match="give them df"):
        install.install()
    assert not hasattr(pd.DataFrame, "suburb")
    monkeypatch.undo()
    install.install()


@pytest.mark.parametrize("dtype", ["object", "string[python]", "category"])
def test_a_million_rows_of_twelve_suburbs_are_twelve_calls(embedded, service, dtype):
    """Names are looked at once each, however often they come, and missing ones are counted."""
    embedded = sp.connect(api_key="embedded", base_url=service.url, store=":memory:")
    names = pd.Series([*RENTED[:12], None], dtype="object").repeat(80_000).astype(dtype)
    frame = pd.DataFrame({"suburb": names})
    with pytest.warns(sp.SkippedRowsWarning, match="80000 of 1040000 rows"):
        rents = frame.suburb.rent(client=embedded)
    assert rents["area_name"].cat.categories.to_list() == RENTED[:12]
    assert len(service.requests) == 12


@pytest.mark.parametrize("name", [name for name in LOOKUPS if name != "join_rent"])
def test_help_and_tab_show_the_options_spelt_out(name):
    """The signature of a door is its loader's, with the column for the suburbs."""
    own = inspect.signature(getattr(pd.DataFrame().suburb, name)).parameters
    loader = inspect.signature(getattr(sp, name)).parameters
    assert {*own} == {"column", *list(loader)[1:]}


def test_help_and_tab_show_the_options_of_a_join():
    """A join takes what all loaders take, and what is its own."""
    own = inspect.signature(pd.DataFrame().suburb.join_rent).parameters
    assert {*own} == {"on", "tolerance", "lag", "column", *list(inspect.signature(sp.impacts).parameters)[1:]}


@pytest.mark.parametrize("name", [name for name in DOORS if name not in LOOKUPS and name != "plot"])
def test_a_door_of_a_frame_of_rents_is_the_function(name):
    """Its signature is the function's, with the frame for the first argument."""
    own = inspect.signature(getattr(pd.DataFrame().suburb, name)).parameters
    assert [*own] == list(inspect.signature(getattr(sp, name)).parameters)[1:]


@pytest.mark.usefixtures("embedded")
def test_a_frame_of_rents_has_its_calendar_cadence_quality_and_growth():
    """From the accessor they are what the functions give, for one suburb and for many."""
    for rents in (sp.rent(BAY), sp.rent([BAY, HEIGHTS])):
        same = pd.testing.assert_frame_equal
        same(rents.suburb.resample("QE", how="mean", detail=True), sp.resample(rents, "QE", how="mean", detail=True))
        same(rents.suburb.growth("6M", smooth="91D"), sp.growth(rents, "6M", smooth="91D"))
        same(rents.suburb.cadence(), sp.cadence(rents))
        same(rents.suburb.quality("2026-05-01"), sp.quality(rents, asof="2026-05-01"))
