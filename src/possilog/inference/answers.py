"""Why an atom is predicted, and why not: answers that name rules and facts, as data and in words.

In words they are trees and lists that a reader who knows the domain can question.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from possilog.errors import QueryError
from possilog.inference.conflicts import INDENT, Conflict, Core
from possilog.inference.gate import Stated
from possilog.inference.kinds import LOCAL, How
from possilog.inference.proofs import Proof, say_rule
from possilog.inference.words import PLAIN, Words, enumerated
from possilog.logic import Atom, Rule, Stratum, Weight
from possilog.notebook import text_in_notebook
from possilog.printing import plural

__all__ = ["Argument", "Fate", "Near", "Why", "WhyNot", "tell"]


class Fate(StrEnum):
    """What became of an argument."""

    DROWNED = "drowned"
    """Its stratum is below the cut."""
    REFUTED = "refuted"
    """What stands excludes a conclusion of it."""
    BARRED = "barred"
    """It was given up together with others."""
    STOPPED = "stopped"
    """The evidence contradicts the hard rules, so nothing is concluded."""
    SCATTERED = "scattered"
    """No fragment has all that it needs, or too few of them yield it."""


_FATES = {
    Fate.DROWNED: "It was not made, because its stratum is drowned.",
    Fate.REFUTED: "It was not made, because what stands refutes it.",
    Fate.BARRED: "It was given up, because it conflicts with other conclusions of its stratum.",
    Fate.STOPPED: "It was not made, because the evidence contradicts the hard rules.",
    Fate.SCATTERED: "It was not made, because no fragment, or too few of them, have all that it needs.",
}


@dataclass(frozen=True, slots=True, repr=False)
class Why:
    """Why an atom is predicted. It prints as sentences, by its words.

    >>> from possilog import Reasoner, parse_theory
    >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
    >>> why = reasoner.why("flies(Tweety)", ["bird(Tweety)"])
    >>> print(why)
    Tweety flies: certainty 0.9, which needs the highest stratum.
    <BLANKLINE>
    Tweety flies
        by the rule: X flies if X is a bird (0.9)
        because Tweety is a bird (given)
    >>> why
    <Why: flies(Tweety), certainty 0.9>
    """

    atom: Atom
    certainty: Weight
    stratum: int
    """How many strata of soft rules it needs, from the highest: 0 if the hard rules and the evidence are enough."""
    proof: Proof | None
    """The shortest of the most certain proofs; none where only a solver finds the answer."""
    core: Core | None = None
    """There: facts and ground rules that entail it, none of which can be left out."""
    drowned: tuple[Stratum, ...] = ()
    """Strata that have no say, in global inference."""
    conflicts: tuple[Conflict, ...] = ()
    """Why they are drowned; in local inference, the conflicts that atoms of the proof are part of."""
    fragment: tuple[str, ...] = ()
    """In inference by fragments, the constants of one that yields it; what is said is about this fragment."""
    how: How = LOCAL
    """How the prediction was made."""
    words: Words = field(default=PLAIN, compare=False)
    """How atoms are said."""
    stated: Stated | None = field(default=None, compare=False)
    """How probable it is, as far as that was measured on held-out facts."""

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog explain --json`` prints."""
        stated = self.stated
        return _asked(self, predicted=True) | {
            "given": self.proof is not None and self.proof.is_given,
            "probability": None if stated is None else round(stated.probability, 4),
            "cases": None if stated is None else stated.cases.cases,
            "right": None if stated is None else round(stated.cases.right, 2),
            "certainty": str(self.certainty),
            "stratum": self.stratum,
            "proof": None if self.proof is None else self.proof.steps_as_json(self.words),
            "core": None if self.core is None else self.core.as_json,
            "fragment": list(self.fragment) or None,
            "drowned": [
                {"weight": str(stratum.weight), "rules": [str(rule) for rule in stratum.rules]}
                for stratum in self.drowned
            ],
            "conflicts": [conflict.as_json for conflict in self.conflicts],
        }

    def __str__(self) -> str:
        return "\n".join(_why(self, self.words))

    def _repr_html_(self) -> str:
        """In a notebook."""
        return text_in_notebook(str(self))

    def __repr__(self) -> str:
        return f"<Why: {self.atom.as_fact}, certainty {self.certainty}>"


@dataclass(frozen=True, slots=True)
class Argument:
    """A proof that would hold if nothing spoke against it, and what became of it."""

    proof: Proof
    step: Proof
    """The first conclusion of it that was not made."""
    fate: Fate
    core: Core | None = None
    """What refutes the conclusion."""
    conflicts: tuple[Conflict, ...] = ()
    """The conflicts for which it was barred or drowned."""

    def to_json(self, words: Words) -> dict[str, Any]:
        """In JSON's terms."""
        return {
            "fate": str(self.fate),
            "step": self.step.atom.as_fact,
            "proof": self.proof.steps_as_json(words),
            "core": None if self.core is None else self.core.as_json,
            "conflicts": [conflict.as_json for conflict in self.conflicts],
        }


