"""Density-estimation trees for width 1, the propositional case.

The exception that the paper makes in section Possibilistic Logic Encoding: mutually exclusive formulas are of use
there, as in Kuželka, Davis and Schockaert, Interpretable Encoding of Densities Using Possibilistic Logic (ECAI 2016).
The trees are those of Ram and Gray, Density Estimation Trees (KDD 2011), with likelihood in the place of squared error.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, log2

from possilog.data import Database
from possilog.errors import QueryError
from possilog.logic import Atom, Clause, Literal, Predicate
from possilog.marginals.distribution import relational_marginal
from possilog.marginals.exact import DoubtfulClause, ExactTheory
from possilog.marginals.local import lifted
from possilog.marginals.worlds import local_atoms

__all__ = ["DensityTree", "Leaf", "density_tree"]

ExampleCounts = Mapping[frozenset[Atom], int]
"""How many constants of the data have a world of width 1."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A conjunction of literals about one thing, and how many examples and worlds of width 1 satisfy it."""

    literals: tuple[Literal, ...]
    examples: int
    worlds: int


@dataclass(frozen=True, slots=True)
class DensityTree:
    """A distribution over the worlds of width 1 that is uniform inside each leaf. Exactly one leaf holds in a world."""

    predicates: tuple[Predicate, ...]
    leaves: tuple[Leaf, ...]

    @property
    def examples(self) -> int:
        """How many constants the tree was learned from."""
        return sum(leaf.examples for leaf in self.leaves)

    @property
    def log_likelihood(self) -> float:
        """Of the data that the tree was learned from."""
        total = self.examples
        occupied = (leaf for leaf in self.leaves if leaf.examples)
        # There may be more worlds than a float can count, so their logarithm is taken by itself.
        return sum(leaf.examples * (log(leaf.examples / total) - log(leaf.worlds)) for leaf in occupied)

    @property
    def exact(self) -> ExactTheory:
        """The tree as a theory: a leaf with the share p of the examples and m worlds becomes (¬leaf, 1 - p/m).

        Every world of width 1 breaks exactly one of the clauses.
        """
        total = self.examples
        formulas = (
            DoubtfulClause(_negation(leaf.literals), Fraction(leaf.examples, total * leaf.worlds))
            for leaf in self.leaves
        )
        return ExactTheory(1, self.predicates, tuple(formulas))

    @property
    def shortened(self) -> ExactTheory:
        """A theory with the same π whose clauses are short, so that it can be read. They need not exclude each other.

        A clause may break further worlds, as long as these are no more probable than those of its leaf.
        """
        exact = self.exact
        literals = [frozenset(leaf.literals) for leaf in self.leaves]
        doubts = [formula.doubt for formula in exact.formulas]
        # Where leaves are cut down to the same clause, they are equally probable.
        short: dict[Clause, Fraction] = {}
        for leaf, doubt in zip(self.leaves, doubts, strict=True):
            denser = [others for others, other in zip(literals, doubts, strict=True) if other > doubt]
            short[_negation(_apart(leaf.literals, denser))] = doubt
        formulas = tuple(DoubtfulClause(clause, doubt) for clause, doubt in short.items())
        return ExactTheory(1, self.predicates, formulas)


def density_tree(
    database: Database, *, min_leaf: int = 5, min_gain: float = 0.0, empty_leaves: bool = True
) -> DensityTree:
    """Grow a density-estimation tree from what the data says about each constant by itself.

    A leaf is split by the atom that gains most likelihood, as long as that is more than ``min_gain`` bits for the
    data as a whole and both sides keep ``min_leaf`` examples. With ``empty_leaves`` a side may also have none: it
    becomes a hard rule. Atoms are p(A) for unary predicates, r(A, A) for others, and those without arguments.

    >>> from possilog.logic import parse_atom
    >>> facts = [f"{kind}({kind}{number})" for kind, count in [("cat", 6), ("dog", 2)] for number in range(count)]
    >>> tree = density_tree(Database.of(map(parse_atom, facts)), min_leaf=2)
    >>> print(tree.shortened.theory())
    % hard rules
    :- cat(A), dog(A).
    cat(A) ; dog(A).
    <BLANKLINE>
    % a world that breaks this rule has probability at most 0.25
    0.75 :: :- dog(A).
    <BLANKLINE>
    % ⊥: no world has a probability above 0.75
    0.25 :: false.
    <BLANKLINE>
    """
    if min_leaf < 1:
        raise QueryError(f"a leaf of at least {min_leaf} examples was asked for; ask for 1 or more")
    marginal = relational_marginal(database, 1, limit=len(database.constants))
    counts = {found.example.atoms: found.subsets for found in marginal.classes}
    leaves = []
    waiting: list[tuple[tuple[Literal, ...], ExampleCounts, tuple[Atom, ...]]] = [
        ((), counts, tuple(local_atoms(marginal.predicates, 1)))
    ]
    while waiting:
        path, inside, free = waiting.pop()
        atom = _best_split(inside, free, min_leaf, min_gain, empty_leaves)
        if atom is None:
            leaves.append(Leaf(path, sum(inside.values()), 1 << len(free)))
            continue
        rest = tuple(other for other in free if other != atom)
        for holds in (False, True):
            side = {world: number for world, number in inside.items() if (atom in world) == holds}
            waiting.append(((*path, Literal(lifted(atom), holds)), side, rest))
    return DensityTree(marginal.predicates, tuple(leaves))


def _best_split(
    counts: ExampleCounts, atoms: Sequence[Atom], min_leaf: int, min_gain: float, empty_leaves: bool
) -> Atom | None:
    """The first of the atoms that gain most, among those that leave enough on either side; None where none gains."""
    total = sum(counts.values())
    best, most = None, min_gain
    for atom in atoms:
        true = sum(number for world, number in counts.items() if atom in world)
        enough = all(part >= min_leaf or (empty_leaves and part == 0) for part in (true, total - true))
        gain = _gain(true, total - true)
        if enough and gain > most:
            best, most = atom, gain
    return best


def _apart(literals: Sequence[Literal], leaves: Sequence[frozenset[Literal]]) -> list[Literal]:
    """Those of a conjunction's literals that are still needed to contradict each of some leaves."""
    clashes = [{literal for literal in literals if literal.negated in leaf} for leaf in leaves]
    kept = []
    for literal in literals:
        if {literal} in clashes:
            kept.append(literal)
        else:
            for clash in clashes:
                clash.discard(literal)
    return kept


def _negation(conjunction: Iterable[Literal]) -> Clause:
    return Clause.of(literal.negated for literal in conjunction)


def _gain(true: int, false: int) -> float:
    """By how many bits the log-likelihood grows when examples are split so, and their worlds into halves."""
    total = true + false
    return sum(part * log2(2 * part / total) for part in (true, false) if part)
