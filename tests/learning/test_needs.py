"""Which rules are needed: what they gain and what is lost without each, counted again evidence set by evidence set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from random import Random
from statistics import fmean, pstdev
from typing import Any

import numpy as np
import pytest

from possilog.data import Database
from possilog.learning import measurement
from possilog.learning.bench import Bench, Place, Shard, side_by_side
from possilog.learning.hard_part import HardPart
from possilog.learning.hiding import SIMULATED
from possilog.learning.measurement import _Alone, _InPlace, _is_proved, _rounded, _unproved, _why, _with_gains
from possilog.learning.needs import Needs
from possilog.learning.outcomes import Outcomes, ShareGain, _Tally, seen
from possilog.learning.steps import Steps
from possilog.learning.trials import Drawn, Holdout, Trial, noise, ranked
from possilog.logic import HeldOut, Measured, Measures, Precision, Predicate, parse_atom, parse_clause

TEXTS = ("sings(X) :- bird(X).", "swims(X) :- sings(X).", "bird(X) :- swims(X).", "sings(X) :- swims(X), bird(X).")
RULES = [parse_clause(text) for text in TEXTS]
POOL = [Measured(rule, 9 - place, 1 + place, 1) for place, rule in enumerate(RULES)]


def birds(seed: int) -> Database:
    """Of three in four nearly all holds, of the others little, so that rules gain more than they lose."""
    chance = Random(seed + 2)
    names = [(name, n) for n in range(15) for name in ("bird", "sings", "swims")]
    facts = [f"{name}(b{n})" for name, n in names if chance.random() < (0.9 if n % 4 else 0.3)]
    facts += [f"animal({name[5:]}" for name in facts if name.startswith("bird") and chance.random() < 0.9]
    return Database.of(map(parse_atom, facts))


ANIMALS = parse_clause("animal(X) :- bird(X).")
HARD = HardPart((ANIMALS,), (ANIMALS,))
"""Nine of ten birds are animals: what follows from a rule's conclusions is right more often than they are."""


def trial(seed: int, sets: int = 2, pool: Sequence[Measured] = tuple(POOL)) -> Trial:
    return Trial(HARD, pool, birds(seed), f"part-{seed}", sets=sets)


PAYS = ("+++++++", "++++---", "---++++", "+++++++")
"""At each share, whether a rule gains something."""

MEASURES = Measures(
    SIMULATED,
    SIMULATED,
    (1.0,) * 7,
    tuple(
        replace(
            rule,
            gains=tuple(9.0 if sign == "+" else -9.0 for sign in signs),
            errors=tuple(1.0 if sign == "+" else 10.0 for sign in signs),
        )
        for rule, signs in zip(POOL, PAYS, strict=True)
    ),
)
TRIALS, HELD_OUT = [trial(0), trial(1)], [trial(2, 6, POOL[:3])]


@contextmanager
def asked() -> Iterator[Bench]:
    with side_by_side(TRIALS, HELD_OUT, 1) as bench:
        yield bench


@cache
def sets() -> list[tuple[Trial, Drawn, list[int], int]]:
    """The evidence sets that count, the rules that are used with each, and where each stands among all there are."""
    found, rank = [], 0
    for one in (*TRIALS, *HELD_OUT):
        gate = one.gate(MEASURES)
        for number in range(one.size):
            if one in TRIALS or number % one.sets < 4:
                known = one.draw(number)
                found.append((one, known, one.used(gate, known)[1], rank))
            rank += 1
    return found


def gains(left: Sequence[int], every: int = 1) -> list[int]:
    return [
        one.gain(known, [rule for rule in used if rule in left])
        for one, known, used, rank in sets()
        if rank % every == 0
    ]


def weights(left: Sequence[int]) -> dict[tuple[bool, float], int]:
    """What evidence of each kind counts: a thousandth of a fact where these rules add most, and elsewhere more.

    So many times more as they add less there, but where they add or lose next to nothing, no more than twenty times.
    """
    added: dict[tuple[bool, float], int] = {}
    for (one, known, _, _), whole, hard in zip(sets(), gains(left), gains(()), strict=True):
        kind = one in HELD_OUT, known.share
        added[kind] = added.get(kind, 0) + whole - hard
    most = max(added.values())
    assert most > 0 and sorted(added.values())[-3] > most / 4
    return {kind: round(1000 * most / max(abs(number), most / 20)) for kind, number in added.items()}


