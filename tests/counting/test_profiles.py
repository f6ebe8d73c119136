"""Profiles of data and worlds: against enumeration, and the published numbers."""

from __future__ import annotations

import json
import os
import subprocess
from collections import Counter as Tally
from itertools import combinations, permutations
from math import comb
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from command import PROGRAM, run
from instances import subsets, violating_images, worlds
from possilog.counting import Count, DataProfile, StratumCounts, TooLarge, WorldProfile, count_strata
from possilog.counting.limits import Limit
from possilog.counting.violations import Violations, find_violations
from possilog.data import Database, read
from possilog.deadline import Deadline
from possilog.errors import QueryError, TheoryError
from possilog.logic import (
    Atom,
    Clause,
    Predicate,
    Stratum,
    Theory,
    Variable,
    Weight,
    parse_clause,
    parse_theory,
    read_theory,
)
from possilog.logic.atom_space import AtomSpace
from possilog.matching import Matcher
from shared import shared_data
from strategies import small_clauses


def test_the_data_profile_is_what_listing_all_subsets_gives() -> None:
    for instance in subsets():
        assert DataProfile(instance.database, instance.width, instance.rules).table() == instance.table, instance.seed


SMALL = [Predicate("p", 1), Predicate("r", 2)]


@settings(max_examples=budget(80), deadline=None)
@given(st.lists(small_clauses(2, constants=False), max_size=4))
def test_worlds_over_three_constants_are_as_many_as_pairs_say(clauses: list[Clause]) -> None:
    """What is known of them before they are looked at is what is found then, and what listing all worlds gives."""
    hard = [clause for clause in clauses if clause.atoms and all(atom.predicate in SMALL for atom in clause.atoms)]
    space = AtomSpace(SMALL, 3)
    ground = [pair for clause in hard for pair in space.groundings(clause)]
    number = sum(all(body & ~w or head & w for body, head in ground) for w in range(1 << len(space.atoms)))
    told: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        by_pairs = WorldProfile._by_pairs

        def counted(*given: Any) -> int:
            told.append(by_pairs(*given))
            return told[-1]

        patch.setattr(WorldProfile, "_by_pairs", counted)
        profile = WorldProfile(SMALL, hard, 3)
    assert profile.worlds == number
    assert told == [profile.representatives] * all(len(clause.variables) != 3 for clause in hard)


def test_the_world_profile_is_what_listing_all_worlds_gives() -> None:
    for instance in worlds():
        number = instance.seed % (len(instance.clauses) + 1)
        hard, rules = instance.clauses[:number], instance.clauses[number:]
        truth: Tally[int] = Tally()
        for violated, count in instance.table.items():
            if not violated % (1 << number):  # no hard rule
                truth[violated >> number] += count
        profile = WorldProfile(instance.predicates, hard, instance.width, rules)
        assert profile.table() == dict(truth), instance.seed
        assert profile.worlds == truth.total()


@pytest.mark.parametrize("width", [2, 3])
def test_rules_that_are_violated_almost_everywhere(width: int) -> None:
    """Their exceptions are what the head saves, or what a dense body leaves out."""
    random = Random(width)
    dense = [Atom.ground("d", pair) for pair in permutations("abcdefgh", 2) if random.random() < 0.9]
    sparse = [Atom.ground("r", random.sample("abcdefgh", 2)) for _ in range(6)]
    kinds = [Atom.ground(name, [c]) for name, some in (("p", "abcde"), ("q", "defgh")) for c in some]
    database = Database.of([*dense, *sparse, *kinds, Atom.ground("r", ["a", "a"]), Atom.ground("n", [])])
    texts = ["r(X, Y).", "r(X, Y) :- p(X), q(Y).", ":- d(X, Y).", "d(X, Y).", "r(X, Y) ; d(Y, X) :- p(X).", "p(X)."]
    texts += [
        "r(X, X) ; r(X, Y).",
        "r(X, Y) ; r(Y, Z).",
        "n ; r(X, Y).",
        "r(X, Y) :- n.",
        ":- p(X), p(Y).",
        "q(X) :- p(X).",
    ]
    rules = [parse_clause(text) for text in texts]
    facts = {(a.predicate, tuple("abcdefgh".index(t.name) for t in a.arguments)) for a in database}
    images = [violating_images(rule, facts, 8) for rule in rules]
    truth = Tally(
        sum(1 << n for n, listed in enumerate(images) if any(image.issubset(subset) for image in listed))
        for subset in combinations(range(8), width)
    )
    assert DataProfile(database, width, rules).table() == dict(truth)


