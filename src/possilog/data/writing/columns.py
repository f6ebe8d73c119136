"""Atoms with certainties as columns: numbers, and the names that they stand for. No atom is made for any of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from possilog.data.formats import Format, format_of_name
from possilog.data.rows import Rows
from possilog.data.sql import new_duckdb, sql_literal, sql_name, sql_told
from possilog.data.writing.text import (
    Texts,
    csv_cell,
    fact_lines,
    joined,
    spelled_constants,
    triple_lines,
    triple_names,
)
from possilog.errors import FormatError, MissingPart
from possilog.files import AnyPath, replacing, require_path, told, write_atomically
from possilog.logic import Predicate
from possilog.logic.spelling import plain, spell_predicate, type_of

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table

__all__ = ["STATED", "UNSAID", "Block", "Columns", "Said", "write_columns"]

CERTAINTY = "certainty"

CASES = "cases"

STATED = ("probability", CASES, "right")
"""What is said beside the certainty, where it was measured."""

Said = tuple[float | None, int | None, float | None]
"""These, of one atom; none of them where nothing was measured."""

UNSAID: Said = (None, None, None)


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """Atoms of one predicate that are equally certain, and as probable as each other."""

    predicate: Predicate
    rows: Rows
    certainty: str
    said: Said = UNSAID

    def __len__(self) -> int:
        return int(self.rows.shape[1])


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Atoms in numbers, most certain first, and the names of the constants."""

    names: tuple[str, ...]
    blocks: tuple[Block, ...]

    def __len__(self) -> int:
        return sum(map(len, self.blocks))

    @property
    def plain_names(self) -> tuple[str, ...]:
        """The names as people spell them, without declared types."""
        return tuple(map(plain, self.names)) if any(map(type_of, self.names)) else self.names

    def by_predicate(self) -> Iterator[tuple[Predicate, Rows, list[Block]]]:
        """Each predicate with all its rows, and the blocks that they are from, one after the other."""
        found: dict[Predicate, list[Block]] = defaultdict(list)
        for block in self.blocks:
            found[block.predicate].append(block)
        for predicate, blocks in sorted(found.items()):
            rows = np.concatenate([block.rows for block in blocks], axis=1)
            yield predicate, rows, blocks

    def to_frames(self) -> dict[str, DataFrame]:
        """A frame of pandas for each predicate: a column for each argument, the certainty, and what was measured."""
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingPart("frames need pandas; install it with: pip install 'possilog[pandas]'") from None
        names = np.array(self.plain_names, dtype=object)
        frames = {}
        for predicate, rows, blocks in self.by_predicate():
            table: dict[str, Any] = {f"argument{n}": names[row] for n, row in enumerate(rows, start=1)}
            table[CERTAINTY] = _repeated([block.certainty for block in blocks], blocks)
            frames[predicate.name] = DataFrame(table | _measured(blocks)).astype({CASES: "Int64"})
        return frames

    def to_arrow(self) -> dict[str, Table]:
        """A table of Arrow for each predicate: dictionary columns, so that each name is there once."""
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingPart("tables of Arrow need pyarrow; install it with: pip install pyarrow") from None
        names = pa.array(self.plain_names, pa.string())
        tables = {}
        for predicate, rows, blocks in self.by_predicate():
            columns = {
                f"argument{n}": pa.DictionaryArray.from_arrays(pa.array(np.ascontiguousarray(row)), names)
                for n, row in enumerate(rows, start=1)
            }
            kinds = list(dict.fromkeys(block.certainty for block in blocks))
            numbers = np.repeat([kinds.index(block.certainty) for block in blocks], list(map(len, blocks)))
            columns[CERTAINTY] = pa.DictionaryArray.from_arrays(pa.array(numbers.astype(np.int32)), pa.array(kinds))
            columns |= {name: pa.array(column, from_pandas=True) for name, column in _measured(blocks).items()}
            columns[CASES] = columns[CASES].cast(pa.int64())
            tables[predicate.name] = pa.table(columns)
        return tables


def _repeated(values: Sequence[str], blocks: Sequence[Block]) -> npt.NDArray[Any]:
    """The value of its block for each atom."""
    return np.repeat(np.array(values, dtype=object), list(map(len, blocks)))


def _measured(blocks: Sequence[Block]) -> dict[str, npt.NDArray[np.float64]]:
    """What was measured, a column for each of it; NaN where nothing was."""
    said = np.array([block.said for block in blocks] or np.empty((0, len(STATED))), dtype=np.float64)
    repeated = np.repeat(said, list(map(len, blocks)), axis=0)
    return {name: repeated[:, place] for place, name in enumerate(STATED)}


