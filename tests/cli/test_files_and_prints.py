"""Which files commands take, which they replace, and what they say at the end, without a process of their own."""

from __future__ import annotations

import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from possilog.cli import evaluate, experiment, learn, output
from possilog.data.taking import facts_of
from possilog.errors import DataWarning, FileError, QueryError
from possilog.evaluation.datasets import PUBLISHED
from possilog.learning.clock import PHASES
from possilog.logic import parse_theory, read_theory, write_theory

THEORY = "0.9 :: flies(X) :- bird(X).\n"


# Files that are there


@pytest.mark.parametrize(
    ("check", "text", "ours"),
    [
        (output._is_theory, THEORY, True),
        (output._is_theory, "flies(X) :- bird(X).\n", True),
        (output._is_theory, "flies(X).\n", True),
        (output._is_theory, "#ban flies(X) :- bird(X).\n", True),
        (output._is_theory, "? :: flies(X) :- bird(X).\n", True),
        (output._is_theory, "bird(a).\nbird(b).\n", False),
        (output._has_certainties, "predicate,argument1,certainty\np,a,1\n", True),
        (output._has_certainties, "predicate,argument1,certainty,probability,cases,right\np,a,1,,,\n", True),
        (output._has_certainties, "predicate,argument1\np,a\n", False),
        (output._has_certainties, "name,certainty\np,1\n", False),
        (output._has_rules, THEORY, False),
        (output._has_rules, "10\t5\t0.5\tp(X,Y) <= q(X,Y)\n", True),
        (output._has_rules, f"#rank true 5, false 5, nontrivial 5 :: p(X) :- q(X).\n{THEORY}", False),
        (output._has_rules, "#ban p(X) :- q(X).\n", False),
        (output._is_network, "Rains\n1.5 Rains\n", True),
        (output._is_network, "Flies(bird)\n", True),
        (output._is_network, "Flies(bird)\n1.5 Flies(x)\n", True),
        (output._is_network, "word\n", False),
    ],
)
def test_what_a_file_is(check: Any, text: str, ours: bool, tmp_path: Path) -> None:
    path = tmp_path / "file.mln"
    path.write_text(text, encoding="utf-8")
    assert check(str(path)) is ours


@pytest.mark.parametrize(
    ("files", "strange"),
    [((), False), (("work/a",), False), ((str(Path("one", "work", "a")),), False), (("other",), True)],
)
def test_an_experiment_goes_where_nothing_is_or_its_own(files: tuple[str, ...], strange: bool, tmp_path: Path) -> None:
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    output.check_folder(str(tmp_path), force=True)
    output.check_folder(str(tmp_path / "new"), force=False)
    if strange:
        with pytest.raises(FileError, match="there are files in it"):
            output.check_folder(str(tmp_path), force=False)
    else:
        output.check_folder(str(tmp_path), force=False)


# What is learned


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("best", [None, "", THEORY])
def test_an_interrupt_keeps_the_best_and_never_puts_nothing_in_its_place(
    there: bool, best: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "theory.pl"
    before = "0.5 :: old(X) :- bird(X).\n"
    if there:
        path.write_text(before, encoding="utf-8")

    def save(where: str) -> None:
        write_theory(parse_theory(best or ""), where)

    learner: Any = SimpleNamespace(best=None if best is None else SimpleNamespace(theory=parse_theory(best), save=save))
    asked: Any = SimpleNamespace(output=str(path), data=("a.db",), seed=3)
    for one in (learner, None) if best is None else (learner,):
        said = learn._keep_best(asked, one)
        kept = there and not best
        assert said == (
            f"nothing was learned yet, and {path} is as it was" if kept else f"the best theory so far is in {path}"
        )
        assert read_theory(str(path)) == parse_theory(before if kept else best or "")
        if not there:
            path.unlink()


def test_how_many_rules_of_each_kind() -> None:
    assert learn._summary(parse_theory("")) == "0 hard rules and 0 soft rules"
    assert learn._summary(parse_theory(THEORY + ":- flies(X), fish(X).")) == "1 hard rule and 1 soft rule"
    demoted = (
        learn._summary(parse_theory("#demoted :- a(X), b(X).")),
        learn._summary(parse_theory("#demoted :- a(X), b(X). #demoted :- a(X), c(X).")),
    )
    end = "that may hold by chance"
    assert demoted == (
        f"0 hard rules and 0 soft rules; 1 constraint {end} is demoted",
        f"0 hard rules and 0 soft rules; 2 constraints {end} are demoted",
    )
    typed = parse_theory("#type p(person). #type q(town). 0.9 :: r(X) :- p(X).")
    assert learn._summary(typed).endswith("2 types and 1 soft rule")


def test_phases_are_numbered_and_gains_shown_around_what_was_taken() -> None:
    assert [learn._place(phase)[:4] for phase in PHASES] == ["1/6 ", "2/6 ", "3/6 ", "4/6 ", "5/6 ", "6/6 "]
    curve: Any = [SimpleNamespace(rules=rules, gain=rules / 2) for rules in range(20, -1, -1)]
    shown = "0: 0.0, 2: 1.0, 4: 2.0, 6: 3.0, 8: 4.0 (taken), 9: 4.5, 16: 8.0, 20: 10.0"
    assert learn._gains(SimpleNamespace(curve=curve, taken=8, unproved=())) == shown  # type: ignore[arg-type]
    left_out: Any = SimpleNamespace(curve=curve, taken=8, unproved=("a rule", "another"))
    assert learn._gains(left_out) == shown.replace("(taken)", "(taken, but for 2)")


# Evaluations


@pytest.mark.parametrize("wrong", ["x", "10x", "101%", "1.2.3%", "%", "-1%", "1e1%"])
def test_sizes_that_are_none(wrong: str) -> None:
    assert evaluate.parse_sizes("0.1%, 100%, 50%,7,,7", 20) == (1, 20, 10, 7)
    with pytest.raises(QueryError, match="is not a number of facts or a share of them"):
        evaluate.parse_sizes(wrong, 20)


@pytest.mark.parametrize(
    ("sizes", "within", "beyond"), [((1, 2, 3), (1, 2), "3"), ((1, 2), (1, 2), ""), ((3, 4), (3, 4), "")]
)
def test_sizes_beyond_the_facts_are_left_out(sizes: tuple[int, ...], within: tuple[int, ...], beyond: str) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DataWarning)
        assert evaluate.sizes_within(sizes, facts_of(["p(a)", "p(b)"])) == within
    said = [f"there are 2 facts, so evidence of {beyond} is left out"] if beyond else []
    assert [str(one.message) for one in told] == said


