"""Facts as text: ground atoms, triples, and CSV tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from possilog.data.database import Database
from possilog.data.reading.csv_tables import looks_like_number
from possilog.data.writing.names import column_names
from possilog.errors import FormatError
from possilog.logic import Predicate
from possilog.logic.spelling import NAME, spell_constant, spell_predicate

__all__ = ["csv_texts", "facts_text", "triples_text"]

_BARE = re.compile(NAME)
_CSV_SPECIAL = re.compile(r'^ |[",;\t\r\n]')
_CSV_LONGEST = 100_000  # Python's own reader of CSV gives up a little later


def facts_text(database: Database) -> str:
    """The facts as ground atoms, one a line; a constant is quoted only where it must be."""
    spelled = [name if _BARE.fullmatch(name) else spell_constant(name) for name in database.constants]
    return "".join([*_fact_lines(database, spelled), *_fact_lines(database, spelled, denied=True)])


def _fact_lines(database: Database, spelled: list[str], *, denied: bool = False) -> Iterator[str]:
    for predicate in database.denied_predicates if denied else database.predicates:
        name = ("!" if denied else "") + spell_predicate(predicate.name)
        rows = database.denied_rows(predicate) if denied else database.rows(predicate)
        for row in rows.T.tolist():
            yield f"{name}({', '.join([spelled[number] for number in row])})\n"


def triples_text(database: Database) -> str:
    """The facts as head, relation and tail, with tabs between."""
    for predicate in database.predicates:
        if predicate.arity != 2:
            raise FormatError(f"triples hold predicates with 2 arguments, unlike {predicate}; write a .db file instead")
    cell = _checker("triples", re.compile(r"^$|[\t\n\r\0]"))
    names = [cell(name) for name in database.constants]
    lines = []
    for predicate in database.predicates:
        relation = cell(predicate.name)
        lines += [f"{names[head]}\t{relation}\t{names[tail]}\n" for head, tail in database.rows(predicate).T.tolist()]
    return "".join(lines)


def csv_texts(database: Database) -> Iterator[tuple[Predicate, str]]:
    """The facts of each predicate as a table whose header cannot be taken for a fact."""
    check = _checker("CSV", re.compile(r"^$|\0"))
    cells = [_csv_cell(check(name)) for name in database.constants]
    for predicate in database.predicates:
        header = column_names(
            database, predicate, lambda name: looks_like_number(name) or database.number(name) is not None
        )
        lines = [",".join(map(_csv_cell, header))]
        lines += [",".join([cells[number] for number in row]) for row in database.rows(predicate).T.tolist()]
        yield predicate, "\n".join(lines) + "\n"


def _csv_cell(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _CSV_SPECIAL.search(text) else text


def _checker(format: str, bad: re.Pattern[str]) -> Callable[[str], str]:
    """A function that gives a name back if the format can hold it."""

    def check(name: str) -> str:
        if bad.search(name) or len(name) > _CSV_LONGEST:
            raise FormatError(f"{format} cannot hold the name {name[:40]!r}; write a .db file instead")
        return name

    return check
