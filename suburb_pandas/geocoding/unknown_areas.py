"""Warns of councils and SA4s: of one in which no known suburb lies, and of queries that may be councils, not suburbs.

No code uses the suggestions.
"""

import re
from collections.abc import Collection, Hashable, Sequence
from typing import Final

from suburb_pandas.client import known_names
from suburb_pandas.client.context import RequestContext
from suburb_pandas.errors import SuburbWarning
from suburb_pandas.frames.column import is_common
from suburb_pandas.frames.schema import AREA_NAME
from suburb_pandas.messages import joined, warn
from suburb_pandas.names.gazetteer import Gazetteer, lies_in
from suburb_pandas.names.readings import Query, fold_region, without_council_kind
from suburb_pandas.names.sal import is_sal_column

_COUNCILS: Final = re.compile(r"(lga|council|local_government)(_?area)?(_?name)?(_?\d{2,4})?", re.IGNORECASE)
_FEWEST: Final = 5  # texts; a few suburbs have the name of a council
_SHOWN: Final = 3
_SIMILAR: Final = 75  # of 100, which rapidfuzz gives to equal texts and to a text that is part of the other


def warn_if_unknown(context: RequestContext, gazetteer: Gazetteer, lga: str | None, sa4: str | None) -> None:
    """Warn of each area in which no place of a gazetteer lies, unless another warning says that no list is loaded."""
    if known_names.how_to_know_more(context):
        return
    for kind, area in {"lga": lga, "sa4": sa4}.items():
        if area is not None and not any(lies_in(place, **{kind: area}) for place in gazetteer):
            # A replay knows only the places on its cassette, and has to say the same as the recording.
            known = {getattr(place, kind) for place in gazetteer if context.cassette is None} - {None}
            warn(f"No suburb is known to lie in {kind}={area!r}. {_advice(kind, area, known)}", SuburbWarning)


def warn_if_councils(context: RequestContext, queries: Sequence[Query], label: Hashable) -> None:
    """Warn if the queries of a column with this label may be councils: by the label, or by most of the texts."""
    called = label.replace(" ", "_") if isinstance(label, str) else ""
    is_called_after_councils = _COUNCILS.fullmatch(called) is not None
    texts = list(dict.fromkeys(query.text for query in queries))
    is_of_suburbs = called == AREA_NAME or is_common(called) or is_sal_column(called)
    if not texts or is_of_suburbs or (len(texts) < _FEWEST and not is_called_after_councils):
        return
    suburb_of = _councils(known_names.gazetteer_of(context), queries)
    if is_called_after_councils:
        why = f"The column {label!r} seems to hold councils"
    elif len(suburb_of) > len(texts) / 2:
        why = f"{len(suburb_of)} of {len(texts)} texts are names of councils"
    else:
        return
    if suburb_of:
        known_names.carry(context, filter(None, suburb_of.values()))  # so that a replay knows these councils
    load = known_names.line_that_loads(context, {"lga"})
    warn(
        f"{why}, but each text was read as the name of a suburb. To list the suburbs of a council, run "
        f"{load and f'{load}, then '}sp.places(lga={[*suburb_of, *texts][0]!r})",
        SuburbWarning,
    )


def _councils(gazetteer: Gazetteer, queries: Sequence[Query]) -> dict[str, str]:
    """Return the texts that are names of councils, each with one suburb there; an empty text if none is known.

    A text with the kind of a council is one, and a text with a postcode is a suburb.
    """
    known = gazetteer.suburb_of_council
    texts = dict.fromkeys(query.text for query in queries if query.postcode is None)
    found = {text: known.get(fold_region(text), "") if known else "" for text in texts}
    return {text: suburb for text, suburb in found.items() if suburb or without_council_kind(text) != text}


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
