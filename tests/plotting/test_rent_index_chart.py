"""The chart of a rent index: its groups, its words, and the growth of an index."""

import io

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.charts import EIGHT, assert_all_in_view, end_labels, texts, written
from tests.support.common import RENTED

pytestmark = pytest.mark.usefixtures("embedded")

GROUPS = {name: f"group {number % 4}" for number, name in enumerate(EIGHT)}


@pytest.fixture
def rents():
    """Return quarterly rents of eight suburbs."""
    return sp.rent(EIGHT, freq="QE", partial="drop")


def subtitle(ax):
    """Return the subtitle of a chart."""
    ax.figure.draw_without_rendering()
    (found,) = [text.get_text() for text in texts(ax.figure) if text.get_gid() == "subtitle"]
    return found


def test_an_index_of_one_region_is_drawn_with_its_base_and_weights(rents):
    """The title counts the suburbs behind the index, and the subtitle names the base and the weights."""
    index = sp.rent_index(rents, weights="dwellings", base="2024-12-31")
    ax = index.suburb.plot()
    assert ax.get_title() == "Index of rents in 8 suburbs"
    assert subtitle(ax) == (
        "Advertised median rent, like-for-like index, 100 at 2024-12-31, suburbs weighted by dwellings"
    )
    ends = {f"{kind} {index[kind].iloc[-1]:.1f}" for kind in ("house", "unit")}
    assert {text.get_text() for text in end_labels(ax)} == ends
    (line,) = [line for line in ax.lines if line.get_gid() == "zero"]
    assert set(line.get_ydata()) == {100}
    for words in (
        "made-up data of the embedded sandbox, retrieved 2026-04-28",
        "All points are quarterly",
        "rent_index(",
    ):
        assert words in written(ax)
    assert "made-up data" in [text.get_text() for text in texts(ax.figure) if text.get_gid() == "badge"]
    assert_all_in_view(ax.figure)


def test_the_groups_of_an_index_are_drawn_as_suburbs_are(rents):
    """Each group has a line in the panel of each property type, which ends in its last value."""
    index = sp.rent_index(rents, by=GROUPS)
    ax = sp.plot_rent(index)
    assert ax.get_title() == "Index of rents in 4 groups"
    assert len(ax.figure.axes) == 2
    last = index.groupby("group", observed=True)["house"].last()
    assert {text.get_text() for text in end_labels(ax)} == {f"{group} {value:,.1f}" for group, value in last.items()}
    assert "Without data" not in written(ax)
    two = sp.plot_rent(index[index["group"].isin(["group 0", "group 1"])], property_type="house")
    assert two.get_title() == "Index of house rents in group 0 and group 1"


def test_the_title_counts_the_suburbs_that_have_a_value(rents):
    """A suburb without houses, or without any on the dates of the index, is not among the suburbs of its index."""
    names = [*EIGHT, "Gannet Steps"]
    index = sp.rent_index(sp.rent(names, freq="QE", partial="drop"))
    for kind in ("house", "unit"):
        number = index[f"{kind}_n"].max()
        assert sp.plot_rent(index, property_type=kind).get_title() == f"Index of {kind} rents in {number} suburbs"
    assert index["house_n"].max() < len(names)
    assert sp.plot_rent(index).get_title() == f"Index of rents in {len(names)} suburbs"
    early = rents[rents.index.year < 2013]
    n_early = early.dropna(subset="house")["area_name"].nunique()
    assert 2 < n_early < len(EIGHT)
    title = sp.plot_rent(sp.rent_index(early), property_type="house").get_title()
    assert title == f"Index of house rents in {n_early} suburbs"


@pytest.mark.parametrize(
    ("by", "end"),
    [("lga", "councils"), ("state", "states"), ("sa2", "SA2s"), ("tier", "groups by tier"), (GROUPS, "groups")],
    ids=["lga", "state", "sa2", "column", "dict"],
)
def test_the_title_says_what_the_groups_are(rents, by, end):
    """Regions have their own word, and the groups of a column its name."""
    tiers = rents.assign(tier=[GROUPS[name] for name in rents["area_name"]])
    index = sp.rent_index(tiers if by == "tier" else rents, by=by)
    assert sp.plot_rent(index).get_title() == f"Index of rents in {index['group'].nunique()} {end}"


