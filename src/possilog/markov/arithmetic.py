"""Weights that are computed: ``log(0.9 / 0.1)``, as files of other tools write them.

::

    sum     = product { ( "+" | "-" ) product }
    product = factor { ( "*" | "/" ) factor }
    factor  = [ "+" | "-" ] ( number | [ function ] "(" sum ")" )

After a weight comes a formula, and some formulas begin with a sign. So an operator belongs to the weight only if a
factor follows it: in ``2 * log(3) P(x)`` it does, in ``2 *P(x)`` it does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

__all__ = ["read_weight"]

_MOST_BRACKETS = 50
_NUMBER = re.compile(r"(?:\d++\.?\d*+|\.\d++)(?:[eE][+-]?\d++)?(?![\w'])")
_BLANK = re.compile(r"[ \t]*+")
_OPENING = re.compile(r"([a-z0-9]*)\(")
_SUM, _PRODUCT = "+-", "*/"

_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "": float,
    "float": float,  # Python's, as pracmln computes weights
    "log": math.log,
    "ln": math.log,
    "logx": lambda value: math.log(value) if value else -100.0,  # pracmln's name for one that may be asked for 0
    "log10": math.log10,
    "exp": math.exp,
    "sqrt": math.sqrt,
}

_Found = tuple[float, int] | None
"""A value, and where the text goes on after it."""


def read_weight(text: str, position: int) -> _Found:
    """The weight that a line begins with, and where it ends; nan where it cannot be computed, None where there is none.

    >>> read_weight("log(0.5) * -2 Smokes(x)", 0)
    (1.3862943611198906, 13)
    >>> read_weight("1.5 *Smokes(x)", 0), read_weight("(Smokes(x) v Drinks(x))", 0)
    ((1.5, 3), None)
    """
    return _chain(text, position, _SUM, 0)


def _chain(text: str, position: int, operators: str, depth: int) -> _Found:
    """Values with operators of one rank between them, from left to right."""

    def part(at: int) -> _Found:
        return _chain(text, at, _PRODUCT, depth) if operators == _SUM else _factor(text, at, depth)

    found = part(position)
    while found is not None:
        at = _skip(text, found[1])
        operator = text[at : at + 1]
        following = part(at + 1) if operator and operator in operators else None
        if following is None:
            break
        found = _applied(operator, found[0], following[0]), following[1]
    return found


def _factor(text: str, position: int, depth: int) -> _Found:
    at = _skip(text, position)
    sign = -1.0 if text[at : at + 1] == "-" else 1.0
    at += text[at : at + 1] in ("+", "-")
    number = _NUMBER.match(text, at)
    if number:
        return sign * float(number[0]), number.end()
    opening = _OPENING.match(text, _skip(text, at))
    if not opening or opening[1] not in _FUNCTIONS or depth == _MOST_BRACKETS:
        return None
    inside = _chain(text, opening.end(), _SUM, depth + 1)
    if inside is None or text[(end := _skip(text, inside[1])) : end + 1] != ")":
        return None
    try:
        return sign * _FUNCTIONS[opening[1]](inside[0]), end + 1
    except (ValueError, OverflowError):
        return math.nan, end + 1


def _applied(operator: str, left: float, right: float) -> float:
    if operator == "/":
        return left / right if right else math.nan
    return left * right if operator == "*" else left + right if operator == "+" else left - right


def _skip(text: str, position: int) -> int:
    found = _BLANK.match(text, position)
    return found.end() if found else position
