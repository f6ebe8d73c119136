"""Data in which predicates have nothing to do with each other."""

from __future__ import annotations

from random import Random

from possilog.data import Database, infer_types
from possilog.logic import Atom, Constant


def randomised(database: Database, chance: Random) -> Database:
    """The same facts where the constants of every predicate were relabelled at random, within their types."""
    types = infer_types(database)
    members: dict[str, set[str]] = {}
    for fact in database:
        for name, term in zip(types[fact.predicate.name], fact.arguments, strict=True):
            members.setdefault(name, set()).add(term.name)
    facts = []
    for predicate in database.predicates:
        relabelled = {}
        for name in sorted(set(types[predicate.name])):
            before = sorted(members[name])
            relabelled[name] = dict(zip(before, chance.sample(before, len(before)), strict=True))
        for fact in database:
            if fact.predicate == predicate:
                named = zip(types[predicate.name], fact.arguments, strict=True)
                facts.append(Atom(predicate, tuple(Constant(relabelled[name][term.name]) for name, term in named)))
    return Database.of(facts)


def planted(chance: Random, people: int = 80) -> Database:
    """Who smokes coughs, mostly; friends are drawn at random. No predicate holds of more than a third of all."""
    facts = []
    for person in range(people):
        facts.append(Atom.ground("at", [f"p{person}", f"town{chance.randrange(4)}"]))
        smokes = chance.random() < 0.3
        facts += [Atom.ground("smokes", [f"p{person}"])] * smokes
        facts += [Atom.ground("coughs", [f"p{person}"])] * (chance.random() < (0.9 if smokes else 0.05))
        facts += [Atom.ground("tall", [f"p{person}"])] * (chance.random() < 0.25)
    return Database.of(facts)
