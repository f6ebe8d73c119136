"""What is told of tables: rows without a key, keys that come again, cells that say nothing, whole."""

from __future__ import annotations

import pytest

from possilog.data.builder import Builder
from possilog.data.tables import RawTable, TableColumn, add_tables
from possilog.errors import DataError
from possilog.logic import Becomes, MappedColumn, MappedTable, TableMapping

SIZE = MappedColumn("size", Becomes.NUMBER, "size", "size")
GOLD = MappedColumn("gold", Becomes.YES, "gold")
DAY = MappedColumn("day", Becomes.DATE, "day", "day")
THINGS = MappedTable("things", "things", ("id",), (SIZE, GOLD, DAY))


def told(mapped: MappedTable, **columns: list[str | None]) -> tuple[list[str], list[str]]:
    """The remarks on a table, and its facts."""
    rows = len(next(iter(columns.values())))
    table = RawTable("things", tuple(TableColumn.of(*column) for column in columns.items()), rows, "t.csv")
    builder = Builder()
    remarks = add_tables([table], TableMapping((mapped,)), builder)
    database = builder.build()
    return remarks, [atom.as_fact for atom in database] + [f"not {atom.as_fact}" for atom in database.denied]


@pytest.mark.parametrize(
    ("ids", "remarks"),
    [
        (["a", "b", "c", "d"], []),
        (["a", "b", "c", "a"], ["1 row has the key (id) of another row, and speak of the same thing"]),
        (["a", "a", "c", "a"], ["2 rows have the key (id) of another row, and speak of the same thing"]),
        (["a", None, "c", None], ["2 rows without a key (id) are left out"]),
        (
            ["a", None, "c", "c"],
            [
                "1 rows without a key (id) are left out",
                "1 row has the key (id) of another row, and speak of the same thing",
            ],
        ),
    ],
)
def test_keys_that_are_missing_or_come_again(ids: list[str | None], remarks: list[str]) -> None:
    found, facts = told(MappedTable("things", "things", ("id",)), id=ids)
    assert found == [f"t.csv: {remark}" for remark in remarks]
    assert facts == [f"things({name})" for name in sorted({name for name in ids if name})]


@pytest.mark.parametrize(
    ("sizes", "golds", "days", "remarks"),
    [
        (["1", "2"], ["yes", "no"], ["2020-01-01", None], []),
        (
            ["1", "x"],
            ["oh", "no"],
            ["2020-01-01", "soon"],
            [
                "1 cell is no number in 'size' and counted as unknown, first 'x' at row 2",
                "1 cell is no yes nor no in 'gold' and counted as unknown, first 'oh' at row 1",
                "1 cell is no date in 'day' and counted as unknown, first 'soon' at row 2",
            ],
        ),
        (
            ["x", "y"],
            ["yes", "yes"],
            [None, None],
            ["2 cells are no number in 'size' and counted as unknown, first 'x' at row 1"],
        ),
    ],
)
def test_cells_that_say_nothing(
    sizes: list[str | None], golds: list[str | None], days: list[str | None], remarks: list[str]
) -> None:
    found, facts = told(THINGS, id=["a", "b"], size=sizes, gold=golds, day=days)
    assert found == [f"t.csv: {remark}" for remark in remarks]
    said = [f"day({key}, {day})" for key, day in zip("ab", days, strict=True) if day == "2020-01-01"]
    said += [f"gold({key})" for key, gold in zip("ab", golds, strict=True) if gold == "yes"]
    said += [f"size({key}, {size})" for key, size in zip("ab", sizes, strict=True) if size in ("1", "2")]
    assert facts == said + [f"not gold({key})" for key, gold in zip("ab", golds, strict=True) if gold == "no"]


def test_columns_that_are_not_there() -> None:
    found, facts = told(THINGS, id=["a", "b"], gold=["yes", "yes"])
    assert found == [
        "t.csv: there is no column 'size', so size is not known",
        "t.csv: there is no column 'day', so day is not known",
    ]
    assert facts == ["gold(a)", "gold(b)"]


def test_relations() -> None:
    ends = tuple(MappedColumn(name, Becomes.REFERENCE, "likes", "people") for name in ("one", "two"))
    likes = MappedTable("things", "things", (), ends, "likes")
    found, facts = told(likes, one=["a", "b", None], two=["b", None, "c"])
    assert found == ["t.csv: 2 rows with an empty cell are left out"] and facts == ["likes(a, b)"]
    assert told(likes, one=["a"], two=["b"]) == ([], ["likes(a, b)"])
    with pytest.raises(DataError, match=r"t.csv: the relation likes has no columns; give it some in the mapping"):
        told(MappedTable("things", "things", (), (), "likes"), one=["a"])


def test_tables_without_a_mapping() -> None:
    found, facts = told(MappedTable("others", "others", ("id",)), id=["a"])
    assert found == ["tables without a mapping are left out: things"] and facts == []
