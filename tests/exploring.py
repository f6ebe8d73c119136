"""An explorer to ask, in this process; its answers come from processes of their own, as they do for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from starlette.testclient import TestClient

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.explorer.app import make_app
from possilog.explorer.exploration import Sources
from possilog.explorer.explorer import Explorer
from possilog.explorer.history import Book
from possilog.explorer.safety import Access
from possilog.logic import parse_theory

__all__ = ["BIRDS", "FACTS", "exploring"]

PORT = 8127

BIRDS = """
0.9 :: flies(X) :- bird(X).
0.8 :: sings(X) :- flies(X), small(X).
0.7 :: swims(X) :- duck(X).
:- flies(X), penguin(X).
bird(X) :- penguin(X).
"""
FACTS = [
    *(f"bird(b{number})" for number in range(10)),
    *(f"flies(b{number})" for number in range(9)),
    *("small(b1)", "small(b2)", "sings(b1)", "duck(b3)", "swims(b3)", "penguin(pingu)", "bird(pingu)"),
]


@contextmanager
def exploring(
    folder: Path,
    theory: str = BIRDS,
    facts: Database | Iterable[str] = tuple(FACTS),
    *,
    seconds: float = 20,
    access: Access | None = None,
) -> Iterator[TestClient]:
    """A client of an explorer that was started on a file with this theory."""
    path = folder / "theory.pl"
    if not path.exists():
        path.write_text(theory, encoding="utf-8")
    text = path.read_text("utf-8")
    data = facts if isinstance(facts, Database) else facts_of(list(facts))
    book = Book.open(path, text, parse_theory(text))
    explorer = Explorer(Sources("theory.pl", data, folder, "birds"), book, path, processes=1, seconds=seconds)
    app = make_app(explorer, access or Access("127.0.0.1", PORT))
    with TestClient(app, base_url=f"http://127.0.0.1:{PORT}", raise_server_exceptions=True) as client:
        yield client
