"""What is cited and what is refused: everyday steps of pandas on every kind of frame, and forgeries of each."""

from operator import methodcaller as call

import pandas as pd
import pytest

import suburb_pandas as sp
from tests.tracing import steps
from tests.tracing.steps import NAMES, ONE, OTHER, THIRD, crossed, is_same, said_of

ROWS = ["long", "tidy", "panel"]
PREMIUMS = ["drivers", "summary", "card", "card at"]
DATED = ["long", "one", "wide", "units", "series"]
LOADED = [*dict.fromkeys([*ROWS, *PREMIUMS, *DATED])]


recent, two = (steps.CUTS_OF_RENTS[name] for name in ("since 2021", "two suburbs"))

OPERATIONS = {
    "quarters": lambda f: sp.resample(f, "QE"),
    "means": lambda f: sp.resample(f, "ME", how="mean"),
    "growth": lambda f: sp.growth(f, smooth="91D"),
    "index": lambda f: sp.rent_index(sp.resample(f, "QE")),
    "cadence": sp.cadence,
    "quality": lambda f: sp.quality(f, asof="2026-05-01"),
}
COMPUTED = OPERATIONS | {
    "index by state": lambda f: sp.rent_index(sp.resample(f, "QE"), by="state", weights="dwellings", base="2023-06-30"),
}
OF_PARTS = COMPUTED | {
    "index of a part": lambda f: sp.rent_index(two(recent(sp.resample(f, "QE")))),
}
JOINED = {
    "rents joined": ("join_rent", {"tolerance": "4D"}),
    "older rents joined": ("join_rent", {"lag": "14D", "tolerance": None}),
    "impacts joined": ("join_impacts", {}),
    "card joined": ("join_scorecard", {"smooth": "91D"}),
    "part of a card": ("join_scorecard", {"columns": ["unit_rent", "n_sales"], "prefix": "card_"}),
}
KINDS = [*LOADED, *COMPUTED, *JOINED]
WITH_FOUND = [*KINDS, "found"]
FRAMES = {*KINDS} - {"series"}
NAMED = {*ROWS, "drivers", "quarters", "means", "growth", "cadence", "quality"}
IN_TIME = {*DATED, *ROWS, *COMPUTED} - {"cadence", "quality"}
FRACTIONS = ["drivers", "card", "means", "index"]
FORGED = {*WITH_FOUND} - {"quarters", "cadence"}

STEPS = [
    ("as before", steps.WHOLE, WITH_FOUND),
    ("as before", steps.WHOLE_FRAMES, FRAMES),
    ("as before", steps.WHOLE_NAMED, [*ROWS, *PREMIUMS]),
    ("as before", steps.WHOLE_DATED, DATED),
    ("as before", steps.ROUNDED, ["long", "tidy", "wide", "one", "quarters", "summary"]),
    ("cited", steps.CUTS, WITH_FOUND),
    ("cited", steps.CUTS_OF_FRAMES, FRAMES),
    ("cited", steps.BY_SUBURB, ["long", "quarters", "growth"]),
    ("cited", crossed(steps.CUTS_TO_FILES, steps.KEEPING_ATTRS), FRAMES),
    ("cited", crossed(steps.CUTS_TO_FILES, steps.LOSING_ATTRS), [*ROWS, *PREMIUMS, "wide"]),
    ("cited", crossed(steps.LOSING_ATTRS, steps.calls(call("assign", area_name=ONE))), ["one"]),
    ("cited", steps.MISSING, ["tidy", "wide", "units"]),
    ("not checked", steps.OWN_COLUMNS, FRAMES - {"wide", "units"}),
    ("rounded", steps.ROUNDED, [*FRACTIONS, "growth"]),
    ("refused", steps.calls(call("round", -1)), ["long", "tidy", "one"]),
    ("refused", steps.OF_NUMBERS, FORGED - {"found"}),
    ("refused", steps.OF_DATES, IN_TIME & FORGED),
    ("refused", steps.OF_SUBURBS, (NAMED | {*PREMIUMS, "found"}) & FORGED),
    ("refused", steps.OF_FRAMES, FRAMES & FORGED),
    ("refused", steps.OF_ROWS, NAMED),
    ("refused", steps.PARTLY_ROUNDED, ["drivers", "means", "growth"]),
    ("refused", steps.WITHOUT_DATES, ["long", "one", "wide", "growth", "index", "index by state"]),
    ("refused", steps.OF_WIDE, ["wide", "units"]),
    ("refused", steps.OF_DRIVERS, ["drivers"]),
    ("refused", steps.OF_CARDS, ["card", "card at"]),
    ("refused", steps.OF_OPERATIONS, ["quarters"]),
    ("refused", {"another suburb": steps.with_marks(area_name=OTHER)}, ["one", "series"]),
    ("refused", steps.MISSING, FRAMES - {"tidy", "wide", "units", *JOINED}),
    ("refused", crossed(steps.MISSING_ROWS, steps.ALL | steps.LOSING_ATTRS), ["long"]),
    ("refused", steps.LOSING_ATTRS, ["quarters", "means", "growth", "index"]),
]
"""What is said of the frames after the steps of a table, for some kinds of frames."""

