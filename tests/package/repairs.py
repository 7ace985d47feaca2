"""Runs the repairs that messages print, as a user would who pastes them, and finds the code that prints them.

A repair begins behind a colon or behind a word such as `pass`, `run` or `as in`, and is the longest text from there
that Python can compile. An argument such as ``max_cents=90`` is added to the user's call. A call of the same function
is made in place of the user's. Another call, and a statement, is run, and then the user's call is made again. Any other
expression takes the place of the user's object: ``frame[['house']]`` is the new ``frame``.
"""

import ast
import re
import warnings
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import suburb_pandas as sp

PACKAGE = Path(sp.__file__).parent

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
    ends = [match.start() for match in re.finditer(r"(?=[\s.,;:?`)]|$)", line)]
    for end in reversed(ends):
        code = line[:end]
        if CODE.search(code) and (arguments(code) if ARGUMENT.match(code) else _compiles(code)):
            return code
    return None


def _compiles(text):
    """Return True if a text is code, and not only by chance: to Python, English can be a tuple or an annotation."""
    try:
        first, *others = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    if isinstance(first, ast.Assign):
        return not isinstance(first.targets[0], ast.Tuple)
    is_called = isinstance(first, ast.Expr) and isinstance(first.value, ast.Call | ast.Subscript | ast.BoolOp)
    return is_called and not others


def _alternatives(code):
    """Return the expressions that a sentence joins with `or` and `and`, and so does Python."""
    tree = ast.parse(code) if _compiles(code) else None
    value = tree.body[0].value if tree and isinstance(tree.body[0], ast.Expr) else None
    return [ast.unparse(one) for one in value.values] if isinstance(value, ast.BoolOp) else [code]


def arguments(code):
    """Return the keywords of code such as ``max_cents=90, refresh=True``; none for other code."""
    if not ARGUMENT.match(code):
        return []
    try:
        call = ast.parse(f"f({code})", mode="eval").body
    except SyntaxError:
        return []
    return call.keywords if not call.args else []


@dataclass(frozen=True)
class Repair:
    """A repair: where its message is made, the input that provokes the message, the user's call, and what comes out.

    `given`, `call` and `check` are code; `check` is true of `result`, the value of the call after the repair. `at` is
    the position of the repair among those that the message prints, and `fill` what its ``...`` stand for. `use` says
    what a printed expression is for, where the rule of this module does not: ``result``, ``again``, ``argument``, or a
    name that gets its value. `rounds` counts the repairs until the call succeeds. `leaves` is text that may remain.
    """

    place: str
    given: str
    call: str
    check: str
    at: int = 0
    fill: tuple = ()
    use: str = ""
    rounds: int = 1
    leaves: str = ""


