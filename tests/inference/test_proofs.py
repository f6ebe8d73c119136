"""Proofs: checked step by step by a checker of their own, and compared with all proofs there are."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import permutations
from math import inf
from random import Random

import pytest

from budget import budget
from possible_worlds import VARIABLES, WEIGHTS, Case, draw_case
from possilog.data import Database, Evidence, read
from possilog.inference import Global, How, Local, Prediction, Reasoner
from possilog.inference.cores import _minimal, _readable
from possilog.inference.proofs import Proof, Standing
from possilog.logic import (
    CERTAIN,
    Atom,
    Clause,
    Constant,
    Literal,
    Predicate,
    Rule,
    Theory,
    Variable,
    Weight,
    parse_atom,
    parse_clause,
    parse_theory,
    read_theory,
)
from shared import shared_data

CASES = budget(600)

KINDS: list[How] = [Global(repair=True), Local(), Local(joint="fewest")]


def draw_chain(seed: int) -> Case:
    """A case whose conclusions follow from each other over several steps, and seldom conflict."""
    random = Random(seed)
    names = [Constant(name) for name in "abc"]
    unary = [Predicate(f"p{number}", 1) for number in range(6)]
    binary = [Predicate("r", 2), Predicate("s", 2)]

    def atom(predicates: list[Predicate], terms: list[Variable] | list[Constant]) -> Atom:
        predicate = random.choice(predicates)
        return Atom(predicate, tuple(random.choice(terms) for _ in range(predicate.arity)))

    rules = []
    for _ in range(random.randint(8, 14)):
        body = tuple(atom([*unary, *binary], VARIABLES[:2]) for _ in range(random.choice([1, 1, 2, 2, 3])))
        head = () if random.random() < 0.08 else (atom([*unary, *unary, *binary], VARIABLES[:2]),)
        rules.append(Rule(Clause(head, body), CERTAIN if random.random() < 0.4 else random.choice(WEIGHTS)))
    facts = [atom([*unary[:2], *binary], names) for _ in range(random.randint(2, 5))]
    return Case(Theory(tuple(rules)), Evidence.of(facts, [name.name for name in names]))


GroundRules = list[tuple[Rule, Atom, tuple[Atom, ...]]]


def ground_rules(case: Case) -> GroundRules:
    """Every definite ground rule, by trying all constants."""
    return [
        (rule, ground.head[0], ground.body)
        for rule in case.theory
        if rule.clause.is_definite
        for ground in case.ground([rule])
    ]


Instances = set[tuple[Rule, Atom, frozenset[Atom]]]


def check_proof(proof: Proof, facts: frozenset[Atom], instances: Instances, certainty: Weight) -> None:
    """Is every leaf evidence, and every step an instance of a rule that the cut has?"""
    for part in proof.parts:
        if part.is_given:
            assert part.atom in facts
            assert not part.premises and part.steps == 0 and part.weight == CERTAIN
        else:
            assert part.rule is not None and part.rule.weight >= certainty
            assert (part.rule, part.atom, frozenset(premise.atom for premise in part.premises)) in instances
            assert part.steps == 1 + sum(premise.steps for premise in part.premises)
            assert part.weight == min([part.rule.weight, *(premise.weight for premise in part.premises)])
    assert proof.weight == certainty


def fewest_steps(case: Case, ground: GroundRules, prediction: Prediction, cut: Weight) -> dict[Atom, float]:
    """The size of the smallest tree for each atom, by making it smaller until nothing changes.

    A soft ground rule was used at the stage of its lowest weight, unless its head was kept from being concluded there.
    """
    stands = dict.fromkeys(case.facts, CERTAIN) | {item.atom: item.certainty for item in prediction.added}
    barred = {(conflict.weight, atom) for conflict in prediction.conflicts for atom in conflict.barred}
    used = []
    for rule, head, body in ground:
        if head in stands and stands.keys() >= set(body):
            stage = min([rule.weight, *(stands[atom] for atom in body)])
            kept = not rule.is_hard and (stage > stands[head] or (stage == stands[head] and (stage, head) in barred))
            if stage >= cut and not kept:
                used.append((head, body))
    steps: dict[Atom, float] = dict.fromkeys(stands, inf) | dict.fromkeys(case.facts, 0)
    changed = True
    while changed:
        changed = False
        for head, body in used:
            size = 1 + sum(steps[atom] for atom in body)
            if size < steps[head]:
                steps[head], changed = size, True
    return steps


@pytest.mark.parametrize("how", KINDS)
def test_proofs_are_right_and_as_short_as_can_be(how: How) -> None:
    proofs = deep = 0
    for seed in range(CASES):
        case = draw_chain(seed) if seed % 2 else draw_case(seed, horn=True)
        prediction = Reasoner(case.theory).predict(case.evidence, how)
        standing = Standing(case.theory.rules, prediction)
        ground = ground_rules(case)
        instances = {(rule, head, frozenset(body)) for rule, head, body in ground}
        needed = {conclusion.certainty for conclusion in prediction.added}
        sizes = {weight: fewest_steps(case, ground, prediction, weight) for weight in needed}
        for conclusion in prediction.added:
            proof = standing.proof(conclusion.atom)
            assert proof is not None, (seed, str(conclusion.atom))
            assert proof.atom == conclusion.atom
            check_proof(proof, case.facts, instances, conclusion.certainty)
            assert proof.steps == sizes[conclusion.certainty][conclusion.atom], seed
            proofs += 1
            deep += proof.steps > 2
        for fact in case.facts:
            assert standing.proof(fact) == Proof(fact)
        for atom in set(case.atoms) - case.facts - {conclusion.atom for conclusion in prediction.added}:
            assert standing.proof(atom) is None
    assert proofs > CASES and deep > CASES / 4  # else the cases say little


def proof_of(theory: str, facts: Iterable[str], atom: str) -> Proof:
    prediction = Reasoner(parse_theory(theory)).predict(map(parse_atom, facts))
    proof = Standing(parse_theory(theory).rules, prediction).proof(parse_atom(atom))
    assert proof is not None
    return proof


def test_a_short_cut_through_a_lower_stratum_is_taken_where_the_cut_has_it() -> None:
    theory = "q(X) :- p(X). r(X) :- q(X). 0.9 :: r(X) :- p(X). 0.9 :: s(X) :- r(X), p(X)."
    assert proof_of(theory, ["p(a)"], "r(a)").steps == 2
    assert proof_of(theory, ["p(a)"], "s(a)").steps == 2


def test_a_deep_proof_and_one_that_repeats_itself() -> None:
    chain = [f"next(c{n}, c{n + 1})" for n in range(2_000)]
    proof = proof_of("reached(Y) :- reached(X), next(X, Y).", ["reached(c0)", *chain], "reached(c2000)")
    assert proof.steps == 2_000
    assert len(list(proof.lines())) == 1 + 3 * 2_000
    doubling = "".join(f"a{n + 1} :- a{n}, b{n}. b{n} :- a{n}." for n in range(60))
    twice = proof_of(doubling, ["a0"], "a60")
    assert twice.steps == 2**61 - 2  # each level doubles the steps below it and adds two
    assert len(twice.parts) == 121
    assert len(list(twice.lines())) < 400


def test_every_conclusion_on_real_data_has_a_proof() -> None:
    theory = read_theory(shared_data("uwcse/ijcai17/uwcse.poss"))
    facts = sorted(read(shared_data("uwcse/ijcai17/test.db")))
    reasoner = Reasoner(theory)
    for how in KINDS[:2]:
        prediction = reasoner.predict(Database.of(facts[::3]), how)
        standing = Standing(theory.rules, prediction)
        for conclusion in prediction.added:
            proof = standing.proof(conclusion.atom)
            assert proof is not None and proof.weight == conclusion.certainty
            assert all(part.atom in prediction for part in proof.parts)
        assert len(prediction.added) > 20


@pytest.mark.parametrize("needed", [[0], [2], [0, 3], [1, 2, 4], []])
def test_what_is_left_is_enough_and_nothing_more(needed: list[int]) -> None:
    literals = [Literal(parse_atom(f"p(c{number})")) for number in (3, 1, 4, 0, 2)]
    wanted = {literals[place] for place in needed}
    assert _minimal(literals, lambda some: wanted <= set(some)) == tuple(sorted(wanted))


def test_rules_of_a_conflict_are_read_before_what_they_forbid() -> None:
    clauses = [parse_clause(text) for text in (":- c(a).", "c(a) :- b(a).", "b(a) :- a(a).", ":- z(a).")]
    for order in permutations(clauses):
        found = _readable(order, [parse_atom("a(a)")])
        assert found == (clauses[2], clauses[1], *sorted((clauses[0], clauses[3])))


def test_contradictions_are_told_where_the_evidence_contradicts_the_hard_rules() -> None:
    theory = parse_theory("q(X) :- p(X). :- q(X), r(X).")
    for known, consistent in ((["p(a)", "r(a)"], False), (["p(a)"], True)):
        told = Reasoner(theory).predict(known, Local()).as_json
        assert told["consistent"] == consistent and ("contradictions" in told) == (not consistent)


@pytest.mark.parametrize("rules", ["p(X) :- n. :- p(X), p(Y).", "p(X) ; q(X) :- n. :- p(X). :- q(X)."])
def test_what_rules_say_of_every_constant_contradicts_evidence_that_does_not_name_it(rules: str) -> None:
    (core,) = Reasoner(parse_theory(rules)).conflicts(["n", "r(a)", "r(b)"])
    assert [str(literal) for literal in core.literals] == ["n"]
    assert [len(rule.head) for rule in core.rules] == ([1, 1, 0] if ";" not in rules else [2, 0, 0])
