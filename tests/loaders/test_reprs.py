"""Text and HTML reprs: clients, cards, the ledger and provenance."""

import re

import pandas as pd
import pytest

import suburb_pandas as sp
from suburb_pandas.messages import html_card, text_card
from tests.support.common import LIVE_KEY
from tests.support.recorded import body_of, call, written

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


@pytest.fixture
def tables(live):
    """Return the frames about calls and responses, by the function that returns them."""
    rents = sp.rent(["Quokka Bay", "Lantern Bay (NSW)"])
    sp.rent("Quokka Bay", refresh=True)
    return {
        "ledger": sp.ledger(),
        "provenance": sp.provenance(rents),
        "vintages": sp.vintages("Quokka Bay"),
        "load_gazetteer": sp.load_gazetteer(pd.DataFrame({"SAL_NAME_2021": ["Quokka Bay"]}), complete=False),
    }


@pytest.mark.parametrize("function", ["ledger", "provenance", "vintages", "load_gazetteer"])
@pytest.mark.parametrize("columns", [20, 0], ids=["notebook", "terminal"])
def test_tables_of_calls_and_responses_fit_a_page(tables, function, columns):
    """Times have no fraction, digests 12 digits, and request ids are whole. No column is left out at 80 letters."""
    frame = tables[function]
    with pd.option_context("display.max_columns", columns, "display.width", 80, "display.max_colwidth", 50):
        text, html = repr(frame), frame._repr_html_()
        assert max(map(len, text.splitlines())) <= 80
    requests = frame["request_id"].to_list() if "request_id" in frame else []
    for shown in (text, html):
        assert all(whole in shown for whole in [*frame.columns, *requests])
        rest = re.sub("|".join(requests) or "-", "", shown)
        assert not re.search(r":\d\d\.|[0-9a-f]{13}", rest)
    assert "<th>...</th>" not in html


def test_a_shown_time_is_short_and_its_value_exact(live, service):
    """The time of a vintage, taken from the frame, selects that response in `retrieved_by`, whatever is shown."""
    first = sp.rent("Quokka Bay")
    service.answer("Quokka Bay", "rent", body=body_of("Quokka Bay", 501.0))
    with pytest.warns(sp.errors.DataWarning, match="revised"):
        sp.rent("Quokka Bay", refresh=True)
    vintages = sp.vintages("Quokka Bay")
    assert vintages["retrieved_at"].dtype == sp.ledger()["at"].dtype == "datetime64[us]"
    assert vintages["sha256"].str.fullmatch("[0-9a-f]{64}").all()
    repr(vintages)
    pd.testing.assert_frame_equal(sp.rent("Quokka Bay", retrieved_by=vintages["retrieved_at"].iloc[0]), first)


def test_revisions_are_shown_with_times_to_the_second(tmp_path):
    """The times between which a value was revised are shown without microseconds, which the values have."""
    calls = [call(value=500.0), call(value=505.5, at="2026-02-01T10:20:30.000001+00:00")]
    (tmp_path / "revised.yaml").write_bytes(written(*calls))
    with sp.cassette(tmp_path / "revised.yaml"):
        revised = sp.revisions("Quokka Bay")
    assert revised["last_retrieved_at"].to_list() == [pd.Timestamp("2026-02-01T10:20:30.000001")]
    for shown in (repr(revised), revised._repr_html_()):
        assert "2026-02-01 10:20:30" in re.sub("<[^>]*>", "", shown)
        assert ":30." not in shown
