"""Which rules of a graph may be chosen, by definition; and the plan that is said before."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import count, pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from budget import budget
from possilog import Atom, Database, learn
from possilog.chance import generator
from possilog.choices import Aggregate
from possilog.data.taking import facts_of
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.errors import DataError
from possilog.inference.ranking import evidence_of_rule
from possilog.learning.graph import candidates, missing, named, phase, plan, questions, rules
from possilog.learning.graph.candidates import Candidates, PathCandidate, Wanted
from possilog.learning.graph.choosing import LEAST_GAIN, Choosing
from possilog.learning.graph.phase import graph_of
from possilog.learning.graph.plan import GraphPlan, make_plan
from possilog.learning.graph.rules import find_graph_rules
from possilog.structure.paths.graph import Graph

SEEDS = range(budget(10, least=5))


def world(seed: int, relations: str = "rst", nodes: int = 7, facts: int = 22) -> Database:
    chance = Random(seed)
    names = [f"c{n}" for n in range(nodes)]
    drawn = [Atom.ground(chance.choice(relations), chance.sample(names, 2)) for _ in range(facts)]
    drawn += [Atom.ground("r", ["c0", "c0"]), Atom.ground("r", ["c1", "c2"])]
    return Database.of(drawn, constants=names)


def best(found: list[PathCandidate], most: int) -> set[str]:
    """The most confident, and those that give most facts; the first of two that are alike."""
    kinds = (lambda rule: -rule.true / (rule.size + 5), lambda rule: -rule.true * rule.true / (rule.size + 5))
    return {rule.text for kind in kinds for rule in sorted(found, key=kind)[:most]}


def in_mined_order(some: Candidates, relation: int, kind: str) -> list[PathCandidate]:
    """Before the best of them are taken."""
    if kind == "named":
        return list(some._named(relation, 10_000))
    lengths = (some._closed.path >= 0).sum(axis=1)
    return list(some._paths(relation, lengths < 3 if kind == "short" else lengths >= 3, None))


@pytest.mark.parametrize("most", [1, 3])
def test_of_each_kind_the_best_may_be_chosen(most: int) -> None:
    for seed in SEEDS:
        graph = Graph(world(seed), distinct=True)
        few = Candidates(graph, Wanted(3, min_support=1, min_confidence=0, most=most))
        for relation in range(len(graph.predicates)):
            found = few.of_relation(relation)
            kinds = [in_mined_order(few, relation, kind) for kind in ("short", "long", "named")]
            assert sorted(rule.text for rule in found) == sorted(text for kind in kinds for text in best(kind, most))
            assert found == sorted(found, key=lambda rule: (-rule.true / (rule.size + 5), rule.text))
            assert all(rule.confidence == rule.true / (rule.size + 5) for rule in found)


@pytest.mark.parametrize("at_once", [1, 5, 1_000_000])
def test_rules_with_constants_that_tell_something_new_by_definition(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of those with one head the most confident first, each that gives a fact which none before it gives."""
    monkeypatch.setattr(named, "AT_ONCE", at_once)
    for seed in SEEDS:
        graph = Graph(world(seed), distinct=True)
        every = Candidates(graph, Wanted(1, min_support=1, min_confidence=0, most=10_000))
        for relation in range(len(graph.predicates)):
            facts = {(int(a), int(b)) for a, b in zip(*graph.whole.pairs(2 * relation), strict=True)}
            told: dict[str, set[tuple[int, ...]]] = {}
            new = []
            for rule in sorted(every._named(relation, 10_000), key=lambda rule: -rule.true / (rule.size + 5)):
                given = {divmod(pair, graph.nodes) for pair in rule.pairs().tolist()} & facts
                before = told.setdefault(rule.text.partition(" :- ")[0], set())
                new += [rule.text] if given - before else []
                before |= given
            assert sorted(rule.text for rule in every._named(relation, None)) == sorted(new)


