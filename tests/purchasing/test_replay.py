"""Replayed cassettes: the same frames without a key, a network, a store or any cost."""

import socket
import warnings

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

import suburb_pandas as sp
from tests.support.common import LIVE_KEY, forget_default, replace_connect
from tests.support.recorded import MADE_UP, call, written

BAY, HEIGHTS, WOYLIE = "Quokka Bay", "Bilby Heights", "Woylie"
NAMES = [BAY, HEIGHTS, WOYLIE]


@pytest.fixture
def alone(monkeypatch):
    """Return a function that removes the client and the key, and fails the test if a store or a network is used."""

    def remove():
        def refuse(*_, **__):
            raise AssertionError("a replay must not use this")

        forget_default()
        monkeypatch.setattr(socket.socket, "connect", refuse)
        replace_connect(monkeypatch, refuse)
        monkeypatch.setattr("suburb_pandas.sandbox.serve", refuse)

    return remove


def study():
    """Return one result of each function that a cassette can answer."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuburbWarning)
        rents = sp.rent([*NAMES, "Thorny Devil"])
        return {
            "rents": rents,
            "quarters": sp.rent(NAMES, freq="QE", how="mean", layout="wide"),
            "drivers": sp.impacts(BAY),
            "card": sp.scorecard([*NAMES, "No Such Suburb"], at="2026-03-31"),
            "found": sp.find("kestrel hill", state="Vic."),
            "resolved": sp.resolve(["quokka bay", "kestrel hill vic"]).to_frame(),
            "joined": pd.DataFrame({"suburb": [BAY], "date": pd.to_datetime(["2024-05-14"])}).suburb.join_rent(),
            "provenance": sp.provenance(rents),
        }


@pytest.mark.parametrize("key", [None, LIVE_KEY])
def test_a_reader_gets_the_same_frames(key, service, tmp_path, path, alone):
    """Each replay gives the same values, dtypes, attrs and provenance as the recording, whether paid or free."""
    paying = {"api_key": key, "base_url": service.url, "store": tmp_path / "s"} if key else {}
    with sp.connect(**paying), sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.errors.SyntheticDataWarning)
        recorded = study()
    alone()
    with sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("error", sp.errors.SyntheticDataWarning)
        for _ in range(2):
            for name, frame in study().items():
                assert_frame_equal(frame, recorded[name])
                assert frame.attrs == recorded[name].attrs


def test_replay_touches_neither_store_nor_ledger(live, service, path):
    """Replay changes no byte of the store and of the ledger, and makes no call, even of a closed client."""
    with sp.cassette(path):
        sp.rent(NAMES)
    sent, before, closed = len(service.requests), sp.ledger(), sp.Client(api_key="test")
    closed.close()
    bytes_before = live.store.path.read_bytes()
    with sp.cassette(path, "none"):
        sp.rent(NAMES, refresh=True)
        sp.rent(BAY, max_age="1s")
        sp.rent(BAY, offline=True, client=closed)
        assert_frame_equal(sp.ledger(), before)
    assert len(service.requests) == sent
    assert live.store.path.read_bytes() == bytes_before


def test_real_data_are_not_called_made_up_and_made_up_ones_never_pass_for_real(path, alone):
    """The source and the made-up mark of a replayed frame come from the recording, whichever client replays it."""
    made_up = call(WOYLIE, source="embedded", headers=MADE_UP)
    path.write_bytes(written(call(BAY), call(HEIGHTS, source="sandbox"), made_up))
    alone()
    with sp.cassette(path), warnings.catch_warnings():
        warnings.simplefilter("error")
        frames = [sp.rent(name) for name in NAMES] + [sp.rent(NAMES)]
    assert ["made_up" in frame.attrs["suburb_pandas"] for frame in frames] == [False, False, True, True]
    assert sp.provenance(frames[-1])["source"].to_list() == ["live", "sandbox", "embedded"]
