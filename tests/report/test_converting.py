"""Theories in other languages: they run there and say the same, read back where we read them, and say what is lost."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from time import process_time

import clingo
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from command import run
from possilog import Database, PossilogError, Reasoner, Rule, Theory, convert, parse_theory
from possilog.choices import TheoryFormat
from possilog.inference import Global
from possilog.logic import Atom, Clause, Weight, isomorphic, parse_poss
from possilog.logic.rule_files import parse_amie, parse_anyburl
from possilog.logic.spelling import TYPE_MARK
from possilog.markov import parse_mln
from strategies import databases, small_clauses, theories

HOSTILE = """
#type "a <b>"(person). #type "it's"(person, "no\\nhouse").
0.9 :: "a <b>"(X) :- "it's"(X, Y), not_quite(X, "E \\"f\\"").
:- "a <b>"(X), "it's"(X, Y).
1-1e-9 :: Big(X) :- "a <b>"(X), is(X).
0.3 :: false.
"""


MEASURED = """0.9 :: r(X, Y) :- s(Y, X).
#measured true 7, false 1, nontrivial 1, right 5, said 5, of 6 :: r(X, Y) :- s(Y, X)."""

SILENT = (TheoryFormat.LATEX, TheoryFormat.ANYBURL, TheoryFormat.AMIE)
"""They do not write hard rules."""


def solved(program: str) -> set[str]:
    """What clingo shows of the best answer set."""
    messages: list[str] = []
    control = clingo.Control(["--opt-mode=opt", "0"], logger=lambda _, message: messages.append(message))
    control.add("base", [], program)
    control.ground([("base", [])])
    best: set[str] = set()
    control.solve(on_model=lambda model: best.__init__(map(str, model.symbols(shown=True))))  # type: ignore[misc]
    assert not messages
    return best


def shown(atoms: object) -> set[str]:
    return {str(atom).replace(", ", ",") for atom in atoms}  # type: ignore[attr-defined]


def rules(max_size: int, *, constraints: bool) -> st.SearchStrategy[list[Clause]]:
    fitting = small_clauses(constants=False).filter(
        lambda one: one.is_horn and bool(one.body) and (constraints or one.is_definite)
    )
    return st.lists(fitting, max_size=max_size)


@settings(max_examples=budget(40), deadline=None)
@given(rules(4, constraints=False), databases())
def test_clingo_closes_definite_rules_as_we_do(clauses: list[Clause], facts: Database) -> None:
    theory = Theory(tuple(Rule(clause, Weight.of(f"0.{9 - place}")) for place, clause in enumerate(clauses)))
    prediction = Reasoner(theory).predict(facts, Global())
    assert solved(convert(theory, "asp", facts).text) == shown(one.atom for one in prediction)


@settings(max_examples=budget(40), deadline=None)
@given(rules(4, constraints=True), st.lists(st.integers(5, 10), min_size=4, max_size=4), databases())
def test_clingos_best_answer_is_the_global_cut(clauses: list[Clause], tenths: list[int], facts: Database) -> None:
    weighted = zip(clauses, tenths, strict=False)
    theory = Theory(tuple(Rule(clause, Weight.of(tenth / 10)) for clause, tenth in weighted))
    prediction = Reasoner(theory).predict(facts, Global())
    if prediction.consistent:
        assert solved(convert(theory, "asp", facts).text) == shown(one.atom for one in prediction)
    else:
        assert not solved(convert(theory, "asp", facts).text)


@pytest.mark.parametrize("target", TheoryFormat)
def test_names_of_any_kind_are_written(target: TheoryFormat) -> None:
    converted = convert(parse_theory(HOSTILE), target)
    assert converted.text.endswith("\n") or target is TheoryFormat.ANYBURL
    if target is TheoryFormat.ASP:
        solved(converted.text)
    if target is TheoryFormat.JSON:
        assert json.loads(converted.text)["possilog"] == "theory"
    if target in (TheoryFormat.ASP, TheoryFormat.PROLOG, TheoryFormat.PROBLOG, TheoryFormat.MLN, TheoryFormat.LATEX):
        first = converted.text.partition("\n")[0]
        assert converted.remarks and first.endswith(converted.remarks[0])


@settings(max_examples=budget(100), deadline=None)
@given(theories())
def test_what_can_be_read_back_is_the_same(theory: Theory) -> None:
    if theory.unplaced:
        return
    said = Theory(tuple(rule for rule in theory if not rule.clause.is_empty), theory.falsity)
    plain = Theory(tuple(Rule(rule.clause, rule.weight) for rule in said), theory.falsity)
    assert parse_poss(convert(said, "poss").text) == plain
    assert parse_theory(convert(theory, "theory").text) == theory
    assert parse_theory(json.loads(convert(theory, "json").text)["text"]) == theory


