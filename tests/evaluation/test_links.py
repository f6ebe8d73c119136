"""Filtered ranks by their definition: every candidate with the list of the rules that conclude it, sorted."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.choices import Aggregate
from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.errors import DataError, QueryError
from possilog.evaluation.links import rank_links
from possilog.inference.ranking import Ranking, evidence_of_rule, ranking_rules
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    HeldOut,
    Judged,
    Literal,
    Predicate,
    Query,
    Theory,
    Variable,
    parse_theory,
    variables_of,
)
from possilog.matching import Matcher

NAMES = list("abcdef")
RELATIONS = [Predicate("r", 2), Predicate("s", 2)]
TERMS = st.sampled_from([Variable("X"), Variable("Y"), Variable("Z"), Constant("a")])
ATOMS = st.builds(lambda p, x, y: Atom(p, (x, y)), st.sampled_from(RELATIONS), TERMS, TERMS)


def is_closed(clause: Clause) -> bool:
    """Are all variables of the head in the body?"""
    return set(variables_of(clause.head)) <= set(variables_of(clause.body))


RULES = st.builds(
    lambda head, body, true, false: Judged(Clause((head,), tuple(body)), true, false, 0),
    ATOMS,
    st.lists(ATOMS, min_size=1, max_size=2),
    st.integers(1, 3),
    st.integers(0, 2),
)
# Rules that leave a variable open put nothing before anything in general; a test below has the exception.
THEORIES = st.builds(
    lambda rules, unlinked: Theory(judged=tuple(rules), unlinked=HeldOut(0, 20, 30) if unlinked else HeldOut()),
    st.lists(RULES.filter(lambda rule: is_closed(rule.clause)), max_size=6),
    st.booleans(),
)


def facts(least: int = 0) -> st.SearchStrategy[list[Atom]]:
    pairs = st.tuples(st.sampled_from(["r", "s"]), st.sampled_from(NAMES), st.sampled_from(NAMES))
    return st.lists(pairs, min_size=least, max_size=8, unique=True).map(
        lambda found: [Atom.ground(name, pair) for name, *pair in found]
    )


def concludes(facts: Database, clause: Clause, atom: Atom) -> bool:
    """By the matcher: does the rule conclude the atom?"""
    head = clause.head[0]
    bindings: dict[Variable, str] = {}
    for term, constant in zip(head.arguments, atom.arguments, strict=True):
        if not isinstance(term, Variable):
            if term != constant:
                return False
        elif bindings.setdefault(term, constant.name) != constant.name:
            return False
    if len(set(bindings.values())) < len(bindings):
        return False
    return Matcher(facts).exists(Query(tuple(map(Literal, clause.body))), bindings)


def score(theory: Theory, facts: Database, atom: Atom, aggregate: Aggregate) -> list[float]:
    """The list of confidences, best first; or what the rules say, added up. Nothing, where it may not be an answer."""
    rules = ranking_rules(theory).get(atom.predicate, ())
    if theory.unlinked.cases and any({*atom.arguments} == {*fact.arguments} for fact in facts):
        rules = ()
    found = [rule.confidence for rule in rules if concludes(facts, rule.clause, atom)]
    if aggregate is Aggregate.MAXIMUM:
        return found
    fade = 0.8 if aggregate is Aggregate.FADING else 1.0
    return [round(sum(evidence_of_rule(one) * fade**number for number, one in enumerate(found)), 9)]


@given(THEORIES, facts(), facts(), facts(1), st.sampled_from(Aggregate))
@settings(max_examples=budget(50, least=25))
def test_ranks_are_as_defined(
    theory: Theory, train: list[Atom], valid: list[Atom], test: list[Atom], aggregate: Aggregate
) -> None:
    given_facts = Database.of(train, constants=NAMES)
    known = {*train, *valid, *test}
    found = rank_links(theory, given_facts, Database.of(test), Database.of(valid, constants=NAMES), aggregate)
    for predicate, ranks in found.relations.items():
        asked = sorted(atom for atom in set(test) if atom.predicate == predicate)
        for place, got in ((1, ranks.tails), (0, ranks.heads)):
            expected = []
            for atom in asked:
                own = score(theory, given_facts, atom, aggregate)
                others = [_with(atom, place, name) for name in NAMES]
                scores = [
                    score(theory, given_facts, other, aggregate) for other in others if other not in known - {atom}
                ]
                expected.append(1 + sum(s > own for s in scores) + (sum(s == own for s in scores) - 1) / 2)
            assert got.tolist() == expected
    total = found.as_json
    assert total["mrr"] == pytest.approx(np.mean(1 / found.total.all))
    assert total["hits"]["3"] == pytest.approx(np.mean(found.total.all <= 3))


def _with(atom: Atom, place: int, name: str) -> Atom:
    arguments = list(atom.arguments)
    arguments[place] = Constant(name)
    return Atom(atom.predicate, tuple(arguments))


@given(THEORIES, facts(), st.sampled_from(Aggregate))
@settings(max_examples=budget(50, least=25))
def test_all_conclusions_are_in_the_order_of_their_lists(
    theory: Theory, listed: list[Atom], aggregate: Aggregate
) -> None:
    database = Database.of(listed, constants=NAMES)
    ranking = Ranking(theory, database, aggregate)
    for predicate in RELATIONS:
        ranked = ranking.ranked(predicate)
        atoms = [Atom.ground(predicate.name, [NAMES[n] for n in row]) for row in ranked.rows.T.tolist()]
        scores = [score(theory, database, atom, aggregate) for atom in atoms]
        assert scores == sorted(scores, reverse=True)
        codes = ranked.codes.tolist()
        assert [one == two for one, two in pairwise(scores)] == [one == two for one, two in pairwise(codes)]
        every = [Atom.ground(predicate.name, [one, two]) for one in NAMES for two in NAMES]
        empty = [] if aggregate is Aggregate.MAXIMUM else [0.0]
        assert set(atoms) == {atom for atom in every if score(theory, database, atom, aggregate) != empty}
        for atom, row in zip(atoms[:2], ranked.rows.T.tolist(), strict=False):
            reasons = [rule.confidence for rule in ranking.reasons(predicate, row)]
            assert reasons == score(theory, database, atom, Aggregate.MAXIMUM)


def test_a_rule_with_a_constant_and_an_open_variable_answers_in_one_direction() -> None:
    theory = Theory(judged=(Judged(Clause((Atom(RELATIONS[0], (Variable("X"), Constant("a"))),)), 9, 1, 1),))
    found = rank_links(theory, Database.of([], constants=NAMES), facts_of(["r(b, a)"]))
    assert found.relations[RELATIONS[0]].tails.tolist() == [1]
    assert found.relations[RELATIONS[0]].heads.tolist() == [3.5]


def test_atoms_and_rules_that_do_not_fit_into_one_number_are_refused() -> None:
    theory = parse_theory("0.9 :: p(A, B, C, D) :- q(A, B, C, D). 0.8 :: p(A, B, C, D) :- q(B, A, C, D).")
    facts = Database.of([Atom.ground("q", list("abcd"))]).declare([f"c{number}" for number in range(40_000)])
    p = Predicate("p", 4)
    assert len(Ranking(theory, facts).ranked(p)) == 2
    with pytest.raises(QueryError, match="too many arguments to rank its atoms"):
        Ranking(theory, facts, Aggregate.NOISY_OR).ranked(p)
    assert len(Ranking(theory, facts, Aggregate.NOISY_OR).ranked(p, {0: facts.number("a") or 0})) == 1


def test_links_are_facts_with_two_arguments() -> None:
    with pytest.raises(DataError, match="two arguments"):
        rank_links(Theory(), facts_of(["p(a)"]), facts_of(["p(b)"]))


def test_what_a_constraint_refutes_is_not_concluded() -> None:
    theory = parse_theory(":- r(X, Y), old(Y). 0.9 :: r(X, Y) :- s(X, Y).")
    database = facts_of(["s(a, b)", "s(a, c)", "old(b)"])
    ranked = Ranking(theory, database).ranked(RELATIONS[0])
    assert [[database.constants[n] for n in row] for row in ranked.rows.T] == [["a", "c"]]


LINKS = st.builds(
    lambda body, swap, ends, true: Judged(
        Clause((_link("r", swap[0], ends[0]),), (_link(body, swap[1], ends[1]),)), true, 1, 1
    ),
    st.sampled_from(["r", "s"]),
    st.tuples(st.booleans(), st.booleans()),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.integers(1, 3),
)


def _link(name: str, swap: bool, end: str) -> Atom:
    arguments = (Variable("X"), Constant(end))
    return Atom(Predicate(name, 2), arguments[::-1] if swap else arguments)


@given(
    st.lists(LINKS, max_size=8),
    facts(1),
    st.sampled_from([Aggregate.FADING, Aggregate.NOISY_OR]),
    st.booleans(),
    st.sampled_from([HeldOut(), HeldOut(0, 20, 30)]),
)
@settings(max_examples=budget(50, least=25))
def test_rules_from_link_to_link_say_together_what_each_says(
    rules: list[Judged], listed: list[Atom], aggregate: Aggregate, refute: bool, unlinked: HeldOut
) -> None:
    """Applied all at once, with constraints, they give what questions that are asked one by one give."""
    theory = Theory(judged=tuple(rules), unlinked=unlinked)
    constraint = parse_theory(":- r(X, Y), s(X, Y).").rules if refute else ()
    database = Database.of(listed, constants=NAMES)
    ranking = Ranking(replace(theory, rules=constraint), database, aggregate)
    for place in (0, 1):
        found = zip(*ranking.together(RELATIONS[0], place, np.arange(len(NAMES), dtype=np.int32)), strict=True)
        said = {(int(one), int(answer)): round(float(score), 9) for one, answer, score in found}
        expected = {}
        for one in range(len(NAMES)):
            for answer in range(len(NAMES)):
                pair = [NAMES[one], NAMES[answer]][:: 1 - 2 * place]
                own = score(theory, database, Atom.ground("r", pair), aggregate)[0]
                is_refuted = refute and pair[0] != pair[1] and Atom.ground("s", pair) in database
                if own and not is_refuted:
                    expected[one, answer] = own
        assert said == expected
