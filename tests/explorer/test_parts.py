"""The parts of the explorer, each by itself: corrections, the history, what is remembered, and who is let in."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from exploring import BIRDS, FACTS
from possilog.data.taking import facts_of
from possilog.errors import PossilogError
from possilog.explorer.edits import Edit, EditKind, applied, needs_weights
from possilog.explorer.exploration import MOST_REMEMBERED, Exploration, Premises, Sources
from possilog.explorer.history import Book
from possilog.explorer.position import Position, Signed
from possilog.explorer.safety import MOST_BYTES, Access, Safety
from possilog.logic import parse_theory

FLIES = "flies(X) :- bird(X)."
SWIMS = "swims(X) :- duck(X)."
THEORY = f"0.9 :: {FLIES}\n0.7 :: {SWIMS}\nbird(X) :- penguin(X).\n"
ANN = Signed("Ann", "2026-01-02")


# Corrections


@pytest.mark.parametrize(
    ("edit", "lines"),
    [
        (Edit(EditKind.LOCK, "flies(A) :- bird(A)."), [f"#lock 0.9 :: {FLIES}", f"0.7 :: {SWIMS}"]),
        (Edit(EditKind.FREE, FLIES), [f"0.9 :: {FLIES}", f"0.7 :: {SWIMS}"]),
        (Edit(EditKind.PIN, SWIMS), [f"0.9 :: {FLIES}", f"#pin 0.7 :: {SWIMS}"]),
        (Edit(EditKind.PIN, SWIMS, weight=" 0.8 "), [f"0.9 :: {FLIES}", f"#pin 0.8 :: {SWIMS}"]),
        (Edit(EditKind.REMOVE, FLIES), [f"0.7 :: {SWIMS}"]),
        (Edit(EditKind.BAN, FLIES), [f"0.7 :: {SWIMS}", f"#ban {FLIES}"]),
        (
            Edit(EditKind.ADD, text="0.5 :: sings(X) :- bird(X)."),
            [*THEORY.split("\n")[:2], "#lock 0.5 :: sings(X) :- bird(X)."],
        ),
        (
            Edit(EditKind.ADD, text="#pin 0.5 :: sings(X) :- bird(X)."),
            [*THEORY.split("\n")[:2], "#pin 0.5 :: sings(X) :- bird(X)."],
        ),
        (
            Edit(EditKind.ADD, text=" ? :: sings(X) :- bird(X)."),
            [*THEORY.split("\n")[:2], "#lock ? :: sings(X) :- bird(X)."],
        ),
        (Edit(EditKind.REWORD, FLIES, f"? :: {FLIES}"), [f"#lock 0.9 :: {FLIES}", f"0.7 :: {SWIMS}"]),
        (Edit(EditKind.REWORD, FLIES, "0.8 :: flies(X) :- bird(X)."), [f"#lock 0.8 :: {FLIES}", f"0.7 :: {SWIMS}"]),
        (
            Edit(EditKind.REWORD, FLIES, "flies(Y) :- bird(Y)."),
            ["#lock 0.9 :: flies(Y) :- bird(Y).", f"0.7 :: {SWIMS}"],
        ),
        (
            Edit(EditKind.REWORD, SWIMS, "swims(X) :- bird(X)."),
            [f"0.9 :: {FLIES}", "#lock 0.7 :: swims(X) :- bird(X)."],
        ),
        (Edit(EditKind.REFIT), [f"0.9 :: {FLIES}", f"0.7 :: {SWIMS}"]),
    ],
)
def test_a_correction_makes_this_theory(edit: Edit, lines: list[str]) -> None:
    found = applied(Position(1, parse_theory(THEORY)), edit, ANN)
    assert found.theory == parse_theory("\n".join([*lines, "bird(X) :- penguin(X)."]))
    writes = edit.kind is EditKind.REWORD or (
        edit.kind is EditKind.ADD and "?" not in edit.text
    )  # what waits is no rule yet
    assert list(found.written.values()) == ([ANN] if writes else [])


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (Edit(EditKind.REWORD, SWIMS, "flies(Z) :- bird(Z)."), "is in the theory already"),
        (Edit(EditKind.ADD, text="flies(Z) :- bird(Z)."), "is in the theory already"),
        (Edit(EditKind.ALLOW, FLIES), "is not banned"),
        (Edit(EditKind.LOCK, "flies(X) :- duck(X)."), "is not in the theory"),
        (Edit(EditKind.UNMARK, atom="flies(b1)"), "is not marked"),
    ],
)
def test_what_cannot_be_corrected_is_said(edit: Edit, why: str) -> None:
    with pytest.raises(PossilogError, match=why):
        applied(Position(1, parse_theory(THEORY)), edit, ANN)


def test_rules_that_types_say_are_corrected_with_the_types() -> None:
    typed = parse_theory("#type p(person). #type q(person). #type r(town). 0.9 :: p(X) :- q(X).")
    said = next(rule for rule in typed if rule in typed._said_by_types)
    with pytest.raises(PossilogError, match="is said by the types"):
        applied(Position(1, typed), Edit(EditKind.REMOVE, str(said.clause)), ANN)
    left = applied(Position(1, typed), Edit(EditKind.REMOVE, "p(X) :- q(X)."), ANN).theory
    assert not left.ranked and said in left


@pytest.mark.parametrize(
    ("edit", "json", "said", "weighs"),
    [
        (Edit(EditKind.LOCK, FLIES), {"kind": "lock", "rule": FLIES}, f"lock {FLIES}", False),
        (Edit(EditKind.REFIT), {"kind": "refit"}, "refit", True),
        (Edit(EditKind.ADD, text=FLIES), {"kind": "add", "text": FLIES}, f"add {FLIES}", True),
        (Edit(EditKind.ADD, text=f"?::{FLIES}"), {"kind": "add", "text": f"?::{FLIES}"}, f"add ?::{FLIES}", True),
        (
            Edit(EditKind.ADD, text=f"1 :: {FLIES}"),
            {"kind": "add", "text": f"1 :: {FLIES}"},
            f"add 1 :: {FLIES}",
            False,
        ),
        (
            Edit(EditKind.REWORD, FLIES, SWIMS),
            {"kind": "reword", "rule": FLIES, "text": SWIMS},
            f"reword {FLIES} as {SWIMS}",
            False,
        ),
        (
            Edit(EditKind.PIN, FLIES, weight="0.5"),
            {"kind": "pin", "rule": FLIES, "weight": "0.5"},
            f"pin {FLIES}",
            False,
        ),
        (
            Edit(EditKind.MARK, atom="p(a)"),
            {"kind": "mark", "atom": "p(a)", "right": True},
            "mark p(a) as right",
            False,
        ),
        (
            Edit(EditKind.MARK, atom="p(a)", right=False),
            {"kind": "mark", "atom": "p(a)", "right": False},
            "mark p(a) as wrong",
            False,
        ),
        (Edit(EditKind.UNMARK, atom="p(a)"), {"kind": "unmark", "atom": "p(a)"}, "unmark p(a)", False),
    ],
)
def test_a_correction_is_said_and_kept(edit: Edit, json: dict[str, Any], said: str, weighs: bool) -> None:
    assert (edit.as_json, str(edit), needs_weights(edit)) == (json, said, weighs)
    assert Edit.from_json(json) == edit


# The history


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "theory.pl"
    path.write_text(THEORY, encoding="utf-8")
    return path


def opened(file: Path) -> Book:
    text = file.read_text("utf-8")
    return Book.open(file, text, parse_theory(text))


def test_the_history_is_written_line_by_line_and_read_again(file: Path) -> None:
    book = opened(file)
    book.accept(Edit(EditKind.MARK, atom="flies(bär)"), "Zoë")
    book.accept(Edit(EditKind.BAN, SWIMS), "Ann")
    book.undo("Ann", 3)
    book.redo("Bob", 3)
    book.undo("Bob")
    book.saved("Zoë", THEORY)
    stands = book.position
    book.close()
    content = book.path.read_bytes()
    assert content.count(b"\n") == 7 and "bär".encode() in content and "Zoë".encode() in content
    book.path.write_bytes(content + b'{"number": 8, "dee')
    again = opened(file)
    assert book.path.read_bytes() == content
    assert [(one.number, one.deed) for one in again.entries] == [
        *((1, "begin"), (2, "edit"), (3, "edit"), (4, "undo"), (5, "redo"), (6, "undo"), (7, "save"))
    ]
    assert again.position.theory == stands.theory == parse_theory(THEORY)
    assert again.position.marks == stands.marks and len(stands.marks) == 1
    assert (again.redoable, again.undoable) == (again.entries[2], again.entries[1])
    assert again.revision == 7
    again.close()
    with pytest.raises(PossilogError, match="the history is closed"):
        again.undo("Ann")


def test_a_history_that_cannot_be_written_is_as_it_was(file: Path) -> None:
    book = opened(file)
    before = book.path.read_bytes()
    with pytest.raises(PossilogError, match="has no weight"):
        book.accept(Edit(EditKind.ADD, text="sings(X) :- bird(X)."), "Ann")
    with pytest.raises(PossilogError, match="there is nothing to undo"):
        book.undo("Ann")
    assert book.path.read_bytes() == before and book.revision == 1
    book.close()
    book.path.write_bytes(before + b"[]\n")
    with pytest.raises(PossilogError, match="history:2: it is not what the explorer wrote"):
        opened(file)
    book.path.write_bytes(before)
    opened(file).close()  # so nobody has it open


# What is remembered


@pytest.fixture
def here(tmp_path: Path) -> Exploration:
    exploration = Exploration(Sources("birds", facts_of(FACTS), tmp_path))
    exploration.move(Position(1, parse_theory(BIRDS)))
    return exploration


def after(here: Exploration, *edits: Edit) -> Position:
    found = here.position
    for edit in edits:
        found = applied(found, edit, ANN)
    return found


def test_what_is_still_true_is_kept(here: Exploration) -> None:
    given = Premises(("bird(a)",))

    def known() -> tuple[object, object, object]:
        return here.reasoner, here.predicted(Premises(), "local"), here.predicted(given, "local")

    first = known()
    assert all(one is other for one, other in zip(known(), first, strict=True))
    here.move(after(here, Edit(EditKind.LOCK, FLIES)))  # the same is concluded
    assert all(one is other for one, other in zip(known(), first, strict=True))
    here.move(after(here, Edit(EditKind.MARK, atom="flies(b9)", right=False)))  # the data are other ones
    marked = known()
    assert [one is other for one, other in zip(marked, first, strict=True)] == [True, False, True]
    here.move(after(here, Edit(EditKind.MARK, atom="flies(b8)", right=False), Edit(EditKind.REMOVE, SWIMS)))
    assert not any(one is other for one, other in zip(known(), marked, strict=True))


def test_cards_say_what_is_locked_and_nothing_is_counted_again(here: Exploration) -> None:
    before = here.report
    here.move(after(here, Edit(EditKind.LOCK, FLIES)))
    assert here.report is not before and here.report.portrait.theory is here.theory
    assert next(str(card.rule) for card in here.report.portrait.rules) == f"#lock 0.9 :: {FLIES}"


def test_a_file_that_changes_is_read_again(here: Exploration) -> None:
    folder = here.sources.folder
    for name in ("a.db", "b.db", "c.db"):
        (folder / name).write_text("bird(a)", encoding="utf-8")

    def read(name: str) -> object:
        here.notice(name)
        return here.evidence(Premises(file=name))

    first = {name: read(name) for name in ("a.db", "b.db", "c.db")}
    here.notice("")
    assert all(read(name) is one for name, one in first.items())
    (folder / "b.db").write_text("bird(a)\nbird(b)", encoding="utf-8")
    assert {name: read(name) is one for name, one in first.items()} == {"a.db": True, "b.db": False, "c.db": True}


def test_what_was_asked_long_ago_is_forgotten(here: Exploration) -> None:
    made: list[int] = []

    def ask(number: int) -> int:
        def make() -> int:
            made.append(number)
            return number

        return here.remembered(("it", number), make)

    numbers = range(MOST_REMEMBERED)
    assert [ask(number) for number in (*numbers, *numbers)] == [*numbers, *numbers] and made == [*numbers]
    assert ask(MOST_REMEMBERED) == MOST_REMEMBERED and ask(1) == 1 and made == [*numbers, MOST_REMEMBERED]
    assert ask(0) == 0 and made[-1] == 0  # it was the oldest


# Who is let in


def asked_of(
    access: Access, headers: dict[str, str], parts: tuple[bytes, ...] = (b"",), query: str = "", type: str = "http"
) -> tuple[int, bytes, dict[bytes, bytes]]:
    """The status, the body as an application behind it saw it, and the headers."""
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": one, "more_body": True} for one in parts]
    if waiting:
        waiting[-1]["more_body"] = False
    waiting.append({"type": "http.disconnect"})

    async def receive() -> Any:
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]) -> None:
        first, second = await receive(), await receive()
        assert not first["more_body"] and second["type"] == "http.disconnect"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"y")]})
        await send({"type": "http.response.body", "body": first["body"]})

    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": type, "headers": named, "query_string": query.encode()}
    asyncio.run(Safety(app, access)(scope, receive, send))
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    return sent[0]["status"], sent[1]["body"], dict(sent[0]["headers"])


HERE = Access("127.0.0.1", 80)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "127.0.0.1:80"}, 200),
        ({"host": "localhost:80"}, 200),
        ({"host": "[::1]:80"}, 200),
        ({"host": "localhost:81"}, 421),
        ({"host": "evil.org:80"}, 421),
        ({}, 421),
        ({"host": "localhost:80", "origin": "http://localhost:80"}, 200),
        ({"host": "localhost:80", "origin": "http://127.0.0.1:80"}, 403),
        ({"host": "localhost:80", "origin": "http://a.org"}, 403),
        ({"host": "localhost:80", "origin": "http://z.org"}, 403),
        ({"host": "localhost:80", "origin": "null"}, 403),
        ({"host": "localhost:80", "sec-fetch-site": "same-origin"}, 200),
        ({"host": "localhost:80", "sec-fetch-site": "same-site"}, 403),
        ({"host": "localhost:80", "sec-fetch-site": "cross-site"}, 403),
        ({"host": "localhost:80", "content-length": "-1"}, 413),
        ({"host": "localhost:80", "content-length": "²"}, 413),
    ],
)
def test_who_is_let_in(headers: dict[str, str], status: int) -> None:
    found, _, sent = asked_of(HERE, headers)
    assert found == status and sent[b"x-frame-options"] == b"DENY"
    assert (b"x" in sent) == (status == 200)


@pytest.mark.parametrize(
    ("headers", "query", "status", "given"),
    [
        ({}, "", 401, False),
        ({"authorization": "Bearer tok"}, "", 200, False),
        ({"authorization": "Bearer to"}, "", 401, False),
        ({"cookie": "possilog_token=tok"}, "", 200, False),
        ({"cookie": "other=tok"}, "", 401, False),
        ({}, "token=tok", 200, True),
        ({}, "token=kot", 401, False),
        ({"cookie": "possilog_token=tok"}, "token=kot", 200, False),
    ],
)
def test_who_has_the_token_is_let_in(headers: dict[str, str], query: str, status: int, given: bool) -> None:
    found, _, sent = asked_of(Access("0.0.0.0", 80, "tok"), {"host": "any.org", **headers}, query=query)
    assert (found, b"set-cookie" in sent) == (status, given)


def test_requests_are_let_in_up_to_two_megabytes() -> None:
    assert MOST_BYTES == 2_097_152
    most, host = b"x" * MOST_BYTES, {"host": "localhost:80"}
    assert asked_of(HERE, {**host, "content-length": str(MOST_BYTES)}, (most,))[:2] == (200, most)
    assert asked_of(HERE, {**host, "content-length": str(MOST_BYTES + 1)})[0] == 413
    assert asked_of(HERE, host, (most[1:], b"y"))[:2] == (200, most[1:] + b"y")
    assert asked_of(HERE, host, (most, b"y"))[0] == asked_of(HERE, host, (most, b"yy"))[0] == 413
    assert asked_of(HERE, host, (b"a", b"", b"b"))[1] == b"ab"
    assert asked_of(HERE, {"host": "evil.org"}, type="lifespan")[0] == 200  # not a request at all
