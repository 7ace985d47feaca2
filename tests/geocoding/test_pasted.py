"""Tests texts that a person pastes into the picker: any text, and a replay."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import suburb_pandas as sp
from suburb_pandas.geocoding.pasted import settle, split
from suburb_pandas.names import sal
from suburb_pandas.names.written import is_no_name
from tests.support.made_up import NAMES

PIECES = st.one_of(
    st.sampled_from([*NAMES, *map(str.lower, NAMES), "lantern bay", "magpie flat nsw", "Quoka Bay", "Bondi", "1/2 x"]),
    st.sampled_from(["NSW", "tas.", "Western Australia", "6171", "7241", "WA 6171"]),
    st.text(max_size=12),
)
TEXTS = st.lists(st.tuples(PIECES, st.sampled_from([",", ", ", ";", "\n", "\r\n", "\t", " \n "])), max_size=8).map(
    lambda pairs: "".join(piece + separator for piece, separator in pairs)
)


@pytest.mark.parametrize("step", [1, 2])
def test_each_part_is_settled_as_resolve_does_without_a_look_up_or_listed(live, service, step):
    """Whatever is settled is a known name, the one that ``sp.resolve`` returns; every other part is listed.

    This holds for a complete list and for a part of the names.
    """
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": NAMES[::step]}), complete=step == 1)

    @given(TEXTS)
    def check(text):
        found, parts = settle(text), [part for part in split(text) if not is_no_name(part)]
        unsettled = [one.text for one in found.unsettled]
        assert [part for part in parts if part in unsettled] == unsettled
        settled = sp.resolve([part for part in parts if part not in unsettled], detail=True)["area_name"]
        assert found.names == tuple(dict.fromkeys(settled))
        assert {*found.names} <= {*NAMES[::step]}
        for one in found.unsettled:
            with pytest.raises(sp.SuburbError):
                sp.resolve(one.text, offline=True)
            assert {*one.candidates} <= {*NAMES[::step], *sal.SPECIAL}
            assert (one.why != "", len(one.candidates) <= 5) == (True, True)

    check()
    assert not service.requests


def test_a_replay_settles_the_same(live, tmp_path):
    """A cassette carries the names that a text meant, from a look-up or a list, and leaves the same parts unsettled.

    A text that often stands for a missing name is a name if the list has it.
    """
    sp.find("quokka bay")
    sp.load_gazetteer(pd.DataFrame({"SAL_NAME21": [*NAMES[1:], "Na"]}))
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            found = settle("quokka bay, Lantern Bay, Tas., quokka bay vic, Na, n.a., magpie flat, quoka bay")
        assert found.names == ("Quokka Bay", "Lantern Bay (Tas.)", "Na")
        assert [one.text for one in found.unsettled] == ["quokka bay vic", "magpie flat", "quoka bay"]
