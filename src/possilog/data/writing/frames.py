"""Facts as pandas frames."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from possilog.data.database import Database, require_database
from possilog.data.writing.tables import columns_of
from possilog.errors import FormatError, MissingPart

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["frame_of", "to_frames"]


def to_frames(database: Database) -> dict[str, DataFrame]:
    """A frame for each predicate, with a column for each argument; needs ``possilog[pandas]``.

    Parameters
    ----------
    database : Database
        The facts.

    Returns
    -------
    dict of str to DataFrame
        Frames of pandas by predicate.

    Raises
    ------
    DataError
        If what is given is no database.
    FormatError
        If pandas is not installed.

    Examples
    --------
    >>> from possilog import load
    >>> to_frames(load("village"))["married"].shape
    (10, 2)
    """
    try:
        from pandas import DataFrame
    except ImportError:
        raise FormatError("frames need pandas; install it with: pip install 'possilog[pandas]'") from None

    require_database(database)
    return {predicate.name: DataFrame(table, dtype=object) for predicate, table in columns_of(database)}


def frame_of(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> DataFrame:
    """A result as one frame: some parts of its rows, as columns that are there even if no row is."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise MissingPart("frames need pandas; install it with: pip install 'possilog[pandas]'") from None
    return DataFrame([[row[name] for name in names] for row in rows], columns=list(names))
