"""One door to all files of facts: ``read``."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from possilog.data.database import Database
from possilog.data.formats import (
    GZIP,
    KNOWN,
    NEGATIVES,
    Format,
    format_of_content,
    format_of_name,
    format_of_text,
    stem,
)
from possilog.data.reading.csv_tables import CsvTables
from possilog.data.reading.facts import read_facts
from possilog.data.reading.graphs import read_graphml
from possilog.data.reading.intake import Intake, Kind
from possilog.data.reading.postgres import postgres_sheets
from possilog.data.reading.rdf import read_ntriples, read_turtle
from possilog.data.reading.sheets import Sheet, add_sheets, how_tables
from possilog.data.reading.tables import ParquetFiles, duckdb_sheets, sqlite_sheets
from possilog.data.reading.text import decode, unpack
from possilog.data.reading.triples import read_triples
from possilog.data.reading.workbooks import workbook_sheets
from possilog.data.servers import is_server
from possilog.errors import DataError, DataWarning, FormatError, shortened
from possilog.files import AnyPath, read_bytes, told
from possilog.logic import TableMapping
from possilog.printing import plural

__all__ = ["HowRead", "read", "read_into"]


class HowRead(TypedDict, total=False):
    """How files are read; ``read`` says what each of these means."""

    encoding: str
    header: bool | None
    as_is: bool
    mapping: TableMapping | AnyPath | None
    missing: Iterable[str] | None


def read(
    *paths: AnyPath | Iterable[AnyPath],
    encoding: str = "utf-8",
    header: bool | None = None,
    as_is: bool = False,
    mapping: TableMapping | AnyPath | None = None,
    missing: Iterable[str] | None = None,
) -> Database:
    """Read facts from files and folders, of whatever format, into one database.

    Whatever is odd or left out is told in one DataWarning for each file and kind.

    Parameters
    ----------
    *paths : str or path, or several
        Files and folders. The format is known by the content where that is certain, else by the extension, else by the
        look of the text.
    encoding : str
        That of text files.
    header : bool or None
        Does the first line of a CSV file name its columns? None means that this is decided by looking:
        see ``docs/data.md``.
    as_is : bool
        Is each table a predicate, and each row a fact? Else tables with keys or many columns become one predicate for
        each column: see ``docs/data.md``.
    mapping : TableMapping, path of a file, or None
        What becomes of each table and column; None to find out.
    missing : several str, or None
        Words that stand for an unknown value in tables, beside the empty cell; None for NA, NULL, nan, N/A, ? and -.

    Returns
    -------
    Database
        All the facts.

    Raises
    ------
    FileError
        If a file cannot be read.
    DataError
        If it does not hold facts, or the facts do not fit together.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "birds.db")
    ...     _ = path.write_text("bird(Tweety)\\nbird(Carl)\\n")
    ...     read(path)
    <Database: 2 facts, 1 predicate, 2 constants>
    """
    how = HowRead(encoding=encoding, header=header, as_is=as_is, mapping=mapping, missing=missing)
    database = read_into(Intake(), paths, how).finish()
    if both := database.contradicted:
        said = f"{plural(len(both), 'atom is', 'atoms are')} given and denied, first {both[0].as_fact}; the facts count"
        warnings.warn(said, DataWarning, stacklevel=2)
    return database


def read_into(intake: Intake, paths: Iterable[AnyPath | Iterable[AnyPath]], how: HowRead) -> Intake:
    """Add the facts of files and folders to an intake, which is not finished by this."""
    flat = list(_flat(paths))
    if not flat:
        raise DataError("there is nothing to read; give the path of a file or folder")
    tables = how_tables(how.get("as_is", False), how.get("mapping"), how.get("missing"))
    with ExitStack() as open_files:
        csv = CsvTables(how.get("header"), tables.headings)
        reading = _Reading(intake, how.get("encoding", "utf-8"), csv, ParquetFiles(open_files), open_files)
        for path in flat:
            if isinstance(path, str) and is_server(path):
                reading.sheets += postgres_sheets(path, intake, open_files)
            else:
                with told(path, "read"):
                    reading.read(*_asked(path))
        add_sheets(csv.settle(intake) + reading.sheets, tables, intake, open_files.close)
    return intake


def _flat(paths: Iterable[AnyPath | Iterable[AnyPath]]) -> Iterator[AnyPath]:
    for path in paths:
        if isinstance(path, str | os.PathLike):
            yield path
        elif isinstance(path, Iterable):
            yield from _flat(path)
        else:
            raise DataError(f"{shortened(repr(path))} is not a path; name a file or folder of facts")


@dataclass(slots=True)
class _Reading:
    """One call of ``read``."""

    intake: Intake
    encoding: str
    csv: CsvTables
    parquet: ParquetFiles
    open_files: ExitStack
    sheets: list[Sheet] = field(default_factory=list)

    def read(self, path: Path, asked: Format | None = None) -> None:
        """Add the facts of a file or a folder; ``asked`` is the format that it is said to have."""
        if asked is Format.PARQUET and path.is_dir():
            self.sheets += self.parquet.folder(path)
        elif asked is not None and format_of_content(_ends(path)) is not asked:
            raise FormatError(f"{path}: this is no {asked} file; name one, or leave out what stands before its name")
        elif path.is_dir():
            self._read_folder(path)
        else:
            self._read_file(path)

    def _read_folder(self, folder: Path) -> None:
        """Read every file whose content or extension tells the format; hidden files do not count."""
        found = False
        for path in sorted(folder.iterdir()):
            if path.name.startswith("."):
                continue
            if path.is_file() and (format_of_name(path) or format_of_content(_ends(path))):
                self._read_file(path)
                found = True
            else:
                self.intake.remark(os.fspath(folder), Kind.OTHER, path.name)
        if not found:
            raise FormatError(f"{folder}: there is no file of facts in this folder; the formats are {KNOWN}")

    def _read_file(self, path: Path) -> None:
        before = self._taken
        format = self._read_known(path, os.fspath(path))
        is_table = format not in (Format.DB, Format.TSV, *_GRAPHS)  # these are added when all of them are known
        if not is_table and self._taken == before:
            self.intake.remark_empty(os.fspath(path))

    @property
    def _taken(self) -> tuple[int, int]:
        """How many facts there are so far, and how many that are denied."""
        return self.intake.builder.count, len(self.intake.denied)

    def _read_known(self, path: Path, source: str) -> Format:
        """Find out the format and read the file."""
        # A pipe can be read only once, and only from the beginning.
        content = None if path.is_file() else read_bytes(path)
        ends = _ends(path) if content is None else content
        named = format_of_name(path)
        format = format_of_content(ends) or named
        if ends.startswith(GZIP) or format is None or format.is_text:
            return self._read_text(path, path.read_bytes() if content is None else content, source, named)
        if content is not None:
            raise FormatError(f"{source}: only text is read from a pipe; save the {format} file first")
        if ends and format_of_content(ends) is None and not (format is Format.EXCEL and ends.startswith(ZIP)):
            raise FormatError(f"{source}: the content is not that of a {format} file; it may be cut off or misnamed")
        if format is Format.PARQUET:
            found = [self.parquet.sheet(path, source)]
        elif format is Format.EXCEL:
            found = workbook_sheets(path, source, self.intake)
        elif format is Format.DUCKDB:
            found = duckdb_sheets(path, source, self.intake, self.open_files)
        else:
            found = sqlite_sheets(path, source, self.intake, self.open_files)
        if not found:
            self.intake.remark_empty(source)
        self.sheets += found
        return format

    def _read_text(self, path: Path, content: bytes, source: str, format: Format | None) -> Format:
        if content.startswith(GZIP):
            content = unpack(content, source)
            if format_of_content(content):
                raise FormatError(f"{source}: only text is read from gzip files; unpack this one first")
        for start, packer in _PACKED.items():
            if content.startswith(start):
                raise FormatError(f"{source}: it is packed ({packer}); unpack it first, or pack it with gzip")
        text = decode(content, source, self.encoding)
        del content  # as large as the text
        format = format or format_of_text(text)
        if format is Format.TSV and text.lstrip().partition("\n")[0].count("\t") > _TABS_OF_A_TRIPLE:
            format = Format.CSV  # a table with tabs between its cells
        if format is Format.CSV:
            self.csv.read(text, stem(path), source, self.intake)
        elif format is Format.TSV:
            read_triples(text, source, self.intake)
        elif format is Format.DB:
            read_facts(text, source, self.intake, are_false=path.suffix.lower() == NEGATIVES)
        elif format in _GRAPHS:
            _GRAPHS[format](text, source, self.intake)
        else:
            raise FormatError(f"{source}: the format is unknown; the formats are {KNOWN}")
        return format


_TABS_OF_A_TRIPLE = 2
_PREFIXES = {f"{format}:": format for format in (Format.DUCKDB, Format.SQLITE, Format.PARQUET)}
ZIP = b"PK\x03\x04"
"""How a workbook begins, as other archives do."""
_PACKED = {
    ZIP: "zip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"7z\xbc\xaf'\x1c": "7-Zip",
    b"\x28\xb5\x2f\xfd": "Zstandard",
}
"""How files begin that are packed in ways that are not read."""
_GRAPHS = {Format.NTRIPLES: read_ntriples, Format.TURTLE: read_turtle, Format.GRAPHML: read_graphml}


def _asked(path: AnyPath) -> tuple[Path, Format | None]:
    """The path, and the format that stands before it, as in ``duckdb:shop.duckdb``; a file may be called like that."""
    name = os.fspath(path)
    for prefix, format in _PREFIXES.items():
        if name.startswith(prefix) and not os.path.lexists(name):
            return Path(name.removeprefix(prefix)), format
    return Path(path), None


def _ends(path: Path) -> bytes:
    """The first and last bytes of a file, enough to tell its format."""
    with open(path, "rb") as file:
        head = file.read(64)
        file.seek(max(len(head), file.seek(0, os.SEEK_END) - 64))
        return head + file.read()