pytestmark = [
    pytest.mark.usefixtures("embedded"),
    pytest.mark.filterwarnings("ignore:obj.round has no effect", "ignore::suburb_pandas.errors.DataWarning"),
]


def steps_of(kind, expected):
    """Return the steps of a kind of frame of which that is said."""
    tables = [table for said, table, kinds in STEPS if said == expected and kind in kinds]
    return {name: step for table in tables for name, step in table.items()}


def changing(frame, table, before):
    """Return the steps of a table whose result differs from a frame, as functions that return this result."""
    results = {name: step(frame) for name, step in table.items()}
    return {name: lambda _, one=one: one for name, one in results.items() if not is_same(one, before)}


@pytest.fixture(scope="module")
def loaded():
    """Load each kind of frame once."""
    days = pd.to_datetime(["2024-02-29", "2021-05-05", "2025-12-01"]).repeat(3)
    mine = pd.DataFrame({"suburb": NAMES * 3, "date": days})
    with sp.connect(api_key="embedded"):
        long, one, wide = sp.rent(NAMES), sp.rent(ONE), sp.rent(NAMES, layout="wide")
        return {
            "long": long,
            "one": one,
            "series": one["house"],
            "wide": wide,
            "units": wide["unit"],
            "tidy": sp.rent(NAMES, layout="tidy"),
            "panel": steps.LAYOUTS["panel"](long),
            "drivers": sp.impacts(NAMES),
            "summary": sp.impact_summary(NAMES),
            "card": sp.scorecard(NAMES),
            "card at": sp.scorecard(NAMES, at="2024-03-31"),
            "found": sp.find("kestrel hill"),
            **{
                kind: getattr((mine if "rent" in method else mine[["suburb"]]).suburb, method)(**options)
                for kind, (method, options) in JOINED.items()
            },
        }


def frame_of(kind, loaded):
    """Return a loaded or joined frame, or one that was computed from long rents."""
    return COMPUTED[kind](loaded["long"]) if kind in COMPUTED else loaded[kind]


def others(frame, table, expected, before=None):
    """Return what `cite` says after the steps of a table, where that is not what was expected."""
    found = {name: said_of(step(frame), before) for name, step in table.items()}
    return {name: said for name, said in found.items() if said != expected}


@pytest.mark.parametrize("expected", ["as before", "cited", "not checked", "rounded", "refused"])
@pytest.mark.parametrize("kind", WITH_FOUND)
def test_a_step_is_cited_or_refused(loaded, kind, expected):
    """Copies, orders, dtypes, parts and files are cited. Own columns and rounding are named, forgeries are refused."""
    frame, table = frame_of(kind, loaded), steps_of(kind, expected)
    if expected in {"rounded", "refused"}:
        table = changing(frame, table, frame)
    before = sp.cite(frame) if expected == "as before" else None
    assert others(frame, table, expected, before) == {}


