from urllib.parse import quote, quote_plus

from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.sandbox import routes


def read(target, **headers):
    return routes.read({"REQUEST_METHOD": "GET", "REQUEST_URI": target, **headers})


@given(st.text(min_size=1))
def test_any_name_comes_through_its_encoding(name):
    """Any text survives percent-encoding as a name, even with slashes, question marks and plus signs."""
    request = read(f"/v1/suburbs/{quote(name, safe='')}/market/median-rent-series")
    assert (request.endpoint, request.name) == ("rent", name)


@given(st.text(min_size=1), st.sampled_from(["NSW", "vic"]))
def test_any_query_comes_through_its_encoding(query, state):
    """Any text survives encoding as a geocode query, and the state is read beside it."""
    request = read(f"/v1/geocode/suburb?q={quote_plus(query)}&state={state}")
    assert (request.endpoint, request.name, request.state) == ("geocode", query, state)


@given(st.text())
def test_any_target_is_read_without_harm(text):
    """Any target is read as an endpoint or as none, without an error."""
    assert read(f"/{text}").endpoint in {"", "rent", "impacts", "geocode"}


def test_the_key_is_that_of_the_bearer_header():
    """The key is read from a bearer header, whose scheme may be in upper or lower case."""
    assert read("/", HTTP_AUTHORIZATION="bearer  abc ").key == "abc"
    assert read("/", HTTP_AUTHORIZATION="Basic abc").key is None
    assert read("/", HTTP_AUTHORIZATION="Bearer ").key is None
    assert read("/").key is None
