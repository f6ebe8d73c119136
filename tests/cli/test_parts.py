"""Parts of the command line that need no process of their own."""

from __future__ import annotations

import math
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest

from command import run
from possilog.cli import beginning, experiment, explore, predict, query
from possilog.cli.beginning import begun, left_of, seconds_before
from possilog.cli.contents import app
from possilog.cli.options import DataOptions
from possilog.data.taking import facts_of
from possilog.errors import FileError
from possilog.inference import Reasoner
from possilog.logic import Predicate, parse_theory


@pytest.mark.parametrize(("compared", "first"), [(2, "zzz"), (4, "zzz"), (6, "burd")])
def test_of_very_many_unknown_predicates_the_first_are_compared(
    compared: int, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With each name that is known; what looks misspelt among them is said first."""
    monkeypatch.setattr(query, "_COMPARED", compared)
    facts = facts_of(["bird(a)", "cat(a)"])
    unknown = [Predicate(name, 1) for name in ("zzz", "yyy", "burd", "xxx", "www")]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        query.warn_unknown(unknown, facts, "the query")
    said = [str(one.message) for one in told]
    assert said[0].startswith(f"there are no facts of {first}/1") and said[-1].startswith(
        "there are no facts of 2 more"
    )


def test_remarks_come_after_what_is_predicted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both go into one file, as they do for ``&>``."""
    found = Reasoner(parse_theory("0.9 :: p(X) :- q(X). 0.8 :: :- p(X), r(X). 0.9 :: r(X) :- q(X).")).predict(["q(a)"])
    assert found.remarks(predict._OPTIONS)
    with open(tmp_path / "both", "w") as out, open(tmp_path / "both", "a", buffering=1) as error:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", error)
        predict.show_prediction(found, limit=None, as_json=False)
    lines = (tmp_path / "both").read_text().splitlines()
    remarks = list(found.remarks(predict._OPTIONS))
    assert lines == [*map(str, found.rows(None)), *remarks] and remarks


def test_an_interrupted_experiment_says_where_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        data = type("Data", (), {"name": "village"})

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(experiment, "write_results", interrupt)
    with pytest.raises(KeyboardInterrupt):
        experiment._run(Interrupted(), tmp_path)  # type: ignore[arg-type]
    assert f"goes on from what is kept in {tmp_path / 'work'}" in capsys.readouterr().err


def test_what_is_explored_is_a_theory_or_facts_to_learn_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    monkeypatch.chdir(tmp_path)
    Path("facts.db").write_text("bird(a)\nflies(a)\n")
    Path("theory.pl").write_text("0.9 :: flies(X) :- bird(X).\n")

    def opened(theory: str, data: str | None, output: str | None) -> tuple[str, int, bool]:
        explorer, learns = explore._explorer(theory, data, output, None, None, DataOptions(), 5)
        found = explorer.theory_file.name, len(explorer.book.position.theory.rules), learns
        explorer.book.close()
        return found

    assert opened("theory.pl", "facts.db", None) == ("theory.pl", 1, False)
    assert opened("facts.db", None, None) == ("facts.pl", 0, True)
    assert opened("facts.db", None, "theory.pl") == ("theory.pl", 1, False)


def test_a_command_that_only_has_others_lists_them() -> None:
    found = run("markov")
    assert "Usage" in found.stdout + found.stderr and "weights" in found.stdout + found.stderr


def test_what_is_converted_comes_before_the_remarks_about_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where both go into one file, as they do for ``&>``."""
    (tmp_path / "two.theory").write_text("0.9 :: p(X) :- q(X).\n0.8 :: p(X) ; r(X) :- q(X).\n")
    command = ["convert", str(tmp_path / "two.theory"), "--to", "amie", "-o", "-"]
    with open(tmp_path / "both", "a") as out, open(tmp_path / "both", "a", buffering=1) as error:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", error)
        app(command, standalone_mode=False)
    lines = (tmp_path / "both").read_text().splitlines()
    assert [line.startswith("note: ") for line in lines] == sorted(line.startswith("note: ") for line in lines)
    assert lines[-1].startswith("note: ") and not lines[0].startswith("note: ")


@pytest.mark.parametrize("name", ["+", "+.theory", " -", "--", ".theory", "a"])
def test_only_a_dash_by_itself_is_the_output(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of any other name is there already, so that it is not replaced."""
    monkeypatch.chdir(tmp_path)
    Path("two.theory").write_text("0.9 :: p(X) :- q(X).\n")
    Path(name).write_text("to buy: milk\n")
    with pytest.raises(FileError, match="--force"):
        app(["convert", "two.theory", "--to", "theory", f"--output={name}"], standalone_mode=False)
    assert Path(name).read_text() == "to buy: milk\n"


# When a command began


def test_a_limit_counts_from_the_beginning_of_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [50.0]
    monkeypatch.setattr(beginning, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert (seconds_before(), left_of(3.0), left_of(None)) == (0.0, 3.0, None)
    with begun():
        now[0] = 52.0
        assert (seconds_before(), left_of(3.0), left_of(1.0), left_of(None)) == (2.0, 1.0, 0.0, None)
        assert math.isnan(left_of(math.nan) or 0) and left_of(math.inf) == math.inf
    with pytest.raises(SystemExit), begun():
        sys.exit()
    assert (seconds_before(), left_of(3.0)) == (0.0, 3.0), "nothing of it is left, however it ended"