@pytest.mark.parametrize("layout", steps.LAYOUTS)
def test_a_part_of_the_rents_has_one_citation_in_every_layout(loaded, layout):
    """Rents that were cut, and then melted, pivoted or written to a file, are cited like the same rows."""
    parts = {name: cut(loaded["long"]) for name, cut in steps.CUTS_OF_RENTS.items()}
    found = {name: said_of(steps.LAYOUTS[layout](part), sp.cite(part)) for name, part in parts.items()}
    assert found == dict.fromkeys(parts, "as before")


@pytest.mark.parametrize("kind", OF_PARTS)
def test_what_was_computed_from_a_part_is_cited(loaded, kind):
    """Before a computation, rents may be cut by dates and suburbs; after it, in any way."""
    cuts = {"until 2023": steps.CUTS_OF_RENTS["until 2023"], "two suburbs since 2021": lambda f: two(recent(f))}
    computed = crossed(cuts, {kind: OF_PARTS[kind]})
    assert others(loaded["long"], crossed(computed, steps.calls(call("tail", 20))), "cited") == {}


@pytest.mark.parametrize("layout", ["tidy", "wide", "units", "panel", "one"])
def test_what_was_computed_in_any_layout_is_cited(loaded, layout):
    """Computed rents are cited in each layout."""
    assert others(loaded[layout], OPERATIONS, "cited") == {}


@pytest.mark.parametrize("operation", ["quarters", "means", "growth", "index"])
def test_a_forgery_before_a_computation_is_refused(loaded, operation):
    """Changed rents are refused after a computation, unless it gives the same: growth does not depend on a factor."""
    forged = crossed(steps.OF_NUMBERS, {operation: OPERATIONS[operation]})
    assert others(loaded["long"], changing(loaded["long"], forged, frame_of(operation, loaded)), "refused") == {}


