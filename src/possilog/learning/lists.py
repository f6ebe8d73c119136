"""Lists of rules about one target: the first rule of a list that says something of a row decides it.

A list is made in several ways, of rules that are good by themselves and of decision trees; which of them is taken is
tried on rows that it was not found on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from possilog.chance import generator
from possilog.learning.phases import Task
from possilog.logic import HeldOut, Predicate
from possilog.structure.columns import ColumnRule, MiningSettings, mine_columns, mine_trees
from possilog.structure.columns.things import Truth

__all__ = ["HELD_OUT", "Thirds", "best_list", "decides", "taken"]

LAST = 1e-9
"""Below every confidence."""

SHORT = 8
"""The most rules about one target, unless another number is asked for: the leaves of a decision tree of depth 3."""

HELD_OUT = 3
"""One row in so many is held out."""

WORTH = 0.005
"""A rule of a short theory is right about this share of the rows more often than wrong where no other says anything."""


@dataclass(frozen=True, slots=True)
class Thirds:
    """Which rows are looked at, where one of three thirds of them is held out."""

    seed: int
    part: int = 0

    def kept(self, type: str, size: int) -> Truth:
        """Of the things of a type."""
        return np.asarray(generator(self.seed, "held-out rows", type).permutation(size) % HELD_OUT != self.part)


Cases = tuple[Truth, Truth]
"""The rows that a rule is right about, and those that it is wrong about."""


def _seen(rule: ColumnRule) -> Cases:
    return rule.right, rule.wrong


def decides(rules: Sequence[ColumnRule], cases: Callable[[ColumnRule], Cases | None] = _seen) -> list[Cases]:
    """For each rule of a list, the rows that it decides: those of which none before it says anything.

    They are among the rows that rules were found on, or among other ``cases``.
    """
    found: list[Cases] = []
    decided: Truth | None = None
    for rule in rules:
        right, wrong = cases(rule) or (np.zeros(0, bool), np.zeros(0, bool))
        free = np.ones(right.size, bool) if decided is None else ~decided
        found.append((right & free, wrong & free))
        decided = ~free | right | wrong
    return found


# Which list is best


def best_list(
    task: Task, mining: MiningSettings, mined: Sequence[ColumnRule], without: Sequence[ColumnRule]
) -> tuple[list[ColumnRule], HeldOut]:
    """A list about the only target: of rules that are good by themselves, or the leaves of a decision tree.

    All are tried on each third of the rows, found on the others; ``without`` are the rules found without the first.
    Of two trees the coarser one is taken unless it is right less often. Rules that are good by themselves take its
    place if they are no more, right as often, and clearly more often than what says the most frequent value of
    everything; or no more than the leaves of the finer tree, and right clearly more often than the tree. What is clear
    is a standard error. Beside the list stands how that went.
    """
    lists = _lists(task, mining, mined)
    found = [HeldOut()] * len(lists)
    for part in range(HELD_OUT):
        rows = Thirds(task.settings.seed, part).kept
        if part:
            stop = task.run.clock.until("simulation")
            without = mine_columns(task.database, mining, stop=stop, rows=rows, jobs=task.jobs)
        found = [
            before + _tried(rules) for before, rules in zip(found, _lists(task, mining, without, rows), strict=True)
        ]
    best = _best(lists, found, max((rule.true for rule in mined if rule.is_otherwise), default=0))
    return lists[best], replace(found[best], said=round(found[best].said, 2))


LISTED, COARSE, FINE = range(3)


def _best(lists: Sequence[Sequence[ColumnRule]], found: Sequence[HeldOut], most_frequent: int) -> int:
    """The place of the list that is taken, of rules good by themselves, of a coarse tree and of a fine one.

    So many rows have the ``most_frequent`` value.
    """
    if not lists[COARSE] and not lists[FINE]:
        return LISTED
    tree = COARSE if lists[COARSE] and (not lists[FINE] or found[COARSE].right >= found[FINE].right) else FINE
    right, size = found[LISTED].right, len(lists[LISTED])
    error = sqrt(found[tree].right * (1 - found[tree].right / max(found[tree].cases, 1)))
    as_good = right >= found[tree].right and right > most_frequent + error and size <= len(lists[tree])
    better = right > found[tree].right + error and size <= max(map(len, lists[COARSE:]))
    return LISTED if as_good or better else tree


def _tried(rules: Sequence[ColumnRule]) -> HeldOut:
    """How often a list is right about the rows that it was not found on, and how often it promises to be."""
    found = HeldOut()
    cases = zip(decides(rules), decides(rules, lambda rule: rule.tried), strict=True)
    for (true, false), (right, wrong) in cases:
        promised = true.sum() / (true.sum() + false.sum() + 1)
        number = int(right.sum() + wrong.sum())
        found += HeldOut(int(right.sum()), float(promised * number), number)
    return found


def _lists(
    task: Task,
    mining: MiningSettings,
    mined: Sequence[ColumnRule],
    rows: Callable[[str, int], Truth] | None = None,
) -> list[list[ColumnRule]]:
    """A list of rules that are good by themselves, and those of two trees; none where it would be too long."""
    most = task.settings.max_rules
    listed = _completed(taken(mined, most, short=True), mined, _most(most))
    trees = [
        [rule for rule in tree if task.edits.allows(rule.clause)]
        for tree in mine_trees(task.database, mining, rows=rows)
    ]
    return [listed, *(tree if len(tree) <= _most(most) else [] for tree in trees)]


def _completed(chosen: list[ColumnRule], mined: Sequence[ColumnRule], most: int) -> list[ColumnRule]:
    """A list with a value for the rows of which it says nothing: the most frequent of these."""
    others = [rule for rule in mined if rule.is_otherwise]
    if any(rule.is_otherwise for rule in chosen) or len(chosen) >= most or not others:
        return chosen
    rest = [int(decides([*chosen, rule])[-1][0].sum()) for rule in others]
    return [*chosen, others[int(np.argmax(rest))]] if max(rest) else chosen


# Which rules are taken


def taken(mined: Sequence[ColumnRule], most: int | str | None, *, short: bool) -> list[ColumnRule]:
    """All of them; where there is one target, or a number is given, those that say what the others do not."""
    if not short and not isinstance(most, int):
        return [rule for rule in mined if not rule.is_otherwise]
    chosen = _short([rule for rule in mined if not rule.is_whole], _most(most))
    return sorted(chosen, key=lambda rule: (-_rank(rule), -rule.true, str(rule.clause)))


def _most(asked: int | str | None) -> int:
    return asked if isinstance(asked, int) else SHORT


def _short(mined: Sequence[ColumnRule], most: int) -> list[ColumnRule]:
    """Rules one after the other: always the one that adds most, where the most certain rule for a row decides."""
    states: dict[Predicate, _Decided] = {}
    chosen: list[ColumnRule] = []
    left = list(mined)
    while left and len(chosen) < most:
        gains = [
            states.setdefault(rule.clause.head[0].predicate, _Decided(rule.right.size)).gain(rule) for rule in left
        ]
        best = max(range(len(left)), key=lambda place: (gains[place], -len(left[place].clause.body), -place))
        rule = left.pop(best)
        if gains[best] < max(1.0, WORTH * rule.right.size):
            break
        states[rule.clause.head[0].predicate].take(rule)
        chosen.append(rule)
    return _needed(chosen)


def _needed(chosen: list[ColumnRule]) -> list[ColumnRule]:
    """The rules without those that are hardly missed, now that there are others."""
    kept = list(chosen)
    for rule in sorted(chosen, key=_rank):
        without = [other for other in kept if other is not rule]
        if _total(kept) - _total(without) < max(1.0, WORTH * rule.right.size):
            kept = without
    return kept


def _total(rules: Sequence[ColumnRule]) -> float:
    """The rows that rules are right about, less those that they are wrong about."""
    states: dict[Predicate, _Decided] = {}
    for rule in rules:
        states.setdefault(rule.clause.head[0].predicate, _Decided(rule.right.size)).take(rule)
    return sum(state.score for state in states.values())


def _rank(rule: ColumnRule) -> float:
    """Which rule decides a row: the most certain one, and what is said of whatever is left comes last."""
    return LAST if rule.is_otherwise else rule.confidence


class _Decided:
    """For each row: how certain the rule is that decides it, and whether it is right."""

    def __init__(self, size: int) -> None:
        self._certain = np.zeros(size)
        self._score = np.zeros(size)

    @property
    def score(self) -> float:
        """Rows that are right, less those that are wrong."""
        return float(self._score.sum())

    def gain(self, rule: ColumnRule) -> float:
        """Rows that the rule sets right, less those that it sets wrong."""
        new = _rank(rule) > self._certain
        return float(
            (rule.right & new).sum() - (rule.wrong & new).sum() - self._score[(rule.right | rule.wrong) & new].sum()
        )

    def take(self, rule: ColumnRule) -> None:
        """Let the rule decide its rows."""
        new = (rule.right | rule.wrong) & (_rank(rule) > self._certain)
        self._score[new] = np.where(rule.right[new], 1.0, -1.0)
        self._certain[new] = _rank(rule)
