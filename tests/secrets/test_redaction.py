"""The scan for keys finds a key in every encoding that could disguise it, and nothing in ordinary text."""

import json
import string
from base64 import b64encode, encodebytes, urlsafe_b64encode
from datetime import date
from html import escape
from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from suburb_pandas.redaction import SHORTEST, holds_key, redacted, without_key
from suburb_pandas.settings import Key
from tests.support.common import LIVE_KEY
from tests.support.raw_server import KEY

LETTERS = string.ascii_letters + string.digits
VISIBLE = LETTERS + string.punctuation.replace("\\", "")
KEYS = st.text(VISIBLE + " ", min_size=SHORTEST, max_size=40).filter(
    lambda key: key == key.strip() and len(set(key)) > 3
)
JOINED = st.text(LETTERS + "+/-_", max_size=5)
"""Text of base64 letters, which may be joined to a key."""
BESIDE = JOINED | st.text(st.characters(codec="utf-8", exclude_characters="%&\\"), max_size=5)
"""Any text that may be joined to a key without changing it: it does not hold the beginning of an escape."""

FORMS = {
    "percent": lambda text: "".join(f"%{ord(letter):02x}" for letter in text),
    "HTML": lambda text: "".join(f"&#{ord(letter)};" for letter in text),
    "HTML in hexadecimal": lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
    "escapes": lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    "escapes of bytes": lambda text: "".join(f"\\x{ord(letter):02x}" for letter in text),
    "octal": lambda text: "".join(f"\\{ord(letter):03o}" for letter in text),
    "hexadecimal": lambda text: text.encode().hex(),
    "hexadecimal in capitals": lambda text: text.encode().hex().upper(),
    "base64": lambda text: b64encode(text.encode()).decode(),
    "base64 without padding": lambda text: b64encode(text.encode()).decode().rstrip("="),
    "base64 for a URL": lambda text: urlsafe_b64encode(text.encode()).decode(),
}
"""Encodings of every letter of a text."""

DISGUISES = FORMS | {
    "plain": lambda key: key,
    "capitals": str.upper,
    "small": str.lower,
    "percent twice": lambda key: quote(quote(key, safe=""), safe=""),
    "base64 in capitals": lambda key: b64encode(key.upper().encode()).decode(),
    "base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64 of a login": lambda key: b64encode(f"user:{key}@x".encode()).decode(),
    "base64 in percent": lambda key: quote(b64encode(key.encode()).decode(), safe=""),
    "base64 in JSON with slashes escaped": lambda key: b64encode(key.encode()).decode().replace("/", "\\/"),
    "base64 over lines": lambda key: encodebytes(b"x" * 70 + key.encode()).decode(),
    "base64 over lines in JSON": lambda key: json.dumps(encodebytes(b"x" * 70 + key.encode()).decode()),
    "base64 of base64": lambda key: b64encode(b64encode(key.encode())).decode(),
    "base64 of UTF-16": lambda key: b64encode(key.encode("utf-16-le")).decode(),
    "hexadecimal of UTF-16": lambda key: key.encode("utf-16-be").hex(),
    "base64 of base64 over lines": lambda key: b64encode(encodebytes(b"x" * 50 + key.encode())).decode(),
    "base64 of lines": lambda key: b64encode(f"user:\n  {FORMS['percent'](key)}\n".encode()).decode(),
    "HTML of signs": escape,
    "JSON": lambda key: json.dumps(key)[1:-1],
    "JSON in JSON": lambda key: "".join(f"\\\\u{ord(letter):04x}" for letter in key),
    "line breaks between": "\n".join,
    "Windows line breaks between": "\r\n".join,
    "escaped line breaks between": r"\n".join,
    "escaped Windows line breaks between": r"\r\n".join,
    "escaped tabs between": r"\t".join,
    "zeros between": "\0".join,
    **{f"U+{ord(sign):04X} between": sign.join for sign in "\u200b\u200c\u200d\ufeff"},
}


@pytest.mark.parametrize("disguise", DISGUISES)
@given(key=KEYS, before=BESIDE, after=BESIDE)
@example(key="Wq7~~~?>ZtR2", before="", after="")  # its base64 has both letters that differ for a URL
@example(key="Wq7ZtR2x", before="a", after="")
@example(key="Wq7ZtR2x", before="ab", after="c")
@example(key="Wq7ZtR2x", before="abc", after="cd")
@example(key="Wq7ZtR2xN", before="abcd", after="cde")
@example(key="Wq7ZtR2xNb", before="", after="cdef")
def test_a_key_is_found_in_each_form(disguise, key, before, after):
    """A key is found at any place in a body, with any text joined to it that is not the beginning of an escape."""
    assert holds_key(f'{{"a":"{before}{DISGUISES[disguise](key)}{after}"}}', [key])


