"""Alchemy's language: what is read, what it means, and what is said where it cannot be read."""

from __future__ import annotations

import math
import random
from itertools import product
from pathlib import Path

import pytest

from budget import budget
from markov.random_networks import all_atoms, random_case, satisfied
from possilog.data import Evidence, read_evidence
from possilog.errors import DataError, DataWarning, FileError, LanguageError, QueryError, TheoryError
from possilog.logic import Atom, Constant, Predicate, Term, Variable, parse_atom, parse_clause
from possilog.markov import (
    Domain,
    Formula,
    Network,
    learn_weights,
    map_state,
    parse_mln,
    read_mln,
    weighted_clauses,
    write_mln,
)
from possilog.markov.network import And, Equal, Exists, Forall, Iff, Implies, Not, Or, Sentence
from shared import shared_data

DECLARED = """
// types and predicates
person = {Anna, Bob}
time = {1, ..., 4}   /* a range
                        of integers */
Smokes(person)
Friends(person, person)
At(person, time)
Rain
"""


def clauses_of(formula: str, declared: str = DECLARED) -> list[str]:
    network = parse_mln(f"{declared}\n{formula}\n")
    return [str(clause) for clause in weighted_clauses(network, Domain.of(network))]


# What is read


def test_a_whole_file() -> None:
    network = parse_mln(
        DECLARED
        + """
        Position(person, post!)
        -1.5e-1 Smokes(x) ^ Friends(x, y) =>
            Smokes(y)
        Friends(x, y) <=> Friends(y, x).
        Smokes("Old Carl") v At(x, 3)
        0 Rain
        """
    )
    assert network.constants == {"person": ("Anna", "Bob", "Old Carl"), "time": ("1", "2", "3", "4")}
    assert network.types == ("person", "time", "post")
    assert [str(d) for d in network.declarations[3:]] == ["Rain", "Position(person, post!)"]
    assert [formula.weight for formula in network.formulas] == [-0.15, math.inf, None, 0]
    assert network.formulas[1].is_hard
    assert network.formulas[0].sentence == Implies(
        And((atom("Smokes", "X"), atom("Friends", "X", "Y"))), atom("Smokes", "Y")
    )


def atom(name: str, *variables: str) -> Atom:
    return Predicate(name, len(variables))(*map(Variable, variables))


@pytest.mark.parametrize(
    ("text", "grouped"),
    [
        ("!Rain ^ Rain v Rain => Rain <=> Rain", "((((!Rain) ^ Rain) v Rain) => Rain) <=> Rain"),
        ("Rain => Rain => Rain", "(Rain => Rain) => Rain"),
        ("EXIST x Smokes(x) v Rain", "EXIST x (Smokes(x) v Rain)"),
        ("Rain v EXIST x, y Friends(x, y) ^ Rain", "Rain v (EXIST x, y (Friends(x, y) ^ Rain))"),
        ("!(x = y) v Friends(x, y)", "x != y v Friends(x, y)"),
    ],
)
def test_operators_bind_as_in_alchemy(text: str, grouped: str) -> None:
    first, second = (parse_mln(f"{DECLARED}\n{one}").formulas[0] for one in (text, grouped))
    assert first == second


def test_a_quantifier_hides_a_variable_of_the_same_name() -> None:
    (formula,) = parse_mln(f"{DECLARED}\nSmokes(x) ^ (EXIST x Friends(x, x))").formulas
    inner = Exists((Variable("X_"),), atom("Friends", "X_", "X_"))
    assert formula.sentence == And((atom("Smokes", "X"), inner))


def test_random_networks_are_written_and_read_again() -> None:
    rng = random.Random(5)
    for _ in range(budget(300)):
        network = random_case(rng).network
        assert parse_mln(str(network)) == network


@pytest.mark.parametrize(
    "formula", ["x = y v !P(x) v !P(y).", "x != Anna v P(x)", "Anna = x v P(x).", "P(x) v x = y v P(y)"]
)
def test_a_formula_may_begin_with_an_equality(formula: str) -> None:
    network = parse_mln(f"P(a)\n{formula}")
    assert str(network.formulas[0]) == formula and parse_mln(str(network)) == network


def test_names_of_any_letters_are_written_and_read_again() -> None:
    network = parse_mln("Größe(maß)\n1 Größe(été) v Größe(Ärger)")
    assert network.constants == {"maß": ("Ärger",)} and parse_mln(str(network)) == network
    names = ("Ärger", "été", "A-", "A--b", "A-b", "O'Hara", "中", "two words", 'a "quote"', "7", "-3", "v", "_", "")
    listed = Network(network.declarations, (), {"maß": names})
    assert parse_mln(str(listed)) == listed


