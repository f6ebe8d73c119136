"""Correct: what is tried is what would be, what is accepted is kept, and can be undone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from starlette.testclient import TestClient

from exploring import BIRDS, FACTS, exploring
from possilog import compare_theories, learn, parse_theory, weigh
from possilog.data.taking import facts_of
from possilog.learning.weighing import weigh_by
from possilog.logic import Keep
from randomised import planted

FLIES = "flies(X) :- bird(X)."


def edit(client: TestClient, kind: str, **fields: Any) -> Any:
    answer = client.post("/api/edits", json={"kind": kind, **fields})
    assert answer.status_code == 200, answer.text
    return answer.json()


def theory_of(client: TestClient) -> Any:
    return parse_theory(client.get("/api/download").text)


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with exploring(tmp_path_factory.mktemp("untouched")) as client:
        yield client


def test_lock_pin_free_ban_allow_remove_reword_add(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        edit(client, "lock", rule="flies(Y) :- bird(Y).", who="Ann")
        assert theory_of(client).ranked[0].keep is Keep.LOCKED
        edit(client, "pin", rule=FLIES, weight="0.95")
        assert str(theory_of(client).ranked[0]) == "#pin 0.95 :: flies(X) :- bird(X)."
        edit(client, "free", rule=FLIES)
        assert theory_of(client).ranked[0].keep is Keep.FREE
        edit(client, "ban", rule="swims(A) :- duck(A).")
        assert [str(clause) for clause in theory_of(client).banned] == ["swims(X) :- duck(X)."]
        edit(client, "allow", rule="swims(B) :- duck(B).")
        edit(client, "add", text="0.7 :: swims(X) :- duck(X).", who="Ann")
        edit(client, "reword", rule="sings(X) :- flies(X), small(X).", text="sings(X) :- small(X).", who="Bob")
        edit(client, "remove", rule=FLIES)
        found = theory_of(client)
        assert {str(rule.clause) for rule in found.ranked} == {"sings(X) :- small(X).", "swims(X) :- duck(X)."}
        rules = {rule["rule"]: rule for rule in client.get("/api/rules").json()["rules"]}
        assert rules["swims(X) :- duck(X)."]["author"]["who"] == "Ann"
        assert rules["sings(X) :- small(X)."]["author"]["who"] == "Bob"
        assert "written by Ann" in client.get("/rules").text and "written by Bob" in client.get("/api/download").text


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"kind": "lock", "rule": "p(X) :- q(X)."}, "not in the theory"),
        ({"kind": "add", "text": "p(X) :- "}, "expected"),
        ({"kind": "add", "text": FLIES}, "already"),
        ({"kind": "pin", "rule": FLIES, "weight": "x"}, "no weight"),
        ({"kind": "allow", "rule": FLIES}, "not banned"),
        ({"kind": "mark", "atom": "flies("}, "expected"),
        ({"kind": "unmark", "atom": "flies(b1)"}, "not marked"),
        ({"kind": "dance"}, "kind is one of"),
        ({"kind": "add", "text": "0.5 :: flies(X, Y) :- bird(X)."}, "argument"),
        ({"kind": "learn"}, "/api/learning"),
        ({"unknown": 1}, "no field"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    untouched: TestClient, asked: dict[str, Any], text: str
) -> None:
    before = untouched.get("/api/download").text
    answer = untouched.post("/api/edits", json=asked)
    assert answer.status_code == 422 and text in answer.json()["error"]
    assert untouched.get("/api/download").text == before


def test_marks_are_evidence(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        assert [one["atom"] for one in client.get("/api/constant?name=b9").json()["concluded"]] == ["flies(b9)"]
        edit(client, "mark", atom="flies(b9)", right=False, who="Ann")
        found = client.get("/api/constant?name=b9").json()
        assert found["concluded"] == [] and found["marks"][0]["who"] == "Ann"
        edit(client, "mark", atom="small(b9)", right=True)
        edit(client, "mark", atom="flies(b9)", right=True)
        assert [one["atom"] for one in client.get("/api/constant?name=b9").json()["concluded"]] == ["sings(b9)"]
        edit(client, "unmark", atom="small(b9)")
        assert client.get("/api/constant?name=b9").json()["concluded"] == []


def test_answers_are_true_after_edits_of_every_kind_and_when_a_file_changes(tmp_path: Path) -> None:
    """What is kept of an answer is kept only as long as nothing that it depends on has changed."""
    with exploring(tmp_path) as client:
        (tmp_path / "given.db").write_text("bird(a)", encoding="utf-8")

        def ask(**evidence: Any) -> set[str]:
            return {one["atom"] for one in client.post("/api/predict", json=evidence).json()["predicted"]}

        assert ask() == {"flies(b9)", "sings(b2)"} and ask(file="given.db") == {"bird(a)", "flies(a)"}
        page = client.get("/ask?evidence=bird(a)").text
        edit(client, "mark", atom="flies(b9)", right=False)
        assert ask() == {"sings(b2)"}
        after = client.get("/ask?evidence=bird(a)").text
        assert "revision 1;" in page and "revision 2;" in after and "flies(a)" in after
        edit(client, "ban", rule=FLIES)
        assert ask(evidence=["bird(a)"]) == {"bird(a)"} and ask(file="given.db") == {"bird(a)"}
        client.post("/api/undo", json={})
        assert ask(evidence=["bird(a)"]) == {"bird(a)", "flies(a)"}
        (tmp_path / "given.db").write_text("bird(a) bird(bb)".replace(" ", "\n"), encoding="utf-8")
        assert ask(file="given.db") == {"bird(a)", "flies(a)", "bird(bb)", "flies(bb)"}


def test_undo_and_redo_go_back_and_forth(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        texts = [client.get("/api/download").text]
        for change in ({"kind": "lock", "rule": FLIES}, {"kind": "ban", "rule": FLIES}):
            edit(client, **change)
            texts.append(client.get("/api/download").text)
        assert client.post("/api/undo", json={"number": 99}).status_code == 409
        for text in (texts[1], texts[0]):
            assert client.post("/api/undo", json={}).status_code == 200
            assert client.get("/api/download").text == text
        assert "nothing to undo" in client.post("/api/undo", json={}).json()["error"]
        for text in texts[1:]:
            assert client.post("/api/redo", json={"who": "Bob"}).status_code == 200
            assert client.get("/api/download").text == text
        entries = client.get("/api/history").json()["entries"]
        assert [one["deed"] for one in entries] == ["redo", "redo", "undo", "undo", "edit", "edit", "begin"]
        assert entries[0]["who"] == "Bob"


def test_a_trial_says_what_the_library_says(tmp_path: Path) -> None:
    rule = "swims(X) :- duck(X), bird(X)."
    with exploring(tmp_path) as client:
        before = client.get("/api/history").json()["total"]
        evidence = ["duck(d)", "bird(d)", "not swims(e)"]
        asked = {"kind": "add", "text": f"0.6 :: {rule}", "evidence": evidence}
        tried = client.post("/api/trial", json=asked).json()
        new = parse_theory(f"{BIRDS} #lock 0.6 :: {rule}")
        assert tried["difference"] == compare_theories(parse_theory(BIRDS), new, evidence).as_json
        assert tried["log_likelihood"]["after"] == weigh(new, FACTS, smoothing=0.001).fit.log_likelihood
        assert tried["held_out_gain"]["before"] is not None and "hidden" in tried["held_out_gain"]["about"]
        assert client.get("/api/history").json()["total"] == before


def test_a_rule_without_a_weight_is_weighed(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        found = edit(client, "add", text="swims(X) :- duck(X), bird(X).", who="Ann")
        theory = theory_of(client)
        assert found["revision"] == 2 and not theory.unplaced
        added = parse_theory(f"{BIRDS} #lock ? :: swims(X) :- duck(X), bird(X).")
        assert theory == weigh_by(None, added, facts_of(FACTS), None, smoothing=0.001).theory
    with exploring(tmp_path) as client:  # the weights are in the history
        assert theory_of(client) == theory


def test_weights_for_another_revision_are_refused(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        edit(client, "lock", rule=FLIES)
        answer = client.post("/api/edits", json={"kind": "refit", "based_on": 1})
        assert answer.status_code == 409 and "changed meanwhile" in answer.json()["error"]
        assert edit(client, "refit", based_on=2)["revision"] == 3


def test_state_survives_and_a_cut_line_does_not_matter(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        edit(client, "lock", rule=FLIES)
        edit(client, "mark", atom="flies(b9)", right=False, who="Ann")
        text = client.get("/api/download").text
    journal = tmp_path / "theory.pl.history"
    with journal.open("ab") as file:
        file.write(b'{"number": 4, "deed": "edit", "who')
    with exploring(tmp_path) as client:
        assert client.get("/api/download").text == text
        assert client.get("/api/theory").json()["marks"][0]["who"] == "Ann"
        assert client.get("/api/history").json()["total"] == 3
        edit(client, "free", rule=FLIES)
    assert len(journal.read_bytes().splitlines()) == 4


def test_what_was_undone_is_undone_after_a_restart(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        edit(client, "ban", rule=FLIES)
        edit(client, "lock", rule="swims(X) :- duck(X).")
        for way in ("undo", "undo", "redo"):
            assert client.post(f"/api/{way}", json={}).status_code == 200
        before = theory_of(client)
        assert before.banned and all(rule.keep is Keep.FREE for rule in before.ranked)
    with exploring(tmp_path) as client:
        assert theory_of(client) == before
        client.post("/api/redo", json={})
        assert any(rule.keep is Keep.LOCKED for rule in theory_of(client).ranked)


def test_a_file_that_a_person_changed_is_begun_with_anew(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        edit(client, "lock", rule=FLIES)
    (tmp_path / "theory.pl").write_text("0.5 :: flies(X) :- duck(X).", encoding="utf-8")
    with exploring(tmp_path) as client:
        assert [str(rule) for rule in theory_of(client)] == ["0.5 :: flies(X) :- duck(X)."]


def test_saving_and_the_difference(tmp_path: Path) -> None:
    with exploring(tmp_path) as client:
        edit(client, "ban", rule=FLIES)
        assert [one["rule"] for one in client.get("/api/difference").json()["went"]] == [FLIES]
        assert client.post("/api/save", json={"name": "copy.pl"}).status_code == 200
        for name in ("../up.pl", "theory.pl.history", "copy.pl", "a/b.pl", ".hidden.pl"):
            assert client.post("/api/save", json={"name": name}).status_code == 422, name
        assert "#ban" not in (tmp_path / "theory.pl").read_text("utf-8")
        client.post("/api/save", json={})
    assert parse_theory((tmp_path / "theory.pl").read_text("utf-8")).banned
    assert (tmp_path / "copy.pl").exists() and len(list(tmp_path.iterdir())) == 3
    with exploring(tmp_path) as client:  # what was saved is where it goes on
        assert client.get("/api/history").json()["total"] == 3
        assert client.post("/api/undo", json={}).status_code == 200


# Writing


def test_completion_and_errors_under_the_cursor(tmp_path: Path) -> None:
    with exploring(tmp_path, facts=[*FACTS, 'bird("small bird")', "bird(Betty)"]) as client:
        found = client.get("/api/complete?prefix=s").json()["completions"]
        assert [one["text"] for one in found] == ["sings(X)", "small(X)", "swims(X)", '"small bird"']
        assert client.get("/api/complete?prefix=Be").json()["completions"][0]["text"] == '"Betty"'
        wrong = client.post("/api/check", json={"text": "flies(X) :- bird(X), )"}).json()
        assert (wrong["ok"], wrong["line"], wrong["column"]) == (False, 1, 22)
        right = client.post("/api/check", json={"text": FLIES}).json()
        assert right["ok"] and right["numbers"]["support"] == 9 and "if" in right["sentence"]
        assert not client.post("/api/check", json={"text": "flies(X, Y) :- bird(X)"}).json()["ok"]
        facts = client.post("/api/check", json={"text": "bird(a)\n  not bird(b", "facts": True}).json()
        assert (facts["line"], facts["column"]) == (2, 13)
        right = client.post("/api/check", json={"text": "bird(a)\nnot bird(b)", "facts": True}).json()
        assert right == {"ok": True, "facts": 2}


# Learning again


@pytest.mark.slow
def test_learning_again_keeps_what_was_said(tmp_path: Path) -> None:
    facts = planted(Random(0))
    learned = learn(facts)
    banned = str(learned.theory.ranked[0].clause)
    with exploring(tmp_path, str(learned.theory), facts) as client:
        edit(client, "ban", rule=banned)
        old = client.get("/api/download").text
        began = time.monotonic()
        assert client.post("/api/learning", json={}).json()["state"] == "learning"
        assert "already" in client.post("/api/learning", json={}).json()["error"]
        phases = set()
        while (now := client.get("/api/learning").json())["state"] == "learning":
            phases.add(now["phase"])
            assert client.get("/api/download").text == old and client.get("/rules").status_code == 200
            time.sleep(0.1)
        assert now["state"] == "done" and len(phases) > 1
        assert 0 < now["seconds"] <= time.monotonic() - began + 1
        edit_again = client.post("/api/learning/accept", json={"who": "Ann"})
        assert edit_again.status_code == 200
        theory = theory_of(client)
        assert [str(clause) for clause in theory.banned] == [banned]
        assert theory == parse_theory(str(learn(facts, start=parse_theory(old)).theory))
        client.post("/api/undo", json={})
        assert client.get("/api/download").text == old
        client.post("/api/learning", json={"seed": 1})
        assert client.post("/api/learning/cancel", json={}).json()["state"] == "cancelled"
        assert client.get("/api/download").text == old
