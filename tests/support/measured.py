"""Puts measured figures into a page, with the day and the machine that they were measured on, so that none is typed."""

import os
import platform
import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pandas as pd

BEGIN, END = "<!-- measured -->", "<!-- end of what was measured -->"


def circumstances() -> str:
    """Return the day, the machine and the versions of a measurement, for a sentence."""
    return (
        f"{datetime.now(UTC):%Y-%m-%d}, {os.cpu_count()} cores of {processor()}, {platform.system()}, "
        f"Python {platform.python_version()}, pandas {pd.__version__}, numpy {np.__version__}"
    )


def processor() -> str:
    """Return the name of the processor, with its frequency where Linux tells it."""
    path = Path("/proc/cpuinfo")
    described = path.read_text(encoding="utf-8") if path.exists() else ""
    name = re.search(r"^model name\s*: (.+)$", described, re.MULTILINE)
    megahertz = re.search(r"^cpu MHz\s*: (.+)$", described, re.MULTILINE)
    if not name:
        return platform.machine()
    return name[1] if not megahertz or "@" in name[1] else f"{name[1]}, {float(megahertz[1]) / 1000:.1f} GHz"


def write(page: Path, measured: str) -> None:
    """Replace the text between the two markers of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, marker, after = rest.partition(END)
    if not marker:
        raise ValueError(f"{page} lacks {BEGIN} or {END}.")
    page.write_text(f"{before}{BEGIN}\n\n{measured.strip()}\n\n{END}{after}", encoding="utf-8")
