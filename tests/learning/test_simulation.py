"""Simulated prediction: a rule that pays is chosen, a rule that loses is not."""

from __future__ import annotations

import json
from random import Random

from possilog.learning.simulation import Filter, Simulation, pool, simulate

from possilog.data import Database
from possilog.deadline import Deadline
from possilog.learning.confidence import Confidence, Judge
from possilog.learning.hiding import SIMULATED
from possilog.learning.trials import Holdout
from possilog.logic import Clause, parse_atom, parse_clause

PAYS = parse_clause("sings(X) :- bird(X).")
SWIMS = parse_clause("swims(X) :- bird(X).")
RARE = parse_clause("bird(X) :- swims(X).")


def birds(number: int, chance: Random, sings: float, swims: float) -> Database:
    facts = []
    for bird in range(number):
        facts.append(f"bird(b{bird})")
        facts += [f"sings(b{bird})"] * (chance.random() < sings) + [f"swims(b{bird})"] * (chance.random() < swims)
    return Database.of(map(parse_atom, facts))


def holdouts(sings: float, swims: float, rules: tuple[Clause, ...] = (PAYS, SWIMS)) -> list[Holdout]:
    chance = Random(0)
    found = []
    for number in range(3):
        part, rest = (birds(size, chance, sings, swims) for size in (40, 80))
        found.append(Holdout(f"part-{number}", part, (), Judge(rest, ()).all(rules)))
    return found


def test_a_rule_that_pays_is_chosen_and_one_that_loses_is_not() -> None:
    parts = holdouts(sings=0.95, swims=0.6)
    found = simulate(parts, parts[0].judged, 2)
    assert found.choice is not None
    assert found.pool(parts[0].judged) == (PAYS,)
    assert [row.share for row in found.table] == list(SIMULATED)
    assert all(row.added > -row.noise for row in found.table)
    assert "nowhere a clear loss" in found.reason


def test_where_nothing_pays_the_hard_rules_stand_alone() -> None:
    parts = holdouts(sings=0.5, swims=0.5)
    found = simulate(parts, parts[0].judged, 2)
    assert found.choice is None
    assert found.pool(parts[0].judged) == ()
    assert found.reason.startswith("no soft rule clearly pays, so the hard rules stand alone; the best filter")


def test_a_rule_beyond_the_filter_enters_if_it_pays_on_average() -> None:
    """Where most is known, a rule with 72 right conclusions of 100 loses, though it gains where less is known."""
    for swims, extra, said in ((0.95, (SWIMS,), ""), (0.72, (SWIMS,), ", with a loss where 80%"), (0.5, (), None)):
        parts = holdouts(sings=0.9, swims=swims, rules=(PAYS,))
        judged = Judge(parts[0].part, ()).all((PAYS,)) | {SWIMS: Confidence(60, 60, 10)}
        found = simulate(parts, judged, 1)
        assert found.extra == extra
        assert found.pool(judged) == (PAYS, *extra)
        more = "" if said is None else f"; and 1 more rule that pays on average{said}"
        assert found.reason.partition("nowhere a clear loss")[2].startswith(more)
        assert ("with a loss" in found.reason) == any(row.added < -row.noise for row in found.table)


def test_time_and_nothing_to_try() -> None:
    parts = holdouts(sings=0.95, swims=0.5)
    late = simulate(parts, parts[0].judged, 2, stop=Deadline(0))
    assert late == Simulation(None, "there was no time to try any soft rule, so the hard rules stand alone")
    nothing = simulate([], parts[0].judged, 2)
    assert nothing.reason == "the data cannot be cut into parts to be held out, so the hard rules stand alone"
    none = simulate([Holdout("part", parts[0].part, (), {})], {}, 2)
    assert none.reason == "no soft rule was found, so the hard rules stand alone"
    questions = iter(range(1000))
    some = simulate(parts, parts[0].judged, 2, stop=Deadline(cancelled=lambda: next(questions) > 500))
    assert some.tried


def test_it_reads_what_it_writes_and_is_the_same_again() -> None:
    parts = holdouts(sings=0.95, swims=0.5)
    found = simulate(parts, parts[0].judged, 2)
    assert Simulation.from_json(json.loads(json.dumps(found.as_json))) == found
    assert simulate(parts, parts[0].judged, 2) == found
    assert simulate(parts, parts[0].judged, 2, seed=1) != found


def test_the_pool_of_a_filter() -> None:
    judged = Judge(birds(50, Random(1), 0.9, 0.5), ()).all((PAYS, SWIMS, RARE))
    assert pool(judged, Filter(0.7, 0.7, 1)) == (RARE, PAYS)
    assert pool(judged, Filter(0.7, 0.7, 0)) == ()
    assert pool(judged, None) == ()
