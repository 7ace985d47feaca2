"""A key is found in each of its forms, and nothing is found in ordinary text."""

import json
import string
from base64 import b64encode, urlsafe_b64encode
from datetime import date
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from suburb_pandas.redaction import SHAPE, holds_key, redacted, without_key
from suburb_pandas.settings import Key
from tests.support.raw_server import KEY

LETTERS = string.ascii_letters + string.digits
VISIBLE = LETTERS + string.punctuation.replace("\\", "")
KEYS = st.text(VISIBLE + " ", min_size=8, max_size=40).filter(
    lambda key: key == key.strip() and len(set(key)) > 3 and not holds_key("[redacted]", [key])
)
BESIDE = st.text(LETTERS + "+/-_", max_size=6) | st.text(
    st.characters(codec="utf-8", exclude_characters='%"\\', exclude_categories=["Cc", "Cs"]), max_size=6
)
"""Text that may be joined to a key without changing it: of base64 letters, or without the beginning of an escape."""


def percent(text):
    """Percent-encode every letter."""
    return "".join(f"%{ord(letter):02x}" for letter in text)


def escapes(text):
    """Return the escapes of JSON for every letter."""
    return "".join(f"\\u{ord(letter):04X}" for letter in text)


FORMS = {
    "JSON": lambda key: json.dumps(key)[1:-1],
    "JSON with slashes escaped": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "capitals": lambda key: json.dumps(key.upper())[1:-1],
    "percent": percent,
    "escapes": escapes,
    "mixed": lambda key: percent(key[:2]) + escapes(key[2:5]) + quote(key[5:], safe=""),
    "base64": lambda key: b64encode(key.encode()).decode(),
    "base64 for a URL": lambda key: urlsafe_b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
@given(key=KEYS, before=BESIDE, after=BESIDE)
@example(key="Wq7~~~?>ZtR2", before="", after="")  # its base64 has both letters that differ for a URL
def test_a_key_is_found_and_cut_out(form, key, before, after):
    """Whatever surrounds a key, it is found, and cut out alone. JSON stays JSON."""
    body = f'{{"a":"{before}{FORMS[form](key)}{after}"}}'
    assert holds_key(body, [key])
    cut = without_key(body.encode(), Key(key)).decode()
    assert not holds_key(cut, [key])
    left = json.loads(cut)["a"]
    assert "[redacted]" in left
    assert left.startswith(before)
    assert left.endswith(after)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=10)
@given(key=KEYS)
def test_a_part_of_a_key_is_not_the_key(form, key):
    """A text that lacks the first or the last letter of a key, or of production keys' prefix, is left as it is."""
    for part in (key[:-1], key[1:], SHAPE[:-1]):
        body = FORMS[form](part)
        assert not holds_key(body, [key])
        assert without_key(body.encode(), Key(key)) == body.encode()


def test_of_base64_the_letters_of_the_key_alone_are_cut():
    """Letters that hold bits of the key and of the text beside it are left, wherever in a group of four it begins."""
    key = "a key of 14 by"
    texts = [b64encode(b"x" * before + key.encode() + b"yyy") for before in range(3)]
    assert [without_key(text, Key(key)) for text in texts] == [
        b"[redacted]l5eXk=",
        b"eG[redacted]eXl5",
        b"eHh[redacted]Xl5eQ==",
    ]


def test_another_users_production_key_is_found():
    """Its beginning is enough, with any key of one's own or none."""
    assert holds_key("the key is MIB_LIVE_of_somebody_else", [])


WORDS = st.text(LETTERS + " -'()éø\u2019", max_size=30)
ORDINARY = st.recursive(
    st.one_of(
        WORDS,
        st.floats(allow_nan=False),
        st.dates(min_value=date(1990, 1, 1)).map(date.isoformat),
        st.binary(max_size=64).map(bytes.hex),
        st.binary(max_size=64).map(lambda data: b64encode(data).decode()),
        WORDS.map(quote),
    ),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(WORDS, inner, max_size=5),
    max_leaves=20,
).map(json.dumps)


@given(text=ORDINARY)
def test_ordinary_text_holds_no_key(text):
    """JSON of words, numbers, dates, digests and base64 is not taken for a key, and comes back as it was."""
    assert not holds_key(text, [KEY])
    assert without_key(text.encode(), Key(KEY)) == text.encode()


@pytest.mark.parametrize("form", FORMS)
def test_a_text_with_a_key_is_not_shown(form):
    """A text is replaced by a note if it holds the key in any form, or no more than its first eight letters."""
    for letters in (len(KEY), 8):
        shown = redacted(f"no such key: {FORMS[form](KEY[:letters])}", Key(KEY))
        assert shown == "(not shown, as it holds an API key)"


def test_a_text_without_a_key_is_one_printable_line():
    """Line breaks and unprintable characters become single spaces, and no more than 200 characters are shown."""
    assert redacted(" a\x1b[31m\r\n\t b\u202e\0c ", Key(KEY)) == "a [31m b c"
    assert redacted("a" * 201, Key(KEY)) == "a" * 200
    assert redacted(" " * 793 + KEY, Key(KEY)) == KEY[:7]
