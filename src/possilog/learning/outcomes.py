"""What comes true on held-out parts: of rules without exception, each alone, and of all that are chosen together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from possilog.inference.gate import Gate
from possilog.inference.surveys import Survey, target_of
from possilog.learning.bench import Bench, Place, Shard, drawn
from possilog.learning.hiding import SIMULATED
from possilog.learning.trials import Drawn, Trial, noise
from possilog.logic import Atom, Clause, HeldOut, Measures, Precision, Predicate

__all__ = ["Outcomes", "ShareGain", "alone_elsewhere", "faultless", "places_in", "seen"]

Among = Collection[Clause] | None
"""Of these rules; of all, if there are none given."""

Surprising = Mapping[str, frozenset[Clause]]
"""For each held-out part, the rules found without it that chance does not explain."""


@dataclass(frozen=True, slots=True)
class ShareGain:
    """At one share of known facts: the gain of the hard rules, what the soft rules add, and the noise of that."""

    share: float
    hard: float
    added: float
    noise: float


def places_in(trial: Trial, among: Among) -> list[int]:
    """The rules of a trial's pool that are among these, or all."""
    return [place for place, rule in enumerate(trial.pool) if among is None or rule.clause in among]


# How evidence shows its share


def seen(bench: Bench, among: Among) -> tuple[float, ...]:
    """At each share, how much of what the rules expect is given on held-out parts, all of them together.

    One part alone may be so small that next to nothing is expected.
    """
    found: dict[float, Survey] = defaultdict(Survey)
    for share, survey in bench.each(_Seen(among)):
        found[share] += survey
    return tuple(np.maximum.accumulate([found[share].share_given for share in SIMULATED]).tolist())


@dataclass(frozen=True)
class _Seen:
    among: Among

    def answer(self, shard: Shard) -> list[tuple[Place, tuple[float, Survey]]]:
        answers = []
        for trial, places in shard.held_out:
            gate = trial.gate(Measures(), places_in(trial, self.among))
            for place, known in drawn(trial, places):
                answers.append((place, (known.share, gate.survey(known.evidence, known.counted).whole)))
        return answers


# What comes true


@dataclass
class _Tally:
    """Conclusions about held-out facts, and what came of them."""

    told: list[tuple[Place, int, int, float]] = field(default_factory=list)
    """Of an evidence set: how many were right, how many there were, and what was said of each."""
    atoms: set[Atom] = field(default_factory=set)

    def add(self, place: Place, concluded: Sequence[tuple[Atom, bool]], said: float) -> None:
        """Count conclusions of each of which the same was said."""
        if concluded:
            self.told.append((place, sum(right for _, right in concluded), len(concluded), said))
            self.atoms.update(atom for atom, _ in concluded)

    def __iadd__(self, other: _Tally) -> _Tally:
        self.told += other.told
        self.atoms |= other.atoms
        return self

    @property
    def held_out(self) -> HeldOut:
        """All of them: an atom is one case, however often it was concluded, and of however many parts it is."""
        cases, told = len(self.atoms), sorted(self.told, key=lambda one: one[0])  # so that rounding is the same
        if not cases:
            return HeldOut()
        number = sum(many for _, _, many, _ in told)
        right, said = sum(right for _, right, _, _ in told), sum(many * said for _, _, many, said in told)
        return HeldOut(cases * right / number, cases * said / number, cases)


def faultless(bench: Bench, measures: Measures, surprising: Surprising) -> HeldOut:
    """How often rules without exception come true on held-out parts, each alone.

    What counts are rules that chance does not explain without the part. Of those that have no exception in all the
    data, none is wrong about any part of them.
    """
    tally = _Tally()
    for found in bench.answers(_Faultless(measures, surprising)):
        tally += found
    return tally.held_out


@dataclass(frozen=True)
class _Faultless:
    measures: Measures
    surprising: Surprising

    def answer(self, shard: Shard) -> _Tally:
        tally = _Tally()
        for trial, places in shard.held_out:
            rules = [place for place in places_in(trial, self.surprising[trial.name]) if trial.pool[place].is_faultless]
            gate = trial.gate(self.measures, rules)
            for place, known in drawn(trial, (place for place in places if rules and place.number % 2 == 0)):
                share = 0.0 if gate.is_open else gate.share(known.evidence, known.counted)
                for rule in rules:
                    said = trial.pool[rule].still_right(share)
                    if said > 0.5:
                        tally.add(place, trial.conclusions(known, [rule])[1], said)
        return tally


def alone_elsewhere(bench: Bench, measures: Measures, surprising: Surprising) -> tuple[tuple[float, float], ...]:
    """At each share, what rules gain on held-out parts, and how much they conclude: those found without the part.

    Each is alone, and none was chosen by the part.
    """
    found = bench.each(_AloneElsewhere(measures, surprising))
    by_share = [[counts for share, *counts in found if share == one] for one in SIMULATED]
    means = [np.mean(rows, axis=0).tolist() for rows in by_share]
    return tuple((right - wrong, right + wrong) for right, wrong in means)


