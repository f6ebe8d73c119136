"""Thousands of tiny counting problems with their answers by definition: seeded, cheap, and the same for every method.

The definitions here share no code with the methods: clauses are tried on all choices of distinct constants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, permutations, product
from math import comb
from random import Random

from budget import budget
from possilog.counting.worlds.formula import GroundFormula
from possilog.data import Database
from possilog.logic import Atom, Clause, Constant, Predicate, Term, Variable

N, P, Q = Predicate("n", 0), Predicate("p", 1), Predicate("q", 1)
R, S, T = Predicate("r", 2), Predicate("s", 2), Predicate("t", 3)

Choice = tuple[int, ...]
"""Constants, by their numbers."""

EPSILON, DELTA = 3.0, 0.2
"""Of estimates."""

INSTANCES = 2_000
"""So many for each method, the issue says."""


def random_clause(random: Random, predicates: Sequence[Predicate]) -> Clause:
    """A few literals in the head and in the body; not ⊥, which would make everything trivial."""
    variables = random.choice(("X", "XY", "XY", "XYZ", "XYZ"))
    while True:
        head, body = (
            tuple(_random_atom(random, predicates, variables) for _ in range(random.choice(sizes)))
            for sizes in ((0, 0, 1, 1, 1, 2), (0, 1, 1, 2, 2, 2))
        )
        if head or body:
            return Clause(head, body)


def _random_atom(random: Random, predicates: Sequence[Predicate], variables: str) -> Atom:
    predicate = random.choice(predicates)
    return Atom(predicate, tuple(Variable(random.choice(variables)) for _ in range(predicate.arity)))


def _choices(clause: Clause, constants: int) -> Iterator[dict[Term, int]]:
    """Distinct constants for the variables of a clause, in all ways."""
    for chosen in permutations(range(constants), len(clause.variables)):
        yield dict(zip(clause.variables, chosen, strict=True))


def _chosen(atom: Atom, value: dict[Term, int]) -> tuple[Predicate, Choice]:
    return atom.predicate, tuple(value[term] for term in atom.arguments)


def violating_images(clause: Clause, facts: set[tuple[Predicate, Choice]], constants: int) -> set[frozenset[int]]:
    """The sets of constants with which the body holds, and no atom of the head."""
    return {
        frozenset(value.values())
        for value in _choices(clause, constants)
        if all(_chosen(atom, value) in facts for atom in clause.body)
        and not any(_chosen(atom, value) in facts for atom in clause.head)
    }


# Subsets


@dataclass(frozen=True)
class Subsets:
    """Facts, rules and a width, and for each k-subset the rules that it violates, a bit for each."""

    seed: int
    database: Database
    rules: list[Clause]
    width: int
    truth: dict[Choice, int]

    @property
    def table(self) -> dict[int, int]:
        """For each set of rules, how many k-subsets violate just these."""
        return dict(Counter(self.truth.values()))

    @property
    def violating(self) -> set[Choice]:
        """The k-subsets that violate some rule."""
        return {subset for subset, rules in self.truth.items() if rules}

    @property
    def satisfying(self) -> int:
        """How many k-subsets satisfy all rules."""
        return len(self.truth) - len(self.violating)


@cache
def subsets(number: int = budget(INSTANCES)) -> list[Subsets]:
    """Problems with three to eight constants. In three of four, some k-subsets violate a rule and some do not."""
    listed = []
    for seed in range(number):
        random = Random(seed)
        instance = _subsets(random, seed)
        while seed % 4 and not 0 < instance.satisfying < len(instance.truth):
            instance = _subsets(random, seed)
        listed.append(instance)
    return listed


def _subsets(random: Random, seed: int) -> Subsets:
    constants, width = random.randint(3, 8), random.choice((0, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4))
    names = [f"c{number}" for number in range(constants)]
    predicates = random.choice(((P, R), (P, Q, R), (P, R, R, S), (R, R, T), (N, P, R)))
    facts = [_random_fact(random, predicates, constants) for _ in range(random.choice((3, 8, 16)))]
    atoms = [Atom(p, tuple(Constant(names[number]) for number in chosen)) for p, chosen in facts]
    database = Database.of(atoms, constants=names)
    rules = [random_clause(random, predicates) for _ in range(random.choice((1, 1, 2, 3)))]
    images = [violating_images(rule, set(facts), constants) for rule in rules]
    truth = {
        subset: sum(1 << place for place, listed in enumerate(images) if any(i.issubset(subset) for i in listed))
        for subset in combinations(range(constants), width)
    }
    assert len(truth) == comb(constants, width)
    return Subsets(seed, database, rules, width, truth)


def _random_fact(random: Random, predicates: Sequence[Predicate], constants: int) -> tuple[Predicate, Choice]:
    predicate = random.choice(predicates)
    return predicate, tuple(random.randrange(constants) for _ in range(predicate.arity))


# Worlds


@dataclass(frozen=True)
class WorldsOver:
    """A vocabulary, a width and clauses, and for each set of clauses how many worlds violate just these."""

    seed: int
    predicates: tuple[Predicate, ...]
    width: int
    clauses: tuple[Clause, ...]
    table: dict[int, int]

    @property
    def satisfying(self) -> int:
        """How many worlds satisfy all clauses."""
        return self.table.get(0, 0)


VOCABULARIES = [
    ((P, R), 2),
    ((P, R), 2),
    ((P, Q), 3),
    ((R, N), 2),
    ((P, Q, N), 1),
    ((P, Q), 2),
    ((N, P, Q, R), 2),
    ((R,), 3),
]
"""At most 64 worlds, and up to 512 for the last two, which every third problem is about."""


@cache
def worlds(number: int = budget(INSTANCES)) -> list[WorldsOver]:
    """Problems with so few atoms that all worlds can be looked at."""
    return [_worlds(seed) for seed in range(number)]


def _worlds(seed: int) -> WorldsOver:
    random = Random(seed)
    predicates, width = VOCABULARIES[-1 - seed // 3 % 2] if seed % 3 == 0 else random.choice(VOCABULARIES[:-2])
    clauses = tuple(random_clause(random, predicates) for _ in range(random.randint(0, 4)))
    return WorldsOver(seed, predicates, width, clauses, _table(predicates, width, clauses))


def _table(predicates: Sequence[Predicate], width: int, clauses: Sequence[Clause]) -> dict[int, int]:
    atoms = [(p, chosen) for p in predicates for chosen in product(range(width), repeat=p.arity)]
    bit = {atom: 1 << place for place, atom in enumerate(atoms)}
    ground = [list(_ground(clause, width, bit)) for clause in clauses]
    return dict(
        Counter(
            sum(
                1 << place
                for place, listed in enumerate(ground)
                if any(world & body == body and not world & head for head, body in listed)
            )
            for world in range(1 << len(atoms))
        )
    )


def _ground(clause: Clause, width: int, bit: dict[tuple[Predicate, Choice], int]) -> Iterator[tuple[int, int]]:
    """The head and the body, as sets of atoms, for each choice of distinct constants."""
    for value in _choices(clause, width):
        head, body = (sum({bit[_chosen(atom, value)] for atom in atoms}) for atoms in (clause.head, clause.body))
        yield head, body


def models(formula: GroundFormula) -> int:
    """How many worlds satisfy a ground formula."""
    signs = product([False, True], repeat=formula.atoms)
    return sum(all(any(world[abs(x) - 1] == (x > 0) for x in c) for c in formula.clauses) for world in signs)
