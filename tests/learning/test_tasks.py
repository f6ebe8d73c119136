"""Phases and their decisions, each by itself: what is held out, what there is time for, what a reader is told."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from possilog import Atom, Database, TheoryLearner, learn, parse_theory
from possilog.counting import TooLarge
from possilog.data.taking import facts_of
from possilog.deadline import Deadline, OutOfTime
from possilog.errors import DataError, QueryError
from possilog.learning import phases, searching
from possilog.learning.candidates import LEAST_RIGHT, MINED, mined_candidates
from possilog.learning.clock import Clock
from possilog.learning.confidence import Confidence
from possilog.learning.dense import Dense
from possilog.learning.edits import Edits
from possilog.learning.files import Work
from possilog.learning.focus import Focus
from possilog.learning.found import Found, Weighed
from possilog.learning.from_facts import gathered
from possilog.learning.graph.plan import GraphPlan
from possilog.learning.groups import Part
from possilog.learning.hard_part import HardPart
from possilog.learning.learner import Learner
from possilog.learning.measurement import Measurement
from possilog.learning.ordering import Likelihood, meaning_of
from possilog.learning.phases import Task
from possilog.learning.plan import make_search_plan
from possilog.learning.result import Ordered
from possilog.learning.run import LearningRun
from possilog.learning.searching import Rest, Searching, Without
from possilog.learning.settings import Settings, settings_for
from possilog.learning.trials import Holdout
from possilog.logic import (
    Clause,
    Declared,
    Measures,
    Predicate,
    Provenance,
    Rule,
    Theory,
    Weight,
    canonical,
    parse_clause,
)
from possilog.progress import silent
from possilog.structure.horn import Limits
from possilog.structure.rules import SearchSettings

DATA = facts_of([f"p(a{n})" for n in range(8)] + [f"q(a{n})" for n in range(4)])
RULE, OTHER = parse_clause("p(X) :- q(X)."), parse_clause("q(X) :- p(X).")


def task(settings: Settings | None = None, groups: dict[str, str] | None = None, **more: Any) -> Task:
    run = LearningRun(Clock(more.pop("limit", None)), Work(None, str), silent)
    run.seconds |= {"hard rules": 1.0, "candidates": 2.0}
    edits = Edits(more.pop("start", Theory()))
    return Task(more.pop("database", DATA), settings or Settings(), edits, run, groups or {})


def parts(*sizes: int) -> list[Part]:
    return [Part(f"part-{n}", facts_of([f"p(a{k})" for k in range(size)]), DATA) for n, size in enumerate(sizes)]


def with_splits(one: Task, *splits: list[Part]) -> Task:
    one.__dict__["splits"] = [tuple(split) for split in splits]
    return one


# Parts


def test_given_groups_are_one_split_if_there_are_two_parts() -> None:
    halves = {f"a{n}": "north" if n < 4 else "south" for n in range(8)}
    assert [[part.name for part in split] for split in task(groups=halves).splits] == [["group-1", "group-2"]]
    assert task(groups=dict.fromkeys(halves, "all")).splits == []
    late = task(groups=halves, limit=0)
    assert late.splits == [] and late.run.remarks == [phases.UNCUT]


@pytest.mark.parametrize(("sizes", "whole"), [((5, 7), False), ((5, 6), True), ((12,), False), ((0, 1), True)])
def test_where_cutting_leaves_too_little_rules_are_tried_on_all_the_data(sizes: tuple[int, ...], whole: bool) -> None:
    """Two splits of twelve facts: their parts should hold twelve together."""
    one = with_splits(task(), parts(*sizes), [])
    holdouts = [Holdout(part.name, part.facts, HardPart(), {}) for part in parts(*sizes)]
    named = [("all", DATA)] if whole else [(part.name, part.part) for part in holdouts]
    assert phases._parts(one, holdouts) == named


def test_how_much_is_said_of_each_thing_is_asked_of_all_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each split; without parts nobody knows how well that shows the share."""
    assert phases._dense(with_splits(task())) is None
    some, others = parts(3, 4), parts(5)
    one = with_splits(task(Settings(seed=3)), some, others)
    found = phases._dense(one)
    assert found is not None and found == Dense.fit(DATA, [part.facts for part in (*some, *others)], 3)
    assert found != Dense.fit(DATA, [part.facts for part in some], 3) and found.facts[0] == 1
    asked: list[Dense | None] = []

    def measure(*given: Any, dense: Dense | None, **how: Any) -> Measurement:
        asked.append(dense)
        return Measurement((), Measures(), "why")

    monkeypatch.setattr(phases, "measure", measure)
    monkeypatch.setattr(phases, "_holdouts", lambda task, found: [])
    phases.predict_held_out(one, Found())
    assert asked == [found]


