"""What the learner chooses by itself, and what it refuses."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from possilog.data import Database
from possilog.data.bundled import load
from possilog.data.taking import facts_of
from possilog.errors import QueryError
from possilog.learning import settings as chosen_settings
from possilog.learning.focus import Focus, focus_of
from possilog.learning.settings import Settings, learnable, settings_for
from possilog.logic import Atom, Declared, Predicate, parse_atom
from possilog.structure.horn import Limits


def test_presets_are_the_authors() -> None:
    village = load("village")
    uwcse, yeast = (settings_for(village, preset=name) for name in ("uwcse", "yeast"))
    limits = [(found.width, found.search.limits.body, found.search.limits.repeats) for found in (uwcse, yeast)]
    assert limits == [(3, 3, 5), (4, 4, 1)]
    assert (uwcse.search.negatives, yeast.search.negatives) == (1_000, 10_000)


def test_what_is_said_stands() -> None:
    settings = settings_for(load("village"), preset="uwcse", width=2, body=1, max_rules="knee", seed=5)
    assert (settings.width, settings.search.limits.width, settings.search.limits.body) == (2, 2, 1)
    assert (settings.max_rules, settings.seed, settings.search.seed) == ("knee", 5, 5)
    assert settings.parameters["max rules"] == "knee"


def test_many_predicates_mean_smaller_rules() -> None:
    many = Database.of(parse_atom(f"p{number}(a, b)") for number in range(40))
    settings = settings_for(many)
    assert (settings.search.limits.body, settings.search.limits.beam, settings.hard_variables) == (2, 50, 3)
    assert settings_for(load("village")).hard_variables is None


def test_likelihood_is_the_papers_recipe_without_smoothing() -> None:
    assert settings_for(load("village"), objective="likelihood").smoothing == 0
    assert settings_for(load("village")).smoothing > 0


@pytest.mark.parametrize("preset", [None, "graph", "uwcse", "yeast"])
@pytest.mark.parametrize("objective", ["prediction", "likelihood"])
def test_hard_rules_are_earned_unless_the_recipe_is_the_papers(preset: str | None, objective: str) -> None:
    papers = objective == "likelihood" or preset in ("uwcse", "yeast")
    assert settings_for(load("village"), preset=preset, objective=objective).hard == ("all" if papers else "earned")
    for said in ("all", "earned") if objective == "prediction" else ("all",):
        assert settings_for(load("village"), preset=preset, objective=objective, hard=said).hard == said


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"objective": "beauty"}, "the objective is 'beauty', and it can be one of: prediction, likelihood"),
        ({"max_rules": "few"}, "max_rules is 'few'; give a whole number, 0 or more, or 'knee'"),
        ({"max_rules": 2.5}, "max_rules is 2.5; give a whole number"),
        ({"max_rules": -1}, "max_rules is -1; give a whole number"),
        ({"rules_per_head": "few"}, "rules_per_head is 'few'; give a whole number, 1 or more, or 'all'"),
        ({"rules_per_head": 0}, "rules_per_head is 0; give a whole number, 1 or more"),
        ({"width": 0}, "width is 0; give a whole number, 1 or more"),
        ({"body": -2}, "body is -2; give a whole number, 1 or more"),
        ({"seed": -1}, "seed is -1; give a whole number, 0 or more"),
        ({"preset": "cora"}, "there is no preset 'cora'; take one of: uwcse, yeast"),
        ({"width": "wide"}, "width is 'wide'; give a whole number, 1 or more, or 'auto'"),
        ({"rank_rules": -1}, "rank_rules is -1; give a whole number, 0 or more"),
        ({"conjunctions": 1}, "conjunctions is 1; give bool"),
    ],
)
def test_refusals(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        settings_for(load("village"), **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "least", "right"),
    [
        *((name, 1, (1, 7)) for name in ("width", "hard_literals", "hard_unary_literals", "parts", "splits", "starts")),
        *((name, 0, (0, 7)) for name in ("rank_rules", "seed")),
        ("hard_variables", 1, (None, 1, 7)),
        ("max_rules", 0, (None, 0, 7, "knee")),
        ("rules_per_head", 1, (None, 1, 7, "all")),
    ],
)
def test_numbers_of_settings_at_their_borders(name: str, least: int, right: tuple[object, ...]) -> None:
    for value in right:
        assert getattr(Settings(**{name: value}), name) == value  # type: ignore[arg-type]
    for wrong in (least - 1, 1.5, "some", True):
        with pytest.raises(QueryError, match=f"^{name} is {wrong!r}; give a whole number, {least} or more"):
            Settings(**{name: wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"conjunctions": 1}, {"mined": None}, {"smoothing": "much"}, {"search": 3}, {"focus": "p"}, {"hard": 3}]
)
def test_other_settings_are_what_they_should_be(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(QueryError, match=f"^{name} is {wrong[name]!r}"):
        Settings(**wrong)


USUAL, SMALL = Limits(repeats=3), Limits(width=3, body=2, beam=50, repeats=1)


def facts(number: int, predicates: int = 1, arity: int = 2, typed: bool = False) -> Database:
    names = [Predicate(f"p{n}", arity) for n in range(predicates)]
    every = [Atom.ground(f"p{n % predicates}", [f"a{n}", f"b{n}", f"c{n}"][:arity]) for n in range(number)]
    types = {name: ("thing", name.name, "rest")[:arity] for name in names}
    return Database.of(every, declared=Declared(types if typed else {}))


@pytest.mark.parametrize("number", [39, 40, 41])
@pytest.mark.parametrize("predicates", [2, 30, 31])
@pytest.mark.parametrize("arity", [1, 2])
@pytest.mark.parametrize("typed", [False, True])
def test_what_is_chosen_by_the_size_of_the_data(
    number: int, predicates: int, arity: int, typed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the borders of what is many: more than 40 facts, here, and more than 30 predicates."""
    monkeypatch.setattr(chosen_settings, "_MANY_FACTS", 40)
    monkeypatch.setattr(chosen_settings, "_MANY_TO_RELEARN", 40)
    database = facts(number, predicates, arity, typed)
    many = number == 41 or predicates == 31
    for objective, targets, width in product(("prediction", "likelihood"), ((), ("p0",), ("p0", "p1")), (None, 3)):
        found = settings_for(database, objective=objective, focus=Focus(targets), width=width)
        as_graph = objective == "prediction" and arity == 2 and not typed
        usual = Limits(3, 3, 50, 1) if typed and len(targets) == 1 else SMALL
        limits = usual if many else USUAL
        if as_graph and number == 41:
            limits = Limits(limits.width, 3, limits.beam, limits.repeats)
        assert found.search.limits == limits
        assert found.rules_per_head == (10 if as_graph and number == 41 else None)
        assert found.mined == (as_graph and predicates == 31 and width is None)
        assert found.focus == Focus(targets, auto_width=typed and width is None)
        assert found.hard_variables == (3 if predicates == 31 else None)
        assert found.splits == (1 if number == 41 else 2)
        assert (found.starts, found.smoothing) == ((1, 0.001) if objective == "prediction" else (3, 0.0))
        assert (found.rank_rules, found.conjunctions, found.max_rules) == (300, False, None)


