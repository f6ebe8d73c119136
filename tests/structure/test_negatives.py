"""Non-trivial negatives against their definition, and what is known of them on the paper's data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations, product
from math import comb, isfinite, perm
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.chance import clopper_pearson
from possilog.data import Database, from_frames, read
from possilog.data.cells import EmptyCells
from possilog.errors import QueryError, TheoryError
from possilog.logic import Atom, Clause, Predicate, parse_atom, parse_clause, read_theory
from possilog.matching import Matcher
from possilog.structure import negatives as module
from possilog.structure.consistency import Consistency
from possilog.structure.negatives import Negatives, find_negatives, sample_negatives
from shared import shared_data
from strategies import SMALL_PREDICATES, databases, small_clauses
from whole_grounding import ByDefinition

PREDICATES = [*SMALL_PREDICATES, Predicate("n", 0)]


def atoms_of(predicate: Predicate, constants: Sequence[str], distinct: bool = False) -> Iterator[Atom]:
    choices = permutations(constants, predicate.arity) if distinct else product(constants, repeat=predicate.arity)
    return (Atom.ground(predicate.name, choice) for choice in choices)


def holding(database: Database, rules: Sequence[Clause]) -> list[Clause]:
    """The rules that have no counterexample in the data, over its constants and theirs."""
    matcher = Matcher(database.declare(["a", "b"]))
    return [rule for rule in rules if not matcher.exists(rule.violation)]


def named(database: Database, found: Negatives) -> list[Atom]:
    return [
        Atom.ground(found.predicate.name, [database.constants[number] for number in row]) for row in found.rows.tolist()
    ]


some_rules = st.lists(
    small_clauses(1, constants=False) | small_clauses(2, constants=False) | small_clauses(3),
    max_size=12,
)


@settings(max_examples=budget(400))
@given(databases(constants=4, max_facts=8), some_rules, st.randoms(use_true_random=False))
def test_consistency_is_what_a_solver_says_of_the_whole_grounding(
    database: Database, rules: list[Clause], random: Random
) -> None:
    rules = holding(database, rules)
    consistency, truth = Consistency(database, rules), ByDefinition(database, rules)
    every = [atom for predicate in PREDICATES for atom in atoms_of(predicate, database.constants)]
    for atom in every:
        assert consistency.is_consistent(atom) == truth.is_consistent(atom), atom
    for _ in range(30):
        some = random.choices(every, k=random.choice([0, 2, 2, 3]))
        assert consistency.is_consistent(*some) == truth.is_consistent(*some), some


@settings(max_examples=budget(200))
@given(databases(constants=4, max_facts=8), some_rules, st.booleans())
def test_all_negatives_are_found_by_definition(database: Database, rules: list[Clause], distinct: bool) -> None:
    rules = holding(database, rules)
    consistency, truth = Consistency(database, rules), ByDefinition(database, rules)
    for predicate in PREDICATES:
        atoms = [atom for atom in atoms_of(predicate, database.constants, distinct) if atom not in database]
        expected = {atom for atom in atoms if truth.is_consistent(atom)}
        found = find_negatives(consistency, predicate, 1000, 1, distinct=distinct)
        assert set(named(database, found)) == expected
        assert len(found.rows) == found.total == len(expected) == found.drawn - found.rejected
        assert found.exact and found.interval == (found.total, found.total)
        assert found.explained == (not expected) and found.weight == float(bool(expected))
        check_some(database, consistency, predicate, distinct, expected)


def check_some(
    database: Database, consistency: Consistency, predicate: Predicate, distinct: bool, expected: set[Atom]
) -> None:
    """A few of them, by choice from all and by drawing."""
    for limit in (1000, 0):
        none = find_negatives(consistency, predicate, 0, 1, distinct=distinct, limit=limit)
        assert len(none.rows) == 0 == none.weight and none.explained == (not expected and none.exact)
        found = find_negatives(consistency, predicate, 3, 1, distinct=distinct, limit=limit)
        some = named(database, found)
        assert len(set(some)) == len(some) == min(3, len(expected))
        assert set(some) <= expected
        assert found.interval[0] <= len(expected) <= found.interval[1] or not found.exact
        again = find_negatives(consistency, predicate, 3, 1, distinct=distinct, limit=limit)
        assert np.array_equal(found.rows, again.rows) and found.total == again.total


def test_object_identity_binds_the_variables_of_one_rule_only() -> None:
    """What an atom implies is judged without the arguments that it does not mention."""
    rules = [parse_clause("q(X) :- r(X, Y)."), parse_clause(":- q(X), s(X, Y).")]
    database = Database.of([parse_atom("s(a, b)")], constants=["c"])
    consistency = Consistency(database, rules)
    assert not consistency.is_consistent(parse_atom("r(a, b)"))  # s(a, b) speaks of b too, but q(X), s(X, Y) may
    found = find_negatives(consistency, Predicate("r", 2), 10, 1)
    assert [str(atom) for atom in named(database, found)] == ["r(b, a)", "r(b, c)", "r(c, a)", "r(c, b)"]


def test_a_constant_is_excluded_only_where_every_choice_of_the_other_arguments_is() -> None:
    """Each rule excludes t(a, Y, Z) for most Y and Z, and t(a, b, c) escapes them all by equal arguments."""
    rules = ["u(X, Y) :- t(X, Y, Z).", ":- u(X, Y), s(X, Z, W).", ":- t(X, Y, Z), s(X, Y, W)."]
    rules += [":- t(X, Y, Z), s(X, W, Y)."]
    database = Database.of([parse_atom("s(a, b, c)")], constants=["d"])
    consistency = Consistency(database, map(parse_clause, rules))
    found = [str(atom) for atom in named(database, find_negatives(consistency, Predicate("t", 3), 100, 1))]
    assert [atom for atom in found if atom.startswith("t(a")] == ["t(a, b, c)", "t(a, c, b)"]


def test_a_head_with_variables_of_its_own_is_meant_for_all_constants() -> None:
    rules = [parse_clause("p(X) :- q(Y)."), parse_clause(":- p(X), s(X, X).")]
    assert not Consistency(Database.of([parse_atom("s(a, a)")], ["b"]), rules).is_consistent(parse_atom("q(b)"))
    assert Consistency(Database.of([parse_atom("s(a, a)")], ["b"]), rules).is_consistent(parse_atom("q(a)"))


def test_choices_are_made_by_the_solver() -> None:
    """An odd cycle has no two colours; a path has."""
    rules = ["p(X) ; q(X) :- v(X).", ":- r(X, Y), p(X), p(Y).", ":- r(X, Y), q(X), q(Y)."]
    cycle = ["r(a, b)", "r(b, c)", "r(c, a)"]
    colours = Consistency(Database.of(map(parse_atom, cycle)), map(parse_clause, rules))
    vertices = [parse_atom(f"v({name})") for name in "abc"]
    assert colours.is_consistent(*vertices[:2]) and not colours.is_consistent(*vertices)


def test_what_cannot_be_asked() -> None:
    database = Database.of([parse_atom("p(a)")])
    with pytest.raises(TheoryError, match="does not hold in the facts"):
        Consistency(database, [parse_clause(":- p(X).")])
    with pytest.raises(QueryError, match="b in p\\(b\\) is not a constant of the data"):
        Consistency(database, []).is_consistent(parse_atom("p(b)"))


# Totals and samples


def middle_case() -> Consistency:
    """A relation of 60 constants that are of two kinds, and that must not be in another relation already."""
    rng = np.random.default_rng(5)
    names = [f"c{number:02}" for number in range(60)]
    facts = [Atom.ground("p", [name]) for name in names[:20]] + [Atom.ground("q", [name]) for name in names[20:35]]
    facts += [Atom.ground("s", [names[i], names[j]]) for i, j in rng.integers(0, 60, (900, 2))]
    rules = ["p(X) :- t(X, Y, Z).", ":- p(X), q(X).", ":- t(X, Y, Z), s(Y, Z).", ":- t(X, Y, Z), s(X, Z)."]
    return Consistency(Database.of(facts), [parse_clause(rule) for rule in rules])


def test_the_interval_holds_the_truth_as_often_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_DRAWS", 40)
    monkeypatch.setattr(module, "BATCH", 64)
    consistency = middle_case()
    t = Predicate("t", 3)
    truth = find_negatives(consistency, t, 0, 1).total
    runs = budget(300)
    for count in (10, 100):  # the fixed number of draws decides, or the number of negatives
        found = [find_negatives(consistency, t, count, seed, limit=0) for seed in range(runs)]
        held = sum(one.interval[0] <= truth <= one.interval[1] for one in found) / runs
        assert held > 0.95 - 2 * (0.05 * 0.95 / runs) ** 0.5
        assert not any(one.exact or one.explained for one in found)
        totals = np.array([one.total for one in found])
        assert abs(totals.mean() - truth) < 3 * totals.std() / runs**0.5
        assert all(len(one.rows) == count and one.weight == one.total / count for one in found)
        assert all(len(np.unique(one.rows, axis=0)) == count for one in found)


@pytest.mark.parametrize("limit", [0, 10**6])
def test_each_negative_is_as_likely_as_any_other(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_DRAWS", 1)
    monkeypatch.setattr(module, "BATCH", 64)
    names = [f"c{number}" for number in range(12)]
    facts = [Atom.ground("s", pair) for pair in pairwise(names)]
    consistency = Consistency(Database.of(facts), [parse_clause(":- r(X, Y), s(X, Y).")])
    runs, count = budget(1500), 20
    seen = np.zeros((12, 12))
    for seed in range(runs):
        rows = find_negatives(consistency, Predicate("r", 2), count, seed, limit=limit).rows
        np.add.at(seen, tuple(rows.T), 1)
    total = 12 * 11 - 11
    assert np.count_nonzero(seen) == total
    expected = runs * count / total
    assert (np.abs(seen[seen > 0] - expected) < 5 * expected**0.5).all()


def test_random_negatives_are_any_false_atoms() -> None:
    consistency = middle_case()
    database, t, s = consistency.database, Predicate("t", 3), Predicate("s", 2)
    for limit in (0, 10**6):
        found = sample_negatives(database, consistency.rules, t, 500, 3, random=True, limit=limit)
        assert found.exact and found.total == perm(60, 3) and len(found.rows) == 500
    equal = int(np.count_nonzero(database.rows(s)[0] == database.rows(s)[1]))
    for distinct, expected in ((True, 60 * 59 - database.count(s) + equal), (False, 60 * 60 - database.count(s))):
        for limit in (0, 10**6):
            found = sample_negatives(database, [], s, 50, 3, random=True, distinct=distinct, limit=limit)
            assert found.exact and found.total == expected and len(found.rows) == 50
            assert not any(atom in database for atom in named(database, found))


def test_nothing_overflows_and_nothing_is_nan() -> None:
    one = Database.of([parse_atom("p(a)")])
    full = Database.of([parse_atom(f"r({x}, {y})") for x in "abc" for y in "abc"])
    cases = [(one, "p", 1), (one, "q", 1), (one, "r", 2), (one, "n", 0), (full, "r", 2), (Database.of([]), "r", 2)]
    totals = {True: [0, 1, 0, 1, 0, 0], False: [0, 1, 1, 1, 0, 0]}
    for distinct, expected in totals.items():
        found = [sample_negatives(db, [], Predicate(*p), 5, 1, distinct=distinct) for db, *p in cases]  # type: ignore[arg-type]
        assert [negatives.total for negatives in found] == expected
        assert [negatives.weight for negatives in found] == [float(total) for total in expected]
        assert [negatives.explained for negatives in found] == [not total for total in expected]
        assert [negatives.rows.shape for negatives in found] == [
            (total, predicate[1]) for total, (_, *predicate) in zip(expected, cases, strict=True)
        ]
    wide = Database.of([Atom.ground("p", [f"c{number}"]) for number in range(1000)])
    many = sample_negatives(wide, [], Predicate("w", 40), 10, 1)
    assert many.exact and many.total == perm(1000, 40) and isfinite(many.weight) and many.rows.shape == (10, 40)
    excluded = [parse_clause(f":- w({', '.join(f'X{i}' for i in range(30))}), p(X7), p(X8), v(X9).")]
    some = sample_negatives(wide, excluded, Predicate("w", 30), 10, 1)
    assert abs(some.total - perm(1000, 30)) < perm(1000, 30) // 20 and isfinite(some.weight) and not some.exact
    assert some.interval[0] < some.total < some.interval[1]


def test_where_nothing_is_found_by_drawing_the_interval_says_how_much_there_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MOST_DRAWS", 30_000)
    names = [f"c{number}" for number in range(300)]
    facts = [Atom.ground("r", pair) for pair in permutations(names, 2) if pair != ("c7", "c8")]
    rare = [parse_clause(":- w(X, Y, Z), r(X, Y).")]
    found = sample_negatives(Database.of(facts), rare, Predicate("w", 3), 5, 2)
    assert len(found.rows) == found.total == 0 == found.weight and not found.exact and not found.explained
    assert found.interval[0] == 0 and 298 <= found.interval[1] < 300**3 / 1000 and found.drawn == 30_000


@pytest.mark.parametrize(("successes", "trials"), [(0, 1), (0, 20), (1, 20), (7, 20), (19, 20), (20, 20), (500, 700)])
def test_the_interval_of_a_share_by_definition(successes: int, trials: int) -> None:
    def at_most(number: int, share: float) -> float:
        return sum(comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(number + 1))

    low, high = clopper_pearson(successes, trials)
    assert low == 0 if successes == 0 else 1 - at_most(successes - 1, low) == pytest.approx(0.025, rel=1e-4)
    assert high == 1 if successes == trials else at_most(successes, high) == pytest.approx(0.025, rel=1e-4)


# The paper's data

UWCSE_TOTALS = {
    "Faculty": 8,
    "Faculty_adjunct": 8,
    "Faculty_affiliate": 8,
    "Post_Generals": 32,
    "Post_Quals": 32,
    "Pre_Quals": 32,
    "advisedBy": 3090,
    "professor": 0,
    "projectMember": 0,
    "publication": 26411,
    "student": 0,
    "ta": 90405,
    "taughtBy": 96362,
    "tempAdvisedBy": 1110,
}


@pytest.fixture(scope="module")
def uwcse() -> Consistency:
    folder = shared_data("uwcse/ijcai17")
    return Consistency(read(folder / "train.db"), [rule.clause for rule in read_theory(folder / "uwcse.poss").hard])


@pytest.fixture(scope="module")
def yeast() -> Consistency:
    database = read(shared_data("yeast/paper/train.db"))
    ours = {predicate.name.lower(): predicate for predicate in database.predicates}

    def renamed(atom: Atom) -> Atom:
        return Atom(ours[atom.predicate.name.replace("_", "").lower()], atom.arguments)

    theirs = [rule.clause for rule in read_theory(shared_data("yeast/ijcai17/yeast.poss")).hard]
    rules = [Clause(tuple(map(renamed, rule.head)), tuple(map(renamed, rule.body))) for rule in theirs]
    return Consistency(database, rules)


def test_uwcse_has_so_many_negatives(uwcse: Consistency) -> None:
    found = {predicate: find_negatives(uwcse, predicate, 1000, 1) for predicate in uwcse.database.predicates}
    assert {predicate.name: negatives.total for predicate, negatives in found.items()} == UWCSE_TOTALS
    assert all(negatives.exact for negatives in found.values())
    assert [p.name for p, negatives in found.items() if negatives.explained] == [
        "professor",
        "projectMember",
        "student",
    ]
    advised = found[Predicate("advisedBy", 2)].rows
    students, professors = (uwcse.database.rows(Predicate(name, 1))[0] for name in ("student", "professor"))
    assert np.isin(advised[:, 0], students).all() and np.isin(advised[:, 1], professors).all()


@pytest.mark.parametrize("name", ["uwcse", "yeast"])
def test_atoms_of_real_data_are_judged_alike_at_once_and_one_by_one(name: str, request: pytest.FixtureRequest) -> None:
    consistency: Consistency = request.getfixturevalue(name)
    rng = np.random.default_rng(2)
    for predicate in consistency.database.predicates:
        space = module._Space(consistency, predicate, distinct=False)
        for screening in space.screenings:
            columns = [rng.choice(domain, 300) for domain in screening.domains if len(domain)]
            columns += [rng.integers(space.constants, size=300) for _ in screening.domains[len(columns) :]]
            rows = np.stack(columns, axis=1).astype(np.int32)
            rows = rows[[len(set(row)) == len(row) for row in rows.tolist()]]
            atoms = [[(predicate, tuple(row))] for row in screening.arguments(rows).tolist()]
            facts = set(map(tuple, consistency.database.rows(predicate).T.tolist()))
            expected = [atom[0][1] not in facts and consistency.are_consistent(atom) for atom in atoms]
            assert screening.negatives(rows).tolist() == expected


def test_yeast_has_so_many_negatives(yeast: Consistency) -> None:
    found = [find_negatives(yeast, predicate, 10_000, 1) for predicate in yeast.database.predicates]
    assert all(len(negatives.rows) == 10_000 for negatives in found)
    drawn = [negatives for negatives in found if not negatives.exact]
    assert [negatives.predicate.name for negatives in drawn] == ["Interaction"]
    exact = find_negatives(yeast, drawn[0].predicate, 10, 1, limit=10**6)
    assert exact.exact and drawn[0].interval[0] <= exact.total <= drawn[0].interval[1]


def test_what_stands_in_an_empty_cell_is_no_negative() -> None:
    pets = ["cat", None, "dog", "cat", "dog", "cat"]
    people = pd.DataFrame({"person": list("abcdef"), "pet": pets, "child": ["yes", "no"] * 3})
    facts = from_frames({"people": people})
    (predicate,) = (one for one in facts.predicates if one.name == "pet")
    for limit in (0, 1_000):  # drawn, and all looked at
        found = sample_negatives(facts, (), predicate, 100, seed=0, limit=limit)
        negatives = {tuple(facts.constants[number] for number in row) for row in found.rows.tolist()}
        assert negatives
        empty = EmptyCells(facts)
        assert not any(Atom.ground(predicate.name, row) in empty for row in negatives)
        assert {person for person, _ in negatives} == {
            fact.arguments[0].name for fact in facts if fact.predicate == predicate
        }
