"""Provenance and citations of frames to which data were joined: every value with a known name is compared."""

import re
import warnings

import pandas as pd
import pytest

import suburb_pandas as sp

STEPS, GREEN = "Abalone Steps", "Bluebush Green"  # in few other tests: each of their responses would be compared


@pytest.fixture(scope="module")
def joined():
    """Join data to each kind of frame once. The tests alter copies."""
    with warnings.catch_warnings(), sp.Client(api_key="embedded") as client:
        warnings.simplefilter("ignore", sp.SuburbWarning)
        rents = sp.rent([STEPS, GREEN], client=client)
        mine = pd.DataFrame({"area_name": [STEPS, GREEN, STEPS, None], "x": 1})
        found = sp.find("steps", client=client)
        yield {
            "impacts to own rows": mine.suburb.join_impacts(client=client),
            "card to own rows": mine.suburb.join_scorecard(client=client),
            "impacts to rents": rents.suburb.join_impacts(client=client),
            "impacts to a card": sp.scorecard([STEPS, GREEN], client=client).suburb.join_impacts(
                ["n_drivers", "sum_drivers"], client=client
            ),
            "impacts to quarters": sp.resample(rents, "QE").suburb.join_impacts(client=client),
            "impacts to details": sp.resample(rents, "QE", detail=True).suburb.join_impacts(client=client),
            "card to growth": sp.growth(rents).suburb.join_scorecard(client=client),
            "impacts to candidates": found.suburb.join_impacts(errors="warn", client=client),
        }


LAST_JOINED = {
    "impacts to own rows": "sum_drivers",
    "card to own rows": "house_rent",
    "impacts to rents": "median_price",
    "impacts to a card": "sum_drivers",
    "impacts to quarters": "total_premium",
    "impacts to details": "n_sales",
    "card to growth": "unit_unchanged_days",
    "impacts to candidates": "n_drivers",
}
"""A joined column of each frame."""


@pytest.mark.parametrize("kind", LAST_JOINED)
@pytest.mark.usefixtures("embedded")
def test_a_citation_counts_what_was_joined(joined, kind):
    """The citation names the endpoints behind the joined columns, with the number of suburbs that have values."""
    cited, provenance = sp.cite(joined[kind]), sp.provenance(joined[kind])
    suburbs = provenance.index[provenance["endpoint"] == "impacts"].nunique()
    assert suburbs
    assert f"mpacts of {suburbs} suburb" in cited


@pytest.mark.parametrize("kind", LAST_JOINED)
@pytest.mark.usefixtures("embedded")
def test_a_joined_value_that_was_changed_is_refused(joined, kind):
    """A joined value that no response gave raises ProvenanceError, whatever the frame to which it was joined."""
    altered, column = joined[kind].copy(), LAST_JOINED[kind]
    row = altered[column].notna().to_numpy().nonzero()[0][0]
    altered.iloc[row, altered.columns.get_loc(column)] += 1
    for trace in (sp.cite, sp.provenance):
        with pytest.raises(sp.errors.ProvenanceError, match=column):
            trace(altered)


@pytest.mark.usefixtures("embedded")
def test_joined_places_change_no_citation():
    """Locations come from no response: a frame with them is cited as it is without them, and the numbers are named."""
    for frame in (sp.scorecard([STEPS, GREEN]), sp.rent([STEPS, GREEN]), sp.rent([STEPS, GREEN], freq="QE")):
        with_places = frame.suburb.join_places(prefix="abs_")
        cited = re.sub(r"; the columns .* not checked, as the responses have no such columns", "", sp.cite(with_places))
        assert cited == sp.cite(frame)
        assert "columns 'abs_lga_share'" in sp.cite(with_places)


@pytest.mark.usefixtures("embedded")
def test_a_frame_that_does_not_say_whose_values_it_has_is_not_cited():
    """Without a column ``area_name``, or under other names, joined values belong to no response that is known."""
    for frame in (
        pd.DataFrame({"suburb": [STEPS]}).suburb.join_impacts(),
        pd.DataFrame({"area_name": [STEPS]}).suburb.join_impacts(prefix="impacts_"),
        pd.DataFrame({"area_name": [STEPS]}).suburb.join_places(),
    ):
        with pytest.raises(sp.errors.ProvenanceError):
            sp.cite(frame)
