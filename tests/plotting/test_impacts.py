"""The charts of amenity price impacts draw what the service writes."""

import pytest

import suburb_pandas as sp
from tests.plotting.chart_cases import quietly
from tests.support.charts import written


@pytest.mark.filterwarnings("ignore:Glyph:UserWarning")
@pytest.mark.parametrize("kind", ["bars", "heatmap"])
def test_what_the_service_writes_is_drawn_as_it_is(kind):
    """Markup, quotes, mathtext, emoji and long labels are plain text. Suburbs without drivers are named."""
    markup = ["<b>no</b> pub", "no $x^2$ shop", '🍺 none & "late"', "nothing " * 9]
    drivers = quietly(sp.impacts, ["Quokka Bay", "Sleepy Lizard"])
    shown = written(sp.plot_impacts(drivers.head(4).assign(label=markup), kind=kind))
    assert [label for label in markup if label.strip() not in shown] == []
    assert "Without data: Sleepy Lizard." in written(sp.plot_impacts(drivers, kind=kind))
    assert "No drivers are listed" in written(sp.plot_impacts(drivers[:0], kind=kind))