@dataclass
class Session:
    """A user's session: names, and the messages that calls have brought."""

    names: dict
    messages: list = field(default_factory=list)

    def __post_init__(self):
        """Let the code of a repair make a call that fails."""
        self.names["attempt"] = self.attempt

    def run(self, repair):
        """Provoke the message, follow it, and return the value of the user's call after that."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(repair.given, self.names)  # noqa: S102 - the code is the test's own
            call, result = repair.call, None
            for _ in range(repair.rounds):
                call, result = self.repaired(call, repair)
        assert any(_is_from(message, repair.place) for message in self.messages), f"not from there: {self.messages}"
        if call is None:
            return result
        result, message = self.attempt(call)
        assert (repair.leaves in message) if repair.leaves else not message, f"the repair left this message: {message}"
        return result

    def repaired(self, call, repair):
        """Make a call, and follow what its message says. Return the next call; or None, and the result."""
        text, message = self.attempt(call)
        self.messages.append(message or str(text))
        printed = codes(self.messages[-1])
        assert len(printed) > repair.at, f"no repair is printed by {call}: {self.messages[-1]}"
        return self.follow(_filled(printed[repair.at], repair.fill), call, repair.use)

    def attempt(self, call):
        """Return the value of a call, and what it said: the text of its error, or of its warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = eval(call, self.names)  # noqa: S307 - as above
            except Exception as error:  # noqa: BLE001 - which error it is matters elsewhere
                return None, str(error)
        said = [str(one.message) for one in caught if issubclass(one.category, sp.errors.SuburbWarning)]
        return result, "\n".join(said)

    def follow(self, code, call, use):
        """Do what a repair says. Return the next call; or None, and the result that the repair gave."""
        if added := arguments(code):
            return _with_arguments(call, added), None
        *statements, last = ast.parse(code).body
        if statements or not isinstance(last, ast.Expr):
            exec(ast.unparse(statements or last), self.names)  # noqa: S102 - as above
            if not isinstance(last, ast.Expr):
                return call, None
        code = ast.unparse(last)
        own = next((name for name in _names(code) if name in self.names and name not in {"sp", "pd"}), None)
        if use in {"", "result"} and (use or _function(code) == _function(call)):
            return None, eval(code, self.names)  # noqa: S307 - as above
        if use == "argument":
            return _with_object(call, None, code), None
        is_new = use == "" and own and not code.startswith("sp.")
        if is_new and not re.search(rf"\b{own}(?=\.suburb|[,)])", call):
            return _with_object(call, own, code), None
        value = eval(code, self.names)  # noqa: S307 - as above
        if is_new or use not in {"", "again"}:
            self.names[own if is_new else use] = value
        return call, None


def _filled(code, fill):
    """Return code with each printed ``...`` replaced by the next of the texts in `fill`, the last of them again."""
    for text in [*fill, *fill[-1:] * 9]:
        code = code.replace("...", text, 1)
    return code


def _function(code):
    """Return the function of the package that code calls: ``rent`` for ``sp.rent(names)`` and ``df.suburb.rent()``."""
    call = _call_of_package(ast.parse(code))
    return call and call.func.attr


def _call_of_package(tree):
    """Return the outermost call of a function or method of the package, None if there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = ast.unparse(node.func.value)
            if owner in {"sp", "client"} or owner.endswith(".suburb"):
                return node
    return None


def _names(code):
    """Return the names in code, in the order in which they are written."""
    names = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)]
    return [node.id for node in sorted(names, key=lambda node: (node.lineno, node.col_offset))]


def _with_arguments(call, added):
    """Return a call with keywords added or replaced."""
    tree = ast.parse(call, mode="eval")
    is_own = isinstance(tree.body, ast.Call) and ast.unparse(tree.body.func) != "repr"
    outer = tree.body if is_own else _call_of_package(tree)
    names = {keyword.arg for keyword in added}
    outer.keywords = [*(one for one in outer.keywords if one.arg not in names), *added]
    return ast.unparse(tree)


def _with_object(call, name, code):
    """Return a call with an expression in place of the first argument, or of the first that is made of `name`."""
    tree = ast.parse(call, mode="eval")
    for place, given in enumerate(tree.body.args):
        if name is None or name in _names(ast.unparse(given)):
            tree.body.args[place] = ast.parse(code, mode="eval").body
            return ast.unparse(tree)
    return call


def _is_from(message, place):
    """Return True if a message has a piece of the text in a place."""
    pieces = [piece for text in places()[place] for piece in re.split(r"\{[^}]*\}", text)]
    return any(piece.strip() and piece in message for piece in pieces)


@cache
def places():
    """Return the functions and modules of the package that print code, as ``module.function``, with what they print."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
        _collect(ast.parse(path.read_text(encoding="utf-8")), module, found)
    return found


def _collect(node, place, found):
    """Add the text with code below a node. Docstrings are no messages."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.Constant) and isinstance(child.value, str) and CODE.search(child.value):
            found.setdefault(place, []).append(child.value)
        inner = isinstance(child, ast.FunctionDef | ast.ClassDef)
        _collect(child, f"{place}.{child.name}" if inner else place, found)