def test_without_constants_there_are_paths_alone() -> None:
    graph = Graph(world(1), distinct=True)
    for most in (None, 9):
        found = Candidates(graph, Wanted(2, constants=False, min_support=1, min_confidence=0, most=most))
        assert all('"' not in rule.text and "c" not in rule.text for rule in found.of_relation(0))
        assert found.mined == len(found._closed)
    both = Candidates(graph, Wanted(2, min_support=1, min_confidence=0))
    named = len(both._with_constants)
    assert named > 0 and both.mined == len(both._closed) + named


@pytest.mark.parametrize("many", [24, 25])
@pytest.mark.parametrize("most", [None, 1_000])
@pytest.mark.parametrize("least", [0.009, 0.01, 0.02, 0.4])
def test_rules_with_constants_have_to_be_right_more_often(
    many: int, most: int | None, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a tenth of the cases, unless less than usual is asked for; and ten times where few are chosen of many."""
    database = facts_of([f"r(a{n}, b{n % 3})" for n in range(15)] + [f"s(a{n}, b{n % 3 % 2})" for n in range(10)])
    monkeypatch.setattr(candidates, "MANY_FACTS", many)
    graph = Graph(database, distinct=True)
    every = Candidates(graph, Wanted(1, min_support=1, min_confidence=0, most=1_000))
    found = Candidates(graph, Wanted(1, min_support=2, min_confidence=least, most=most))
    support, share = 2, least
    if least > 0.01:
        support, share = 10 if many < 25 and most else 2, max(0.1, least)

    def counts(some: Candidates) -> set[tuple[int, ...]]:
        rules = some._with_constants
        body, size = rules.of_body, rules.size(np.arange(len(rules)))
        columns = rules.path[body], rules.end[body], rules.head, rules.constant, rules.support, size
        return set(zip(*map(np.ndarray.tolist, columns), strict=True))

    assert counts(found) == {one for one in counts(every) if one[-2] >= support and one[-2] >= share * one[-1]}
    assert len(counts(found)) < len(counts(every))


def test_paths_that_may_be_conjoined_are_the_most_confident(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0
    for seed in range(budget(30, least=15)):
        graph = Graph(world(seed, "rs", 6, 16), distinct=True)
        wanted = Wanted(3, constants=False, min_support=1, min_confidence=0.05, most=None, conjoin=True)
        both = Candidates(graph, wanted)
        for relation in range(len(graph.predicates)):
            monkeypatch.setattr(candidates, "CONJOINED", 100)
            full = {rule.pairs.args[0]: rule for rule in both._conjoined(relation)}  # type: ignore[attr-defined]
            first = sorted(in_mined_order(both, relation, "short"), key=lambda rule: -rule.true / (rule.size + 5))[:3]
            monkeypatch.setattr(candidates, "CONJOINED", 3)
            some = {rule.pairs.args[0] for rule in both._conjoined(relation)}  # type: ignore[attr-defined]
            walked = {rule.pairs.args[0] for rule in first}  # type: ignore[attr-defined]
            assert some == {pair for pair in full if set(pair) <= walked}
            for pair, rule in full.items():
                assert rule.true >= 0.1 * rule.size and rule.atoms == sum(map(len, pair)) <= 4
            seen += len(some)
    assert seen > 5


# The plan


@pytest.mark.parametrize("many", [34, 35, 36])
@pytest.mark.parametrize("every", [False, True])
def test_the_plan_by_definition(many: int, every: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step of a walk goes on from that end of a link that has fewer links."""
    database = world(2, facts=40)
    monkeypatch.setattr(plan, "MANY_FACTS", many)
    graph = Graph(database, distinct=True)
    pairs = {(a, b) for p in database.predicates for a, b in database.rows(p).T.tolist() if a != b}
    near = {one: {b for a, b in pairs | {pair[::-1] for pair in pairs} if a == one} for one in range(7)}
    steps = 4 * sum(min(len(near[one]), len(near[other])) for one in near for other in near[one])
    facts = sum(database.count(p) for p in database.predicates) - 1
    large = facts > many
    cells = 6 * (7 + max(map(len, near.values())) + 24 * 6)
    found = make_plan(graph, every)
    assert (found.facts, found.relations, found.every) == (facts + 1, 3, every), "one with equal arguments, too"
    assert (found.candidates, found.asked) == ((60, 1_000) if large else (400, 2_000))
    assert found.seconds == pytest.approx(1 + 6e-9 * steps + 0.5 * 3, abs=1e-12)
    assert found.megabytes == pytest.approx(150 + cells / 1e6 + 200 * 2 * facts / 1e6 + (400 if large else 0), abs=1e-9)
    assert facts == 35, "at the border"


def test_the_plan_in_words() -> None:
    found = GraphPlan(1234, 5, 60, 1000, 2.4, 1500.0)
    assert str(found) == (
        "plan: 1,234 facts of 5 relations, as a graph\n"
        "  exact: all path rules and their confidences; functional dependencies\n"
        "  sampled: rules are chosen on at most 1,000 facts of a relation, among its best 120\n"
        "  about 2 s and 1,500 MB"
    )
    assert found.as_json == {
        "kind": "graph", "exact": found.exact, "sampled": found.sampled, "facts": 1234, "relations": 5,
        "candidates": 60, "asked": 1000, "seconds": 2.4, "megabytes": 1500.0, "every": False,
    }  # fmt: skip


# What is chosen


def test_what_is_asked_for_is_mined(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Wanted] = []

    def noted(graph: Graph, wanted: Wanted, *more: Any) -> Candidates:
        asked.append(wanted)
        return Candidates(graph, wanted, *more)

    monkeypatch.setattr(rules, "Candidates", noted)
    database = world(3)
    number = len(database)
    for many in (number - 1, number):
        monkeypatch.setattr(rules, "MANY_FACTS", many)
        for per_head in (None, 2):
            find_graph_rules(database, per_head=per_head)
            limits = (2, 0.01) if per_head is None and many < number else (3, 0.02)
            assert asked[-1] == Wanted(2, True, False, *limits, None if per_head is None else 400)
    find_graph_rules(database, body=1, constants=False, conjoin=True, min_support=5)
    assert asked[-1] == Wanted(1, False, True, 5, 0.02, 400)


def test_the_rules_that_add_most_are_left_where_there_is_a_number_in_all() -> None:
    for seed in range(4):
        graph = Graph(world(seed), distinct=True)
        every = find_graph_rules(graph, per_head=2, constants=False, min_support=1)
        found = [
            pair
            for relation in range(len(graph.predicates))
            for pair in rules._chosen(
                Candidates(graph, Wanted(constants=False, min_support=1, most=400)), 2, 2_000, 0, NEVER, relation
            )
        ]
        ordered = sorted((rule for _, rule in found), key=lambda one: (-one.confidence, -one.true, str(one.clause)))
        assert list(every.rules) == ordered and every.finished
        most = sorted(found, key=lambda pair: (-pair[0], str(pair[1].clause)))[:3]
        few = find_graph_rules(graph, per_head=2, constants=False, min_support=1, most=3).rules
        assert {rule.clause for rule in few} == {rule.clause for _, rule in most}
        assert all(rule.false == rule.nontrivial for rule in every.rules)


def test_gains_are_scaled_to_all_facts_and_are_what_is_lost_without_a_rule() -> None:
    """By those facts that are asked about: half of them, here."""
    graph = Graph(world(5, "rs", 6, 40), distinct=True)
    some = Candidates(graph, Wanted(min_support=1, most=400))
    facts, _ = some.keys.pairs((0,))
    half = len(facts) // 2
    found = rules._chosen(some, 3, half, 0, NEVER, 0)
    mined = some.of_relation(0)
    shuffled = generator(0, "graph", "0").permutation(facts)[:half]
    evidence = [evidence_of_rule(rule.confidence) for rule in mined]
    pairs = [rule.pairs() for rule in mined]
    both = [
        questions.questions(facts, shuffled, pairs, graph.nodes, backwards=way, evidence=evidence)
        for way in (False, True)
    ]
    choosing = Choosing(both, evidence, [rule.atoms for rule in mined])
    chosen = choosing.choose(3)
    assert len(chosen) > 1
    for (gain, rule), number in zip(found, chosen, strict=True):
        rest = [other for other in chosen if other != number]
        lost = choosing._value(chosen) - choosing._value(rest)
        assert gain == pytest.approx(len(facts) / half * lost) and str(rule.clause) == mined[number].text


def test_a_rule_has_to_add_something_for_each_atom_of_its_body() -> None:
    """One question with four candidates: the rule that concludes the answer alone adds log 2.5 to the likelihood."""
    asked: Any = SimpleNamespace(
        at=np.array([0, 4], np.int32), answer=np.array([0], np.int32), others=np.array([0], np.int32),
        concludes=np.array([[1, 0, 0, 0], [1, 1, 0, 0]], np.uint8), wrong=np.ones(4),
    )  # fmt: skip
    gain = float(np.log(2.5))
    atoms = gain / LEAST_GAIN
    assert Choosing([asked], [1.0, 1.0], [1, 1]).choose(2) == [0], "the other adds nothing to it"
    assert Choosing([asked], [1.0, 1.0], [1, 1]).choose(0) == []
    assert Choosing([asked], [1.0, 1.0], [atoms * 0.999, 9]).choose(2) == [0]  # type: ignore[list-item]
    assert Choosing([asked], [1.0, 1.0], [atoms * 1.001, 9]).choose(2) == []  # type: ignore[list-item]
    assert Choosing([asked], [1.0, 1.0], [2, 1]).choose(1) == [1], "log 2.5 / 1.5 less 0.5 is more than log 2.5 less 1"
    assert Choosing([asked], [1.0, 1.0]).gains() == []


def test_what_rules_say_together_fades() -> None:
    concludes = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]], np.uint8)
    said = missing.added_up(list(map(np.flatnonzero, concludes)), [3.0, 2.0, 1.0], 4)
    assert said == pytest.approx([3 + 0.8 * 2 + 0.64, 3 + 0.8, 2 + 0.8, 0])


