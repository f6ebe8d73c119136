"""The types of some data, and which of them chance alone would not keep apart."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations
from math import log

from possilog.data import Database, infer_types
from possilog.data.rows import distinct
from possilog.logic import Types
from possilog.structure.surprise import LEVEL, never_meet

__all__ = ["LEAST_SUPPORT", "types_of"]

LEAST_SUPPORT = 2
"""A constraint that could have failed less often is not even demoted."""


def types_of(database: Database) -> Types | None:
    """Types by merging places that share constants; None where there are none.

    Where there is one type only, its lines are signatures, and stand for no constraint. A type is unsure if another one
    might have no constant in common with it by chance: then the smaller of the two is.
    A type of fewer facts than a constraint has to rest on says nothing: its predicates are not listed.

    >>> from possilog.logic import parse_atom
    >>> facts = [f"leads(p{n}, t{n})" for n in range(40)] + ["old(p1)"]
    >>> print(*types_of(Database.of(map(parse_atom, facts))).lines)
    #type leads(leads_1, leads_2). #type old(leads_1).
    >>> print(*types_of(Database.of(map(parse_atom, [*facts, "far(moon)"]))).lines)
    #type leads(leads_1, leads_2). #type old(leads_1).
    """
    inferred = infer_types(database)
    facts: Counter[str] = Counter()
    for predicate in database.predicates:
        facts.update(dict.fromkeys(inferred[predicate.name], database.count(predicate)))
    listed = [p for p in database.predicates if all(facts[name] >= LEAST_SUPPORT for name in inferred[p.name])]
    members: dict[str, set[int]] = {}
    for predicate in listed:
        for name, column in zip(inferred[predicate.name], database.rows(predicate), strict=True):
            members.setdefault(name, set()).update(distinct(column).tolist())
    if not members:
        return None
    pairs = list(combinations(members, 2))
    bound = log(LEVEL / max(len(pairs), 1))
    unsure = {
        min(pair, key=lambda name: (len(members[name]), name))
        for pair in pairs
        if never_meet(len(database.constants), *(len(members[name]) for name in pair)) > bound
    }
    names = {name: re.sub(r"\W", "_", name) for name in members}
    signatures = tuple((p, tuple(names[name] for name in inferred[p.name])) for p in listed)
    return Types(signatures, tuple(sorted(names[name] for name in unsure)))
