"""Revisions: what changed between the stored vintages of a suburb, and first releases: what was received first."""

import datetime as dt

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.support.laws import law
from tests.support.recorded import call, written
from tests.support.vintages import BAY, START, at, bodies_of, histories, premiums, rents, replayed, weeks

HEIGHTS = "Bilby Heights"
TIMES = ["first_retrieved_at", "last_retrieved_at"]


def shown(found):
    """Return the rows of one suburb as tuples, with weeks in the place of dates, and None for NA."""
    rows = found.drop(columns=["area_name", "change_pct"])
    for label, start in {"date": START, **dict.fromkeys(TIMES, "2026-01-01")}.items():
        rows[label] = (rows[label] - pd.Timestamp(start)).dt.days // 7
    return [*rows.astype("object").where(rows.notna(), None).itertuples(index=False, name=None)]


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


def test_first_releases_are_traced_after_their_cassette_has_ended(tmp_path):
    """The session knows all responses behind them, whichever store or cassette is in use later."""
    path = tmp_path / "study.yaml"
    bodies = [rents(BAY, weeks(*each)) for each in ((545.0,), (546.0, 556.0), (547.0, 557.0, 567.0))]
    path.write_bytes(written(*(call(BAY, body=body, at=at(week)) for week, body in enumerate(bodies))))
    with sp.cassette(path):
        found = sp.first_releases(BAY)
    assert len(sp.provenance(found)) == 3


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
