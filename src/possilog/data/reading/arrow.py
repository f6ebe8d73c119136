"""Columns of Arrow, which never become one Python object for each cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from possilog.data.reading.values import text_of
from possilog.data.tables.table import UNKNOWN, Codes, TableColumn

__all__ = ["coded_batches"]


def coded_batches(names: Sequence[str], batches: Iterable[Any]) -> list[TableColumn]:
    """Columns of which some rows come at a time, in record batches: only distinct values become text."""
    numbers: list[dict[str, int]] = [{} for _ in names]
    codes: list[list[Codes]] = [[] for _ in names]
    for batch in batches:
        for known, column, cells in zip(numbers, codes, batch.columns, strict=True):
            column.append(_coded(cells, known))
    empty = np.empty(0, dtype=np.int32)
    return [
        TableColumn(name, tuple(known), np.concatenate([empty, *column]))
        for name, known, column in zip(names, numbers, codes, strict=True)
    ]


def _coded(cells: Any, known: dict[str, int]) -> Codes:
    """The number of each cell's value; values that are new get the next ones."""
    encoded = cells.dictionary_encode()
    texts = map(text_of, encoded.dictionary.to_pylist())
    new = [UNKNOWN if text is None else known.setdefault(text, len(known)) for text in texts]
    places = encoded.indices.fill_null(len(new)).to_numpy(zero_copy_only=False)
    found: Codes = np.array([*new, UNKNOWN], dtype=np.int32)[places]
    return found
