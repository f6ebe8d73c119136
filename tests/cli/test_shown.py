"""What commands show, said to this process: how far they are, rules, matches, what was learned and evaluated."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from possilog import parse_theory
from possilog.cli import contents, evaluate, experiment, learn, messages, mine, progress, query, rules, sets
from possilog.cli.explain import show_explanation
from possilog.cli.learn import Asked
from possilog.cli.progress import Bars
from possilog.cli.schema import describe
from possilog.cli.what_if import show_difference
from possilog.data.taking import facts_of
from possilog.deadline import NEVER
from possilog.errors import PossilogError, QueryError
from possilog.evaluation.labels import OURS, Label, Origin
from possilog.evaluation.reliability import Reliability, Tenth
from possilog.evaluation.scores import Additions, Band, Summary
from possilog.inference import Reasoner, Words
from possilog.logic import Clause, parse_atom, parse_clause, parse_query
from possilog.matching import Matcher
from possilog.progress import Step
from possilog.structure.ranking import RankedRule, RankedStratum, count_exceptions
from possilog.structure.rules import FoundRule, FoundRules
from results import NO_RESULTS


class Stream(StringIO):
    """Where messages go: a terminal, or not. It knows what was sent on at once."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self._is_terminal, self.sent = is_terminal, ""

    def isatty(self) -> bool:
        """Is it one?"""
        return self._is_terminal

    def flush(self) -> None:
        """What was written is seen."""
        self.sent = self.getvalue()


# How far a command is

STEPS = [
    *(
        Step("a", 0, 3, "x"),
        Step("a", 2, 3, "y"),
        Step("a", 3, 3, "z"),
        Step("a", 3, 3, "same"),
        Step("a", 1, 3, "new"),
    ),
    *(Step("a", 1, 4, "more"), Step("c", 0, None, "p"), Step("c", 0, None, ""), Step("c", 5, None, "q")),
    *(Step("b", 2, 2, "end"), Step("b", 2, 2, "end"), Step("a", 0, 4, "back")),
]
TOLD = [
    *("A of 3", "y", "y", "z", "/", "A of 3", "new", "/", "A of 4", "more", "/", "C of None", "p", "q", "/"),
    *("B of 2", "end", "end", "/", "A of 4", "/"),
]


@pytest.mark.parametrize("is_terminal", [True, False])
@pytest.mark.parametrize("lines", [True, False])
def test_a_bar_for_each_phase_and_a_line_where_there_is_no_terminal(
    is_terminal: bool, lines: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    stream = Stream(is_terminal)

    @contextmanager
    def bar(title: str, total: int | None) -> Iterator[Callable[[str], None]]:
        seen.append(f"{title} of {total}")
        assert stream.sent == stream.getvalue()  # a line is there before the work begins
        yield seen.append
        seen.append("/")

    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "progress_bar", bar)
    with Bars(title=str.upper, lines=lines) as bars:
        for step in STEPS:
            bars.show(step)
    assert seen == TOLD
    assert stream.getvalue() == ("[A]\n[C]\n[B]\n[A]\n" if lines and not is_terminal else "")
    seen.clear()
    with Bars(quiet=True, lines=True) as bars:
        bars.show(STEPS[0])
    assert not seen and not Bars().quiet and not Bars().lines


def test_a_bar_is_on_the_terminal_while_it_lasts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    drawn = {}
    for is_terminal in (True, False):
        stream = Stream(is_terminal)
        monkeypatch.setattr(sys, "stderr", stream)
        with progress.progress_bar("reading", 2) as advance:
            advance("one.db")
        drawn[is_terminal] = stream.getvalue()
    assert "reading: one.db" in drawn[True] and "1/2" in drawn[True] and drawn[True].endswith("\x1b[2K")
    assert drawn[False] == "" and capsys.readouterr().out == ""