def test_a_body_that_half_of_the_constants_match_is_counted_exactly() -> None:
    """Thirty million subsets violate the rule, and no set of constants is listed but those that the head saves."""
    people = [Atom.ground("old" if number % 2 else "young", [f"c{number}"]) for number in range(600)]
    knows = [Atom.ground("knows", [f"c{number}", f"c{number + 1}"]) for number in range(1, 599)]
    rule = parse_clause("knows(X, Y) :- old(X), young(Y).")
    table = DataProfile(Database.of([*people, *knows]), 3, [rule, parse_clause(":- old(X).")], limit=2_000).table()
    assert sum(table.values()) == comb(600, 3)
    # Some 300 pairs are saved; a triple of these is not, for then there would be a third pair.
    assert table[0] == comb(300, 3) and table[2] == comb(300, 3)


def test_rules_can_be_added_one_by_one_and_taken_back() -> None:
    for instance in subsets()[: budget(500)]:
        grown = DataProfile(instance.database, instance.width)
        for number, rule in enumerate(instance.rules, start=1):
            grown.table()
            grown.add(rule)
            assert grown.table() == DataProfile(instance.database, instance.width, instance.rules[:number]).table()
        for number in reversed(range(len(instance.rules))):
            grown.keep(number)
            assert grown.table() == DataProfile(instance.database, instance.width, instance.rules[:number]).table()
    for over in worlds()[: budget(500)]:
        profile = WorldProfile(over.predicates, [], over.width)
        for rule in over.clauses:
            profile.add(rule)
        assert profile.table() == over.table
        profile.keep(1)
        assert profile.table() == WorldProfile(over.predicates, [], over.width, over.clauses[:1]).table()


def test_a_world_profile_takes_as_many_atoms_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("possilog.counting.world_profile.ATOMS", 6)
    assert WorldProfile([Predicate("p", 1), Predicate("q", 2)], [], 2).table() == {0: 2**6}
    with pytest.raises(TooLarge, match="at most 6 atoms"):
        WorldProfile([Predicate("p", 1)], [], 7)


def test_a_world_profile_gives_up_in_the_middle_of_what_is_extended_together() -> None:
    """Of two worlds over one constant, each has two over both."""
    for limit, done in ((5, True), (4, True), (3, False), (2, False)):
        profile = WorldProfile([Predicate("p", 1)], [], 2)
        profile._limit = Limit("world profile", "worlds", limit)
        if done:
            assert [(world, len(found)) for world, found in profile.extended([0, 1])] == [(0, 2), (1, 2)]
        else:
            with pytest.raises(TooLarge, match=f"more than {limit} worlds"):
                profile.extended([0, 1])


