"""Tests files of pins: how they decide queries, how they are appended to, and how people may write them."""

import pytest

import suburb_pandas as sp


@pytest.fixture
def path(tmp_path):
    return tmp_path / "names.csv"


def test_a_pin_decides_what_is_ambiguous(embedded, path):
    """A pin decides a query with the same state and postcode, in any spelling, before anything else is considered."""
    path.write_text(
        "query,state,postcode,area_name\nlantern bay,,,Lantern Bay (Tas.)\nMagpie Flat,Vic.,3359,Magpie Flat (SA)\n"
    )
    found = sp.resolve(["Lantern  Bay", "magpie flat"], [None, "VIC"], [None, 3359], pins=path)
    assert found.to_list() == ["Lantern Bay (Tas.)", "Magpie Flat (SA)"]
    with pytest.raises(sp.errors.AmbiguousSuburb):
        sp.resolve("magpie flat", "VIC", pins=path)


def test_what_is_resolved_is_appended(embedded, path):
    """``append_pins=True`` appends the queries that have no pin yet, each once and in order, and begins the file."""
    sp.resolve(["quokka bay", "Quokka Bay", "quokka bay"], [None, "WA", None], pins=path, append_pins=True)
    first = path.read_text()
    assert first == "query,state,postcode,area_name\nquokka bay,,,Quokka Bay\nQuokka Bay,WA,,Quokka Bay\n"
    sp.resolve(["QUOKKA BAY", "lantern bay"], [None, "Tas"], pins=path, append_pins=True)
    assert path.read_text() == first + "lantern bay,TAS,,Lantern Bay (Tas.)\n"


def test_what_resolved_is_appended_although_the_rest_did_not(embedded, path):
    """Resolved queries are appended even if others raise an error. Once these have pins, the same call succeeds."""
    queries = ["quokka bay", "lantern bay"]
    with pytest.raises(sp.errors.AmbiguousSuburb):
        sp.resolve(queries, pins=path, append_pins=True)
    assert path.read_text().splitlines() == [
        "query,state,postcode,area_name,candidates",
        "quokka bay,,,Quokka Bay,",
        "lantern bay,,,,Lantern Bay (NSW); Lantern Bay (Tas.)",
    ]
    path.write_text(path.read_text().replace("lantern bay,,,,", "lantern bay,,,Lantern Bay (NSW),"))
    expected = ["Quokka Bay", "Lantern Bay (NSW)", "Woylie"]
    assert sp.resolve([*queries, "woylie"], pins=path, append_pins=True).to_list() == expected
    assert path.read_text().splitlines()[2:] == [
        "lantern bay,,,Lantern Bay (NSW),Lantern Bay (NSW); Lantern Bay (Tas.)",
        "woylie,,,Woylie,",
    ]


@pytest.mark.parametrize(
    ("queries", "error"),
    [
        ("lantern bay", sp.errors.AmbiguousSuburb),
        (["quokka bay", "lantern bay"], sp.errors.AmbiguousSuburb),
        (["sugrgum"], sp.errors.UnknownSuburb),
    ],
)
def test_the_error_names_the_file_that_has_the_open_queries(embedded, path, queries, error):
    """If the file of pins has the open queries, the error and the warning say that they are to be decided there."""
    with pytest.raises(error, match="was not resolved") as caught:
        sp.resolve(queries, pins=path, append_pins=True)
    message = f" The open queries are in {path}: fill in each empty area_name there, and run the same line again.\n"
    assert message in str(caught.value)
    with pytest.warns(sp.SuburbWarning) as warned:
        sp.resolve(queries, pins=path, append_pins=True, errors="warn")
    assert message in str(warned[0].message)
    with pytest.raises(error) as caught:
        sp.resolve(queries, pins=path)
    assert message in str(caught.value)


def test_the_error_proposes_to_append_open_queries_to_the_file(embedded, path):
    """If the file of pins lacks an open query, the error ends its sentences with the argument that appends it."""
    path.write_text("query,area_name\nlantern bay,\n")
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve(["lantern bay", "sugrgum"], pins=path)
    assert f" or append them to {path} and fill in each area_name there: append_pins=True\n" in str(caught.value)
    with pytest.raises(sp.errors.AmbiguousSuburb) as caught:
        sp.resolve(["lantern bay", "sugrgum"])
    assert " fill in each area_name there: pins='names.csv', append_pins=True\n" in str(caught.value)


