"""The chart of a rent index, of rents as an index, and of growth: its groups, its base, and its words."""

import io

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.plotting.test_rent import ends, steps
from tests.support.charts import EIGHT, written

pytestmark = pytest.mark.usefixtures("embedded")

GROUPS = {name: f"group {number % 4}" for number, name in enumerate(EIGHT)}


@pytest.fixture
def rents():
    """Return quarterly rents of eight suburbs."""
    return sp.rent(EIGHT, freq="QE", partial="drop")


def level(ax):
    """Return the value of the line across Axes."""
    (line,) = [line for line in ax.lines if line.get_gid() == "level"]
    (value,) = {*line.get_ydata()}
    return value


def test_an_index_of_one_region_has_a_line_at_100_its_base_and_its_weights(rents):
    """The title has the largest number of suburbs compared, the measure the base and the weights."""
    index = sp.rent_index(rents, weights="dwellings", base="2024-12-31")
    ax = index.suburb.plot()
    assert ax.figure.get_suptitle() == "Index of rents in up to 8 suburbs"
    assert "Like-for-like index, 100 at 2024-12-31, suburbs weighted by dwellings" in written(ax)
    assert "Computed: quarterly last values, like-for-like index." in written(ax)
    assert ends(ax) == [f"{kind} {index[kind].iloc[-1]:.1f}" for kind in ("house", "unit")]
    assert level(ax) == 100
    houses = sp.plot_rent(index, property_type="house").figure.get_suptitle()
    assert houses == f"Index of house rents in up to {index['house_n'].max()} suburbs"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "100 at the first date of each series, all suburbs weighted alike"),
        ({"weights": dict.fromkeys(EIGHT, 2)}, "100 at the first date of each series, suburbs weighted"),
    ],
    ids=["neither", "own weights"],
)
def test_the_measure_says_only_what_is_known(rents, options, words):
    """Base and weights come from the operation; a part of an index without its base has no date for it."""
    index = sp.rent_index(rents, **options)
    assert f"Like-for-like index, {words} " in written(sp.plot_rent(index)).replace("made-up data", "")
    assert "100 at" not in written(sp.plot_rent(index[index.index.year >= 2024]))


def test_groups_are_drawn_as_suburbs_are(rents):
    """Each group has a line in the panel of each type. Without attrs, as from a file, no weights are named."""
    index = sp.rent_index(rents, by=GROUPS)
    for frame in (index, pd.read_csv(io.StringIO(index.to_csv()))):
        ax = sp.plot_rent(frame)
        last = index.groupby("group", observed=True)["house"].last()
        assert {*ends(ax)} == {f"{group} {value:,.1f}" for group, value in last.items()}
        assert (ax.figure.get_suptitle(), len(ax.figure.axes)) == ("Index of rents in 4 groups", 2)
        assert ("weighted" in written(ax)) == (frame is index)
        assert "Without data" not in written(ax)
    nine = [*EIGHT, "Barra Bend"]
    many = sp.rent_index(sp.rent(nine, freq="QE"), by=dict(zip(nine, nine, strict=True)))
    assert len(sp.plot_rent(many).figure.axes) == 9


def test_indices_are_compared_if_each_is_of_one_group(rents):
    """Two indices of a region share the panels; grouped ones, and an index beside rents, are refused."""
    alike, weighted = sp.rent_index(rents), sp.rent_index(rents, weights="dwellings")
    ax = sp.plot_rent({"alike": alike, "by dwellings": weighted})
    assert "weighted" not in written(ax)
    assert ends(ax) == [f"alike {alike['house'].iloc[-1]:.1f}", f"by dwellings {weighted['house'].iloc[-1]:.1f}"]
    grouped = sp.rent_index(rents, by=GROUPS)
    with pytest.raises(ValueError, match="vintages of one suburb, not 2 frames of 'group 0'"):
        sp.plot_rent([grouped, grouped])
    with pytest.raises(ValueError, match="hold an index, and others hold rents"):
        sp.plot_rent({"index": alike, "rents": rents[rents["area_name"] == EIGHT[0]].drop(columns="area_name")})
    with pytest.raises(ValueError, match="kind='index' takes rents, but this frame holds an index"):
        sp.plot_rent(alike, kind="index")


def test_growth_is_in_per_cent_round_a_line_at_zero(rents):
    """The values are a hundred times the fractions, also those below zero."""
    grown = sp.growth(sp.rent("Quokka Bay"), "6M") - 0.02
    ax = sp.plot_rent(grown)
    assert level(ax) == 0
    assert ends(ax) == [
        f"{kind} {100 * grown[kind].iloc[-1]:.1f}".replace("-", "\N{MINUS SIGN}") for kind in ("house", "unit")
    ]
    drawn = [value for step in steps(ax) for _, value in step]
    assert min(drawn) == pytest.approx(100 * grown["house"].min())
    assert ax.figure.get_suptitle() == "Growth of rents in Quokka Bay"
    assert "Growth over six months, per cent" in written(ax)
    of_index = sp.plot_rent(sp.growth(sp.rent_index(rents, by=GROUPS)))
    assert of_index.figure.get_suptitle() == "Growth of the index of rents in 4 groups"


def test_rents_as_an_index_are_100_at_the_first_date_that_all_series_have():
    """On a date between two points the base is on the line; beyond a gap there is none, and the date is a later one."""
    days = pd.to_datetime(["2024-01-31", "2024-02-29", "2024-03-31"])
    a = pd.DataFrame({"house": [400.0, 458.0, 500.0]}, index=days)
    b = pd.DataFrame({"house": [300.0, 330.0]}, index=pd.to_datetime(["2024-02-10", "2024-03-10"]))
    frame = pd.concat([a.assign(area_name="A"), b.assign(area_name="B")]).rename_axis("date")
    ax = sp.plot_rent(frame, kind="index")
    assert "Advertised median rent, index, 100 at 2024-02-10" in written(ax)
    assert ends(ax) == [f"A {100 * 500 / (400 + 58 * 10 / 29):.1f}", "B 110.0"]
    assert level(ax) == 100
    with pytest.raises(ValueError, match="no date on which all 2 series have a value") as caught:
        sp.plot_rent(frame[~((frame["area_name"] == "A") & (frame.index == "2024-02-29"))], kind="index")
    line = str(caught.value).rpartition("Leave them out: ")[2]
    assert len(sp.plot_rent(eval(line), kind="index").lines) > 1  # noqa: S307 - the message is our own
