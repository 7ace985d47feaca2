"""Mutates responses of the sandbox and names of its suburbs at random, reproducibly for a seeded ``Random``."""

import json
import math
import re
from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd

from suburb_pandas.sandbox import SUBURBS
from suburb_pandas.sandbox.answers import encoded
from suburb_pandas.sandbox.service import EMBEDDED_KEY, Request, Service

TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[-+.\w]+|[][{},:]')
DATES = str.split(r"""
    0000-00-00 0000-01-01 2024-02-29 2024-02-30 2023-02-29 1900-02-29 2024-13-01 2024-00-10 1677-12-31 1678-01-01
    1969-12-31 1970-01-01 2149-06-05 2149-06-06 2149-06-07 2261-12-31 2262-01-01 9999-12-31 +10000-01-01 -001-01-01
    2024-02-30T00:00 2024-02-29T00 2024-02 2024-02-2 2024-2-029 2024-02-29Z 2024-02-29\n 2024-01-01\n2024-01-02
    2024/02/29 \uff12024-02-29 \u00a02024-02-2 \u0020\u0020\u002024-02-29 NaT now today 2024-W01-1 20240229-- \u0000
""")
NUMBERS = bytes.split(b"""
    NaN Infinity -Infinity 1e400 -1e400 1e-400 5e-324 -0 -0.0 0 00 +1 1. .5 1e 0x10 1_000 0.1 600.5 64.0 6e2 -1
    65534 65535 65536 9007199254740992 9007199254740993 9223372036854775808 18446744073709551616
    1.7976931348623157e308 1.7976931348623159e308 2.2250738585072011e-308 1e99999999999999999999
""")
NUMBERS += [b"9" * 400, b"-" + b"7" * 10_000, b"0." + b"1" * 999]
OTHERS = bytes.split(rb"""
    "\ud800" "\udc00\ud800" "\ud83d\ude00" "\u0000" "\x" "\u12" "\n" " "" "600" "suburb" "sa2" "0800" "`-at-`$.data`"
    null true false [] {} [[[[]]]] nul // \ { } [ ] , : {"a":[{"b":null}]} {"date":"2024-02-29","value":1}
""")
OTHERS += bytes.split(b"""
    "\x00" "\x1f" "\xff" "\xc3" "\xed\xa0\x80" "\xf4\x90\x80\x80" "\xf0\x9f\x8f\xa0" "\xef\xbb\xbf" \x00 \xff\xfe
    \xef\xbb\xbf \xe2\x80\xa8 \xc2\xa0
""")
OTHERS += [b'" - at `$`"', b'"' + b"a" * 5000 + b'"', b"[" * 600, b'{"a":' * 600, b"[" * 600 + b"]" * 600]
KINDS = [[f'"{text}"'.encode() for text in DATES], NUMBERS, OTHERS]
KEYS = bytes.split(b'"date" "value" "data" "house" "unit" "area_name" "drivers" "n_sales" "poa"')

PIECES = str.split(r"""
    _(NSW) _(Vic.) _NSW _vic_3000 ,_New_South_Wales _Port_Victoria _N.S.W. _WA _0800 _839 _2770.0 ( ) (( _( _-_ - \u2013
    (a_-_WA) _-_Qld) , . .. / %2F %ff % ? # \x5c ' \u2019 ` \xb4 Mt_ mt._ Saint_ & = [ @ \u2100 q=a __ \t \n \r\n \xa0
    \u3000 \x85 \u2028 \x00 \x7f \ud800 \udfff \uffff \U0010ffff \U000e0041 \u0301 \u0327 \u0345 \u20dd \u200f \u202e
    \u2066 \u200b \u200d \xad \ufe0f \ufeff \ufdfa \u0130 \u0130. \xdf \u1e9e \ufb01 \u0149 \u1100 \u1161 \u11a8 \u1f80
    \u03c2 \u212a \u0662\u0667
""")
PIECES = [piece.replace("_", " ").encode().decode("unicode_escape") for piece in PIECES]
VALUES = [
    None,
    True,
    800,
    800.0,
    8000.5,
    -1,
    10**5000,
    math.nan,
    b"0800",
    [],
    np.str_("Quokka Bay"),
    pd.NA,
    Decimal("sNaN"),
]
"""Values that users may pass for a name, a state or a postcode, though hardly any is text."""


def an_answer(random):
    """Return an endpoint, a name, and the body of a response: usually a short one, and usually damaged."""
    length = random.choices([1, 2, 4, 60, 10_000], [300, 300, 370, 28, 2])[0]
    endpoint = random.choice(["rent", "rent", "impacts", "geocode"] if length < 5 else ["rent"])
    name = random.choice(SUBURBS[:24]).name
    tokens = tokens_of(endpoint, name, length)
    for _ in range(random.choice([0, 1, 1, 1, 2])):
        tokens = mutate_tokens(random, tokens) or [b"{"]
    body = b"".join(tokens)
    for _ in range(random.choice([0, 0, 0, 0, 1, 2])):
        body = mutate(random, body, random.choice(KINDS), random.randbytes(random.choice([1, 1, 1, 4])))
    return endpoint, name, body


def a_text(random):
    """Return a mutated suburb name, rarely one of a hundred thousand characters."""
    text = random.choice(SUBURBS).name
    for _ in range(random.choice([0, 1, 1, 2, 2, 3, 5])):
        text = mutate_text(random, text)
    return random.choice([text, text, " ".join(text.split())])


@cache
def tokens_of(endpoint, name, length):
    """Split a response of the sandbox into JSON tokens. Of its lists, only the last ``length`` elements are kept."""
    body = Service().answer(Request("GET", "", endpoint, name, "", EMBEDDED_KEY)).body
    return TOKENS.findall(encoded(shortened(json.loads(body), length)))


def shortened(value, length):
    """Return JSON data with only the last elements of each list."""
    if isinstance(value, list):
        return [shortened(one, length) for one in value[-length:]]
    return {key: shortened(one, length) for key, one in value.items()} if isinstance(value, dict) else value


def mutate_tokens(random, tokens):
    """Return tokens of which a value is replaced, a key repeated or a stretch changed, so that most stay JSON."""
    odd = random.choice(random.choice([*KINDS, tokens]))
    values = [number for number, token in enumerate(tokens) if token not in b"{}[],:"]
    braces = [number for number, token in enumerate(tokens) if token == b"{"]
    match random.randrange(6):
        case 0:
            return mutate(random, tokens, [[odd]], [odd])
        case 1 if braces:  # repeats a key, because parsers differ in which value they keep
            at = random.choice(braces)
            return [*tokens[:at], b"{", random.choice(KEYS), b":", odd, b",", *tokens[at + 1 :]]
    at = random.choice(values or [0])
    return [*tokens[:at], odd, *tokens[at + 1 :]]


def mutate(random, whole, pieces, letter):
    """Return a text or bytes with a stretch added, dropped, repeated or changed."""
    at, to = sorted((random.randrange(len(whole) + 1), random.randrange(len(whole) + 1)))
    times = 100_000 // (to - at + 1) if random.random() < 0.0001 else 2
    stretch = whole[at:to]
    changed = random.choice([random.choice(pieces) + stretch, letter + stretch[1:], stretch[:0], stretch * times])
    return whole[:at] + changed + whole[to:]


def mutate_text(random, text):
    """Change the case of a text, or a stretch of it, with characters of all Unicode planes."""
    if random.random() < 0.1:
        return random.choice([str.upper, str.lower, str.title, str.swapcase])(text)
    return mutate(random, text, PIECES, chr(random.randrange(random.choice([0x80, 0x3000, 0x110000]))))