def test_questions_that_would_be_too_many_are_not_asked_but_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = np.array([0 * 4 + 1, 1 * 4 + 2, 2 * 4 + 3])
    given = [np.arange(12), np.arange(4, 12)]  # of the first two, four cells each, times two rules
    for cells, number in ((1, 1), (8, 1), (15, 1), (16, 2), (23, 2), (24, 3)):
        monkeypatch.setattr(questions, "MOST_CELLS", cells)
        assert len(questions.questions(facts, facts, given, 4, backwards=False).answer) == number
    nothing = questions.questions(facts, facts, [], 4, backwards=True)
    assert nothing.answer.tolist() == [-1] * 3 and nothing.others.tolist() == [4] * 3


# As people ask for it


def test_a_graph_needs_two_arguments_and_may_have_others_beside() -> None:
    assert len(graph_of(facts_of(["p(a)", "r(a, b)", "q(a, b, c)"])).predicates) == 1
    with pytest.raises(DataError, match="there are no facts with two arguments"):
        graph_of(facts_of(["p(a)", "q(a, b, c)"]))


def test_what_is_asked_of_a_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def noted(graph: Graph, **said: Any) -> rules.GraphRules:
        asked.append(said)
        return find_graph_rules(graph, **said)

    monkeypatch.setattr(phase, "find_graph_rules", noted)
    names = ("per_head", "most", "body", "constants", "conjoin", "min_support", "seed")
    data = world(3)
    for said, expected in (
        ({}, (10, None, 3, True, False, None, 0)),
        ({"rules_per_head": "all", "max_rules": 4, "body": 2}, (None, 4, 2, True, False, None, 0)),
        ({"body": 5, "constants": False, "seed": 3, "max_rules": "knee"}, (10, None, 3, False, False, None, 3)),
        ({"rules_per_head": 2, "min_support": 4}, (2, None, 3, True, False, 4, 0)),
    ):
        found = learn(data, preset="graph", **said)
        assert tuple(asked[-1][name] for name in names) == expected
        assert found.theory.aggregate is (Aggregate.NOISY_OR if expected[0] else Aggregate.FADING)
        assert found.finished and not any("the time was over" in remark for remark in found.provenance.remarks)