@given(key=KEYS, before=JOINED, after=JOINED, forms=st.lists(st.sampled_from(list(FORMS)), min_size=1, max_size=3))
@example(key=KEY, before="a", after="bc", forms=["base64"] * 3)
@example(key=KEY, before="a", after="bc", forms=["hexadecimal"] * 3)
@example(key=KEY, before="a", after="bc", forms=["percent"] * 3)
def test_a_key_is_found_in_forms_inside_forms(key, before, after, forms):
    """A key is found in up to three encodings, one inside the other, even if text is joined to each of them."""
    text = key
    for form in forms:
        text = f"{before}{FORMS[form](text)}{after}"
    assert holds_key(text, [key])


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_production_key_is_found_whoevers_it_is(disguise):
    """Without a list of keys, a production key is found by its prefix."""
    assert holds_key(f'"{DISGUISES[disguise](LIVE_KEY)}"', [])


WORDS = st.text(LETTERS + " -'()éø\u2019", max_size=30)
ORDINARY = st.recursive(
    st.one_of(
        WORDS,
        st.integers(),
        st.floats(allow_nan=False),
        st.dates(min_value=date(1990, 1, 1)).map(date.isoformat),
        st.uuids().map(str),
        st.binary(max_size=64).map(bytes.hex),
        st.binary(max_size=64).map(lambda data: b64encode(data).decode()),
        WORDS.map(quote),
        WORDS.map(escape),
    ),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=20,
).map(json.dumps)


@given(text=ORDINARY)
def test_ordinary_text_holds_no_key(text):
    """JSON of words, numbers, dates, digests and base64 is not taken for a key."""
    assert not holds_key(text, [KEY])


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("part", [KEY[:-1], KEY[1:], "mib_live"])
def test_a_part_of_a_key_is_not_the_key(disguise, part):
    """A text that lacks the first or the last letter of a key or of the prefix of production keys holds none."""
    assert not holds_key(f'"{DISGUISES[disguise](part)}"', [KEY])


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
    """A key of less than eight letters is not searched for, because it would be found in every response."""
    assert not holds_key("median-rent-series", ["rent", "rent-se"])
    assert holds_key("median-rent-series", ["rent-ser"])


@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_text_with_a_key_is_not_shown(disguise):
    """A text is replaced by a note if it holds the key in any form, or no more than its first eight letters."""
    for letters in (len(KEY), SHORTEST):
        shown = redacted(f"no such key: {DISGUISES[disguise](KEY[:letters])}", Key(KEY))
        assert shown == "(not shown, as it holds an API key)"


def test_a_text_without_a_key_is_one_printable_line():
    """Line breaks and unprintable characters become single spaces, and no more than 200 characters are shown."""
    assert redacted(" a\x1b[31m\r\n\t b\u202e\0c ", Key(KEY)) == "a [31m b c"
    assert redacted("a" * 201, Key(KEY)) == "a" * 200
    assert redacted("a" * 201, Key(KEY), 10) == "a" * 10
    assert redacted(f"key {KEY[: SHORTEST - 1]}", Key(KEY)) == f"key {KEY[: SHORTEST - 1]}"
    assert redacted(f"key {KEY}", None) == f"key {KEY}"


def test_many_backslashes_are_searched_in_a_moment():
    """The search for a key reads a run of backslashes once, and not once for each of them."""
    assert not holds_key("\\" * 500_000, [KEY])
    assert without_key(b"\\" * 500_000 + KEY.encode(), Key(KEY)) == b"[redacted]"


LETTER_FORMS = [
    str,
    str.swapcase,
    "%{:02x}".format,
    "%{:02X}".format,
    "%25{:02x}".format,
    "%2525{:02X}".format,
    "\\u{:04x}".format,
    "\\U{:04X}".format,
    "\\\\u{:04x}".format,
    "\\\\\\u{:04x}".format,
]
"""The forms in which a letter of a key, or of its base64, is found when a key is cut out."""


def in_mixed_forms(text, random):
    """Return a text with each letter in a form of its own."""
    forms = [random.choice(LETTER_FORMS) for _ in text]
    return "".join(form(one if form in LETTER_FORMS[:2] else ord(one)) for form, one in zip(forms, text, strict=True))


def in_base64(key, random):
    """Return the base64 of a text that holds a key in any letter case, in either alphabet and padded or not."""
    key = "".join(random.choice([one.lower(), one.upper()]) for one in key)
    encode = random.choice([b64encode, urlsafe_b64encode])
    encoded = encode(b"x~" * random.randrange(3) + key.encode() + b"?" * random.randrange(3)).decode()
    return random.choice([encoded, encoded.rstrip("="), encoded.replace("/", "\\/")])


