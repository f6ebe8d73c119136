"""Each way to count worlds by itself, and one that chooses.

Every count is exact or has its interval. Those that may take long take a time limit, and give None when it is over.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic

from possilog.counting.count import Count
from possilog.counting.worlds.components import split, split_by_predicates
from possilog.counting.worlds.cutting_planes import LazyWorlds
from possilog.counting.worlds.grounding import Formula, Worlds
from possilog.counting.worlds.hashing import Bounded, Part, Xor, combine
from possilog.counting.worlds.search import count_models
from possilog.errors import MissingPart
from possilog.sat.counters import ModelCounter, XorSolver, has_ganak, has_xor_solver

__all__ = ["count_by_cutting_planes", "count_by_ganak", "count_by_hashing", "count_by_search", "count_worlds"]

GROUNDINGS = 1_000_000
"""More ground clauses than this are not made; the rules are grounded where they are broken instead."""

SEARCH_SHARE = 0.25
"""The share of the time that our own search has before Ganak tries: where it is enough, it is the quicker one."""


def count_worlds(
    worlds: Worlds, *, seconds: float = 60, epsilon: float = 0.8, delta: float = 0.2, seed: int = 0
) -> Count:
    """The number of worlds: exact if it can be had in some seconds, otherwise estimated (within 1 + ε, but for δ).

    >>> from possilog.logic import Predicate, parse_clause
    >>> count_worlds(Worlds((Predicate("p", 1), Predicate("r", 2)), 2, (parse_clause("p(X) :- r(X, Y)."),)))
    Count(value=36, low=36, high=36, method='search', confidence=1.0)
    """
    if worlds.groundings > GROUNDINGS:
        count = count_by_cutting_planes(worlds, epsilon=epsilon, delta=delta, seed=seed)
        assert count is not None
        return count
    share = SEARCH_SHARE if has_ganak() else 1.0
    count = count_by_search(worlds, share * seconds)
    if count is None and has_ganak():
        count = count_by_ganak(worlds, (1 - share) * seconds)
    if count is None and not has_xor_solver():
        raise MissingPart(
            f"the worlds could not be counted in {seconds:g} seconds; allow more, or estimate their number: "
            "pip install 'possilog[counting]'"
        )
    count = count or count_by_hashing(worlds, epsilon=epsilon, delta=delta, seed=seed)
    assert count is not None
    return count


def count_by_search(worlds: Worlds, seconds: float | None = None) -> Count | None:
    """The exact number, by our own counter."""
    models = count_models(worlds.ground(), seconds)
    return None if models is None else Count.of(models, "search")


def count_by_ganak(worlds: Worlds, seconds: float | None = None, counter: ModelCounter | None = None) -> Count | None:
    """The exact number, by Ganak. A counter that is given is used again, which saves its start, and stays open."""
    if counter is None:
        with ModelCounter() as counter:
            return count_by_ganak(worlds, seconds, counter)
    until = _until(seconds)
    found = split(worlds.ground())
    if found is None:
        return Count.of(0, "Ganak")
    product = 1 << found.free
    for part, times in found.parts:
        models = counter.count(part.atoms, part.clauses, None if until is None else until - monotonic())
        if models is None:
            return None
        product *= models**times
    return Count.of(product, "Ganak")


def count_by_hashing(
    worlds: Worlds, *, epsilon: float = 0.8, delta: float = 0.2, seed: int = 0, seconds: float | None = None
) -> Count | None:
    """An estimate by ApproxMC2, after grounding; exact where there are few worlds."""
    found = split(worlds.ground())
    if found is None:
        return Count.of(0, "ApproxMC2")
    until = _until(seconds)
    parts = [Part(part.atoms, _listing(part, until), times) for part, times in found.parts]
    try:
        return combine(found.free, parts, epsilon, delta, seed, "ApproxMC2")
    except TimeoutError:
        return None


def count_by_cutting_planes(
    worlds: Worlds, *, epsilon: float = 0.8, delta: float = 0.2, seed: int = 0, seconds: float | None = None
) -> Count | None:
    """The same, but rules are grounded only where a world that was found breaks them."""
    until = _until(seconds)
    free, independent = split_by_predicates(worlds)
    parts = [Part(part.atoms, LazyWorlds(part, until).bounded) for part in independent]
    try:
        return combine(free, parts, epsilon, delta, seed, "ApproxMC2 with cutting planes")
    except TimeoutError:
        return None


def _listing(formula: Formula, until: float | None) -> Bounded:
    def bounded(xors: Sequence[Xor], limit: int) -> int:
        solver = XorSolver(formula.atoms, formula.clauses)
        for atoms, odd in xors:
            solver.add_xor(atoms, odd)
        count = 0
        while count < limit and (model := solver.next_model(until)) is not None:
            solver.exclude(model)
            count += 1
        return count

    return bounded


def _until(seconds: float | None) -> float | None:
    return None if seconds is None else monotonic() + seconds
