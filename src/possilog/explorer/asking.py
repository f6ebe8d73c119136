"""Ask: what follows from evidence, why, why not, what would make it so, what contradicts itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from possilog.choices import Inference
from possilog.explorer.exploration import Exploration, Premises
from possilog.explorer.looking import Paged, speaks_of
from possilog.explorer.wishes import Wish, wish
from possilog.inference import Conclusion, Prediction, Why, WhyNot
from possilog.inference.answers import Near
from possilog.inference.asking import Answers
from possilog.inference.asking import ask as ask_theory
from possilog.inference.conflicts import Conflict, Core
from possilog.logic import Atom, Constant, Variable

__all__ = ["EvidenceAsked", "Explained", "Predicted"]

MOST_CORES = 20
MOST_CONFLICTS = 50
"""Conflicts that are told."""


@dataclass(frozen=True, slots=True)
class EvidenceAsked(Wish):
    """From what something is asked."""

    evidence: tuple[str, ...] = wish("Facts such as bird(Tweety), or 'not bat(Tweety)'; none: the data.", ())
    file: str = wish("A file of facts in the folder, as evidence.", "", most=300)
    share: float = wish("Take this share of the data, drawn at random, as evidence.", 0.0, most=1)
    seed: int = wish("For what is drawn at random.", 0)
    inference: Inference = wish("How far a conflict reaches.", Inference.LOCAL)  # noqa: RUF009 - it is a field

    @property
    def known(self) -> Premises:
        """The evidence that is meant."""
        return Premises(tuple(text for text in self.evidence if text.strip()), self.file, self.share, self.seed)


@dataclass(frozen=True, slots=True)
class PredictAsked(EvidenceAsked):
    """What follows?"""

    about: str = wish("Only conclusions about this constant.", "")
    limit: int = wish("At most this many conclusions.", 1000, most=100_000)


@dataclass(frozen=True, slots=True)
class Predicted:
    """What follows from evidence, with the conflicts on the way and the facts behind them."""

    asked: PredictAsked
    prediction: Prediction
    concluded: Paged[Conclusion]
    conflicts: tuple[Conflict, ...]
    cores: tuple[Core, ...]
    """Facts of the evidence that cannot be true together."""

    @property
    def given(self) -> int:
        """How many facts were given."""
        return len(self.prediction.evidence.facts)

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog predict --json`` prints; about one constant, what concerns it."""
        items = self.prediction.json_items(self.asked.limit)
        found = {name: list(value) if isinstance(value, Iterator) else value for name, value in items}
        if self.asked.about:
            found["predicted"] = [one.as_json for one in self.prediction if speaks_of(one.atom, self.asked.about)]
            found["predicted"] = found["predicted"][: self.asked.limit]
        elif self.asked.known.is_data:  # the data are known to who asks, and may be many
            found["predicted"] = [one.as_json for one in self.concluded.items]
        left_out = self.concluded.total - len(self.concluded.items)
        return found | ({"left_out": left_out} if left_out and not self.asked.about else {})


def predict(here: Exploration, asked: PredictAsked) -> Predicted:
    """What follows from evidence."""
    found = here.predicted(asked.known, asked.inference)
    every = (one for one in found.added if not asked.about or speaks_of(one.atom, asked.about))
    shown = tuple(islice(every, asked.limit))
    total = len(shown) + sum(1 for _ in every) if asked.about else len(found.added)
    concluded = Paged(shown, 1, max(asked.limit, 1), total)
    cores = () if found.consistent else found.cores(MOST_CORES)
    return Predicted(asked, found, concluded, tuple(islice(found.conflicts, MOST_CONFLICTS)), cores)


# Why, and why not


@dataclass(frozen=True, slots=True)
class ExplainAsked(EvidenceAsked):
    """Why is an atom concluded, or not?"""

    atom: str = wish("The atom, such as flies(Tweety).", "", most=20_000)
    limit: int = wish("At most this many of the nearest rules.", 3, most=50)


