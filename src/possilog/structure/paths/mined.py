"""What mining gives: rules with their counts, and all of them as one result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from possilog.data.writing.frames import frame_of
from possilog.logic import Clause, Judged, Theory, parse_clause
from possilog.printing import Printed, plural

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Mined", "MinedRule"]


@dataclass(frozen=True, slots=True, repr=False)
class MinedRule(Printed):
    """A rule and how often it is right, over the distinct heads that its body gives."""

    rule: str
    support: int
    """The heads that are facts."""
    body_size: int
    """All heads that the body gives."""
    head_size: int
    """The facts that the head matches."""
    pca_size: int
    """The heads whose first argument has some fact of the head's predicate (partial completeness, as AMIE has it)."""
    guarded_size: int
    """The heads that are facts, or not refuted by a functional dependency of the head's predicate."""
    instances: tuple[str, ...] = ()
    """A few facts that it gives."""

    @property
    def clause(self) -> Clause:
        """The rule as a clause."""
        return parse_clause(self.rule)

    @property
    def head_coverage(self) -> float:
        """The share of the facts that the head matches which it gives."""
        return self.support / self.head_size

    @property
    def confidence(self) -> float:
        """The share of the heads that are facts, where everything else is taken for false."""
        return self.support / self.body_size

    @property
    def pca_confidence(self) -> float:
        """The same among heads whose first argument has some fact of the predicate."""
        return self.support / self.pca_size

    @property
    def guarded_confidence(self) -> float:
        """The same among heads that the functional dependencies of the data do not refute."""
        return self.support / self.guarded_size

    def __str__(self) -> str:
        return f"{self.rule}  % support {self.support:,}, confidence {self.confidence:.4f}"

    @property
    def as_json(self) -> dict[str, Any]:
        """One of the rules that ``possilog mine --json`` prints."""
        return {
            "rule": self.rule,
            "support": self.support,
            "body_size": self.body_size,
            "head_coverage": self.head_coverage,
            "confidence": self.confidence,
            "pca_confidence": self.pca_confidence,
            "guarded_confidence": self.guarded_confidence,
            "instances": list(self.instances),
        }


@dataclass(frozen=True, slots=True, repr=False)
class Mined(Sequence[MinedRule]):
    """Rules, the most confident first. They print as the command line shows them."""

    rules: tuple[MinedRule, ...]
    found: int
    """How many there are; more than are listed where a limit was given."""
    left_out: tuple[str, ...]
    """What had no part in it, and why."""
    seconds: float

    def __getitem__(self, which: Any) -> Any:
        return self.rules[which]

    def __len__(self) -> int:
        return len(self.rules)

    def __str__(self) -> str:
        shown = "" if self.found == len(self.rules) else f", of which the first {len(self.rules):,} are listed"
        lines = [plural(self.found, "rule") + shown]
        if self.rules:
            lines += ["", "  confidence      pca  guarded  support     body"]
        lines += [
            f"  {rule.confidence:10.4f}  {rule.pca_confidence:7.4f}  {rule.guarded_confidence:7.4f}  "
            f"{rule.support:7,}  {rule.body_size:7,}  {rule.rule}"
            for rule in self.rules
        ]
        if self.left_out:
            lines += ["", "left out", *(f"  {what}" for what in self.left_out)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Mined: {len(self.rules):,} rules of {self.found:,}>"

    @property
    def theory(self) -> Theory:
        """The rules as a theory that only ranks."""
        return Theory(
            judged=tuple(
                Judged(rule.clause, rule.support, rule.body_size - rule.support, rule.guarded_size - rule.support)
                for rule in self.rules
            )
        )

    def to_frame(self) -> DataFrame:
        """The rules as a pandas DataFrame, a row for each."""
        names = ("rule", "support", "body_size", "head_coverage", "confidence", "pca_confidence", "guarded_confidence")
        return frame_of((rule.as_json for rule in self.rules), names)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog mine --json`` prints."""
        return {
            "count": len(self.rules),
            "found": self.found,
            "rules": [rule.as_json for rule in self.rules],
            "left_out": list(self.left_out),
            "seconds": self.seconds,
        }
