"""Warns of a council or SA4 in which no known suburb lies, and suggests similar ones. No code uses the suggestions."""

from collections.abc import Collection
from typing import Final

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.messages import joined, warn
from suburb_pandas.names.gazetteer import Gazetteer, lies_in
from suburb_pandas.names.readings import fold_region

_SHOWN: Final = 3
_SIMILAR: Final = 75  # of 100, which rapidfuzz gives to equal texts and to a text that is part of the other


def warn_if_unknown(context: RequestContext, gazetteer: Gazetteer, lga: str | None, sa4: str | None) -> None:
    """Warn of each area in which no place of a gazetteer lies, unless no list is loaded."""
    if known_names.what_is_known(context):
        return
    for kind, area in {"lga": lga, "sa4": sa4}.items():
        if area is not None and not any(lies_in(place, **{kind: area}) for place in gazetteer):
            # A replay knows only the places on its cassette, and has to say the same as the recording.
            known = {getattr(place, kind) for place in gazetteer if context.cassette is None} - {None}
            warn(f"No suburb is known to lie in {kind}={area!r}. {_advice(kind, area, known)}", SuburbWarning)


def _advice(kind: str, area: str, known: Collection[str]) -> str:
    near = _similar(area, known)
    if near:
        return f"Did you mean {joined([f'{kind}={each!r}' for each in near], 'or')}?"
    return f'To list every {kind} that is known here: sp.places()["{kind}"].unique()'


def _similar(area: str, known: Collection[str]) -> list[str]:
    """Return the few known areas that are most similar to a text, the most similar first."""
    from rapidfuzz import fuzz, process  # noqa: PLC0415 - keeps `import suburb_pandas` fast

    found = process.extract(
        area, sorted(known), scorer=fuzz.WRatio, processor=fold_region, limit=_SHOWN, score_cutoff=_SIMILAR
    )
    return [name for name, _, _ in found]
