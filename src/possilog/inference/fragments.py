"""Inference by fragments: k-entailment with optional votes (UAI 2018) over strata (STRiKE, ECAI 2020).

A theory learned at width k describes fragments of k constants. So every set of at most k constants gets its own global
cut, from the evidence about these constants only, and the conclusions are joined. Nothing is drowned by a conflict that
is far away.

A conclusion of a large set is also one of the set of constants that its derivation is about, since less evidence allows
the same cut. So only sets that are about a derivation are visited: the constants of a ground rule whose body holds,
joined with those from which the atoms of its body were concluded. Fragments that look alike are settled once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from math import comb

import numpy as np

from possilog.chaining.bodies import Bodies, GroundClause, Grounder
from possilog.chaining.chaining import Chaining, GroundRule
from possilog.chaining.program import Program
from possilog.data import Database
from possilog.data.evidence import Evidence
from possilog.inference.conclusions import Conclusion, Listed
from possilog.inference.conflicts import Conflict, Conflicts
from possilog.inference.kinds import Fragments
from possilog.inference.prediction import Engine, Method, Prediction
from possilog.logic import CERTAIN, Atom, Clause, Constant, Literal, Predicate, Theory, Weight

__all__ = ["FragmentTheory"]

Set = frozenset[int]
"""A set of constants, without those that the theory names: these belong to every fragment."""

AtomPlaces = tuple[int, tuple[int, ...]]
"""An atom by its predicate's number and places instead of constants: 0, 1, … in a fragment, -1, -2, … in the theory."""

Pattern = tuple[int, tuple[tuple[int, tuple[int, ...], bool], ...]]
"""A fragment: how many constants it has, and its literals."""

_VERDICTS_KEPT = 100_000


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What the cut of a fragment says, about places instead of constants."""

    added: tuple[tuple[AtomPlaces, Weight], ...]
    possible: tuple[AtomPlaces, ...]
    """What could have a part in other conclusions, where rules have alternatives."""
    cut: Weight
    consistent: bool
    conflicts: tuple[Conflict, ...]


class FragmentTheory:
    """A theory, ready for questions about fragments."""

    def __init__(self, theory: Theory, whole: Engine, grounder: Grounder) -> None:
        """Take a theory, what finds the cut of a fragment, and the rules as they are laid out for grounding."""
        self.theory = theory
        self.lowest = min((rule.weight for rule in theory.soft), default=CERTAIN)
        self.grounder = grounder
        self.whole = whole
        rules = theory.soft or theory.hard
        self.width = max([1, *(len(rule.clause.variables) for rule in rules)])
        """As many constants as a soft rule has variables, at most."""
        self.is_horn = whole.method is Method.HORN
        self._relaxed = Program((Clause((a,), rule.clause.body), 0) for rule in theory for a in rule.clause.head)
        names = self.grounder.program.constants
        self._mark = "#" * (1 + max((len(name) for name in names if name.startswith("#")), default=0))
        self._named = [Constant(name) for name in names]
        self._numbers = dict(self.grounder.program.number)
        self._predicates = list(self._numbers)
        self._verdicts: dict[Pattern, _Verdict] = {}

    def predict(self, evidence: Evidence, how: Fragments) -> Prediction:
        """Join the conclusions of all fragments.

        With votes, a conclusion needs this share of the largest fragments that have all its constants.
        """
        visit = _Visit(self, evidence, self.width if how.width is None else how.width)
        visit.run()
        cut = max([self.lowest, *(verdict.cut for _, verdict in visit.settled)])
        return Prediction(
            how,
            self.whole.method,
            evidence,
            Listed(visit.conclusions(how.votes)),
            all(verdict.consistent for _, verdict in visit.settled),
            self.theory.strata_down_to(cut),
            cut,
            Conflicts(visit.conflicts),
        )

    def number(self, predicate: Predicate) -> int:
        """A predicate's number; those that only evidence has get theirs when they come."""
        if predicate not in self._numbers:
            self._numbers[predicate] = len(self._predicates)
            self._predicates.append(predicate)
        return self._numbers[predicate]

    def verdict(self, pattern: Pattern) -> _Verdict:
        """The cut of a fragment, found once for all fragments that look like it."""
        if pattern not in self._verdicts:
            if len(self._verdicts) >= _VERDICTS_KEPT:
                self._verdicts.clear()
            self._verdicts[pattern] = self._settled(pattern)
        return self._verdicts[pattern]

    def _settled(self, pattern: Pattern) -> _Verdict:
        size, literals = pattern
        place_of = {self._place(place).name: place for place in range(size)}
        place_of |= {constant.name: ~place for place, constant in enumerate(self._named)}

        def placed(atom: Atom) -> AtomPlaces:
            return self.number(atom.predicate), tuple(place_of[name] for name in _names(atom))

        names = sorted(place_of)
        number = {place_of[name]: place for place, name in enumerate(names)}
        facts: dict[Predicate, list[list[int]]] = defaultdict(list)
        denied = []
        for predicate, places, holds in literals:
            if holds:
                facts[self._predicates[predicate]].append([number[place] for place in places])
            else:
                terms = tuple(Constant(names[number[place]]) for place in places)
                denied.append(Atom(self._predicates[predicate], terms))
        relations = {p: np.array(sorted(rows), dtype=np.int32).T for p, rows in facts.items()}
        evidence = Evidence(Database(names, relations), tuple(sorted(denied)))
        prediction = self.whole.cut(evidence)
        return _Verdict(
            tuple((placed(conclusion.atom), conclusion.certainty) for conclusion in prediction.added),
            () if self.is_horn else tuple(map(placed, self._possible(evidence))),
            prediction.cut,
            prediction.consistent,
            tuple(prediction.conflicts),
        )

    def _place(self, number: int) -> Constant:
        return Constant(f"{self._mark}{number}")

    def _possible(self, evidence: Evidence) -> tuple[Atom, ...]:
        """What would hold if every rule made all its alternatives true."""
        chaining = Chaining(self._relaxed, evidence)
        chaining.stage(0)
        return tuple(chaining.atoms(chaining.given))

    def renaming(self, constants: Iterable[str]) -> dict[Constant, Constant]:
        """From places back to constants."""
        return {self._place(place): Constant(name) for place, name in enumerate(constants)}


