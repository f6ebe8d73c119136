"""What an experiment found: its fields, and what is kept of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from possilog.data import Database
from possilog.data.bundled import load
from possilog.errors import FileError
from possilog.evaluation import EvidenceSet, Protocol, run
from possilog.evaluation import experiment as running
from possilog.evaluation.datasets import DataSet, Scale, scale_for
from possilog.evaluation.experiment import Experiment
from possilog.evaluation.labels import OURS, Label, Origin, Way
from possilog.evaluation.reading import Reading, Size
from possilog.evaluation.results import FoundNetwork, FoundTheory, ReadModel, Results
from possilog.evaluation.scores import Score
from possilog.logic import Atom, parse_theory
from possilog.markov import parse_mln
from possilog.progress import Step

THEORY = parse_theory("adult(X) :- worksAt(X, Y). 0.9 :: livesIn(Y, H) :- parent(X, Y), livesIn(X, H).")
SCALE = Scale(sizes=(10, 40), repeats=2, curve=(5, 10), read_with=(10,), network_seconds=1e-9, world_seconds=5.0)


def experiment(folder: Path) -> Experiment:
    facts = load("village")
    return Experiment(DataSet("village", facts, facts), SCALE, folder, THEORY)


def test_labels_have_the_names_that_files_have() -> None:
    labels = [Label(origin) for origin in Origin] + [Label(origin, way) for origin in Origin for way in Way]
    assert [Label.from_json(str(label)) for label in labels] == labels
    assert len({str(label) for label in labels}) == len(labels) and str(OURS) == "ours, local"
    with pytest.raises(ValueError, match="theirs"):
        Label.from_json("theirs, local")


@pytest.mark.parametrize(
    "part",
    [
        Score(5, 1, {"p/1": 3}, {"p/1": 1}, {}, 0.25),
        Reading("p(X).", "0.9", 1, 2, 3, 4),
        Size(3, 7, 1),
        ReadModel(Size(3, 7, 1), (Reading("p(X).", "0.9", 0, 0, 0, 0),)),
        FoundTheory("p(X).", 1.5, "why"),
        FoundTheory("p(X).", None, None),
        FoundNetwork("P(x)", 2.0, True),
        FoundNetwork(reason="why"),
    ],
)
def test_what_is_kept_comes_back(part: Score | Reading | Size | ReadModel | FoundTheory | FoundNetwork) -> None:
    assert type(part).from_json(json.loads(json.dumps(part.as_json))) == part


def test_results_are_the_same_when_they_are_read_again(tmp_path: Path) -> None:
    told: list[Step] = []
    first = replace(experiment(tmp_path), progress=told.append).results
    assert isinstance(first, Results) and told[0] == Step("network")
    assert [step for step in told if step.phase == "scores of ours, local"] == [
        Step("scores of ours, local", done, 4, "evidence sets" if done else "") for done in range(5)
    ]
    again = replace(experiment(tmp_path), progress=told.append)
    before = len(told)
    assert again.results == first and len(told) == before
    assert again.results.as_json == first.as_json


@pytest.mark.parametrize("rubbish", ["{", "[]", "null", '{"a": 1}', '[{"a": 1}]'])
def test_what_is_not_ours_is_refused_by_its_name(rubbish: str, tmp_path: Path) -> None:
    assert experiment(tmp_path).results
    for name in ("network", "scores-of-evidence-only", "curve-of-ours-local", "areas", "readings"):
        kept = (tmp_path / f"{name}.json").read_bytes()
        (tmp_path / f"{name}.json").write_text(rubbish)
        with pytest.raises(FileError, match=f"{name}.json: "):
            _ = experiment(tmp_path).results
        (tmp_path / f"{name}.json").write_bytes(kept)
    assert experiment(tmp_path).results


@pytest.mark.filterwarnings("ignore:the network does not declare")
def test_a_network_that_cannot_answer_is_left_out_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("highspy", reason="exact MAP by an integer program needs highspy")
    monkeypatch.setattr(running, "two_kinds", lambda network, *kinds: kinds)  # the example, which asks the network
    network = parse_mln("adult(person)\n!adult(x).\n")
    given = experiment(tmp_path)
    data = replace(given.data, network=network)
    for jobs in (1, 2):
        found = replace(given, data=data, jobs=jobs, folder=tmp_path / str(jobs)).results
        assert "the evidence contradicts" in found.left_out[Label(Origin.PUBLISHED_NETWORK)]
        assert Label(Origin.PUBLISHED_NETWORK) not in found.models and found.example == ()


class _Counting:
    """A model that counts how often it is asked, in the process where it is."""

    name = "counting"

    def __init__(self) -> None:
        self.asked: list[int] = []

    def added(self, facts: object) -> dict[object, object]:
        self.asked.append(1)
        return {}


@pytest.mark.parametrize(("sets", "jobs", "asked"), [(1, 2, 2), (3, 1, 4), (4, 2, 5), (5, 2, 0)])
def test_a_single_evidence_set_is_scored_here(sets: int, jobs: int, asked: int) -> None:
    """Once to lay the model out, and once for each evidence set, unless there is work for several: four go together."""
    model = _Counting()
    protocol = Protocol(load("village"), tuple(range(10, 10 + sets)), 1)
    assert all(isinstance(given, EvidenceSet) for given in protocol.evidence)
    assert len(run(model, protocol, jobs=jobs)) == sets  # type: ignore[arg-type]
    assert len(model.asked) == asked


def test_the_time_of_learning_a_network_is_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = Database.of([Atom.ground("p", ["a"])])
    learned = SimpleNamespace(network="n", complete=True)
    monkeypatch.setattr(running, "learn_network", lambda *given, **how: learned)
    monkeypatch.setattr(running, "_cpu_seconds", iter([7.0, 9.5]).__next__)
    found = Experiment(DataSet("a", facts, facts), scale_for("a", facts, quick=True), tmp_path)._learn_network()
    assert found == FoundNetwork("n", 2.5, True)
