"""The language: predicates, atoms, clauses, rules and theories as frozen data, with their text form.

``str`` writes whatever ``parse_*`` reads; the two are inverse.
"""

from possilog.logic.atoms import Atom, Constant, Literal, Predicate, Term, Variable, variables_of
from possilog.logic.canonical_forms import canonical, isomorphic, wl_hash
from possilog.logic.clauses import Clause, Query
from possilog.logic.declared import NOTHING_DECLARED, Declared
from possilog.logic.files import read_theory, write_theory
from possilog.logic.mapping import Becomes, MappedColumn, MappedTable, TableMapping
from possilog.logic.measures import HeldOut, Judged, Measured, Measures, Precision
from possilog.logic.parsing import parse_atom, parse_clause, parse_query, parse_rule, parse_theory
from possilog.logic.poss import parse_poss
from possilog.logic.provenance import Provenance
from possilog.logic.subsumption import subsumes
from possilog.logic.theory import DEMOTED, Keep, Rule, Stratum, Theory
from possilog.logic.thresholds import BuiltIn, Nearness, Precedence, Threshold
from possilog.logic.types import Types
from possilog.logic.vocabulary import in_vocabulary, misspelt, read_as
from possilog.logic.weights import CERTAIN, Weight

__all__ = [
    "CERTAIN",
    "DEMOTED",
    "NOTHING_DECLARED",
    "Atom",
    "Becomes",
    "BuiltIn",
    "Clause",
    "Constant",
    "Declared",
    "HeldOut",
    "Judged",
    "Keep",
    "Literal",
    "MappedColumn",
    "MappedTable",
    "Measured",
    "Measures",
    "Nearness",
    "Precedence",
    "Precision",
    "Predicate",
    "Provenance",
    "Query",
    "Rule",
    "Stratum",
    "TableMapping",
    "Term",
    "Theory",
    "Threshold",
    "Types",
    "Variable",
    "Weight",
    "canonical",
    "in_vocabulary",
    "isomorphic",
    "misspelt",
    "parse_atom",
    "parse_clause",
    "parse_poss",
    "parse_query",
    "parse_rule",
    "parse_theory",
    "read_as",
    "read_theory",
    "subsumes",
    "variables_of",
    "wl_hash",
    "write_theory",
]
