"""Frames of pandas, polars, Arrow, and whatever else narwhals knows. None of these is needed here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from possilog.data.database import Database
from possilog.data.reading.intake import Intake
from possilog.data.reading.sheets import Sheet, add_sheets, how_tables
from possilog.data.reading.tables import add_columns, as_texts
from possilog.data.tables import TableColumn, coded
from possilog.errors import FormatError
from possilog.files import AnyPath
from possilog.logic import TableMapping
from possilog.requiring import require_single

__all__ = ["coded_sheet", "columns_sheet", "from_frames"]

_BATCH = 20_000
"""Rows that are taken at a time."""


def from_frames(
    frames: Mapping[str, Any],
    *,
    as_is: bool = False,
    mapping: TableMapping | AnyPath | None = None,
    missing: Iterable[str] | None = None,
) -> Database:
    """The database of some frames: tables, or facts of one predicate each.

    Where a frame has three columns or more, all frames are tables, and their columns become predicates. Else a frame
    is a predicate, its columns are the arguments, its rows the facts; rows where a value is missing are then left out,
    with a warning.

    Parameters
    ----------
    frames : dict of str to frame
        By the name of the table or predicate. Frames are those of pandas, polars or Arrow; an index that has a name is
        a column too.
    as_is : bool
        Is each frame a predicate, and each row a fact?
    mapping : TableMapping, path of a file, or None
        What becomes of each table and column; None to find out.
    missing : several str, or None
        Words that stand for an unknown value in tables, beside the empty cell; None for NA, NULL, nan, N/A, ? and -.

    Returns
    -------
    Database
        The facts, with the columns' names as the names of arguments.

    Raises
    ------
    FormatError
        If what is given is no frame, or is one that cannot be taken.
    DataError
        If tables and mapping do not fit together.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from_frames({"borders": DataFrame({"one": ["France", "Spain"], "other": ["Spain", "Portugal"]})})
    <Database: 2 facts, 1 predicate, 3 constants>
    """
    if not isinstance(frames, Mapping):
        found = type(frames).__name__
        raise FormatError(f"a {found} was given instead of frames by predicate; write them like {{'likes': frame}}")
    require_single(as_is=as_is)
    intake = Intake()
    add_sheets([_sheet(name, frame) for name, frame in frames.items()], how_tables(as_is, mapping, missing), intake)
    return intake.finish()


def _sheet(name: object, frame: Any) -> Sheet:
    if not isinstance(name, str):
        raise FormatError(f"{name!r} is not text, and cannot be a frame's predicate; give it a name")
    labels, columns = _columns(name, frame)
    if len(frame) and not columns:
        raise FormatError(f"the frame {name} has rows but no columns; give it at least one")
    return columns_sheet(name, labels, columns, len(frame))


def coded_sheet(name: str, columns: Sequence[TableColumn], source: str, file: str) -> Sheet:
    """A sheet of columns whose values are numbered."""
    labels, count = tuple(column.name for column in columns), len(columns[0].codes)

    def add_facts(intake: Intake) -> None:
        intake.count_rows(source)
        intake.builder.name_arguments(name, labels, source=source)
        texts = [(*column.values, None) for column in columns]  # the number of no value is -1
        for start in range(0, count, _BATCH):
            rows = range(start + 1, min(start + _BATCH, count) + 1)
            codes = [column.codes[start : start + _BATCH].tolist() for column in columns]
            cells = [[known[code] for code in part] for known, part in zip(texts, codes, strict=True)]
            add_columns(name, cells, rows, source, intake)
        if not count:
            intake.remark_empty(source)

    return Sheet(name, source, labels, add_facts, lambda wanted: columns, file=file)


def columns_sheet(name: str, labels: Sequence[Any], columns: Sequence[Sequence[object]], count: int) -> Sheet:
    """A sheet of columns that are at hand."""
    named = all(isinstance(label, str) for label in labels)
    rows = range(1, count + 1)

    def add_facts(intake: Intake) -> None:
        intake.count_rows(name)
        if named:
            intake.builder.name_arguments(name, labels, source=name)
        if count:
            add_columns(name, columns, rows, name, intake)
        else:
            intake.remark_empty(name)

    def cells(wanted: Sequence[str]) -> list[TableColumn]:
        return coded(labels, [as_texts(columns, rows, name)])

    return Sheet(name, name, tuple(labels) if named else None, add_facts, cells)


def _with_index(name: str, frame: Any) -> Any:
    """The frame with its index as columns, where that has a name: it is often the key."""
    index = getattr(frame, "index", None)
    if not hasattr(frame, "reset_index") or not any(label is not None for label in getattr(index, "names", ())):
        return frame
    try:
        return frame.reset_index()
    except ValueError:
        raise FormatError(f"the index of the frame {name} is called like a column; give it another name") from None


def _columns(name: str, frame: object) -> tuple[list[Any], list[list[object]]]:
    """The labels of a frame's columns, and their values."""
    import narwhals as nw
    from narwhals.exceptions import DuplicateError

    try:
        taken: Any = nw.from_native(_with_index(name, frame), eager_only=True)
        labels = list(taken.columns)
        if any(isinstance(label, tuple) for label in labels):
            raise FormatError(f"the columns of the frame {name} have names of several levels; give them one each")
        return labels, [column.to_list() for column in taken.iter_columns()]
    except DuplicateError:
        raise FormatError(f"two columns of the frame {name} have one name; give them different ones") from None
    except TypeError:
        kind = type(frame).__name__
        lazy = "; collect it first" if kind == "LazyFrame" else "; make a DataFrame of it"
        raise FormatError(f"{name} is a {kind}, not a frame{lazy}") from None
