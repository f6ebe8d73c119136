"""Conclusions, however they are kept: each way to ask them is what going through all of them one by one says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest

from budget import budget
from possilog.inference import Global, Local, Reasoner
from possilog.inference.conclusions import Chained, Conclusion, Conclusions, Listed
from possilog.inference.gate import Stated
from possilog.logic import Atom, HeldOut, Predicate, Rule, Weight, parse_atom, parse_theory

SEVEN = [Conclusion(parse_atom(f"p(a{number})"), Weight.of(f"0.{9 - number // 3}")) for number in range(7)]


def state(weight: Weight, predicate: Predicate, behind: Rule | None) -> Stated:
    """Something that is said, by which it can be seen of what it is."""
    return Stated(float(1 - weight.doubt), HeldOut(1, predicate.arity, 7))


def changes(one: Sequence[Conclusion], other: Sequence[Conclusion]) -> Iterator[tuple[Conclusion, Weight | None]]:
    """By definition."""
    known = {each.atom: each.certainty for each in other}
    for each in one:
        if known.get(each.atom) != each.certainty:
            yield each, known.get(each.atom)


def test_where_a_conclusion_comes_from_and_how_probable_it_is_make_no_other_one() -> None:
    plain = SEVEN[0]
    other = Conclusion(plain.atom, plain.certainty, fragment=("a",), stated=Stated(0.5, HeldOut()))
    assert (other, repr(other)) == (plain, repr(plain))
    assert Conclusion(plain.atom, plain.certainty, given=True) != plain


@pytest.mark.parametrize("number", range(8))
def test_at_most_five_are_shown_and_the_others_counted(number: int) -> None:
    shown = [f"{one.certainty} :: {one.atom}." for one in SEVEN[:number]]
    more = {6: ["and 1 more"], 7: ["and 2 more"]}.get(number, [])
    assert repr(Listed(SEVEN[:number])) == f"<{', '.join([*shown[:5], *more]) or 'no conclusions'}>"


def chained(text: str, known: Sequence[str], share: float | None = None) -> Conclusions:
    found = Reasoner(parse_theory(text)).predict(known, Local() if share is None else Local(share=share)).added
    assert isinstance(found, Chained)
    return found


RULES = [
    "p(Y, X) :- e(X, Y)",
    "q(X) :- p(X, Y)",
    "p(X, X) :- q(X)",
    "q(Y) :- e(X, Y)",
    "t :- q(X)",
    "w(X, X, Y) :- p(X, Y)",
]


@pytest.mark.parametrize("seed", range(budget(30, least=6)))
def test_what_is_chained_is_what_is_listed(seed: int) -> None:
    chance = Random(seed)

    def drawn() -> Conclusions:
        rules = chance.sample(RULES, chance.randint(1, len(RULES)))
        text = " ".join(f"0.{chance.randint(5, 9)} :: {rule}." for rule in rules)
        return chained(text, [f"e({chance.choice('abc')}, {chance.choice('abcd')})" for _ in range(3)])

    one, other = drawn(), drawn()
    listed = Listed(tuple(one))
    weights = {each.certainty for each in (*one, *other)} | {Weight.of("0.123")}
    atoms = {each.atom for each in (*one, *other)} | {parse_atom("e(a, b)"), parse_atom("q(unheard)")}
    for told, kept in ((one, listed), (one.saying(state), listed.saying(state))):
        assert [each.stated for each in told] == [each.stated for each in kept]
        assert [told.number(weight) for weight in weights] == [kept.number(weight) for weight in weights]
        assert [told.number(weight) for weight in weights] == [
            len([each for each in told if each.certainty == weight]) for weight in weights
        ]
        for atom in atoms:
            found = [each for each in kept if each.atom == atom]
            assert told.certainty(atom) == kept.certainty(atom) == (found[0].certainty if found else None)
            assert told.stated(atom) == kept.stated(atom) == (found[0].stated if found else None)
        assert list(told.database()) == list(kept.database()) == sorted(each.atom for each in kept)
        for against in (other, Listed(tuple(other))):
            wanted = [(each.as_json, before) for each, before in changes(tuple(told), tuple(against))]
            assert [(each.as_json, before) for each, before in told.changed_from(against)] == wanted
            assert [(each.as_json, before) for each, before in kept.changed_from(against)] == wanted


def test_atoms_too_wide_for_one_number_are_compared_all_the_same() -> None:
    """Of 32 constants at sixteen places, a number of 64 bits has only those at the last twelve."""
    names = [f"X{place}" for place in range(16)]
    rule = f"0.9 :: w({', '.join(names)}) :- {', '.join(f'a{place}({name})' for place, name in enumerate(names))}."
    known = [*(f"a{place}(c{place})" for place in range(16)), *(f"b(c{place})" for place in range(16, 31))]
    one, other = chained(rule, known), chained(rule, [*known, "a0(d)"])
    (atom,) = (each.atom for each in one)
    assert list(one.changed_from(other)) == []
    assert [(each.atom.arguments[0].name, before) for each, before in other.changed_from(one)] == [("d", None)]
    assert one.certainty(atom) == Weight.of("0.9")


def test_what_a_contradiction_takes_back_has_no_certainty() -> None:
    theory = parse_theory(":- p(X), r(X). 0.9 :: q(X) :- e(X). 0.8 :: p(X) :- q(X). 0.7 :: s(X) :- q(X).")
    for how in (Global(), Local()):
        added = Reasoner(theory).predict(["e(a)", "r(a)"], how).added
        held = {str(each.atom): each.certainty for each in added}
        for atom in ("e(a)", "r(a)", "q(a)", "p(a)", "s(a)"):
            assert added.certainty(atom) == held.get(atom)
            assert added.certainty(Atom.ground(atom[0], ["b"])) is None
        assert "q(a)" in held and "p(a)" not in held