def counting(first: Sequence[int], every: int = 1) -> list[int]:
    """What each evidence set counts, where these rules were there when it was first asked."""
    by_kind = weights(first)
    return [by_kind[one in HELD_OUT, known.share] for one, known, _, rank in sets() if rank % every == 0]


def gained(left: Sequence[int], first: Sequence[int]) -> Any:
    """On average, in facts: the first rules gain as much as they do, and the hard rules alone, and others between."""
    hard, counts = gains(()), counting(first)
    weighed, whole = (
        sum(count * (one - alone) for count, one, alone in zip(counts, gains(rules), hard, strict=True))
        for rules in (left, first)
    )
    return pytest.approx((sum(hard) + (sum(gains(first)) - sum(hard)) * weighed / whole) / len(hard))


def lost(rule: int, left: Sequence[int], first: Sequence[int], every: int = 1) -> tuple[Any, Any]:
    without = [other for other in left if other != rule]
    both = zip(counting(first, every), gains(left, every), gains(without, every), strict=True)
    each = [count * (all_of - some) for count, all_of, some in both]
    return pytest.approx(fmean(each)), pytest.approx(pstdev(each) / len(each) ** 0.5)


def test_what_rules_gain_and_what_is_lost_without_them_by_definition() -> None:
    with asked() as bench:
        needs = Needs(bench, POOL, MEASURES)
        assert needs.used == {rule for _, _, used, _ in sets() for rule in used} == {0, 1, 2, 3}
        assert len({tuple(used) for _, _, used, _ in sets()}) > 2, "not all are used everywhere"
        left, first = [0, 1, 2, 3], [0, 1, 2, 3]
        assert needs.gain == gained(left, first) == pytest.approx(fmean(gains(left)))
        for rule in left:
            found, roughly = needs.loss(rule), needs.loss(rule, roughly=True)
            assert (found.mean, found.error) == lost(rule, left, first)
            assert (roughly.mean, roughly.error) == lost(rule, left, first, 3)
        for rule in (2, 0):  # of the one it was just measured what is lost, of the other before
            if rule == 2:
                needs.loss(2)
            needs.remove(rule)
            left.remove(rule)
            assert needs.gain == gained(left, first) != fmean(gains(left))
            for other in left:
                assert (needs.loss(other).mean, needs.loss(other).error) == lost(other, left, first)
        for rule in (1, 3):
            needs.remove(rule)
        assert needs.gain == gained([], first) == pytest.approx(fmean(gains([])))
        assert fmean(gains([])) != 0
        fresh = Needs(bench, POOL, MEASURES)
        fresh.remove(3)
        assert fresh.gain == gained([0, 1, 2], first)
        fresh.keep([0, 1])  # what evidence counts is asked again
        assert fresh.gain == gained([0, 1], [0, 1]) == pytest.approx(fmean(gains([0, 1])))
        assert weights([0, 1]) != weights(first)
        assert fresh.loss(1).mean == lost(1, [0, 1], [0, 1])[0]
        assert fresh.loss(1, roughly=True).mean == lost(1, [0, 1], [0, 1], 3)[0]
        fresh.remove(0)
        assert fresh.gain == gained([1], [0, 1])


@pytest.mark.parametrize(("rule", "above"), [(1, []), (1, [0]), (3, [0, 1]), (2, [3])])
def test_what_a_rule_adds_to_those_above_by_definition(rule: int, above: list[int]) -> None:
    added = []
    for one, known, used, _ in sets():
        before = [other for other in above if other in used]
        added.append(one.gain(known, [*before, rule]) - one.gain(known, before) if rule in used else 0)
    with asked() as bench:
        assert Needs(bench, POOL, MEASURES).added(rule, above) == pytest.approx(fmean(added))


