"""The learner from facts to theory: interrupted at any moment, killed and resumed, edited by a person, out of time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import partial
from itertools import count
from math import log
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

import pytest

from possilog import TheoryLearner, learn, parse_theory, read_theory
from possilog.counting import TooLarge
from possilog.data import Database, read, write
from possilog.data.bundled import load
from possilog.data.generate import university
from possilog.deadline import Deadline
from possilog.errors import DataError, FileError, QueryError, RowError
from possilog.learning.files import Work, fingerprint, read_groups
from possilog.learning.from_facts import gathered
from possilog.learning.learner import Learner
from possilog.learning.ordering import Likelihood, by_confidence
from possilog.learning.settings import settings_for
from possilog.logic import (
    Atom,
    Constant,
    Keep,
    Predicate,
    Rule,
    Theory,
    Weight,
    canonical,
    isomorphic,
    parse_atom,
    parse_clause,
)


def families(number: int = 10) -> Iterator[str]:
    """Couples with a child: in four of five families it has two parents."""
    for family in range(number):
        mother, father, child = (f"{name}{family}" for name in ("ann", "bob", "kid"))
        yield from (f"married({mother}, {father})", f"married({father}, {mother})", f"parent({mother}, {child})")
        if family % 5:
            yield f"parent({father}, {child})"


FAMILIES = Database.of(map(parse_atom, families()))
PARENT = parse_clause("parent(A, B) :- married(A, C), parent(C, B).")
MARRIED = parse_clause("married(A, B) :- parent(A, C), parent(B, C).")


@pytest.fixture(scope="module")
def learned() -> str:
    return str(learn(FAMILIES))


def test_the_rules_are_found_and_printed_with_their_origin(learned: str) -> None:
    theory = parse_theory(learned)
    assert {rule.clause for rule in theory.ranked} == {PARENT, MARRIED}
    assert [str(rule) for rule in theory.hard_listed] == ["married(A, B) :- married(B, A)."]
    assert "% data: 38 facts about 30 constants\n% parameters: objective prediction, width 3" in learned
    assert "parent(A, B) :- married(A, C), parent(C, B).  % support 16, confidence 0.889 (16 of 18)\n" in learned


def test_every_intermediate_product_is_there() -> None:
    found = learn(FAMILIES)
    every = settings_for(FAMILIES, hard="all")
    assert found.finished
    assert found.theory.types is not None
    hard = {canonical(rule.clause) for rule in found.theory.hard}
    assert hard == set(map(canonical, (*found.hard.earned, *found.theory.types.hard)))
    assert {canonical(rule.clause) for rule in found.theory.demoted} == set(map(canonical, found.hard.demoted)) - hard
    assert set(found.hard.all) == {rule.clause for rule in learn(FAMILIES, settings=every).theory.hard}
    assert {PARENT, MARRIED} <= found.candidates.keys()
    assert found.measurement is not None and set(found.measurement.rules) == {PARENT, MARRIED}
    assert [size.rules for size in found.measurement.curve] == [2, 1, 0]
    assert found.theory.measures == found.measurement.measures
    likely = learn(FAMILIES, objective="likelihood")
    assert (likely.measurement, likely.theory.measures, likely.theory.types) == (None, None, None)
    assert len(likely.ordered.curve.training) == len(likely.ordered.curve.held_out) == 3
    assert found.weighing is not None
    assert set(found.seconds) == {"hard rules", "candidates", "held-out parts", "simulation", "ordering", "weights"}
    assert json.loads(json.dumps(found.as_json))["theory"] == str(found.theory)


@pytest.mark.parametrize("objective", ["prediction", "likelihood"])
def test_an_interrupt_at_any_moment_leaves_a_valid_theory(objective: str, tmp_path: Path) -> None:
    """Ctrl-C is an exception that comes from anywhere; here it comes from each moment that is told of."""
    moments = []
    Learner(FAMILIES, settings_for(FAMILIES, objective=objective), progress=lambda *told: moments.append(told)).run()
    for stop in range(0, len(moments), 1 + len(moments) // 8):
        number = count()

        def interrupt(*told: object, stop: int = stop, number: Iterator[int] = number) -> None:
            if next(number) == stop:
                raise KeyboardInterrupt

        learner = Learner(FAMILIES, settings_for(FAMILIES, objective=objective), progress=interrupt)
        with pytest.raises(KeyboardInterrupt):
            learner.run()
        best = learner.best
        best.save(tmp_path / "best.pl")
        assert read_theory(tmp_path / "best.pl") == best.theory
        assert not best.finished
        assert "% not finished: the run ended in the phase" in (tmp_path / "best.pl").read_text()


def test_a_run_goes_on_where_it_was_stopped(learned: str, tmp_path: Path) -> None:
    moments: list[object] = []
    learn(FAMILIES, progress=moments.append)
    for stop in (3, 20, len(moments) // 2, len(moments) - 8, len(moments) - 2):
        number, work = count(), tmp_path / str(stop)

        def interrupt(*told: object, stop: int = stop, number: Iterator[int] = number) -> None:
            if next(number) == stop:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            learn(FAMILIES, work=work, progress=interrupt)
        assert str(learn(FAMILIES, work=work)) == learned
        assert str(learn(FAMILIES, work=work)) == learned


def test_any_number_of_jobs_gives_the_same(learned: str) -> None:
    assert str(learn(FAMILIES, jobs=2)) == learned


def test_the_work_of_another_run_is_refused(tmp_path: Path) -> None:
    learn(FAMILIES, body=1, work=tmp_path)
    with pytest.raises(FileError, match="it holds the work of a run with other data, settings or version"):
        learn(FAMILIES, body=2, work=tmp_path)
    with pytest.raises(FileError, match="other data"):
        learn(FAMILIES | Database.of([parse_atom("parent(eve, tom)")]), body=1, work=tmp_path)


BROKEN = [
    "{",
    "[]",
    "[" * 100_000,
    "{}",
    "[1]",
    '{"a": 1}',
    '"p(X)."',
    '["p("]',
    '[["p(X).", -1, 2, 3]]',
    '[["p(X).", 1]]',
    "null",
]


@pytest.mark.parametrize("name", ["hard-rules", "candidates", "part-1-1", "simulation", "ordering", "run"])
def test_a_broken_file_is_named(name: str, tmp_path: Path) -> None:
    learn(FAMILIES, body=1, work=tmp_path)
    whole = (tmp_path / f"{name}.json").read_text()
    for phase in ("simulation", "ordering"):  # so that the phases before them are asked for what they kept
        if phase != name:
            (tmp_path / f"{phase}.json").unlink()
    for broken in BROKEN:
        (tmp_path / f"{name}.json").write_text(broken)
        said = (
            r"run\.json|other data" if name == "run" else rf"{name}\.json: it is not what the learner wrote; remove it"
        )
        with pytest.raises(FileError, match=said):
            learn(FAMILIES, body=1, work=tmp_path)
    (tmp_path / f"{name}.json").write_text(json.dumps(json.loads(whole) | {"seal": "another's"}))
    with pytest.raises(FileError, match=rf"{name}\.json"):
        learn(FAMILIES, body=1, work=tmp_path)
    (tmp_path / f"{name}.json").write_text(whole)
    learn(FAMILIES, body=1, work=tmp_path)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("simulation", '"reason": 1'),
        ("simulation", '"table": [{"share": "all", "hard": 1, "added": 1, "noise": 1}]'),
        ("simulation", '"measures": ["#shares 0.5."]'),
        ("simulation", '"measures": ["p("]'),
        ("simulation", '"curve": [{"rules": -1, "gain": 0}]'),
        ("hard-rules", '"by_chance": [["p(X).", -1]]'),
        ("hard-rules", '"earned": [1]'),
        ("ordering", '"curve": {"training": [true], "held_out": []}'),
        ("ordering", '"unlikely": 1'),
    ],
)
def test_what_is_kept_is_looked_at_closely(name: str, wrong: str, tmp_path: Path) -> None:
    learn(FAMILIES, body=1, work=tmp_path)
    kept = json.loads((tmp_path / f"{name}.json").read_text())["product"]
    if name == "hard-rules":  # so that it is asked for
        (tmp_path / "simulation.json").unlink()
    Work(tmp_path, json.loads((tmp_path / "run.json").read_text())["product"].__str__).put(
        name, kept | json.loads(f"{{{wrong}}}")
    )
    with pytest.raises(FileError, match=rf"{name}\.json: it is not what the learner wrote"):
        learn(FAMILIES, body=1, work=tmp_path)


def test_products_of_other_phases_and_runs_are_refused(tmp_path: Path) -> None:
    """Two parts of simulated prediction look alike: swapped, they would give another theory without a word."""
    learn(FAMILIES, body=1, work=tmp_path / "one")
    learn(FAMILIES, body=2, work=tmp_path / "two")
    parts = sorted((tmp_path / "one").glob("part-*.json"))[:2]
    first, second = (part.read_bytes() for part in parts)
    (tmp_path / "one" / "simulation.json").unlink()
    for content in (second, (tmp_path / "two" / parts[0].name).read_bytes()):
        parts[0].write_bytes(content)
        with pytest.raises(FileError, match=rf"{parts[0].name}: it is not what the learner wrote; remove it, and its"):
            learn(FAMILIES, body=1, work=tmp_path / "one")
    parts[0].unlink()
    learn(FAMILIES, body=1, work=tmp_path / "one")
    assert parts[0].read_bytes() == first


def test_no_pipe_is_waited_for_and_the_remedy_for_a_run_is_another_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run.json")
    with pytest.raises(FileError, match=r"run\.json: it is not what the learner wrote; name another folder, or remove"):
        Work(tmp_path, lambda: "run")


def test_a_folder_of_another_version_or_of_nobody_is_refused(tmp_path: Path) -> None:
    for version in ("0.1", "0.2"):
        run = partial(fingerprint, FAMILIES, {}, version)
        if version == "0.1":
            Work(tmp_path / "work", run).put("hard-rules", [])
            assert Work(tmp_path / "work", run).get("hard-rules", list) == []
        else:
            with pytest.raises(FileError, match="other data, settings or version"):
                Work(tmp_path / "work", run)
    (tmp_path / "work" / "run.json").unlink()
    with pytest.raises(FileError, match="name another folder, or remove this one"):
        learn(FAMILIES, work=tmp_path / "work")


def test_without_a_folder_nothing_is_kept() -> None:
    work = Work(None, lambda: "run")
    work.put("phase", [1])
    assert work.get("phase", list) is None


def test_files_are_groups(tmp_path: Path) -> None:
    names = [str(tmp_path / f"{number}.db") for number in range(2)]
    texts = list(families())
    for place, name in enumerate(names):
        write(Database.of(map(parse_atom, (text for number, text in enumerate(texts) if (number > 18) == place))), name)
    phases = []
    found = learn(names, progress=lambda step: phases.append((step.phase, step.doing)))
    assert found.provenance.data == tuple(names)
    assert ("held-out parts", "learning without group-2") in phases
    assert str(found.theory) == str(learn(read(names[0]) | read(names[1]), groups=_groups(names)).theory)


def _groups(names: list[str]) -> dict[str, str]:
    return {constant: name for name in names for constant in read(name).constants}


def test_groups_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "groups.tsv").write_text("ann\tnorth\nbob x\tsouth\n\n")
    assert read_groups(tmp_path / "groups.tsv") == {"ann": "north", "bob x": "south"}
    (tmp_path / "groups.tsv").write_text("ann\tnorth\nbob\n")
    with pytest.raises(RowError, match=r"groups\.tsv:2: a line holds a constant, a tab and a group"):
        read_groups(tmp_path / "groups.tsv")
    (tmp_path / "groups.tsv").write_text("ann\tnorth\nann\tnorth\nann\tsouth\n")
    with pytest.raises(RowError, match=r"groups\.tsv:3: 'ann' is in two groups"):
        read_groups(tmp_path / "groups.tsv")
    (tmp_path / "groups.tsv").write_text("\n")
    with pytest.raises(RowError, match=r"groups\.tsv: there are no groups in it"):
        read_groups(tmp_path / "groups.tsv")


def test_there_must_be_facts() -> None:
    with pytest.raises(DataError, match="there are no facts to learn from"):
        learn(Database.of([]))
    with pytest.raises(DataError, match="there are no files to learn from"):
        learn([])
    with pytest.raises(QueryError, match="the data name no constants"):
        learn(Database.of([parse_atom("rain"), parse_atom("cold")]))


def test_any_name_can_be_learned_about() -> None:
    facts = [Atom(Predicate("\ud800", 1), (Constant(f"\udc80 {number}"),)) for number in range(4)]
    everything = settings_for(Database.of(facts), hard="all")
    assert learn(Database.of(facts), settings=everything).theory.hard
    assert not learn(Database.of(facts)).theory.hard, "what is true of all is no surprise"


def test_small_parts_are_held_out_in_smaller_fragments() -> None:
    """Of one constant, here, since the part has no more."""
    rest = Database.of(map(parse_atom, ["p(a)", "q(a)", "p(b)", "p(c)", "q(c)"]))
    part = Database.of([parse_atom("p(d)")])
    likelihood = Likelihood.of(rest, (), (parse_clause("q(X) :- p(X)."),), settings_for(rest), only_profiles=True)
    alone = likelihood.held_out(rest, part)[0]
    assert alone == pytest.approx(log(1 / 4))


# What a person said


def test_what_is_pinned_locked_or_banned_is_kept() -> None:
    start = parse_theory(
        "#pin 0.99 :: parent(A, B) :- married(A, C), parent(C, B)."
        " #lock 0.9 :: married(A, B) :- parent(B, C). #ban married(A, B) :- parent(A, C), parent(B, C)."
    )
    for objective in ("prediction", "likelihood"):
        theory = learn(FAMILIES, objective=objective, start=start).theory
        assert Rule(PARENT, Weight.of("0.99"), Keep.PINNED) in theory.rules
        assert [rule.keep for rule in theory if rule.clause == start.soft[1].clause] == [Keep.LOCKED]
        assert MARRIED not in {rule.clause for rule in theory}
        assert theory.banned == start.banned


def test_a_person_may_speak_of_what_the_data_do_not() -> None:
    start = parse_theory("#lock happy(X) :- shy(X). #lock 0.9 :: happy(X) :- married(X, Y).")
    for objective in ("prediction", "likelihood"):
        found = learn(FAMILIES, start=start, objective=objective, body=1)
        assert {rule.clause for rule in start} <= {rule.clause for rule in found.theory}


def test_what_is_locked_is_learned_once_whatever_its_variables_are_called() -> None:
    start = parse_theory(
        "#pin 0.99 :: parent(X, Y) :- married(X, Z), parent(Z, Y). #lock married(Y, X) :- married(X, Y)."
        " #pin 0.999 :: :- married(X, X)."  # which holds without exception
    )
    for objective in ("prediction", "likelihood"):
        theory = learn(FAMILIES, start=start, objective=objective).theory
        for rule in start:
            assert [found for found in theory if isomorphic(found.clause, rule.clause)] == [rule]


def test_what_waits_for_a_place_finds_it_and_falsity_stays_pinned() -> None:
    start = parse_theory("#lock ? :: married(A, B) :- parent(B, C). #pin 0.95 :: false.")
    for objective in ("prediction", "likelihood"):
        theory = learn(FAMILIES, start=start, objective=objective).theory
        assert [rule.keep for rule in theory if rule.clause in start.unplaced] == [Keep.LOCKED]
        assert (theory.falsity, theory.falsity_pinned) == (start.falsity, True)


def test_a_constant_with_a_group_must_be_known() -> None:
    with pytest.raises(DataError, match="the constant 'Nobody' of group 'west' is not in the data"):
        learn(FAMILIES, groups={"Nobody": "west"})


def test_predicates_that_are_too_wide_for_rules_are_named() -> None:
    wide = Database.of(Atom.ground("bought", [f"{place}{number}" for place in "abcd"]) for number in range(6))
    assert "none about bought/4: raise the width" in str(learn(wide).provenance)


def test_predicates_with_very_many_arguments_are_left_out_and_named(learned: str) -> None:
    """With 8 arguments there are too many clauses; with 20, nothing of theirs may be listed at all."""
    for arity in (8, 20):
        wide = [Atom.ground("order", [f"{place}{number}" for place in range(arity)]) for number in range(6)]
        found = learn(Database.union(FAMILIES, Database.of(wide)))
        assert (
            f"order/{arity} had no part in it: there are too many arguments to search rules" in found.provenance.remarks
        )
        assert found.provenance.facts == len(FAMILIES) + 6
        assert PARENT in {rule.clause for rule in found.theory.ranked}
        assert Predicate("order", arity) not in found.theory.predicates
        with pytest.raises(DataError, match=f"order/{arity}: there are too many arguments"):
            learn(Database.of(wide))


def test_without_parts_there_is_no_knee() -> None:
    one = dict.fromkeys(FAMILIES.constants, "all")
    found = learn(FAMILIES, groups=one, objective="likelihood", max_rules="knee")
    assert found.theory.soft == learn(FAMILIES, groups=one, objective="likelihood").theory.soft


def test_a_ban_is_kept_whatever_it_is_of() -> None:
    for banned in (PARENT, parse_clause(":- parent(A, B), parent(A, C)."), parse_clause("parent(X, Y).")):
        theory = learn(FAMILIES, start=Theory(banned=(banned,))).theory
        assert theory.banned == (banned,)
        assert not any(theory.bans(rule.clause) for rule in theory)


def test_the_number_of_rules_is_bounded() -> None:
    for objective in ("prediction", "likelihood"):
        assert len(learn(FAMILIES, objective=objective, max_rules=1).theory.ranked) == 1
        assert len(learn(FAMILIES, objective=objective, max_rules="knee").theory.ranked) <= 2


def test_where_no_soft_rule_is_asked_for_it_is_not_said_that_none_pays() -> None:
    none, all_of_them = (learn(load("village"), max_rules=most).measurement for most in (0, None))
    assert none is not None and all_of_them is not None
    assert (none.rules, none.reason) == ((), "no soft rule was asked for, so the hard rules stand alone")
    assert all_of_them.rules and none.curve == all_of_them.curve


def test_a_bound_on_the_number_of_rules_takes_the_best_of_that_size() -> None:
    """A bound had been a wish for fewer: where there were 13 rules without any, there were 10 with 13."""
    everything = learn(load("village"))
    assert everything.measurement is not None
    size = len(everything.measurement.rules)
    assert size > 5 and size == everything.measurement.taken - len(everything.measurement.unproved)
    assert learn(load("village"), max_rules=size).theory == everything.theory
    fewer = learn(load("village"), max_rules=size - 1).measurement
    assert fewer is not None and fewer.curve == everything.measurement.curve
    assert fewer.taken == len(fewer.rules) + len(fewer.unproved)
    gains = {one.rules: one.gain for one in fewer.curve if one.rules < size}
    assert gains[fewer.taken] == max(gains.values())


def test_what_types_say_is_not_listed_again() -> None:
    theory = learn(load("village")).theory
    assert theory.types is not None
    lines = [line for line in str(theory).splitlines() if line.startswith((":-", "#demoted"))]
    assert len(lines) > 10 and len(theory.types.unsure) == 2
    types = dict(theory.types.signatures)
    for line in lines:
        clause = parse_clause(line.removeprefix("#demoted "))
        at = {
            (term, name)
            for atom in clause.body
            for term, name in zip(atom.arguments, types[atom.predicate], strict=True)
        }
        # What may be chance of a type may be a surprise of a rule.
        said = at if line.startswith("#") else {one for one in at if one[1] not in theory.types.unsure}
        assert len(said) == len({term for term, _ in said}), line


# Time, and what is too large


def test_a_result_prints_as_its_file_reads(tmp_path: Path) -> None:
    found = learn(FAMILIES)
    found.save(tmp_path / "theory.pl")
    assert (tmp_path / "theory.pl").read_text() == str(found)


def test_without_time_there_is_still_a_theory() -> None:
    found = learn(FAMILIES, time_limit=0)
    assert not found.finished
    assert "not all was searched: the run had 0 seconds" in found.provenance.remarks


def test_little_time_means_less_is_learned_anew() -> None:
    village = university(60, seed=1).database
    found = learn(village, time_limit=2.0)
    assert parse_theory(str(found)) == found.theory


def test_a_time_limit_is_kept_where_there_is_much() -> None:
    """In CPU seconds, so that a busy machine does not matter: many predicates, and many facts."""
    chance = Random(0)
    many = [
        f"r{number}(c{chance.randrange(300)}, c{chance.randrange(300)})" for number in range(1500) for _ in range(4)
    ]
    people = range(30_000)
    large = [f"person(p{n})" for n in people] + [f"knows(p{n}, p{chance.choice(people)})" for n in people]
    for texts in (many, large):
        facts = Database.of(map(parse_atom, texts))
        before = process_time()
        found = learn(facts, time_limit=1)
        assert process_time() - before < 4
        assert parse_theory(str(found)) == found.theory


def test_where_counting_is_too_large_confidence_orders() -> None:
    likelihood = Likelihood.of(
        FAMILIES, (), (PARENT, MARRIED), settings_for(FAMILIES), only_profiles=True, stop=Deadline(0)
    )
    with pytest.raises(TooLarge):
        likelihood.order()
    judged = learn(FAMILIES).candidates
    theory = by_confidence((), (PARENT, MARRIED), judged)
    assert [str(rule.weight) for rule in theory.soft] == ["0.944444", "0.85"]
    assert [rule.clause for rule in theory.soft] == [MARRIED, PARENT]


# The estimator


def test_the_estimator_is_the_same_code(learned: str) -> None:
    model = TheoryLearner(jobs=1, seed=0)
    assert model.fit(FAMILIES) is model
    assert str(model.learned_) == learned
    added = model.predict([parse_atom("parent(eve, tim)"), parse_atom("married(eve, tom)")]).added
    assert [str(conclusion.atom) for conclusion in added] == ["married(tom, eve)", "parent(tom, tim)"]


def test_the_estimator_can_be_cloned() -> None:
    start = parse_theory("0.5 :: p(X).")
    model = TheoryLearner("likelihood", width=2, start=start)
    clone = type(model)(**model.get_params(deep=False))
    assert clone.get_params() == model.get_params()
    assert all(clone.get_params()[name] is value for name, value in model.get_params().items())
    assert clone.set_params(width=4, seed=1) is clone
    assert (clone.width, clone.seed, model.width) == (4, 1, 2)
    assert repr(TheoryLearner(width=2)) == "TheoryLearner(width=2)"
    with pytest.raises(QueryError, match="there is no parameter 'depth'"):
        model.set_params(depth=1)
    with pytest.raises(QueryError, match="nothing has been learned yet; call fit first"):
        model.predict([])


def flock(number: int, start: int = 0) -> list[Atom]:
    """Animals: birds, of which seven of eight fly, and half as many fish."""
    birds = range(start, start + number)
    texts = [f"bird(b{n})" for n in birds] + [f"flies(b{n})" for n in birds if n % 8]
    texts += [f"fish(f{n})" for n in birds[::2]] + [f"animal(f{n})" for n in birds[::2]]
    return [parse_atom(text) for text in (*texts, *(f"animal(b{n})" for n in birds))]


def test_a_score_is_what_is_predicted_of_what_was_hidden() -> None:
    """Worth 1 where a rule says all, 0 where there is nothing to say, and less where it says wrong things."""
    birds = [parse_atom(f"{name}(x{number})") for number in range(30) for name in ("bird", "flies")]
    fish = [parse_atom(f"{name}(y{number})") for number in range(30) for name in ("fish", "swims")]
    model = TheoryLearner(width=1).fit(birds + fish)
    assert 0.1 < model.score(birds) < 1
    assert model.score([parse_atom("whale(moby)"), parse_atom("whale(dick)")]) == 0
    assert model.score([parse_atom(f"bird(x{number})") for number in range(30)]) < 0
    assert model.score(birds) == model.score(Database.of(birds)) == model.score([Database.of(birds)])
    with pytest.raises(DataError, match="too few facts to hide some"):
        model.score(birds[:1])


def test_facts_may_be_text_and_a_file_of_such_a_name_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    facts = ["bird(a)", "flies(a, b)"]
    assert gathered(facts) == {"": Database.of(map(parse_atom, facts))}
    (tmp_path / "bird(a)").mkdir()
    (tmp_path / "bird(a)" / "facts.db").write_text("fish(c).")
    assert gathered(["bird(a)"])["bird(a)"].predicates == (Predicate("fish", 1),)
    with pytest.raises(DataError, match="give several of one kind"):
        gathered(facts)


def test_scikit_learn_takes_the_estimator() -> None:
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    from sklearn.base import clone

    kinds = [("animal", "bird", "flies"), ("animal", "fish", "swims")]
    birds = [parse_atom(f"{name}(x{number})") for number in range(80) for name in kinds[number % 2][: 2 + number % 7]]
    parts = [Database.of(fact for fact in birds if int(fact.arguments[0].name[1:]) // 20 == part) for part in range(4)]
    model = TheoryLearner(width=1, body=1)
    assert clone(model).get_params() == model.get_params()
    scores = selection.cross_val_score(model, parts, cv=2)
    assert len(scores) == 2 and min(scores) > 0
    assert len(selection.cross_val_score(model, flock(24), cv=2)) == 2
    search = selection.GridSearchCV(model, {"max_rules": [0, None]}, cv=2).fit(parts)
    assert search.best_params_ == {"max_rules": None}
    assert search.predict([parse_atom("bird(tweety)")]).added[0].atom == parse_atom("flies(tweety)")


def test_facts_come_as_paths_databases_or_facts(learned: str) -> None:
    assert str(learn(list(FAMILIES))) == learned
    assert learn([FAMILIES, FAMILIES]).provenance.data == ("part 1", "part 2")
    mixed: Any = [FAMILIES, "families.db"]
    with pytest.raises(DataError, match="give several of one kind"):
        learn(mixed)
