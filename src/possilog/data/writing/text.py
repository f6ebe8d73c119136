"""Facts as text: ground atoms, triples, and CSV tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from possilog.data.database import Database
from possilog.data.reading.csv_tables import looks_like_number
from possilog.data.rows import Rows
from possilog.data.writing.names import column_names, plain_names
from possilog.errors import FormatError
from possilog.logic import Predicate
from possilog.logic.spelling import NAME, plain, spell_constant, spell_predicate

__all__ = [
    "Texts",
    "csv_cell",
    "csv_texts",
    "fact_lines",
    "facts_text",
    "joined",
    "spelled_constants",
    "triple_lines",
    "triple_names",
    "triples_text",
]

Texts = npt.NDArray[Any]
"""Texts as objects, each once however many rows have it."""

_CHUNK = 200_000
"""Rows that are in memory as texts at a time."""

_BARE = re.compile(NAME)
_CSV_SPECIAL = re.compile(r'^ |[",;\t\r\n]')
_CSV_LONGEST = 100_000  # Python's own reader of CSV gives up a little later


def facts_text(database: Database) -> str:
    """The facts as ground atoms, one a line; a constant is quoted only where it must be."""
    spelled = spelled_constants(database.constants)
    lines = [fact_lines(spell_predicate(p.name), database.rows(p), spelled) for p in database.predicates]
    denied = [
        fact_lines(f"!{spell_predicate(p.name)}", database.denied_rows(p), spelled) for p in database.denied_predicates
    ]
    return "".join(chain.from_iterable([*lines, *denied]))


def spelled_constants(names: Iterable[str]) -> Texts:
    """Constants as files of facts write them."""
    return np.array(
        [name if _BARE.fullmatch(name) else spell_constant(name) for name in map(plain, names)] or [""], dtype=object
    )


def fact_lines(name: str, rows: Rows, spelled: Texts) -> Iterator[str]:
    """Ground atoms of a predicate, one a line."""
    cells: list[Texts | str] = [f"{name}("]
    for place, row in enumerate(rows):
        cells += [", "] * (place > 0) + [spelled[row]]
    return joined([*cells, ")\n"], rows.shape[1])


def joined(cells: Sequence[Texts | str], number: int) -> Iterator[str]:
    """Texts of so many rows, column after column; a column may be one text for all. No text is made for a row."""
    for start in range(0, number, _CHUNK):
        part = slice(start, min(start + _CHUNK, number))
        table = np.empty((part.stop - start, len(cells)), dtype=object)
        for place, cell in enumerate(cells):
            table[:, place] = cell if isinstance(cell, str) else cell[part]
        yield "".join(table.ravel().tolist())


def triples_text(database: Database) -> str:
    """The facts as head, relation and tail, with tabs between."""
    names = triple_names(database.constants)
    lines = [triple_lines(predicate, database.rows(predicate), names) for predicate in database.predicates]
    return "".join(chain.from_iterable(lines))


def triple_names(names: Iterable[str]) -> Texts:
    """Constants as triples write them; FormatError where they cannot."""
    return np.array([_triple_cell(name) for name in map(plain, names)] or [""], dtype=object)


def triple_lines(predicate: Predicate, rows: Rows, names: Texts) -> Iterator[str]:
    """Triples of a predicate, one a line."""
    if predicate.arity != 2:
        raise FormatError(f"triples hold predicates with 2 arguments, unlike {predicate}; write a .db file instead")
    return joined([names[rows[0]], f"\t{_triple_cell(predicate.name)}\t", names[rows[1]], "\n"], rows.shape[1])


def csv_texts(database: Database) -> Iterator[tuple[Predicate, str]]:
    """The facts of each predicate as a table whose header cannot be taken for a fact."""
    check = _checker("CSV", re.compile(r"^$|\0"))
    names = plain_names(database)
    taken = frozenset(names)
    cells = np.array([csv_cell(check(name)) for name in names] or [""], dtype=object)
    for predicate in database.predicates:
        header = column_names(database, predicate, lambda name: looks_like_number(name) or name in taken)
        rows = database.rows(predicate)
        columns = [cell for row in rows for cell in (",", cells[row])][1:]
        lines = joined([*columns, "\n"], rows.shape[1])
        yield predicate, "".join([",".join(map(csv_cell, header)), "\n", *lines])


def csv_cell(text: str) -> str:
    """A cell, in quotes where it must be."""
    return '"' + text.replace('"', '""') + '"' if _CSV_SPECIAL.search(text) else text


def _checker(format: str, bad: re.Pattern[str]) -> Callable[[str], str]:
    """A function that gives a name back if the format can hold it."""

    def check(name: str) -> str:
        if bad.search(name) or len(name) > _CSV_LONGEST:
            raise FormatError(f"{format} cannot hold the name {name[:40]!r}; write a .db file instead")
        return name

    return check


_triple_cell = _checker("triples", re.compile(r"^$|[\t\n\r\0]"))
