"""What changes where an exploration stands: edits, undo, save, learning again. The server does these itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from possilog.data.evidence import require_one_arity
from possilog.errors import FileError, QueryError, shortened
from possilog.explorer.answering import Order, Reply
from possilog.explorer.edits import EditKind, parsed
from possilog.explorer.explorer import Explorer, file_text
from possilog.explorer.history import Conflicting, Entry
from possilog.explorer.looking import PageAsked
from possilog.explorer.operations import Described
from possilog.explorer.trying import EditAsked, TrialAsked
from possilog.explorer.wishes import Wish, wish
from possilog.files import is_safe_name

__all__ = ["DEEDS", "Deed", "Refused"]

Answer = dict[str, Any] | str

TRIES = 5
"""How often weights are fitted for one edit, where others are faster."""


class Refused(Exception):
    """A process answered that it cannot be done; its answer goes on as it is."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


@dataclass(frozen=True, slots=True)
class Deed(Described):
    """Something that the server does itself."""

    do: Callable[[Explorer, Any], Awaitable[Answer]]


# Edits


async def edit(explorer: Explorer, asked: EditAsked) -> Answer:
    """Accept a correction; where weights have to be fitted, a process does that first."""
    if asked.kind is EditKind.LEARN:
        raise QueryError("a theory is learned again by POST /api/learning")
    book = explorer.book
    if asked.kind in (EditKind.ADD, EditKind.REWORD):
        spoken = {atom.predicate for atom in parsed(asked.text).clause.atoms}
        known = {*book.position.theory.predicates, *explorer.sources.data.predicates}
        require_one_arity(spoken, known, "this rule", "theory and data")
    if asked.weighs:
        entry = await _weighed(explorer, asked)
    else:
        entry = await explorer.write(lambda: book.accept(asked.edit, asked.who, None, asked.based_on))
    return {"revision": entry.number, "accepted": entry.as_json}


async def _weighed(explorer: Explorer, asked: EditAsked) -> Entry:
    """Accept an edit with new weights; if others edit meanwhile, and no revision is named, they are fitted again."""
    book = explorer.book
    fields = {name: getattr(asked, name) for name in ("kind", "rule", "text", "weight", "atom", "right", "refit")}
    for tries_left in reversed(range(TRIES)):
        revision = book.revision if asked.based_on is None else asked.based_on
        reply = await explorer.answer(Order("trial", TrialAsked(**fields, only_theory=True)))
        if reply.status != 200:
            raise Refused(reply)
        try:
            return await explorer.write(partial(book.accept, asked.edit, asked.who, reply.value, revision))
        except Conflicting:
            if asked.based_on is not None or not tries_left:
                raise
    raise AssertionError("the last try returns or raises")


@dataclass(frozen=True, slots=True)
class TurnAsked(Wish):
    """Undo, or redo."""

    who: str = wish("Who says so.", "somebody", most=100)
    number: int | None = wish(
        "The number of the edit that is meant; if it is another one by now, nothing happens.", None
    )


async def undo(explorer: Explorer, asked: TurnAsked) -> Answer:
    """Take back the last edit that stands."""
    entry = await explorer.write(lambda: explorer.book.undo(asked.who, asked.number))
    return {"revision": explorer.book.revision, "accepted": entry.as_json}


async def redo(explorer: Explorer, asked: TurnAsked) -> Answer:
    """Do again what was undone last."""
    entry = await explorer.write(lambda: explorer.book.redo(asked.who, asked.number))
    return {"revision": explorer.book.revision, "accepted": entry.as_json}


