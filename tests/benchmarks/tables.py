"""Prints the tables of the benchmarks in Markdown."""


def head(*columns):
    """Print the first lines of a table."""
    row(*columns)
    print("|" + "---|" * len(columns))


def row(*cells):
    """Print a row of a table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)
