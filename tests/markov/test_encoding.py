"""A network as a theory, against the definitions of both: every world, and every evidence."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from budget import budget
from markov.random_networks import Case, all_atoms, objectives, random_case
from possilog.data import Evidence
from possilog.errors import QueryError, TheoryError
from possilog.logic import CERTAIN, Atom, Clause, Literal, Theory, parse_theory
from possilog.markov import Domain, Network, encode_network, parse_mln


def small_case(rng: random.Random) -> Network:
    """A random network with few atoms, some world of which is possible."""
    while True:
        network = random_case(rng).network
        if Domain.of(network).atoms <= 7 and np.isfinite(worlds_of(network)[1]).any():
            return network


def worlds_of(network: Network) -> tuple[list[Atom], np.ndarray]:
    return objectives(Case(network, Evidence(), (), ""))


def breaks(world: frozenset[Atom], clause: Clause) -> bool:
    return all((literal.atom in world) != literal.positive for literal in clause.literals)


def consequences(worlds: list[frozenset[Atom]], atoms: list[Atom]) -> set[Literal]:
    """The literals that hold in all of some worlds."""
    literals = [Literal(atom, sign) for atom in atoms for sign in (True, False)]
    return {one for one in literals if all((one.atom in world) == one.positive for world in worlds)}


def lowest_consistent_cut(theory: Theory, worlds: list[frozenset[Atom]]) -> list[frozenset[Atom]]:
    """The worlds that the lowest cut with one lets be; none where the hard rules let none be."""
    weights = sorted({CERTAIN, *(rule.weight for rule in theory)})
    for weight in weights:
        cut = [rule.clause for rule in theory.cut(weight)]
        left = [world for world in worlds if not any(breaks(world, clause) for clause in cut)]
        if left:
            return left
    return []


@pytest.mark.parametrize("part", range(4))
def test_the_theory_says_what_the_network_says(part: int) -> None:
    rng = random.Random(part)
    for _ in range(budget(30)):
        network = small_case(rng)
        theory = encode_network(network)
        assert parse_theory(str(theory)) == theory
        atoms, values = worlds_of(network)
        worlds = [frozenset(atom for i, atom in enumerate(atoms) if bits >> i & 1) for bits in range(2 ** len(atoms))]
        chances = np.exp(values - np.logaddexp.reduce(values))
        for world, chance in zip(worlds, chances.tolist(), strict=True):
            doubts = [float(rule.weight.doubt) for rule in theory if breaks(world, rule.clause)]
            assert min(doubts, default=float(theory.falsity.doubt)) == pytest.approx(chance, rel=1e-7, abs=1e-300)
        for _ in range(20):
            known = {atom: rng.random() < 0.5 for atom in atoms if rng.random() < rng.random()}
            fitting = [i for i, world in enumerate(worlds) if all((a in world) == sign for a, sign in known.items())]
            best = values[fitting].max()
            if math.isinf(best):
                assert lowest_consistent_cut(theory, [worlds[i] for i in fitting]) == []
                continue
            most_probable = [worlds[i] for i in fitting if values[i] > best - 1e-8]
            cut = lowest_consistent_cut(theory, [worlds[i] for i in fitting])
            assert {*cut} == {*most_probable}
            assert consequences(cut, atoms) == consequences(most_probable, atoms)


def test_clauses_are_no_longer_than_they_need_be() -> None:
    network = parse_mln("Rain\nWet\nSun\n2 Rain => Wet")
    (rule,) = encode_network(network)
    assert str(rule.clause) == "Wet :- Rain."
    assert encode_network(parse_mln("Rain\nWet")).rules == ()


def test_constants_and_limits() -> None:
    network = parse_mln("Smokes(person)\nFriends(person, person)\n1 Smokes(x) ^ Friends(x, y) => Smokes(y)")
    theory = encode_network(network, {"person": ["Anna", "Bob"]})
    assert {str(atom) for rule in theory for atom in rule.clause.atoms} >= {'Smokes("Anna")', 'Friends("Bob", "Anna")'}
    assert len(all_atoms(Domain(network.declarations, {"person": ["Anna", "Bob"]}))) == 6
    with pytest.raises(QueryError, match="30 ground atoms over its constants"):
        encode_network(network, {"person": list("ABCDE")})
    with pytest.raises(QueryError, match="no type 'dog'"):
        encode_network(network, {"dog": ["Rex"]})
    with pytest.raises(TheoryError, match="no weight"):
        encode_network(replace(network, formulas=(replace(network.formulas[0], weight=None),)))
    with pytest.raises(TheoryError, match="every world"):
        encode_network(parse_mln("Rain\nRain.\n!Rain."))
    with pytest.raises(TheoryError, match="too small"):
        encode_network(parse_mln("Rain\n5000 Rain"))
