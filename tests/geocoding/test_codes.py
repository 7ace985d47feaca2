"""Tests the codes of the ABS, as tables have them in place of names."""

import pandas as pd

import suburb_pandas as sp
from tests.geocoding.listed import load


def test_codes_of_the_abs_are_names(live, tmp_path):
    """A frame with the ABS's codes alone finds its suburbs. A cassette and the store keep the codes."""
    codes, names = ["SAL10490", "SAL10491"], ["Quokka Bay", "Woylie"]
    load("SAL_NAME_2021,SAL_CODE_2021,STATE_NAME_2021\nQuokka Bay,10490,WA\nWoylie,10491,WA")
    frame = pd.DataFrame({"sal code 2021": [codes[0], 10491.0]})
    for record in ("once", "none"):
        with sp.cassette(tmp_path / "study.yaml", record):
            assert frame.suburb.resolve().to_list() == names
            assert frame.suburb.places()["sal_code"].to_list() == codes
            assert frame.suburb.join_places("state")["state"].to_list() == ["WA", "WA"]
            assert list(frame.suburb.rent()["area_name"].unique()) == names
    with sp.connect(api_key=live.settings.api_key, store=live.store.path):
        assert frame.suburb.resolve().to_list() == names
