"""What people write is taken as they write it, what cannot be taken is said, and answers print as the command's."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from possilog.data import Database, read
from possilog.errors import DataError, DataWarning, PossilogError, QueryError, TheoryError
from possilog.inference import Explainer, Global, Local, Reasoner, Words, check, predict, tell
from possilog.logic import Literal, parse_atom, parse_clause, parse_rule, parse_theory

THEORY = """
:- bird(X), bat(X).
flies(X) :- bat(X).
0.95 :: nests(X) :- bird(X).
0.8 :: bird(X) :- flies(X).
"""
KNOWN = "flies(Tweety)\nbat(Bruce)\nbird(Carl)\n!nests(Carl)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "theory.pl").write_text(THEORY)
    (tmp_path / "known.db").write_text(KNOWN)
    (tmp_path / "odd.db").write_text("bird(Bruce)\nbat(Bruce)\n")
    return tmp_path


def test_evidence_is_taken_as_people_write_it(folder: Path) -> None:
    reasoner = Reasoner(parse_theory(THEORY))
    atoms = [parse_atom(text) for text in ("flies(Tweety)", "bat(Bruce)", "bird(Carl)")]
    expected = list(reasoner.predict([*atoms, Literal(parse_atom("nests(Carl)"), False)]).added)
    forms: list[Any] = [
        str(folder / "known.db"),
        folder / "known.db",
        KNOWN.split(),
        (text for text in KNOWN.split()),
        [*atoms, "not nests(Carl)"],
    ]
    for form in forms:
        assert list(reasoner.predict(form).added) == expected
    assert list(predict(str(folder / "theory.pl"), folder / "known.db").added) == expected
    assert len(Reasoner(folder / "theory.pl").conflicts(str(folder / "odd.db"))) == 1
    assert check(str(folder / "theory.pl"), str(folder / "odd.db")) == check(
        parse_theory(THEORY), read(folder / "odd.db")
    )


def test_atoms_and_rules_are_taken_as_text() -> None:
    reasoner = Reasoner(parse_theory(THEORY))
    assert reasoner.why("bird(Tweety)", ["flies(Tweety)"]) == reasoner.why(
        parse_atom("bird(Tweety)"), [parse_atom("flies(Tweety)")]
    )
    prediction = reasoner.predict(["flies(Tweety)"])
    assert prediction.added.certainty("bird(Tweety)") is not None
    assert "bird(Tweety)" in prediction and "bat(Tweety)" not in prediction and 7 not in prediction
    assert prediction.certainty("bird(Tweety)") == prediction.certainty(parse_atom("bird(Tweety)"))
    one = reasoner.what_if(prediction, add="!bird(Tweety)", add_rules="0.5 :: sings(X) :- flies(X)")
    some = reasoner.what_if(
        prediction,
        add=[Literal(parse_atom("bird(Tweety)"), False)],
        add_rules=[parse_rule("0.5 :: sings(X) :- flies(X)")],
    )
    assert one == some and len(one.appeared) == 1
    gone = reasoner.what_if(prediction, remove_rules="bird(Y) :- flies(Y)")
    assert gone == reasoner.what_if(prediction, remove_rules=[parse_clause("bird(Z) :- flies(Z).")])


REASONER = Reasoner(parse_theory(THEORY))
PREDICTION = REASONER.predict(["flies(Tweety)"])


@pytest.mark.parametrize(
    ("wrong", "error", "said"),
    [
        (lambda: REASONER.predict(7), DataError, "evidence can be a database, the path of a file"),  # type: ignore[arg-type]
        (lambda: REASONER.predict([("a", "r", "b")]), DataError, 'made of atoms, such as "bird'),  # type: ignore[list-item]
        (lambda: REASONER.predict({"bird": ["x"]}), DataError, "bird is a list, not a frame"),
        (lambda: REASONER.predict(["bird("]), PossilogError, "<atom>:1:"),
        (lambda: REASONER.predict([], 7), QueryError, "inference is 7, and it can be one of"),  # type: ignore[arg-type]
        (lambda: REASONER.predict("no/such.db"), PossilogError, "no such file"),
        (lambda: REASONER.why(7, []), QueryError, "an atom is asked about"),  # type: ignore[arg-type]
        (lambda: REASONER.why_not(None, []), QueryError, "an atom is asked about"),  # type: ignore[arg-type]
        (lambda: REASONER.conflicts(None), DataError, "None is none of these"),  # type: ignore[arg-type]
        (lambda: REASONER.check(["not bird(x)"]), DataError, "facts hold"),
        (lambda: REASONER.check(7), DataError, "facts can be"),  # type: ignore[arg-type]
        (lambda: REASONER.what_if([], add=7), DataError, "add can be atoms"),  # type: ignore[arg-type]
        (lambda: REASONER.what_if([], add_rules=7), TheoryError, "rules are given"),  # type: ignore[arg-type]
        (lambda: REASONER.what_if([], remove_rules=[7]), TheoryError, "a rule is needed"),  # type: ignore[list-item]
        (lambda: REASONER.explainer(7), QueryError, "takes a prediction, and not int"),  # type: ignore[arg-type]
        (lambda: Explainer(REASONER.theory, PREDICTION), QueryError, "takes a reasoner, and not Theory"),  # type: ignore[arg-type]
        (lambda: Reasoner(["flies(X) :- bat(X)."]), TheoryError, "a theory is needed"),  # type: ignore[arg-type]
        (lambda: check(7, []), TheoryError, "a theory is needed"),  # type: ignore[arg-type]
        (lambda: tell(None), QueryError, "ask explain"),  # type: ignore[arg-type]
        (lambda: Words(["x"]), QueryError, "words are sentences by predicate"),  # type: ignore[arg-type]
        (lambda: REASONER.predict(7 * 10**999), DataError, "evidence can be"),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_taken_is_said(wrong: Callable[[], object], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=re.escape(said)) as raised:
        wrong()
    assert len(str(raised.value)) < 400 and "\n" not in str(raised.value)


Command = Callable[..., tuple[str, str]]


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """What a command prints in the folder: its output, and its remarks."""
    from possilog.cli.contents import app

    monkeypatch.chdir(folder)

    def running(*arguments: str) -> tuple[str, str]:
        app([*arguments], standalone_mode=False)
        printed = capsys.readouterr()
        return printed.out, printed.err

    return running


@pytest.mark.parametrize("evidence", ["known.db", "odd.db"])
@pytest.mark.parametrize("inference", ["local", "global", "fragment"])
def test_a_prediction_prints_and_is_data_as_the_command_has_it(run: Command, evidence: str, inference: str) -> None:
    prediction = Reasoner("theory.pl").predict(evidence, inference)
    options = ["theory.pl", "--evidence", evidence, "--inference", inference]
    printed = "".join(run("predict", *options))
    assert f"{prediction}\n".replace("repair=True", "--on-conflict repair") == printed
    assert prediction.as_json == json.loads(run("predict", *options, "--json")[0])


def test_explanations_check_and_differences_are_data_as_the_command_has_it(run: Command) -> None:
    reasoner = Reasoner("theory.pl")
    for atom in ("bird(Tweety)", "bird(Bruce)", "flies(Bruce)"):
        answer = reasoner.explainer(reasoner.predict("known.db")).explain(atom)
        options = ["explain", "theory.pl", atom, "--evidence", "known.db"]
        assert run(*options) == (f"{answer}\n", "")
        assert run(*options, "--json") == (dumped(answer.as_json), "")
    report = reasoner.check("odd.db")
    options = ["check", "theory.pl", "--data", "odd.db"]
    with pytest.warns(DataWarning, match="there are no facts of"):
        printed = run(*options), run(*options, "--json")
    assert printed == ((f"{report}\n", ""), (dumped(report.as_json), ""))
    difference = reasoner.what_if("known.db", add="bat(Tweety)")
    options = ["what-if", "theory.pl", "--evidence", "known.db", "--add", "bat(Tweety)"]
    assert run(*options) == (f"{difference}\n", "")
    assert run(*options, "--json") == (dumped(difference.as_json), "")


def dumped(data: object) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def test_answers_say_what_they_are_in_one_line() -> None:
    facts = ["bird(Bruce)", "bat(Bruce)", "flies(Tweety)"]
    prediction = REASONER.predict(facts)
    explainer = REASONER.explainer(prediction)
    why = explainer.why("bird(Tweety)")
    assert why is not None and why.proof is not None
    said = {
        repr(prediction): "<Prediction: local, 3 facts given, 4 added, the evidence contradicts the hard rules>",
        repr(prediction.added[0]): "<Conclusion flies(Bruce), certainty 1>",
        repr(next(iter(prediction))): "<Conclusion bat(Bruce), given>",
        repr(REASONER.conflicts(facts)[0]): "<Core: bat(Bruce), bird(Bruce)>",
        repr(why): "<Why: bird(Tweety), certainty 0.8>",
        repr(why.proof): "<Proof of bird(Tweety): 1 steps, weight 0.8>",
        repr(explainer.why_not("bat(Tweety)")): "<WhyNot: bat(Tweety), no rule concludes it>",
        repr(REASONER.check(facts)): "<Check: 3 facts, 4 rules, 2 hard and 2 soft ones violated>",
        repr(REASONER.what_if(facts)): "<Difference: 0 appear, 0 vanish, 0 move>",
        repr(explainer): f"<Explainer of {prediction!r}>",
    }
    for found, expected in said.items():
        assert found == expected
    conflict = prediction.conflicts[0]
    assert repr(conflict) == "<Conflict at 1: bird(Bruce), bat(Bruce), against the rule  :- bird(X), bat(X).>"
    assert str(prediction.added).splitlines()[-1] == "0.8   nests(Tweety)"


def test_words_belong_to_the_answer(folder: Path) -> None:
    words = Words({"bird": "{0} has feathers"})
    reasoner = Reasoner(folder / "theory.pl")
    answer = reasoner.explainer(reasoner.predict(["flies(Tweety)"]), words).explain("bird(Tweety)")
    assert str(answer).startswith("Tweety has feathers: ")
    assert answer.as_json["sentence"] == "Tweety has feathers"
    assert "Tweety has feathers" in str(reasoner.what_if([], add="flies(Tweety)", words=words))
    assert "Tweety has feathers" in str(check(reasoner.theory, ["bird(Tweety)"], words=words))
    assert tell(answer).startswith("Tweety is a bird: ")


def test_an_explainer_lays_no_rules_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    reasoner = Reasoner(parse_theory(THEORY))
    explainer = reasoner.explainer(reasoner.predict(KNOWN.split(), Global(repair=True)))
    questions = ["bird(Bruce)", "nests(Tweety)", "bat(Carl)", "flies(Bruce)"]
    first = [explainer.explain(atom) for atom in questions]

    def no_more(*_: object) -> None:
        raise AssertionError("rules are laid out again")

    monkeypatch.setattr("possilog.inference.horn.Program", no_more)
    monkeypatch.setattr("possilog.chaining.bodies.Program", no_more)
    again = reasoner.explainer(reasoner.predict(KNOWN.split(), Global(repair=True)))
    assert [again.explain(atom) for atom in questions] == first


def test_a_misspelt_predicate_is_remarked(run: Command) -> None:
    reasoner = Reasoner("theory.pl")
    Path("slip.db").write_text("flies(Tweety)\nbrid(Carl)\ncat(Minka)\n")
    remark = "no rule speaks of a predicate of .*: brid/1; did you mean bird/1?"
    with pytest.warns(DataWarning, match=remark):
        reasoner.predict("slip.db")
    with pytest.warns(DataWarning, match="fleis/1; did you mean flies/1?"):
        reasoner.predict(["fleis(Tweety)"])
    with pytest.warns(DataWarning, match=r"predicate of slip\.db: brid/1; did you mean bird/1\?$"):
        run("predict", "theory.pl", "--evidence", "slip.db")
    # Facts that nobody wrote by hand, and what is far from any predicate, are left alone.
    reasoner.predict(Database.of([parse_atom("brid(carl)")]))
    reasoner.predict(["flies(Tweety)", "level_400(x)", "cat(Minka)"])


def test_a_remark_about_many_predicates_is_short() -> None:
    names = [f"predicate_{letter}{other}" for letter in "abcdefghi" for other in "klmnopqrst"]
    theory = "".join(f"0.9 :: q(X) :- {name}x(X). " for name in names)
    with pytest.warns(DataWarning, match="and 87 more") as caught:
        Reasoner(parse_theory(theory)).predict([f"{name}(a)" for name in names])
    assert len(caught) == 1 and len(str(caught[0].message)) < 300


def test_predictions_of_the_same_are_equal() -> None:
    """What finds contradictions later has no part in it."""
    again = REASONER.predict(["flies(Tweety)"])
    assert again == PREDICTION and again.cores is not PREDICTION.cores
    assert REASONER.predict(["flies(Rex)"]) != PREDICTION


def test_repairing_is_a_truth_value() -> None:
    """A word of the command line, such as "report", would be true."""
    for kind in (Global, Local):
        with pytest.raises(QueryError, match="repair is 'report'; give bool"):
            kind("report")  # type: ignore[arg-type]
    with pytest.raises(QueryError, match="negatives is 1; give bool"):
        Global(negatives=1)  # type: ignore[arg-type]
