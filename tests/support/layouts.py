"""Makes the layouts of rents with pandas' own melt and pivot, and a plain form in which all layouts compare."""

import pandas as pd

KINDS = ("house", "unit")


def melted(long):
    """Return a long frame in the tidy layout, in an order of its own."""
    tidy = long.rename_axis(index="date").reset_index().melt(["date", "area_name"], var_name="property_type")
    return tidy.rename(columns={"value": "rent"}).dropna(subset="rent").reset_index(drop=True)


def pivoted(long):
    """Return a long frame in the wide layout, with a column for every category. The last value of a date counts."""
    names = list(long["area_name"].cat.categories)
    columns = pd.MultiIndex.from_product([KINDS, names], names=["property_type", "area_name"])
    values = melted(long).astype({"area_name": "object"})
    table = values.pivot_table("rent", "date", ["property_type", "area_name"], aggfunc="last")
    return table.reindex(columns=columns).set_axis(pd.DatetimeIndex(table.index, name="date"))


def values_of(frame, kind=None):
    """Return the values of a frame of any layout by date, name and property type. `kind` is that of `wide[kind]`."""
    found = {}
    if frame.columns.names == ["area_name"]:
        frame = pd.concat({kind: frame}, axis=1, names=["property_type"])
    if frame.columns.nlevels > 1:
        for (own_kind, name), column in frame.items():
            found |= {(day, name, own_kind): value for day, value in column.dropna().items()}
        return found
    if "property_type" in frame.columns:
        rows = frame[["date", "area_name", "property_type", "rent"]].itertuples(index=False)
        return {(day, name, own_kind): value for day, name, own_kind, value in rows}
    for own_kind in KINDS:
        rows = zip(frame.index, frame["area_name"], frame[own_kind], strict=True)
        found |= {(day, name, own_kind): value for day, name, value in rows if pd.notna(value)}
    return found
