"""What is learned of universities with planted rules, and of the paper's data."""

from __future__ import annotations

from dataclasses import replace

import pytest

from budget import size
from possilog import learn
from possilog.data import read
from possilog.data.generate import university
from possilog.entailment import entails
from possilog.learning.settings import settings_for
from possilog.logic import (
    Clause,
    parse_clause,
)
from shared import shared_data


def planted_and_missed(seed: int) -> list[str]:
    """What is amiss: planted rules that no cut entails, and rules that cannot hold where the planted hard rules do."""
    made = university(seed=seed)
    settings = settings_for(made.database)
    found = learn(made.database, settings=settings if size() == "thorough" else replace(settings, splits=1))
    clauses = [rule.clause for rule in found.theory]
    missing = [rule.name for rule in made.soft if rule.reliability >= 0.8 and not entails(clauses, rule.clause)]
    definite = [clause for clause in clauses if clause.is_definite]
    return missing + [str(c) for c in definite if entails(made.hard, Clause((), (*c.body, *c.head)))]


@pytest.mark.slow
def test_planted_rules_are_found() -> None:
    """In 18 of 20 universities: by chance a rule may hold so much less often that it does not pay."""
    seeds = 20 if size() == "thorough" else 1
    missed = {seed: said for seed in range(seeds) if (said := planted_and_missed(seed))}
    assert len(missed) <= seeds // 10, missed


@pytest.mark.slow
def test_uwcse_by_likelihood() -> None:
    train = read(shared_data("uwcse") / "paper" / "train.db")
    body = None if size() == "thorough" else 1  # longer bodies take 15 times as long, and gain 1 %
    found = learn(train, preset="uwcse", objective="likelihood", max_rules=18, body=body)
    assert found.weighing is not None
    assert len(found.theory.soft) <= 18
    assert found.weighing.fit.log_likelihood > -60_000_000  # the authors' theory: -85,554,279.19


@pytest.mark.slow
def test_uwcse_by_prediction() -> None:
    """The rules of the notes on the paper, and nowhere on the held-out parts do they lose."""
    train = read(shared_data("uwcse") / "paper" / "train.db")
    settings = settings_for(train, preset="uwcse")
    found = learn(train, settings=settings if size() == "thorough" else replace(settings, splits=1))
    assert len(found.hard.all) == len(found.theory.hard) == 116
    assert found.measurement is not None
    assert all(row.added > 0 for row in found.measurement.table)
    expected = [
        "Faculty(A) :- AdvisedBy(B, A).",
        "PreQuals(A) :- TempAdvisedBy(A, B).",
        "Student(A) :- Publication(B, A).",
    ]
    assert set(map(parse_clause, expected)) <= {rule.clause for rule in found.theory.ranked}
    assert found.weighing is not None
    assert found.weighing.fit.log_likelihood > -85_554_279.19


@pytest.mark.slow
def test_yeast_needs_no_soft_rule() -> None:
    found = learn(read(shared_data("yeast") / "paper" / "train.db"), preset="yeast")
    assert len(found.hard.all) == len(found.theory.hard) == 112
    assert found.theory.soft == ()
    assert found.measurement is not None
    assert found.measurement.reason.endswith("so the hard rules stand alone")
