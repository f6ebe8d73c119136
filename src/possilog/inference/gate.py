"""Which rules pay with this evidence? A rule is worth what it gains where it is used.

Where nearly all facts are known, most of what a rule still concludes is wrong, however good it is: what it is right
about is known already. So evidence is first asked which share of the facts it holds: by how much of what the rules
expect is given. Then a rule is used only if it is more often right than wrong about what is not given at that share, if
what it adds to the rules above it did not lose at that share on the facts that the theory was learned from, and if soft
rules as a whole did not lose there. All this was measured when the theory was learned, and stands in its file
(``possilog.logic.Measures``). What the evidence itself shows of a rule counts as well, and one that concludes far more
than it ever did is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import accumulate
from math import inf, sqrt
from operator import sub

from possilog.data import Evidence
from possilog.inference.density import Density, interpolated
from possilog.inference.doubt import Doubt
from possilog.inference.surveys import HIGHEST, LOWEST, Counted, Surveyed, Surveyor, target_of
from possilog.logic import (
    CERTAIN,
    Clause,
    HeldOut,
    Measured,
    Measures,
    Predicate,
    Rule,
    Theory,
    Weight,
)

__all__ = ["Gate", "Stated", "Use"]

PAYS = 0.5
"""A rule is used if it is right more often than this about what is not given."""

CAUTION = 2.0
"""Whether a rule pays is asked at a share that is higher by so many standard errors: where more is known, it loses."""

CLEARLY = 3.0
"""A predicate has a share of its own where it differs from the common one by this many standard deviations."""

ROUGHLY = 0.15
"""What rules expect of a predicate is off by so much of it anyway."""

TRIED = 4.0
"""Conclusions that a rule added at a share are counted as often as this; the sets they are from are much alike."""

PATIENCE = 20.0
"""The formula counts as much as this many of them."""

FAR = 10.0
"""A rule that concludes so many times more than it did where it was measured is used where nobody has tried it."""

LEFT = 4.0
"""One that concludes more often than this what seems to be hidden of its predicate is used where it does not hold."""

LITTLE = 0.1
"""What soft rules gain or lose at a share is chance if it is no more than this part of what they gain at best, and of
what they conclude there."""

CHAINED = 0.5
"""A rule that feeds on its own conclusions is worth less than its counts say by so many standard errors."""

ALWAYS = 0.985
TRUST = 20.0
"""What is certain comes true so often before anything is held out, as if that had been seen so many times."""

NO_CASES = HeldOut()


@dataclass(frozen=True, slots=True)
class Stated:
    """What is said of a conclusion: how probable it is, and the held-out cases behind that."""

    probability: float
    cases: HeldOut

    def __str__(self) -> str:
        found = f" (right in {self.cases.right:.0f} of {self.cases.cases})" if self.cases.cases else ""
        return f"{self.probability:.2f}{found}"


@dataclass(frozen=True, slots=True)
class Use:
    """The rules that are used with some evidence."""

    share: float | None
    """The share of facts that the evidence seems to hold; None where nothing was measured, or any will do."""
    shares: Mapping[Predicate, float]
    """Of the predicates of which the evidence holds another share."""
    left_out: Mapping[Rule, str]
    """The rules that do not pay there, and why."""
    odds: Mapping[Clause, float] = field(default_factory=dict)
    """By how much the odds that rules err are higher than where they were learned, as far as the evidence shows it."""
    most: Mapping[Rule, float] = field(default_factory=dict)
    """How many conclusions are expected of rules at most."""
    doubt: float = 0.0
    """The standard error of the shares, as a part of them; none where a person gives the share."""

    def share_of(self, predicate: Predicate) -> float | None:
        """The share for a rule about this predicate."""
        return self.shares.get(predicate, self.share)

    def without(self, rule: Rule, concluded: int) -> Use:
        """The same where a rule is left out as well, since it concluded too much."""
        reason = f"it would conclude {concluded:,} facts, and no more than {self.most[rule]:,.0f} were to be expected"
        return replace(self, left_out={**self.left_out, rule: reason})


EVERYTHING = Use(None, {}, {})


class Gate:
    """Decides for one theory which of its rules are used."""

    def __init__(self, theory: Theory, *, cautious: bool = True) -> None:
        """Take a theory; one without measures has all its rules used.

        Where rules are measured, caution is out of place: what they lose without it is what it has to know.
        """
        self._cautious = cautious
        self._theory = theory
        self._measures = theory.measures or Measures()
        measured = [(rule, self._measures.measured(rule.clause)) for rule in theory.ranked]
        # One clause, whatever its variables are called where it was measured: it is looked up all the time.
        self.rules = {rule: replace(found, clause=rule.clause) for rule, found in measured if found is not None}
        """The rules that it decides about, the highest first, with what was measured of them."""

    @property
    def is_open(self) -> bool:
        """Are all rules used whatever is known?"""
        return not self._measures.shares

    def use(self, evidence: Evidence, share: float | None = None, counted: Counted | None = None) -> Use:
        """The rules that pay with some evidence, or at a share that a person gives."""
        if self.is_open:
            return EVERYTHING
        shares: dict[Predicate, float] = {}
        odds: dict[Clause, float] = {}
        most: dict[Rule, float] = {}
        doubt = 0.0
        if share is None:
            found, share = self._seen(evidence, counted)
            whole = self._whole(found, share)
            apart = tuple(self._apart(found, whole))
            shares = self._own(found, apart, evidence, share)
            odds = self._odds(found, apart, evidence, whole)
            if self._cautious:
                most, doubt = dict(self._most(found, evidence, share, shares)), found.whole.doubt
        else:
            share = min(max(share, LOWEST), HIGHEST)  # where all is known, no rule is right about anything else
        use = Use(share, shares, {}, odds, most, doubt)
        reasons = {rule: self._why_not(rule, found, use) for rule, found in self.rules.items()}
        return replace(use, left_out={rule: reason for rule, reason in reasons.items() if reason is not None})

    # The share

    def survey(self, evidence: Evidence, counted: Counted | None = None) -> Surveyed:
        """What the rules expect of evidence, and how much of that is given."""
        return self._surveyor.survey(evidence, counted)

    @cached_property
    def _surveyor(self) -> Surveyor:
        return Surveyor((rule.clause for rule in self._theory.hard), self.rules.values())

    def shares(self, evidence: Evidence, counted: Counted | None = None) -> tuple[float, dict[Predicate, float]]:
        """The share of facts that the evidence seems to hold, and those of the predicates that clearly have others."""
        found, share = self._seen(evidence, counted)
        return share, self._own(found, self._apart(found, self._whole(found, share)), evidence, share)

    def share(self, evidence: Evidence, counted: Counted | None = None) -> float:
        """The share of facts that the evidence seems to hold, of most predicates."""
        return self._seen(evidence, counted)[1]

    def _seen(self, evidence: Evidence, counted: Counted | None) -> tuple[Surveyed, float]:
        found = self.survey(evidence, counted)
        return found, self._common(found, evidence)

    def _common(self, surveyed: Surveyed, evidence: Evidence) -> float:
        """The share of most predicates, by what rules expect and by how much is said of each thing."""
        return self._density.combined(self._mapped(surveyed.whole.share_given), evidence.facts)

    @cached_property
    def _density(self) -> Density:
        return Density(self._measures)

    def _own(
        self, surveyed: Surveyed, apart: Iterable[Predicate], evidence: Evidence, common: float
    ) -> dict[Predicate, float]:
        """The shares of the predicates that have others."""
        found = {}
        for predicate in apart:
            share = self._mapped(surveyed.about[predicate].share_given)
            # Facts that are given, but not where they are expected, speak against the rules that expect them.
            if share > common or not evidence.facts.count(predicate):
                found[predicate] = share
        return found

    def _apart(self, surveyed: Surveyed, whole: float) -> Iterator[Predicate]:
        """The predicates of which clearly more is given, or less, than of all."""
        for predicate, survey in surveyed.about.items():
            likely = whole * survey.expected
            spread = (likely * (1 - whole) + (ROUGHLY * likely) ** 2) ** 0.5
            if abs(survey.given - likely) > CLEARLY * max(spread, 1.0):
                yield predicate

    def _mapped(self, raw: float) -> float:
        """From how much is seen to the share, as it was on held-out facts."""
        seen, shares = self._map
        return min(max(interpolated(raw, seen, shares), LOWEST), HIGHEST)

    def _whole(self, surveyed: Surveyed, share: float) -> float:
        """How much of what is expected should be given at a share; what is given, where only that tells the share."""
        if not (self._measures.dense and self._measures.dense_weight):
            return surveyed.whole.share_given
        seen, shares = self._map
        return min(max(interpolated(share, shares, seen), LOWEST), HIGHEST)

    @cached_property
    def _map(self) -> tuple[list[float], list[float]]:
        """What is seen, from nothing to all, and the share; where several shares look alike, the one between them."""
        alike: dict[float, list[float]] = {0.0: [0.0]}
        for seen, share in zip(_rising(self._measures.seen), self._measures.shares, strict=True):
            alike.setdefault(seen, []).append(share)
        alike.setdefault(1.0, []).append(1.0)
        return list(alike), [sum(shares) / len(shares) for shares in alike.values()]

    # Rules at a share

    def _odds(
        self, surveyed: Surveyed, apart: Container[Predicate], evidence: Evidence, whole: float
    ) -> dict[Clause, float]:
        """By how much rules are more often wrong here; facts of their kind must be given."""
        asked = {}
        for place, measured in enumerate(self.rules.values()):
            survey, target = surveyed.by(measured.clause), target_of(measured.clause)
            if survey.covered and evidence.facts.count(target):
                share = max(whole, surveyed.about[target].share_given) if target in apart else whole
                asked[measured.clause] = place, survey, share
        if not asked:
            return {}
        odds = self._doubt.odds(*zip(*asked.values(), strict=True))
        return dict(zip(asked, odds, strict=True))

    @cached_property
    def _doubt(self) -> Doubt:
        return Doubt(self.rules.values())

    def _most(
        self, surveyed: Surveyed, evidence: Evidence, share: float, shares: Mapping[Predicate, float]
    ) -> Iterator[tuple[Rule, float]]:
        """How much rules conclude at most: by what they added, the heads that given facts cover, and what is left.

        Where so many facts of a predicate are given, and these are such a share of them, only so many are hidden.
        """
        if not self._measures.given:
            return
        larger = len(evidence.facts) / max(self._at(share, self._measures.given), 1.0)
        for rule, found in self.rules.items():
            if found.errors and self._surveyor.asks(rule.clause):
                concluded = self._at(share, found.gains) + 2 * self._at(share, found.errors)
                most = FAR * (larger * concluded + surveyed.by(rule.clause).covered + 1)
                yield rule, min(most, LEFT * self._hidden(target_of(rule.clause), evidence, share, shares))

    @staticmethod
    def _hidden(target: Predicate, evidence: Evidence, share: float, shares: Mapping[Predicate, float]) -> float:
        """How many facts of a predicate are hidden, where so many are given; any number, where none is given."""
        given, mine = evidence.facts.count(target), shares.get(target, share)
        return (given + 1) * (1 - mine) / mine if given else inf

    def _why_not(self, rule: Rule, measured: Measured, use: Use) -> str | None:
        """Why a rule is left out; None where it is used, as all rules of a list are: some value holds."""
        target = target_of(rule.clause)
        share = use.share_of(target)
        if share is None or target in self._lists:
            return None
        highest = min(share * (1 + CAUTION * use.doubt), HIGHEST)
        if self._at(highest, self._added) < 0:
            reason = "the soft rules lost on held-out facts, or gained next to nothing"
        elif (right := self.expected(measured, highest, use)) <= PAYS:
            here = ", as far as these show" if use.odds.get(rule.clause, 1.0) > 1 else ""
            reason = f"it is right about {right:.0%} of what is not{here}"
        elif measured.gains and self._at(highest, measured.gains) < 0:
            reason = "it lost on the facts that it was learned from"
        else:
            return None
        known = " to ".join(dict.fromkeys((f"{share:.0%}", f"{highest:.0%}")))
        return f"where {known} of the facts are known, {reason}"

    @cached_property
    def _added(self) -> list[float]:
        """What the soft rules add at each share; a little more or less than nothing is chance.

        Where more is known than where they add most, it does not grow but by chance, and since rules were chosen by
        what they add, a little is nothing. Where less is known, a little less than nothing is no loss.
        """
        added = self._measures.added
        most = max(range(len(added)), key=added.__getitem__)
        best = max(added[most], 0.0)
        before = [one + LITTLE * best for one in added[:most]]
        little = [LITTLE * min(best, number) for number in self._concluded[most + 1 :]]
        return [*before, added[most], *accumulate(map(sub, added[most + 1 :], little), min)]

    @cached_property
    def _concluded(self) -> list[float]:
        """How much the soft rules conclude at each share, in their places; any number, where that was not measured."""
        rules = self._measures.rules
        if not rules or not all(rule.gains and rule.errors for rule in rules):
            return [inf] * len(self._measures.shares)
        right_or_wrong = (
            [gain + 2 * wrong for gain, wrong in zip(rule.gains, rule.errors, strict=True)] for rule in rules
        )
        return [max(sum(numbers), 0.0) for numbers in zip(*right_or_wrong, strict=True)]

    def _at(self, share: float, table: Sequence[float]) -> float:
        """What a table says about a share."""
        return interpolated(share, self._measures.shares, table)

    def believed(self, measured: Measured, share: float, use: Use = EVERYTHING) -> float:
        """How often a rule is right, by what was counted on the data and what the evidence shows.

        One without an exception is only believed as others of its kind deserve, and no more than what is certain is
        before anything is held out.
        """
        right = measured.still_right(share)
        if measured.errors:
            errors = max(self._at(share, measured.errors), 0.0)  # a person may have written any numbers
            true = max(self._at(share, measured.gains) + errors, 0.0)
            right = (TRIED * true + PATIENCE * right) / (TRIED * (true + errors) + PATIENCE)
        right /= right + use.odds.get(measured.clause, 1.0) * (1 - right)
        is_faultless = measured.is_faultless and target_of(measured.clause) not in self._lists
        return min(self._measures.faultless.corrected(right), ALWAYS) if is_faultless else right

    @cached_property
    def _lists(self) -> dict[Predicate, HeldOut]:
        """How often what lists say came true on held-out rows."""
        return {each.predicate: each.held_out for each in self._measures.lists}

    def _cases(self, measured: Measured) -> HeldOut:
        """The held-out cases of a rule; one of a list that has none shares those of the list."""
        found = measured.held_out
        return self._lists.get(target_of(measured.clause), found) if self._lists and not found.cases else found

    def expected(self, measured: Measured, share: float, use: Use = EVERYTHING, others: HeldOut = NO_CASES) -> float:
        """How often a rule is right, by what is believed and what came true on held-out facts.

        As far as nothing was held out, not even of ``others``, it is the lower end of what is believed, by one
        standard error of the rule's counts: the best of many rules look better than they are. Of a list, the rule is
        not asked whether it pays but how likely its value is, and so it is what is believed. A rule that feeds on its
        own conclusions is never trusted more than its counts, and a little less: where chains are short, it does better
        than elsewhere.
        """
        believed = self.believed(measured, share, use)
        found = self._cases(measured)
        if target_of(measured.clause) in self._lists:
            return found.corrected(believed)
        doubt = found.doubt(others.cases + (self._measures.faultless.cases if measured.is_faultless else 0))
        right = max(found.corrected(believed, others) - doubt * _standard_error(believed, measured), 0.0)
        right = min(right, ALWAYS) if measured.is_faultless else right
        if measured.clause not in self._recursive:
            return right
        counted = measured.still_right(share)
        return min(right, max(counted - CHAINED * _standard_error(counted, measured), 0.0))

    @cached_property
    def _together(self) -> HeldOut:
        """The held-out cases of all rules."""
        return sum((found.held_out for found in self.rules.values()), NO_CASES)

    @cached_property
    def _recursive(self) -> frozenset[Clause]:
        return frozenset(found.clause for found in self.rules.values() if found.is_recursive)

    # Probabilities

    def statement(self, use: Use) -> Callable[[Weight, Predicate, Rule | None], Stated | None]:
        """What is said of conclusions, where some rules are used.

        Of each it is known how certain it is, its predicate, and the soft rule behind it, if somebody noted that.
        """

        @cache
        def state(weight: Weight, predicate: Predicate, behind: Rule | None) -> Stated | None:
            if weight == CERTAIN:
                return self.stated_certain(predicate)
            if behind is None:
                return self._guessed(weight, predicate, use)
            mine = self.stated(behind, use)
            return mine if mine is None or behind.weight == weight else self._having_waited(mine, weight, use)

        return state

    def _guessed(self, weight: Weight, predicate: Predicate, use: Use) -> Stated | None:
        """Where nobody noted the rule: one of the stratum, or one above that waited, or what hard rules follow from."""
        if (mine := self._likeliest([weight], predicate, use)) is not None:
            return mine
        spoken = (rule for rule in self._theory.ranked if rule.weight == weight and rule not in use.left_out)
        if any(target_of(rule.clause) == predicate for rule in spoken):
            return None  # of that rule nothing was measured
        above = self._likeliest((other for other in self._by_weight if other > weight), predicate, use)
        return self._likeliest([weight], None, use) if above is None else self._having_waited(above, weight, use)

    def _having_waited(self, mine: Stated, weight: Weight, use: Use) -> Stated:
        """What is said where a rule of a higher stratum had to wait for what this one concludes."""
        first = self._likeliest([weight], None, use)
        return mine if first is None else replace(mine, probability=_both(mine.probability, first.probability))

    def _likeliest(self, weights: Iterable[Weight], predicate: Predicate | None, use: Use) -> Stated | None:
        """The best of what is said of the rules of some strata, about a predicate if it is given; None of no rule."""
        used = [rule for weight in weights for rule in self._by_weight.get(weight, ()) if rule not in use.left_out]
        about = [rule for rule in used if predicate in (None, target_of(rule.clause))]
        known = [one for rule in about if (one := self.stated(rule, use)) is not None]
        return max(known, key=lambda one: one.probability, default=None)

    @cached_property
    def _by_weight(self) -> dict[Weight, list[Rule]]:
        found: dict[Weight, list[Rule]] = {}
        for rule in self.rules:
            found.setdefault(rule.weight, []).append(rule)
        return found

    def stated(self, rule: Rule, use: Use) -> Stated | None:
        """What is said of the conclusions of a rule; None where nothing was measured."""
        measured, share = self.rules.get(rule), use.share_of(target_of(rule.clause))
        if measured is None or share is None:
            return None
        # Whether it pays is asked with care. But what seven things show of a symmetry are few cases, and then what came
        # of the other rules, of which most can err on the data, says more than the lower end of its own counts.
        others = self._together - measured.held_out if measured.is_faultless else NO_CASES
        return Stated(self.expected(measured, share, use, others), self._cases(measured))

    def stated_certain(self, predicate: Predicate) -> Stated | None:
        """What is said of what the hard rules conclude about a predicate."""
        if self.is_open:
            return None
        found = next((one.held_out for one in self._measures.certain if one.predicate == predicate), HeldOut())
        came = min(max(found.right, 0.0), found.cases)
        return Stated((came + ALWAYS * TRUST) / (found.cases + TRUST), found)


def _both(one: float, other: float) -> float:
    """How often a rule and what it waited for are right: between chance and as often together as can be.

    Where what a rule rests on is wrong, it is wrong more often than elsewhere, and not always.
    """
    return (one * other + min(one, other)) / 2


def _standard_error(right: float, measured: Measured) -> float:
    """Of how often a rule is right, by the heads that it rests on."""
    return sqrt(right * (1 - right) / (measured.counted + measured.false + 1))


def _rising(numbers: Iterable[float]) -> Iterator[float]:
    """Numbers that fall by chance only are made not to."""
    return accumulate(numbers, max)
