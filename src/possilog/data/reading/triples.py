"""Triples: lines of head, relation and tail with tabs between; knowledge graphs come like this."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat

from possilog.data.reading.intake import Intake
from possilog.data.reading.text import pieces
from possilog.errors import RowError

__all__ = ["read_triples"]


def read_triples(text: str, source: str, intake: Intake) -> None:
    """Add the facts relation(head, tail) of a text; blank lines are passed over, and cells are taken as they are."""
    for first_line, piece in pieces(text):
        rows = piece[:-1].split("\n")
        lines: Sequence[int] = range(first_line, first_line + len(rows))
        if set(map(str.count, rows, repeat("\t"))) != {2}:
            lines = [line for line, row in zip(lines, rows, strict=True) if _is_triple(row, line, source)]
            rows = [rows[line - first_line] for line in lines]
        if rows:
            cells = "\t".join(rows).split("\t")
            intake.add(cells[1::3], [cells[0::3], cells[2::3]], lines, source, missing="")


def _is_triple(row: str, line: int, source: str) -> bool:
    """Does a line hold something? It must be a triple then."""
    cells = row.count("\t") + 1
    if cells == 1 and not row.strip():
        return False
    if cells != 3:
        found = "1 cell" if cells == 1 else f"{cells} cells"
        raise RowError(f"{source}:{line}: {found} instead of 3; a line is head, relation and tail, with tabs between")
    return True
