"""One door to all files of facts, from the inside: ``write``."""

from __future__ import annotations

import gzip
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from possilog.data.database import Database, require_database
from possilog.data.formats import KNOWN, Format, format_of_name
from possilog.data.writing.names import file_names
from possilog.data.writing.tables import write_duckdb, write_parquet, write_sqlite
from possilog.data.writing.text import csv_texts, facts_text, triples_text
from possilog.errors import DataWarning, FormatError, shortened
from possilog.files import AnyPath, replacing, require_path, told, write_atomically
from possilog.logic.spelling import plain
from possilog.printing import plural

__all__ = ["write"]

_FOLDERS = (Format.CSV, Format.PARQUET)


def write(database: Database, path: AnyPath, format: str | None = None) -> None:
    """Write facts to a file or folder, whole or not at all; ``read`` gives the same facts back.

    Constants that have no facts and, in text, predicates that have none cannot be written; a DataWarning tells of them.
    Facts of tables are spelled plainly: ``read`` needs the ``mapping`` of the tables to give back their types.

    Parameters
    ----------
    database : Database
        The facts.
    path : str or path
        The file or folder. Text is compressed where it ends with ``.gz``.
    format : str or None
        The format. Without one the extension decides; a path without an extension becomes a folder of CSV files.

    Returns
    -------
    None

    Raises
    ------
    DataError
        If what is given is no database.
    FileError
        If the file cannot be written.
    FormatError
        If there is no such format, or it cannot hold the facts.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from possilog import load, read
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "village.db")
    ...     write(load("village"), path)
    ...     read(path) == load("village")
    True
    """
    require_database(database)
    require_path(path, "facts")
    target = Path(path)
    with told(path, "written"):
        chosen = _format(target, format)
        _require_unicode(database)
        if chosen in _FOLDERS and target.is_dir() and any(target.iterdir()):
            raise FormatError(f"{target}: this folder is not empty; name a new one")
        if target.is_dir() and chosen not in _FOLDERS:
            raise FormatError(f"{target}: this is a folder, and {chosen} is a file; name a file")
        _write(database, target, chosen)
    for message in _left_out(database, chosen):
        warnings.warn(f"{target}: {message}", DataWarning, stacklevel=2)


def _format(target: Path, format: str | None) -> Format:
    try:
        found = Format(format) if format else format_of_name(target)
    except ValueError:
        raise FormatError(f"there is no format {format!r}; use one of {', '.join(Format)}") from None
    if found is None and not target.suffix:
        return Format.CSV
    if found is None:
        raise FormatError(f"{target}: the extension tells no format; give format=... or use one of {KNOWN}")
    if found.is_only_read:
        raise FormatError(f"{target}: {found} files are read, and not written; write triples (.tsv) instead")
    if found in _FOLDERS and format is None:
        raise FormatError(f"{target}: a {found} file holds one predicate; name a folder, with format={str(found)!r}")
    return found


def _write(database: Database, target: Path, format: Format) -> None:
    if format in (Format.DB, Format.TSV):
        text = facts_text(database) if format is Format.DB else triples_text(database)
        # A reader takes the first mark away as a byte order mark, so a name that begins with one needs another.
        content = ("\ufeff" + text if text.startswith("\ufeff") else text).encode()
        # A gzip file has its time in it; the same facts should be the same file.
        write_atomically(target, gzip.compress(content, mtime=0) if target.suffix.lower() == ".gz" else content)
        return
    if format in _FOLDERS and not database.predicates:
        raise FormatError(f"{target}: there is no predicate to write, and an empty folder would not be read back")
    with replacing(target) as fresh:
        _WRITERS[format](database, fresh)


def _write_csv(database: Database, folder: Path) -> None:
    files = file_names(database.predicates, ".csv")
    folder.mkdir()
    for predicate, text in csv_texts(database):
        (folder / files[predicate]).write_bytes(text.encode())


_WRITERS = {
    Format.CSV: _write_csv,
    Format.PARQUET: write_parquet,
    Format.DUCKDB: write_duckdb,
    Format.SQLITE: write_sqlite,
}


def _require_unicode(database: Database) -> None:
    for name in (*(predicate.name for predicate in database.predicates), *database.constants):
        if not name.isascii():
            try:
                name.encode()
            except UnicodeEncodeError:
                raise FormatError(f"the name {name!r} holds half a character and cannot be written; mend it") from None


def _left_out(database: Database, format: Format) -> list[str]:
    """What the file just written does not say."""
    messages = []
    used = np.zeros(len(database.constants), dtype=bool)
    for predicate in database.predicates:
        used[database.rows(predicate)] = True
    if format is Format.DB:
        for predicate in database.denied_predicates:
            used[database.denied_rows(predicate)] = True
    elif database.denied:
        messages.append(f"{len(database.denied):,} denied atoms are not in it, first {database.denied[0].as_fact}")
    if not used.all():
        first = plain(database.constants[int(np.argmin(used))])
        messages.append(f"{np.count_nonzero(~used):,} constants without facts are not in it, first {first!r}")
    empty = [predicate for predicate in database.predicates if not database.count(predicate)]
    if empty and format in (Format.DB, Format.TSV):
        left_out = plural(len(empty), "predicate without facts is", "predicates without facts are")
        messages.append(f"{left_out} not in it, first {empty[0]}")
    alike = [name for name, times in Counter(map(plain, database.constants)).items() if times > 1]
    if alike:
        several = plural(len(alike), "spelling stands", "spellings stand")
        advice = "read it with the mapping of the tables (mapping=, --mapping) to tell them apart"
        messages.append(f"{several} for things of several types, first {shortened(alike[0], 40)!r}; {advice}")
    return messages
