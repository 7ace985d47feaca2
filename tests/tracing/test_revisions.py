"""Revisions: what changed between the stored vintages of a suburb, and first releases: what was received first."""

import datetime as dt
from contextlib import ExitStack

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.laws import law
from tests.support.recorded import call, written
from tests.support.vintages import BAY, START, at, bodies_of, histories, premiums, rents, replayed, weeks

HEIGHTS = "Bilby Heights"
COLUMNS = ["first_value", "last_value", "change_pct", "n_values"]
TIMES = ["first_retrieved_at", "last_retrieved_at"]


@pytest.fixture
def vintages():
    """Return a function that replays responses about one suburb until the test ends."""
    with ExitStack() as stack:
        yield lambda *bodies, **more: stack.enter_context(replayed(*bodies, **more))


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


def shown(found):
    """Return the rows of one suburb as tuples: date and values, the numbers of both responses, and the status."""
    weeks_since = [(found[time] - pd.Timestamp("2026-01-01")).dt.days // 7 for time in TIMES]
    columns = [found["property_type"], (found["date"] - pd.Timestamp(START)).dt.days // 7, found["first_value"]]
    columns += [found["last_value"], found["n_values"], *weeks_since, found["status"]]
    return [
        tuple(None if pd.isna(value) else value for value in row)
        for row in zip(*(column.to_list() for column in columns), strict=True)
    ]


def beginning(first, *, until=5):
    """Return values of the weeks from the first one on."""
    return weeks(*(None if week < first else 500.0 + week for week in range(until)))


def test_a_history_that_is_cut_off_at_its_beginning_is_one_row(vintages):
    """The row says how many values were cut off, and up to which date; if they come back, another row says so."""
    vintages(
        *(rents(BAY, beginning(house), beginning(unit)) for house, unit in ((0, 1), (2, 1), (2, 3), (1, 1), (0, 0)))
    )
    assert shown(sp.revisions(BAY)) == [
        (None, 2, None, None, 4, 0, 2, "cut off"),
        (None, 2, None, None, 4, 2, 4, "restored"),
    ]
    found = sp.revisions(BAY, until=at(1))
    assert shown(found) == [("house", 1, None, None, 2, 0, 1, "cut off")]
    assert found[COLUMNS].dtypes.astype(str).to_list() == ["float64"] * 3 + ["int64"]


def test_an_older_response_does_not_excuse_a_missing_value(vintages):
    """NaN at a date that an older response did not have yet is refused. Rows of both responses together are cited."""
    vintages(
        rents(BAY, weeks(490.0, 500.0, None), weeks(290.0, 300.0, 310.0)),
        rents(BAY, weeks(490.0, 501.0, 511.0, 520.0), weeks(290.0, 301.0, 311.0, 320.0)),
    )
    old, new = (sp.rent([BAY], retrieved_by=at(week)) for week in (0, 1))
    assert len(sp.provenance(pd.concat([old, new]))) == 2
    assert len(sp.provenance(pd.concat([old.tail(1), new]))) == 2
    for cells in ((3, "house"), (slice(3, 4), ["house", "unit"])):
        missing = new.copy()
        missing.iloc[cells[0], missing.columns.get_indexer(np.atleast_1d(cells[1]))] = np.nan
        with pytest.raises(sp.errors.ProvenanceError, match="but 520 in the responses"):
            sp.provenance(missing)


def test_since_and_until_bound_the_responses(vintages):
    """Only responses retrieved in the period are compared; a date is its beginning for since, its end for until."""
    evening = call(BAY, body=rents(BAY, weeks(700.0, 1.0)), at="2026-01-15T18:00:00+00:00")
    vintages(*(rents(BAY, weeks(value, 1.0)) for value in (500.0, 600.0)), others=[evening])
    assert sp.revisions(BAY)[["first_value", "last_value"]].to_numpy().tolist() == [[500, 700]]
    assert sp.revisions(BAY, until="2026-01-08")["last_value"].to_list() == [600]
    assert sp.revisions(BAY, until="2026-01-15")["last_value"].to_list() == [700]
    assert sp.revisions(BAY, since="2026-01-08")["first_value"].to_list() == [600]
    assert sp.revisions(BAY, since="2026-01-08T00:00:00", until=dt.date(2026, 1, 15)).shape == (1, 10)
    assert sp.revisions(BAY, since="2026-01-09").empty
    assert sp.revisions(BAY, until="2026-01-07").empty
    for arguments in ({"since": "05/12/2026"}, {"until": "soon"}):
        with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be a date"):
            sp.revisions(BAY, **arguments)


def test_revisions_of_made_up_suburbs_are_marked_as_made_up(embedded):
    """The attrs say so. A frame in place of the names is refused with the line that passes its column."""
    assert sp.revisions(BAY).attrs["suburb_pandas"]["made_up"]
    for function in (sp.revisions, sp.first_releases):
        with pytest.raises(TypeError, match=rf"as in sp\.{function.__name__}\(df\['suburb'\]\)"):
            function(pd.DataFrame({"suburb": [BAY]}))


def test_without_a_key_revisions_are_said_to_be_of_made_up_suburbs():
    """Without a key, `revisions` warns that the suburbs are made up, although it makes no call."""
    with pytest.warns(sp.errors.SyntheticDataWarning):
        sp.revisions(BAY)


def test_a_response_of_an_unknown_time_is_in_no_period(tmp_path):
    """A cassette may have a response without a date. It is compared, unless the period has a beginning or an end."""
    path = tmp_path / "undated.yaml"
    path.write_bytes(written(call(BAY, 500.0, at=""), call(BAY, 600.0, at=at(1))))
    with sp.cassette(path):
        assert len(sp.revisions(BAY)) == 1
        assert sp.revisions(BAY, since=at(0)).empty
        assert sp.revisions(BAY, until=at(2)).empty


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


def slow_changes(vintages, kind, week):
    """Return the rows of one value by a slow reference: the responses that are compared, run by run."""
    compared, rows, start = [], [], 0
    for number, points in enumerate(one[kind] for one in vintages):
        if points and min(points) <= week and (compared or week <= max(points)):
            compared.append((number, points.get(week)))
    for at_end in range(1, len(compared) + 1):
        (last, value), (following, other) = compared[at_end - 1], [*compared, (None, None)][at_end]
        if following is not None and (value is None) == (other is None):
            continue
        first, began = compared[start]
        n_values = len({seen for _, seen in compared[start:at_end]})
        if n_values > 1:
            rows.append((kind, week, began, value, n_values, first, last, "revised"))
        if following is not None:
            rows.append((kind, week, value, other, 1, last, following, "removed" if other is None else "added"))
        start = at_end
    return rows


def slow_cuts(vintages):
    """Return the rows of cut off and restored values by a slow reference: each value in each pair of neighbours."""
    stretches, cut, last = [], set(), None
    for number, one in enumerate(vintages):
        if not any(one.values()):
            continue
        found = {"cut off": [], "restored": []}
        for kind, week in [(kind, week) for kind in one for week in range(9)]:
            begins_later = not one[kind] or week < min(one[kind])
            if last is not None and week in vintages[last][kind] and begins_later:
                found["cut off"].append((kind, week))
            elif (kind, week) in cut and not begins_later:
                found["restored"] += [(kind, week)] if week in one[kind] else []
                cut.remove((kind, week))
        cut |= set(found["cut off"])
        for status, values in found.items():
            if values and stretches and stretches[-1][0] == status:
                stretches[-1] = (status, stretches[-1][1] + values, stretches[-1][2], number)
            elif values:
                stretches.append((status, values, last, number))
        last = number
    rows = []
    for status, values, began, ended in stretches:
        kinds = sorted({kind for kind, _ in values})
        kind = None if len(kinds) == 2 else kinds[0]
        rows.append((kind, max(week for _, week in values), None, None, len(set(values)), began, ended, status))
    return rows


@law(vintages=histories)
def test_revisions_are_those_of_a_slow_reference(vintages):
    """Any responses have the changes that a comparison value by value and response by response finds."""
    expected = slow_cuts(vintages)
    for kind in ("house", "unit"):
        for week in sorted({week for one in vintages for week in one[kind]}):
            expected += slow_changes(vintages, kind, week)
    with replayed(*bodies_of(vintages)):
        assert sorted(shown(sp.revisions(BAY)), key=str) == sorted(expected, key=str)


def test_a_refresh_that_brings_revised_values_warns(live, service):
    """The warning says how many points were revised, by how much at most, and which line compares them."""
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 510.0, 520.0)))
    sp.rent(BAY)
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 561.0, 520.0, 530.0)))
    with pytest.warns(sp.errors.DataWarning) as caught:
        sp.rent(BAY, refresh=True)
    (warning,) = caught
    assert str(warning.message) == (
        "The rents of 'Quokka Bay' have been revised since they were stored: 1 revised; the largest change is 10.0 per "
        "cent. The earlier responses are kept; to compare them, run sp.revisions('Quokka Bay')"
    )
    assert len(sp.revisions(BAY)) == 1
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 561.0, 520.0, 530.0, 540.0)))
    sp.rent(BAY, max_age="0s")  # a new date at the end is no revision
    service.answer(BAY, "impacts", body=premiums(BAY, {"no pool nearby": 20_000}))
    sp.impacts([BAY])
    service.answer(BAY, "impacts", body=premiums(BAY, {"no pool nearby": 30_000}))
    with pytest.warns(sp.errors.DataWarning, match=r": 3 revised; .* 50\.0 .*sp\.revisions\('Quokka Bay', 'i"):
        sp.impacts([BAY, HEIGHTS], max_age="0s")


