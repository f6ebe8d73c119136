"""Groups of constants: what belongs together stays together, and nothing is lost but what crosses."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from possilog.data import Database
from possilog.data.splits import split_groups
from possilog.learning.groups import cut, file_groups, find_groups, find_parts, find_splits
from possilog.logic import parse_atom
from strategies import databases


def of(*facts: str) -> Database:
    return Database.of(map(parse_atom, facts))


def families(number: int) -> Database:
    """Families that nothing but a value, which all of them have, connects."""
    facts = []
    for family in range(number):
        people = [f"p{family}{letter}" for letter in "abcd"]
        facts += [f"knows({one}, {other})" for one in people for other in people if one != other]
        facts += [f"speaks({one}, english)" for one in people]
    return of(*facts)


def test_families_stay_together() -> None:
    groups = find_groups(families(9), 3)
    assert all(len({groups[f"p{family}{letter}"] for letter in "abcd"}) == 1 for family in range(9))
    assert sorted(list(groups.values()).count(name) for name in "012") == [12, 12, 12]


def test_what_all_have_is_shared_and_nothing_crosses() -> None:
    database = families(9)
    groups = find_groups(database, 3)
    assert "english" not in groups
    assert split_groups(database, groups).crossing == 0


def test_where_everything_hangs_together_constants_are_dealt_out_at_random() -> None:
    names = [f"p{number}" for number in range(30)]
    database = of(*(f"knows({one}, {other})" for one in names for other in names))
    groups = find_groups(database, 3)
    assert sorted(list(groups.values()).count(name) for name in "012") == [10, 10, 10]
    crossing = sum(groups[one] != groups[other] for one in names for other in names)
    assert split_groups(database, groups).crossing == crossing == 600
    assert find_groups(database, 3, seed=1) != groups


def test_no_split_is_another_one_again() -> None:
    """Three families can be put into three groups in one way only, nine in several."""
    for number, expected in ((3, 1), (9, 2)):
        splits = find_splits(families(number), 2, 3, 0)
        assert [part.name for split in splits for part in split] == [
            f"part-{split}-{part}" for split in range(1, expected + 1) for part in (1, 2, 3)
        ]
        found = [{frozenset(part.facts) for part in split} for split in splits]
        assert all(one != other for one, other in pairwise(found))


@given(databases(max_facts=20), st.integers(1, 4), st.integers(0, 3))
def test_groups_are_deterministic_and_of_known_constants(database: Database, count: int, seed: int) -> None:
    groups = find_groups(database, count, seed)
    assert groups == find_groups(database, count, seed)
    assert set(groups) <= set(database.constants)
    assert len(set(groups.values())) <= count


@given(databases(max_facts=20), st.dictionaries(st.sampled_from("abcde"), st.sampled_from("xyz")))
def test_parts_by_definition(database: Database, groups: dict[str, str]) -> None:
    groups = {constant: group for constant, group in groups.items() if constant in database.constants}
    found = {}
    for number, name in enumerate(sorted(set(groups.values())), start=1):
        mine = {constant for constant, group in groups.items() if group == name}
        others = groups.keys() - mine
        about = {fact: {term.name for term in fact.arguments} for fact in database}
        inside = {fact for fact, constants in about.items() if not constants & others}
        rest = {fact for fact, constants in about.items() if not constants & mine}
        if inside and rest and others:
            found[f"g-{number}"] = (inside, rest)
    assert {part.name: (set(part.facts), set(part.rest)) for part in cut(database, groups, "g")} == found


def test_parts_of_large_data_are_no_larger_than_needed() -> None:
    many = Database.of(parse_atom(f"speaks(p{number}, english)") for number in range(12_000))
    parts = find_parts(many, 3, 0, "part")
    assert [part.name for part in parts] == ["part-1", "part-2", "part-3"]
    assert [len(part.facts) for part in parts] == [3_000, 3_000, 3_000]
    assert [len(part.rest) for part in parts] == [9_000, 9_000, 9_000]


def test_files_are_groups_but_for_what_they_share() -> None:
    one, other = of("likes(ann, tea)", "likes(bob, tea)"), of("likes(eve, tea)", "likes(eve, milk)")
    assert file_groups({"one": one, "other": other}) == {"ann": "one", "bob": "one", "eve": "other", "milk": "other"}


def test_files_of_different_predicates_are_tables_and_no_groups() -> None:
    assert file_groups({"likes.csv": of("likes(ann, bob)"), "age.csv": of("age(ann, young)", "age(eve, old)")}) == {}
    assert file_groups({"one": families(3)}) == {}
