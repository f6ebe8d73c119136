"""How tables are read, as a theory's file says it; and constants of declared types."""

import pytest

from possilog.errors import LanguageError, TheoryError
from possilog.logic import Atom, Constant, Declared, Predicate, parse_atom, parse_clause, parse_theory
from possilog.logic.spelling import plain, spell_constant, spell_given, spell_number, type_of, typed

MAPPED = """\
% tables: how tables are read as facts; a row says each of these of its key
#missing "NA", "?".
#table flights.
#column number delay(flights, delay) from dep_delay.
#column yes late(flights).
#column date_dmy "on"(flights, day) from "the day".
#column weekday day_weekday(flights, day_weekday) from "the day".
#column reference origin(flights, airports).
#relation borders(country, country) from borders, one, other.
#table planes key tailnum, "serial no" of airplanes.
#column value maker(airplanes, maker).
"""
RULES = """
% a world that breaks this rule has probability at most 0.1
0.9 :: late(F) :- origin(F, "EWR"), delay(F, 3).
"""


def test_a_mapping_is_written_as_it_is_read() -> None:
    theory = parse_theory(MAPPED.replace('"on"', "on") + RULES)
    assert parse_theory(str(theory)) == theory
    assert str(theory) == MAPPED.replace('"on"', "on") + RULES
    declared = theory.declared
    assert declared.types[Predicate("late", 1)] == ("flights",)
    assert declared.types[Predicate("maker", 2)] == ("airplanes", "maker")
    assert declared.types[Predicate("borders", 2)] == ("country", "country")
    assert declared.numbers == {"delay", "day"}


def test_the_constants_of_rules_have_the_types_of_their_places() -> None:
    origin, delay = parse_theory(MAPPED + RULES.replace("3)", "3.00)")).rules[0].clause.body
    assert [type_of(term.name) for term in (*origin.arguments[1:], *delay.arguments[1:])] == ["airports", "delay"]
    assert str(delay) == "delay(F, 3)"
    banned = parse_theory(MAPPED + '#ban late(F) :- origin(F, "EWR").\n0.9 :: late(F) :- delay(F, 3).')
    assert banned.bans(banned.declared.clause(parse_clause('late(X) :- origin(X, "EWR").')))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#column yes late(flights).", "the line #table of the column's table before it"),
        ("#table t.\n#column maybe late(t).", "expected one of reference, value, number"),
        ("#table t.\n#column yes late(t, u).", "expected late of t"),
        ("#table t.\n#column value late(u, v).", "expected late of t, and one more type"),
        ("#relation r(a, b) from t, one.", "expected a table and 2 columns of it"),
        ("#table t key.", "expected the name of a column"),
    ],
)
def test_what_is_wrong_with_a_mapping(text: str, message: str) -> None:
    with pytest.raises(LanguageError) as caught:
        parse_theory(text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["#table t.\n#table t.", "#table t.\n#column yes p(t).\n#column yes p(t) from q."])
def test_what_is_mapped_twice_is_refused(text: str) -> None:
    with pytest.raises(TheoryError, match=r"twice|two columns would become"):
        parse_theory(text)


def test_things_of_two_types_are_two_constants_that_read_alike() -> None:
    month, gate = Constant(typed("3", "month")), Constant(typed("3", "gate"))
    assert month != gate and str(month) == str(gate) == "3"
    assert typed(gate.name, "month") == month.name
    assert spell_constant(typed("EV", "airlines")) == '"EV"' and spell_given(typed("EV", "airlines")) == "EV"
    declared = Declared({Predicate("gate", 2): ("flight", "gate")}, frozenset({"gate"}))
    once = declared.atom(parse_atom("gate(f1, 3.0)"))
    assert once == declared.atom(once) == Atom.ground("gate", [typed("f1", "flight"), typed("3", "gate")])
    assert declared.atom(parse_atom("other(f1)")) == parse_atom("other(f1)")
    assert plain("as it is") == "as it is" and type_of("as it is") == ""


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("3", "3"),
        ("3.00", "3"),
        (" -02.50 ", "-2.5"),
        ("1e3", "1000"),
        ("-0.0", "0"),
        (".5", "0.5"),
        ("1e-30", "1e-30"),
    ],
)
def test_a_number_has_one_spelling(text: str, number: str) -> None:
    assert spell_number(text) == number
    assert float(number) == float(text)
    assert spell_number(number) == number


@pytest.mark.parametrize("text", ["", "x", "1,5", "1 2", "--1", "1e9999", "nan", "inf", "0x1", "١"])
def test_what_is_no_number(text: str) -> None:
    assert spell_number(text) is None
