"""Random terms, clauses, theories, databases and queries, for all property tests."""

from __future__ import annotations

from hypothesis import strategies as st

from possilog.data import Database
from possilog.logic import (
    DEMOTED,
    Atom,
    Clause,
    Constant,
    HeldOut,
    Judged,
    Keep,
    Literal,
    Measured,
    Measures,
    Precision,
    Predicate,
    Query,
    Rule,
    Term,
    Theory,
    Types,
    Variable,
    Weight,
    canonical,
)

NAMES = st.text(max_size=6) | st.sampled_from(
    ["p", "Person27", "not", "false", "true", "_", "_1", "a b", 'say "hi"', "it's", "back\\slash", "é", "Ω", "-0.117"]
    + ["x\ty", "x\ny", "%", "p(a)", "::", "1-4", "漢", "ǅ", "\ud800", "\x00", "\u2028", "7", "1e5", "1.5e-3", "a-b", ""]
)
"""Any text may be the name of a constant or a predicate; these are the nasty ones."""

VARIABLES = st.sampled_from([Variable(name) for name in ["X", "Y", "Z", "_1", "Long_Name-2", "Ä"]])


def predicates(names: st.SearchStrategy[str] = NAMES, max_arity: int = 3) -> st.SearchStrategy[Predicate]:
    return st.builds(Predicate, names, st.integers(0, max_arity))


@st.composite
def atoms(draw: st.DrawFn, of: st.SearchStrategy[Predicate], terms: st.SearchStrategy[Term]) -> Atom:
    predicate = draw(of)
    return Atom(predicate, tuple(draw(terms) for _ in range(predicate.arity)))


def clauses(max_literals: int = 5) -> st.SearchStrategy[Clause]:
    """Clauses of any shape with names of any spelling."""
    terms = VARIABLES | st.builds(Constant, NAMES)
    some = st.lists(atoms(predicates(), terms), max_size=max_literals).map(tuple)
    return st.builds(Clause, some, some)


@st.composite
def weights(draw: st.DrawFn) -> Weight:
    places = draw(st.sampled_from([3, 6, 40, 400]))
    number = draw(st.decimals(0, 1, allow_nan=False, places=places) | st.floats(0, 1))
    return draw(st.sampled_from([Weight.of, Weight.of_doubt]))(number)


@st.composite
def types(draw: st.DrawFn, of: st.SearchStrategy[Predicate] | None = None, max_predicates: int = 3) -> Types:
    """Types of some predicates; some types are unsure."""
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    some = draw(
        st.lists(predicates(max_arity=2) if of is None else of, min_size=1, max_size=max_predicates, unique=True)
    )
    typed = st.sampled_from(names)
    signatures = tuple((predicate, tuple(draw(typed) for _ in range(predicate.arity))) for predicate in some)
    return Types(signatures, tuple(draw(st.lists(typed, unique=True))))


NUMBERS = st.floats(-1e6, 1e6) | st.integers(-99, 99).map(float)


def held_out() -> st.SearchStrategy[HeldOut]:
    """Cases that were held out, or none."""
    return st.just(HeldOut()) | st.builds(HeldOut, NUMBERS, NUMBERS, st.integers(1, 10**6))


@st.composite
def measures(draw: st.DrawFn, of: st.SearchStrategy[Clause]) -> Measures:
    """What may have been measured of some rules."""
    number = draw(st.integers(0, 4))
    shares = tuple(sorted(draw(st.lists(st.floats(0, 1), min_size=number, max_size=number, unique=True))))
    table = st.lists(NUMBERS, min_size=number, max_size=number).map(tuple)
    counts = st.integers(0, 10**6)
    rules = st.builds(Measured, of, counts, counts, counts, held_out(), table | st.just(()))
    certain = st.lists(st.builds(Precision, predicates(), held_out()), max_size=2)
    return Measures(
        shares,
        draw(table),
        draw(table),
        tuple(draw(st.lists(rules, max_size=3))),
        tuple(draw(certain)),
        draw(held_out()),
    )


def judged(of: st.SearchStrategy[Clause]) -> st.SearchStrategy[Judged]:
    """Rules that only ranking uses."""
    counts = st.integers(0, 10**6)
    return st.builds(Judged, of, counts, counts, counts)


