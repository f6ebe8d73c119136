"""What the learner chooses by itself, and what it refuses."""

from __future__ import annotations

import pytest

from possilog.data import Database
from possilog.data.bundled import load
from possilog.data.taking import facts_of
from possilog.errors import QueryError
from possilog.learning.settings import Settings, settings_for
from possilog.logic import parse_atom


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
    for said in ("all", "earned"):
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
    ],
)
def test_refusals(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(QueryError, match=message):
        settings_for(load("village"), **wrong)  # type: ignore[arg-type]


def test_settings_are_compared_whole() -> None:
    assert Settings(seed=1).as_json != Settings().as_json
    assert Settings().as_json == Settings().as_json


def test_paths_are_short_only_where_walks_are_very_many(monkeypatch: pytest.MonkeyPatch) -> None:
    star = facts_of([f"r(hub, n{n})" for n in range(20)])
    chain = facts_of([f"r(n{n}, n{n + 1})" for n in range(20)])
    assert settings_for(star, preset="graph").search.limits.body == 3
    monkeypatch.setattr("possilog.learning.settings._MANY_FACTS", 10)
    monkeypatch.setattr("possilog.learning.settings._MANY_WALKS", 100)
    assert settings_for(chain, preset="graph").search.limits.body == 3
    assert settings_for(star, preset="graph").search.limits.body == 2
    assert settings_for(star, preset="graph", body=3).search.limits.body == 3
