"""How much is said of each thing, drawn again; and what it counts, by how well it shows the share of held-out parts."""

from __future__ import annotations

from math import log
from random import Random
from statistics import fmean

import pytest

from possilog.data import Database
from possilog.learning.dense import Dense
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.logic import Atom, Measures


def people(number: int, seed: int, groups: int = 4, often: float = 0.3) -> Database:
    """Everyone knows some of the others in the group, and some are old."""
    chance = Random(seed)
    names = [f"c{person}" for person in range(number)]
    atoms = [Atom.ground("old", [name]) for name in names if chance.random() < 0.6]
    atoms += [
        Atom.ground("knows", [names[one], names[other]])
        for one in range(number)
        for other in range(number)
        if one != other and one % groups == other % groups and chance.random() < often
    ]
    return Database.of(atoms)


def drawn(facts: Database, share: float, seed: int, name: str, sets: int) -> list[float]:
    """In each evidence set of a share, the number of facts, for each constant that one of them mentions."""
    found = []
    for place in range(sets):
        known = draw_known(facts, number_of(facts, share), seed, "dense", name, str(share), str(place))
        found.append(len(known) / len({constant for fact in known for constant in fact.arguments}))
    return found


def shown(each: float, dense: list[float]) -> float:
    """The share, on the lines between the shares, of which the last goes on; between 1 and 97 %."""
    rise = (dense[-1] - dense[-2]) / (SIMULATED[-1] - SIMULATED[-2])
    places, shares = [*dense, dense[-1] + rise * (1 - SIMULATED[-1])], [*SIMULATED, 1.0]
    for place in range(len(shares) - 1):
        if places[place] <= each <= places[place + 1] != places[place]:
            part = (each - places[place]) / (places[place + 1] - places[place])
            return min(max(shares[place] + part * (shares[place + 1] - shares[place]), 0.01), 0.97)
    return SIMULATED[0] if each < places[0] else 0.97


def log_odds(share: float) -> float:
    return log(share / (1 - share))


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize(
    "parts", [[(40, 1, 4)], [(60, 2, 4), (50, 3, 4)], [(40, 4, 20)], [(12, 5, 1), (30, 6, 3), (30, 7, 9)]]
)
def test_what_is_said_and_what_that_counts_by_definition(seed: int, parts: list[tuple[int, int, int]]) -> None:
    """Rules are taken to be half a unit of log odds off; the other is as far off as on parts, and a tenth more."""
    whole, held_out = people(80, 0), [people(number, start, groups) for number, start, groups in parts]
    found = Dense.fit(whole, held_out, seed)
    dense = [fmean(drawn(whole, share, seed, "all", 4)) for share in SIMULATED]
    assert found.facts == pytest.approx(dense) and dense == sorted(dense)
    off = [
        log_odds(shown(each, dense)) - log_odds(share)
        for number, part in enumerate(held_out)
        for share in SIMULATED[2:]  # from a fifth on
        for each in drawn(part, share, seed, str(number), 2)
    ]
    assert len(off) == 10 * len(parts)
    error = fmean(one * one for one in off) + 0.1**2
    assert found.weight == pytest.approx(0.5**2 / (0.5**2 + error))


def test_it_counts_where_parts_are_like_the_whole_and_not_where_they_are_torn_from_it() -> None:
    whole = people(80, 0)
    alike, torn = (Dense.fit(whole, [people(80, 1, 4, often)], 0).weight for often in (0.3, 0.1))
    assert 0.8 < alike < 1 and 0 < torn < 0.4


def test_measures_that_have_it_are_otherwise_the_same() -> None:
    measures = Measures((0.1, 0.5), (0.2, 0.6), (1.0, 2.0), given=(3.0, 4.0))
    found = Dense((1.5, 2.5), 0.25).within(measures)
    assert found == Measures((0.1, 0.5), (0.2, 0.6), (1.0, 2.0), given=(3.0, 4.0), dense=(1.5, 2.5), dense_weight=0.25)
