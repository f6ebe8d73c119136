"""What inference answers, and what finds the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from possilog.data.evidence import Evidence
from possilog.data.writing.columns import write_columns
from possilog.data.writing.frames import frame_of
from possilog.errors import listed
from possilog.files import AnyPath
from possilog.inference.conclusions import Conclusion, Conclusions, Listed
from possilog.inference.conflicts import Conflict, Core
from possilog.inference.gate import EVERYTHING, Use
from possilog.inference.kinds import GLOBAL, Fragments, Global, How
from possilog.inference.taken import atom_of
from possilog.logic import CERTAIN, Atom, Rule, Weight
from possilog.logic.spelling import plain
from possilog.notebook import table_in_notebook
from possilog.printing import plural
from possilog.requiring import require_whole

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table

__all__ = ["PYTHON", "Advice", "Engine", "Method", "Prediction"]

_SHOWN = 5
"""Conflicts that are told in words."""

_SHOWN_FACTS = 20
"""Facts of each that are told."""

_CORES = 100
"""Contradictions that are given as data."""


class Method(StrEnum):
    """How an answer was computed."""

    HORN = "horn"
    """By forward chaining."""
    SAT = "sat"
    """By a solver."""


class Advice(NamedTuple):
    """What a reader can do about a prediction, in the words of where it is read."""

    repair: str
    whole: str


PYTHON = Advice("repair=True", 'how="global"')


@dataclass(frozen=True, slots=True, repr=False)
class Prediction:
    """What a theory says about evidence. It prints as the command line shows it.

    ``atom in prediction`` and ``prediction.certainty(atom)`` take an atom or its text. A prediction iterates over all
    that is predicted to hold: the evidence, then what was added.

    >>> from possilog import Reasoner, parse_theory
    >>> prediction = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X).")).predict(["bird(Tweety)"])
    >>> print(prediction)
    0.9  flies(Tweety)
    added to the 1 fact given: 1; strata that stand as a whole: 1
    >>> prediction
    <Prediction: local, 1 fact given, 1 added>
    >>> "flies(Tweety)" in prediction
    True
    """

    how: How
    """How it was made."""
    method: Method
    """How it was computed: horn (forward chaining) or sat."""
    evidence: Evidence
    added: Conclusions
    """What is predicted beyond the evidence, most certain first."""
    consistent: bool
    """Does the evidence agree with the hard rules?"""
    strata_kept: int
    """How many strata of soft rules stand as a whole."""
    cut: Weight
    """The weight of the lowest stratum that stands together with all above it; 1 if none does."""
    conflicts: Sequence[Conflict] = ()
    unused: tuple[Rule, ...] = ()
    """Rules that this kind of inference cannot use."""
    excluded: Conclusions = field(default_factory=Listed)
    """If they were asked for: the atoms that are false in every world of the cut, most certain first."""
    stopped: bool = False
    """Did inference end before it began, because the evidence contradicts the hard rules and nothing is repaired?"""
    use: Use = EVERYTHING
    """Which rules were left out, since they do not pay with such evidence."""
    cores: Callable[[int | None], tuple[Core, ...]] = field(default=lambda limit: (), compare=False)
    """What finds the evidence's contradictions, of at most this many broken ground rules."""

    def __iter__(self) -> Iterator[Conclusion]:
        """All that is predicted to hold: the evidence, then what was added."""
        for atom in self.evidence.facts:
            yield Conclusion(atom, CERTAIN, given=True)
        yield from self.added

    def __contains__(self, atom: object) -> bool:
        return isinstance(atom, Atom | str) and self.certainty(atom) is not None

    def certainty(self, atom: Atom | str) -> Weight | None:
        """How certain an atom is; None where it is not predicted."""
        asked = self.evidence.facts.declared.atom(atom_of(atom))
        return CERTAIN if asked in self.evidence.facts else self.added.certainty(asked)

    # As data

    def save(self, path: AnyPath) -> None:
        """Write what was added to one file: ``.db`` (facts), ``.tsv`` (triples), ``.csv`` or ``.parquet`` (a table).

        No object is made for an atom, and the file is there whole or not at all.
        """
        write_columns(self.added.columns(), path)

    def to_frame(self) -> DataFrame:
        """What was added as one frame of pandas, a row for each atom in the order in which they are printed."""
        names = ("atom", "predicate", "arguments", "certainty", "probability", "cases", "right")
        parts = ((one, {"arguments": [plain(term.name) for term in one.atom.arguments]}) for one in self.added)
        return frame_of((one.as_json | each | {"predicate": one.atom.predicate.name} for one, each in parts), names)

    def to_frames(self) -> dict[str, DataFrame]:
        """What was added as a frame of pandas for each predicate, with the certainty and what was measured."""
        return self.added.columns().to_frames()

    def to_arrow(self) -> dict[str, Table]:
        """What was added as a table of Arrow for each predicate, with the certainty and what was measured."""
        return self.added.columns().to_arrow()

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog predict --json`` prints."""
        return {name: list(value) if isinstance(value, Iterator) else value for name, value in self.json_items()}

    def json_items(self, limit: int | None = None) -> Iterator[tuple[str, Any]]:
        """The parts of ``as_json``; lists that may have millions of items come as iterators, added atoms limited."""
        yield "consistent", self.consistent
        yield "inference", str(self.how.name)
        yield "method", str(self.method)
        yield "strata_kept", self.strata_kept
        yield "cut", str(self.cut)
        if self.use.share is not None:
            yield "share", self.use.share
            yield "left_out", [str(rule) for rule in self.use.left_out]
        most = None if limit is None else len(self.evidence.facts) + limit
        yield "predicted", (conclusion.as_json for conclusion in islice(self, most))
        if self.excluded:
            yield "excluded", (conclusion.as_json for conclusion in islice(self.excluded, limit))
        if self.unused:
            yield "unused", [str(rule) for rule in self.unused]
        if not self.consistent:
            yield "contradictions", (core.as_json for core in self.cores(_CORES))
        yield "conflicts", (conflict.as_json for conflict in self.conflicts)

    # In words

    def rows(self, limit: int | None = None) -> Iterator[str]:
        """What was added, and what is excluded, as the lines of a table; of each at most this many."""
        if limit is not None:
            require_whole("limit", limit)
        shown = list(islice(self.added, limit))
        width = max((len(str(weight)) for weight in {conclusion.certainty for conclusion in shown}), default=0)
        stated = max(
            (len(str(one)) for one in {conclusion.stated for conclusion in shown} if one is not None), default=0
        )
        yield from (conclusion.row(width, stated_width=stated) for conclusion in shown)
        yield from (conclusion.row(width, "not ") for conclusion in islice(self.excluded, limit))

    def remarks(self, advice: Advice = PYTHON) -> Iterator[str]:
        """How much was added, which hard rules the evidence breaks, and what played no part."""
        yield (
            f"added to the {plural(len(self.evidence.facts), 'fact')} given: {len(self.added):,}; "
            f"strata that stand as a whole: {self.strata_kept}"
        )
        if self.use.left_out:
            number = len(self.use.left_out)
            rules = f"{number:,} soft rules do not pay and are" if number > 1 else "one soft rule does not pay and is"
            by_hand = isinstance(self.how.share, int | float)
            known = "where {} of all facts are known," if by_hand else "about {} of all facts seem to be known, where"
            yield f"{known.format(f'{self.use.share:.0%}')} {rules} left out"
        yield from self.reservations(advice)

    def reservations(self, advice: Advice = PYTHON) -> Iterator[str]:
        """Which hard rules the evidence breaks, which rules played no part, and that a share had none."""
        yield from self._contradictions(advice)
        if self.use.share is None and isinstance(self.how.share, int | float):
            yield "nothing was measured of this theory, so that all its rules are used, whatever share is known"
        if self.unused:
            rules = plural(len(self.unused), "rule with several heads plays", "rules with several heads play")
            yield f"{rules} no part here; {advice.whole} uses {'it' if len(self.unused) == 1 else 'them'}"

    def _contradictions(self, advice: Advice) -> Iterator[str]:
        # A rule may say the same of the same atoms in two ways.
        places: dict[object, Conflict] = {}
        for conflict in self.conflicts:
            if conflict.weight.is_certain:
                places.setdefault((frozenset(conflict.broken.body), conflict.broken.rule), conflict)
        if not places:
            return
        yield f"the evidence contradicts the hard rules ({self._done(advice)}):"
        told = list(places.values())[:_SHOWN]
        yield from (f"  {conflict}" for conflict in told)
        if len(places) > _SHOWN:
            yield f"  and {len(places) - _SHOWN:,} more"
        if not all(atom in self.evidence.facts for conflict in told for atom in conflict.broken.body):
            yield "these facts cannot be true together:"
            for core in self.cores(_SHOWN):
                yield f"  {listed((literal.as_fact for literal in core.literals), _SHOWN_FACTS)}"

    def _done(self, advice: Advice) -> str:
        """What became of evidence that contradicts the hard rules."""
        if isinstance(self.how, Fragments):
            return "fragments that break one say nothing"
        if self.stopped:
            return f"nothing is added; {advice.repair} sets aside what it breaks"
        return "what it breaks is set aside"

    def __str__(self) -> str:
        return "\n".join([*self.rows(), *self.remarks()])

    def _repr_html_(self) -> str:
        """In a notebook: what was added, how often such conclusions were right first."""
        header = ("probability", "held-out cases", "certainty", "conclusion")
        note = "; ".join(self.remarks())
        return table_in_notebook(repr(self)[1:-1], header, (one.cells for one in self.added), len(self.added), note)

    def __repr__(self) -> str:
        agrees = "" if self.consistent else ", the evidence contradicts the hard rules"
        given, added = len(self.evidence.facts), len(self.added)
        return f"<Prediction: {self.how.name}, {plural(given, 'fact')} given, {added:,} added{agrees}>"


class Engine(Protocol):
    """What finds the global cut: forward chaining where every rule is Horn, a solver where one is not."""

    @property
    def method(self) -> Method:
        """How it computes."""
        ...

    def cut(self, evidence: Evidence, how: Global = GLOBAL) -> Prediction:
        """The lowest cut that is consistent with the evidence, and what it entails."""
        ...
