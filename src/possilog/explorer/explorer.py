"""The server's side of an exploration: where it stands, what was answered already, and what is under way."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from possilog.errors import QueryError
from possilog.explorer.answering import Order, Reply, prepare
from possilog.explorer.desk import Desk
from possilog.explorer.edits import Edit, EditKind
from possilog.explorer.exploration import Sources
from possilog.explorer.history import Book, Entry
from possilog.explorer.operations import OPERATIONS
from possilog.explorer.pages import Frame, Moment, draw, fill
from possilog.explorer.position import Position
from possilog.explorer.relearning import Relearning
from possilog.files import write_atomically
from possilog.logic.files import theory_text

__all__ = ["Explorer", "file_text"]

MOST_KEPT = 64 * 2**20
"""Bytes of answers that are kept for whoever asks the same."""

MOST_PASTED = 64 * 2**20
"""Bytes of long evidence that pages refer to."""

_T = TypeVar("_T")


@dataclass
class _Kept:
    """What was used last, up to a number of bytes."""

    most: int
    _items: OrderedDict[Hashable, tuple[object, int]] = field(default_factory=OrderedDict)
    _size: int = 0

    def get(self, key: Hashable) -> object | None:
        if key not in self._items:
            return None
        self._items.move_to_end(key)
        return self._items[key][0]

    def put(self, key: Hashable, value: object, size: int) -> None:
        if key not in self._items:
            self._items[key] = value, size
            self._size += size
        while self._size > self.most:
            self._size -= self._items.popitem(last=False)[1][1]


def file_text(position: Position) -> str:
    """What stands in the theory's file; a rule that a person wrote says so."""
    notes = {}
    for rule in position.theory:
        author = position.author(rule.clause)
        if author is not None:
            notes[rule.clause] = f"written by {author}"
    return theory_text(position.theory, None, notes)


class Explorer:
    """One exploration, for all who come."""

    def __init__(
        self, sources: Sources, book: Book, theory_file: Path, *, processes: int = 2, seconds: float = 10.0
    ) -> None:
        self.sources, self.book, self.theory_file = sources, book, theory_file
        self.relearning = Relearning()
        self.desk = Desk(partial(prepare, sources), processes, seconds)
        self.form_token = secrets.token_urlsafe(16)
        """Forms send it back."""
        self.writing = asyncio.Lock()
        """One edit at a time."""
        self._answers = _Kept(MOST_KEPT)
        self._under_way: dict[Hashable, asyncio.Task[Reply]] = {}
        """What is being answered, for others who ask the same meanwhile."""
        self._pasted = _Kept(MOST_PASTED)

    async def answer(self, order: Order) -> Reply:
        """What a process answers, or what one has answered to the same while it is true."""
        position = self.book.position
        key = (position.seen_by(OPERATIONS[order.operation].sees(order.asked)), order)
        known = self._answers.get(key)
        if isinstance(known, Reply):
            return known
        task = self._under_way.get(key)
        if task is None:
            task = asyncio.get_running_loop().create_task(self._answered(key, order, position))
            self._under_way[key] = task
            task.add_done_callback(lambda _: self._under_way.pop(key))
        return await asyncio.shield(task)  # who goes away does not take the answer from others

    async def _answered(self, key: Hashable, order: Order, position: Position) -> Reply:
        reply = await self.desk.answer(order, position, OPERATIONS[order.operation].seconds)
        if reply.value is None and not getattr(order.asked, "file", ""):  # a file may change at any time
            self._answers.put(key, reply, len(reply.body) + 1000)
        return reply

    async def write(self, deed: Callable[[], _T]) -> _T:
        """Change where the exploration stands: one after the other, and not in the way of those who look."""
        async with self.writing:
            return await asyncio.get_running_loop().run_in_executor(None, deed)

    # Pages

    def frame(self, path: str, carried: tuple[tuple[str, str], ...] = ()) -> Frame:
        """What a page has around it."""
        return Frame(self.sources.title, path, self.form_token, carried)

    def page(self, template: str, path: str, view: Any) -> bytes:
        """A page that the server draws itself."""
        return self.filled(draw(template, self.frame(path), view))

    def filled(self, page: bytes) -> bytes:
        """A page, as it is to be seen now."""
        undo, redo = self.book.undoable, self.book.redoable
        said = {"learning": "learning…", "done": "a theory was learned"}.get(self.relearning.state, "")
        moment = Moment(self.book.revision, undo.number if undo else 0, redo.number if redo else 0, said)
        return fill(page, self.frame(""), moment)

    # Learning again

    def learn(self, seed: int = 0, seconds: float | None = None, done: Callable[[], object] = lambda: None) -> None:
        """Begin to learn from the data and what was marked, with what is locked and banned."""
        position = self.book.position
        self.relearning.start(position.facts_with(self.sources.data), position.theory, seed, seconds, done)

    def learn_first(self) -> None:
        """Learn the theory that there is not yet, and take it as soon as it is there."""
        loop = asyncio.get_running_loop()
        self.learn(done=lambda: asyncio.run_coroutine_threadsafe(self._take_first(), loop))

    async def _take_first(self) -> None:
        if self.relearning.theory is not None:
            await self.write(lambda: self.take_learned("possilog"))
            await self.write(lambda: self.save(self.theory_file, "possilog"))

    def take_learned(self, who: str) -> Entry:
        """Let what was learned take the place of the theory."""
        theory = self.relearning.theory
        if theory is None:
            raise QueryError("no theory was learned that could be taken; learn again first")
        entry = self.book.accept(Edit(EditKind.LEARN), who, theory)
        self.relearning.forget()
        return entry

    def save(self, path: Path, who: str) -> int:
        """Write the theory to a file, and say so in the history if it is its own; the letters that were written."""
        text = file_text(self.book.position)
        write_atomically(path, text.encode("utf-8", "backslashreplace"))
        if path == self.theory_file:
            self.book.saved(who, text)
        return len(text)

    # Long evidence

    def paste(self, text: str) -> str:
        """Keep a text for a while; the name to ask for it by."""
        name = secrets.token_urlsafe(9)
        self._pasted.put(name, text, len(text))
        return name

    def pasted(self, name: str) -> str | None:
        """The text of a name."""
        found = self._pasted.get(name)
        return found if isinstance(found, str) else None

    def close(self) -> None:
        """End all that runs."""
        self.relearning.close()
        self.desk.close()
        self.book.close()
