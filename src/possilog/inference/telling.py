"""Explanations in words, as trees and lists that a reader who knows the domain can question."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from possilog.inference.cores import Core
from possilog.inference.explain import Argument, Near, Why, WhyNot
from possilog.inference.prediction import Conflict
from possilog.inference.proofs import Proof
from possilog.inference.words import Words, enumerated
from possilog.logic import Atom, Clause, Rule, Weight

__all__ = ["tell", "tell_core", "tell_proof"]

_INDENT = "    "

_FATES = {
    "drowned": "It was not made, because its stratum is drowned.",
    "refuted": "It was not made, because what stands refutes it.",
    "barred": "It was given up, because it conflicts with other conclusions of its stratum.",
    "stopped": "It was not made, because the evidence contradicts the hard rules.",
    "scattered": "It was not made, because no fragment, or too few of them, have all that it needs.",
}


def tell(answer: Why | WhyNot, words: Words | None = None) -> str:
    """An explanation in words."""
    lines = _why(answer, words or Words()) if isinstance(answer, Why) else _why_not(answer, words or Words())
    return "\n".join(lines)


# Why


def _why(why: Why, words: Words) -> Iterator[str]:
    if why.proof is not None and why.proof.is_given:
        yield f"{words.atom(why.atom)}: this is given."
        return
    yield f"{words.atom(why.atom)}: {_certainty(why)}."
    if why.fragment:
        yield f"The facts about {enumerated(why.fragment)} are enough."
    yield ""
    if why.proof is not None:
        yield from tell_proof(why.proof, words)
    if why.core is not None:
        yield from tell_core(why.core, words, "It follows from these facts and rules together:")
    if why.drowned:
        count = "One stratum is" if len(why.drowned) == 1 else f"{len(why.drowned)} strata are"
        yield f"\n{count} drowned, from {why.drowned[0].weight} down, because of a conflict:"
        yield from _conflicts(why.conflicts, words)
    elif why.conflicts:
        yield "\nConflicts that this has a part in:"
        yield from _conflicts(why.conflicts, words)


def _certainty(why: Why) -> str:
    if why.stratum == 0:
        return "certain by the hard rules"
    strata = "stratum" if why.stratum == 1 else f"{why.stratum} strata"
    return f"certainty {why.certainty}, which needs the highest {strata}"


def tell_proof(proof: Proof, words: Words) -> Iterator[str]:
    """A proof as a tree: under each conclusion the rule, and what it follows from. What was told is not told again."""
    told: set[Atom] = set()
    left: list[tuple[int, str, Proof]] = [(0, "", proof)]
    while left:  # not recursive: a proof can be thousands of steps deep
        depth, link, part = left.pop()
        again = part.atom in told and not part.is_given
        note = " (given)" if part.is_given else " (see above)" if again else ""
        yield f"{_INDENT * depth}{link}{words.atom(part.atom)}{note}"
        if part.rule is not None and not again:
            told.add(part.atom)
            yield f"{_INDENT * (depth + 1)}by the rule: {_rule(part.rule, words)}"
            links = ["because ", *["and "] * len(part.premises)]
            below = [(depth + 1, link, premise) for link, premise in zip(links, part.premises, strict=False)]
            left += reversed(below)


def _rule(rule: Rule, words: Words) -> str:
    return f"{words.clause(rule.clause)} ({_weight(rule.weight)})"


def _weight(weight: Weight) -> str:
    return "always" if weight.is_certain else str(weight)


def tell_core(core: Core, words: Words, title: str) -> Iterator[str]:
    """Some facts, and what ground rules make of them."""
    yield title
    yield from (f"{_INDENT}{words.literal(literal)}" for literal in core.literals)
    yield from (f"{_INDENT}{_ground(rule, words)}" for rule in core.rules)


def _ground(clause: Clause, words: Words) -> str:
    """A ground rule: what follows, from what."""
    body = enumerated(map(words.atom, clause.body))
    if not clause.head:
        return f"never: {body}"
    head = enumerated(map(words.atom, clause.head), "or")
    return f"hence {head}, since {body}" if clause.body else f"always: {head}"


def _conflicts(conflicts: Iterable[Conflict], words: Words) -> Iterator[str]:
    for conflict in conflicts:
        told = enumerated(map(words.atom, conflict.broken.body))
        broken = f"it is denied that {told}" if conflict.broken.rule is None else f"never: {told}"
        barred = f"; given up: {enumerated(map(words.atom, conflict.barred))}" if conflict.barred else ""
        yield f"{_INDENT}{broken} (at {_weight(conflict.weight)}){barred}"


# Why not


def _why_not(answer: WhyNot, words: Words) -> Iterator[str]:
    yield f"It is not predicted that {words.atom(answer.atom)}."
    if answer.unknown:
        yield f"The evidence does not know {enumerated(answer.unknown)}."
    if answer.denied:
        yield "The evidence says that it is false."
    elif answer.forbidden is not None:
        yield from tell_core(answer.forbidden, words, "It is excluded:")
    if answer.argument is not None:
        yield from _argument(answer.argument, words, told=answer.forbidden)
    if answer.contradictions and answer.argument is None:
        yield "Nothing is concluded, because the evidence contradicts the hard rules."
    for core in answer.contradictions:
        yield from tell_core(core, words, "These cannot be true together:")
    if not answer.concluded:
        yield "No rule concludes this kind of fact."
    elif answer.argument is None:
        yield from _nearest(answer.nearest, words)


def _argument(argument: Argument, words: Words, told: Core | None) -> Iterator[str]:
    yield "There is an argument for it:"
    yield from (f"{_INDENT}{line}" for line in tell_proof(argument.proof, words))
    if argument.step.atom != argument.proof.atom:
        yield f"It fails at this conclusion: {words.atom(argument.step.atom)}."
    yield _FATES[argument.fate]
    if argument.core is not None and argument.core != told:
        yield from tell_core(argument.core, words, "Against it stands:")
    if argument.conflicts:
        yield "The conflict:" if len(argument.conflicts) == 1 else "The conflicts:"
        yield from _conflicts(argument.conflicts, words)


def _nearest(nearest: Iterable[Near], words: Words) -> Iterator[str]:
    listed = list(nearest)
    if not listed:
        yield "No rule concludes it: none of them fits these arguments."
        return
    yield "No rule concludes it. The nearest:"
    for near in listed:
        yield f"{_INDENT}{_rule(near.rule, words)}"
        yield from (f"{_INDENT * 2}met: {words.atom(atom)}" for atom in near.met)
        yield from (f"{_INDENT * 2}missing: {words.missing(atom)}" for atom in near.missing)
        yield from (f"{_INDENT * 2}open: whether {words.missing(atom)} instead" for atom in near.alternatives)
