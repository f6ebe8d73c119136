"""Facts whose constants are spelled plainly, beside tables that declare types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import replace

from possilog.data.builder import Builder
from possilog.data.database import Database
from possilog.logic import Atom, Constant, Declared, Term, Theory
from possilog.logic.spelling import plain, type_of

__all__ = ["in_step", "typed_facts"]


def typed_facts(database: Database, declared: Declared) -> Database:
    """The facts with the declared types of their places on constants that have none.

    Of predicates that nothing is declared of, a constant is taken as the one thing of that spelling, if there is just
    one.

    >>> from possilog.logic import Predicate, parse_atom
    >>> database = Database.of(map(parse_atom, ["carrier(f1, EV)", "late(f1)", "odd(f9)"]))
    >>> declared = Declared({Predicate("carrier", 2): ("flights", "airlines")})
    >>> [type_of(name) for name in typed_facts(database, declared).constants]
    ['airlines', 'flights', '']
    """
    declared = database.declared | declared
    if not declared or all(map(type_of, database.names)):
        return database
    meant = _meant(declared, database)
    builder = Builder(declared)
    builder.mapping = database.mapping
    for predicate in database.predicates:
        names = database.argument_names(predicate)
        if names:
            builder.name_arguments(predicate.name, names)
        builder.add(predicate.name, _rows(map(meant, database.facts(predicate))))
    for predicate in database.denied_predicates:
        builder.deny(predicate.name, _rows(meant(atom) for atom in database.denied if atom.predicate == predicate))
    used = {plain(name) for name in builder.constants}
    builder.declare(name for name in database.constants if type_of(name) or name not in used)
    return builder.build()


def in_step(theory: Theory, facts: Database) -> tuple[Theory, Database]:
    """A theory and facts in the types that either of them declares."""
    if theory.mapping is None and facts.mapping is not None:
        theory = replace(theory, mapping=facts.mapping)
    return theory, typed_facts(facts, theory.declared)


def _meant(declared: Declared, database: Database) -> Callable[[Atom], Atom]:
    """What an atom of plain constants means."""
    known: dict[str, set[str]] = defaultdict(set)
    for fact in (*database, *database.denied):
        if fact.predicate in declared.types:
            for argument in declared.atom(fact).arguments:
                known[plain(argument.name)].add(argument.name)
    for name in filter(type_of, database.constants):
        known[plain(name)].add(name)

    things = {types[0] for types in declared.types.values() if types}

    def thing(term: Term) -> Term:
        spelled = known.get(term.name, set())
        # What tables are about is meant rather than what they say of it.
        names = {name for name in spelled if type_of(name) in things} or spelled
        return Constant(next(iter(names))) if len(names) == 1 else term

    def meant(atom: Atom) -> Atom:
        if atom.predicate in declared.types:
            return declared.atom(atom)
        return Atom(atom.predicate, tuple(map(thing, atom.arguments)))

    return meant


def _rows(atoms: Iterable[Atom]) -> list[list[str]]:
    return [[term.name for term in atom.arguments] for atom in atoms]
