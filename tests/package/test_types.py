"""Type checkers infer the results of the lookups in a user's file, and find mistyped options before a run.

`df.suburb` is set on `DataFrame` at run time. The stubs of pandas take any unknown name for a column, so checkers see
`df.suburb` as Any and find no mistakes there. The functions of the package are checked in full.
"""

import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent

NEWEST = int(pd.__version__.split(".")[0]) >= 3
"""True if the package can be checked: the types of older versions of pandas and numpy are wrong in places."""

BEGINNING = """\
import pandas as pd

import suburb_pandas as sp

df = pd.DataFrame({"suburb": ["Quokka Bay"]})
rents: pd.DataFrame = df.suburb.rent(freq="ME", how="mean")
drivers: pd.DataFrame = df.suburb.impacts()
error = sp.errors.BatchIncomplete("")
with sp.Client(api_key="embedded") as client, sp.cassette("tape.yaml", record="once") as tape:
    pass
"""

TYPES = {
    "df.suburb.rent()": "Any",
    'sp.rent("Quokka Bay")': "DataFrame",
    'sp.rent(df["suburb"], freq="ME", how="mean", max_age="30D", client=client)': "DataFrame",
    'sp.impacts("Quokka Bay", max_cents=40)': "DataFrame",
    'sp.impact_summary(["Quokka Bay"])': "DataFrame",
    'sp.scorecard(df["suburb"], at="2026-01-31")': "DataFrame",
    'sp.quote(df["suburb"], ["rent", "impacts"])': "Quote",
    "sp.ledger()": "DataFrame",
    'sp.vintages("Quokka Bay")': "DataFrame",
    "sp.provenance(rents)": "DataFrame",
    "sp.cite(rents)": "str",
    'sp.find("quokka")': "DataFrame",
    'sp.resolve(df["suburb"], state="WA", errors="warn")': "Series[str]",
    'sp.places(df["suburb"])': "DataFrame",
    'sp.load_gazetteer("names.txt")': "DataFrame",
    'sp.resample(rents, "QE", how="mean")': "DataFrame",
    'sp.growth(rents, "5Y", annualise=True)': "DataFrame",
    'sp.rent_index(rents, by="sa4", weights={"Woylie": 2}, base="2025-12-31")': "DataFrame",
    "sp.plot_rent(rents)": "Axes",
    'sp.plot_map(drivers["premium_dollars"], "SAL_2021.gpkg", column="premium_dollars")': "Axes",
    "sp.connect(budget_cents=100)": "Client",
    "tape": "Cassette",
    'sp.SuburbPicker("Quokka Bay")': "SuburbPicker",
    'sp.SuburbPicker("Quokka Bay").value': "tuple[str, ...]",
    'sp.SuburbPicker("Quokka Bay").frame': "DataFrame | None",
    "sp.__version__": "str",
    "error.failures": "Mapping[str, SuburbError]",
}
"""The type that a checker reveals for each expression."""

MISTAKES = [
    'sp.rent("Quokka Bay", frq="ME")',
    'sp.rent("Quokka Bay", how="men")',
    'sp.rent("Quokka Bay", freq=3)',
    "sp.rent(3)",
    "sp.rent(df)",
    'sp.impacts("Quokka Bay", freq="ME")',
    'sp.impacts("Quokka Bay", max_cents="40")',
    'sp.scorecard("Quokka Bay", layout="wide")',
    'sp.quote("Quokka Bay", max_cents=3)',
    'sp.resolve("Quokka Bay", layout="wide")',
    'sp.resample(rents, "ME", fil=1)',
    'sp.growth(rents, "1Y", smoth=1)',
    'sp.rent_index(rents, weight={"Woylie": 2})',
    'sp.connect(api_kye="test")',
    'sp.Client(api_kye="test")',
    'sp.cassette("tape.yaml", record="never")',
    'sp.SuburbPicker(suburb="Quokka Bay")',
    "sp.plot_map(rents)",
    "sp.cite(None)",
]
"""Mistakes that a user might make: a checker reports an error for each line."""

LINES = [*BEGINNING.splitlines(), *(f"reveal_type({one})" for one in TYPES), *MISTAKES]


CHECKER_TIMEOUT = 330  # seconds; without a cache, a checker reads the stubs of pandas


@pytest.mark.timeout(CHECKER_TIMEOUT)
def test_mypy_knows_what_the_lookups_give_and_finds_mistyped_options(tmp_path):
    """Strict mypy infers the type of each call in a user's file, reports the mistakes in it, and none in the package.

    On the newest pandas the package is checked in the same run, with the project's own settings.
    """
    # A name of its own: mypy's cache would show the errors of an earlier run's file of the same name.
    user = tmp_path / f"user_{uuid4().hex}.py"
    user.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    options = [] if NEWEST else ["--strict", "--config-file=", "--follow-imports=silent"]
    files = [str(user), *([str(PACKAGE)] if NEWEST else [])]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *files],
        capture_output=True,
        text=True,
        check=False,
        timeout=CHECKER_TIMEOUT - 30,
        cwd=PACKAGE.parent,
    )
    n_files = 1 + len([*PACKAGE.rglob("*.py")]) if NEWEST else 1
    assert f"(checked {n_files} source file" in done.stdout, done.stdout + done.stderr
    errors = re.findall(r"^(.+):(\d+): error: ", done.stdout, re.MULTILINE)
    assert {path for path, _ in errors} == {str(user)}
    assert list(dict.fromkeys(LINES[int(line) - 1] for _, line in errors)) == MISTAKES
    found = re.findall(rf'^{re.escape(str(user))}:(\d+): note: Revealed type is "(.+)"$', done.stdout, re.MULTILINE)
    revealed = {LINES[int(line) - 1]: re.sub(r"(\w+\.)+(?=\w)", "", kind) for line, kind in found}
    assert revealed == {f"reveal_type({one})": kind for one, kind in TYPES.items()}
