"""Two theories, an old one and a new one: rules that came, went and moved, weights, and predictions that change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from possilog.files import AnyPath
from possilog.inference import How, Reasoner, Words
from possilog.inference.taken import Given, theory_of
from possilog.inference.what_if import Difference
from possilog.inference.words import PLAIN
from possilog.logic import DEMOTED, Clause, Rule, Theory, canonical
from possilog.printing import plural
from possilog.requiring import require_kind

__all__ = ["Moved", "TheoryDifference", "compare_theories"]


@dataclass(frozen=True, slots=True)
class Standpoint:
    """A rule and its stratum, from 1 for the highest, as cards have it; 0 for hard rules and demoted ones."""

    rule: Rule
    stratum: int

    def __str__(self) -> str:
        if self.rule.is_hard:
            return "hard"
        return "demoted" if self.rule.weight == DEMOTED else f"stratum {self.stratum}, {self.rule.weight}"

    @property
    def place(self) -> tuple[bool, int]:
        """Where it stands: a rule that is demoted has another place than a hard one."""
        return self.rule.is_hard, self.stratum

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"rule": str(self.rule.clause), "weight": str(self.rule.weight), "stratum": self.stratum}


@dataclass(frozen=True, slots=True)
class Moved:
    """A rule of both theories that stands elsewhere, or has another weight."""

    before: Standpoint
    after: Standpoint

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        before, after = self.before.as_json, self.after.as_json
        return {"rule": after.pop("rule"), "before": {name: before[name] for name in after}, "after": after}


@dataclass(frozen=True, repr=False)
class TheoryDifference:
    """What changed from one theory to another. It prints as ``possilog diff`` does."""

    came: tuple[Standpoint, ...]
    went: tuple[Standpoint, ...]
    moved: tuple[Moved, ...]
    """Rules in another stratum."""
    reweighed: tuple[Moved, ...]
    """Rules in the same stratum, with another weight."""
    same: int
    falsity: tuple[str, str]
    predictions: Difference | None = None
    words: Words = field(default=PLAIN, compare=False)

    @property
    def is_empty(self) -> bool:
        """Do the theories say the same?"""
        return not (self.came or self.went or self.moved or self.reweighed or self.falsity[0] != self.falsity[1])

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog diff --json`` prints."""
        return {
            "came": [one.as_json for one in self.came],
            "went": [one.as_json for one in self.went],
            "moved": [one.as_json for one in self.moved],
            "reweighed": [one.as_json for one in self.reweighed],
            "same": self.same,
            "falsity": {"before": self.falsity[0], "after": self.falsity[1]},
            "predictions": None if self.predictions is None else self.predictions.as_json,
        }

    def lines(self) -> Iterator[str]:
        """Line by line: + for what came, - for what went, > for what moved, ~ for another weight."""
        for title, sign, some in (("Came", "+", self.came), ("Went", "-", self.went)):
            if some:
                yield f"{title}: {len(some):,}"
                yield from (f"  {sign} {one.rule.clause}  ({one})" for one in some)
        for title, sign, moved in (("Moved", ">", self.moved), ("Other weights", "~", self.reweighed)):
            if moved:
                yield f"{title}: {len(moved):,}"
                yield from (f"  {sign} {one.after.rule.clause}  ({one.before} -> {one.after})" for one in moved)
        if self.falsity[0] != self.falsity[1]:
            yield f"⊥: {self.falsity[0]} -> {self.falsity[1]}"
        yield (
            f"{plural(self.same, 'rule')} as before"
            if not self.is_empty
            else f"Nothing changed: {plural(self.same, 'rule')}."
        )
        if self.predictions is not None:
            yield "\nPredictions"
            yield from (f"  {line}" for line in self.predictions.lines())

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        counts = f"{len(self.came)} came, {len(self.went)} went, {len(self.moved)} moved"
        return f"<TheoryDifference: {counts}, {self.same} are the same>"


def compare_theories(
    old: Theory | AnyPath,
    new: Theory | AnyPath,
    evidence: Given | None = None,
    *,
    how: How | str = "local",
    words: Words = PLAIN,
) -> TheoryDifference:
    """What changed from one theory to another; what rules' variables are called does not matter.

    Parameters
    ----------
    old, new : Theory, or the path of a file with one
        The theories.
    evidence : Evidence, Database, path of a file, or atoms; or None
        Facts from which both predict.
    how : Local, Global, Fragments or str
        The kind of inference.
    words : Words
        How predictions are said.

    Returns
    -------
    TheoryDifference
        Rules that came, went and moved, other weights, and predictions that change.

    Raises
    ------
    TheoryError
        If one of them is no theory, or has rules without weights and is to predict.
    DataError
        If the evidence is in a form that cannot be taken.

    Examples
    --------
    >>> from possilog.logic import parse_theory
    >>> old = parse_theory("0.9 :: flies(X) :- bird(X).")
    >>> new = parse_theory("0.9 :: flies(Y) :- bat(Y). 0.8 :: flies(Y) :- bird(Y).")
    >>> print(compare_theories(old, new, ["bat(bruce)"]))
    Came: 1
      + flies(Y) :- bat(Y).  (stratum 1, 0.9)
    Moved: 1
      > flies(Y) :- bird(Y).  (stratum 1, 0.9 -> stratum 2, 0.8)
    0 rules as before
    <BLANKLINE>
    Predictions
      Appears (0.9): bruce flies
    """
    require_kind("words", words, Words)
    before, after = theory_of(old), theory_of(new)
    ours, theirs = _standing(before), _standing(after)
    both = [Moved(ours[form], standing) for form, standing in theirs.items() if form in ours]
    moved = tuple(one for one in both if one.before.place != one.after.place)
    reweighed = tuple(one for one in both if one not in moved and one.before.rule.weight != one.after.rule.weight)
    predictions = None
    if evidence is not None:
        first, second = (Reasoner(theory).predict(evidence, how) for theory in (before, after))
        predictions = Difference(first, second, (words or PLAIN).of_theory(after))
    return TheoryDifference(
        tuple(standing for form, standing in theirs.items() if form not in ours),
        tuple(standing for form, standing in ours.items() if form not in theirs),
        moved,
        reweighed,
        len(both) - len(moved) - len(reweighed),
        (str(before.falsity), str(after.falsity)),
        predictions,
        words,
    )


def _standing(theory: Theory) -> Mapping[Clause, Standpoint]:
    """The rules by what they say, highest first."""
    places = {stratum.weight: place for place, stratum in enumerate(theory.ranked_strata, 1)}
    return {canonical(rule.clause): Standpoint(rule, places.get(rule.weight, 0)) for rule in theory}
