"""All that can be asked, in one table: what is asked, how it is answered, and the page that shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from possilog.explorer import asking, looking, supposing, trying, writing
from possilog.explorer.position import Sees
from possilog.explorer.wishes import Wish

__all__ = ["OPERATIONS", "Described", "Operation"]


@dataclass(frozen=True, slots=True)
class Described:
    """A part of the API: how it is asked for, and what comes back."""

    name: str
    method: str
    path: str
    """Under ``/api``."""
    about: str
    returns: str
    """What comes back."""
    asks: type[Wish]

    @property
    def kind(self) -> str:
        """The media type of the answer."""
        return "text/plain" if self.name == "download" else "application/json"


@dataclass(frozen=True, slots=True)
class Operation(Described):
    """Something that can be asked, and what answers it in a process beside the server."""

    answer: Callable[..., Any]
    page: str = ""
    """The template that shows the answer."""
    seconds: float | None = None
    """How long it may take, if that is more than is usual."""
    sees: Callable[[Any], Sees] = lambda _: Sees.THEORY
    """What the answer depends on."""


def _marks_of_data(asked: asking.EvidenceAsked) -> Sees:
    """Marks belong to the data, and not to what people give themselves."""
    return Sees.MARKS if asked.known.is_data else Sees.THEORY


_LOOK = (
    Operation(
        "theory",
        "GET",
        "/theory",
        "The theory as it stands: what it is about, and its rules.",
        "What `possilog show --json` prints, with the revision, suspects, marks, and how rules feed each other.",
        Wish,
        looking.overview,
        "overview",
        60.0,
        lambda _: Sees.REVISION,
    ),
    Operation(
        "rules",
        "GET",
        "/rules",
        "Rules by what they conclude, the most reliable first, by page.",
        "Cards, as `possilog show --json` has them.",
        looking.RulesAsked,
        looking.rules,
        "rules",
        60.0,
    ),
    Operation(
        "rule",
        "GET",
        "/rules/{number}",
        "One rule, with examples and counterexamples by page.",
        "A card, as `possilog show --json` has it.",
        looking.RuleAsked,
        looking.rule,
        "rule",
        60.0,
    ),
    Operation(
        "suspects",
        "GET",
        "/suspects",
        "Where the data break hard rules and strong soft ones, by page.",
        "Suspects, the strongest first.",
        looking.PageAsked,
        looking.suspects,
        "suspects",
        60.0,
    ),
    Operation(
        "constants",
        "GET",
        "/constants",
        "The constants of the data, by page.",
        "Their names.",
        looking.ConstantsAsked,
        looking.constants,
        "constants",
    ),
    Operation(
        "constant",
        "GET",
        "/constant",
        "The facts about a constant, and what is concluded about it.",
        "Facts, conclusions and marks.",
        looking.ConstantAsked,
        looking.constant,
        "constant",
        sees=lambda _: Sees.MARKS,
    ),
)

_ASK = (
    Operation(
        "predict",
        "POST",
        "/predict",
        "What follows from evidence, or from the data.",
        "What `possilog predict --json` prints.",
        asking.PredictAsked,
        asking.predict,
        "ask",
        sees=_marks_of_data,
    ),
    Operation(
        "explain",
        "POST",
        "/explain",
        "Why an atom is concluded; or why not, and what would make it so.",
        "What `possilog explain --json` prints; for what is not concluded also `would_make_it_so`.",
        asking.ExplainAsked,
        asking.explain,
        "why",
        sees=_marks_of_data,
    ),
    Operation(
        "what_if",
        "POST",
        "/what-if",
        "What appears and vanishes if facts or rules come or go.",
        "What `possilog what-if --json` prints.",
        supposing.SupposeAsked,
        supposing.what_if,
        "what-if",
        sees=_marks_of_data,
    ),
    Operation(
        "conflicts",
        "POST",
        "/conflicts",
        "Facts that cannot be true together, and the ground rules that say so.",
        "Minimal sets of facts with ground rules.",
        asking.EvidenceAsked,
        asking.conflicts,
        sees=_marks_of_data,
    ),
    Operation(
        "ask",
        "POST",
        "/ask",
        "The best answers to a question with a place left open.",
        "What `possilog ask --json` prints.",
        asking.QuestionAsked,
        asking.ask,
        sees=_marks_of_data,
    ),
)

_CORRECT = (
    Operation(
        "complete",
        "GET",
        "/complete",
        "Names of predicates and constants that begin so.",
        "Names as they are written, and what they are.",
        writing.CompleteAsked,
        writing.complete,
    ),
    Operation(
        "check",
        "POST",
        "/check",
        "A rule as text: is it one, and how often would it be right? If not, where is it wrong?",
        "The rule, its sentence and its numbers; or the error with its line and column.",
        writing.CheckAsked,
        writing.check,
    ),
    Operation(
        "trial",
        "POST",
        "/trial",
        "What an edit would change: rules, likelihood, gain on hidden facts, predictions. Nothing is accepted.",
        "What `possilog diff --json` prints, and both sides of the rest.",
        trying.TrialAsked,
        trying.trial,
        "correct",
        60.0,
        lambda _: Sees.REVISION,
    ),
    Operation(
        "difference",
        "GET",
        "/difference",
        "What people changed since the theory was begun with.",
        "What `possilog diff --json` prints.",
        trying.DifferenceAsked,
        trying.difference,
        "difference",
        30.0,
    ),
)

OPERATIONS = {operation.name: operation for operation in (*_LOOK, *_ASK, *_CORRECT)}
"""By name."""