def test_a_preset_is_no_graph_and_nothing_mined_however_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen_settings, "_MANY_FACTS", 40)
    large = facts(41, 31)
    for preset in ("uwcse", "yeast"):
        found = settings_for(large, preset=preset)
        assert (found.rules_per_head, found.mined, found.search.limits.repeats > 1) == (None, False, preset == "uwcse")
        assert settings_for(large, preset=preset, rules_per_head=4).rules_per_head == 4
    assert (settings_for(large, preset="graph").rules_per_head, settings_for(large, preset="graph").mined) == (
        10,
        False,
    )
    assert settings_for(facts(3, arity=1), rules_per_head="all").rules_per_head == "all"


def test_what_is_said_goes_before_what_is_chosen() -> None:
    few = facts(5, arity=1)
    found = settings_for(
        few, width=2, body=1, rank_rules=7, conjunctions=True, focus=Focus(min_support=5, auto_width=True)
    )
    assert found.search.limits == Limits(2, 1, 100, 3, 5) and found.width == 2
    assert (found.rank_rules, found.conjunctions, found.focus.auto_width) == (7, True, True)
    assert settings_for(few, width="auto").search.limits == USUAL
    assert settings_for(few, width="auto").focus.auto_width and settings_for(few, rank_rules=0).rank_rules == 0
    assert settings_for(facts(5, typed=True), width="auto").focus.auto_width


