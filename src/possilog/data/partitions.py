"""Triples on disk, dealt out by hash: for graphs that do not fit into memory.

Every fact r(x, y) lies there twice, as a link from x to y and as one from y back to x, in the part that the constant
where it begins hashes to. So all that is known of a constant lies in one file, and of a relation in a stretch of each.
Constants are numbers there; their names are looked up when a person is to read them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from possilog.data.sql import new_duckdb, sql_literal, sql_name, sql_told
from possilog.errors import DataError, FileError
from possilog.files import AnyPath, replacing, told
from possilog.requiring import require_number, require_whole

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["LinkColumns", "Partitions", "Scratch", "partition", "require_new_folder"]

Ints = npt.NDArray[np.int32]

ABOUT = "partitions.json"
CONSTANTS = "constants.parquet"
LINKS_OF_A_PART = 2_000_000
"""About so many links are in a part, if nobody says how many parts there are."""

_MEMORY = 400.0
"""Megabytes that DuckDB may take, if nobody says."""

_HASH = "(({0}::UBIGINT * 2654435761) % 4294967296) % {1}"
"""The part of a constant: neighbours in the alphabet are not neighbours here."""

_BUFFER = 4_000_000
"""Bytes of text that are read at a time; DuckDB would take 32 million, in one piece."""

_COLUMNS = ("head", "relation", "tail")

_NUMBERED = (
    "CREATE TABLE names AS SELECT head AS name FROM triples UNION SELECT tail FROM triples",
    "CREATE TABLE sorted AS SELECT name FROM names ORDER BY name",
    "CREATE TABLE constants AS SELECT rowid::INTEGER AS number, name FROM sorted",
    "CREATE TABLE relations AS SELECT (row_number() OVER (ORDER BY name) - 1)::INTEGER AS number, name FROM "
    "(SELECT DISTINCT relation AS name FROM triples)",
    "CREATE TABLE heads AS SELECT relations.number AS r, constants.number AS x, tail FROM triples "
    "JOIN relations ON relations.name = relation JOIN constants ON constants.name = head",
    "CREATE TABLE pairs AS SELECT r, x, number AS y FROM heads JOIN constants ON name = tail",
    "DROP TABLE heads",
    "CREATE TABLE facts AS SELECT DISTINCT r, x, y FROM pairs",
    "DROP TABLE pairs",
)
"""From triples of names to facts in numbers: those of constants are in the order of their names."""


@dataclass(frozen=True, slots=True)
class LinkColumns:
    """Links by relation: a code is twice a relation's number, and one more for the way back; sorted by all three."""

    code: Ints
    first: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.code)

    @property
    def apart(self) -> LinkColumns:
        """Those between two constants."""
        which = self.first != self.second
        return LinkColumns(self.code[which], self.first[which], self.second[which])


@dataclass(frozen=True, slots=True)
class Scratch:
    """Arrays that are put down and read again, which takes a tenth of the time that making them does."""

    folder: Path

    def kept(self, number: int, make: Callable[[], tuple[Ints, ...]]) -> tuple[Ints, ...]:
        """The arrays with a number; they are made when they are first asked for."""
        path = self.folder / str(number)
        if path.exists():
            with open(path, "rb") as file:
                return tuple(np.load(file) for _ in range(int(np.load(file))))
        arrays = make()
        with open(path, "wb") as file:
            for array in (np.array(len(arrays)), *arrays):
                np.save(file, array)
        return arrays


