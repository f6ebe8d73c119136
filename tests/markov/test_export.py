"""Theories for ProbLog and PSL, run by the real packages."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import permutations, product
from pathlib import Path

import pytest

from budget import budget
from command import run
from possilog.data import Database, Evidence
from possilog.errors import QueryError, TheoryError
from possilog.logic import (
    Atom,
    Clause,
    Constant,
    Literal,
    Predicate,
    Rule,
    Theory,
    Variable,
    Weight,
    parse_atom,
    parse_theory,
)
from possilog.logic.spelling import TYPE_MARK, typed
from possilog.markov import parse_mln
from possilog.markov.asp import export_asp
from possilog.markov.export import export_problog, export_psl
from possilog.markov.from_theory import export_mln
from possilog.markov.prolog import export_prolog


def require(package: str, java: bool = False) -> None:
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"{package} is not installed; it is among the dev requirements")
    if java and not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("PSL runs on Java, and there is none on this machine")


def problog(text: str, folder: Path) -> dict[str, float]:
    (folder / "theory.pl").write_text(text)
    command = [sys.executable, "-W", "ignore", "-m", "problog", str(folder / "theory.pl")]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    lines = [line.rsplit(":", 1) for line in finished.stdout.splitlines() if ":" in line]
    return {name.strip().replace("'", "").replace(" ", ""): float(value) for name, value in lines}


def psl(text: str, folder: Path) -> dict[tuple[str, ...], float]:
    (folder / "theory.json").write_text(text)
    command = [sys.executable, "-W", "ignore", "-m", "pslpython.runtime", str(folder / "theory.json")]
    quick = os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}  # optimising takes longer
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=quick)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    output = json.loads(finished.stdout[finished.stdout.index("\n{") :])
    return {(atom["predicate"], *atom["arguments"]): float(atom["value"]) for atom in output["atoms"]}


def evidence(*texts: str) -> Evidence:
    return Evidence.of(Literal(parse_atom(one.removeprefix("!")), not one.startswith("!")) for one in texts)


# What ProbLog's answers have to be: every instance of a rule fires or not, by itself


Instance = tuple[Atom, tuple[Atom, ...], float]


def instances(theory: Theory, facts: Database, closure: set[Atom]) -> list[Instance]:
    """The instances of definite rules whose bodies can be true; distinct variables, distinct constants."""
    names = sorted(facts.constants)
    found = []
    for rule in theory:
        variables = rule.clause.variables
        for chosen in permutations(names, len(variables)):
            bindings: dict[Variable, Constant] = dict(zip(variables, map(Constant, chosen), strict=True))
            ground = rule.clause.substitute(bindings)
            if all(atom in closure for atom in ground.body):
                found.append((ground.head[0], ground.body, float(rule.weight)))
    return found


def close(facts: set[Atom], fired: list[Instance]) -> set[Atom]:
    closure = set(facts)
    while new := {head for head, body, _ in fired if head not in closure and closure.issuperset(body)}:
        closure |= new
    return closure


def every(theory: Theory, facts: Database) -> list[Instance]:
    """All instances that can ever fire."""
    reached: set[Atom] = set(facts)
    while (further := close(reached, instances(theory, facts, reached))) != reached:
        reached = further
    return instances(theory, facts, reached)


def chances(theory: Theory, facts: Database) -> dict[Atom, float]:
    listed = every(theory, facts)
    certain = [one for one in listed if one[2] == 1]
    soft = [one for one in listed if one[2] < 1]
    result: dict[Atom, float] = {}
    for choice in product((True, False), repeat=len(soft)):
        chance = 1.0
        for fires, one in zip(choice, soft, strict=True):
            chance *= one[2] if fires else 1 - one[2]
        fired = certain + [one for fires, one in zip(choice, soft, strict=True) if fires]
        for atom in close({*facts}, fired):
            result[atom] = result.get(atom, 0.0) + chance
    return result


def test_problog_gives_what_the_rules_mean(tmp_path: Path) -> None:
    require("problog")
    rng = random.Random(0)
    rules = [
        "{} :: P(X) :- r(X, Y), Q(Y).",
        "{} :: Q(Y) :- r(X, Y), P(X).",
        "{} :: r(Y, X) :- r(X, Y).",
        "{} :: P(X) :- Q(X).",
    ]
    checked = 0
    while checked < 6:
        chosen = [rule.format(rng.choice(["0.3", "0.9", "1"])) for rule in rng.sample(rules, 2)]
        theory = parse_theory("\n".join(one.removeprefix("1 :: ") for one in chosen))
        pairs = [f"r({one}, {other})" for one in "abc" for other in "abc"]
        facts = Database.of(map(parse_atom, [*rng.sample(pairs, 3), rng.choice(["P(a)", "Q(b)"])]))
        if len([one for one in every(theory, facts) if one[2] < 1]) > 9:
            continue
        checked += 1
        found = problog(export_problog(theory, Evidence(facts)), tmp_path)
        heads = {rule.clause.head[0].predicate for rule in theory}
        expected = {atom: chance for atom, chance in chances(theory, facts).items() if atom.predicate in heads}
        for atom, chance in expected.items():
            assert found.pop(str(atom).replace(" ", "")) == pytest.approx(chance, abs=1e-6), (theory, facts, atom)
        assert all(value == 0 for value in found.values())


TEXT = """
advised(S) :- advisedBy(S, P).
:- "Student of"(X), professor(X).
0.8 :: advisedBy(S, P) :- publication(T, S), publication(T, P), professor(P).
0.5 :: :- advisedBy(X, Y), advisedBy(Y, X).
0.4 :: "Student of"(X) ; professor(X) :- advised(X).
0.3 :: knows(X, Y).
0.1 :: false.
"""


def test_problog_carries_constraints_and_says_what_it_does_not(tmp_path: Path) -> None:
    text = export_problog(
        parse_theory(TEXT), evidence("publication(t, ann)", "publication(t, Bob)", "professor(Bob)", "!knows(ann, Bob)")
    )
    assert (
        '% not carried, as ProbLog derives single atoms: 0.4 :: "Student of"(X) ; professor(X) :- advised(X).' in text
    )
    assert "% ⊥ has weight 0.1; that is not carried." in text
    assert "S \\= P" in text and "evidence(\\+ broken_1)." in text and "thing('Bob')." in text
    require("problog")
    found = problog(text, tmp_path)
    assert found["advisedBy(ann,Bob)"] == pytest.approx(0.8) == found["advised(ann)"]
    assert "advisedBy(Bob,Bob)" not in found  # distinct variables stand for distinct constants
    assert found["knows(Bob,ann)"] == pytest.approx(0.3) and "knows(ann,Bob)" not in found


@pytest.mark.slow
def test_psl_carries_disjunctions_too(tmp_path: Path) -> None:
    given = evidence("publication(t, ann)", "publication(t, Bob)", "professor(Bob)", "!knows(ann, Bob)")
    text = export_psl(parse_theory(TEXT), given)
    assert "1.609437912: publication(T, S) & publication(T, P) & professor(P)" in text and "(S != P)" in text
    assert "// Student_of stands for Student of/1" in text and "// ⊥ has weight 0.1; that is not carried." in text
    assert "Student_of(X) -> !professor(X) ." in text and "-> Student_of(X) | professor(X) ^2" in text
    require("pslpython", java=True)
    found = psl(text, tmp_path)
    assert found["ADVISEDBY", "ann", "Bob"] > 0.9 and found["ADVISED", "ann"] > 0.9
    assert ("ADVISEDBY", "Bob", "Bob") not in found or found["ADVISEDBY", "Bob", "Bob"] < 0.1
    assert found["ADVISEDBY", "Bob", "ann"] < 0.1


CLASHING = """
0.9 :: thing(X) :- length(X, Y).
0.5 :: query(X, Y) :- thing(X).
0.6 :: "is"(X, mod) :- query(X, Y).
:- evidence(X, Y), "not"(X).
0.2 :: broken_2 :- wet.
"""


def test_predicates_that_are_words_of_problog(tmp_path: Path) -> None:
    text = export_problog(parse_theory(CLASHING), evidence("length(is, a)", "wet", "!seen(a)"))
    assert "% length_ stands for length/2" in text and "thing_(Y)" in text
    require("problog")
    found = problog(text, tmp_path)
    assert found["thing(is)"] == pytest.approx(0.9) and found["broken_2"] == pytest.approx(0.2)
    assert found["query_(is,a)"] == pytest.approx(0.45) == found["query_(is,mod)"]


@pytest.mark.slow
def test_psl_has_rules_without_variables(tmp_path: Path) -> None:
    theory = parse_theory("0.9 :: p(a) :- q(b).\n:- p(b).\n0.8 :: rain :- wet.\n0.7 :: thing(X) :- q(Y).")
    text = export_psl(theory, evidence("q(b)", "wet"))
    assert "// rain has the argument -, as PSL wants one" in text and "Thing_(X)" in text
    require("pslpython", java=True)
    found = psl(text, tmp_path)
    assert found["P", "a"] > 0.9 and found["RAIN", "-"] > 0.9 and found["THING", "a"] > 0.9 and found["P", "b"] < 0.1


def test_names_that_only_case_tells_apart() -> None:
    text = export_psl(parse_theory("0.5 :: P(X) :- p(X).\n0.6 :: p(X) :- 7(X)."), evidence("P(a)"))
    config = json.loads("\n".join(line for line in text.splitlines() if not line.startswith("//")))
    assert len({name.upper() for name in config["predicates"]}) == 3 and "P7" in config["predicates"]


CYCLES = [
    "{} :: p(X) :- q(X).",
    "{} :: q(X) :- p(X).",
    "{} :: q(Y) :- r(X, Y), p(X).",
    "{} :: p(X) :- r(X, Y), q(Y).",
    "{} :: p(X).",
    "{} :: :- p(X), q(X).",
    "{} :: r(X, Z) :- r(X, Y), r(Y, Z).",
]


def test_problog_runs_on_cycles_with_observed_atoms() -> None:
    require("problog")
    from problog import get_evaluatable
    from problog.program import PrologString

    texts = "0.3 :: q(X) :- p(X).\np(X) :- q(X).\np(X).\n0.3 :: q(Y) :- r(X, Y), p(X)."
    cases = [(parse_theory(texts), ["!q(a)", "r(c, a)"])]
    rng = random.Random(0)
    for _ in range(budget(12)):
        rules = (rule.format(rng.choice(["0.3", "1"])).removeprefix("1 :: ") for rule in rng.sample(CYCLES, 4))
        atoms = ["r(a, b)", "r(b, c)", "r(c, a)", "p(a)", "p(b)", "q(b)", "q(c)"]
        some = [rng.choice(["", "", "!"]) + one for one in rng.sample(atoms, 4)]
        cases.append((parse_theory("\n".join(rules)), some))
    ran = 0
    for theory, given in cases:
        try:
            program = export_problog(theory, given)
        except QueryError as error:
            assert "ProbLog would have nothing to answer" in str(error)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = get_evaluatable().create_from(PrologString(program)).evaluate()
        for text in given:
            if text.startswith("!"):
                assert all(chance < 1e-9 for atom, chance in found.items() if str(atom) == text[1:].replace(" ", ""))
        ran += 1
    assert ran > len(cases) / 3


def test_what_problog_could_not_answer_is_not_written() -> None:
    theory = parse_theory("q(X) :- p(X).\n:- q(X), s(X).")
    with pytest.raises(QueryError, match=r"denies q\(a\), and hard rules derive it, so ProbLog would have nothing"):
        export_problog(theory, ["p(a)", "!q(a)"])
    with pytest.raises(QueryError, match=r"the evidence breaks the hard rule :- q\(X\), s\(X\)"):
        export_problog(theory, ["p(a)", "s(a)"])
    assert "q(X) :- p(X)." in export_problog(theory, ["p(a)", "s(b)"])


def test_what_psl_could_not_answer_is_not_written(tmp_path: Path) -> None:
    theory = parse_theory("0.9 :: t(X, Y, Z) :- r(X, Y), r(Y, Z).")
    with pytest.raises(QueryError, match="asked about 132,651 atoms, those of t/3 among them, and manages"):
        export_psl(theory, [f"r(c{number}, c{number + 1})" for number in range(50)])
    require("pslpython", java=True)
    found = psl(export_psl(theory, [f"r(c{number}, c{number + 1})" for number in range(8)]), tmp_path)
    assert found["T", "c0", "c1", "c2"] > 0.9 and len([atom for atom in found if atom[0] == "T"]) >= 9**3


def test_exports_take_theories() -> None:
    for export in (export_problog, export_psl):
        with pytest.raises(TheoryError, match="was given instead of a Theory"):
            export("p(X).")  # type: ignore[arg-type]


def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "t.pl").write_text("0.9 :: Smokes(Y) :- Friends(X, Y), Smokes(X).")
    (tmp_path / "e.db").write_text("friends(Anna, Bob)\nSmokes(Anna)\n")
    for system, needle in (("problog", "0.9::'Smokes'(Y)"), ("psl", "2.302585093: ")):
        finished = run("export", "t.pl", "--to", system, "-o", "out", "--evidence", "e.db", cwd=tmp_path)
        assert finished.returncode == 0, finished.stderr
        assert needle in (tmp_path / "out").read_text()


@pytest.mark.parametrize("export", [export_problog, export_prolog, export_asp, export_psl])
def test_constants_of_tables_are_spelled_plainly(export: Callable[[Theory, Evidence], str]) -> None:
    month, gate, glass = typed("m3", "month"), typed("m3", "gate"), typed("glass", "kind")
    known = Evidence.of([Predicate("month", 2)(Constant("f"), Constant(month)), Predicate("gate", 1)(Constant(gate))])
    rule = Clause((Predicate("late", 1)(Variable("F")),), (Predicate("kind", 2)(Variable("F"), Constant(glass)),))
    program = export(Theory((Rule(rule, Weight.parse("0.9")),)), known)
    assert "glass" in program and "m3_month" in program and "m3_gate" in program
    assert "glass_kind" not in program
    assert TYPE_MARK not in program and "ufdd0" not in program


def test_a_network_has_the_constants_of_tables_spelled_plainly() -> None:
    """Where two are spelled alike, with their types; no evidence is written with a network."""
    x = Variable("X")
    month, gate = (Predicate(name, 2)(x, Constant(typed("M3", name))) for name in ("month", "gate"))
    text = export_mln(Theory((Rule(Clause((Predicate("late", 1)(x),), (month, gate)), Weight.parse("0.9")),)))
    assert "M3_month" in text and "M3_gate" in text and TYPE_MARK not in text
    assert parse_mln(text).formulas


def test_answer_sets_take_things_from_every_place() -> None:
    program = export_asp(parse_theory("0.9 :: p(X, Y) :- q(X)."), evidence("r(a, b, c)"))
    places = [
        re.findall(r"[X_]", line.partition(":-")[2]) for line in program.splitlines() if re.match(r"\w+\(X\) :-", line)
    ]
    assert sorted(map("".join, places)) == sorted(["X_", "_X", "X", "X__", "_X_", "__X"])


def test_psl_says_which_predicates_have_a_made_up_argument() -> None:
    text = export_psl(parse_theory("0.5 :: wet :- rain. 0.6 :: p(X) :- q(X)."), evidence("rain", "q(a)"))
    told = [line for line in text.splitlines() if "as PSL wants one" in line]
    assert len(told) == 2 and "rain has the argument" in told[0] and "wet has the argument" in told[1]


@pytest.mark.parametrize(
    ("rules", "known", "said"),
    [(":- p(X).", ["q(a)"], True), (":- p(X).", [], False), ("0.9 :: p(X) :- q(X).", ["q(a)"], False)],
)
def test_that_evidence_may_contradict_hard_rules_is_said_where_there_are_both(
    rules: str, known: list[str], said: bool
) -> None:
    assert ("contradicts the hard rules" in export_asp(parse_theory(rules), evidence(*known))) == said
