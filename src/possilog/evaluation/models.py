"""What is compared: each model says what holds beyond the evidence, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from possilog.data import Database
from possilog.errors import QueryError
from possilog.inference import Fragments, How, Reasoner
from possilog.learning.calibration import calibrated
from possilog.logic import CERTAIN, Atom, Constant, Predicate, Theory, Weight, read_as
from possilog.marginals import density_tree
from possilog.markov import Domain, MapState, Network, map_state

__all__ = [
    "Added",
    "CalibratedModel",
    "DensityTreeModel",
    "EvidenceOnly",
    "MarkovModel",
    "Model",
    "SymmetricClosure",
    "TheoryModel",
    "hard_rules_only",
    "symmetric_predicates",
]

Added = Mapping[Atom, Weight]
"""Atoms that are predicted beyond the evidence, and how certain each is."""


class Model(Protocol):
    """Anything that predicts."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def added(self, facts: Database) -> Added:
        """What it predicts beyond the evidence."""
        ...


@dataclass(frozen=True)
class EvidenceOnly:
    """The baseline of the paper: nothing else holds."""

    name: str = "evidence only"

    def added(self, facts: Database) -> Added:
        """Nothing."""
        return {}


@dataclass(frozen=True)
class TheoryModel:
    """A theory with one of the inferences."""

    name: str
    theory: Theory
    how: How | str = "local"

    @cached_property
    def _reasoner(self) -> Reasoner:
        return Reasoner(self.theory)

    def added(self, facts: Database) -> Added:
        """The conclusions, with their certainties."""
        found = self._reasoner.predict(facts, self.how)
        return {conclusion.atom: conclusion.certainty for conclusion in found.added}


@dataclass(frozen=True)
class CalibratedModel:
    """A theory with local inference and what the training data say of its rules, where it carries no measures."""

    name: str
    theory: Theory
    train: Database

    @cached_property
    def _model(self) -> TheoryModel:
        return TheoryModel(self.name, calibrated(self.theory, self.train))

    def added(self, facts: Database) -> Added:
        """The conclusions of the rules that pay, with their certainties."""
        return self._model.added(facts)


def hard_rules_only(name: str, theory: Theory) -> TheoryModel:
    """The rules of weight 1 alone. What the evidence itself breaks is set aside."""
    return TheoryModel(name, Theory(theory.hard))


@dataclass(frozen=True)
class MarkovModel:
    """A Markov logic network: the most probable world, proved to be so."""

    name: str
    network: Network
    spelling: Mapping[Predicate, Predicate] = field(default_factory=dict)
    """Predicates of the network that the facts spell otherwise."""
    time_limit: float | None = None
    """Seconds for a world; where it is not proved by then, that is an error."""

    @classmethod
    def of(
        cls, name: str, network: Network, predicates: Iterable[Predicate], time_limit: float | None = None
    ) -> MarkovModel:
        """The model for facts of some predicates."""
        declared = [declaration.predicate for declaration in network.declarations]
        return cls(name, network, read_as(declared, predicates), time_limit)

    def added(self, facts: Database) -> Added:
        """The true atoms of the most probable world; it does not tell them apart by certainty."""
        predicted = self.world(facts).predicted
        return {Atom(self.spelling.get(a.predicate, a.predicate), a.arguments): CERTAIN for a in predicted}

    def world(self, facts: Database, domain: Domain | None = None) -> MapState:
        """The most probable world, in the network's spelling."""
        found = map_state(self.network, self.respelt(facts), domain=domain, time_limit=self.time_limit)
        if not found.optimal:
            raise QueryError(
                f"no world was proved to be the most probable in {self.time_limit:g} seconds; give it more"
            )
        return found

    def respelt(self, facts: Database) -> Database:
        """The facts in the network's spelling."""
        back = {spelt: read for read, spelt in self.spelling.items()}
        return Database(facts.constants, {back.get(p, p): facts.rows(p) for p in facts.predicates})


@dataclass(frozen=True)
class SymmetricClosure:
    """Facts of some predicates hold both ways, and nothing else: all that the paper's network did on Yeast."""

    predicates: tuple[Predicate, ...]
    name: str = "symmetric closure"

    def added(self, facts: Database) -> Added:
        """The mirrored facts that are not given."""
        found = {}
        for predicate in self.predicates:
            pairs = _pairs(facts, predicate)
            for one, other in pairs:
                if (other, one) not in pairs:
                    found[predicate(Constant(facts.constants[other]), Constant(facts.constants[one]))] = CERTAIN
        return found


def symmetric_predicates(database: Database) -> tuple[Predicate, ...]:
    """The binary predicates all of whose facts hold both ways, and not only because they are about one thing.

    >>> from possilog.logic import parse_atom
    >>> facts = ["near(rome, ostia)", "near(ostia, rome)", "same(rome, rome)", "in(rome, italy)"]
    >>> [str(predicate) for predicate in symmetric_predicates(Database.of(map(parse_atom, facts)))]
    ['near/2']
    """
    found = []
    for predicate in (p for p in database.predicates if p.arity == 2 and database.count(p)):
        pairs = _pairs(database, predicate)
        if any(one != other for one, other in pairs) and all((other, one) in pairs for one, other in pairs):
            found.append(predicate)
    return tuple(found)


def _pairs(facts: Database, predicate: Predicate) -> set[tuple[int, int]]:
    return {(one, other) for one, other in facts.rows(predicate).T.tolist()}


@dataclass(frozen=True)
class DensityTreeModel:
    """The density-estimation tree of width 1 (ECAI 2016), which knows about single things only: each by itself."""

    train: Database
    name: str = "density-estimation tree"

    @cached_property
    def _model(self) -> TheoryModel:
        return TheoryModel(self.name, density_tree(self.train).shortened.theory(), Fragments(width=1))

    def added(self, facts: Database) -> Added:
        """What the most probable worlds of every constant have in common."""
        return self._model.added(facts)
