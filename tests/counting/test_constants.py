"""Rules with constants and comparisons: counted and weighed as docs/marginals.md defines it, spelled out here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations, permutations, product
from math import log
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog import weigh
from possilog.counting import CutCounter, count_strata
from possilog.counting.limits import TooLarge
from possilog.counting.values import Values
from possilog.counting.world_profile import WorldProfile
from possilog.data import Database
from possilog.errors import TheoryError
from possilog.logic import (
    Atom,
    BuiltIn,
    Clause,
    Constant,
    Declared,
    Precedence,
    Predicate,
    Rule,
    Term,
    Theory,
    Threshold,
    Variable,
    Weight,
    parse_atom,
    parse_clause,
    parse_theory,
)
from possilog.logic.laws import EQUAL, laws
from possilog.logic.thresholds import compared

VARIABLES = [Variable(name) for name in "AB"]
NAMES = ["1", "2", "3", "a", "b"]
NAMED = [Constant("a"), Constant("2")]
P, D, N = Predicate("p", 1), Predicate("d", 2), Predicate("n", 0)
FEW = [Threshold.of(*pair) for pair in ((">=", "2"), ("<", "2"), ("=<", "3"), (">", "1"), (">=", "2020-01-01"))]
ORDERS = [Precedence.of("<"), Precedence.of("=<")]
BETWEEN = [*ORDERS, EQUAL]
NUMBERS = ["-2", "-1", "0", "1", "1.5", "1.6", "1.7", "2", "2.4", "2.5", "2.6", "3", "4", "5", "6"]
DATES = ["2019-01-01", "2019-02-01", "2019-03-01", "2020-01-01", "2021-01-01", "2022-01-01", "2023-01-01"]
OTHERS = {"low": 1, "middle": 2, "high": 3}
THINGS = ["a", "b", "c", *OTHERS, *NUMBERS, *DATES]
"""For every way to be on some sides of the few bounds, and in some order, things that are; one kind has no bounds."""


def is_true(atom: Atom, facts: Iterable[Atom]) -> bool:
    """In some facts; comparisons are true of numbers whatever the facts."""
    if isinstance(atom.predicate, BuiltIn):
        return atom.predicate.holds(*(term.name for term in atom.arguments))
    return atom in facts


def bindings(clause: Clause, things: Sequence[Term]) -> Iterator[dict[Variable, Term]]:
    for chosen in permutations(things, len(clause.variables)):
        yield dict(zip(clause.variables, chosen, strict=True))


def broken(clause: Clause, facts: set[Atom], things: Sequence[Term]) -> bool:
    """Is a clause broken for some distinct things that its variables stand for?"""
    for ground in (clause.substitute(bound) for bound in bindings(clause, things)):
        if all(is_true(atom, facts) for atom in ground.body) and not any(is_true(atom, facts) for atom in ground.head):
            return True
    return False


def decided(clauses: Sequence[Sequence[Clause]], facts: set[Atom], things: Sequence[Term]) -> int:
    """The level that decides: the highest with a broken rule, where 0 is ⊥."""
    levels = [place for place, level in enumerate(clauses, 1) if any(broken(rule, facts, things) for rule in level)]
    return max(levels, default=0)


def subsets(database: Database, width: int, levels: Sequence[Sequence[Clause]]) -> list[int]:
    """n of each level: a rule's constants belong to every fragment."""
    facts, found = set(database), [0] * (len(levels) + 1)
    for chosen in combinations(map(Constant, database.constants), width):
        found[decided(levels, facts, chosen)] += 1
    return found


def worlds(
    predicates: Iterable[Predicate], width: int, hard: Sequence[Clause], levels: Sequence[Sequence[Clause]]
) -> list[int]:
    """m of each level: what may be true of k things and of the conditions that rules have, beside named constants."""
    rules = [*hard, *chain(*levels)]
    conditions = {pattern(atom) for rule in rules for atom in rule.atoms}
    comparisons = {p for p, names in conditions if isinstance(p, Threshold) and names == (None,)}
    between = {p for p, _ in conditions if p in BETWEEN}
    orders = sorted(between | set(ORDERS)) if between else []
    plain = {p for p in [*predicates, *(p for p, _ in conditions)] if not isinstance(p, BuiltIn)}
    things = [Constant(f"thing{number}") for number in range(width)]
    named = sorted({term for rule in rules for atom in rule.atoms for term in atom.arguments} - set(VARIABLES))
    patterns = {c for c in conditions if c[0] in plain} | {(p, (None,) * p.arity) for p in plain}
    free = [Atom(p, a) for p, names in sorted(patterns, key=str) for a in product(*(slots(x, things) for x in names))]
    compared = {on_sides([*comparisons, *orders], things, names) for names in product(THINGS, repeat=width)}
    found = [0] * (len(levels) + 1)
    for signs in product([False, True], repeat=len(free)):
        facts = {atom for atom, sign in zip(free, signs, strict=True) if sign}
        for sides in compared:
            world = World(facts | sides, things, set(free), comparisons)
            if not any(world.breaks(rule, [*things, *named]) for rule in hard):
                broken = [n for n, level in enumerate(levels, 1) if any(world.breaks(rule, things) for rule in level)]
                found[max(broken, default=0)] += 1
    return found