def test_a_message_is_counted_beyond_the_most(capsys: pytest.CaptureFixture[str]) -> None:
    for count in (19, 20, 21, 1020):
        messages.say_all("note", range(count), sys.stdout)
        told = contents._Warnings()
        for number in (*range(count), *range(count)):
            told.show(str(number))
        told.close()
        out, err = capsys.readouterr()
        end = [f"and {count - 20:,} more, left out"] if count > 20 else []
        for kind, said in (("note", out), ("warning", err)):
            assert said.splitlines() == [f"{kind}: {one}" for one in (*range(min(count, 20)), *end)]
    messages.say("note", "x")
    messages.say("note", "y", sys.stdout)
    assert capsys.readouterr() == ("note: y\n", "note: x\n")


# Rules

FLIES, SWIMS = parse_clause("flies(X) :- bird(X)."), parse_clause("swims(X) :- duck(X).")
FACTS = [*(f"bird(b{n})" for n in range(6)), "flies(b1)", "duck(b2)", "duck(b3)", "swims(b2)"]
HARD = SimpleNamespace(rules=(FLIES,), complete=True, coverage="all of them")


def found_rules(*clauses: Any, **more: Any) -> Any:
    found = tuple(FoundRule(clause, 0.5, 1, 2, 1, 3.0) for clause in clauses)
    counts: Any = SimpleNamespace()
    return FoundRules(found, (), counts, 1.0, **more)


@pytest.mark.parametrize(("most", "known"), [(4, [None, 1]), (5, [5, 1]), (6, [5, 1]), (0, [None, None])])
def test_exceptions_are_counted_up_to_the_most(
    most: int, known: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "_MOST_EXCEPTIONS", most)
    found = rules._confidences(facts_of(FACTS), found_rules(FLIES, SWIMS), NEVER)
    assert [one.exceptions for one in found] == known and [one.true for one in found] == [1, 1]
    assert [one.value for one in found] == [None if one is None else 1 / (1 + one) for one in known]
    bounds = [min(5, most + 1), min(1, most + 1)]
    told = [
        f"less than {1 / (1 + bound):.2g}" if one is None else f"{1 / (1 + one):.4f} (1/{1 + one})"
        for one, bound in zip(known, bounds, strict=True)
    ]
    assert list(map(str, found)) == told