class _Visit:
    """One question: the fragments that are visited, and what they say."""

    def __init__(self, theory: FragmentTheory, evidence: Evidence, width: int) -> None:
        self.theory = theory
        self._bodies = Bodies(theory.grounder, evidence)
        self.chaining = self._bodies.chaining
        named = theory.grounder.program.constants
        self._values = [self.chaining.constant(name) for name in named]
        self._named = {constant: ~place for place, constant in enumerate(self._values)}
        self._others = len(self.chaining.names) - len(named)
        self._width = min(width, self._others)
        self._about = self._index(evidence)
        self._contradictory = [self._set(map(self.chaining.constant, _names(a))) for a in evidence.contradictory]
        self._visited: set[Set] = set()
        self._sources: dict[int, list[Set]] = defaultdict(list)  # from which sets an atom comes
        self._users: dict[int, list[GroundClause]] = defaultdict(list)  # the ground rules with an atom in the body
        self._held: set[int] = set()
        self.speaks: dict[int, dict[Set, Weight]] = defaultdict(dict)
        """For each conclusion, the sets that yield it, without those that contain one which is as certain."""
        self.settled: list[tuple[list[int], _Verdict]] = []
        """The sets that were visited, in the order of their places, and what they say."""

    def _set(self, constants: Iterable[int]) -> Set:
        return frozenset(constants).difference(self._values) if self._values else frozenset(constants)

    def _index(self, evidence: Evidence) -> dict[Set, list[tuple[int, tuple[int, ...], bool]]]:
        """The evidence by the constants that it is about."""
        about: dict[Set, list[tuple[int, tuple[int, ...], bool]]] = defaultdict(list)
        for predicate, number in self.chaining.program.number.items():
            for row in evidence.facts.rows(predicate).T.tolist():  # the chainer has the same numbers for constants
                about[self._set(row)].append((number, tuple(row), True))
        unknown = [atom for atom in evidence.contradictory if atom.predicate not in self.chaining.program.number]
        for literal in [*(Literal(atom) for atom in unknown), *(Literal(atom, False) for atom in evidence.denied)]:
            numbers = tuple(map(self.chaining.constant, _names(literal.atom)))
            about[self._set(numbers)].append((self.theory.number(literal.atom.predicate), numbers, literal.positive))
        return about

    # Visiting

    def run(self) -> None:
        """Visit every set that is about a derivation."""
        self._waiting = [fragment for fragment in self._contradictory if len(fragment) <= self._width]
        self._meet(self._bodies.begin())
        while self._waiting:
            fragment = self._waiting.pop()
            if fragment not in self._visited:
                self._visited.add(fragment)
                self._settle(fragment)

    def _meet(self, clauses: Iterable[GroundClause]) -> None:
        for clause in clauses:
            constants = self._set(clause.constants)
            if len(constants) <= self._width:
                open_atoms = [atom for atom in clause.body if not self._bodies.given(atom)]
                for atom in open_atoms:
                    self._users[atom].append(clause)
                self._waiting += self._unions(constants, open_atoms)

    def _unions(self, fragment: Set, atoms: list[int]) -> Iterator[Set]:
        """A set, joined in every way with sets from which some atoms come, as long as it is small enough."""
        if len(fragment) > self._width:
            return
        if not atoms:
            yield fragment
        else:
            for source in self._sources[atoms[0]]:
                yield from self._unions(fragment | source, atoms[1:])

    def _settle(self, fragment: Set) -> None:
        """Take what a fragment says, and meet the ground rules that it completes."""
        order = sorted(fragment)
        verdict = self.theory.verdict(self._pattern(order))
        self.settled.append((order, verdict))
        new = []
        for places, certainty in verdict.added:
            atom = self._atom(places, order)
            if self._say(atom, fragment, certainty) and self.theory.is_horn:
                new.append(atom)
        if not self.theory.is_horn:
            new = [self._atom(places, order) for places in verdict.possible]
        for atom in new:
            self._sources[atom].append(fragment)
        for atom in new:
            for clause in self._users[atom]:
                others = [a for a in clause.body if a != atom and not self._bodies.given(a)]
                self._waiting += self._unions(fragment | self._set(clause.constants), others)
        unheld = set(new) - self._held
        if unheld:
            self._held |= unheld
            self._meet(self._bodies.hold(unheld))

    def _atom(self, atom: AtomPlaces, order: list[int]) -> int:
        """The number of an atom of a fragment."""
        predicate, places = atom
        constants = [self._values[~place] if place < 0 else order[place] for place in places]
        return self.chaining.chainer.number(predicate, constants)

    def _say(self, atom: int, fragment: Set, certainty: Weight) -> bool:
        """Note that a fragment yields an atom, unless a part of it does so with the same certainty."""
        said = self.speaks[atom]
        if any(other <= fragment and its >= certainty for other, its in said.items()):
            return False
        for other in [other for other, its in said.items() if fragment <= other and certainty >= its]:
            del said[other]
        said[fragment] = certainty
        return True

    def _pattern(self, order: list[int]) -> Pattern:
        """What a fragment looks like. Facts come in their order, so those that look alike are listed alike."""
        place = {constant: number for number, constant in enumerate(order)} | self._named
        literals = [
            (predicate, tuple([place[argument] for argument in arguments]), holds)
            for size in range(len(order) + 1)
            for part in combinations(order, size)
            for predicate, arguments, holds in self._about.get(frozenset(part), ())
        ]
        return len(order), tuple(literals)

    # What was found

    def conclusions(self, votes: float | None) -> list[Conclusion]:
        """What the fragments say together, most certain first."""
        certainties = [(atom, self._certainty(atom, votes)) for atom in self.speaks]
        found = [
            Conclusion(self.chaining.atom(atom), weight, fragment=self._witness(atom, weight))
            for atom, weight in certainties
            if weight is not None
        ]
        return sorted(found, key=_by_certainty)

    def conflicts(self) -> list[Conflict]:
        """The conflicts in all fragments."""
        names = self.chaining.names
        found = {
            _renamed_conflict(conflict, self.theory.renaming(names[constant] for constant in order))
            for order, verdict in self.settled
            for conflict in verdict.conflicts
        }
        return sorted(found, key=lambda conflict: (conflict.weight.doubt, str(conflict.broken)))

    def _witness(self, atom: int, weight: Weight) -> tuple[str, ...]:
        """The constants of a smallest fragment that yields an atom with at least this weight."""
        said = [sorted(fragment) for fragment, its in self.speaks[atom].items() if its >= weight]
        chosen = min(said, key=lambda constants: (len(constants), constants))
        return tuple(self.chaining.names[constant] for constant in chosen)

    # Votes

    def _certainty(self, atom: int, votes: float | None) -> Weight | None:
        """The highest weight at which enough fragments yield an atom; None where there is none."""
        said = self.speaks[atom]
        if votes is None:
            return max(said.values())
        about = self._set(self.chaining.chainer.atom(atom)[1])
        room, places = self._others - len(about), self._width - len(about)
        needed = max(1.0, votes * comb(room, places))
        for weight in sorted(set(said.values()), reverse=True):
            parts = [fragment - about for fragment, its in said.items() if its >= weight]
            if _supersets(parts, room, places) >= needed:
                return weight
        return None


