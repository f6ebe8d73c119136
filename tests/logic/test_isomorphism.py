"""Canonical forms and subsumption against brute force over all mappings of variables."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from budget import budget
from possilog.data import Database
from possilog.logic import Clause, Constant, Literal, Variable, canonical, isomorphic, parse_clause, subsumes, wl_hash
from possilog.matching import Matcher
from strategies import SMALL_VARIABLES, databases, small_clauses


def isomorphic_by_definition(one: Clause, other: Clause) -> bool:
    """Some renaming of variables, one to one, makes one clause the other, literal by literal."""
    if len(one.variables) != len(other.variables):
        return False
    target = Counter(other.literals)
    return any(
        Counter(one.substitute(dict(zip(one.variables, images, strict=True))).literals) == target
        for images in permutations(other.variables)
    )


def subsumes_by_definition(general: Clause, special: Clause) -> bool:
    """Some θ that keeps distinct variables distinct in every grounding maps all literals into the other clause."""
    targets = set(special.literals)
    terms = sorted({term for atom in special.atoms for term in atom.arguments})
    for images in product(terms, repeat=len(general.variables)):
        kinds = {isinstance(image, Constant) for image in images}
        if len(set(images)) == len(images) and len(kinds) <= 1:
            bindings = dict(zip(general.variables, images, strict=True))
            if set(general.substitute(bindings).literals) <= targets:
                return True
    return False


def shuffled(clause: Clause, random: Random) -> Clause:
    """The same clause with other names for its variables and another order of its literals."""
    names = random.sample([Variable(f"V{number}") for number in range(9)], len(clause.variables))
    literals = list(clause.substitute(dict(zip(clause.variables, names, strict=True))).literals)
    random.shuffle(literals)
    return Clause.of(literals)


@settings(max_examples=budget(1_000))
@given(small_clauses(), st.randoms(use_true_random=False))
def test_renamed_and_reordered_clauses_have_one_canonical_form(clause: Clause, random: Random) -> None:
    other = shuffled(clause, random)
    assert canonical(clause) == canonical(other)
    assert wl_hash(clause) == wl_hash(other)
    assert isomorphic_by_definition(clause, canonical(clause))


@st.composite
def related(draw: st.DrawFn) -> tuple[Clause, Clause]:
    """Two clauses that often are, and often just are not, isomorphic: the second has one argument changed."""
    clause = draw(small_clauses(3))
    literals = list(shuffled(clause, draw(st.randoms(use_true_random=False))).literals)
    changeable = [number for number, literal in enumerate(literals) if literal.atom.arguments]
    change = draw(st.booleans())
    if changeable and change:
        number = draw(st.sampled_from(changeable))
        atom = literals[number].atom
        place = draw(st.integers(0, len(atom.arguments) - 1))
        arguments = list(atom.arguments)
        arguments[place] = draw(st.sampled_from([*Clause.of(literals).variables, *SMALL_VARIABLES]))
        literals[number] = Literal(type(atom)(atom.predicate, tuple(arguments)), literals[number].positive)
    return clause, Clause.of(literals)


@settings(max_examples=budget(1_500))
@given(related())
def test_isomorphism_is_what_brute_force_says(pair: tuple[Clause, Clause]) -> None:
    assert isomorphic(*pair) == isomorphic_by_definition(*pair)
    assert (canonical(pair[0]) == canonical(pair[1])) == isomorphic_by_definition(*pair)


@settings(max_examples=budget(1_500))
@given(small_clauses(2), small_clauses(3))
def test_subsumption_is_what_brute_force_says(general: Clause, special: Clause) -> None:
    assert subsumes(general, special) == subsumes_by_definition(general, special)


@settings(max_examples=budget(500))
@given(small_clauses(3), st.data())
def test_a_clause_subsumes_what_is_made_from_it(clause: Clause, data: st.DataObject) -> None:
    other = shuffled(clause, data.draw(st.randoms(use_true_random=False)))
    more = data.draw(small_clauses(2))
    assert subsumes(clause, Clause(other.head + more.head, other.body + more.body))


@settings(max_examples=budget(1_000))
@given(small_clauses(2), small_clauses(3), databases())
def test_what_is_subsumed_holds_wherever_the_general_clause_holds(
    general: Clause, special: Clause, database: Database
) -> None:
    # A constant of the clauses is a thing of the world even where no fact is about it.
    matcher = Matcher(database.declare(["a", "b"]))
    if subsumes(general, special) and not matcher.exists(general.violation):
        assert not matcher.exists(special.violation)


def test_what_colours_alone_cannot_tell_apart() -> None:
    """Two triangles and a hexagon: the same colours everywhere, and yet not isomorphic."""
    triangles = parse_clause(":- r(A,B), r(B,C), r(C,A), r(D,E), r(E,F), r(F,D).")
    hexagon = parse_clause(":- r(A,B), r(B,C), r(C,D), r(D,E), r(E,F), r(F,A).")
    assert wl_hash(triangles) == wl_hash(hexagon)
    assert not isomorphic(triangles, hexagon)
    assert canonical(triangles) != canonical(hexagon)


def test_multiplicity_counts() -> None:
    assert not isomorphic(parse_clause("p(X) :- q(X)."), parse_clause("p(X) :- q(X), q(X)."))
    assert not isomorphic(parse_clause(":- r(X, X), r(Y, Y)."), parse_clause(":- r(X, Y), r(Y, X)."))


def test_many_interchangeable_variables_are_no_trouble() -> None:
    """Twins, and parts that are alike, must not cost a factorial."""
    stars = ", ".join(f"r(X, Y{number}), s(Y{number}, Z{number})" for number in range(25))
    loose = ", ".join(f"r(A{number}, B{number})" for number in range(25))
    for body in (stars, loose, ", ".join(f"p(X{number})" for number in range(40))):
        clause = parse_clause(f":- {body}.")
        assert canonical(clause) == canonical(shuffled_many(clause))


def shuffled_many(clause: Clause) -> Clause:
    random = Random(5)
    names = [Variable(f"W{number}") for number in range(len(clause.variables))]
    random.shuffle(names)
    literals = list(clause.substitute(dict(zip(clause.variables, names, strict=True))).literals)
    random.shuffle(literals)
    return Clause.of(literals)


def test_the_hash_is_the_same_on_every_machine() -> None:
    assert wl_hash(parse_clause("p(X) :- r(X, Y), q(Y).")) == wl_hash(parse_clause("p(B) :- q(A), r(B, A)."))
    assert wl_hash(parse_clause("p(X) :- r(X, Y), q(Y).")) == 12130766901346925815


def test_subsumption_of_long_clauses() -> None:
    """A chain of 1,000 literals: neither the stack nor patience runs out."""
    chain = parse_clause(":- " + ", ".join(f"r(X{number}, X{number + 1})" for number in range(1_000)) + ".")
    assert subsumes(chain, chain)
    assert not subsumes(parse_clause(":- s(X, Y)."), chain)
