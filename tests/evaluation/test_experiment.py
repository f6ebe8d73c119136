"""What an experiment compares, measures and leaves out, with models that answer at once."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from possilog.data import Database
from possilog.data.taking import facts_of
from possilog.errors import QueryError
from possilog.evaluation import experiment as running
from possilog.evaluation.datasets import DataSet, Scale
from possilog.evaluation.experiment import Experiment, _decode_scores, _encode_scores, _file_name
from possilog.evaluation.labels import OURS, Label, Origin, Way
from possilog.evaluation.models import EvidenceOnly, MarkovModel, TheoryModel
from possilog.evaluation.protocol import Protocol
from possilog.evaluation.results import FoundNetwork, FoundTheory, Unanswered
from possilog.evaluation.scores import Score
from possilog.learning.decoding import number_or_none
from possilog.logic import parse_theory
from possilog.markov import parse_mln
from possilog.progress import Step

THEORY = parse_theory("p(X) :- s(X). 0.9 :: p(X) :- q(X, Y).")
FACTS = facts_of(["p(a)", "q(a, b)", "q(b, a)", "q(b, c)", "q(c, b)", "s(c)"])
SCALE = Scale(sizes=(2, 3), repeats=2, curve=(1, 2), read_with=(2,), network_seconds=1, world_seconds=5)
NETWORK = parse_mln("p(t)\nq(t, t)\ns(t)\n1 !q(x, y) v p(x)\n")


def experiment(folder: Path, facts: Database = FACTS, network: str | None = None, **more: Any) -> Experiment:
    made = Experiment(DataSet("mine", facts, facts, **more), SCALE, folder, THEORY)
    made.__dict__["found_network"] = FoundNetwork(network, reason=None if network else "there was no time")
    return made


def names(labels: Any) -> list[str]:
    return [str(label) for label in labels]


WAYS = ["global", "global, repaired", "fragment", "local", "calibrated"]
OF_OURS, OF_AUTHORS = ([f"{origin}, {way}" for way in WAYS] for origin in ("ours", "authors"))


def test_which_models_are_compared(tmp_path: Path) -> None:
    simple = ["evidence only", "hard rules only", "symmetric closure", "density-estimation tree"]
    assert names(experiment(tmp_path).models) == [*simple, *OF_OURS]
    plain = facts_of(["q(a, b)", "q(b, c)"])
    assert names(experiment(tmp_path, plain).models) == [*simple[:2], *OF_OURS]
    every = experiment(tmp_path, FACTS, str(NETWORK))
    assert names(every.models) == [*simple, "learned MLN", *OF_OURS]
    full = experiment(tmp_path, FACTS, None)
    full.data = DataSet("mine", FACTS, FACTS, authors=THEORY, network=NETWORK)
    assert names(full.models) == [*simple, "published MLN", *OF_AUTHORS, *OF_OURS]
    ways = {
        label.way: model.how for label, model in full.models.items() if isinstance(model, TheoryModel) and label.way
    }
    assert [type(how).__name__ for how in ways.values()] == ["Global", "Global", "Fragments", "Local"]
    assert [getattr(ways[way], "repair", None) for way in (Way.GLOBAL, Way.REPAIRED)] == [False, True]


def answering(folder: Path, origins: list[Label]) -> tuple[Experiment, dict[Label, Any]]:
    made = experiment(folder)
    models: dict[Label, Any] = {label: EvidenceOnly(str(label)) for label in origins}
    made.__dict__["models"] = models
    return made, models


EVERY = [
    *(Label(origin) for origin in Origin if not origin.is_theory),
    *(Label(origin, way) for origin in (Origin.AUTHORS, Origin.OURS) for way in Way),
]


def test_who_is_drawn_ranked_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made, models = answering(tmp_path, EVERY)
    simple = ["evidence only", "hard rules only", "symmetric closure", "published MLN"]
    drawn = [f"{origin}, {way}" for origin in ("authors", "ours") for way in ("global", "global, repaired", "local")]
    assert names(made._curves(models).errors) == [*simple, *drawn]
    monkeypatch.setattr(running, "predicate_area", lambda model, test, predicate: 0.5)
    ranked = [f"{origin}, {way}" for origin in ("authors", "ours") for way in ("fragment", "local")]
    others = [*simple[1:3], "density-estimation tree", "published MLN", "learned MLN"]
    told: list[Step] = []
    made.progress = told.append
    found = made._areas(models)
    assert names(found) == [*others, *ranked]
    assert set(found[OURS].items()) == {("p/1", 0.5), ("q/2", 0.5), ("s/1", 0.5)}
    assert [(step.done, step.steps, step.doing) for step in told] == [
        (done, 9, name) for done, name in enumerate([*others, *ranked])
    ]
    size = SimpleNamespace()
    monkeypatch.setattr(running, "size_of", lambda model: None if model.name == "learned MLN" else size)
    monkeypatch.setattr(running, "read_alone", lambda model, test, evidence: (len(evidence),))
    read: Any = made._readings(models)
    assert names(read) == ["published MLN", "authors, local", "ours, local"]
    assert {one.formulas for one in read.values()} == {(2,)}, "two evidence sets of one size"


def test_models_that_cannot_answer_are_left_out(tmp_path: Path) -> None:
    made, models = answering(tmp_path, [Label(Origin.EVIDENCE), OURS])
    published = Label(Origin.PUBLISHED_NETWORK)

    def fails(*given: Any) -> None:
        raise QueryError("too large")

    network = MarkovModel("published MLN", NETWORK)
    assert running._asked(network, fails) == Unanswered("too large")
    with pytest.raises(QueryError, match="too large"):
        running._asked(EvidenceOnly(), fails)
    assert made._left_out({published: "why"}) == {
        Label(Origin.LEARNED_NETWORK): "there was no time",
        published: "why",
    }
    plain = experiment(tmp_path, facts_of(["q(a, b)"]), str(NETWORK))
    assert names(plain._left_out({})) == ["density-estimation tree"]
    assert made._example(True) == () and models
    made.data = DataSet("mine", FACTS, FACTS, network=NETWORK)
    assert made._example(False) == made._example(True) == (), "it is about students and professors"


def test_results_of_models_that_answer_at_once(tmp_path: Path) -> None:
    made, _ = answering(tmp_path, [Label(Origin.EVIDENCE), OURS])
    found = made.results
    assert names(found.models) == ["evidence only", "ours, local"] and names(found.paired) == ["evidence only"]
    assert [(one.size, one.error.mean, one.gain.mean) for one in found.models[OURS]] == [(2, 4, 0), (3, 3, 0)]
    assert found.curves.errors[OURS] == (5, 4) and found.beside is None
    assert found.theory == str(THEORY) and names(found.left_out) == ["learned MLN"]
    made.data = DataSet("mine", FACTS, FACTS, authors=THEORY)
    again = Experiment(made.data, SCALE, tmp_path / "other", THEORY)
    again.__dict__.update(models=made.models, found_network=made.found_network)
    assert again.results.beside is not None and len(again.results.beside.soft.common) == 1


def test_what_was_learned_before_is_not_learned_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "learn", lambda *given, **how: pytest.fail("it was given"))
    assert experiment(tmp_path).found_theory == FoundTheory(str(THEORY))
    learned = SimpleNamespace(measurement=None)
    asked: list[dict[str, Any]] = []

    def learn(data: Database, **how: Any) -> Any:
        asked.append(how)
        how["progress"](Step("candidates"))
        return learned

    monkeypatch.setattr(running, "learn", learn)
    for name, preset in (("mine", None), ("uwcse", "uwcse")):
        told: list[Step] = []
        made = Experiment(DataSet(name, FACTS, FACTS), SCALE, tmp_path / name, progress=told.append)
        found = made.found_theory
        assert (found.theory, found.reason, asked[-1]["preset"]) == (str(learned), None, preset)
        assert Step("theory", doing="candidates") in told
    learned.measurement = SimpleNamespace(reason="it pays")
    assert Experiment(DataSet("new", FACTS, FACTS), SCALE, tmp_path / "new").found_theory.reason == "it pays"


def test_the_seconds_of_learning_are_kept_and_added_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each second at most, so that a run that is killed knows of those before it."""
    times = iter([100.0, 100.5, 101.0, 101.5, 103.0])
    monkeypatch.setattr(running, "_cpu_seconds", times.__next__)
    made = Experiment(DataSet("mine", FACTS, FACTS), SCALE, tmp_path)
    spent = made._spent_on_learning()
    kept = []
    for expected in (0.5, 1.0, 1.5, 3.0):
        assert spent() == expected
        kept.append(made._work.get("learning-seconds", number_or_none))
    assert kept == [None, None, 1.5, 3.0]
    times = iter([50.0, 52.5])
    monkeypatch.setattr(running, "_cpu_seconds", times.__next__)
    assert made._spent_on_learning()() == 5.5
    assert made._work.get("learning-seconds", number_or_none) == 5.5


def test_scores_that_are_kept_are_those_of_the_evidence_sets() -> None:
    protocol = Protocol(FACTS, (2, 3), 2)
    scores = tuple(Score(size, repeat, {"p/1": 1}, {}, {}, 0.5) for size in (2, 3) for repeat in (0, 1))
    assert _decode_scores(protocol, _encode_scores(scores)) == scores
    assert _decode_scores(protocol, _encode_scores(Unanswered("why"))) == Unanswered("why")
    with pytest.raises(ValueError, match="they are not the scores of these evidence sets"):
        _decode_scores(protocol, _encode_scores(scores[::-1]))


def test_names_of_files_and_seconds_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _file_name("scores of ours, global, repaired") == "scores-of-ours-global-repaired"
    times = SimpleNamespace(user=1.0, system=2.0, children_user=4.0, children_system=8.0)
    monkeypatch.setattr("os.times", lambda: times)
    assert running._cpu_seconds() == 15.0
    assert [origin for origin in Origin if origin.is_network] == [Origin.PUBLISHED_NETWORK, Origin.LEARNED_NETWORK]
    assert [origin for origin in Origin if origin.is_theory] == [Origin.AUTHORS, Origin.OURS]
