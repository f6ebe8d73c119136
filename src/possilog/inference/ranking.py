"""Conclusions in order: each by the list of the rules that conclude it, best first.

Scores by certainty alone are too coarse to rank by, and a short theory has too few rules. So all rules with one head
take part: those of the theory, and the judged ones that only ranking uses. They conclude from given facts in one step.
Lists are compared as words are: the better first rule decides, then the second, and a longer list comes before what
it begins with (the maximum, with ties broken by the next). Rules that are as often right count as the same letter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, groupby
from typing import overload

import numpy as np
import numpy.typing as npt

from possilog.choices import Aggregate
from possilog.data.database import Database
from possilog.data.linked import Linked
from possilog.data.rows import Column, distinct, ranges
from possilog.errors import QueryError
from possilog.inference.linked import CodedRule, Codes, LinkRules
from possilog.logic import Clause, Constant, Predicate, Theory, Variable, variables_of
from possilog.logic.canonical_forms import forms_beside
from possilog.logic.rule_files import counted_rules
from possilog.matching.joins import Joins

__all__ = ["AT_ONCE", "Equals", "Ranked", "Ranking", "RankingRule", "evidence_of_rule", "ranking_rules"]

Floats = npt.NDArray[np.float64]

_Test = tuple[Predicate, int] | None
"""The predicate of facts that a constant has to be in, and its place there; None where it has to be a certain one."""

_LARGEST_CODE = 2**62
_MOST_CONFIDENT = 1 - 1e-9

AT_ONCE = 128
"""Constants that are asked about at a time, where many rules are: each may have a hundred thousand conclusions."""

_FADE = {Aggregate.NOISY_OR: 1.0, Aggregate.FADING: 0.8}
"""How much each rule of a list counts, beside the one before it."""


@dataclass(frozen=True, slots=True, order=True)
class RankingRule:
    """A rule with one head, and how often it is right."""

    clause: Clause
    confidence: float

    def __str__(self) -> str:
        return f"{self.confidence:.3f}  {self.clause}"


@dataclass(frozen=True, slots=True)
class Equals:
    """Rules of one predicate that are right as often."""

    confidence: float
    rules: tuple[RankingRule, ...]


def ranking_rules(theory: Theory) -> dict[Predicate, tuple[RankingRule, ...]]:
    """The rules by which atoms of each predicate are ranked, best first.

    A rule whose counts are known has the confidence that they give; another one of the theory, its weight. A rule of a
    list has its weight, too: its counts are those of its place, where no rule before it says anything.

    >>> from possilog.logic import parse_theory
    >>> theory = parse_theory("0.9 :: flies(X) :- bird(X). #rank true 5, false 0, nontrivial 0 :: flies(X) :- bat(X).")
    >>> print(*ranking_rules(theory)[Predicate("flies", 1)], sep="\\n")
    0.900  flies(X) :- bird(X).
    0.500  flies(X) :- bat(X).
    """
    form = forms_beside(rule.clause for rule in theory.rules)
    found: dict[Clause, RankingRule] = {}
    lists = set() if theory.measures is None else {each.predicate for each in theory.measures.lists}
    placed = {form(rule.clause) for rule in theory.soft if {atom.predicate for atom in rule.clause.head} & lists}
    for rule in counted_rules(theory):
        if form(rule.clause) not in placed:
            found[form(rule.clause)] = RankingRule(rule.clause, rule.confidence)
    for weighted in theory.rules:
        if weighted.clause.is_definite:
            found.setdefault(form(weighted.clause), RankingRule(weighted.clause, 1 - float(weighted.weight.doubt)))
    by_head: dict[Predicate, list[RankingRule]] = defaultdict(list)
    for one in found.values():
        by_head[one.clause.head[0].predicate].append(one)
    return {
        predicate: tuple(sorted(rules, key=lambda rule: (-rule.confidence, str(rule.clause))))
        for predicate, rules in sorted(by_head.items())
    }


def _refuting(theory: Theory) -> dict[Predicate, list[Clause]]:
    """The constraints, hard or demoted, by each predicate that they speak of: one of its atoms, if the others hold."""
    found: dict[Predicate, list[Clause]] = defaultdict(list)
    for rule in (*theory.hard, *theory.demoted):
        body = rule.clause.body
        for place, atom in enumerate(body if not rule.clause.head else ()):
            found[atom.predicate].append(Clause((atom,), (*body[:place], *body[place + 1 :])))
    return found


@dataclass(frozen=True, slots=True)
class Ranked:
    """Atoms that some rule concludes, in numbers, best first; ``codes`` rise, and are equal where lists are."""

    rows: npt.NDArray[np.int32]
    """A row for each asked argument, a column for each atom."""
    codes: Codes
    best: Floats
    """The confidence of the first rule of each list; with noisy-or, the probability that one of them is right."""

    def __len__(self) -> int:
        return len(self.codes)


class Ranking:
    """Ranks what the rules of a theory conclude from facts in one step."""

    def __init__(self, theory: Theory, facts: Database, aggregate: Aggregate | None = None) -> None:
        """Take the rules and the facts that they are applied to; they are taken together as the theory says, or else.

        Where nobody says, their list decides.
        """
        self.facts, self.aggregate = facts, aggregate or theory.aggregate or Aggregate.MAXIMUM
        self.rules = ranking_rules(theory)
        self._refuting = _refuting(theory)
        self._linked = Linked(facts) if theory.unlinked.cases else None
        self._joins = Joins(facts)
        self._links: dict[Predicate, LinkRules] = {}
        self._coded: dict[Clause, CodedRule | None] = {}
        self._tested: dict[tuple[Predicate, int], Mapping[_Test, tuple[Codes, Codes]]] = {}

    def groups(self, predicate: Predicate, place: int = 0, anchors: Column | None = None) -> Iterator[Equals]:
        """The rules of a predicate, best first, those together that are right as often.

        Where constants are given for a place of the head, most of the rules that cannot conclude anything about them
        are left out: rules that name constants are many, and each is about few.
        """
        rules: Iterable[RankingRule] = self.rules.get(predicate, ())
        if anchors is not None:
            rules = compress(rules, self._may_fire(predicate, place, anchors))
        for confidence, equals in groupby(rules, key=lambda rule: rule.confidence):
            yield Equals(confidence, tuple(equals))

    def _may_fire(self, predicate: Predicate, place: int, anchors: Column) -> npt.NDArray[np.bool_]:
        """Which rules of a predicate may conclude something about some constants?"""
        rules = self.rules.get(predicate, ())
        fires = np.ones(len(rules), dtype=bool)
        is_anchor = np.zeros(len(self.facts.constants), dtype=bool)
        is_anchor[anchors] = True
        for test, (which, constants) in self._tests(predicate, place).items():
            named = is_anchor
            if test is not None:
                body, variable = test
                rows = self.facts.rows(body)
                named = np.zeros_like(is_anchor)
                named[rows[1 - variable][is_anchor[rows[variable]]]] = True
            fires[which] = named[constants]
        return fires

    def _tests(self, predicate: Predicate, place: int) -> Mapping[_Test, tuple[Codes, Codes]]:
        """What a constant at a place of the head has to be for rules to fire: a constant, or in a fact with one."""
        if (predicate, place) not in self._tested:
            found: dict[_Test, list[tuple[int, int]]] = defaultdict(list)
            for number, rule in enumerate(self.rules.get(predicate, ())):
                coded = self._code(rule.clause)
                if coded is None:
                    continue
                argument = coded.head[place]
                if argument < 0:
                    found[None].append((number, -1 - argument))
                elif len(coded.body) == 1 and sorted(coded.body[0][1])[0] < 0 and argument in coded.body[0][1]:
                    body, arguments = coded.body[0]
                    if len(arguments) == 2:
                        at = arguments.index(argument)
                        found[body, at].append((number, -1 - arguments[1 - at]))
            self._tested[predicate, place] = {
                test: (np.array(listed)[:, 0], np.array(listed)[:, 1]) for test, listed in found.items()
            }
        return self._tested[predicate, place]

    def concluded(self, rule: RankingRule, given: Mapping[int, Column]) -> tuple[npt.NDArray[np.int64], list[Column]]:
        """What a rule concludes where constants stand at some places of the head, a row each: the other places.

        Each conclusion comes once for each row; the first array has the rows' numbers. What is refuted is not
        concluded. A rule that leaves one of the other places open concludes nothing: it would not put anything before
        anything else.
        """
        origin, full = self._matched(rule, given)
        predicate = rule.clause.head[0].predicate
        asked = (place for place in range(predicate.arity) if place not in given)
        atoms = dict(zip(asked, full, strict=True)) | {place: column[origin] for place, column in given.items()}
        stands = ~self._refuted(predicate, atoms, len(origin))
        return origin[stands], [column[stands] for column in full]

    def _matched(self, rule: RankingRule, given: Mapping[int, Column]) -> tuple[npt.NDArray[np.int64], list[Column]]:
        """The same, whether it is refuted or not."""
        coded = self._code(rule.clause)
        rows = len(next(iter(given.values()))) if given else 1
        asked = [place for place in range(rule.clause.head[0].predicate.arity) if place not in given]
        if coded is None or not all(coded.head[place] in coded.bound or coded.head[place] < 0 for place in asked):
            return np.empty(0, np.int64), [np.empty(0, np.int32)] * len(asked)
        kept, beginnings = _unified(coded.head, given, rows)
        wanted = list(dict.fromkeys(coded.head[place] for place in asked if coded.head[place] >= 0))
        origin, columns = self._joins.matches(coded.body, beginnings, wanted, len(kept))
        values = dict(zip(wanted, columns, strict=True))
        full = [
            values[coded.head[place]]
            if coded.head[place] >= 0
            else np.full(len(origin), -1 - coded.head[place], dtype=np.int32)
            for place in asked
        ]
        return kept[origin], full

    def _refuted(self, predicate: Predicate, atoms: Mapping[int, Column], number: int) -> npt.NDArray[np.bool_]:
        """Which atoms are no answers beside the facts: by a constraint, or since a fact links their constants?"""
        found = np.zeros(number, dtype=bool)
        if self._linked is not None and predicate.arity == 2:
            found |= self._linked.facts(atoms[0], atoms[1]) > 0
        for clause in self._refuting.get(predicate, ()):
            coded = self._code(clause)
            if coded is not None:
                kept, beginnings = _unified(coded.head, atoms, number)
                found[kept[self._joins.matches(coded.body, beginnings, (), len(kept))[0]]] = True
        return found

    def ranked(self, predicate: Predicate, given: Mapping[int, int] | None = None) -> Ranked:
        """All that is concluded about a predicate, with constants at some places or anywhere, best first."""
        fixed = {place: np.array([number], dtype=np.int32) for place, number in (given or {}).items()}
        asked = predicate.arity - len(fixed)
        size = max(len(self.facts.constants), 1)
        # What is added up is sorted by atom and rule, in one number.
        rules = 1 if self.aggregate is Aggregate.MAXIMUM else max(len(self.rules.get(predicate, ())), 1)
        if size**asked * rules >= _LARGEST_CODE:
            raise QueryError(
                f"{predicate} has too many arguments to rank its atoms; ask with constants at some of them"
            )
        if self.aggregate is Aggregate.MAXIMUM:
            steps = []
            for group in self.groups(predicate):
                keys = [_keys(*self.concluded(rule, fixed), size) for rule in group.rules]
                steps.append(_Step(group.confidence, *np.unique(np.concatenate(keys), return_counts=True)))
            atoms = distinct(np.concatenate([step.keys for step in steps] or [np.empty(0, np.int64)]))
            codes, best = _codes(atoms, steps), _best(atoms, steps)
        else:
            atoms, scores = self._added_up(predicate, [self._told(predicate, None, fixed, size)])
            columns = iter(_columns(atoms, asked, size))
            full = {n: fixed[n].repeat(len(atoms)) if n in fixed else next(columns) for n in range(predicate.arity)}
            stands = ~self._refuted(predicate, full, len(atoms))
            atoms, scores = atoms[stands], scores[stands]
            codes, best = _dense(-scores)[1], -np.expm1(-scores)
        order = np.argsort(codes, kind="stable")
        return Ranked(_columns(atoms[order], asked, size), codes[order], best[order])

    def together(self, predicate: Predicate, place: int, anchors: Column) -> tuple[Codes, Column, Floats]:
        """What rules that are added up say for answers about distinct constants at a place of a binary predicate.

        The places of the constants among the given ones, the answers, and how much is said for each.
        """
        size = max(len(self.facts.constants), 1)
        links = self._links_of(predicate)
        fires = self._may_fire(predicate, place, anchors)
        fires[links.numbers] = False
        told = self._told(predicate, np.flatnonzero(fires).tolist(), {place: anchors}, size)
        origin, answers, numbers = links.concluded(place, anchors)
        keys, scores = self._added_up(predicate, [told, (origin * size + answers, numbers)])
        origin, answers = np.divmod(keys, size)
        found = {place: anchors[origin], 1 - place: answers.astype(np.int32)}
        stands = ~self._refuted(predicate, found, len(keys))
        return origin[stands], found[1 - place][stands], scores[stands]

    def given(self, predicate: Predicate, pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        """How many of some distinct pairs each rule of a binary predicate concludes, in the order of its rules."""
        rules, links = self.rules.get(predicate, ()), self._links_of(predicate)
        found = np.zeros(len(rules), dtype=np.int64)
        size = max(len(self.facts.constants), 1)
        wanted = _keys(pairs[0].astype(np.int64), [pairs[1]], size)
        for first, second, numbers in self._from_links(predicate, distinct(pairs[0])):
            are_wanted = np.isin(first.astype(np.int64) * size + second, wanted)
            found += np.bincount(numbers[are_wanted], minlength=len(rules))
        both = dict(enumerate(pairs))
        for number in np.setdiff1d(np.arange(len(rules)), links.numbers).tolist():
            found[number] = len(self.concluded(rules[number], both)[0])
        return found

    def pairs(self, predicate: Predicate) -> Iterator[tuple[Column, Codes, Codes]]:
        """What each rule of a binary predicate concludes, in parts: constants, answers, and the rules' numbers."""
        anchors = np.arange(len(self.facts.constants), dtype=np.int32)
        yield from self._from_links(predicate, anchors)
        rules = self.rules.get(predicate, ())
        for number in np.setdiff1d(np.arange(len(rules)), self._links_of(predicate).numbers).tolist():
            first, (second,) = self.concluded(rules[number], {0: anchors})
            yield anchors[first], second.astype(np.int64), np.full(len(first), number)

    def _from_links(self, predicate: Predicate, anchors: Column) -> Iterator[tuple[Column, Codes, Codes]]:
        """The same of rules that lead from a link to a link, and of some constants."""
        for begin in range(0, len(anchors), AT_ONCE):
            part = anchors[begin : begin + AT_ONCE]
            origin, answers, numbers = self._links_of(predicate).concluded(0, part)
            yield part[origin], answers, numbers

    def _links_of(self, predicate: Predicate) -> LinkRules:
        if predicate not in self._links:
            coded = ((number, self._code(rule.clause)) for number, rule in enumerate(self.rules.get(predicate, ())))
            self._links[predicate] = LinkRules({number: rule for number, rule in coded if rule}, self.facts)
        return self._links[predicate]

    def _told(
        self, predicate: Predicate, numbers: Iterable[int] | None, given: Mapping[int, Column], size: int
    ) -> tuple[Codes, Codes]:
        """What some rules of a predicate conclude, or all, and the number of the rule beside each conclusion."""
        rules = self.rules.get(predicate, ())
        numbers = range(len(rules)) if numbers is None else numbers
        found = {number: _keys(*self._matched(rules[number], given), size) for number in numbers}
        keys = np.concatenate([np.empty(0, np.int64), *found.values()])
        return keys, np.repeat(np.array(list(found), dtype=np.int64), [len(one) for one in found.values()])

    def _added_up(self, predicate: Predicate, told: Sequence[tuple[Codes, Codes]]) -> tuple[Codes, Floats]:
        """The atoms that are concluded, in order, and what their rules say: each for less than a better one does.

        Equal lists are added up in the same order, so that they are equal to the last digit.
        """
        confidence = np.array([rule.confidence for rule in self.rules.get(predicate, ())])
        evidence, number = evidence_of_rule(confidence), max(len(confidence), 1)
        keys, numbers = np.divmod(np.sort(np.concatenate([one * number + rule for one, rule in told])), number)
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        length = np.diff(np.append(first, len(keys)))
        said = evidence[numbers] * _FADE[self.aggregate] ** ranges(np.zeros_like(first), length)
        scores: Floats = np.bincount(np.repeat(np.arange(len(first)), length), said, len(first)).astype(np.float64)
        return keys[first], scores

    def reasons(self, predicate: Predicate, row: Sequence[int]) -> tuple[RankingRule, ...]:
        """The rules that conclude an atom, best first."""
        given = {place: np.array([number], dtype=np.int32) for place, number in enumerate(row)}
        return tuple(rule for rule in self.rules.get(predicate, ()) if len(self.concluded(rule, given)[0]))

    def _code(self, clause: Clause) -> CodedRule | None:
        if clause not in self._coded:
            self._coded[clause] = _coded(clause, self.facts)
        return self._coded[clause]


