"""Hard rules: against their definition, against the authors' published sets, and as planted in generated facts."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache, partial
from itertools import combinations, pairwise, permutations, product
from random import Random
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import command
from budget import budget
from possilog.data import Database, read
from possilog.data.generate import university
from possilog.deadline import NEVER
from possilog.entailment import Entailment, entails
from possilog.errors import QueryError
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, canonical, parse_atom, parse_clause, parse_poss
from possilog.matching import Matcher
from possilog.progress import Step, silent
from possilog.structure import HardRules, find_hard_rules, hard_rules
from possilog.structure.clause_space import ClauseSpace
from possilog.structure.hard_rules import _searches
from possilog.structure.kinds import kind_of
from possilog.structure.levels import ClauseLevel
from possilog.structure.support import Support
from possilog.structure.typing import types_of
from shared import shared_data
from strategies import SMALL_VARIABLES, databases

# By definition


@cache
def all_clauses(predicates: tuple[Predicate, ...], literals: int, variables: int) -> list[Clause]:
    """All clauses up to isomorphism, without those that say the same atom twice."""
    terms = SMALL_VARIABLES[:variables]
    atoms = [Atom(p, arguments) for p in predicates for arguments in product(terms, repeat=p.arity)]
    found = {
        canonical(Clause.of(map(Literal, chosen, signs)))
        for count in range(1, literals + 1)
        for chosen in combinations(atoms, count)
        for signs in product([True, False], repeat=count)
    }
    return sorted(found)


def holds(clause: Clause, database: Database) -> bool:
    for constants in permutations(map(Constant, database.constants), len(clause.variables)):
        bindings = dict(zip(clause.variables, constants, strict=True))
        ground = [literal.substitute(bindings) for literal in clause.literals]
        if not any((literal.atom in database) == literal.positive for literal in ground):
            return False
    return True


def by_definition(database: Database, literals: int, variables: int) -> set[Clause]:
    """The clauses that hold, without those that have a part that holds."""
    found: set[Clause] = set()
    for clause in sorted(all_clauses(database.predicates, literals, variables), key=lambda c: len(c.literals)):
        parts = (part for count in range(1, literals) for part in combinations(clause.literals, count))
        if not any(canonical(Clause.of(part)) in found for part in parts) and holds(clause, database):
            found.add(clause)
    return found


def before_minimising(database: Database, literals: int, variables: int | None, seed: int = 0) -> set[Clause]:
    (search,) = _searches(database, literals, 0, variables, seed)
    assert all(search.search(size, NEVER, silent).share == 1 for size in range(1, literals + 1))
    found = [canonical(clause) for clause in search.holding]
    assert len(found) == len(set(found))
    return set(found)


def without_ternary(database: Database) -> Database:
    facts = [fact for fact in database if fact.predicate.arity < 3]
    return Database.of(facts, constants=database.constants)


@settings(max_examples=budget(40))
@given(databases(constants=4, max_facts=20), st.sampled_from([(2, 2), (2, 3), (1, 3), (3, 1)]))
def test_all_shapes_are_found(database: Database, limits: tuple[int, int]) -> None:
    assert before_minimising(database, *limits) == by_definition(database, *limits)


@settings(max_examples=budget(15))
@given(databases(constants=4, max_facts=20).map(without_ternary), st.integers(0, 99))
def test_any_number_of_variables(database: Database, seed: int) -> None:
    assert before_minimising(database, 2, None, seed) == by_definition(database, 2, 4)


@settings(max_examples=budget(5))
@given(databases(constants=4, max_facts=20).map(without_ternary), st.integers(0, 99))
def test_three_literals(database: Database, seed: int) -> None:
    assert before_minimising(database, 3, 2, seed) == by_definition(database, 3, 2)


@settings(max_examples=budget(25))
@given(databases(constants=4, max_facts=20), st.integers(0, 99))
def test_rules_are_minimal_and_entail_what_holds(database: Database, seed: int) -> None:
    found = find_hard_rules(database, literals=2, unary_literals=3, variables=2, seed=seed)
    unary = tuple(predicate for predicate in database.predicates if predicate.arity == 1)
    expected = by_definition(database, 2, 2)
    if unary:
        expected |= {c for c in all_clauses(unary, 3, 1) if holds(c, database)}
    rules = found.clauses
    assert {canonical(clause) for clause in rules} <= expected
    with Entailment(rules) as entailment:
        assert all(entailment.entails(clause) for clause in expected)
    assert not any(entails(rules[:i] + rules[i + 1 :], rule) for i, rule in enumerate(rules[:30]))


@given(st.integers(0, 2**31), st.integers(1, 3), st.sampled_from([3, 5, 8]))
def test_keys_are_the_same_for_isomorphic_clauses_only(seed: int, literals: int, variables: int) -> None:
    """Eight variables are more than are tried in every order."""
    space = ClauseSpace([Predicate("p", 1), Predicate("r", 2), Predicate("t", 3)], variables, literals)
    rng = np.random.default_rng(seed)
    clauses = rng.integers(len(space.mask), size=(12, literals), dtype=np.int32)
    renamed = space._rename(clauses.ravel(), rng.permutation(variables).tolist()).reshape(clauses.shape)
    keys = space.keys(clauses)
    assert space.width(clauses).tolist() == [len(space.clause(clause).variables) for clause in clauses]
    assert (space.keys(renamed[:, ::-1]) == keys).all()
    assert (space.keys(space.clauses(keys, literals)) == keys).all()
    known = [tuple(sorted(canonical(space.clause(clause)).literals)) for clause in clauses]
    assert [[a == b for b in known] for a in known] == (keys[:, np.newaxis] == keys).tolist()


# Published numbers


@cache
def published(name: str, facts: str, theory: str) -> tuple[HardRules, frozenset[Clause]]:
    """What we find in the authors' facts, and what they found, with our spelling of the predicates."""
    database = read(shared_data(f"{name}/{facts}"))
    spelling = {_spelled(predicate): predicate for predicate in database.predicates}
    text = shared_data(f"{name}/{theory}").read_text(encoding="utf-8")
    theirs = [
        Clause.of(
            Literal(Atom(spelling[_spelled(x.atom.predicate)], x.atom.arguments), x.positive)
            for x in rule.clause.literals
        )
        for rule in parse_poss(text).hard
    ]
    return find_hard_rules(database), frozenset(map(canonical, theirs))


