"""Weights against their definition: counts by trying, the gradient by differences, the likelihood by all worlds."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from budget import budget
from markov.random_networks import all_atoms, random_case, satisfied
from possilog.data import Database, Evidence, read
from possilog.errors import DataError, QueryError
from possilog.logic import Atom, Predicate, parse_atom
from possilog.markov import Domain, Network, learn_weights, parse_mln, read_mln, weighted_clauses
from possilog.markov.likelihood import FlipRows, flip_rows
from possilog.markov.weights import total_rows
from shared import shared_data


def soft_case(rng: random.Random) -> tuple[Network, Evidence]:
    """A random network without hard formulas, and a random world."""
    while True:
        case = random_case(rng)
        network = Network(
            tuple(type(d)(d.predicate, d.types) for d in case.network.declarations),
            tuple(formula for formula in case.network.formulas if not formula.is_hard),
            case.network.constants,
        )
        domain = Domain.of(network)
        if network.formulas and domain.atoms:
            return network, Evidence(Database.of(atom for atom in all_atoms(domain) if rng.random() < 0.4))


def counts(network: Network, domain: Domain, world: frozenset[Atom]) -> np.ndarray:
    """How many groundings of each formula hold, by trying all."""
    total = np.zeros(len(network.formulas))
    for clause in weighted_clauses(network.weighed([1.0] * len(network.formulas)), domain):
        total[clause.formula] += clause.weight * satisfied(clause, domain, world)
    return total


def rows_by_definition(network: Network, given: Evidence) -> dict[object, list[tuple[object, ...]]]:
    domain = Domain.of(network, given)
    world = frozenset(given.facts)
    found: dict[object, list[tuple[object, ...]]] = {declaration.predicate: [] for declaration in network.declarations}
    for atom in all_atoms(domain):
        change = counts(network, domain, world | {atom}) - counts(network, domain, world - {atom})
        found[atom.predicate].append((*change.round(9).tolist(), atom in world))
    return {predicate: sorted(listed) for predicate, listed in found.items()}


def listed(rows: FlipRows) -> list[tuple[object, ...]]:
    """A row for each atom, as the definition makes them."""
    found: list[tuple[object, ...]] = []
    for change, true, false in zip((rows.changes + 0.0).round(9).tolist(), rows.true, rows.false, strict=True):
        found += [(*change, True)] * int(true) + [(*change, False)] * int(false)
    return sorted(found)


@pytest.mark.parametrize("part", range(4))
def test_what_flipping_an_atom_changes(part: int) -> None:
    rng = random.Random(part)
    for _ in range(budget(150)):
        network, given = soft_case(rng)
        expected = rows_by_definition(network, given)
        assert {
            predicate: listed(rows) for predicate, rows in flip_rows(network, Domain.of(network, given), given).items()
        } == expected, network


@pytest.mark.parametrize(
    "formula",
    ["P(A1, y) v P(A1, z)", "Q(y) v !P(A1, y) v !P(A2, y)", "!P(A2, y) v P(A1, z) v !P(A2, A1)", "P(x, y) v P(A2, x)"],
)
def test_what_flipping_an_atom_changes_where_literals_name_constants(formula: str) -> None:
    network = parse_mln(f"a = {{A1, A2, A3}}\nP(a, a)\nQ(a)\n1 {formula}")
    facts = ["P(A1, A3)", "P(A2, A3)", "P(A1, A2)", "P(A2, A1)", "Q(A1)"]
    given = Evidence(Database.of(map(parse_atom, facts)))
    found = flip_rows(network, Domain.of(network, given), given)
    assert {predicate: listed(rows) for predicate, rows in found.items()} == rows_by_definition(network, given)


def test_the_gradient_by_differences() -> None:
    rng = random.Random(0)
    for _ in range(budget(100)):
        network, given = soft_case(rng)
        rows = total_rows(network, [given], weighted=rng.random() < 0.5)
        weights = np.array([rng.gauss(0, 1) for _ in network.formulas])
        value, gradient = rows.value_and_gradient(weights)
        assert value == pytest.approx(rows.value(weights), rel=1e-12)
        for place in range(len(weights)):
            step = np.zeros(len(weights))
            step[place] = 1e-5
            slope = (rows.value(weights + step) - rows.value(weights - step)) / 2e-5
            assert gradient[place] == pytest.approx(slope, abs=1e-6 * (1 + abs(slope)))


def pseudo_by_worlds(network: Network, weights: np.ndarray, given: Evidence) -> float:
    """The definition: each atom's probability given all others, from the exact distribution over worlds."""
    domain = Domain.of(network, given)
    world = frozenset(given.facts)
    total = 0.0
    for atom in all_atoms(domain):
        here = counts(network, domain, world) @ weights
        there = counts(network, domain, world ^ {atom}) @ weights
        total -= math.log1p(math.exp(there - here))
    return total


def test_the_pseudo_likelihood_is_that_of_the_distribution() -> None:
    rng = random.Random(1)
    for _ in range(budget(60)):
        network, given = soft_case(rng)
        weights = np.array([rng.gauss(0, 1) for _ in network.formulas])
        value = total_rows(network, [given], weighted=False).value(weights)
        assert value == pytest.approx(pseudo_by_worlds(network, weights, given), rel=1e-9, abs=1e-9)


def log_likelihood(network: Network, weights: np.ndarray, given: Evidence) -> float:
    """The exact likelihood: of all worlds."""
    domain = Domain.of(network, given)
    atoms = all_atoms(domain)
    energies = []
    for bits in range(2 ** len(atoms)):
        world = frozenset(atom for place, atom in enumerate(atoms) if bits >> place & 1)
        energies.append(float(counts(network, domain, world) @ weights))
    return float(counts(network, domain, frozenset(given.facts)) @ weights) - float(np.logaddexp.reduce(energies))


