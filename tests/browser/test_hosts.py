"""Notebook 7 and Voila: their own requests, and cells that fail. The picker in them is tested with its looks."""

import pytest

from tests.browser.visit import expect

PLAIN = """
    import anywidget

    class Greeting(anywidget.AnyWidget):
        _esm = "export default { render({ el }) { el.textContent = 'Good morning' } }"

    Greeting()
"""


@pytest.mark.long
def test_requests_that_do_not_count_are_the_host_s_own(visit, host):
    """A page without a picker makes each of the requests to other servers that are not held against the picker."""
    opened = visit.open(PLAIN, host=host)
    expect(opened.page.get_by_text("Good morning", exact=True)).to_be_visible()
    made = [next((own for own in host.requests if url.startswith(own)), url) for url in visit.outside]
    assert sorted(made) == sorted(host.requests)


@pytest.mark.long
def test_a_failing_cell_fails_the_test_in_each_host(visit, host):
    """If a cell raises an error, no host's notebook passes as one that has run."""
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        visit.open("1 / 0", host=host)
