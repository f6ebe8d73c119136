"""``learn``: facts in, a theory out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from possilog.data import Database, read
from possilog.errors import DataError
from possilog.files import AnyPath
from possilog.learning.clock import Clock
from possilog.learning.groups import file_groups
from possilog.learning.learner import Learner
from possilog.learning.result import Learned
from possilog.learning.settings import Settings, settings_for
from possilog.logic import Atom, Theory
from possilog.progress import Progress, silent

__all__ = ["Data", "gathered", "learn"]

Data = Database | AnyPath | Sequence[AnyPath] | Sequence[Database] | Sequence[Atom]
"""Facts: a database, the path of a file or folder, or several of either; or just facts."""


def learn(
    data: Data,
    *,
    objective: str = "prediction",
    preset: str | None = None,
    width: int | None = None,
    body: int | None = None,
    max_rules: int | str | None = None,
    groups: Mapping[str, str] | None = None,
    start: Theory | None = None,
    jobs: int = 1,
    seed: int = 0,
    time_limit: float | None = None,
    work: AnyPath | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> Learned:
    """Learn a theory from facts. What is not said is chosen by the size of the data.

    Several files, or databases, are taken together, and each is a group, unless they are tables of different
    predicates: parts that are held out one after the other to see which rules predict well. ``groups`` names the groups
    of constants instead.
    ``start`` is a theory that a person has edited: what is locked or pinned in it stays, what is banned stays out.
    ``work`` is a folder in which finished phases are kept, so that the same call goes on where it was killed.
    ``time_limit`` is in seconds and bounds the whole run, reading included. ``settings`` stand for all that is said
    above them.
    """
    clock = Clock(time_limit)
    files = gathered(data)
    database = Database.union(*files.values()) if len(files) > 1 else next(iter(files.values()))
    if settings is None:
        settings = settings_for(
            database, preset=preset, objective=objective, width=width, body=body, max_rules=max_rules, seed=seed
        )
    return Learner(
        database,
        settings,
        groups=groups or file_groups(files),
        start=start,
        jobs=jobs,
        clock=clock,
        work=work,
        sources=tuple(filter(None, files)),
        progress=progress,
    ).run()


def gathered(data: Data) -> dict[str, Database]:
    """The facts by file; several databases are numbered, and facts without a file have no name."""
    if isinstance(data, Database):
        return {"": data}
    if isinstance(data, str | os.PathLike):
        return {os.fspath(data): read(data)}
    given: list[object] = list(data)
    if not given:
        raise DataError("there are no files to learn from; name one or more")
    databases = [each for each in given if isinstance(each, Database)]
    facts = [each for each in given if isinstance(each, Atom)]
    paths = [each for each in given if isinstance(each, str | os.PathLike)]
    if len(given) > max(len(databases), len(facts), len(paths)):
        raise DataError("rules are learned from paths, from databases or from facts; give several of one kind")
    if facts:
        return {"": Database.of(facts)}
    named = {f"part {number}": each for number, each in enumerate(databases, start=1)}
    return named or {os.fspath(path): read(path) for path in paths}
