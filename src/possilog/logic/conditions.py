"""Conditions of bodies and queries, as text: atoms, and comparisons of numbers and dates."""

from __future__ import annotations

from possilog.logic.atoms import Atom, Constant, Predicate, Term, Variable
from possilog.logic.spelling import RESERVED, is_variable
from possilog.logic.thresholds import OPERATORS, Nearness, compared
from possilog.logic.tokens import MAX_ARGUMENTS, Reader

__all__ = ["SIGNS", "read_atom", "read_condition"]

SIGNS = {*OPERATORS, "="}
"""The signs between two terms that are compared."""

_ANOTHER = "another variable: comparing one with itself says nothing"


def read_condition(reader: Reader) -> Atom:
    """An atom, or a comparison: of a variable with a number or a date, or of two variables."""
    if reader.token == "|":
        return _nearness(reader)
    if reader.following() not in SIGNS:
        return read_atom(reader)
    first, term, operator, start = reader.position, reader.argument(), reader.advance(), reader.position
    if operator == "=" and not (isinstance(term, Variable) and is_variable(reader.token)):
        reader.fail("two variables beside '=': write a value in place of the variable, as carrier(F, \"EV\")", at=first)
    other = reader.argument() if is_variable(reader.token) else Constant(reader.bound())
    if term == other:
        reader.fail(_ANOTHER, at=start)
    try:
        return compared(term, operator, other)
    except ValueError:
        wrong = start if isinstance(other, Constant) else first
        reader.fail("a number or a date, like 15, -0.5 or 2013-01-05", at=wrong)


def _nearness(reader: Reader) -> Atom:
    """That two variables differ by no more than a number: ``|X - Y| =< 1``."""
    form = "a difference and its bound, as in |X - Y| =< 1"
    reader.expect("|", form)
    one = reader.argument()
    reader.expect("-", form)
    second, other = reader.position, reader.argument()
    reader.expect("|", form)
    if not reader.take("<="):
        reader.expect("=<", form)
    if isinstance(one, Constant) or isinstance(other, Constant):
        reader.fail("two variables in a difference; compare one with a number by two bounds: X >= 2, X =< 4")
    if one == other:
        reader.fail(_ANOTHER, at=second)
    start = reader.position
    try:
        return Nearness.of(reader.bound())(one, other)
    except ValueError:
        reader.fail("a number, 0 or more", at=start)


def read_atom(reader: Reader) -> Atom:
    """A predicate's name, with its arguments if it has some."""
    if reader.token in RESERVED:
        reader.fail(f'a predicate: write "{reader.token}" in quotes if it is one')
    name = reader.name("a predicate's name")
    arguments: list[Term] = []
    if reader.take("(") and not reader.take(")"):
        arguments.append(reader.argument())
        while reader.take(","):
            arguments.append(reader.argument())
            if len(arguments) > MAX_ARGUMENTS:
                reader.fail(f"at most {MAX_ARGUMENTS} arguments in an atom")
        reader.expect(")", "',' or ')'")
    return Atom(Predicate(name, len(arguments)), tuple(arguments))
