"""Revisions: what differs between the stored vintages of a suburb, and what was known first."""

import datetime as dt
import json
import random
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.loaders.vintages import history_of, revisions_between
from suburb_pandas.service.calls import Item
from suburb_pandas.service.reading import read
from tests.support.laws import law
from tests.support.recorded import call, written

BAY, HEIGHTS = "Quokka Bay", "Bilby Heights"
START = dt.date(2024, 1, 7)
COLUMNS = ["first_value", "last_value", "change_pct", "n_values"]


def rents(name, house, unit=None):
    """Return the body of a rent response with these values by date."""
    series = {
        kind: [{"date": str(date), "value": value} for date, value in sorted((points or {}).items())]
        for kind, points in (("house", house), ("unit", unit))
    }
    return json.dumps({"data": {"area_name": name, "area_level": "suburb", **series}}).encode()


def premiums(name, drivers, n_sales=100):
    """Return the body of an impacts response with these premiums by label."""
    rows = [
        {"label": label, "coverage_pct": 50.0, "premium_dollars": dollars, "pct_of_median": dollars / 10_000,
         "detail": "Made-up data."}
        for label, dollars in drivers.items()
    ]  # fmt: skip
    data = {"area_name": name, "area_level": "suburb", "n_sales": n_sales, "median_price": 1_000_000}
    return json.dumps({"data": {**data, "total_premium": sum(drivers.values()), "drivers": rows}}).encode()


def at(week):
    """Return the retrieval time of a vintage."""
    return f"{dt.date(2026, 1, 1) + dt.timedelta(7 * week)}T00:00:00+00:00"


@pytest.fixture
def vintages(tmp_path):
    """Return a function that replays responses of one suburb, each a week after the one before."""
    with ExitStack() as stack:

        def replay(*bodies, endpoint="rent", name=BAY):
            calls = [call(name, body=body, at=at(week)) for week, body in enumerate(bodies)]
            calls = [one._replace(item=Item(endpoint, name)) for one in calls]
            path = tmp_path / "vintages.yaml"
            path.write_bytes(written(*calls))
            stack.enter_context(sp.cassette(path))

        yield replay


def weeks(*values):
    """Return these values on Sundays in a row; None leaves one out."""
    dated = ((START + dt.timedelta(7 * number), value) for number, value in enumerate(values))
    return {date: value for date, value in dated if value is not None}


def test_what_was_revised_removed_and_added(vintages):
    """Values that differ within the dates that both responses cover are revisions; new dates at the end are not."""
    vintages(
        rents(BAY, weeks(500.0, 510.0, None, 530.0, 540.0), weeks(300.0, 300.0)),
        rents(BAY, weeks(500.0, 520.2, 525.0, None, 540.0, 550.0), weeks(300.0, 300.0, 310.0)),
    )
    found = sp.revisions(BAY)
    assert found.columns.to_list() == [
        "area_name", "property_type", "date", *COLUMNS, "first_retrieved_at", "last_retrieved_at", "status",
    ]  # fmt: skip
    dates = [START + dt.timedelta(7 * number) for number in (1, 2, 3)]
    assert found["date"].dt.date.to_list() == dates
    assert found["status"].to_list() == ["revised", "added", "removed"]
    expected = [[510.0, 520.2, 2.0, 2], [np.nan, 525.0, np.nan, 1], [530.0, np.nan, np.nan, 1]]
    np.testing.assert_allclose(found[COLUMNS].astype("float64"), expected)
    assert set(found["property_type"]) == {"house"}
    assert found["first_retrieved_at"].astype(str).str[:10].unique().tolist() == ["2026-01-01"]
    assert found["last_retrieved_at"].astype(str).str[:10].unique().tolist() == ["2026-01-08"]
    assert found["date"].dtype == pd.to_datetime(["2026-01-01"]).dtype


def test_a_value_that_was_changed_back_is_a_revision(vintages):
    """Three distinct values count as three, and a value that is as it was at first is revised by nothing."""
    vintages(*(rents(BAY, weeks(value, other, 1.0)) for value, other in ((500.0, 1.0), (600.0, 2.0), (500.0, 3.0))))
    found = sp.revisions([BAY])
    assert found["n_values"].to_list() == [2, 3]
    assert found["change_pct"].to_list() == [0.0, 200.0]
    assert found["status"].to_list() == ["revised", "revised"]


