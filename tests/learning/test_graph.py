"""Rules of a graph, chosen together: by definition on small random graphs, and as people ask for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations
from math import exp, isclose
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from budget import budget
from interpreted import interpreted
from possilog import Atom, Constant, Database, Theory, Variable, ask, learn, load
from possilog.choices import Aggregate
from possilog.data.taking import facts_of
from possilog.errors import DataError, QueryError
from possilog.evaluation.links import rank_links
from possilog.inference.ranking import evidence_of_rule
from possilog.learning.graph import choosing, named, telling
from possilog.learning.graph.candidates import Candidates, Wanted
from possilog.learning.graph.choosing import Choosing
from possilog.learning.graph.held_out import CHANCE, held_against, never_linked, recounted
from possilog.learning.graph.missing import likely_true
from possilog.learning.graph.questions import questions
from possilog.learning.ordering import meaning_of
from possilog.learning.settings import settings_for
from possilog.logic import HeldOut, Judged, parse_clause, parse_theory, read_theory
from possilog.structure.paths.graph import Graph


@st.composite
def graphs(draw: st.DrawFn, most: int = 8) -> Database:
    nodes = [f"c{number}" for number in range(draw(st.integers(4, most)))]
    facts = st.tuples(st.sampled_from("rs"), st.sampled_from(nodes), st.sampled_from(nodes))
    listed = draw(st.lists(facts.filter(lambda fact: fact[1] != fact[2]), min_size=6, max_size=3 * most, unique=True))
    return Database.of((Atom.ground(name, pair) for name, *pair in listed), constants=nodes)


def likelihood(rules: list[Judged], database: Database, relation: int) -> float:
    """The logarithm, from the ranks of all facts of a relation, as ``possilog rank`` has them."""
    predicate = database.predicates[relation]
    ranks = rank_links(Theory(judged=tuple(rules)), database, database, None, Aggregate.NOISY_OR)
    return -float(np.log(ranks.relations[predicate].all).sum())


@given(graphs(), st.sampled_from([1, 2]))
@settings(max_examples=budget(12, least=10), deadline=None)
def test_rules_are_chosen_by_the_likelihood_of_the_ranks(database: Database, most: int) -> None:
    graph = Graph(database, distinct=True)
    candidates = Candidates(graph, Wanted(min_support=1, min_confidence=0, constants=False, most=None))
    rules = list({rule.confidence: rule for rule in candidates.of_relation(0)}.values())[:12]
    assume(len(rules) > 1)
    facts, _ = candidates.keys.pairs((0,))
    pairs = [rule.pairs() for rule in rules]
    asked = [questions(facts, facts, pairs, graph.nodes, backwards=way) for way in (False, True)]
    judged = [Judged(parse_clause(r.text), r.true, r.size - r.true, r.size - r.true) for r in rules]
    evidence = [evidence_of_rule(rule.confidence) for rule in rules]
    chosen = Choosing(asked, evidence).choose(most)
    nothing = likelihood([], database, 0)
    alone = [likelihood([rule], database, 0) - nothing for rule in judged]
    if max(alone) < choosing.LEAST_GAIN:
        assert not chosen
        return
    if most == 1:
        assert isclose(alone[chosen[0]], max(alone))
    else:
        first = next(number for number, gain in enumerate(alone) if isclose(gain, max(alone)))
        both = [likelihood([judged[first], rule], database, 0) for n, rule in enumerate(judged) if n != first]
        if max(both) - nothing - max(alone) >= choosing.LEAST_GAIN:
            assert likelihood([judged[number] for number in chosen], database, 0) >= max(both) - 1e-9


@given(graphs(), st.booleans())
@settings(max_examples=budget(20, least=10), deadline=None)
def test_what_is_asked_of_each_fact(database: Database, backwards: bool) -> None:
    """Every candidate that is no other fact, and which of them each rule concludes."""
    graph = Graph(database, distinct=True)
    candidates = Candidates(graph, Wanted(min_support=1, min_confidence=0, constants=False, most=None))
    facts, _ = candidates.keys.pairs((0,))
    rules = [rule.pairs() for rule in candidates.of_relation(0)][:6]
    found = questions(facts, facts[::-1], rules, graph.nodes, backwards=backwards)

    def ends(pairs: Iterable[int]) -> set[tuple[int, int]]:
        divided = (divmod(pair, graph.nodes) for pair in pairs)
        return {(end, begin) if backwards else (begin, end) for begin, end in divided}

    known, concluded = ends(facts.tolist()), [ends(pairs.tolist()) for pairs in rules]
    for number, pair in enumerate(facts[::-1].tolist()):
        ((here, answer),) = ends([pair])
        left = [end for end in range(graph.nodes) if (here, end) not in known or end == answer]
        said = [end for end in left if any((here, end) in rule for rule in concluded)]
        low, high = found.at[number : number + 2]
        assert high - low == len(said) and found.others[number] == len(left) - len(said)
        assert found.answer[number] == (low + said.index(answer) if answer in said else -1)
        for rule, cells in zip(concluded, found.concludes, strict=True):
            assert cells[low:high].tolist() == [(here, end) in rule for end in said]


def test_what_is_missing_is_no_wrong_answer() -> None:
    """One rule gives what is true, of which a fifth is hidden; another one gives what is true or false."""
    rng = np.random.default_rng(5)
    nodes = 40
    true = np.sort(rng.choice(nodes * nodes, 200, replace=False))
    is_known = rng.random(len(true)) < 0.8
    facts, hidden = true[is_known], true[~is_known]
    poor = np.sort(rng.choice(nodes * nodes, 500, replace=False))
    asked = questions(facts, facts, [true, poor], nodes, backwards=False, evidence=[2.0, 0.2])
    told = questions(facts, facts, [true, poor], nodes, backwards=False)
    assert (told.wrong == 1).all() and np.array_equal(told.concludes, asked.concludes)
    right = np.zeros(len(asked.wrong), dtype=bool)
    right[asked.answer] = True
    assert (asked.wrong[right] == 1).all()
    believed = (asked.concludes[0] == 1) & ~right
    assert believed.sum() > 0 and asked.wrong[believed].mean() < 0.3 and asked.wrong[~believed & ~right].mean() > 0.8
    only = Choosing([told], [2.0, 0.2])
    assert Choosing([asked], [2.0, 0.2])._value([0]) > only._value([0]) + 10 and len(hidden) > 20


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=40))
@settings(max_examples=budget(100, least=10), deadline=None)
def test_what_is_likely_true_by_definition(atoms: list[tuple[int, bool]]) -> None:
    """The best rising shares are the greatest mean to the left of the least mean to the right."""
    said, is_fact = np.array([float(one) for one, _ in atoms]), np.array([fact for _, fact in atoms])

    def share(level: float) -> float:
        means = [
            [float(is_fact[(said >= low) & (said <= high)].mean()) for high in set(said) if high >= level]
            for low in set(said)
            if low <= level
        ]
        return max(map(min, means))

    shares = np.array([share(one) for one in said])
    if not is_fact.any():
        assert (likely_true(said, is_fact) == 0).all()
        return
    known = (shares[is_fact] ** 3).sum() / (shares[is_fact] ** 2).sum()
    odds = [(1 - known) / known * one / (1 - one) if one < 1 else (known < 1) for one in shares]
    assert np.allclose(likely_true(said, is_fact), np.minimum(odds, 1), atol=1e-6)


@given(graphs(), st.booleans())
@settings(max_examples=budget(20, least=10), deadline=None)
def test_of_all_rules_with_constants_each_tells_something_new(database: Database, compiled: bool) -> None:
    """A fact that no better rule about the same constant gives; and no fact that rules give is lost."""
    graph, wanted = Graph(database, distinct=True), Wanted(min_support=1, min_confidence=0)
    kept, every = (Candidates(graph, replace(wanted, most=most)) for most in (None, 10_000))
    for relation in range(len(graph.predicates)):
        with pytest.MonkeyPatch.context() as patch:
            if not compiled:
                patch.setattr(telling, "mark_new", interpreted("learning.graph.kernel").mark_new)
            rules = kept.of_relation(relation)
        facts = set(kept.keys.pairs((2 * relation,))[0].tolist())
        heads = [rule.text.partition(" :- ")[0] for rule in rules]
        gives = [facts & set(rule.pairs().tolist()) for rule in rules]
        for rule, head, own in zip(rules, heads, gives, strict=True):
            before = zip(rules, heads, gives, strict=True)
            better = [some for one, other, some in before if other == head and one.confidence > rule.confidence]
            assert '"' not in head or own.difference(*better)
        for rule in every.of_relation(relation):
            assert facts & set(rule.pairs().tolist()) <= set().union(*gives)


@given(graphs(), st.integers(1, 4))
@settings(max_examples=budget(20, least=10), deadline=None)
def test_rules_with_constants_tell_the_same_a_part_at_a_time(database: Database, part: int) -> None:
    graph, wanted = Graph(database, distinct=True), Wanted(min_support=1, min_confidence=0, most=None)
    candidates = Candidates(graph, wanted)
    whole = [[rule.text for rule in candidates.of_relation(n)] for n in range(len(graph.predicates))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(named, "AT_ONCE", part)
        assert [[rule.text for rule in candidates.of_relation(n)] for n in range(len(graph.predicates))] == whole


@given(graphs(most=5))
@settings(max_examples=budget(20, least=10), deadline=None)
def test_candidates_conclude_what_their_clauses_do(database: Database) -> None:
    """All kinds of them, against every choice of distinct constants for the variables."""
    graph = Graph(database, distinct=True)
    wanted = Wanted(min_support=1, min_confidence=0, most=None, conjoin=True)
    every = Candidates(graph, wanted)
    facts, names = set(database), database.constants
    for relation, predicate in enumerate(graph.predicates):
        for rule in every.of_relation(relation):
            clause = parse_clause(rule.text)
            choices = permutations(map(Constant, names), len(clause.variables))
            values = [dict(zip(clause.variables, choice, strict=True)) for choice in choices]
            bodies = [clause.substitute(each) for each in values]
            heads = {one.head[0] for one in bodies if facts.issuperset(one.body)}
            pairs = [divmod(pair, graph.nodes) for pair in rule.pairs().tolist()]
            assert {predicate(*(Constant(names[end]) for end in pair)) for pair in pairs} == heads, rule.text
            assert (rule.true, rule.size) == (len(heads & facts), len(heads)), rule.text


@given(graphs())
@settings(max_examples=budget(5), deadline=None)
def test_interpreted_kernel_chooses_the_same(database: Database) -> None:
    compiled = learn(database, rules_per_head=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(choosing, "try_rule", interpreted("learning.graph.kernel").try_rule)
        assert learn(database, rules_per_head=2).theory == compiled.theory


def test_budget_is_kept_and_what_pays_concludes() -> None:
    learned = learn(load("village"), preset="graph", rules_per_head=1)
    heads = [rule.clause.head[0].predicate.name for rule in learned.theory.judged]
    assert len(heads) == len(set(heads)) > 1
    assert "married(A, B) :- married(B, A)." in {str(rule.clause) for rule in learned.theory.ranked}
    assert (
        learned.finished and learned.as_json["plan"]["kind"] == "graph" and learned.as_json["plan"]["candidates"] == 400
    )
    assert len(learn(load("village"), preset="graph", max_rules=1).theory.judged) == 1
    every = learn(load("village"), preset="graph", rules_per_head="all")
    assert len(every.theory.judged) > 10
    assert "all rules are taken" in every.as_json["plan"]["sampled"] != learned.as_json["plan"]["sampled"]


def test_all_rules_of_a_large_graph_may_rest_on_less(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = learn(load("village"), preset="graph", rules_per_head="all").theory.judged
    monkeypatch.setattr("possilog.learning.graph.rules.MANY_FACTS", 5)
    every = learn(load("village"), preset="graph", rules_per_head="all").theory.judged
    assert min(rule.true for rule in usual) == 3 and min(rule.true for rule in every) == 2
    assert len(learn(load("village"), preset="graph").theory.judged) < len(usual) < len(every)


@given(graphs(), st.integers(1, 3), st.integers(1, 4))
@settings(max_examples=budget(20, least=10), deadline=None)
def test_rules_without_a_body_name_what_most_facts_have_by_definition(
    database: Database, support: int, bare: int
) -> None:
    """Of each relation and direction: those constants that stand there most often; everything is linked to them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("possilog.learning.graph.candidates.BARE", bare)
        wanted = Wanted(1, constants=True, min_support=support, min_confidence=0, most=None)
        candidates = Candidates(Graph(database, distinct=True), wanted)
    for relation, predicate in enumerate(database.predicates):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("possilog.learning.graph.candidates.BARE", bare)
            found = [rule for rule in candidates.of_relation(relation) if not rule.atoms]
        expected = {}
        for place, column in enumerate(database.rows(predicate).tolist()):
            often = sorted(Counter(column).items(), key=lambda pair: (-pair[1], pair[0]))[:bare]
            for constant, facts in (pair for pair in often if pair[1] >= support):
                arguments = [Variable("A"), Constant(database.constants[constant])][:: 2 * place - 1]
                expected[f"{Atom(predicate, tuple(arguments))}."] = facts
        assert {rule.text: rule.true for rule in found} == expected
        facts_there = {a * len(database.constants) + b for a, b in database.rows(predicate).T.tolist()}
        for rule in found:
            assert len(rule.pairs()) == rule.size == len(database.constants)
            assert len(facts_there.intersection(rule.pairs().tolist())) == rule.true
    few = Wanted(1, constants=True, min_support=1, min_confidence=0, most=5)
    assert all(rule.atoms for rule in Candidates(Graph(database, distinct=True), few).of_relation(0))


