"""Runs the repairs that messages print, as a user would who pastes them.

A repair begins behind a colon or behind a word such as `pass`, `run` or `as in`, and is the longest text from there
that Python can compile.
"""

import ast
import re
import warnings
from dataclasses import dataclass

import suburb_pandas as sp

WORDS = "[Pp]ass|[Rr]un|[Aa]s in|in|then|[Uu]se|with|[Ww]ithout|and|or|[Aa]dd|to|of|from|such|the"
BEFORE = re.compile(rf"(?:[:;,.] |\n|`|\b(?:{WORDS}) )(?=\S)")
"""What stands before a repair."""

NAMES = "df|frame|rents|prices|card|values|boundaries|drivers|index|mapping|client|geopandas|multiprocessing"
OPTIONS = (
    "api_key|append_pins|base_url|by|budget_cents|check_names|client|column|columns|errors|fill|freq|header|how|kind|layer|"
    "layout|limit|max_age|max_cents|max_lag|max_workers|multiple|offline|on|over|partial|pins|prefix|prices|property_type|record|"
    "refresh|retrieved_by|state|store|verify|with_"
)
CODE = re.compile(
    rf"\b(?:pd|sp)\.[A-Za-z_]+\(|\b(?:{NAMES})(?:\.[A-Za-z_]+|\[)|\b(?:list|sorted|str|to_list)\("
    rf"|\b(?:{OPTIONS})=|python -m "
)
"""What a message has that prints code: the names that stand for a user's objects, and the options of the package."""
ARGUMENT = re.compile(r"[a-z_]+=[^= ]")


def codes(message):
    """Return the repairs in a message, in its order."""
    found, end = [], 0
    for begin in (match.end() for match in BEFORE.finditer(message)):
        code = _longest(message[begin:]) if begin >= end else None
        if code:
            found += _alternatives(code)
            end = begin + len(code)
    return found


def _longest(text):
    """Return the longest beginning of a text that is code, None if there is none."""
    line = re.split(r"\n|\.\s", text)[0]
    codes_of_line = [line[: match.start()] for match in re.finditer(r"(?=[\s.,;:?`)]|$)", line)]
    return next((code for code in reversed(codes_of_line) if CODE.search(code) and _compiles(code)), None)


def _compiles(text):
    """Return True if a text is code, and not only by chance: to Python, English can be a tuple or an annotation."""
    try:
        first, *others = ast.parse(f"f({text})" if ARGUMENT.match(text) else text).body
    except (SyntaxError, ValueError):
        return False
    if isinstance(first, ast.Assign):
        return not isinstance(first.targets[0], ast.Tuple)
    is_called = isinstance(first, ast.Expr) and isinstance(first.value, ast.Call | ast.Subscript | ast.BoolOp)
    return is_called and not others


def _alternatives(code):
    """Return the expressions that a sentence joins with `or` and `and`, and so does Python."""
    value = None if ARGUMENT.match(code) else getattr(ast.parse(code).body[0], "value", None)
    return [ast.unparse(one) for one in value.values] if isinstance(value, ast.BoolOp) else [code]


@dataclass(frozen=True)
class Repair:
    """A repair: the input that provokes its message, the user's call, and what comes out.

    `given`, `call` and `check` are code; `check` is true of `result`, the value of the call after the repair. `follow`
    is how the repair, which stands for ``{}``, is used: in a new call; or in an assignment, after which the call is
    made again. By default the repair is run, and the call is made again. `at` is the position of the repair among those
    that the message prints, and `fill` what its ``...`` stand for. `leaves` is text of the message that may remain.
    """

    given: str
    call: str
    check: str
    follow: str = ""
    at: int = 0
    fill: str = ""
    leaves: str = ""


def run(repair, names):
    """Provoke a message in a session, follow it as long as a call prints another, and return the last call's value."""
    messages = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(repair.given, names)  # noqa: S102 - the code is the test's own
        result, message = attempt(repair.call, names)
        for _ in range(3):
            messages.append(message or str(result))
            printed = codes(messages[-1])
            assert len(printed) > repair.at, f"no repair is printed: {messages}"
            code = printed[repair.at].replace("...", repair.fill).rstrip(";")
            call, used = repair.call, (repair.follow or "{}").format(code)
            if repair.follow.partition(" = ")[0].isidentifier() or not repair.follow:
                exec(used, names)  # noqa: S102 - as above
            else:
                call = used
            result, message = attempt(call, names)
            if not message or (repair.leaves and repair.leaves in message):
                return result
    raise AssertionError(f"the repairs left this message: {message}")


def attempt(call, names):
    """Return the value of a call, and what it said: the text of its error, or of its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = eval(call, names)  # noqa: S307 - as above
        except Exception as error:  # noqa: BLE001 - which error it is matters elsewhere
            return None, str(error)
    said = [str(one.message) for one in caught if issubclass(one.category, sp.errors.SuburbWarning)]
    return result, "\n".join(said)
