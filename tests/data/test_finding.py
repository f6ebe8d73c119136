"""How tables are mapped of which nobody said how: whole mappings of small tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from possilog.data.tables import RawTable, TableColumn, find_mapping

IDS = [f"k{number}" for number in range(12)]
CUSTOMERS = {"id": IDS, "city": ["Porto", "Lyon"] * 6}
MAPPED = ["#table customers key id.", "#column value city(customers, city)."]
PAIRS = {"one": list("aabbcc"), "two": list("bccaba")}
DAYS = [f"2020-01-{day:02}" for day in (6, 13, 20, 27) * 3]


def mapped(tables: Mapping[str, Mapping[str, Sequence[str]]]) -> list[str]:
    raw = [
        RawTable(
            name, tuple(TableColumn.of(*column) for column in columns.items()), len(next(iter(columns.values()), ()))
        )
        for name, columns in tables.items()
    ]
    return list(find_mapping(raw).lines)


@pytest.mark.parametrize(
    ("more", "others", "lines"),
    [
        # Names of what another table describes; its own column of that name is called after its table.
        (
            {"gold": ["x", "y", "z"] * 4},
            {"gold": {"customer": IDS[:5]}},
            [
                "#column value customers_gold(customers, customers_gold) from gold.",
                "#relation gold(customers) from gold, customer.",
            ],
        ),
        # A table of keys and nothing else is a predicate, too.
        (
            {"vip": ["x", "y", "z"] * 4},
            {"vip": {"id": [f"v{number}" for number in range(9)]}},
            ["#column value customers_vip(customers, customers_vip) from vip.", "#table vip key id."],
        ),
        (
            {name: ["x", "y", "z"] * 4 for name in ("customers_pairs", "customers_pairs_2", "pairs")},
            {"pairs": PAIRS},
            [
                "#column value customers_pairs(customers, customers_pairs).",
                "#column value customers_pairs_2(customers, customers_pairs_2).",
                "#column value customers_pairs_3(customers, customers_pairs_3) from pairs.",
                "#relation pairs(one, one) from pairs, one, two.",
            ],
        ),
        # What a table is called is a type, and no name of a predicate.
        ({"customers": ["x", "y", "z"] * 4}, {}, ["#column value customers(customers, customers_value)."]),
        # Parts of dates are said that differ from row to row.
        (
            {"day": DAYS},
            {},
            ["#column date day(customers, day)."],
        ),
        (
            {"day": [day.replace("-01-", f"-0{1 + place % 2}-") for place, day in enumerate(DAYS)]},
            {},
            [
                "#column date day(customers, day).",
                "#column month day_month(customers, day_month) from day.",
                "#column weekday day_weekday(customers, day_weekday) from day.",
            ],
        ),
    ],
)
def test_a_table_beside_others(
    more: dict[str, list[str]], others: dict[str, dict[str, list[str]]], lines: list[str]
) -> None:
    assert mapped({"customers": {**CUSTOMERS, **more}, **others}) == MAPPED + lines


def test_a_table_without_columns_says_nothing() -> None:
    assert mapped({"empty": {}}) == ["#table empty."]
