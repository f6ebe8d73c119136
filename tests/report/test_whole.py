"""Pages and tables, whole: sections of a report, and all that an experiment writes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from possilog import parse_theory, portray
from possilog.data.taking import facts_of
from possilog.evaluation.comparison import compare as compare_with
from possilog.evaluation.labels import OURS, Label, Origin, Way
from possilog.evaluation.reading import ExampleWorld, Reading, Size
from possilog.evaluation.reliability import Reliability, Tenth
from possilog.evaluation.results import ErrorCurves, FactCounts, LearningCost, Paired, ReadModel, Results
from possilog.evaluation.scores import Additions, Band, Summary
from possilog.inference import Words
from possilog.logic import write_theory
from possilog.plotting import Plot
from possilog.report.experiment import files
from possilog.report.experiment.page import make_index, make_page, make_times_page
from possilog.report.experiment.plots import make_plots, make_time_plots
from possilog.report.experiment.tables import make_tables, make_time_tables
from possilog.report.overview import making, page
from possilog.report.overview.making import make_report
from possilog.report.overview.page import draw_page, sections
from possilog.report.overview.suspects import Suspects, find_suspects
from possilog.report.overview.values import Coverage, Report
from possilog.report.side_by_side import latex_table
from results import NO_RESULTS
from transcribing import compare

RULES = """
#type bird(animal). #type flies(animal). #type wrote(person, book).
0.95 :: flies(X) :- bird(X). 0.9 :: flies(X) :- bird(X), young(X). 0.8 :: sings(X) :- flies(X).
0.7 :: :- wrote(X, Y), reads(X, Y). 0.6 :: p(X, "b c") :- q(X).
#demoted :- sings(X), fish(X).
old(X) :- wrote(X, Y). old(X); fine(X) :- reads(X, Y). :- p(X, Y), p(X, Z). :- bird(X), fish(X).
"""
FACTS = [
    *(f"bird(b{n})" for n in range(9)),
    *(f"flies(b{n})" for n in range(8)),
    *(f"q(c{n})" for n in range(8)),
    *(f'p(c{n}, "b c")' for n in range(7)),
    *("p(c7, d)", "young(b1)", "young(b8)", "fish(b1)", "sings(b1)"),
    *("wrote(ann, emma)", "reads(ann, emma)", "wrote(emma, tom)"),
]


@cache
def report() -> Report:
    return make_report(parse_theory(RULES), FACTS)


@cache
def with_test() -> Report:
    return make_report(parse_theory(RULES), FACTS, FACTS[::-1], seed=3)


def told(of: Report, *names: str) -> str:
    """The sections of a report, or some of them."""
    parts = (f"== {name}: {title} {n}\n{said}" for name, title, n, said in sections(of) if name in (names or name))
    return re.sub(r"(?<=>)(?=<[^/])", "\n", "\n".join(parts))


def summary(size: int, mean: float, **predicates: Additions) -> Summary:
    return Summary(
        size, Band(mean, mean - 1, mean + 2), Band(-mean, -mean - 2, -mean + 1), size / 40, *ADDED, predicates
    )


ADDED = (Additions(3, 1, 8),)
HARD, THEIRS, REPAIRED = Label(Origin.HARD_RULES), Label(Origin.PUBLISHED_NETWORK), Label(Origin.AUTHORS, Way.REPAIRED)
EVIDENCE, AUTHORS = Label(Origin.EVIDENCE), Label(Origin.AUTHORS, Way.LOCAL)


@cache
def results() -> Results:
    ours = parse_theory("p(X) :- q(X). r(X) :- q(X). 0.9 :: q(X) :- r(X). 0.8 :: q(X) :- s(X).")
    theirs = parse_theory("p(A) :- q(A). 0.7 :: q(A) :- r(A).")
    models = {
        EVIDENCE: (summary(10, 9), summary(20, 8)),
        HARD: (summary(10, 7), replace(summary(20, 6), additions=Additions(0, 0, 0))),
        THEIRS: (replace(summary(10, 5), gain=Band(1, -float("inf"), float("inf"))), summary(20, 5)),
        REPAIRED: (summary(10, 4), summary(20, 3)),
        OURS: (summary(10, 2, q=Additions(2, 1, 4)), summary(20, 1, q=Additions(3, 0, 4), r=Additions(0, 0, 1))),
    }
    reading = (
        Reading("p", "0.9", 3, 4, 1, 2),
        Reading("q", "0.8", 0, 0, 2, 3),
        Reading("r", "0.7", 1, 2, 0, 0),
        Reading("s", "0.6", 1, 5, 1, 3),
    )
    errors = {EVIDENCE: (9, 8, 7), THEIRS: (5, 6, 4), AUTHORS: (4, 6, 4), OURS: (3, 3, 3)}
    return replace(
        NO_RESULTS,
        data="yeast",
        train=FactCounts(1000, 200, 3),
        test=FactCounts(500, 100, 3),
        repeats=2,
        sizes=(10, 20),
        versions={"numpy": "1", "other": "2"},
        learning=LearningCost(1.5, "no rule pays", 2.5),
        models=models,
        paired={label: (Paired(10, Band(3, 1, 5), 0.02), Paired(20, Band(-4, -7, -1), 0.5)) for label in models},
        curves=ErrorCurves((5, 10, 15), errors),
        left_out={Label(Origin.DENSITY_TREE): "it is slow"},
        areas={OURS: {"p/1": 0.5, "q/1": None}, AUTHORS: {"p/1": None, "q/1": None}},
        readings={OURS: ReadModel(Size(4, 9), reading), THEIRS: ReadModel(Size(1, 2), reading[2:3])},
        example=(ExampleWorld(("Student",), 1.0, 2.0, True), ExampleWorld((), 0.0, 0.5, False)),
        beside=compare_with(ours, theirs),
        theory="0.9 :: q(X) :- r(X).",
    )


def tables(of: Results) -> str:
    return "\n".join(
        f"{table.name}\n{table.markdown}{table.latex}{table.html}"
        for table in (*make_tables(of), *make_time_tables(of))
    )


def plots(of: Results) -> str:
    return "\n".join(map(repr, (*make_plots(of), *make_time_plots(of)))).replace("Line(", "\n  Line(")


WHOLE: dict[str, Callable[[], str]] = {
    "a report": lambda: told(report()),
    "on test facts": lambda: told(with_test(), "calibration", "size", "test"),
    "in JSON": lambda: json.dumps(with_test().as_json | {"theory": "", "test": ""}, indent=1),
    "of nothing": lambda: told(make_report(parse_theory(""), [])),
    "of types alone": lambda: told(make_report(parse_theory("#type p(person)."), ["p(a)"])),
    "of a rule without a body": lambda: told(
        make_report(parse_theory("0.9 :: p(X)."), ["q(a)"], ["q(b)", "p(b)"]), "graph", "strata", "size"
    ),
    "said and came true": lambda: told(
        replace(
            report(),
            reliability=Reliability((Tenth(0.2, 0.25, 3, 10), Tenth(0.7, 0.75, 30, 40)), 0.1, 50),
            suspects=replace(report().suspects, more=1200),
            graph=replace(report().graph, left_out=1100),
        ),
        *("glance", "suspects", "graph", "calibration"),
    ),
    "tables of an experiment": lambda: tables(results()),
    "tables of another one": lambda: "\n".join(
        table.markdown for table in make_tables(replace(results(), data="uwcse", areas={}, beside=None))
    ),
    "plots of an experiment": lambda: plots(results()),
    "page of an experiment": lambda: make_page(results(), make_tables(results()), {"p": b"<svg>p</svg>"}),
    "page of times": lambda: make_times_page(results(), make_time_tables(results()), {"p": b"<svg>p</svg>"}),
    "page of other times": lambda: make_times_page(NO_RESULTS, (), {}),
    "page of several": lambda: make_index({"one": results(), "other": replace(results(), data="<mine>")}),
}


@pytest.mark.parametrize("name", WHOLE)
def test_pages_are_what_they_were(name: str, request: pytest.FixtureRequest) -> None:
    """A file for each, which asks for it by its name."""

    def ask(asked: str) -> str:
        assert asked == name
        return re.sub(r"<style>[^<]*</style>", "<style>", WHOLE[name]())

    compare(Path(__file__).parent / "pages" / f"{name.replace(' ', '-')}.txt", ask, request)


# Borders


def with_rules(count: int) -> Report:
    (card,) = make_report(parse_theory("0.9 :: p(X) :- q(X)."), []).portrait.rules
    return replace(report(), portrait=replace(report().portrait, rules=(card,) * count))


def test_a_page_of_many_rules_says_so_and_tells_them_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "_SHORTER", 7)
    drawn = {count: draw_page(with_rules(count)) for count in (299, 300, 301)}
    assert ['<body class="many">' in one for one in drawn.values()] == [False, False, True]
    monkeypatch.setattr(page, "draw_group", lambda group, place, most, folded: f"at most {most}")
    assert ["at most 7" in page._rules(with_rules(count)) for count in (299, 300, 301)] == [False, False, True]


@pytest.mark.parametrize(("count", "more"), [(99, ""), (100, ""), (101, "and 1 more predicates")])
def test_a_hundred_predicates_are_listed_those_with_most_facts_first(count: int, more: str) -> None:
    names = [f"p{number:04}" for number in range(count)]
    facts = [*(f"{name}(a)" for name in names), f"{names[-1]}(b)", f"{names[0]}(b)", f"{names[0]}(c)"]
    theory = parse_theory("".join(f"0.9 :: {name}(X) :- {names[0]}(X).\n" for name in names[1:]))
    schema = portray(theory, facts, examples=0).schema
    drawn = page._glance(replace(report(), portrait=replace(report().portrait, schema=schema)))
    listed = re.findall(r"<li><span>(.*?)\(.*?</span><b>(\d+)</b></li>", drawn)
    assert listed[:3] == [(names[0], "3"), (names[-1], "2"), (names[1], "1")] and len(listed) == min(count, 100)
    assert more in drawn and ("more predicates" in drawn) == bool(more)


def test_what_no_fact_is_of_is_listed_last() -> None:
    drawn = page._glance(make_report(parse_theory("0.9 :: b(X) :- a(X), c(X)."), ["c(x)"]))
    assert re.findall(r"<li><span>(.*?)\(.*?</span><b>(\d+)</b></li>", drawn)[0] == ("c", "1")
    assert page._glance(make_report(parse_theory("0.9 :: b(X) :- a(X)."), ["a(x)"])).count("<b>0</b>") >= 1


def test_more_than_five_suspects_can_be_searched() -> None:
    (one, *_) = report().suspects.listed
    for count in (1, 4, 5, 6):
        drawn = page._suspects(replace(report(), suspects=Suspects((one,) * count)))
        assert ("Search suspects" in drawn) == (count > 5) and "break a hard rule or a type" not in drawn


def test_a_curve_needs_two_points() -> None:
    points = tuple(Coverage(n, n, 0) for n in range(3))
    for count in (1, 2, 3):
        assert ("<svg" in page._size(replace(report(), coverage=points[:count], test=None))) == (count > 1)
    test = with_test().test
    assert test is not None
    for count in (1, 2, 3):
        drawn = page._size(replace(with_test(), test=replace(test, by_size=((0, 1.0), (1, 2.0), (2, 5.0))[:count])))
        assert drawn.count("<svg") == (2 if count > 1 else 1)


def test_what_a_report_is_called(tmp_path: Path) -> None:
    path, rule = tmp_path / "birds.pl", parse_theory("0.9 :: flies(X) :- bird(X).")
    write_theory(rule, path)
    facts = tmp_path / "facts.db"
    facts.write_text("bird(a)", encoding="utf-8")
    for theory, title, called in ((path, "", "birds.pl"), (path, "Mine", "Mine"), (rule, "", "A theory")):
        assert make_report(theory, ["bird(a)"], title=title).title == called
    assert make_report(rule, facts).data == str(facts) and make_report(rule, ["bird(a)"]).data == ""
    words = Words({"flies": "{0} is in the air"})
    (card,) = make_report(rule, ["bird(a)"], words=words).portrait.rules
    assert "is in the air" in card.sentence


@pytest.mark.parametrize(("facts", "repeats"), [(9, 5), (10, 5), (11, 1)])
def test_of_many_test_facts_few_sets_are_drawn(facts: int, repeats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "_LARGE", 10)
    monkeypatch.setattr(making, "SHARES", (0.1, 0.5))
    rules = parse_theory("".join(f"0.{9 - n} :: p{n}(X) :- q(X).\n" for n in range(4)))
    test = make_report(rules, ["q(a)"], [f"q({n})" for n in range(facts)]).test
    assert test is not None and (test.facts, test.repeats) == (facts, repeats)
    assert test.models[0].shares == (1 / facts, round(facts / 2) / facts)
    assert [size for size, _ in test.by_size] == [0, 1, 2, 3, 4]
    assert [gain for _, gain in test.by_size] == [-n * (1 + round(facts / 2)) / 2 for n in range(5)]


def test_suspects_beyond_the_most_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = report().suspects
    assert whole.more == 0 and whole.hard < len(whole.listed)
    for most in (len(whole.listed) + 1, len(whole.listed), 3):
        monkeypatch.setattr("possilog.report.overview.suspects.MOST", most)
        portrait = report().portrait
        found = find_suspects(portrait.theory, portrait, facts_of(FACTS), report().words)
        assert (found.listed, found.hard) == (whole.listed[:most], whole.hard)
        assert found.more == max(0, len(whole.listed) - most)


# Files of an experiment


def test_an_experiment_writes_its_files_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plot, "draw", lambda self: {"svg": f"<svg>{self.name}".encode(), "png": b"drawn"})
    authors = parse_theory("0.7 :: q(A) :- r(A).")
    folder = tmp_path / "deep" / "down"
    for theirs, network in ((None, None), (authors, "1.5 Rains\n")):
        experiment: Any = SimpleNamespace(
            results=results(),
            data=SimpleNamespace(name="yeast", authors=theirs),
            theory=authors,
            found_theory=SimpleNamespace(theory="0.9 :: ä(X) :- q(X)."),
            found_network=SimpleNamespace(network=network),
        )
        files.write_results(experiment, folder)
        assert (folder / "network.mln").exists() == (network is not None)
        assert (folder / "tables" / "authors.tex").exists() == (theirs is not None)
    assert (folder / "network.mln").read_text("utf-8") == "1.5 Rains\n"
    assert (folder / "theory.pl").read_text("utf-8") == "0.9 :: ä(X) :- q(X)."
    assert (folder / "results.json").read_text("utf-8") == json.dumps(
        results().as_json, indent=1, ensure_ascii=False
    ) + "\n"
    assert json.loads((folder / "times" / "times.json").read_text("utf-8")) == results().times
    assert (folder / "tables" / "theory.tex").read_text("utf-8") == latex_table(authors, "The theory learned on yeast.")
    assert (folder / "tables" / "authors.tex").read_text("utf-8") == latex_table(
        authors, "The authors' theory for yeast."
    )
    for kind, made in (("tables", make_tables(results())), ("times", make_time_tables(results()))):
        for table in made:
            texts = [(folder / kind / f"{table.name}.{end}").read_text("utf-8") for end in ("md", "tex", "html")]
            assert texts == [table.markdown, table.latex, table.html]
    plots = {path.name for path in (folder / "plots").iterdir()}
    assert plots == {f"{name}.{end}" for name in ("gain", "cumulative-1", "cumulative-2") for end in ("svg", "png")}
    assert (folder / "times" / "seconds.svg").read_bytes() == b"<svg>seconds"
    assert "cumulative-2" in (folder / "index.html").read_text("utf-8")
    assert "how long it took" in (folder / "times" / "index.html").read_text("utf-8")
    assert files.write_index({"one": results()}, tmp_path) == tmp_path / "index.html"
    assert (tmp_path / "index.html").read_text("utf-8") == make_index({"one": results()})