def test_adding_a_rule_redoes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules that are in a profile are not matched again, and its worlds are not enumerated again."""
    database, theory = uwcse()
    rules = [rule.clause for rule in theory.soft]
    data = DataProfile(database, 3, rules[:-1])
    over = WorldProfile(database.predicates, [rule.clause for rule in theory.hard], 3, rules[:-1])
    matched = []

    def find(matcher: Matcher, rule: Clause, limit: Limit) -> Violations:
        matched.append(rule)
        return find_violations(matcher, rule, limit)

    monkeypatch.setattr("possilog.counting.data_profile.find_violations", find)
    monkeypatch.delattr(WorldProfile, "_worlds")
    data.add(rules[-1])
    over.add(rules[-1])
    assert matched == [rules[-1]]
    assert data.table()[0] == UWCSE_N[0] and over.table()[0] == UWCSE_M[0]


def test_limits_are_said() -> None:
    random = Random(0)
    half = [Atom.ground("r", [f"c{i}", f"c{j}"]) for i, j in combinations(range(20), 2) if random.random() < 0.4]
    database, rule = Database.of(half), parse_clause(":- r(X, Y).")
    with pytest.raises(TooLarge, match="data profile needs more than 10 sets of constants"):
        DataProfile(database, 4, [rule], limit=10)
    with pytest.raises(TooLarge, match="data profile needs more than 100 sets of constants"):
        DataProfile(database, 4, [rule], limit=100).table()
    with pytest.raises(TooLarge, match="data profile needs more time"):
        DataProfile(database, 4, [rule]).table(Deadline(0))
    with pytest.raises(TooLarge, match="world profile needs more than 100 worlds"):
        WorldProfile([Predicate("r", 2)], [], 3, limit=100)
    with pytest.raises(TooLarge, match="world profile needs more time"):
        WorldProfile([Predicate("r", 2)], [], 3, stop=Deadline(0))
    with pytest.raises(QueryError, match="the width must be between 1 and the 20 constants"):
        count_strata(database, Theory(), 21)


def test_a_world_of_many_atoms_is_given_up_at_once() -> None:
    """2^90 worlds over two constants, most of which are extensions of one world."""
    with pytest.raises(TooLarge):
        WorldProfile([Predicate(f"r{number}", 2) for number in range(30)], [], 2, limit=1_000_000 // 30)


def test_profiles_that_cannot_be_had_are_given_up_at_once() -> None:
    with pytest.raises(TooLarge, match="more than 142,857 worlds"):  # each atom that no rule speaks of doubles them
        WorldProfile([Predicate(f"p{number}", 1) for number in range(5_000)], [], 3)
    some = [parse_clause("p0(X) ; p1(X) ; p2(X)."), parse_clause(":- p0(X), p1(X)."), parse_clause("p2(X) :- p3(X).")]
    with pytest.raises(TooLarge, match="more than 2,000,000 worlds"):  # one is enough for the rule with several heads
        WorldProfile([Predicate(f"p{number}", 1) for number in range(40)], some, 3, stop=Deadline(20))
    with pytest.raises(TooLarge, match="worlds of at most 100,000 atoms"):
        WorldProfile([Predicate("r", 6)], [], 10)
    wide = Database.of(Atom.ground("r", [f"c{number}", f"c{number + 1}"]) for number in range(60))
    with pytest.raises(TooLarge, match="at most 16 constants in a fragment"):
        DataProfile(wide, 40, [parse_clause(":- r(X, Y), r(Y, Z).")]).table()


def test_a_rule_with_many_heads_is_counted_by_its_images() -> None:
    """Not each combination of heads is tried: of two dozen there are millions."""
    facts = Database.of(
        [Atom.ground("r3", ["a", "b"]), Atom.ground("r9", ["b", "c"]), Atom.ground("p", ["a"]), Atom.ground("p", ["c"])]
    )
    rule = parse_clause(" ; ".join(f"r{number}(X, Y)" for number in range(24)) + " :- p(X).")
    assert DataProfile(facts, 2, [rule]).table() == {0: 1, 1: 2}


def test_rules_that_profiles_do_not_take() -> None:
    database = Database.of([Atom.ground("p", ["a"])])
    with pytest.raises(TheoryError, match="names a constant"):
        DataProfile(database, 1, [parse_clause(":- p(a).")])
    for hard, soft in (([parse_clause(":- p(a).")], []), ([], [parse_clause(":- p(a).")])):
        with pytest.raises(TheoryError, match="names a constant"):
            WorldProfile(database.predicates, hard, 1, soft)
    with pytest.raises(TheoryError, match="speaks of q/1"):
        WorldProfile(database.predicates, [], 1, [parse_clause(":- q(X).")])


def test_strata_with_several_rules_and_none() -> None:
    database = Database.of([Atom.ground("p", ["a"]), Atom.ground("q", ["b"]), Atom.ground("q", ["c"])])
    theory = parse_theory("0.9 :: q(X) :- p(X). 0.9 :: :- p(X). 0.5 :: p(X) :- q(X). 0.1 :: false.")
    counts = count_strata(database, theory, 1)
    assert [(s.n.value, s.m.value) for s in counts.strata] == [(0, 1), (2, 1), (1, 2)]
    assert (counts.subsets, counts.worlds.value) == (3, 4)
    assert [s.n.value for s in count_strata(database, Theory(), 2).strata] == [3]


# The authors' theories (NOTES, numbers to test against)

UWCSE_N = [11552088, 12220, 11, 2048, 64, 3270, 815, 410, 6, 14, 26, 14, 4, 2, 4, 14, 7, 2, 1]
UWCSE_M = [1608, 234, 45, 204, 6, 702, 216, 552, 48, 6, 72, 45, 18, 12, 72, 144, 69, 36, 54]
YEAST_N = [71490957957, 139, 0, 8, 6, 0]
YEAST_M = [28384, 192, 96, 192, 96, 96]


def uwcse() -> tuple[Database, Theory]:
    folder = shared_data("uwcse") / "ijcai17"
    return read(folder / "train.db"), read_theory(folder / "uwcse.poss")


def test_the_authors_counts_on_uwcse() -> None:
    counts = count_strata(*uwcse(), 3)
    assert [s.n.value for s in counts.strata] == UWCSE_N
    assert [s.m.value for s in counts.strata] == UWCSE_M
    assert (counts.constants, counts.subsets, counts.worlds.value) == (412, 11571020, 4143)
    assert all(s.n.exact and s.m.exact for s in counts.strata)


def test_uwcse_with_wider_fragments() -> None:
    counts = count_strata(*uwcse(), 4)
    assert counts.worlds.value == 176_847
    assert counts.strata[0].m.value == 32_851
    assert sum(s.n.value for s in counts.strata) == counts.subsets


def test_uwcse_with_fragments_of_five() -> None:
    """Data only: the 579,246 representatives of the worlds take too long for every day."""
    database, theory = uwcse()
    table = DataProfile(database, 5, [rule.clause for rule in theory.soft]).table()
    assert table[0] == 96_014_276_299 and sum(table.values()) == comb(412, 5)


def test_ten_times_the_data() -> None:
    """No subset is listed, so ten times the constants do not take a thousand times as long."""
    database, theory = uwcse()
    copied = Database.of(
        Atom.ground(atom.predicate.name, [f"{term.name}#{copy}" for term in atom.arguments])
        for copy in range(10)
        for atom in database
    )
    table = DataProfile(copied, 3, [rule.clause for rule in theory.soft]).table()
    assert table[0] == 11_645_364_750 and sum(table.values()) == comb(4_120, 3)


# The command line


def test_the_command() -> None:
    folder = shared_data("uwcse") / "ijcai17"
    arguments = ("count", folder / "uwcse.poss", "--data", folder / "train.db", "--width", "3")
    printed = json.loads(run(*arguments, "--json").stdout)
    assert [stratum["n"] for stratum in printed["strata"]] == UWCSE_N
    assert [stratum["m"] for stratum in printed["strata"]] == UWCSE_M
    assert all(stratum["exact"] and stratum["method"] == "profile" for stratum in printed["strata"])
    assert printed["strata"][0]["rule"] == "false."
    assert {"width", "constants", "subsets", "worlds", "strata", "seconds"} == set(printed)
    assert "11,552,088" in run(*arguments).stdout


@pytest.mark.parametrize(
    ("data", "options"), [("paper/train.db", []), ("ijcai17/train.db", ["--symmetric", "interaction"])]
)
def test_the_command_with_the_authors_theory_of_yeast(data: str, options: list[str]) -> None:
    """Their facts give an interaction one way only; the paper's spell the predicates otherwise than the theory."""
    folder = shared_data("yeast")
    theory = folder / "ijcai17" / "yeast.poss"
    began = os.times().children_user
    command = (*PROGRAM, "count", str(theory), "--data", str(folder / data), *options, "--width", "4", "--json")
    finished = subprocess.run(command, capture_output=True, text=True, check=True)
    assert os.times().children_user - began < 10
    printed = json.loads(finished.stdout)
    assert [stratum["n"] for stratum in printed["strata"]] == YEAST_N
    assert [stratum["m"] for stratum in printed["strata"]] == YEAST_M
    assert all(stratum["exact"] for stratum in printed["strata"])
    assert (printed["constants"], printed["subsets"], printed["worlds"]) == (1146, 71490958110, 29056)
    assert ("protein_class/2 as ProteinClass/2" in finished.stderr) == (not options)