@dataclass(frozen=True, slots=True)
class Near:
    """A rule that could conclude an atom, and the conditions that it lacks in the place where it lacks the fewest."""

    rule: Rule
    met: tuple[Atom, ...]
    missing: tuple[Atom, ...]
    """They may have variables left, which may stand for any other constant."""
    alternatives: tuple[Atom, ...] = ()
    """What the rule allows instead; it would have to be false."""

    @property
    def as_json(self) -> dict[str, Any]:
        """Missing conditions may have variables, so they are spelled as rules spell them."""
        return {
            "rule": str(self.rule),
            "met": [atom.as_fact for atom in self.met],
            "missing": [str(atom) for atom in self.missing],
            "alternatives": [str(atom) for atom in self.alternatives],
        }


@dataclass(frozen=True, slots=True, repr=False)
class WhyNot:
    """Why an atom is not predicted. It prints as sentences, by its words.

    >>> from possilog import Reasoner, parse_theory
    >>> reasoner = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X)."))
    >>> why_not = reasoner.why_not("flies(Rex)", ["bird(Tweety)", "dog(Rex)"])
    >>> print(why_not)
    It is not predicted that Rex flies.
    No rule concludes it. The nearest:
        X flies if X is a bird (0.9)
            missing: Rex is a bird
    >>> why_not
    <WhyNot: flies(Rex), 1 rule is near>
    """

    atom: Atom
    unknown: tuple[str, ...]
    """Constants of it that the evidence does not have."""
    denied: bool
    """Does the evidence say that it is false?"""
    concluded: bool
    """Is there a rule that concludes such atoms, and is used with such evidence?"""
    forbidden: Core | None
    """What stands (its literals) and the rules that do not allow the atom with it."""
    argument: Argument | None
    """An argument for it that was given up."""
    nearest: tuple[Near, ...]
    """Otherwise, the rules that come closest."""
    contradictions: tuple[Core, ...] = ()
    """The evidence's contradictions of the hard rules, where they stopped inference."""
    how: How = LOCAL
    """How the prediction was made."""
    left_out: tuple[tuple[Rule, str], ...] = ()
    """Rules that would conclude it, but do not pay with such evidence, and why."""
    unused: bool = False
    """Are there others that conclude such atoms, and do not pay with such evidence?"""
    words: Words = field(default=PLAIN, compare=False)
    """How atoms are said."""

    @property
    def as_json(self) -> dict[str, Any]:
        """What ``possilog explain --json`` prints."""
        return _asked(self, predicted=False) | {
            "left_out": [{"rule": str(rule), "reason": reason} for rule, reason in self.left_out],
            "unknown": list(self.unknown),
            "denied": self.denied,
            "concluded": self.concluded,
            "unused": self.unused,
            "forbidden": None if self.forbidden is None else self.forbidden.as_json,
            "argument": None if self.argument is None else self.argument.to_json(self.words),
            "nearest": [near.as_json for near in self.nearest],
            "contradictions": [core.as_json for core in self.contradictions],
        }

    def __str__(self) -> str:
        return "\n".join(_why_not(self, self.words))

    def _repr_html_(self) -> str:
        """In a notebook."""
        return text_in_notebook(str(self))

    def __repr__(self) -> str:
        if self.argument is not None:
            reason = f"an argument for it was {self.argument.fate}"
        else:
            reason = (
                f"{plural(len(self.nearest), 'rule is', 'rules are')} near"
                if self.concluded
                else "no rule concludes it"
            )
        return f"<WhyNot: {self.atom.as_fact}, {reason}>"


def tell(answer: Why | WhyNot, words: Words = PLAIN) -> str:
    """An explanation in words, as it prints, with other sentences.

    Parameters
    ----------
    answer : Why or WhyNot
        What ``why``, ``why_not`` or ``explain`` answered.
    words : Words
        How atoms are said.

    Returns
    -------
    str
        Some lines.

    Raises
    ------
    QueryError
        If the answer is none, as that of ``why`` about an atom that is not predicted.

    Examples
    --------
    >>> from possilog import Reasoner, Words, parse_theory
    >>> why = Reasoner(parse_theory("flies(X) :- bird(X).")).why("bird(Tweety)", ["bird(Tweety)"])
    >>> print(tell(why, Words({"bird": "{0} has feathers"})))
    Tweety has feathers: this is given.
    """
    if not isinstance(answer, Why | WhyNot):
        raise QueryError(
            f"what why and why_not answer can be told, and not {answer!r}; ask explain, which always has an answer"
        )
    return str(replace(answer, words=words))


