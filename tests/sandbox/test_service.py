"""How the sandbox reads a request. What it answers is in results.txt."""

from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.sandbox.service import read


@given(st.text(min_size=1), st.sampled_from(["NSW", "vic"]))
def test_any_text_comes_through_its_encoding(text, state):
    """Any text survives encoding as a name or a query, even with slashes, question marks and plus signs."""
    targets = (
        f"suburbs/{quote(text, safe='')}/market/median-rent-series",
        f"geocode/suburb?q={quote_plus(text)}&state={state}",
    )
    data, look_up = (read({"REQUEST_METHOD": "GET", "REQUEST_URI": f"/v1/{target}"}) for target in targets)
    assert (data.endpoint, data.name) == ("rent", text)
    assert (look_up.endpoint, look_up.name, look_up.state) == ("geocode", text, state)
