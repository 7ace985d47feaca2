"""Writes out the abbreviations that people use for words in the names of suburbs: ``Bondi Jct`` for Bondi Junction.

Only suggestions use it, because an abbreviation can stand for several words. ``Mt`` and ``Saint`` always mean the same
word, so names.sal reads them for every purpose.
"""

from __future__ import annotations

from typing import Final

_WORDS: Final = {
    "bch": ("beach",),
    "ck": ("creek",),
    "crk": ("creek",),
    "gdn": ("garden", "gardens"),
    "gdns": ("gardens",),
    "gve": ("grove",),
    "hbr": ("harbour",),
    "hd": ("head",),
    "hl": ("hill",),
    "hls": ("hills",),
    "hts": ("heights",),
    "is": ("island",),
    "isl": ("island",),
    "jct": ("junction",),
    "jn": ("junction",),
    "jnc": ("junction",),
    "lk": ("lake",),
    "lks": ("lakes",),
    "lwr": ("lower",),
    "mtn": ("mountain",),
    "mtns": ("mountains",),
    "nth": ("north",),
    "pde": ("parade",),
    "pk": ("park", "peak"),
    "pt": ("point", "port"),
    "rge": ("range",),
    "riv": ("river",),
    "rvr": ("river",),
    "spgs": ("springs",),
    "sth": ("south",),
    "tce": ("terrace",),
    "upr": ("upper",),
    "vlg": ("village",),
    "vly": ("valley",),
    "wtrs": ("waters",),
}


def written_out(base: str) -> list[str]:
    """Return a folded base with its abbreviations written out; two texts where one can stand for two words.

    >>> written_out("nth lantern bay jct"), written_out("emu pt"), written_out("quokka bay")
    (['north lantern bay junction'], ['emu point', 'emu port'], [])
    """
    words = base.split()
    if _WORDS.keys().isdisjoint(words):
        return []
    meanings = [_WORDS.get(word, (word,)) for word in words]
    return list(dict.fromkeys(" ".join(meaning[end] for meaning in meanings) for end in (0, -1)))