def _spelled(predicate: Predicate) -> str:
    return predicate.name.casefold().replace("_", "")


def uwcse() -> tuple[HardRules, frozenset[Clause]]:
    return published("uwcse", "ijcai17/train.db", "ijcai17/uwcse.poss")


def yeast() -> tuple[HardRules, frozenset[Clause]]:
    return published("yeast", "paper/train.db", "ijcai17/yeast.poss")


def test_the_authors_rules_on_uwcse() -> None:
    found, theirs = uwcse()
    assert len(found.rules) == len(theirs) == 116
    assert set(map(canonical, found.clauses)) == theirs
    assert Counter(len(clause.variables) for clause in found.clauses) == {1: 19, 2: 20, 3: 35, 4: 34, 5: 8}


def test_the_way_to_the_authors_rules_on_uwcse() -> None:
    found, _ = uwcse()
    all_shapes = [(level.candidates, level.holding) for level in found.levels if not level.only_unary]
    assert all_shapes == [(52, 12), (3477, 298)]
    assert [(level.literals, level.holding) for level in found.levels if level.only_unary] == [(3, 0), (4, 0), (5, 0)]
    assert all(level.checked < level.candidates / 3 for level in found.levels)


def test_the_authors_rules_on_yeast() -> None:
    """Given that interaction is symmetric, either of two rules can stay, and one of theirs is the other one."""
    found, theirs = yeast()
    ours = set(map(canonical, found.clauses))
    assert len(ours) == len(theirs) == 112
    assert {str(clause) for clause in ours - theirs} == {":- Function(A, B), Interaction(C, B)."}
    assert {str(clause) for clause in theirs - ours} == {":- Function(A, B), Interaction(B, C)."}
    with Entailment(ours) as from_ours, Entailment(theirs) as from_theirs:
        assert all(from_ours.entails(clause) for clause in theirs)
        assert all(from_theirs.entails(clause) for clause in ours)


def test_the_seed_decides_nothing_that_is_found() -> None:
    database = read(shared_data("uwcse/ijcai17/train.db"))
    found, _ = uwcse()
    for seed in range(1, 1 + budget(3)):
        other = find_hard_rules(database, seed=seed)
        assert other.rules == found.rules
        assert [level.candidates for level in other.levels] == [level.candidates for level in found.levels]


