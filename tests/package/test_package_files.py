"""The wheel holds the whole package and nothing else; the source distribution holds what is needed to test it."""

import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent
ROOT = PACKAGE.parent


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build both distributions, and return the folder that holds them."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-d", folder], check=True, timeout=110, cwd=ROOT)
    return folder


def files_below(*folders):
    """Return the paths of the project's files in these folders, relative to its root."""
    made = {"__pycache__", ".ipynb_checkpoints"}
    found = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if not made & set(path.parts)}


@pytest.fixture
def wheel(built):
    """Open the wheel."""
    with zipfile.ZipFile(*built.glob("*.whl")) as opened:
        yield opened


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    """The type marker and the widget's script and style sheet are in the wheel; tests and notebooks are not."""
    names = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert names == files_below("suburb_pandas")
    assert {"suburb_pandas/py.typed", "suburb_pandas/notebook/picker.js"} <= names


@pytest.fixture
def metadata(wheel):
    """Read the metadata of the wheel, with the description as the payload."""
    (name,) = (name for name in wheel.namelist() if name.endswith("METADATA"))
    return message_from_string(wheel.read(name).decode())


def test_the_description_for_a_package_index_has_only_links_that_work_there(metadata):
    """It has all code of the README, but no relative link or picture, and no reference without its link."""
    code = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
    readme, description = (ROOT / "README.md").read_text(encoding="utf-8"), metadata.get_payload()
    assert code.findall(description) == code.findall(readme)
    prose = code.sub("", description)
    links = re.compile(r"\[[^\]]+\]\(https://[^)]+\)")
    assert links.search(prose)
    assert re.findall(r"[\[\]]|src=", links.sub("", prose)) == []


def test_every_message_that_says_what_to_install_names_an_extra(metadata):
    """Messages propose one form of the line to install, and only extras that the installed package has."""
    extras = set(metadata.get_all("Provides-Extra"))
    source = {path.name: path.read_text() for path in PACKAGE.rglob("*.py")}
    named = set(re.findall(r"install_line\(['\"](\w+)", "".join(source.values())))
    assert {"check", "excel", "map"} <= named <= extras
    assert [name for name, text in source.items() if "-m pip install" in text] == ["messages.py"]


def test_the_source_distribution_can_be_tested(built):
    """Tests, their helpers, cassettes, notebooks and the README's pictures are in the source distribution."""
    with tarfile.open(*built.glob("*.tar.gz")) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    wanted = files_below("suburb_pandas", "tests", "notebooks", "cassettes", ".ci", ".github")
    assert wanted | {"README.md", "CHANGELOG.md", "LICENSE", "pyproject.toml", ".pre-commit-config.yaml"} <= names
    assert {"notebooks/pictures/rents.png", "tests/support/common.py"} <= names