def test_an_open_row_is_written_once(embedded, path):
    """A row without a name is open. It is never an error by itself, and running the same again does not repeat it."""
    path.write_text("query,state,postcode,area_name\nquokka bay,,,\nnowhere at all,Narnia,,\n")
    assert sp.resolve("quokka bay", pins=path).to_list() == ["Quokka Bay"]
    for _ in range(2):
        with pytest.warns(sp.SuburbWarning, match="1 ambiguous, 1 unknown"):
            sp.resolve(["lantern bay", "sugrgum"], pins=path, append_pins=True, errors="warn")
    assert path.read_text().splitlines() == [
        "query,state,postcode,area_name,candidates",
        "quokka bay,,,,",
        "nowhere at all,Narnia,,,",
        "lantern bay,,,,Lantern Bay (NSW); Lantern Bay (Tas.)",
        "sugrgum,,,,Sugargum",
    ]


def test_a_row_with_a_state_that_is_none_can_be_decided(embedded, path):
    """A row whose state is no state is open like any other, and a colleague can decide on it."""
    with pytest.warns(sp.SuburbWarning, match="not resolved"):
        sp.resolve(["quokka bay"], state=["Narnia"], pins=path, append_pins=True, errors="warn")
    assert path.read_text().splitlines()[1] == "quokka bay,Narnia,,,Quokka Bay"
    path.write_text(path.read_text().replace("Narnia,,,", "Narnia,,Quokka Bay,"))
    assert sp.resolve(["quokka bay"], state=["Narnia"], pins=path).to_list() == ["Quokka Bay"]


def test_a_region_is_part_of_the_decision(embedded, path):
    """A query with a region has a column for it, and the same text with another region is another query."""
    found = sp.resolve("lantern bay", region="Curlew Shores", pins=path, append_pins=True)
    assert found.to_list() == ["Lantern Bay (NSW)"]
    assert path.read_text().splitlines() == [
        "query,state,postcode,area_name,region",
        "lantern bay,,,Lantern Bay (NSW),Curlew Shores",
    ]
    assert sp.resolve("lantern bay", region="Muttonbird Straits", pins=path).to_list() == ["Lantern Bay (Tas.)"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,state,postcode,area_name,note,note\na,,,Woylie,1,2\n", "has a column name twice"),
        ("query,state,postcode,area_name\na,,,Woylie,more\n", "row 2: 'more' is beyond the last column"),
    ],
)
def test_what_a_new_column_would_mix_up_is_refused(embedded, path, text, message):
    """A file whose rows would move under another label is refused before anything is appended. It can still be read."""
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        sp.resolve("lantern bay", region="Curlew Shores", pins=path, append_pins=True)
    assert path.read_text() == text
    assert sp.resolve("a", pins=path).to_list() == ["Woylie"]


def test_a_byte_order_mark_stays_when_a_column_is_added(embedded, path):
    """A file that Excel wrote keeps its byte order mark when it is written anew with another column."""
    path.write_text("query,state,postcode,area_name\nwoylie,,,Woylie\n", encoding="utf-8-sig")
    sp.resolve("lantern bay", region="Curlew Shores", pins=path, append_pins=True)
    assert path.read_text(encoding="utf-8").startswith("\ufeffquery,state,postcode,area_name,region\n")


def test_a_file_that_cannot_be_written_anew_is_kept(embedded, path, monkeypatch):
    """If a new column cannot be written, the file stays as it was."""
    path.write_text("query,state,postcode,area_name\nwoylie,,,Woylie\n")
    before = path.read_bytes()

    def failing(*_):
        raise OSError(28, "no space")

    monkeypatch.setattr(type(path), "replace", failing)
    with pytest.raises(OSError, match="no space"):
        sp.resolve("lantern bay", pins=path, append_pins=True, errors="warn")
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir() if "pins" in one.name or "names" in one.name] == [path.name]


def test_a_pin_costs_nothing(live, service, path):
    """A query with a pin is not looked up, so a second run is free, even with an empty store."""
    sp.resolve(["quokka bay", "lantern bay nsw"], pins=path, append_pins=True)
    assert service.total_cents == 2
    with sp.connect(api_key=live.settings.api_key, base_url=service.url, store=":memory:"):
        assert sp.resolve(["quokka bay", "Lantern Bay NSW"], pins=path).to_list() == ["Quokka Bay", "Lantern Bay (NSW)"]
    assert service.total_cents == 2


@pytest.mark.parametrize(
    "text",
    [
        "query,area_name\nlantern bay,Lantern Bay (NSW)\n",
        "\ufeffarea_name,query,note\r\nLantern Bay (NSW),lantern bay,as agreed\r\n",
        'query,area_name\n"lantern bay","Lantern Bay (NSW)"',
        "query,area_name\nlantern bay,\nlantern bay,Lantern Bay (NSW)\nlantern bay,Lantern Bay (NSW)\n\n",
    ],
)
def test_people_write_it_in_many_ways(embedded, path, text):
    """A file of pins may have other columns, none for state and postcode, quotes, CRLF line ends or a byte order mark.

    Rows without a name and repeated rows are allowed.
    """
    path.write_bytes(text.encode())
    assert sp.resolve("lantern bay", pins=str(path)).to_list() == ["Lantern Bay (NSW)"]