ERRORS = {
    "an index from CSV": ("index", steps.through("csv"), "Parquet"),
    "no name of the one suburb": ("one", steps.through("csv"), r"add the name: frame\.assign\(area_name=name\)"),
    "a suburb without responses": ("index", steps.with_marks(suburbs=["Nowhere"]), "response about 'Nowhere'"),
    "own weights": (
        "quarters",
        lambda f: sp.rent_index(f, weights=dict.fromkeys(NAMES, 2)),
        "cannot be repeated.*a Series of weights",
    ),
    "another base": ("index", lambda f: f[["house", "unit"]] / 1.7, "house of the index on .* is "),
    "a changed rent": (
        "long",
        steps.with_cell(9999.5),
        rf"^1 value of this frame is in no response: house of '{THIRD}' on 2026-04-26 is 9999.5, but 881 in the resp",
    ),
    "no suburb": ("drivers", steps.OF_SUBURBS["no suburb in the last row"], "of a row without a suburb"),
    "no dates of the rows": ("rents joined", call("drop", columns="date"), "has lost 'date', by which join_rent"),
    "text for no date": (
        "quality",
        lambda f: f.assign(last=f["last"].astype("object").fillna("unknown")),
        f"last of '{OTHER}' for 'unit' is 'unknown', but missing in the responses",
    ),
    "three values": (
        "one",
        lambda f: f[["house"]].dropna().head(3) + 1,
        "^3 values of this frame are in no response: .* Cite the frame as it was loaded",
    ),
    "no rents": ("quarters", call("drop", columns=["house", "unit"]), "has nothing that can be compared"),
    "groups exchanged": ("index by state", lambda f: f.assign(group=f["group"].to_numpy()[::-1]), "index"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_error_says_why(loaded, name):
    """The error shows what is wrong, or says how a result is kept in a file."""
    kind, forge, message = ERRORS[name]
    with pytest.raises(sp.errors.ProvenanceError, match=message):
        sp.cite(forge(frame_of(kind, loaded)))


def quarters(loaded):
    """Return the quarters of long rents."""
    return sp.resample(loaded["long"], "QE")


SAID = {
    "later rents in a card of a date": (
        lambda f: f["card at"].assign(**f["card"].filter(regex="house|unit")),
        "refused",
    ),
    "single values in a card of means": (lambda f: steps.with_marks(smooth="91D")(f["card"]), "refused"),
    "a card of a date without the dates of its rents": (
        lambda f: f["card at"].drop(columns=["house_rent_date", "unit_rent_date"]),
        "cited",
    ),
    "no rows of an index": (lambda f: index_by_state(f).head(0), "refused"),
    "an index after a join": (lambda f: sp.rent_index(quarters(f).suburb.join_impacts("n_sales")), "cited"),
    "zeros for a series without points": (
        lambda f: sp.quality(f["long"]).fillna({"age_days": 0, "unchanged_days": 0}),
        "refused",
    ),
    "an emptied suburb after a join": (lambda f: emptied(f["impacts joined"]), "refused"),
    "own numbers from 0": (lambda f: f["card"].assign(mine=[0, 1, 2]), "not checked"),
    "other totals beside drivers": (lambda f: f["drivers"].assign(median_price=1), "refused"),
    "whole numbers for row numbers": (lambda f: f["card"].assign(index=[800_000, 900_000, 950_000]), "not checked"),
    "a join on one suburb's rents": (lambda f: f["one"].assign(area_name=ONE).suburb.join_impacts("n_sales"), "cited"),
    "an index of a type without its name": (
        lambda f: sp.rent_index(sp.resample(f["units"], "QE"))[["rent_share"]].rename_axis(None),
        "cited",
    ),
    "cadence of units": (lambda f: sp.cadence(f["units"]), "cited"),
    "cadence of an index by groups": (lambda f: sp.cadence(index_by_state(f)), "cited"),
    "exchanged groups in a cadence": (
        lambda f: sp.cadence(index_by_state(f)).assign(area_name=lambda c: c["area_name"].to_numpy()[::-1]),
        "refused",
    ),
    "rents marked as an index": (lambda f: steps.with_marks(unit="index", suburbs=NAMES)(f["long"]), "refused"),
    "candidates in a state": (lambda _: sp.find("kestrel hill", state="VIC"), "cited"),
}


def index_by_state(loaded):
    """Return the index by state of three suburbs in as many states."""
    return sp.rent_index(quarters(loaded), by="state")


def emptied(frame):
    """Return a frame without the numbers of one suburb."""
    return frame.assign(**frame.select_dtypes("number").mask(frame.iloc[:, 0] == ONE))


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_odd_frames(loaded, name):
    """Whatever stands beside the values is checked or named, and no value passes in a place that is not its own."""
    make, expected = SAID[name]
    assert said_of(make(loaded)) == expected


def test_only_growth_is_said_to_be_of_means(loaded):
    """The words on means stand beside a growth that was compared, not beside marks alone."""
    card = sp.scorecard(NAMES, smooth="91D")
    assert "with growth of means over 91 days, " in sp.cite(card)
    for other in (card[["n_sales"]], steps.with_marks(smooth="91 days, says the ABS, of 9")(loaded["long"])):
        assert "means" not in sp.cite(other)


def test_a_pivot_is_cited_with_the_last_call_that_gives_it(loaded):
    """Citing other frames in between changes nothing: what is computed again is not taken for a call of the user."""
    sp.resample(loaded["long"], "QE", max_lag="200D")
    pivot = quarters(loaded).pivot(columns="area_name", values="house")  # noqa: PD010 - users do this
    before = sp.cite(pivot)
    assert 'computed with resample(freq="QE") from' in before
    sp.cite(sp.rent_index(sp.resample(recent(loaded["long"]), "QE")))
    sp.scorecard(NAMES)
    assert sp.cite(pivot) == before


def test_scorecards_below_one_another_are_cited(loaded):
    """Each row of a suburb is compared with its rents at the date of the row; rents of another row are refused."""
    both = pd.concat([loaded["card at"], loaded["card"]])
    assert said_of(both) == said_of(both[::-1]) == "cited"
    assert said_of(both.assign(house_rent=both["house_rent"].to_numpy()[::-1])) == "refused"