def test_a_network_made_of_clauses() -> None:
    declared = parse_mln(DECLARED)
    formula = Formula.of(parse_clause("Smokes(Y) :- Smokes(X), Friends(X, Y)."), 1.5)
    network = Network(declared.declarations, (formula,), declared.constants)
    assert str(network.formulas[0]) == "1.5 Smokes(y) v !Smokes(x) v !Friends(x, y)"
    assert network.weighed([2.0]).formulas[0].weight == 2.0
    assert parse_mln(str(network)) == network


def test_files(tmp_path: Path) -> None:
    network = parse_mln(DECLARED + "1.25 Smokes(x)\n")
    write_mln(network, tmp_path / "a.mln")
    assert read_mln(tmp_path / "a.mln") == network
    (tmp_path / "e.db").write_text("// known\nSmokes(Anna)\n!Smokes(Bob)\n")
    evidence = read_evidence(tmp_path / "e.db")
    assert list(evidence.facts) == [parse_atom("Smokes(Anna)")] and evidence.denied == (parse_atom("Smokes(Bob)"),)
    with pytest.raises(FileError, match="no such file"):
        read_mln(tmp_path / "b.mln")


def test_the_network_of_the_paper() -> None:
    network = read_mln(shared_data("uwcse/paper/alchemy.mln"))
    assert (len(network.declarations), len(network.formulas)) == (15, 24)
    assert parse_mln(str(network)) == network


# What is wrong, and where


@pytest.mark.parametrize(
    ("text", "line", "column", "expected"),
    [
        ("P(a)\n1 Q(x)", 2, 3, "declare Q with a line like Q"),
        ("P(a)\n1 P(x, y)", 2, 3, "1 argument, as P"),
        ("P(a)\n1 P()", 2, 3, "1 argument, as P"),
        ("P(a)\n1 P(x).", 2, 7, "not both"),
        ("P(a)\n1 P(x) v", 2, 9, "an atom"),
        ("P(a)\n1 (P(x) v P(y)", 2, 15, "'\\)' or an operator"),
        ("P(a)\nQ(b)\n1 P(x) v Q(x)", 3, 12, "stands for a a elsewhere"),
        ("P(a)\nQ(b)\n1 Q(x) v P(x)", 3, 12, "stands for a b elsewhere"),
        ("P(a)\n1 P(x) v x = y", 2, 10, "variables that an atom gives a type"),
        ("P(a)\nQ(b)\n1 P(x) v Q(y) v x = y", 3, 17, "of one type"),
        ("P(A)", 1, 3, "a type"),
        ("P(a)\n1 P(x) P(y)", 2, 8, "an operator"),
        ("P(a)\n1 P(f(x))", 2, 6, "functions"),
        ("person mother(person)", 1, 8, "functions are not supported"),
        ("P(a)\n1 EXIST x P(+x)", 2, 13, "no '\\+' before a quantified"),
        ("P(a)\n1 P(+A)", 2, 5, "a variable after"),
        ("P(a)\n1 EXIST y P(x)", 2, 15, "a quantified variable"),
        ('#include "a.mln"', 1, 1, "a text has no folder to look in"),
        ("P(a) /* open", 1, 6, "'\\*/'"),
        ("a = {A, ..., B}", 1, 14, "an integer before"),
        (f"a = {{1, ..., {'9' * 5_000}}}", 1, 14, "an integer before"),
        ("a = A", 1, 1, "constants of a type stand in {}"),
        ("a = ", 1, 5, "a variable or a constant"),
        ("count(takes(x, y) | x) = 6.", 1, 12, "functions are not supported"),
        ("P(a)\n1e400 P(x)", 2, 1, "a weight that is a finite number"),
        ("P(a)\n-1e308 P(x)", 2, 1, "a weight that is a finite number of at most 1e\\+15; a full stop"),
        ("P(a)\n1 " + " => ".join(["P(x)"] * 3000), 2, 411, "at most 50 of"),
        ("P(a)\n1 " + "!(" * 200 + "P(x)" + ")" * 200, 2, 53, "at most 50 brackets"),
        ("P(a)\n1 " + " ^ ".join(["*P(x)"] * 11), 2, 84, "at most 10 atoms"),
    ],
)
def test_errors_name_their_place(text: str, line: int, column: int, expected: str) -> None:
    with pytest.raises(LanguageError, match=expected) as caught:
        parse_mln(text, "a.mln")
    assert (caught.value.line, caught.value.column) == (line, column), caught.value