def write_columns(columns: Columns, path: AnyPath) -> None:
    """Write atoms to one file, as its extension says, whole or not at all.

    ``.db`` has facts and ``.tsv`` triples, which can be read again; ``.csv`` and ``.parquet`` have a table with the
    predicate, its arguments, the certainty, and what was measured.
    """
    require_path(path, "facts")
    target = Path(path)
    format = format_of_name(target)
    with told(path, "written"):
        if format in _TEXTS:
            write_atomically(target, "".join(_TEXTS[format](columns)).encode())
        elif format is Format.PARQUET:
            with replacing(target) as fresh:
                _write_parquet(columns, fresh)
        else:
            raise FormatError(f"{target}: conclusions are written as .db, .tsv, .csv or .parquet; name such a file")


def _facts(columns: Columns) -> Iterator[str]:
    names = spelled_constants(columns.names)
    for block in columns.blocks:
        yield from fact_lines(spell_predicate(block.predicate.name), block.rows, names)


def _triples(columns: Columns) -> Iterator[str]:
    names = triple_names(columns.plain_names)
    for block in columns.blocks:
        yield from triple_lines(block.predicate, block.rows, names)


def _csv(columns: Columns) -> Iterator[str]:
    names = np.array([csv_cell(name) for name in columns.plain_names] or [""], dtype=object)
    width = max((block.predicate.arity for block in columns.blocks), default=0)
    yield ",".join(["predicate", *(f"argument{n}" for n in range(1, width + 1)), CERTAINTY, *STATED]) + "\n"
    for block in columns.blocks:
        cells: list[Texts | str] = [csv_cell(block.predicate.name)]
        for row in block.rows:
            cells += [",", names[row]]
        said = ",".join("" if number is None else str(number) for number in block.said)
        end = "," * (width - block.predicate.arity) + f",{block.certainty},{said}\n"
        yield from joined([*cells, end], len(block))


_TEXTS = {Format.DB: _facts, Format.TSV: _triples, Format.CSV: _csv}


def _write_parquet(columns: Columns, path: Path) -> None:
    """All atoms in one table; DuckDB puts the names where the numbers are."""
    import duckdb

    width = max((block.predicate.arity for block in columns.blocks), default=0)
    arguments = [f"argument{n}" for n in range(1, width + 1)]
    refusal = "the table cannot be written", "write a .db file instead"
    with sql_told(duckdb.Error, *refusal), closing(new_duckdb()) as connection:
        texts: dict[str, int] = defaultdict(count().__next__)
        parts = [_numbers(block, width, texts) for block in columns.blocks]
        table = {
            name: np.concatenate([part[name] for part in parts] or [np.empty(0, np.int32)])
            for name in ("predicate", *arguments, CERTAINTY)
        }
        table |= _measured(columns.blocks)
        _register(connection, "numbers", table)
        _register(connection, "names", {"name": np.array(columns.plain_names, dtype=object)})
        _register(connection, "texts", {"name": np.array(list(texts), dtype=object)})
        chosen = [f"p.name AS predicate, {', '.join(f'{a}.name AS {a}' for a in arguments)}".rstrip(", ")]
        joins = "".join(f" LEFT JOIN names {a} ON {a}.id = n.{a}" for a in arguments)
        said = ", ".join(
            f"nullif(n.{sql_name(name)}::DOUBLE, 'NaN')::{'BIGINT' if name == CASES else 'DOUBLE'} AS {sql_name(name)}"
            for name in STATED
        )
        query = (
            f"SELECT {chosen[0]}, c.name AS {CERTAINTY}, {said} FROM numbers n JOIN texts p ON p.id = n.predicate "
            f"JOIN texts c ON c.id = n.{CERTAINTY}{joins} ORDER BY n.id"
        )
        connection.execute(f"COPY ({query}) TO {sql_literal(str(path))} (FORMAT parquet)")


def _numbers(block: Block, width: int, texts: Mapping[str, int]) -> dict[str, npt.NDArray[np.int32]]:
    found = {f"argument{n}": np.full(len(block), -1, dtype=np.int32) for n in range(1, width + 1)}
    found |= {f"argument{n}": row for n, row in enumerate(block.rows, start=1)}
    for name, text in (("predicate", block.predicate.name), (CERTAINTY, block.certainty)):
        found[name] = np.full(len(block), texts[text], dtype=np.int32)
    return found


def _register(connection: Any, name: str, table: Mapping[str, npt.NDArray[Any]]) -> None:
    """A table with the number of each row."""
    size = len(next(iter(table.values())))
    given = {"id": np.arange(size, dtype=np.int32), **table}
    connection.register("given", given)
    if size:
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
    else:
        kinds = ", ".join(f"{sql_name(key)} {'VARCHAR' if key == 'name' else 'INTEGER'}" for key in given)
        connection.execute(f"CREATE TABLE {name} ({kinds})")
    connection.unregister("given")