def test_no_counterexample_at_three_literals() -> None:
    database = read(shared_data("uwcse/ijcai17/train.db"))
    found = find_hard_rules(database, literals=3, variables=3)
    matcher = Matcher(database)
    assert max(len(clause.literals) for clause in found.clauses) == 3
    assert not any(matcher.exists(clause.violation) for clause in found.clauses)
    short = find_hard_rules(database, variables=3)
    with Entailment(found.clauses) as entailment:
        assert all(entailment.entails(clause) for clause in short.clauses)


# Planted rules


@pytest.mark.parametrize("seed", range(20))
def test_planted_hard_rules_are_found_or_entailed(seed: int) -> None:
    planted = university(people=60, seed=seed)
    found = find_hard_rules(planted.database, unary_literals=2, variables=4)
    with Entailment(found.clauses) as entailment:
        assert [str(clause) for clause in planted.hard if not entailment.entails(clause)] == []


# Kinds, support, limits


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("student(A) :- advisedBy(A, B).", "type"),
        ("student(A) :- advisedBy(B, C).", "other"),
        ("professor(A) :- tenured(A).", "inclusion"),
        ("offered(A, B) :- teaches(C, A, B).", "inclusion"),
        ("married(A, B) :- married(B, A).", "symmetry"),
        ("knows(A, A) :- knows(A, B).", "other"),
        (":- leads(A, B), leads(C, B).", "functionality"),
        (":- teaches(A, B, C), teaches(D, B, C).", "functionality"),
        (":- p(A), p(B).", "other"),
        (":- student(A), professor(A).", "disjointness"),
        (":- professor(A), advisedBy(A, B).", "disjointness"),
        (":- knows(A, B), hates(A, B).", "disjointness"),
        (":- wrote(A, B), wrote(B, C).", "disjointness"),
        (":- parent(A, B), parent(B, A).", "other"),
        (":- parent(A, B), child(B, A).", "disjointness"),
        (":- meets(A, B, C), meets(A, D, E).", "functionality"),
        (":- rain, sun.", "other"),
        (":- knows(A, A).", "irreflexivity"),
        (":- unicorn(A).", "other"),
        ("student(A) ; professor(A) :- person(A).", "other"),
        ("p(A) ; q(A).", "other"),
        ("thing(A).", "other"),
    ],
)
def test_kinds(text: str, kind: str) -> None:
    assert kind_of(parse_clause(text)) == kind


FACTS = [("r", "ab"), ("r", "ac"), ("r", "bd"), ("q", "b"), ("q", "c"), ("q", "d"), ("p", "a")]
SMALL = Database.of([Atom.ground(name, [*constants]) for name, constants in FACTS], constants=list("abcde"))


def support_of(text: str) -> int:
    return Support(Matcher(SMALL)).count(parse_clause(text))


@pytest.mark.parametrize(
    ("text", "support"),
    [
        ("q(B) :- r(A, B).", 3),
        ("q(A) ; p(B) :- r(A, C).", 9),  # three matches, and three constants left for B
        ("q(A) ; p(B).", 20),
        (":- r(A, A).", 3),
        (":- p(A), q(A).", 1),
        (":- p(A), r(B, A).", 1),
        (":- r(A, B), r(B, A), q(B).", 0),
    ],
)
def test_support(text: str, support: int) -> None:
    assert support_of(text) == support


def test_minimum_support() -> None:
    everything = find_hard_rules(SMALL)
    enough = find_hard_rules(SMALL, min_support=3)
    assert min(rule.support for rule in everything.rules) < 3 <= min(rule.support for rule in enough.rules)
    assert parse_clause("q(A) :- r(B, A).") in enough.clauses
    assert [level.holding for level in enough.levels] == [level.holding for level in everything.levels]


def test_rules_come_in_order_of_kind_and_size() -> None:
    found = find_hard_rules(SMALL)
    assert [str(rule.clause) for rule in found.rules if rule.kind == "type"] == ["q(A) :- r(B, A)."]
    assert found.complete
    assert found.coverage == (
        "searched: clauses with 1 and 2 literals, clauses of unary literals over one variable with 3, 4 and 5 "
        "literals; any number of variables"
    )