def _asked(answer: Why | WhyNot, *, predicted: bool) -> dict[str, Any]:
    return {
        "atom": answer.atom.as_fact,
        "sentence": answer.words.atom(answer.atom),
        "inference": str(answer.how.name),
        "predicted": predicted,
    }


# Why


def _why(why: Why, words: Words) -> Iterator[str]:
    if why.proof is not None and why.proof.is_given:
        yield f"{words.atom(why.atom)}: this is given."
        return
    yield f"{words.atom(why.atom)}: {_probability(why.stated)}{_certainty(why)}."
    if why.fragment:
        yield f"The facts about {enumerated(why.fragment)} are enough."
    yield ""
    if why.proof is not None:
        yield from why.proof.lines(words)
    if why.core is not None:
        yield from why.core.told("It follows from these facts and rules together:", words)
    if why.drowned:
        count = "One stratum is" if len(why.drowned) == 1 else f"{len(why.drowned)} strata are"
        yield f"\n{count} drowned, from {why.drowned[0].weight} down, because of a conflict:"
        yield from _conflicts(why.conflicts, words)
    elif why.conflicts:
        yield "\nConflicts that this has a part in:"
        yield from _conflicts(why.conflicts, words)


def _probability(stated: Stated | None) -> str:
    """How often conclusions like this one were right, if that was measured."""
    if stated is None:
        return ""
    if not stated.cases.cases:
        return f"probability {stated.probability:.2f}; "
    held_out = f"right in {stated.cases.right:.0f} of {stated.cases.cases:,} held-out cases like this"
    return f"{held_out}, probability {stated.probability:.2f}; "


def _certainty(why: Why) -> str:
    if why.certainty.is_certain:
        return "certain by the hard rules"
    if why.stratum == 0:
        return f"certainty {why.certainty}, which needs no rules but hard and demoted ones"
    strata = "stratum" if why.stratum == 1 else f"{why.stratum} strata"
    return f"certainty {why.certainty}, which needs the highest {strata}"


def _conflicts(conflicts: Iterable[Conflict], words: Words) -> Iterator[str]:
    return (f"{INDENT}{conflict.told(words)}" for conflict in conflicts)


# Why not


def _why_not(answer: WhyNot, words: Words) -> Iterator[str]:
    yield f"It is not predicted that {words.atom(answer.atom)}."
    if answer.unknown:
        yield f"The evidence does not know {enumerated(answer.unknown)}."
    if answer.denied:
        yield "The evidence says that it is false."
    elif answer.forbidden is not None:
        yield from answer.forbidden.told("It is excluded:", words)
    if answer.argument is not None:
        yield from _argument(answer.argument, words, told=answer.forbidden)
    for left_out, reason in answer.left_out:
        yield f"A rule would conclude it, but is left out: {reason}."
        yield f"{INDENT}{say_rule(left_out, words)}"
    if answer.contradictions and answer.argument is None:
        yield "Nothing is concluded, because the evidence contradicts the hard rules."
    for core in answer.contradictions:
        yield from core.told("These cannot be true together:", words)
    rule = "other rule" if answer.left_out else "rule"
    if not answer.concluded:
        used = " that is used with such evidence" if answer.unused else ""
        yield f"No {rule}{used} concludes this kind of fact."
    elif answer.argument is None:
        yield from _nearest(answer.nearest, rule, words)


def _argument(argument: Argument, words: Words, told: Core | None) -> Iterator[str]:
    yield "There is an argument for it:"
    yield from (f"{INDENT}{line}" for line in argument.proof.lines(words))
    if argument.step.atom != argument.proof.atom:
        yield f"It fails at this conclusion: {words.atom(argument.step.atom)}."
    yield _FATES[argument.fate]
    if argument.core is not None and argument.core != told:
        yield from argument.core.told("Against it stands:", words)
    if argument.conflicts:
        yield "The conflict:" if len(argument.conflicts) == 1 else "The conflicts:"
        yield from _conflicts(argument.conflicts, words)


def _nearest(nearest: tuple[Near, ...], rule: str, words: Words) -> Iterator[str]:
    if not nearest:
        yield f"No {rule} concludes it: none of them fits these arguments."
        return
    yield f"No {rule} concludes it. The nearest:"
    for near in nearest:
        yield f"{INDENT}{say_rule(near.rule, words)}"
        yield from (f"{INDENT * 2}met: {words.atom(atom)}" for atom in near.met)
        yield from (f"{INDENT * 2}missing: {words.missing(atom)}" for atom in near.missing)
        yield from (f"{INDENT * 2}open: whether {words.missing(atom)} instead" for atom in near.alternatives)