def test_rules_without_a_body_only_rank() -> None:
    """Everybody likes the same one: that answers who else does, and nothing is concluded of others by it."""
    facts = [f"likes(p{n}, eve)" for n in range(20)] + [f"knows(p{n}, q{n})" for n in range(20)]
    theory = learn(facts_of(facts), preset="graph", rules_per_head="all").theory
    assert "likes(A, eve)." in {str(rule.clause) for rule in theory.judged}
    assert all(rule.clause.body for rule in theory.soft)
    assert [answer.atom.as_fact for answer in ask(theory, "likes(q3, ?)", facts)] == ["likes(q3, eve)"]


def test_planted_rules_are_chosen() -> None:
    """Cities are in countries, and people who are born in a city are citizens of its country; the rest is noise."""
    rng = np.random.default_rng(1)
    facts = [f"in(city{n}, land{n % 5})" for n in range(20)]
    facts += [f"born(p{n}, city{n % 20})" for n in range(100)] + [f"citizen(p{n}, land{n % 5})" for n in range(90)]
    facts += [f"likes(p{a}, p{b})" for a, b in rng.integers(100, size=(150, 2)).tolist()]
    learned = learn(facts_of(facts), preset="graph", rules_per_head=1)
    assert "citizen(A, B) :- born(A, C), in(C, B)." in {str(rule.clause) for rule in learned.theory.judged}


