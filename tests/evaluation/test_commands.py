"""``possilog evaluate`` and ``possilog experiment``, run as users run them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from command import run
from possilog.cli import experiment as commands
from possilog.cli.experiment import Files, run_experiments
from possilog.data import Database
from possilog.data.bundled import load
from possilog.errors import QueryError
from possilog.evaluation.datasets import DataSet, scale_for
from possilog.evaluation.experiment import Experiment

THEORY = """
adult(X) :- worksAt(X, Y).
married(Y, X) :- married(X, Y).
0.9 :: livesIn(Y, H) :- parent(X, Y), livesIn(X, H).
"""

NETWORK = """
Married(person, person)
-1 Married(x, y)
3 !Married(x, y) v Married(y, x)
"""


@pytest.fixture
def theory(tmp_path: Path) -> str:
    path = tmp_path / "theory.pl"
    path.write_text(THEORY)
    return str(path)


def without_seconds(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    for model in found["models"]:
        for one in model["results"]:
            assert one.pop("seconds") >= 0
    return found


def test_evaluate_prints_the_same_whatever_the_number_of_jobs(theory: str) -> None:
    asked = ("evaluate", theory, "--test", "village", "--sizes", "10,50", "--repeats", "3", "--seed", "1", "--json")
    one, two = run(*asked), run(*asked, "--jobs", "2")
    assert one.returncode == two.returncode == 0, one.stderr + two.stderr
    found = without_seconds(one.stdout)
    assert found == without_seconds(two.stdout)
    assert list(found) == ["test", "atoms", "repeats", "seed", "sizes", "models"]
    assert (found["test"], found["atoms"], found["repeats"], found["seed"]) == ("village", 110, 3, 1)
    assert [model["model"] for model in found["models"]] == ["theory.pl", "evidence only", "theory.pl, hard rules only"]
    for model in found["models"]:
        assert [result["size"] for result in model["results"]] == found["sizes"] == [10, 50]
        for result in model["results"]:
            assert result["gain"] == pytest.approx(110 - result["size"] - result["error"])
            assert result["error_band"][0] <= result["error"] <= result["error_band"][1]
            assert result["gain"] == pytest.approx(result["right"] - result["wrong"], abs=1e-3)
    ours, nothing, hard = ({r["size"]: r["gain"] for r in model["results"]} for model in found["models"])
    assert nothing == {10: 0, 50: 0}
    assert ours[50] > hard[50] > 0


def test_evaluate_takes_networks_and_prints_a_table(theory: str, tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")
    network = tmp_path / "network.mln"
    network.write_text(NETWORK)
    asked = ("evaluate", str(network), theory, "--test", "village", "--sizes", "50", "--repeats", "2")
    finished = run(*asked, "--inference", "global", "--on-conflict", "repair")
    assert finished.returncode == 0, finished.stderr
    lines = finished.stdout.splitlines()
    assert lines[0] == "village: 110 facts, 2 evidence sets per size, seed 0"
    assert lines[2] == "network.mln" and lines[3].split() == ["evidence", "error", "gain", "precision", "recall", "ms"]
    assert [line for line in lines if line and not line.startswith(" ")][1:] == [
        "network.mln",
        "theory.pl",
        "evidence only",
        "theory.pl, hard rules only",
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sizes", "10,many"], "'many' is not a number of facts"),
        (["--sizes", "500"], "give sizes from 1 to 110"),
        (["--test", "nowhere.db"], "nowhere.db: there is no such file"),
        (["--test", "empty.db"], "without facts there is nothing to do"),
        (["--inference", "fragment", "--on-conflict", "repair"], "leave on_conflict out"),
    ],
)
def test_evaluate_says_what_is_wrong(
    theory: str, options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty.db").touch()
    finished = run("evaluate", theory, "--test", "village", *options)
    assert finished.returncode == 2 and said in finished.stderr and finished.stdout == ""


def test_evaluate_leaves_out_sizes_that_the_test_set_does_not_have(theory: str) -> None:
    finished = run("evaluate", theory, "--test", "village", "--sizes", "10,200", "--repeats", "1", "--json")
    assert finished.returncode == 0 and "there are 110 facts, so evidence of 200 is left out" in finished.stderr
    found = json.loads(finished.stdout)
    assert found["sizes"] == [10] and found["models"][0]["results"][0]["error_band"] is None


def test_evaluate_names_the_model_that_cannot_answer(theory: str, tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")
    network = tmp_path / "network.mln"
    network.write_text("Adult(person)\n!Adult(x).\n")
    finished = run("evaluate", theory, str(network), "--test", "village", "--sizes", "100", "--repeats", "1")
    assert finished.returncode == 2 and "error: network.mln: the evidence contradicts" in finished.stderr


def test_evaluate_gives_a_network_no_more_than_its_time(theory: str, tmp_path: Path) -> None:
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")
    network = tmp_path / "network.mln"
    network.write_text(NETWORK)
    asked = ("evaluate", theory, str(network), "--test", "village", "--sizes", "50", "--repeats", "1")
    assert run(*asked, "--time-limit", "60").returncode == 0
    finished = run(*asked, "--time-limit", "1e-9")
    assert finished.returncode == 2 and "error: network.mln: no world" in finished.stderr


@pytest.mark.slow
def test_an_experiment_is_whole_and_goes_on_where_it_was(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    pytest.importorskip("scipy", reason="learning networks needs scipy")
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")
    folder = tmp_path / "results"
    asked = ("experiment", "village", "-o", str(folder), "--quick", "--seed", "2")
    first = run(*asked)
    assert first.returncode == 0, first.stderr
    assert "village: theory" in first.stderr and "village: scores of ours, local" in first.stderr
    text = (folder / "results.json").read_text()
    results = json.loads(text)
    _check_results(results)
    _check_files(folder, results)
    # What is taken away is made again, and nothing else is.
    (folder / "work" / "scores-of-hard-rules-only.json").unlink()
    (folder / "results.json").unlink()
    again = run(*asked)
    assert again.returncode == 0, again.stderr
    assert [line for line in again.stderr.splitlines() if line.startswith("village:")] == [
        "village: scores of hard rules only"
    ]
    assert (folder / "results.json").read_text() == text
    other = run(*asked[:-1], "3")
    assert other.returncode == 2 and "other data, settings or version" in other.stderr


def _check_results(results: dict[str, Any]) -> None:
    names = [model["model"] for model in results["models"]]
    assert names[:3] == ["evidence only", "hard rules only", "density-estimation tree"]
    assert names[-5:] == [f"ours, {way}" for way in ("global", "global, repaired", "fragment", "local", "calibrated")]
    assert results["seed"] == 2 and set(results["versions"]) >= {"possilog", "python", "numpy", "highspy"}
    assert results["beside_the_authors"] is None
    for model in results["models"]:
        assert [one["size"] for one in model["results"]] == results["sizes"]
    assert set(results["paired"]) == set(names) - {"ours, local"}
    assert all(len(errors) == len(results["curve"]["sizes"]) for errors in results["curve"]["errors"].values())


def _check_files(folder: Path, results: dict[str, Any]) -> None:
    for name in ("gain", "error", "precision", "recall", "paired", "areas", "shares"):
        for ending in ("md", "tex", "html"):
            assert (folder / "tables" / f"{name}.{ending}").read_text()
    assert r"\begin{table*}" in (folder / "tables" / "theory.tex").read_text()
    for name in ("plots/gain", "times/seconds", "plots/cumulative-1"):
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert b"<svg" in (folder / f"{name}.svg").read_bytes()
    times = json.loads((folder / "times" / "times.json").read_text())
    assert times["theory_cpu_seconds"] > 0 and set(times["seconds"]) == {model["model"] for model in results["models"]}
    assert all(len(found) == len(times["sizes"]) and min(found) > 0 for found in times["seconds"].values())
    assert "Milliseconds per prediction" in (folder / "times" / "index.html").read_text()
    page = (folder / "index.html").read_text()
    assert page.count("<svg") >= 2 and "possilog on village" in page and 'href="times/index.html"' in page
    assert "src=" not in page and "<link" not in page and "<script" not in page  # nothing is loaded from elsewhere
    assert results["theory"] == (folder / "theory.pl").read_text()


@pytest.mark.slow
def test_an_experiment_says_what_is_missing(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    output = str(tmp_path / "out")
    unnamed = run("experiment", "uwcse", "-o", output)
    assert unnamed.returncode == 2 and "does not ship with possilog" in unnamed.stderr and "--data" in unnamed.stderr
    empty = run("experiment", "yeast", "-o", output, "--data", str(tmp_path))
    assert empty.returncode == 2 and "yeast/paper/train.db" in empty.stderr
    half = run("experiment", "mine", "-o", output, "--train", "village")
    assert half.returncode == 2 and "give both" in half.stderr
    same = run("experiment", "village", "elsewhere/village.db", "-o", output)
    assert same.returncode == 2 and "several data sets are called village" in same.stderr
    cased = run("experiment", "a/Mine.db", "b/mINE.db", "-o", output)  # one folder, where case does not count
    assert cased.returncode == 2 and "several data sets are called Mine" in cased.stderr
    page = run("experiment", "village", "a/Index.html.db", "-o", output)
    assert page.returncode == 2 and "a data set is called index.html, as the page about all" in page.stderr
    (tmp_path / "one.db").write_text("p(a)\n")
    one = run("experiment", str(tmp_path / "one.db"), "-o", output)
    assert one.returncode == 2 and "one: there are no facts to predict" in one.stderr
    assert not Path(output).exists()
    nowhere = run("experiment", "village", "-o", "")
    assert nowhere.returncode == 2 and "is not a path" in nowhere.stderr


def test_each_data_set_has_its_folder_and_the_theory_that_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    ran: list[tuple[Experiment, Path]] = []
    monkeypatch.setattr(commands, "_run", lambda experiment, folder: ran.append((experiment, folder)))
    monkeypatch.setattr(commands, "write_index", lambda finished, output: ", ".join(finished))
    (tmp_path / "t.pl").write_text("0.9 :: child(X) :- parent(Y, X).")
    (tmp_path / "a b.db").write_text("\n".join(str(fact) for fact in load("village")))
    how = partial(run_experiments, quick=True, seed=0, jobs=1, repeats=1)
    given = Files(theory=str(tmp_path / "t.pl"))
    how(["village"], given, str(tmp_path / "one"))
    how(["village", str(tmp_path / "a b.db")], Files(), str(tmp_path / "two"))
    (one, alone), (two, first), (_, second) = ran
    assert one.given is not None and len(one.given.soft) == 1 and two.given is None
    assert (alone, first, second) == (tmp_path / "one", tmp_path / "two" / "village", tmp_path / "two" / "a b")
    with pytest.raises(QueryError, match="for one data set"):
        how(["village", "shop"], given, str(tmp_path / "three"))


@pytest.mark.slow
def test_several_experiments_have_a_common_page_and_a_network_that_fails_stops_none(tmp_path: Path) -> None:
    """Markov logic cannot spell one of the predicates, and a file has the name of one of the paper's data sets."""
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    unary = [f"{kind}(t{place})" for place in range(10) for kind in ("1st", "2nd")]
    near = [f"{kind}(t{one}, t{other})" for one in range(10) for other in range(one) for kind in ("near", "3rd")]
    (tmp_path / "first set.db").write_text("\n".join(unary + near))
    (tmp_path / "uwcse.db").write_text("\n".join(near))
    (tmp_path / "...db").write_text("\n".join(near[:60]))
    output = tmp_path / "results"
    names = tuple(str(tmp_path / name) for name in ("first set.db", "uwcse.db", "...db"))
    options = ("--quick", "--repeats", "1", "--symmetric", "near")
    finished = run("experiment", *names, "-o", str(output), *options)
    assert finished.returncode == 0, finished.stderr
    page = (output / "index.html").read_text()
    assert 'href="first%20set/index.html"' in page and 'href="uwcse-halves/index.html"' in page
    assert page.count("Our theory gains") == 3 and "claims hold" not in page
    assert '<a href="-/index.html">..</a>' in page  # the folder of a data set named .. is inside, too
    assert {path.name for path in tmp_path.iterdir()} == {"first set.db", "uwcse.db", "...db", "results"}
    assert {path.name for path in output.iterdir()} == {"index.html", "first set", "uwcse-halves", "-"}
    for name in ("first set", "uwcse-halves"):
        assert (output / name / "index.html").exists()
        results = json.loads((output / name / "results.json").read_text())
        assert "cannot spell the predicate" in results["left_out"]["learned MLN"]
        assert "symmetric closure" in {model["model"] for model in results["models"]}
        assert ("density-estimation tree" in results["left_out"]) == (name == "uwcse-halves")


@pytest.mark.slow
def test_learning_that_was_killed_counts_the_time_of_both_runs(tmp_path: Path) -> None:
    facts = Database.of(list(load("village"))[::3])
    scale = scale_for("village", facts, quick=True)
    experiment = Experiment(DataSet("village", facts, facts), scale, tmp_path)
    experiment._work.put("learning-seconds", 1000.0)
    assert 1000 < (experiment.found_theory.cpu_seconds or 0) < 1500
