"""Provides the magic ``%%cassette`` for notebooks; recording and replaying are left to cassettes."""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring

from suburb_pandas.cassettes.cassette import cassette


@magic_arguments("%%cassette")
@argument("path", help="the file of the cassette, in quotes if its path has spaces")
@argument("record", nargs="?", default="once", help="once (the default), none, new_episodes or all")
def _cassette(line: str, cell: str, *, shell: Any) -> Any:
    """Record the responses that a cell uses, or replay them, as ``sp.cassette`` does."""
    options = parse_argstring(_cassette, line)
    with cassette(options.path.strip("'\""), options.record):
        return _run(shell, cell)


def _run(shell: Any, cell: str) -> Any:
    """Run a cell and return the value of its last line. Unlike ``run_cell``, raise the errors of the cell."""
    source = shell.transform_cell(cell)
    name, body = shell.compile.cache(source), ast.parse(source).body
    last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), name, "exec"), shell.user_ns)  # noqa: S102 - it is the user's own cell
    if last is None:
        return None
    value = eval(compile(ast.Expression(last.value), name, "eval"), shell.user_ns)  # noqa: S307 - as above
    return None if cell.rstrip().endswith(";") else value


def load(shell: Any) -> None:
    """Register the magic with an IPython shell."""
    magic = partial(_cassette, shell=shell)
    magic.__doc__ = _cassette.__doc__
    shell.register_magic_function(magic, "cell", "cassette")