def test_what_cannot_be_a_graph_is_said() -> None:
    with pytest.raises(DataError, match="two arguments"):
        learn(Database.of([Atom.ground("bird", ["tweety"])]), preset="graph")
    with pytest.raises(QueryError, match="rules_per_head"):
        learn(load("village"), rules_per_head=0)


def test_no_time_is_a_theory_all_the_same() -> None:
    learned = learn(load("village"), preset="graph", time_limit=0)
    assert not learned.finished


def test_candidates_of_many_binary_predicates_are_mined() -> None:
    """A search would keep one rule of each length; mining gives both that were planted, and the other way round."""
    rng = np.random.default_rng(3)
    facts = [f"r{n}(a{a}, a{b})" for n in range(31) for a, b in rng.integers(40, size=(12, 2)).tolist()]
    pairs = sorted({(a, b) for a, b in rng.integers(40, size=(80, 2)).tolist() if a != b})
    facts += [f"likes(a{a}, a{b})" for a, b in pairs[:30]] + [f"knows(a{a}, a{b})" for a, b in pairs]
    facts += [f"near(a{b}, a{a})" for a, b in pairs[25:]]
    learned = learn(facts_of(facts), time_limit=12)
    assert learned.settings.mined and not settings_for(load("village")).mined
    found = {str(clause) for clause in learned.candidates}
    assert {"knows(A, B) :- likes(A, B).", "knows(A, B) :- near(B, A)."} <= found


