"""Small random networks of any shape, and the definition of MAP: look at every world."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from possilog.data import Evidence
from possilog.logic import Atom, Constant, Literal, Term, Variable
from possilog.markov import Domain, Network, WeightedClause, parse_mln, weighted_clauses

TYPES = {"a": ["A1", "A2", "A3"], "b": ["B1", "B2"]}


@dataclass(frozen=True)
class Case:
    network: Network
    evidence: Evidence
    closed: tuple[str, ...]
    text: str


def random_case(rng: random.Random) -> Case:
    """A network with few unknown atoms."""
    while True:
        case = _random_case(rng)
        if len(unknown_atoms(case)) <= 9:
            return case


def _random_case(rng: random.Random) -> Case:
    sizes = {"a": rng.randint(1, 3), "b": rng.randint(0, 2)}
    shapes = [[], ["a"], ["a"], ["b"], ["a", "b"], ["a", "a"]]
    predicates = {f"P{i}": rng.choice(shapes) for i in range(rng.randint(1, 3))}
    lines = [f"{name} = {{{', '.join(TYPES[name][:size])}}}" for name, size in sizes.items() if size]
    for name, types in predicates.items():
        marks = [t + ("!" if rng.random() < 0.04 else "") for t in types]
        lines.append(f"{name}({', '.join(marks)})" if types else name)
    for _ in range(rng.randint(1, 5)):
        formula = _formula(rng, predicates, sizes)
        if rng.random() < 0.15:
            lines.append(f"{formula}.")
        else:
            weight = rng.choice([0.5, 1, 1.5, 2, 3, rng.uniform(0, 3)])
            lines.append(f"{rng.choice([-1, 1]) * weight} {formula}")
    text = "\n".join(lines)
    network = parse_mln(text)
    literals = []
    for atom in all_atoms(Domain.of(network)):
        draw = rng.random()
        if draw < 0.2:
            literals.append(Literal(atom, True))
        elif draw < 0.3:
            literals.append(Literal(atom, False))
    closed = tuple(name for name in predicates if rng.random() < 0.1)
    return Case(network, Evidence.of(literals), closed, text)


def _formula(rng: random.Random, predicates: dict[str, list[str]], sizes: dict[str, int]) -> str:
    if rng.random() < 0.6:  # a clause, as learners make them
        literals = [rng.choice(["", "!"]) + _atom(rng, predicates, sizes) for _ in range(rng.randint(1, 3))]
        if rng.random() < 0.1 and "(x" in " ".join(literals) and "(y" in " ".join(literals):
            literals.append(rng.choice(["x = y", "x != y", "x = A1"]))
        return " v ".join(literals)
    return _sentence(rng, predicates, sizes, 2)


def _sentence(rng: random.Random, predicates: dict[str, list[str]], sizes: dict[str, int], depth: int) -> str:
    if depth == 0 or rng.random() < 0.2:
        return rng.choice(["", "!"]) + _atom(rng, predicates, sizes)
    left = _sentence(rng, predicates, sizes, depth - 1)
    right = _sentence(rng, predicates, sizes, depth - 1)
    kind = rng.randrange(6)
    free = [v for v in "xyu" if v in left and f" {v} (" not in left]
    if kind == 5 and free:
        return f"({rng.choice(['EXIST', 'FORALL'])} {rng.choice(free)} ({left}))"
    if kind == 4:
        return f"!({left} v {right})"
    return f"({left} {['^', 'v', '=>', '<=>'][kind % 4]} {right})"


def _atom(rng: random.Random, predicates: dict[str, list[str]], sizes: dict[str, int]) -> str:
    name = rng.choice(list(predicates))
    terms = []
    for kind in predicates[name]:
        names = {"a": ["x", "y", "z"], "b": ["u", "w"]}[kind]
        constants = TYPES[kind][: sizes[kind]]
        terms.append(rng.choice(constants) if constants and rng.random() < 0.1 else rng.choice(names))
    return f"{name}({', '.join(terms)})" if terms else name


# The definition


def all_atoms(domain: Domain) -> list[Atom]:
    return [
        Atom(predicate, tuple(map(Constant, names)))
        for predicate, declaration in domain.declarations.items()
        for names in product(*(domain.constants[kind] for kind in declaration.types))
    ]


def unknown_atoms(case: Case) -> list[Atom]:
    known = {*case.evidence.facts, *case.evidence.denied}
    atoms = all_atoms(Domain.of(case.network, case.evidence))
    return [atom for atom in atoms if atom not in known and atom.predicate.name not in case.closed]


def objectives(case: Case) -> tuple[list[Atom], npt.NDArray[np.float64]]:
    """The unknown atoms, and each world's objective, minus infinity if forbidden; its bits say which atoms are true."""
    atoms = unknown_atoms(case)
    place = {atom: i for i, atom in enumerate(atoms)}
    worlds = np.arange(2 ** len(atoms))
    total = np.zeros(len(worlds))
    domain = Domain.of(case.network, case.evidence)
    for clause in weighted_clauses(case.network, domain):
        for grounding in _groundings(clause.types, domain):
            value = np.zeros(len(worlds), dtype=bool)
            value |= any(_bound(one, grounding) == _bound(other, grounding) for one, other in clause.distinct)
            value |= any(_bound(one, grounding) != _bound(other, grounding) for one, other in clause.equal)
            for literal in clause.clause.literals:
                atom = literal.atom.substitute(grounding)
                if atom in place:
                    value |= ((worlds >> place[atom]) & 1).astype(bool) == literal.positive
                else:
                    value |= (atom in case.evidence.facts) == literal.positive
            total += np.where(value, 0 if clause.is_hard else clause.weight, -np.inf if clause.is_hard else 0)
    return atoms, total


def satisfied(clause: WeightedClause, domain: Domain, world: frozenset[Atom]) -> int:
    """How many groundings of a clause hold in a world of true atoms."""
    count = 0
    for grounding in _groundings(clause.types, domain):
        equalities = [_bound(one, grounding) == _bound(other, grounding) for one, other in clause.distinct]
        equalities += [_bound(one, grounding) != _bound(other, grounding) for one, other in clause.equal]
        literals = [(one.atom.substitute(grounding) in world) == one.positive for one in clause.clause.literals]
        count += any(equalities) or any(literals)
    return count


def _bound(term: Term, grounding: dict[Variable, Constant]) -> Term:
    return grounding.get(term, term) if isinstance(term, Variable) else term


def _groundings(types: tuple[tuple[Variable, str], ...], domain: Domain) -> Iterator[dict[Variable, Constant]]:
    for names in product(*(domain.constants[kind] for _, kind in types)):
        yield {v: Constant(name) for (v, _), name in zip(types, names, strict=True)}