def test_shards_answer_for_those_that_are_lost() -> None:
    """What a shard keeps is of one question: with other rules gone, or other measures, it begins anew."""
    from possilog.learning.needs import _predictions  # what workers ask themselves

    shard = Shard(TRIALS, HELD_OUT, 0, 1)
    with asked() as bench:
        using = Needs(bench, POOL, MEASURES)._using
        others = Needs(bench, POOL[:2], MEASURES.only([RULES[0]]))._using
    for which, gone in ((using, [1]), (using, [1, 2]), (using, [2]), (using, []), (others, []), (using, [0])):
        found = _predictions(which, shard, gone)
        fresh = _predictions(which, Shard(TRIALS, HELD_OUT, 0, 1), gone)
        assert [(place, one.numbers, one.gain) for place, one in found] == [
            (place, one.numbers, one.gain) for place, one in fresh
        ]


def test_steps_taken_and_let_go_are_those_from_the_beginning() -> None:
    one = trial(0, 1)
    chance = Random(1)
    for known in one.known:
        for _ in range(12):
            rules = chance.sample(range(4), chance.randint(0, 4))
            fresh = one._steps(known.evidence)
            assert known.steps.gain(rules) == fresh.gain(rules)
            concluded = known.steps.conclusions(rules)
            anew = one._steps(known.evidence).conclusions(rules)
            assert list(map(sorted, concluded)) == list(map(sorted, anew))
            judged = [right for listed in concluded for _, right in listed]
            assert known.steps.gain(rules) == 2 * sum(judged) - len(judged)
            if rules:
                assert known.steps.last(rules) == (
                    sum(right for _, right in concluded[-1]),
                    sum(not right for _, right in concluded[-1]),
                )


def test_what_is_unknown_counts_neither_way() -> None:
    one = trial(0, 1)
    known = one.known[3]
    unknown = {parse_atom(f"sings(b{n})") for n in range(7)}
    steps = Steps(one._laid_out, known.evidence, set[Any](), unknown)
    plain = Steps(one._laid_out, known.evidence, set[Any]())
    concluded, every = steps.conclusions([0, 1]), plain.conclusions([0, 1])
    assert concluded == [[(atom, right) for atom, right in listed if atom not in unknown] for listed in every]
    assert steps.gain([0, 1]) == -sum(map(len, concluded)) and steps.last([0]) == (0, len(concluded[1]))
    assert len(concluded[1]) < len(every[1])


# What is measured of rules


def test_what_rules_add_alone_and_in_their_place_by_definition() -> None:
    shard = Shard(TRIALS, HELD_OUT, 0, 1)
    for place, found in _Alone(4).answer(shard):
        one, known = TRIALS[place.trial], TRIALS[place.trial].draw(place.number)
        assert (found.share, found.given) == (known.share, len(known.evidence.facts))
        assert found.added == [one._steps(known.evidence).last([rule]) for rule in range(4)]
    for place, found in _InPlace(MEASURES, {RULES[0], RULES[1], RULES[3]}).answer(shard):
        one, known = TRIALS[place.trial], TRIALS[place.trial].draw(place.number)
        used = one.used(one.gate(MEASURES, [0, 1, 3]), known)[1]
        expected = [
            one._steps(known.evidence).last([*(other for other in (0, 1, 3)[:number] if other in used), rule])
            for number, rule in enumerate((0, 1, 3))
        ]
        assert found.added == expected


def test_gains_are_means_at_each_share() -> None:
    asked_of = [found for _, found in _Alone(2).answer(Shard(TRIALS, [], 0, 1))]
    for place, rule in enumerate(_with_gains(POOL[:2], asked_of)):
        for number, share in enumerate(SIMULATED):
            pairs = [one.added[place] for one in asked_of if one.share == share]
            assert rule.gains[number] == pytest.approx(fmean(right - wrong for right, wrong in pairs))
            assert rule.errors[number] == pytest.approx(fmean(wrong for _, wrong in pairs))


