"""Makes bodies of impacts responses."""

import json


def driver(label, coverage, dollars, per_cent):
    """Return a driver as the service sends it."""
    figures = {"coverage_pct": coverage, "premium_dollars": dollars, "pct_of_median": per_cent}
    return {"label": label, **figures, "detail": "Made-up data."}


def impacts_body(name, drivers=(), **fields):
    """Return the body of an impacts response with these drivers."""
    totals = {"n_sales": 50, "median_price": 1_000_000, "total_premium": 50_000} | fields
    data = {"area_name": name, "area_level": "suburb", **totals, "drivers": list(drivers)}
    return json.dumps({"data": data}).encode()