@pytest.mark.parametrize(("left", "again"), [(5.9, True), (6.0, False), (6.1, False), (None, False)])
def test_without_time_rules_are_judged_without_each_part(
    left: float | None, again: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To learn from all took three seconds, and there are two parts."""
    one = with_splits(task(), parts(3, 4))
    stop: Any = SimpleNamespace(left=left, passed=False)
    monkeypatch.setattr(Clock, "until", lambda clock, phase, share=1.0: stop)
    monkeypatch.setattr(phases, "_judged_again", lambda task, found, some: [part.name for part in some])
    learned = [Without(HardPart((RULE,)), {RULE: Confidence(1, 0, 0)}, whole=n == 0) for n in range(2)]
    asked: list[Rest] = []

    def in_order(make: Any, rests: list[Rest], jobs: int) -> Any:
        asked.extend(rests)
        yield from learned

    monkeypatch.setattr(phases, "in_order", in_order)
    found: Any = phases._holdouts(one, Found())
    if again:
        assert found == ["part-0", "part-1"]
    else:
        assert [rest.after for rest in asked] == [1, 0]
        assert [(one.name, one.hard.all, one.judged) for one in found] == [
            (f"part-{n}", (RULE,), {RULE: Confidence(1, 0, 0)}) for n in range(2)
        ]
        assert one.run.clock.shortened, "one of them was not whole"


def test_when_the_time_is_over_the_rest_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    one = with_splits(task(), parts(3, 4, 2))
    stop: Any = SimpleNamespace(left=9.0, passed=False)
    monkeypatch.setattr(Clock, "until", lambda clock, phase, share=1.0: stop)

    def in_order(make: Any, rests: list[Rest], jobs: int) -> Any:
        yield Without(HardPart(), {})
        stop.left = 0
        yield Without(HardPart(), {})

    monkeypatch.setattr(phases, "in_order", in_order)
    judged = {RULE: Confidence(2, 0, 0)}
    monkeypatch.setattr(phases, "judge_all", lambda rest, hard, candidates, stop, jobs: judged)
    told: list[str] = []
    monkeypatch.setattr(one.run, "tell", lambda doing, done=0, steps=None: told.append(f"{doing} {done} {steps}"))
    found = phases._holdouts(one, Found(HardPart((OTHER,)), judged))
    assert [(one.name, one.hard.all, dict(one.judged)) for one in found] == [
        ("part-0", (), {}), ("part-1", (OTHER,), judged), ("part-2", (OTHER,), judged),
    ]  # fmt: skip
    assert one.run.remarks == [phases.NO_TIME] and one.run.clock.shortened
    assert told == [
        "learning without part-0 0 3", "learning without part-1 1 3",
        "judging without part-1 0 2", "judging without part-2 1 2",
    ]  # fmt: skip


@pytest.mark.parametrize("mined", [False, True])
def test_rules_are_judged_by_the_hard_rules_of_the_theory(mined: bool) -> None:
    """Not by all that hold: of the four heads that a rule gets wrong, these refute three, and those of the theory one.

    Nor are they without a part.
    """
    numbers = {"met": range(12), "knows": range(8), "far": range(8, 11), "late": range(8, 9)}
    database = facts_of([f"{name}(a{n}, b{n})" for name, some in numbers.items() for n in some])
    rule = parse_clause("knows(X, Y) :- met(X, Y).")
    far, late = (parse_clause(f":- knows(X, Y), {name}(X, Y).") for name in ("far", "late"))
    one = task(Settings(mined=mined, search=SearchSettings(Limits(body=1))), database=database)
    for hard, nontrivial in ((HardPart((far, late), (), (late,)), 3), (HardPart((far, late), (far,), (late,)), 1)):
        found = one.searching.candidates(database, hard, Deadline(), Deadline())
        expected = Confidence(8, 4, nontrivial)
        assert {canonical(clause): judged for clause, judged in found.items()}[canonical(rule)] == expected
        (part,) = phases._judged_again(one, Found(hard, {rule: Confidence(0, 0, 0)}), [Part("part", DATA, database)])
        assert (part.hard, part.judged) == (hard, {rule: expected})


def test_hard_rules_that_were_not_all_searched_shorten_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_whole in (True, False):
        one = task()
        monkeypatch.setattr(Searching, "hard", lambda self, data, stop, told, whole=is_whole: (HardPart(), whole))
        assert phases.find_hard(one) == HardPart() and one.run.clock.shortened != is_whole


def test_what_is_banned_is_no_candidate_and_what_is_written_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = {parse_clause("p(A) :- q(A)."): Confidence(3, 1, 1), OTHER: Confidence(1, 0, 0)}
    monkeypatch.setattr(Searching, "candidates", lambda *given: judged)
    one = task(start=parse_theory("#lock 0.9 :: p(X) :- q(X). #ban q(X) :- p(X)."))
    assert phases.find_soft(one, HardPart()) == {RULE: Confidence(3, 1, 1)}


def test_without_time_to_tell_chance_the_pool_is_what_a_person_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    class Late:
        def __init__(self, *given: Any) -> None:
            pass

        def beaten_by(self, *given: Any) -> None:
            raise OutOfTime

    monkeypatch.setattr(phases, "BaseRate", Late)
    found, stop = Found(candidates={RULE: Confidence(5, 0, 0), OTHER: Confidence(5, 1, 1)}), Deadline()
    assert phases._pool(task(), found, stop) == () and stop.passed
    kept = phases._pool(task(start=parse_theory("#lock 0.9 :: p(X) :- q(X).")), found, stop)
    assert [rule.clause for rule in kept] == [RULE]


# Orders


@pytest.mark.parametrize(
    ("max_rules", "curve", "most"),
    [(None, (1.0, 2.0), None), (3, (1.0,), 3), ("knee", (), None), ("knee", (-9.0, -1.0, -1.0), 1)],
)
def test_how_many_rules_are_ordered(
    max_rules: Any, curve: tuple[float, ...], most: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = with_splits(task(Settings(max_rules=max_rules, width=3)), *([parts(3, 4)] if curve else []))
    asked: list[tuple[Any, Any]] = []

    def order(max_rules: Any, penalty: str, better: Any) -> Any:
        asked.append((max_rules, penalty))
        best = SimpleNamespace(rules=(RULE, OTHER), log_likelihood=-112.0)
        return SimpleNamespace(best=best, path=[best, best])

    likelihood: Any = SimpleNamespace(candidates=(RULE,), order=order, held_out=lambda rest, part: curve)
    found = phases._order_by(one, likelihood, lambda ordering: None)
    assert asked == [(most, "bic")]
    assert found.rules == (OTHER, RULE)[:most] and found.curve.held_out == curve
    assert found.curve.training == (-2.0, -2.0), "of 56 fragments of three among eight constants"
    assert phases._held_out(one, replace_candidates(likelihood)) == ()


def replace_candidates(likelihood: Any) -> Any:
    return SimpleNamespace(candidates=(), held_out=likelihood.held_out)


def test_where_worlds_are_too_many_the_order_stands_without_likelihood(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []

    def too_large(*given: Any, **how: Any) -> Any:
        asked.append(how)
        raise TooLarge("too many worlds")

    monkeypatch.setattr(Likelihood, "of", too_large)
    measured = Found(measurement=Measurement((RULE,), Measures(), "why"))
    for in_order in (False, True):
        found = phases.order(task(), replace(measured, in_order=in_order), lambda ordering: None)
        assert found == Ordered((RULE,), unlikely="too many worlds")
        assert asked[-1]["most_worlds"] == (50_000 if in_order else 2_000_000) and asked[-1]["only_profiles"]
    noted: list[Any] = []
    monkeypatch.setattr(phases, "_likelihood", lambda *given, **how: asked.append(how))

    def fails(task: Any, likelihood: Any, better: Any) -> None:
        better(SimpleNamespace(rules=(RULE, OTHER)))
        raise TooLarge("late")

    monkeypatch.setattr(phases, "_order_by", fails)
    found = phases.order(task(), Found(candidates={RULE: Confidence(1, 0, 0)}), noted.append)
    assert found == Ordered((OTHER, RULE), unlikely="late") and len(noted) == 1 and not asked[-1]["only_profiles"]


def test_weights_where_likelihood_can_and_cannot_be_had(monkeypatch: pytest.MonkeyPatch) -> None:
    judged = {RULE: Confidence(4, 0, 0), OTHER: Confidence(4, 4, 4)}
    found = Found(candidates=judged, measurement=Measurement((OTHER,), Measures(), "why"), ordered=Ordered((OTHER,)))
    weighed = phases.weigh_order(task(), found)
    assert weighed.weighing is not None and [rule.clause for rule in weighed.theory.soft] == [OTHER]
    assert [rule.clause for rule in weighed.theory.judged] == [RULE, OTHER] and weighed.notes == {}
    unlikely = replace(found, ordered=Ordered((OTHER,), unlikely="too many"))
    plain = phases.weigh_order(task(), unlikely)
    assert plain.weighing is None and [str(rule.weight) for rule in plain.theory.soft] == ["0.5"]

    def too_large(*given: Any, **how: Any) -> Any:
        raise TooLarge("too many")

    monkeypatch.setattr(phases, "weigh_by", too_large)
    late = task()
    again = phases.weigh_order(late, found)
    assert again.weighing is None and late.run.clock.shortened and again.theory == plain.theory
    simple = phases.weigh_order(task(), Found(ordered=Ordered((OTHER,), unlikely="too many")))
    assert simple.theory.measures is None and simple.notes == {OTHER: "support 4, confidence 0.5 (4 of 8)"}


# Searches


def test_what_is_searched_and_where_values_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    hard = HardPart((RULE, OTHER), (RULE,))

    def finding(rule: Clause, data: Database, its: Any, search: Any, **how: Any) -> dict[Clause, Confidence]:
        assert its == hard.all and how["kept"] == hard.kept
        return {rule: Confidence(1, 0, 0)}

    monkeypatch.setattr(searching, "find_candidates", partial(finding, RULE))
    monkeypatch.setattr(searching, "mined_candidates", partial(finding, OTHER))

    def mined(database: Database, mining: Any, **how: Any) -> list[Any]:
        asked.append(mining)
        return [SimpleNamespace(clause=parse_clause(text)) for text in ("p(A) :- q(A).", 'p(A) :- q(A), r(A, "x").')]

    monkeypatch.setattr(searching, "mine_columns", mined)

    def judged(data: Database, kept: Any, new: list[Clause], stop: Deadline, jobs: int) -> dict[Clause, Confidence]:
        assert kept == hard.kept == (RULE,)
        return dict.fromkeys(new, Confidence(2, 0, 0))

    monkeypatch.setattr(searching, "judge_all", judged)
    denied = Database.of(list(DATA), denied=[Atom.ground("p", ["b"]), Atom.ground("r", ["b", "x"])])
    p, q = Predicate("p", 1), Predicate("q", 1)

    def found(database: Database, **more: Any) -> list[str]:
        asked.clear()
        settings = Settings(mined=more.pop("mined", False), focus=Focus(**more))
        stop = Deadline()
        return list(map(str, Searching(settings, Edits(Theory())).candidates(database, hard, stop, stop)))

    assert found(DATA) == ["p(X) :- q(X)."] and not asked
    assert found(DATA, mined=True) == ["q(X) :- p(X)."] and not asked
    assert found(denied) == ["p(X) :- q(X).", "p(A) :- q(A), r(A, x)."] and asked[0].targets == (p,)
    assert found(denied, targets=("q",)) == ["p(X) :- q(X)."] and not asked
    assert found(denied, targets=("p", "q")) and asked[0].targets == (p,) and asked[0].constants is None
    assert found(DATA, constants=("q.2",)) and asked[0].constants == ("q.2",) and asked[0].targets == ()
    assert found(DATA, auto_width=True) and asked[0].constants == () and asked[0].width is None
    assert found(DATA, constants=("q.2",), targets=("q",)) and asked[0].targets == (q,) and asked[0].width == 3


@pytest.mark.parametrize(("hard", "earn"), [("earned", True), ("all", False)])
@pytest.mark.parametrize(("complete", "minimal"), [(True, True), (True, False), (False, True)])
def test_hard_rules_are_earned_or_all(
    hard: str, earn: bool, complete: bool, minimal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(clauses=(RULE,), complete=complete, minimal=minimal)
    monkeypatch.setattr(searching, "find_hard_rules", lambda data, **how: found)
    monkeypatch.setattr(searching, "hard_part", lambda found, every, kept, *, earn: (every, kept, earn))
    part: Any
    part, is_whole = Searching(Settings(hard=hard), Edits(Theory())).hard(DATA, Deadline())
    assert part == ((RULE,), (), earn) and is_whole == (complete and minimal)


@pytest.mark.parametrize(("is_whole", "first", "second"), [(True, 0, 0), (False, 0, 0), (True, 1, 0), (True, 0, 1)])
def test_what_was_learned_without_a_part_is_whole_if_nothing_was_cut_short(
    is_whole: bool, first: int, second: int
) -> None:
    stop, stop_judging = Deadline(8), Deadline()
    stop.passed, stop_judging.passed = bool(first), bool(second)
    asked: list[float] = []

    def hard(database: Database, stop: Deadline) -> tuple[HardPart, bool]:
        asked.append(stop.left or 0)
        return HardPart(), is_whole

    some: Any = SimpleNamespace(hard=hard, candidates=lambda *given: {})
    found = Without.fit(some, stop, stop_judging, Rest(DATA, 1))
    assert found.whole == (is_whole and not first and not second) and asked[0] == pytest.approx(2, abs=0.5)
    assert Without(HardPart(), {}).whole


def test_path_rules_that_are_right_much_more_often_than_wrong_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    from possilog.learning import candidates

    asked: dict[str, Any] = {}
    sizes = [(9, 10), (3, 3), (5, 20), (8, 10), (2, 3)]
    rules = [
        SimpleNamespace(rule=f"r{n}", clause=parse_clause(f"r{n}(X) :- q(X)."), support=support, body_size=size)
        for n, (support, size) in enumerate(sizes)
    ]

    def mine(database: Database, **how: Any) -> list[Any]:
        asked.update(how)
        return rules

    monkeypatch.setattr(candidates, "mine", mine)
    monkeypatch.setattr(candidates, "judge_all", lambda data, hard, clauses, stop, jobs: list(clauses))
    monkeypatch.setattr(candidates, "MINED", 3)
    stop = Deadline()
    found: Any = mined_candidates(DATA, (), SearchSettings(Limits(width=4, body=5, min_support=3)), stop=stop)
    assert [clause.head[0].predicate.name for clause in found] == ["r0", "r3", "r1"] and not stop.passed
    assert (asked["body"], asked["min_support"], asked["min_confidence"], asked["constants"], asked["targets"]) == (
        3, 3, LEAST_RIGHT, False, None,
    )  # fmt: skip
    late = Deadline(0)
    mined_candidates(DATA, (), SearchSettings(Limits(width=4, body=2)), targets=[Predicate("p", 1)], stop=late)
    assert late.passed and asked["body"] == 2 and asked["targets"] == ["p"] and MINED == 400


# What a reader is told


def told(start: str = "", rules_per_head: int | None = None, limit: float | None = None, **found: Any) -> list[str]:
    settings = Settings(rules_per_head=rules_per_head)
    learner = Learner(DATA, settings, start=parse_theory(start), clock=Clock(limit))
    learner._found = Found(**found)
    if limit is not None:
        learner.clock.shorten()
    return list(learner._what_to_know())


def test_what_a_reader_has_to_know() -> None:
    """Was it finished, was all searched, was likelihood to be had, and what the weights are."""
    confidences = meaning_of((), {})
    measurement = Measurement((RULE,), Measures(), "why")
    weighed, unweighed = Weighed(Theory(), SimpleNamespace(), {}), Weighed(Theory(), None, {})  # type: ignore[arg-type]
    assert told() == ["not finished: the run ended in the phase 'hard rules'"]
    assert told(measurement=measurement) == [*told(), confidences]
    assert told(weighed=weighed) == [] == told(weighed=weighed, measurement=measurement)
    assert told(weighed=weighed, start="#lock 0.9 :: p(X) :- q(X).") == []
    assert told(weighed=unweighed) == [] == told(weighed=unweighed, start="0.9 :: p(X) :- q(X).")
    assert told(weighed=unweighed, measurement=measurement) == [confidences]
    assert told(weighed=unweighed, rules_per_head=3) == [confidences]
    assert told(weighed=unweighed, start="#lock 0.9 :: p(X) :- q(X).") == [confidences]
    assert told(weighed=weighed, limit=7.5) == ["not all was searched: the run had 7.5 seconds"]
    assert told(weighed=weighed, ordered=Ordered(unlikely="worlds")) == ["ordered without likelihood: worlds"]
    learner = Learner(DATA, Settings())
    learner._found = Found(weighed=weighed)
    learner.clock.shorten()
    assert list(learner._what_to_know()) == ["not all was searched: there are too many clauses"]
    learner._run.remark("a remark")
    assert list(learner._what_to_know())[1:] == ["a remark"]


def test_predicates_of_more_arguments_than_variables_are_named() -> None:
    wide = facts_of(["p(a)", "t(a, b, c)", "u(a, b, c, d)"])
    learner = Learner(wide, Settings())
    learner._found = Found(weighed=Weighed(Theory(), None, {}))
    assert list(learner._what_to_know()) == [
        "rules have 3 variables, so that there are none about u/4: raise the width, or give tables"
    ]
    assert Learner(wide, settings_for(wide, focus=Focus(("t",))))._wide == []
    assert Learner(wide, settings_for(wide, focus=Focus(("t", "u"))))._wide == []
    with pytest.raises(DataError, match="rules have 3 variables, so that there are none about u/4; give its facts as"):
        Learner(wide, settings_for(wide, focus=Focus(("u",))))
    types = {p: tuple(f"{p.name}{n}" for n in range(p.arity)) for p in wide.predicates}
    Learner(Database.of(list(wide), declared=Declared(types)), settings_for(wide, focus=Focus(("u",))))


def test_what_a_learner_refuses() -> None:
    with pytest.raises(DataError, match="there are no facts to learn from"):
        Learner(Database.of([]), Settings())
    with pytest.raises(QueryError, match="validation facts are for the rules of graphs"):
        Learner(DATA, Settings(), valid=DATA)
    assert Learner(DATA, Settings(rules_per_head=2), valid=DATA).valid is DATA
    assert Learner(DATA, Settings()).plan == make_search_plan(DATA, Settings())
    graph = facts_of(["r(a, b)"])
    for per_head, every in ((3, False), ("all", True)):
        plan = Learner(graph, Settings(rules_per_head=per_head)).plan
        assert isinstance(plan, GraphPlan) and plan.every == every


def test_the_best_so_far_says_whether_it_is_finished() -> None:
    for weighed, shortened in ((False, False), (True, False), (True, True)):
        learner = Learner(DATA, Settings())
        soft = Theory((Rule(RULE, Weight.of("0.7")),))
        judged = {RULE: Confidence(4, 0, 0)}
        weighing: Any = SimpleNamespace(fit=SimpleNamespace(log_likelihood=-3.0))
        learner._found = Found(
            candidates=judged, weighed=Weighed(soft, weighing, {OTHER: "noted"}) if weighed else None
        )
        if shortened:
            learner.clock.shorten()
        best = learner.best
        assert best.finished == (weighed and not shortened) and best.plan == make_search_plan(DATA, Settings()).as_json
        notes: dict[Clause, str] = {RULE: "support 4, confidence 1"}
        assert best.notes == notes | ({OTHER: "noted"} if weighed else {})
        assert best.weighing is (weighing if weighed else None)
        assert best.provenance.log_likelihood == (-3.0 if weighed else None)
        assert isinstance(best.provenance, Provenance) and len(best.theory.soft) == weighed


# What people give


def test_facts_by_file(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("p(a).\n")
    (tmp_path / "b.db").write_text("p(b).\n")
    one, two = (str(tmp_path / name) for name in ("a.db", "b.db"))
    assert list(gathered(one)) == [one] == list(gathered(tmp_path / "a.db")) and list(gathered([one, two])) == [
        one,
        two,
    ]
    assert list(gathered([DATA, DATA])) == ["part 1", "part 2"] and gathered(DATA) == {"": DATA}
    both: Any = ["p(a)", Atom.ground("p", ["b"])]
    assert gathered(both) == {"": facts_of(["p(a)", "p(b)"])}
    for wrong in (3, None):
        with pytest.raises(DataError, match="facts can be"):
            gathered(wrong)  # type: ignore[arg-type]
    mixed: Any
    for mixed in ([one, DATA], [one, "p(a)"], [3], [DATA, 3], ["p(a)", 3]):
        with pytest.raises(DataError, match="give several of one kind"):
            gathered(mixed)
    with pytest.raises(QueryError, match="the groups of constants"):
        learn(DATA, groups={"a0": 3})  # type: ignore[dict-item]
    with pytest.raises(QueryError, match="the settings are 3"):
        learn(DATA, settings=3)  # type: ignore[arg-type]


def test_a_score_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """Right conclusions less wrong ones, divided by what is hidden; one fact is always hidden."""
    given: list[int] = []

    def predict(self: Any, known: Database) -> Any:
        given.append(len(known))
        right = [fact for fact in DATA if fact not in known][:2]
        atoms = [*right, Atom.ground("z", ["z"])]
        return SimpleNamespace(added=[SimpleNamespace(atom=atom) for atom in atoms])

    monkeypatch.setattr(TheoryLearner, "predict", predict)
    score = TheoryLearner().score(DATA)
    sizes = [max(1, round(share * 12)) for share in (0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8) for _ in range(3)]
    assert given == sizes and score == pytest.approx(sum(1 / (12 - size) for size in sizes) / 21)
    given.clear()
    TheoryLearner().score(facts_of(["p(a0)", "p(a1)"]))
    assert set(given) == {1}


def test_parameters_that_were_changed_are_shown() -> None:
    assert repr(TheoryLearner()) == "TheoryLearner()"
    assert repr(TheoryLearner(seed=3, how="global")) == "TheoryLearner(seed=3, how='global')"