def test_what_evidence_shows_rises() -> None:
    with asked() as bench:
        for among in (None, {RULES[0]}):
            found = seen(bench, among)
            assert len(found) == 7 and list(found) == sorted(found)
            one = HELD_OUT[0]
            gate = one.gate(Measures(), [0] if among else None)
            for share, shown in zip(SIMULATED[:1], found, strict=False):
                surveys = [gate.survey(known.evidence).whole for known in one.known if known.share == share]
                together = surveys[0]
                for survey in surveys[1:]:
                    together += survey
                assert shown == pytest.approx(together.share_given)


def test_outcomes_by_definition() -> None:
    """An atom is one case, also of several parts, and a rule's cases are about its own predicate."""
    held_out = [trial(2, 6, POOL[:3]), trial(3, 2, POOL[:3])]
    with side_by_side(TRIALS, held_out, 1) as bench:
        found = Outcomes(bench, MEASURES, frozenset(RULES[:3]))
    every = [(one, one.gate(MEASURES, [0, 1, 2]), known) for one in held_out for known in one.known]
    for row in found.table:
        hard, added = [], []
        for one, gate, known in every:
            if known.share == row.share:
                hard.append(one.gain(known, ()))
                added.append(one.gain(known, one.used(gate, known)[1]) - hard[-1])
        assert [row.hard, row.added] == pytest.approx([fmean(hard), fmean(added)])
        assert row.noise == pytest.approx(np.std(added, ddof=1) / len(added) ** 0.5)
    assert found.measures.added == tuple(round(row.added, 9) for row in found.table)
    seen_of = {"elsewhere": 0, "also in another part": 0}
    for place, rule in enumerate(found.measures.rules[:3]):
        concluded, target = [], RULES[place].head[0].predicate
        for one, gate, known in every:
            use, used = one.used(gate, known)
            said = gate.believed(one.pool[place], use.share_of(target) or 0.0, use)
            for number, listed in zip(used, one.conclusions(known, used)[1:], strict=True):
                mine = [(one.name, *each, said) for each in listed if each[0].predicate == target]
                seen_of["elsewhere"] += number == place and len(mine) < len(listed)
                concluded += mine if number == place else []
        cases = len({atom for _, atom, _, _ in concluded})
        seen_of["also in another part"] += cases < len({(part, atom) for part, atom, _, _ in concluded})
        assert rule.held_out.cases == cases
        assert rule.held_out.right == pytest.approx(
            cases * fmean(right for _, _, right, _ in concluded) if cases else 0
        )
        assert rule.held_out.said == pytest.approx(cases * fmean(said for *_, said in concluded) if cases else 0)
    assert min(seen_of.values()) > 0, seen_of
    (certain,) = found.measures.certain
    told = [each for one, _, known in every for each in one.conclusions(known, [])[0]]
    cases = len({atom for atom, _ in told})
    assert certain.predicate == Predicate("animal", 1) and certain.held_out.cases == cases < len(told)
    assert certain.held_out.right == pytest.approx(cases * fmean(right for _, right in told))
    assert certain.held_out.said == pytest.approx(cases)


def test_nothing_was_told_of_nothing() -> None:
    tally = _Tally()
    tally.add(Place(0, 1), [], 0.5)
    assert tally.held_out == HeldOut() and tally.told == []
    assert noise(np.array([3.0])) == float("inf") and noise(np.array([1.0, 3.0])) == pytest.approx(1.0)


def test_an_atom_is_one_case_however_often_it_was_concluded() -> None:
    """Of however many parts it is, and whoever counted: of four conclusions three are right, and of two atoms."""
    one, other = parse_atom("p(a)"), parse_atom("p(b)")
    here, there = _Tally(), _Tally()
    here.add(Place(0, 1), [(one, True), (other, False)], 0.5)
    there.add(Place(1, 1), [(one, True)], 0.75)
    there.add(Place(1, 3), [(one, True)], 0.25)
    here += there
    assert here.held_out == HeldOut(2 * 3 / 4, 2 * (2 * 0.5 + 0.75 + 0.25) / 4, 2)


