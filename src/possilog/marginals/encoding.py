"""The exact possibilistic encoding Θ_{Υ,k} of a relational marginal distribution (Definition 5)."""

from __future__ import annotations

from collections.abc import Sequence

from possilog.logic import Clause, Literal, Predicate, Query
from possilog.marginals.distribution import RelationalMarginal
from possilog.marginals.exact import DoubtfulClause, ExactTheory
from possilog.marginals.local import LocalExample, lifted
from possilog.marginals.worlds import MOST_WORLDS, isomorphism_classes, local_atoms

__all__ = ["encode_marginal", "formula_of"]


def formula_of(example: LocalExample, predicates: Sequence[Predicate]) -> Query:
    """The formula α of an isomorphism class: it holds in the class's local examples and in no others of the width.

    The paper speaks of a conjunction of atoms. That would hold in larger examples too, and g_k would be no partition,
    so what is false is said as well.

    >>> from possilog.logic import parse_atom
    >>> print(formula_of(LocalExample.of([parse_atom("sm(1)")], width=2), [Predicate("sm", 1)]))
    sm(A), not sm(B)
    """
    literals = [Literal(lifted(atom), atom in example.atoms) for atom in local_atoms(predicates, example.width)]
    return Query(tuple(sorted(literals, key=lambda literal: not literal.positive)))


def encode_marginal(marginal: RelationalMarginal, *, limit: int = MOST_WORLDS) -> ExactTheory:
    """Θ_{Υ,k} = {(¬α, 1 - P(α)/c(α)) | α ∈ g_k(Υ)} (Definition 5).

    By Proposition 1 its π is P_{Υ,k}. For that, g_k needs a formula for every isomorphism class over the data's
    predicates; those that do not occur become hard rules. So this is for few predicates and small widths: where there
    are more local examples than the limit, a QueryError says so.

    >>> from possilog.data import Database
    >>> from possilog.logic import parse_atom
    >>> from possilog.marginals import relational_marginal
    >>> facts = Database.of(map(parse_atom, ["sm(alice)", "sm(bob)"]), constants=["eve"])
    >>> print(encode_marginal(relational_marginal(facts, 2)).theory(digits=4))
    % hard rules
    sm(A) ; sm(B).
    <BLANKLINE>
    % a world that breaks one of these rules has probability at most 0.334
    0.6667 :: sm(B) :- sm(A).
    0.6667 :: :- sm(A), sm(B).
    <BLANKLINE>
    % ⊥: no world has a probability above 0.334
    0.6667 :: false.
    <BLANKLINE>
    """
    occurring = [found.example for found in marginal.classes]
    known = set(occurring)
    others = [e for e in isomorphism_classes(marginal.predicates, marginal.width, limit=limit) if e not in known]
    # All local examples of a class are equally probable, so P(α)/c(α) is the probability of any one of them.
    formulas = (
        DoubtfulClause(_negation(formula_of(example, marginal.predicates)), marginal.probability(example))
        for example in [*occurring, *others]
    )
    return ExactTheory(marginal.width, marginal.predicates, tuple(formulas))


def _negation(query: Query) -> Clause:
    return Clause.of(literal.negated for literal in query.literals)
