"""Theories in the words of the facts."""

from __future__ import annotations

import pytest

from possilog.errors import DataWarning
from possilog.logic import Predicate, Theory, in_vocabulary, parse_clause, parse_theory

TEXT = """
:- protein_class(X, X).
#lock 0.9 :: Old(X) :- protein_class(X, "Protein_1"), born_in(X, Y).
#lock ? :: old_(X) :- born_in(X, Y).
#ban born_in(X, Y) :- protein_class(X, Y).
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