def pattern(atom: Atom) -> tuple[Predicate, tuple[str | None, ...]]:
    return atom.predicate, tuple(t.name if isinstance(t, Constant) else None for t in atom.arguments)


def slots(name: str | None, things: Sequence[Constant]) -> Sequence[Constant]:
    return things if name is None else [Constant(name)]


def on_sides(comparisons: Iterable[BuiltIn], things: Sequence[Constant], names: Sequence[str]) -> frozenset[Atom]:
    """What is true of things if they are numbers or dates or others, of these names."""
    return frozenset(
        comparison(*(things[place] for place in places))
        for comparison in comparisons
        for places in permutations(range(len(things)), comparison.arity)
        if is_so(comparison, *(names[place] for place in places))
    )


@cache
def is_so(comparison: BuiltIn, *names: str) -> bool:
    """Of two things with one name: these are two spellings, or two types. There are other kinds with an order, too."""
    if comparison == EQUAL:
        return names[0] == names[1]
    if isinstance(comparison, Precedence):
        one, other = names
        if one in OTHERS and other in OTHERS:
            return OTHERS[one] < OTHERS[other] + (comparison.name == "=<")
        if one == other:
            return comparison.name == "=<" and one in NUMBERS + DATES
    return comparison.holds(*names)


class World:
    """What is true of some things."""

    def __init__(
        self, facts: set[Atom], things: Sequence[Constant], sayable: set[Atom], comparisons: set[Threshold]
    ) -> None:
        self.facts, self.things, self.sayable, self.comparisons = facts, set(things), sayable, comparisons

    def true(self, atom: Atom) -> bool | None:
        """Is it true? None where nothing can say it."""
        if isinstance(atom.predicate, BuiltIn):
            strangers = [term for term in atom.arguments if term not in self.things]
            if len(strangers) == len(atom.arguments):
                return is_true(atom, ())
            if strangers:
                return self._beside(atom)
        elif atom not in self.sayable:
            return None
        return atom in self.facts

    def _beside(self, atom: Atom) -> bool | None:
        """A thing compared with a named constant: that is a bound, if some rule has it."""
        one, other = (Variable("T") if term in self.things else term for term in atom.arguments)
        try:
            bound = compared(one, atom.predicate.name, other).predicate
        except ValueError:
            return False
        thing = next(term for term in atom.arguments if term in self.things)
        return bound(thing) in self.facts if bound in self.comparisons else None

    def breaks(self, clause: Clause, things: Sequence[Term]) -> bool:
        """What a rule says about a named constant counts if a condition of some rule can say it."""
        for ground in (clause.substitute(bound) for bound in bindings(clause, things)):
            body, head = ([self.true(atom) for atom in atoms] for atoms in (ground.body, ground.head))
            if None not in body + head and all(body) and not any(head):
                return True
        return False


@st.composite
def small_rules(draw: st.DrawFn, bounds: Sequence[Threshold]) -> Clause:
    terms = st.sampled_from([*VARIABLES, *VARIABLES, *NAMED])
    plain = st.one_of(st.builds(P, terms), st.builds(D, terms, terms), st.just(N()))
    atoms = plain | st.builds(lambda c, t: c(t), st.sampled_from(bounds), terms)
    atoms |= st.sampled_from([order(*pair) for order in BETWEEN for pair in permutations(VARIABLES)])
    return Clause(tuple(draw(st.lists(plain, max_size=1))), tuple(draw(st.lists(atoms, max_size=3).map(dict.fromkeys))))


@st.composite
def small_facts(draw: st.DrawFn) -> Database:
    names = st.sampled_from(NAMES)
    one = names.map(lambda a: Atom.ground("p", [a])) | st.tuples(names, names).map(lambda pair: Atom.ground("d", pair))
    return Database.of(draw(st.lists(one, max_size=7)), constants=NAMES)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Database, list[Clause], list[Clause]]:
    bounds = draw(st.lists(st.sampled_from(FEW), min_size=1, max_size=3, unique=True))
    rules = draw(st.lists(small_rules(bounds), min_size=2, max_size=4, unique=True))
    kept = [rule for rule in rules if rule.atoms and not set(rule.head) & set(rule.body)]
    return draw(small_facts()), kept[:1], kept[1:]


