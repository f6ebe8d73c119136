"""Splits: nothing is lost but what crosses, and that is counted."""

import subprocess
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from possilog.chance import generator
from possilog.data import Database, read, split_groups, split_halves
from possilog.data.splits import draw_facts
from possilog.errors import DataError, DataWarning
from possilog.logic import parse_atom
from shared import shared_data
from strategies import databases


def of(*facts: str) -> Database:
    return Database.of(map(parse_atom, facts))


@given(databases(), st.integers(0, 100))
def test_halves_by_definition(database: Database, seed: int) -> None:
    split = split_halves(database, seed)
    first, second = split.parts
    assert sorted(first.constants + second.constants) == list(database.constants)
    assert len(first.constants) - len(second.constants) in (0, 1)
    assert first == database.fragment(first.constants)
    assert second == database.fragment(second.constants)
    assert split.crossing == sum(fact not in first and fact not in second for fact in database)
    assert split == split_halves(database, seed)


@given(databases(), st.data(), st.integers(0, 100))
def test_drawn_facts_are_so_many_facts_over_their_own_constants(
    database: Database, data: st.DataObject, seed: int
) -> None:
    size = data.draw(st.integers(0, len(database)))
    drawn = draw_facts(database, size, generator(seed))
    assert len(drawn) == size
    assert drawn == Database.of(fact for fact in database if fact in drawn)
    assert drawn == draw_facts(database, size, generator(seed))


def test_halves_depend_on_the_seed_alone() -> None:
    program = (
        "from possilog.data import Database, split_halves; from possilog.logic import Atom; "
        "facts = {Atom.ground('p', [str(number)]) for number in range(50)}; "
        "print(split_halves(Database.of(facts), 3).parts[0].constants)"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    many = Database.of(parse_atom(f"p({number})") for number in range(50))
    assert split_halves(many, 1) != split_halves(many, 2)


@given(databases(), st.data())
def test_groups_by_definition(database: Database, data: st.DataObject) -> None:
    if not database.constants:
        return
    groups = data.draw(st.dictionaries(st.sampled_from(database.constants), st.sampled_from("xyz"), min_size=1))
    split = split_groups(database, groups)
    assert split.names == tuple(sorted(set(groups.values())))
    crossing = set()
    for fact in database:
        its_groups = {groups[term.name] for term in fact.arguments if term.name in groups}
        if len(its_groups) > 1:
            crossing.add(fact)
        for name, part in zip(split.names, split.parts, strict=True):
            assert (fact in part) == (its_groups <= {name})
    assert split.crossing == len(crossing)
    for name, part in zip(split.names, split.parts, strict=True):
        used = {term.name for fact in part for term in fact.arguments}
        assert set(part.constants) == used | {constant for constant, group in groups.items() if group == name}
        assert part.predicates == database.predicates


def test_an_unknown_constant_has_no_group() -> None:
    with pytest.raises(DataError, match="'eve' of group 'x'"):
        split_groups(of("p(a)"), {"eve": "x"})


def test_without_groups_there_is_no_part_for_the_facts() -> None:
    with pytest.raises(DataError, match="no groups to split by"):
        split_groups(of("p(a)"), {})


def test_the_areas_of_real_data_come_apart_again() -> None:
    names = ["ai", "graphics", "language", "systems", "theory"]
    areas = {name: read(shared_data(f"uwcse/{name}.db")) for name in names}
    groups: dict[str, str] = {}
    shared: set[str] = set()
    for name, area in areas.items():
        shared |= groups.keys() & set(area.constants)
        groups |= dict.fromkeys(area.constants, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        whole = read(shared_data("uwcse"))
    split = split_groups(whole, {constant: name for constant, name in groups.items() if constant not in shared})
    assert split.crossing == 0
    assert split.names == tuple(names)
    for name, part in zip(names, split.parts, strict=True):
        assert set(part) == set(areas[name])
        assert part.constants == areas[name].constants


def test_the_authors_halves_of_real_data_are_fragments() -> None:
    whole, train = read(shared_data("yeast/paper/all.db")), read(shared_data("yeast/paper/train.db"))
    assert whole.fragment(train.constants) == train
