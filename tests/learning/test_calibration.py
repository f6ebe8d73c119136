"""Strata that pay at the share of facts that is known."""

import random

import pytest

from possilog import Database, DataWarning, Theory, parse_theory, read, read_theory
from possilog.data import Evidence
from possilog.errors import DataError
from possilog.inference import Reasoner
from possilog.learning.calibration import Calibration
from possilog.logic import in_vocabulary, parse_atom
from shared import shared_data


def people(number: int) -> Database:
    """Everybody who works is a person; every second one has a desk."""
    facts = [f"{name}(p{place})" for place in range(number) for name in ("works", "person")]
    return Database.of(map(parse_atom, [*facts, *(f"desk(p{place})" for place in range(0, number, 2))]))


def test_the_share_shows_in_how_many_hard_conclusions_are_given() -> None:
    theory = parse_theory("person(X) :- works(X). person(X) :- desk(X). 0.9 :: desk(X) :- works(X).")
    facts = people(600)
    calibration = Calibration.fit(theory, facts)
    for share in (0.1, 0.3, 0.5, 0.8):
        drawn = random.Random(str(share)).sample(list(facts), round(share * len(facts)))
        assert abs(calibration.share(Evidence(Database.of(drawn))) - share) < 0.1


def test_a_stratum_that_loses_is_left_out_and_one_that_gains_stays() -> None:
    # A desk for everybody who works is right every second time: worth nothing as soon as some desks are known.
    theory = parse_theory("person(X) :- works(X). 0.9 :: works(X) :- person(X). 0.8 :: desk(X) :- works(X).")
    facts = people(200)
    calibration = Calibration.fit(theory, facts)
    drawn = random.Random(1).sample(list(facts), 400)
    adapted = calibration.adapted(Evidence(Database.of(drawn)))
    assert [str(rule.clause) for rule in adapted.soft] == ["works(X) :- person(X)."]
    assert adapted.hard == theory.hard and adapted.falsity == theory.falsity


def test_evidence_that_shows_nothing_keeps_to_the_middle() -> None:
    calibration = Calibration.fit(parse_theory("0.9 :: desk(X) :- works(X)."), people(20))
    assert calibration.share(Evidence.of([parse_atom("works(p1)")])) == 0.4


def test_calibration_repairs_the_authors_theory_on_yeast() -> None:
    train, test = (read(shared_data(f"yeast/paper/{name}.db")) for name in ("train", "test"))
    with pytest.warns(DataWarning, match="protein_class"):
        theory = in_vocabulary(read_theory(shared_data("yeast/ijcai17/yeast.poss")), train.predicates)
    calibration, truth = Calibration.fit(theory, train, evidence_sets=3), set(test)
    evidence = Evidence(Database.of(random.Random(0).sample(list(test), 3000)))
    assert abs(calibration.share(evidence) - 3000 / len(test)) < 0.1

    def gain(rules: Theory) -> int:
        added = [conclusion.atom for conclusion in Reasoner(rules).predict(evidence).added]
        return 2 * sum(atom in truth for atom in added) - len(added)

    assert gain(calibration.adapted(evidence)) > gain(theory) + 20


def test_two_facts_are_enough_and_one_is_not() -> None:
    theory = parse_theory("0.9 :: desk(X) :- works(X).")
    assert Calibration.fit(theory, Database.of(map(parse_atom, ["works(a)", "desk(a)"]))).gains
    with pytest.raises(DataError, match="too few facts"):
        Calibration.fit(theory, Database.of([parse_atom("works(a)")]))
