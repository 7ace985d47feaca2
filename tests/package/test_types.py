"""Type checkers infer the results of the lookups in a user's file, and find mistyped options before a run.

`df.suburb` is set on `DataFrame` at run time. The stubs of pandas take any unknown name for a column, so checkers see
`df.suburb` as Any and find no mistakes there. The functions of the package are checked in full.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pandas as pd
import pytest

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent
ROOT = PACKAGE.parent

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
    "rents": "DataFrame",
    'sp.rent("Quokka Bay")': "DataFrame",
    'sp.rent(["Quokka Bay"], layout="wide")': "DataFrame",
    'sp.rent(df["suburb"], freq="ME", how="mean", max_age="30D", client=client)': "DataFrame",
    "sp.rent(df.suburb)": "DataFrame",
    'sp.rent(df["suburb"].unique())': "DataFrame",
    'sp.rent(df.set_index("suburb").index)': "DataFrame",
    'sp.impacts("Quokka Bay", max_cents=40)': "DataFrame",
    'sp.impact_summary(["Quokka Bay"])': "DataFrame",
    'sp.scorecard(df["suburb"], at="2026-01-31")': "DataFrame",
    'sp.quote(df["suburb"], ["rent", "impacts"])': "Quote",
    'sp.quote("Quokka Bay").cents': "int",
    'sp.quote("Quokka Bay").line': "str",
    "sp.ledger()": "DataFrame",
    'sp.vintages("Quokka Bay")': "DataFrame",
    "sp.provenance(rents)": "DataFrame",
    "sp.cite(rents)": "str",
    "sp.cite()": "str",
    'sp.find("quokka")': "DataFrame",
    'sp.suggest("quokka")': "DataFrame",
    'sp.resolve(df["suburb"], state="WA", errors="warn")': "Series[str]",
    'sp.places(df["suburb"])': "DataFrame",
    'sp.load_gazetteer("names.txt")': "DataFrame",
    'sp.resample(rents, "QE", how="mean")': "DataFrame",
    "sp.cadence(rents)": "DataFrame",
    "sp.quality(rents)": "DataFrame",
    'sp.growth(rents, "5Y", annualise=True)': "DataFrame",
    'sp.rent_index(rents, by="sa4", weights={"Woylie": 2}, base="2025-12-31")': "DataFrame",
    "sp.plot_rent(rents)": "Axes",
    "sp.plot_impacts(drivers)": "Axes",
    'sp.plot_map(drivers["premium_dollars"], "SAL_2021.gpkg", column="premium_dollars")': "Axes",
    'sp.plot_scorecard(sp.scorecard("Woylie"))': "Axes",
    "sp.connect(budget_cents=100)": "Client",
    "client": "Client",
    "tape": "Cassette",
    'sp.SuburbPicker("Quokka Bay")': "SuburbPicker",
    'sp.SuburbPicker("Quokka Bay").value': "tuple[str, ...]",
    'sp.SuburbPicker("Quokka Bay").frame': "DataFrame | None",
    'sp.SuburbPicker("Quokka Bay").code': "str",
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
    'sp.impact_summary("Quokka Bay", errors="ignore")',
    'sp.scorecard("Quokka Bay", layout="wide")',
    'sp.quote("Quokka Bay", max_cents=3)',
    'sp.resolve("Quokka Bay", layout="wide")',
    'sp.resample(rents, "ME", fil=1)',
    'sp.growth(rents, "1Y", smoth=1)',
    'sp.rent_index(rents, weight={"Woylie": 2})',
    'sp.connect(api_kye="test")',
    'sp.set_limits(max_cents="60")',
    'sp.Client(api_kye="test")',
    'sp.cassette("tape.yaml", record="never")',
    'sp.SuburbPicker(suburb="Quokka Bay")',
    'sp.rents("Quokka Bay")',
    "sp.plot_map(rents)",
    "sp.cite(None)",
]
"""Mistakes that a user might make: a checker reports an error for each line."""

LINES = [*BEGINNING.splitlines(), *(f"reveal_type({one})" for one in TYPES), *MISTAKES]


@pytest.fixture(scope="module")
def user(tmp_path_factory):
    """Write the user's file in a folder of its own, and return its path."""
    # A name of its own: mypy's cache would show the errors of an earlier run's file of the same name.
    path = tmp_path_factory.mktemp("types") / f"user_{uuid4().hex}.py"
    path.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return path


