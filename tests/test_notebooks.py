"""Notebooks: what results look like there, and the notebook of the docs, run again."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
from possilog.notebook import _display, bar_in_notebook, table_in_notebook, text_in_notebook, watched
from possilog.plotting import Line, Plot
from possilog.progress import Step, silent
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


@pytest.mark.parametrize(("rows", "count", "more"), [(60, None, None), (61, None, 1), (61, 100, 40), (59, 100, None)])
def test_tables_show_sixty_rows(rows: int, count: int | None, more: int | None) -> None:
    html = table_in_notebook("a <table>", ["n"], ([str(n)] for n in range(rows)), count)
    assert html.count("<td>") == min(rows, 60) and html.startswith("<div><p>a &lt;table&gt;</p><table>")
    assert (f"<p>and {more} more</p>" in html) == (more is not None) == ("more</p>" in html)
    assert html.endswith("</table></div>") == (more is None)
    assert table_in_notebook("t", ["n"], [], note="<b>").endswith("</table><p>&lt;b&gt;</p></div>")


def test_text_and_bars() -> None:
    assert text_in_notebook("") == "<div><p><b></b></p></div>" == text_in_notebook("\n\n").replace("<pre></pre>", "")
    assert text_in_notebook("one\n\n<two>\n") == "<div><p><b>one</b></p><pre>&lt;two&gt;</pre></div>"
    assert bar_in_notebook(Step("begin")) == "<progress></progress> begin"
    assert bar_in_notebook(Step("judge", 0, 1_000)) == ('<progress max="1000" value="0"></progress> judge, 0 of 1,000')
    assert bar_in_notebook(Step("judge", 3, None, "x")) == "<progress></progress> judge: x"


def test_a_bar_is_drawn_anew_for_each_phase_and_ten_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    now = [0.0]

    def show(html: str) -> Callable[[str], None]:
        shown.append(html)
        return shown.append

    monkeypatch.setattr("possilog.notebook._display", lambda: show)
    monkeypatch.setattr("possilog.notebook.time", SimpleNamespace(monotonic=lambda: now[0]))
    with watched(silent) as told:
        for passed, phase, done in (
            (0, "a", 1),
            (0.05, "a", 2),
            (0.1, "a", 3),
            (0.11, "a", 4),
            (0.15, "b", 5),
            (0.2, "b", 6),
        ):
            now[0] = passed
            told(Step(phase, done, 9))
    assert [html.rpartition("> ")[2] for html in shown] == ["begin", "a, 1 of 9", "a, 4 of 9", "b, 5 of 9", ""]


def test_only_a_notebook_has_a_display(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, is_there in ((None, False), (SimpleNamespace(get_ipython=lambda: None), False),
                             (SimpleNamespace(get_ipython=SimpleNamespace), False),
                             (SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1)), True)):  # fmt: skip
        given = (
            {} if module is None else {"IPython": module, "IPython.display": SimpleNamespace(HTML=str, display=None)}
        )
        monkeypatch.setattr("possilog.notebook.sys", SimpleNamespace(modules=given))
        monkeypatch.setitem(sys.modules, "IPython", module)
        monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=None))
        assert (_display() is not None) == is_there


def test_a_plot_shows_single_points_of_few_bands_and_a_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    figures: list[Any] = []
    monkeypatch.setattr("possilog.plotting._saved", lambda figure, ending: figures.append(figure))

    def drawn(line: Line, **more: bool) -> tuple[str, int, int, str]:
        """How points are marked, how many lines and bands there are, and the scale."""
        assert Plot("p", "t", "x", "y", {"$a$": line}, **more).draw().keys() == {"svg", "png"}
        (axes,) = figures[-1].axes
        assert axes.lines[0].get_label() == r"\$a\$"
        return axes.lines[0].get_marker(), len(axes.lines), len(axes.collections), axes.get_yscale()

    assert drawn(Line(range(19), range(19))) == (".", 1, 0, "linear")
    assert drawn(Line(range(20), range(20))) == ("None", 1, 0, "linear")
    assert drawn(Line([1], [2]), diagonal=True, logarithmic=True) == (".", 2, 0, "log")
    assert drawn(Line([0, 1], [1, 2], [(0, 2), (1, 3)])) == (".", 1, 1, "linear")
