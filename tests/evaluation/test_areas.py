"""Areas under curves: against scikit-learn, and with everything else as evidence."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog import Database
from possilog.data.taking import facts_of
from possilog.evaluation.ranking import area_under_curve, rank_predicates, roc_area
from possilog.logic import Predicate, parse_theory

GROUPS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=6)


def spread(groups: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Each atom's truth and score."""
    truth, scores = [], []
    for place, (true, false) in enumerate(groups):
        truth += [1] * true + [0] * false
        scores += [-place] * (true + false)
    return truth, scores


@given(GROUPS.filter(lambda groups: all(any(group[side] for group in groups) for side in (0, 1))))
@settings(max_examples=budget(100, least=50))
def test_the_roc_area_is_that_of_scikit_learn(groups: list[tuple[int, int]]) -> None:
    from sklearn.metrics import roc_auc_score

    truth, scores = spread(groups)
    assert roc_area(groups) == pytest.approx(roc_auc_score(truth, scores))


# Between two points of the curve, precision is interpolated here, and taken from the later one there.
def test_many_groups_come_close_to_average_precision() -> None:
    from sklearn.metrics import average_precision_score

    rng = np.random.default_rng(0)
    groups = [(1, 0) if rng.random() < 0.5 else (0, 1) for _ in range(2_000)]
    assert area_under_curve(groups) == pytest.approx(average_precision_score(*spread(groups)), abs=0.005)


def test_one_predicate_is_hidden_and_all_well_typed_atoms_are_ranked() -> None:
    theory = parse_theory("0.9 :: boss(X) :- leads(X, Y). :- boss(X), young(X).")
    test = facts_of(["leads(ann, t1)", "leads(bob, t2)", "young(bob)", "boss(ann)", "boss(eve)"])
    found = rank_predicates(theory, test, [Predicate("boss", 1)]).predicates[Predicate("boss", 1)]
    # ann is concluded; bob is refuted; nothing is said of eve; teams are of another type.
    assert found.groups == ((1, 0), (1, 1))


def test_what_is_known_is_not_asked_for_and_validation_facts_are_not_seen() -> None:
    boss, theory = Predicate("boss", 1), parse_theory("0.9 :: boss(X) :- leads(X, Y).")
    test = facts_of(["leads(ann, t1)", "leads(bob, t2)", "leads(kim, t3)", "boss(ann)", "boss(eve)", "boss(ida)"])
    train, valid = facts_of(["boss(eve)", "leads(ida, t9)"]), facts_of(["boss(bob)", "leads(eve, t4)"])

    def groups(train: Database | None = None, valid: Database | None = None) -> tuple[tuple[int, int], ...]:
        return rank_predicates(theory, test, [boss], train, valid=valid).predicates[boss].groups

    assert groups() == ((1, 2), (2, 0))
    assert groups(train=train) == ((2, 2), (0, 0))  # ida leads, and eve is known
    assert groups(valid=valid) == ((1, 1), (2, 0))  # so is bob
    assert groups(train=train, valid=valid) == ((2, 1), (0, 0))