def _coded(clause: Clause, facts: Database) -> CodedRule | None:
    """A rule in numbers; None where it speaks of a constant that the facts do not have."""
    number = {variable: place for place, variable in enumerate(variables_of(clause.atoms))}
    atoms = []
    for atom in clause.atoms:
        arguments = []
        for term in atom.arguments:
            place = number[term] if isinstance(term, Variable) else facts.number(term.name)
            if place is None:
                return None
            arguments.append(-1 - place if isinstance(term, Constant) else place)
        atoms.append((atom.predicate, tuple(arguments)))
    (_, head), *body = atoms
    return CodedRule(head, tuple(body), frozenset(a for _, arguments in body for a in arguments if a >= 0))


def _unified(
    head: Sequence[int], given: Mapping[int, Column], rows: int
) -> tuple[npt.NDArray[np.int64], dict[int, Column]]:
    """The rows that agree with a head, and what its variables stand for in them."""
    agree = np.ones(rows, dtype=bool)
    values: dict[int, Column] = {}
    for place, column in given.items():
        argument = head[place]
        expected = np.int32(-1 - argument) if argument < 0 else values.setdefault(argument, column)
        agree &= column == expected
    kept = np.flatnonzero(agree)
    return kept, {variable: column[kept] for variable, column in values.items()}


