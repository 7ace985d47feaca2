"""Frames that were altered after loading: every changed value is refused, and every harmless change is cited."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights", "Mangrove Steps"]
ONE, OTHER, THIRD = NAMES


@pytest.fixture(scope="module")
def loaded():
    """Load each kind of frame once. The tests alter copies."""
    with warnings.catch_warnings(), sp.Client(api_key="embedded") as client:
        warnings.simplefilter("ignore", sp.SuburbWarning)
        yield {
            "rents": sp.rent(NAMES, client=client),
            "one": sp.rent(ONE, client=client),
            "wide": sp.rent(NAMES, layout="wide", client=client),
            "drivers": sp.impacts(NAMES, client=client),
            "drivers of one": sp.impacts(ONE, client=client),
            "summary": sp.impact_summary(NAMES, client=client),
            "card": sp.scorecard(NAMES, client=client),
            "card at": sp.scorecard(NAMES, at="2024-03-31", client=client),
            "quarters": sp.rent(NAMES, freq="QE", how="mean", client=client),
            "candidates": sp.find("kestrel hill", client=client),
        }


def with_cell(frame, column, value, row=10):
    """Return a copy in which one cell has another value, or what a function makes of it."""
    changed = frame.copy()
    changed[column] = changed[column].astype("object") if isinstance(value, str) else changed[column]
    position = changed.columns.get_loc(column)
    changed.iloc[row, position] = value(changed.iloc[row, position]) if callable(value) else value
    return changed


def with_index(frame, change):
    """Return a copy with another index."""
    return frame.set_axis(change(frame.index), axis=0)


def swapped(frame, column=None):
    """Return rents in which two suburbs have changed their values, or only those of one column."""
    first, second = (frame["area_name"] == name for name in (ONE, OTHER))
    columns = ["house", "unit"] if column is None else [column]
    changed, size = frame.copy(), min(first.sum(), second.sum())
    one, two = (np.flatnonzero(rows)[-size:] for rows in (first, second))
    for label in columns:
        values = frame[label].to_numpy().copy()
        values[one], values[two] = frame[label].to_numpy()[two], frame[label].to_numpy()[one]
        changed[label] = values
    return changed


def tidy(frame):
    """Return rents in tidy layout."""
    long = frame.reset_index().melt(["date", "area_name"], ["house", "unit"], "property_type", "rent")
    return long.dropna(subset="rent")


def written(frame, to, read, **options):
    """Write a frame to a buffer, and read it again."""
    buffer = io.BytesIO()
    getattr(frame, f"to_{to}")(buffer)
    buffer.seek(0)
    return getattr(pd, f"read_{read}")(buffer, **options)


ALTERED = {
    "one value": ("rents", lambda f: with_cell(f, "house", lambda v: v + 1)),
    "one value of a single suburb": ("one", lambda f: with_cell(f, "house", 1.0)),
    "the last value by a cent": ("rents", lambda f: with_cell(f, "house", lambda v: v + 0.01, row=-1)),
    "one value, and its attrs lost": ("rents", lambda f: with_cell(pd.DataFrame(f.to_dict("series")), "unit", 9.0, -1)),
    "a value for another in wide": ("wide", lambda f: with_cell(f, ("house", ONE), 1.0, row=-1)),
    "one of wide['house']": ("wide", lambda f: with_cell(f["house"], ONE, 1.0, row=-1)),
    "one value of tidy rents": ("rents", lambda f: with_cell(tidy(f), "rent", lambda v: v * 2)),
    "one date": ("rents", lambda f: with_index(f, lambda i: i.where(np.arange(len(i)) != 5, i + pd.Timedelta("1D")))),
    "all dates by a day": ("rents", lambda f: with_index(f, lambda i: i + pd.Timedelta("1D"))),
    "dates with a time of day": ("rents", lambda f: with_index(f, lambda i: i + pd.Timedelta("6h"))),
    "dates backwards": ("one", lambda f: with_index(f, lambda i: i[::-1])),
    "dates to month starts": ("one", lambda f: with_index(f, lambda i: i.to_period("M").to_timestamp())),
    "one name": ("rents", lambda f: with_cell(f.astype({"area_name": "object"}), "area_name", OTHER)),
    "all names": ("rents", lambda f: f.assign(area_name=ONE)),
    "a name that nobody loaded": ("rents", lambda f: f.assign(area_name="Nowhere")),
    "no name in a row": ("rents", lambda f: with_cell(f, "area_name", None)),
    "rows swapped between suburbs": ("rents", swapped),
    "houses swapped between suburbs": ("rents", lambda f: swapped(f, "house")),
    "values shuffled": ("one", lambda f: f.assign(house=f["house"].sample(frac=1, random_state=1).to_numpy())),
    "house and unit exchanged": ("rents", lambda f: f.rename(columns={"house": "unit", "unit": "house"})),
    "a factor": ("rents", lambda f: f.assign(house=f["house"] * 3)),
    "a rent a year": ("one", lambda f: f * 52),
    "a deflated series": ("one", lambda f: f.assign(house=f["house"] * 0.97)),
    "rounding to tens": ("rents", lambda f: f.round({"house": -1, "unit": -1})),
    "a logarithm": ("one", np.log),
    "gaps filled": ("one", lambda f: f.reindex(pd.date_range(f.index[0], f.index[-1], name="date")).ffill()),
    "gaps interpolated": ("rents", lambda f: f.assign(unit=f["unit"].interpolate().fillna(1.0))),
    "NaN for a number": ("rents", lambda f: with_cell(f, "house", np.nan)),
    "NaN for a number of a single suburb": ("one", lambda f: with_cell(f, "house", np.nan)),
    "NaN for a number in tidy rents": ("rents", lambda f: with_cell(tidy(f), "rent", np.nan)),
    "values shifted by a row": ("rents", lambda f: f.assign(house=f["house"].shift(1))),
    "a month's mean": ("one", lambda f: f.resample("ME").mean()),
    "a year's change": ("one", lambda f: f.pct_change()),
    "a rolling median": ("one", lambda f: f.rolling(3, min_periods=1).median()),
    "a row added": ("one", lambda f: pd.concat([f, pd.DataFrame({"house": [1.0]}, [pd.Timestamp("2026-05-03")])])),
    "a merge with rows of one's own": ("rents", lambda f: pd.concat([f, f.tail(1).assign(house=1.0)])),
    "the mean of suburbs under one name": (
        "rents",
        lambda f: f.groupby("date")[["house", "unit"]].mean().assign(area_name=ONE),
    ),
    "tripled rents from a CSV file": ("rents", lambda f: written(f.assign(house=f["house"] * 3), "csv", "csv")),
    "text for a number": ("rents", lambda f: with_cell(f, "house", "about 500")),
    "a premium": ("drivers", lambda f: with_cell(f, "premium_dollars", lambda v: v + 1, row=1)),
    "a percentage": ("drivers", lambda f: with_cell(f, "pct_of_median", lambda v: v + 0.1, row=1)),
    "a label": ("drivers", lambda f: with_cell(f, "label", "no castle nearby", row=1)),
    "labels exchanged": ("drivers of one", lambda f: f.assign(label=f["label"].to_numpy()[::-1])),
    "the evidence": ("drivers", lambda f: f.assign(evidence="ok")),
    "drivers under another name": ("drivers", lambda f: f.assign(area_name=ONE)),
    "a driver's NaN": (
        "drivers",
        lambda f: with_cell(f.astype({"coverage_pct": "float64"}), "coverage_pct", np.nan, 1),
    ),
    "a median": ("summary", lambda f: with_cell(f, "median_price", lambda v: v + 1, row=1)),
    "sales": ("summary", lambda f: with_cell(f, "n_sales", lambda v: v + 1, row=1)),
    "the suburbs of a summary": ("summary", lambda f: f.set_axis(f.index[::-1].rename("area_name"), axis=0)),
    "a rent of a scorecard": ("card", lambda f: with_cell(f, "house_rent", lambda v: v + 1, row=1)),
    "a date of a scorecard": (
        "card at",
        lambda f: with_cell(f, "house_rent_date", lambda v: v - pd.Timedelta("7D"), 0),
    ),
    "growth of a scorecard": ("card", lambda f: f.assign(house_growth_1y_pct=f["house_growth_1y_pct"] + 0.01)),
    "a flag of a scorecard": ("card", lambda f: f.assign(sales_flag="ok")),
    "a rent of a dated scorecard": ("card at", lambda f: with_cell(f, "unit_rent", 1.0, row=0)),
    "a candidate": ("candidates", lambda f: with_cell(f, "area_name", "Nowhere", row=0)),
}

HARMLESS = {
    "as loaded": ("rents", lambda f: f),
    "a copy": ("rents", lambda f: f.copy()),
    "attrs lost": ("rents", lambda f: pd.DataFrame(f.to_dict("series"))),
    "rows in another order": ("rents", lambda f: f.sample(frac=1, random_state=1)),
    "rows dropped": ("rents", lambda f: f.iloc[::7]),
    "rows of NaN dropped": ("rents", lambda f: f.dropna()),
    "rows twice": ("rents", lambda f: pd.concat([f, f.head(9)])),
    "columns in another order": ("rents", lambda f: f[["unit", "house", "area_name"]]),
    "columns dropped": ("rents", lambda f: f[["area_name", "house"]]),
    "a column of one's own": ("rents", lambda f: f.assign(mine=f["house"] * 3)),
    "a column renamed": ("rents", lambda f: f.rename(columns={"house": "rent_of_houses"})),
    "the index renamed": ("rents", lambda f: f.rename_axis("day")),
    "dates as a column": ("rents", lambda f: f.reset_index()),
    "names in the index": ("rents", lambda f: f.set_index("area_name", append=True)),
    "names as text": ("rents", lambda f: f.astype({"area_name": "str"})),
    "numbers in 32 bits": ("rents", lambda f: f.astype({"house": "float32", "unit": "float32"})),
    "numbers as integers": ("rents", lambda f: f.astype({"house": "Int64", "unit": "Int64"})),
    "numbers as text": ("rents", lambda f: f.astype({"house": "object"}).assign(house=lambda g: g["house"].map(str))),
    "dates in nanoseconds": ("rents", lambda f: with_index(f, lambda i: i.as_unit("ns"))),
    "dates in seconds": ("rents", lambda f: with_index(f, lambda i: i.as_unit("s"))),
    "dates in UTC": ("rents", lambda f: f.tz_localize("UTC")),
    "dates as text": ("rents", lambda f: with_index(f, lambda i: i.strftime("%Y-%m-%d").rename("date"))),
    "dates of the standard library": ("rents", lambda f: f.reset_index().assign(date=lambda g: g["date"].dt.date)),
    "a suburb alone": ("one", lambda f: f.tail(3)),
    "a suburb with its name": ("one", lambda f: pd.DataFrame(f.assign(area_name=ONE).to_dict("series"))),
    "wide": ("wide", lambda f: f.tail(40)),
    "wide['house']": ("wide", lambda f: f["house"].tail(40)),
    "wide with gaps made": ("wide", lambda f: f.mask(f > 900)),
    "wide after stacking": (
        "wide",
        lambda f: f.stack("area_name", future_stack=True).dropna(how="all").reset_index(),  # noqa: PD013 - users do this
    ),
    "tidy": ("rents", tidy),
    "a merge": ("rents", lambda f: f.reset_index().merge(pd.DataFrame({"area_name": NAMES, "listings": 1}))),
    "a CSV file": ("rents", lambda f: written(f, "csv", "csv")),
    "a CSV file of one's own index": ("rents", lambda f: written(f, "csv", "csv", index_col=0, parse_dates=True)),
    "a CSV file of text": ("rents", lambda f: written(f, "csv", "csv", dtype="str")),
    "a CSV file of wide rents": ("wide", lambda f: written(f, "csv", "csv", header=[0, 1], index_col=0)),
    "an Excel file": ("rents", lambda f: written(f, "excel", "excel")),
    "a pickle": ("rents", lambda f: written(f, "pickle", "pickle")),
    "a Parquet file": ("rents", lambda f: written(f, "parquet", "parquet")),
    "drivers": ("drivers", lambda f: f.sample(frac=1, random_state=1).reset_index(drop=True)),
    "a driver": ("drivers", lambda f: f.loc[[3, 1], ["area_name", "label", "premium_dollars"]]),
    "premiums without labels": ("drivers", lambda f: f[["area_name", "premium_dollars"]]),
    "drivers in 32 bits": ("drivers", lambda f: f.astype({"pct_of_median": "float32", "premium_dollars": "int32"})),
    "drivers of one": ("drivers of one", lambda f: f.head(2)),
    "drivers from a CSV file": ("drivers", lambda f: written(f, "csv", "csv", index_col=0)),
    "drivers from an Excel file": ("drivers", lambda f: written(f, "excel", "excel", index_col=0)),
    "a summary": ("summary", lambda f: f[::-1][["n_sales", "total_premium"]]),
    "a summary from a CSV file": ("summary", lambda f: written(f, "csv", "csv")),
    "a scorecard": ("card", lambda f: f.drop(columns=["house_unchanged_days", "top_driver"])),
    "a scorecard from a CSV file": ("card", lambda f: written(f, "csv", "csv")),
    "a scorecard from a pickle": ("card", lambda f: written(f, "pickle", "pickle")),
    "a dated scorecard": ("card at", lambda f: f.iloc[::-1].reset_index()),
    "quarters": ("quarters", lambda f: f.tail(30)),
    "quarters from a pickle": ("quarters", lambda f: written(f, "pickle", "pickle")),
    "candidates": ("candidates", lambda f: f.head(1)),
}


@pytest.mark.parametrize("how", ALTERED)
@pytest.mark.usefixtures("embedded")
def test_an_altered_value_is_refused(loaded, how):
    """Both functions refuse a frame in which a value, a date or a name was changed, and both say how to go on."""
    kind, alter = ALTERED[how]
    frame = alter(loaded[kind])
    for function in (sp.provenance, sp.cite):
        with pytest.raises(
            sp.errors.ProvenanceError,
            match=r"Cite the frame as it was loaded.*; or describe in your own|Load these suburbs",
        ):
            function(frame)


@pytest.mark.parametrize("how", HARMLESS)
@pytest.mark.usefixtures("embedded")
def test_a_harmless_change_is_cited(loaded, how):
    """A frame that lost rows, columns, attrs or dtypes, or went through a file, has the responses that it came from."""
    kind, change = HARMLESS[how]
    if "Parquet" in how:
        pytest.importorskip("pyarrow")
    frame = change(loaded[kind])
    found, whole = sp.provenance(frame), sp.provenance(loaded[kind])
    assert set(found.index) <= set(whole.index)
    assert set(found["sha256"]) <= set(whole["sha256"])
    assert len(found) == len(set(found["sha256"]))
    endpoints = {"card": 2, "card at": 2}.get(kind, 1)
    assert len(found) == endpoints * found.index.nunique() > 0
    assert "whose suburbs and numbers are made up" in sp.cite(frame)


def test_there_are_fifty_ways_to_alter_a_frame():
    """Together, the altered and the harmless frames are more than fifty of either kind."""
    assert min(len(ALTERED), len(HARMLESS)) > 50