@pytest.mark.parametrize("targets", [["r"], ["r", "s"]])
def test_rules_of_a_graph_are_about_the_targets_and_those_that_pay_conclude(targets: list[str]) -> None:
    for seed in range(2):
        data = world(seed)
        every = learn(data, preset="graph", min_support=1, body=2, constants=False).theory
        some = learn(data, preset="graph", min_support=1, body=2, constants=False, targets=targets).theory
        assert some.judged == tuple(rule for rule in every.judged if rule.clause.head[0].predicate.name in targets)
        pays = {rule.clause for rule in every.judged if rule.clause.body and rule.confidence > 0.5}
        assert {rule.clause for rule in every.soft} == pays


# When the time is over


def _is_over(looks: Iterator[int], most: int) -> bool:
    return next(looks) > most


def test_what_was_mined_is_kept_when_the_time_is_over() -> None:
    """Shorter paths and rules with constants come first: the longest may take all of the time."""
    graph = Graph(world(2, "rst", 8, 30), distinct=True)

    def mined(most: int, body: int = 3, conjoin: bool = False) -> tuple[bool, set[str]]:
        """Is all mined, and what is, if the clock says at the so manieth look that the time is over?"""
        looks = count(1)
        wanted = Wanted(body, conjoin=conjoin, min_support=2, most=10_000)
        some = Candidates(graph, wanted, Deadline(cancelled=partial(_is_over, looks, most)))
        return some.finished, {rule.text for number in range(3) for rule in some.of_relation(number)}

    every, short, single = (mined(10**9, body)[1] for body in (3, 2, 1))
    assert single < short < every
    runs = [mined(most) for most in range(1, 400, 3)]
    finished = [found for is_finished, found in runs if is_finished]
    cut = [found for is_finished, found in runs if not is_finished]
    assert finished and all(found == every for found in finished)
    assert all(one <= other for one, other in pairwise(cut)) and cut[-1] == short
    with pytest.raises(OutOfTime):
        mined(0)


