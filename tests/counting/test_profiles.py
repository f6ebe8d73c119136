"""Profiles of data and worlds: against enumeration, and the published numbers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.counting import DataProfile, TooLarge, WorldProfile, count_strata
from possilog.data import Database, read
from possilog.errors import QueryError
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Predicate,
    Rule,
    Theory,
    Weight,
    parse_clause,
    parse_theory,
    read_theory,
)
from possilog.logic.atom_space import AtomSpace
from possilog.matching import Matcher
from shared import shared_data
from strategies import databases, small_clauses


def violated(database: Database, rules: list[Clause]) -> int:
    matcher = Matcher(database)
    return sum(1 << place for place, rule in enumerate(rules) if matcher.exists(rule.violation))


@settings(max_examples=budget(1_200))
@given(databases(constants=6), st.integers(1, 4), st.lists(small_clauses(2, constants=False), max_size=4))
def test_the_data_profile_is_what_listing_all_subsets_gives(
    database: Database, width: int, rules: list[Clause]
) -> None:
    truth = Counter(violated(database.fragment(subset), rules) for subset in combinations(database.constants, width))
    assert DataProfile(database, width, rules).table() == dict(truth)


def worlds(predicates: list[Predicate], width: int) -> list[Database]:
    names = [str(number) for number in range(width)]
    atoms = [Atom.ground(p.name, [names[a] for a in arguments]) for p, arguments in AtomSpace(predicates, width).atoms]
    chosen = ([a for place, a in enumerate(atoms) if world >> place & 1] for world in range(1 << len(atoms)))
    return [Database.of(facts, constants=names) for facts in chosen]


UNARY = [Predicate("p", 1), Predicate("q", 1), Predicate("n", 0)]
WITH_BINARY = [Predicate("p", 1), Predicate("r", 2)]
WORLDS = {
    ("unary", 3): (UNARY, worlds(UNARY, 3)),
    ("unary", 1): (UNARY, worlds(UNARY, 1)),
    ("binary", 2): (WITH_BINARY, worlds(WITH_BINARY, 2)),
}


@settings(max_examples=budget(400))
@given(st.sampled_from(sorted(WORLDS)), st.data())
def test_the_world_profile_is_what_listing_all_worlds_gives(kind: tuple[str, int], data: st.DataObject) -> None:
    predicates, all_worlds = WORLDS[kind]

    def fits(clause: Clause) -> bool:
        return not clause.is_empty and all(atom.predicate in predicates for atom in clause.atoms)

    clauses = st.lists(small_clauses(2, constants=False).filter(fits), max_size=3)
    hard, rules = data.draw(clauses), data.draw(clauses)
    truth = Counter(violated(world, rules) for world in all_worlds if not violated(world, hard))
    profile = WorldProfile(predicates, hard, kind[1], rules)
    assert profile.table() == dict(truth)
    assert profile.worlds == truth.total()


def test_rules_can_be_added_one_by_one() -> None:
    facts = [Atom.ground("r", pair) for pair in ["ab", "bc", "cd"]] + [Atom.ground("p", "a")]
    database = Database.of(facts)
    rules = [parse_clause(text) for text in ("p(Y) :- r(X, Y).", ":- r(X, Y), r(Y, Z).", ":- p(X).")]
    for profile in (DataProfile(database, 3), WorldProfile(database.predicates, [], 2)):
        for rule in rules:
            profile.add(rule)
    together = DataProfile(database, 3, rules)
    step_by_step = DataProfile(database, 3, rules[:1])
    for rule in rules[1:]:
        step_by_step.add(rule)
    assert step_by_step.table() == together.table()


def test_limits_are_said() -> None:
    database = Database.of(Atom.ground("r", [f"c{i}", f"c{j}"]) for i, j in permutations(range(20), 2))
    with pytest.raises(TooLarge, match="data profile"):
        DataProfile(database, 4, [parse_clause(":- r(X, Y).")], limit=100).table()
    with pytest.raises(TooLarge, match="world profile"):
        WorldProfile([Predicate("r", 2)], [], 3, limit=100)
    with pytest.raises(QueryError, match="the width must be between 1 and the 20 constants"):
        count_strata(database, Theory(), 21)


def test_strata_with_several_rules_and_none() -> None:
    database = Database.of([Atom.ground("p", "a"), Atom.ground("q", "b"), Atom.ground("q", "c")])
    theory = parse_theory("0.9 :: q(X) :- p(X). 0.9 :: :- p(X). 0.5 :: p(X) :- q(X). 0.1 :: false.")
    counts = count_strata(database, theory, 1)
    assert [(s.n.value, s.m.value) for s in counts.strata] == [(0, 1), (2, 1), (1, 2)]
    assert (counts.subsets, counts.worlds.value) == (3, 4)
    assert [s.n.value for s in count_strata(database, Theory(), 2).strata] == [3]


@settings(max_examples=budget(30))
@given(databases(constants=5), st.integers(1, 3), st.lists(small_clauses(2, constants=False), max_size=3))
def test_counts_cut_by_cut_agree_with_profiles(database: Database, width: int, rules: list[Clause]) -> None:
    if width > len(database.constants) or sum(p.arity > 2 for p in database.predicates):
        return
    soft = tuple(
        Rule(rule, Weight.of(f"0.{place}"))
        for place, rule in enumerate(rules, start=1)
        if not rule.is_empty and all(atom.predicate.arity < 3 for atom in rule.atoms)
    )
    theory = Theory(soft)
    by_profile, by_cut = (count_strata(database, theory, width, limit=limit) for limit in (2_000_000, -1))
    assert by_cut.worlds.value == by_profile.worlds.value
    for one, other in zip(by_profile.strata, by_cut.strata, strict=True):
        assert one.n.value == other.n.value
        assert one.m.value == other.m.value
        assert other.n.method != "profile"


# The authors' theories (NOTES, numbers to test against)

UWCSE_N = [11552088, 12220, 11, 2048, 64, 3270, 815, 410, 6, 14, 26, 14, 4, 2, 4, 14, 7, 2, 1]
UWCSE_M = [1608, 234, 45, 204, 6, 702, 216, 552, 48, 6, 72, 45, 18, 12, 72, 144, 69, 36, 54]
YEAST_N = [71490957957, 139, 0, 8, 6, 0]
YEAST_M = [28384, 192, 96, 192, 96, 96]


def uwcse() -> tuple[Database, Theory]:
    folder = shared_data("uwcse") / "ijcai17"
    return read(folder / "train.db"), read_theory(folder / "uwcse.poss")


def yeast() -> tuple[Database, Theory]:
    """The symmetric data; the theory spells the predicates in lower case."""
    database = read(shared_data("yeast") / "paper" / "train.db")
    theory = read_theory(shared_data("yeast") / "ijcai17" / "yeast.poss")
    names = {predicate.name.lower(): predicate.name for predicate in database.predicates}
    facts = [
        Atom.ground(_spelled(atom.predicate.name, names), [t.name for t in atom.arguments if isinstance(t, Constant)])
        for atom in database
    ]
    return Database.of(facts), theory


def _spelled(name: str, names: dict[str, str]) -> str:
    return {"proteinclass": "protein_class"}.get(name.lower(), name.lower())


def test_the_authors_counts_on_uwcse() -> None:
    counts = count_strata(*uwcse(), 3)
    assert [s.n.value for s in counts.strata] == UWCSE_N
    assert [s.m.value for s in counts.strata] == UWCSE_M
    assert (counts.constants, counts.subsets, counts.worlds.value) == (412, 11571020, 4143)
    assert all(s.n.exact and s.m.exact for s in counts.strata)


def test_the_authors_counts_on_yeast() -> None:
    counts = count_strata(*yeast(), 4)
    assert [s.n.value for s in counts.strata] == YEAST_N
    assert [s.m.value for s in counts.strata] == YEAST_M
    assert (counts.constants, counts.subsets, counts.worlds.value) == (1146, 71490958110, 29056)


def test_uwcse_with_wider_fragments() -> None:
    counts = count_strata(*uwcse(), 4)
    assert counts.worlds.value == 176_847
    assert counts.strata[0].m.value == 32_851
    assert sum(s.n.value for s in counts.strata) == counts.subsets


def test_the_command() -> None:
    folder = shared_data("uwcse") / "ijcai17"
    program = "from possilog.cli import main; main()"
    arguments = ["count", str(folder / "uwcse.poss"), "--data", str(folder / "train.db"), "--width", "3"]
    command = [sys.executable, "-c", program, *arguments]
    printed = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    assert [stratum["n"] for stratum in printed["strata"]] == UWCSE_N
    assert [stratum["m"] for stratum in printed["strata"]] == UWCSE_M
    assert all(stratum["exact"] and stratum["method"] == "profile" for stratum in printed["strata"])
    assert printed["strata"][0]["rule"] == "false."
    assert {"width", "constants", "subsets", "worlds", "strata", "seconds"} == set(printed)
    assert "11,552,088" in subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_predicates_that_the_data_spells_otherwise_are_remarked(tmp_path: Path) -> None:
    (tmp_path / "facts.db").write_text("ProteinClass(a, b)\n")
    (tmp_path / "theory.pl").write_text(":- proteinclass(X, X).\n")
    program = "from possilog.cli import main; main()"
    command = [sys.executable, "-c", program, "count", "theory.pl", "--data", "facts.db", "--width", "2"]
    finished = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert finished.stderr == "warning: there are no facts of proteinclass/2; did you mean ProteinClass?\n"