def theory_of(hard: Iterable[Clause], soft: Iterable[Clause]) -> Theory:
    levels = (Rule(rule, Weight.of(f"0.{place}")) for place, rule in enumerate(soft, 1))
    return Theory((*map(Rule, hard), *levels), Weight.of("0"))


def small_enough(hard: Sequence[Clause], soft: Sequence[Clause], width: int) -> bool:
    conditions = {pattern(atom) for rule in (*hard, *soft) for atom in rule.atoms if atom.predicate in (P, D)}
    named = sum(int(width ** names.count(None)) for _, names in conditions if set(names) - {None})
    return named + width + width**2 <= 9


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("limit", [10**6, -1], ids=["profiles", "cut by cut"])
@pytest.mark.filterwarnings("ignore:the data break")
@settings(max_examples=budget(8), deadline=None)
@given(cases())
def test_strata_are_counted_by_definition(
    width: int, limit: int, case: tuple[Database, list[Clause], list[Clause]]
) -> None:
    database, hard, soft = case
    if not small_enough(hard, soft, width):
        return
    counts = count_strata(database, theory_of(hard, soft), width, limit=limit)
    levels = [[rule] for rule in soft]
    assert [one.n.value for one in counts.strata] == subsets(database, width, levels)
    assert [one.m.value for one in counts.strata] == worlds(database.predicates, width, hard, levels)


MORE = [Threshold.of(sign, bound) for sign in (">=", "<", ">", "=<") for bound in ("1", "2", "2020-01-01")]


@pytest.mark.parametrize("between", [ORDERS, BETWEEN], ids=["orders", "equals"])
@pytest.mark.parametrize(("things", "most"), [(1, 4), (2, 2), (3, 1)])
@settings(max_examples=budget(100, least=10), deadline=None)
@given(st.data())
def test_laws_leave_open_what_is_true_of_something(
    things: int, most: int, between: list[BuiltIn], data: st.DataObject
) -> None:
    """Every set of comparisons of some things: the laws allow it if there are such numbers, dates or others."""
    bounds = data.draw(st.sets(st.sampled_from(MORE if things < 3 else MORE[::5]), max_size=most))
    if things == 3 and EQUAL in between:
        bounds = set()  # there would be a quarter of a million sets
    check_laws(things, frozenset(bounds), tuple(between))


@cache
def check_laws(things: int, bounds: frozenset[Threshold], between: tuple[BuiltIn, ...]) -> None:
    comparisons = [*sorted(bounds), *(between if things > 1 else ())]
    names = [Constant(name) for name in "abc"[:things]]
    written = [law.substitute(bound) for law in laws(comparisons) for bound in bindings(law, names)]
    possible = {on_sides(comparisons, names, chosen) for chosen in product(THINGS, repeat=things)}
    atoms = [c(*chosen) for c in comparisons for chosen in permutations(names, c.arity)]
    lawful = 0
    for signs in product([False, True], repeat=len(atoms)):
        true = frozenset(atom for atom, sign in zip(atoms, signs, strict=True) if sign)
        if all(not true.issuperset(law.body) or true.intersection(law.head) for law in written):
            assert true in possible
            lawful += 1
    assert lawful == len(possible)


FLIGHTS = """carrier(f1, EV) carrier(f2, EV) carrier(f3, UA) carrier(f4, UA) delay(f1, 20) delay(f2, 3) delay(f3, 15)
    delay(f4, 16) late(f1) late(f3) late(f4)"""
THEORY = """
    :- carrier(F, X), carrier(F, Y).
    0.9 :: late(F) :- delay(F, D), D >= 15.
    0.8 :: late(F) :- carrier(F, "EV").
    0.7 :: :- carrier(F, "UA"), delay(F, D), D < 10.
"""


def atoms_of(text: str) -> list[Atom]:
    return [parse_atom(atom) for atom in text.replace(") ", ")|").replace("\n", "|").split("|") if atom.strip()]


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("number", range(len(FEW) + 1))
def test_there_are_worlds_of_numbers_alone(number: int, width: int) -> None:
    rules = [Clause((P(VARIABLES[0]),), (D(*VARIABLES), each(VARIABLES[1]))) for each in FEW[:number]]
    hard = [parse_clause(":- p(A), d(A, B), d(B, A).")]
    values = Values(rules)
    profile = WorldProfile([P, D, *values.predicates], values.hard(hard), width)
    bounds = len({each.bound for each in FEW[:number]})
    assert profile.representatives >= values.worlds_of_numbers(hard, width) == (bounds + 1) ** width
    assert values.worlds_of_numbers([*hard, Clause((), (FEW[0](VARIABLES[0]),))], width) == 0, "there may be none"


