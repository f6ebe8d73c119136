"""Columns of Arrow, of which only distinct values become Python objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from possilog.data.reading.values import text_of
from possilog.data.tables.table import TableColumn, coded

__all__ = ["coded_batches"]


def coded_batches(names: Sequence[str], batches: Iterable[Any]) -> list[TableColumn]:
    """Columns of which some rows come at a time, in record batches: only distinct values become text."""
    return coded(names, ([*map(_texts, batch.columns)] for batch in batches))


def _texts(cells: Any) -> list[str | None]:
    encoded = cells.dictionary_encode()
    values = [*map(text_of, encoded.dictionary.to_pylist()), None]
    places = encoded.indices.fill_null(len(values) - 1)
    return [values[place] for place in places.to_pylist()]
