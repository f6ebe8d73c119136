"""Proofs: how an atom follows from the evidence, in as few steps as can be.

A proof is a tree. Its leaves are evidence; every other atom follows from the atoms below it by one ground rule that
inference used. The smallest tree is found by Knuth's generalisation of Dijkstra's algorithm to such rules, over those
ground rules only from which the atom can follow.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from heapq import heappop, heappush
from itertools import count
from typing import Any

from possilog.data import Database
from possilog.inference.conflicts import INDENT, say_weight
from possilog.inference.prediction import Prediction
from possilog.inference.words import PLAIN, Words
from possilog.logic import (
    CERTAIN,
    Atom,
    BuiltIn,
    Clause,
    Constant,
    Literal,
    Predicate,
    Query,
    Rule,
    Variable,
    Weight,
)
from possilog.matching import Matcher

__all__ = ["GroundBindings", "Proof", "Standing", "bind", "bodies", "matches", "say_rule"]

GroundBindings = dict[Variable, Constant]


@dataclass(frozen=True, slots=True, repr=False)
class Proof:
    """An atom, the rule by which it follows (none: it is given), and proofs of what the rule asks for.

    It prints as a tree of sentences.

    >>> from possilog import Reasoner, parse_theory
    >>> why = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X).")).why("flies(Tweety)", ["bird(Tweety)"])
    >>> print(why.proof)
    Tweety flies
        by the rule: X flies if X is a bird (0.9)
        because Tweety is a bird (given)
    >>> why.proof
    <Proof of flies(Tweety): 1 steps, weight 0.9>
    """

    atom: Atom
    rule: Rule | None = None
    # A proof that uses another one many times is small in memory and very large as a text.
    premises: tuple[Proof, ...] = field(default=(), hash=False)
    weight: Weight = CERTAIN
    """The lowest weight of a rule in it: the cut that the proof needs."""
    steps: int = 0
    """How often a rule is applied."""

    @classmethod
    def by(cls, rule: Rule, atom: Atom, premises: tuple[Proof, ...]) -> Proof:
        """The proof of an atom by a rule, from proofs of the rule's body."""
        weight = min([rule.weight, *(premise.weight for premise in premises)])
        return cls(atom, rule, premises, weight, 1 + sum(premise.steps for premise in premises))

    @property
    def is_given(self) -> bool:
        """Is it a fact of the evidence?"""
        return self.rule is None

    @property
    def parts(self) -> tuple[Proof, ...]:
        """The proofs of all atoms in it, each once, from the last conclusion down."""
        found: dict[Atom, Proof] = {}
        left = [self]
        while left:  # not recursive: a proof can be thousands of steps deep
            proof = left.pop()
            if proof.atom not in found:
                found[proof.atom] = proof
                left += reversed(proof.premises)
        return tuple(found.values())

    @property
    def facts(self) -> tuple[Atom, ...]:
        """The facts that it rests on, in order."""
        given = (part.atom for part in self.parts if part.is_given)
        return tuple(sorted(atom for atom in given if not isinstance(atom.predicate, BuiltIn)))

    def lines(self, words: Words = PLAIN) -> Iterator[str]:
        """A tree: under each conclusion the rule, and what it follows from. What was told is not told again."""
        told: set[Atom] = set()
        left: list[tuple[int, str, Proof]] = [(0, "", self)]
        while left:  # not recursive: a proof can be thousands of steps deep
            depth, link, part = left.pop()
            again = part.atom in told and not part.is_given
            given = "" if isinstance(part.atom.predicate, BuiltIn) else " (given)"
            note = given if part.is_given else " (see above)" if again else ""
            yield f"{INDENT * depth}{link}{words.atom(part.atom)}{note}"
            if part.rule is not None and not again:
                told.add(part.atom)
                yield f"{INDENT * (depth + 1)}by the rule: {say_rule(part.rule, words)}"
                links = ["because ", *["and "] * len(part.premises)]
                below = [(depth + 1, link, premise) for link, premise in zip(links, part.premises, strict=False)]
                left += reversed(below)

    def steps_as_json(self, words: Words = PLAIN) -> list[dict[str, Any]]:
        """Every atom of the proof once, from the last conclusion down, with what it follows from."""
        return [
            {
                "atom": part.atom.as_fact,
                "sentence": words.atom(part.atom),
                "rule": None if part.rule is None else str(part.rule),
                "premises": [premise.atom.as_fact for premise in part.premises],
            }
            for part in self.parts
        ]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Proof of {self.atom.as_fact}: {self.steps:,} steps, weight {self.weight}>"


def say_rule(rule: Rule, words: Words) -> str:
    """A rule as a sentence, and its weight."""
    return f"{words.clause(rule.clause)} ({say_weight(rule.weight)})"


