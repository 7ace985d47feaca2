"""Text and HTML reprs: clients, cards, the ledger and provenance."""

import suburb_pandas as sp
from suburb_pandas.messages import html_card, text_card

EVIL = "Bay <b>& 'Co'</b>"


def test_a_client_shows_as_text_and_as_a_table(live, service):
    """A client shows its source, its limits and what it spent, and whether it was closed."""
    sp.rent("Quokka Bay")
    lines = [
        "Client",
        f"  source  live, {service.url}",
        "  limits  at most 2000 cents a request, 5000 a month",
        "  ledger  spent 30 cents this session, 30 this month",
    ]
    assert repr(live).splitlines() == lines
    assert all(line.split("  ")[-1] in live._repr_html_() for line in lines)
    live.close()
    assert "  closed  make another: client = sp.connect()" in repr(live).splitlines()
    assert "make another: client = sp.connect()" in live._repr_html_()


def test_a_card_escapes_all_that_it_is_given():
    """An HTML card escapes title, labels and values. A text card aligns the values in a column."""
    lines = [(EVIL, "1"), ("b", EVIL)]
    assert "<b>" not in html_card(EVIL, lines)
    assert text_card("Title", lines) == f"Title\n  {EVIL}  1\n  b                  {EVIL}"
