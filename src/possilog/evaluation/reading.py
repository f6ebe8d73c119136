"""Can formulas be read alone? How far a model does what each of them says by itself (section Introduction).

A formula makes claims about a set of facts. A rule claims, for each match of its body, that one of its heads holds. A
formula of a network with a positive weight claims the same, and one with a negative weight that it is false: that every
atom of its body holds, whatever the constants. What is already given is no claim. A claim is followed if the model
predicts it. Claims that something does not hold are left out, because nearly nothing holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import permutations, product

from possilog.data import Database, Evidence
from possilog.errors import QueryError
from possilog.evaluation.models import MarkovModel, Model, TheoryModel
from possilog.evaluation.protocol import EvidenceSet
from possilog.learning.decoding import text, whole
from possilog.logic import Atom, Clause, Constant, Literal, Predicate, Query, Term, Variable, variables_of
from possilog.markov import Domain, map_state, weighted_clauses
from possilog.markov.network import Network, atoms_of
from possilog.matching import Matcher

__all__ = ["ExampleWorld", "Reading", "Size", "read_alone", "size_of", "two_kinds"]

Claim = tuple[Atom, ...]
"""One of these holds; a variable stands for anything."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much there is to read: weighted formulas, and the literals in them."""

    formulas: int
    literals: int
    hard: int = 0

    @classmethod
    def from_json(cls, kept: Mapping[str, object]) -> Size:
        """What ``as_json`` gave."""
        return cls(whole(kept["formulas"]), whole(kept["literals"]), whole(kept["hard"]))

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {"formulas": self.formulas, "literals": self.literals, "hard": self.hard}


def size_of(model: Model) -> Size | None:
    """The size of a theory, not counting the hard rules' literals, or of a network; None for other models."""
    if isinstance(model, TheoryModel):
        soft = model.theory.soft
        return Size(len(soft), sum(len(rule.clause.atoms) for rule in soft), len(model.theory.hard))
    if isinstance(model, MarkovModel):
        formulas = model.network.formulas
        literals = sum(len(list(atoms_of(formula.sentence))) for formula in formulas)
        return Size(len(formulas), literals, sum(formula.is_hard for formula in formulas))
    return None


@dataclass(frozen=True, slots=True)
class Reading:
    """A formula read alone: how often it is right on complete facts, and how often the model does what it says."""

    formula: str
    weight: str
    right: int
    covered: int
    """On complete facts: the claims, given or not, and those of them that are true."""
    followed: int
    claims: int
    """With evidence: the claims about what is not given, and those of them that the model predicts."""

    @property
    def confidence(self) -> float | None:
        """The share of true claims."""
        return self.right / self.covered if self.covered else None

    @property
    def agreement(self) -> float | None:
        """The share of claims that the model follows."""
        return self.followed / self.claims if self.claims else None

    @classmethod
    def from_json(cls, kept: Mapping[str, object]) -> Reading:
        """What ``as_json`` gave."""
        numbers = (whole(kept[name]) for name in ("right", "covered", "followed", "claims"))
        return cls(text(kept["formula"]), text(kept["weight"]), *numbers)

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields, and both shares."""
        return {
            "formula": self.formula,
            "weight": self.weight,
            "right": self.right,
            "covered": self.covered,
            "followed": self.followed,
            "claims": self.claims,
            "confidence": self.confidence,
            "agreement": self.agreement,
        }


def read_alone(model: Model, test: Database, evidence: Sequence[EvidenceSet]) -> tuple[Reading, ...]:
    """Read each soft rule, or each formula that claims that something holds; other models have none."""
    totals: dict[tuple[str, str], list[int]] = {}
    known = _Lookup(test)
    for formula, claims in _formulas(model, test):
        total = totals.setdefault(formula, [0, 0, 0, 0])
        for claim in claims:
            total[0] += known.satisfy(claim)
            total[1] += 1
    for given in evidence:
        before = _Lookup(given.facts)
        after = _Lookup([*given.facts, *model.added(given.facts)])
        for formula, claims in _formulas(model, given.facts):
            total = totals.setdefault(formula, [0, 0, 0, 0])
            for claim in claims:
                if not before.satisfy(claim):
                    total[2] += after.satisfy(claim)
                    total[3] += 1
    return tuple(Reading(*formula, *counts) for formula, counts in totals.items())


class _Lookup:
    """Facts, in which patterns are looked up."""

    def __init__(self, facts: Iterable[Atom]) -> None:
        self._of: dict[Predicate, set[tuple[Term, ...]]] = {}
        for atom in facts:
            self._of.setdefault(atom.predicate, set()).add(atom.arguments)

    def satisfy(self, claim: Claim) -> bool:
        return any(self._has(pattern) for pattern in claim)

    def _has(self, pattern: Atom) -> bool:
        rows = self._of.get(pattern.predicate, set())
        if pattern.is_ground:
            return pattern.arguments in rows
        bound = [(place, term) for place, term in enumerate(pattern.arguments) if isinstance(term, Constant)]
        return any(all(row[place] == term for place, term in bound) for row in rows)


def _formulas(model: Model, facts: Database) -> Iterator[tuple[tuple[str, str], set[Claim]]]:
    """Each formula as it reads, its weight, and what it claims about facts."""
    matcher = Matcher(facts)
    if isinstance(model, TheoryModel):
        for rule in model.theory.soft:
            if rule.clause.is_definite:
                yield (str(rule.clause), str(rule.weight)), _rule_claims(rule.clause, matcher)
    if not isinstance(model, MarkovModel):
        return
    domain = Domain.of(model.network, Evidence(model.respelt(facts)))
    for clause in weighted_clauses(model.network, domain):
        if clause.weight == 0 or clause.distinct or clause.equal:
            continue
        types = {variable: domain.constants[kind] for variable, kind in clause.types}
        spelt = _spelt(clause.clause, model.spelling)
        name = (str(clause).partition(" ")[2], f"{clause.weight:g}")
        if clause.weight > 0 and spelt.head:
            yield name, _rule_claims(spelt, matcher, types)
        elif clause.weight < 0 and spelt.body:
            yield name, {(atom,) for pattern in spelt.body for atom in _instances(pattern, matcher, types)}


def _spelt(clause: Clause, spelling: Mapping[Predicate, Predicate]) -> Clause:
    def atoms(some: Iterable[Atom]) -> tuple[Atom, ...]:
        return tuple(Atom(spelling.get(atom.predicate, atom.predicate), atom.arguments) for atom in some)

    return Clause(atoms(clause.head), atoms(clause.body))


def _rule_claims(clause: Clause, matcher: Matcher, types: Mapping[Variable, Sequence[str]] | None = None) -> set[Claim]:
    """One claim for each way to bind the head's variables by the body; without one, by all constants or types."""
    if not clause.body:
        (first, *_) = clause.head
        return {(atom,) for atom in _instances(first, matcher, types)} if len(clause.head) == 1 else set()
    bound = set(variables_of(clause.body))
    variables = tuple(variable for variable in variables_of(clause.head) if variable in bound)
    query = Query(tuple(map(Literal, clause.body)))
    names = matcher.database.constants
    if not variables:
        return {clause.head} if matcher.exists(query) else set()
    claims = set()
    for rows in matcher.projection_rows(query, variables):
        for row in rows.tolist():
            bindings: dict[Variable, Term] = {
                v: Constant(names[number]) for v, number in zip(variables, row, strict=True)
            }
            claims.add(tuple(atom.substitute(bindings) for atom in clause.head))
    return claims