def test_paths_have_three_atoms_by_definition(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk of three steps goes over a fact: from any fact of its first constant to any fact of its second."""
    database = facts_of(["r(a, b)", "r(b, c)", "s(c, a)", "s(a, d)", "t(a)", "u(a, b, d)"])
    degree = {"a": 3, "b": 2, "c": 2, "d": 1}
    walks = sum(degree[one] * degree[other] for one, other in ("ab", "bc", "ca", "ad"))
    for many_facts, many_walks in product((5, 6, 7), (walks - 1, walks, walks + 1)):
        monkeypatch.setattr(chosen_settings, "_MANY_FACTS", many_facts)
        monkeypatch.setattr(chosen_settings, "_MANY_WALKS", many_walks)
        expected = 2 if many_facts < 6 and many_walks < walks else 3
        assert settings_for(database, preset="graph").search.limits.body == expected


def test_settings_as_they_stand_in_a_file() -> None:
    usual = {"objective": "prediction", "width": 3, "hard": "earned", "hard rules": "up to 2 literals (5 if unary)"}
    usual |= {"body": 3, "beam": 100, "repeats": 3, "negatives": 1_000, "smoothing": "0.001"}
    few = facts(5, arity=1)
    assert settings_for(few).parameters == usual
    mined = {name: value for name, value in usual.items() if name not in ("beam", "repeats")}
    assert settings_for(facts(31, 31)).parameters == mined | {"body": 2, "candidates": "all path rules"}
    assert settings_for(few, max_rules=0, focus=focus_of("p0")).parameters == usual | {"max rules": 0, "targets": "p0"}
    graph = {"preset": "graph", "rules per head": 10, "body": 3, "max rules": 5}
    assert settings_for(facts(5), preset="graph", max_rules=5).parameters == graph


def test_likelihood_takes_all_rules_without_exception_as_hard() -> None:
    few = facts(5)
    for hard in (None, "all"):
        assert settings_for(few, objective="likelihood", hard=hard).hard == "all"
    with pytest.raises(QueryError, match="all rules without exception are hard; leave hard out, or say all"):
        settings_for(few, objective="likelihood", hard="earned")


def test_predicates_with_very_many_arguments_are_not_learned_about() -> None:
    few = [Predicate(f"p{n}", 2) for n in range(30)]
    wide = Predicate("order", 20)
    assert learnable([*few, wide], 3) == tuple(few)
    assert learnable(few, 3) == tuple(few)


def test_settings_are_compared_whole() -> None:
    assert Settings(seed=1).as_json != Settings().as_json
    assert Settings().as_json == Settings().as_json
    assert Settings() == Settings(conjunctions=False, mined=False, focus=Focus(no_constants=False, auto_width=False))


def test_paths_are_short_only_where_walks_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    star = facts_of([f"r(hub, n{n})" for n in range(20)])
    chain = facts_of([f"r(n{n}, n{n + 1})" for n in range(20)])
    assert settings_for(star, preset="graph").search.limits.body == 3
    monkeypatch.setattr("possilog.learning.settings._MANY_FACTS", 10)
    monkeypatch.setattr("possilog.learning.settings._MANY_WALKS", 100)
    assert settings_for(chain, preset="graph").search.limits.body == 3
    assert settings_for(star, preset="graph").search.limits.body == 2
    assert settings_for(star, preset="graph", body=3).search.limits.body == 3
