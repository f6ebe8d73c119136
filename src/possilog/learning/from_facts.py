"""``learn``: facts in, a theory out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeGuard

from possilog.choices import Hard
from possilog.data import Database, read
from possilog.data.reading.graphs import is_graph
from possilog.data.reading.parts import in_parts
from possilog.data.taking import FORMS, facts_of, said
from possilog.errors import DataError
from possilog.files import AnyPath, require_path
from possilog.inference.taken import theory_of
from possilog.learning.clock import Clock
from possilog.learning.focus import focus_of
from possilog.learning.groups import file_groups
from possilog.learning.learner import Learner
from possilog.learning.result import Learned
from possilog.learning.settings import Settings, settings_for
from possilog.logic import Atom, TableMapping, Theory
from possilog.notebook import watched
from possilog.progress import Progress, require_progress, silent
from possilog.requiring import require_kind, require_list
from possilog.workers import Jobs

__all__ = ["Data", "gathered", "learn"]

Data = Database | AnyPath | Mapping[str, Any] | Sequence[AnyPath] | Sequence[Database] | Sequence[Atom]
"""Facts: a database, the path of a file or folder, or several of either; frames by predicate; or just facts."""


def learn(
    data: Data,
    *,
    objective: str = "prediction",
    preset: str | None = None,
    width: int | str | None = None,
    body: int | None = None,
    max_rules: int | str | None = None,
    hard: Hard | str | None = None,
    rules_per_head: int | str | None = None,
    groups: Mapping[str, str] | None = None,
    start: Theory | AnyPath | None = None,
    jobs: Jobs = 1,
    seed: int = 0,
    time_limit: float | None = None,
    work: AnyPath | None = None,
    targets: Sequence[str] = (),
    exclude: Sequence[str] = (),
    only: Sequence[str] = (),
    min_support: int | None = None,
    constants: Sequence[str] | bool | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
    valid: Data | None = None,
) -> Learned:
    """Learn a theory from facts. What is not said is chosen by the size of the data.

    Parameters
    ----------
    data : Database, path of a file or folder, dict of frames, graph, or several of these; or atoms
        The facts. Several files, or databases, are taken together, and each is a group, unless they are tables of
        different predicates: groups are held out one after the other to see which rules predict well.
    objective : str
        ``prediction`` for rules that pay in simulated prediction, ``likelihood`` for the paper's recipe.
    preset : str or None
        ``uwcse`` or ``yeast``: the authors' settings for these data. ``graph``: path rules of binary facts, a few for
        each relation that rank well together; that is also what large data get that are all binary.
    width : int, "auto" or None
        The most variables of a rule, and the constants of a fragment. ``auto`` lets a shared value bring a fourth one.
    body : int or None
        The most atoms in the body of a rule.
    max_rules : int, "knee" or None
        The most soft rules; ``knee`` for as many as the curve of held-out likelihood says.
    hard : "earned", "all" or None
        Which clauses without a counterexample are hard rules: those that chance would not make hold, or all of them;
        None for earned ones, unless a preset or likelihood asks for all.
    rules_per_head : int, "all" or None
        The most rules of each relation of a graph; what is given says that facts are taken as one.
    groups : dict of str to str, or None
        The group of each constant, in place of groups by file.
    start : Theory, path of a file, or None
        A theory that a person has edited: what is locked or pinned in it stays, what is banned stays out.
    jobs : int, or Cluster
        The number of processes, or a Dask cluster. The result is the same everywhere.
    seed : int
        Of all random choices.
    time_limit : float or None
        Seconds for the whole run, reading included.
    work : str or path, or None
        A folder in which finished phases are kept, so that the same call goes on where it was killed.
    targets : list of str
        The predicates that rules are learned about; none for all.
    exclude : list of str
        Predicates that have no part in it.
    only : list of str
        Predicates that alone have a part in it, besides the targets; none for all.
    min_support : int or None
        The fewest facts that a rule is right about; None for a number by the size of the data.
    constants : list of str, bool or None
        The arguments whose values rules may name, such as ``carrier.2``; False for none. None for those of tables that
        have few values for their size.
    settings : Settings or None
        All the settings, in place of objective, preset, width, body, max_rules and seed.
    progress : function
        Is called with each step that is done; if there is none, a notebook shows a bar.
    valid : as data, or None
        Further facts of a graph, from which no rule is learned: one that gives too few of them counts less.

    Returns
    -------
    Learned
        The theory, and all that was found on the way. It prints as its file reads.

    Raises
    ------
    DataError
        If the facts are in a form that cannot be taken.
    FileError
        If a file cannot be read or written.
    QueryError
        If a setting is out of its range.
    TheoryError
        If what is pinned in ``start`` contradicts itself or the data.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> islands = DataFrame({"place": [f"island{number}" for number in range(20)]})
    >>> places = DataFrame({"place": [*islands.place, *(f"town{number}" for number in range(40))]})
    >>> print(*learn({"island": islands, "hasCoast": islands, "place": places}, width=1).theory.hard)
    hasCoast(A) :- island(A). island(A) :- hasCoast(A).
    """
    clock = Clock(time_limit)
    _require(settings, groups, work)
    require_progress(progress)
    begun = None if start is None else theory_of(start)
    files, database = _taken(data, None if begun is None else begun.mapping)
    settings = settings or settings_for(
        database,
        preset=preset,
        objective=objective,
        width=width,
        body=body,
        max_rules=max_rules,
        hard=hard,
        rules_per_head=rules_per_head,
        seed=seed,
        focus=focus_of(targets, exclude, only, min_support, constants),
    )
    named = groups or file_groups(files)
    held_out = None if valid is None else _taken(valid, None)[1]
    learner = partial(
        Learner, database, settings, groups=named, start=begun, jobs=jobs, clock=clock, work=work, valid=held_out
    )
    with watched(progress) as told:
        return learner(sources=tuple(filter(None, files)), progress=told).run()


def _require(settings: object, groups: Mapping[str, str] | None, work: AnyPath | None) -> None:
    require_kind("the settings", settings, Settings)
    require_kind("the groups of constants", groups, Mapping)
    require_list("the groups of constants", [*(groups or {}), *(groups or {}).values()], str, "name them all")
    if work is not None:
        require_path(work, "work")


def _taken(data: Data, mapping: TableMapping | None) -> tuple[dict[str, Database], Database]:
    """The facts by file, and all of them."""
    files = gathered(data, mapping)
    return files, Database.union(*files.values()) if len(files) > 1 else next(iter(files.values()))


def gathered(data: Data, mapping: TableMapping | None = None) -> dict[str, Database]:
    """The facts by file; several databases are numbered, and facts without a file have no name.

    Tables are read as a mapping says, if there is one.
    """
    if isinstance(data, Database):
        return {"": data}
    if isinstance(data, Mapping) or is_graph(data):
        return {"": facts_of(data, mapping)}
    if isinstance(data, str | os.PathLike):
        return _read([data], mapping)
    if not isinstance(data, Iterable):
        raise DataError(f"facts can be {FORMS}; {said(data)} is none of these")
    given: list[object] = list(data)
    if not given:
        raise DataError("there are no files to learn from; name one or more")
    databases = [each for each in given if isinstance(each, Database)]
    facts = [each for each in given if isinstance(each, Atom) or _is_fact(each)]
    paths = [each for each in given if isinstance(each, str | os.PathLike) and not _is_fact(each)]
    if len(given) > max(len(databases), len(facts), len(paths)):
        raise DataError("rules are learned from paths, from databases or from facts; give several of one kind")
    if facts:
        return {"": facts_of(facts)}
    named = {f"part {number}": each for number, each in enumerate(databases, start=1)}
    return named or _read(paths, mapping)


def _is_fact(given: object) -> TypeGuard[str]:
    """Is it a fact as text, and not the name of a file?"""
    return isinstance(given, str) and given.rstrip().endswith(")") and not os.path.exists(given)


def _read(paths: Sequence[AnyPath], mapping: TableMapping | None) -> dict[str, Database]:
    def facts(names: Sequence[str], found: TableMapping | None) -> Database:
        using = mapping or found
        return facts_of(names[0], using) if len(names) == 1 else read(*names, mapping=using)

    return in_parts([os.fspath(path) for path in paths], facts)
