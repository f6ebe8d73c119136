"""possilog learns readable, weighted logical theories from relational facts, predicts with them, and says why.

What is listed here is the public surface; ``docs/python.md`` says what it is for. It is imported when it is first used,
so that ``import possilog`` is quick. Type checkers read the same names in ``__init__.pyi``.
"""

from importlib import import_module as _import_module

_NAMES_OF = {
    "possilog.data": "Database Evidence Schema from_frames from_graph infer_types load read read_evidence schema "
    "to_frames write",
    "possilog.errors": "DataWarning PossilogError",
    "possilog.inference": "Check Conclusion Difference Fragments Global Local Prediction Reasoner Why WhyNot Words "
    "ask check predict predict_many read_words tell",
    "possilog.learning": "Learned Settings TheoryLearner Weighing learn weigh",
    "possilog.logic": "Atom Clause Constant Literal Predicate Provenance Query Rule Stratum Theory Variable Weight "
    "parse_atom parse_clause parse_query parse_rule parse_theory read_theory write_theory",
    "possilog.matching": "Matcher",
    "possilog.report": "Converted Portrait TheoryDifference compare_theories convert portray write_report",
    "possilog.structure": "Mined find_hard_rules find_rules mine",
    "possilog.workers": "Cluster",
}
_HOME_OF = {name: home for home, names in _NAMES_OF.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOME_OF)]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("possilog")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'possilog' has no attribute {name!r}")
    return getattr(_import_module(_HOME_OF[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
