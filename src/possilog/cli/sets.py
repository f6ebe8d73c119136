"""``possilog predict`` for many evidence sets."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from json import dumps
from pathlib import Path
from typing import TextIO

from possilog.cli.facts import load_evidence
from possilog.cli.options import DataOptions
from possilog.cli.output import check_lines_file
from possilog.cli.progress import Bars
from possilog.cli.questions import in_words_of
from possilog.data import Evidence
from possilog.errors import DataWarning, FileError
from possilog.files import replacing
from possilog.inference import Prediction, Reasoner
from possilog.inference.kinds import How
from possilog.logic import Theory, read_theory
from possilog.printing import plural
from possilog.progress import Step
from possilog.workers import Jobs, in_order

__all__ = ["SetsAsked", "evidence_sets", "predict_sets"]

AT_A_TIME = 4
"""Evidence sets that go to a worker together."""


def evidence_sets(given: Sequence[str]) -> list[str]:
    """The evidence sets that are named: a folder stands for all that is in it, in the order of the names."""
    found = [name for one in given for name in (_inside(one) if Path(one).is_dir() else [one])]
    if missing := next((name for name in found if not Path(name).exists()), None):
        raise FileError(f"{missing}: there is no such file; name files with evidence, or folders of them")
    return found


def _inside(folder: str) -> list[str]:
    found = sorted(str(path) for path in Path(folder).iterdir() if not path.name.startswith("."))
    if not found:
        raise FileError(f"{folder}: there is nothing in it; name a folder of evidence sets")
    return found


@dataclass(frozen=True)
class SetsAsked:
    """What is asked of each evidence set."""

    theory: str
    reading: DataOptions
    how: How
    constants: Sequence[str]
    limit: int | None
    as_json: bool


@dataclass(frozen=True)
class _Set:
    """An evidence set: its name, and what it says, if that was read already."""

    name: str
    evidence: Evidence | None = None


@dataclass(frozen=True)
class _Told:
    """What was predicted of one, as text, and what else is to be said."""

    text: str
    added: int
    consistent: bool
    remarks: tuple[str, ...]


def predict_sets(asked: SetsAsked, names: Sequence[str], jobs: Jobs, output: str | None, *, force: bool) -> None:
    """Predict each, and print or write what comes of it, one after the other: as JSON, a line for each."""
    if output is not None:
        check_lines_file(output, force=force)
    theory = read_theory(asked.theory)
    here = partial(load_evidence, reading=asked.reading, constants=asked.constants, mapping=theory.mapping)
    # The machines of a cluster may not have the files; processes here do.
    sets = [_Set(name) if isinstance(jobs, int) else _Set(name, here(name)) for name in names]
    as_lines = asked.as_json or output is not None
    told = in_order(partial(_Predicting, theory, asked, as_lines), sets, jobs, chunk=AT_A_TIME)
    with Bars(lines=not isinstance(jobs, int)) as bars, _opened(output) as file:
        added = broken = 0
        for one in _each(told, len(sets), bars):
            print(one.text, file=file)
            added += one.added
            broken += not one.consistent
    sys.stdout.flush()
    print(f"{plural(len(sets), 'evidence set')}: {added:,} atoms added", file=sys.stderr)
    if broken:
        print(f"{plural(broken, 'set contradicts', 'sets contradict')} the hard rules", file=sys.stderr)


@contextmanager
def _opened(output: str | None) -> Iterator[TextIO]:
    """Where it goes: to the terminal, or into a file that is there whole or not at all."""
    if output is None:
        yield sys.stdout
        return
    with replacing(output) as fresh, open(fresh, "w", encoding="utf-8") as file:
        yield file


def _each(told: Iterator[_Told], number: int, bars: Bars) -> Iterator[_Told]:
    for done, one in enumerate(told, 1):
        for remark in one.remarks:
            warnings.warn(remark, DataWarning, stacklevel=1)
        bars.show(Step("predicting", done, number, "evidence sets"))
        yield one


class _Predicting:
    """Where sets are predicted: the theory is laid out once for all that spell its predicates alike."""

    def __init__(self, theory: Theory, asked: SetsAsked, as_lines: bool) -> None:
        self._theory, self._asked, self._as_lines = theory, asked, as_lines
        self._reasoner: Reasoner | None = None

    def __call__(self, one: _Set) -> _Told:
        asked = self._asked
        with warnings.catch_warnings(record=True) as noted:
            warnings.simplefilter("always", DataWarning)
            given = one.evidence
            if given is None:
                given = load_evidence(one.name, asked.reading, asked.constants, self._theory.mapping)
            theory = in_words_of(given, self._theory, asked.theory, one.name)
            made = self._laid_out(theory).predict(given, asked.how)
        remarks = tuple(str(note.message) for note in noted if issubclass(note.category, DataWarning))
        return _Told(self._text(one.name, made), len(made.added), made.consistent, remarks)

    def _laid_out(self, theory: Theory) -> Reasoner:
        if self._reasoner is None or self._reasoner.theory != theory:
            self._reasoner = Reasoner(theory)
        return self._reasoner

    def _text(self, name: str, made: Prediction) -> str:
        if not self._as_lines:
            return "\n".join([name, *(f"  {row}" for row in made.rows(self._asked.limit))])
        items = made.json_items(self._asked.limit)
        said = {key: list(value) if isinstance(value, Iterator) else value for key, value in items}
        return dumps({"evidence": name, **said}, ensure_ascii=False)
