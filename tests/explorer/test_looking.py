"""Look and ask: what the explorer answers is what the library says, as JSON and as a page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from exploring import BIRDS, FACTS, exploring
from possilog import Reasoner, ask, parse_theory, portray
from possilog.explorer.answering import Order
from possilog.explorer.desk import Desk
from possilog.explorer.explorer import _Kept

REASONER = Reasoner(parse_theory(BIRDS))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("birds")
    (folder / "given.db").write_text("bird(Tweety)\nsmall(Tweety)\n", encoding="utf-8")
    with exploring(folder) as client:
        yield client


def posted(client: TestClient, path: str, **asked: Any) -> Any:
    answer = client.post(f"/api{path}", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


# Look


def test_the_theory_is_what_show_prints(client: TestClient) -> None:
    found = client.get("/api/theory").json()
    shown = portray(parse_theory(BIRDS), FACTS, examples=5).as_json
    assert {name: found[name] for name in shown} == shown
    assert {"from": "bird", "to": "flies", "rules": 1} in found["graph"]


def test_rules_by_predicate_kind_words_and_page(client: TestClient) -> None:
    every = client.get("/api/rules").json()
    assert every["total"] == 5
    flies = client.get("/api/rules?concludes=flies").json()["rules"]
    assert [one["rule"] for one in flies] == ["flies(X) :- bird(X)."]
    assert {one["kind"] for one in client.get("/api/rules?kind=hard").json()["rules"]} == {"hard"}
    assert client.get("/api/rules?search=small flies").json()["total"] == 1
    pages = [client.get(f"/api/rules?size=2&page={page}").json() for page in (1, 2, 3, 4)]
    assert [len(page["rules"]) for page in pages] == [2, 2, 1, 0] and pages[0]["pages"] == 3


def test_examples_and_counterexamples_by_page(client: TestClient) -> None:
    number = client.get("/api/rules?concludes=flies").json()["rules"][0]["number"]
    pages = [client.get(f"/api/rules/{number}?size=4&page={page}").json() for page in (1, 2, 3)]
    assert [len(page["examples"]) for page in pages] == [4, 4, 1]
    assert pages[0]["counterexamples"] == ["bird(b9); not flies(b9)", "bird(pingu); not flies(pingu)"]
    assert client.get("/api/rules/99").status_code == 422


def test_a_constant_has_its_facts_and_conclusions(client: TestClient) -> None:
    found = client.get("/api/constant?name=b9").json()
    assert found["facts"] == ["bird(b9)"]
    assert [one["atom"] for one in found["concluded"]] == ["flies(b9)"]
    assert client.get("/api/constants?search=B1").json()["constants"] == ["b1"]
    assert "check its spelling" in client.get("/api/constant?name=nobody").json()["error"]


def test_suspects(client: TestClient) -> None:
    found = client.get("/api/suspects").json()
    assert found["total"] == len(found["suspects"]) and all(one["sentence"] for one in found["suspects"])


# Ask


def test_predictions_are_those_of_the_library(client: TestClient) -> None:
    given = ["bird(Tweety)", "small(Tweety)", "not swims(Tweety)"]
    for inference in ("local", "global"):
        asked = posted(client, "/predict", evidence=given, inference=inference)
        assert asked == REASONER.predict(given, inference).as_json


def test_evidence_from_a_file_from_a_part_and_from_the_data(client: TestClient) -> None:
    from_file = posted(client, "/predict", file="given.db")
    assert from_file == REASONER.predict(["bird(Tweety)", "small(Tweety)"]).as_json
    part = posted(client, "/predict", share=0.5, seed=3)
    assert sum(one["given"] for one in part["predicted"]) == round(len(FACTS) / 2)
    data = posted(client, "/predict", about="b9")
    assert [one["atom"] for one in data["predicted"]] == ["bird(b9)", "flies(b9)"]


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "..", "theory.pl/../theory.pl", "nothing.db"])
def test_no_file_outside_the_folder(client: TestClient, name: str) -> None:
    answer = client.post("/api/predict", json={"file": name})
    assert answer.status_code == 422 and "no file in the folder" in answer.json()["error"]


def test_why_and_why_not(client: TestClient) -> None:
    given = ["bird(Tweety)", "small(Tweety)"]
    assert posted(client, "/explain", evidence=given, atom="sings(Tweety)") == (
        REASONER.explainer(REASONER.predict(given)).explain("sings(Tweety)").as_json
    )
    not_so = posted(client, "/explain", evidence=["small(Rex)"], atom="sings(Rex)")
    assert not not_so["predicted"]
    assert [one["add"] for one in not_so["would_make_it_so"]] == [["flies(Rex)"]]


def test_what_would_make_it_so_is_said_once(tmp_path: Path) -> None:
    """Though two rules miss it; and not where a rule misses one thing or another, of which either may be known."""
    theory = "0.9 :: p(X) :- q(X), r(X). 0.8 :: p(X) :- q(X), s(X). 0.7 :: p(X) :- t(X)."
    with exploring(tmp_path, theory, ["q(a)", "r(a)", "s(a)", "t(b)", "p(b)"]) as client:
        found = posted(client, "/explain", evidence=["r(c)", "s(c)"], atom="p(c)")
    assert sorted(one["add"] for one in found["would_make_it_so"]) == [["q(c)"], ["t(c)"]]


def test_what_would_make_it_so_was_tried(client: TestClient) -> None:
    """What the nearest rule misses does not help where a hard rule forbids the conclusion."""
    found = posted(client, "/explain", evidence=["penguin(Pingu)", "small(Pingu)"], atom="sings(Pingu)")
    assert found["would_make_it_so"] == []


def test_conflicts_have_the_facts_behind_them(client: TestClient) -> None:
    given = ["flies(Pingu)", "penguin(Pingu)"]
    found = posted(client, "/conflicts", evidence=given)
    assert found == {"contradictions": [core.as_json for core in REASONER.conflicts(given)]}
    page = client.get("/ask", params={"evidence": "flies(Pingu)\npenguin(Pingu)"}).text
    assert "cannot be true together" in page


def test_questions_with_an_open_place(client: TestClient) -> None:
    found = posted(client, "/ask", question="flies(?)")
    assert found == ask(parse_theory(BIRDS), "flies(?)", FACTS).as_json


# Pages


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("/", "How rules feed each other"),
        ("/rules", "X flies if X is a bird"),
        ("/rules/1", "Counterexamples"),
        ("/suspects", "suspect"),
        ("/constants?search=ping", "pingu"),
        ("/constant?name=b9", "b9 flies"),
        ("/ask?evidence=bird(Tweety)", "Tweety flies"),
        ("/why?evidence=bird(Tweety)&atom=flies(Tweety)", "<svg"),
        ("/why?evidence=dog(Rex)&atom=flies(Rex)", "What would make it so"),
    ],
)
def test_pages_show_what_the_twin_says(client: TestClient, path: str, text: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200 and text in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert " style=" not in answer.text and " onclick" not in answer.text


def test_long_evidence_is_kept_by_name(client: TestClient) -> None:
    token = client.get("/ask").text.split('name="token" value="')[1].split('"')[0]
    evidence = "\n".join(f"bird(n{number})" for number in range(1000))
    answer = client.post("/ask", data={"token": token, "evidence": evidence}, follow_redirects=False)
    assert answer.status_code == 303 and len(answer.headers["location"]) < 200
    page = client.get(answer.headers["location"])
    assert "1,000 conclusions from 1,000 facts" in page.text
    assert "pasted too long ago" in client.get("/ask?pasted=nothing").text


def test_answers_that_were_not_asked_for_again_are_forgotten_first() -> None:
    kept = _Kept(most=10)
    for name in "abc":
        kept.put(name, name.upper(), 3)
    assert kept.get("a") == "A"
    kept.put("a", "other", 3)  # what is there stays
    kept.put("d", "D", 4)
    assert [kept.get(name) for name in "abcd"] == ["A", None, "C", "D"]
    kept.put("e", "E", 11)  # alone too large
    assert [kept.get(name) for name in "abcde"] == [None] * 5


def test_what_if_lists_the_facts_with_the_letters_that_are_looked_for(client: TestClient) -> None:
    page = client.get(
        "/what-if", params={"evidence": "bird(Anna)\nbird(Otto)\nsmall(Anna)", "search": "BIRD anna"}
    ).text
    assert re.findall(r'name="remove" value="([^"]*)"', page) == ["bird(Anna)"]


def test_what_was_answered_is_not_asked_again(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked, answer = [], Desk.answer

    async def noted(self: Desk, order: Order, *rest: Any) -> Any:
        asked.append(order)
        return await answer(self, order, *rest)

    monkeypatch.setattr(Desk, "answer", noted)
    texts = [client.get(f"/ask?evidence=bird({name})").text for name in ("zoe", "zoe", "yan", "zoe")]
    assert texts[0] == texts[1] == texts[3] != texts[2] and len(asked) == 2
