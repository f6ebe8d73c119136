"""Random terms, clauses, theories, databases and queries, for all property tests.

What draws is made once, outside of what is drawn with it: to make and check it anew for each case took a third of the
time of property tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

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


@cache
def predicates(names: st.SearchStrategy[str] = NAMES, max_arity: int = 3) -> st.SearchStrategy[Predicate]:
    return st.builds(Predicate, names, st.integers(0, max_arity))


@st.composite
def atoms(draw: st.DrawFn, of: st.SearchStrategy[Predicate], terms: st.SearchStrategy[Term]) -> Atom:
    predicate = draw(of)
    return Atom(predicate, tuple(draw(terms) for _ in range(predicate.arity)))


@cache
def clauses(max_literals: int = 5) -> st.SearchStrategy[Clause]:
    """Clauses of any shape with names of any spelling."""
    terms = VARIABLES | st.builds(Constant, NAMES)
    some = st.lists(atoms(predicates(), terms), max_size=max_literals).map(tuple)
    return st.builds(Clause, some, some)


@cache
def weights() -> st.SearchStrategy[Weight]:
    decimals = [st.decimals(0, 1, allow_nan=False, places=places) for places in (3, 6, 40, 400)]
    numbers = st.one_of(*decimals, st.floats(0, 1), st.floats(0, 1))
    return st.one_of(numbers.map(Weight.of), numbers.map(Weight.of_doubt))


TYPE_NAMES = st.lists(NAMES, min_size=1, max_size=3, unique=True)
BOOLEANS = st.booleans()


@cache
def _predicates(of: st.SearchStrategy[Predicate], most: int) -> st.SearchStrategy[list[Predicate]]:
    return st.lists(of, min_size=1, max_size=most, unique=True)


@st.composite
def types(draw: st.DrawFn, of: st.SearchStrategy[Predicate] | None = None, max_predicates: int = 3) -> Types:
    """Types of some predicates; some types are unsure."""
    names = draw(TYPE_NAMES)
    some = draw(_predicates(predicates(max_arity=2) if of is None else of, max_predicates))
    typed = st.sampled_from(names)
    signatures = tuple((predicate, tuple(draw(typed) for _ in range(predicate.arity))) for predicate in some)
    return Types(signatures, tuple(name for name in names if draw(BOOLEANS)))


NUMBERS = st.floats(-1e6, 1e6) | st.integers(-99, 99).map(float)
FROM_0 = NUMBERS.map(abs)
PARTS = st.floats(0, 1)
COUNTS = st.integers(0, 10**6)


@cache
def held_out() -> st.SearchStrategy[HeldOut]:
    """Cases that were held out, or none."""
    some = st.builds(lambda part, said, cases: HeldOut(part * cases, said, cases), PARTS, FROM_0, st.integers(1, 10**6))
    return st.just(HeldOut()) | some


@cache
def precisions() -> st.SearchStrategy[list[Precision]]:
    """What is said of some predicates, once of each."""
    some = st.builds(Precision, predicates(), held_out())
    return st.lists(some, max_size=2, unique_by=lambda one: one.predicate)


@cache
def _tables(number: int) -> tuple[st.SearchStrategy[list[float]], st.SearchStrategy[tuple[float, ...]]]:
    """So many shares, and what was measured at each."""
    shares = st.lists(st.floats(0, 1), min_size=number, max_size=number, unique=True)
    return shares, st.lists(NUMBERS, min_size=number, max_size=number).map(tuple)


@st.composite
def _measures(draw: st.DrawFn, of: Sequence[Clause]) -> Measures:
    """What may have been measured of some rules."""
    shares, table = _tables(draw(st.integers(0, 4)))
    rules = [
        Measured(
            clause,
            draw(COUNTS),
            draw(COUNTS),
            draw(COUNTS),
            draw(held_out()),
            draw(table) if draw(BOOLEANS) else (),
            units=draw(COUNTS) if draw(BOOLEANS) else 0,
        )
        for clause in {canonical(one): one for one in of}.values()
    ]
    sizes = sorted(draw(st.sets(COUNTS, max_size=3)))
    given, dense = (draw(table) if draw(BOOLEANS) else () for _ in range(2))
    return Measures(
        tuple(sorted(draw(shares))),
        tuple(draw(shares)),
        draw(table),
        tuple(rules),
        tuple(draw(precisions())),
        draw(held_out()),
        given,
        dense=dense,
        dense_weight=draw(st.floats(0, 1)) if dense else 0.0,
        curve=tuple((size, draw(NUMBERS)) for size in sizes),
        taken=draw(COUNTS) if sizes else 0,
    )


WEIGHTED = weights() | st.just(DEMOTED)
OLDER = weights().filter(lambda weight: weight != DEMOTED)
CLAUSES = st.lists(clauses(3).filter(lambda clause: not clause.is_empty), max_size=2)
FEW = st.integers(0, 2)
UNKNOWN = st.lists(clauses(2), max_size=2)


@cache
def _rules(most: int, newest: bool) -> st.SearchStrategy[list[Rule]]:
    return st.lists(st.builds(Rule, clauses(3), WEIGHTED if newest else OLDER, st.sampled_from(Keep)), max_size=most)


@st.composite
def theories(draw: st.DrawFn, max_rules: int = 6, newest: bool = True) -> Theory:
    """Theories as people may leave them: with rules that are locked, pinned, banned, or wait for a weight.

    The newest format has types, demoted rules, measures and judged rules, too.
    """
    kept = [rule for rule in draw(_rules(max_rules, newest)) if rule.is_hard or not rule.clause.is_empty]
    lowest = min([rule.weight for rule in kept if not rule.is_hard] or [Weight.of("0.999")])
    unplaced = list(dict.fromkeys(draw(CLAUSES)))
    typed = draw(types()) if newest and draw(BOOLEANS) else None
    said = () if typed is None else (*typed.hard, *typed.demoted)
    present = {canonical(clause) for clause in (*(rule.clause for rule in kept), *unplaced, *said)}
    banned = [clause for clause in draw(CLAUSES) if canonical(clause) not in present]
    locked = [clause for clause in unplaced if draw(BOOLEANS)]
    falsity = min(draw(weights()), lowest, DEMOTED if said else lowest)
    known = [rule.clause for rule in kept[: draw(FEW)]]
    return Theory(
        tuple(kept),
        falsity,
        tuple(unplaced),
        tuple(banned),
        tuple(locked),
        draw(BOOLEANS),
        typed,
        draw(_measures([*known, *draw(UNKNOWN)])) if newest and draw(BOOLEANS) else None,
        judged=tuple(
            Judged(clause, draw(COUNTS), draw(COUNTS), draw(COUNTS), draw(held_out()))
            for clause in ([*known[:1], *draw(UNKNOWN)] if newest else ())
        ),
    )


SMALL_PREDICATES = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2), Predicate("s", 2), Predicate("t", 3)]
SMALL_VARIABLES = [Variable(name) for name in "ABCD"]


@cache
def small_atoms(terms: st.SearchStrategy[Term]) -> st.SearchStrategy[Atom]:
    """Atoms over a few predicates, so that they meet."""
    return atoms(st.sampled_from([*SMALL_PREDICATES, Predicate("n", 0)]), terms)


@cache
def small_clauses(max_literals: int = 4, constants: bool = True) -> st.SearchStrategy[Clause]:
    """Clauses over a few predicates, variables and (now and then) constants, so that pairs of them are related."""
    terms: st.SearchStrategy[Term] = st.sampled_from(SMALL_VARIABLES)
    if constants:
        terms = st.sampled_from([*SMALL_VARIABLES, *SMALL_VARIABLES, Constant("a"), Constant("b")])
    some = st.lists(small_atoms(terms), max_size=max_literals).map(tuple)
    return st.builds(Clause, some, some)


@cache
def _facts(names: str, most: int) -> st.SearchStrategy[list[Atom]]:
    return st.lists(small_atoms(st.sampled_from([Constant(name) for name in names])), max_size=most)


@st.composite
def databases(draw: st.DrawFn, constants: int = 5, max_facts: int = 14) -> Database:
    """Databases over a few constants and predicates."""
    names = "".join(chr(ord("a") + number) for number in range(draw(st.integers(1, constants))))
    return Database.of(draw(_facts(names, max_facts)), constants=list(names) if draw(BOOLEANS) else [])


ASKED = st.sampled_from([*SMALL_VARIABLES, *SMALL_VARIABLES, Constant("a"), Constant("c"), Constant("unknown")])


@cache
def queries(max_literals: int = 4) -> st.SearchStrategy[Query]:
    """Queries over the same predicates, with negation, repeated variables and constants that may be unknown."""
    literals = st.builds(Literal, small_atoms(ASKED), BOOLEANS)
    return st.lists(literals, min_size=1, max_size=max_literals).map(lambda some: Query(tuple(some)))


ANY_SCHEMA = st.lists(predicates(), min_size=1, max_size=4, unique_by=lambda predicate: predicate.name)
ANY_CONSTANT = st.builds(Constant, NAMES)


@st.composite
def nasty_databases(draw: st.DrawFn, of: list[Predicate] | None = None, max_facts: int = 10) -> Database:
    """Databases over some predicates, or any with one arity a name, whose constants have any names."""
    some = st.sampled_from(draw(ANY_SCHEMA) if of is None else of)
    return Database.of(draw(st.lists(atoms(some, ANY_CONSTANT), max_size=max_facts)))
