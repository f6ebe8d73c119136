"""Clauses as numbers: how literals are numbered, what may be added, what is too much, and keys."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from possilog.errors import QueryError
from possilog.logic import Predicate
from possilog.structure import clause_space
from possilog.structure.clause_space import ClauseSpace, fits

PREDICATES = [Predicate(name, arity) for name, arity in (("n", 0), ("p", 1), ("r", 2), ("s", 2), ("t", 3))]


@pytest.mark.parametrize("variables", [1, 2, 3, 4])
def test_literals_are_numbered_by_their_last_variable_then_predicate_then_arguments(variables: int) -> None:
    space = ClauseSpace(PREDICATES, variables, 2)
    atoms = [
        (max(arguments, default=-1), number, arguments)
        for number, predicate in enumerate(PREDICATES)
        for arguments in product(range(variables), repeat=predicate.arity)
    ]
    assert len(space.mask) == 2 * len(atoms)
    for place, (_, predicate, arguments) in enumerate(sorted(atoms)):
        assert space.number_of(predicate, arguments) == 2 * place
        for number, sign in ((2 * place, ""), (2 * place + 1, "not ")):
            named = f"({', '.join('ABCD'[argument] for argument in arguments)})" if arguments else ""
            assert str(space.literal(number)) == f"{sign}{PREDICATES[predicate].name}{named}"
            assert space.mask[number] == sum(1 << variable for variable in set(arguments))
            assert space.arguments[number].tolist() == [*arguments, *[-1] * (3 - len(arguments))]


@pytest.mark.parametrize("width", range(5))
def test_a_literal_may_be_added_where_its_new_variables_come_in_order(width: int) -> None:
    space = ClauseSpace(PREDICATES, 4, 2)
    wanted = []
    for number in range(len(space.mask)):
        arguments = [argument for argument in space.arguments[number].tolist() if argument >= 0]
        new = list(dict.fromkeys(argument for argument in arguments if argument >= width))
        wanted += [number] if new == list(range(width, width + len(new))) else []
    assert space.extensions(width).tolist() == wanted


def test_clauses_are_too_many_where_a_key_has_no_room_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    pair, single = Predicate("r", 2), Predicate("p", 1)
    assert fits([pair], 4, 12) and not fits([pair], 4, 13)  # 32 literals have five bits
    assert fits([pair, single], 4, 10) and not fits([pair, single], 4, 11)  # 40 have six
    assert fits([], 3, 63) and not fits([], 3, 64)
    for most, fit in ((39, False), (40, True), (41, True)):
        monkeypatch.setattr(clause_space, "_MOST_LITERALS", most)
        assert fits([pair, single], 4, 2) is fit
        if fit:
            assert ClauseSpace([pair, single], 4, 2).bits == 6


@pytest.mark.parametrize(
    ("literals", "variables", "told"),
    [
        (13, 4, "of 13 literals over 4 variables .* 32 literals; ask for 2 variables at most or fewer literals$"),
        (22, 4, "ask for 1 variable at most or fewer literals$"),
        (64, 4, "ask for fewer literals$"),
        (2, 4_000, "are 32,000,000 literals; ask for 724 variables at most$"),
        (64, 4_000, "ask for fewer literals and variables$"),
    ],
)  # fmt: skip
def test_what_could_be_searched_instead(literals: int, variables: int, told: str) -> None:
    with pytest.raises(QueryError, match=told):
        ClauseSpace([Predicate("r", 2)], variables, literals)


@pytest.mark.parametrize(("places", "most"), [(0, 0), (0, 2), (1, 1), (3, 1), (4, 2), (5, 3), (5, 9), (6, 6)])
def test_partitions_by_definition(places: int, most: int) -> None:
    """Groups are numbered as they come."""
    ways = product(range(most), repeat=places)
    named = {tuple(list(dict.fromkeys(way)).index(group) for group in way) for way in ways}
    assert clause_space._partitions(places, most) == len(named)


@pytest.mark.parametrize("seed", range(12))
def test_literals_that_share_no_variable_have_one_key_however_they_are_named(seed: int) -> None:
    """Their signs and predicates alone tell them apart; and seven variables are too many for all orders."""
    rng = np.random.default_rng(seed)
    some = [Predicate(name, arity) for name, arity in (("p", 1), ("q", 1), ("r", 2), ("s", 2))]
    space = ClauseSpace(some, 8, 5)

    def named(chosen: list[tuple[int, int]]) -> list[int]:
        """The literals, in any order, over variables in any order."""
        names = iter(rng.permutation(8).tolist())
        said = [space.number_of(one, [next(names) for _ in range(some[one].arity)]) + sign for one, sign in chosen]
        return [said[place] for place in rng.permutation(len(said)).tolist()]

    chosen = [(one, int(rng.integers(2))) for one in (*rng.integers(2, size=2).tolist(), 2, 2 + seed % 2, 3)]
    keys = space.keys(np.array([named(chosen) for _ in range(20)], dtype=np.int32))
    assert len(set(keys.tolist())) == 1
    turned = [(chosen[0][0], 1 - chosen[0][1]), *chosen[1:]]
    assert space.keys(np.array([named(turned)], dtype=np.int32))[0] not in keys