def test_any_text_is_read_or_refused() -> None:
    rng = random.Random(3)
    pieces = [
        "P",
        "(",
        ")",
        "x",
        "A",
        "v",
        "!",
        "^",
        "=>",
        "<=>",
        ".",
        "\n",
        "1.5",
        "EXIST",
        "=",
        "{",
        "}",
        ",",
        "+",
        "*",
    ]
    read = 0
    for _ in range(budget(3000)):
        text = "P(a)\n" + " ".join(rng.choices(pieces, k=rng.randint(1, 12)))
        try:
            network = parse_mln(text)
        except LanguageError:
            continue
        assert parse_mln(str(network)) == network
        read += 1
    assert read


def test_evidence_that_does_not_fit() -> None:
    network = parse_mln(DECLARED)
    with pytest.raises(DataError, match="true and that it is false"):
        map_state(network, Evidence.of(["Smokes(Anna)", "!Smokes(Anna)"]))
    with pytest.raises(DataError, match="true and that it is false"):
        learn_weights(network, [Evidence.of(["Smokes(Anna)", "!Smokes(Anna)"])])
    with pytest.raises(DataError, match="2 arguments in the evidence and 1 in the network"):
        Domain.of(network, Evidence.of([parse_atom("Smokes(Anna, Bob)")]))
    with pytest.warns(DataWarning, match="does not declare Eats/1"):
        domain = Domain.of(network, Evidence.of([parse_atom("Eats(Eve)"), parse_atom("Smokes(Dan)")]))
    assert domain.constants["person"] == ("Anna", "Bob", "Dan")


def test_a_formula_that_does_not_fit_its_declarations() -> None:
    network = parse_mln("P(a)\nQ(b)")
    with pytest.raises(TheoryError, match="X is a a and a b"):
        network.variable_types(Or((atom("P", "X"), atom("Q", "X"))))
    with pytest.raises(TheoryError, match="X is a b and a a"):
        network.variable_types(Or((atom("Q", "X"), atom("P", "X"))))
    with pytest.raises(TheoryError, match="does not declare R/1"):
        network.variable_types(atom("R", "X"))


# What it means


@pytest.mark.parametrize(
    ("formula", "clauses"),
    [
        ("1.5 Smokes(x) => Rain", ["1.5 Rain v !Smokes(x)"]),
        ("1 Smokes(x) <=> Rain", ["0.5 Rain v !Smokes(x)", "0.5 Smokes(x) v !Rain"]),
        ("2.5 Smokes(x) ^ Rain", ["-2.5 !Smokes(x) v !Rain"]),
        ("-2.5 Smokes(x) ^ !Rain", ["2.5 Rain v !Smokes(x)"]),
        ("3 Smokes(x) ^ Rain ^ (Smokes(y) v Rain)", ["1.5 Smokes(y) v Rain", "-1.5 !Smokes(x) v !Rain"]),
        ("2 Rain ^ (Smokes(x) v Friends(x, y))", ["1.0 Rain", "1.0 Smokes(x) v Friends(x, y)"]),
        ("Smokes(x) ^ Rain.", ["Smokes(x).", "Rain."]),
        ("1 EXIST y Friends(x, y)", ["1.0 Friends(x, Anna) v Friends(x, Bob)"]),
        ("1 !(FORALL y Friends(x, y))", ["1.0 !Friends(x, Anna) v !Friends(x, Bob)"]),
        ("1 Rain v (FORALL y Friends(x, y))", ["1.0 Rain v Friends(x, y)"]),
        ("2 EXIST x FORALL y Friends(x, y)", ["2.0 Friends(Anna, y) v Friends(Bob, y_)"]),
        ("1 Friends(x, +y)", ["1.0 Friends(x, Anna)", "1.0 Friends(x, Bob)"]),
        (
            "1 *Smokes(x) v *Rain",
            ["1.0 Smokes(x) v Rain", "1.0 Smokes(x) v !Rain", "1.0 Rain v !Smokes(x)", "1.0 !Smokes(x) v !Rain"],
        ),
        ("1 Friends(x, y) => x = y", ["1.0 !Friends(x, y) v x = y"]),
        ("1 Friends(x, y) v x != Anna", ["1.0 Friends(x, y) v x != Anna"]),
        ("Smokes(x) v Smokes(x)", ["0.0 Smokes(x)"]),
    ],
)
def test_formulas_become_the_clauses_of_alchemy(formula: str, clauses: list[str]) -> None:
    assert clauses_of(formula) == clauses


