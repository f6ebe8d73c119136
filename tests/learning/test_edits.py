"""What a person said of rules: which stay, which are written as the person wrote them, and which are weighed where."""

from __future__ import annotations

import pytest

from possilog.learning.edits import Edits
from possilog.learning.trials import ranked
from possilog.logic import Keep, Rule, Theory, parse_clause, parse_theory
from possilog.logic.theory import UNWEIGHED

SAID = parse_theory(
    "p(X) :- q(X). #lock p(X) :- r(X). 0.9 :: s(X) :- q(X). #lock 0.8 :: s(X) :- r(X). #pin 0.7 :: t(X) :- q(X)."
    " #lock ? :: t(X) :- r(X). ? :: t(X) :- s(X). #ban u(X) :- q(X)."
)
HARD, LOCKED, PINNED = (parse_clause(text) for text in ("p(X) :- r(X).", "s(X) :- r(X).", "t(X) :- q(X)."))
WAITING = tuple(map(parse_clause, ("t(X) :- r(X).", "t(X) :- s(X).")))
NEW, BANNED = parse_clause("v(A) :- q(A)."), parse_clause("u(A) :- q(A).")


def renamed(text: object) -> str:
    return str(text).replace("X", "A")


def test_what_is_free_is_not_kept() -> None:
    edits = Edits(SAID)
    assert edits.locked == (LOCKED, PINNED, *WAITING) and edits.hard == (HARD,)
    for clause in (HARD, LOCKED, PINNED, *WAITING):
        assert edits.as_written(parse_clause(renamed(clause))) == clause
    for text in ("p(A) :- q(A).", "s(A) :- q(A)."):
        assert str(edits.as_written(parse_clause(text))) == text
    assert edits.allows(NEW) and not edits.allows(BANNED) and Edits(Theory()).as_written(NEW) is NEW


def test_hard_rules_are_what_was_found_and_what_is_to_stay() -> None:
    found = [*map(parse_clause, (renamed(HARD), renamed(LOCKED))), NEW, BANNED]
    assert Edits(SAID).with_hard(found) == (HARD, NEW) and Edits(SAID).with_hard([]) == (HARD,)
    assert Edits(SAID).with_locked((NEW, PINNED)) == (NEW, PINNED, LOCKED, *WAITING)


@pytest.mark.parametrize(
    ("said", "falsity"), [("#lock 0.8 :: s(X) :- r(X).", False), ("#pin 0.6 :: false.", True), (str(SAID), False)]
)
def test_what_is_locked_has_its_place_when_rules_are_weighed(said: str, falsity: bool) -> None:
    edits = Edits(parse_theory(said))
    found = edits.to_weigh([HARD], [NEW, LOCKED, PINNED])
    kept = tuple(rule for rule in edits.theory.soft if rule.keep is not Keep.FREE)
    assert found.rules == (Rule(HARD), *kept)
    assert found.unplaced == tuple(
        clause for clause in (NEW, LOCKED, PINNED) if clause not in {rule.clause for rule in kept}
    )
    assert found.falsity_pinned == falsity
    assert found.falsity == (edits.theory.falsity if falsity else UNWEIGHED)


@pytest.mark.parametrize("said", ["", "p(X) :- q(X). 0.9 :: s(X) :- q(X).", "#ban u(X) :- q(X)."])
def test_where_nothing_is_locked_rules_are_weighed_in_their_order(said: str) -> None:
    assert Edits(parse_theory(said)).to_weigh([HARD], [NEW, LOCKED]) == ranked([HARD], [NEW, LOCKED])


def test_what_was_learned_is_marked_as_a_person_said() -> None:
    learned = parse_theory(
        "p(X) :- q(X). p(X) :- r(X). 0.95 :: s(X) :- q(X). 0.85 :: s(X) :- r(X). 0.75 :: t(X) :- q(X)."
        " 0.65 :: t(X) :- r(X). 0.6 :: t(X) :- s(X). 0.55 :: v(X) :- q(X)."
    )
    marked = Edits(SAID).marked(learned)
    keeps = {str(rule.clause): (rule.keep, str(rule.weight)) for rule in marked}
    assert keeps == {
        "p(X) :- q(X).": (Keep.FREE, "1"),
        "p(X) :- r(X).": (Keep.LOCKED, "1"),
        "s(X) :- q(X).": (Keep.FREE, "0.95"),
        "s(X) :- r(X).": (Keep.LOCKED, "0.85"),
        "t(X) :- q(X).": (Keep.PINNED, "0.7"),
        "t(X) :- r(X).": (Keep.LOCKED, "0.65"),
        "t(X) :- s(X).": (Keep.FREE, "0.6"),
        "v(X) :- q(X).": (Keep.FREE, "0.55"),
    }
    assert marked.banned == SAID.banned
