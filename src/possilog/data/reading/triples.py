"""Triples: lines of head, relation and tail with tabs between; knowledge graphs come like this.

A CSV file with three columns of these names holds triples, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from possilog.data.reading.intake import Intake
from possilog.data.reading.text import pieces
from possilog.errors import RowError

__all__ = ["is_header", "read_triples"]

_HEADERS = ("head", "relation", "tail"), ("subject", "predicate", "object")


def read_triples(text: str, source: str, intake: Intake) -> None:
    """Add the facts relation(head, tail) of a text; blank lines are passed over, and cells are taken as they are."""
    for first_line, piece in pieces(text):
        rows = piece[:-1].split("\n")
        lines: Sequence[int] = range(first_line, first_line + len(rows))
        if set(map(str.count, rows, repeat("\t"))) != {2}:
            lines = [line for line, row in zip(lines, rows, strict=True) if _is_triple(row, line, source)]
            rows = [rows[line - first_line] for line in lines]
        if first_line == 1 and rows and is_header(rows[0].split("\t")) == (0, 1, 2):
            rows, lines = rows[1:], lines[1:]
        if rows:
            cells = "\t".join(rows).split("\t")
            intake.add(cells[1::3], [cells[0::3], cells[2::3]], lines, source, missing="")


def is_header(cells: Sequence[str]) -> tuple[int, int, int] | None:
    """The places of head, relation and tail, where a first line names them: three columns that are called so.

    >>> is_header(["Relation", "head", "tail"])
    (1, 0, 2)
    """
    names = [cell.strip().casefold() for cell in cells]
    for triple in _HEADERS:
        if sorted(names) == sorted(triple):
            return names.index(triple[0]), names.index(triple[1]), names.index(triple[2])
    return None


def _is_triple(row: str, line: int, source: str) -> bool:
    """Does a line hold something? It must be a triple then."""
    cells = row.count("\t") + 1
    if cells == 1 and not row.strip():
        return False
    if cells != 3:
        found = "1 cell" if cells == 1 else f"{cells} cells"
        raise RowError(f"{source}:{line}: {found} instead of 3; a line is head, relation and tail, with tabs between")
    return True
