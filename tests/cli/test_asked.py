"""What commands make of their options and of errors, in this process: the work itself is left out."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from possilog.cli import check, contents, predict, rank
from possilog.data.taking import facts_of
from possilog.errors import DataWarning, QueryError
from possilog.logic import Predicate, parse_atom


def invoked(module: Any, *words: str) -> str:
    done = CliRunner().invoke(module.app, list(words))
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return str(done.stdout)


# Ranks


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "t.pl": "0.9 :: likes(X, Y) :- likes(Y, X).",
        "links.db": "likes(a, b)\n",
        "mixed.db": "likes(a, b)\nkind(a)\n",
        "train.db": "likes(c, b)\n",
        "valid.db": "likes(b, a)\n",
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--test", "links.db", "--train", "train.db"], ("links", 1, None)),
        (["--test", "links.db", "--train", "train.db", "--valid", "valid.db"], ("links", 1, 1)),
        (["--test", "links.db"], ("areas", None, None, "likes")),
        (["--test", "mixed.db", "--train", "train.db"], ("areas", 1, None, "kind", "likes")),
        (["--test", "links.db", "--train", "train.db", "--predicate", "likes"], ("areas", 1, None, "likes")),
        (["--test", "mixed.db", "--valid", "valid.db"], ("areas", None, 1, "kind", "likes")),
    ],
)
def test_triples_are_ranked_where_they_are_known_and_nothing_else_is_said(
    words: list[str], told: tuple[Any, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []

    def size(facts: Any) -> int | None:
        return None if facts is None else len(facts)

    def areas(_: Any, __: Any, chosen: Any, known: Any, aggregate: Any, jobs: int, more: Any) -> None:
        asked.append(("areas", size(known), size(more), *(one.name for one in chosen)))

    monkeypatch.setattr(rank, "_links", lambda _, known, more, *__: asked.append(("links", size(known), size(more))))
    monkeypatch.setattr("possilog.evaluation.ranking.rank_predicates", areas)
    monkeypatch.setattr(rank, "perf_counter", iter([5.0, 7.5]).__next__)
    monkeypatch.setattr(rank, "_show", lambda _, seconds, as_json: asked.append((seconds, as_json)))
    invoked(rank, "t.pl", *words)
    assert asked == [told, (2.5, False)]


def test_predicates_are_ranked_that_have_test_facts() -> None:
    facts = facts_of(["p(a)", "q(a)"])
    for names, chosen in ((["all"], "pq"), (["q"], "q"), (["q", "p", "q"], "qp"), (["p", "all"], "pq")):
        assert [one.name for one in rank._chosen(facts, names)] == list(chosen)
    for names in (["r"], ["p", "r"], ["ALL"], ["zzz"]):
        with pytest.raises(QueryError, match=f"there are no test facts of {names[-1]}; the predicates are p, q"):
            rank._chosen(facts, names)


# Predictions


@pytest.mark.parametrize("output", [None, "out.csv"])
@pytest.mark.parametrize("limit", [None, 3])
@pytest.mark.parametrize("place", [None, "there"])
@pytest.mark.parametrize("calibrate", [None, "facts.db"])
def test_what_is_written_is_not_printed_unless_that_is_said(
    output: str | None, limit: int | None, place: str | None, calibrate: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []
    made = SimpleNamespace(save=lambda path: done.append(f"save {path}"))
    monkeypatch.setattr(predict, "load_question", lambda *_: ("theory", "given"))
    monkeypatch.setattr(predict, "_learned_from", lambda data, *_: data)
    monkeypatch.setattr(predict, "calibrated", lambda *_: done.append("calibrated"))
    monkeypatch.setattr(predict, "Reasoner", lambda _: SimpleNamespace(predict=lambda *_: made))
    monkeypatch.setattr(predict, "check_conclusions_file", lambda path, force: done.append(f"check {path}"))
    monkeypatch.setattr(predict, "check_place", lambda there, *_, force: done.append(f"check {there}"))
    monkeypatch.setattr(predict, "write_predictions", lambda _, there, force: done.append(f"write {there}"))
    monkeypatch.setattr(predict, "show_prediction", lambda _, limit, as_json: done.append((limit, as_json)))
    given = {"--output": output, "--limit": limit, "--write-to": place, "--calibrate": calibrate}
    words = [str(word) for name, value in given.items() if value is not None for word in (name, value)]
    invoked(predict, "t.pl", "--evidence", "e.db", *words)
    checks = [f"check {one}" for one in (output, place) if one]
    written = [*([f"save {output}"] if output else []), *([f"write {place}"] if place else [])]
    shown = 3 if limit else 0 if output else None
    assert done == [*checks, *(["calibrated"] if calibrate else []), *written, (shown, False)]


def test_long_answers_are_json_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    some: list[dict[str, Any]] = [{"atom": "ä"}, {"atom": "b"}]
    predict._print_json(iter([("a", 1), ("none", iter([])), ("one", iter(some[:1])), ("two", iter(some)), ("z", "ö")]))
    assert capsys.readouterr().out == (
        '{\n  "a": 1,\n  "none": [],\n  "one": [\n    {"atom": "ä"}\n  ],\n'
        '  "two": [\n    {"atom": "ä"},\n    {"atom": "b"}\n  ],\n  "z": "ö"\n}\n'
    )


@pytest.mark.parametrize(
    ("text", "meant", "remark"),
    [
        ("flies(a)", "flies(a)", None),
        ("Flies(a)", "flies(a)", "Flies/1 is read as flies/1, as theory and evidence spell it"),
        ("fliess(a)", "fliess(a)", "neither theory nor evidence speaks of fliess/1; did you mean flies?"),
        ("flies(a, b)", "flies(a, b)", None),
    ],
)
def test_a_predicate_is_spelled_as_it_is_known(text: str, meant: str, remark: str | None) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", DataWarning)
        assert str(predict.as_spelled(parse_atom(text), [Predicate("flies", 1), Predicate("bird", 1)])) == meant
    assert [str(one.message) for one in told] == ([] if remark is None else [remark])


# Checks


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("broken", [True, False])
def test_facts_that_break_hard_rules_fail_only_where_that_is_said(strict: bool, broken: bool, folder: Path) -> None:
    Path("hard.pl").write_text(":- likes(X, Y), kind(X). 0.9 :: kind(X) :- likes(X, Y).", encoding="utf-8")
    words = ["hard.pl", "--data", "mixed.db" if broken else "links.db", *(["--strict"] if strict else [])]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        done = CliRunner().invoke(check.app, words)
    assert done.exit_code == (1 if strict and broken else 0), done.output


# Errors


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (QueryError("it is wrong"), "it is wrong"),
        (OSError(28, "no room", "a.db"), "a.db: no room"),
        (OSError(28, "no room"), "no room"),
        (OSError("strange"), "strange"),
        (MemoryError(), contents._NO_MEMORY),
        (ImportError("x.so: failed to map segment"), contents._NO_MEMORY),
        (ImportError("x.so: cannot allocate memory"), contents._NO_MEMORY),
        (RecursionError(), "something that was given is nested too deeply; write it with fewer parentheses"),
        (ImportError("no module x"), None),
    ],
)
def test_an_error_is_a_sentence(
    error: BaseException, said: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        warnings.showwarning("look", UserWarning, "", 1)
        raise error

    monkeypatch.setattr(warnings, "showwarning", None)
    monkeypatch.setattr(contents, "app", fail)
    with pytest.raises(SystemExit if said else ImportError) as left:
        contents.main()
    assert said is None or left.value.code == 2  # type: ignore[attr-defined]
    assert capsys.readouterr().err == "warning: look\n" + (f"error: {said}\n" if said else "")


def test_passwords_are_concealed_in_addresses_of_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    for word, hidden in (("postgresql://ann:secret@host/db", True), ("secret.db", False)):
        monkeypatch.setattr(sys, "argv", ["possilog", "schema", word])
        contents._conceal_secrets()
        assert ("secret" not in sys.argv[2]) == hidden and sys.argv[:2] == ["possilog", "schema"]