def _supersets(parts: list[Set], room: int, places: int) -> int:
    """How many of the sets of a given size, out of a number of things, contain one of some sets?"""
    parts = [part for part in parts if len(part) <= places]
    if not parts:
        return 0
    if not all(parts):
        return comb(room, places)
    if len(parts) == 1:
        return comb(room - len(parts[0]), places - len(parts[0]))
    chosen = Counter(thing for part in parts for thing in sorted(part)).most_common(1)[0][0]
    having = _supersets([part - {chosen} for part in parts], room - 1, places - 1)
    return having + _supersets([part for part in parts if chosen not in part], room - 1, places)


def _by_certainty(conclusion: Conclusion) -> tuple[Decimal, str, int, list[str]]:
    predicate = conclusion.atom.predicate
    return conclusion.certainty.doubt, predicate.name, predicate.arity, _names(conclusion.atom)


def _names(atom: Atom) -> list[str]:
    return [term.name for term in atom.arguments]


def _renamed(atom: Atom, names: dict[Constant, Constant]) -> Atom:
    return Atom(atom.predicate, tuple(names.get(Constant(term.name), term) for term in atom.arguments))


def _renamed_conflict(conflict: Conflict, names: dict[Constant, Constant]) -> Conflict:
    broken = GroundRule(conflict.broken.rule, None, tuple(_renamed(atom, names) for atom in conflict.broken.body))
    core = tuple(
        Clause(tuple(_renamed(a, names) for a in clause.head), tuple(_renamed(a, names) for a in clause.body))
        for clause in conflict.core
    )
    return Conflict(conflict.weight, broken, core=core)
