"""Records the cassettes that the package's own tests replay."""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import suburb_pandas as sp
from suburb_pandas import settings
from suburb_pandas.sandbox import SANDBOX_NAMES, serve
from suburb_pandas.service.calls import SANDBOX_SUBURBS


def record(folder: Path, *, is_live: bool) -> None:
    """Record a few responses, one call after the other, so that the calls are always in the same order in the file.

    The embedded sandbox answers for rent, impacts and look-ups, the live service for rent and impacts.

    Raises
    ------
    SystemExit
        A call failed, or the file cannot be written. It is as it was.
    """
    path = folder / f"{'live' if is_live else 'embedded'}_sandbox.yaml"
    key = settings.SANDBOX_KEY if is_live else settings.EMBEDDED_KEY
    names = [*SANDBOX_SUBURBS][:3] if is_live else SANDBOX_NAMES[:3]
    try:
        with (
            TemporaryDirectory() as recording,
            serve() as sandbox,
            sp.Client(
                api_key=key, base_url=settings.LIVE_URL if is_live else sandbox.url, store=":memory:", max_workers=1
            ) as client,
            sp.cassette(Path(recording, path.name), record="all") as cassette,
        ):
            sp.rent(names, client=client)
            sp.impacts(names, client=client)
            if not is_live:  # it is not documented whether its sandbox answers look-ups
                sp.find("kestrel hill", state="VIC", client=client)
            shutil.copyfile(cassette.path, path)
    except (sp.SuburbError, OSError) as problem:
        raise SystemExit(f"{path} was not recorded: {problem}") from None
    print(f"{path}: {cassette.n_answers} responses")
