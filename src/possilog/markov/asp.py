"""A theory as an answer set program that clingo runs as it is: its best answer set is what global inference concludes.

Strata are switched on from the highest to the lowest, as many as can be without contradiction; that is the lowest
consistent cut. What is shown then is the evidence and all that follows from it by the rules of the cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from possilog.data import Evidence
from possilog.logic import Atom, Constant, Predicate, Rule, Theory
from possilog.logic.theory import comment
from possilog.markov.programs import (
    THINGS,
    Given,
    conditions_of,
    mentioned,
    needs_things,
    plainly_named,
    prepared,
    renamings,
    said_otherwise,
    titled,
    unsaid,
    unused,
)

__all__ = ["export_asp"]

_STRATUM = Predicate("the stratum is on", 1)
_LARGEST = 2**31 - 1
"""Numbers of clingo reach so far."""


def export_asp(theory: Theory, evidence: Given = None) -> str:
    """The theory and the evidence as an answer set program.

    >>> from possilog.logic import parse_theory
    >>> print(export_asp(parse_theory("0.9 :: Smokes(Y) :- Friends(X, Y), Smokes(X).")).partition("% rules")[2].strip())
    smokes(Y) :- friends(X, Y), smokes(X), Y != X, stratum(1).
    <BLANKLINE>
    % strata: as many as can be, from the highest
    { stratum(1..1) }.
    :- stratum(L), L > 1, not stratum(L-1).
    #maximize { 1,L : stratum(L) }.
    <BLANKLINE>
    #defined friends/2.
    #defined smokes/1.
    #show friends/2.
    #show smokes/1.
    """
    lost = [*said_otherwise(theory), *unsaid(theory)]
    theory, given = prepared(theory, evidence)
    names = _names(mentioned(theory, given))
    places = {stratum.weight: place for place, stratum in enumerate(theory.strata, 1)}
    rules = [line for rule in theory for line in _rule(rule, places.get(rule.weight), names)]
    sections = [
        [comment(remark) for remark in (*_remarks(theory, given), *lost, *_renamed(names))],
        titled("% evidence", (f"{_atom(atom, names)}." for atom in given.facts)),
        [f":- {_atom(atom, names)}." for atom in given.denied],
        titled("% constants", _things(theory, given, names)),
        titled("% rules", rules),
        _strata(len(places), names),
        [f"#{word} {names[p]}/{p.arity}." for word in ("defined", "show") for p in sorted(mentioned(theory, given))],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _remarks(theory: Theory, given: Evidence) -> Iterator[str]:
    yield "The best answer set is what global inference concludes; local inference is not carried."
    yield f"⊥ has weight {theory.falsity}, and strata have weights; only their order is carried."
    if theory.hard and (given.facts or given.denied):
        yield "Evidence that contradicts the hard rules has no answer set; possilog predict says where it does."
    if any(not rule.clause.is_horn for rule in theory):
        yield "Rules with several heads choose one of them here: what follows is what all best answer sets have."


def _renamed(names: Mapping[Predicate, str]) -> Iterator[str]:
    return renamings({p: name for p, name in names.items() if p != _STRATUM})


def _names(predicates: Iterable[Predicate]) -> dict[Predicate, str]:
    """Names that begin with a small letter and differ for each predicate; its own where that is one."""
    taken = {"not", *(p.name for p in predicates)}
    names: dict[Predicate, str] = {}
    for predicate in sorted(predicates):
        plain = re.sub("[^A-Za-z0-9_]", "_", predicate.name)
        plain = plain[:1].lower() + plain[1:] if plain[:1].isalpha() else f"p{plain}"
        names[predicate] = plain if plain == predicate.name and plain != "not" else unused(plain, taken)
        taken.add(names[predicate])
    return names | {THINGS: unused("thing", taken), _STRATUM: unused("stratum", taken)}


def _rule(rule: Rule, place: int | None, names: Mapping[Predicate, str]) -> Iterator[str]:
    clause = plainly_named(rule.clause)
    conditions = conditions_of(clause, lambda atom: _atom(atom, names), "{} != {}")
    if place is not None:
        conditions.append(f"{names[_STRATUM]}({place})")
    head = " ; ".join(_atom(atom, names) for atom in clause.head)
    yield (f"{head} :- {', '.join(conditions)}." if conditions else f"{head}.") if head or conditions else ":- #true."


def _strata(count: int, names: Mapping[Predicate, str]) -> list[str]:
    name = names[_STRATUM]
    lines = [
        f"{{ {name}(1..{count}) }}.",
        f":- {name}(L), L > 1, not {name}(L-1).",
        f"#maximize {{ 1,L : {name}(L) }}.",
    ]
    return ["% strata: as many as can be, from the highest", *lines] if count else []


def _things(theory: Theory, given: Evidence, names: Mapping[Predicate, str]) -> Iterator[str]:
    """All constants, where rules leave variables open: those that stand anywhere, and those that rules name."""
    if not needs_things(theory):
        return
    for predicate in sorted(mentioned(theory, given)):
        for place in range(predicate.arity):
            arguments = ", ".join("X" if other == place else "_" for other in range(predicate.arity))
            yield f"{names[THINGS]}(X) :- {names[predicate]}({arguments})."
    named = {t for rule in theory for atom in rule.clause.atoms for t in atom.arguments if isinstance(t, Constant)}
    for constant in sorted({*named, *map(Constant, given.facts.constants)}):
        yield f"{names[THINGS]}({_constant(constant.name)})."


def _atom(atom: Atom, names: Mapping[Predicate, str]) -> str:
    arguments = [_constant(term.name) if isinstance(term, Constant) else term.name for term in atom.arguments]
    return names[atom.predicate] + (f"({', '.join(arguments)})" if arguments else "")


def _constant(name: str) -> str:
    """A name that means itself, a number, or a text in quotes."""
    is_number = re.fullmatch("0|[1-9][0-9]{0,17}", name) and int(name) <= _LARGEST
    if is_number or (re.fullmatch("[a-z][A-Za-z0-9_]*", name) and name != "not"):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
