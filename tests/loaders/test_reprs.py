"""Text and HTML reprs: clients, cards, the ledger and provenance."""

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.messages import html_card, text_card
from tests.support.common import LIVE_KEY
from tests.support.recorded import body_of

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


def test_a_client_that_was_never_made_shows_all_the_same():
    """A client whose constructor failed still has a repr, for example in a debugger."""
    broken = sp.Client.__new__(sp.Client)
    assert repr(broken) == "Client\n  settings  none: they could not be used"


def test_a_card_escapes_all_that_it_is_given():
    """An HTML card escapes title, labels and values. A text card aligns the values in a column."""
    lines = [(EVIL, "1"), ("b", EVIL)]
    assert "<b>" not in html_card(EVIL, lines)
    assert text_card("Title", lines) == f"Title\n  {EVIL}  1\n  b                  {EVIL}"


@pytest.mark.usefixtures("live")
def test_ledger_and_provenance_are_frames_whose_tables_escape_names(service):
    """The ledger and a provenance are DataFrames, and their HTML escapes markup in names."""
    with pytest.raises(sp.errors.UnknownSuburb):
        sp.rent(EVIL)
    ledger = sp.ledger()
    assert isinstance(ledger, pd.DataFrame)
    assert ledger["area_name"].to_list() == [EVIL]
    frame = sp.rent(["Quokka Bay"])
    provenance = sp.provenance(frame)
    assert isinstance(provenance, pd.DataFrame)
    assert type(frame) is pd.DataFrame
    for table in (ledger, provenance.rename(index={"Quokka Bay": EVIL})):
        assert "<b>" not in table._repr_html_()
        assert "Bay &lt;b&gt;" in table._repr_html_()
        assert EVIL in table.to_string()
    assert LIVE_KEY not in repr(ledger) + ledger._repr_html_()


def test_the_time_of_a_vintage_selects_it(live, service):
    """The time of a vintage, taken from the frame, selects that response in `retrieved_by`."""
    first = sp.rent("Quokka Bay")
    service.answer("Quokka Bay", "rent", body=body_of("Quokka Bay", 501.0))
    with pytest.warns(sp.errors.DataWarning, match="revised"):
        sp.rent("Quokka Bay", refresh=True)
    vintages = sp.vintages("Quokka Bay")
    assert vintages["retrieved_at"].dtype == sp.ledger()["at"].dtype == "datetime64[us]"
    assert vintages["sha256"].str.fullmatch("[0-9a-f]{64}").all()
    pd.testing.assert_frame_equal(sp.rent("Quokka Bay", retrieved_by=vintages["retrieved_at"].iloc[0]), first)
