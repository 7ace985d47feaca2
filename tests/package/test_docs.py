"""The examples of the README and of the docstrings run, and show the output that is printed with them."""

import ast
import contextlib
import doctest
import importlib
import inspect
import io
import pkgutil
import re
import textwrap
import warnings
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.axes import Axes

import suburb_pandas as sp
from suburb_pandas.accessor.suburb import METHODS as METHODS_OF_THE_ACCESSOR
from suburb_pandas.accessor.suburb import SuburbAccessor
from suburb_pandas.service import ENDPOINTS
from tests.support.function_table import functions, with_table

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted(ROOT.glob(".github/*.md")), *sorted(ROOT.glob("[nt]*/**/README.md"))]
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", README, re.DOTALL)
PACKAGE = Path(sp.__file__).parent
MODULES = [module.name for module in pkgutil.walk_packages(sp.__path__, "suburb_pandas.")]


def shown_by(block, names):
    """Run a block as a notebook runs a cell; return its warnings, its output and the repr of its last expression."""
    *before, last = ast.parse(block).body
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        exec(compile(ast.Module(before, []), "README", "exec"), names)  # noqa: S102 - our own README
        value = eval(compile(ast.Expression(last.value), "README", "eval"), names)  # noqa: S307 - as above
    warned = "".join(f"{textwrap.fill(f'{one.category.__name__}: {one.message}', 100)}\n" for one in raised)
    return warned + output.getvalue() + ("" if value is None or isinstance(value, Axes) else repr(value))


def test_the_readme_runs_from_top_to_bottom(tmp_path, monkeypatch):
    """Each Python block of the README runs without a key, and gives just the warnings and the output that it shows."""
    monkeypatch.chdir(tmp_path)
    names = {}
    assert len(BLOCKS) >= 3
    for block, expected in BLOCKS:
        shown = shown_by(block, names)
        assert [line.rstrip() for line in shown.splitlines()] == [line.rstrip() for line in expected.splitlines()]


def test_the_results_in_the_readme_are_those_of_both_methods(embedded):
    """In the table of time, the usual method and that of this package give the results that are printed beside them.

    A row without a date counts the rents. Growth is in per cent, and levels of a council are compared with the quarter
    before.
    """
    rents = sp.rent("Quokka Bay")
    council = sp.rent(sp.places(lga="Ironbark Ranges").index, freq="QE")
    names = {"sp": sp, "rents": rents, "house": rents["house"], "council": council}
    rows = re.findall(r"^\| (.+) \| `(.+)` \| (.+) \| `(.+)` \| (.+) \|$", README, re.MULTILINE)
    assert len(rows) == 5
    for wanted, *results in rows:
        date = re.search(r"to (\S+)$", wanted)
        for code, shown in zip(results[::2], results[1::2], strict=True):
            result = eval(code, names)  # noqa: S307 - our own README
            house = result["house"] if isinstance(result, pd.DataFrame) else result
            if "council" in code:
                house = house.pct_change(fill_method=None)
            value = house[date[1]] * (100 if "%" in shown else 1) if date else house.count()
            assert float(re.match(r"-?[\d.]+", shown)[0]) == pytest.approx(value, abs=0.05), code


def test_the_readme_lists_every_public_function():
    """The README has a line for each public function, made from its docstring, and none is left out."""
    assert with_table(README) == README
    listed = {name for names in functions().values() for name in names}
    assert {*sp.__all__} - listed == {"errors", "Quote", "SuburbError", "SuburbWarning"}


def test_the_readme_is_short_and_begins_with_code():
    """The README has at most 12 kB, and shows the main line of code, without a key, in its first 20 lines."""
    assert len(README.encode()) <= 12_000
    assert "df.suburb.rent()" in "\n".join(README.splitlines()[:20]).partition("```python")[2]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    """Each relative link and picture of a page leads to a file of the project."""
    text = page.read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)|^\[[^]]+\]: (\S+)|src=\"([^\"]+)\"", text, re.MULTILINE)
    relative = {target for found in targets for target in found if target and "://" not in target}
    assert sorted(target for target in relative if not (page.parent / target).exists()) == []


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


DOCUMENTED = {
    **{name: shown for name, shown in PUBLIC.items() if callable(shown)},
    **{f"df.suburb.{name}": getattr(SuburbAccessor, name) for name in METHODS_OF_THE_ACCESSOR},
    "Client.close": sp.Client.close,
    "Client.set_limits": sp.Client.set_limits,
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_everything_public_says_what_to_see_besides(name):
    """Each public docstring has a section "See Also", whose names exist. Functions show an example."""
    assert isinstance(DOCUMENTED[name], type) or name.startswith("Client") or ">>>" in DOCUMENTED[name].__doc__
    section = re.search(r"^See Also\n-{8}\n((?:\S.* : .+\n?)+)", inspect.getdoc(DOCUMENTED[name]), re.MULTILINE)
    for named in re.findall(r"^(\S+) : ", section[1], re.MULTILINE):
        last = named.rpartition(".")[2]
        assert any(hasattr(place, last) for place in (sp, sp.errors, sp.Client, SuburbAccessor)), named


def test_the_readme_states_the_prices_of_the_registry():
    """Each price in the README is that of its endpoint."""
    rent, impacts, geocode = (ENDPOINTS[name].cents for name in ("rent", "impacts", "geocode"))
    assert f"charges {rent} cents for the rent history of a suburb and {impacts} cents\nfor its impacts" in README
    assert f"| {rent} for a rent history, {impacts} for impacts, {geocode} for a look-up of a name |" in README


def test_the_contributing_page_names_files_that_exist():
    """Each file and folder that the page for contributors names is there: in the project or in the package."""
    named = {
        name for name in re.findall(r"`([\w./]+(?:/|\.\w+))`", CONTRIBUTING) if "/" in name or name.endswith(".py")
    }
    named -= {"cassettes/live_sandbox.yaml"}  # recorded only by those who may call the real service
    assert len(named) > 40
    assert sorted(name for name in named if not any((folder / name).exists() for folder in (ROOT, PACKAGE))) == []


def test_the_contributing_page_names_code_that_exists():
    """Each name that the page for contributors places in a file is a word of that file."""
    text = " ".join(CONTRIBUTING.split())
    placed = re.findall(r"((?:`[\w.]+`(?:, | and )?)+) in `([\w/]+\.py)`", text)
    assert len(placed) > 20
    for names, file in placed:
        code = next(path for folder in (ROOT, PACKAGE) if (path := folder / file).exists()).read_text(encoding="utf-8")
        for name in re.findall(r"`(?:\w+\.)?(\w+)`", names):
            assert re.search(rf"\b{name}\b", code), f"{name} in {file}"


def test_the_contributing_page_has_a_row_for_each_part_of_the_package():
    """The map for contributors has each folder and file of the package."""
    parts = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    table = CONTRIBUTING.partition("| folder or file |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.+?) \|", table, re.MULTILINE)
    assert set(re.findall(r"`([\w./]+)`", " ".join(rows))) == parts | {path.name for path in PACKAGE.glob("*.py")}
