"""Saturation against entailment by definition: all worlds over the variables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.entailment import Saturation
from possilog.logic import Clause, Literal, Predicate, Term, parse_clause, parse_query
from possilog.logic.atom_space import AtomSpace, bits
from possilog.sat.solver import Solver
from possilog.structure.subsumed import SubsumingBodies
from strategies import small_clauses

PREDICATES = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2)]
WIDTH = 3
SPACE = AtomSpace(PREDICATES, WIDTH)


def implied_by_definition(rules: list[Clause], given_atoms: list[int], denied: Sequence[int] = ()) -> int | None:
    """The atoms that are true in every world over the variables that satisfies the rules and has the given atoms.

    None of those that are denied is true there; None where there is no such world.
    """
    with Solver() as solver:
        for rule in rules:
            for images in permutations(range(WIDTH), len(rule.variables)):
                place: dict[Term, int] = dict(zip(rule.variables, images, strict=True))
                solver.add(
                    (1 if literal.positive else -1)
                    * (1 + SPACE.number[literal.atom.predicate, tuple(place[t] for t in literal.atom.arguments)])
                    for literal in rule.literals
                )
        assumptions = [*(atom + 1 for atom in given_atoms), *(-atom - 1 for atom in denied)]
        if not solver.solve(assumptions):
            return None
        count = len(SPACE.atoms)
        return sum(1 << atom for atom in range(count) if not solver.solve([*assumptions, -atom - 1]))


ATOMS = [literal.atom for literal in parse_query("p(X), p(Y), q(X), q(Y), r(X, Y), r(Y, X)").literals]
FEW = st.builds(Clause.of, st.lists(st.builds(Literal, st.sampled_from(ATOMS), st.booleans()), min_size=1, max_size=3))


def rules_here(max_literals: int = 3) -> st.SearchStrategy[Clause]:
    """Clauses over the predicates of the space, of any shape but ⊥."""

    def fits(clause: Clause) -> bool:
        return not clause.is_empty and all(atom.predicate in PREDICATES for atom in clause.atoms)

    return small_clauses(max_literals, constants=False).filter(fits)


@settings(max_examples=budget(600))
@given(st.lists(rules_here(2), max_size=5), st.lists(st.integers(0, len(SPACE.atoms) - 1), min_size=1, max_size=4))
def test_saturation_is_entailment(rules: list[Clause], atoms: list[int]) -> None:
    saturation = Saturation(SPACE, rules)
    closed: int | None = 0
    for atom in atoms:
        closed = saturation.extend(closed, atom) if closed is not None else None
    assert closed == implied_by_definition(rules, atoms)


@settings(max_examples=budget(300))
@given(st.lists(rules_here(2), max_size=5), st.lists(st.integers(0, len(SPACE.atoms) - 1), min_size=1, max_size=4))
def test_a_reduced_body_implies_the_same_and_cannot_be_reduced_further(rules: list[Clause], atoms: list[int]) -> None:
    body = tuple(dict.fromkeys(atoms))
    implied = implied_by_definition(rules, list(body))
    if implied is None:
        return
    reduced = Saturation(SPACE, rules).reduce(body)
    assert implied_by_definition(rules, list(reduced)) == implied
    for atom in reduced:
        rest = implied_by_definition(rules, [other for other in reduced if other != atom])
        assert rest is not None
        assert not rest >> atom & 1


def test_conflicts_are_found_before_an_atom_is_added() -> None:
    rules = [parse_clause(text) for text in (":- p(X), q(X).", "p(X) :- r(X, Y).", ":- r(X, X).")]
    saturation = Saturation(SPACE, rules)
    p0, q0 = SPACE.number[PREDICATES[0], (0,)], SPACE.number[PREDICATES[1], (0,)]
    assert saturation.conflicts(1 << p0) >> q0 & 1
    assert saturation.impossible >> SPACE.number[PREDICATES[2], (1, 1)] & 1
    assert saturation.extend(1 << q0, SPACE.number[PREDICATES[2], (0, 1)]) is None


@given(st.lists(st.frozensets(st.integers(0, 7), min_size=1, max_size=4), max_size=6), st.frozensets(st.integers(0, 7)))
def test_containment_of_bodies(bodies: list[frozenset[int]], body: frozenset[int]) -> None:
    collection = SubsumingBodies()
    for one in bodies:
        collection.add(sum(1 << atom for atom in one))
    expected = any(one <= body for one in bodies)
    assert collection.contained_in(sum(1 << atom for atom in body)) == expected


def test_extensions_are_connected_and_name_new_variables_in_order() -> None:
    names = {
        (predicate.name, arguments) for predicate, arguments in map(SPACE.atoms.__getitem__, bits(SPACE.extensions[1]))
    }
    assert names == {("p", (0,)), ("q", (0,)), ("r", (0, 0)), ("r", (0, 1)), ("r", (1, 0))}


@settings(max_examples=budget(200))
@given(st.lists(FEW, max_size=3), FEW, FEW)
@example([], parse_clause("p(X) :- q(X)."), parse_clause("p(Y) :- q(Y)."))
@example([parse_clause("p(X) ; q(X).")], parse_clause("p(X) :- r(X, Y)."), parse_clause("p(X) :- r(X, Y), q(X)."))
def test_rules_are_equivalent_where_both_have_the_same_models(rules: list[Clause], one: Clause, other: Clause) -> None:
    def follows(premise: Clause, conclusion: Clause) -> bool:
        """The conclusion on the first variables is true wherever the premise and the rules are, on all of them."""
        body, head = next(SPACE.groundings(conclusion))
        return implied_by_definition([*rules, premise], list(bits(body)), list(bits(head))) is None

    saturation = Saturation(SPACE, rules)
    assert saturation.are_equivalent(one, other) == (follows(one, other) and follows(other, one))


@settings(max_examples=budget(60))
@given(st.lists(FEW, max_size=8))
@example([parse_clause("p(X) ; q(X)."), parse_clause("r(X, X) :- q(X).")])  # where nothing is true is no world
def test_independent_atoms_are_true_or_false_whatever_the_others_are(rules: list[Clause]) -> None:
    saturation = Saturation(SPACE, rules)
    if implied_by_definition(rules, []) is None:
        return
    found = saturation.independent(4)
    for code in range(1 << len(found)):
        true = [atom for place, atom in enumerate(found) if code >> place & 1]
        assert implied_by_definition(rules, true, [atom for atom in found if atom not in true]) is not None
    assert saturation.independent(2) == found[:2]


@pytest.mark.parametrize("rule", ["p(X) ; p(Y).", "r(X, Y) ; r(Y, X).", "p(X) ; q(X).", ":- p(X)."])
def test_what_no_rule_is_about_is_independent(rule: str) -> None:
    clause = parse_clause(rule)
    said = {atom.predicate for atom in clause.atoms}
    free = {number for number, (predicate, _) in enumerate(SPACE.atoms) if predicate not in said}
    assert {*Saturation(SPACE, [clause]).independent(len(SPACE.atoms))} >= free


@pytest.mark.parametrize("used", range(WIDTH + 1))
def test_extensions_by_definition(used: int) -> None:
    for number, (_, arguments) in enumerate(SPACE.atoms):
        new = [argument for argument in arguments if argument >= used]
        in_order = sorted(set(new)) == list(range(used, used + len(set(new)))) and new == sorted(new)
        known = any(argument < used for argument in arguments)
        assert bool(SPACE.extensions[used] >> number & 1) == (known and in_order)
