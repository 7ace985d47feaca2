"""What is cited and what is refused: everyday steps of pandas on every kind of frame, and forgeries of each."""

import io
import re
from operator import methodcaller as call

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.service.calls import Item
from tests.support.recorded import call as call_of
from tests.support.vintages import BAY, at, premiums, rents, replayed, weeks
from tests.tracing import steps
from tests.tracing.steps import NAMES, ONE, OTHER, crossed, is_same

ROWS = ["long", "tidy", "panel", "panel by suburb"]
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
    "growth of a part": lambda f: sp.growth(recent(sp.resample(f, "QE")), "6M", detail=True),
    "index of a part": lambda f: sp.rent_index(two(recent(sp.resample(f, "QE")))),
    "index by state": lambda f: sp.rent_index(sp.resample(f, "QE"), by="state", base="2023-06-30"),
}
JOINED = {
    "rents joined": ("join_rent", {}),
    "older rents joined": ("join_rent", {"lag": "14D", "tolerance": None}),
    "impacts joined": ("join_impacts", {}),
    "impacts with a prefix": ("join_impacts", {"prefix": "impacts_"}),
    "card joined": ("join_scorecard", {}),
    "part of a card": ("join_scorecard", {"columns": ["unit_rent", "n_sales"], "prefix": "card_"}),
}
PARTS = steps.ALL | steps.calls(call("tail", 20))

KINDS = [*LOADED, *COMPUTED, *JOINED]
WITH_FOUND = [*KINDS, "found"]
FRAMES = {*KINDS} - {"series"}
NAMED = {*ROWS, "drivers", "quarters", "means", "growth", "cadence", "quality"}
IN_TIME = {*DATED, *ROWS, *COMPUTED} - {"cadence", "quality"}
FRACTIONS = ["drivers", "card", "means", "index"]
FORGED = {*WITH_FOUND} - {"panel by suburb", "quarters", "cadence", "growth of a part", "index of a part"}

