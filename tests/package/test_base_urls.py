"""Tests of the canonical form of base URLs, under which responses are stored."""

from urllib.parse import quote, urlsplit

import pytest
import requests
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.settings import canonical_url, resolve
from tests.support.common import LIVE_KEY

URL = "https://example.org/a~/%C3%A9%2Fb"

LABELS = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
HOSTS = st.lists(LABELS, min_size=2, max_size=3).map(".".join)
PORTS = st.sampled_from([None, 1, 80, 443, 8000])
PLAIN_PARTS = st.text('ab~é :[]"', min_size=1, max_size=4)
PATHS = st.lists(st.text("ab~é %/:", min_size=1, max_size=4).map(lambda part: quote(part, safe="~")), max_size=3)


@pytest.mark.parametrize(
    "spelling",
    [
        "HTTPS://Example.ORG/a~/%C3%A9%2Fb",
        "https://example.org:443/a~/%C3%A9%2Fb",
        "https://example.org./a~/%C3%A9%2Fb",
        "https://example.org:/a~/%C3%A9%2Fb/",
        "https://example.org/a%7E/%C3%A9%2Fb",
        "https://example.org/%61~/%c3%a9%2fb",
        "https://example.org/a~/é%2fb",
    ],
)
def test_spellings_of_one_base_url_share_its_canonical_form(spelling):
    """Case and trailing dot of the host, a default port, a trailing slash and encodings do not make another URL."""
    assert canonical_url(spelling) == URL
    assert resolve(api_key=LIVE_KEY, base_url=spelling).base_url == URL


@pytest.mark.parametrize(
    "other",
    [
        "http://example.org/a~/%C3%A9%2Fb",
        "https://example.com/a~/%C3%A9%2Fb",
        "https://example.org:80/a~/%C3%A9%2Fb",
        "https://example.org/a~/%C3%A9/b",
        "https://example.org/a~/e%CC%81%2Fb",
        "https://example.org/A~/%C3%A9%2Fb",
        "https://example.org/a~/%C3%A9%252Fb",
    ],
)
def test_other_base_urls_have_other_canonical_forms(other):
    """Another scheme, host, port or path makes another base URL. ``%2F`` is not a slash."""
    assert canonical_url(other) != URL


@pytest.mark.parametrize(
    ("spellings", "canonical"),
    [
        (["http://[::1]:80", "http://[0:0:0:0:0:0:0:1]/"], "http://[::1]"),
        (["https://[2001:DB8::1]:8443", "https://[2001:db8:0::0001]:8443"], "https://[2001:db8::1]:8443"),
        (["https://[::ffff:1.2.3.4]", "https://[::ffff:102:304]"], "https://[::ffff:1.2.3.4]"),
        (["https://Bücher.example", "https://xn--bcher-kva.example."], "https://xn--bcher-kva.example"),
        (["https://straße.example"], "https://xn--strae-oqa.example"),
    ],
)
def test_ipv6_is_compressed_and_international_names_are_in_punycode(spellings, canonical):
    """IPv6 addresses are compressed. International names are as requests sends them, so ß is not ss."""
    assert {canonical_url(spelling) for spelling in spellings} == {canonical}


@pytest.mark.parametrize(
    "text",
    ["", "u", "HTTP", "http://", "ftp://Example.org", "https://a..b", "https://h:99999", "http://[::1", "https://[v1.A:b]",
     "https://H/?q", "https://U@h", "https://h/\udc80", "https://e\u0301\u0300xn--\u2260/", "Straße"],
)  # fmt: skip
def test_text_that_is_no_base_url_has_no_other_form(text):
    """Text that is not a base URL is returned as it is, and raises nothing."""
    assert canonical_url(text) == text


def test_a_path_with_a_stray_per_cent_sign_is_left_as_it_is():
    """A per cent sign that encodes nothing has no agreed meaning, so the path is not rewritten."""
    assert canonical_url("https://H/%7e%zz/") == "https://h/%7e%zz"


@given(st.text() | st.builds("{}://{}".format, st.sampled_from(["http", "https"]), st.text()))
def test_the_canonical_form_is_its_own(text):
    """The canonical form of any text is its own canonical form."""
    assert canonical_url(canonical_url(text)) == canonical_url(text)


def spelt(scheme, host, port, path):
    return f"{scheme}://{host}{'' if port is None else f':{port}'}{''.join(f'/{part}' for part in path)}"


@given(HOSTS, PORTS, PATHS, st.data())
def test_every_spelling_of_a_base_url_has_the_same_form(host, port, path, data):
    """Spellings that differ in case, trailing dot or slash, default port and encoding have one canonical form."""

    def one_of(*spellings):
        return data.draw(st.sampled_from(spellings))

    spelling = spelt(
        one_of("https", "HTTPS"),
        "".join(one_of(letter, letter.upper()) for letter in host) + one_of("", "."),
        one_of(None, 443) if port in {None, 443} else port,
        [
            one_of(part, part.replace("~", "%7e"), part.replace("%C3%A9", "é"), part.replace("%2F", "%2f"))
            for part in path
        ],
    )
    spelling += one_of("", "/")
    assert canonical_url(spelling) == canonical_url(spelt("https", host, port, path))


@given(*[st.tuples(st.sampled_from(["http", "https"]), HOSTS, PORTS, PATHS)] * 2)
def test_different_base_urls_have_different_forms(one, other):
    """Two base URLs have the same canonical form only if scheme, host, effective port and path are the same."""

    def meaning(scheme, host, port, path):
        return scheme, host, port or {"http": 80, "https": 443}[scheme], path

    same = canonical_url(spelt(*one)) == canonical_url(spelt(*other))
    assert same == (meaning(*one) == meaning(*other))


@given(HOSTS, PORTS, st.lists(PLAIN_PARTS, max_size=3))
def test_calls_go_to_the_same_place_under_the_canonical_form(host, port, path):
    """A call goes to the same host, port and path under the canonical form as under another spelling."""

    def target(url):
        parts = urlsplit(requests.Request("GET", url).prepare().url)
        return parts.hostname, parts.port or 443, parts.path.rstrip("/")

    spelling = spelt("https", host.upper(), port, path)
    assert target(canonical_url(spelling)) == target(spelling)