def test_counts_that_are_not_exact_have_an_interval() -> None:
    estimate, exact = Count(7, 5, 10, "ApproxMC2", 0.8), Count.of(3, "profile")
    stratum = StratumCounts(Stratum(Weight.of("0.5"), ()), exact, estimate).as_json
    assert stratum == {
        "rule": "false.",
        "weight": "0.5",
        "n": 3,
        "m": 7,
        "m_interval": [5, 10],
        "m_confidence": 0.8,
        "method": "profile, ApproxMC2",
        "exact": False,
    }
    assert str(estimate) == "5 to 10"


def test_predicates_without_facts_are_remarked(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("Married(a, b)\n")
    (tmp_path / "theory.pl").write_text(":- maried(X, X).\n")
    finished = run("count", "theory.pl", "--data", "facts.db", "--width", "2", cwd=tmp_path)
    assert finished.stderr == "warning: there are no facts of maried/2; did you mean Married?\n"


@settings(max_examples=budget(100))
@given(st.lists(small_clauses(3, constants=False), max_size=4))
def test_worlds_are_too_many_only_where_they_are(rules: list[Clause]) -> None:
    """What independent atoms say beforehand is what looking at the worlds one by one says."""
    predicates = [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2)]
    horn = [Clause(rule.head[:1], rule.body) for rule in rules if rule.body]
    spoken = [rule for rule in horn if all(atom.predicate in predicates for atom in rule.atoms)]
    whole = WorldProfile(predicates, spoken, 2).representatives
    assert WorldProfile(predicates, spoken, 2, limit=whole).representatives == whole
    with pytest.raises(TooLarge):
        WorldProfile(predicates, spoken, 2, limit=whole - 1)


