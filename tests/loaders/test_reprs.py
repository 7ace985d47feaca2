"""Text and HTML reprs: clients, and the cards that all reprs are made of."""

import suburb_pandas as sp
from suburb_pandas.messages import html_card, text_card
from tests.support.common import LIVE_KEY

EVIL = "Bay <b>& 'Co'</b>"


def test_a_client_shows_as_text_and_as_a_table(service, tmp_path):
    """A client shows its source, its limits and what it spent, and whether it was closed. It creates no store."""
    path = tmp_path / "s"
    with sp.Client(api_key=LIVE_KEY, base_url=service.url, store=path) as client:
        assert "spent 0 cents this session, 0 this month" in repr(client)
        assert not path.exists()
        sp.rent("Quokka Bay", client=client)
        lines = [
            "Client",
            f"  source  live, {service.url}",
            "  limits  at most 2000 cents a request, 5000 a month",
            "  ledger  spent 30 cents this session, 30 this month",
        ]
        assert repr(client).splitlines() == lines
        assert all(line.split("  ")[-1] in client._repr_html_() for line in lines)
    path.write_bytes(b"")
    assert "this month" not in repr(client)
    assert "  closed  make another: client = sp.connect()" in repr(client).splitlines()


def test_a_card_escapes_all_that_it_is_given():
    """An HTML card escapes title, labels and values. A text card aligns the values in a column."""
    lines = [(EVIL, "1"), ("b", EVIL)]
    assert "<b>" not in html_card(EVIL, lines)
    assert text_card("Title", lines) == f"Title\n  {EVIL}  1\n  b                  {EVIL}"