def _instances(
    pattern: Atom, matcher: Matcher, types: Mapping[Variable, Sequence[str]] | None = None
) -> Iterator[Atom]:
    """A network's variables stand for all constants of their types, and those of a rule for distinct constants."""
    variables = variables_of([pattern])
    distinct = permutations(matcher.database.constants, len(variables))
    for choice in distinct if types is None else product(*(types[variable] for variable in variables)):
        yield pattern.substitute({v: Constant(name) for v, name in zip(variables, choice, strict=True)})


@dataclass(frozen=True, slots=True)
class ExampleWorld:
    """What holds of one thing of which nothing is known, and the sum of the weights of the satisfied formulas."""

    holds: tuple[str, ...]
    alone: float
    """The weights of the formulas that say nothing but what holds."""
    weight: float
    most_probable: bool

    @property
    def as_json(self) -> dict[str, object]:
        """Its fields."""
        return {
            "holds": list(self.holds),
            "alone": self.alone,
            "weight": self.weight,
            "most_probable": self.most_probable,
        }


def two_kinds(network: Network, one: str, other: str) -> tuple[ExampleWorld, ...]:
    """The paper's example: what a network says of somebody who may be of one kind or of another, of both or of none.

    Everything else about that person is false, and worlds that hard formulas exclude are left out. None of the
    formulas' weights tells which of these worlds is the most probable; their sum does.
    """
    unary = [declaration for declaration in network.declarations if declaration.predicate.arity == 1]
    named = {declaration.predicate.name: declaration for declaration in unary}
    if one not in named or other not in named or named[one].types != named[other].types:
        return ()
    atoms = {d.predicate.name: d.predicate(Constant("somebody")) for d in unary if d.types == named[one].types}
    alone = _weights_alone(network)
    sums = {}
    for kinds in ((), (one,), (other,), (one, other)):
        literals = [Literal(atom, name in kinds) for name, atom in atoms.items()]
        binary = _about_nothing_else(network, named[one].types[0])
        with suppress(QueryError):  # hard formulas may exclude it
            sums[kinds] = map_state(network, Evidence.of([*literals, *binary])).objective
    best = max(sums.values(), default=None)
    return tuple(
        ExampleWorld(kinds, sum(alone[kind] for kind in kinds), total, total == best) for kinds, total in sums.items()
    )


def _weights_alone(network: Network) -> dict[str, float]:
    """The weights of formulas that are a single atom, by its predicate."""
    weights = {declaration.predicate.name: 0.0 for declaration in network.declarations}
    for formula in weighted_clauses(network, Domain.of(network, Evidence())):
        if not formula.clause.body and len(formula.clause.head) == 1:
            weights[formula.clause.head[0].predicate.name] += formula.weight
    return weights


def _about_nothing_else(network: Network, kind: str) -> list[Literal]:
    """That somebody has no relation to themselves."""
    somebody = Constant("somebody")
    return [
        Literal(Atom(declaration.predicate, (somebody,) * declaration.predicate.arity), False)
        for declaration in network.declarations
        if declaration.predicate.arity > 1 and set(declaration.types) == {kind}
    ]