def test_a_network_reads_back_with_its_guards() -> None:
    theory = parse_theory("smokes(Y) :- smokes(Y), friends(Y, X). 0.9 :: friends(V, W) :- friends(W, V).")
    network = parse_mln(convert(theory, "mln").text)
    assert [str(formula) for formula in network.formulas] == [
        "smokes(y) v !smokes(y) v !friends(y, x) v y = x.",
        "2.302585092994046 friends(x0, x1) v !friends(x1, x0) v x0 = x1",
    ]


def test_types_become_those_of_a_network() -> None:
    theory = parse_theory("#type wrote(person, paper). #type old(person). 0.5 :: old(X) :- wrote(X, P).")
    text = convert(theory, "mln").text
    assert "not listed: variables have the types instead" in text and "Types are written as" not in text
    network = parse_mln(text)
    assert [str(one) for one in network.declarations] == ["old(person)", "wrote(person, paper)"]
    assert len(network.formulas) == 1 and "=" not in str(network.formulas[0])


@pytest.mark.skipif(shutil.which("swipl") is None, reason="SWI-Prolog is not installed")
@pytest.mark.parametrize("facts", [["married(ann, bob)", "parent(bob, \"Old 'Carl'\")", "is(bob)"]])
def test_prolog_derives_the_closure(facts: list[str], tmp_path: Path) -> None:
    theory = parse_theory(
        """0.9 :: married(X, Y) :- married(Y, X). 0.8 :: parent(X, Z) :- married(X, Y), parent(Y, Z).
        :- is(X), parent(X, Y). known(X) :- parent(Y, X)."""
    )
    path = tmp_path / "theory.pl"
    path.write_text(convert(theory, "prolog", facts).text, encoding="utf-8")
    goal = (
        "forall(member(P, [married(_, _), parent(_, _), known(_)]), forall(P, (writeq(P), nl))), forall(broken(_), "
        "(write(broken), nl)), halt"
    )
    done = subprocess.run(["swipl", "-q", "-g", goal, path], capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr
    carl = "'Old \\'Carl\\''"
    expected = ["broken", f"known({carl})", "married(ann,bob)", "married(bob,ann)", f"parent(ann,{carl})"]
    assert sorted(done.stdout.split("\n")) == ["", *expected, f"parent(bob,{carl})"]


def test_lines_of_rules_say_what_becomes_of_facts() -> None:
    theory = parse_theory("p(X, Y) :- q(X, Y).")
    assert any("not written" in remark for remark in convert(theory, "anyburl", ["q(a, b)"]).remarks)
    assert any("head coverage is 0" in remark for remark in convert(theory, "amie").remarks)


def test_what_has_no_place_is_refused() -> None:
    theory = parse_theory("p(X) :- q(X).")
    with pytest.raises(PossilogError, match="no place for evidence"):
        convert(theory, "poss", ["q(a)"])
    with pytest.raises(PossilogError, match="choose one of these"):
        convert(theory, "cobol")
    with pytest.raises(PossilogError, match="no weight yet"):
        convert(parse_theory("? :: p(X) :- q(X)."), "asp")


def test_the_command_says_what_is_not_carried(tmp_path: Path) -> None:
    source, target = tmp_path / "t.pl", tmp_path / "t.out"
    source.write_text(f"#ban p(X) :- r(X). {MEASURED}", encoding="utf-8")
    for form in TheoryFormat:
        done = run("convert", str(source), "--to", form, "-o", str(target), "--force")
        assert done.returncode == 0, done.stderr
        assert bool(done.stderr) == (form not in (TheoryFormat.THEORY, TheoryFormat.JSON)), form
        again = run("export", str(source), "--to", form, "-o", str(target))
        assert again.returncode == 0, again.stderr
    target.write_text("Ask Ann.\n", encoding="utf-8")
    for form in TheoryFormat:
        assert run("convert", str(source), "--to", form, "-o", str(target)).returncode == 2
    assert target.read_text("utf-8") == "Ask Ann.\n"


def test_long_and_many_remarks_are_cut(tmp_path: Path) -> None:
    several = " ; ".join(f"p{number}(X)" for number in range(3_000))
    (tmp_path / "t.pl").write_text(f"0.9 :: {several} :- q(X).")
    (tmp_path / "many.pl").write_text("".join(f"0.9 :: p{n}(X) ; r{n}(X) :- q(X).\n" for n in range(30)))
    done = run("convert", "t.pl", "--to", "prolog", "-o", "t.out", cwd=tmp_path)
    assert done.returncode == 0 and "not carried" in done.stderr
    assert max(map(len, done.stderr.splitlines())) < 1_200 and " left out" in done.stderr
    done = run("convert", "many.pl", "--to", "prolog", "-o", "many.out", cwd=tmp_path)
    assert done.stderr.count("note: ") == 21 and done.stderr.endswith(" more, left out\n")
    assert (tmp_path / "many.out").read_text().count("not carried") >= 30


@pytest.mark.parametrize("target", ["psl", "prolog", "problog", "mln"])
def test_thousands_of_predicates_take_no_time_by_their_square(target: str) -> None:
    kinds = ("0.9 :: p{0}(X) :- q{0}(X).", "0 :: p{0}(X) :- r{0}(X).", "0.9 :: :- q{0}(X), r{0}(X).")
    theory = parse_theory("".join(kinds[number % 3].format(number) for number in range(3_000)))
    before = process_time()
    text = convert(theory, TheoryFormat(target)).text
    assert process_time() - before < 4 and "2999" in text


def test_lines_of_rules_read_back() -> None:
    theory = parse_theory(f"{MEASURED} 0.8 :: p(X) :- s(X, Y). :- p(X), s(X, Y).")
    for form, parse in (("anyburl", parse_anyburl), ("amie", parse_amie)):
        converted = convert(theory, form)
        (rule,) = parse(converted.text).judged
        assert isomorphic(rule.clause, theory.ranked[0].clause) and (rule.true, rule.false) == (7, 1)
        assert "p(X) :- s(X, Y)." in converted.remarks[-1]


def test_comparisons_become_predicates() -> None:
    theory = parse_theory("0.9 :: late(F) :- delay(F, D), D >= 15.")
    facts = ["delay(a, 20)", "delay(b, 5)"]
    assert "late(a)" in solved(convert(theory, "asp", facts).text) and "at_least_15" in convert(theory, "mln").text
    assert "late(b)" not in solved(convert(theory, "asp", facts).text)
    assert parse_poss(convert(theory, "poss").text)


def test_an_atom_of_each_kind() -> None:
    theory = Theory((Rule(Clause((Atom.ground("rain"),))), Rule(Clause((), (Atom.ground("sun"),)))))
    for form in TheoryFormat:
        assert "rain" in convert(theory, form).text or form in SILENT


EVERYTHING = """#format 3.
#table people key id. #column value city(people, city). #column number age(people, age).
0.98 :: city(A, "Old Town") :- age(A, B), B >= 65.
#lock 0.97 :: city(A, "Old Town") :- city(A, "Harbour").
#demoted :- city(A, "Old Town"), age(A, 3).
#shares 0.5. #seen 0.5. #added 1.
#measured true 9, false 1, nontrivial 0, right 3, said 3, of 3 :: city(A, "Old Town") :- city(A, "Harbour").
#rank true 5, false 1, nontrivial 0 :: city(A, B) :- city(C, B), age(C, D), age(A, D).
"""


@pytest.mark.parametrize("target", sorted({*TheoryFormat} - {"theory", "json", "anyburl", "amie"}))
def test_what_only_our_language_has_is_said_to_be_left_out(target: str) -> None:
    said = " ".join(convert(parse_theory(EVERYTHING), target).remarks)
    wanted = ["measured", "#rank", "#table", "locked", *(["Comparisons"] if target != "latex" else [])]
    assert [word for word in wanted if word not in said] == []


@pytest.mark.parametrize("target", ["anyburl", "amie"])
def test_lines_of_rules_spell_the_constants_of_tables_as_people_do(target: str) -> None:
    text = convert(parse_theory(EVERYTHING), target).text
    assert "Old Town" in text and TYPE_MARK not in text
    read = (parse_anyburl if target == "anyburl" else parse_amie)(text)
    assert convert(read, target).text == text


def test_latex_has_comparisons_and_no_demoted_constraints() -> None:
    text = convert(parse_theory(EVERYTHING), "latex").text
    assert r"B \geq 65" in text and "0 hard constraints and 1 that may hold by chance" in text
    assert text.count("lambda") == 3


def test_json_has_which_rules_without_a_weight_are_locked() -> None:
    theory = parse_theory("? :: q(X) :- p(X). #lock ? :: r(X) :- p(X). #lock 0.9 :: s(X) :- p(X).")
    found = json.loads(convert(theory, "json").text)["unplaced"]
    assert {one["rule"]: one["lock"] for one in found} == {"q(X) :- p(X).": False, "r(X) :- p(X).": True}
