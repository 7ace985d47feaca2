"""The first page of `help(sp)`: the functions that a newcomer needs."""

import inspect
import pydoc
import re
import warnings

import pytest

import suburb_pandas as sp


@pytest.fixture(scope="module")
def page():
    """Return the help of the package as a terminal shows it, up to the list of its modules."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ipywidgets', about attributes that pydoc reads
        whole = pydoc.plain(pydoc.render_doc(sp))
    return "\n".join(map(str.rstrip, whole.partition("PACKAGE CONTENTS")[0].splitlines()))


def test_help_begins_with_ten_public_functions(page):
    """Before any other line of the package's help come ten functions, a line each."""
    _, _, beginning = page.partition("The ten functions to know")
    lines = beginning.split("\n\n")[1].splitlines()
    functions = [re.fullmatch(r"    sp\.(\w+) +[A-Z].+\.", line)[1] for line in lines]
    assert len(set(functions)) == 10
    assert all(inspect.isfunction(getattr(sp, name)) for name in functions)


def test_the_first_page_of_help_fits_a_terminal_and_says_what_is_made_up(page):
    """The page fits 80 columns and 40 lines. It says that suburbs are made up without a key, and where the rest is."""
    assert max(map(len, page.splitlines())) <= 80
    assert len(page.splitlines()) <= 40
    text = " ".join(page.split())
    assert "Without a key, all suburbs are made up." in text
    assert 'sp.connect(api_key="test")' in text
    assert "dir(sp)" in text
    assert {name for name in dir(sp) if name != "__version__"} == set(sp.__all__)