@pytest.mark.parametrize("first", ["", "query,state,postcode,area_name\r\nwoylie,,,Zamia\r\n"])
def test_a_byte_order_mark_stays_at_the_beginning(embedded, path, first):
    """A file that Excel saved, or an editor saved empty, keeps its byte order mark, and is read again as before."""
    path.write_text(first, encoding="utf-8-sig", newline="")
    expected = ["Zamia" if first else "Woylie", "Quokka Bay"]
    for _ in range(2):
        assert sp.resolve(["woylie", "quokka bay"], pins=path, append_pins=True).to_list() == expected
    lines = path.read_bytes().splitlines()
    assert lines[0] == b"\xef\xbb\xbfquery,state,postcode,area_name"
    assert lines[1:] == [f"woylie,,,{expected[0]}".encode(), b"quokka bay,,,Quokka Bay"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_pins_in_another_encoding_are_refused_and_left_alone(embedded, path, encoding):
    """A file of pins has to be UTF-8. Another encoding is refused, and nothing is appended."""
    path.write_text("query,state,postcode,area_name\ncaf\u00e9,,,Woylie\n", encoding=encoding)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"cannot be read as CSV in UTF-8 .*Nothing was sent"):
        sp.resolve("quokka bay", pins=path, append_pins=True)
    assert path.read_bytes() == before


def test_other_columns_stay(embedded, path):
    """Other columns of a file of pins are kept, and are empty in appended rows."""
    path.write_text("note,query,state,postcode,area_name\nours,woylie,,,Woylie\n")
    sp.resolve("quokka bay", pins=path, append_pins=True)
    assert path.read_text().splitlines()[-1] == ",quokka bay,,,Quokka Bay"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("suburb;name\n", "has the columns suburb;name"),
        ("query,area_name\na,Quokka Bay\nA,Woylie\n", "row 3: 'A' has two names"),
        ("query,area_name\na,..\n", "row 2: '..' cannot be a suburb name"),
        ("query,area_name\n,Woylie\n", "row 2: area_name is filled in, but query is empty"),
        ("area_name,query\nWoylie\n", "row 2: area_name is filled in, but query is empty"),
        ('query,area_name\n"a,b', "cannot be read as CSV"),
    ],
)
def test_what_cannot_be_read_is_said(embedded, path, text, message):
    """A file of pins that cannot be read is an error that names the row, and no call is made."""
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        sp.resolve("lantern bay", pins=path)


def test_no_file(embedded, path):
    """A file of pins must exist unless ``append_pins=True`` begins it. To be appended to, it needs all four columns."""
    with pytest.raises(FileNotFoundError, match="append_pins=True"):
        sp.resolve("quokka bay", pins=path)
    with pytest.raises(ValueError, match=r"pins='names\.csv'"):
        sp.resolve("quokka bay", append_pins=True)
    path.write_text("query,area_name\n")
    with pytest.raises(
        ValueError, match="With append_pins=True, a file of pins needs the columns query, state, postcode, area_name"
    ):
        sp.resolve("quokka bay", pins=path, append_pins=True)


def test_a_pin_that_is_no_suburb_is_given_with_a_warning(embedded, path):
    """A pin for a name that is not in a complete list is used, with a warning."""
    path.write_text("query,area_name\nlantern bay,Lantern By (NSW)\n")
    with pytest.warns(sp.SuburbWarning, match=r"has names that are not in .*: 'Lantern By \(NSW\)'"):
        assert sp.resolve("lantern bay", pins=path).to_list() == ["Lantern By (NSW)"]


def test_one_decision_is_one_line(embedded, path):
    """Spellings of one query share one appended row, which has the line ending of the file."""
    path.write_bytes(b"query,state,postcode,area_name\r\nzamia,,,Zamia")
    sp.resolve(["WOYLIE", "Woylie", "woylie ", "zamia"], pins=path, append_pins=True)
    assert path.read_bytes() == b"query,state,postcode,area_name\r\nzamia,,,Zamia\r\nWOYLIE,,,Woylie\r\n"


def test_no_folder(live, service, path):
    """A missing folder, or a folder in place of the file of pins, is an error before any call is made."""
    with pytest.raises(FileNotFoundError, match="Its folder does not exist either"):
        sp.resolve("quokka bay", pins=path.parent / "none" / "names.csv", append_pins=True)
    with pytest.raises(ValueError, match="cannot be read"):
        sp.resolve("quokka bay", pins=path.parent)
    assert not service.requests
