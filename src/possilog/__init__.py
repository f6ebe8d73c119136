"""possilog learns readable, weighted logical theories from relational facts, predicts with them, and says why.

What is listed here is the public surface. It is imported when it is first used, so that ``import possilog`` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from possilog.data import (
        Database,
        Evidence,
        Schema,
        from_frames,
        infer_types,
        read,
        read_evidence,
        schema,
        to_frames,
        write,
    )
    from possilog.errors import DataWarning, PossilogError
    from possilog.inference import (
        Check,
        Core,
        Difference,
        Explainer,
        Fragments,
        Global,
        Local,
        Prediction,
        Proof,
        Reasoner,
        Why,
        WhyNot,
        Words,
        check,
        parse_words,
        predict,
        read_words,
        tell,
    )
    from possilog.learning import Learned, TheoryLearner, Weighing, learn, weigh
    from possilog.logic import (
        Atom,
        Clause,
        Literal,
        Predicate,
        Provenance,
        Query,
        Rule,
        Theory,
        Weight,
        parse_atom,
        parse_clause,
        parse_query,
        parse_rule,
        parse_theory,
        read_theory,
        write_theory,
    )
    from possilog.matching import Matcher

_HOMES = {
    "possilog.data": "Database Evidence Schema from_frames infer_types read read_evidence schema to_frames write",
    "possilog.errors": "DataWarning PossilogError",
    "possilog.inference": "Check Core Difference Explainer Fragments Global Local Prediction Proof Reasoner Why WhyNot "
    "Words check parse_words predict read_words tell",
    "possilog.learning": "Learned TheoryLearner Weighing learn weigh",
    "possilog.logic": "Atom Clause Literal Predicate Provenance Query Rule Theory Weight parse_atom parse_clause "
    "parse_query parse_rule parse_theory read_theory write_theory",
    "possilog.matching": "Matcher",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Atom",
    "Check",
    "Clause",
    "Core",
    "DataWarning",
    "Database",
    "Difference",
    "Evidence",
    "Explainer",
    "Fragments",
    "Global",
    "Learned",
    "Literal",
    "Local",
    "Matcher",
    "PossilogError",
    "Predicate",
    "Prediction",
    "Proof",
    "Provenance",
    "Query",
    "Reasoner",
    "Rule",
    "Schema",
    "Theory",
    "TheoryLearner",
    "Weighing",
    "Weight",
    "Why",
    "WhyNot",
    "Words",
    "check",
    "from_frames",
    "infer_types",
    "learn",
    "parse_atom",
    "parse_clause",
    "parse_query",
    "parse_rule",
    "parse_theory",
    "parse_words",
    "predict",
    "read",
    "read_evidence",
    "read_theory",
    "read_words",
    "schema",
    "tell",
    "to_frames",
    "weigh",
    "write",
    "write_theory",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'possilog' has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
