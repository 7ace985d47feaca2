"""Every chart is compared with the picture that a person looked at last, pixel by pixel."""

import sys

import matplotlib as mpl
import pytest
from PIL import Image, ImageChops

from tests.plotting.contact_sheet import COMPARED, FOLDER, PICTURES

DRAWN_BY = "3.11."
"""The releases of matplotlib that draw these pictures alike, on Linux. Others move a line or a letter a little."""


@pytest.mark.skipif(
    sys.platform != "linux" or not mpl.__version__.startswith(DRAWN_BY),
    reason=f"the pictures were drawn by matplotlib {DRAWN_BY} on Linux",
)
@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.SuburbWarning")
@pytest.mark.parametrize("name", PICTURES)
def test_a_chart_looks_as_it_did_when_a_person_looked_at_it(name):
    """If a change is wanted, draw the contact sheets again, look at all of them, and commit the pictures."""
    found = PICTURES[name]()
    with Image.open(COMPARED / f"{name}.png") as seen:
        assert found.size == seen.size
        most = [high for _, high in ImageChops.difference(found, seen).getextrema()]
    if max(most) > 2:
        FOLDER.mkdir(parents=True, exist_ok=True)
        found.save(FOLDER / f"{name}.png")
        pytest.fail(f"{name} looks different: compare {FOLDER / name}.png with {COMPARED / name}.png")
