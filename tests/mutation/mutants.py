"""Makes the mutants of a module: its source with one small fault each, such as a reversed comparison.

Annotations, decorators and type variables stay as they are. So do docstrings, messages and the log, in which no test
should notice a change, and ``strict=`` in calls of zip, which only stops mistakes of the package itself.
"""

import ast
import copy
import re
from collections.abc import Iterator
from typing import NamedTuple

OPPOSITE = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
SQL = re.compile(r"f?\"+\s*(select|insert|update|delete|pragma) ")
SQL_FAULTS = [
    (" and ", " or "),
    ("max(", "min("),
    (" desc", " asc"),
    ("is null", "is not null"),
    ("'billed'", "'unknown'"),
    ("'unknown'", "'billed'"),
    ("'sent'", "'billed'"),
    (" >= ", " > "),
    (" > ", " >= "),
    ("= full", "= off"),
]


class Mutant(NamedTuple):
    """A module with a fault: its path, the lines of the fault, the code before and after it, and the whole source.

    ``at_import`` is True if the lines are in no function.
    """

    path: str
    lines: range
    was: str
    now: str
    source: str
    at_import: bool


def mutants_of(path: str, source: str) -> Iterator[Mutant]:
    """Yield every mutant of a module."""
    lines = source.encode().splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines))]
    for node, at_import in _code(ast.parse(source)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        was = source.encode()[begin:end].decode()
        for now in dict.fromkeys(_faults(node, was)):
            mutated = source.encode()[:begin] + now.encode() + source.encode()[end:]
            yield Mutant(path, range(node.lineno, node.end_lineno + 1), was, now, mutated.decode(), at_import)


def _code(node: ast.AST, *, at_import: bool = True) -> Iterator[tuple[ast.AST, bool]]:
    """Yield the statements and expressions below a node, each with True if it is in no function.

    Annotations and the parts of f-strings are left out.
    """
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_params", "decorator_list"}:
            continue
        is_body = name == "body" and isinstance(node, ast.FunctionDef | ast.Lambda)
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _stays(child):
                continue
            if hasattr(child, "end_lineno"):
                yield child, at_import and not is_body
            if not isinstance(child, ast.JoinedStr):
                yield from _code(child, at_import=at_import and not is_body)


def _stays(node: ast.AST) -> bool:
    """Return True for docstrings, imports for type checkers, type variables, ``strict=`` and lines of the log."""
    match node:
        case ast.Expr(ast.Constant()) | ast.keyword("strict"):
            return True
        case ast.If(test):
            return ast.unparse(test) == "TYPE_CHECKING"
        case ast.Call(function) | ast.Expr(ast.Call(function)):
            return ast.unparse(function).startswith(("TypeVar", "ParamSpec", "_log."))
    return False


def _faults(node: ast.AST, text: str) -> Iterator[str]:
    """Yield the replacements of a node, as source."""
    if isinstance(node, ast.Compare):
        yield from (_with(node, ops=[OPPOSITE[type(node.ops[0])](), *node.ops[1:]]),)
    elif isinstance(node, ast.BinOp) and type(node.op) in OPPOSITE:
        yield f"({_with(node, op=OPPOSITE[type(node.op)]())})"
    elif isinstance(node, ast.BoolOp):
        yield f"({_with(node, op=OPPOSITE[type(node.op)]())})"
        yield from (f"({_without(node, 'values', part)})" for part in range(len(node.values)))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.IfExp):
        yield from (f"({ast.unparse(node.body)})", f"({ast.unparse(node.orelse)})")
    elif isinstance(node, ast.Constant | ast.JoinedStr):
        yield from _faults_of_a_constant(node, text)
    elif isinstance(node, ast.Call) and "\n" not in text:
        given = enumerate(node.keywords)
        yield from (_without(node, "keywords", part) for part, keyword in given if keyword.arg != "strict")
    elif isinstance(node, ast.stmt):
        yield from _faults_of_a_statement(node)


def _faults_of_a_constant(node: ast.Constant | ast.JoinedStr, text: str) -> Iterator[str]:
    value = getattr(node, "value", None)
    if isinstance(value, bool):
        yield str(not value)
    elif isinstance(value, int | float):
        yield repr(value + 1)
    elif SQL.match(text):
        for old, new in SQL_FAULTS:
            for found in re.finditer(re.escape(old), text):
                yield text[: found.start()] + new + text[found.end() :]
    elif isinstance(value, str) and re.fullmatch(r"\S+", value):
        yield '""'


def _faults_of_a_statement(node: ast.stmt) -> Iterator[str]:
    is_call = isinstance(node, ast.Expr) and not isinstance(node.value, ast.Yield | ast.YieldFrom)
    sets_attribute = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute | ast.Subscript)
    if is_call or sets_attribute or isinstance(node, ast.Raise | ast.AugAssign):
        yield "pass"
    elif isinstance(node, ast.Return) and ast.unparse(node) not in {"return", "return None"}:
        yield "return None"
    elif isinstance(node, ast.Break | ast.Continue):
        yield "continue" if isinstance(node, ast.Break) else "break"


def _with(node: ast.AST, **fields: object) -> str:
    changed = copy.deepcopy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return ast.unparse(changed)


def _without(node: ast.AST, field: str, part: int) -> str:
    parts = getattr(node, field)
    left = parts[:part] + parts[part + 1 :]
    return ast.unparse(left[0]) if field == "values" and len(left) == 1 else _with(node, **{field: left})
