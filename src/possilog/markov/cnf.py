"""From formulas to weighted clauses, the way Alchemy does it.

- A formula with ``+`` variables becomes one formula, of the same weight, for each choice of constants for them.
- An existential quantifier becomes a disjunction over the constants of the type. A universal one is dropped where it
  stands in the clause, and its variable is grounded like the others.
- The formula becomes a conjunction of clauses, and each gets an equal part of the weight. Single literals among the
  conjuncts stay together: their conjunction is the negation of one clause, which gets the part with its sign changed.
  So ``2.5 P(x) ^ Q(x)`` is ``-2.5 !P(x) v !Q(x)``, which means the same, but ``1 P(x) <=> Q(x)`` is two clauses of
  weight 0.5, and a world that breaks the equivalence still gets one of them.
- A hard formula's clauses are all hard.
- Where weights mean whole formulas (``FormulaWeights.WHOLE``), the worlds that break the formula are cut into parts
  with no world in common, each the worlds that break one clause, and every clause has all the weight: just one of them
  is broken if the formula is. Universal quantifiers inside are conjunctions over the constants of their types.
- ``P(x, y!)`` is two hard formulas: some y makes it true, and no two do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

from possilog.errors import QueryError, shortened
from possilog.logic import Atom, Clause, Constant, Literal, Term, Variable
from possilog.markov.domain import Domain
from possilog.markov.network import (
    And,
    Declaration,
    Equal,
    Exists,
    Forall,
    Formula,
    FormulaWeights,
    Iff,
    Implies,
    Network,
    Not,
    Or,
    Sentence,
    require_network,
)

__all__ = ["WeightedClause", "plus_choices", "weighted_clauses"]

MAX_CLAUSES = 10_000
"""A formula may become this many clauses; quantifiers over large types can make exponentially many."""

MAX_STEPS = 1_000_000
"""This many parts of a formula are looked at on the way: equivalences inside each other double them each time."""

MAX_CHOICES = 100_000
"""A formula with ``+`` may stand for this many formulas."""


@dataclass(frozen=True, slots=True)
class WeightedClause:
    """A clause with its weight; infinity means that it is hard. Every variable of ``types`` is grounded.

    Besides the literals of ``clause`` it may have equalities. A grounding violates it if all literals are false, the
    terms of each pair of ``distinct`` differ (the clause says x = y), and those of ``equal`` do not (it says x != y).
    """

    clause: Clause
    weight: float
    types: tuple[tuple[Variable, str], ...]
    distinct: tuple[tuple[Term, Term], ...] = ()
    equal: tuple[tuple[Term, Term], ...] = ()
    formula: int = -1
    """The number of the formula in its network; -1 for what a declaration says."""

    @property
    def is_hard(self) -> bool:
        """Must every grounding of it hold?"""
        return self.weight == math.inf

    def groundings(self, domain: Domain) -> int:
        """How many groundings it has."""
        return math.prod(domain.size(name) for _, name in self.types)

    def __str__(self) -> str:
        literals: list[Sentence] = [one.atom if one.positive else Not(one.atom) for one in self.clause.literals]
        literals += [Equal(*pair) for pair in self.distinct] + [Not(Equal(*pair)) for pair in self.equal]
        return str(Formula(literals[0] if len(literals) == 1 else Or(tuple(literals)), self.weight))


def weighted_clauses(network: Network, domain: Domain) -> tuple[WeightedClause, ...]:
    """The clauses of a network over a domain; a formula without a weight counts with weight 0."""
    whole = require_network(network).formula_weights is FormulaWeights.WHOLE
    clauses: list[WeightedClause] = []
    for number, formula in enumerate(network.formulas):
        types = network.variable_types(formula.sentence)
        for bindings in plus_choices(formula, types, domain):
            clauses += _clauses(formula, number, bindings, types, domain, whole)
    for declaration in network.declarations:
        for formula in _exclusive(declaration, domain):
            clauses += _clauses(formula, -1, {}, network.variable_types(formula.sentence), domain)
    return tuple(clauses)


def plus_choices(formula: Formula, types: Mapping[Variable, str], domain: Domain) -> Iterator[dict[Variable, Constant]]:
    """The choices of constants for the ``+`` variables of a formula; without such variables there is one."""
    listed = [domain.constants[types[variable]] for variable in formula.plus]
    choices = math.prod(map(len, listed))
    if choices > MAX_CHOICES:
        raise QueryError(
            f"{shortened(formula)} stands for {choices:,} formulas, and {MAX_CHOICES:,} are possible; "
            "take a '+' away, or take fewer constants"
        )
    for choice in product(*listed):
        yield {v: Constant(name) for v, name in zip(formula.plus, choice, strict=True)}


# A literal of a clause that may still hold equalities: an atom or an equality, and whether it is positive.
_Part = tuple[Atom | Equal, bool]
_Disjunction = tuple[_Part, ...]


def _clauses(
    formula: Formula,
    number: int,
    bindings: Mapping[Variable, Term],
    types: dict[Variable, str],
    domain: Domain,
    whole: bool = False,
) -> Iterator[WeightedClause]:
    whole = whole and not formula.is_hard
    expansion = _Expansion(dict(types), domain, whole)
    disjunctions = expansion.disjunctions(formula.sentence, bindings, True)
    weight = 0.0 if formula.weight is None else formula.weight
    units = [disjunction for disjunction in disjunctions if len(disjunction) == 1]
    if whole and len(units) < len(disjunctions):
        shares = [(disjunction, weight) for disjunction in expansion.disjoint(disjunctions)]
    elif len(units) > 1 and not formula.is_hard:
        together = _unrepeated((atom, not positive) for ((atom, positive),) in units)
        rest = [disjunction for disjunction in disjunctions if len(disjunction) != 1]
        share = weight / (len(rest) + 1)
        shares = [*((disjunction, share) for disjunction in rest), (together, -share)]
    else:
        shares = [(disjunction, weight / len(disjunctions)) for disjunction in disjunctions]
    # A whole formula counts for each choice of its variables, so each of its clauses does, whatever it lacks.
    free = [term for disjunction in disjunctions for atom, _ in disjunction for term in _terms(atom)] if whole else []
    for disjunction, share in shares:
        yield _weighted(disjunction, share, expansion.types, number, free)


@dataclass(slots=True)
class _Expansion:
    """One formula on its way to clauses; ``types`` grows with the variables that quantifiers bring in."""

    types: dict[Variable, str]
    domain: Domain
    whole: bool = False
    """Are quantified variables all replaced by constants?"""
    opened: set[Variable] = field(default_factory=set)
    steps: int = 0

    def disjunctions(
        self, sentence: Sentence, bindings: Mapping[Variable, Term], positive: bool
    ) -> tuple[_Disjunction, ...]:
        """The clauses of a sentence, or of its negation, each once."""
        self._check(1)
        match sentence:
            case Atom():
                return (((sentence.substitute(bindings), positive),),)
            case Equal(left, right):
                return (((Equal(_bound(left, bindings), _bound(right, bindings)), positive),),)
            case Not(part):
                return self.disjunctions(part, bindings, not positive)
            case And(parts) | Or(parts):
                made = [self.disjunctions(part, bindings, positive) for part in parts]
                return self._all(made) if isinstance(sentence, And) == positive else self._any(made)
            case Implies(left, right):
                return self.disjunctions(Or((Not(left), right)), bindings, positive)
            case Iff(left, right):
                # Of the two clausal forms of a negated equivalence, the one with as few clauses as the other.
                both = Or((Not(left), right)), Or((left, Not(right)))
                apart = Or((left, right)), Or((Not(left), Not(right)))
                return self.disjunctions(And(both if positive else apart), bindings, True)
            case Exists(variables, part) | Forall(variables, part):
                conjunction = isinstance(sentence, Forall) == positive
                if conjunction and not self.whole:
                    return self.disjunctions(part, {**bindings, **self._renamed(variables)}, positive)
                choices = product(*(self.domain.constants[self.types[variable]] for variable in variables))
                made = []
                for choice in choices:
                    chosen = {v: Constant(name) for v, name in zip(variables, choice, strict=True)}
                    made.append(self.disjunctions(part, {**bindings, **chosen}, positive))
                return self._all(made) if conjunction else self._any(made)

    def disjoint(self, disjunctions: Iterable[_Disjunction]) -> tuple[_Disjunction, ...]:
        """Clauses of which a world breaks one if it breaks any of these, and else none."""
        found: list[_Disjunction] = []
        earlier: list[_Disjunction] = []
        for disjunction in disjunctions:
            # What breaks this one and keeps those before: a clause for each way to keep them.
            ways = [disjunction]
            for kept in earlier:
                ways = [way for some in ways for way in _keeping(some, kept)]
                self._check(len(ways))
            found += ways
            earlier.append(disjunction)
        self._check(len(found))
        return tuple(found)

    def _renamed(self, variables: tuple[Variable, ...]) -> dict[Variable, Variable]:
        """New names from the second time on: each alternative that the part stands in has variables of its own."""
        names = {}
        for variable in variables:
            fresh = variable
            while fresh in self.opened:
                fresh = Variable(fresh.name + "_")
            self.opened.add(fresh)
            self.types[fresh] = self.types[variable]
            names[variable] = fresh
        return names

    def _all(self, parts: Iterable[tuple[_Disjunction, ...]]) -> tuple[_Disjunction, ...]:
        kept = {frozenset(disjunction): disjunction for part in parts for disjunction in part}
        self._check(len(kept))
        return tuple(kept.values())

    def _any(self, parts: list[tuple[_Disjunction, ...]]) -> tuple[_Disjunction, ...]:
        self._check(math.prod(map(len, parts)))
        kept: dict[frozenset[_Part], _Disjunction] = {}
        for choice in product(*parts):
            merged = _unrepeated(part for disjunction in choice for part in disjunction)
            kept.setdefault(frozenset(merged), merged)
        return tuple(kept.values())

    def _check(self, clauses: int) -> None:
        """Go on only if this many clauses, and the steps to them, are within the limits."""
        self.steps += clauses
        if clauses > MAX_CLAUSES or self.steps > MAX_STEPS:
            raise QueryError(
                f"a formula becomes more than {MAX_CLAUSES:,} clauses here, or too many on the way; simplify it, or "
                "take fewer constants"
            )


def _keeping(broken: _Disjunction, kept: _Disjunction) -> Iterator[_Disjunction]:
    """The clauses that are broken, one at a time, where a clause is broken and another is kept.

    The other is kept by its first literal that is true: so what is before it is false, and part of the clause.
    """
    false = set(broken)
    if any((atom, not positive) in false for atom, positive in kept):
        yield broken
        return
    before = broken
    for atom, positive in kept:
        if (atom, positive) not in false:
            yield (*before, (atom, not positive))
            before = (*before, (atom, positive))


def _unrepeated(parts: Iterable[_Part]) -> _Disjunction:
    return tuple(dict.fromkeys(parts))


def _bound(term: Term, bindings: Mapping[Variable, Term]) -> Term:
    return bindings.get(term, term) if isinstance(term, Variable) else term


def _weighted(
    disjunction: _Disjunction, weight: float, types: Mapping[Variable, str], number: int, free: Iterable[Term]
) -> WeightedClause:
    literals = [Literal(atom, positive) for atom, positive in disjunction if isinstance(atom, Atom)]
    pairs = [((atom.left, atom.right), positive) for atom, positive in disjunction if isinstance(atom, Equal)]
    terms = [*(term for atom, _ in disjunction for term in _terms(atom)), *free]
    return WeightedClause(
        Clause.of(literals),
        weight,
        tuple((term, types[term]) for term in dict.fromkeys(terms) if isinstance(term, Variable)),
        tuple(pair for pair, positive in pairs if positive),
        tuple(pair for pair, positive in pairs if not positive),
        number,
    )


def _terms(atom: Atom | Equal) -> tuple[Term, ...]:
    return atom.arguments if isinstance(atom, Atom) else (atom.left, atom.right)


def _exclusive(declaration: Declaration, domain: Domain) -> Iterator[Formula]:
    """The hard formulas that ``!`` in a declaration stands for."""
    marked = declaration.exclusive
    if not marked or not all(domain.shapes[declaration.predicate][place] for place in marked):
        return
    predicate = declaration.predicate
    first = tuple(Variable(f"X{place}") for place in range(predicate.arity))
    second = tuple(Variable(f"Y{place}") if place in marked else v for place, v in enumerate(first))
    yield Formula(Exists(tuple(first[place] for place in marked), Atom(predicate, first)), math.inf)
    same = And(tuple(Equal(first[place], second[place]) for place in marked))
    yield Formula(Or((Not(Atom(predicate, first)), Not(Atom(predicate, second)), same)), math.inf)
