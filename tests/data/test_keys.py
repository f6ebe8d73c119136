"""Which columns refer to a table, at the borders of each condition; and what is told of tables."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from possilog.data import read
from possilog.data.reading import sheets
from possilog.data.reading.intake import Intake
from possilog.data.tables.composite import find_composite
from possilog.data.tables.finding import _overlap
from possilog.data.tables.keys import (
    _can_be_key,
    _is_called_like,
    _is_short_for,
    _is_used,
    _Target,
    find_keys,
    points_nowhere,
)
from possilog.data.tables.table import RawTable, TableColumn

WORDS = [f"k{number}" for number in range(20)]
SMALL = [str(number) for number in range(1, 21)]
FAR = [str(number) for number in range(100, 120)]


def refers(name: str, values: list[str], keys: list[str], rows: int = 3, **said: bool) -> bool:
    """Does a column refer to a table with these keys, where each of its values stands in so many rows?"""
    column, target = TableColumn.of(name, values * rows), _Target("things", TableColumn.of("id", keys))
    asked = {"by_name": False, "is_own": False, "is_key": False, "guess": True, **said}
    return target.is_meant_by(column, len({*values} & {*keys}), **asked)


@pytest.mark.parametrize(
    ("values", "by_name", "is_meant"),
    [
        (WORDS[:9] + ["x"], False, True),  # nine of ten are keys
        (WORDS[:17] + ["x", "y"], False, False),
        (WORDS[:2], False, False),  # two values are too few
        (WORDS[:3], False, True),
        (WORDS[:2] + ["x", "y"], True, True),  # half is enough for a column that is called like the table
        (WORDS[:2] + ["x", "y", "z"], True, False),
    ],
)
def test_words_refer_to_a_table_that_has_nearly_all_of_them(values: list[str], by_name: bool, is_meant: bool) -> None:
    assert refers("what", values, WORDS, by_name=by_name) == is_meant
    assert refers("what", values, WORDS, by_name=by_name, is_key=True, guess=False) == is_meant


@pytest.mark.parametrize(
    ("name", "values", "keys", "said", "is_meant"),
    [
        ("what", SMALL, SMALL, {}, True),
        ("what", SMALL, SMALL, {"guess": False}, False),
        ("what", SMALL, SMALL, {"is_key": True}, False),
        ("what", SMALL[:16], SMALL, {}, True),  # four fifths of the keys
        ("what", SMALL[:15], SMALL, {}, False),
        ("what", [*SMALL, "21"], SMALL, {}, False),  # one is no key
        ("points", SMALL, SMALL, {}, False),  # such numbers count something
        ("what", SMALL[:9], SMALL[:9], {}, False),  # nine keys are too few
        ("what", SMALL[:10], SMALL[:10], {}, True),
        ("what", FAR[:4], FAR, {}, True),  # no small numbers: a fifth of the keys will do
        ("what", FAR[:3], FAR, {}, False),
        ("what", FAR[:4], ["99", *FAR[1:]], {}, False),
        ("what", FAR[:4], [*FAR[:19], "x"], {}, False),
        ("other_id", SMALL[:10], SMALL, {"guess": False}, True),  # by its name it holds keys: half of them will do
        ("other_id", SMALL[:9], SMALL, {"guess": False}, False),
        ("boss", SMALL[:3], SMALL, {"is_own": True}, True),
        ("what", SMALL, SMALL, {"is_own": True}, False),
        ("boss", [*SMALL, "21"], SMALL, {"is_own": True}, False),
    ],
)
def test_numbers_refer_to_a_table_where_chance_would_not_have_it(
    name: str, values: list[str], keys: list[str], said: dict[str, bool], is_meant: bool
) -> None:
    assert refers(name, values, keys, **said) == is_meant


@pytest.mark.parametrize(("rows", "is_meant"), [(1, False), (2, True)])
def test_numbers_that_hardly_come_again_are_no_references(rows: int, is_meant: bool) -> None:
    assert refers("what", SMALL, SMALL, rows) == is_meant


@pytest.mark.parametrize(
    ("one", "other", "overlap"),
    [("abc", "cde", True), ("abcd", "defgh", False), ("abc", "def", False), ("abcdefghij", "hijxyzuvwpqrst", True)],
)
def test_two_columns_are_of_one_kind_if_the_smaller_shares_three_tenths_of_its_values(
    one: str, other: str, overlap: bool
) -> None:
    columns = TableColumn.of("one", list(one)), TableColumn.of("other", list(other))
    assert _overlap(*columns) == _overlap(*columns[::-1]) == overlap


@pytest.mark.parametrize(
    ("cells", "unique"), [([], False), ([None], False), (["a"], True), (["a", "b", None], False), (["a", "a"], False)]
)
def test_a_column_is_unique_where_each_row_has_a_value_of_its_own(cells: list[str | None], unique: bool) -> None:
    assert TableColumn.of("c", cells).is_unique == unique


@pytest.mark.parametrize(
    ("key", "taken"),
    [((), ()), (("id",), ("id",)), (("id", "name"), ("id", "name")), (("id", "area"), ()), (("area",), ())],
)
def test_a_key_in_postgres_stands_where_all_its_columns_can_be_read(
    key: tuple[str, ...], taken: tuple[str, ...]
) -> None:
    postgres = pytest.importorskip("possilog.data.reading.postgres")
    types = {"id": ("integer", "N"), "name": ("text", "S"), "more": ("text", "S"), "area": ("polygon", "G")}
    sheet = postgres._sheet(None, "db", "places", "public.places", types, (key, []), Intake())
    assert sheet.key == taken and sheet.labels == ("id", "name", "more")


@pytest.mark.parametrize(("tables", "said"), [(2, None), (3, "and 1 more remarks"), (5, "and 3 more remarks")])
def test_of_many_remarks_the_first_are_given_and_the_rest_counted(
    tables: int, said: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sheets, "_MOST_REMARKS", 2)
    for number in range(tables):
        (tmp_path / f"t{number}.csv").write_text("id,city,size\na,x,1\nb,y,2\n")
    mapping = read(tmp_path).mapping
    for file in tmp_path.iterdir():
        file.write_text(f"{file.read_text()},z,3\n")  # a row without a key
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        read(tmp_path, mapping=mapping)
    messages = [str(one.message) for one in told]
    assert len(messages) == min(tables, 2) + (said is not None)
    assert said is None or messages[-1] == said


@pytest.mark.parametrize(
    ("word", "name", "is_short"),
    [
        ("cust", "customer", True),
        ("cus", "customer", True),
        ("cu", "customer", False),  # two letters are too few
        ("dept", "department", True),  # the beginning, and the last letter
        ("det", "department", False),
        ("depx", "department", False),
        ("customer", "customer", False),
        ("customers", "customer", False),
        ("", "customer", False),
    ],
)
def test_a_word_is_short_for_a_name_by_its_beginning(word: str, name: str, is_short: bool) -> None:
    assert _is_short_for(word, name) == is_short


def composite(rows: Sequence[tuple[object, ...]], *names: str) -> tuple[str, ...]:
    """The key of several columns that is found, where ``order`` refers to another table."""
    columns = (
        TableColumn.of(name, list(map(str, cells))) for name, cells in zip(names, zip(*rows, strict=True), strict=True)
    )
    return find_composite(RawTable("lines", tuple(columns), len(rows)), ["order"])


def test_a_key_leaves_something_to_be_said() -> None:
    lines = [(f"o{row // 4}", row % 4, "x") for row in range(40)]
    assert composite(lines, "order", "line", "sum") == ("order", "line")
    assert composite([line[:2] for line in lines], "order", "line") == ()


@pytest.mark.parametrize(("rows", "lines", "found"), [(10, 5, False), (11, 4, False), (12, 4, True), (12, 6, True)])
def test_few_rows_differ_by_chance(rows: int, lines: int, found: bool) -> None:
    """Of 12 rows there are 66 pairs, and of 12 possible rows five would be alike by chance."""
    cells = [(f"o{row // lines}", row % lines, "x") for row in range(rows)]
    assert composite(cells, "order", "line", "sum") == (("order", "line") if found else ())


def test_no_rows_have_no_key() -> None:
    columns = tuple(TableColumn.of(name, []) for name in ("order", "line", "sum"))
    assert find_composite(RawTable("lines", columns, 0), ["order"]) == ()


@pytest.mark.parametrize(("codes", "found"), [(100, True), (101, False)])
def test_a_code_of_a_key_occurs_again_and_again(codes: int, found: bool) -> None:
    rows: list[tuple[object, ...]] = [("a", 1, f"c{row}", "x") for row in range(codes)]
    rows += [("a", 2, f"c{row}", "x") if row % 2 else ("b", 1, f"c{row}", "x") for row in range(200 - codes)]
    assert composite(rows, "order", "line", "flight", "sum") == (("order", "line", "flight") if found else ())


@pytest.mark.parametrize(
    ("values", "can_be"),
    [
        (["1", "2", "3"], True),
        (["a", "b"], True),
        (["1.5", "2"], False),
        (["1E5", "2.5e-3"], False),
        (["1.5", "two"], True),
        (["2020-01-02", "2020-01-03 12:00"], False),
        (["1/2/2020"], False),
        (["2020-01-02", "later"], True),
        (["١.٥"], True),  # digits of another script are names
        (["a" * 60, "b" * 60], True),
        (["a" * 60, "b" * 61], False),
    ],
)
def test_what_can_be_a_key(values: list[str], can_be: bool) -> None:
    assert _can_be_key(TableColumn.of("c", values)) == can_be


@pytest.mark.parametrize(
    ("name", "values", "used"),
    [
        ("what", WORDS[:3], True),
        ("what", WORDS[:2], False),
        ("what", [*WORDS[:9], "x"], True),
        ("what", [*WORDS[:8], "x"], False),
        ("what", SMALL, False),
        ("what", [*SMALL[:10], *WORDS[:10]], True),  # half are no numbers
        ("what", [*SMALL[:11], *WORDS[:10]], False),
        ("thing", ["1"], True),
        ("thing_id", ["1", "x"], True),
        ("thing_id", ["1", "x", "y"], False),
        ("thing", [], False),
    ],
)
def test_what_refers_to_a_key(name: str, values: list[str], used: bool) -> None:
    key = TableColumn.of("id", WORDS + SMALL)
    assert _is_used("things", key, [TableColumn.of(name, values)]) == used
    assert _is_used("things", key, [TableColumn.of("other", ["-"]), TableColumn.of(name, values)]) == used


@pytest.mark.parametrize(("values", "inside"), [(WORDS[:2] + ["x", "y"], None), (WORDS[:2] + ["x", "y", "z"], 2)])
def test_what_is_called_like_a_table_and_does_not_refer_to_it(values: list[str], inside: int | None) -> None:
    things = RawTable("things", (TableColumn.of("id", WORDS),), len(WORDS))
    said = f"{inside} of {len(values)} values are keys of things, so it does not refer to it" if inside else ""
    column = TableColumn.of("thing_id", values)
    assert points_nowhere(column, [things], {"things": ("id",)}) == said
    assert points_nowhere(column, [things], {"things": ()}) == ""
    assert points_nowhere(TableColumn.of("other", values), [things], {"things": ("id",)}) == ""


@pytest.mark.parametrize(
    ("column", "table", "key", "is_called"),
    [
        ("id", "teams", "id", False),
        ("code", "teams", "team_code", False),
        ("team_code", "units", "team_code", True),
        ("teamid", "teams", "id", True),
        ("team", "sales.teams", "id", True),
        ("city", "cities", "id", True),
        ("box", "boxes", "nr", True),
        ("box_nr", "boxes", "nr", True),
        ("old_box", "boxes", "nr", True),
        ("box_age", "boxes", "nr", False),
        ("order", "lines", "order_id", True),
        ("cust_id", "customers", "id", True),
        ("cust", "customers", "id", False),
        ("cu_id", "customers", "id", False),
        ("_id", "customers", "id", False),
        ("", "customers", "id", False),
    ],
)
def test_which_columns_are_called_like_a_table(column: str, table: str, key: str, is_called: bool) -> None:
    assert _is_called_like(column, table, key) == is_called


@pytest.mark.parametrize(
    ("columns", "key"),
    [
        ({"name": WORDS, "id": FAR}, "id"),
        ({"name": WORDS, "what": FAR}, "name"),
        ({"points": SMALL, "name": WORDS}, "points"),
        ({"again": ["x"] * 20, "size": FAR, "thing_no": SMALL}, "thing_no"),
        ({"again": ["x"] * 20, "size": FAR, "other_id": SMALL}, "other_id"),
        ({"again": ["x"] * 20, "size": FAR}, None),
        ({"again": ["x"] * 20}, None),
    ],
)
def test_the_likeliest_key(columns: dict[str, list[str]], key: str | None) -> None:
    table = RawTable("things", tuple(TableColumn.of(*column) for column in columns.items()), 20)
    assert find_keys([table]) == {"things": () if key is None else (key,)}


def test_the_key_that_others_use() -> None:
    columns = {"id": SMALL, "name": WORDS, "more": FAR}
    table = RawTable("things", tuple(TableColumn.of(*column) for column in columns.items()), 20)
    for cells, key in ((WORDS[:5] * 2, "name"), (SMALL[:5] * 2, "id"), (["x", "y", "z"] * 2, "id")):
        other = RawTable("others", (TableColumn.of("what", cells),), len(cells))
        assert find_keys([table, other])["things"] == (key,)


def test_long_numbers_are_keys_by_all_their_digits(tmp_path: Path) -> None:
    path = tmp_path / "things.csv"
    path.write_text("id,city,size\n" + "".join(f"{10**30 + row},c{row % 2},{row % 3}\n" for row in range(6)))
    things = read(path)
    assert things.mapping is not None and things.mapping.tables[0].key == ("id",)
    assert f"city({10**30 + 5}, c1)" in {atom.as_fact for atom in things}