def test_weights_of_graphs_are_confidences_and_say_so() -> None:
    learned = learn(load("village"), preset="graph", rules_per_head=2)
    assert learned.theory.soft and "% a world that breaks" not in str(learned)
    assert meaning_of((), {}) in learned.provenance.remarks


@given(graphs(), graphs(), st.booleans())
@settings(max_examples=budget(20, least=10), deadline=None)
def test_held_out_facts_that_rules_give_by_definition(database: Database, other: Database, constants: bool) -> None:
    """As many as are among the pairs that it gives; it should give as large a share as of the training facts."""
    candidates = Candidates(Graph(database, distinct=True), Wanted(1, constants, min_support=1, min_confidence=0))
    rules = [candidate for relation in range(2) for candidate in candidates.of_relation(min(relation, 0))]
    judged = [Judged(parse_clause(rule.text), rule.true, rule.size - rule.true, 0) for rule in rules]
    predicate = database.predicates[0]
    held_out = {
        (database.number(other.constants[a]), database.number(other.constants[b])) for a, b in other.rows(predicate).T
    }
    for rule, found in zip(rules, held_against(judged, database, other)[0], strict=True):
        given = {divmod(pair, len(database.constants)) for pair in rule.pairs().tolist()}
        cases = other.count(predicate)
        expected = rule.true * cases / database.count(predicate)
        assert (found.held_out.right, found.held_out.cases) == (len(given & held_out), cases)
        assert isclose(found.held_out.said, expected, rel_tol=0.01)