class Standing:
    """What stands after inference, and by which ground rules it came to stand."""

    def __init__(self, rules: Iterable[Rule], prediction: Prediction) -> None:
        """Take the rules that were used, and what they predicted."""
        self.prediction = prediction
        self.given = prediction.evidence.facts
        self.rules: dict[Predicate, list[Rule]] = defaultdict(list)
        for rule in rules:
            if rule.clause.is_definite:
                self.rules[rule.clause.head[0].predicate].append(rule)
        self._barred: dict[Weight, set[Atom]] = defaultdict(set)
        for conflict in prediction.conflicts:
            self._barred[conflict.weight].update(conflict.barred)
        self._given_matcher = Matcher(self.given)

    @cached_property
    def matcher(self) -> Matcher:
        """For queries about all that stands."""
        if not self.prediction.added:
            return self._given_matcher
        return Matcher(self.given | self.prediction.added.database())

    def __contains__(self, atom: Atom) -> bool:
        return atom in self.prediction

    def weight(self, atom: Atom) -> Weight:
        """How certain an atom is that stands."""
        certainty = self.prediction.certainty(atom)
        assert certainty is not None
        return certainty

    def proof(self, atom: Atom) -> Proof | None:
        """The shortest proof by the rules of the highest cut that yields an atom; None where it does not stand."""
        if atom not in self:
            return None
        return _shortest(atom, self._steps_to(atom), self.given)

    def _steps_to(self, atom: Atom) -> list[_Step]:
        """The ground rules from which an atom can follow, and those from which their bodies can, and so on."""
        found: list[_Step] = []
        seen, left, cut = {atom}, [atom], self.weight(atom)
        while left:
            steps = self._steps(left.pop(), cut)
            found += steps
            new = {premise for step in steps for premise in step.body} - seen
            seen |= new
            left += sorted(premise for premise in new if premise not in self.given)
        return found

    def _steps(self, atom: Atom, cut: Weight) -> list[_Step]:
        """The ground rules of a cut that yield an atom: if one needs evidence only, just that, since it is shortest."""
        if atom in self.given:
            return []
        at_once = next(self._used(atom, cut, self._given_matcher), None)
        return [at_once] if at_once else list(dict.fromkeys(self._used(atom, cut, self.matcher)))

    def _used(self, atom: Atom, cut: Weight, matcher: Matcher) -> Iterator[_Step]:
        for rule in self.rules.get(atom.predicate, ()):
            if rule.weight >= cut:
                for body in bodies(rule.clause, atom, matcher):
                    weight = min([rule.weight, *map(self.weight, body)])
                    if weight >= cut and atom not in body and (rule.is_hard or self._was_free(atom, weight)):
                        yield _Step(rule, atom, body)

    def _was_free(self, atom: Atom, weight: Weight) -> bool:
        """Was a soft rule free to conclude an atom at a stage? What it did not conclude there, it was kept from."""
        return weight < self.weight(atom) or (weight == self.weight(atom) and atom not in self._barred[weight])


@dataclass(frozen=True, slots=True)
class _Step:
    """A ground rule that was used."""

    rule: Rule
    head: Atom
    body: tuple[Atom, ...]


def _shortest(atom: Atom, steps: Iterable[_Step], given: Database) -> Proof | None:
    """Knuth's algorithm: atoms are settled in the order of their proofs' sizes."""
    waiting: dict[Atom, list[_Step]] = defaultdict(list)
    missing: dict[_Step, int] = {}
    settled: dict[Atom, Proof] = {}
    heap: list[tuple[int, int, Proof]] = []
    ties = count()

    def offer(proof: Proof) -> None:
        heappush(heap, (proof.steps, next(ties), proof))

    if atom in given:
        return Proof(atom)
    for step in steps:
        missing[step] = len(step.body)
        for premise in step.body:
            waiting[premise].append(step)
        if not step.body:
            offer(Proof.by(step.rule, step.head, ()))
    for premise in sorted(premise for premise in waiting if premise in given):
        offer(Proof(premise))
    while heap:
        proof = heappop(heap)[2]
        if proof.atom in settled:
            continue
        settled[proof.atom] = proof
        if proof.atom == atom:
            return proof
        for step in waiting[proof.atom]:
            missing[step] -= 1
            if not missing[step]:
                offer(Proof.by(step.rule, step.head, tuple(settled[premise] for premise in step.body)))
    return None


def bind(pattern: Atom, atom: Atom) -> GroundBindings | None:
    """The constants that make a pattern an atom, distinct ones for distinct variables; None if nothing does."""
    bindings: GroundBindings = {}
    for term, image in zip(pattern.arguments, atom.arguments, strict=True):
        known = bindings.setdefault(term, Constant(image.name)) if isinstance(term, Variable) else term
        if known != image:
            return None
    return bindings if len(set(bindings.values())) == len(bindings) else None


def bodies(clause: Clause, head: Atom, matcher: Matcher) -> Iterator[tuple[Atom, ...]]:
    """The ground bodies that hold and from which a definite clause concludes an atom."""
    bindings = bind(clause.head[0], head)
    if bindings is None:
        return
    for match in matches(clause.body, bindings, matcher):
        yield tuple(dict.fromkeys(atom.substitute(match) for atom in clause.body))


def matches(body: Iterable[Atom], bindings: GroundBindings, matcher: Matcher) -> Iterator[GroundBindings]:
    """The ways to extend bindings so that all atoms of a body hold."""
    query = Query(tuple(Literal(atom) for atom in body))
    inside = {variable: bindings[variable].name for variable in query.variables if variable in bindings}
    # The matcher knows the body only; variables that occur elsewhere stand for other constants, too.
    outside = {constant.name for variable, constant in bindings.items() if variable not in inside}
    for match in matcher.matches(query, inside):
        if outside.isdisjoint(match.values()):
            yield bindings | {Variable(name): Constant(constant) for name, constant in match.items()}
