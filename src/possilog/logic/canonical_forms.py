"""When are two clauses the same but for the names of their variables?

First by colours: the Weisfeiler-Lehman procedure gives every variable a colour that says in which literals it occurs
(sign, predicate, argument positions, how often) and beside which other colours. Most clauses are told apart by this
alone. Then exactly: variables that share a colour are tried one after the other (individualisation and refinement), and
the smallest way to write the clause is its canonical form.
Reference: Weisfeiler and Lehman 1968; section Learning Horn Rules of the paper.

Inside, a literal is a tuple of integers: its symbol, then its arguments, where a variable is a number from 0 and a
constant is a negative number.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from possilog.logic.atoms import Atom, Constant, Literal, Term, Variable
from possilog.logic.clauses import Clause
from possilog.logic.parts import connected_parts

__all__ = ["canonical", "forms_beside", "isomorphic", "order_variables", "readable", "wl_hash"]

Code = tuple[int, ...]
Colours = dict[int, int]


def isomorphic(one: Clause, other: Clause) -> bool:
    """Can the variables of one clause be renamed, one to one, so that it becomes the other?

    >>> from possilog.logic import parse_clause
    >>> isomorphic(parse_clause("p(X) :- r(X, Y), r(Y, Z)."), parse_clause("p(B) :- r(A, C), r(B, A)."))
    True
    >>> isomorphic(parse_clause("p(X) :- r(X, Y), r(Y, X)."), parse_clause("p(X) :- r(X, Y), r(Y, Z)."))
    False
    """
    return wl_hash(one) == wl_hash(other) and canonical(one) == canonical(other)


def wl_hash(clause: Clause) -> int:
    """A number that isomorphic clauses share, on every machine and in every run; others hardly ever do."""
    coded = _Coded(clause)
    colours = _refine(coded.literals, dict.fromkeys(range(len(coded.variables)), 0))
    shape = (coded.symbols, coded.constants, _write(coded.literals, colours))
    digest = hashlib.blake2b(repr(shape).encode("utf-8", "backslashreplace"), digest_size=8)
    return int.from_bytes(digest.digest(), "big")


def forms_beside(clauses: Iterable[Clause]) -> Callable[[Clause], Clause]:
    """A function that gives the same for a clause and for those of some clauses that are isomorphic to it.

    Others are mostly their own form: to tell that two are the same takes time, where they come by the hundred thousand.

    >>> from possilog.logic import parse_clause
    >>> one, other, third = map(parse_clause, ["p(X) :- s(Y), r(X, Y).", "p(A) :- r(A, B), s(B).", "p(Z) :- s(Z)."])
    >>> form = forms_beside([one])
    >>> form(one) == form(other), form(third) == third
    (True, True)
    """
    known = set(map(_symbols, clauses))
    found: dict[Clause, Clause] = {}

    def form(clause: Clause) -> Clause:
        if clause not in found:
            found[clause] = canonical(clause) if known and _symbols(clause) in known else clause
        return found[clause]

    return form


def _symbols(clause: Clause) -> frozenset[object]:
    """The predicates of a clause, with the constants at their places."""
    return frozenset(
        (atom.predicate, *(None if isinstance(term, Variable) else term for term in atom.arguments))
        for atom in clause.atoms
    )


@lru_cache(maxsize=4096)  # the same rules are found in all the data and without each part, and asked about all the time
def canonical(clause: Clause) -> Clause:
    """The clause with its variables renamed and its literals ordered, the same for all isomorphic clauses.

    >>> from possilog.logic import parse_clause
    >>> print(canonical(parse_clause("p(X) :- s(Y), r(X, Y).")))
    p(A) :- r(A, B), s(B).
    """
    coded = _Coded(clause)
    ranks = {variable: rank for rank, variable in enumerate(order_variables(coded.literals))}
    return Clause.of(coded.decode(literal) for literal in _write(coded.literals, ranks))


@lru_cache(maxsize=4096)
def readable(clause: Clause) -> Clause:
    """An isomorphic clause that reads well, the same for all isomorphic ones: variables A, B, … as they come."""
    ordered = canonical(clause)
    return ordered.substitute({v: Variable(variable_name(number)) for number, v in enumerate(ordered.variables)})


def variable_name(number: int) -> str:
    """A, B, … Z, A1, B1, …: the names that canonical forms give to variables."""
    turn, letter = divmod(number, 26)
    return chr(ord("A") + letter) + (str(turn) if turn else "")


class _Coded:
    """A clause in integers, and the way back. The numbers keep the order of what they stand for."""

    def __init__(self, clause: Clause) -> None:
        literals = clause.literals
        self.variables = clause.variables
        self.symbols = sorted({(literal.positive, literal.atom.predicate) for literal in literals})
        self.constants = sorted({a for atom in clause.atoms for a in atom.arguments if isinstance(a, Constant)})
        symbol = {key: number for number, key in enumerate(self.symbols)}
        term: dict[Term, int] = {variable: number for number, variable in enumerate(self.variables)}
        term |= {constant: number - len(self.constants) for number, constant in enumerate(self.constants)}
        self.literals: list[Code] = [
            (symbol[literal.positive, literal.atom.predicate], *(term[a] for a in literal.atom.arguments))
            for literal in literals
        ]

    def decode(self, literal: Code) -> Literal:
        positive, predicate = self.symbols[literal[0]]
        terms = (Variable(variable_name(a)) if a >= 0 else self.constants[a] for a in literal[1:])
        return Literal(Atom(predicate, tuple(terms)), positive)


def order_variables(literals: Sequence[Code]) -> list[int]:
    """The variables of a clause in integers, in the order in which its canonical form numbers them."""
    return _order(literals, dict.fromkeys(_variables(literals), 0))


def _order(literals: Sequence[Code], colours: Colours) -> list[int]:
    colours = _refine(literals, colours)
    cells = _cells(colours)
    free = {variable for cell in cells.values() if len(cell) > 1 for variable in cell}
    if not free:
        return sorted(colours, key=colours.__getitem__)
    # A variable with a colour of its own is as good as a constant, and without it the rest may fall apart.
    low = min((argument for literal in literals for argument in literal[1:]), default=0)
    alone = [cell[0] for _, cell in sorted(cells.items()) if len(cell) == 1]
    known = {variable: min(low, 0) - 1 - rank for rank, variable in enumerate(alone)}
    rest = [_replace(literal, known) for literal in literals if not free.isdisjoint(literal[1:])]
    parts = [_branch(part, {v: colours[v] for v in _variables(part)}) for part in connected_parts(rest, _variable_set)]
    parts.sort()
    place = {v: (rank, index) for rank, (_, order) in enumerate(parts) for index, v in enumerate(order)}
    return sorted(colours, key=lambda variable: (colours[variable], place.get(variable, (0, 0))))


def _branch(literals: Sequence[Code], colours: Colours) -> tuple[list[Code], list[int]]:
    """Give one variable after the other of a smallest cell a colour of its own, and keep the smallest result."""
    cells = _cells(colours)
    colour = min(cells, key=lambda colour: (len(cells[colour]), colour))
    results = []
    tried: list[int] = []
    for variable in cells[colour]:
        if any(_are_twins(literals, variable, other) for other in tried):
            continue
        tried.append(variable)
        order = _order(literals, {v: 2 * c + (v != variable) for v, c in colours.items()})
        results.append((_write(literals, {v: rank for rank, v in enumerate(order)}), order))
    return min(results)


def _refine(literals: Sequence[Code], colours: Colours) -> Colours:
    """Split colours by what stands around the variables, until nothing splits any more."""
    count = len(set(colours.values()))
    while True:
        seen: dict[int, list[Code]] = {variable: [] for variable in colours}
        for literal in literals:
            for variable in set(literal[1:]):
                if variable >= 0:
                    seen[variable].append(_seen_from(variable, literal, colours))
        keys = {variable: (colours[variable], sorted(views)) for variable, views in seen.items()}
        colours = _rank(keys)
        if len(set(colours.values())) == count:
            return colours
        count = len(set(colours.values()))


def _seen_from(variable: int, literal: Code, colours: Colours) -> Code:
    """A literal as one of its variables sees it: 0 for itself, colours from 1 for others, constants as they are."""
    arguments = (a if a < 0 else 0 if a == variable else colours[a] + 1 for a in literal[1:])
    return (literal[0], *arguments)


def _rank(keys: Mapping[int, tuple[int, list[Code]]]) -> Colours:
    """Colours for keys: equal keys share one, and colours have the order of the keys."""
    colours: Colours = {}
    colour, previous = -1, None
    for variable in sorted(keys, key=keys.__getitem__):
        if keys[variable] != previous:
            colour, previous = colour + 1, keys[variable]
        colours[variable] = colour
    return colours


def _cells(colours: Colours) -> dict[int, list[int]]:
    cells: dict[int, list[int]] = defaultdict(list)
    for variable, colour in colours.items():
        cells[colour].append(variable)
    return cells


def _variables(literals: Iterable[Code]) -> list[int]:
    return sorted(set().union(*map(_variable_set, literals)))


def _variable_set(literal: Code) -> set[int]:
    return {argument for argument in literal[1:] if argument >= 0}


def _replace(literal: Code, replacements: Mapping[int, int]) -> Code:
    return (literal[0], *(replacements.get(argument, argument) for argument in literal[1:]))


def _write(literals: Iterable[Code], ranks: Mapping[int, int]) -> list[Code]:
    return sorted(_replace(literal, ranks) for literal in literals)


def _are_twins(literals: Sequence[Code], one: int, other: int) -> bool:
    """Does the clause stay the same when two variables change places? Then trying one of them is enough."""
    swapped = (_replace(literal, {one: other, other: one}) for literal in literals)
    return Counter(swapped) == Counter(literals)
