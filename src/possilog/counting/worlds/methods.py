"""Each way to count worlds by itself, and one that chooses.

Every count is exact or has its interval. All take a deadline, and give None when it has passed.
"""

from __future__ import annotations

from collections.abc import Sequence

from possilog.counting.count import Count
from possilog.counting.limits import TooLarge, require_time
from possilog.counting.worlds.components import split, split_by_predicates
from possilog.counting.worlds.cutting_planes import LazyWorlds
from possilog.counting.worlds.formula import GroundFormula, Worlds
from possilog.counting.worlds.hashing import Bounded, Cell, Xor, combine
from possilog.counting.worlds.search import count_models
from possilog.deadline import NEVER, Deadline
from possilog.errors import MissingPart
from possilog.sat.counters import ModelCounter, XorSolver, has_ganak, has_xor_solver

__all__ = ["count_by_cutting_planes", "count_by_ganak", "count_by_search", "count_worlds", "count_worlds_by_hashing"]

GROUNDINGS = 1_000_000
"""More ground clauses than this are not made; the rules are grounded where they are broken instead."""

LAZY_GROUNDINGS = 1_000_000_000
"""Where there are more than this, not even that comes to an end."""

ATOMS = 50_000
"""Where there are more atoms than this, neither exact counts nor estimates come to an end."""

A_MINUTE = 60.0
"""The most seconds for an exact count, before the number is estimated."""

EXACT_SHARE = 0.5
"""The share of the time that an exact count may take; the rest is for the estimate."""

SEARCH_SHARE = 0.25
"""The share of that time that our own search has before Ganak tries: where it is enough, it is the quicker one."""


def count_worlds(
    worlds: Worlds,
    *,
    stop: Deadline = NEVER,
    share: float = 1.0,
    epsilon: float = 0.8,
    delta: float = 0.2,
    seed: int = 0,
) -> Count:
    """The number of worlds: exact if it can be had within a minute, otherwise estimated (within 1 + ε, but for δ).

    Where there is more to count, the exact count has a ``share`` of the time. TooLarge where there is not even time for
    the estimate.

    >>> from possilog.logic import Predicate, parse_clause
    >>> count_worlds(Worlds((Predicate("p", 1), Predicate("r", 2)), 2, (parse_clause("p(X) :- r(X, Y)."),)))
    Count(value=36, low=36, high=36, method='search', confidence=1.0)
    """
    _check_size(worlds)
    if worlds.groundings > GROUNDINGS:
        count = count_by_cutting_planes(worlds, epsilon=epsilon, delta=delta, seed=seed, stop=stop)
    else:
        count = _count_exactly(worlds, stop.part(share * EXACT_SHARE, A_MINUTE))
        if count is None and has_xor_solver():
            count = count_worlds_by_hashing(worlds, epsilon=epsilon, delta=delta, seed=seed, stop=stop)
    if count is not None:
        return count
    if not has_xor_solver():
        raise MissingPart(
            "the worlds could not be counted exactly in the time there is; allow more, or estimate their number: "
            "pip install 'possilog[counting]'"
        )
    raise TooLarge(
        f"the worlds over {worlds.width} constants could not be counted in the time there is; allow more, or give "
        "fewer rules or a smaller width"
    )


def _check_size(worlds: Worlds) -> None:
    """Refuse at once what no method comes to an end with."""
    if worlds.atoms > ATOMS:
        raise TooLarge(
            f"there are {worlds.atoms:,} atoms over {worlds.width} constants, and worlds of more than {ATOMS:,} are "
            "not counted; give a smaller width, or rules and data with fewer predicates"
        )
    if worlds.groundings > LAZY_GROUNDINGS:
        raise TooLarge(
            f"{worlds.width} constants can break the rules in more than {LAZY_GROUNDINGS:,} ways, and then worlds are "
            "not counted; give a smaller width, or rules with fewer variables"
        )


def _count_exactly(worlds: Worlds, stop: Deadline) -> Count | None:
    """By our own search, and if a share of the time is not enough for it, by Ganak."""
    if not has_ganak():
        return count_by_search(worlds, stop)
    return count_by_search(worlds, stop.part(SEARCH_SHARE)) or count_by_ganak(worlds, stop)


def count_by_search(worlds: Worlds, stop: Deadline = NEVER) -> Count | None:
    """The exact number, by our own counter."""
    try:
        models = count_models(worlds.ground(stop), stop)
    except TimeoutError:
        return None
    return None if models is None else Count.of(models, "search")


def count_by_ganak(worlds: Worlds, stop: Deadline = NEVER, counter: ModelCounter | None = None) -> Count | None:
    """The exact number, by Ganak. A counter that is given is used again, which saves its start, and stays open."""
    if counter is None:
        with ModelCounter() as counter:
            return count_by_ganak(worlds, stop, counter)
    try:
        found = split(worlds.ground(stop), stop)
    except TimeoutError:
        return None
    if found is None:
        return Count.of(0, "Ganak")
    product = 1 << found.free
    for part, times in found.parts:
        models = counter.count(part.atoms, part.clauses, stop.left)
        if models is None:
            return None
        product *= models**times
    return Count.of(product, "Ganak")


def count_worlds_by_hashing(
    worlds: Worlds, *, epsilon: float = 0.8, delta: float = 0.2, seed: int = 0, stop: Deadline = NEVER
) -> Count | None:
    """An estimate by ApproxMC2, after grounding; exact where there are few worlds."""
    try:
        found = split(worlds.ground(stop), stop)
        if found is None:
            return Count.of(0, "ApproxMC2")
        cells = [Cell(part.atoms, _listing(part, stop), times) for part, times in found.parts]
        return combine(found.free, cells, epsilon, delta, seed, "ApproxMC2")
    except TimeoutError:
        return None


def count_by_cutting_planes(
    worlds: Worlds, *, epsilon: float = 0.8, delta: float = 0.2, seed: int = 0, stop: Deadline = NEVER
) -> Count | None:
    """The same, but rules are grounded only where a world that was found breaks them."""
    free, independent = split_by_predicates(worlds)
    cells = [Cell(part.atoms, LazyWorlds(part, stop).bounded) for part in independent]
    try:
        return combine(free, cells, epsilon, delta, seed, "ApproxMC2 with cutting planes")
    except TimeoutError:
        return None


def _listing(formula: GroundFormula, stop: Deadline) -> Bounded:
    def bounded(xors: Sequence[Xor], limit: int) -> int:
        require_time(stop)
        solver = XorSolver(formula.atoms, formula.clauses)
        for atoms, odd in xors:
            solver.add_xor(atoms, odd)
        count = 0
        while count < limit and (model := solver.next_model(stop)) is not None:
            solver.exclude(model)
            count += 1
        return count

    return bounded
