"""Both confidences of a rule, by their definition."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandas import DataFrame

from possilog.data import Database, from_frames
from possilog.learning.confidence import Confidence, Judge
from possilog.learning.notes import rule_notes
from possilog.logic import Atom, Clause, Constant, Term, Variable, parse_atom, parse_clause
from possilog.matching import Matcher
from strategies import databases, small_clauses
from whole_grounding import ByDefinition


def instances(clause: Clause, constants: tuple[str, ...]) -> list[tuple[tuple[Atom, ...], tuple[Atom, ...]]]:
    """All (head, body) of a clause, with distinct constants for its variables."""
    found = []
    for names in permutations(constants, len(clause.variables)):
        terms: dict[Variable, Term] = dict(zip(clause.variables, map(Constant, names), strict=True))
        ground = clause.substitute(terms)
        found.append((ground.head, ground.body))
    return found


def by_definition(clause: Clause, database: Database, hard: list[Clause]) -> Confidence:
    facts, constants = frozenset(database), database.constants
    heads = {head[0] for head, body in instances(clause, constants) if facts.issuperset(body)}
    false = heads - facts
    truth = ByDefinition(database, hard)
    nontrivial = [head for head in false if truth.is_consistent(head)]
    return Confidence(len(heads & facts), len(false), len(nontrivial))


@given(databases(4), small_clauses(2, constants=False), st.lists(small_clauses(2), max_size=6))
def test_by_definition(database: Database, clause: Clause, candidates: list[Clause]) -> None:
    matcher = Matcher(database.declare(["a", "b"]))
    hard = [rule for rule in candidates if rule.atoms and not matcher.exists(rule.violation)]
    bound = {term for atom in clause.body for term in atom.arguments}
    found = Judge(database, hard).confidence(clause)
    if len(clause.head) != 1 or not set(clause.head[0].arguments) <= bound:
        assert found is None
    else:
        assert found == by_definition(clause, database, hard)


def test_the_hard_rules_hide_errors_from_one_of_the_two() -> None:
    facts = [parse_atom(f"{name}({who})") for name, who in product(["old"], ["ann", "bob"])]
    facts += [parse_atom("parent(ann, bob)"), parse_atom("parent(eve, bob)"), parse_atom("young(eve)")]
    judge = Judge(Database.of(facts), [parse_clause(":- old(X), young(X).")])
    confidence = judge.confidence(parse_clause("old(X) :- parent(X, Y)."))
    assert confidence == Confidence(true=1, false=1, nontrivial=0)
    assert (confidence.overall, confidence.guarded) == (0.5, 1.0)
    assert str(confidence) == "support 1, confidence 0.5 (1 of 2; not refuted: 1 of 1, 1)"


@pytest.mark.parametrize(
    ("rule", "note"),
    [
        ("old(X) :- parent(X, Y).", "support 1, confidence 0.5 (1 of 2)"),
        ("old(ann) :- parent(X, Y).", "support 1, confidence 1"),
        ("old(tom) :- parent(X, Y).", "its body never holds"),
        ("old(X) :- young(X).", "its body never holds"),
        ("old(X) :- parent(Y, Z).", None),
        (":- parent(X, X).", None),
        ("old(X) ; young(X) :- parent(X, Y).", None),
    ],
)
def test_notes(rule: str, note: str | None) -> None:
    facts = Database.of(map(parse_atom, ["parent(ann, bob)", "parent(bob, eve)", "old(ann)"]))
    clause = parse_clause(rule)
    assert rule_notes([clause], facts).get(clause) == note


@given(st.lists(st.tuples(st.sampled_from(["cat", "dog", None]), st.sampled_from(["yes", "no", None])), min_size=8))
def test_nothing_is_known_of_empty_cells(cells: list[tuple[str | None, str | None]]) -> None:
    """By pandas: a rule is wrong only where the cell that it speaks of has another value."""
    rows = [*cells, *[("cat", "yes"), ("dog", "no")] * 2]
    table = DataFrame(rows, columns=["pet", "child"])
    table["home"] = ["flat", "house", "flat", "house"] * (len(table) // 4) + ["flat"] * (len(table) % 4)
    table.insert(0, "person", [f"p{number}" for number in range(len(table))])
    database = from_frames({"people": table})
    for body, chosen in [("home(X, flat)", table.home == "flat"), ("home(X, house)", table.home == "house")]:
        for head, column, value in [("pet(X, dog)", "pet", "dog"), ("child(X)", "child", "yes")]:
            told = table[chosen][column].dropna()
            found = Judge(database, ()).confidence(database.declared.clause(parse_clause(f"{head} :- {body}.")))
            right = int((told == value).sum())
            assert found == Confidence(right, len(told) - right, len(told) - right), (head, body)


def test_what_is_ticked_is_complete() -> None:
    """Where nobody says "no", an empty cell does; else every rule about such a column were right."""
    people = [f"p{number}" for number in range(12)]
    table = DataFrame({"person": people, "child": ["yes", None] * 6, "home": ["flat", "flat", "house"] * 4})
    database = from_frames({"people": table})
    rule = database.declared.clause(parse_clause("child(X) :- home(X, flat)."))
    assert Judge(database, ()).confidence(rule) == Confidence(4, 4, 4)