def test_a_refresh_that_lacks_earlier_values_warns(live, service):
    """The warning counts what was revised, removed, added and cut off, each by itself."""
    service.answer(BAY, "rent", body=rents(BAY, weeks(500.0, 510.0, 520.0, 530.0, None, 550.0), weeks(300.0, 310.0)))
    sp.rent(BAY)
    service.answer(BAY, "rent", body=rents(BAY, weeks(None, None, 546.0, None, 540.0, 550.0), weeks(None, 310.0)))
    with pytest.warns(sp.errors.DataWarning) as caught:
        sp.rent(BAY, refresh=True)
    assert ": 3 cut off, 1 revised, 1 removed, 1 added; the largest change is 5.0 per " in str(caught[0].message)
    assert len(sp.revisions(BAY)) == 4
    service.answer(BAY, "rent", body=rents(BAY, weeks(None, None, 546.0, None, 540.0, 550.0)))
    with pytest.warns(sp.errors.DataWarning, match="they were stored: 1 cut off"):
        sp.rent(BAY, refresh=True)


def test_several_revised_suburbs_are_one_warning(live, service):
    """A request with several revised suburbs gives one warning, whose line compares all of them."""
    for value in (500.0, 600.0):
        for name in (BAY, HEIGHTS):
            service.answer(name, "rent", body=rents(name, weeks(value, value, 450.0)))
        if value == 500:
            sp.rent([BAY, HEIGHTS])
    with pytest.warns(sp.errors.DataWarning, match=r": 4 revised; .*20\.0 per cent.*sp\.revisions\(\['Quokka Bay', "):
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


