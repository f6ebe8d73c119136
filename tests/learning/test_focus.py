"""What a person wants rules about: what is kept of the data, what is asked of the miner, and what is refused."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import pytest

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.errors import QueryError
from possilog.learning.focus import Focus, focus_of
from possilog.logic import Atom, Predicate, parse_atom
from possilog.structure.columns import MiningSettings

DATA = facts_of(["p(a)", "q(a, b)", "r(b)", "p(c)"])
NAMES = ("p", "q", "r")
SOME = [some for size in range(3) for some in combinations(NAMES, size)]


def test_what_has_a_part_by_definition() -> None:
    """Targets, and what is named if anything is; without what is excluded."""
    for targets, exclude, only in product(SOME, SOME, SOME):
        if {*exclude} & {*targets, *only}:
            with pytest.raises(QueryError, match=f"{exclude[0]}|{exclude[-1]} is asked for and excluded"):
                Focus(targets, exclude, only)
            continue
        focus = Focus(targets, exclude, only)
        kept = [name for name in NAMES if name in targets or (name not in exclude and (not only or name in only))]
        assert [predicate.name for predicate in focus.narrowed(DATA).predicates] == kept
        assert [predicate.name for predicate in focus.predicates(DATA)] == [name for name in NAMES if name in targets]
        if len(kept) == len(NAMES):
            assert focus.narrowed(DATA) is DATA
    with pytest.raises(QueryError, match="nothing is left to learn from; exclude less"):
        Focus(exclude=NAMES).narrowed(DATA)


def test_what_there_are_no_facts_of_is_named_with_what_there_is() -> None:
    for focus in (Focus(("x",)), Focus(exclude=("x",)), Focus(only=("x",)), Focus(constants=("q.2", "x.2"))):
        with pytest.raises(QueryError, match=r"^there are no facts of x; the predicates are p, q, r$"):
            focus.narrowed(DATA)
    assert Focus(constants=("q.2",)).narrowed(DATA) is DATA
    denied = Database.of([parse_atom("p(a)")], denied=[parse_atom("x(a)")])
    assert Focus(("x",)).narrowed(denied) is denied and Focus(("x",)).predicates(denied) == (Predicate("x", 1),)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "3"])
def test_the_minimum_support_is_a_whole_number(wrong: Any) -> None:
    assert Focus(min_support=1).min_support == 1 and Focus(min_support=9).min_support == 9
    with pytest.raises(QueryError, match=f"the minimum support is {wrong!r}; give a whole number, 1 or more"):
        Focus(min_support=wrong)


def test_constants_are_asked_for_by_place_or_forbidden() -> None:
    assert Focus(no_constants=True, constants=()).no_constants
    with pytest.raises(QueryError, match="constants are asked for and forbidden; leave one of the two out"):
        Focus(no_constants=True, constants=("q.2",))
    for wrong in (("q",), ("q.2", "q.1")):
        with pytest.raises(QueryError, match=f"'{wrong[-1]}' is no place for a constant; write"):
            Focus(constants=wrong)


def test_what_stands_in_a_file() -> None:
    assert Focus().parameters == Focus(auto_width=True).parameters == {}
    assert Focus(("p", "q"), ("r",), (), 3, ("q.2",)).parameters == {
        "targets": "p q",
        "exclude": "r",
        "constants": "q.2",
        "min support": 3,
    }
    assert Focus(only=("p",), no_constants=True).parameters == {"only": "p", "constants": "none"}


def test_what_the_miner_is_asked() -> None:
    target = Predicate("p", 1)
    focus = Focus(("p",), ("r",), ("q",), 3, ("q.2",))
    assert focus.mining(DATA, 2, 1, 5) == MiningSettings((target,), ("r",), ("q",), ("q.2",), 3, 1, 2, seed=5)
    assert Focus().mining(DATA, None, 3, 0) == MiningSettings()
    assert Focus(no_constants=True).mining(DATA, None, 3, 0).constants == ()


def test_what_people_give() -> None:
    assert focus_of() == focus_of(None, None, None) == focus_of("", "", "") == Focus()
    assert focus_of("p", ("q", "q"), ["r", "s"]) == Focus(("p",), ("q",), ("r", "s"))
    assert focus_of(constants="q.2", min_support=2) == Focus(constants=("q.2",), min_support=2)
    assert focus_of(constants=False) == Focus(no_constants=True) and focus_of(constants=True) == Focus()
    assert focus_of(constants=[]) == Focus(constants=())
    for wrong in (3, ["p", 3], [Atom(Predicate("p", 0))]):
        with pytest.raises(QueryError, match=r"predicates are named by a list of strings, and .* is none"):
            focus_of(wrong)  # type: ignore[arg-type]
