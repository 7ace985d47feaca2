"""All charts: the figures that they make, the Axes that they are given, and the words around the data."""

import pickle
import subprocess
import sys

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib import rc_context, style
from matplotlib.figure import Figure

import suburb_pandas as sp
from tests.plotting.chart_cases import CASES, LOOKS, SIZES
from tests.support.charts import EIGHT, MADE_UP, assert_all_in_view, texts, title, written

pytestmark = pytest.mark.usefixtures("embedded")

SMALL = ["rents, one", "drivers, one", "heatmap, one", "card, one", "map, few"]
"""A case of each kind of chart that fits into a figure of a usual size."""


LARGE = {
    *("multiples, twelve", "multiples, forty", "multiples, some without", "growth, twelve", "index, councils"),
    *("heatmap, forty", "card, forty"),
}
"""Cases that take long; with ``-m long``, they are drawn in all sizes, too."""


def draw(case, **options):
    """Draw a case and return the Axes."""
    function, frame = CASES[case]
    return function(frame(), **options)


def words(ax, gid):
    """Return the visible texts of a kind in the figure of Axes."""
    return [" ".join(text.get_text().split()) for text in texts(ax.figure) if text.get_gid() == gid]


@pytest.mark.parametrize("case", [case for case in CASES if case not in LARGE])
def test_no_text_is_cut_off_or_covers_another(case):
    """A figure of the package is as large as its content needs, also if it is asked for at 4 by 3 inches."""
    assert_all_in_view(draw(case, figsize=(4, 3)).figure)


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("case", CASES)
def test_no_text_is_cut_off_in_any_size_and_look(case, look):
    for size in SIZES:
        with style.context(["default", *LOOKS[look]]):
            assert_all_in_view(draw(case, figsize=size).figure)
            plt.close("all")


@pytest.mark.parametrize("layout", ["constrained", "tight"])
@pytest.mark.parametrize("case", SMALL)
def test_given_axes_have_room_under_the_layout_of_their_figure(case, layout):
    """Beside other Axes, the words are matplotlib's own title and labels, for which its layouts keep room."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(14, 6), layout=layout)
    left.plot([1, 2, 3])
    assert draw(case, ax=right) is right
    assert_all_in_view(figure)


@pytest.mark.parametrize("case", [*SMALL, "rents, two", "drivers, two", "multiples, twelve"])
def test_nothing_else_of_the_users_figure_is_changed(case):
    """The figure keeps its size, title, colour and layout, and the other Axes what is drawn in them."""
    figure, (other, ax) = plt.subplots(1, 2, figsize=(12, 9), facecolor="ivory")
    other.set_title("Another drawing")
    figure.suptitle("A title")
    draw(case, ax=ax)
    assert tuple(figure.get_size_inches()) == (12, 9)
    assert figure.get_facecolor() == pytest.approx((1, 1, 240 / 255, 1))
    assert [text.get_text() for text in figure.texts] == [figure.get_suptitle()] == ["A title"]
    assert (figure.legends, figure.get_layout_engine(), other.get_title()) == ([], None, "Another drawing")
    assert other.get_position().x1 < ax.get_position().x0


@pytest.mark.parametrize("case", SMALL)
def test_title_and_size_can_be_chosen(case):
    """`title=` replaces the title. `figsize=` is the width and the least height, which content may extend."""
    ax = draw(case, title="In my own words", figsize=(10, 8))
    assert title(ax) == "In my own words"
    assert tuple(ax.figure.get_size_inches()) == (10, 8)
    assert title(draw(case, title="")) == ""
    width, height = draw(case, figsize=(5, 1)).figure.get_size_inches()
    assert (width, height > 1) == (5, True)


def test_a_new_figure_has_the_width_and_the_type_of_the_style_sheet():
    """The width is 9 inches unless the user sets another, and all type follows `font.size`."""
    usual = draw("rents, one").figure
    assert usual.get_figwidth() == 9
    with rc_context({"figure.figsize": (7, 3), "font.size": 15}):
        larger = draw("rents, one").figure
    assert larger.get_figwidth() == 7
    for one, other in zip(texts(usual)[-4:], texts(larger)[-4:], strict=True):
        assert other.get_fontsize() == pytest.approx(1.5 * one.get_fontsize())


@pytest.mark.parametrize("case", SMALL)
def test_made_up_data_has_a_badge_and_a_source(case):
    """`footnote=False` leaves notes and source out, but never the badge; in given Axes, too."""
    for options in ({}, {"ax": Figure().subplots()}):
        ax = draw(case, **options)
        assert words(ax, "badge") == [MADE_UP]
        assert "Source: made-up data of the embedded sandbox, retrieved 2026-0" in written(ax)
    ax = draw(case, footnote=False)
    assert (words(ax, "badge"), words(ax, "foot")) == ([MADE_UP], [])


def test_other_data_has_no_badge_and_names_its_source():
    frame = sp.rent("Quokka Bay")
    frame.attrs["suburb_pandas"] |= {"source": "live", "made_up": False}
    ax = sp.plot_rent(frame)
    assert words(ax, "badge") == []
    assert "Source: the property data service, retrieved 2026-04-28." in written(ax)
    frame.attrs["suburb_pandas"]["made_up"] = True
    assert "Source: made-up data of the property data service" in written(sp.plot_rent(frame))
    frame.attrs["suburb_pandas"] = {"made_up": True}
    assert "The source of this made-up data is not known." in written(sp.plot_rent(frame))


def test_made_up_data_say_so_after_a_file_without_attrs():
    """A CSV or Excel file loses the attrs, but no real suburb has one of these names."""
    for layout in ("long", "wide"):
        frame = sp.rent(["Quokka Bay", "Woylie"], layout=layout)
        frame.attrs.clear()
        assert MADE_UP in words(sp.plot_rent(frame), "badge")
    assert words(sp.plot_rent(pd.DataFrame({"house": [1.0]}, index=[pd.Timestamp("2024-01-31")])), "badge") == []


def test_the_foot_names_operations_in_words():
    """The foot has no code: `growth(over="1Y")` is growth over one year."""
    growth = sp.growth(sp.resample(sp.rent("Quokka Bay", start="2015"), "QE", how="mean", fill="linear"), "1Y")
    drawn = written(sp.plot_rent(growth))
    assert "Computed: dates from 2015-01-01, quarterly means, filled along the line, growth over one year." in drawn
    assert "Selected: dates from 2015-01-01." in written(sp.plot_rent(sp.rent("Quokka Bay", start="2015")))
    smooth = sp.growth(sp.rent("Quokka Bay"), "6M", smooth="91D", annualise=True)
    assert "growth over 6 months of means over 91 days, annualised." in written(sp.plot_rent(smooth))


@pytest.mark.parametrize("case", SMALL)
def test_a_figure_has_a_text_alternative(case):
    """A notebook saves it beside the picture, for people who do not see the chart; it names the chart and its data."""
    figure = draw(case).figure
    _, metadata = figure._repr_mimebundle_()
    assert metadata["image/png"]["alt"] == figure.alt
    assert figure.alt.startswith(title(figure.axes[0]))
    assert figure.alt.endswith(". Made-up data.")


def test_a_chart_can_be_saved(tmp_path):
    """Cut to its content, as notebooks do, a picture keeps its words."""
    figure = draw("map, few").figure
    figure.savefig(tmp_path / "chart.pdf", bbox_inches="tight")
    with rc_context({"svg.fonttype": "none"}):
        figure.savefig(tmp_path / "chart.svg", bbox_inches="tight")
    saved = (tmp_path / "chart.svg").read_text()
    assert [text.get_text() for text in texts(figure) if text.get_text().splitlines()[0] not in saved] == []


def test_a_figure_can_be_pickled():
    figure = draw("rents, two").figure
    copy = pickle.loads(pickle.dumps(figure))  # noqa: S301 - of this test's own making
    assert (written(copy.axes[0]), copy.alt) == (written(figure.axes[0]), figure.alt)


def test_several_panels_divide_the_room_of_given_axes():
    """Axes of a grid, in a part of a figure, or placed by hand hold several panels, which keep to their place."""
    part = plt.figure(figsize=(12, 8)).subfigures(1, 2)[1]
    for ax in (plt.subplots(1, 2)[1][1], part.subplots(), Figure().add_axes((0.5, 0.1, 0.4, 0.8))):
        before = ax.get_position()
        sp.plot_rent(sp.rent(EIGHT[:2]), ax=ax)
        panels = [each for each in ax.figure.axes if each.lines]
        assert [panel.get_title("left").splitlines()[-1] for panel in panels] == ["Houses", "Units"]
        assert panels[0].get_position().y1 == pytest.approx(before.y1)
        assert panels[1].get_position().p0 == pytest.approx(before.p0)
        assert len({panel.get_xlim() for panel in panels}) == 1


def test_pyplot_is_not_touched_where_axes_are_given():
    """With Axes given, pyplot is never imported; matplotlib itself is imported only when a chart is drawn."""
    code = """
