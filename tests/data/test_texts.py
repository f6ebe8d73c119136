"""Many texts in little room, in order and as they came, whatever the size of blocks and runs."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database, read, texts
from possilog.data.tables import table
from possilog.data.tables.table import UNKNOWN, Coding
from possilog.data.texts import Texts, in_order

NAMES = st.lists(st.text(max_size=3) | st.sampled_from(["ann", "bob", "ann\ufdd0b", "\ud800", "🦉"]), max_size=40)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "_BLOCK", 3)
    monkeypatch.setattr(texts, "_RUN", 7)
    monkeypatch.setattr(texts, "MANY", 4)
    monkeypatch.setattr(table, "MANY", 4)
    monkeypatch.setattr(table, "_SOME", 5)


@settings(max_examples=budget(200))
@given(NAMES, NAMES)
def test_texts_are_a_sequence(some: list[str], more: list[str]) -> None:
    found = Texts(some)
    found.extend(more)
    names = some + more
    assert list(found) == names
    assert len(found) == len(names)
    assert [found[place] for place in range(-len(names), len(names))] == names + names
    assert found[1:-1] == tuple(names[1:-1])
    for beyond in (len(names), -len(names) - 1):
        with pytest.raises(IndexError):
            found[beyond]
    assert [name for some in found.taken() for name in some] == names
    assert list(found) == []


@settings(max_examples=budget(200))
@given(NAMES)
def test_texts_come_in_order_each_once(names: list[str]) -> None:
    found, places = in_order(iter(names))
    assert list(found) == sorted(set(names))
    assert [found[place] for place in places] == names


@settings(max_examples=budget(200))
@given(st.lists(st.none() | st.sampled_from(["", *"abcdefghij"]), max_size=60))
def test_cells_that_wait_are_numbered_as_they_came(cells: list[str | None]) -> None:
    coding = Coding()
    for start in range(0, len(cells), 8):
        coding.add(cells[start : start + 8])
    values, codes = coding.done()
    assert list(values) == list(dict.fromkeys(cell for cell in cells if cell is not None))
    assert [None if code == UNKNOWN else values[code] for code in codes] == cells


def test_a_database_of_many_names_is_as_one_of_few(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [f"o{n},{'no' if n % 3 else 'yes'},c{n * 7 % 13},o{n * 5 % 40}\n" for n in range(40)]
    path = tmp_path / "orders.csv"
    path.write_text("".join(["order_id,paid,city,order_before\n", *rows]))
    many = read(path, header=True)
    with monkeypatch.context() as usual:
        usual.setattr(texts, "_BLOCK", 4096)
        few = Database.of(read(path, header=True), denied=read(path, header=True).denied)
    assert not isinstance(many.names, tuple)
    assert [many.number(name) for name in few.constants] == list(range(len(few.constants)))
    assert few == many
    assert few.denied == many.denied
    assert isinstance(many.names, tuple)


def test_names_by_the_ten_thousand_take_little_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setattr(texts, "_RUN", 1 << 13)
    for module in (texts, table):
        monkeypatch.setattr(module, "MANY", 1 << 11)
    count = 60_000
    rows = [f"order{n:07},city{n * 7 % (count // 2):07},person{n * 11 % (count // 2 + 1):07}\n" for n in range(count)]
    path = tmp_path / "orders.csv"
    path.write_text("".join(["order_id,city,person\n", *rows]))
    del rows
    read(path, header=True)  # what is imported
    gc.collect()
    tracemalloc.start()
    database = read(path, header=True)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    constants = len(database.names)
    assert constants == 2 * count + 1
    assert held < 80 * constants
    assert peak < 200 * constants
    assert len(database.constants) == constants
