"""Calibrated strata and held-out facts, by definition and at their borders."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from possilog import Database, parse_theory
from possilog.data import Evidence
from possilog.data.taking import facts_of
from possilog.deadline import Deadline
from possilog.inference import Local, Reasoner
from possilog.learning.calibration import Calibration
from possilog.learning.graph.held_out import _compared, held_against, never_linked, recounted
from possilog.learning.hiding import CALIBRATED, draw_known, number_of
from possilog.logic import HeldOut, Judged, parse_atom, parse_clause

THEORY = parse_theory("person(X) :- works(X). 0.9 :: works(X) :- person(X). 0.8 :: desk(X) :- works(X).")
FACTS = facts_of(
    [f"{name}(p{n})" for n in range(10) for name in ("works", "person")] + [f"desk(p{n})" for n in range(0, 10, 3)]
)


def given_already(evidence: Database) -> float | None:
    """Of those who work, how many are known to be persons."""
    works = [fact.arguments for fact in evidence if fact.predicate.name == "works"]
    persons = [fact.arguments for fact in evidence if fact.predicate.name == "person"]
    return sum(who in persons for who in works) / len(works) if works else None


def test_calibration_by_definition() -> None:
    found = Calibration.fit(THEORY, FACTS, evidence_sets=3, seed=2)
    highest, truth = 0.0, set(FACTS)
    for place, share in enumerate(CALIBRATED):
        sets = [
            draw_known(FACTS, number_of(FACTS, share), 2, "calibration", str(share), str(number)) for number in range(3)
        ]
        seen = [one for one in map(given_already, sets) if one is not None]
        highest = max(highest, sum(seen) / len(seen) if seen else 0.0)
        assert found.given[place] == pytest.approx(highest)
        gains = []
        for evidence in sets:
            added = Reasoner(THEORY).predict(Evidence(evidence), Local()).added
            gains.append(
                [
                    sum(1 if one.atom in truth else -1 for one in added if one.certainty == stratum.weight)
                    for stratum in THEORY.strata
                ]
            )
        assert [row[place] for row in found.gains] == pytest.approx(np.mean(gains, axis=0).tolist())
        noise = (np.std(gains, axis=0) / sqrt(3)).tolist()
        assert [row[place] for row in found.noise] == pytest.approx(noise)


def test_strata_pay_that_do_not_clearly_lose() -> None:
    """Between two shares by a straight line; what is just zero pays."""
    calibration = Calibration(
        THEORY,
        (0.1, 0.5, 0.9),
        (0.0, 0.5, 1.0),
        ((1.0, 1.0, -3.0), (-2.0, -2.0, -2.0)),
        ((0.0, 0.0, 1.0), (1.0, 2.0, 1.0)),
    )
    for share, pays in ((0.1, (True, False)), (0.5, (True, True)), (0.7, (False, False)), (0.9, (False, False))):
        assert calibration.pays(share) == pays
    assert calibration.pays(0.62)[0] and not calibration.pays(0.64)[0]
    for given, share in (
        (["works(a)"], 0.1),
        (["works(a)", "person(a)"], 0.9),
        (["works(a)", "works(b)", "person(a)"], 0.5),
    ):
        evidence = Evidence(facts_of(given))
        assert calibration.share(evidence) == pytest.approx(share)
        kept = [True, *calibration.pays(share)]
        assert calibration.adapted(evidence).rules == tuple(r for r, k in zip(THEORY.rules, kept, strict=True) if k)
    assert calibration.seen(Evidence(facts_of(["desk(a)"]))) is None
    assert calibration.share(Evidence(facts_of(["desk(a)"]))) == 0.5
    assert calibration.adapted(Evidence(facts_of(["works(a)"]))).falsity == THEORY.falsity


RULE, OTHER = (
    Judged(parse_clause(text), 2, 1, 1) for text in ("likes(A, B) :- knows(A, B).", "knows(A, B) :- likes(B, A).")
)
TRAIN = facts_of(["knows(a, b)", "knows(b, c)", "likes(a, b)", "likes(b, c)", "likes(a, d)", "likes(c, d)"])


def test_when_the_time_is_over_rules_are_as_they_were() -> None:
    held_out = facts_of(["likes(b, d)", "likes(b, a)"]).declare(TRAIN.constants)
    assert _compared([RULE, OTHER], TRAIN, held_out)[0] != RULE
    assert _compared([RULE, OTHER], TRAIN, held_out)[1] == OTHER, "no held-out fact is about it"
    assert _compared([RULE], TRAIN, held_out, Deadline(0)) == (RULE,) == recounted([RULE], TRAIN, Deadline(0))
    assert recounted([RULE], TRAIN)[0] != RULE
    rules, unlinked = held_against([RULE], TRAIN, held_out)
    assert rules == _compared([RULE], TRAIN, held_out) and unlinked == HeldOut()


def test_links_are_of_two_arguments_and_of_predicates_that_training_facts_may_lack() -> None:
    pairs = range(40)
    train = [f"r(a{n}, b{n})" for n in pairs] + [f"s(a{n}, b{n})" for n in pairs]
    held = [f"r(a{n}, c{n})" for n in pairs] + [f"t(a{n}, d{n})" for n in pairs] + [f"p(a{n})" for n in pairs]
    names = sorted({*facts_of(train).constants, *facts_of(held).constants})
    known = facts_of(train).declare(names)
    found = never_linked(known, facts_of(held).declare(names))
    assert found == HeldOut(0, 40, 80), "all training facts of r are linked by s, and there are none of t"
    linked = Database.of([parse_atom(text) for text in [*held, "t(b0, a0)"]]).declare(names)
    assert never_linked(known, linked) == HeldOut(), "one is linked the other way round"
