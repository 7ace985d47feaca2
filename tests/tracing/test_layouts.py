"""Provenance and citations of rents in every layout, selected or computed, and after a file."""

import io
import re

import pandas as pd
import pytest

import suburb_pandas as sp

NAMES = ["Quokka Bay", "Bilby Heights", "Woylie"]

LAYOUTS = {
    "long": lambda **how: sp.rent(NAMES, **how),
    "tidy": lambda **how: sp.rent(NAMES, layout="tidy", **how),
    "wide": lambda **how: sp.rent(NAMES, layout="wide", **how),
    "houses": lambda **how: sp.rent(NAMES, layout="wide", **how)["house"],
    "units": lambda **how: sp.rent(NAMES, layout="wide", **how)["unit"],
    "one": lambda **how: sp.rent(NAMES[0], **how),
    "one, tidy": lambda **how: sp.rent(NAMES[0], layout="tidy", **how),
    "one, wide": lambda **how: sp.rent(NAMES[0], layout="wide", **how),
}
FUNCTIONS = {
    "resample": lambda frame: sp.resample(frame, "QE", how="mean"),
    "growth": lambda frame: sp.growth(frame, "1Y", smooth="91D"),
    "resample, growth": lambda frame: sp.growth(sp.resample(frame, "ME"), "3M"),
    "resample, rent_index": lambda frame: sp.rent_index(sp.resample(frame, "QE")),
    "cadence": sp.cadence,
    "quality": lambda frame: sp.quality(frame, asof="2026-05-01"),
}
SELECTION = {"start": "2021", "end": "2024-06"}
CSV = {"wide": {"header": [0, 1], "index_col": 0}, "one, wide": {"header": [0, 1], "index_col": 0}}


def operations_in(sentence):
    """Return the names of the operations in a citation that vouches for the values."""
    assert "computed with" in sentence
    assert "other operations" not in sentence
    return re.findall(r"(\w+)\(", sentence.split(" from data of ", maxsplit=1)[0])


def names_behind(frame):
    """Return the suburbs behind a frame."""
    return sp.provenance(frame).index.to_list()


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("embedded")
def test_what_was_computed_in_a_layout_is_computed_again(layout, name):
    """The citation of a result in any layout vouches for its values and names the operations."""
    found = FUNCTIONS[name](LAYOUTS[layout]())
    expected = ["Quokka Bay"] if layout.startswith("one") else NAMES
    assert operations_in(sp.cite(found)) == name.split(", ")
    assert set(names_behind(found)) <= set(expected)
    assert set(names_behind(found)) >= set(expected) - {"Woylie"}  # it has no units


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("embedded")
def test_a_selection_is_cited_as_one(layout):
    """A selected frame is compared value by value. Its digest is that of the values in it, in every layout."""
    found, sliced = LAYOUTS[layout](**SELECTION), LAYOUTS[layout]()
    if "tidy" in layout:
        sliced = sliced[sliced["date"].between("2021-01-01", "2024-06-30")]
    else:
        sliced = sliced.sort_index().loc["2021":"2024-06"]
    assert 'selected with rent(start="2021-01-01", end="2024-06-30") from data of' in sp.cite(found)
    assert sp.cite(found).split("SHA-256")[1] == sp.cite(sliced).split("SHA-256")[1]
    pd.testing.assert_frame_equal(sp.provenance(found), sp.provenance(sliced))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("embedded")
def test_what_was_computed_after_a_selection_is_computed_again(layout):
    """The recomputation repeats the selection, before and after other operations, so the citation vouches for it."""
    points, quarters = LAYOUTS[layout](**SELECTION), LAYOUTS[layout](freq="QE", **SELECTION)
    assert operations_in(sp.cite(sp.growth(points))) == ["rent", "growth"]
    assert operations_in(sp.cite(quarters)) == ["resample", "rent"]
    assert operations_in(sp.cite(sp.growth(quarters))) == ["resample", "rent", "growth"]


@pytest.mark.parametrize("layout", ["tidy", "wide", "houses"])
@pytest.mark.usefixtures("embedded")
def test_a_changed_value_is_found_in_every_layout(layout):
    """A value that no response gave is refused, and the citation of a changed result does not vouch for it."""
    selected, grown = LAYOUTS[layout](**SELECTION), sp.growth(LAYOUTS[layout](**SELECTION))
    for frame in (selected, grown):
        frame.iloc[-1, -1 if layout == "tidy" else 0] = 12345.0
    with pytest.raises(sp.errors.ProvenanceError, match=r"1 value of this frame is in no response.*is 12345"):
        sp.cite(selected)
    assert "(not reproduced, so other operations or changed values are possible)" in sp.cite(grown)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("embedded")
