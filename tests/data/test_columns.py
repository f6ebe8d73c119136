"""What a column becomes, at the border of each condition, with what is told of it; and what looks like a table."""

from __future__ import annotations

import pytest

from possilog.data.reading.sheets import Sheet, how_tables
from possilog.data.tables import ForeignKey, TableColumn
from possilog.data.tables.columns import look_at
from possilog.errors import DataError
from possilog.logic import Becomes

APART = "like an identifier: {} of {} values are different"
GROUPED = '1,234 is read as 1234; write becomes = "number_comma" if the comma marks decimals'
LONG = "text to be read: most of its values are long and different"


@pytest.mark.parametrize(
    ("name", "cells", "becomes", "note"),
    [
        ("c", [None, None], "left_out", "every cell is empty"),
        ("c", ["a", "a"], "left_out", "every row has the same value, a"),
        ("c", ["a"], "value", ""),
        ("c", ["a", None], "value", ""),
        ("c", ["yes", "no"], "yes", ""),
        # 19 of 20 are enough for numbers and dates, 18 of 19 are not.
        ("c", ["1.5"] * 19 + ["x"], "number", "1 cells are no numbers and count as unknown, first 'x'"),
        ("c", ["1.5"] * 18 + ["x"], "value", "numbers and words are mixed: 95% of the cells are numbers"),
        ("c", ["2020-01-02"] * 19 + ["x"], "date", "1 cells are no dates and count as unknown, first 'x'"),
        ("c", ["2020-01-02"] * 18 + ["x"], "value", ""),
        ("c", ["1.5"] + ["x"] * 19, "value", ""),  # one of 20 is no mixture
        ("c", ["1.5"] + ["x"] * 18, "value", "numbers and words are mixed: 5% of the cells are numbers"),
        ("c", ["1,5", "2,25"], "number_comma", ""),
        ("c", ["€ 1.5", "$ 2.5"], "value", "numbers and words are mixed: 100% of the cells are numbers"),
        (
            "c",
            ["1,234", "5"],
            "number",
            '1,234 is read as 1234; write becomes = "number_comma" if the comma marks decimals',
        ),
        ("c", ["1,234", "5.5"], "number", ""),
        ("c", ["13/1/2020", "1/2/2020"], "date_dmy", ""),
        ("c", ["1/13/2020", "1/2/2020"], "date_mdy", ""),
        ("c", ["1/13/2020", "13/2/2020"], "left_out", "some of its dates have the day first, others the month"),
        (
            "c",
            ["1/2/2020", "2/1/2020"],
            "left_out",
            'its dates may have the day first or the month: say becomes = "date_dmy" or "date_mdy" in a mapping',
        ),
        ("row", [str(row) for row in range(10)], "left_out", APART.format(10, 10)),
        ("row", [str(row) for row in range(9)], "number", ""),
        ("points", [str(row) for row in range(10)], "number", ""),
        ("row", [str(row % 9) for row in range(10)], "left_out", APART.format(9, 10)),
        ("row", [str(row % 8) for row in range(10)], "number", ""),
        ("order_id", [str(row % 8) for row in range(10)], "value", "its numbers name things"),
        ("order_id", [f"{row % 8}.5" for row in range(10)], "number", ""),
        ("c", [f"k{row}" for row in range(10)], "left_out", APART.format(10, 10)),
        ("c", [f"k{row}" for row in range(9)], "value", ""),
        ("c", [f"k{row % 9}" for row in range(10)], "left_out", APART.format(9, 10)),
        ("c", [f"k{row % 8}" for row in range(10)], "value", ""),
        # Long: more than 40 letters, or five words, on average, in more than half as many values as cells.
        ("c", ["a" * 40, "b" * 40], "value", ""),
        ("c", ["a" * 40, "b" * 41], "left_out", LONG),
        ("c", ["a b c d e", "b b c d e"], "value", ""),
        ("c", ["a b c d e", "b b c d e f"], "left_out", LONG),
        ("c", ["a" * 50, "b" * 50, "a" * 50], "left_out", LONG),
        ("c", ["a" * 50, "b" * 50, "a" * 50, "b" * 50], "value", ""),
        ("c", ["a" * 50, "x", "x", "x"], "value", ""),
    ],
)
def test_what_a_column_becomes(name: str, cells: list[str | None], becomes: str, note: str) -> None:
    look = look_at(TableColumn.of(name, cells))
    assert (look.becomes, look.note) == (Becomes(becomes), note)


@pytest.mark.parametrize(
    ("labels", "key", "foreign", "is_table"),
    [
        (None, (), (), False),
        (("a", "b"), (), (), False),
        (("a", "b", "c"), (), (), True),
        (("a", "b"), ("a",), (), True),
        (("a", "b"), (), (ForeignKey(("a",), "t"),), True),
        (("argument1", "argument2", "argument3_"), ("argument1",), (), False),
        (("argument2", "argument1", "argument3"), (), (), True),
        (("argument1", "argument2", "c"), (), (), True),
    ],
)
def test_what_looks_like_a_table(
    labels: tuple[str, ...] | None, key: tuple[str, ...], foreign: tuple[ForeignKey, ...], is_table: bool
) -> None:
    assert Sheet("t", "t.csv", labels, lambda intake: None, lambda wanted: [], key, foreign).is_table == is_table


def test_words_that_are_missing_values() -> None:
    assert how_tables().missing is None and how_tables(missing=[]).missing == ()
    assert how_tables(missing=iter(["a", ""])).missing == ("a", "")
    for wrong in ("none", 7):
        with pytest.raises(DataError, match="words that are missing values are given in a list"):
            how_tables(missing=wrong)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="words that are missing values are text, and not all of"):
        how_tables(missing=["a", 7])  # type: ignore[list-item]
