"""What phases make of what they are given, each by itself: hard parts, measures of columns, examples, last touches."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from budget import budget
from possilog import Atom, Database
from possilog.data.taking import facts_of
from possilog.deadline import Deadline
from possilog.learning import columns
from possilog.learning.clock import Clock
from possilog.learning.columns import SHARES, _allowed, is_of_tables, measured
from possilog.learning.confidence import Confidence, Judge
from possilog.learning.edits import Edits
from possilog.learning.examples import _Examples, _ranked, has_examples
from possilog.learning.files import Work
from possilog.learning.finishing import _apart, finished
from possilog.learning.focus import Focus
from possilog.learning.found import Found, Weighed
from possilog.learning.hard_part import HardPart, hard_part
from possilog.learning.judged import for_ranking
from possilog.learning.measurement import Measurement, SizeGain
from possilog.learning.notes import rule_notes
from possilog.learning.ordering import by_confidence, complete_order
from possilog.learning.outcomes import ShareGain
from possilog.learning.phases import Task
from possilog.learning.result import Learned, Ordered
from possilog.learning.run import LearningRun
from possilog.learning.settings import Settings, settings_for
from possilog.logic import (
    DEMOTED,
    Declared,
    HeldOut,
    Judged,
    Measured,
    Measures,
    Precision,
    Predicate,
    Provenance,
    Rule,
    Theory,
    Weight,
    parse_clause,
    parse_theory,
)  # fmt: skip
from possilog.progress import Step
from possilog.structure.columns import ColumnRule

P, Q = Predicate("p", 1), Predicate("q", 1)
RULES = [parse_clause(text) for text in ("p(X) :- q(X).", "p(X) :- r(X).", "q(X) :- r(X).", "q(X) :- p(X), r(X).")]


# The hard part


def test_what_becomes_of_clauses_at_their_borders() -> None:
    """Constraints with a support of two are demoted, rules that rest on two units are tried as soft ones."""
    texts = {
        ":- p(X), q(X).": "demoted",
        "r(X) :- p(X).": "by_chance",
        "r(X) ; s(X) :- q(X).": "",
        "s(X).": "by_chance",
    }
    earned = parse_clause("t(X) :- u(X).")
    told = parse_clause("t(X) :- u(X), v(X).")  # which the earned one says
    for support, units in product((1, 2, 3), (1, 2, 3)):
        rules = [
            SimpleNamespace(clause=parse_clause(text), support=support, units=units, is_earned=False) for text in texts
        ]
        rules += [
            SimpleNamespace(clause=earned, support=9, units=9, is_earned=True),
            SimpleNamespace(clause=told, support=9, units=9, is_earned=False),
        ]
        listed = tuple(rule.clause for rule in rules)
        found: Any = SimpleNamespace(rules=rules, earned=(earned,), clauses=listed, units={earned: 9})
        part = hard_part(found, found.clauses, (), earn=True)
        assert (part.all, part.earned, part.all_hard) == (found.clauses, (earned,), False)
        assert part.units == {earned: 9}
        named = {kind: [parse_clause(text) for text, its in texts.items() if its == kind] for kind in texts.values()}
        assert list(part.demoted) == (named["demoted"] if support >= 2 else [])
        assert part.by_chance == (dict.fromkeys(named["by_chance"], units) if units >= 2 else {})
        kept = hard_part(found, found.clauses[1:], (named["by_chance"][0], told), earn=True)
        assert kept.earned == (earned, named["by_chance"][0], told) and kept.demoted == ()
        assert named["by_chance"][0] not in kept.by_chance
        assert hard_part(found, (), (), earn=True) == HardPart()


# Columns


def drawn(seed: int) -> list[ColumnRule]:
    chance = Random(seed)
    rules = []
    for clause in chance.sample(RULES, chance.randint(0, 4)):
        says = np.array([chance.choice([1, 1, -1, 0]) for _ in range(6)])
        outside = chance.choice([(0, 0), (3, 0), (2, 1), (0, 2), (5, 0)])
        if chance.random() < 0.3:
            says = np.abs(says)
        rules.append(ColumnRule(clause, says > 0, says < 0, outside, is_otherwise=chance.random() < 0.2))
    return rules


def held_out(rule: ColumnRule) -> HeldOut:
    cases = sum(rule.outside)
    return HeldOut(rule.outside[0], round((rule.true + 1) / (rule.true + rule.false + 2) * cases, 2), cases)


@pytest.mark.parametrize("as_list", [False, True])
def test_what_is_measured_of_columns_by_definition(as_list: bool) -> None:
    for seed in range(budget(100, least=50)):
        chosen, without = drawn(seed), drawn(seed + 1000)
        lists = (Precision(P, HeldOut(1, 1, 2)),)
        found = measured(chosen, without, [P], as_list=as_list, lists=lists)
        assert found.rules == tuple(rule.clause for rule in chosen) and found.measures.lists == lists
        tried = {rule.clause: held_out(rule) for rule in without if sum(rule.outside) and not rule.is_otherwise}
        decided = np.zeros(6, bool)
        for rule, said in zip(chosen, found.measures.rules, strict=True):
            free = ~decided if as_list else np.ones(6, bool)
            true, false = int((rule.right & free).sum()), int((rule.wrong & free).sum())
            decided = decided | rule.right | rule.wrong
            everywhere = (true, false) == (rule.true, rule.false)
            nontrivial = 0 if rule.clause.head[0].predicate == P else false
            outside = tried.get(rule.clause, HeldOut()) if everywhere else HeldOut()
            assert said == Measured(rule.clause, true, false, nontrivial, outside)
        right, promised, cases = (
            sum(getattr(one, name) for one in tried.values()) for name in ("right", "said", "cases")
        )
        gain = max(2 * right - cases, 0)
        assert (found.measures.shares, found.measures.seen) == (SHARES, SHARES)
        assert found.measures.added == tuple(round(gain * (1 - share), 4) for share in SHARES)
        sure = [held_out(rule) for rule in without if rule.false == 0 and any(rule.outside)]
        assert found.measures.faultless.cases == sum(one.cases for one in sure)
        assert found.measures.faultless.said == pytest.approx(sum(one.said for one in sure))
        about = len({rule.clause.head[0].predicate for rule in chosen})
        rules = (
            f"{len(chosen)} rule{'' if len(chosen) == 1 else 's'} about {about} predicate{'' if about == 1 else 's'}"
        )
        if not chosen:
            assert found.reason.startswith("no rule of the columns is right often enough")
        elif not cases:
            assert found.reason == f"{rules}; there were too few rows to hold some out"
        else:
            assert found.reason == (
                f"{rules}; on rows that were held out, rules found without them are right in {right / cases:.1%} "
                f"of {cases:,} cases, where they promised {promised / cases:.1%}"
            )


def test_what_is_not_banned_the_most_certain_first() -> None:
    for seed in range(20):
        mined = drawn(seed)
        task: Any = SimpleNamespace(edits=Edits(Theory(banned=(RULES[0],))))
        expected = [rule for rule in mined if rule.clause != RULES[0]]
        expected.sort(key=lambda rule: (-(rule.true + 1) / (rule.true + rule.false + 2), -rule.true, str(rule.clause)))
        assert [rule.clause for rule in _allowed(task, mined)] == [rule.clause for rule in expected]


def test_tables_and_examples_are_for_prediction() -> None:
    plain = facts_of(["p(a)", "q(b)"])
    typed = Database.of(list(plain), declared=Declared({P: ("thing",)}))
    denied = Database.of(list(plain), denied=[Atom.ground("p", ["b"])])
    for objective in ("likelihood", "prediction", "zeal"):
        wanted = objective == "prediction"
        assert is_of_tables(typed, objective) == wanted and not is_of_tables(plain, objective)
        assert has_examples(denied, [P], objective) == wanted
        assert not has_examples(denied, [], objective) and not has_examples(plain, [P], objective)
        assert not has_examples(denied, [P, Q], objective)


# Examples


def test_examples_by_definition() -> None:
    """A rule is right and wrong about what is said of the target; a third of that is held out, and not learned from."""
    things = [f"t{n}" for n in range(12)]
    facts = [Atom.ground("p", [t]) for t in things[:7]] + [Atom.ground("q", [t]) for t in things[2:10]]
    database = Database.of(
        facts + [Atom.ground("r", [t]) for t in things], denied=[Atom.ground("p", [t]) for t in things[7:]]
    )
    task: Any = SimpleNamespace(database=database, settings=SimpleNamespace(seed=3))
    examples = _Examples(task, P)
    kept = {side: {things_of for (things_of,) in examples.kept(side).T.tolist()} for side in (True, False)}
    number = {t: database.number(t) for t in things}
    assert kept[True] < {number[t] for t in things[:7]} and kept[False] < {number[t] for t in things[7:]}
    assert len(kept[True]) + len(kept[False]) == 8
    judge = Judge(database, ())
    rule = examples.rule(judge, RULES[0])
    assert rule is not None and (rule.true, rule.false) == (5, 3)
    left = {*number.values()} - kept[True] - kept[False]
    assert rule.outside == (
        len(left & {number[t] for t in things[2:7]}), len(left & {number[t] for t in things[7:10]}),
    )  # fmt: skip
    ranked = _ranked(judge, {P: examples}, [RULES[1], RULES[0], RULES[2]])
    assert [(one.clause, one.true, one.false) for one in ranked] == [(RULES[0], 5, 3), (RULES[1], 7, 5)]
    few: Any = SimpleNamespace(heads=lambda clause: None)
    assert examples.rule(few, RULES[0]) is None and _ranked(few, {P: examples}, RULES) == []


# Orders and weights


def test_weights_by_confidence() -> None:
    judged = {RULES[0]: Confidence(3, 5, 1), RULES[1]: Confidence(8, 0, 0), RULES[2]: Confidence(10**7, 0, 0)}
    theory = by_confidence([RULES[3]], RULES[:3], judged)
    weights = {rule.clause: str(rule.weight) for rule in theory}
    assert weights == {RULES[3]: "1", RULES[0]: "0.666667", RULES[1]: "0.9", RULES[2]: "1-1e-6"}
    ordered = by_confidence([], [RULES[1], RULES[0], RULES[2], RULES[3]], judged, in_order=True)
    assert [str(rule.weight) for rule in ordered] == ["0.9", "0.666667", "0.666667", "0.5"]


def test_the_best_theory_so_far() -> None:
    edits, judged = Edits(Theory()), {clause: Confidence(3, 1, 1) for clause in RULES}
    hard = HardPart((RULES[3],), (RULES[3],), by_chance={RULES[2]: 7})
    start = Found(hard, judged)
    assert start.judged == {RULES[2]: Confidence(3, 1, 1), **judged} and not start.in_order
    assert Found(hard).judged == {RULES[2]: Confidence(7, 0, 0)}
    assert [rule.clause for rule in start.theory(edits)] == [RULES[3]]
    ordering: Any = SimpleNamespace(theory=lambda hard: Theory((Rule(RULES[0], Weight.of("0.7")),)))
    assert [rule.clause for rule in replace(start, ordering=ordering).theory(edits)] == [RULES[0]]
    locked = Edits(parse_theory("#lock 0.9 :: q(X) :- r(X)."))
    assert [r.clause for r in replace(start, ordering=ordering).theory(locked)] == [RULES[3], RULES[2]]
    measurement = Measurement((RULES[1],), Measures(), "why")
    chosen = replace(start, ordering=ordering, measurement=measurement)
    assert [rule.clause for rule in chosen.theory(edits)] == [RULES[3], RULES[1]]
    assert {rule.clause for rule in chosen.theory(locked)} == {RULES[3], RULES[1], RULES[2]}
    ordered = replace(chosen, ordered=Ordered((RULES[0],)))
    assert [rule.clause for rule in ordered.theory(locked)] == [RULES[3], RULES[0]]
    weighed = replace(ordered, weighed=Weighed(Theory(), None, {}))
    assert weighed.theory(locked) == Theory()


def test_a_theory_for_prediction_is_finished() -> None:
    """Of the hard rules those that were earned, then what was demoted and types do not say."""
    database = facts_of([f"p(a{n})" for n in range(5)] + [f"q(b{n})" for n in range(5)] + ["s(a0)", "t(a1)"])
    apart, other = parse_clause(":- p(X), q(X)."), parse_clause(":- s(X), t(X).")
    theory = parse_theory("p(X) :- s(X). q(X) :- t(X). 0.9 :: p(X) :- q(X). 0.9 :: p(X) :- t(X). 0.8 :: false.")
    hard = HardPart((), (theory.hard[0].clause,), (apart, other))
    found = finished(theory, Found(hard), database)
    assert found.types is not None and found.measures is None
    assert [rule.clause for rule in found.hard_listed] == [theory.hard[0].clause]
    assert [rule.clause for rule in found.rules if rule.weight == DEMOTED] == [other]
    assert len({rule.weight for rule in found.ranked}) == 2, "each is a stratum of its own"
    every = finished(theory, Found(replace(hard, all_hard=True)), database)
    assert every.types is None
    assert {rule.clause for rule in every.rules if rule.weight == DEMOTED} == {apart, other}
    for pinned in (
        replace(theory, falsity_pinned=True),
        parse_theory("#pin 0.9 :: p(X) :- q(X). 0.9 :: p(X) :- t(X)."),
    ):
        kept = finished(pinned, Found(hard), database)
        assert [rule.weight for rule in kept.ranked] == [Weight.of("0.9")] * 2 and kept.falsity == pinned.falsity


@pytest.mark.parametrize(
    ("doubts", "expected"),
    [
        (["0.1", "0.1", "0.1"], ["0.1", "0.100000000001", "0.100000000002"]),
        (["0.1", "0.05"], ["0.1", "0.100000000001"]),
        (["0.002", "0.002"], ["0.002", "0.00200000000001"]),
        (["0.9999999999999", "0.9"], ["0.9999999999999", "1"]),
        (["0", "0"], ["0", "1e-11"]),
    ],
)  # fmt: skip
def test_rules_that_likelihood_cannot_tell_apart_differ_in_the_twelfth_digit(
    doubts: list[str], expected: list[str]
) -> None:
    found, falsity = _apart(
        [Rule(clause, Weight(Decimal(d))) for clause, d in zip(RULES, doubts, strict=False)], Weight.of("0.99")
    )
    assert [rule.weight.doubt for rule in found] == list(map(Decimal, expected))
    assert falsity == min(Weight.of("0.99"), *(rule.weight for rule in found))


def test_candidates_for_ranking() -> None:
    """Not those that the theory says as hard rules, or of which it has measures; nor those that give nothing."""
    judged = {
        clause: Confidence(*counts)
        for clause, counts in zip(RULES, [(5, 1, 0), (5, 1, 1), (9, 0, 0), (0, 4, 4)], strict=True)
    }
    every = [Judged(clause, c.true, c.false, c.nontrivial) for clause, c in judged.items() if c.true]
    every.sort(key=lambda rule: (-rule.confidence, -rule.true, str(rule.clause)))
    assert for_ranking(Theory(), judged, 9) == tuple(every) and for_ranking(Theory(), judged, 2) == tuple(every[:2])
    theory = Theory((Rule(RULES[0]), Rule(RULES[1], Weight.of("0.9")), Rule(RULES[2], Weight.of("0.8"))))
    theory = replace(theory, measures=Measures(rules=(Measured(RULES[1], 1, 0, 0),)))
    assert [rule.clause for rule in for_ranking(theory, judged, 9)] == [RULES[2]]
    unmeasured = replace(theory, measures=None)
    assert {rule.clause for rule in for_ranking(unmeasured, judged, 9)} == {RULES[1], RULES[2]}


def test_an_order_is_completed() -> None:
    ordering: Any = SimpleNamespace(rules=(RULES[0], RULES[1]))
    assert complete_order(ordering, [RULES[2], RULES[0], RULES[3]]) == (RULES[1], RULES[0], RULES[2], RULES[3])


def test_rules_have_notes_while_there_is_time() -> None:
    database = facts_of(["p(a)", "q(a)", "q(b)"])
    assert rule_notes([RULES[0]], database) == {RULES[0]: "support 1, confidence 0.5 (1 of 2)"}
    assert rule_notes([], database) == rule_notes([RULES[0]], database, stop=Deadline(0)) == {}


# A run


def test_a_run_keeps_what_was_not_cut_short(tmp_path: Path) -> None:
    told: list[Step] = []
    for shortened in (True, False):
        work = Work(tmp_path, lambda: "run")
        run = LearningRun(Clock(), work, told.append)
        if shortened:
            run.clock.shorten()
        assert not run.has("phase")
        assert run.kept("phase", lambda: 3, str, int) == 3 and run.has("phase") != shortened
    assert run.kept("phase", lambda: pytest.fail("it is kept"), str, int) == 3
    run.remark("one")
    run.remark("two")
    run.remark("one")
    assert run.remarks == ["one", "two"]
    with run.phase("ordering"):
        run.tell("counting", 1, 2)
    run.told(Step("other", 3, 4, "judging"))
    assert told == [Step("ordering"), Step("ordering", 1, 2, "counting"), Step("ordering", 3, 4, "judging")]
    assert list(run.seconds) == ["ordering"] and 0 <= run.seconds["ordering"] < 5


# The result


def learned(**more: Any) -> Learned:
    theory = parse_theory("p(X) :- s(X). 0.9 :: p(X) :- q(X). 0.8 :: p(X) :- r(X).")
    judged = {RULES[0]: Confidence(3, 2, 1), RULES[2]: Confidence(1, 0, 0)}
    return Learned(theory, Provenance((), 3, 2), Settings(), HardPart(), judged, **more)


def test_pictures_of_what_was_learned() -> None:
    table = (ShareGain(0.1, 2.0, 1.5, 0.1), ShareGain(0.5, 1.0, -0.25, 0.1))
    curve = (SizeGain(2, 5.0), SizeGain(0, 1.0), SizeGain(1, 4.0))
    found = learned(measurement=Measurement((), Measures(), "why", table, curve))
    lines = found.plot().lines
    assert {name: (line.x, line.y) for name, line in lines.items()} == {
        "hard and soft rules": ([0.1, 0.5], [3.5, 0.75]),
        "hard rules": ([0.1, 0.5], [2.0, 1.0]),
    }
    (line,) = found.plot_sizes().lines.values()
    assert (line.x, line.y) == ([0, 1, 2], [1.0, 4.0, 5.0])
    assert learned().plot().lines["hard rules"].x == [] == learned().plot_sizes().lines["gain"].x


def test_what_was_learned_in_numbers_and_words() -> None:
    assert repr(learned()) == "<Learned: 1 hard rule, 2 soft rules>"
    assert repr(learned(finished=False)) == "<Learned: 1 hard rule, 2 soft rules, not finished>"
    said = learned().as_json
    assert (said["finished"], said["hard_rules"], said["holding"]) == (True, 1, 0)
    assert said["simulation"] is None and said["log_likelihood"] is None
    measurement = Measurement((RULES[0],), Measures(), "why")
    weighing: Any = SimpleNamespace(fit=SimpleNamespace(log_likelihood=-7.5))
    more = learned(measurement=measurement, weighing=weighing).as_json
    assert more["simulation"] == measurement.as_json and more["log_likelihood"] == -7.5
    frame = learned().to_frame()
    assert frame.drop(columns="weight").values.tolist() == [
        ["p(X) :- q(X).", 3, 2, 1, 0.6, 0.75],
        ["q(X) :- r(X).", 1, 0, 0, 1.0, 1.0],
    ]
    assert frame.weight[0] == "0.9" and frame.weight.isna().tolist() == [False, True]
    html = learned(notes={RULES[0]: "support 3"})._repr_html_()
    assert html.startswith("<div><p>Learned: 1 hard rule, 2 soft rules</p>") and "<td>support 3</td>" in html


def test_measurements_and_orders_come_back_from_json() -> None:
    plain = Measurement((RULES[0],), Measures(), "why")
    assert Measurement.from_json(plain.as_json) == plain
    full = replace(plain, measures=Measures((0.5,), (0.25,), (1.0,)), curve=(SizeGain(1, 2.0),))
    assert Measurement.from_json(full.as_json) == full
    for unlikely in (None, "too many worlds"):
        ordered = Ordered((RULES[0],), unlikely=unlikely)
        assert Ordered.from_json({**ordered.as_json, "curve": {"training": [], "held_out": []}}) == ordered


@pytest.mark.parametrize(
    ("targets", "as_list", "short"),
    [
        (("a",), True, True),
        (("u",), False, True),
        ((), False, False),
        (("a", "b"), False, False),
        (("a", "u"), False, False),
    ],
)
def test_one_target_that_has_one_value_of_each_thing_is_a_list(
    targets: tuple[str, ...], as_list: bool, short: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """a and b are functional columns, and u and v are true or false; of v nothing is said to be false."""
    things = [f"t{n}" for n in range(4)]
    types = {Predicate("a", 2): ("t", "a"), Predicate("b", 2): ("t", "b"), Predicate("u", 1): ("t",)}
    facts = [Atom.ground(name, [thing, "x"]) for name in "ab" for thing in things] + [Atom.ground("v", ["t0"])]
    denied = [Atom.ground("u", ["t0"]), Atom.ground("w", ["t0", "x"])]
    database = Database.of([*facts, Atom.ground("u", ["t1"])], denied=denied, declared=Declared(types))
    unique = [Predicate("a", 2), Predicate("b", 2)]
    asked: dict[str, Any] = {}

    def noted(name: str, answer: Any) -> Any:
        def told(*given: Any, **how: Any) -> Any:
            asked[name] = given, how
            return answer

        return told

    monkeypatch.setattr(columns, "functional", noted("functional", unique))
    monkeypatch.setattr(columns, "mine_columns", noted("mined", []))
    monkeypatch.setattr(columns, "best_list", noted("best", ([], HeldOut(1, 1, 2))))
    monkeypatch.setattr(columns, "taken", noted("taken", []))
    monkeypatch.setattr(columns, "measured", noted("measured", Measurement((), Measures(), "why")))
    settings = settings_for(database, focus=Focus(targets), width=2)
    run = LearningRun(Clock(), Work(None, str), lambda step: None)
    found = columns.find_in_columns(Task(database, settings, Edits(Theory()), run, {}))
    assert {p.name for p in asked["functional"][0][1]} == {"a", "b", "u"}
    assert set(map(str, found.hard.all)) == {":- a(A, B), a(A, C).", ":- b(A, B), b(A, C)."} and found.in_order
    mining = asked["mined"][0][1]
    assert (mining.otherwise, mining.width) == (len(targets) == 1, 2)
    assert ("best" in asked) == as_list and ("taken" in asked) == (not as_list)
    if not as_list:
        assert asked["taken"][1] == {"short": short}
    (_, _, decided), how = asked["measured"]
    assert {p.name for p in decided} == {"a", "b", "u"} and how["as_list"] == (len(targets) == 1)
    assert how["lists"] == ((Precision(unique[0], HeldOut(1, 1, 2)),) if as_list else ())
    assert not run.clock.shortened and list(run.seconds) == ["hard rules", "candidates", "held-out parts", "simulation"]