def test_files_are_told_apart_by_name_or_by_path() -> None:
    assert evaluate._names(["a/x.pl", "b/y.pl", "c/x.pl"]) == ["a/x.pl", "y.pl", "c/x.pl"]


def test_tables_are_read_as_the_first_theory_says_that_says_it(tmp_path: Path) -> None:
    plain = tmp_path / "plain.pl"
    plain.write_text(THEORY, encoding="utf-8")
    assert evaluate._mapping([str(plain)]) is None and evaluate._mapping(["none.mln", "none.MLN.gz"]) is None


# Data sets of an experiment


def options(**given: Any) -> Any:
    names = ("train", "test", "theory", "authors", "network", "data")
    loads: Any = {"pair": lambda one, other: (facts_of([f"p({one})"]), facts_of([f"p({other})"]))}
    return SimpleNamespace(**dict.fromkeys(names) | loads | given)


def test_train_and_test_are_given_together() -> None:
    for given in ({"train": "a"}, {"test": "b"}):
        with pytest.raises(QueryError, match="one of --train and --test is given; give both"):
            experiment._load("any", options(**given), 0)
    found = experiment._load("x/any.db", options(train="a", test="b"), 0)
    assert (found.name, str(*found.train), str(*found.test)) == ("any", "p(a)", "p(b)")
    assert found.authors is None and found.network is None


def test_half_of_a_file_is_for_the_test_and_authors_may_speak_of_both(tmp_path: Path) -> None:
    path = tmp_path / "authors.pl"
    path.write_text("0.9 :: p(X) :- q(X).", encoding="utf-8")
    facts = facts_of(["q(b)", *(f"p(a{n})" for n in range(5))])
    found = experiment._load("any.db", options(facts=lambda name: facts, authors=str(path)), 1)
    assert found.train | found.test == facts and found.authors == parse_theory("0.9 :: p(X) :- q(X).")
    assert found.sources == ("any.db", "cut into halves with seed 1")


def test_a_published_data_set_is_looked_for_in_a_folder(tmp_path: Path) -> None:
    for name, published in PUBLISHED.items():
        wanted = [
            published.train,
            published.test,
            published.authors,
            *([published.network] if published.network else []),
        ]
        with pytest.raises(QueryError, match="does not ship with possilog"):
            experiment._published(name, options())
        folder = tmp_path / name
        for path in wanted[1:]:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).touch()
        with pytest.raises(FileError, match=f"there is no {published.train}; name a folder"):
            experiment._published(name, options(data=str(folder)))
        (folder / published.train).parent.mkdir(parents=True, exist_ok=True)
        (folder / published.train).touch()
        train, test, authors, *network = (str(folder / path) for path in wanted)
        found = experiment._published(name, options(data=str(folder)))
        assert found == ((train, test), authors, network[0] if network else None)
        given = experiment._published(name, options(data=str(folder), authors="mine", network="net"))
        assert given == ((train, test), "mine", "net")


@pytest.mark.parametrize(
    ("names", "given", "why"),
    [
        (["a.db", "b.db"], {"train": "x"}, "paths are for one data set"),
        (["x/a.db", "y/A.db"], {}, "several data sets are called a"),
        (["a.db", "index.html.db"], {}, "a data set is called index.html"),
    ],
)
def test_data_sets_that_would_be_in_each_others_way(names: list[str], given: dict[str, str], why: str) -> None:
    with pytest.raises(QueryError, match=why):
        experiment.run_experiments(names, options(**given), "none", quick=True, seed=0, jobs=1, repeats=None)


def test_phases_are_told_once_each(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []
    bars: Any = SimpleNamespace(close=lambda: None, show=lambda step: shown.append(step.phase))
    tell = experiment._Phases("village", bars)
    for phase in ("b", "b", "c", "c", "a", "b"):
        tell(SimpleNamespace(phase=phase))  # type: ignore[arg-type]
    assert capsys.readouterr().err.splitlines() == [f"village: {phase}" for phase in "bcab"]
    assert "".join(shown) == "bbccab"
