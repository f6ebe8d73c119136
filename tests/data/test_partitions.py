"""How many parts facts on disk get, and which relations are looked at together."""

from __future__ import annotations

from pathlib import Path

import pytest

from possilog.data import partitions
from possilog.data.partitions import Partitions, partition


@pytest.mark.parametrize(
    ("links", "parts", "made"), [(11, None, 1), (10, None, 1), (9, None, 2), (5, None, 2), (4, None, 3), (9, 7, 7)]
)
def test_parts(links: int, parts: int | None, made: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as were asked for, or so many that about so many links are in each: a fact is two."""
    monkeypatch.setattr(partitions, "LINKS_OF_A_PART", links)
    (tmp_path / "facts.tsv").write_text("a\tr\tb\nb\tr\tc\nc\ts\td\nd\ts\ta\na\ts\tc\n")
    found = partition(tmp_path / "facts.tsv", tmp_path / "parts", parts=parts)
    assert found.parts == made == len(list((tmp_path / "parts").glob("part-*.parquet")))
    assert (found.relations, found.facts, found.nodes) == (("r", "s"), (2, 3), 4)


@pytest.mark.parametrize(
    ("links", "groups"),
    [
        (26, [[0, 1, 2, 3]]),
        (25, [[0, 1, 2], [3]]),
        (16, [[0, 1, 2], [3]]),
        (17, [[0, 1, 2], [3]]),
        (15, [[0, 1], [2], [3]]),
        (5, [[0], [1], [2], [3]]),
    ],
)
def test_relations_are_grouped_in_their_order_as_long_as_there_is_room(links: float, groups: list[list[int]]) -> None:
    assert Partitions("", ("r", "s", "t", "u"), (3, 1, 4, 5), 9, 1).groups(links) == groups
