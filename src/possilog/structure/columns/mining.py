"""The rules of columns: for each value of a target, the conjunctions of conditions that make it likely.

A rule is kept if its conditions hold often enough, if it is right more often than not, and if neither chance nor one of
its parts explains that: by Chernoff's bound on how often as good a rule would be found where there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from math import log

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from possilog.chance import generator
from possilog.data import Database
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.logic import Atom, Clause, Constant, Predicate, Variable
from possilog.logic.canonical_forms import canonical
from possilog.structure.columns.column_rules import ColumnRule, rule_of, with_named_variables, without_needless
from possilog.structure.columns.conditions import Views, thresholds
from possilog.structure.columns.row_conditions import SUBJECT, Quantity, RowCondition, differing
from possilog.structure.columns.search import (
    LEAST_RIGHT,
    LEVEL,
    NEARLY_ALWAYS,
    PARENTS,
    ConjunctionSearch,
    Matrix,
)
from possilog.structure.columns.things import Column, Things, Truth
from possilog.structure.columns.tree import TreeLeaf, TreeSearch
from possilog.structure.columns.whole import whole_rules
from possilog.workers import Jobs, in_order

__all__ = ["ColumnRule", "MiningSettings", "mine_columns", "mine_trees"]


MOST_ROWS = 20_000
"""Of more things, so many are drawn to search rules; their numbers are then those of these things."""

MOST_NUMBERS = 40
"""Of more numbers, so many are cut for one head."""

FEW_ROWS = 5
"""Of fewer things there is nothing to learn."""


@dataclass(frozen=True, slots=True)
class MiningSettings:
    """What is searched."""

    targets: tuple[Predicate, ...] = ()
    """Rules are about these; about all predicates, if there are none."""
    excluded: tuple[str, ...] = ()
    """Predicates that have no part in it."""
    only: tuple[str, ...] = ()
    """Predicates that alone have a part in it, besides the targets."""
    constants: tuple[str, ...] | None = None
    """Arguments whose values may be named, as ``carrier.2``; None for all with few values."""
    least: int | None = None
    """The fewest right heads of a rule; None for a number by the size of the table."""
    body: int = 3
    """The most conditions of a rule."""
    width: int | None = None
    """The most variables of a rule; None where a shared value may bring in a fourth."""
    otherwise: bool = False
    """Are rules wanted for a list, in which the first that holds decides, and the last holds of whatever has a row?"""
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """An atom about a thing, of which things it is true, and of which it is known whether it is."""

    atom: Atom
    positive: Truth
    known: Truth


class Target:
    """A predicate that rules are about, as a classifier would see it: for each thing one of several values."""

    def __init__(self, things: Things, predicate: Predicate, least: int, may_name: Callable[[Column], bool]) -> None:
        self.predicate, self.type = predicate, things.types[predicate][0]
        self.heads: list[Head] = []
        if predicate.arity == 1:
            self.heads.append(Head(predicate(SUBJECT), things.said(predicate), things.decided(predicate)))
        elif predicate in things.functional and may_name(column := things.column(predicate)):
            for value, count in column.counted.items():
                if count >= least:
                    atom = predicate(SUBJECT, Constant(column.names[value]))
                    self.heads.append(Head(atom, column.values == value, column.known))


def least_support(rows: int, asked: int | None = None) -> int:
    """The fewest things that a rule is right about, by how many there are.

    >>> [least_support(rows) for rows in (10, 300, 3_000, 100_000)]
    [2, 9, 27, 158]
    """
    return max(2, round(rows**0.5 / 2)) if asked is None else asked


def mine_columns(
    database: Database,
    settings: MiningSettings | None = None,
    *,
    stop: Deadline = NEVER,
    rows: Callable[[str, int], Truth] | None = None,
    jobs: Jobs = 1,
) -> list[ColumnRule]:
    """The rules of all targets, which are shared out. ``rows`` says which things of a type are looked at, if not all.

    >>> from possilog.logic import parse_atom
    >>> facts = [f"colour(t{n}, {'red' if n % 2 else 'green'})" for n in range(60)]
    >>> facts += [f"ripe(t{n})" for n in range(60) if n % 2]
    >>> database = Database.of(map(parse_atom, facts))
    >>> settings = MiningSettings(constants=("colour.2",))
    >>> print(*(rule.clause for rule in mine_columns(database, settings)))
    colour(A, red) :- ripe(A). ripe(A) :- colour(A, red).
    """
    miner = _Miner(database, settings or MiningSettings(), stop, rows)
    found: list[ColumnRule] = []
    # The products are small: several threads would mostly wait for each other.
    with suppress(OutOfTime), threadpool_limits(1, user_api="blas"):  # what was found by then is the answer
        for rules in in_order(partial(_mining, miner), miner.targets, jobs):
            found += rules
    stop()  # which remembers what a worker saw
    return found


def mine_trees(
    database: Database, settings: MiningSettings, *, rows: Callable[[str, int], Truth] | None = None
) -> tuple[list[ColumnRule], list[ColumnRule]]:
    """The leaves of decision trees for the only target, in an order in which the first that holds decides.

    In the first a leaf has as many rows as a rule has to be right about, in the second one may be enough.
    """
    miner = _Miner(database, settings, NEVER, rows)
    with threadpool_limits(1, user_api="blas"):
        mining = miner.mining(miner.targets[0])
        return mining.tree(), mining.tree(1)


@dataclass(frozen=True)
class _Miner:
    """Mines the rules of a target."""

    database: Database
    settings: MiningSettings
    stop: Deadline
    rows: Callable[[str, int], Truth] | None

    @property
    def targets(self) -> list[Predicate]:
        """The predicates that rules are about."""
        types, settings = self.things.types, self.settings
        asked = settings.targets or tuple(types)
        return [p for p in asked if p in types and p.arity <= 2 and _uses(settings, p)]

    @cached_property
    def things(self) -> Things:
        return Things(self.database)

    @cached_property
    def _views(self) -> dict[str, Views]:
        return {}

    def __getstate__(self) -> dict[str, object]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def rules(self, predicate: Predicate) -> list[ColumnRule]:
        """Those of one target; OutOfTime when the time is over."""
        self.stop.check()
        return self.mining(predicate).rules()

    def mining(self, predicate: Predicate) -> _Mining:
        """The search for those of one target."""
        return _Mining(self.things, predicate, self.settings, self.stop, self.rows, self._views)


def _mining(miner: _Miner) -> Callable[[Predicate], list[ColumnRule]]:
    threadpool_limits(1, user_api="blas")  # in a process that works
    return miner.rules


def _uses(settings: MiningSettings, predicate: Predicate) -> bool:
    if predicate in settings.targets:
        return True
    return predicate.name not in settings.excluded and (not settings.only or predicate.name in settings.only)


class _Mining:
    """The search for the rules of one target."""

    def __init__(
        self,
        things: Things,
        predicate: Predicate,
        settings: MiningSettings,
        stop: Deadline,
        rows: Callable[[str, int], Truth] | None,
        views: dict[str, Views],
    ) -> None:
        self._things, self._settings, self._stop = things, settings, stop
        self._type = things.types[predicate][0]
        self._size = len(things.members(self._type))
        self._least = least_support(self._size, settings.least)
        if settings.otherwise and settings.least is None:
            self._least = max(2, self._least // 2)  # what only a few rows meet may still decide a target
        self._target = Target(things, predicate, self._least, self._may_name)
        self._rows = self._drawn(rows)
        if self._type not in views:
            views[self._type] = Views(things, self._least, self._may_name, self._is_used)
        self._views = views[self._type]
        # That a number is just this one is a head for what decides it, not for long conjunctions.
        self._is_numeric = predicate.arity == 2 and things.types[predicate][1] in things.numbers
        self._body = min(settings.body, 2) if self._is_numeric else settings.body

    def _drawn(self, rows: Callable[[str, int], Truth] | None) -> npt.NDArray[np.intp]:
        """The things that are looked at."""
        chosen = np.arange(self._size) if rows is None else np.flatnonzero(rows(self._type, self._size))
        if len(chosen) > MOST_ROWS:
            random = generator(self._settings.seed, "rows", self._target.predicate.name)
            chosen = np.sort(random.choice(chosen, MOST_ROWS, replace=False))
        return chosen

    def _may_name(self, column: Column) -> bool:
        """May rules name the values of a column? If it was said so, or if there are few for so many things."""
        if self._settings.constants is not None:
            return f"{column.predicate.name}.2" in self._settings.constants
        return len(column.counted) <= max(3, int(column.known.sum()) // 5)

    def _is_used(self, predicate: Predicate) -> bool:
        return _uses(self._settings, predicate)

    def rules(self) -> list[ColumnRule]:
        """All of them, the most certain first; what two conditions say alike is one rule."""
        if self._size < FEW_ROWS:
            return []
        whole = list(self._whole())
        found = [rule for head in self._target.heads for rule in self._rules_of(head)]
        if not self._settings.otherwise:  # lists have no rules about whole columns
            found, whole = without_needless(found, whole, self._things)
        if self._target.predicate.arity == 2:
            found += self._otherwise() if self._settings.otherwise else []
        ordered = sorted([*found, *whole], key=lambda rule: (-rule.confidence, -rule.true, str(rule.clause)))
        return list({canonical(rule.clause): rule for rule in reversed(ordered)}.values())[::-1]

    def _whole(self) -> Iterator[ColumnRule]:
        """The rules about the whole column."""
        if self._target.predicate.arity == 2:
            counted = list(whole_rules(self._things, self._target.predicate, self._settings.width, self._is_used))
            for one in counted:
                often = one.true >= self._least and one.true > LEAST_RIGHT * (one.true + one.false)
                if often and one.says >= log(len(counted) / LEVEL):
                    yield ColumnRule(one.clause, np.ones(one.true, bool), np.ones(one.false, bool), is_whole=True)

    def _otherwise(self) -> Iterator[ColumnRule]:
        """For each value that it is that of whatever has a value in the fullest of the other columns."""
        if self._fullest is not None:
            for head in self._target.heads:
                yield replace(self._rule(head, ()), is_otherwise=True)

    @cached_property
    def _fullest(self) -> Column | None:
        mine = self._target.predicate
        columns = [c for c in self._things.columns(self._type) if c.predicate != mine and self._is_used(c.predicate)]
        return max(columns, key=lambda column: int(column.known.sum()), default=None)

    def _rule(self, head: Head, conditions: Sequence[RowCondition]) -> ColumnRule:
        """A rule of a list; without conditions, it is about whatever has a value in the fullest column."""
        if conditions:
            clause = rule_of(head.atom, conditions)
            met = np.logical_and.reduce([one.holds for one in conditions]) & differing(conditions)
        else:
            assert self._fullest is not None
            clause = with_named_variables(Clause((head.atom,), (self._fullest.predicate(SUBJECT, Variable("V")),)))
            met = self._fullest.known
        known, positive = (each[self._rows] for each in (met & head.known, head.positive))
        outside, tried = self._outside(head, met)
        return ColumnRule(clause, known & positive, known & ~positive, outside, tried)

    # A tree

    def tree(self, least: int | None = None) -> list[ColumnRule]:
        """The rules of a decision tree, in an order in which the first that holds decides.

        Of a number it is asked on which side of a cut it is, and not which one it is.
        """
        heads = self._target.heads
        if self._size < FEW_ROWS or len(heads) < 2 or self._is_numeric or self._fullest is None:
            return []
        labels = np.zeros((self._size, len(heads) + 1))
        mask = np.zeros(self._size, dtype=bool)
        mask[self._rows] = True
        labels[heads[0].known & mask, -1] = 1.0
        for place, head in enumerate(heads):
            labels[head.positive & mask, place] = 1.0
            labels[head.positive, -1] = 0.0
        conditions, numbers = self._shared
        found = {one.atoms: one for head in heads for one in self._linked(head.positive, head.known & mask)}
        search = TreeSearch(
            [*(one for one in conditions if not one.of_number), *found.values()],
            numbers,
            labels,
            values=len(heads),
            least=least or self._least,
            depth=self._body,
            differing=differing,
        )
        return self._in_list(search.leaves())

    def _in_list(self, leaves: Sequence[TreeLeaf]) -> list[ColumnRule]:
        """The rules of leaves, each after those that have to come before it, and else the most certain first."""
        rules = {
            place: self._rule(self._target.heads[leaf.label], leaf.conditions) for place, leaf in enumerate(leaves)
        }
        order: list[int] = []
        while len(order) < len(leaves):
            ready = [place for place in rules if place not in order and set(leaves[place].after) <= set(order)]
            order.append(max(ready, key=lambda place: (rules[place].confidence, -place)))
        return [rules[place] for place in order]

    # One head

    @cached_property
    def _shared(self) -> tuple[list[RowCondition], list[Quantity]]:
        """The conditions and numbers that serve for all heads; of those that hold for the same things, the first."""
        mine = self._things.kin(self._target.predicate)
        conditions, numbers = self._views.of_type(self._type)
        alike: dict[bytes, list[RowCondition]] = {}
        for one in (one for one in conditions if one.first not in mine):
            alike.setdefault(np.packbits(one.holds[self._rows]).tobytes(), []).append(one)
        self._others = {id(first): others for first, *others in alike.values()}
        return [first for first, *_ in alike.values()], [one for one in numbers if one.first not in mine]

    @cached_property
    def _matrix(self) -> Matrix:
        return self._stacked(self._shared[0])

    def _stacked(self, conditions: Sequence[RowCondition]) -> Matrix:
        stacked = np.empty((len(conditions), len(self._rows)), dtype=np.float32)
        for place, condition in enumerate(conditions):
            stacked[place] = condition.holds[self._rows]
        return stacked

    def _rules_of(self, head: Head) -> Iterator[ColumnRule]:
        self._stop.check()
        positive, known = head.positive & head.known, head.known
        mask = np.zeros(self._size, dtype=bool)
        mask[self._rows] = True
        here, asked = positive[self._rows], known[self._rows]
        if int(here.sum()) < self._least or not (asked & ~here).any():
            return
        shared, numbers = self._shared
        extra = list(thresholds(_telling(numbers, known & mask, positive), known & mask, positive, self._least))
        extra += self._linked(positive, known & mask)
        if not self._is_numeric:
            between = self._views.between(self._type, self._things.kin(self._target.predicate))
            extra += between.conditions(positive, known & mask, [*shared, *extra])
        conditions = [*shared, *extra]
        matrix = np.concatenate([self._matrix, self._stacked(extra)])
        search = ConjunctionSearch(
            conditions, matrix, self._rows, here, asked, self._least, self._body, as_list=self._settings.otherwise
        )
        if self._body > 1 and not self._is_numeric:
            search.add(self._cut_again(search, head, mask), self._stacked)
        for members, holds in search.found():
            some = [search.conditions[place] for place in members]
            met = np.logical_and.reduce([one.holds for one in some]) & differing(some)
            holds = met[self._rows]
            right, wrong = holds & here, holds & asked & ~here
            if int(right.sum()) < self._least or int(right.sum()) <= self._least_right * int((right | wrong).sum()):
                continue
            outside, tried = self._outside(head, met)
            # What holds for the same things is as good a rule, where it is one condition that is nearly always right.
            plain = len(some) == 1 and int(right.sum()) >= NEARLY_ALWAYS * int((right | wrong).sum())
            for said in (some, *([one] for one in self._others.get(id(some[0]), ()) if plain)):
                yield ColumnRule(rule_of(head.atom, said), right, wrong, outside, tried)

    @cached_property
    def _least_right(self) -> float:
        """How often a rule has to be right; which thing it is, by its number, is for rules that hardly ever err."""
        mine = self._target.predicate
        numbered = mine.arity == 2 and self._things.is_numbered(self._things.types[mine][1])
        return NEARLY_ALWAYS if numbered and not self._settings.otherwise else LEAST_RIGHT

    def _outside(self, head: Head, met: Truth) -> tuple[tuple[int, int], tuple[Truth, Truth] | None]:
        """How often a rule is right and wrong about things that are not looked at; and which of them, for a list."""
        known, positive = (each[self._others_than_rows] for each in (met & head.known, head.positive))
        right, wrong = known & positive, known & ~positive
        tried = (right[:MOST_ROWS], wrong[:MOST_ROWS]) if self._settings.otherwise else None
        return (int(right.sum()), int(wrong.sum())), tried

    @cached_property
    def _others_than_rows(self) -> npt.NDArray[np.intp]:
        return np.setdiff1d(np.arange(self._size), self._rows)

    def _linked(self, positive: Truth, known: Truth) -> list[RowCondition]:
        mine = self._target.predicate
        found = self._views.linked(self._type, positive, known)
        # What is said of the target at other things is a condition like any other; its own facts are not.
        return [one for one in found if one.first != mine]

    def _cut_again(self, search: ConjunctionSearch, head: Head, mask: Truth) -> list[RowCondition]:
        """Numbers cut among the things that meet a promising condition."""
        found: list[RowCondition] = []
        # Only what is compared may be there already.
        known = {one.atoms for one in search.conditions if not one.names_value} if self._shared[1] else set()
        for parent in search.parents()[: PARENTS // 3]:
            chosen = search.conditions[parent].holds & mask
            numbers = [one for one in self._shared[1] if one.column != search.conditions[parent].column]
            numbers = _telling(numbers, head.known & chosen, head.positive)
            for condition in thresholds(numbers, head.known & chosen, head.positive, self._least):
                if condition.atoms not in known:
                    known.add(condition.atoms)
                    found.append(condition)
        return found


def _telling(numbers: list[Quantity], asked: Truth, positive: Truth) -> list[Quantity]:
    """Of very many numbers those that go with the head most, up or down, by the rank of each thing."""
    if len(numbers) <= MOST_NUMBERS:
        return numbers
    wanted = np.where(asked, positive - positive[asked].mean() if asked.any() else 0.0, 0.0).astype(np.float32)
    goes_with = np.abs([float(number.ranks @ wanted) for number in numbers])
    best = np.argsort(-goes_with, kind="stable")[:MOST_NUMBERS]
    return [numbers[place] for place in sorted(best.tolist())]