STEPS = [
    ("as before", steps.WHOLE, WITH_FOUND),
    ("as before", steps.WHOLE_FRAMES, FRAMES),
    ("as before", steps.WHOLE_NAMED, [*ROWS, *PREMIUMS]),
    ("as before", steps.WHOLE_DATED, DATED),
    ("as before", steps.ROUNDED, ["long", "tidy", "wide", "one", "quarters", "summary"]),
    ("as before", steps.calls(call("set_index", "date")), ["rents joined", "older rents joined"]),
    ("cited", steps.CUTS, WITH_FOUND),
    ("cited", steps.CUTS_OF_FRAMES, FRAMES),
    ("cited", steps.BY_SUBURB, ["long", "quarters", "growth"]),
    ("cited", crossed(steps.CUTS_TO_FILES, steps.KEEPING_ATTRS), FRAMES),
    ("cited", crossed(steps.CUTS_TO_FILES, steps.LOSING_ATTRS), [*ROWS, *PREMIUMS, "wide"]),
    ("cited", crossed(steps.LOSING_ATTRS, steps.calls(call("assign", area_name=ONE))), ["one"]),
    ("cited", steps.MISSING, ["tidy", "wide", "units"]),
    ("not checked", steps.OWN_COLUMNS, FRAMES - {"wide", "units"}),
    ("not checked", steps.calls(call("assign", rent=9999.0)), ["long", "one"]),
    ("rounded", steps.ROUNDED, FRACTIONS),
    ("rounded", steps.TO_DECIMALS, ["growth", "growth of a part"]),
    ("refused", crossed(steps.ROUNDED, {"50 added": steps.with_numbers(call("add", 50))}), FRACTIONS),
    ("refused", steps.calls(call("round", -1)), ["long", "tidy", "one"]),
    ("refused", steps.TO_INTEGERS, ["growth", "growth of a part"]),
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
    """Return the steps of a kind of frame of which the same is said."""
    tables = [table for said, table, kinds in STEPS if said in expected and kind in kinds]
    return {name: step for table in tables for name, step in table.items()}


@pytest.fixture(scope="module")
def loaded():
    """Load each kind of frame once."""
    days = pd.to_datetime(["2021-05-05", "2024-02-29", "2025-12-01"]).repeat(3)
    mine = pd.DataFrame({"suburb": NAMES * 3, "date": days})
    with sp.Client(api_key="embedded") as client:
        how = {"client": client}
        long, one, wide = sp.rent(NAMES, **how), sp.rent(ONE, **how), sp.rent(NAMES, layout="wide", **how)
        yield {
            "long": long,
            "one": one,
            "series": one["house"],
            "wide": wide,
            "units": wide["unit"],
            "tidy": sp.rent(NAMES, layout="tidy", **how),
            "drivers": sp.impacts(NAMES, **how),
            "summary": sp.impact_summary(NAMES, **how),
            "card": sp.scorecard(NAMES, **how),
            "card at": sp.scorecard(NAMES, at="2024-03-31", **how),
            "found": sp.find("kestrel hill", **how),
            **{kind: steps.LAYOUTS[kind](long) for kind in ("panel", "panel by suburb")},
            **{
                kind: getattr((mine if "rent" in method else mine[["suburb"]]).suburb, method)(**options, **how)
                for kind, (method, options) in JOINED.items()
            },
        }


def frame_of(kind, loaded):
    """Return a loaded or joined frame, or one that was computed from long rents."""
    return COMPUTED[kind](loaded["long"]) if kind in COMPUTED else loaded[kind]


def said_of(frame, before=None):
    """Return in short what `cite` says of a frame: "as before" if that is the citation `before`."""
    try:
        sentence = sp.cite(frame)
    except sp.errors.ProvenanceError:
        return "refused"
    except Exception as error:  # noqa: BLE001 - so that the failure names the step
        return repr(error)
    if sentence == before:
        return "as before"
    said = [words for words in ("not checked", "rounded", "from two responses") if words in sentence]
    return ", ".join(said) or "cited"


def others(frame, table, expected, before=None):
    """Return what `cite` says after the steps of a table, where that is not what was expected."""
    found = {name: said_of(step(frame), before) for name, step in table.items()}
    return {name: said for name, said in found.items() if said != expected}


@pytest.mark.parametrize("expected", ["as before", "cited", "not checked", "rounded", "refused"])
@pytest.mark.parametrize("kind", WITH_FOUND)
def test_a_step_is_cited_or_refused(loaded, kind, expected):
    """Copies, orders, dtypes, parts and files are cited. Own columns and rounding are named, forgeries are refused."""
    frame, table = frame_of(kind, loaded), steps_of(kind, [expected])
    if expected in {"rounded", "refused"}:
        table = {name: step for name, step in table.items() if not is_same(step(frame), frame)}
    before = sp.cite(frame) if expected == "as before" else None
    assert others(frame, table, expected, before) == {}


@pytest.mark.parametrize("kind", [*LOADED, *JOINED])
def test_the_responses_of_a_part_are_among_those_of_the_whole(loaded, kind):
    """A part has the responses about its own suburbs, each in one row."""
    whole = sp.provenance(loaded[kind])
    for cut in steps.CUTS.values():
        part = sp.provenance(cut(loaded[kind]))
        assert {*part["sha256"]} <= {*whole["sha256"]}
        assert part["sha256"].nunique() == len(part) == whole["endpoint"].nunique() * part.index.nunique()


@pytest.mark.parametrize("layout", steps.LAYOUTS)
def test_a_part_of_the_rents_has_one_citation_in_every_layout(loaded, layout):
    """Rents that were cut, and then melted, pivoted or written to a file, are cited like the same rows."""
    parts = {name: cut(loaded["long"]) for name, cut in steps.CUTS_OF_RENTS.items()}
    found = {name: said_of(steps.LAYOUTS[layout](part), sp.cite(part)) for name, part in parts.items()}
    assert found == dict.fromkeys(parts, "as before")


@pytest.mark.parametrize("kind", COMPUTED)
def test_what_was_computed_from_a_part_is_cited(loaded, kind):
    """Before a computation, rents may be cut by dates and suburbs; after it, in any way."""
    cuts = {name: steps.CUTS_OF_RENTS[name] for name in ("since 2021", "until 2023", "two suburbs")}
    cuts |= crossed({"since 2021": recent}, {"two suburbs": two})
    computed = crossed(cuts, {kind: COMPUTED[kind]})
    assert others(loaded["long"], crossed(computed, PARTS), "cited") == {}


@pytest.mark.parametrize("layout", ["tidy", "wide", "units", "panel", "panel by suburb", "one", "series"])
def test_what_was_computed_in_any_layout_is_cited(loaded, layout):
    """Computed rents are cited in each layout, whole and in part."""
    assert others(loaded[layout], crossed(OPERATIONS, PARTS), "cited") == {}


@pytest.mark.parametrize("operation", ["quarters", "means", "growth", "index"])
def test_a_forgery_before_a_computation_is_refused(loaded, operation):
    """Changed rents are refused after a computation, unless it gives the same: growth does not depend on a factor."""
    compute = OPERATIONS[operation]
    forged = {name: compute(forge(loaded["long"])) for name, forge in steps.OF_NUMBERS.items() if "inf" not in name}
    changed = {name: frame for name, frame in forged.items() if not is_same(frame, compute(loaded["long"]))}
    assert {name: said_of(frame) for name, frame in changed.items()} == dict.fromkeys(changed, "refused")


ERRORS = {
    "a column renamed": (
        "long",
        call("rename", columns={"house": "house_rent", "unit": "unit_rent"}),
        r"^(?!.* response about )",
    ),
    **{f"text in {kind}": (kind, steps.OF_FRAMES["text in a cell"], "about 900") for kind in ("tidy", "wide", "card")},
    **{f"{kind} from CSV": (kind, steps.through("csv"), "Parquet") for kind in ("means", "index")},
    "no suburb": ("drivers", steps.OF_SUBURBS["no suburb in the last row"], "of a row without a suburb"),
    "no dates of the rows": ("rents joined", call("drop", columns="date"), "has lost 'date', by which join_rent"),
    "a header read as data": ("wide", lambda f: pd.read_csv(io.StringIO(f.to_csv())), r"header=\[0, 1\]"),
    "no start of a run": ("cadence", call("assign", start=pd.NaT), "' without a date is "),
    "text for no date": (
        "quality",
        lambda f: f.assign(last=f["last"].astype("object").fillna("unknown")),
        f"last of '{OTHER}' for 'unit' is 'unknown', but missing in the responses",
    ),
    "three values": (
        "one",
        lambda f: f[["house"]].dropna().head(3) + 1,
        "^3 values of this frame are in no response: ",
    ),
    "groups exchanged": ("index by state", lambda f: f.assign(group=f["group"].to_numpy()[::-1]), "index"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_error_says_why(loaded, name):
    """The error shows what is wrong, or says how a result is kept in a file."""
    kind, forge, message = ERRORS[name]
    with pytest.raises(sp.errors.ProvenanceError, match=message):
        sp.cite(forge(frame_of(kind, loaded)))


def joined_late(_):
    """Return a card that was joined at a date, with the latest rents in it."""
    latest, early = (pd.DataFrame({"suburb": NAMES}).suburb.join_scorecard(at=at) for at in (None, "2024-03-31"))
    return early.assign(**{label: latest[label] for label in latest if label.startswith(("house", "unit"))})


def quarters(loaded):
    """Return the quarters of long rents."""
    return sp.resample(loaded["long"], "QE")


SAID = {
    "later rents in a card of a date": (joined_late, "refused"),
    "maxima of groups": (lambda f: index_by_state(f).groupby(level="date")[["house"]].max(), "refused"),
    "no rows of an index": (lambda f: index_by_state(f).head(0), "refused"),
    "an index after a join": (lambda f: sp.rent_index(quarters(f).suburb.join_impacts("n_sales")), "cited"),
    "a group of one's own": (lambda f: sp.growth(sp.rent_index(quarters(f))).assign(group="Sydney"), "not checked"),
    "zeros for a series without points": (
        lambda f: sp.quality(f["long"]).fillna({"age_days": 0, "unchanged_days": 0}),
        "refused",
    ),
    "text for a rent that no response has": (
        lambda f: f["card"].astype({"unit_rent": "object"}).fillna({"unit_rent": "about 900"}),
        "refused",
    ),
    "an emptied suburb after a join": (lambda f: emptied(f["impacts joined"]), "refused"),
    "imaginary parts": (lambda f: f["card"].assign(house_rent=f["card"]["house_rent"] + 7j), "refused"),
    "whole numbers for row numbers": (lambda f: f["card"].assign(index=[800_000, 900_000, 950_000]), "not checked"),
    "row numbers": (lambda f: f["tidy"].reset_index(), "cited"),
    "a level beside a Series": (lambda f: with_a_level(f["long"])["house"], "not checked"),
    "an index beside wide dates": (lambda f: f["wide"].reset_index().pipe(on_prices), "not checked"),
    "an index of drivers": (lambda _: on_prices(sp.impacts(ONE)).rename_axis(None), "not checked"),
    "another column of suburbs": (
        lambda _: pd.DataFrame({"suburb": NAMES, "area_name": "x"}).suburb.join_impacts(column="suburb"),
        "not checked",
    ),
    "prices beside joined columns": (
        lambda f: f["impacts joined"].assign(price=9.5).rename_axis(columns="area_name"),
        "not checked",
    ),
    "a join on one suburb's rents": (lambda f: f["one"].assign(area_name=ONE).suburb.join_impacts("n_sales"), "cited"),
    "growth of a frame without its details": (
        lambda f: sp.growth(sp.resample(f["long"], "QE", detail=True)[["area_name", "house", "unit"]]),
        "cited",
    ),
    "cadence of an index by groups": (lambda f: sp.cadence(index_by_state(f)), "cited"),
    "exchanged groups in a cadence": (
        lambda f: sp.cadence(index_by_state(f)).assign(area_name=lambda c: c["area_name"].to_numpy()[::-1]),
        "refused",
    ),
    "quality of an index": (lambda f: sp.quality(sp.rent_index(quarters(f))), "cited"),
    "rents marked as an index": (lambda f: steps.with_marks(unit="index", suburbs=NAMES)(f["long"]), "refused"),
    "candidates in a state": (lambda _: sp.find("kestrel hill", state="VIC"), "cited"),
    "rounded means beside impacts": (
        lambda f: sp.resample(f["long"], "ME", how="mean").round(1).suburb.join_impacts("n_sales"),
        "rounded",
    ),
    "types as a level": (lambda f: f["one"].stack(), "cited"),  # noqa: PD013 - users do this
    "categories of numbers": (lambda f: f["one"].reset_index().astype("category"), "cited"),
}


def index_by_state(loaded):
    """Return the index by state of three suburbs in as many states."""
    return sp.rent_index(quarters(loaded), by="state")


def emptied(frame):
    """Return a frame without the numbers of one suburb."""
    return frame.assign(**frame.select_dtypes("number").mask(frame.iloc[:, 0] == ONE))


def on_prices(frame):
    """Return a frame with prices as its index."""
    return frame.set_axis(pd.Index(range(len(frame)), dtype="float64", name="price") + 0.5)


def with_a_level(frame):
    """Return a long frame as a panel with prices as its last level."""
    return frame.assign(price=range(len(frame))).set_index(["area_name", "price"], append=True)


@pytest.mark.parametrize("name", SAID)
def test_what_is_said_of_odd_frames(loaded, name):
    """Whatever stands beside the values is checked or named, and no value passes in a place that is not its own."""
    make, expected = SAID[name]
    assert said_of(make(loaded)) == expected


def test_what_was_computed_is_said_before_what_was_joined(loaded):
    """A citation names the operations on rents, and then the joins in their order."""
    rows = quarters(loaded).suburb.join_impacts("n_sales").suburb.join_scorecard("sales_flag")
    assert re.search(r"resample\(.*\), join_impacts\(.*\), join_scorecard\(", sp.cite(rows))


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


def test_a_frame_of_two_vintages_gives_both_dates():
    """Rows of two responses about one suburb are cited with both, and so are its first releases."""
    with replayed(rents(BAY, weeks(617.0, 627.0)), rents(BAY, weeks(618.0, 627.0, 637.0))):
        both = pd.concat([sp.rent([BAY], retrieved_by=at(0)).head(1), sp.rent([BAY]).tail(1)])
        for frame in (both, both[::-1], steps.melted(both), sp.first_releases([BAY]), sp.first_releases(BAY)):
            assert said_of(frame) == "from two responses"
            assert {at(0)[:10], at(1)[:10]} <= {*re.findall(r"\d{4}-\d\d-\d\d", sp.cite(frame))}


UNITS = weeks(300.0, 310.0), weeks(305.0, 315.0)
NO_UNITS = {}, {}
VINTAGES = {
    "rounded older rents": ((617.4, 620.3), (617.0, 620.0), UNITS, lambda old, _: old.round(0), "rounded"),
    "two exact ones before one rounded": (
        (500.0, 510.0),
        (500.4, 510.4, 520.0),
        NO_UNITS,
        lambda old, new: pd.concat([old, new.tail(1)]),
        "from two responses",
    ),
    "first releases": ((500.0, 510.0), (500.0, 510.0), NO_UNITS, lambda *_: sp.first_releases(BAY), "cited"),
}


@pytest.mark.parametrize("name", VINTAGES)
def test_the_vintage_of_the_values_is_cited(name):
    """Values are cited from the responses that have them: all from one, or exact ones from several, or rounded ones."""
    older, newer, units, make, expected = VINTAGES[name]
    with replayed(rents(BAY, weeks(*older), units[0]), rents(BAY, weeks(*newer), units[1])):
        old, new = sp.rent([BAY], retrieved_by=at(0)), sp.rent([BAY])
        frame = make(old, new)
        assert said_of(frame) == expected
        days = sorted({str(day.date()) for day in sp.provenance(frame)["retrieved_at"]})
        assert days == [at(0)[:10], at(1)[:10]][: 2 if "two" in expected else 1]


def test_a_copy_of_an_older_card_has_its_own_responses():
    """The time of retrieval in a card tells from which of several equal responses it is."""
    both = [rents(BAY, weeks(500.0, 510.0)), premiums(BAY, {"no pool nearby": 20_000})]
    impacts = [call_of(BAY, body=both[1], at=at(week))._replace(item=Item("impacts", BAY)) for week in (0, 1)]
    with replayed(both[0], both[0], others=impacts):
        old, _ = sp.scorecard([BAY], retrieved_by=at(0)), sp.scorecard([BAY])
        assert sp.provenance(old.copy())["retrieved_at"].to_list() == [pd.Timestamp(at(0)[:10])] * 2


def test_the_dates_of_the_input_are_cited_if_one_response_goes_beyond_them():
    """They are in the citation even if another suburb's older response ends with them."""
    first, second = weeks(*range(500, 570, 10)), weeks(501, *range(510, 590, 10))
    longer = weeks(*range(500, 570, 10), 900, 950)
    others = [call_of(OTHER, body=rents(OTHER, house), at=at(week)) for week, house in enumerate((first, longer))]
    with replayed(rents(BAY, first), rents(BAY, second), others=others):
        means = sp.resample(sp.rent([BAY, OTHER], retrieved_by=at(0)), "ME", how="mean", min_coverage=0.1)
        sp.rent([BAY, OTHER])
        assert "min_coverage=0.1) of 2024-01-07 to 2024-02-18 from" in sp.cite(means.copy())


def test_the_digest_of_two_vintages_has_all_values_in_any_order():
    """If a date has two values, both are in the digest, whatever comes first."""
    with replayed(rents(BAY, weeks(99.0, 510.0)), rents(BAY, weeks(99.0, 100.0, 520.0))):
        old, new = sp.rent([BAY], retrieved_by=at(0)), sp.rent([BAY])
        digests = [sp.cite(pd.concat(both)).rpartition(" ")[-1] for both in ([old, new], [new, old])]
        assert digests[0] == digests[1] != sp.cite(new).rpartition(" ")[-1]


def test_there_are_sixty_steps_and_fifty_forgeries():
    """Each kind of loaded frame has at least sixty steps, and there are fifty forgeries of long rents alone."""
    for kind in ("long", "one", "tidy", "wide", "panel", *PREMIUMS):
        of_rents = len(steps.CUTS_OF_RENTS) * (kind in steps.LAYOUTS)
        assert of_rents + len(steps_of(kind, ["as before", "cited", "not checked"])) >= 60
    assert len(steps_of("long", ["refused"])) >= 50
