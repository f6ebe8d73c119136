"""Comparisons by definition: what holds of names, what follows from what, and which laws say all of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from itertools import combinations, permutations, product

import pytest

from possilog.errors import LanguageError
from possilog.logic import Atom, BuiltIn, Constant, Nearness, Precedence, Term, Threshold, Variable, parse_clause
from possilog.logic.laws import BEFORE, EQUAL, UP_TO, laws
from possilog.logic.spelling import typed
from possilog.logic.thresholds import DAY, compared

SIGNS = (">=", "<", ">", "=<")
BOUNDS = [Threshold.of(sign, bound) for sign in SIGNS for bound in ("5", "6", "2020-01-02", "2020-01-03")]
PAIRS = [BEFORE, UP_TO, *map(Nearness.of, (0, 0.5, 1, 2))]
NUMBERS = [f"{number}{spelled}" for number in (3, 4, 5, 6, 7) for spelled in ("", ".0")] + ["5.3", "5.30", "5.6", "8"]
DATES = [f"{date}{time}" for date in ("2019-12-30", "2020-01-01") for time in ("", "T00:00")]
DATES += ["2020-01-02", "2020-01-02T00:00", "2020-01-02T12:00", "2020-01-02T18:00", "2020-01-03", "2020-01-04"]
DATES += ["2020-01-04T00:00"]
WORDS = ["a", "b", typed("a", "t")]
THINGS = NUMBERS + DATES + WORDS
X, Y = Variable("X"), Variable("Y")


@cache
def holds(comparison: BuiltIn, *names: str) -> bool:
    return comparison.holds(*names)


def place(name: str) -> tuple[bool, float] | None:
    """A thing in the order of its kind: numbers, or dates by days."""
    if name in WORDS:
        return None
    return (
        (True, (datetime.fromisoformat(name) - datetime.min).total_seconds() / DAY)
        if name in DATES
        else (False, float(name))
    )


def meant(sign: str, one: float, other: float) -> bool:
    return {">=": one >= other, "<": one < other, ">": one > other, "=<": one <= other}[sign]


def test_what_holds_of_one_thing() -> None:
    for bound, name in product(BOUNDS, THINGS):
        (kind, limit), here = place(bound.bound) or (None, 0), place(name)
        assert bound.holds(name) == (here is not None and here[0] is kind and meant(bound.operator, here[1], limit))
        assert bound.is_date == (bound.bound in DATES) and bound.is_upward == (">" in bound.operator)


def test_what_holds_of_two_things() -> None:
    for one, other in product(THINGS, repeat=2):
        here, there = place(one), place(other)
        distance = there[1] - here[1] if here and there and here[0] is there[0] else None
        known = one != other and distance is not None
        assert holds(BEFORE, one, other) == (known and distance > 0)  # type: ignore[operator]
        assert holds(UP_TO, one, other) == (known and distance >= 0)  # type: ignore[operator]
        for near in PAIRS[3:]:
            assert holds(near, one, other) == (known and abs(distance) <= near.number)  # type: ignore[arg-type, attr-defined]
        alike = one != other and {one, other} == {"a", WORDS[2]}
        assert holds(EQUAL, one, other) == (alike or (known and distance == 0))


def test_what_follows_from_what() -> None:
    for one, other in product(BOUNDS, repeat=2):
        both = {name for name in THINGS if holds(one, name)}, {name for name in THINGS if holds(other, name)}
        every = {*NUMBERS} if not one.is_date else {*DATES}
        assert one.implies(other) == (both[0] <= both[1])
        assert one.excludes(other) == both[0].isdisjoint(both[1])
        assert one.covers(other) == (one.is_date == other.is_date and both[0] | both[1] == every)
    for first, second in product(PAIRS, repeat=2):
        follows = all(holds(second, *pair) for pair in product(THINGS, repeat=2) if holds(first, *pair))
        assert first.implies(second) == follows, f"{first} {second}"
    assert not BOUNDS[0].implies(BEFORE) and not BEFORE.implies(BOUNDS[0]) and not EQUAL.implies(BOUNDS[0])


def possible(bounds: Sequence[Threshold], orders: Sequence[BuiltIn]) -> tuple[list[Atom], set[frozenset[Atom]]]:
    """All that may be said of two things, and what is said of any two."""
    atoms = [bound(thing) for bound in bounds for thing in (X, Y)]
    atoms += [order(*pair) for order in orders for pair in ((X, Y), (Y, X))]
    said = set()
    for names in permutations(THINGS, 2):
        name: dict[Term, str] = dict(zip((X, Y), names, strict=True))
        said.add(frozenset(a for a in atoms if holds(a.predicate, *(name[term] for term in a.arguments))))
    return atoms, said


SOME = [Threshold.of(sign, "5") for sign in SIGNS] + [Threshold.of(">=", "6"), Threshold.of("=<", "6")]
SETS: list[tuple[Threshold, ...]] = [(), *((one,) for one in SOME[:4]), *combinations(SOME, 2)]
SETS += [(Threshold.of(sign, "2020-01-02"), one) for sign, one in zip(SIGNS, SOME[:4], strict=True)]


@pytest.mark.parametrize("orders", [(), (BEFORE, UP_TO), (BEFORE, UP_TO, EQUAL)])
def test_laws_leave_open_what_is_true_of_some_two_things_and_nothing_else(orders: tuple[BuiltIn, ...]) -> None:
    for bounds in SETS:
        atoms, said = possible(bounds, orders)
        bit = {atom: 1 << number for number, atom in enumerate(atoms)}
        ground = set()
        for law in laws([*bounds, *orders]):
            for images in permutations((X, Y), len(law.variables)):
                one = law.substitute(dict(zip(law.variables, images, strict=True)))
                if {*one.atoms} <= bit.keys():  # of one thing no order is asked here
                    ground.add((sum(bit[atom] for atom in {*one.head}), sum(bit[atom] for atom in {*one.body})))
        left = {world for world in range(1 << len(atoms)) if all(world & h or world & b != b for h, b in ground)}
        assert left == {sum(bit[atom] for atom in world) for world in said}, list(map(str, bounds))


def test_laws_of_nearness() -> None:
    listed = [str(law) for law in laws([Nearness.of(2), Nearness.of(1), Nearness.of(1)])]
    for bound in (1, 2):
        assert f":- |X - X| =< {bound}." in listed
        assert f"|Y - X| =< {bound} :- |X - Y| =< {bound}." in listed
        assert f"|X - Y| =< {bound} :- X =< Y, Y =< X." in listed
    assert listed.count("|X - Y| =< 2 :- |X - Y| =< 1.") == 1 and "|X - Y| =< 1 :- |X - Y| =< 2." not in listed
    assert len(listed) == len(set(listed))


@pytest.mark.parametrize(
    ("left", "sign", "right", "atom"),
    [
        (X, "<", Y, "X < Y"),
        (X, "=<", Y, "X =< Y"),
        (X, "<=", Y, "X =< Y"),
        (X, ">", Y, "Y < X"),
        (X, ">=", Y, "Y =< X"),
        (X, "=", Y, "X = Y"),
        (X, "<", Constant("5"), "X < 5"),
        (X, ">=", Constant("5.0"), "X >= 5"),
        (Constant("5"), "<", Y, "Y > 5"),
        (Constant("5"), ">=", Y, "Y =< 5"),
        (Constant("5"), ">", Constant("6"), "5 > 6"),
    ],
)
def test_how_terms_are_compared(left: Term, sign: str, right: Term, atom: str) -> None:
    assert str(compared(left, sign, right)) == atom


@pytest.mark.parametrize(("left", "right"), [(X, Constant("5")), (Constant("5"), Y), (Constant("5"), Constant("5"))])
def test_values_are_not_equal_to_variables(left: Term, right: Term) -> None:
    with pytest.raises(ValueError, match="a value stands where the variable is"):
        compared(left, "=", right)


@pytest.mark.parametrize(
    ("comparison", "words"),
    [
        (BEFORE, "less than"),
        (UP_TO, "at most"),
        (EQUAL, "equal to"),
        (Nearness.of(1.50), "within 1.5 of"),
        (Threshold.of(">=", 5), "at least 5"),
        (Threshold.of(">=", "2020-01-02"), "on or after 2020-01-02"),
        (Threshold.of("<", 1e15), "below 1000000000000000.0"),
        (Threshold.of("<", 1e15 - 1), "below 999999999999999"),
        (Threshold.of("<", -1e15), "below -1000000000000000.0"),
        (Threshold.of("<", "0.5"), "below 0.5"),
        (Threshold.of(">", "1e-7"), "above 1e-07"),
    ],
)
def test_what_a_comparison_says_in_words(comparison: BuiltIn, words: str) -> None:
    assert comparison.in_words == words
    text = str(parse_clause(f"p(X) :- q(X, Y), {comparison(*(X, Y)[: comparison.arity])}.").body[1])
    assert text == str(comparison(*(X, Y)[: comparison.arity]))


@pytest.mark.parametrize(("sign", "bound"), [("==", "5"), ("<", "five"), ("<", "nan"), ("", "5"), ("=", "5")])
def test_what_compares_with_nothing(sign: str, bound: str) -> None:
    with pytest.raises(ValueError, match="compares with no number and no date"):
        Threshold.of(sign, bound)


def test_what_is_no_order_and_no_difference() -> None:
    for sign in (">", ">=", "=", ""):
        with pytest.raises(ValueError, match="is not how two constants are compared"):
            Precedence.of(sign)
    for bound in (-1, "a", "nan"):
        with pytest.raises(ValueError, match="is no difference of two numbers"):
            Nearness.of(bound)


def test_no_more_arguments_than_may_be() -> None:
    most = ", ".join(["X"] * 1_000)
    assert parse_clause(f"p({most}).").head[0].predicate.arity == 1_000
    with pytest.raises(LanguageError, match="at most 1000 arguments in an atom"):
        parse_clause(f"p({most}, X).")
