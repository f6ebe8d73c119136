"""A theory's rules for ProbLog and for PSL, so that their answers can be compared with ours.

Neither means by a weight what a theory means, and the text says so. What both can carry: definite rules, constraints,
that distinct variables stand for distinct constants, and evidence.

- ProbLog (De Raedt, Kimmig, Toivonen, IJCAI 2007): a rule ``λ::head :- body.`` fires with probability λ, each instance
  by itself, and several rules for an atom add up. A constraint becomes an observation that it is not broken.
- PSL (Bach, Broecheler, Huang, Getoor, JMLR 2017): atoms are true to a degree, and an instance of a rule costs its
  weight times the square of how far it is from being satisfied. The weight is -log(1 - λ), which keeps the order of the
  strata.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import product

from possilog.data import Database, Evidence
from possilog.data.schemas import infer_types
from possilog.errors import QueryError, shortened
from possilog.logic import Atom, Constant, Literal, Predicate, Query, Rule, Theory
from possilog.logic.theory import comment
from possilog.markov.certain import certain_atoms
from possilog.markov.programs import (
    ALWAYS,
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
    unbound,
    unsaid,
    unused,
)
from possilog.matching import Matcher

__all__ = ["export_problog", "export_psl"]

MAX_CERTAIN = 10_000
"""Atoms that hard rules derive, which are listed for ProbLog."""

MAX_TARGETS = 100_000
"""Atoms that PSL may be asked about; with more it does not end."""

_NOBODY = "-"
"""The argument of a predicate without arguments, which PSL does not have."""


def export_problog(theory: Theory, evidence: Given = None) -> str:
    """The theory and the evidence as a ProbLog program; it asks for all atoms that rules derive.

    >>> from possilog.logic import parse_theory
    >>> theory = parse_theory("0.9 :: Smokes(Y) :- Friends(X, Y), Smokes(X).")
    >>> print(export_problog(theory).partition("% rules")[2].strip())
    0.9::'Smokes'(Y) :- 'Friends'(X, Y), 'Smokes'(X), Y \\= X.
    <BLANKLINE>
    % predicates of which nothing is known
    'Friends'(_, _) :- fail.
    <BLANKLINE>
    query('Smokes'(_)).
    """
    lost = [*said_otherwise(theory), *unsaid(theory)]
    theory, given = prepared(theory, evidence)
    names = _problog_names(mentioned(theory, given))
    rules: list[str] = []
    left_out: list[Rule] = []
    recursive = _recursive(theory)
    # What is certain and what is not recursive comes first: ProbLog fails where a cycle holds something certain and an
    # atom is observed.
    for rule in sorted(theory, key=recursive.__contains__):
        if rule.clause.is_horn and not rule.clause.is_empty:
            rules += _problog_rule(rule, names, len(rules))
        else:
            left_out.append(rule)
    remarks = [
        "A rule fires with its weight as probability, each instance by itself, and rules for one atom add up.",
        "In the theory a stratum counts only where those above it are consistent; that is not carried.",
        "A constraint is an observation; evidence that breaks a hard one is impossible here.",
        *falsity_remarks(theory, left_out, "ProbLog derives single atoms"),
        *lost,
        *renamings(names),
    ]
    certain = _certain(theory, given)
    if certain is None:
        remarks.append(f"Hard rules derive more than {MAX_CERTAIN:,} atoms; ProbLog may fail where a cycle has one.")
    sections = [
        [comment(remark) for remark in remarks],
        titled("% evidence", (f"{_prolog(atom, names)}." for atom in given.facts)),
        [f"evidence(\\+ {_prolog(atom, names)})." for atom in given.denied],
        titled("% what hard rules derive", (f"{_prolog(atom, names)}." for atom in certain or () if recursive)),
        ["% rules", *rules],
        *_problog_questions(theory, given, names),
    ]
    return "\n\n".join("\n".join(lines) for lines in sections if lines) + "\n"


def _problog_questions(theory: Theory, given: Evidence, names: Mapping[Predicate, str]) -> Iterator[list[str]]:
    """The constants, if rules need them, the predicates without rule or fact, and what is asked."""
    heads = sorted({atom.predicate for rule in theory if rule.clause.is_definite for atom in rule.clause.head})
    unknown = sorted(mentioned(theory, given) - {*heads} - {*given.facts.predicates})
    things = [Atom.ground(THINGS.name, (name,)) for name in constants_of(theory, given)] if needs_things(theory) else []
    yield [f"{_prolog(thing, names)}." for thing in things]
    yield titled("% predicates of which nothing is known", (f"{_open(one, names)} :- fail." for one in unknown))
    yield [f"query({_open(predicate, names)})." for predicate in heads]


def export_psl(theory: Theory, evidence: Given = None) -> str:
    """The theory and the evidence as a configuration of PSL's runtime; targets are the atoms that rules have in heads.

    Run it with ``python -m pslpython.runtime FILE``.
    """
    lost = [*said_otherwise(theory), *unsaid(theory)]
    theory, given = prepared(theory, evidence)
    listed = [(rule, float(-rule.weight.doubt.ln()) if not rule.is_hard else math.inf) for rule in theory]
    silent = dict.fromkeys(rule for rule, weight in listed if rule.clause.is_empty or not weight)
    names = _psl_names(mentioned(theory, given))
    taken = {name.upper() for name in names.values()}
    if needs_things(theory):
        names[THINGS] = _fresh("Thing", taken)
    if not all(rule.clause.variables for rule in theory):
        names[ALWAYS] = _fresh("Always", taken)
    rules = [_psl_rule(rule, weight, names) for rule, weight in listed if rule not in silent]
    heads = sorted({atom.predicate for rule in theory for atom in rule.clause.head})
    rules += [f"0.01: !{names[p]}({', '.join(f'X{i}' for i in range(max(p.arity, 1)))}) ^1" for p in heads]
    remarks = [
        "Weights are -log(1 - λ) of the theory's; atoms are true to a degree, and violated rules cost by how far.",
        "In the theory a stratum counts only where those above it are consistent; that is not carried.",
        "The rules of weight 0.01 are not the theory's: an atom that nothing speaks for is false.",
        *falsity_remarks(theory, list(silent), "their weight is 0"),
        *lost,
        *renamings(names),
        *(f"{names[p]} has the argument {_NOBODY}, as PSL wants one" for p in sorted(names) if not p.arity),
    ]
    config = {"rules": rules, "predicates": _psl_data(theory, given, names, heads)}
    return "".join(f"//{comment(remark)[1:]}\n" for remark in remarks) + json.dumps(config, indent=1) + "\n"


# ProbLog


def _problog_names(predicates: Iterable[Predicate]) -> dict[Predicate, str]:
    """Their own names, but for words of ProbLog; and a name for constants."""
    taken = {predicate.name for predicate in predicates} | PROLOG_WORDS
    names = {p: unused(p.name, taken) if p.name in PROLOG_WORDS else p.name for p in predicates}
    return {**names, THINGS: unused("thing", taken)}


def _certain(theory: Theory, given: Evidence) -> list[Atom] | None:
    """What hard rules derive from the evidence, unless it is much; refuses evidence that they contradict."""
    hard = [rule.clause for rule in theory if rule.is_hard]
    found = certain_atoms(hard, given.facts, constants_of(theory, given), MAX_CERTAIN)
    if found is None:
        return None
    impossible = "so ProbLog would have nothing to answer; change the evidence or the rule"
    for atom in sorted({*found} & {*given.denied}):
        raise QueryError(f"the evidence denies {atom}, and hard rules derive it, {impossible}")
    known = Matcher(given.facts | Database.of(found))
    for clause in hard:
        if not clause.head and known.exists(Query(tuple(map(Literal, clause.body)))):
            raise QueryError(f"the evidence breaks the hard rule {shortened(clause)}, {impossible}")
    return found


def _recursive(theory: Theory) -> set[Rule]:
    """The rules whose heads have a part in their own bodies, perhaps by way of other rules."""
    below: dict[Predicate, set[Predicate]] = {}
    for rule in theory:
        if rule.clause.is_definite:
            below.setdefault(rule.clause.head[0].predicate, set()).update(atom.predicate for atom in rule.clause.body)
    grown = True
    while grown:
        before = sum(map(len, below.values()))
        for used in below.values():
            used |= {further for predicate in used for further in below.get(predicate, ())}
        grown = sum(map(len, below.values())) > before
    return {
        rule
        for rule in theory
        if rule.clause.is_definite
        and any(rule.clause.head[0].predicate in below.get(atom.predicate, ()) for atom in rule.clause.body)
    }


def _problog_rule(rule: Rule, names: Mapping[Predicate, str], number: int) -> list[str]:
    clause = plainly_named(rule.clause)
    conditions = conditions_of(clause, lambda atom: _prolog(atom, names), "{} \\= {}")
    chance = "" if rule.is_hard else f"{float(rule.weight)!r}::"
    if clause.head:
        return [f"{chance}{_prolog(clause.head[0], names)}" + (f" :- {', '.join(conditions)}." if conditions else ".")]
    broken, counts = (unused(f"{word}_{number}", names.values()) for word in ("broken", "counts"))
    lines = [] if rule.is_hard else [f"{chance}{counts}."]
    conditions = [*([] if rule.is_hard else [counts]), *conditions]
    return [*lines, f"{broken} :- {', '.join(conditions)}.", f"evidence(\\+ {broken})."]


def _prolog(atom: Atom, names: Mapping[Predicate, str]) -> str:
    arguments = [quoted_atom(term.name) if isinstance(term, Constant) else term.name for term in atom.arguments]
    return quoted_atom(names[atom.predicate]) + (f"({', '.join(arguments)})" if arguments else "")


def _open(predicate: Predicate, names: Mapping[Predicate, str]) -> str:
    return quoted_atom(names[predicate]) + (f"({', '.join('_' * predicate.arity)})" if predicate.arity else "")


# PSL


def _psl_names(predicates: Iterable[Predicate]) -> dict[Predicate, str]:
    """Names of letters and digits that differ even if case does not count."""
    names: dict[Predicate, str] = {}
    taken: set[str] = set()
    for predicate in sorted(predicates):
        plain = re.sub("[^A-Za-z0-9_]", "_", predicate.name)
        names[predicate] = _fresh(plain if plain[:1].isalpha() else f"P{plain}", taken)
        taken.add(names[predicate].upper())
    return names


def _fresh(name: str, taken: Container[str]) -> str:
    while name.upper() in taken:
        name += "_"
    return name


def _psl_rule(rule: Rule, weight: float, names: dict[Predicate, str]) -> str:
    clause = plainly_named(rule.clause)

    def spell(atom: Atom) -> str:
        return _psl_atom(atom, names)

    head, conditions = [*map(spell, clause.head)], conditions_of(clause, spell, "({} != {})")
    if not clause.variables:
        conditions.append(f"{names[ALWAYS]}(N)")
    if not head:  # PSL wants something after the arrow
        head = [f"!{spell(clause.body[-1])}"]
        conditions.remove(spell(clause.body[-1]))
    text = f"{' & '.join(conditions)} -> {' | '.join(head)}" if conditions else " | ".join(head)
    return f"{text} ." if rule.is_hard else f"{weight:.9f}: {text} ^2"


def _psl_atom(atom: Atom, names: dict[Predicate, str]) -> str:
    arguments = atom.arguments or (Constant(_NOBODY),)
    terms = [f"'{_escaped(t.name)}'" if isinstance(t, Constant) else t.name for t in arguments]
    return f"{names[atom.predicate]}({', '.join(terms)})"


def _escaped(name: str) -> str:
    return name.replace("\\", "\\\\").replace("'", "\\'")


def _psl_data(
    theory: Theory, given: Evidence, names: dict[Predicate, str], heads: list[Predicate]
) -> dict[str, dict[str, object]]:
    denied = set(given.denied)
    known: set[Atom] = {*given.facts, *denied}
    places = _places(theory, known)
    if THINGS in names:
        known |= {Atom(THINGS, (Constant(name),)) for name in places[THINGS][0]}
    if ALWAYS in names:
        known.add(Atom(ALWAYS, (Constant(_NOBODY),)))
    data: dict[str, dict[str, object]] = {}
    by_predicate: dict[Predicate, list[Atom]] = {}
    for atom in sorted(known):
        by_predicate.setdefault(atom.predicate, []).append(atom)
    asked, concluded = 0, set(heads)
    for predicate, name in names.items():
        targets: list[tuple[str, ...]] = []
        if predicate in concluded:
            asked += math.prod(map(len, places[predicate]))
            if asked > MAX_TARGETS:
                raise QueryError(
                    f"PSL would be asked about {asked:,} atoms, those of {predicate} among them, and manages "
                    f"{MAX_TARGETS:,}; give evidence about fewer constants, or facts that tell types apart"
                )
            every = product(*places[predicate])
            targets = [row or (_NOBODY,) for row in every if Atom.ground(predicate.name, row) not in known]
        data[name] = {
            "arity": max(predicate.arity, 1),
            "types": ["UniqueStringID"] * max(predicate.arity, 1),
            "observations": [
                [*([t.name for t in atom.arguments] or [_NOBODY]), float(atom not in denied)]
                for atom in by_predicate.get(predicate, ())
            ],
            "targets": targets,
        }
    return data


def _places(theory: Theory, known: Iterable[Atom]) -> dict[Predicate, list[list[str]]]:
    """The constants that may stand in each place: those of its type.

    PSL refuses rules that lead to atoms which it is not asked about. So a variable, too, gives its places one type; it
    is put among the facts as if it were a constant.
    """
    atoms = list(known)
    names = {term.name for atom in atoms for term in atom.arguments}
    for number, rule in enumerate(theory):
        things = [Atom(THINGS, (variable,)) for variable in unbound(rule.clause)]
        bindings = {v: Constant(f"{number}?{v.name}") for v in rule.clause.variables}
        atoms += [atom.substitute(bindings) for atom in (*rule.clause.atoms, *things)]
        names |= {term.name for atom in rule.clause.atoms for term in atom.arguments if isinstance(term, Constant)}
    types = infer_types(Database.of(atoms))
    members: dict[str, set[str]] = {name: set() for listed in types.values() for name in listed}
    for atom in atoms:
        for name, term in zip(types[atom.predicate.name], atom.arguments, strict=True):
            if term.name in names:
                members[name].add(term.name)
    found = {atom.predicate for atom in atoms}
    return {predicate: [sorted(members[name] or names) for name in types[predicate.name]] for predicate in found}
