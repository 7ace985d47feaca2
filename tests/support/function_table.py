"""Writes the function table of README.md from the docstrings: ``python -m tests.support.function_table``."""

import inspect
import re
from pathlib import Path

import suburb_pandas as sp

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- functions: python -m tests.support.function_table -->", "<!-- end of functions -->"
GROUPS = {
    "loaders": "Data and their cost",
    "geocoding": "Names",
    "timeseries": "Time",
    "plotting": "Charts, maps and the picker",
    "notebook": "Charts, maps and the picker",
    "tracing": "Sources and reruns",
    "cassettes": "Sources and reruns",
    "client": "Settings",
}
"""The heading for the functions of each folder of the package, in the order of the table."""


def first_sentence(documented):
    """Return the first sentence of a docstring as Markdown, without "Return" and without its full stop."""
    summary = " ".join(inspect.getdoc(documented).partition("\n\n")[0].split())
    summary = re.sub(r":\w+:`(\w+)`", r"`\1`", summary).replace("``", "`")
    sentence = re.split(r"\.(?: |$)", summary, maxsplit=1)[0].removeprefix("Return ")
    return sentence[0].upper() + sentence[1:]


def functions():
    """Return the public functions and classes that belong to a group, by the heading of their group."""
    grouped = {heading: [] for heading in GROUPS.values()}
    for name in sp.__all__:
        folder = getattr(getattr(sp, name), "__module__", "").removeprefix("suburb_pandas.").partition(".")[0]
        if folder in GROUPS:
            grouped[GROUPS[folder]].append(name)
    return grouped


def table():
    """Return the table as Markdown."""
    lines = ["| function | what it does |", "|---|---|"]
    for heading, names in functions().items():
        lines.append(f"| **{heading}** | |")
        lines += [f"| `{name}` | {first_sentence(getattr(sp, name))} |" for name in names]
    return "\n".join(lines)


def with_table(readme):
    """Return the text of README.md with the table between its two markers."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")
