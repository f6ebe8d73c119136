"""The world profile: for every set of rules, how many worlds over k constants violate just these, exactly.

Hard rules are universal, so what is left of a model when a constant is taken away is a model again. The worlds over k
constants are therefore extensions by one constant of the worlds over k - 1, of which one of each isomorphism class is
enough: it counts for as many as the class has members.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import permutations
from math import comb, factorial

import numpy as np
import numpy.typing as npt

from possilog.counting.limits import OFTEN, Limit, TooLarge
from possilog.counting.rules import check_rule
from possilog.deadline import NEVER, Deadline, OutOfTime
from possilog.entailment import Saturation
from possilog.logic import Clause, Predicate
from possilog.logic.atom_space import AtomSpace, bits
from possilog.workers import Jobs, in_order
from possilog.workers.chunks import in_chunks

__all__ = ["WorldProfile"]

ATOMS = 100_000
"""Worlds of more atoms than this are not looked at one by one."""

LARGE = 1024
"""Worlds of more atoms than this are so large that fewer of them are taken."""

TOGETHER = 64
"""Worlds over one constant less that one worker extends at a time."""

WorldCode = int
"""A set of atoms, a bit for each."""


@dataclass(slots=True)
class _Counted:
    """A world, how many worlds it stands for, and the rules that it violates."""

    world: WorldCode
    count: int
    violated: int = 0


class WorldProfile:
    """Which rules the models of the hard rules over k constants violate. Rules are added one by one.

    >>> from possilog.logic import parse_clause
    >>> profile = WorldProfile([Predicate("p", 1), Predicate("q", 1)], [parse_clause(":- p(X), q(X).")], width=2)
    >>> profile.add(parse_clause("q(X) :- p(Y)."))
    >>> profile.worlds, profile.table()
    (9, {0: 6, 1: 3})
    """

    def __init__(
        self,
        predicates: Iterable[Predicate],
        hard: Iterable[Clause],
        width: int,
        rules: Iterable[Clause] = (),
        *,
        limit: int = 2_000_000,
        stop: Deadline = NEVER,
        jobs: Jobs = 1,
    ) -> None:
        """Enumerate the worlds over ``width`` constants, side by side for several ``jobs``.

        Give up with TooLarge beyond a number of worlds (``limit``), or as soon as ``stop`` says so.
        """
        self.rules = 0
        self._predicates = frozenset(predicates)
        atoms = sum(width**predicate.arity for predicate in self._predicates)
        self._limit = Limit("world profile", "worlds", limit // max(1, atoms // LARGE), stop)
        if atoms > ATOMS:
            raise TooLarge(f"the world profile is for worlds of at most {ATOMS:,} atoms; count cut by cut instead")
        self._space = AtomSpace(self._predicates, width)
        self._hard = []
        for clause in hard:
            check_rule(clause, self._predicates)
            if len(clause.variables) <= width:
                self._hard.append(clause)
        self._check_free()
        try:
            self._saturation = Saturation(self._space, self._hard, stop)
            # Rules with several heads are not Horn: that they hold must be looked at in the end.
            self._several = [pair for c in self._hard if len(c.head) > 1 for pair in self._space.groundings(c)]
            self._check_independent()
        except OutOfTime:
            raise self._limit.late from None
        self._renamed: dict[int, tuple[int, list[WorldCode]]] = {}
        self._places: dict[int, tuple[int, dict[WorldCode, int]]] = {}
        self._counted = self._worlds(jobs)
        for rule in rules:
            self.add(rule, stop)

    def _check_free(self) -> None:
        """Give up at once where the atoms that no hard rule speaks of are too many: each doubles the worlds.

        Of the atoms of such a predicate those with the last constant count, for only they come into the last step. That
        holds if there is a world at all, as there is where all atoms may be false.
        """
        if all(clause.body for clause in self._hard):
            spoken = {atom.predicate for clause in self._hard for atom in clause.atoms}
            width = self._space.width
            arities = [predicate.arity for predicate in self._predicates - spoken]
            free = sum(width**arity - max(width - 1, 0) ** arity if arity else 1 for arity in arities)
            self._limit.check(1 << min(free, self._limit.most.bit_length() + 1))

    def _check_independent(self) -> None:
        """Give up at once where so many atoms are independent that there are too many worlds.

        A world that is looked at stands for no more worlds than there are ways to rename all constants but the last.
        """
        if not self._saturation.contradictory:
            enough = (self._limit.most * factorial(max(self._space.width - 1, 0))).bit_length()
            if len(self._saturation.independent(enough)) == enough:
                self._limit.check(self._limit.most + 1)

    @property
    def worlds(self) -> int:
        """How many worlds satisfy the hard rules."""
        return sum(counted.count for counted in self._counted)

    @property
    def representatives(self) -> int:
        """How many worlds had to be looked at."""
        return len(self._counted)

    def add(self, rule: Clause, stop: Deadline = NEVER) -> None:
        """Add a rule; its bit in the table is the number of rules before it."""
        check_rule(rule, self._predicates)
        bit, limit = 1 << self.rules, self._limit.by(stop)
        self.rules += 1
        by_atom: dict[int, list[tuple[int, int]]] = defaultdict(list)
        always: list[tuple[int, int]] = []
        for body, head in self._space.groundings(rule):
            (by_atom[body.bit_length() - 1] if body else always).append((body, head))
        # Worlds have few atoms, so only groundings whose last body atom is true are looked at.
        last = sum(1 << atom for atom in by_atom)
        for counted in limit.timely(self._counted):
            world = counted.world
            for pair in always if always else (pair for atom in bits(world & last) for pair in by_atom[atom]):
                if pair[0] & world == pair[0] and not pair[1] & world:
                    counted.violated |= bit
                    break

    def keep(self, rules: int) -> None:
        """Take back all rules but the first few, as many as are said."""
        self.rules = min(self.rules, rules)
        for counted in self._counted:
            counted.violated &= (1 << self.rules) - 1

    def table(self, stop: Deadline = NEVER) -> dict[int, int]:
        """For each set of violated rules, a bit for each, how many worlds violate just these."""
        table: dict[int, int] = defaultdict(int)
        for counted in self._limit.by(stop).timely(self._counted):
            table[counted.violated] += counted.count
        return dict(sorted(table.items()))

    # The worlds

    def _worlds(self, jobs: Jobs) -> list[_Counted]:
        """The extensions of one world of each class over k - 1 constants, each counting for the class."""
        self._alone: list[WorldCode] | None = None
        classes = dict.fromkeys(self._extensions(0, 0), 1)
        for constants in range(1, self._space.width):
            found: set[WorldCode] = set()
            for world in classes:
                for extended in self._extensions(world, constants):
                    found.add(extended)
                    self._limit.check_size(self._at_least(len(found)) if constants == 1 else len(found))
            if constants == 1:
                self._alone = sorted(found)
            links = self._links(found) if constants == 2 and self._is_by_pairs else None
            classes = self._classes(found, constants)
            if links is not None:
                self._limit.check_size(self._by_pairs(links, classes))
        if self._space.width == 0:
            return [_Counted(world, count) for world, count in classes.items()]
        counted: list[_Counted] = []
        chunks = in_chunks(list(classes), TOGETHER)
        for found_there in in_order(partial(_extending, self), chunks, jobs):
            counted += [_Counted(world, classes[before]) for before, worlds in found_there for world in worlds]
            self._limit.check_size(len(counted))
        return counted

    def _at_least(self, alone: int) -> int:
        """How many worlds are looked at in the end, at least, where so many are about one constant alone.

        Where constants that nothing links are independent, any worlds of one constant make a world together.
        """
        before = self._space.width - 1
        return comb(alone + before - 1, before) * alone if self._is_parted else alone

    @cached_property
    def _is_parted(self) -> bool:
        """Do hard rules speak of several constants only where these are linked, and facts always of some constant?

        Then a hard rule with several variables has an atom in its body that links two of them.
        """
        spoken = [clause for clause in self._hard if len(clause.variables) > 1]
        linked = all(any(len(set(atom.variables)) > 1 for atom in clause.body) for clause in spoken)
        return linked and all(predicate.arity for predicate in self._predicates)

    @cached_property
    def _is_by_pairs(self) -> bool:
        """Are worlds over three constants any three over two that agree on what each constant is alone?

        Then it is known how many there are before they are looked at. Atoms about all three only make them more.
        """
        of_pairs = all(len(clause.variables) <= 2 for clause in self._hard)
        return self._space.width == 3 and of_pairs and all(predicate.arity for predicate in self._predicates)

    def _links(self, pairs: Iterable[WorldCode]) -> npt.NDArray[np.int64]:
        """For each two worlds over one constant, how many worlds over two constants are these alone."""
        alone = len(self._alone or ())
        links = np.zeros((alone, alone), dtype=np.int64)
        np.add.at(links, tuple(np.array([self._parts(pair) for pair in pairs], dtype=np.intp).reshape(-1, 2).T), 1)
        return links

    def _by_pairs(self, links: npt.NDArray[np.int64], classes: Iterable[WorldCode]) -> int:
        """How many worlds over three constants have one of these inside."""
        return sum(int(links[first] @ links[second]) for first, second in map(self._parts, classes))

    def _parts(self, pair: WorldCode) -> tuple[int, int]:
        """What each of two constants is alone, by the number of that world."""
        if not self._places:
            for constant in (0, 1):
                own, worlds = self._alone_as(constant)
                self._places[constant] = own, {world: number for number, world in enumerate(worlds)}
        (first, of_first), (second, of_second) = self._places[0], self._places[1]
        return of_first[pair & first], of_second[pair & second]

    def extended(self, classes: Sequence[WorldCode]) -> list[tuple[WorldCode, list[WorldCode]]]:
        """Worlds over one constant less, each with the worlds over all constants that have it inside."""
        found: list[tuple[WorldCode, list[WorldCode]]] = []
        number = 0
        for world in classes:
            worlds: list[WorldCode] = []
            for extended in self._extensions(world, self._space.width):
                worlds.append(extended)
                self._limit.check_size(number + len(worlds))
            number += len(worlds)
            found.append((world, worlds))
        return found

    def _classes(self, worlds: set[WorldCode], constants: int) -> dict[WorldCode, int]:
        """One world of each isomorphism class, and how many the class has: the distinct ones among the renamed."""
        rest = tuple(range(constants, self._space.width))
        tables = [self._space.permuted((*order, *rest)) for order in permutations(range(constants))]
        classes: dict[WorldCode, int] = {}
        while worlds:
            self._limit.check()
            world = worlds.pop()
            atoms = list(bits(world))
            renamed = {sum([table[atom] for atom in atoms]) for table in tables}
            worlds -= renamed
            classes[min(renamed)] = len(renamed)
        return classes

    def _extensions(self, world: WorldCode, constants: int) -> Iterator[WorldCode]:
        """The models over this many constants that are this world when the last constant is taken away."""
        if self._saturation.contradictory:
            return
        inside = self._inside(constants)
        before = self._inside(constants - 1) if constants else 0
        excluded = before & ~world
        found = self._closure(world)
        if found is None or found & inside & excluded:
            return
        for start in self._starts(found & inside, excluded, constants):
            yield from self._extended(start, inside)

    def _extended(self, start: tuple[int, int, int], inside: int) -> Iterator[WorldCode]:
        """The models with what is true at the start, some of what may be, and nothing of what may not."""
        stack = [start]
        steps = 0
        while stack:
            if not steps % OFTEN:
                self._limit.check()
            steps += 1
            closed, candidates, excluded = stack.pop()
            while candidates:
                low = candidates & -candidates
                more = self._saturation.extend(closed, low.bit_length() - 1)
                candidates ^= low
                if more is not None and not more & inside & excluded:
                    more &= inside
                    allowed = candidates & ~more & ~self._saturation.conflicts(more & ~closed)
                    stack.append((more, allowed, excluded))
                excluded |= low
            if all(
                body & closed != body or head & closed for body, head in self._several if not (body | head) & ~inside
            ):
                yield closed

    def _starts(self, closed: int, excluded: int, constants: int) -> Iterator[tuple[int, int, int]]:
        """What is true, what may be as well, and what may not: for each world that the last constant could be alone.

        Nothing is left open then but what links it with others. All is where these worlds are being found.
        """
        inside, before = self._inside(constants), self._inside(constants - 1) if constants else 0
        open_to = inside & ~before
        if constants < 2 or self._alone is None:
            yield closed, open_to & ~closed & ~self._saturation.conflicts(closed), excluded
            return
        own, worlds = self._alone_as(constants - 1)
        for world in worlds:
            more: int | None = None if closed & own & ~world else closed
            for atom in bits(world & ~closed):
                if more is not None and not more >> atom & 1:
                    more = self._saturation.extend(more, atom)
            without = excluded | own & ~world
            if more is not None and not more & inside & without:
                more &= inside
                yield more, open_to & ~own & ~more & ~self._saturation.conflicts(more), without

    def _alone_as(self, constant: int) -> tuple[int, list[WorldCode]]:
        """The atoms about one constant alone, and the worlds over one constant in terms of these."""
        if constant not in self._renamed:
            order = list(range(self._space.width))
            order[0], order[constant] = constant, 0
            table = self._space.permuted(order)
            first = self._inside(1) & ~self._inside(0)
            own = sum(table[atom] for atom in bits(first))
            parts = sorted({world & first for world in self._alone or ()})
            self._renamed[constant] = own, [sum(table[atom] for atom in bits(part)) for part in parts]
        return self._renamed[constant]

    def _closure(self, world: WorldCode) -> int | None:
        """All that a world implies; None where it has no extension, by what the rules say about further constants."""
        closed = self._saturation.close(())
        for atom in bits(world & ~closed):
            if not closed >> atom & 1:
                more = self._saturation.extend(closed, atom)
                if more is None:
                    return None
                closed = more
        return closed

    def _inside(self, constants: int) -> int:
        """The atoms that have no constants but the first ones."""
        return sum(
            1 << n for n, (_, arguments) in enumerate(self._space.atoms) if all(a < constants for a in arguments)
        )


def _extending(profile: WorldProfile) -> Callable[[Sequence[WorldCode]], list[tuple[WorldCode, list[WorldCode]]]]:
    return profile.extended