def test_exclusive_values() -> None:
    declared = "person = {Anna}\npost = {Chair, Clerk}\nHas(person, post!)"
    assert clauses_of("", declared) == [
        "Has(x0, Chair) v Has(x0, Clerk).",
        "!Has(x0, x1) v !Has(x0, y1) v x1 = y1.",
    ]


@pytest.mark.slow
def test_a_formula_that_would_become_too_many_clauses() -> None:
    network = parse_mln("a = {1, ..., 20}\nP(a)\nQ(a)\n1 EXIST x P(x) ^ Q(x)")
    with pytest.raises(QueryError, match="more than 10,000 clauses"):
        weighted_clauses(network, Domain.of(network))
    network = parse_mln("P\nQ\n1 " + " <=> ".join(["P", "Q"] * 25))  # few clauses, but 2^49 parts on the way
    with pytest.raises(QueryError, match="too many on the way"):
        weighted_clauses(network, Domain.of(network))


def test_a_formula_that_would_become_too_many_formulas() -> None:
    network = parse_mln("a = {1, ..., 100}\nP(a)\n1 P(+x) v P(+y) v P(+z)")
    with pytest.raises(QueryError, match="stands for 1,000,000 formulas"):
        weighted_clauses(network, Domain.of(network))


def test_hard_clauses_hold_just_where_the_formula_does() -> None:
    rng = random.Random(11)
    compared = 0
    while compared < budget(400):
        case = random_case(rng)
        domain = Domain.of(case.network)
        atoms = all_atoms(domain)
        for formula in case.network.formulas:
            hard = Network(case.network.declarations, (Formula(formula.sentence, math.inf),), case.network.constants)
            clauses = [clause for clause in weighted_clauses(hard, domain) if clause.formula == 0]
            types = hard.variable_types(formula.sentence)
            for _ in range(5):
                world = frozenset(atom for atom in atoms if rng.random() < 0.5)
                free = sorted(_free(formula.sentence))
                choices = product(*(domain.constants[types[variable]] for variable in free))
                bound = ({v: Constant(n) for v, n in zip(free, names, strict=True)} for names in choices)
                expected = all(_holds(formula.sentence, world, bindings, types, domain) for bindings in bound)
                # Over an empty type nothing is left to be violated, whatever else the formula says.
                if all(domain.constants[name] for name in types.values()):
                    assert all(satisfied(clause, domain, world) == clause.groundings(domain) for clause in clauses) == (
                        expected
                    ), (case.text, formula)
                    compared += 1


def _free(sentence: Sentence) -> set[Variable]:
    match sentence:
        case Atom():
            return set(sentence.variables)
        case Equal(left, right):
            return {term for term in (left, right) if isinstance(term, Variable)}
        case Not(part):
            return _free(part)
        case And(parts) | Or(parts):
            return set().union(*map(_free, parts))
        case Implies(left, right) | Iff(left, right):
            return _free(left) | _free(right)
        case Exists(variables, part) | Forall(variables, part):
            return _free(part) - set(variables)


def _holds(
    sentence: Sentence,
    world: frozenset[Atom],
    bindings: dict[Variable, Constant],
    types: dict[Variable, str],
    domain: Domain,
) -> bool:
    def holds(part: Sentence) -> bool:
        return _holds(part, world, bindings, types, domain)

    def value(term: Term) -> Term:
        return bindings[term] if isinstance(term, Variable) else term

    match sentence:
        case Atom():
            return sentence.substitute(bindings) in world
        case Equal(left, right):
            return value(left) == value(right)
        case Not(part):
            return not holds(part)
        case And(parts):
            return all(map(holds, parts))
        case Or(parts):
            return any(map(holds, parts))
        case Implies(left, right):
            return not holds(left) or holds(right)
        case Iff(left, right):
            return holds(left) == holds(right)
        case Exists(variables, part) | Forall(variables, part):
            choices = product(*(map(Constant, domain.constants[types[variable]]) for variable in variables))
            results = (
                _holds(part, world, {**bindings, **dict(zip(variables, choice, strict=True))}, types, domain)
                for choice in choices
            )
            return any(results) if isinstance(sentence, Exists) else all(results)