@dataclass(frozen=True, slots=True)
class _Step:
    """What a group of rules concludes, and by how many of them."""

    confidence: float
    keys: Codes
    counts: Codes


def _keys(origin: Codes, columns: Sequence[Column], size: int) -> Codes:
    keys = origin
    for column in columns:
        keys = keys * size + column
    return keys


def _columns(keys: Codes, number: int, size: int) -> npt.NDArray[np.int32]:
    """The columns that make up such keys, of which there are so many."""
    columns = np.empty((number, len(keys)), dtype=np.int32)
    for place in reversed(range(number)):
        keys, columns[place] = np.divmod(keys, size)
    return columns


@overload
def evidence_of_rule(confidence: float) -> np.float64: ...


@overload
def evidence_of_rule(confidence: Floats) -> Floats: ...


def evidence_of_rule(confidence: float | Floats) -> np.float64 | Floats:
    """What a rule says for an atom in noisy-or: minus the logarithm of how often it is wrong."""
    return np.asarray(-np.log1p(-np.minimum(confidence, _MOST_CONFIDENT)), dtype=np.float64)[()]


def _best(atoms: Codes, steps: Sequence[_Step]) -> Floats:
    """The confidence of the best rule of each atom."""
    best = np.zeros(len(atoms))
    for step in reversed(steps):
        best[np.searchsorted(atoms, step.keys)] = step.confidence
    return best


def _codes(atoms: Codes, steps: Sequence[_Step]) -> Codes:
    """A number for each atom, the smaller the better its list: what the groups say, one after the other, as digits."""
    codes, span = np.zeros(len(atoms), dtype=np.int64), 1
    for step in steps:
        if not len(step.keys):
            continue
        base = int(step.counts.max()) + 1
        if span * base >= _LARGEST_CODE:
            span, codes = _dense(codes)
        digits = np.full(len(atoms), base - 1, dtype=np.int64)
        digits[np.searchsorted(atoms, step.keys)] -= step.counts
        codes, span = codes * base + digits, span * base
    return _dense(codes)[1]


def _dense(codes: npt.NDArray[np.generic]) -> tuple[int, Codes]:
    """The same order in the smallest numbers, and how many there are."""
    distinct, places = np.unique(codes, return_inverse=True)
    return max(len(distinct), 1), places.astype(np.int64)
