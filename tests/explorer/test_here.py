"""What the explorer answers and does, in this process: lists by page, questions, trials, texts, forms, deeds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request

from exploring import BIRDS, FACTS
from possilog.choices import Inference
from possilog.data.taking import facts_of
from possilog.errors import PossilogError, QueryError
from possilog.explorer import asking, deeds, forms, looking, relearning, trying, writing
from possilog.explorer.answering import Reply
from possilog.explorer.edits import Edit, EditKind, applied
from possilog.explorer.exploration import Exploration, Premises, Sources
from possilog.explorer.explorer import Explorer
from possilog.explorer.history import Book, Conflicting
from possilog.explorer.openapi import describe
from possilog.explorer.operations import Described
from possilog.explorer.position import Position, Sees, Signed
from possilog.explorer.relearning import Relearning
from possilog.explorer.wishes import Wish, wish
from possilog.logic import parse_clause, parse_theory
from possilog.progress import Step

ANN = Signed("Ann", "2026-01-02")
MORE = [*FACTS, "likes(b1, b2)", "likes(b2, b3)", "rains()", "Bird(b1)"]


def explored(theory: str = BIRDS, facts: list[str] = MORE, folder: Path = Path(), **more: Any) -> Exploration:
    exploration = Exploration(Sources("birds", facts_of(facts), folder, **more))
    exploration.move(Position(1, parse_theory(theory)))
    return exploration


# Lists by page


@pytest.mark.parametrize("total", [0, 1, 2, 3, 4, 5, 6])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_pages_together_have_all_of_a_list(total: int, size: int) -> None:
    pages = [looking.Paged.of(range(total), looking.PageAsked(page, size)) for page in range(1, total + 3)]
    (number,) = {page.pages for page in pages}
    assert [item for page in pages[:number] for item in page.items] == list(range(total))
    assert all(page.items for page in pages[: number - 1]) and not any(page.items for page in pages[number:])
    assert pages[1].as_json == {"page": 2, "size": size, "pages": number, "total": total}


@pytest.mark.parametrize("kind", ["", "soft", "hard", "demoted", "none"])
@pytest.mark.parametrize("concludes", ["", "flies", "never", "aaa", "zzz"])
@pytest.mark.parametrize("search", ["", "BIRD x", "flies penguin", "nothing"])
def test_rules_fit_what_is_asked(kind: str, concludes: str, search: str) -> None:
    found = looking.rules(EVERY, looking.RulesAsked(kind=kind, concludes=concludes, search=search))
    cards = EVERY.portrait.rules
    fitting = {
        card.number
        for card in cards
        if kind in ("", card.kind)
        and concludes in ("", card.concludes)
        and all(word in f"{card.formula} {card.sentence}".lower() for word in search.lower().split())
    }
    assert {card.number for card in found.cards.items} == fitting and found.cards.total == len(fitting)
    assert found.heads == ("flies", "sings", "swims", "never", "bird")


EVERY = explored(f"{BIRDS} #demoted :- small(X), penguin(X).")


def test_rules_that_are_not_soft_come_last_and_authors_are_told() -> None:
    here = explored()
    here.move(applied(here.position, Edit(EditKind.ADD, text="0.5 :: sings(X) :- bird(X)."), ANN))
    found = looking.rules(here, looking.RulesAsked())
    kinds = [card.kind.value for card in found.cards.items]
    assert kinds == ["soft"] * 4 + ["hard"] * 2
    (author,) = (one["author"] for one in found.as_json["rules"] if one["author"])
    assert author == ANN.as_json and list(found.authors.values()) == [ANN]


def test_facts_and_conclusions_about_a_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    here = explored()
    here.move(applied(here.position, Edit(EditKind.MARK, atom="small(b9)"), ANN))
    shown = looking.constant(here, looking.ConstantAsked(name="b2"))
    assert shown.as_json["facts"] == ["bird(b2)", "flies(b2)", "likes(b1, b2)", "likes(b2, b3)", "small(b2)"]
    assert [one["atom"] for one in shown.as_json["concluded"]] == ["sings(b2)"] and not shown.marks
    shown = looking.constant(here, looking.ConstantAsked(name="b9"))
    assert [str(one.atom) for one in shown.concluded] == ["flies(b9)", "sings(b9)"] and len(shown.marks) == 1
    assert not shown.by_all
    for most in (0, 1, 2):
        monkeypatch.setattr(looking, "CONSTANTS", most)
        assert len(looking.constant(here, looking.ConstantAsked(name="b9")).concluded) == most
    with pytest.raises(PossilogError, match="there is no constant 'B9' in the data"):
        looking.constant(here, looking.ConstantAsked(name="B9"))
    assert looking.constants(here, looking.ConstantsAsked(search="B1")).constants.items == ("b1",)


# Questions


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
@pytest.mark.parametrize("about", ["", "b2", "b9", "zzz"])
def test_what_follows_is_cut_and_what_is_left_out_is_counted(limit: int, about: str) -> None:
    added = [("flies(b9)", "b9"), ("sings(b2)", "b2")]
    found = asking.predict(explored(), asking.PredictAsked(about=about, limit=limit))
    wanted = [atom for atom, name in added if about in ("", name)]
    assert [str(one.atom) for one in found.concluded.items] == wanted[:limit]
    assert (found.concluded.total, found.given) == (len(wanted), len(MORE))
    said = found.as_json
    assert said.get("left_out", 0) == (0 if about else max(0, 2 - limit))
    if not about:
        assert [one["atom"] for one in said["predicted"]] == wanted[:limit]
    else:
        assert all(about in one["atom"] for one in said["predicted"]) and len(said["predicted"]) <= limit


def test_what_contradicts_is_told_only_where_something_does() -> None:
    asked = asking.PredictAsked(evidence=("penguin(a)", " ", "flies(a)"))
    found = asking.predict(explored(), asked)
    assert found.cores and asked.known == Premises(("penguin(a)", "flies(a)"))
    assert not asking.predict(explored(), asking.PredictAsked(evidence=("penguin(a)",))).cores
    assert [
        one["atom"]
        for one in asking.predict(explored(), asking.PredictAsked(evidence=("bird(a)",))).as_json["predicted"]
    ]


def test_what_would_make_it_so_was_tried() -> None:
    theory = "0.9 :: happy(X) :- likes(X, Y), kind(Y). 0.8 :: happy(X) :- rich(X). :- rich(X), poor(X)."
    here = explored(theory, ["poor(bob)", "likes(ann, bob)"])
    evidence = ("poor(ann)", "likes(ann, some_Y)", "poor(some_Y)")
    found = asking.explain(here, asking.ExplainAsked(evidence=evidence, atom="happy(ann)"))
    added = [one["add"] for one in found.as_json["would_make_it_so"]]
    assert added == [["kind(some_Y)"], ["rich(ann)"]]
    found = asking.explain(here, asking.ExplainAsked(evidence=("poor(ann)", "poor(some_Y)"), atom="happy(ann)"))
    said = [(one["add"], one["certainty"]) for one in found.as_json["would_make_it_so"]]
    assert (["likes(ann, some_Y_)", "kind(some_Y_)"], "0.9") in said and (["rich(ann)"], "0.8") in said
    why = asking.explain(here, asking.ExplainAsked(evidence=("rich(ann)",), atom="happy(ann)"))
    assert "would_make_it_so" not in why.as_json


def test_names_are_completed_and_texts_checked() -> None:
    here = explored(facts=[*MORE, "wide(a1, a2, a3, a4, a5, a6, a7, a8)", 'bird("b x")'])

    def completed(prefix: str, limit: int = 12) -> list[str]:
        return [one.text for one in writing.complete(here, writing.CompleteAsked(prefix, limit)).found]

    assert completed("W") == ["wide(X, Y, Z, U, V, W, X6, X7)"] and completed("rain") == ["rains"]
    assert completed('"b x') == ['"b x"'] and completed("a2") == ["a2"] and completed("b1", 1) == ["b1"]
    assert completed("b", 3) == ["Bird(X)", "bird(X)", '"b x"'] and completed("zzz") == []

    def checked(text: str, facts: bool = False) -> dict[str, Any]:
        return writing.check(here, writing.CheckAsked(text, facts)).as_json

    assert checked("bird(a)\n\n !bird(b)\nnot bird(c)", True) == {"ok": True, "facts": 3}
    places = [checked(text, True) for text in ("bird(a", "\n  bird(a", "not bird(a", "\n\n   ! bird(a", "not  bird(a")]
    assert [(one["line"], one["column"]) for one in places] == [(1, 7), (2, 9), (1, 11), (3, 12), (1, 12)]
    said = checked("0.9 :: flies(X) :- bird(X).")
    assert (said["ok"], said["rule"], said["numbers"]["support"]) == (True, "0.9 :: flies(X) :- bird(X).", 9)
    assert checked(":- bird(X), duck(X).")["numbers"] is None
    wrong = checked("flies(X, Y) :- bird(X).")
    assert not wrong["ok"] and "line" not in wrong


# Trials


def test_nothing_is_tried_where_nothing_is_said() -> None:
    here = explored()
    empty = trying.trial(here, trying.TrialAsked())
    assert (empty.difference, empty.value, empty.predictions, empty.as_json["difference"]) == (None, None, None, None)
    small = explored("0.9 :: p(X) :- q(X).", ["q(a)", "p(a)"])
    assert trying.trial(small, trying.TrialAsked(EditKind.REFIT, only_theory=True)).value is not None
    for asked in (
        trying.TrialAsked(EditKind.REMOVE, rule="swims(X) :- duck(X).", only_theory=True),
        trying.TrialAsked(EditKind.ADD, text="0.5 :: swims(X) :- small(X).", only_theory=True),
        trying.TrialAsked(EditKind.MARK, atom="small(b9)", only_theory=True),
    ):
        found = trying.trial(here, asked)
        assert found.value is not None and found.difference is None and found.likelihood.about == "not asked for"
    with pytest.raises(QueryError, match="POST /api/learning"):
        trying.trial(here, trying.TrialAsked(EditKind.LEARN, rule="x"))


@pytest.mark.parametrize(
    ("text", "weight"),
    [
        ("flies(X) :- sparrow(X).", "0.7"),  # as often right as the lowest
        ("sings(X) :- bird(X).", "0.7"),  # more rarely than any
        ("bird(X) :- flies(X).", "0.8"),  # always: as the lowest that is
        ("swims(X) :- none(X).", "0.7"),  # never asked
    ],
)
def test_a_rule_that_cannot_be_weighed_stands_beside_its_like(
    text: str, weight: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PossilogError("too much")

    monkeypatch.setattr(trying, "weigh_by", refuse)
    facts = facts_of([*FACTS, "sings(b2)", "sparrow(b1)", "sparrow(b9)", "duck(b4)"])
    theory = parse_theory(f"{BIRDS} #lock ? :: {text}")
    found, (remark,) = trying._weighed(theory, facts)
    (rule,) = (rule for rule in found if str(rule.clause) == text)
    assert (str(rule.weight), str(rule.keep)) == (weight, "lock") and "right as often (too much)" in remark
    assert not found.unplaced and not found.locked
    kept, (remark,) = trying._weighed(parse_theory(BIRDS), facts)
    assert kept == parse_theory(BIRDS) and remark == "the weights stay as they are: too much"
    assert trying._likelihood(theory, facts) == (None, "it could not be counted: too much")
    (alone,) = trying._weighed(parse_theory(f"? :: {text}"), facts)[0].rules
    assert (str(alone.weight), str(alone.keep)) == ("0.9", "free")


@pytest.mark.parametrize(("facts", "large", "sets"), [(5, 4, 1), (5, 5, 12), (5, 6, 12), (2, 2, 8), (1, 5, None)])
def test_gains_are_means_over_hidden_facts(
    facts: int, large: int, sets: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trying, "LARGE", large)
    given = [f"bird(b{n})" for n in range(facts)]
    after = parse_theory("0.9 :: flies(X) :- bird(X).")
    for here, whose in (
        (explored("", given), "of facts of the data that were hidden"),
        (explored("", FACTS, test=facts_of(given)), "of test facts that were hidden"),
    ):
        found = trying._gains(here, after)
        if sets is None:
            assert found == trying.Sides(None, None, "there are too few facts to hide some")
            continue
        sizes = {max(1, round(share * facts)) for share in ((0.5,) if facts > large else (0.2, 0.5, 0.8))}
        assert found.before == 0 and found.after == -sum(sizes) / len(sizes)
        assert f"mean of {sets} sets {whose}" in found.about


def test_the_first_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "_likelihood", lambda theory, _: (None, "why") if theory.banned else (-1.0, ""))
    banned = parse_theory(f"{BIRDS} #ban swims(X) :- small(X).")
    sides = [
        trying._likelihoods(here, after, here.data)
        for here, after in ((explored(), banned), (explored(str(banned)), banned), (explored(), parse_theory(BIRDS)))
    ]
    assert [(one.before, one.after, one.about == "why") for one in sides] == [
        *((-1.0, None, True), (None, None, True), (-1.0, -1.0, False))
    ]


# Where it stands


def test_what_an_answer_depends_on_stays_as_long_as_it_is_true() -> None:
    begin = Position(3, parse_theory(BIRDS), theory_since=2, marks_since=1)
    marked = begin.followed_by(applied(begin, Edit(EditKind.MARK, atom="flies(b9)"), ANN), 4)
    locked = marked.followed_by(applied(marked, Edit(EditKind.LOCK, "flies(X) :- bird(X)."), ANN), 5)
    written = locked.followed_by(replace(locked, written={parse_clause("a(X) :- b(X)."): ANN}), 6)
    same = written.followed_by(written, 7)
    seen = [[one.seen_by(sees) for sees in (Sees.THEORY, Sees.MARKS, Sees.REVISION)] for one in (begin, marked, locked)]
    assert seen == [[(2,), (2, 1), (3,)], [(2,), (2, 4), (4,)], [(5,), (5, 4), (5,)]]
    assert [(one.theory_since, one.marks_since) for one in (written, same)] == [(6, 4), (6, 4)]
    assert locked.says_the_same(begin) and not begin.says_the_same(Position(1, parse_theory("0.1 :: false.")))


def test_marks_are_facts_or_denied() -> None:
    data = facts_of(["flies(b1)", "flies(b2)"])
    here = Position(1, parse_theory(BIRDS))
    assert here.facts_with(data) is data
    for atom, right in (("flies(b1)", False), ("flies(b3)", True), ("sings(b3)", False)):
        here = applied(here, Edit(EditKind.MARK, atom=atom, right=right), ANN)
    found = here.facts_with(data)
    assert sorted(map(str, found)) == ["flies(b2)", "flies(b3)"]
    assert list(map(str, found.denied)) == ["flies(b1)", "sings(b3)"]


def test_evidence_is_what_is_meant(tmp_path: Path) -> None:
    (tmp_path / "given.db").write_text("bird(x)\n!bat(x)\n", encoding="utf-8")
    (tmp_path / "link.db").symlink_to(tmp_path / "given.db")
    here = explored(folder=tmp_path)

    def known(*atoms: str, **more: Any) -> tuple[list[str], list[str]]:
        found = here.evidence(Premises(atoms, **more))
        return sorted(map(str, found.facts)), list(map(str, found.denied))

    assert known("bird(a)", "not bat(a)", file="given.db") == (["bird(a)", "bird(x)"], ["bat(a)", "bat(x)"])
    assert (
        len(known(share=0.5)[0]) == round(len(MORE) / 2)
        and len(known("new(a)", share=0.5)[0]) == round(len(MORE) / 2) + 1
    )
    assert here.evidence(Premises()) is here.facts
    for name in ("none.db", "link.db", "../given.db", ".", ""):
        with pytest.raises(PossilogError, match="is no file in the folder"):
            here.inside(name)
    assert here.predicted(Premises(), Inference.LOCAL) is not here.predicted(Premises(), Inference.LOCAL, True)


# Deeds


class Waiting:
    """Stands for an explorer whose processes answer at once, while others edit."""

    def __init__(self, conflicts: int, status: int = 200) -> None:
        self.book = SimpleNamespace(revision=7, accept=self.accept)
        self.asked: list[int] = []
        self._conflicts, self._status = conflicts, status

    async def answer(self, order: Any) -> Reply:
        """Whatever is asked."""
        assert order.asked.only_theory
        return Reply(self._status, "", b"", "a theory")

    async def write(self, deed: Callable[[], Any]) -> Any:
        """At once."""
        return deed()

    def accept(self, edit: Edit, who: str, theory: Any, based_on: int) -> str:
        """Unless somebody else was faster."""
        self.asked.append(based_on)
        self.book.revision += 1
        if len(self.asked) <= self._conflicts:
            raise Conflicting("somebody was faster")
        return f"{who} {theory}"


@pytest.mark.parametrize("conflicts", range(7))
@pytest.mark.parametrize("based_on", [None, 3])
def test_weights_are_fitted_again_where_no_revision_is_named(conflicts: int, based_on: int | None) -> None:
    explorer: Any = Waiting(conflicts)
    asked = trying.EditAsked(EditKind.REFIT, who="Ann", based_on=based_on)
    tries = 1 if based_on is not None else deeds.TRIES
    if conflicts < tries:
        assert str(asyncio.run(deeds._weighed(explorer, asked))) == "Ann a theory"
    else:
        with pytest.raises(Conflicting):
            asyncio.run(deeds._weighed(explorer, asked))
    seen = [7 + number for number in range(min(conflicts + 1, tries))]
    assert explorer.asked == (seen if based_on is None else [3])
    refused: Any = Waiting(0, 422)
    with pytest.raises(deeds.Refused):
        asyncio.run(deeds._weighed(refused, asked))


def test_the_history_by_page_and_where_it_is_saved(tmp_path: Path) -> None:
    own = tmp_path / "theory.pl"
    own.write_text(BIRDS, encoding="utf-8")
    book = Book.open(own, BIRDS, parse_theory(BIRDS))
    explorer = Explorer(Sources("birds", facts_of(FACTS), tmp_path), book, own, processes=1)

    def history(page: int, size: int) -> Any:
        return asyncio.run(deeds.history(explorer, looking.PageAsked(page, size)))

    assert (history(1, 2)["undo"], history(1, 2)["redo"], history(1, 1)["pages"]) == (None, None, 1)
    for number in range(3):
        book.accept(Edit(EditKind.MARK, atom=f"small(b{number})"), "Ann")
    book.undo("Ann")
    pages = [history(page, 2) for page in (1, 2, 3, 4)]
    assert [[one["number"] for one in page["entries"]] for page in pages] == [[5, 4], [3, 2], [1], []]
    assert {(page["total"], page["pages"], page["undo"], page["redo"]) for page in pages} == {(5, 3, 3, 4)}
    assert history(1, 5)["pages"] == 1 and history(1, 4)["pages"] == 2
    (tmp_path / "there.pl").touch()
    for name, saved in (("", 6), ("theory.pl", 7), ("new.pl", 7), ("new.theory", 7)):
        found: Any = asyncio.run(deeds.save(explorer, deeds.SaveAsked(name)))
        assert (found["saved"], found["revision"]) == (name or "theory.pl", saved)
        assert found["letters"] == len((tmp_path / found["saved"]).read_text("utf-8"))
    for name in ("there.pl", "new.txt", "../x.pl", ".x.pl"):
        with pytest.raises(PossilogError, match="is no name for a theory in the folder"):
            asyncio.run(deeds.save(explorer, deeds.SaveAsked(name)))
    with pytest.raises(QueryError, match="no theory was learned"):
        explorer.take_learned("Ann")
    name = explorer.paste("a text")
    assert (explorer.pasted(name), explorer.pasted("none")) == ("a text", None)
    explorer.close()


def test_what_is_learned_is_told_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [
        ("a", 10.0),
        ("a", 10.1),
        ("b", 10.1),
        ("b", 10.2),
        ("b", 10.1 + relearning.OFTEN),
        ("b", 20.0),
        ("a", 20.0),
    ]
    clock = iter([time for _, time in steps])
    monkeypatch.setattr(relearning, "time", SimpleNamespace(monotonic=clock.__next__))
    begun: list[dict[str, Any]] = []

    class Thread:
        def __init__(self, **given: Any) -> None:
            begun.append(given)

        def start(self) -> None:
            """Nothing."""

    monkeypatch.setattr(relearning, "Thread", Thread)
    monkeypatch.setattr(
        relearning, "signal", SimpleNamespace(signal=lambda *_: None, SIGINT=1, SIG_IGN=1, SIGTERM=1, SIG_DFL=1)
    )

    def learn(data: Any, progress: Callable[[Step], None], **_: Any) -> Any:
        for number, (phase, _time) in enumerate(steps):
            progress(Step(phase, number))
        return SimpleNamespace(theory=None) if data is None else learn_not()

    def learn_not() -> None:
        raise PossilogError("no facts")

    monkeypatch.setattr(relearning, "learn", learn)
    home, away = Pipe(False)
    relearning._learn_apart(away, None, parse_theory(""), 0, None)  # type: ignore[arg-type]
    away.close()
    told = []
    while home.poll():
        try:
            told.append(home.recv())
        except EOFError:
            break
    assert [step.done for step in told[:-1]] == [0, 2, 5, 6] and told[-1] is None
    assert [one["daemon"] for one in begun] == [True]


def test_a_theory_is_learned_once_at_a_time() -> None:
    with pytest.raises(QueryError, match="being learned already"):
        Relearning("learning").start(facts_of([]), parse_theory(""), 0, None, lambda: None)
    killed: list[int] = []
    found = Relearning("learning", _process=SimpleNamespace(kill=lambda: killed.append(1)))
    found.close()
    assert (found.state, killed) == ("cancelled", [1])
    found.forget()
    assert (found.state, found.theory) == ("idle", None)


# Forms


def requested(**headers: str) -> Request:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": named})


@pytest.mark.parametrize(
    ("referer", "back"),
    [
        ("http://here/rules", "/rules"),
        ("http://here/rules?page=2", "/rules?page=2"),
        ("http://there/rules", "/history"),
        ("http://a/rules", "/history"),
        ("http://here//evil.org", "/history"),
        ("http://here", "/history"),
        ("", "/history"),
    ],
)
def test_a_form_leads_back_to_a_page_of_ours(referer: str, back: str) -> None:
    assert forms._back(requested(host="here", referer=referer)) == back


def test_who_it_is_and_what_buttons_say() -> None:
    cookies = {"": "somebody", "possilog_who=Zo%C3%AB": "Zoë", "possilog_who=": "somebody", "other=x": "somebody"}
    assert [forms.who_is(requested(cookie=text)) for text in cookies] == list(cookies.values())
    assert forms.who_is(requested(cookie=f"possilog_who={'x' * 101}")) == "x" * 100
    pairs = [("verdict", "right"), ("verdict", "wrong"), ("verdict", "a"), ("undo", "3"), ("redo", "4"), ("rule", "p")]
    told = [("right", "true"), ("right", "false"), ("right", "false"), ("number", "3"), ("number", "4"), ("rule", "p")]
    assert forms._translated(pairs) == told


# The description


@dataclass(frozen=True)
class Asked(Wish):
    """A number and a text."""

    number: int = wish("Which.", 1, least=1, most=9)
    text: str = wish("What.", "", most=5)


def test_the_description_is_whole() -> None:
    number = {"type": "integer", "minimum": 1, "maximum": 9}
    text = {"type": "string", "maxLength": 5, "default": ""}
    operations = [
        Described("one", "GET", "/one/{number}", "About one.", "One.", Asked),
        Described("change", "POST", "/one/{number}", "Changes it.", "Whether.", Asked),
        Described("download", "GET", "/text", "All.", "Text.", Wish),
    ]
    said = describe(operations)
    assert list(said["paths"]) == ["/api/one/{number}", "/api/text"] and said["security"] == []
    one = said["paths"]["/api/one/{number}"]
    assert one["get"]["parameters"] == [
        {"name": "number", "in": "path", "required": True, "description": "Which.", "schema": number},
        {"name": "text", "in": "query", "required": False, "description": "What.", "schema": text},
    ]
    body = one["post"]["requestBody"]
    properties = {"number": number | {"default": 1, "description": "Which."}, "text": text | {"description": "What."}}
    schema = {"type": "object", "properties": properties, "required": [], "additionalProperties": False}
    assert (
        body == {"required": True, "content": {"application/json": {"schema": schema}}}
        and "parameters" not in one["post"]
    )
    answers = [one["get"]["responses"]["200"], said["paths"]["/api/text"]["get"]["responses"]["200"]]
    assert answers == [
        {"description": "One.", "content": {"application/json": {"schema": {"type": "object"}}}},
        {"description": "Text.", "content": {"text/plain": {"schema": {"type": "string"}}}},
    ]
    assert "requestBody" not in one["get"] and said["components"]["securitySchemes"] == {}
    closed = describe(operations, needs_token=True)
    assert closed["security"] == [{"token": []}]
    assert closed["components"]["securitySchemes"] == {"token": {"type": "http", "scheme": "bearer"}}
