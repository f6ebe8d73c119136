"""Hard rules made ready for incremental grounding: which of their ground instances does a new atom bring into play?

Everything is in integers. A ground atom is the number of its predicate and the numbers of its constants. Under object
identity an atom and a literal have to agree on which of their arguments are equal, so this *pattern* picks the body
literals that an atom can stand for; the rest of the body is then looked up, literal by literal, in hash indexes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from operator import itemgetter
from typing import Any

from possilog.data.database import Database
from possilog.logic import Atom, Clause, Predicate, Variable

__all__ = ["Ground", "GroundRule", "Grounder", "World"]

Row = tuple[int, ...]
Ground = tuple[int, Row]
"""A ground atom: its predicate and its constants, in numbers."""

Pick = Callable[[Row], Any]
"""Takes some places of a row: nothing, one number, or a tuple of them."""

NOTHING: list[Row] = []


@dataclass(frozen=True, slots=True)
class GroundRule:
    """A ground instance of a hard rule: if the body's atoms are true, so is one of the head's."""

    head: tuple[Ground, ...]
    body: tuple[Ground, ...]


@dataclass(frozen=True, slots=True)
class _Index:
    """Facts of one predicate by some of their arguments, for literals whose other arguments have one pattern."""

    number: int
    key: Pick
    rest: tuple[int, ...]
    pattern: Row
    table: dict[Any, list[Row]]

    def entry(self, row: Row) -> tuple[Any, Row] | None:
        """Where a fact belongs: its key, and the distinct constants at its other arguments."""
        rest = tuple(row[place] for place in self.rest)
        return (self.key(row), tuple(dict.fromkeys(rest))) if _pattern(rest) == self.pattern else None


@dataclass(frozen=True, slots=True)
class _Step:
    """One body literal to be looked up: in which index, and which of the constants so far make the key."""

    index: _Index
    key: Pick
    after: _Step | None


@dataclass(frozen=True, slots=True)
class _Trigger:
    """A rule that an atom may bring into play, as one of its body literals.

    The constants of a match stand in the order in which the steps find them; ``free`` counts the variables that occur
    in the head only, and range over all constants.
    """

    first: _Step | None
    free: int
    head: tuple[tuple[int, Pick], ...]
    body: tuple[tuple[int, Pick], ...]


class World:
    """The facts, and atoms that were added to them."""

    __slots__ = ("_found", "_grounder", "atoms")

    def __init__(self, grounder: Grounder, atoms: Iterable[Ground]) -> None:
        self._grounder = grounder
        self.atoms: dict[Ground, None] = {}  # in the order in which they came
        self._found: dict[tuple[int, Any], list[Row]] = {}
        for atom in atoms:
            self.add(atom)

    def add(self, atom: Ground) -> bool:
        """Make an atom true; false where it was true before."""
        if atom in self:
            return False
        self.atoms[atom] = None
        for index in self._grounder.indexes_of(atom[0]):
            entry = index.entry(atom[1])
            if entry is not None:
                self._found.setdefault((index.number, entry[0]), []).append(entry[1])
        return True

    def __contains__(self, atom: Ground) -> bool:
        return atom in self.atoms or self._grounder.is_fact(atom)

    def violations(self, atom: Ground) -> Iterator[GroundRule]:
        """The ground rules with this atom in the body that do not hold."""
        arguments = atom[1]
        constants = tuple(dict.fromkeys(arguments))
        for trigger in self._grounder.triggers(atom[0], arguments):
            for match in self._matches(trigger.first, constants):
                yield from self._instances(trigger, match)

    def _matches(self, step: _Step | None, constants: Row) -> Iterable[Row]:
        if step is None:
            return (constants,)
        key = step.key(constants)
        rows = step.index.table.get(key, NOTHING)
        added = self._found.get((step.index.number, key))
        # Nearly always there is nothing: no generator is made for that.
        return self._extended(step, constants, rows + added if added else rows) if rows or added else ()

    def _extended(self, step: _Step, constants: Row, rows: Iterable[Row]) -> Iterator[Row]:
        for row in rows:
            if set(row).isdisjoint(constants):  # distinct variables, distinct constants
                yield from self._matches(step.after, constants + row)

    def _instances(self, trigger: _Trigger, match: Row) -> Iterator[GroundRule]:
        for constants in self._grounder.completions(match, trigger.free):
            for symbol, pick in trigger.head:
                if (symbol, pick(constants)) in self:
                    break
            else:
                yield GroundRule(_instantiated(trigger.head, constants), _instantiated(trigger.body, constants))


def _instantiated(atoms: Iterable[tuple[int, Pick]], constants: Row) -> tuple[Ground, ...]:
    return tuple((symbol, pick(constants)) for symbol, pick in atoms)


class Grounder:
    """The hard rules and the facts, compiled."""

    def __init__(self, database: Database, rules: Iterable[Clause]) -> None:
        self._database = database
        self._symbols: dict[Predicate, int] = {}
        self._facts: list[set[Row]] = []
        self._indexes: list[dict[tuple[tuple[int, ...], Row], _Index]] = []
        self._made = 0
        self._triggers: dict[tuple[int, Row], list[_Trigger]] = defaultdict(list)
        # Constraints first: a contradiction ends the question.
        for rule in sorted(rules, key=lambda rule: bool(rule.head)):
            for literal in dict.fromkeys(rule.body):
                self._compile(rule, literal)

    def symbol(self, predicate: Predicate) -> int:
        """The number of a predicate."""
        if predicate not in self._symbols:
            self._symbols[predicate] = len(self._symbols)
            self._facts.append(set(map(tuple, self._database.rows(predicate).T.tolist())))
            self._indexes.append({})
        return self._symbols[predicate]

    def is_fact(self, atom: Ground) -> bool:
        """Is the atom one of the facts?"""
        return atom[1] in self._facts[atom[0]]

    def indexes_of(self, symbol: int) -> Iterable[_Index]:
        """The indexes that a new atom of a predicate belongs to."""
        return self._indexes[symbol].values()

    def triggers(self, symbol: int, arguments: Row) -> Sequence[_Trigger]:
        """The rules that an atom may bring into play."""
        return self._triggers.get((symbol, _pattern(arguments)), ())

    def completions(self, constants: Row, free: int) -> Iterable[Row]:
        """All ways to add some more constants, distinct from each other and from those at hand."""
        if not free:
            return (constants,)
        others = (number for number in range(len(self._database.constants)) if number not in constants)
        return (constants + more for more in permutations(others, free))

    def _compile(self, rule: Clause, literal: Atom) -> None:
        """Make the trigger of one body literal: the literals with the fewest unbound variables come first."""
        order = list(literal.variables)
        pending = [atom for atom in dict.fromkeys(rule.body) if atom != literal]
        plan: list[tuple[_Index, Pick]] = []
        while pending:
            atom = min(pending, key=lambda candidate: len(set(candidate.variables).difference(order)))
            pending.remove(atom)
            plan.append(self._lookup(atom, order))
            order += [variable for variable in atom.variables if variable not in order]
        bound = len(order)
        order += [variable for variable in rule.variables if variable not in order]
        first: _Step | None = None
        for index, key in reversed(plan):
            first = _Step(index, key, first)
        head, body = (tuple(self._instance(atom, order) for atom in atoms) for atoms in (rule.head, rule.body))
        trigger = _Trigger(first, len(order) - bound, head, body)
        self._triggers[self.symbol(literal.predicate), _pattern(literal.arguments)].append(trigger)

    def _lookup(self, atom: Atom, order: list[Variable]) -> tuple[_Index, Pick]:
        """The index for a literal some of whose variables are bound, and how to make its key from their constants."""
        places = range(len(atom.arguments))
        bound = tuple(place for place in places if atom.arguments[place] in order)
        rest = tuple(place for place in places if place not in bound)
        index = self._index(atom.predicate, bound, rest, _pattern([atom.arguments[place] for place in rest]))
        return index, _pick([order.index(atom.arguments[place]) for place in bound])  # type: ignore[arg-type]

    def _index(self, predicate: Predicate, bound: tuple[int, ...], rest: tuple[int, ...], pattern: Row) -> _Index:
        symbol = self.symbol(predicate)
        indexes = self._indexes[symbol]
        if (bound, pattern) not in indexes:
            index = indexes[bound, pattern] = _Index(self._made, _pick(bound), rest, pattern, {})
            self._made += 1
            for row in sorted(self._facts[symbol]):
                entry = index.entry(row)
                if entry is not None:
                    index.table.setdefault(entry[0], []).append(entry[1])
        return indexes[bound, pattern]

    def _instance(self, atom: Atom, order: list[Variable]) -> tuple[int, Pick]:
        slots = [order.index(term) for term in atom.arguments]  # type: ignore[arg-type]
        single = slots[0] if len(slots) == 1 else 0
        return self.symbol(atom.predicate), (lambda row: (row[single],)) if len(slots) == 1 else _pick(slots)


def _pattern(arguments: Sequence[object]) -> Row:
    """Which arguments are equal: for each, the first place that has the same."""
    if len(arguments) == 1:
        return (0,)
    return tuple(map(arguments.index, arguments))


def _pick(places: Sequence[int]) -> Pick:
    return itemgetter(*places) if places else lambda row: ()
