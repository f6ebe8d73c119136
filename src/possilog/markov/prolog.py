"""A theory as a Prolog program with tabling (SWI-Prolog, XSB): what its rules derive if nothing speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from possilog.logic import Atom, Constant, Predicate, Rule, Theory
from possilog.logic.theory import comment
from possilog.markov.programs import (
    PROLOG_WORDS,
    THINGS,
    Given,
    conditions_of,
    constants_of,
    falsity_remarks,
    mentioned,
    needs_things,
    plainly_named,
    prepared,
    quoted_atom,
    renamings,
    said_otherwise,
    titled,
    unsaid,
    unused,
)

__all__ = ["export_prolog"]

_BROKEN = Predicate("the constraint of a number is broken", 1)

_BUILT_IN = PROLOG_WORDS | frozenset(
    re.findall(
        r"\w+",
        """
    abolish absolute_file_name append apply apropos assert asserta assertz at_halt attach bagof between blob break
    c call_cleanup char_code char_conversion char_type character_count close code_type concat copy_term create current
    cut cyclic_term delete dif directory dynamic edit ensure_loaded erase exists_file expand export false format freeze
    garbage get halt help ignore import initialization keysort last license listing load make message name notrace op
    open option phrase print profile prompt protocol put read reconsult recorda recorded recordz rename repeat require
    retract rule see seek seen select set setof shell show skip source spy statistics stream string style sub_atom swap
    tab table tell term throw time told trace trie tty undefined unify unknown version wait when write
    """,
    )
)
"""What means something else to a Prolog system than a predicate of the user."""


def export_prolog(theory: Theory, evidence: Given = None) -> str:
    """The theory and the evidence as a Prolog program.

    >>> from possilog.logic import parse_theory
    >>> theory = parse_theory(":- bird(X), bat(X). 0.9 :: flies(X) :- bird(X).")
    >>> print(export_prolog(theory).partition("not carried.")[2].strip())
    :- table flies/1.
    :- dynamic bat/1, bird/1.
    :- discontiguous flies/1, broken/1.
    <BLANKLINE>
    % rules
    broken(1) :- bird(X), bat(X).  % hard
    flies(X) :- bird(X).  % 0.9
    """
    lost = [*said_otherwise(theory), *unsaid(theory)]
    theory, given = prepared(theory, evidence)
    names = _names(mentioned(theory, given))
    carried = [rule for rule in theory if rule.clause.is_horn and not rule.clause.is_empty]
    left_out = [rule for rule in theory if not rule.clause.is_horn or rule.clause.is_empty]
    remarks = [
        f"Weights are comments: every rule derives, and {names[_BROKEN]}(N) says that a constraint is broken.",
        *falsity_remarks(theory, left_out, "Prolog derives single atoms"),
        *lost,
        *(f"It is denied, which is not carried: {atom.as_fact}" for atom in given.denied),
        *renamings({p: name for p, name in names.items() if p != _BROKEN}),
    ]
    heads = sorted({rule.clause.head[0].predicate for rule in carried if rule.clause.head})
    things = constants_of(theory, given) if needs_things(theory) else []
    sections = [
        [comment(remark) for remark in remarks],
        [
            *_directive("table", heads, names),
            *_directive("dynamic", mentioned(theory, given) - {*heads}, names),
            *_directive("discontiguous", [*heads, *([_BROKEN] if len(heads) < len(carried) else [])], names),
        ],
        titled("% evidence", (f"{_atom(atom, names)}." for atom in given.facts)),
        [f"{_atom(Atom.ground(THINGS.name, (name,)), names)}." for name in things],
        titled("% rules", (_rule(rule, place, names) for place, rule in enumerate(carried, 1))),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _names(predicates: Iterable[Predicate]) -> dict[Predicate, str]:
    taken = {predicate.name for predicate in predicates} | _BUILT_IN
    names = {p: unused(p.name, taken) if p.name in _BUILT_IN else p.name for p in predicates}
    return {**names, THINGS: unused("thing", taken), _BROKEN: unused("broken", taken)}


def _directive(word: str, predicates: Iterable[Predicate], names: Mapping[Predicate, str]) -> Iterator[str]:
    listed = ", ".join(f"{_quoted(names[p])}/{p.arity}" for p in sorted(predicates))
    if listed:
        yield f":- {word} {listed}."


def _rule(rule: Rule, number: int, names: Mapping[Predicate, str]) -> str:
    clause = plainly_named(rule.clause)
    conditions = conditions_of(clause, lambda atom: _atom(atom, names), "{} \\== {}")
    head = _atom(clause.head[0], names) if clause.head else f"{names[_BROKEN]}({number})"
    text = f"{head} :- {', '.join(conditions)}." if conditions else f"{head}."
    return f"{text}  % {'hard' if rule.is_hard else rule.weight}"


def _atom(atom: Atom, names: Mapping[Predicate, str]) -> str:
    arguments = [_quoted(term.name) if isinstance(term, Constant) else term.name for term in atom.arguments]
    return _quoted(names[atom.predicate]) + (f"({', '.join(arguments)})" if arguments else "")


def _quoted(name: str) -> str:
    return quoted_atom(name).replace("\n", "\\n").replace("\r", "\\r")
