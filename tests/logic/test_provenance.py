"""Where a theory is from: all that is said of it, each part alone, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest

from possilog.errors import QueryError
from possilog.logic import Provenance


@pytest.mark.parametrize(
    ("said", "lines"),
    [
        ({}, []),
        ({"version": "1.0"}, ["made by possilog 1.0"]),
        ({"parameters": {"width": 3, "body": 2}}, ["parameters: width 3, body 2"]),
        ({"seed": 0}, ["seed: 0"]),
        ({"log_likelihood": 0.0}, ["log-likelihood: 0.00"]),
        ({"remarks": ("one", "two\nlines")}, ["one", "two lines"]),
    ],
)
def test_what_is_said(said: dict[str, Any], lines: list[str]) -> None:
    first = [line for line in lines if line.startswith("made")]
    meant = [*first, "data: a.db, b.db (1,000 facts about 1 constant)", *(line for line in lines if line not in first)]
    assert str(Provenance(("a.db", "b.db"), 1_000, 1, **said)) == "".join(f"% {line}\n" for line in meant)


def test_where_there_was_no_file() -> None:
    assert str(Provenance((), 1, 2)) == "% data: 1 fact about 2 constants\n"
    assert repr(Provenance((), 1, 2)) == "<Provenance: no file, 1 fact, 2 constants>"
    assert repr(Provenance(("a.db", "b.db"), 0, 0)) == "<Provenance: a.db, b.db, 0 facts, 0 constants>"


@pytest.mark.parametrize(
    "wrong",
    [
        {"data": "a.db"},
        {"remarks": "one"},
        {"facts": -1},
        {"constants": 1.5},
        {"parameters": []},
        {"version": 1},
        {"seed": -1},
        {"log_likelihood": math.nan},
    ],
)
def test_what_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(QueryError, match=next(iter(wrong))):
        Provenance(**{"data": ("a.db",), "facts": 1, "constants": 1, **wrong})