def test_a_column_that_was_computed_again_is_not_called_unchecked(layout):
    """The citation of a result names no column as unchecked if its values were computed again and compared."""
    for found in (sp.growth(LAYOUTS[layout]()), LAYOUTS[layout](freq="QE")):
        assert "not checked" not in sp.cite(found)


@pytest.mark.parametrize(("layout", "column"), [("tidy", "house"), ("one, tidy", "unit"), ("long", "rent")])
@pytest.mark.usefixtures("embedded")
def test_an_own_column_of_a_result_is_called_unchecked_in_its_layout(layout, column):
    """A column of the user's own is named as unchecked even if a column of another layout has its name."""
    grown = sp.growth(LAYOUTS[layout]()).assign(**{column: 1.0})
    assert f"; the column '{column}' was not checked" in sp.cite(grown)


@pytest.mark.usefixtures("embedded")
def test_a_value_of_no_property_type_is_in_no_response():
    """A tidy row without a property type is not vouched for, whatever its value, loaded or computed."""
    rents = sp.rent(NAMES, layout="tidy")
    without, grown = (frame.assign(property_type=None) for frame in (rents, sp.growth(rents)))
    with pytest.raises(sp.errors.ProvenanceError, match=f"{len(rents)} values of this frame are in no response"):
        sp.provenance(without)
    assert "(not reproduced, so other operations or changed values are possible)" in sp.cite(grown)


@pytest.mark.usefixtures("embedded")
def test_dates_may_be_a_column_of_one_property_type():
    """`wide["house"].reset_index()` is cited like the frame itself, as it is resampled like it."""
    houses = LAYOUTS["houses"]()
    assert sp.cite(houses.reset_index()) == sp.cite(houses)


@pytest.mark.usefixtures("embedded")
def test_one_suburb_from_a_csv_file_is_cited_once_it_is_named():
    """A CSV file does not say of which suburb the frame of one is. The line in the error adds the name."""
    frame, name = LAYOUTS["one"](), NAMES[0]
    back = pd.read_csv(io.StringIO(frame.to_csv()))
    with pytest.raises(sp.errors.ProvenanceError, match=r"sp\.cite\(frame\.assign\(area_name=name\)\)"):
        sp.cite(back)
    assert sp.cite(back.assign(area_name=name)) == sp.cite(frame)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("embedded")
def test_rows_of_a_result_are_cited_like_the_whole(layout):
    """A part of a computed frame is still a part of what is computed again."""
    found = sp.growth(LAYOUTS[layout]())
    assert operations_in(sp.cite(found.iloc[len(found) // 2 :])) == ["growth"]


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if layout not in {"houses", "units", "one"}])
@pytest.mark.usefixtures("embedded")
def test_rents_from_a_csv_file_are_cited_and_computed_with(layout):
    """Rents that went through a CSV file have the digest of the frame that was written."""
    frame = LAYOUTS[layout]()
    back = pd.read_csv(io.StringIO(frame.to_csv()), **CSV.get(layout, {}))
    assert sp.cite(back) == sp.cite(frame)
    pd.testing.assert_frame_equal(sp.provenance(back), sp.provenance(frame))
    with pytest.raises(sp.errors.ProvenanceError):  # without attrs, nothing says how growth was computed
        sp.cite(sp.growth(frame).pipe(lambda grown: pd.read_csv(io.StringIO(grown.to_csv()), **CSV.get(layout, {}))))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.usefixtures("embedded")
def test_frames_from_parquet_are_cited_and_computed_with(layout, tmp_path):
    """Parquet keeps the attrs, so rents and results can be cited, and rents computed with, after a file."""
    pytest.importorskip("pyarrow")
    rents = LAYOUTS[layout](**SELECTION)
    for frame in (sp.growth(rents), rents):
        frame.to_parquet(tmp_path / "frame.parquet")
        back = pd.read_parquet(tmp_path / "frame.parquet")
        assert sp.cite(back) == sp.cite(frame)
    again, expected = sp.resample(back, "QE"), sp.resample(rents, "QE")
    pd.testing.assert_frame_equal(again, expected, check_column_type=False)
    assert sp.cite(again) == sp.cite(expected)
