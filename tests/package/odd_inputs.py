"""Made-up tables in the layout of the agencies' exports, and made-up responses with odd values.

All suburbs, councils and numbers are made up. Each function returns a new object, so a test can change it.
"""

import pandas as pd

from tests.support.common import plain_sqlite

BAY, WOYLIE, LANTERN = "Quokka Bay", "Woylie", "Lantern Bay (NSW)"

MISSING = ["s", "-", "n.a.", "*", "np", "..", ""]
"""The signs with which agencies write a value that is suppressed, too small or not available."""

NUMBERS = {
    "$2,800,000": 2_800_000,
    "1,200": 1200,
    "\u00a0450\u00a0": 450,
    "$ 1,234.50": 1234.5,
    "-5": -5,
    "480": 480,
    "495.0": 495,
}
"""Text of which the number is plain, with that number. No-break spaces come with tables that are copied from a page."""

NOT_PLAIN = ["2.8m", "450-500", "(450)", "12/03/2024", "450 (r)", "12,5", "1,2345", "450 500", "5%", "$450pw", "$1.2k"]
"""Text with digits, of which the number is not plain: a range, a footnote, a negative in brackets, another unit."""

DATES = {
    "day first, only days up to 12": (["3/09/2024", "4/09/2024"], ["2024-09-03", "2024-09-04"]),
    "month first, as one day shows": (["09/03/2024", "09/13/2024"], ["2024-09-03", "2024-09-13"]),
    "years beside a missing one": ([2023.0, None, 2024.0], ["2023-12-31", "NaT", "2024-12-31"]),
}
"""Columns of dates as they are written, with the days that are meant. A month or year means its last day."""


def rents(**changes):
    """Return four weeks of made-up rents as a long frame with the column ``date``, some columns replaced."""
    columns = {
        "date": ["2026-04-05", "2026-04-12", "2026-04-19", "2026-04-26"],
        "area_name": [BAY] * 4,
        "house": [640.0, 640.0, 650.0, 655.0],
        "unit": [480.0, 480.0, 485.0, 490.0],
    }
    return pd.DataFrame(columns | changes)


def wide_rents_as_published():
    """Return made-up rents of houses as a table of months by suburbs, with text among the values."""
    values = {BAY: ["$640", "s", "$1,655"], WOYLIE: ["510", "515", "n.a."]}
    return pd.DataFrame(values, index=pd.Index(["28/02/2026", "31/03/2026", "30/04/2026"], name="date")).rename_axis(
        columns="area_name"
    )


def prices_as_written():
    """Return made-up prices in all ways of `NUMBERS`, `NOT_PLAIN` and `MISSING`, each of another name."""
    texts = [*NUMBERS, *NOT_PLAIN, *MISSING]
    return pd.DataFrame({"suburb": [f"Made Up {number}" for number in range(len(texts))], "house_price": texts})


NO_DATA = b'{"data": null, "available": false, "reason": "no_series", "message": "There are no rents."}'
"""The body of a response about a suburb that has no data."""


def write_abs_list(folder, names):
    """Write a list of names and states with the columns, and under the name, of the ABS's workbook."""
    table = pd.DataFrame(
        {"SAL_CODE_2021": range(10001, 10001 + len(names)), "SAL_NAME_2021": names, "STATE_NAME_2021": ""}
    )
    table["STATE_NAME_2021"] = ["New South Wales" if "NSW" in name else "Western Australia" for name in names]
    table.to_excel(folder / "SAL_2021_AUST.xlsx", index=False)


def damage(store):
    """Change the stored body of the newest response in a store."""
    with plain_sqlite(store) as plain:
        plain.execute("update response set body = x'00' where call_id = (select max(call_id) from response)")
