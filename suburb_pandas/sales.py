"""How far figures can be relied on that stand on a number of sales."""

from __future__ import annotations

from math import isnan

_THIN, _CAUTION = 10, 30


def sales_flag(n_sales: float) -> str | None:
    """Say so: ``thin`` to 10 sales, ``caution`` to 30, else ``ok``; None where the number is not known.

    The limits are those at which the New South Wales government's Rent and Sales Report suppresses a median (10 or
    fewer) and marks it (30 or fewer).
    """
    if isnan(n_sales):
        return None
    return "thin" if n_sales <= _THIN else "caution" if n_sales <= _CAUTION else "ok"
