"""Relational marginals: the distribution of small fragments of the data, and its exact encoding as a theory.

Sections Relational Marginals and Possibilistic Logic Encoding of the paper, Definitions 1 to 5.
"""

from possilog.marginals.distribution import IsomorphismClass, RelationalMarginal, relational_marginal
from possilog.marginals.encoding import encode_marginal, formula_of
from possilog.marginals.exact import DoubtfulClause, ExactTheory
from possilog.marginals.local import LocalExample, isomorphic_facts, local_examples
from possilog.marginals.sampling import sample
from possilog.marginals.tree import DensityTree, Leaf, density_tree
from possilog.marginals.worlds import isomorphism_classes

__all__ = [
    "DensityTree",
    "DoubtfulClause",
    "ExactTheory",
    "IsomorphismClass",
    "Leaf",
    "LocalExample",
    "RelationalMarginal",
    "density_tree",
    "encode_marginal",
    "formula_of",
    "isomorphic_facts",
    "isomorphism_classes",
    "local_examples",
    "relational_marginal",
    "sample",
]