def test_where_atoms_are_independent_it_is_the_likelihood() -> None:
    # Of unit clauses and clauses over one atom the pseudo-likelihood is the likelihood, and so are the best weights.
    network = parse_mln("a = {A, B, C}\nP(a)\nQ(a)\n0 P(x)\n0 P(A)\n0 Q(x)")
    given = Evidence(Database.of(map(parse_atom, ["P(A)", "P(B)", "Q(C)"])))
    for weights in np.random.default_rng(0).normal(size=(5, 3)):
        pseudo = total_rows(network, [given], weighted=False).value(weights)
        assert pseudo == pytest.approx(log_likelihood(network, weights, given))


def test_on_many_samples_it_finds_the_weights_of_the_distribution() -> None:
    # Pseudo-likelihood is consistent: from worlds drawn exactly, the weights that drew them come back.
    network = parse_mln("a = {A, B}\nP(a)\nR(a, a)\n-0.5 P(x)\n0.7 R(x, y)\n1.2 P(x) ^ R(x, y) => P(y)")
    weights = np.array([float(formula.weight or 0) for formula in network.formulas])
    domain = Domain.of(network)
    atoms = all_atoms(domain)
    worlds = [frozenset(a for i, a in enumerate(atoms) if bits >> i & 1) for bits in range(2 ** len(atoms))]
    energies = np.array([counts(network, domain, world) @ weights for world in worlds])
    chances = np.exp(energies - np.logaddexp.reduce(energies))
    drawn = np.random.default_rng(0).choice(len(worlds), 500, p=chances)
    learned = learn_weights(network, [Evidence(Database.of(worlds[number])) for number in drawn], prior=None)
    assert learned.converged
    assert [formula.weight for formula in learned.network.formulas] == pytest.approx(weights, abs=0.3)


def test_the_prior_and_several_databases() -> None:
    network = parse_mln("P(a)\nQ(a)\nP(x)\nQ(x) => P(x).")
    data = [Evidence.of(map(parse_atom, some)) for some in (["P(A)", "P(B)", "Q(A)"], ["P(C)"])]
    wide = [learn_weights(network, data, prior=prior, weighted=False) for prior in (None, 10.0, 1.0, 0.01)]
    weights = [float(one.network.formulas[0].weight or 0) for one in wide]
    # Given Q(A), P(A) is certain. Of the others, both are true: the weight without a prior has no bound.
    assert weights[0] > weights[1] > weights[2] > weights[3] > 0
    assert weights[3] == pytest.approx(0.01**2 * 2 * 0.5, rel=1e-2)
    assert wide[1].network.formulas[1].is_hard
    assert wide[2].objective == pytest.approx(wide[2].log_likelihood - weights[2] ** 2 / 2)


def test_plus_gives_each_constant_a_weight() -> None:
    network = parse_mln("Has(p, c)\nHas(x, +c)")
    facts = Database.of(
        map(parse_atom, ["Has(Ann, Red)", "Has(Bob, Red)", "Has(Cid, Red)", "Has(Cid, Blue)", "Has(Dan, Red)"])
    )
    learned = learn_weights(network, [facts], prior=10.0)
    blue, red = learned.network.formulas
    assert str(blue).endswith("Has(x, Blue)") and str(red).endswith("Has(x, Red)")
    assert float(blue.weight or 0) == pytest.approx(-math.log(3), abs=0.02) and float(red.weight or 0) > 3


def test_what_cannot_be_learned() -> None:
    with pytest.raises(DataError, match="no data"):
        learn_weights(parse_mln("P(a)\nP(x)"), [])
    with pytest.raises(QueryError, match="more than 0"):
        learn_weights(parse_mln("P(a)\nP(x)"), [Database.of([parse_atom("P(A)")])], prior=0)
    with pytest.raises(DataError, match=r"break the hard formula '!P\(x\)\.'; give"):
        learn_weights(parse_mln("P(a)\n!P(x)."), [Database.of([parse_atom("P(A)")])])


def test_matches_are_counted_and_not_listed() -> None:
    # 400 people in one town: 64 million ways to choose three of them.
    facts = Database.of(map(parse_atom, ["Rich(A)", *(f"In(P{i}, Town)" for i in range(400))]))
    network = parse_mln("In(person, town)\nRich(person)\n1 In(x, t) ^ In(y, t) ^ In(z, t) => Rich(x)")
    found = flip_rows(network, Domain.of(network, Evidence(facts)), Evidence(facts))
    assert listed(found[Predicate("Rich", 1)]) == [(0.0, True)] + [(400.0**2, False)] * 400


def test_false_atoms_are_counted_and_not_listed() -> None:
    # 10^10 atoms of R; two facts.
    names = ", ".join(f"A{number}" for number in range(100_000))
    network = parse_mln(f"a = {{{names}}}\nR(a, a)\nP(a)\nR(x, y)\nP(x)\nR(x, y) => P(y)\nR(x, y) ^ R(y, z) => R(x, z)")
    learned = learn_weights(network, [Database.of(map(parse_atom, ["R(A1, A2)", "R(A2, A3)", "P(A3)"]))])
    assert learned.rows < 100 and all(math.isfinite(float(f.weight or 0)) for f in learned.network.formulas)


def test_weights_on_uwcse() -> None:
    network = read_mln(shared_data("uwcse/paper/alchemy.mln"))
    learned = learn_weights(network, [read(shared_data("uwcse/paper/train.db"))], weighted=True)
    assert learned.converged and learned.gradient_norm < 1e-6
    before = total_rows(network, [Evidence(read(shared_data("uwcse/paper/train.db")))], weighted=True)
    assert learned.log_likelihood > before.value(np.array([float(f.weight or 0) for f in network.formulas]))
