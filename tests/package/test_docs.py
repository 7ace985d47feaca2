"""The examples of the README and of the docstrings run, and show the output that is printed with them."""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import tomllib
from pathlib import Path

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.accessor.suburb import METHODS as METHODS_OF_THE_ACCESSOR
from suburb_pandas.accessor.suburb import SuburbAccessor
from suburb_pandas.service import ENDPOINTS, endpoints_of
from tests.support.common import plain_sqlite

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", README, re.DOTALL)
PACKAGE = Path(sp.__file__).parent
MODULES = [module.name for module in pkgutil.walk_packages(sp.__path__, "suburb_pandas.")]


def shown_by(block, names):
    """Run a block as a notebook runs a cell, and return its output and the repr of its last expression."""
    *before, last = ast.parse(block).body
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(ast.Module(before, []), "README", "exec"), names)  # noqa: S102 - our own README
        value = eval(compile(ast.Expression(last.value), "README", "eval"), names)  # noqa: S307 - as above
    return output.getvalue() + ("" if value is None else repr(value))


def test_the_readme_runs_from_top_to_bottom(embedded, tmp_path, monkeypatch):
    """Each Python block of the README runs, and gives the output that the README shows."""
    monkeypatch.chdir(tmp_path)
    names = {}
    assert len(BLOCKS) >= 3
    for block, expected in BLOCKS:
        shown = shown_by(block, names)
        if expected:
            assert [line.rstrip() for line in shown.splitlines()] == [line.rstrip() for line in expected.splitlines()]


def test_the_queries_of_the_readme_run_on_a_store(live):
    """The SQL queries of the README return the same numbers as the frames."""
    names = ["Quokka Bay", "Bilby Heights"]
    summary = sp.impact_summary(names)
    sales, months = re.findall(r'sqlite3 store\.sqlite "(.+)"', README)
    with plain_sqlite(live.store.path) as plain:
        assert dict(plain.execute(sales)) == summary["n_sales"].astype(int).to_dict()
        assert [row[1:] for row in plain.execute(months)] == [("billed", 2, 20)]


def test_the_readme_shows_code_without_a_key_by_line_20():
    """The README shows the main line of code, without a key, in its first 20 lines."""
    assert "df.suburb.rent()" in "\n".join(README.splitlines()[:20]).partition("```python")[2]


@pytest.mark.parametrize("module", ["suburb_pandas", *MODULES])
def test_docstring_examples_run(embedded, module):
    """Docstring examples run in a session that has imported pandas as `pd` and the package as `sp`."""
    finder = doctest.DocTestFinder()
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    report = io.StringIO()
    loaded = importlib.import_module(module)
    for example in finder.find(loaded, extraglobs={"pd": pd, "sp": sp}):
        runner.run(example, out=report.write)
    assert not runner.failures, report.getvalue()


PUBLIC = {name: getattr(sp, name) for name in sp.__all__} | {name: getattr(sp.errors, name) for name in dir(sp.errors)}


@pytest.mark.parametrize("name", [name for name, shown in PUBLIC.items() if callable(shown)])
def test_everything_public_is_documented(name):
    """Each public name has a docstring; each function says what it returns and shows an example."""
    shown = PUBLIC[name]
    assert shown.__doc__
    if not isinstance(shown, type):
        assert ">>>" in shown.__doc__


METHODS = {f"df.suburb.{name}": getattr(SuburbAccessor, name) for name in METHODS_OF_THE_ACCESSOR}
DOCUMENTED = {
    **{name: shown for name, shown in PUBLIC.items() if callable(shown)},
    **METHODS,
    "df.suburb": SuburbAccessor,
    "Client.close": sp.Client.close,
    "Client.set_limits": sp.Client.set_limits,
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_everything_public_says_what_to_see_besides(name):
    """Each public docstring has a section "See Also" before its examples, and everything that it names exists."""
    docstring = inspect.getdoc(DOCUMENTED[name])
    section = re.search(r"^See Also\n-{8}\n((?:\S.* : .+\n?)+)", docstring, re.MULTILINE)
    assert section, docstring
    assert "Examples\n---" not in docstring[: section.start()]
    folders = {
        "": [sp, sp.errors, SuburbAccessor],
        "suburb_pandas": [sp],
        "Client": [sp.Client],
        "df.suburb": [SuburbAccessor],
    }
    for named in re.findall(r"^(\S+) : ", section[1], re.MULTILINE):
        where, _, last = named.rpartition(".")
        assert any(hasattr(place, last) for place in folders[where]), named


def test_the_readme_states_the_prices_of_the_registry():
    """Each price in the README is that of an endpoint, or of the endpoints that a scorecard needs."""
    scorecard = sum(ENDPOINTS[endpoint].cents for endpoint in endpoints_of("scorecard"))
    assert f"({scorecard} cents a suburb that is not stored)" in README
    assert f"the service's candidates, {ENDPOINTS['geocode'].cents} cent, once" in README
    assert f"for {ENDPOINTS['geocode'].cents} cent, under the same quote" in README
    rent, impacts, geocode = (ENDPOINTS[name].cents for name in ("rent", "impacts", "geocode"))
    assert f"| {rent} for a rent history, {impacts} for impacts, {geocode} for a look-up |" in README


def test_the_contributing_page_names_files_that_exist():
    """Each file and folder that the page for contributors names is there: in the project or in the package."""
    named = {
        name for name in re.findall(r"`([\w./]+(?:/|\.\w+))`", CONTRIBUTING) if "/" in name or name.endswith(".py")
    }
    named -= {"cassettes/live_sandbox.yaml"}  # recorded only by those who may call the real service
    assert len(named) > 40
    assert sorted(name for name in named if not any((folder / name).exists() for folder in (ROOT, PACKAGE))) == []


def test_the_contributing_page_has_a_row_for_each_part_of_the_package():
    """The map for contributors has each folder and file of the package, in the order of the import layers."""
    parts = {part.name for part in PACKAGE.iterdir() if (part / "__init__.py").exists()}
    parts = {f"{part}/" for part in parts} | {part.name for part in PACKAGE.glob("*.py")}
    rows = re.findall(
        r"^\| (`.+?) \|", CONTRIBUTING.partition("| folder or file |")[2].partition("\n\n")[0], re.MULTILINE
    )
    mapped = [set(re.findall(r"`([\w./]+)`", row)) for row in rows]
    assert set().union(*mapped) == parts
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [set(layer.split(" | ")) for layer in contracts[0]["layers"]]
    known = [{re.sub(r"/|\.py", "", part) for part in row} - {"__init__"} for row in mapped]
    assert known == layers