@settings(max_examples=budget(100))
@given(st.lists(small_clauses(3, constants=False), max_size=3), st.integers(2, 3))
def test_worlds_of_one_constant_say_how_many_there_are_at_least(rules: list[Clause], width: int) -> None:
    """With as many worlds as there are none is too many, though those of one constant are multiplied beforehand."""
    predicates = [Predicate("p", 1), Predicate("q", 1)]
    spoken = [rule for rule in rules if all(atom.predicate in predicates for atom in rule.atoms)]
    whole = WorldProfile(predicates, spoken, width)
    assert WorldProfile(predicates, spoken, width, limit=whole.representatives).table() == whole.table()


def test_attributes_that_depend_on_each_other_are_too_many_worlds_at_once() -> None:
    """Thirty attributes, of which two thirds exclude each other: few atoms are independent, but rows are."""
    x = Variable("X")
    row = [Predicate(f"is{place}", 1) for place in range(30)]
    pairs = combinations(enumerate(row), 2)
    hard = [Clause((), (one(x), other(x))) for (first, one), (second, other) in pairs if first * second % 3]
    with pytest.raises(TooLarge, match="more than 2,000,000 worlds"):
        WorldProfile(row, hard, 3, stop=Deadline(60))


def test_many_independent_atoms_are_too_many_worlds_at_once() -> None:
    """Every row has one of twenty values in each of ten columns: 21^10 worlds of one row alone."""
    columns = [[Predicate(f"column{place}is{value}", 1) for value in range(20)] for place in range(10)]
    x = Variable("X")
    hard = [Clause((), (one(x), other(x))) for column in columns for one, other in combinations(column, 2)]
    with pytest.raises(TooLarge, match="more than 2,000,000 worlds"):
        WorldProfile([predicate for column in columns for predicate in column], hard, 3, stop=Deadline(60))
