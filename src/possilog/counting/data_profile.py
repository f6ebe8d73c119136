"""The data profile: for every set of rules, how many k-subsets of the data violate just these, exactly.

A k-subset violates a rule if it contains one of the rule's violating images: sets of at most k constants. What decides
about a subset is its core, the union of all images inside it. Cores are unions of images, and there are not many; how
many subsets have a given core follows by counting, since all that matters of the other constants is that they complete
no further image. No k-subset is ever listed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from math import comb

from possilog.counting.limits import TooLarge
from possilog.data import Database
from possilog.logic import Clause
from possilog.matching import Matcher

__all__ = ["DataProfile"]

Image = tuple[int, ...]
"""Some constants, in order."""


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

    def __init__(self, database: Database, width: int, rules: Iterable[Clause] = (), *, limit: int = 2_000_000) -> None:
        """Profile the subsets of ``width`` constants; give up with TooLarge beyond so many images or cores."""
        self.width = width
        self.constants = len(database.constants)
        self.rules = 0
        self._matcher = Matcher(database)
        self._limit = limit
        self._images: dict[Image, int] = defaultdict(int)
        for rule in rules:
            self.add(rule)

    @property
    def subsets(self) -> int:
        """How many k-subsets there are."""
        return comb(self.constants, self.width)

    def add(self, rule: Clause) -> None:
        """Add a rule; its bit in the table is the number of rules before it."""
        bit = 1 << self.rules
        self.rules += 1
        # A rule with more variables than the width cannot be violated inside a subset.
        if len(rule.variables) <= self.width:
            images = self._matcher.image_rows(rule.violation)
            self._check(len(self._images) + len(images))
            for image in images.tolist():
                self._images[tuple(image)] |= bit

    def table(self) -> dict[int, int]:
        """For each set of violated rules, a bit for each, how many k-subsets violate just these."""
        table: dict[int, int] = defaultdict(int)
        for core, count in self._by_core().items():
            table[self._violated(core)] += count
        return {violated: table[violated] for violated in sorted(table) if table[violated]}

    def _by_core(self) -> dict[Image, int]:
        """How many k-subsets have each core: those that contain it, less those that have a larger core."""
        cores = self._cores()
        counts = {core: comb(self.constants - len(core), self.width - len(core)) for core in cores}
        for core in sorted(cores, key=len, reverse=True):
            for part in _parts(core):
                if part in counts:
                    counts[part] -= counts[core]
        return counts

    def _cores(self) -> set[Image]:
        """All unions of images with at most k constants; the empty one is for subsets that violate nothing."""
        by_constant: dict[int, list[Image]] = defaultdict(list)
        by_size: dict[int, list[Image]] = defaultdict(list)
        for image in self._images:
            by_size[len(image)].append(image)
            for constant in image:
                by_constant[constant].append(image)
        cores: set[Image] = {()}
        pending: list[Image] = [()]
        while pending:
            core = pending.pop()
            room = self.width - len(core)
            apart = (image for size in range(room + 1) for image in by_size.get(size, ()))
            touching = (image for constant in core for image in by_constant[constant])
            for image in (*apart, *touching):
                union = tuple(sorted({*core, *image}))
                if len(union) <= self.width and union not in cores:
                    cores.add(union)
                    pending.append(union)
            self._check(len(cores))
        return cores

    def _violated(self, core: Image) -> int:
        violated = 0
        for part in (*_parts(core), core):
            violated |= self._images.get(part, 0)
        return violated

    def _check(self, size: int) -> None:
        if size > self._limit:
            raise TooLarge(
                f"the data profile needs more than {self._limit:,} sets of constants; count cut by cut instead"
            )


def _parts(core: Image) -> Iterator[Image]:
    """All proper subsets."""
    for size in range(len(core)):
        yield from combinations(core, size)
