"""Inference on the authors' data with the authors' theory, against reference numbers (the reading notes, 2 and 4)."""

from __future__ import annotations

from math import sqrt
from random import Random
from statistics import mean, stdev

import pytest

from budget import budget
from possilog.data import Database, Evidence, read
from possilog.inference import Global, Prediction, Reasoner
from possilog.logic import Theory, read_theory
from shared import shared_data

SETS = budget(30)

ERRORS = {10: 822.2, 50: 764.6, 100: 699.6, 200: 586.6, 300: 491.2, 400: 391.4, 600: 204.8}
"""Of the global cut, by evidence size: means over 5 evidence sets."""

KEPT = {10: 18.0, 50: 17.4, 100: 17.4, 200: 10.6, 300: 2.4, 400: 2.2, 600: 0.0}
"""The strata that it keeps."""

GAINS = {100: 35.3, 250: 58.6, 400: 57.6, 600: 37.8}
"""Of local inference: how much smaller its error is than that of the evidence alone; means over 20 sets."""


@pytest.fixture(scope="module")
def theory() -> Theory:
    return read_theory(shared_data("uwcse/ijcai17/uwcse.poss"))


@pytest.fixture(scope="module")
def truth() -> Database:
    return read(shared_data("uwcse/ijcai17/test.db"))


def error(prediction: Prediction, truth: Database) -> int:
    """The size of the symmetric difference."""
    return len({conclusion.atom for conclusion in prediction} ^ set(truth))


def evidence_sets(truth: Database, size: int) -> list[Evidence]:
    atoms = list(truth)
    return [Evidence.of(Random(seed).sample(atoms, size)) for seed in range(SETS)]


def agrees(found: list[float], reference: float, sets: int) -> bool:
    """Is the mean within three standard errors of a mean over so many sets?"""
    deviation = max(stdev(found), 1.0)
    return abs(mean(found) - reference) <= 3 * deviation * sqrt(1 / len(found) + 1 / sets)


@pytest.mark.parametrize("size", list(ERRORS))
def test_the_global_cut_has_the_reference_errors(theory: Theory, truth: Database, size: int) -> None:
    reasoner, hard_only = Reasoner(theory), Reasoner(Theory(theory.hard))
    errors, kept = [], []
    for evidence in evidence_sets(truth, size):
        prediction = reasoner.predict(evidence, "global")
        kept.append(float(prediction.strata_kept))
        if not prediction.consistent:  # then the closure under the definite hard rules is the prediction
            prediction = hard_only.predict(evidence, Global(repair=True))
        errors.append(float(error(prediction, truth)))
    assert agrees(errors, ERRORS[size], 5), mean(errors)
    assert agrees(kept, KEPT[size], 5), mean(kept)


@pytest.mark.parametrize("size", list(GAINS))
def test_local_inference_gains_what_it_should(theory: Theory, truth: Database, size: int) -> None:
    reasoner = Reasoner(theory)
    gains = [
        float(len(truth) - size - error(reasoner.predict(evidence), truth)) for evidence in evidence_sets(truth, size)
    ]
    assert agrees(gains, GAINS[size], 20), mean(gains)