@dataclass(frozen=True, slots=True)
class Partitions:
    """Facts of two arguments in a folder, in parts."""

    folder: str
    relations: tuple[str, ...]
    facts: tuple[int, ...]
    """Of each relation."""
    nodes: int
    """How many constants there are."""
    parts: int

    @classmethod
    def open(cls, folder: AnyPath) -> Partitions:
        """Those that ``partition`` has written into a folder."""
        path = Path(folder) / ABOUT
        try:
            with told(path, "read"):
                found = json.loads(path.read_bytes())
            return cls(
                os.fspath(folder),
                tuple(map(str, found["relations"])),
                tuple(map(int, found["facts"])),
                int(found["nodes"]),
                int(found["parts"]),
            )
        except (FileError, ValueError, KeyError, TypeError, AttributeError):
            problem = "there are no partitioned facts in it"
            raise DataError(f"{os.fspath(folder)}: {problem}; possilog partition makes such a folder") from None

    def part(self, number: int) -> LinkColumns:
        """All links that begin in a part."""
        return self._links([self._file(number)], "")

    def whole(self, relations: Sequence[int]) -> LinkColumns:
        """All links of some relations."""
        codes = ", ".join(str(code) for relation in relations for code in (2 * relation, 2 * relation + 1))
        return self._links([self._file(number) for number in range(self.parts)], f"WHERE code IN ({codes or -1})")

    @contextmanager
    def scratch(self) -> Iterator[Scratch]:
        """For a while: beside the parts, where there is room, unless nothing can be written there."""
        with (
            told(self.folder, "written"),
            TemporaryDirectory(dir=self.folder if os.access(self.folder, os.W_OK) else None) as folder,
        ):
            yield Scratch(Path(folder))

    def groups(self, links: float) -> list[list[int]]:
        """The relations in groups, in their order, each with no more links than these, or with one relation."""
        found: list[list[int]] = [[]]
        taken = 0
        for relation, facts in enumerate(self.facts):
            if found[-1] and taken + 2 * facts > links:
                found.append([])
                taken = 0
            found[-1].append(relation)
            taken += 2 * facts
        return found

    def write_facts(self, found: Mapping[str, npt.NDArray[Any]], rules: Sequence[tuple[float, str]], to: Path) -> None:
        """Write pairs of constants into a folder for each relation, with the rule that gives each.

        ``found`` has the columns relation, first, second and rule, all in numbers. ``to`` is the folder, and what the
        files in it are called.
        """
        certainties, texts = (np.array(column, dtype=object) for column in zip(*rules, strict=True))
        named = {"relations": {"name": np.array(self.relations, dtype=object)}}
        named["rules"] = {"certainty": certainties.astype(np.float64), "rule": texts}
        with (
            TemporaryDirectory(dir=to.parent.parent) as scratch,
            sql_told(_errors(), "what is added cannot be written", "check the room on the disk"),
            closing(_alone(_MEMORY, scratch)) as connection,
        ):
            for name, columns in named.items():
                number = np.arange(len(next(iter(columns.values()))))
                connection.register("given", {"number": number, **columns})
                connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
            connection.register("found", dict(found))
            constants = _parquet([self._path(CONSTANTS)])
            query = (
                "SELECT relations.name AS relation, one.name AS head, other.name AS tail, certainty, rules.rule "
                f"FROM found JOIN {constants} one ON one.number = found.first JOIN {constants} other "
                "ON other.number = found.second JOIN relations ON relations.number = found.relation "
                "JOIN rules ON rules.number = found.rule"
            )
            options = (
                f"FORMAT parquet, PARTITION_BY (relation), OVERWRITE_OR_IGNORE, FILENAME_PATTERN '{to.name}_{{i}}'"
            )
            connection.execute(f"COPY ({query}) TO {sql_literal(str(to.parent))} ({options})")

    def _links(self, files: Sequence[Path], which: str) -> LinkColumns:
        with _reading(self.folder):
            found = _reader().execute(f"SELECT code, first, second FROM {_parquet(files)} {which}").fetchnumpy()
        columns = [np.ascontiguousarray(found[name], dtype=np.int32) for name in ("code", "first", "second")]
        if len(files) > 1:  # each is in order, and all together are not
            order = np.lexsort(columns[::-1])
            columns = [column[order] for column in columns]
        return LinkColumns(*columns)

    def _file(self, number: int) -> Path:
        return self._path(f"part-{number:04}.parquet")

    def _path(self, name: str) -> Path:
        return Path(os.path.abspath(self.folder)) / name


def partition(
    source: AnyPath, folder: AnyPath, *, parts: int | None = None, memory_limit: float | None = None
) -> Partitions:
    """Deal out triples that may be larger than memory: sorting and joining is done on disk.

    The source is a ``.tsv`` file of triples, a ``.parquet`` file with three columns, or a folder of such files.
    ``memory_limit`` is in megabytes. The folder is there whole, or not at all.
    """
    require_whole("parts", 1 if parts is None else parts, 1, ", or None")
    memory = _MEMORY if memory_limit is None else memory_limit
    require_number("memory_limit", memory)
    require_new_folder(folder)
    problem, remedy = f"{os.fspath(source)} cannot be laid out", "check the file, and the room on the disk"
    with replacing(folder) as fresh, TemporaryDirectory(dir=fresh.parent) as scratch:
        fresh.mkdir()
        with sql_told(_errors(), problem, remedy), closing(_alone(memory, scratch)) as connection:
            return _laid_out(connection, source, fresh, os.fspath(folder), parts)


def require_new_folder(folder: AnyPath) -> None:
    """Refuse now to write among other files."""
    with told(folder, "written"):
        taken = os.path.exists(folder) and (not os.path.isdir(folder) or bool(os.listdir(folder)))
    if taken:
        raise FileError(f"{os.fspath(folder)}: there is something already; name a new folder")


