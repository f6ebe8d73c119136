"""Frames of pandas, and what behaves like them. pandas itself is not needed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from possilog.data.database import Database
from possilog.data.reading.intake import Intake
from possilog.data.reading.tables import add_columns
from possilog.errors import FormatError

__all__ = ["Frame", "from_frames"]


class Frame(Protocol):
    """As much of a pandas frame as is read here."""

    def __len__(self) -> int: ...

    @property
    def columns(self) -> Any:
        """The labels; what has none is no frame."""
        ...

    def items(self) -> Iterable[tuple[Any, Any]]:
        """The labels and columns."""
        ...


def from_frames(frames: Mapping[str, Frame]) -> Database:
    """The database of some frames: each is a predicate, its columns are the arguments, its rows the facts.

    Rows where a value is missing are left out, with a warning.
    """
    if not isinstance(frames, Mapping):
        found = type(frames).__name__
        raise FormatError(f"a {found} was given instead of frames by predicate; write them like {{'likes': frame}}")
    intake = Intake()
    for name, frame in frames.items():
        if not isinstance(name, str):
            raise FormatError(f"{name!r} is not text, and cannot be a frame's predicate; give it a name")
        if not hasattr(frame, "columns"):
            raise FormatError(f"{name} is a {type(frame).__name__}, not a frame; make a DataFrame of it")
        intake.count_rows(name)
        labels, columns = [], []
        for label, column in frame.items():
            labels.append(label)
            columns.append(column.tolist())
        if len(frame) and not columns:
            raise FormatError(f"the frame {name} has rows but no columns; give it at least one")
        if all(isinstance(label, str) for label in labels):
            intake.builder.name_arguments(name, labels, source=name)
        if len(frame):
            add_columns(name, columns, range(1, len(frame) + 1), name, intake)
        else:
            intake.remark_empty(name)
    return intake.finish()
