"""Everyday steps of pandas on the package's frames, forgeries, and in short what `cite` says of a frame.

A step that is one call of a method has the call as its name.
"""

import io
from contextlib import suppress
from importlib.util import find_spec
from operator import methodcaller as call

import numpy as np
import pandas as pd

import suburb_pandas as sp
from tests.support.layouts import melted, pivoted

ONE, OTHER, THIRD = NAMES = ["Paperbark Mile", "Galah Siding", "Snowgum Park"]
"""Suburbs with short and with long histories. The second has no units."""


def calls(*methods):
    """Return calls of methods by their text."""
    return {repr(method).removeprefix("operator.methodcaller"): method for method in methods}


def crossed(first, second):
    """Return each step of two tables, one after the other."""
    return {
        f"{one}, then {other}": lambda frame, before=before, after=after: after(before(frame))
        for one, before in first.items()
        for other, after in second.items()
    }


def through(file):
    """Return a step that writes a frame to a file and reads it again; from text, with its index and its header."""

    def step(frame):
        levels = {"header": [*range(frame.columns.nlevels)], "index_col": [*range(frame.index.nlevels)]}
        buffer = io.BytesIO()
        getattr(frame, f"to_{file}")(buffer)
        buffer.seek(0)
        return getattr(pd, f"read_{file}")(buffer, **(levels if file in {"csv", "excel"} else {}))

    return step


KEEPING_ATTRS = {file: through(file) for file in ("pickle", "parquet") if file == "pickle" or find_spec("pyarrow")}
LOSING_ATTRS = {file: through(file) for file in ("csv", "excel")}
ALL = {"all": lambda f: f}


def flat(frame):
    """Return a frame with the levels of its index as columns, but for row numbers."""
    return frame.reset_index(drop=frame.index.names == [None])


def numbers(frame):
    """Return the first column of numbers."""
    return frame.select_dtypes("number").iloc[:, 0]


WHOLE = {
    **calls(
        call("copy"),
        call("convert_dtypes"),
        call("astype", "object"),
        call("sample", frac=1, random_state=1),
    ),
    "twice": lambda f: pd.concat([f, f.head(9)]),
    "32 bits": lambda f: f.astype(dict.fromkeys(f.select_dtypes("number"), "float32") if f.ndim > 1 else "float32"),
}
"""Steps that keep all numbers of a frame or a Series."""

WHOLE_FRAMES = {
    "transposed twice": lambda f: f.T.T,
    "the index as columns": flat,
}
WHOLE_NAMED = {
    **{
        f"suburbs called {name}": lambda f, name=name: flat(f).rename(columns={"area_name": name})
        for name in ("Suburb_Name", "SAL_NAME21")
    },
    "suburbs as index": lambda f: flat(f).set_index("area_name"),
    "merged with a list": lambda f: flat(f).merge(pd.DataFrame({"area_name": NAMES})),
    "attrs lost": lambda f: pd.DataFrame(flat(f).to_dict("series")),
}
"""Those for loaded frames that name the suburb of each row."""

WHOLE_DATED = {
    "dates in seconds": lambda f: f.set_axis(f.index.as_unit("s")),
    **calls(call("tz_localize", "UTC"), call("rename_axis", None)),
    "dates as text": lambda f: f.set_axis(f.index.strftime("%Y-%m-%d").rename("date")),
}
"""Those for loaded rents with dates as index."""

CUTS = {
    **calls(call("head", 9), call("sample", frac=0.5, random_state=2)),
    "some rows": lambda f: f.iloc[[2, 1, 1]],
}
CUTS_OF_FRAMES = {"high rows": lambda f: f[numbers(f) >= numbers(f).median()]}
CUTS_TO_FILES = {"every fifth row": lambda f: f.iloc[::5], **calls(call("tail", 3))}

CUTS_OF_RENTS = {
    **ALL,
    **calls(call("dropna"), call("query", "house > 1.2 * unit"), call("drop", columns="house")),
    "since 2021": lambda f: f[f.index >= "2021"],
    "until 2023": lambda f: f[f.index < "2024"],
    "one suburb": lambda f: f[f["area_name"] == ONE],
    "two suburbs": lambda f: f[f["area_name"].isin([THIRD, ONE])],
    "the last of each": lambda f: f.groupby("area_name", observed=True).tail(5),
}
"""Cuts of long rents, which leave the same numbers in every layout."""

LAYOUTS = {
    "tidy": melted,
    "wide": pivoted,
    "panel": call("set_index", "area_name", append=True),
    "panel by suburb": lambda long: long.set_index("area_name", append=True).swaplevel(),
    "wide, melted": lambda long: pivoted(long).melt(ignore_index=False, value_name="rent").dropna(),
    "a CSV file": lambda long: pd.read_csv(io.StringIO(long.to_csv())),
}

OWN_COLUMNS = {
    **{repr(value): call("assign", mine=value) for value in (1.5, "9999", pd.Timestamp("2024-05-05"))},
    "a level of the index": lambda f: f.assign(mine=1).set_index("mine", append=True),
}
"""Steps that add a column or a level that no response has."""