CHECKER_TIMEOUT = 330  # seconds; without a cache, a checker reads the stubs of pandas
WAIT = CHECKER_TIMEOUT - 30


def checked(program, *arguments, folder):
    """Run a type checker, which must find errors, and return its output."""
    command = [sys.executable, "-m", program, *map(str, arguments)]
    environment = {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT,
        cwd=folder,
        env={**os.environ, **environment},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def without_modules(kind):
    """Return a type without module names, as pyright prints it and mypy does not."""
    return re.sub(r"(\w+\.)+(?=\w)", "", kind)


def check(revealed, wrong):
    """Assert that a checker revealed the expected types, and reported errors for exactly the mistakes."""
    code = dict(enumerate(LINES, 1))
    assert {code[line]: kind for line, kind in revealed} == {f"reveal_type({one})": TYPES[one] for one in TYPES}
    assert [code[line] for line in sorted(set(wrong))] == MISTAKES


@pytest.mark.timeout(CHECKER_TIMEOUT)
def test_mypy_knows_what_the_lookups_give_and_finds_mistyped_options(user):
    """Strict mypy infers the type of each call in a user's file, reports the mistakes in it, and none in the package.

    On the newest pandas the package is checked in the same run, with the project's own settings.
    """
    options = [] if NEWEST else ["--strict", "--config-file=", "--follow-imports=silent"]
    checked_files = [user, PACKAGE] if NEWEST else [user]
    output = checked("mypy", *options, *checked_files, folder=ROOT)
    errors = re.findall(r"^(.+):(\d+): error: (.+)$", output, re.MULTILINE)
    assert [error for error in errors if error[0] != str(user)] == []
    n_files = 1 + len([*PACKAGE.rglob("*.py")]) if NEWEST else 1
    assert f"(checked {n_files} source file" in output
    found = re.findall(rf'^{re.escape(str(user))}:(\d+): note: Revealed type is "(.+)"$', output, re.MULTILINE)
    check([(int(line), without_modules(kind)) for line, kind in found], [int(line) for _, line, _ in errors])


@pytest.mark.timeout(CHECKER_TIMEOUT)
@pytest.mark.parametrize("mode", ["basic", "strict"])
def test_pyright_knows_what_the_lookups_give_and_finds_mistyped_options(user, mode):
    """For a user's file, pyright infers the type of each call and reports the mistakes, and no other error."""
    pytest.importorskip("pyright", reason="pyright is not among the test dependencies: it brings node")
    config = user.with_name(f"{mode}.json")
    config.write_text(json.dumps({"include": [user.name], "typeCheckingMode": mode, "extraPaths": [str(ROOT)]}))
    arguments = ["--outputjson", "--pythonpath", sys.executable, "-p", config]
    diagnostics = json.loads(checked("pyright", *arguments, folder=user.parent))["generalDiagnostics"]
    lines = {kind: [one for one in diagnostics if one["severity"] == kind] for kind in ("information", "error")}
    revealed = [
        (one["range"]["start"]["line"] + 1, re.search(r'is "([^"]+)"$', one["message"])[1])
        for one in lines["information"]
    ]
    check(revealed, [one["range"]["start"]["line"] + 1 for one in lines["error"]])


def test_the_package_says_that_it_is_typed():
    """The marker `py.typed` is in the package, so that checkers read its types."""
    assert (Path(sp.__file__).parent / "py.typed").is_file()
