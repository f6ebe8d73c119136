"""``learn``: facts in, a theory out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from possilog.data import Database, read
from possilog.errors import DataError
from possilog.files import AnyPath
from possilog.learning.groups import file_groups
from possilog.learning.learner import Learner, Progress
from possilog.learning.result import Learned
from possilog.learning.settings import Settings, settings_for
from possilog.logic import Theory

__all__ = ["Data", "learn"]

Data = Database | AnyPath | Sequence[AnyPath]
"""Facts: a database, or the path of a file or folder, or several such paths."""


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
    progress: Progress = lambda phase, done, steps, doing: None,
) -> Learned:
    """Learn a theory from facts. What is not said is chosen by the size of the data.

    Several files are read together, and each is a group, unless they are tables of different predicates: parts that are
    held out one after the other to see which rules predict well. ``groups`` names the groups of constants instead.
    ``start`` is a theory that a person has edited: what is locked or pinned in it stays, what is banned stays out.
    ``work`` is a folder in which finished phases are kept, so that the same call goes on where it was killed.
    ``settings`` stand for all that is said above them.
    """
    files = {"": data} if isinstance(data, Database) else {os.fspath(path): read(path) for path in _paths(data)}
    if not files:
        raise DataError("there are no files to learn from; name one or more")
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
        time_limit=time_limit,
        work=work,
        sources=tuple(filter(None, files)),
        progress=progress,
    ).run()


def _paths(data: AnyPath | Sequence[AnyPath]) -> Sequence[AnyPath]:
    return [data] if isinstance(data, str | os.PathLike) else data