@pytest.mark.parametrize("ranked", [True, False])
@pytest.mark.parametrize("as_json", [True, False])
def test_rules_are_printed_with_what_was_counted(
    ranked: bool, as_json: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = found_rules(FLIES, SWIMS, more=(SWIMS.head[0].predicate,))
    counted: list[object] = []

    def count(matcher: Matcher, clause: Clause, *more: Any) -> int:
        counted.append(clause)
        return count_exceptions(matcher, clause, *more)

    monkeypatch.setattr(rules, "count_exceptions", count)
    monkeypatch.setattr(rules, "search_rules", lambda *_, **__: (HARD, found))
    monkeypatch.setattr(rules, "time", SimpleNamespace(perf_counter=iter([5.0, 7.5]).__next__))
    limits: dict[str, Any] = {"literals": 2, "unary_literals": 2, "variables": 2, "stop": NEVER, "jobs": 1}
    settings = rules.make_settings(None, 0, False)
    rules.show_rules(facts_of(FACTS), [], settings, ranked=ranked, as_json=as_json, **limits)
    out, err = capsys.readouterr()
    assert err == "note: there may be more rules of swims/1; --repeats says how many of each length\n"
    assert len(counted) == (2 if as_json or not ranked else 0)
    if as_json:
        said = json.loads(out)
        assert (said["seconds"], said["hard_rules"], "ranked" in said) == (2.5, 1, ranked)
        assert [(one["confidence"], one["exceptions"]) for one in said["rules"]] == [(1 / 6, 5), (0.5, 1)]
    else:
        assert ("2 rules, given 1 hard rule" in out) != ranked and ("at most 50% exceptions" in out) == ranked


def test_strata_are_printed_and_what_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    flies, swims = FLIES.head[0].predicate, SWIMS.head[0].predicate
    strata = (RankedStratum(0.0, (RankedRule(FLIES, 1200, 0),)), RankedStratum(0.05, (RankedRule(FLIES, 9, 1100),)))
    rules._print_strata({flies: strata}, found_rules(FLIES, SWIMS))
    rules._print_strata({flies: (), swims: ()}, found_rules(FLIES, SWIMS))
    rules._print_strata({}, found_rules())
    assert capsys.readouterr().out.splitlines() == [
        *("flies/1", "  without exception", "      1,200          0  flies(X) :- bird(X)."),
        *("  at most 5% exceptions", "          9      1,100  flies(X) :- bird(X)."),
        *("swims/1", "  there was no time to rank its rules"),
        *("flies/1", "  no rule with at most 50% exceptions", "swims/1", "  no rule with at most 50% exceptions"),
        "no rules to rank",
    ]
    for complete in (True, False):
        hard: Any = SimpleNamespace(rules=(), complete=complete, coverage="half of them")
        assert ("hard rules: half of them" in rules._as_text(found_rules(), (), hard)) != complete


@pytest.mark.parametrize("kind", ["random", "nontrivial"])
def test_negative_examples_are_random_where_that_is_said(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(rules, "show_rules", lambda *some, **_: given.extend(some))
    done = CliRunner().invoke(rules.app, ["village", "--negatives", kind, "--samples", "7", "--body", "2"])
    assert done.exit_code == 0, done.output
    assert given[2] == rules.make_settings(None, 0, kind == "random", samples=7, body=2)
    assert given[2] != rules.make_settings(None, 0, kind != "random", samples=7, body=2)


# Matches


@pytest.mark.parametrize("count", [True, False])
@pytest.mark.parametrize("exists", [True, False])
@pytest.mark.parametrize("as_json", [True, False])
def test_a_query_is_answered_as_it_was_asked(
    count: bool, exists: bool, as_json: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    facts, asked = facts_of(["p(a)", "p(b)"]), parse_query("p(X)")
    query.answer(facts, asked, count=count, exists=exists, limit=1, as_json=as_json)
    said = capsys.readouterr().out
    if as_json:
        told: dict[str, Any] = (
            {"query": "p(X)"} | ({"exists": True} if exists else {}) | ({"count": 2} if count else {})
        )
        if not (count or exists):
            told |= {"variables": ["X"], "matches": [{"X": "a"}], "count": 1}
        assert json.loads(said) == told
    else:
        lines = ["true"] * exists + ["2"] * count
        assert said.splitlines() == (lines or ["X = a"])


def test_where_nothing_matches_that_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    for asked, limit, told in (
        ("p(X), q(X)", None, True),
        ("p(X)", 0, False),
        ("p(X)", 1, False),
        ("p(a)", None, False),
    ):
        query.answer(
            facts_of(["p(a)", "q(b)"]), parse_query(asked), count=False, exists=False, limit=limit, as_json=False
        )
        assert capsys.readouterr().err == ("no match\n" if told else "")


@pytest.mark.parametrize(("few", "bird"), [(1, ""), (2, "; did you mean bird?"), (3, "; did you mean bird?")])
def test_among_few_names_a_similar_one_is_looked_for(few: int, bird: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "_FEW", few)
    assert query.suggestion("burd", ["bird", "fish"]) == bird
    assert query.suggestion("BIRD", ["bird", "fish"]) == "; did you mean bird?"
    assert query.suggestion("fish", ["bird", "Fish"]) == '; did you mean "Fish"?'
    assert query.suggestion("fish", ["bird", "Fish"], is_predicate=True) == "; did you mean Fish?"
    assert query.suggestion("zzz", ["bird"]) == ""


# Remarks come last, where both streams go to one place


@pytest.mark.parametrize("as_json", [True, False])
def test_what_is_printed_stands_before_what_is_remarked(
    as_json: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reasoner = Reasoner(parse_theory("0.9 :: p(X) :- q(X). :- p(X), r(X). :- q(X), r(X)."))
    made = reasoner.what_if(["q(a)", "r(a)"], "global", add=["q(b)"])
    with open(tmp_path / "both", "a") as out, open(tmp_path / "both", "a", buffering=1) as error:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", error)
        show_difference(made, as_json=as_json)
        show_explanation(reasoner, made.after, parse_atom("p(a)"), Words(), limit=3, as_json=as_json)
        describe(facts_of(["p(a)"]), as_json=False)
        print("after", file=sys.stderr)
    text = (tmp_path / "both").read_text()
    explained = reasoner.explainer(made.after, Words()).explain(parse_atom("p(a)"), 3)
    told = [messages.in_json(one.as_json) if as_json else str(one) for one in (made, explained)]
    remark = "the evidence contradicts the hard rules (nothing is added; "
    first, second, last = text.split(remark)
    assert first == f"{told[0]}\n" and told[1] in second and "1 fact, " in last and last.endswith("after\n")


# What was learned


def of_rules(count: int) -> Any:
    theory = parse_theory("".join(f"0.{99 - n} :: p{n:02}(X) :- q(X).\n" for n in range(count)))
    candidates = {rule.clause: SimpleNamespace(true=1 if n != 2 else 7) for n, rule in enumerate(theory.ranked[:4])}
    return SimpleNamespace(
        theory=theory, candidates=candidates, notes={theory.ranked[0].clause: "a note"} if count else {}
    )


@pytest.mark.parametrize("count", [0, 4, 9, 10, 11, 12])
def test_some_soft_rules_are_printed(count: int, capsys: pytest.CaptureFixture[str]) -> None:
    learn._print_soft(of_rules(count))
    places = [2, 0, 1, 3, *range(4, count)][: min(10, count)]
    lines = [f"  p{place:02}(X) :- q(X).{'  % a note' if place == 0 else ''}" for place in places]
    begin = ["", "soft rules, the largest support first"] if count else []
    more = [f"  and {count - 10} more"] if count > 10 else []
    assert capsys.readouterr().out.splitlines() == [*begin, *lines, *more]


def test_how_it_was_learned_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    table = [SimpleNamespace(share=0.25, hard=1.5, added=2.25, noise=0.5)]
    curve = [SimpleNamespace(rules=rules, gain=rules / 2) for rules in (2, 1, 0)]
    for some, points in ((table, curve), ([], [])):
        measured = SimpleNamespace(reason="it pays", table=some, curve=points, taken=1, unproved=("p :- p, q.",))
        learn._print_simulation(SimpleNamespace(measurement=measured))  # type: ignore[arg-type]
    weighing = SimpleNamespace(fit=SimpleNamespace(log_likelihood=-1234.567))
    for training, held_out, weighed in (([-3.0, -2.0, -1.5], [-4.0, -3.5], weighing), ([-3.0], [-4.0], None)):
        ordered = SimpleNamespace(curve=SimpleNamespace(training=training, held_out=held_out))
        learn._print_curve(SimpleNamespace(ordered=ordered, weighing=weighed))  # type: ignore[arg-type]
    left_out = "left out, since it feeds on itself and was not seen to do well at it: p :- p, q."
    assert capsys.readouterr().out.splitlines() == [
        *("", "simulated prediction: it pays", "  known  hard rules gain  soft rules add"),
        "    25%              1.5      +2.2 ± 0.5",
        "gain by number of soft rules: 0: 0.0, 1: 0.5 (taken, but for 1), 2: 1.0",
        left_out,
        *("", "simulated prediction: it pays", left_out),
        *("", "log-likelihood per fragment, by number of rules", "  rules    training    held out"),
        *("      0     -3.0000     -4.0000", "      1     -2.0000     -3.5000", "      2     -1.5000"),
        "log-likelihood -1,234.57",
    ]


@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize("as_json", [True, False])
@pytest.mark.parametrize("more", [True, False])
def test_what_learn_says_and_where_it_writes(
    quiet: bool, as_json: bool, more: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    done: list[str] = []
    learned = SimpleNamespace(save=lambda path: done.append(f"save {path}"), as_json={"rules": 1})
    learner = SimpleNamespace(plan="a plan", run=lambda: learned)
    monkeypatch.setattr(learn, "_print", lambda *_: print("in words"))
    monkeypatch.setattr(learn, "_learner", lambda asked, bars, jobs: learner if bars.lines else pytest.fail("no lines"))
    monkeypatch.setattr(learn, "check_theory_file", lambda path, force: done.append(f"check {path} {force}"))
    monkeypatch.setattr(learn, "check_place", lambda place, kind, force: done.append(f"check {place} {kind}"))
    monkeypatch.setattr(learn, "write_rules", lambda found, place, force: done.append(f"write {place} {force}"))
    asked = Asked(["a.db"], "t.pl", quiet=quiet, as_json=as_json, write_to="there" if more else None)
    assert learn.run(asked) == 0
    place, written = (["check there rules"], ["write there False"]) if more else ([], [])
    assert done == ["check t.pl False", *place, "save t.pl", *written]
    out, err = capsys.readouterr()
    assert err == ("" if quiet else "a plan\n")
    assert out == ('{\n  "rules": 1\n}\n' if as_json else "" if quiet else "in words\n")


def test_what_is_not_asked_for_is_not_done() -> None:
    plain = Asked(["a.db"], "t.pl")
    for given in (plain, learn.TheoryOptions(), learn.FocusOptions()):
        assert not any(getattr(given, one.name) is True for one in fields(given))


def test_all_files_are_learned_from_and_each_is_a_group(tmp_path: Path) -> None:
    texts = {"a.db": "p(a)\nq(a)\n", "b.db": "p(b)\n", "t.pl": "#lock 0.9 :: p(X) :- q(X)."}
    for name, text in {**texts, "g.tsv": "a\tone\n"}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    one, other, start, groups = (str(tmp_path / name) for name in ("a.db", "b.db", "t.pl", "g.tsv"))
    learner = learn._learner(Asked([one, other], "x.pl"), Bars(quiet=True), 1)
    assert set(map(str, learner.database)) == {"p(a)", "q(a)", "p(b)"} and learner.sources == (one, other)
    assert learner.groups == {"a": one, "b": other} and (learner.start, learner.valid) == (None, None)
    learner = learn._learner(Asked([one], "x.pl", start=start, groups=groups), Bars(quiet=True), 1)
    assert set(map(str, learner.database)) == {"p(a)", "q(a)"} and learner.groups == {"a": "one"}
    assert learner.start == parse_theory(texts["t.pl"])


@pytest.mark.parametrize(
    ("parse", "word", "least"),
    [(learn.parse_max_rules, "knee", 0), (learn.parse_width, "auto", 1), (learn.parse_rules_per_head, "all", 1)],
)
def test_a_number_or_a_word(parse: Callable[[str | None], Any], word: str, least: int) -> None:
    assert (parse(None), parse(word), parse("1"), parse("12")) == (None, word, 1, 12)
    for wrong in ("", "x", "-1", "1.5", f"{word}s", *(["0"] if least else [])):
        with pytest.raises(QueryError, match="is neither"):
            parse(wrong)
    assert least or parse("0") == 0


# Experiments and evaluations


def summary(size: int, gain: float) -> Summary:
    return Summary(size, Band(5, 4, 6), Band(gain, gain - 1, gain + 1), 0.0125, Additions(3, 1, 1200), {})


def test_an_experiment_shows_gains_and_where_the_page_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    models = {label: (summary(10, n), summary(20, n + 1)) for n, label in enumerate(map(Label, Origin))}
    found = replace(NO_RESULTS, models={**models, OURS: (summary(10, 9),)})
    experiment._show(found, tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        *("gain of hard rules only  10: 1.0, 20: 2.0", "gain of ours, local  10: 9.0", f"{tmp_path / 'index.html'}")
    ]


@pytest.mark.parametrize("names", [["x/a.db"], ["x/a.db", "y/b.db"]])
def test_each_data_set_has_a_folder_where_there_are_several(
    names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    went: list[Path] = []
    monkeypatch.setattr(experiment, "require_matplotlib", lambda: None)
    monkeypatch.setattr(experiment, "_load", lambda name, *_: SimpleNamespace(name=Path(name).stem, test=(), train=()))
    monkeypatch.setattr(experiment, "scale_for", lambda *_, **__: None)
    monkeypatch.setattr(experiment, "Experiment", lambda data, scale, work, *_: work)
    monkeypatch.setattr(experiment, "_run", lambda work, folder: went.extend((work, folder)))
    monkeypatch.setattr(experiment, "write_index", lambda found, output: [*found, output])
    output = tmp_path / "deep" / "down"
    for _ in range(2):
        went.clear()
        experiment.run_experiments(names, experiment.Files(), str(output), quick=True, seed=0, jobs=1, repeats=None)
        folders = [output] if len(names) == 1 else [output / "a", output / "b"]
        assert went == [path for folder in folders for path in (folder / "work", folder)]
        said = f"{['a', 'b', str(output)]}\n" if len(names) > 1 else ""
        assert capsys.readouterr().out == said and output.is_dir()
    for kind in ("train", "test", "theory", "authors", "network"):
        path: Any = "x"
        files = replace(experiment.Files(), **{kind: path})
        if len(names) > 1:
            with pytest.raises(QueryError, match="paths are for one data set"):
                experiment.run_experiments(names, files, str(output), quick=True, seed=0, jobs=1, repeats=None)


def test_an_evaluation_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    said = Reliability((Tenth(0.2, 0.25, 3, 1200),), 0.125, 1200, {"p/1": Reliability((), 0.5, 7)})
    none = Summary(1000, Band(5, 4, 6), Band(1, 0, 2), 1.5, Additions(0, 0, 0), {})
    one = evaluate.Evaluated("mine", (summary(10, 2), none), said)
    for facts, repeats, begin in ((1, 1, "one fact, one evidence set"), (1200, 3, "1,200 facts, 3 evidence sets")):
        protocol: Any = SimpleNamespace(test=range(facts), repeats=repeats, seed=4, sizes=(10,))
        evaluate._print([one, evaluate.Evaluated("other", (), None)], protocol, "t.db")
        assert capsys.readouterr().out.splitlines() == [
            *(f"t.db: {begin} per size, seed 4", "", "mine"),
            "  evidence  error             gain              precision  recall  ms",
            "        10  5.0 ± 1.0         2.0 ± 1.0         0.750      0.003   12.5",
            "     1,000  5.0 ± 1.0         1.0 ± 1.0         -          -       1.5e+03",
            f"  said and came true: {evaluate._scores(said)}",
            "    said 0.25  came true 0.00  (3 of 1,200)",
            f"    p/1: {evaluate._scores(said.by_predicate['p/1'])}",
            *("", "other", "  evidence  error             gain              precision  recall  ms"),
        ]


# Mining on disk, and evidence sets


@pytest.mark.parametrize("name", ["--cluster", "--target", "--time-limit", "--coincide", "--jobs"])
def test_what_does_not_go_with_facts_on_disk(name: str) -> None:
    limits = mine._DiskLimits(2, 1, 0.1, None, None)
    with pytest.raises(QueryError, match=f"^{name} does not go with facts on disk"):
        mine._mine_disk("none", limits, {"--any": None, "--none": False, name: True})
    for body in (1, 2, 3):
        with pytest.raises(PossilogError, match="have one or two atoms" if body > 2 else "none"):
            mine._mine_disk("none", mine._DiskLimits(body, 1, 0.1, None, None), {name: None})


def test_rules_are_written_or_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    class Found:
        theory, as_json = parse_theory("0.9 :: p(X) :- q(X)."), {"rules": 1}

        def __len__(self) -> int:
            return 1200

        def __str__(self) -> str:
            return "in words"

    path, found = str(tmp_path / "t.pl"), Found()
    for output, as_json, said in (
        *((None, False, "in words\n"), (None, True, '{\n  "rules": 1\n}\n')),
        *((path, False, f"{path}: 1,200 rules for ranking\n"), (path, True, '{\n  "rules": 1\n}\n')),
    ):
        mine._show(found, output, as_json=as_json)  # type: ignore[arg-type]
        assert capsys.readouterr().out == said and Path(path).exists() == (output is not None)
        Path(path).unlink(missing_ok=True)


def test_a_folder_stands_for_the_files_in_it(tmp_path: Path) -> None:
    folder, empty = tmp_path / "some", tmp_path / "empty"
    for place in (folder, empty):
        place.mkdir()
    for name in ("b.db", "a.db", ".hidden"):
        (folder / name).touch()
    (empty / ".hidden").touch()
    found = [str(folder / "a.db"), str(folder / "b.db")]
    assert sets.evidence_sets([str(folder), found[1]]) == [*found, found[1]]
    for wrong, why in ((str(empty), "there is nothing in it"), (str(tmp_path / "none"), "there is no such file")):
        with pytest.raises(PossilogError, match=why):
            sets.evidence_sets([found[0], wrong])
