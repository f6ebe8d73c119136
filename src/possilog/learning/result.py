"""What a run of the learner leaves: the theory, and every intermediate product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from possilog.data.writing.frames import frame_of
from possilog.files import AnyPath
from possilog.learning.confidence import Confidence
from possilog.learning.decoding import clauses, listed, mapped, number, text
from possilog.learning.hard_part import HardPart
from possilog.learning.measurement import Measurement
from possilog.learning.settings import Settings
from possilog.learning.weighing import Weighing
from possilog.logic import Clause, Provenance, Theory, write_theory
from possilog.logic.files import theory_text
from possilog.notebook import list_in_notebook, table_in_notebook, text_in_notebook
from possilog.plotting import Line, Plot
from possilog.printing import plural

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Curve", "Learned", "Ordered"]


@dataclass(frozen=True, slots=True)
class Curve:
    """The log-likelihood per fragment with 0, 1, 2, … rules: of the data, and of constants that were held out."""

    training: tuple[float, ...] = ()
    held_out: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Ordered:
    """The soft rules, the highest first, before simplification."""

    rules: tuple[Clause, ...] = ()
    curve: Curve = field(default_factory=Curve)
    unlikely: str | None = None
    """Why likelihood had no part in it, where it had none."""

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it in JSON's terms; ``from_json`` reads it again."""
        return asdict(self) | {"rules": list(map(str, self.rules))}

    @classmethod
    def from_json(cls, kept: Any) -> Ordered:
        """What ``as_json`` wrote; ValueError where it did not."""
        kept = mapped(kept, "rules", "curve", "unlikely")
        curve = mapped(kept["curve"], "training", "held_out")
        training, held_out = (tuple(map(number, listed(curve[name]))) for name in ("training", "held_out"))
        unlikely = None if kept["unlikely"] is None else text(kept["unlikely"])
        return cls(clauses(kept["rules"]), Curve(training, held_out), unlikely)


@dataclass(frozen=True, slots=True, repr=False)
class Learned:
    """A learned theory and how it came about. It prints as its file reads."""

    theory: Theory
    provenance: Provenance
    settings: Settings
    hard: HardPart
    """The clauses without a counterexample, and what became of them."""
    candidates: Mapping[Clause, Confidence]
    """Every rule that was found, with its confidence on the data."""
    measurement: Measurement | None = None
    """What was measured on held-out facts; None where rules were chosen by likelihood."""
    ordered: Ordered = field(default_factory=Ordered)
    weighing: Weighing | None = None
    notes: Mapping[Clause, str] = field(default_factory=dict)
    """Support and confidence of the rules."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """How long each phase took."""
    finished: bool = True
    """Did every phase come to its end? Not after an interrupt or where time ran out."""
    plan: Mapping[str, Any] = field(default_factory=dict)
    """What was going to be done, before it was done."""

    def save(self, path: AnyPath) -> None:
        """Write the theory to a file, with where it is from and what supports its rules."""
        write_theory(self.theory, path, provenance=self.provenance, notes=self.notes)

    def plot(self) -> Plot:
        """What the rules gain on held-out facts, by the share of facts that is known; it shows itself in notebooks."""
        table = () if self.measurement is None else self.measurement.table
        shares = [one.share for one in table]
        added = Line(shares, [one.hard + one.added for one in table])
        lines = {"hard and soft rules": added, "hard rules": Line(shares, [one.hard for one in table])}
        return Plot("gain", "Gain on held-out facts", "share of facts known", "gain, facts", lines)

    def plot_sizes(self) -> Plot:
        """Size against quality: what theories with fewer rules gain, as measured while the rules were chosen."""
        curve = () if self.measurement is None else sorted(self.measurement.curve, key=lambda one: one.rules)
        line = Line([one.rules for one in curve], [one.gain for one in curve])
        return Plot("sizes", "Size against quality", "soft rules", "gain, facts", {"gain": line})

    def __str__(self) -> str:
        return theory_text(self.theory, self.provenance, self.notes)

    def _repr_html_(self) -> str:
        """In a notebook: the soft rules with what the data say of them, and below them the theory."""
        rows = ((str(rule.clause), self.notes.get(rule.clause, ""), str(rule.weight)) for rule in self.theory.ranked)
        table = table_in_notebook(repr(self)[1:-1], ("rule", "in the data", "weight"), rows, len(self.theory.ranked))
        return table + list_in_notebook("the file", [text_in_notebook(str(self))])

    def __repr__(self) -> str:
        theory = self.theory
        found = f"{plural(len(theory.hard_listed), 'hard rule')}, {plural(len(theory.ranked), 'soft rule')}"
        return f"<Learned: {found}{'' if self.finished else ', not finished'}>"

    def to_frame(self) -> DataFrame:
        """The candidates as a pandas DataFrame: every rule that was found, and its weight if the theory has it."""
        weights = {rule.clause: str(rule.weight) for rule in self.theory.ranked}
        rows = (self._candidate(clause) | {"weight": weights.get(clause)} for clause in self.candidates)
        return frame_of(rows, ("rule", "true", "false", "nontrivial", "confidence", "guarded", "weight"))

    def _candidate(self, clause: Clause) -> dict[str, Any]:
        found = self.candidates[clause]
        return {
            "rule": str(clause),
            "true": found.true,
            "false": found.false,
            "nontrivial": found.nontrivial,
            "confidence": found.overall,
            "guarded": found.guarded,
        }

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog learn --json`` prints."""
        return {
            "finished": self.finished,
            "plan": dict(self.plan),
            "settings": self.settings.as_json,
            "seconds": dict(self.seconds),
            "hard_rules": len(self.theory.hard_listed),
            "holding": len(self.hard.all),
            "demoted": [str(rule.clause) for rule in self.theory.demoted],
            "candidates": [self._candidate(clause) for clause in self.candidates],
            "simulation": None if self.measurement is None else self.measurement.as_json,
            "ordered": self.ordered.as_json,
            "remarks": list(self.provenance.remarks),
            "log_likelihood": None if self.weighing is None else self.weighing.fit.log_likelihood,
            "rules": [{"rule": str(rule.clause), "weight": str(rule.weight)} for rule in self.theory.ranked],
            "theory": str(self.theory),
        }