def test_many_bounds_are_too_many_worlds_at_once() -> None:
    rules = [parse_clause(f"p(A) :- d(A, B), B >= {bound}.") for bound in range(150)]
    facts = Database.of([D(Constant("a"), Constant("7")), P(Constant("b"))])
    counter = CutCounter(facts, 3, rules=rules, limit=1_000_000)
    began = process_time()
    with pytest.raises(TooLarge, match="more than 1,000,000 worlds"):
        counter.levels([[rule] for rule in rules], only_profiles=True)
    assert process_time() - began < 2  # the laws of so many bounds are a million


def test_weights_are_those_of_the_counts_in_closed_form() -> None:
    facts, theory = Database.of(atoms_of(FLIGHTS)), parse_theory(THEORY)
    found = weigh(theory, facts, smoothing=0)
    levels = [[rule.clause for rule in stratum.rules] for stratum in reversed(theory.strata)]
    n = subsets(facts, 2, levels)
    m = [one.m.value for one in found.counts.strata]
    assert [one.n.value for one in found.counts.strata] == n == [n[0], 0, n[2], 0] and n[2] > 0
    # The level that no fragment reaches below one that some do has the probability of both together.
    pooled = n[2] / (m[1] + m[2]) / sum(n)
    assert [float(p) for p in found.fit.probabilities] == pytest.approx([n[0] / m[0] / sum(n), pooled, pooled, 0])
    assert found.fit.log_likelihood == pytest.approx(n[0] * log(n[0] / m[0] / sum(n)) + n[2] * log(pooled))


def test_a_column_has_one_value_in_a_world_too() -> None:
    """The hard rule says of the named carriers what it says of all: no flight has two of them."""
    rules = [parse_clause('late(F) :- carrier(F, "EV").'), parse_clause(':- late(F), carrier(F, "UA").')]
    data = Database.of(atoms_of(FLIGHTS))
    only = parse_clause(":- carrier(F, X), carrier(F, Y).")
    one, free = (CutCounter(data, 1, hard=hard, rules=rules).worlds().value for hard in ([only], []))
    # It may be its own delay, its own carrier, late, of EV, of UA: five atoms, and not both of the last two.
    assert (one, free) == (2**3 * 3, 2**5)


def test_constants_of_declared_types_are_those_of_their_places() -> None:
    declared = Declared({Predicate("gate", 2): ("flight", "gate"), Predicate("month", 2): ("flight", "month")})
    facts = [Atom.ground("gate", ["f1", "3"]), Atom.ground("month", ["f2", "3"]), Atom.ground("month", ["f3", "4"])]
    database = Database.of(facts, declared=declared)
    rule = parse_clause(":- month(F, 3).")
    counted = count_strata(database, theory_of([], [rule]), 1).strata[1].n
    assert counted.value == 1
    twice = [parse_clause(":- month(F, 3), gate(F, 3)."), rule]
    assert len(Values(twice, declared).predicates) == 2


def test_what_a_counter_was_not_told_of_is_refused() -> None:
    counter = CutCounter(Database.of(atoms_of(FLIGHTS)), 2, rules=[parse_clause('late(F) :- carrier(F, "EV").')])
    assert counter.subsets([parse_clause(':- carrier(F, "EV"), late(F).')]).exact
    for rule in (':- carrier(F, "UA").', ":- delay(F, D), D >= 15."):
        with pytest.raises(TheoryError, match="told of them before"):
            counter.subsets([parse_clause(rule)])


def test_without_constants_nothing_changes() -> None:
    rules = [parse_clause("late(F) :- carrier(F, C).")]
    facts = Database.of(atoms_of(FLIGHTS))
    values = Values(rules)
    assert values.database(facts) is facts and values.clause(rules[0]) is rules[0]
    assert values.hard(rules) == tuple(rules) and not values.predicates


def test_hard_rules_say_of_named_constants_what_conditions_can_say() -> None:
    """Of 2 and 3, which rules name: nothing where a comparison is wrong, or compares with a bound that no rule has."""
    named = [parse_clause(f"p(A) :- d(A, {number}).") for number in (2, 3)]
    rising = parse_clause(":- d(A, B), d(A, C), B < C.")
    values = Values([*named, parse_clause("p(A) :- d(A, B), B < 3."), rising])
    said = [rising, *map(parse_clause, (":- d(A, 2), d(A, 3).", ":- d(A, B), d(A, 3), B < 3."))]
    laws_of_it = set(values.hard([]))
    assert set(values.hard([rising])) - laws_of_it == set(map(values.clause, said))
    nothing = parse_clause("n :- d(A, B), d(A, C), B < C, C < B.")
    assert set(values.hard([nothing])) - laws_of_it == {values.clause(nothing)}
