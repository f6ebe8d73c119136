"""Frames of pandas, polars, Arrow, and whatever else narwhals knows. None of these is needed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from possilog.data.database import Database
from possilog.data.reading.intake import Intake
from possilog.data.reading.tables import add_columns
from possilog.errors import FormatError

__all__ = ["from_frames"]


def from_frames(frames: Mapping[str, Any]) -> Database:
    """The database of some frames: each is a predicate, its columns are the arguments, its rows the facts.

    Rows where a value is missing are left out, with a warning.

    Parameters
    ----------
    frames : dict of str to frame
        By predicate. Frames are those of pandas, polars or Arrow.

    Returns
    -------
    Database
        The facts, with the columns' names as the names of arguments.

    Raises
    ------
    FormatError
        If what is given is no frame, or is one that cannot be taken.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from_frames({"borders": DataFrame({"one": ["France", "Spain"], "other": ["Spain", "Portugal"]})})
    <Database: 2 facts, 1 predicate, 3 constants>
    """
    if not isinstance(frames, Mapping):
        found = type(frames).__name__
        raise FormatError(f"a {found} was given instead of frames by predicate; write them like {{'likes': frame}}")
    intake = Intake()
    for name, frame in frames.items():
        if not isinstance(name, str):
            raise FormatError(f"{name!r} is not text, and cannot be a frame's predicate; give it a name")
        intake.count_rows(name)
        labels, columns = _columns(name, frame)
        if len(frame) and not columns:
            raise FormatError(f"the frame {name} has rows but no columns; give it at least one")
        if all(isinstance(label, str) for label in labels):
            intake.builder.name_arguments(name, labels, source=name)
        if len(frame):
            add_columns(name, columns, range(1, len(frame) + 1), name, intake)
        else:
            intake.remark_empty(name)
    return intake.finish()


def _columns(name: str, frame: object) -> tuple[list[Any], list[list[object]]]:
    """The labels of a frame's columns, and their values."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        taken: Any = nw.from_native(frame, eager_only=True)
        return list(taken.columns), [column.to_list() for column in taken.iter_columns()]
    except DuplicateError:
        raise FormatError(f"two columns of the frame {name} have one name; give them different ones") from None
    except TypeError:
        kind = type(frame).__name__
        lazy = "; collect it first" if kind == "LazyFrame" else "; make a DataFrame of it"
        raise FormatError(f"{name} is a {kind}, not a frame{lazy}") from None