def test_time_limit_says_what_was_not_searched() -> None:
    found = find_hard_rules(SMALL, literals=2, variables=3, time_limit=0)
    assert not found.complete and found.minimal and found.rules == ()
    assert found.coverage == (
        "not searched: clauses with 1 and 2 literals, clauses of unary literals over one variable with 3, 4 and 5 "
        "literals; at most 3 variables"
    )


def test_what_was_found_in_time_holds() -> None:
    planted = university(people=60, seed=1)
    seen: list[Step] = []
    found = find_hard_rules(planted.database, literals=3, time_limit=2, progress=seen.append)
    assert not found.complete and seen
    assert "searched" in found.coverage
    matcher = Matcher(planted.database)
    assert not any(matcher.exists(clause.violation) for clause in found.clauses)


def test_with_thousands_of_unary_predicates_the_longest_clauses_are_not_searched_and_it_is_said() -> None:
    database = Database.of(parse_atom(f"p{number}(c{number // 2})") for number in range(2_100))
    found = find_hard_rules(database, time_limit=0)
    assert [(level.literals, level.only_unary) for level in found.levels] == [
        *((literals, False) for literals in (1, 2)),
        *((literals, True) for literals in (3, 4, 5)),
    ]
    assert not found.complete and "not searched: clauses with 1 and 2 literals" in found.coverage
    few = Database.of(parse_atom(f"p{number}(c{number // 2})") for number in range(2_000))
    assert [search.literals for search in _searches(few, 2, 5, None, 0)] == [2, 5]
    assert [search.literals for search in _searches(database, 2, 5, None, 0)] == [2, 4]


def test_progress_says_how_much_of_a_level_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("possilog.structure.candidates.AT_ONCE", 8)
    monkeypatch.setattr("possilog.structure.attribute_levels.AT_ONCE", 300)
    told: list[Step] = []
    find_hard_rules(university(people=12, seed=1).database, literals=1, progress=told.append)
    shares: dict[str, list[int]] = {}
    for step in told:
        share, _, level = step.doing.partition("% of ")
        if level:
            shares.setdefault(level, []).append(int(share))
    assert max(map(len, shares.values())) > 2
    assert all(some[0] >= 0 and some == sorted(some) and some[-1] <= 100 for some in shares.values()), shares


def test_shorter_clauses_come_first() -> None:
    """Of 40 unary predicates there are so many clauses of five literals that there is no time for all."""
    chance = Random(0)
    facts = [f"u{name}(c{number})" for number in range(200) for name in range(40) if chance.random() < 0.3]
    found = find_hard_rules(Database.of(map(parse_atom, facts)), time_limit=1)
    levels = sorted(found.levels, key=lambda level: level.literals)
    assert not found.complete
    assert all(long.share == 0 for short, long in pairwise(levels) if short.share < 1)


def test_a_time_limit_is_kept_with_thousands_of_predicates() -> None:
    """In CPU seconds: making the space of clauses, comparing what was found, and all else."""
    chance = Random(0)
    facts = [f"r{name}(c{chance.randrange(200)}, c{chance.randrange(200)})" for name in range(3000) for _ in range(3)]
    before = process_time()
    found = find_hard_rules(Database.of(map(parse_atom, facts)), variables=3, time_limit=1)
    assert not found.complete
    assert process_time() - before < 4


@pytest.mark.parametrize("constants", ["", "a"])
def test_nearly_nothing(constants: str) -> None:
    """With fewer constants than a clause has variables, it has no grounding and so no counterexample."""
    database = Database.of([Atom.ground("n")], constants=list(constants))
    assert [str(rule.clause) for rule in find_hard_rules(database).rules] == ["n."]
    assert find_hard_rules(Database.of([])).rules == ()


WIDE = Database.of([Atom.ground("wide", [*"abcdefgh"])])


@pytest.mark.slow
def test_what_it_says_to_ask_for_is_possible() -> None:
    assert find_hard_rules(WIDE, literals=1, variables=5).complete
    assert find_hard_rules(WIDE, variables=3).complete