def test_first_releases_are_not_what_a_study_had_on_a_day():
    """A value that was revised before the next one arrived is as it was first; `retrieved_by` has the revised one."""
    with replayed(*(rents(BAY, weeks(*values)) for values in ((500.0,), (505.0, 510.0), (505.0, 515.0)))):
        assert sp.first_releases(BAY)["house"].to_list() == [500, 510]
        assert sp.rent(BAY, retrieved_by=at(1))["house"].to_list() == [505, 510]


def test_first_releases_are_traced_after_their_cassette_has_ended(tmp_path):
    """The session knows all responses behind them, whichever store or cassette is in use later."""
    path = tmp_path / "study.yaml"
    bodies = [rents(BAY, weeks(545.0)), rents(BAY, weeks(546.0, 556.0))]
    path.write_bytes(written(*(call(BAY, body=body, at=at(week)) for week, body in enumerate(bodies))))
    with sp.cassette(path):
        found = sp.first_releases(BAY)
    assert len(sp.provenance(found)) == 2


@pytest.mark.filterwarnings("ignore::suburb_pandas.errors.NoDataWarning")
def test_first_releases_outlive_a_response_without_data():
    """They are those of the older responses, even if the newest cannot be read. Without any data, there are none."""
    empty = rents(BAY, weeks(None, None))
    for newest in (empty, b'{"data": "not as specified"}'):
        with replayed(rents(BAY, weeks(500.0, 510.0)), newest):
            assert sp.first_releases(BAY)["house"].to_list() == [500, 510]
            assert sp.first_releases([BAY])["house"].to_list() == [500, 510]
            assert len(sp.provenance(sp.first_releases(BAY))) == 1
    with replayed(empty), pytest.raises(sp.errors.NoData):
        sp.first_releases(BAY)


@law(vintages=histories.filter(lambda vintages: any(any(one.values()) for one in vintages)))
def test_first_releases_are_those_of_a_slow_reference(vintages):
    """Each date and property type has the value of the oldest response that has it."""
    first = {}
    for one in vintages:
        for kind, points in one.items():
            for week, value in points.items():
                first.setdefault((START + dt.timedelta(7 * week), kind), value)
    with replayed(*bodies_of(vintages)):
        found = sp.first_releases(BAY)
    assert found.index.is_monotonic_increasing
    assert {(date.date(), kind): value for kind in found for date, value in found[kind].dropna().items()} == first