ROUNDED = calls(call("round", 1), call("round", 6))
BY_SUBURB = {
    "a type": lambda f: f.set_index("area_name", append=True)["house"].unstack(),  # noqa: PD010 - users do this
    "both types": lambda f: f.pivot(columns="area_name"),  # noqa: PD010
}


def is_same(one, other):
    """Return True if two frames are equal but for dtypes and rounding errors."""
    with suppress(AssertionError):
        pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), check_dtype=False, rtol=1e-9, atol=0)
        return True
    return False


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


def with_numbers(change):
    """Return a forgery of all numbers, which keeps the attrs."""

    def forge(frame):
        forged = frame.copy()
        columns = slice(None) if frame.ndim == 1 else list(frame.select_dtypes("number"))
        forged[columns] = np.asarray(change(frame[columns].astype("float64")))
        return forged

    return forge


def with_dates(change):
    """Return a forgery of the dates in the index, otherwise in a column."""

    def forge(frame):
        if isinstance(frame.index, pd.DatetimeIndex):
            return frame.set_axis(change(frame.index).rename("date"))
        return flat(frame).assign(date=lambda f: change(pd.DatetimeIndex(f["date"])))

    return forge


def with_suburbs(change):
    """Return a forgery of the suburbs of the rows."""
    return lambda frame: flat(frame).assign(area_name=lambda f: change(f["area_name"].astype("object")))


def rounded_alone(frame):
    """Round the numbers of one suburb, beside the exact ones of the others."""
    rows, columns = flat(frame), list(frame.select_dtypes("number"))
    return rows.assign(**rows[columns].where(rows["area_name"] != ONE, rows[columns].round(1)))


def with_cell(value):
    """Return a forgery of the last value in the first column of numbers."""

    def forge(frame):
        column = numbers(frame)
        forged = frame.astype({column.name: "object"})
        forged.iloc[np.flatnonzero(column.notna())[-1], frame.columns.get_loc(column.name)] = value
        return forged

    return forge


def with_marks(**marks):
    """Return a forgery of the attrs."""

    def forge(frame):
        forged = frame.copy()
        forged.attrs = {"suburb_pandas": {**frame.attrs["suburb_pandas"], **marks}}
        return forged

    return forge


OF_NUMBERS = {
    name: with_numbers(change)
    for name, change in {
        **calls(
            call("add", 0.01),
            call("mul", 1 + 1e-7),
            call("mul", np.inf),
            call("ffill"),
        ),
        "the lowest by one": lambda n: n.mask(n == n.min(), n + 1),
    }.items()
}
OF_DATES = {
    name: with_dates(change)
    for name, change in {
        "a day later": lambda i: i + pd.Timedelta("1D"),
        "at six o'clock": lambda i: i + pd.Timedelta("6h"),
        "dates backwards": lambda i: i[::-1],
        "the last date moved": lambda i: i[:-1].append(i[-1:] + pd.Timedelta("1D")),
    }.items()
}
OF_SUBURBS = {
    name: with_suburbs(change)
    for name, change in {
        "suburbs exchanged": lambda names: names.replace({ONE: THIRD, THIRD: ONE}),
        "a suburb that nobody loaded": lambda names: names.replace({ONE: "Nowhere"}),
        "no suburb in the last row": lambda names: [*names[:-1], None],
    }.items()
}
OF_FRAMES = {
    **calls(call("describe")),
    "columns exchanged": lambda f: f.rename(
        columns=dict(zip(n := list(f.select_dtypes("number")), n[::-1], strict=True))
    ),
    "text in a cell": with_cell("about 900"),
    "a row of one's own": lambda f: pd.concat([f, with_numbers(lambda n: n * 0 + 7)(f.tail(1))]),
}
OF_ROWS = {"means of suburbs": lambda f: flat(f).groupby("area_name", observed=True).mean(numeric_only=True)}
PARTLY_ROUNDED = {"one suburb rounded": rounded_alone}
OF_WIDE = calls(call("rename", columns={ONE: THIRD, THIRD: ONE}, level="area_name"))
OF_DRIVERS = {
    **calls(
        call("pivot_table", "premium_dollars", "area_name", "label", observed=True),
        call("assign", evidence="thin"),
    ),
    "labels backwards": lambda f: f.assign(label=f["label"].to_numpy()[::-1]),
}
OF_CARDS = {
    **calls(call("assign", sales_flag="thin")),
    "dates of rents": lambda f: f.assign(house_rent_date=f["house_rent_date"] - pd.Timedelta("7D")),
    "the last suburb emptied": lambda f: f.head(-1).reindex(f.index),
}
WITHOUT_DATES = calls(call("reset_index", drop=True))
MISSING = {"NaN for a number": with_cell(np.nan)}
MISSING_ROWS = {"NaN for the last row": with_numbers(lambda n: n.mul([1] * (len(n) - 1) + [np.nan], axis=0))}
OF_OPERATIONS = {text: with_marks(operations=[text]) for text in ('resample(freq="YE")', 'growth(over="1Y")')}