@dataclass(frozen=True)
class _AloneElsewhere:
    measures: Measures
    surprising: Surprising

    def answer(self, shard: Shard) -> list[tuple[Place, tuple[float, int, int]]]:
        answers = []
        for trial, places in shard.held_out:
            gate = trial.gate(self.measures, places_in(trial, self.surprising[trial.name]))
            for place, known in drawn(trial, (place for place in places if place.number % 2 == 0)):
                added = [trial.added(known, rule) for rule in trial.used(gate, known)[1]]
                right, wrong = (sum(counts) for counts in zip((0, 0), *added, strict=True))
                answers.append((place, (known.share, right, wrong)))
        return answers


@dataclass
class _Gained:
    """What came of some evidence sets."""

    gains: list[tuple[Place, float, int, int]] = field(default_factory=list)
    """Of each: its share, what the hard rules gain, and what the soft ones add."""
    by_rule: dict[Clause, _Tally] = field(default_factory=lambda: defaultdict(_Tally))
    certain: dict[Predicate, _Tally] = field(default_factory=lambda: defaultdict(_Tally))

    def take(self, place: Place, trial: Trial, known: Drawn, gate: Gate) -> None:
        """One more."""
        use, rules = trial.used(gate, known)
        hard = trial.gain(known, ())
        self.gains.append((place, known.share, hard, trial.gain(known, rules) - hard))
        certain, *concluded = trial.conclusions(known, rules)
        for number, conclusions in zip(rules, concluded, strict=True):
            rule = trial.pool[number]
            target = target_of(rule.clause)
            said = gate.believed(rule, use.share_of(target) or 0.0, use)
            # What follows from them by hard rules may be right far more often than they are, or less.
            self.by_rule[rule.clause].add(place, _by_predicate(conclusions).get(target, ()), said)
        for predicate, atoms in _by_predicate(certain).items():
            self.certain[predicate].add(place, atoms, 1.0)

    def __iadd__(self, other: _Gained) -> _Gained:
        self.gains += other.gains
        for clause, tally in other.by_rule.items():
            self.by_rule[clause] += tally
        for predicate, tally in other.certain.items():
            self.certain[predicate] += tally
        return self


def _by_predicate(concluded: Iterable[tuple[Atom, bool]]) -> Mapping[Predicate, list[tuple[Atom, bool]]]:
    found: dict[Predicate, list[tuple[Atom, bool]]] = defaultdict(list)
    for atom, right in concluded:
        found[atom.predicate].append((atom, right))
    return found


@dataclass(frozen=True)
class _Gaining:
    measures: Measures
    rules: Among

    def answer(self, shard: Shard) -> _Gained:
        found = _Gained()
        for trial, places in shard.held_out:
            gate = trial.gate(self.measures, places_in(trial, self.rules))
            for place, known in drawn(trial, places):
                found.take(place, trial, known, gate)
        return found


class Outcomes:
    """What the chosen rules add on held-out parts, and how often what is said comes true."""

    def __init__(self, bench: Bench, measures: Measures, rules: Collection[Clause]) -> None:
        """Ask it of all evidence sets."""
        self._measures, self._found = measures, _Gained()
        for found in bench.answers(_Gaining(measures, rules)):
            self._found += found
        self._hard: dict[float, list[int]] = defaultdict(list)
        self._added: dict[float, list[int]] = defaultdict(list)
        for _, share, hard, added in sorted(self._found.gains):
            self._hard[share].append(hard)
            self._added[share].append(added)

    @property
    def measures(self) -> Measures:
        """The measures, with what was found out."""
        added = [np.array(self._added[share], dtype=np.float64) for share in SIMULATED]
        by_rule, by_predicate = self._found.by_rule, sorted(self._found.certain.items())
        rules = tuple(replace(rule, held_out=by_rule[rule.clause].held_out) for rule in self._measures.rules)
        certain = tuple(Precision(predicate, tally.held_out) for predicate, tally in by_predicate)
        floor = tuple(round(float(row.mean()), 9) for row in added)  # what is 0 but for rounding is 0: its sign decides
        return replace(self._measures, added=floor, rules=rules, certain=certain)

    @property
    def table(self) -> tuple[ShareGain, ...]:
        """What the hard rules gain and the soft ones add, at each share."""
        return tuple(
            ShareGain(share, float(np.mean(self._hard[share])), float(row.mean()), _finite(noise(row)))
            for share in SIMULATED
            for row in [np.array(self._added[share], dtype=np.float64)]
        )


def _finite(error: float) -> float:
    return error if np.isfinite(error) else 0.0
