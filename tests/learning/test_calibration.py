"""What facts say of the rules of a theory that nobody learned: by definition, and what becomes of predictions."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from possilog import Database, DataWarning, Local, Reasoner, Theory, parse_theory, read, read_theory
from possilog.data import Evidence
from possilog.data.bundled import load
from possilog.errors import DataError
from possilog.inference.density import facts_each
from possilog.inference.gate import Gate
from possilog.learning import calibrated
from possilog.learning.calibration import is_calibrated, measures_on
from possilog.learning.hiding import SIMULATED, draw_known, number_of
from possilog.logic import Atom, Clause, Constant, HeldOut, in_vocabulary, parse_atom
from shared import shared_data

HAND = """
adult(X) :- parent(X, Y).
:- adult(X), child(X).
0.9 :: married(X, Y) :- married(Y, X).
0.85 :: :- owns(X, D), child(X).
0.8 :: livesIn(X, H) :- married(X, Y), livesIn(Y, H).
0.7 :: child(X) :- parent(Y, X).
0.6 :: owns(X, D) :- walks(X, D).
0.5 :: owns(X, D) :- adult(X), dog(D).
"""
SETS = 20


def people(number: int) -> Database:
    """Everybody who works is a person; every second one has a desk."""
    facts = [f"{name}(p{place})" for place in range(number) for name in ("works", "person")]
    return Database.of(map(parse_atom, [*facts, *(f"desk(p{place})" for place in range(0, number, 2))]))


def gained(rules: Theory, evidence: Database, truth: set[Atom]) -> tuple[int, int]:
    """Right and wrong conclusions of all these rules."""
    added = Reasoner(replace(rules, measures=None)).predict(evidence).added
    right = sum(one.atom in truth for one in added)
    return right, len(added) - right


def covered(clause: Clause, facts: Database) -> set[Atom]:
    """The heads of a rule whose bodies hold, with distinct constants for its variables."""
    true, names = set(facts), [Constant(name) for name in facts.constants]
    heads = set()
    for chosen in permutations(names, len(clause.variables)):
        ground = clause.substitute(dict(zip(clause.variables, chosen, strict=True)))
        if true.issuperset(ground.body):
            heads.add(ground.head[0])
    return heads


def test_counts_by_definition() -> None:
    theory, village = parse_theory(HAND.replace("livesIn(Y, H)", "livesIn(Y, H), adult(X)")), load("village")
    some = Database.of(fact for place, fact in enumerate(village) if place % 4 and fact.predicate.name != "worksAt")
    found = measures_on(theory, some)
    assert found is not None
    assert [rule.clause for rule in found.rules] == [rule.clause for rule in theory.ranked if rule.clause.head]
    truth, hard = set(some), Reasoner(Theory(theory.hard))
    breaks = len(hard.conflicts(list(truth)))
    for rule in found.rules:
        if len(rule.clause.variables) > 2:  # or there are too many assignments
            continue
        heads = covered(rule.clause, some)
        open_ones = [head for head in heads - truth if len(hard.conflicts([*truth, head])) == breaks]
        assert (rule.true, rule.false) == (len(heads & truth), len(heads - truth))
        assert breaks or rule.nontrivial == len(open_ones)


@pytest.mark.slow
def test_what_is_gained_by_definition() -> None:
    """In its place, a rule stands below those above it that are used, and below the constraints there."""
    theory, village = parse_theory(HAND), load("village")
    found, truth, hard = measures_on(theory, village), set(village), Theory(theory.hard)
    assert found is not None and found.shares == SIMULATED
    assert not found.certain and not found.lists and found.faultless == HeldOut()
    assert all(rule.held_out == HeldOut() for rule in found.rules)
    drawn = {
        share: [draw_known(village, number_of(village, share), 0, "all", str(share), str(n)) for n in range(SETS)]
        for share in SIMULATED
    }
    assert found.given == pytest.approx([number_of(village, share) for share in SIMULATED], rel=1e-3)
    assert found.dense == tuple(sorted(found.dense))
    assert found.dense[-1] == pytest.approx(facts_each(drawn[0.8][0]), rel=0.1)
    asked = [rule for rule in theory.ranked if rule.clause.head]
    first = alone(theory, drawn, truth)
    gate = Gate(replace(theory, measures=replace(found, rules=first, added=(0.0,) * len(SIMULATED))), cautious=False)
    last = Gate(replace(theory, measures=replace(found, added=(0.0,) * len(SIMULATED))), cautious=False)
    for place, share in enumerate(SIMULATED):
        counts, added = np.zeros((len(asked), 2)), 0.0
        for known in drawn[share]:
            left_out = gate.use(Evidence(known)).left_out
            for number, rule in enumerate(asked):
                above = [one for one in theory.ranked if one.weight > rule.weight and one not in left_out]
                before, after = (Theory((*theory.hard, *above, *more)) for more in ([], [rule]))
                counts[number] += np.subtract(gained(after, known, truth), gained(before, known, truth)) / SETS
            left_out = last.use(Evidence(known)).left_out
            used = Theory((*theory.hard, *(rule for rule in theory.ranked if rule not in left_out)))
            right, wrong = np.subtract(gained(used, known, truth), gained(hard, known, truth)).tolist()
            added += (right - wrong) / SETS
        gains, errors = (counts[:, 0] - counts[:, 1]).tolist(), counts[:, 1].tolist()
        assert [rule.gains[place] for rule in found.rules] == pytest.approx(gains, rel=1e-3, abs=1e-6)
        assert [rule.errors[place] for rule in found.rules] == pytest.approx(errors, rel=1e-3, abs=1e-6)
        assert found.added[place] == pytest.approx(added, rel=1e-3, abs=1e-6)


def alone(theory: Theory, drawn: Mapping[float, list[Database]], truth: set[Atom]):  # type: ignore[no-untyped-def]
    """The rules with what each adds to the hard ones."""
    found, hard = measures_on(theory, load("village")), Theory(theory.hard)
    assert found is not None
    rules = []
    for rule in found.rules:
        one = Theory((*theory.hard, *(r for r in theory.ranked if r.clause == rule.clause)))
        means = [
            np.mean([np.subtract(gained(one, known, truth), gained(hard, known, truth)) for known in sets], axis=0)
            for sets in drawn.values()
        ]
        rules.append(replace(rule, gains=tuple(a - b for a, b in means), errors=tuple(b for _, b in means)))
    return tuple(rules)


def test_a_rule_that_loses_is_left_out_and_one_that_gains_stays() -> None:
    # A desk for everybody who works is right every second time: worth nothing as soon as some desks are known.
    theory = parse_theory("person(X) :- works(X). 0.9 :: works(X) :- person(X). 0.8 :: desk(X) :- works(X).")
    data = people(200)
    found = calibrated(theory, data)
    prediction = Reasoner(found).predict(random.Random(1).sample(list(data), 200))
    assert [str(rule.clause) for rule in prediction.use.left_out] == ["desk(X) :- works(X)."]
    assert prediction.use.share == pytest.approx(0.4, abs=0.1)
    assert replace(found, measures=None) == theory, "nothing else changes"
    assert all(one.stated is not None and one.stated.cases == HeldOut() for one in prediction.added)
    assert all(one.stated is not None and 0.5 < one.stated.probability < 1 for one in prediction.added)
    by_hand = [len(Reasoner(found).predict(["works(z)"], Local(share=share)).added) for share in (0.03, 0.5)]
    assert by_hand == [1, 1], "what the hard rules say is said at any share"


def test_what_carries_measures_stays_as_it_is() -> None:
    theory = parse_theory("0.8 :: desk(X) :- works(X). #shares 0.1, 0.9. #seen 0.1, 0.9. #added 1, 1.")
    assert calibrated(theory, people(20)) is theory and is_calibrated(theory)
    listed = parse_theory("0.8 :: desk(X) :- works(X). #list desk/1, right 3, said 4, of 5.")
    found = calibrated(listed, people(20))
    assert found.measures is not None and listed.measures is not None
    assert found.measures.shares and found.measures.lists == listed.measures.lists


def test_calibration_repairs_the_authors_theory_on_yeast() -> None:
    train, test = (read(shared_data(f"yeast/paper/{name}.db")) for name in ("train", "test"))
    with pytest.warns(DataWarning, match="protein_class"):
        theory = in_vocabulary(read_theory(shared_data("yeast/ijcai17/yeast.poss")), train.predicates)
    truth = set(test)
    evidence = Evidence(Database.of(random.Random(0).sample(list(test), 3000)))

    def gain(rules: Theory) -> int:
        added = [conclusion.atom for conclusion in Reasoner(rules).predict(evidence).added]
        return 2 * sum(atom in truth for atom in added) - len(added)

    found = calibrated(theory, train)
    share = Reasoner(found).predict(evidence).use.share
    assert share is not None and abs(share - 3000 / len(test)) < 0.1
    assert gain(found) > gain(theory) + 20


def test_two_facts_are_enough_and_one_is_not() -> None:
    theory = parse_theory("0.9 :: desk(X) :- works(X).")
    assert is_calibrated(calibrated(theory, ["works(a)", "desk(a)"]))
    with pytest.raises(DataError, match="too few facts"):
        calibrated(theory, ["works(a)"])
    assert calibrated(parse_theory("desk(X) :- works(X)."), ["works(a)", "desk(a)"]).measures is None
