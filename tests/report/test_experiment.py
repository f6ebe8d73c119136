"""An experiment about facts whose names attack whoever shows them: all of its files are harmless."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pages import read_page
from possilog.data import Database
from possilog.evaluation.comparison import compare
from possilog.evaluation.datasets import DataSet, Scale
from possilog.evaluation.experiment import Experiment
from possilog.evaluation.labels import OURS, Label, Origin
from possilog.evaluation.reading import ExampleWorld, Reading, Size
from possilog.evaluation.results import LearningCost, ReadModel
from possilog.evaluation.scores import Score, summarise
from possilog.logic import Atom, Clause, Constant, Predicate, Rule, Theory, Variable, Weight
from possilog.report.experiment import write_results
from possilog.report.experiment.page import _about_learning, make_index, make_page
from possilog.report.experiment.tables import make_tables
from results import NO_RESULTS

SCRIPT, INPUT, PIPE, TICK = "<script>alert(1)</script>", r"\input{x}", "a|b", "`c`"
X, Y = Variable("X"), Variable("Y")


def rule(weight: str, head: str, body: str, *constants: str) -> Rule:
    arguments = (X, *map(Constant, constants))
    clause = Clause((Atom(Predicate(head, len(arguments)), arguments),), (Atom(Predicate(body, 2), (X, Y)),))
    return Rule(clause, Weight.of(weight))


THEORY = Theory((rule("0.9", SCRIPT, INPUT), rule("0.8", PIPE, INPUT, TICK), rule("1", TICK, INPUT)))
AUTHORS = Theory((rule("0.7", SCRIPT, INPUT), rule("0.6", TICK, INPUT, SCRIPT)))


def facts() -> Database:
    pairs = [Atom(Predicate(INPUT, 2), (Constant(f"{SCRIPT}{n}"), Constant(f"{PIPE}{n}"))) for n in range(6)]
    heads = [Atom(Predicate(SCRIPT, 1), (Constant(f"{SCRIPT}{n}"),)) for n in range(4)]
    values = [Atom(Predicate(PIPE, 2), (Constant(f"{SCRIPT}{n}"), Constant(TICK))) for n in range(3)]
    return Database.of([*pairs, *heads, *values])


def test_every_file_of_an_experiment_is_harmless(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    scale = Scale(sizes=(3, 8), repeats=2, curve=(2, 4), read_with=(3,), network_seconds=1.0, world_seconds=1.0)
    data = DataSet(f"{SCRIPT} {INPUT}", facts(), facts(), AUTHORS, sources=(SCRIPT, "Zürich"))
    experiment = Experiment(data, scale, tmp_path / "work", THEORY)
    write_results(experiment, tmp_path)
    assert "Zürich" in (tmp_path / "results.json").read_text("utf-8")
    page = read_page((tmp_path / "index.html").read_text())
    assert "h3" in page.tags and f"possilog on {SCRIPT} {INPUT}" in page.texts
    tables = tmp_path / "tables"
    assert {path.stem for path in tables.iterdir()} >= {"gain", "predicates", "areas", "formulas", "beside", "authors"}
    for path in tables.iterdir():
        text = path.read_text()
        if path.suffix == ".html":
            read_page(text)
        elif path.suffix == ".md":
            assert not re.search(r"<|(?<!\\)`", text), path
            lines = [line for line in text.splitlines() if line.startswith("|")]
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1, path
        else:
            assert r"\input" not in text and "<" not in text and "|" not in text, path
    assert r"\textit{\textbackslash{}input\{x\}}(X, Y)" in (tables / "theory.tex").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("index.html", "plots", "results.json", "tables", "theory.pl", "times", "work")
    ]


def test_every_table_and_page_shows_names_and_obeys_none() -> None:
    found = summarise([Score(3, 0, {SCRIPT: 2}, {SCRIPT: 1}, {INPUT: 1}, 0.1)])
    results = replace(
        NO_RESULTS,
        data=SCRIPT,
        sizes=(3,),
        versions={SCRIPT: SCRIPT},
        theory=f"{SCRIPT}\n{INPUT}",
        models={Label(Origin.HARD_RULES): found, OURS: found},
        left_out={Label(Origin.LEARNED_NETWORK): SCRIPT},
        areas={OURS: {SCRIPT: 0.5, INPUT: None}},
        readings={OURS: ReadModel(Size(1, 2), (Reading(SCRIPT, INPUT, 1, 2, 3, 4),))},
        example=(ExampleWorld((SCRIPT, INPUT), 1.0, 2.0, True),),
        beside=compare(THEORY, AUTHORS),
    )
    tables = make_tables(results)
    named = {"predicates", "shares", "areas", "formulas", "example", "beside"}
    assert {table.name for table in tables} == {
        *("gain", "error", "precision", "recall", "reading"),
        *named,
    }
    for table in tables:
        read_page(table.html)
        assert "<" not in table.markdown and r"\input" not in table.latex
        assert ("script" in table.markdown) == ("script" in table.latex) == (table.name in named)
    page = read_page(make_page(results, tables, {}))
    assert f"{SCRIPT}\n{INPUT}" in page.texts and f"learned MLN is left out: {SCRIPT}" in page.texts
    assert SCRIPT in read_page(make_index({"-": results})).texts


@pytest.mark.parametrize(
    ("seconds", "complete", "told"), [(None, False, False), (3.0, False, True), (3.0, True, False)]
)
def test_a_network_whose_learner_was_cut_short_is_told_of(seconds: float | None, complete: bool, told: bool) -> None:
    learning = LearningCost(1.0, None, seconds, network_complete=complete)
    said = list(_about_learning(learning))
    assert len(said) == told and all("its learner was cut short" in line for line in said)
    assert next(iter(_about_learning(replace(learning, reason="no rule pays")))) == "Our theory: no rule pays."