def test_an_older_response_does_not_excuse_a_missing_value(vintages):
    """NaN at a date that an older response did not have yet is refused. Rows of both responses together are cited."""
    vintages(
        rents(BAY, weeks(500.0, None), weeks(300.0, 310.0)),
        rents(BAY, weeks(501.0, 511.0, 520.0), weeks(301.0, 311.0, 320.0)),
    )
    old, new = (sp.rent([BAY], retrieved_by=at(week)) for week in (0, 1))
    assert len(sp.provenance(pd.concat([old, new]))) == 2
    assert len(sp.provenance(pd.concat([old.tail(1), new]))) == 2
    for cells in ((2, "house"), (slice(2, 3), ["house", "unit"])):
        missing = new.copy()
        missing.iloc[cells[0], missing.columns.get_indexer(np.atleast_1d(cells[1]))] = np.nan
        with pytest.raises(sp.errors.ProvenanceError, match="but 520 in the responses"):
            sp.provenance(missing)


def test_since_and_until_bound_the_responses(vintages):
    """Only responses retrieved in the period are compared; a date is its beginning for since, its end for until."""
    vintages(*(rents(BAY, weeks(value, 1.0)) for value in (500.0, 600.0, 700.0)))
    assert sp.revisions(BAY)[["first_value", "last_value"]].to_numpy().tolist() == [[500, 700]]
    assert sp.revisions(BAY, until="2026-01-08")["last_value"].to_list() == [600]
    assert sp.revisions(BAY, since="2026-01-08")["first_value"].to_list() == [600]
    assert sp.revisions(BAY, since="2026-01-08T00:00:00", until=dt.date(2026, 1, 15)).shape == (1, 10)
    assert sp.revisions(BAY, since="2026-01-09").empty
    assert sp.revisions(BAY, until="2026-01-07").empty
    for arguments in ({"since": "05/12/2026"}, {"until": "soon"}):
        with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be a date"):
            sp.revisions(BAY, **arguments)


def test_the_revisions_of_impacts_are_figures_of_drivers_and_totals(vintages):
    """For impacts, the label of the driver and the field identify a figure; a total has no label."""
    vintages(
        premiums(BAY, {"no pool nearby": 20_000, "no park nearby": 10_000}),
        premiums(BAY, {"no pool nearby": 25_000, "no school nearby": 5_000}, n_sales=101),
        endpoint="impacts",
    )
    found = sp.revisions(BAY, "impacts")
    assert found.columns[1:3].to_list() == ["label", "field"]
    by_status = dict(iter(found.groupby("status")))
    totals = by_status["revised"][by_status["revised"]["label"].isna()]
    assert totals["field"].to_list() == ["n_sales"]
    assert totals[["first_value", "last_value"]].to_numpy().tolist() == [[100, 101]]
    pool = by_status["revised"][by_status["revised"]["label"] == "no pool nearby"]
    assert pool["field"].to_list() == ["premium_dollars", "pct_of_median"]
    assert pool["change_pct"].to_list() == [25.0, 25.0]
    assert set(by_status["removed"]["label"]) == {"no park nearby"}
    assert set(by_status["added"]["label"]) == {"no school nearby"}
    with pytest.raises(ValueError, match="endpoint must be one of 'rent', 'impacts', not 'geocode'"):
        sp.revisions(BAY, "geocode")


def test_two_hundred_random_revisions_are_found_exactly(vintages):
    """Of 200 values changed at random in ten vintages of two series, each is found, with its first and last value."""
    chance = random.Random(1)
    history = {kind: {START + dt.timedelta(7 * n): 400.0 + n for n in range(150)} for kind in ("house", "unit")}
    first = {(kind, date): value for kind, points in history.items() for date, value in points.items()}
    changed = chance.sample(sorted(first), 200)
    seen, bodies = {key: [value] for key, value in first.items()}, []
    for vintage in range(10):
        for kind, date in changed[20 * vintage : 20 * (vintage + 1)]:
            history[kind][date] += chance.choice([-25.0, 0.5, 80.0])
            seen[kind, date].append(history[kind][date])
        if vintage == 0:
            bodies.append(rents(BAY, *({date: first[kind, date] for date in history[kind]} for kind in history)))
        newer = START + dt.timedelta(7 * (150 + vintage))
        for points in history.values():
            points[newer] = 600.0
        bodies.append(rents(BAY, history["house"], history["unit"]))
    vintages(*bodies)
    found = sp.revisions(BAY)
    keys = list(zip(found["property_type"], found["date"].dt.date, strict=True))
    assert keys == sorted(changed)
    assert found["first_value"].to_list() == [seen[key][0] for key in keys]
    assert found["last_value"].to_list() == [seen[key][-1] for key in keys]
    assert set(found["n_values"]) == {2}


