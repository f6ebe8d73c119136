"""Evidence sets that are shared out: each is looked after once, and what is found does not depend on who does."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from statistics import fmean, pstdev

import pytest

from possilog.data import Database
from possilog.learning.bench import Place, Shard, side_by_side
from possilog.learning.candidates import find_candidates
from possilog.learning.confidence import Confidence, Judge
from possilog.learning.hard_part import HardPart
from possilog.learning.needs import _Sums
from possilog.learning.outcomes import faultless
from possilog.learning.searching import Without
from possilog.learning.trials import Trial
from possilog.logic import HeldOut, Measured, Measures, canonical, parse_atom, parse_clause
from possilog.structure import Limits, SearchSettings, find_rules

SETTINGS = SearchSettings(Limits(body=1, repeats=1))


def birds(seed: int) -> Database:
    chance = Random(seed)
    facts = [f"{name}(b{n})" for n in range(20) for name in ("bird", "sings", "swims") if chance.random() < 0.8]
    return Database.of(map(parse_atom, facts))


def trial(seed: int, false: int = 0) -> Trial:
    rules = [parse_clause(text) for text in ("sings(X) :- bird(X).", "swims(X) :- sings(X).", "bird(X) :- swims(X).")]
    pool = [Measured(rule, 9, false * place, 0) for place, rule in enumerate(rules)]
    return Trial(HardPart(), pool, birds(seed), f"part-{seed}", sets=4)


@pytest.mark.parametrize("shards", [1, 2, 3])
def test_each_evidence_set_is_looked_after_once_and_all_look_after_as_many(shards: int) -> None:
    """Also of every other one."""
    trials, held_out = [trial(0), trial(1)], [trial(2)]
    parts = [Shard(trials, held_out, number, shards) for number in range(shards)]
    for name, first, some in (("of_data", 0, trials), ("held_out", 2, held_out)):
        places = [[place for _, found in getattr(part, name) for place in found] for part in parts]
        every = [Place(first + number, n) for number, one in enumerate(some) for n in range(one.size)]
        assert sorted(place for found in places for place in found) == every
        for chosen in (range(2), range(1)):
            sizes = [sum(place.number % 2 in chosen for place in found) for found in places]
            assert max(sizes) - min(sizes) <= 2 * len(some)
    assert [parts[0].rank(place) for place in every] == [2 * trials[0].size + n for n in range(held_out[0].size)]


@pytest.mark.parametrize("false", [0, 1])
@pytest.mark.parametrize("jobs", [1, 2])
def test_what_comes_true_of_rules_without_exception(false: int, jobs: int) -> None:
    """On every other evidence set, each alone that chance does not explain without the part.

    An atom is one case, however often it is concluded, and of however many parts it is.
    """
    held_out, measures = [trial(2, false), trial(3, false), trial(4, false)], Measures()
    clauses = [rule.clause for rule in held_out[0].pool]
    surprising = dict(zip((one.name for one in held_out), map(frozenset, (clauses, clauses[:1], ())), strict=True))
    concluded = []
    for one in held_out:
        rules = [
            place for place, rule in enumerate(one.pool) if rule.false == 0 and rule.clause in surprising[one.name]
        ]
        for known in one.known[::2]:
            share = one.gate(measures, rules).use(known.evidence).share or 0.0
            for rule in rules:
                if (said := one.pool[rule].still_right(share)) > 0.5:
                    concluded += [(one.name, *found, said) for found in one.conclusions(known, [rule])[1]]
    cases = len({atom for _, atom, _, _ in concluded})
    assert cases < len({(part, atom) for part, atom, _, _ in concluded})
    assert {part for part, *_ in concluded} == {"part-2", "part-3"}
    with side_by_side([trial(0)], held_out, jobs) as bench:
        found = faultless(bench, measures, surprising)
        assert faultless(bench, measures, dict.fromkeys(surprising, frozenset())) == HeldOut(), "chance explains them"
    assert found.cases == cases > 0
    assert found.right == pytest.approx(cases * fmean(right for _, _, right, _ in concluded))
    assert found.said == pytest.approx(cases * fmean(said for _, _, _, said in concluded))


def test_nothing_is_said_of_rules_without_exception_where_there_are_none() -> None:
    rules = [Measured(parse_clause("sings(X) :- bird(X)."), 9, 1, 1)]
    with side_by_side([], [Trial(HardPart(), rules, birds(0), "part", sets=2)], 1) as bench:
        assert faultless(bench, Measures(), {"part": frozenset(rule.clause for rule in rules)}) == HeldOut()


def test_losses_of_parts_are_those_of_the_whole() -> None:
    for losses in ([], [3], [1, 1], [0, 2, -1, 5, 5]):
        for cut in range(len(losses) + 1):
            both = _Sums.of(losses[:cut]) + _Sums.of(losses[cut:])
            assert both == _Sums.of(losses)
        mean, error = both.on_average.mean, both.on_average.error
        assert mean == (fmean(losses) if losses else 0)
        assert error == pytest.approx(pstdev(losses) / len(losses) ** 0.5 if losses else 0)


def test_candidates_are_those_of_both_searches() -> None:
    """Against non-trivial negatives, of which early(X) has none, and against any: then common things are not late."""
    kinds = {"a": (12, ("early", "late", "common")), "b": (30, ("odd", "common")), "c": (6, ("even",))}
    facts = [f"{name}({kind}{n})" for kind, (size, names) in kinds.items() for n in range(size) for name in names]
    database, told = Database.of(map(parse_atom, facts)), list[int]()
    hard = [
        parse_clause(f":- {one}(X), {other}(X).")
        for one, other in (("early", "odd"), ("early", "even"), ("late", "odd"))
    ]
    targets = [predicate for predicate in database.predicates if predicate.name in ("early", "late")]
    found = find_candidates(database, hard, SETTINGS, targets=targets, progress=lambda step: told.append(step.done))
    plain, random = (
        {canonical(rule.clause) for rule in find_rules(database, hard, targets, each).rules}
        for each in (SETTINGS, replace(SETTINGS, random_negatives=True))
    )
    assert plain - random and random - plain
    assert {canonical(clause) for clause in found} == plain | random
    assert told == sorted(told) and told[-1] == 2 * len(targets)
    assert found == Judge(database, hard).all(found)
    kept = find_candidates(database, hard, SETTINGS, kept=hard[:1], targets=targets)
    assert kept == Judge(database, hard[:1]).all(found) != found, "the same rules, judged by other hard ones"


def test_what_was_learned_without_a_part_is_kept_where_it_is_whole() -> None:
    rule = parse_clause("sings(X) :- bird(X).")
    found = Without(HardPart((rule,), (rule,)), {rule: Confidence(3, 2, 1)})
    assert found.whole and Without.from_json(json.loads(json.dumps(found.as_json))) == found
    assert replace(found, whole=False) != found