def test_more_groups_than_a_panel_takes_have_small_panels():
    """From nine groups on, one property type is drawn; the message calls them groups."""
    names = RENTED[:12]
    rents = sp.rent(names, freq="QE", partial="drop")
    index = sp.rent_index(rents, by={name: name for name in names})
    with pytest.raises(ValueError, match=r"has \d+ groups, .* a small panel for each group: property_type='house'"):
        sp.plot_rent(index)
    assert len(sp.plot_rent(index, property_type="house").figure.axes) == index["group"].nunique()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "100 at the first date of each series, all suburbs weighted alike"),
        ({"weights": dict.fromkeys(EIGHT, 2)}, "100 at the first date of each series, suburbs weighted"),
        ({"base": "2024-03-31", "weights": "persons"}, "100 at 2024-03-31, suburbs weighted by persons"),
    ],
    ids=["neither", "own weights", "both"],
)
def test_the_subtitle_says_only_what_is_known(rents, options, words):
    """Base and weights come from the operation; a part of an index without its base has no date for it."""
    index = sp.rent_index(rents, **options)
    assert subtitle(sp.plot_rent(index)) == f"Advertised median rent, like-for-like index, {words}"
    if not options:
        assert "100 at" not in subtitle(sp.plot_rent(index[index.index.year >= 2024]))
        assert "index, 100 at 2022-03-31" in subtitle(
            sp.plot_rent(sp.rent_index(rents[rents.index.year >= 2022]).loc[:, ["house"]])
        )


def test_an_index_read_from_a_file_is_drawn_by_its_columns(rents):
    """Without attrs, the source is not known, and nothing is said of the weights."""
    index = sp.rent_index(rents, by=GROUPS)
    ax = sp.plot_rent(pd.read_csv(io.StringIO(index.to_csv())))
    assert ax.get_title() == "Index of rents in 4 groups"
    assert "weighted" not in subtitle(ax)
    assert "The source of this data is not known." in written(ax)


def test_indices_are_compared_if_each_is_of_one_group(rents):
    """Two indices of a region share the panels, with their own operations in the notes; grouped ones do not fit."""
    alike, weighted = sp.rent_index(rents), sp.rent_index(rents, weights="dwellings")
    ax = sp.plot_rent({"alike": alike, "by dwellings": weighted})
    assert "weighted" not in subtitle(ax)
    assert 'rent_index(weights="dwellings")' in written(ax)
    assert "rent_index()" in written(ax)
    grouped = sp.rent_index(rents, by=GROUPS)
    with pytest.raises(ValueError, match="vintages of one suburb, not 2 frames of 'group 0'"):
        sp.plot_rent([grouped, grouped])
    with pytest.raises(ValueError, match="hold an index, and others hold rents"):
        sp.plot_rent({"index": alike, "rents": rents[rents["area_name"] == EIGHT[0]].drop(columns="area_name")})
    with pytest.raises(ValueError, match="kind='index' takes rents, but this frame holds an index"):
        sp.plot_rent(alike, kind="index")


def test_growth_of_an_index_is_that_of_each_group(rents):
    """Growth by group is the growth of each group alone; it is a frame that can be drawn, by group."""
    index = sp.rent_index(rents, by=GROUPS)
    grown = sp.growth(index)
    assert [*grown.columns] == ["group", "house", "unit"]
    assert grown.index.equals(index.index)
    for group, rows in index.groupby("group", observed=True):
        alone = sp.growth(rows[["house", "unit"]])
        pd.testing.assert_frame_equal(grown[grown["group"] == group][["house", "unit"]], alone)
        pd.testing.assert_series_equal(alone["house"], rows["house"].pct_change(4, fill_method=None))
    ax = sp.plot_rent(grown)
    assert ax.get_title() == "Growth of the index of rents in 4 groups"
    assert subtitle(ax) == "Growth over 1 year, per cent"
    detailed = sp.growth(sp.rent_index(rents), detail=True)
    assert detailed.attrs["suburb_pandas"]["unit"]["house_base"] == "index"


@pytest.mark.parametrize("function", [sp.quality, sp.cadence, lambda frame: sp.resample(frame, "YE")])
def test_what_takes_no_groups_says_how_to_pass_one(rents, function):
    """The line in the message selects one group, and works as it stands."""
    frame = sp.rent_index(rents, by=GROUPS)
    with pytest.raises(ValueError, match="rent index of several groups") as caught:
        function(frame)
    line = str(caught.value).partition("Pass ")[2].removesuffix(".")
    assert len(function(eval(line, {"frame": frame})))  # noqa: S307 - the message is the test's own