dated = st.dictionaries(st.integers(0, 8), st.sampled_from([400.0, 500.0, 600.0]), max_size=6)


def slow_revisions(bodies):
    """Return the revisions of houses by a slow reference: each date, in each vintage whose dates surround it."""
    found = {}
    for week in range(9):
        states = [body.get(week) for body in bodies if body and min(body) <= week <= max(body)]
        if len(set(states)) > 1:
            status = "removed" if states[-1] is None else "added" if states[0] is None else "revised"
            found[str(START + dt.timedelta(7 * week))] = (
                states[0], states[-1], len({state for state in states if state is not None}), status
            )  # fmt: skip
    return found


@law(bodies=st.lists(dated, max_size=5))
def test_revisions_are_those_of_a_slow_reference(bodies):
    """Any vintages have the revisions that a comparison date by date finds."""
    item = Item("rent", BAY)
    histories = [
        history_of(
            item, at(week), read(item, call(BAY, body=rents(BAY, weeks(*map(body.get, range(9))))).response).payload
        )
        for week, body in enumerate(bodies)
    ]
    found = {
        one.key[1]: (one.first_value, one.last_value, one.n_values, one.status) for one in revisions_between(histories)
    }
    assert found == slow_revisions(bodies)


def test_a_refresh_that_brings_revised_values_warns(live, service):
    """The warning says how many points were revised, by how much at most, and which line compares them."""
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 510.0, 520.0)))
    sp.rent(BAY)
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 561.0, 520.0, 530.0)))
    with pytest.warns(sp.errors.DataWarning) as caught:
        sp.rent(BAY, refresh=True)
    (warning,) = caught
    assert str(warning.message) == (
        "The rents of 'Quokka Bay' have been revised since they were stored: 1 of 3 points changed, by at most 10.0 "
        "per cent. The earlier responses are kept; to compare them, run sp.revisions('Quokka Bay')"
    )
    assert len(sp.revisions(BAY)) == 1
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 561.0, 520.0, 530.0, 540.0)))
    sp.rent(BAY, max_age="0s")  # a new date at the end is no revision
    service.answer(BAY, "impacts", body=premiums(BAY, {"no pool nearby": 20_000}))
    sp.impacts([BAY])
    service.answer(BAY, "impacts", body=premiums(BAY, {"no pool nearby": 30_000}))
    with pytest.warns(
        sp.errors.DataWarning, match=r"3 of 6 figures changed, .* 50\.0 .*sp\.revisions\('Quokka Bay', 'i"
    ):
        sp.impacts([BAY, HEIGHTS], max_age="0s")


def test_several_revised_suburbs_are_one_warning(live, service):
    """A request with several revised suburbs gives one warning, whose line compares all of them."""
    for value in (500.0, 600.0):
        for name in (BAY, HEIGHTS):
            service.answer(name, "rent", body=rents(name, weeks(value, value, 450.0)))
        if value == 500:
            sp.rent([BAY, HEIGHTS])
    with pytest.warns(sp.errors.DataWarning, match=r"4 of 6 points .*20\.0 per cent.*sp\.revisions\(\['Quokka Bay', "):
        sp.rent([BAY, HEIGHTS], refresh=True)
    assert sp.revisions([HEIGHTS, BAY])["area_name"].to_list() == [HEIGHTS] * 2 + [BAY] * 2
    assert sp.revisions(BAY).attrs["suburb_pandas"]["unit"]["first_value"] == "AUD per week"


def test_first_releases_are_the_values_that_were_known_first(live, service):
    """Each date has the value of the first response that had it, in the shape of rent. Nothing is bought."""
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 510.0), weeks(300.0, 300.0)))
    sp.rent(BAY)
    service.answer(BAY, "rent", body=rents(BAY, weeks(501.0, 511.0, 520.0), weeks(None, 300.0, 310.0)))
    with pytest.warns(sp.errors.DataWarning):
        sp.rent(BAY, refresh=True)
    calls = len(sp.ledger())
    found = sp.first_releases(BAY)
    assert found["house"].to_list() == [500, 510, 520]
    assert found["unit"].to_list() == [300, 300, 310]
    pd.testing.assert_frame_equal(sp.first_releases([BAY])[["house", "unit"]], found)
    assert sp.first_releases([BAY]).columns.to_list() == ["area_name", "house", "unit"]
    assert len(sp.provenance(found)) == 2
    assert "retrieved" in sp.cite(found)
    with pytest.raises(sp.errors.NotStored):
        sp.first_releases("Woylie")
    assert len(sp.ledger()) == calls
