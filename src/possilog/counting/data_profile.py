"""The data profile: for every set of rules, how many k-subsets of the data violate just these, exactly.

A k-subset violates a rule if it contains a violating image of it: a set of at most k constants. Sets of constants do
what is usual for the kinds of their members, but for some exceptions (``violations``). If there were none, all subsets
could be counted by binomials. So what matters of a subset is its core, the union of the exceptions inside it. There are
not many cores, fewer shapes of cores, and each shape corrects the count by as much as it makes a difference:

    Σ_S [S]  =  Π_c (1 + [c])  ·  Σ_T  δ(T) / Π_{c in T} (1 + [c]),    δ(T) = Σ_{U ⊆ T} [U] · Π_{c in T \\ U} (-[c])

over all subsets S, cores T and constants c, where [S] is the sort of S (``census``). No k-subset is ever listed.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from math import comb
from typing import TypeVar

from possilog.counting.census import NOTHING, Algebra, Census, Kinds, Sort
from possilog.counting.limits import Limit, TooLarge
from possilog.counting.rules import check_rule
from possilog.counting.violations import Image, Violations, find_violations
from possilog.data import Database
from possilog.deadline import NEVER, Deadline
from possilog.logic import Clause, Predicate
from possilog.matching import Matcher

__all__ = ["DataProfile"]

WIDEST = 16
"""Every part of a core is looked at, and there are 2^k of them."""

MOST_SETS = 2_000_000
"""Sets of constants, unless another limit is asked for."""

ConstantKind = frozenset[Predicate]
"""The predicates that are true of a constant, as far as they matter: its kind."""

ImageShape = tuple[tuple[Sort, ...], tuple[tuple[int, int], ...]]
"""The sorts of a core's constants, and the exceptions inside: which constants, and for which rules, as bits."""


class DataProfile:
    """Which rules the k-subsets of a database violate. Rules are added one by one; nothing is matched again.

    >>> from possilog.logic import parse_atom, parse_clause
    >>> facts = ["fr(ann, bob)", "fr(bob, eve)", "sm(ann)"]
    >>> profile = DataProfile(Database.of(map(parse_atom, facts)), width=2)
    >>> profile.add(parse_clause("sm(Y) :- fr(X, Y), sm(X)."))
    >>> profile.add(parse_clause(":- fr(X, Y)."))
    >>> profile.table()
    {0: 1, 2: 1, 3: 1}
    """

    def __init__(
        self,
        database: Database,
        width: int,
        rules: Iterable[Clause] = (),
        *,
        limit: int = MOST_SETS,
        stop: Deadline = NEVER,
    ) -> None:
        """Profile the subsets of ``width`` constants.

        Adding a rule, or making the table, gives up with TooLarge beyond a number of sets of constants (``limit``), or
        as soon as ``stop`` says so.
        """
        self.width = width
        self.constants = len(database.constants)
        self.rules = 0
        self._matcher = Matcher(database)
        self._limit = Limit("data profile", "sets of constants", limit)
        self._always = 0
        self._alone: dict[int, int] = defaultdict(int)
        self._usual: list[tuple[int, Violations]] = []
        self._exceptions: dict[Image, int] = defaultdict(int)
        for rule in rules:
            self.add(rule, stop)

    @property
    def subsets(self) -> int:
        """How many k-subsets there are."""
        return comb(self.constants, self.width)

    def add(self, rule: Clause, stop: Deadline = NEVER) -> None:
        """Add a rule; its bit in the table is the number of rules before it."""
        check_rule(rule)
        bit, size, limit = 1 << self.rules, len(rule.variables), self._limit.by(stop)
        # A rule with more variables than the width cannot be violated inside a subset.
        if size == 0:
            self._always |= bit if self._matcher.exists(rule.violation) else 0
        elif size <= self.width:
            violations = find_violations(self._matcher, rule, limit)
            limit.check(len(self._exceptions) + len(violations.exceptions))
            if violations.usual is not None:
                self._usual.append((bit, violations))
            for image in limit.timely(violations.exceptions):
                if size == 1:
                    self._alone[image[0]] |= bit
                else:
                    self._exceptions[image] |= bit
        self.rules += 1

    def keep(self, rules: int) -> None:
        """Take back all rules but the first few, as many as are said."""
        self.rules = min(self.rules, rules)
        kept = (1 << self.rules) - 1
        self._always &= kept
        self._usual = [(bit, violations) for bit, violations in self._usual if bit & kept]
        self._alone = _masked(self._alone, kept)
        self._exceptions = _masked(self._exceptions, kept)

    def table(self, stop: Deadline = NEVER) -> dict[int, int]:
        """For each set of violated rules, a bit for each, how many k-subsets violate just these."""
        if self.width > self.constants:
            return {}
        if self.width > WIDEST:
            raise TooLarge(
                f"the data profile is for at most {WIDEST} constants in a fragment; count cut by cut instead"
            )
        return _Count(self, self._limit.by(stop)).table()