@dataclass(frozen=True, slots=True)
class Suggestion:
    """Facts that would make an atom follow; it was tried."""

    add: tuple[Atom, ...]
    certainty: str

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"add": [atom.as_fact for atom in self.add], "certainty": self.certainty}


@dataclass(frozen=True, slots=True)
class Explained:
    """Why an atom is concluded, or why not, and then what would make it so."""

    asked: ExplainAsked
    answer: Why | WhyNot
    would_make_it_so: tuple[Suggestion, ...] = ()

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog explain --json`` prints; for what is not concluded, what would make it so."""
        found = self.answer.as_json
        if isinstance(self.answer, WhyNot):
            found = found | {"would_make_it_so": [one.as_json for one in self.would_make_it_so]}
        return found


def explain(here: Exploration, asked: ExplainAsked) -> Explained:
    """Why an atom is concluded, or why not, and what would make it so."""
    atom = here.atom(asked.atom)
    prediction = here.predicted(asked.known, asked.inference)
    key = ("explainer", asked.known, asked.inference)
    explainer = here.remembered(
        key, lambda: here.reasoner.explainer(prediction, here.words), marked=asked.known.is_data
    )
    answer = explainer.explain(atom, asked.limit)
    if isinstance(answer, Why):
        return Explained(asked, answer)
    return Explained(asked, answer, tuple(_suggestions(here, asked, prediction, answer)))


def _suggestions(here: Exploration, asked: ExplainAsked, before: Prediction, answer: WhyNot) -> Iterator[Suggestion]:
    """What the nearest rules miss, wherever the atom follows as soon as it is there."""
    seen = set()
    for near in answer.nearest:
        add = _completed(near, before)
        if near.alternatives or not add or add in seen:
            continue
        seen.add(add)
        after = here.reasoner.what_if(before, add=list(add)).after
        certainty = after.certainty(answer.atom)
        if certainty is not None:
            yield Suggestion(add, str(certainty))


def _completed(near: Near, before: Prediction) -> tuple[Atom, ...]:
    """The missing conditions; a variable that is left stands for somebody new."""
    names = {term for atom in near.missing for term in atom.arguments if isinstance(term, Variable)}
    known = set(before.evidence.facts.constants)
    fresh = {}
    for variable in sorted(names):
        name = f"some_{variable.name}"
        while name in known:
            name += "_"
        fresh[variable] = Constant(name)
    return tuple(atom.substitute(fresh) for atom in near.missing)


# Conflicts, and questions with a place left open


@dataclass(frozen=True, slots=True)
class ConflictsShown:
    """Facts that cannot be true together."""

    cores: tuple[Core, ...]

    @property
    def as_json(self) -> dict[str, Any]:
        """In JSON's terms."""
        return {"contradictions": [core.as_json for core in self.cores]}


def conflicts(here: Exploration, asked: EvidenceAsked) -> ConflictsShown:
    """Minimal sets of facts that contradict the hard rules, with the ground rules that say so."""
    return ConflictsShown(here.reasoner.conflicts(here.evidence(asked.known), MOST_CORES))


@dataclass(frozen=True, slots=True)
class QuestionAsked(EvidenceAsked):
    """Who else?"""

    question: str = wish("An atom with ? where answers are asked for, such as advisedBy(Ann, ?).", "", most=20_000)
    limit: int = wish("At most this many answers.", 10, most=1000)


@dataclass(frozen=True, slots=True)
class AnswersShown:
    """The best answers to a question."""

    answers: Answers

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog ask --json`` prints."""
        return self.answers.as_json


def ask(here: Exploration, asked: QuestionAsked) -> AnswersShown:
    """The best answers to a question with a place left open, and why."""
    return AnswersShown(ask_theory(here.theory, asked.question, here.evidence(asked.known).facts, asked.limit))
