"""A theory, ready for questions."""

from __future__ import annotations

from collections.abc import Iterable

from possilog.data import Database
from possilog.errors import QueryError
from possilog.inference.evidence import Evidence
from possilog.inference.horn import JOINT, HornTheory
from possilog.inference.prediction import Prediction
from possilog.logic import Atom, Literal, Theory

__all__ = ["INFERENCES", "Reasoner", "predict"]

INFERENCES = ("global", "fragment", "local")

Given = Evidence | Database | Iterable[Atom | Literal]
"""The forms in which evidence may be given."""


class Reasoner:
    """A theory, laid out once for any number of questions."""

    def __init__(self, theory: Theory) -> None:
        """Take a theory."""
        self.theory = theory
        self.horn = HornTheory(theory)

    def predict(
        self, evidence: Given, inference: str = "local", *, on_conflict: str | None = None, joint: str = "bar"
    ) -> Prediction:
        """What the theory says about evidence.

        ``on_conflict`` says what to do where the evidence itself breaks hard rules: ``report`` predicts nothing beyond
        the evidence, ``repair`` sets aside the ground rules that it breaks; local inference repairs by default, the
        others report. ``joint`` says how local inference settles conflicts within a stratum, ``bar`` or ``fewest``.
        """
        _check("inference", inference, INFERENCES)
        _check("joint", joint, JOINT)
        _check("on_conflict", on_conflict, (None, "report", "repair"))
        given = Evidence.taken(evidence)
        repair = (on_conflict or ("repair" if inference == "local" else "report")) == "repair"
        if inference == "local":
            return self.horn.local(given, repair=repair, joint=joint)
        return self.horn.cut(given, repair=repair)


def predict(theory: Theory, evidence: Given, inference: str = "local") -> Prediction:
    """What a theory says about evidence; a Reasoner answers many such questions faster."""
    return Reasoner(theory).predict(evidence, inference)


def _check(name: str, value: object, choices: Iterable[object]) -> None:
    if value not in choices:
        known = ", ".join(str(choice) for choice in choices if choice is not None)
        raise QueryError(f"{name} is {value!r}, and it can be one of: {known}")