@st.composite
def theories(draw: st.DrawFn, max_rules: int = 6, newest: bool = True) -> Theory:
    """Theories as people may leave them: with rules that are locked, pinned, banned, or wait for a weight.

    The newest format has types, demoted rules, measures and judged rules, too.
    """
    weighted = weights() | st.just(DEMOTED) if newest else weights().filter(lambda weight: weight != DEMOTED)
    rules = draw(st.lists(st.builds(Rule, clauses(3), weighted, st.sampled_from(Keep)), max_size=max_rules))
    kept = [rule for rule in rules if rule.is_hard or not rule.clause.is_empty]
    lowest = min([rule.weight for rule in kept if not rule.is_hard] or [Weight.of("0.999")])
    some = st.lists(clauses(3).filter(lambda clause: not clause.is_empty), max_size=2)
    unplaced = list(dict.fromkeys(draw(some)))
    typed = draw(st.none() | types()) if newest else None
    said = () if typed is None else (*typed.hard, *typed.demoted)
    present = {canonical(clause) for clause in (*(rule.clause for rule in kept), *unplaced, *said)}
    banned = [clause for clause in draw(some) if canonical(clause) not in present]
    locked = [clause for clause in unplaced if draw(st.booleans())]
    falsity = min(draw(weights()), lowest, DEMOTED if said else lowest)
    measured = st.sampled_from([rule.clause for rule in kept]) | clauses(2) if kept else clauses(2)
    return Theory(
        tuple(kept),
        falsity,
        tuple(unplaced),
        tuple(banned),
        tuple(locked),
        draw(st.booleans()),
        typed,
        draw(st.none() | measures(measured)) if newest else None,
        judged=tuple(draw(st.lists(judged(measured), max_size=2))) if newest else (),
    )


SMALL_PREDICATES = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2), Predicate("s", 2), Predicate("t", 3)]
SMALL_VARIABLES = [Variable(name) for name in "ABCD"]


def small_atoms(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Atom]:
    """Atoms over a few predicates, so that they meet."""
    return atoms(st.sampled_from([*SMALL_PREDICATES, Predicate("n", 0)]), terms)


def small_clauses(max_literals: int = 4, constants: bool = True) -> st.SearchStrategy[Clause]:
    """Clauses over a few predicates, variables and (now and then) constants, so that pairs of them are related."""
    terms: st.SearchStrategy[Term] = st.sampled_from(SMALL_VARIABLES)
    if constants:
        terms = st.sampled_from([*SMALL_VARIABLES, *SMALL_VARIABLES, Constant("a"), Constant("b")])
    some = st.lists(small_atoms(terms), max_size=max_literals).map(tuple)
    return st.builds(Clause, some, some)


@st.composite
def databases(draw: st.DrawFn, constants: int = 5, max_facts: int = 14) -> Database:
    """Databases over a few constants and predicates."""
    names = [chr(ord("a") + number) for number in range(draw(st.integers(1, constants)))]
    facts = draw(st.lists(small_atoms(st.sampled_from([Constant(name) for name in names])), max_size=max_facts))
    return Database.of(facts, constants=draw(st.sampled_from([[], names])))


@st.composite
def queries(draw: st.DrawFn, max_literals: int = 4) -> Query:
    """Queries over the same predicates, with negation, repeated variables and constants that may be unknown."""
    terms = st.sampled_from([*SMALL_VARIABLES, *SMALL_VARIABLES, Constant("a"), Constant("c"), Constant("unknown")])
    literals = st.builds(Literal, small_atoms(terms), st.booleans())
    return Query(tuple(draw(st.lists(literals, min_size=1, max_size=max_literals))))


@st.composite
def nasty_databases(draw: st.DrawFn, of: list[Predicate] | None = None, max_facts: int = 10) -> Database:
    """Databases over some predicates, or any with one arity a name, whose constants have any names."""
    if of is None:
        of = draw(st.lists(predicates(), min_size=1, max_size=4, unique_by=lambda predicate: predicate.name))
    return Database.of(draw(st.lists(atoms(st.sampled_from(of), st.builds(Constant, NAMES)), max_size=max_facts)))