async def history(explorer: Explorer, asked: PageAsked) -> Answer:
    """All that was accepted, the last first."""
    book = explorer.book
    entries = book.entries[::-1]
    start = (asked.page - 1) * asked.size
    undo, redo = book.undoable, book.redoable
    return {
        "revision": book.revision,
        "total": len(entries),
        "page": asked.page,
        "pages": max(1, -(-len(entries) // asked.size)),
        "undo": None if undo is None else undo.number,
        "redo": None if redo is None else redo.number,
        "entries": [{**one.as_json, "said": str(one)} for one in entries[start : start + asked.size]],
    }


# Files


@dataclass(frozen=True, slots=True)
class SaveAsked(Wish):
    """Where to."""

    name: str = wish("A file in the folder; empty for the theory's own.", "", most=300)
    who: str = wish("Who says so.", "somebody", most=100)


async def save(explorer: Explorer, asked: SaveAsked) -> Answer:
    """Write the theory to its file, or to another one in the folder."""
    own = explorer.theory_file
    path = own.parent / asked.name if asked.name else own
    if asked.name and not (is_safe_name(asked.name) and _may_replace(path, own)):
        raise FileError(
            f"{shortened(asked.name)!r} is no name for a theory in the folder; take one that is free, as new.pl"
        )

    size = await explorer.write(lambda: explorer.save(path, asked.who))
    return {"saved": path.name, "letters": size, "revision": explorer.book.revision}


def _may_replace(path: Path, own: Path) -> bool:
    return path == own or (path.suffix in (".pl", ".theory") and not path.exists())


async def download(explorer: Explorer, asked: Wish) -> Answer:
    """The theory as text."""
    return file_text(explorer.book.position)


# Learning again


@dataclass(frozen=True, slots=True)
class LearningAsked(Wish):
    """How to learn."""

    seed: int = wish("Of all random choices.", 0)
    seconds: float | None = wish("Be done by then, with what can be had.", None, most=100_000)


async def start_learning(explorer: Explorer, asked: LearningAsked) -> Answer:
    """Learn again from the data and what was marked, with what is locked and banned."""
    explorer.learn(asked.seed, asked.seconds)
    return explorer.relearning.as_json


async def learning(explorer: Explorer, asked: Wish) -> Answer:
    """How far it is."""
    return explorer.relearning.as_json


async def cancel_learning(explorer: Explorer, asked: Wish) -> Answer:
    """End it; the theory stays as it is."""
    explorer.relearning.cancel()
    return explorer.relearning.as_json


@dataclass(frozen=True, slots=True)
class AcceptAsked(Wish):
    """Who takes it."""

    who: str = wish("Who says so.", "somebody", most=100)


async def accept_learned(explorer: Explorer, asked: AcceptAsked) -> Answer:
    """Let the theory that was learned take the place of the one there is."""
    entry = await explorer.write(lambda: explorer.take_learned(asked.who))
    return {"revision": explorer.book.revision, "accepted": entry.as_json}


DEEDS = {
    one.name: one
    for one in (
        Deed(
            "edit",
            "POST",
            "/edits",
            "Correct the theory: lock, pin, ban, reword, add, mark. It is kept before this is answered.",
            "The revision, and what was accepted.",
            EditAsked,
            edit,
        ),
        Deed("undo", "POST", "/undo", "Take back the last edit.", "The revision.", TurnAsked, undo),
        Deed("redo", "POST", "/redo", "Do again what was undone last.", "The revision.", TurnAsked, redo),
        Deed("history", "GET", "/history", "All edits, the last first, by page.", "Entries.", PageAsked, history),
        Deed("save", "POST", "/save", "Write the theory to a file of the folder.", "The file.", SaveAsked, save),
        Deed("download", "GET", "/download", "The theory as text.", "A theory file.", Wish, download),
        Deed("learning", "GET", "/learning", "How far learning again is.", "State and progress.", Wish, learning),
        Deed(
            "start_learning",
            "POST",
            "/learning",
            "Learn again, with what is locked, pinned and banned; the old theory is used meanwhile.",
            "State and progress.",
            LearningAsked,
            start_learning,
        ),
        Deed("cancel_learning", "POST", "/learning/cancel", "End it.", "State.", Wish, cancel_learning),
        Deed(
            "accept_learned",
            "POST",
            "/learning/accept",
            "Let what was learned take the place of the theory.",
            "The revision.",
            AcceptAsked,
            accept_learned,
        ),
    )
}
"""By name."""
