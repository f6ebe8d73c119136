"""A theory and its data, ready for everything that people ask: what is costly is made once, and kept while it is true.

It lives in the processes that answer. The server only tells it where the exploration stands.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from possilog.data import Database, Evidence, read_evidence
from possilog.errors import FileError, shortened
from possilog.explorer.position import Position
from possilog.files import is_safe_name
from possilog.inference import Prediction, Reasoner, Words
from possilog.inference.kinds import Local, how_of
from possilog.inference.taken import atom_of
from possilog.inference.words import PLAIN
from possilog.learning.hiding import draw_known, number_of
from possilog.logic import Atom, Theory
from possilog.matching import Matcher
from possilog.report.overview.making import make_report
from possilog.report.overview.values import Report
from possilog.report.portrait import Portrait

__all__ = ["Exploration", "Premises", "Sources"]

MOST_REMEMBERED = 64
"""Predictions that are kept for the next question about the same evidence."""

EVERY_RULE = Local(share="any")

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Sources:
    """What an exploration was started on."""

    title: str
    data: Database
    folder: Path
    """Files outside of it are never touched."""
    named: str = ""
    """How the data are called."""
    test: Database | None = None
    words: Words = PLAIN


@dataclass(frozen=True, slots=True)
class Premises:
    """Evidence as it was asked for: atoms, a file of the folder, a part of the data, or (none of these) all of them."""

    atoms: tuple[str, ...] = ()
    file: str = ""
    share: float = 0.0
    seed: int = 0

    @property
    def is_data(self) -> bool:
        """Are all the data meant?"""
        return not (self.atoms or self.file or self.share)


def _speaks_of_file(key: Hashable, name: str) -> bool:
    return isinstance(key, tuple) and any(isinstance(part, Premises) and part.file == name for part in key)


@dataclass
class Exploration:
    """Everything that is asked about is asked here."""

    sources: Sources
    position: Position = field(default_factory=lambda: Position(0, Theory()))
    _made: dict[Hashable, Any] = field(default_factory=dict)
    _recent: OrderedDict[Hashable, Any] = field(default_factory=OrderedDict)
    _about_marks: set[Hashable] = field(default_factory=set)
    """Which of the recent things another mark would change."""

    def move(self, position: Position) -> None:
        """Go where the exploration stands now; what is still true is kept."""
        before, self.position = self.position, position
        if before.theory is position.theory and before.marks == position.marks:
            return
        if before.theory is not position.theory and not position.says_the_same(before):
            self._made.clear()
            self._recent.clear()
        else:
            self._reword()
        if before.marks != position.marks:
            self._made.pop("facts", None)
            self._forget(self._about_marks)

    def notice(self, name: str) -> None:
        """Where a file of the folder is asked about that has changed, forget what was said of it."""
        if name:
            stat = self.inside(name).stat()
            now = stat.st_mtime_ns, stat.st_size
            if self._made.get(("file", name)) != now:
                self._made["file", name] = now
                self._forget({key for key in self._recent if _speaks_of_file(key, name)})

    def _forget(self, keys: Set[Hashable]) -> None:
        for key in keys:
            self._recent.pop(key, None)
        self._about_marks = self._about_marks - keys

    def _reword(self) -> None:
        """Where only what is locked has changed, no number has to be counted again."""
        self._forget({"cards", "sections"})
        report = self._made.get("report")
        if report is not None:
            now = {rule.clause: rule for rule in self.position.theory}
            cards = tuple(replace(card, rule=now[card.rule.clause]) for card in report.portrait.rules)
            portrait = replace(report.portrait, theory=self.position.theory, rules=cards)
            self._made["report"] = replace(report, portrait=portrait)

    def _once(self, name: str, make: Callable[[], _T]) -> _T:
        if name not in self._made:
            self._made[name] = make()
        found: _T = self._made[name]
        return found

    def remembered(self, key: Hashable, make: Callable[[], _T], *, marked: bool = False) -> _T:
        """What was made for the same question, if that was not long ago; it may depend on what is marked."""
        if key in self._recent:
            self._recent.move_to_end(key)
        else:
            self._recent[key] = make()
            if marked:
                self._about_marks.add(key)
            if len(self._recent) > MOST_REMEMBERED:
                self._forget({next(iter(self._recent))})
        found: _T = self._recent[key]
        return found

    # What is made once

    @property
    def theory(self) -> Theory:
        """The theory as it stands."""
        return self.position.theory

    @property
    def data(self) -> Database:
        """The data as they were given."""
        return self.sources.data

    @property
    def words(self) -> Words:
        """How things are said."""
        return self.sources.words

    @property
    def facts(self) -> Evidence:
        """The data with what was marked."""
        return self._once("facts", lambda: self.position.evidence_with(self.data))

    @property
    def reasoner(self) -> Reasoner:
        """What draws conclusions."""
        return self._once("reasoner", lambda: Reasoner(self.theory))

    @property
    def report(self) -> Report:
        """All that a report shows."""
        sources = self.sources
        return self._once("report", lambda: make_report(self.theory, self.data, title=sources.title, words=self.words))

    @property
    def portrait(self) -> Portrait:
        """The rules, as people look at them."""
        return self.report.portrait

    @cached_property
    def matcher(self) -> Matcher:
        """For questions about the data."""
        return Matcher(self.data)

    # Evidence and what follows from it

    def evidence(self, known: Premises) -> Evidence:
        """The facts that are meant. What people marked belongs to the data, and not to what they give themselves."""
        if known.is_data:
            return self.facts
        return self.remembered(("evidence", known), lambda: self._evidence(known))

    def _evidence(self, known: Premises) -> Evidence:
        given = Evidence.of(known.atoms) if known.atoms else Evidence()
        if known.share:
            drawn = draw_known(self.data, number_of(self.data, known.share), known.seed, "explorer")
            given = Evidence(drawn | given.facts, given.denied)
        if known.file:
            read = read_evidence(self.inside(known.file), mapping=self.theory.mapping)
            given = Evidence(read.facts | given.facts, tuple(sorted({*read.denied, *given.denied})))
        return given.typed(self.theory.declared)

    def inside(self, name: str) -> Path:
        """The path of a file in the folder; everything else is refused."""
        path = self.sources.folder / name
        if not is_safe_name(name) or path.is_symlink() or not path.is_file():
            raise FileError(
                f"{shortened(name)!r} is no file in the folder that the explorer was started on; name one that is there"
            )
        return path

    def predicted(self, known: Premises, inference: str, every_rule: bool = False) -> Prediction:
        """What follows, also from evidence that breaks hard rules."""

        def make() -> Prediction:
            how = EVERY_RULE if every_rule else how_of(inference)
            return self.reasoner.predict(self.evidence(known), how)

        return self.remembered(("prediction", known, inference, every_rule), make, marked=known.is_data)

    def atom(self, text: str) -> Atom:
        """An atom that is asked about, spelled as theory and facts spell it."""
        return self.theory.declared.atom(atom_of(text))
