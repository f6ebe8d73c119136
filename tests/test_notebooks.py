"""Notebooks: what results look like there, and the notebook of the docs, run again."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from notebooks import FOLDER, run_notebook, stored_outputs
from pages import read_page
from possilog import (
    Predicate,
    Reasoner,
    check,
    find_rules,
    learn,
    load,
    mine,
    parse_rule,
    parse_theory,
    portray,
    predict,
)
from possilog.errors import FileError
from possilog.evaluation.reliability import Said, reliability_of
from possilog.learning import Learned
from possilog.report import make_report

HOSTILE = parse_theory("""0.9 :: "<b>p</b>"(X) :- "<script>"(X, Y). :- "<b>p</b>"(X), r(X).""")
FACTS = ['"<script>"("<i>", b)', "r(a)"]
REASONER = Reasoner(HOSTILE)


@cache
def learned_of_village() -> Learned:
    return learn(load("village"), width=2, body=1)


SHOWN: dict[str, Callable[[], object]] = {
    "Theory": lambda: HOSTILE,
    "Rule": lambda: HOSTILE.rules[-1],
    "Prediction": lambda: REASONER.predict(FACTS),
    "Why": lambda: REASONER.why('"<b>p</b>"("<i>")', FACTS),
    "WhyNot": lambda: REASONER.why_not('"<b>p</b>"(a)', FACTS),
    "Check": lambda: check(HOSTILE, FACTS),
    "Database": lambda: check(HOSTILE, FACTS) and REASONER.predict(FACTS).evidence.facts,
    "Learned": lambda: learned_of_village(),
    "Portrait": lambda: portray(HOSTILE, FACTS),
}


@pytest.mark.parametrize("kind", SHOWN)
def test_what_a_notebook_shows_is_escaped(kind: str) -> None:
    value = SHOWN[kind]()
    assert type(value).__name__ == kind
    page = read_page(value._repr_html_())  # type: ignore[attr-defined]
    assert not page.tags & {"b", "i"} or kind in ("Why", "WhyNot", "Learned")
    if kind != "Learned":
        assert "<script>" in "".join(page.texts) or kind == "Prediction"


def test_a_notebook_shows_how_far_learning_is(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []

    def show(html: str) -> Callable[[str], None]:
        shown.append(html)
        return shown.append

    monkeypatch.setattr("possilog.notebook._display", lambda: show)
    learn(load("village"), width=1, max_rules=1)
    assert any("candidates" in html for html in shown) and shown[-1] == ""
    shown.clear()
    steps: list[object] = []
    learn(load("village"), width=1, max_rules=1, progress=steps.append)
    assert steps and not shown  # who asked for it is told instead


def test_long_tables_say_what_they_leave_out() -> None:
    facts = [f"bird(b{number})" for number in range(100)]
    html = Reasoner(parse_theory("0.9 :: flies(X) :- bird(X).")).predict(facts)._repr_html_()
    assert html.count("<tr>") == 61 and "and 40 more" in html


def test_rules_as_a_frame() -> None:
    frame = portray(parse_theory("0.9 :: p(X) :- q(X). r(X) :- p(X)."), ["q(a)", "p(a)", "q(b)"]).to_frame()
    assert list(frame.confidence) == [0.5, 0.0] and list(frame.kind) == ["soft", "hard"]
    assert str(parse_rule(f"{frame.weight[0]} :: {frame.rule[0]}")) == "0.9 :: p(X) :- q(X)."


def test_candidates_and_checks_as_frames() -> None:
    facts = [*(f"bird(b{n})" for n in range(9)), *(f"flies(b{n})" for n in range(8))]
    added = predict(parse_theory("0.9 :: r(X, Y) :- q(X, Y). 0.8 :: p(X) :- r(X, Y)."), ["q(a, b)"]).to_frame()
    assert added[["atom", "predicate", "certainty"]].values.tolist() == [["r(a, b)", "r", "0.9"], ["p(a)", "p", "0.8"]]
    assert added.arguments.tolist() == [["a", "b"], ["a"]] and added.probability.isna().all()
    broken = check(parse_theory("0.9 :: flies(X) :- bird(X). bird(X) :- flies(X)."), facts).to_frame()
    assert broken.to_dict("records") == [
        {
            "rule": "0.9 :: flies(X) :- bird(X).",
            "hard": False,
            "violations": 1,
            "applications": 9,
            "examples": ["flies(b8) :- bird(b8)."],
        }
    ]
    assert list(check(parse_theory("0.9 :: q(X) :- p(X)."), ["r(a)"]).to_frame().columns) == list(broken.columns)
    small = learned_of_village()
    candidates = small.to_frame()
    assert list(candidates.rule) == [str(clause) for clause in small.candidates]
    chosen = candidates[candidates.weight.notna()].rule
    assert set(chosen) == {str(rule.clause) for rule in small.theory.ranked} & set(candidates.rule) and len(chosen)
    found = find_rules(facts, [], [Predicate("flies", 1)])
    assert list(found.to_frame().support) == [rule.support for rule in found.rules]
    mined = mine([f"{name}(a{n}, b{n})" for name in "pq" for n in range(9)], min_support=2)
    assert list(mined.to_frame().rule) == [rule.rule for rule in mined] and len(mined)


def test_plots_with_one_call(tmp_path: Path) -> None:
    facts = [*(f"bird(b{n})" for n in range(9)), *(f"flies(b{n})" for n in range(8))]
    report = make_report(parse_theory("0.9 :: flies(X) :- bird(X). :- fish(X), bird(X)."), facts, facts)
    assert report.test is not None
    small = learned_of_village()
    said = reliability_of([Said(Predicate("p", 1), 0.8, True), Said(Predicate("p", 1), 0.3, False)])
    assert said is not None
    for plot in (report.plot(), report.test.plot(), small.plot(), small.plot_sizes(), said.plot()):
        assert "<svg" in plot._repr_svg_() and plot.lines
    assert report.plot().lines["true conclusions"].y == [0, 8]
    said.plot().save(tmp_path / "said.png")
    assert (tmp_path / "said.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FileError, match=r"svg or \.png"):
        said.plot().save(tmp_path / "said.gif")


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.name)
def test_the_docs_notebooks_show_what_they_showed(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert run_notebook(notebook) == stored_outputs(notebook)
