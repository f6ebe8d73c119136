"""A database by its definition: which facts it has, which comparisons hold, and how facts are found in it."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from possilog.data import Database, Evidence
from possilog.data.evidence import require_one_arity
from possilog.data.linked import Linked
from possilog.data.taking import are_atoms, facts_of, literals_of, said
from possilog.errors import ArityError, DataError
from possilog.logic import Atom, BuiltIn, Literal, Nearness, Precedence, Predicate, Threshold, parse_atom
from possilog.logic.spelling import typed

NAMES = ["1", "1.0", "1.5", "2", "3", "2020-01-01", "2020-01-01T00:00", "2020-01-02", "a", "b", typed("a", "t")]
THINGS = Database.of([Atom.ground("p", [name]) for name in NAMES])
COMPARISONS: list[BuiltIn] = [Precedence.of("<"), Precedence.of("=<"), *map(Nearness.of, (0, 0.5, 1))]
COMPARISONS += [Threshold.of(sign, bound) for sign in (">=", "<") for bound in ("1.5", "2020-01-02")]


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_facts_of_a_comparison_are_what_it_is_true_of(comparison: BuiltIn) -> None:
    meant = [names for names in permutations(THINGS.constants, comparison.arity) if comparison.holds(*names)]
    for _ in range(2):  # the second time as it was kept
        found = [tuple(term.name for term in atom.arguments) for atom in THINGS.facts(comparison)]
        assert found == meant and THINGS.count(comparison) == len(meant)
    for names in product(THINGS.constants, repeat=comparison.arity):
        assert (comparison(*Atom.ground("q", names).arguments) in THINGS) == (names in meant)


FACTS = [("r", "ab"), ("r", "ac"), ("r", "cb"), ("s", "abc"), ("s", "abd"), ("s", "bbd"), ("t", "d"), ("u", "")]
DATABASE = Database.of(Atom.ground(name, constants) for name, constants in [(n, list(c)) for n, c in FACTS])


def test_which_facts_are_in_it() -> None:
    for name, arity in (("r", 2), ("s", 3), ("t", 1), ("u", 0), ("v", 1), ("r", 1)):
        for constants in product("abcdex", repeat=arity):
            assert (Atom.ground(name, constants) in DATABASE) == ((name, "".join(constants)) in FACTS)
    assert "r(a, b)" not in DATABASE and Predicate("t", 1)(*parse_atom("t(d)").arguments) in DATABASE
    assert len(DATABASE) == len(FACTS) and [DATABASE.number(name) for name in "abcdx"] == [0, 1, 2, 3, None]
    assert DATABASE.number("") is None and DATABASE.number("aa") is None


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_facts_are_sorted_by_their_arguments_in_any_order(order: tuple[int, ...]) -> None:
    index = DATABASE.index(Predicate("s", 3), order)
    rows = sorted(tuple(constants[place] for place in order) for name, constants in FACTS if name == "s")
    assert [
        tuple("abcd"[number] for number in row) for row in zip(*(c.tolist() for c in index.columns), strict=True)
    ] == rows
    assert index.starts is not None
    assert index.starts.tolist() == [sum(row[0] < name for row in rows) for name in "abcde"]


@pytest.mark.parametrize(("others", "is_there"), [(3, True), (4, False)])
def test_where_facts_begin_is_kept_where_it_pays(others: int, is_there: bool) -> None:
    database = Database.of([parse_atom("t(a)")], constants=[f"z{number}" for number in range(others)])
    before = database.nbytes
    index = database.index(Predicate("t", 1), (0,))
    assert (index.starts is not None) == is_there
    assert before == 4 and index.nbytes == 4 + (4 * (others + 2) if is_there else 0)
    assert database.nbytes == before + index.nbytes


def test_distinct_constants_at_each_place() -> None:
    assert DATABASE.distinct(Predicate("r", 2)) == (2, 2) and DATABASE.distinct(Predicate("s", 3)) == (2, 1, 2)
    assert DATABASE.distinct(Predicate("u", 0)) == () and DATABASE.distinct(Predicate("v", 1)) == (0,)


def test_how_many_facts_link_two_constants() -> None:
    pairs = list(product(range(4), repeat=2))
    found = Linked(DATABASE).facts(*np.array(pairs).T)
    binary = [set(constants) for name, constants in FACTS if name == "r"]
    assert found.tolist() == [binary.count({"abcd"[one], "abcd"[other]}) for one, other in pairs]


@pytest.mark.parametrize("given", [7, None, {"bird": 1}, b"bird(tom)", {}.keys])
def test_what_is_no_list_of_atoms(given: object) -> None:
    with pytest.raises(DataError, match=r"facts can be atoms, such as bird\(tweety\); .* is none of these"):
        literals_of(given, "facts")


def test_atoms_one_or_many() -> None:
    atom = parse_atom("p(a)")
    for given in ("p(a)", atom, Literal(atom), ["p(a)"], (atom,), iter([Literal(atom)]), {"p(a)"}):
        assert literals_of(given, "facts") == [Literal(atom)]
    assert literals_of("not p(a)", "facts") == literals_of(["! p(a)"], "facts") == [Literal(atom, False)]
    assert literals_of("nothing(a)", "facts") == [Literal(parse_atom("nothing(a)"))]
    assert [are_atoms(given) for given in ([atom], (), (atom, "p(a)"), {atom}, [Literal(atom)], atom)] == [
        *[True] * 2,
        *[False] * 4,
    ]
    with pytest.raises(DataError, match=r"facts hold, and 'not p\(b\)' does not; leave it out"):
        facts_of(["p(a)", "not p(b)"])
    with pytest.raises(DataError, match=r"facts is made of atoms, .*; 7 is none"):
        facts_of([atom, 7])  # type: ignore[list-item]
    assert [len(said("a" * size)) for size in (57, 58, 59)] == [59, 60, 61] and said("a" * 59).endswith("a…")


def test_one_name_is_one_predicate() -> None:
    p, q = Predicate("p", 1), Predicate("q", 2)
    require_one_arity([p, q], [q, p, Predicate("r", 3)])
    with pytest.raises(ArityError, match="p has 2 arguments in one rule and 1 in another; give it as many"):
        require_one_arity([q, Predicate("p", 2)], [p])
    with pytest.raises(ArityError, match="p has 2 arguments in here and 1 in there"):
        require_one_arity([p, Predicate("p", 2)], [], "here", "there")


def test_what_evidence_is_made_of() -> None:
    atom = parse_atom("p(a)")
    for wrong in (([atom],), (DATABASE, [atom]), (DATABASE, ("p(a)",))):
        with pytest.raises(DataError, match="evidence is a database and a tuple of denied atoms"):
            Evidence(*wrong)
    assert Evidence(DATABASE, (atom,)).denied == (atom,)
