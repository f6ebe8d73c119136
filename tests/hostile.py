"""A large theory with names that try to break a page, and facts for it."""

from __future__ import annotations

from possilog import Atom, Clause, Database, Rule, Theory, Variable, Weight
from possilog.logic import Predicate

__all__ = ["NAMES", "hostile"]

NAMES = (
    "<script>alert(1)</script>",
    "</script><script>document.title='no'</script>",
    '" onmouseover="alert(1)',
    "it's a 'quote'",
    "שלום עולם",
    "\u202eright to left",
    "x" * 10_000,
    "two words " * 1_000,
    "&lt;b&gt; <b>bold</b>",
    "]]><!-- -->",
    "javascript:alert(1)",
    "😀 plain",
)
"""What predicates and constants are called."""

_X, _Y, _Z = (Variable(name) for name in "XYZ")


def hostile(rules: int) -> tuple[Theory, Database]:
    """So many rules over predicates with such names, and facts about constants with such names.

    Constants stand on a circle, and a predicate holds for some distances: of every eighth, for nearly all. So most
    rules have examples and counterexamples, and some are strong and have exceptions.
    """
    predicates = [Predicate(f"{name}{number}", 2) for number in range(8) for name in NAMES]
    count = len(predicates)
    made = []
    for number in range(rules):
        head, one, two = (predicates[(number * factor + number // count) % count] for factor in (1, 5, 7))
        body = (one(_X, _Z), two(_Z, _Y)) if number % 3 else (one(_Y, _X),)
        made.append(Rule(Clause((head(_X, _Y),), body), Weight.of_doubt(f"{1 + number // 20}e-5")))
    constants = [f"{name}{number}" for number in range(3) for name in NAMES]
    size = len(constants)
    facts = [
        Atom.ground(predicate.name, (constants[first], constants[(first + step) % size]))
        for place, predicate in enumerate(predicates)
        for step in (range(1, 32) if place % 8 == 0 else (place % 11 + factor for factor in (1, 3, 6, 10, 13)))
        for first in range(size)
    ]
    return Theory(tuple(made)), Database.of(facts)