def test_what_cannot_be_asked() -> None:
    with pytest.raises(QueryError, match="literals is 0; give a whole number, 1 or more"):
        find_hard_rules(SMALL, literals=0)
    for literals, text, most in ((1, "clauses of 1 literal over 8", 5), (2, "clauses of 2 literals over 16", 3)):
        with pytest.raises(QueryError, match=rf"{text} variables .*; ask for {most} variables at most$"):
            find_hard_rules(WIDE, literals=literals)
    with pytest.raises(QueryError, match=r"ask for 5 variables at most$"):
        find_hard_rules(WIDE, literals=1, variables=6)
    with pytest.raises(QueryError, match=r"ask for 1 variable at most or fewer literals$"):
        find_hard_rules(SMALL, literals=20, variables=4)
    with pytest.raises(QueryError, match=r"ask for fewer literals and variables$"):
        find_hard_rules(WIDE, literals=70, variables=20)


# The command line


run = partial(command.run, "hard-rules")


def test_json() -> None:
    finished = run("village", "--literals", "2", "--unary-literals", "3", "--variables", "any", "--json")
    assert (finished.returncode, finished.stderr) == (0, "")
    found = json.loads(finished.stdout)
    assert set(found) == {"count", "types", "rules", "seconds", "coverage"}
    assert found["count"] == len(found["rules"]) > 0
    assert found["types"][0] == "#type adult(adult_1)."
    symmetry = next(rule for rule in found["rules"] if rule["kind"] == "symmetry")
    assert (symmetry["rule"], symmetry["support"], symmetry["units"]) == ("married(A, B) :- married(B, A).", 10, 5)
    assert 0 < symmetry["p_value"] < 0.001 and symmetry["earned"] is False  # five couples might do that by chance
    assert found["coverage"]["complete"] is True


def test_text_is_grouped_by_kind() -> None:
    finished = run("village", "--variables", "2", "--min-support", "10")
    lines = finished.stdout.splitlines()
    assert lines[lines.index("symmetry (1)") + 1] == "  10  married(A, B) :- married(B, A).  % p 1.0e-05, 5 units"
    assert (finished.returncode, finished.stderr) == (0, "")


def test_a_number_of_variables_that_is_none() -> None:
    finished = run("village", "--variables", "some")
    assert finished.returncode == 2
    assert finished.stderr == "error: --variables is a number or 'any', and 'some' is neither\n"


def test_what_was_searched_in_part_is_said() -> None:
    shares = (1.0, 0.5, 0.0)
    levels = tuple(ClauseLevel(number, only_unary=False, share=share) for number, share in enumerate(shares, 1))
    told = HardRules((), (), levels, 3, True, 0.0).coverage
    assert told.startswith("searched: ") and "; in part: 50.0% of " in told and "; not searched: " in told
    assert told.count("%") == 1
    whole = HardRules((), (), levels[:1], 3, True, 0.0).coverage
    assert "in part" not in whole and "not searched" not in whole


def test_levels_count_what_they_looked_at() -> None:
    """Every clause that holds was checked exactly, and no more were checked than there are candidates."""
    found = find_hard_rules(_few(), literals=2)
    for level in found.levels:
        assert 0 <= level.holding <= level.checked <= level.candidates and level.share == 1.0
    assert sum(level.checked for level in found.levels) > 0


def _few() -> Database:
    return Database.of(map(parse_atom, ["p(a)", "p(b)", "q(c)", "r(a, b)", "r(b, a)", "r(c, a)"]))


def test_without_time_to_compare_rules_it_is_not_sure_that_they_are_minimal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_hard_rules(SMALL, time_limit=10**6).minimal
    monkeypatch.setattr(hard_rules, "COMPARING", 0.0)
    found = find_hard_rules(SMALL, time_limit=10**6)
    assert not found.minimal and found.coverage.endswith("; no time to take away all rules that the others entail")


@pytest.mark.parametrize(
    ("number", "listed"), [(1, ["leads", "old"]), (2, ["far", "leads", "old"]), (3, ["far", "leads", "old"])]
)
def test_types_of_a_single_fact_are_not_listed(number: int, listed: list[str]) -> None:
    facts = [f"leads(p{n}, t{n})" for n in range(40)] + ["old(p1)"] + [f"far(moon{n})" for n in range(number)]
    types = types_of(Database.of(map(parse_atom, facts)))
    assert types is not None and sorted(predicate.name for predicate, _ in types.signatures) == listed