@pytest.mark.parametrize(
    ("right", "cases", "apart", "proved"),
    [
        *[(5, 9, 0, True), (5, 10, 9, False), (6, 10, 0, True), (0, 0, 5, True), (0, 0, 4, False)],
        *[(3, 3, 0, True), (3, 5, 0, True), (3, 6, 9, False), (2, 2, 9, False), (2.99, 3, 9, False)],
    ],
)
def test_rules_that_feed_on_themselves_have_to_be_proved(right: float, cases: int, apart: int, proved: bool) -> None:
    """Where nothing was held out, by true heads; without an exception, by those that share no constant."""
    clause, plain = parse_clause("r(X, Z) :- r(X, Y), r(Y, Z)."), Measured(RULES[0], 30, 0, 0, HeldOut(right, 1, cases))
    for true, false in ((30, 0), (apart, 1)):
        recursive = Measured(clause, true, false, false, HeldOut(right, 1, cases))
        assert _is_proved(recursive, apart if not false else 0) == proved
        measures, heads = Measures(rules=(recursive, plain)), {} if false else {clause: apart}
        assert _unproved(measures, (), heads) == (set() if proved else {clause})
        assert _unproved(measures, {clause}, heads) == set()


def test_why_in_words() -> None:
    rows = [ShareGain(0.03, 1.0, 2.0, 0.1), ShareGain(0.5, 1.0, 0.0, 0.1), ShareGain(0.8, 1.0, -0.5, 0.1)]
    assert _why(rows, 0) == "no soft rule pays at any share of known facts, so the hard rules stand alone"
    for rules, words in ((1, "1 soft rule,"), (2, "2 soft rules,")):
        assert _why(rows, rules) == (
            f"{words} each used where it pays, add +0.5 right facts on average to a prediction of held-out facts, and "
            "something where 3% of the facts are known"
        )
    assert _why(rows[1:], 1).endswith("and something where nothing of the facts are known")


def test_numbers_in_a_file_have_four_digits() -> None:
    rule = Measured(RULES[0], 5, 1, 1, HeldOut(1.2345, 2.3456, 3), (0.123456,), (12345.6,))
    precision = Precision(Predicate("p", 1), HeldOut(0.999, 1.111, 2))
    tables = (0.5,), (0.33333,), (2.00004,), (rule,), (precision,), HeldOut(1.006, 2, 3), (7.77777,)
    found = _rounded(Measures(*tables, dense=(1.234567,), dense_weight=0.4567))
    assert (found.seen, found.added, found.given) == ((0.3333,), (2.0,), (7.778,))
    assert (found.dense, found.dense_weight) == ((1.235,), 0.46)
    assert found.faultless == HeldOut(1.01, 2, 3) and found.certain[0].held_out == HeldOut(1.0, 1.11, 2)
    assert found.rules[0].held_out == HeldOut(1.23, 2.35, 3)
    assert (found.rules[0].gains, found.rules[0].errors) == ((0.1235,), (12350.0,))


@pytest.mark.parametrize(
    ("rules", "parts", "sets_of_each"), [(1, 1, 20), (200, 1, 20), (400, 1, 10), (4, 3, 7), (4, 50, 1)]
)
def test_how_many_evidence_sets_are_drawn(
    rules: int, parts: int, sets_of_each: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[int, int]] = []

    class Stopped(Exception):
        pass

    def noted(hard: Any, pool: Any, part: Any, name: str, *, sets: int, seed: int, stop: Any) -> None:
        made.append((sets, seed))

    def stopped(*given: Any) -> None:
        raise Stopped

    monkeypatch.setattr(measurement, "Trial", noted)
    monkeypatch.setattr(measurement, "side_by_side", stopped)
    pool = [POOL[0]] * rules
    named = [(f"part-{n}", birds(0)) for n in range(parts)]
    held: Any = [Holdout("part", birds(0), HardPart(), {})]
    with pytest.raises(Stopped):
        measurement.measure(HardPart(), pool, named, held, seed=3)
    assert made == [(sets_of_each, 3)] * parts + [(8, 4)]


def test_rules_in_this_order_are_strata_of_their_own() -> None:
    found = ranked([RULES[3]], RULES[:3], [parse_clause(":- p(X), q(X).")])
    assert [rule.clause for rule in found.hard] == [RULES[3]] and len(found.strata) == 4
    assert [str(rule.weight.doubt) for rule in found.ranked][-3:] == ["1E-9", "2E-9", "3E-9"]
