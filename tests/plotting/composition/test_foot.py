"""The foot that the charts of a figure share."""

from matplotlib.transforms import Bbox

from suburb_pandas.plotting.composition.content import Words
from suburb_pandas.plotting.composition.foot import Foot, foot_of
from suburb_pandas.plotting.composition.style import usual_sizes

UPPER, LEFT, RIGHT = (Bbox.from_bounds(*bounds) for bounds in ((0, 100, 90, 90), (0, 0, 40, 90), (50, 0, 40, 90)))
CHARTS = [
    (UPPER, Words("Upper", notes=["One.", ""], source="Source: a."), usual_sizes()),
    (LEFT, Words("Left", notes=["Two.", "One."], source="Source: a."), usual_sizes()),
    (RIGHT, Words("Right", notes=["Three."], source="Source: b.", has_foot=False), usual_sizes()),
]


def test_the_charts_of_the_lowest_row_share_the_foot_of_all():
    """The first chart of the row writes it, each sentence once; the others keep the same room free."""
    left, right = foot_of(LEFT, CHARTS), foot_of(RIGHT, CHARTS)
    assert (left.notes, left.source, left.width) == ("One. Two.", "Source: a.", 90)
    assert (left.is_written, right.is_written) == (True, False)
    assert (right.notes, right.source, right.width, right.sizes) == (left.notes, left.source, 90, left.sizes)


def test_a_chart_above_others_has_no_foot():
    assert foot_of(UPPER, CHARTS) == Foot()


def test_a_chart_that_is_alone_in_its_row_chooses_its_own_sizes():
    assert foot_of(UPPER, CHARTS[:1]) == Foot("One.", "Source: a.", 90, None, is_written=True)
