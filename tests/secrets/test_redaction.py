"""The scan for keys finds a key in every encoding that could disguise it."""

import string
from base64 import b64encode, encodebytes, urlsafe_b64encode
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suburb_pandas.redaction import holds_key
from tests.support.common import LIVE_KEY

KEYS = st.text(string.ascii_letters + string.digits + "_-+/=.~ %", min_size=8, max_size=40).filter(
    lambda key: key == key.strip() and len(set(key)) > 3
)
BESIDE = st.text(string.ascii_letters + string.digits, max_size=5)

DISGUISES = {
    "plain": lambda key: key,
    "capitals": str.upper,
    "small": str.lower,
    "percent": lambda key: "".join(f"%{ord(letter):02x}" for letter in key),
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 without padding": lambda key: b64encode(key.encode()).decode().rstrip("="),
    "base64 in capitals": lambda key: b64encode(key.upper().encode()).decode(),
    "base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of a login": lambda key: b64encode(f"user:{key}@x".encode()).decode(),
    "base64 for a URL": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "base64 in percent": lambda key: quote(b64encode(key.encode()).decode(), safe=""),
    "base64 over lines": lambda key: encodebytes(b"x" * 70 + key.encode()).decode(),
    "base64 of base64": lambda key: b64encode(b64encode(key.encode())).decode(),
    "hexadecimal": lambda key: key.encode().hex(),
    "HTML": lambda key: "".join(f"&#{ord(letter)};" for letter in key),
    "JSON in JSON": lambda key: "".join(f"\\\\u{ord(letter):04x}" for letter in key),
    "octal": lambda key: "".join(f"\\{ord(letter):03o}" for letter in key),
    "zeros between": "\0".join,
    "escapes": lambda key: "".join(f"\\u{ord(letter):04x}" for letter in key),
}


@pytest.mark.parametrize("disguise", DISGUISES)
@given(key=KEYS, before=BESIDE, after=BESIDE)
def test_a_key_is_found_in_each_form(disguise, key, before, after):
    """A key is found at any place in a body, with any letters and digits beside it."""
    if "base64" in disguise or disguise == "hexadecimal":
        before, after = before and f"{before}:", after and f":{after}"
    assert holds_key(f'{{"a":"{before}{DISGUISES[disguise](key)}{after}"}}', [key])


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_production_key_is_found_whoevers_it_is(disguise):
    """Without a list of keys, a production key is found by its prefix."""
    assert holds_key(f'"{DISGUISES[disguise](LIVE_KEY)}"', [])


def test_honest_answers_hold_none(service):
    """Responses of the sandbox, for rents, impacts and look-ups, hold none of several keys."""
    import requests  # noqa: PLC0415 - only this test makes calls

    for path in (
        "suburbs/Quokka%20Bay/market/median-rent-series",
        "suburbs/Woylie/lifestyle/poi-impacts",
        "geocode/suburb?q=a",
    ):
        body = requests.get(f"{service.url}/v1/{path}", headers={"Authorization": "Bearer embedded"}, timeout=5).text
        assert not holds_key(body, ["Wq7ZtR2xNb4LsVk9", "12345678-abcd-ef90", "correct horse"])


def test_what_is_too_short_for_a_key_is_not_looked_for():
    """A key of a few letters is not searched for, because it would be found in every response."""
    assert not holds_key("median-rent-series", ["rent"])