CUT_FORMS = {
    "mixed": in_mixed_forms,
    "percent": lambda key, _: FORMS["percent"](key),
    "percent of signs": lambda key, _: quote(key, safe=""),
    "escapes": lambda key, _: FORMS["escapes"](key),
    "JSON": lambda key, _: json.dumps(key)[1:-1],
    "JSON with slashes escaped": lambda key, _: json.dumps(key)[1:-1].replace("/", "\\/"),
    "JSON in JSON": lambda key, _: json.dumps(json.dumps(key)[1:-1])[1:-1],
    "base64": in_base64,
    "base64 in percent": lambda key, random: FORMS["percent"](in_base64(key, random)),
    "base64 with slashes escaped, in percent": lambda key, _: FORMS["percent"](
        b64encode(key.encode()).decode().replace("/", "\\/")
    ),
    "base64 in escapes": lambda key, random: FORMS["escapes"](in_base64(key, random).replace("\\", "")),
}
AROUND = st.text(LETTERS + "+/-_%\\", max_size=6) | st.text(max_size=6)


def is_not_in_the_mark(key):
    """Return True unless the text in the place of a key that was cut out holds this very key."""
    return not holds_key("[redacted]", [key])


@pytest.mark.parametrize("form", CUT_FORMS)
@given(key=KEYS.filter(is_not_in_the_mark), before=AROUND, after=AROUND, random=st.randoms())
def test_a_key_is_cut_out_of_a_body(form, key, before, after, random):
    """A body has no key any more, and all else that it had, whatever surrounds the key."""
    found = CUT_FORMS[form](key, random)
    before, after = (text.encode("utf-8", "replace") for text in (before, after))
    cut = without_key(b'{"a":"' + before + found.encode() + after + b'"}', Key(key))
    assert not holds_key(cut.decode(), [key])
    start, end = cut.split(b"[redacted]")
    kept = before.rstrip(b"\\u0123456789abcdefABCDEF")  # of an escape that would have been cut in two, nothing is left
    assert start.startswith(b'{"a":"' + kept)
    assert end.endswith(after + b'"}')


@pytest.mark.parametrize("key", ["n4Wq7ZtR2xNb", "4bWq7ZtR2xNb", "u004Wq7ZtR2xNb", '"Wq7ZtR2x/Nb', "/Wq7ZtR2x"])
@pytest.mark.parametrize(
    "text",
    ["KEY", "\\KEY", "\\\\KEY", "\\u00KEY", "\\\\u00KEY", "\\u004KEY", "a\\nKEY\\n", "KEYKEY KEY", "\\u00e9KEY\\u00e9"],
)
def test_json_stays_json_without_the_key(text, key):
    """If a body is JSON, it still is after a key was cut out, even one that looks like the rest of an escape."""
    for one in (key, json.dumps(key)[1:-1]):
        body = f'{{"a": "{text.replace("KEY", one)}"}}'
        try:
            json.loads(body)
        except ValueError:
            continue
        cut = without_key(body.encode(), Key(key)).decode()
        assert "[redacted]" in json.loads(cut)["a"]
        assert not holds_key(cut, [key])


@given(text=ORDINARY)
def test_a_body_without_the_key_is_not_changed(text):
    """JSON of words, numbers, dates, digests and base64 comes back as it was."""
    assert without_key(text.encode(), Key(KEY)) == text.encode()


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("part", [KEY[:-1], KEY[1:], "mib_live", LIVE_KEY])
def test_another_key_is_not_cut_out(disguise, part):
    """A body with a part of the key, or with the key of somebody else, comes back as it was."""
    body = f'{{"a": "{DISGUISES[disguise](part)}"}}'.encode()
    assert without_key(body, Key(KEY)) == body


def test_what_is_no_secret_is_not_cut_out():
    """Nothing is cut out without a key that has to be kept secret, or with one that is too short to be searched for."""
    body = b'{"data": "median-rent-series"}'
    assert without_key(body, None) == body
    assert without_key(body, Key("rent-se")) == body
    assert without_key(body, Key("rent-ser")) == b'{"data": "median-[redacted]ies"}'


@pytest.mark.parametrize("start", range(4))
def test_a_key_is_cut_out_of_a_large_body(start):
    """A body of the largest size with the key at its very end is searched in seconds, whatever else is in it."""
    filling = [b"m", b"\\", b"%6d", b"mib_live_"][start]
    body = filling * (2**20 // len(filling))
    cut = without_key(body + LIVE_KEY.encode(), Key(LIVE_KEY))
    assert cut.endswith(b"[redacted]")
    assert LIVE_KEY.encode() not in cut


@pytest.mark.parametrize("encode", [str, lambda key: json.dumps(key)[1:-1], lambda key: quote(key, safe="")])
def test_a_key_with_a_backslash_is_cut_out(encode):
    """A backslash in a key is found as it is, doubled by JSON, and percent-encoded."""
    key = "Tq7ZtR2x\\Nb4LsVk9"
    assert without_key(f"<{encode(key)}>".encode(), Key(key)) == b"<[redacted]>"
