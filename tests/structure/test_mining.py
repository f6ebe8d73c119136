"""All path rules, compared with their definition on small random graphs."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import combinations, count, permutations, product
from operator import contains
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from budget import budget
from interpreted import interpreted
from possilog import Atom, Clause, Constant, Database, Predicate, Variable, load, mine, parse_clause
from possilog.deadline import Deadline, OutOfTime
from possilog.errors import QueryError
from possilog.logic import Term, canonical, parse_atom
from possilog.structure.paths import acyclic, closed, tables
from possilog.structure.paths.conjunctions import conjunctions
from possilog.structure.paths.graph import Graph
from possilog.structure.paths.mined import MinedRule
from possilog.structure.paths.mining import BYTES_PER_STEP, _steps_in

A, B, C, D = map(Variable, "ABCD")


@st.composite
def graphs(draw: st.DrawFn, relations: int = 3) -> Database:
    """A few relations over a few constants, facts with equal arguments among them."""
    nodes = [f"c{number}" for number in range(draw(st.integers(2, 5)))]
    facts = st.tuples(st.sampled_from("rst"[:relations]), st.sampled_from(nodes), st.sampled_from(nodes))
    listed = draw(st.lists(facts, min_size=1, max_size=16))
    return Database.of(Atom.ground(name, [first, second]) for name, first, second in listed)


def heads_of(clause: Clause, database: Database, distinct: bool) -> set[Atom]:
    """The heads that a body gives, by trying all constants for all variables."""
    variables, facts = clause.variables, set(database)
    every = map(Constant, database.constants)
    choices = permutations(every, len(variables)) if distinct else product(every, repeat=len(variables))
    bindings = (dict(zip(variables, choice, strict=True)) for choice in choices)
    return {
        clause.head[0].substitute(binding)
        for binding in bindings
        if all(atom.substitute(binding) in facts for atom in clause.body)
    }


def both_ways(database: Database, one: Term, other: Term) -> list[Atom]:
    return [
        predicate(*pair) for predicate in database.predicates for pair in dict.fromkeys([(one, other), (other, one)])
    ]


def paths(database: Database, length: int, inner: tuple[Variable, ...] = (C, D)) -> Iterator[tuple[Atom, ...]]:
    stops = [A, *inner[: length - 1], B]
    yield from product(*(both_ways(database, stops[place], stops[place + 1]) for place in range(length)))


def closed_language(database: Database, length: int) -> Iterator[Clause]:
    for predicate in database.predicates:
        head = predicate(A, B)
        bodies = list(paths(database, length))
        if length == 2:
            bodies += list(combinations(both_ways(database, A, B), 2))
        yield from (Clause((head,), body) for body in bodies if head not in body)


def acyclic_language(database: Database, length: int) -> Iterator[Clause]:
    names = list(map(Constant, database.constants))
    heads = [atom for name in names for atom in both_ways(database, A, name)]
    bodies: list[tuple[Atom, ...]] = [(atom,) for end in (B, *names) for atom in both_ways(database, A, end)]
    if length == 2:
        for end in (C, *names):
            bodies += list(product(both_ways(database, A, B), both_ways(database, B, end)))
    yield from (Clause((head,), body) for head in heads for body in bodies if head not in body)


def checked(mined: list[MinedRule], language: Iterator[Clause], database: Database, distinct: bool) -> None:
    """Is every rule of a language with some support there, once, and are its counts right?"""
    facts = set(database)
    found = {canonical(rule.clause): rule for rule in mined}
    assert len(found) == len(mined)
    for clause in {canonical(clause): clause for clause in language}.values():
        heads = heads_of(clause, database, distinct)
        rule = found.pop(canonical(clause), None)
        if not heads & facts:
            assert rule is None
            continue
        assert rule is not None, str(clause)
        head = clause.head[0]
        known = {fact.arguments[0] for fact in facts if fact.predicate == head.predicate}
        matches = heads_of(Clause((head,), (head,)), database, distinct)
        assert (rule.support, rule.body_size) == (len(heads & facts), len(heads)), str(clause)
        assert rule.head_size == len(matches & facts)
        assert rule.pca_size == sum(atom.arguments[0] in known for atom in heads), str(clause)
        assert rule.support <= rule.guarded_size <= rule.body_size
        assert set(rule.instances) <= {atom.as_fact for atom in heads & facts}
        assert len(rule.instances) == min(rule.support, closed.EXAMPLES)
    assert not found


@given(graphs(), st.booleans())
@settings(max_examples=budget(40), deadline=None)
def test_closed_paths_are_all_there_with_their_counts(database: Database, coincide: bool) -> None:
    mined = mine(database, min_support=1, min_confidence=0, constants=False, coincide=coincide)
    language = (clause for length in (1, 2) for clause in closed_language(database, length))
    checked(list(mined), language, database, not coincide)


@given(graphs(relations=2), st.booleans())
@settings(max_examples=budget(15), deadline=None)
def test_paths_of_three_atoms(database: Database, coincide: bool) -> None:
    mined = mine(database, body=3, min_support=1, min_confidence=0, constants=False, coincide=coincide)
    language = (clause for length in (1, 2, 3) for clause in closed_language(database, length))
    checked(list(mined), language, database, not coincide)


@given(graphs(), st.booleans())
@settings(max_examples=budget(30), deadline=None)
def test_steps_that_lead_on_begin_where_a_walk_ends(database: Database, distinct: bool) -> None:
    """Of hundreds of relations few do, and the others are not even tried."""
    graph = Graph(database, distinct=distinct)
    begins, ends = zip(
        *(map(set, map(np.ndarray.tolist, graph.pairs(code))) for code in range(graph.codes)), strict=True
    )
    for code in range(graph.codes):
        expected = [other for other in range(graph.codes) if ends[code] & begins[other]]
        assert graph.following(graph.walk(code)) == expected


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5])
def test_walks_in_parts_have_the_same_confidence(share: float) -> None:
    """A few steps at a time, and all at once."""
    rng = random.Random(1)
    facts = {(rng.choice("rs"), f"c{rng.randrange(8)}", f"c{rng.randrange(8)}") for _ in range(40)}
    graph = Graph(Database.of(Atom.ground(name, pair) for name, *pair in facts), distinct=True)
    heads = np.ones(len(graph.predicates), dtype=np.uint8)
    found = []
    for most in (3, 10**6):
        paths = closed.ClosedPaths(graph, 1, share, heads, most=most)
        rules = closed.PathRules.joined(list(paths.rules(3, range(graph.codes))))
        found.append([each.tolist() for each in (rules.head, rules.path, rules.support, rules.size)])
    assert found[0] == found[1]
    assert all(true >= share * size for true, size in zip(*found[0][2:], strict=True)) and found[0][0]


@given(graphs(relations=2), st.booleans())
@settings(max_examples=budget(10), deadline=None)
def test_paths_in_parts_are_the_same(database: Database, coincide: bool) -> None:
    whole, in_parts = (
        mine(database, body=3, min_support=1, min_confidence=0.3, coincide=coincide, memory_limit=most)
        for most in (None, 1e-6)
    )
    assert list(in_parts) == list(whole)


@given(graphs(relations=2), st.booleans(), st.sampled_from([1, 2]))
@settings(max_examples=budget(8), deadline=None)
def test_rules_with_constants_are_all_there(database: Database, coincide: bool, length: int) -> None:
    mined = mine(
        database, body=1, min_support=1, min_confidence=0, constants=True, constant_body=length, coincide=coincide
    )
    named = [rule for rule in mined if any(isinstance(term, Constant) for term in rule.clause.head[0].arguments)]
    checked(named, acyclic_language(database, length), database, not coincide)


@given(graphs(relations=2), st.booleans())
@settings(max_examples=budget(15), deadline=None)
def test_conjunctions_of_two_paths_that_are_better_than_either(database: Database, coincide: bool) -> None:
    mined = mine(database, min_support=1, min_confidence=0, constants=False, conjoin=True, coincide=coincide)
    conjoined = [rule for rule in mined if len(rule.clause.body) > 2]
    facts = set(database)

    def confidence(clause: Clause) -> float:
        heads = heads_of(clause, database, distinct=not coincide)
        return len(heads & facts) / max(len(heads), 1)

    expected = {}
    for predicate in database.predicates:
        head = predicate(A, B)
        single = [(path, path) for path in paths(database, 1)]
        both = single + list(zip(paths(database, 2), paths(database, 2, (D,)), strict=True))
        for (one, _), (_, other) in combinations(both, 2):
            heads = heads_of(Clause((head,), one + other), database, distinct=not coincide)
            best = max(confidence(Clause((head,), one)), confidence(Clause((head,), other)))
            apart = head not in one + other and len(one + other) > 2
            if apart and heads & facts and len(heads & facts) / len(heads) > best:
                expected[canonical(Clause((head,), one + other))] = len(heads & facts), len(heads)
    assert {canonical(rule.clause): (rule.support, rule.body_size) for rule in conjoined} == expected


def functional_graph(rng: random.Random) -> Database:
    """Relations of which some have at most one fact for each first argument, for each second, or for both."""
    nodes = [f"c{number}" for number in range(6)]
    facts = []
    for name, kind in zip("rst", rng.sample(range(4), 3), strict=True):
        pairs = set(rng.sample(list(product(nodes, nodes)), 9))
        if kind & 1:
            pairs = set({first: (first, second) for first, second in sorted(pairs)}.values())
        if kind & 2:
            pairs = set({second: (first, second) for first, second in sorted(pairs)}.values())
        facts += [Atom.ground(name, pair) for pair in pairs]
    return Database.of(facts)


@pytest.mark.parametrize("coincide", [False, True])
def test_heads_that_a_functional_dependency_refutes(coincide: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "LEVEL", 1e9)  # of so few facts chance might make any
    rng, refuted = random.Random(3), Counter[tuple[bool, bool]]()
    for _ in range(6):
        database = functional_graph(rng)
        facts = set(database)
        columns = {p: list(zip(*(f.arguments for f in database.facts(p)), strict=True)) for p in database.predicates}
        mined = mine(database, min_support=1, min_confidence=0, constant_body=1, conjoin=True, coincide=coincide)
        longer = [rule for rule in mined if len(rule.clause.body) > 2]
        for rule in rng.sample(list(mined), 15) + rng.sample(longer, min(25, len(longer))):
            heads = heads_of(rule.clause, database, distinct=not coincide)
            own = columns[rule.clause.head[0].predicate]
            once = [set(column) if len(set(column)) == len(column) else set() for column in own]
            wrong = [head for head in heads - facts if any(map(contains, once, head.arguments))]
            assert rule.guarded_size == len(heads) - len(wrong), rule.rule
            assert rule.pca_size == sum(head.arguments[0] in own[0] for head in heads), rule.rule
            refuted[bool(wrong), len(rule.clause.body) > 2] += 1
    assert min(refuted.values()) > 3 and len(refuted) == 4


@given(graphs(), st.integers(1, 3), st.sampled_from([0.0, 0.3, 0.5, 1.0]))
@settings(max_examples=budget(30), deadline=None)
def test_limits_leave_out_what_they_say(database: Database, support: int, confidence: float) -> None:
    every = mine(database, min_support=1, min_confidence=0)
    some = mine(database, min_support=support, min_confidence=confidence)
    assert list(some) == [rule for rule in every if rule.support >= support and rule.confidence >= confidence]
    assert list(mine(database, min_support=1, min_confidence=0, limit=3)) == list(every[:3])


@pytest.mark.parametrize("memory", [None, 1e-6])
def test_a_rule_may_be_exactly_as_confident_as_was_asked_for(memory: float | None) -> None:
    """7 of 100 are 0.07, though 0.07 * 100 is more than 7."""
    steps = ["rab", "tab", "pac", "qcd", "sdb"]
    facts = [f"{step[0]}({step[1]}{n}, {step[2]}{n})" for step in steps for n in range(100)]
    facts += [f"h(a{n}, b{n})" for n in range(7)] + [f"g(a{n}, k)" for n in range(7)]
    found = mine(facts, body=3, min_support=7, min_confidence=0.07, memory_limit=memory, targets=["h", "g"])
    shares = {rule.rule: rule.confidence for rule in found}
    assert {
        "h(A, B) :- r(A, B).",
        "h(A, B) :- r(A, B), t(A, B).",
        "h(A, B) :- p(A, C), q(C, D), s(D, B).",
        "g(A, k) :- r(A, B).",
    } <= {rule for rule, share in shares.items() if share == 0.07}


def test_a_conjunction_that_is_right_as_often_as_a_path_is_not_better() -> None:
    """29 of 100 and 58 of 200, though 29 / 100 * 200 is less than 58."""
    facts = [f"{name}(a{n}, c{n})" for name in "pu" for n in range(200)]
    facts += [f"{name}(c{n}, b{n})" for name in "qv" for n in range(200)] + [f"h(a{n}, b{n})" for n in range(58)]
    facts += [f"r(a{n}, b{n})" for n in [*range(29), *range(58, 129)]]
    found = mine(facts, min_confidence=0.1, constants=False, conjoin=True, targets=["h"])
    assert [rule for rule in found if len(rule.clause.body) > 2] == []
    assert {rule.confidence for rule in found} == {0.29}


def interpreted_rules(database: Database, **asked: Any) -> list[MinedRule]:
    """What the loops find as the Python that they are, where rows were walked so often that all marks are used up."""
    kernel, made = interpreted("structure.paths.kernel"), list[Any]()

    def measuring(*given: object) -> object:
        made.append(kernel.Measuring(*given))
        made[-1].stamp = 2_000_000_001
        return made[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(closed, "Closing", kernel.Closing)
        patch.setattr(closed, "Measuring", measuring)
        patch.setattr(acyclic, "count_meetings", kernel.count_meetings)
        found = list(mine(database, **asked))
    assert min(one.stamp for one in made) < 2_000_000_000
    return found


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("coincide", [False, True])
def test_interpreted_kernel_counts_the_same(seed: int, coincide: bool) -> None:
    """In graphs of which some constants have many links, and others few."""
    rows = np.minimum(np.random.default_rng(seed).geometric(0.2, size=(40, 2)), 12).tolist()
    database = Database.of(Atom.ground("rst"[n % 3], [f"c{x}", f"c{y}"]) for n, (x, y) in enumerate(rows))
    asked: dict[str, Any] = {
        "min_support": 1 + seed % 3,
        "min_confidence": [0, 0.2, 0.5][seed // 2],
        "body": 2 + seed % 2,
    }
    asked |= {"coincide": coincide, "targets": [None, ["r", "s"]][seed % 2]}
    assert interpreted_rules(database, **asked) == list(mine(database, **asked)) != []


def test_links_of_the_next_constant_close_no_path() -> None:
    """What g is linked to comes after all that the hub m is linked to; the links of n stand behind those of m."""
    links = [f"r(m, {name})" for name in "abcd"] + ["r(g, m)", "s(g, z)", "s(g, m)", "r(n, z)", "t(g, a)"]
    database = Database.of(map(parse_atom, links))
    found = interpreted_rules(database, min_support=1, min_confidence=0, constants=False)
    checked(found, (c for length in (1, 2) for c in closed_language(database, length)), database, distinct=True)


def test_guarded_confidence_leaves_out_what_a_function_refutes() -> None:
    """Sixty people are born in one place each; where they live says where they were born, or nothing is known."""
    facts = [f"livesIn(p{n}, t{n % 6})" for n in range(80)] + [f"bornIn(p{n}, t{(n + n // 40) % 6})" for n in range(60)]
    rule = next(r for r in mine(facts, constants=False) if r.rule == "bornIn(A, B) :- livesIn(A, B).")
    assert (rule.support, rule.body_size, rule.pca_size) == (40, 80, 60)
    assert rule.guarded_size == 40 + 20  # those of whom no place of birth is known


def test_what_has_no_part_is_named_and_targets_are_kept_to() -> None:
    village = load("village")
    found = mine(village, targets=["livesIn"], min_support=2)
    assert {rule.clause.head[0].predicate for rule in found} == {Predicate("livesIn", 2)}
    assert "adult/1" in found.left_out[0]
    assert str(found).startswith(f"{len(found):,} rules")
    assert parse_clause(found[0].rule).head


def test_rows_of_three_may_be_triples_and_it_is_said_how_to_tell() -> None:
    (told,) = mine(["knows(ann, likes, bob)"]).left_out
    assert told.endswith("; if its rows are head, relation and tail, write these names into a first line")
    (told,) = mine(["knows(ann, likes, bob)", "likes(ann, bob)"]).left_out
    assert told == "knows/3: only predicates with two arguments make paths"


@pytest.mark.parametrize(
    "wrong", [{"body": 4}, {"min_support": 0}, {"min_confidence": 2}, {"targets": ["adult"]}, {"memory_limit": 0}]
)
def test_limits_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(QueryError):
        mine(load("village"), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("loops", [(), ("r(a, a)",)])
def test_a_graph_is_laid_out_again_only_where_variables_that_coincide_have_more_facts(loops: tuple[str, ...]) -> None:
    facts = Database.of(map(parse_atom, ("r(a, b)", "r(b, c)", "s(c, a)", "p(a)", *loops)))
    graph = Graph(facts, distinct=True)
    expected = Graph(facts, distinct=False)
    assert vars(expected).keys() == vars(graph).keys()
    for name, value in vars(expected).items():
        assert np.array_equal(getattr(graph.whole, name), value), name
    assert (graph.whole.first is graph.first) == (not loops)
    assert graph.distinct and graph.whole.whole is graph.whole


def test_any_number_of_jobs_mines_the_same() -> None:
    asked = {"body": 3, "min_support": 2, "constant_body": 2, "conjoin": True}
    one, two = (mine(load("village"), jobs=jobs, **asked) for jobs in (1, 2))  # type: ignore[arg-type]
    assert len(one) > 100 and one.rules == two.rules
    late = mine(load("village"), jobs=2, time_limit=0)
    assert "time was over" in late.left_out[-1] and 0 < late.seconds < 60


def test_more_memory_has_room_for_more_steps() -> None:
    assert [_steps_in(megabytes) for megabytes in (1e-9, 1, 20)] == [
        1,
        int(1e6 / BYTES_PER_STEP),
        int(20e6 / BYTES_PER_STEP),
    ]


def test_shares_of_mined_rules_are_those_of_their_counts() -> None:
    facts = Database.of(
        Atom(Predicate(name, 2), tuple(map(Constant, pair)))
        for name, pairs in (("p", "ab bc cd ae"), ("q", "ab bc xe"))
        for pair in pairs.split()
    )
    (rule,) = (
        one for one in mine(facts, body=1, min_support=1, min_confidence=0).rules if one.rule == "q(A, B) :- p(A, B)."
    )
    assert (rule.support, rule.body_size, rule.head_size, rule.pca_size) == (2, 4, 3, 3)
    assert (rule.confidence, rule.head_coverage, rule.pca_confidence) == pytest.approx((2 / 4, 2 / 3, 2 / 3))


def test_conjunctions_know_their_facts_and_what_is_known_of_their_heads() -> None:
    rng = np.random.default_rng(5)
    pairs = rng.integers(0, 6, size=(34, 2)).tolist()
    database = Database.of(Atom.ground("rst"[n % 3], [f"c{x}", f"c{y}"]) for n, (x, y) in enumerate(pairs))
    facts, every = set(database), mine(database, min_support=2, min_confidence=0, constants=False, conjoin=True)
    some = [rule for rule in every if len(rule.clause.body) > 2][:25]
    for rule in some:
        heads = heads_of(rule.clause, database, True)
        known = {fact.arguments[0] for fact in facts if fact.predicate == rule.clause.head[0].predicate}
        assert (rule.support, rule.body_size) == (len(heads & facts), len(heads)), rule.rule
        assert rule.pca_size == sum(head.arguments[0] in known for head in heads), rule.rule
        assert len(rule.instances) == 2 and set(rule.instances) <= {head.as_fact for head in heads & facts}, rule.rule
    assert len(some) > 5


def test_products_of_matrices_take_one_thread() -> None:
    """More of them wait for each other, which on a busy machine takes many times as long."""
    facts = [f"{name}(a{n}, b{n})" for name in "rst" for n in range(20)]
    threads: set[int] = set()

    def counting(products: Any) -> Any:
        threads.update(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")
        return np.round(products)

    with pytest.MonkeyPatch.context() as patch, threadpool_limits(2, user_api="blas"):
        patch.setattr(np, "rint", counting)
        assert len(mine(facts, constants=False)) > 6
    assert threads == {1}


def test_conjunctions_of_one_head_end_when_the_time_is_over() -> None:
    """A head may have thousands of paths: the clock is looked at for each of them, and between two products."""
    database = Database.of(Atom.ground(name, [f"a{n}", f"b{n}"]) for name in "rst" for n in range(20))
    graph = Graph(database, distinct=True)
    paths = closed.ClosedPaths(graph, 1, 0.0, np.array([1, 0, 0], np.uint8))
    rules = closed.PathRules.joined(list(paths.rules(1, range(graph.codes))))

    def looks(most: int) -> int:
        """How often is the clock looked at, until it has said that the time is over?"""
        asked = count(1)
        stop = Deadline(cancelled=lambda: next(asked) > most)
        with suppress(OutOfTime):
            assert len(list(conjunctions(graph, rules, 1, 0.0, only_better=False, stop=stop))) == 1
        return next(asked) - 1

    every = looks(100)
    assert every > 1 + len(rules)
    assert [looks(most) for most in range(every)] == list(range(1, every + 1))
