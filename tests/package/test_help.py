"""The first page of `help(sp)`: the functions that a newcomer needs."""

import inspect
import pydoc
import re
import warnings

import suburb_pandas as sp


def test_the_first_page_of_help_fits_a_terminal_and_lists_ten_functions():
    """The page fits 80 columns and 40 lines. It says that suburbs are made up without a key, and where the rest is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # ipywidgets', about attributes that pydoc reads
        page = pydoc.plain(pydoc.render_doc(sp)).partition("PACKAGE CONTENTS")[0]
    assert max(map(len, page.splitlines())) <= 80
    assert len(page.splitlines()) <= 40
    functions = set(re.findall(r"^    sp\.(\w+) +[A-Z].+\.$", page, re.MULTILINE))
    assert len(functions) == 10
    assert all(inspect.isfunction(getattr(sp, name)) for name in functions)
    text = " ".join(page.split())
    assert "Without a key, all suburbs are made up." in text
    assert 'sp.connect(api_key="test")' in text
    assert {*dir(sp)} == {*sp.__all__, "__version__"}
