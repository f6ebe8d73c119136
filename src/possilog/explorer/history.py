"""The history of an exploration: every accepted edit, appended to a file beside the theory before it is answered.

A line that a kill cut short was never answered, and is cut off. What is undone stays in the file, too. The theory's own
file changes only when somebody saves it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from errno import ENOSPC
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from possilog.errors import FileError, QueryError, TheoryError
from possilog.explorer.edits import Edit, applied
from possilog.explorer.position import Position, Signed
from possilog.files import told
from possilog.logic import Theory, parse_theory

__all__ = ["Book", "Conflicting", "Entry", "now"]


class Conflicting(QueryError):
    """Somebody else was faster."""


def now() -> str:
    """The time, in words that sort."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the history."""

    number: int
    deed: str
    """begin, edit, undo, redo or save."""
    signed: Signed
    edit: Edit | None = None
    theory: str = ""
    """The whole theory, where it does not follow from the edit alone."""
    sha: str = ""
    """Of the file that was begun with, or saved."""

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        edit = {} if self.edit is None else {"edit": self.edit.as_json}
        return {"number": self.number, "deed": self.deed, **self.signed.as_json, **edit}

    @property
    def line(self) -> bytes:
        """As it stands in the file."""
        kept = {name: value for name, value in (("theory", self.theory), ("sha", self.sha)) if value}
        return (json.dumps(self.as_json | kept, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")

    @classmethod
    def from_line(cls, line: bytes) -> Entry:
        """What ``line`` wrote; ValueError or LookupError where it did not."""
        given = json.loads(line.decode("utf-8", "surrogatepass"))
        edit = Edit.from_json(given["edit"]) if "edit" in given else None
        signed = Signed(given["who"], given["when"])
        return cls(given["number"], given["deed"], signed, edit, given.get("theory", ""), given.get("sha", ""))

    def __str__(self) -> str:
        return self.deed if self.edit is None else str(self.edit)


@dataclass
class Book:
    """The theory as it stands, how it came to that, and what can be undone."""

    path: Path
    """Of the history."""
    position: Position
    entries: list[Entry] = field(default_factory=list)
    _done: list[tuple[Entry, Position]] = field(default_factory=list)
    """Edits that can be undone, each with where the exploration stood before it."""
    _undone: list[tuple[Entry, Position]] = field(default_factory=list)
    """Edits that can be done again, each with where the exploration stood after it."""
    _file: IO[bytes] | None = None
    _original: Theory = field(default_factory=Theory)
    """The theory as it was begun with."""

    @classmethod
    def open(cls, theory_file: Path, text: str, theory: Theory) -> Book:
        """Open the history of a theory's file, or begin one; nobody else may have it open.

        If the file is not what it was when it was last begun with or saved, a person has changed it, and it is
        begun with anew.
        """
        path = theory_file.with_name(f"{theory_file.name}.history")
        book = cls(path, Position(0, theory))
        with told(path, "written"):
            book._file = open(path, "ab")  # noqa: SIM115 - it stays open
        _lock(book._file, path)
        sha = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        try:
            for entry in book._read():
                book._take(entry, theory)
        except BaseException:
            book.close()
            raise
        known = next((entry.sha for entry in reversed(book.entries) if entry.sha), None)
        if known != sha:
            book._append(Entry(len(book.entries) + 1, "begin", Signed("", now()), theory=text, sha=sha))
            book._begin(theory)
        return book

    def _read(self) -> Iterator[Entry]:
        """The lines of the file; what a kill cut short goes."""
        with told(self.path, "read"):
            content = self.path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(self.path, whole)
        for number, line in enumerate(content[:whole].splitlines(), 1):
            try:
                yield Entry.from_line(line)
            except (ValueError, LookupError, TypeError, AttributeError):
                raise FileError(
                    f"{self.path}:{number}: it is not what the explorer wrote; move the file away to begin anew"
                ) from None

    def _take(self, entry: Entry, theory: Theory) -> None:
        """Go where an entry of the file led."""
        self.entries.append(entry)
        if entry.deed == "begin":
            self._begin(parse_theory(entry.theory, str(self.path)))
        elif entry.deed == "edit" and entry.edit is not None:
            made = parse_theory(entry.theory, str(self.path)) if entry.theory else None
            self._go(entry, applied(self.position, entry.edit, entry.signed, made))
        elif entry.deed in ("undo", "redo"):
            self._back() if entry.deed == "undo" else self._forth()

    def _begin(self, theory: Theory) -> None:
        self._done.clear()
        self._undone.clear()
        since = len(self.entries)
        self.position = replace(self.position, revision=since, theory=theory, begun=None, theory_since=since)
        self._original = theory

    def _go(self, entry: Entry, position: Position) -> None:
        self._done.append((entry, self.position))
        self._undone.clear()
        self.position = replace(self.position.followed_by(position, entry.number), begun=self._original)

    def _back(self) -> None:
        entry, before = self._done.pop()
        self._undone.append((entry, self.position))
        self.position = replace(before, revision=len(self.entries))

    def _forth(self) -> None:
        entry, after = self._undone.pop()
        self._done.append((entry, self.position))
        self.position = replace(after, revision=len(self.entries))

    # What happens now

    @property
    def revision(self) -> int:
        """The number of the last entry."""
        return len(self.entries)

    @property
    def undoable(self) -> Entry | None:
        """The edit that would be undone."""
        return self._done[-1][0] if self._done else None

    @property
    def redoable(self) -> Entry | None:
        """The edit that would be done again."""
        return self._undone[-1][0] if self._undone else None

    def accept(self, edit: Edit, who: str, theory: Theory | None = None, based_on: int | None = None) -> Entry:
        """Do an edit, and write it down; a theory that was made for it holds only for the revision it is based on."""
        if based_on is not None and based_on != self.revision:
            raise Conflicting("the theory has changed meanwhile; look at it again, and then accept it")
        signed = Signed(who, now())
        position = applied(self.position, edit, signed, theory)
        if position.theory.unplaced:
            raise TheoryError("the rule has no weight; write one before it, as 0.9 :: flies(X) :- bird(X), or refit")
        text = "" if theory is None else str(theory)
        entry = Entry(self.revision + 1, "edit", signed, edit, text)
        self._append(entry)
        self._go(entry, position)
        return entry

    def undo(self, who: str, number: int | None = None) -> Entry:
        """Take back the last edit that stands; the number says which one is meant."""
        return self._turn("undo", self.undoable, who, number)

    def redo(self, who: str, number: int | None = None) -> Entry:
        """Do again what was undone last."""
        return self._turn("redo", self.redoable, who, number)

    def _turn(self, deed: str, about: Entry | None, who: str, number: int | None) -> Entry:
        if about is None:
            raise QueryError(f"there is nothing to {deed}")
        if number not in (None, about.number):
            raise Conflicting(f"the edit to {deed} is {about.number} by now, not {number}; look at the history again")
        entry = Entry(self.revision + 1, deed, Signed(who, now()), about.edit)
        self._append(entry)
        self._back() if deed == "undo" else self._forth()
        return entry

    def saved(self, who: str, text: str) -> Entry:
        """Write down that the theory's file was written."""
        sha = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        entry = Entry(self.revision + 1, "save", Signed(who, now()), sha=sha)
        self._append(entry)
        self.position = replace(self.position, revision=self.revision)
        return entry

    def _append(self, entry: Entry) -> None:
        """On the disk before anybody hears of it."""
        if self._file is None:
            raise QueryError("the history is closed")
        with told(self.path, "written"):
            before = os.fstat(self._file.fileno()).st_size
            try:
                os.write(self._file.fileno(), entry.line)
                if os.fstat(self._file.fileno()).st_size != before + len(entry.line):
                    raise OSError(ENOSPC, os.strerror(ENOSPC))
                os.fsync(self._file.fileno())
            except OSError:
                os.truncate(self.path, before)  # half a line would spoil what comes after it
                raise
        self.entries.append(entry)

    def close(self) -> None:
        """Let others have it."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _lock(file: IO[bytes], path: Path) -> None:
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:  # where there is no such lock, people have to take care
        return
    try:
        flock(file, LOCK_EX | LOCK_NB)
    except OSError:
        file.close()
        raise FileError(f"{path}: another explorer has it open; use that one, or end it") from None
