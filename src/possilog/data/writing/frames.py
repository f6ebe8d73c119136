"""Facts as pandas frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from possilog.data.database import Database, require_database
from possilog.data.writing.tables import columns_of
from possilog.errors import FormatError

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["to_frames"]


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
