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
    expected = {
        "area_name": BAY,
        "property_type": "house",
        "date": pd.to_datetime(["2024-01-14", "2024-01-21", "2024-01-28"]),
        "first_value": [510.0, np.nan, 530.0],
        "last_value": [520.2, 525.0, np.nan],
        "change_pct": [2.0, np.nan, np.nan],
        "n_values": [2, 1, 1],
        **{time: pd.Timestamp(at(week)[:10]) for week, time in enumerate(TIMES)},
        "status": ["revised", "added", "removed"],
    }
    dtypes = dict.fromkeys(TIMES, "datetime64[us]")
    pd.testing.assert_frame_equal(sp.revisions(BAY), pd.DataFrame(expected).astype(dtypes))


def shown(found):
    """Return the rows of one suburb as tuples, with weeks in the place of dates, and None for NA."""
    rows = found.drop(columns=["area_name", "change_pct"])
    for label, start in {"date": START, **dict.fromkeys(TIMES, "2026-01-01")}.items():
        rows[label] = (rows[label] - pd.Timestamp(start)).dt.days // 7
    return [*rows.astype("object").where(rows.notna(), None).itertuples(index=False, name=None)]


def test_since_and_until_bound_the_responses(vintages):
    """Only responses retrieved in the period are compared; a date is its beginning for since, its end for until.

    A response of an unknown time is in no period that has a beginning or an end.
    """
    later = [
        call(BAY, body=rents(BAY, weeks(value, 1.0)), at=time)
        for value, time in ((700.0, "2026-01-15T18:00:00+00:00"), (400.0, ""))
    ]
    vintages(*(rents(BAY, weeks(value, 1.0)) for value in (500.0, 600.0)), others=later)
    for since, until, expected in (
        (None, None, [[400, 700]]),
        (None, "2026-01-08", [[500, 600]]),
        ("2026-01-08", None, [[600, 700]]),
        ("2026-01-08T00:00:00", dt.date(2026, 1, 15), [[600, 700]]),
        ("2026-01-09", None, []),
    ):
        found = sp.revisions(BAY, since=since, until=until)
        assert found[["first_value", "last_value"]].to_numpy().tolist() == expected
    for arguments in ({"since": "05/12/2026"}, {"until": "soon"}):
        with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be a date"):
            sp.revisions(BAY, **arguments)


def test_revisions_of_made_up_suburbs_are_marked_as_made_up(embedded):
    """The attrs say so, although no call was made."""
    assert sp.revisions(BAY).attrs["suburb_pandas"]["made_up"]


def test_the_revisions_of_impacts_are_figures_of_drivers_and_totals(vintages):
    """For impacts, the label of the driver and the field identify a figure; a total has no label."""
    vintages(
        premiums(BAY, {"no pool nearby": 20_000, "no park nearby": 10_000}),
        premiums(BAY, {"no pool nearby": 25_000, "no school nearby": 5_000}, n_sales=125),
        endpoint="impacts",
    )
    found = sp.revisions(BAY, "impacts")
    revised = found[found["status"] == "revised"][["label", "field", "first_value", "last_value", "change_pct"]]
    assert revised.fillna("total").to_numpy().tolist() == [
        ["total", "n_sales", 100, 125, 25],
        ["no pool nearby", "premium_dollars", 20_000, 25_000, 25],
        ["no pool nearby", "pct_of_median", 2, 2.5, 25],
    ]
    assert found.set_index("label")["status"]["no park nearby":].unique().tolist() == ["removed", "added"]
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
    """The warning says how many values differ, by how much at most, and which line compares them.

    Neither the revisions nor the first releases of what is not stored are bought.
    """

    def answer(endpoint, **bodies):
        for name, body in zip((BAY, HEIGHTS), bodies.values(), strict=False):
            service.answer(name, endpoint, body=body)

    answer(
        "rent",
        bay=rents(BAY, weeks(500.0, 510.0, 520.0, 530.0, None, 550.0), weeks(300.0, 310.0)),
        heights=rents(HEIGHTS, weeks(500.0, 450.0)),
    )
    answer("impacts", bay=premiums(BAY, {"no pool nearby": 20_000}))
    sp.rent([BAY, HEIGHTS])
    sp.impacts([BAY])
    answer(
        "rent",
        bay=rents(BAY, weeks(None, None, 546.0, None, 540.0, 550.0, 560.0), weeks(None, 310.0)),
        heights=rents(HEIGHTS, weeks(600.0, 450.0, 460.0)),
    )
    answer("impacts", bay=premiums(BAY, {"no pool nearby": 30_000}))
    with pytest.warns(sp.errors.DataWarning) as caught:
        sp.rent([BAY, HEIGHTS], refresh=True)
    (warning,) = caught
    assert str(warning.message) == (
        "The rents of 'Quokka Bay', 'Bilby Heights' have been revised since they were stored: 3 cut off, 2 revised, 1 "
        "removed, 1 added; the largest change is 20.0 per cent. The earlier responses are kept; to compare them, run "
        "sp.revisions(['Quokka Bay', 'Bilby Heights'])"
    )
    with pytest.warns(sp.errors.DataWarning, match=r": 3 revised; .* 50\.0 .*sp\.revisions\('Quokka Bay', 'i"):
        sp.impacts([BAY], max_age="0s")
    found = sp.revisions([HEIGHTS, BAY])
    assert found["area_name"].to_list() == [HEIGHTS] + [BAY] * 4
    assert found.attrs["suburb_pandas"]["unit"]["first_value"] == "AUD per week"
    with pytest.raises(sp.errors.NotStored):  # it is not bought
        sp.first_releases("Woylie")


def test_first_releases_have_the_shape_of_rents(vintages):
    """Each date has the value of the first response that had it, in the shape of rent."""
    vintages(
        rents(BAY, weeks(500.0, 510.0), weeks(300.0, 300.0)),
        rents(BAY, weeks(501.0, 511.0, 520.0), weeks(None, 300.0, 310.0)),
    )
    expected = sp.rent(BAY).assign(house=[500.0, 510.0, 520.0], unit=[300.0, 300.0, 310.0])
    found = sp.first_releases(BAY)
    pd.testing.assert_frame_equal(found, expected)
    pd.testing.assert_frame_equal(sp.first_releases([BAY])[["house", "unit"]], expected)
    assert sp.first_releases([BAY]).columns.to_list() == ["area_name", "house", "unit"]
    assert len(sp.provenance(found)) == 2


def test_first_releases_are_traced_after_their_cassette_has_ended(tmp_path):
    """The session knows all responses behind them, whichever store or cassette is in use later."""
    path = tmp_path / "study.yaml"
    bodies = [rents(BAY, weeks(*each)) for each in ((545.0,), (546.0, 556.0), (547.0, 557.0, 567.0))]
    path.write_bytes(written(*(call(BAY, body=body, at=at(week)) for week, body in enumerate(bodies))))
    with sp.cassette(path):
        found = sp.first_releases(BAY)
    assert len(sp.provenance(found)) == 3


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