import sys
import suburb_pandas as sp
assert "matplotlib" not in sys.modules
from matplotlib.figure import Figure
with sp.connect(api_key="embedded"):
    sp.plot_rent(sp.rent(["Quokka Bay", "Woylie"]), ax=Figure().subplots())
assert "matplotlib.pyplot" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
def test_markup_is_drawn_as_it_is():
    """Markup, mathtext and emoji in names are drawn as plain text."""
    ax = sp.plot_rent(sp.rent(["Quokka Bay"]).assign(area_name="$x^$ <b> 🏠"))
    ax.figure.draw_without_rendering()
    assert "Rents in $x^$ <b> 🏠" in written(ax)


def test_the_accessor_draws_whichever_it_is():
    """`df.suburb.plot` draws frames of rents and of drivers and scorecards; any other frame is an error."""
    ax = Figure().subplots()
    assert sp.rent("Quokka Bay").suburb.plot(ax=ax) is ax
    assert "Advertised median rent, AUD per week" in written(ax)
    assert "Premium where the amenity is absent, AUD" in written(sp.impacts("Quokka Bay").suburb.plot(footnote=False))
    card = sp.scorecard(EIGHT[:2]).suburb.plot(by="house_rent", title="Mine", figsize=(5, 4))
    assert (title(card), card.figure.get_figwidth()) == ("Mine", 5)
    with pytest.raises(ValueError, match="not a frame of rents"):
        pd.DataFrame({"a": [1]}).suburb.plot()


def test_a_frame_of_another_kind_is_an_error_before_anything_is_drawn():
    """Counts and a list are refused."""
    rents = sp.rent("Quokka Bay")
    with pytest.raises(ValueError, match="holds counts of points, not rents"):
        sp.plot_rent(sp.resample(rents, "YE", how="count"))
    with pytest.raises(TypeError, match="not int"):
        sp.plot_rent([1])
    with pytest.raises(TypeError, match="frame of drivers"):
        sp.plot_impacts([1])
    assert plt.get_fignums() == []