@given(graphs(), st.booleans())
@settings(max_examples=budget(20, least=10), deadline=None)
def test_heads_among_constants_that_no_other_fact_links_by_definition(database: Database, constants: bool) -> None:
    candidates = Candidates(Graph(database, distinct=True), Wanted(2, constants, min_support=1, min_confidence=0))
    rules = [rule for relation in range(len(database.predicates)) for rule in candidates.of_relation(relation)]
    judged = [Judged(parse_clause(rule.text), rule.true, rule.size - rule.true, 0) for rule in rules]
    facts = [(predicate, *pair) for predicate in database.predicates for pair in database.rows(predicate).T.tolist()]
    for rule, found in zip(rules, recounted(judged, database), strict=True):
        predicate = found.clause.head[0].predicate
        counts: Counter[tuple[bool, bool]] = Counter()
        for pair in rule.pairs().tolist():
            one, two = divmod(pair, len(database.constants))
            others = {(p, *ends) for p, *ends in facts if {*ends} == {one, two}} - {(predicate, one, two)}
            counts[bool(others), (predicate, one, two) in facts] += 1
        assert (found.true, found.false, found.nontrivial) == (counts[False, True], *[counts[False, False]] * 2)


def linked_and_not(number: int, held_out: int) -> tuple[list[str], list[str]]:
    """Training facts of which half are linked twice, and held-out facts that are not: paths lead to both."""
    train = [f"near(a{n}, c{n})" for n in range(number + held_out)] + [
        f"has(c{n}, b{n})" for n in range(number + held_out)
    ]
    train += [f"likes(a{n}, b{n})" for n in range(number)] + [f"likes(a{n}, d{n})" for n in range(number)]
    train += [f"knows(a{n}, d{n})" for n in range(number + held_out)]
    return train, [f"likes(a{n}, b{n})" for n in range(number, number + held_out)]