def _laid_out(
    connection: DuckDBPyConnection, source: AnyPath, place: Path, folder: str, parts: int | None
) -> Partitions:
    connection.execute(f"CREATE VIEW triples AS {_triples(connection, source)}")
    for command in _NUMBERED:  # one join at a time, so that each has all of the memory
        connection.execute(command)
    counts = dict(connection.execute("SELECT r, count(*) FROM facts GROUP BY r").fetchall())
    names = [name for (name,) in connection.execute("SELECT name FROM relations ORDER BY number").fetchall()]
    if not names:
        raise DataError(f"{os.fspath(source)}: there are no triples in it; give a file with facts")
    (nodes,) = connection.execute("SELECT count(*) FROM constants").fetchall()[0]
    number = parts or -(-2 * sum(counts.values()) // LINKS_OF_A_PART)
    made = Partitions(folder, tuple(names), tuple(counts[r] for r in range(len(names))), nodes, number)
    _copy(connection, "SELECT number, name FROM constants ORDER BY number", place / CONSTANTS)
    for part in range(number):
        ways = (("2 * r", "x", "y"), ("2 * r + 1", "y", "x"))
        links = " UNION ALL ".join(
            f"SELECT ({code})::INTEGER AS code, {one} AS first, {other} AS second FROM facts "
            f"WHERE {_HASH.format(one, number)} = {part}"
            for code, one, other in ways
        )
        _copy(connection, f"SELECT * FROM ({links}) ORDER BY code, first, second", place / f"part-{part:04}.parquet")
    about = {name: value for name, value in asdict(made).items() if name != "folder"}
    (place / ABOUT).write_text(json.dumps(about))
    return made


def _triples(connection: DuckDBPyConnection, source: AnyPath) -> str:
    """A query for the triples of a file, or of all files of a folder."""
    path = Path(os.path.abspath(source))
    with told(source, "read"):
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        for file in files:
            file.stat()
    queries = [_triples_of(connection, file) for file in files if not file.name.startswith(".")]
    if not queries:
        raise DataError(f"{os.fspath(source)}: there is nothing in it; give .tsv or .parquet files of triples")
    return " UNION ALL ".join(queries)


def _triples_of(connection: DuckDBPyConnection, file: Path) -> str:
    name = file.name.lower()
    if name.endswith(".parquet"):
        source = _parquet([file])
        columns = [row[0] for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        if len(columns) != len(_COLUMNS):
            raise DataError(f"{file}: it has {len(columns)} columns; triples have three, head, relation and tail")
        chosen = zip(columns, _COLUMNS, strict=True)
        return f"SELECT {', '.join(f'{sql_name(one)}::VARCHAR AS {other}' for one, other in chosen)} FROM {source}"
    if name.removesuffix(".gz").endswith((".tsv", ".txt")):
        types = "{'head': 'VARCHAR', 'relation': 'VARCHAR', 'tail': 'VARCHAR'}"
        return (
            f"SELECT * FROM read_csv({sql_literal(str(file))}, delim='\t', header=false, quote='', escape='', "
            f"columns={types}, auto_detect=false, buffer_size={_BUFFER}, parallel=false)"
        )
    told = "only triples are dealt out, from .tsv or .parquet files; convert it to one of them first"
    raise DataError(f"{file.name}: {told}")


def _copy(connection: DuckDBPyConnection, query: str, path: Path) -> None:
    options = "FORMAT parquet, ROW_GROUP_SIZE 100000"
    connection.execute(f"COPY ({query}) TO {sql_literal(str(path))} ({options})")


def _parquet(files: Sequence[Path]) -> str:
    return f"read_parquet([{', '.join(sql_literal(str(file)) for file in files)}])"


@cache
def _reader() -> DuckDBPyConnection:
    """One for all reading: a part is read in less time than a DuckDB needs to begin."""
    return _alone(_MEMORY)


def _alone(megabytes: float, scratch: str | None = None) -> DuckDBPyConnection:
    """A DuckDB that takes so much memory, and goes on in a folder."""
    connection = new_duckdb()
    connection.execute(f"SET memory_limit = '{max(50, int(megabytes))}MB'")
    if scratch is not None:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"ATTACH {sql_literal(os.path.join(scratch, 'facts.duckdb'))} AS laid_out")
        connection.execute("USE laid_out")
        connection.execute(f"SET temp_directory = {sql_literal(os.path.join(scratch, 'spilled'))}")
    return connection


def _errors() -> type[Exception]:
    import duckdb

    return duckdb.Error


@contextmanager
def _reading(folder: str) -> Iterator[None]:
    with sql_told(_errors(), f"{folder} cannot be read", "possilog partition makes it anew"):
        yield
