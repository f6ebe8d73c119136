"""Slips of the pen by their definition, numbers in their one spelling, and what the reader of texts takes."""

from __future__ import annotations

import random
from functools import cache

import pytest

from possilog.errors import LanguageError
from possilog.logic import Predicate, parse_clause, parse_theory
from possilog.logic.spelling import is_variable, spell_constant, spell_given, spell_number, spell_predicate
from possilog.logic.tokens import Reader
from possilog.logic.vocabulary import _slips, misspelt, read_as


@cache
def slips(one: str, other: str) -> int:
    """Letters left out, put in, replaced, or swapped with the next one."""
    if not one or not other:
        return len(one) + len(other)
    ways = [slips(one[1:], other) + 1, slips(one, other[1:]) + 1, slips(one[1:], other[1:]) + (one[0] != other[0])]
    if len(one) > 1 and len(other) > 1 and one[0] == other[1] and one[1] == other[0]:
        ways.append(slips(one[2:], other[2:]) + 1)
    return min(ways)


@pytest.mark.parametrize("seed", range(4))
def test_slips_are_counted_up_to_two(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(150):
        one, other = ("".join(rng.choice("abAB1") for _ in range(rng.randint(0, 5))) for _ in range(2))
        counted = slips(one.casefold(), other.casefold())
        same = [letter for letter in one if letter == "1"] == [letter for letter in other if letter == "1"]
        found = _slips(one, other)
        assert found == counted if counted <= 2 and same else found > 2, f"{one} {other}"


@pytest.mark.parametrize(
    ("written", "known", "used", "is_slip"),
    [
        ("brid", "bird", False, True),
        ("brid", "bird", True, True),
        ("brd", "bird", False, True),
        ("rid", "bid", False, False),  # short names begin alike
        ("bad", "bid", False, True),
        ("bad", "bid", True, False),
        ("b", "bi", False, False),
        ("ba", "bi", False, True),
        ("parents", "parnt", False, False),  # two slips in a short name
        ("preotien", "proteins", False, False),
        ("protiens", "proteins", False, True),
        ("protienz", "proteins", False, True),  # two in a long one
        ("prtienz", "proteins", False, False),
        ("proteinse", "protein", False, False),
    ],
)
def test_what_is_taken_for_a_slip(written: str, known: str, used: bool, is_slip: bool) -> None:
    spoken = [Predicate(written, 1), *([Predicate(known, 1)] if used else [])]
    meant = {Predicate(written, 1): Predicate(known, 1)}
    assert misspelt(spoken, [Predicate(known, 1)]) == (meant if is_slip else {})
    assert misspelt(spoken, [Predicate(known, 2), *spoken[1:]]) == (meant if used and is_slip else {})


def test_of_many_names_none_is_compared() -> None:
    known = [Predicate(f"known_{chr(97 + number // 10)}{chr(107 + number % 10)}", 1) for number in range(100)]
    written = [Predicate(f"x{predicate.name}", 1) for predicate in known]
    assert len(misspelt(written, known)) == 100
    assert misspelt([*written, Predicate("another", 1)], known) == {}


def test_predicates_are_read_as_facts_spell_them() -> None:
    old, other, young = Predicate("is_old", 1), Predicate("isOld", 1), Predicate("young", 1)
    facts = Predicate("IsOld", 1)
    assert read_as([old, young], [facts]) == {old: facts}
    assert read_as([old, other], [facts]) == {}  # two would become one
    assert read_as([old, facts], [facts]) == {}
    assert read_as([old], [facts, other]) == {}  # there is a choice
    assert read_as([old], [facts, old]) == {}
    assert read_as([old], [Predicate("IsOld", 2)]) == {}


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("0", "0"),
        ("-0", "0"),
        ("0.000", "0"),
        ("007", "7"),
        ("-12", "-12"),
        ("+3.50", "3.5"),
        (".5", "0.5"),
        ("5.", "5"),
        (" 1e2 ", "100"),
        ("1e39", "1" + "0" * 39),
        ("1e40", "1e+40"),
        ("1e-19", "0." + "0" * 18 + "1"),
        ("1e-20", "1e-20"),
        ("999999999999999", "9" * 15),
        ("1" * 40, "1" * 40),
        ("1" * 40 + "." + "1" * 40, "1" * 40 + "." + "1" * 40),
        ("1" * 41, None),
        ("1e1000", None),
        ("", None),
        (".", None),
        ("1,5", None),
        ("nan", None),
    ],
)
def test_a_number_has_one_spelling(text: str, spelled: str | None) -> None:
    assert spell_number(text) == spelled


@pytest.mark.parametrize(
    ("name", "variable", "constant", "given", "predicate"),
    [
        ("X", True, '"X"', "X", "X"),
        ("_x", True, '"_x"', "_x", "_x"),
        ("", False, '""', '""', '""'),
        ("ann", False, "ann", "ann", "ann"),
        ("not", False, "not", "not", '"not"'),
        ("1.5", False, "1.5", "1.5", '"1.5"'),
        ("a b", False, '"a b"', '"a b"', '"a b"'),
        ("-1", False, '"-1"', "-1", '"-1"'),
        ("X y", False, '"X y"', '"X y"', '"X y"'),
        ("ǅ", True, '"ǅ"', "ǅ", "ǅ"),
    ],
)
def test_names_in_rules_and_facts(name: str, variable: bool, constant: str, given: str, predicate: str) -> None:
    assert is_variable(name) == variable
    assert (spell_constant(name), spell_given(name), spell_predicate(name)) == (constant, given, predicate)


def test_numbers_that_a_reader_takes() -> None:
    assert Reader("12", "t").whole() == 12 and Reader("0", "t").whole() == 0 and Reader("3.0", "t").whole() == 3
    for text in ("-1", "1.5"):
        with pytest.raises(LanguageError, match=f't:1:2: found "{text}", expected a whole number, 0 or more'):
            Reader(f" {text}", "t").whole()
    with pytest.raises(LanguageError, match='t:1:1: found "x", expected a number'):
        Reader("x", "t").number()
    most = ", ".join(["1"] * 1_000)
    assert len(Reader(most, "t").numbers()) == 1_000
    with pytest.raises(LanguageError, match="at most 1000 numbers"):
        Reader(f"{most}, 1", "t").numbers()


@pytest.mark.parametrize(
    ("text", "found", "place"),
    [
        ("p(X) :-\n  q(X", "the end of the text", "2:6"),
        ("p(X) :- q(\n", "the end of the text", "2:1"),
        ('p(X) :- q("ab', '"\\""', "1:11"),
        ("p(X) :- q(&).", '"&"', "1:11"),
        ("p(X) :- not(X).", '"not"', "1:9"),
        (f"p(X) :- q(X) {'a' * 30}.", f'"{"a" * 30}"', "1:14"),
        (f"p(X) :- q(X) {'a' * 31}.", f'"{"a" * 30}"…', "1:14"),
        ("p(X) :- q(X, Y), Y >= x.", '"x"', "1:23"),
    ],
)
def test_what_is_wrong_is_shown_with_its_place(text: str, found: str, place: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_clause(text)
    assert str(caught.value).startswith(f"<clause>:{place}: found {found}, expected ")


def test_each_blank_is_a_variable_of_its_own() -> None:
    clause = parse_clause("p(_, _1, _3, _) :- q(_).")
    assert str(clause) == "p(_4, _1, _3, _5) :- q(_6)."
    assert [str(rule) for rule in parse_theory("p(_). q(_, _).")] == ["p(_1).", "q(_2, _3)."]