@pytest.mark.parametrize("cases", [27, 28])
def test_held_out_facts_are_never_linked_where_chance_would_not_have_it(cases: int) -> None:
    """Half of the training facts are linked: e^(-cases / 2) is the chance that none of the others is."""
    train, held_out = (facts_of(facts) for facts in linked_and_not(20, cases))
    held_out = held_out.declare(train.constants)
    found = never_linked(train.declare(held_out.constants), held_out)
    surprising = exp(-cases / 2) < CHANCE
    assert surprising == (cases == 28) and found == (HeldOut(0, cases / 2, cases) if surprising else HeldOut())
    one = facts_of([*linked_and_not(20, cases)[1], "likes(a0, c0)"]).declare(train.constants)
    assert never_linked(train.declare(one.constants), one) == HeldOut()


def test_what_facts_link_is_no_answer_where_held_out_facts_are_never_linked(tmp_path: Path) -> None:
    train, held_out = linked_and_not(30, 30)
    learned = learn(facts_of(train), preset="graph", valid=held_out)
    theory = learned.theory
    assert theory.unlinked == HeldOut(0, 15, 30) and parse_theory(str(theory)) == theory
    about_likes = [rule for rule in theory.judged if rule.clause.head[0].predicate.name == "likes"]
    assert {str(rule.clause): (rule.true, rule.false) for rule in about_likes} == {
        "likes(A, B) :- near(A, C), has(C, B).": (30, 30),
        "likes(A, B) :- knows(A, B).": (0, 0),
    }
    learned.save(tmp_path / "theory.pl")
    assert "#format 6." in (tmp_path / "theory.pl").read_text() and read_theory(tmp_path / "theory.pl") == theory
    found = ask(theory, "likes(a40, ?)", train)
    assert [answer.atom.as_fact for answer in found] == ["likes(a40, b40)"] and found.linked == 1
    assert found.as_json["linked"] == 1 and str(found).endswith(
        "1 other left out: a fact links the constants already, as no held-out fact's were"
    )
    ranks = rank_links(theory, facts_of(train), facts_of(held_out))
    assert ranks.as_json["mrr"] == 1.0


def test_rules_that_give_no_held_out_facts_count_less(tmp_path: Path) -> None:
    train = [f"knows(a{n}, a{n + 1})" for n in range(20)] + [f"likes(a{n}, a{n + 1})" for n in range(20)]
    train += [f"likes(a{n}, b{n})" for n in range(20)] + [f"near(a{n}, c{n})" for n in range(30)]
    train += [f"has(c{n}, b{n})" for n in range(30)]
    held_out = [f"likes(a{n}, b{n})" for n in range(20, 30)]
    direct, path = "likes(A, B) :- knows(A, B).", "likes(A, B) :- near(A, C), has(C, B)."

    def confidences(valid: list[str] | None) -> dict[str, float]:
        learned = learn(facts_of(train), preset="graph", valid=valid).theory
        assert parse_theory(str(learned)) == learned
        return {str(rule.clause): rule.confidence for rule in learned.judged}

    before, after = confidences(None), confidences(held_out)
    assert before[direct] > before[path] and after[path] == before[path] and after[direct] < before[direct] / 2
    learned = learn(facts_of(train), preset="graph", valid=held_out)
    learned.save(tmp_path / "theory.pl")
    assert "#format 5." in (tmp_path / "theory.pl").read_text()
    assert read_theory(tmp_path / "theory.pl") == learned.theory
    with pytest.raises(QueryError, match="preset 'graph'"):
        learn(load("village"), valid=held_out)


def test_what_is_chosen_says_how_it_ranks_and_keeps_saying_it() -> None:
    few = learn(load("village"), preset="graph", rules_per_head=2).theory
    assert few.aggregate is Aggregate.NOISY_OR
    assert learn(load("village"), preset="graph", rules_per_head="all").theory.aggregate is Aggregate.FADING
    assert parse_theory(str(few)) == few
    asked = facts_of(["married(clara, tom)"])
    assert rank_links(few, load("village"), asked).aggregate is Aggregate.NOISY_OR
    assert rank_links(few, load("village"), asked, None, Aggregate.MAXIMUM).aggregate is Aggregate.MAXIMUM
