"""The pages, the workflows, the pins and the changelog agree with one another."""

import re
import tomllib
from datetime import date
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import suburb_pandas as sp

ROOT = Path(__file__).parents[2]
PAGES = [
    *ROOT.glob("*.md"),
    *ROOT.glob(".github/*.md"),
    *ROOT.glob("[nt]*/**/README.md"),
    *ROOT.glob("notebooks/*.ipynb"),
]
WORKFLOWS = sorted(ROOT.glob(".github/workflows/*.yml"))
FORMS = sorted(ROOT.glob(".github/ISSUE_TEMPLATE/[0-9]*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def text_of(path):
    """Return the text of a page or a notebook, with the quotes of JSON as they are read."""
    return path.read_text(encoding="utf-8").replace('\\"', '"')


def test_no_command_replaces_an_editable_install_by_a_copy():
    """Every command of a page or a workflow that installs this project makes an editable install, in any order."""
    texts = "\n".join(map(text_of, [*PAGES, *WORKFLOWS]))
    installs = re.findall(r"pip install [^&#`\n]*", texts)
    of_the_project = [line for line in installs if re.search(r" \"?\.(\[| |$)", line)]
    assert len(of_the_project) > 10
    assert [line for line in of_the_project if not re.search(r"-e \"?\.(\[| |$)", line)] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_the_commands_that_the_pages_name(workflow):
    """A contributor can run each command of a workflow from a page."""
    commands = re.findall(r"^ +- run: (.+)$", workflow.read_text(encoding="utf-8"), re.MULTILINE)
    pages = "\n".join(text_of(ROOT / page) for page in ("README.md", ".github/CONTRIBUTING.md"))
    assert commands
    assert [command for command in commands if command not in pages] == []


def test_the_tools_are_pinned_to_releases_that_the_project_allows():
    """Each pin is within the bounds of the extra "test", and ruff has the same one in the hooks of pre-commit."""
    lines = (ROOT / ".ci/constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    allowed = {wanted.name: wanted.specifier for wanted in map(Requirement, PROJECT["optional-dependencies"]["test"])}
    assert {"ruff", "mypy", "pandas-stubs", "hypothesis", "pytest"} <= pins.keys() <= allowed.keys()
    assert all(pin in allowed[name] for name, pin in pins.items())
    (hooks,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert hooks["rev"] == f"v{pins['ruff']}"


def test_the_changelog_begins_with_this_version():
    """Its releases are in order of date, the newest first, and have only the headings of Keep a Changelog."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = re.findall(r"^## \[(\d+\.\d+\.\d+)\] - (.+)$", text, re.MULTILINE)
    assert releases[0][0] == PROJECT["version"] == version("suburb_pandas")
    assert all(date.fromisoformat(newer) >= date.fromisoformat(older) for (_, newer), (_, older) in pairwise(releases))
    headings = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.+)$", text, re.MULTILINE)) <= headings


@pytest.mark.parametrize("form", FORMS, ids=lambda path: path.stem)
def test_issue_forms_ask_for_functions_that_exist(form):
    """A form warns against pasting the key, and what it asks for can be run."""
    fields = yaml.safe_load(form.read_text(encoding="utf-8"))["body"]
    assert "Never paste your key" in fields[0]["attributes"]["value"]
    named = set(re.findall(r"\bsp\.(\w+)", str(fields)))
    assert "cite" in named
    assert named <= set(sp.__all__)
