"""``mine``: all path rules of the binary facts of some data."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from possilog.data.database import Database
from possilog.data.taking import Facts, facts_of
from possilog.deadline import Deadline, OutOfTime
from possilog.errors import QueryError, listed
from possilog.logic import Predicate
from possilog.progress import Progress, Step, require_progress, silent
from possilog.requiring import require_list, require_number, require_single, require_whole
from possilog.structure.paths.closed import MOST_STEPS, PathRules
from possilog.structure.paths.graph import Bytes, Graph
from possilog.structure.paths.mined import Mined, MinedRule
from possilog.structure.paths.miners import Miners, Mining, shared_out
from possilog.structure.paths.spelling import Speller
from possilog.structure.paths.tables import RuleTable, acyclic_part, closed_part, conjunction_part, functional_ways
from possilog.workers import Jobs

__all__ = ["mine"]

LONGEST = 3
"""Atoms in the body of a closed path, at most."""

BYTES_PER_STEP = 80
"""What a step of a path takes while pairs are put in order."""


def mine(
    data: Facts,
    *,
    body: int = 2,
    min_support: int = 10,
    min_confidence: float = 0.1,
    constants: bool = True,
    constant_body: int = 1,
    conjoin: bool = False,
    coincide: bool = False,
    targets: Sequence[str] | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    jobs: Jobs = 1,
    progress: Progress = silent,
) -> Mined:
    """All path rules of the binary facts, with exact counts over the distinct heads that they give.

    Parameters
    ----------
    data : Database, path of a file, dict of frames, or atoms
        The facts. Only binary ones have a part.
    body : int
        The most atoms of a closed path: 1, 2 or 3.
    min_support : int
        The least number of facts that a rule gives.
    min_confidence : float
        The least share of facts among the heads that a rule gives.
    constants : bool
        Also rules about one variable that name constants, such as ``speaks(X, dutch) :- livesIn(X, utrecht).``
    constant_body : int
        The most atoms in the bodies of those: 1 or 2.
    conjoin : bool
        Also conjunctions of any two of the paths of up to two atoms that have the support and the confidence, where
        both together are more often right than either alone. Conjunctions of two atoms are always mined, if a body may
        have two.
    coincide : bool
        May distinct variables stand for one constant? That is how AMIE counts; elsewhere in possilog they may not.
    targets : list of str, or None
        The predicates that rules are about; None for all.
    limit : int or None
        How many rules are listed, the most confident first.
    time_limit : float or None
        Seconds. What was not mined by then is named in the result.
    memory_limit : float or None
        About how many megabytes lists of paths may take beside the facts and the rules. Longer ones are taken in parts,
        with the same result. None for 2,000.
    jobs : int, or Cluster
        The number of processes, or a Dask cluster. The result is the same everywhere.
    progress : function
        Is called with each step that is done.

    Returns
    -------
    Mined
        The rules, the most confident first, with support, sizes and a few instances.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    QueryError
        If a limit makes no sense, or there are no binary facts of a target.

    Examples
    --------
    >>> from possilog import load
    >>> found = mine(load("village"), min_support=5, constants=False)
    >>> print(found[0].rule)
    married(A, B) :- married(B, A).
    """
    began = time.perf_counter()
    require_progress(progress)
    require_single(constants=constants, constant_body=constant_body, conjoin=conjoin, coincide=coincide)
    _require(body, constant_body, min_support, min_confidence)
    require_whole("limit", 0 if limit is None else limit, 0, ", or None")
    stop = Deadline(time_limit)
    most = MOST_STEPS if memory_limit is None else _steps_in(memory_limit)
    database = facts_of(data)
    left_out = list(_not_binary(database))
    if stop():  # reading may take all of it, and laying out a graph takes as long
        late = (*left_out, "all kinds of rules: the time was over")
        return Mined((), 0, late, time.perf_counter() - began)
    graph = Graph(database, distinct=not coincide)
    heads = _heads(graph, targets)
    mining = Mining(graph, heads, min_support, min_confidence, stop, most)
    parts: list[RuleTable] = []
    with shared_out(mining, jobs) as miners:
        job = _Job(graph, miners)
        kinds: list[Callable[[], RuleTable]] = [partial(job.closed, length) for length in range(1, body + 1)]
        kinds += [job.parallel] * (body > 1) + [job.conjoined] * bool(conjoin)
        kinds += [partial(job.acyclic, constant_body)] * bool(constants)
        try:
            for kind in kinds:
                progress(Step("mining", len(parts), len(kinds)))
                parts.append(kind())
        except OutOfTime:
            left_out.append(f"{len(kinds) - len(parts)} of {len(kinds)} kinds of rules: the time was over")
    found = sum(len(part.counts.support) for part in parts)
    return Mined(tuple(_listed(graph, parts, limit)), found, tuple(left_out), time.perf_counter() - began)


class _Job:
    """What is mined, kind by kind: each kind is shared out, by the relations that bodies begin with or heads have."""

    def __init__(self, graph: Graph, miners: Miners) -> None:
        self._graph, self._miners = graph, miners
        self._functional = functional_ways(graph)
        self._closed: list[PathRules] = []

    def closed(self, length: int) -> RuleTable:
        """Closed paths of one length."""
        self._closed.append(PathRules.joined(self._miners.closed(length)))
        return closed_part(self._graph, self._closed[-1], self._functional)

    def parallel(self) -> RuleTable:
        """Two atoms over the same two variables, whether or not they are better than one."""
        return self._conjoined(PathRules.joined(self._miners.single()), only_better=False)

    def conjoined(self) -> RuleTable:
        """Two paths of up to two atoms each, not both single, that are better than either."""
        return self._conjoined(PathRules.joined(self._closed[:2]), only_better=True)

    def _conjoined(self, rules: PathRules, *, only_better: bool) -> RuleTable:
        found = self._miners.conjunctions(rules, only_better=only_better)
        return conjunction_part(self._graph, found, self._functional)

    def acyclic(self, length: int) -> RuleTable:
        """Rules that name constants."""
        return acyclic_part(self._graph, self._miners.acyclic(length), self._functional)


def _steps_in(megabytes: float) -> int:
    """How many steps of paths some memory has room for."""
    require_number("memory_limit", megabytes)
    if not megabytes > 0:
        raise QueryError(f"the memory limit is {megabytes:g}; it is a number of megabytes above 0")
    return max(1, int(megabytes * 1e6 / BYTES_PER_STEP))


def _require(body: int, constant_body: int, min_support: int, min_confidence: float) -> None:
    require_whole("body", body)
    require_whole("min_support", min_support)
    require_number("min_confidence", min_confidence)
    if not 1 <= body <= LONGEST:
        raise QueryError(f"paths have 1 to {LONGEST} atoms, and {body} were asked for; give a number between")
    if constant_body not in (1, 2):
        raise QueryError(f"rules with constants have 1 or 2 atoms in the body, not {constant_body}; give one of them")
    if min_support < 1:
        raise QueryError(f"the minimum support is {min_support}; a rule rests on facts, so give 1 or more")
    if not 0 <= min_confidence <= 1:
        raise QueryError(f"the minimum confidence is {min_confidence:g}; it is a share, between 0 and 1")


def _heads(graph: Graph, targets: Sequence[str] | None) -> Bytes:
    """Which relations are asked for?"""
    require_list("the targets", () if targets is None else targets, str, "write the names of predicates")
    if targets is None:
        return np.ones(len(graph.predicates), dtype=np.uint8)
    names = [predicate.name for predicate in graph.predicates]
    for target in targets:
        if target not in names:
            raise QueryError(f"there are no binary facts of {target}; the binary predicates are {listed(names, 20)}")
    return np.array([name in targets for name in names], dtype=np.uint8)


def _not_binary(database: Database) -> Iterator[str]:
    others: list[Predicate] = [predicate for predicate in database.predicates if predicate.arity != 2]
    if others:
        told = f"{listed(map(str, others), 20)}: only predicates with two arguments make paths"
        # A table without a header is not guessed to be triples.
        alone = len(database.predicates) == 1 and others[0].arity == 3
        yield told + alone * "; if its rows are head, relation and tail, write these names into a first line"


def _listed(graph: Graph, parts: Sequence[RuleTable], limit: int | None) -> Iterator[MinedRule]:
    """The rules of all parts, the most confident first, then by support and by where they stand."""
    if not parts:
        return
    support = np.concatenate([part.counts.support for part in parts])
    size = np.concatenate([part.counts.size for part in parts])
    of_part = np.repeat(np.arange(len(parts)), [len(part.counts.support) for part in parts])
    number = np.concatenate([np.arange(len(part.counts.support)) for part in parts])
    order = np.lexsort((number, of_part, -support, -(support / np.maximum(size, 1))))[:limit]
    speller = Speller(graph)
    for part, place in zip(of_part[order].tolist(), number[order].tolist(), strict=True):
        counts = parts[part].counts
        rule, instances = parts[part].spell(place, speller)
        yield MinedRule(
            rule,
            int(counts.support[place]),
            int(counts.size[place]),
            int(counts.head_size[place]),
            int(counts.pca_size[place]),
            int(counts.guarded_size[place]),
            instances,
        )
