"""A network as a possibilistic theory that gives every world the same probability.

Kuželka, Davis and Schockaert, Encoding Markov logic networks in possibilistic logic (UAI 2015).

In a possibilistic theory a world is as possible as the strongest rule that it breaks lets it be: at most 1 - λ. So for
each probability p, from the smallest, a stratum of weight 1 - p forbids the worlds of probability p, and ⊥ has the
weight of the most probable ones. Then the worlds of the lowest consistent cut with some evidence are the most probable
worlds given this evidence, and the two say the same, whatever the evidence.

The theory is ground. A clause of a stratum is made as short as it can be without forbidding a world that is more
probable; still the size grows exponentially with the number of atoms in general, and hence the limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Context, Decimal

import numpy as np
import numpy.typing as npt

from possilog.errors import QueryError, TheoryError, listed, shortened
from possilog.logic import CERTAIN, Atom, Clause, Literal, Rule, Theory, Weight
from possilog.markov.cnf import weighted_clauses
from possilog.markov.domain import Domain, Numbers
from possilog.markov.grounding import code, match
from possilog.markov.network import Network, require_weights
from possilog.markov.problem import Weights

__all__ = ["MAX_ATOMS", "encode_network"]

MAX_ATOMS = 12
"""Ground atoms that a network may have to be encoded."""

_DIGITS = 9
"""Worlds whose weights agree in this many decimals are equally probable: sums of weights are not exact."""

_EXPONENTIAL = Context(prec=12)
_SMALLEST = -2300
"""Weights are written with exponents up to 1000, and e^-2300 is about 10^-999."""


def encode_network(network: Network, constants: Mapping[str, Iterable[str]] | None = None) -> Theory:
    """The ground theory that gives each world its probability; constants of types are added to those of the network.

    >>> from possilog.markov import parse_mln
    >>> print(encode_network(parse_mln("Rain\\nWet\\n-1 Rain\\n2 Rain => Wet\\n!Wet v Rain.")))
    % hard rules
    Rain :- Wet.
    <BLANKLINE>
    % a world that breaks this rule has probability at most 0.0352
    0.96488... :: Wet :- Rain.
    <BLANKLINE>
    % a world that breaks this rule has probability at most 0.26
    0.74050... :: :- Wet.
    <BLANKLINE>
    % ⊥: no world has a probability above 0.706
    0.29... :: false.
    <BLANKLINE>
    """
    require_weights(network)
    domain = _domain(network, {} if constants is None else constants)
    if domain.atoms > MAX_ATOMS:
        raise QueryError(
            f"the network has {domain.atoms} ground atoms over its constants, and a theory that says the same can be "
            f"made for {MAX_ATOMS}; take fewer constants"
        )
    energies = _energies(network, domain)
    if np.isneginf(energies).all():
        raise TheoryError("every world breaks a hard formula; take one of them away")
    atoms = domain.atoms_numbered(np.arange(domain.atoms))
    logs = energies - np.logaddexp.reduce(energies)
    logs = np.where(np.isneginf(logs), logs, logs.round(_DIGITS))
    levels = np.unique(logs)
    rules = []
    for level in levels[:-1].tolist():
        weight = _weight(level)
        rules += [Rule(clause, weight) for clause in _clauses(atoms, logs == level, logs > level)]
    return Theory(tuple(rules), _weight(float(levels[-1])))


def _domain(network: Network, constants: Mapping[str, Iterable[str]]) -> Domain:
    if not isinstance(constants, Mapping) or any(
        isinstance(names, str) or not isinstance(names, Iterable) for names in constants.values()
    ):
        shown = shortened(repr(constants))
        raise QueryError(f'constants are lists of names by type, such as {{"person": ["Ann"]}}; {shown} is none')
    for name in constants:
        if name not in network.types:
            raise QueryError(f"the network has no type {name!r}; its types are {listed(network.types, 10) or 'none'}")
    known = Domain.of(network).constants
    return Domain(network.declarations, {name: [*known[name], *constants.get(name, ())] for name in known})


def _energies(network: Network, domain: Domain) -> Weights:
    """Minus the weights of the violated ground clauses for each world, whose bits say which atoms are true."""
    worlds = np.arange(2**domain.atoms)
    energies = np.zeros(len(worlds))
    for clause in weighted_clauses(network, domain):
        coded = code(clause, domain)
        if coded is None:
            continue
        groundings = match(domain, coded)
        literals = [(groundings.atoms(pattern), positive) for pattern, positive in coded.literals]
        for place in range(groundings.count):
            violated = np.ones(len(worlds), dtype=bool)
            for atoms, positive in literals:
                violated &= (worlds >> int(atoms[place]) & 1).astype(bool) != positive
            energies[violated] -= clause.weight
    return energies


def _weight(log: float) -> Weight:
    if log == -np.inf:
        return CERTAIN
    if log < _SMALLEST:
        raise TheoryError("a world has a probability too small to be written; take smaller weights, or hard formulas")
    return Weight.of_doubt(_EXPONENTIAL.exp(Decimal(repr(log))))


def _clauses(atoms: list[Atom], forbidden: npt.NDArray[np.bool_], allowed: npt.NDArray[np.bool_]) -> Iterator[Clause]:
    """Short clauses that together forbid some worlds, and none of the allowed ones."""
    worlds = np.arange(len(forbidden))
    permitted = worlds[allowed]
    waiting = forbidden.copy()
    while waiting.any():
        world = int(np.argmax(waiting))
        fixed = _shortest(world, len(atoms), permitted)
        waiting &= ((worlds ^ world) & fixed).astype(bool)
        yield Clause.of(Literal(atom, not world >> i & 1) for i, atom in enumerate(atoms) if fixed >> i & 1)


def _shortest(world: int, atoms: int, permitted: Numbers) -> int:
    """Atoms, as bits, such that no permitted world agrees with a world on all of them; each of them is needed."""
    fixed: int = 2**atoms - 1
    differences = permitted ^ world
    for place in range(atoms):
        fewer = fixed & ~(1 << place)
        if (differences & fewer).all():
            fixed = fewer
    return fixed