def test_conjunctions_end_with_the_time_and_the_paths_are_there() -> None:
    graph = Graph(world(2, "rst", 8, 30), distinct=True)
    looks, most = count(1), [10**9]
    wanted = Wanted(2, constants=False, conjoin=True, min_support=1, most=10_000)
    some = Candidates(graph, wanted, Deadline(cancelled=lambda: next(looks) > most[0]))
    every = {rule.text for rule in some.of_relation(0)}
    alone = {rule.text for rule in Candidates(graph, Wanted(2, False, False, 1, most=10_000)).of_relation(0)}
    assert alone < every
    most[0] = 0
    assert {rule.text for rule in some.of_relation(0)} == alone


@pytest.mark.parametrize("per_head", [1, 3, None])
def test_rules_are_taken_by_confidence_as_soon_as_the_time_is_over(per_head: int | None) -> None:
    """Also while it is laid out what the rules of a relation conclude."""
    graph = Graph(world(5, "rs", 6, 40), distinct=True)
    some = Candidates(graph, Wanted(min_support=1, most=400 if per_head else None))
    every = some.of_relation(0)
    number = len(every)
    assert number > 10
    for most in (0, 1, 5, number) if per_head else (0,):
        looks = count(1)
        found = rules._chosen(some, per_head, 2_000, 0, Deadline(cancelled=partial(_is_over, looks, most)), 0)
        best_ones = [rule.confidence for rule in every[: min(rules.SLOW, per_head or rules.SLOW)]]
        assert [rule.confidence for _, rule in found] == best_ones and next(looks) == most + 2
