"""Theories in the words of the facts."""

from __future__ import annotations

import pytest

from possilog.errors import DataWarning, LogicError
from possilog.logic import Clause, Predicate, Theory, in_vocabulary, parse_clause, parse_theory
from possilog.logic.vocabulary import misspelt

TEXT = """
:- protein_class(X, X).
#lock 0.9 :: Old(X) :- protein_class(X, "Protein_1"), born_in(X, Y).
#lock ? :: old_(X) :- born_in(X, Y).
#ban born_in(X, Y) :- protein_class(X, Y).
#type protein_class(thing, kind).
#type born_in(thing, ~place).
#shares 0.1, 0.5.
#seen 0.2, 0.4.
#added 1, 2.
#certain protein_class/2, right 3, said 2.5, of 4.
#list born_in/2, right 3, said 2.5, of 4.
#measured true 4, false 1, nontrivial 1, right 1, said 1, of 2, gains 1, 2 :: Old(A) :- protein_class(A, B).
#rank true 3, false 1, nontrivial 0 :: born_in(X, Y) :- protein_class(Y, X).
"""


def read(text: str, *known: str) -> Theory:
    return in_vocabulary(parse_theory(text), [Predicate(name, arity) for name, arity in map(_split, known)])


def _split(predicate: str) -> tuple[str, int]:
    name, arity = predicate.split("/")
    return name, int(arity)


def test_predicates_are_read_as_the_facts_spell_them_everywhere() -> None:
    with pytest.warns(DataWarning, match="born_in/2 as BornIn/2, protein_class/2 as ProteinClass/2"):
        theory = read(TEXT, "ProteinClass/2", "BornIn/2", "Old/1")
    assert theory == parse_theory(TEXT.replace("protein_class", "ProteinClass").replace("born_in", "BornIn"))


def test_predicates_that_are_only_banned_are_too() -> None:
    with pytest.warns(DataWarning, match="born_in/2 as BornIn/2"):
        assert read("#ban born_in(X, Y) :- p(X, Y).", "BornIn/2").bans(parse_clause("BornIn(X, Y) :- p(X, Y)."))


def test_what_has_facts_or_nothing_like_it_stays() -> None:
    for known in (["p/1", "P/1"], ["q/1"], [], ["P/2"]):
        assert read(":- p(X).", *known) == parse_theory(":- p(X).")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (":- p_q(X).", ["Pq/1", "PQ/1"]),  # which of the two?
        (":- p_q(X), P_Q(X).", ["PQ/1"]),  # two would become one
        (":- pq(X), PQ(X).", ["PQ/1"]),  # the other has its facts
    ],
)
def test_where_there_is_a_choice_nothing_is_read_otherwise(text: str, known: list[str]) -> None:
    assert read(text, *known) == parse_theory(text)


@pytest.mark.parametrize(
    ("spoken", "known", "meant"),
    [
        (["qx/2", "rs/1"], ["qr/2", "rs/1"], {"qx/2": "qr/2"}),  # two letters, and what was meant is not there
        (["qx/2", "qr/2"], ["qr/2"], {}),  # it is there: so they differ on purpose
        (["on/2"], ["in/2"], {}),  # short names that begin otherwise
        (["p/1"], ["q/1"], {}),
        (["q/1"], ["qr/1"], {}),
        (["brid/1", "bird/1"], ["bird/1"], {"brid/1": "bird/1"}),
    ],
)
def test_what_looks_like_a_slip(spoken: list[str], known: list[str], meant: dict[str, str]) -> None:
    predicates = ([Predicate(*_split(name)) for name in names] for names in (spoken, known))
    assert {str(its): str(other) for its, other in misspelt(*predicates).items()} == meant


def test_a_theory_in_a_notebook_has_its_types_and_folds_what_is_firm() -> None:
    plain = parse_theory("0.9 :: p(X) :- q(X).")._repr_html_()
    assert "0.9" in plain and "types" not in plain and "hard and demoted" not in plain
    typed = parse_theory("#type p(person). #type q(person). 0.9 :: p(X) :- q(X). :- p(X), r(X).")._repr_html_()
    assert "p(person)" in typed and ":- p(X), r(X)." in typed


@pytest.mark.parametrize("given", [3, None, ["p(a)"], [parse_clause("p(a).")], "p(a)"])
def test_what_is_no_literals_is_no_clause(given: object) -> None:
    with pytest.raises(LogicError, match="literals are needed"):
        Clause.of(given)  # type: ignore[arg-type]