class _Count:
    """The making of a table: the constants by their kinds, then the cores."""

    def __init__(self, profile: DataProfile, limit: Limit) -> None:
        self._profile, self._limit = profile, limit
        self._kinds = _kinds(profile)
        numbers = {
            facts: number for number, facts in enumerate(sorted(set(self._kinds.values()) | {_NONE}, key=sorted))
        }
        self._facts = list(numbers)
        self._algebra = Algebra(profile.width, self._usual, limit.check)
        self._plain: Sort = ((numbers[_NONE],), 0)
        self._sorts: dict[int, Sort] = {
            constant: ((numbers[self._kinds.get(constant, _NONE)],), profile._alone.get(constant, 0))
            for constant in {*self._kinds, *profile._alone}
        }

    def table(self) -> dict[int, int]:
        """Everything as usual, times what the cores change."""
        algebra, profile = self._algebra, self._profile
        alike = Counter(self._sorts.values())
        alike[self._plain] += profile.constants - len(self._sorts)
        usual: Census = {NOTHING: 1}
        for sort, number in alike.items():
            usual = algebra.product(usual, algebra.power({NOTHING: 1, sort: 1}, number))
            self._limit.check(len(usual))
        changes: Census = defaultdict(int)
        changes[NOTHING] = 1
        for shape, number in self._shapes().items():
            self._limit.check()
            for sort, times in self._difference(shape).items():
                changes[sort] += number * times
        of_size: dict[int, list[tuple[Sort, int]]] = defaultdict(list)
        for sort, number in usual.items():
            of_size[len(sort[0])].append((sort, number))
        table: dict[int, int] = defaultdict(int)
        for one, number in changes.items():
            for other, times in of_size[profile.width - len(one[0])]:
                table[algebra.join(one, other)[1] | profile._always] += number * times
            self._limit.check(len(table))
        return {violated: table[violated] for violated in sorted(table) if table[violated]}

    def _usual(self, kinds: Kinds) -> int:
        members = [self._facts[kind] for kind in kinds]
        return sum(bit for bit, v in self._profile._usual if len(v.usual or ()) == len(kinds) and v.usually(members))

    # Cores

    def _shapes(self) -> Counter[ImageShape]:
        """How many cores there are of each shape."""
        exceptions = self._profile._exceptions
        sizes = sorted({len(image) for image in exceptions})
        patterns = {
            core: [
                (sum(1 << place for place in places), places)
                for size in sizes
                for places in combinations(range(core), size)
            ]
            for core in range(2, self._profile.width + 1)
        }
        shapes: Counter[ImageShape] = Counter()
        for core in self._limit.timely(self._cores()):
            inside = tuple(
                (pattern, exceptions[part])
                for pattern, places in patterns[len(core)]
                if (part := tuple([core[place] for place in places])) in exceptions
            )
            shapes[tuple([self._sorts.get(constant, self._plain) for constant in core]), inside] += 1
        return shapes

    def _cores(self) -> set[Image]:
        """All unions of exceptions with at most k constants, but for the empty one."""
        width, exceptions = self._profile.width, self._profile._exceptions
        # What is missing of an image, by its size and by the rest of the image.
        missing: dict[tuple[int, Image], list[Image]] = defaultdict(list)
        for image in self._limit.timely(exceptions):
            for size in range(1, min(len(image), width - 2) + 1):
                for rest in combinations(image, size):
                    missing[size, tuple(c for c in image if c not in rest)].append(rest)
        cores = set(exceptions)
        pending = list(cores)
        while pending:
            core = pending.pop()
            for room in range(1, width - len(core) + 1):
                for part in (part for size in range(len(core)) for part in combinations(core, size)):
                    for rest in missing.get((room, part), ()):
                        union = tuple(sorted({*core, *rest}))
                        if union not in cores:
                            cores.add(union)
                            pending.append(union)
            self._limit.check(len(cores))
        return cores

    def _difference(self, shape: ImageShape) -> Census:
        """What a core of some shape changes: δ(T), divided by 1 + each of its constants."""
        sorts, inside = shape
        violated = self._violated(sorts, dict(inside))
        census: Census = defaultdict(int)
        for part in range(1 << len(sorts)):
            sort: Sort = (_kinds_of(sorts, part), violated[part])
            others = [other for place, other in enumerate(sorts) if not part >> place & 1]
            for other in others:
                sort = self._algebra.join(sort, other)
            census[sort] += (-1) ** len(others)
        census = {sort: number for sort, number in census.items() if number}
        for sort in sorts:
            census = self._algebra.without(census, sort)
        return census

    def _violated(self, sorts: tuple[Sort, ...], inside: dict[int, int]) -> list[int]:
        """For each part of a core, the rules that it violates: those that its own parts do, or all of it does."""
        violated = [0] * (1 << len(sorts))
        for part in range(1, len(violated)):
            places = [place for place in range(len(sorts)) if part >> place & 1]
            mine = sorts[places[0]][1] if len(places) == 1 else self._algebra.usual(_kinds_of(sorts, part))
            mine ^= inside.get(part, 0)
            for place in places:
                mine |= violated[part ^ 1 << place]
            violated[part] = mine
        return violated


_NONE: ConstantKind = frozenset()

_Key = TypeVar("_Key")


def _masked(bits: Mapping[_Key, int], kept: int) -> dict[_Key, int]:
    """The same with some of the bits only, and without what has none left."""
    return defaultdict(int, {key: mask & kept for key, mask in bits.items() if mask & kept})


def _kinds(profile: DataProfile) -> dict[int, ConstantKind]:
    """The predicates that are true of each constant, without those that make no difference to what is usual."""
    asked = {p for _, v in profile._usual for condition in v.usual or () for p in condition.true | condition.false}
    kinds: dict[int, ConstantKind] = defaultdict(frozenset)
    for predicate in asked:
        rows = profile._matcher.database.rows(predicate)
        for constant in rows[0][(rows == rows[0]).all(axis=0)].tolist():
            kinds[constant] |= {predicate}
    return kinds


def _kinds_of(sorts: tuple[Sort, ...], part: int) -> Kinds:
    return tuple(sorted(sort[0][0] for place, sort in enumerate(sorts) if part >> place & 1))
