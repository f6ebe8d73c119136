"""How names are spelled in the text language: bare where they can be, in double quotes where they must.

In rules and queries a capital or an underscore begins a variable; every other argument is a constant. A predicate is
known by its place, so its name may begin with a capital.
"""

from __future__ import annotations

import json
import re
from decimal import Context, Decimal

__all__ = [
    "NAME",
    "NUMBER",
    "RESERVED",
    "TYPE_MARK",
    "folded",
    "is_variable",
    "plain",
    "quoted",
    "spell_constant",
    "spell_given",
    "spell_number",
    "spell_predicate",
    "type_of",
    "typed",
]

NAME = r"\w[\w-]*"
"""A bare name."""

NUMBER = r"\d+\.\d+(?:[eE][+-]?\d+)?(?![\w-])"
"""A bare number with a point; whole numbers are names already."""

RESERVED = frozenset({"false", "true", "not"})
"""Words that mean something else where a predicate could stand."""

TYPE_MARK = "\ufdd0"
"""Stands between the spelling and the type of a constant whose type is declared. Unicode keeps it for such use: no text
holds it, and readers refuse a name that does."""

_NAME = re.compile(NAME)
_FAR, _SMALL = 40, 20
"""Powers of ten from which on a number is written with one: keys may be long."""
_BETWEEN_WORDS = re.compile(r"[_\-\s]")
_CONSTANT = re.compile(f"{NUMBER}|{NAME}")
_WHOLE = re.compile("0|-?[1-9][0-9]{0,14}")
_DIGITS = re.compile(r"\s*+[+-]?(?:\d{1,40}+(?:\.\d{0,40}+)?|\.\d{1,40}+)(?:[eE][+-]?\d{1,3}+)?\s*+", re.ASCII)
_EXACT = Context(prec=80)  # as many digits as there can be
_GIVEN = re.compile(r"[\w+-][\w.:+-]*")
# What would break a line or cannot be encoded goes into a quoted name as an escape.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_variable(name: str) -> bool:
    """Would this argument be read as a variable?

    >>> is_variable("X"), is_variable("_x"), is_variable("alice"), is_variable("7")
    (True, True, False, False)
    """
    return (name[:1].isupper() or name[:1] in ("_", "") or name[:1].istitle()) and _NAME.fullmatch(name) is not None


def typed(name: str, type: str) -> str:
    """The name of a constant of a declared type: month 3 and gate 3 are two things, and so they have two names.

    >>> typed("3", "month") == typed("3", "gate"), plain(typed("3", "gate")), type_of(typed("3", "gate"))
    (False, '3', 'gate')
    """
    return f"{plain(name)}{TYPE_MARK}{type}"


def plain(name: str) -> str:
    """How people spell a constant: its name without its type."""
    return name.partition(TYPE_MARK)[0]


def type_of(name: str) -> str:
    """The declared type of a constant; empty where it has none."""
    return name.partition(TYPE_MARK)[2]


def spell_constant(name: str) -> str:
    """A constant as rules and queries write it.

    >>> print(spell_constant("alice"), spell_constant("Person27"), spell_constant("-0.117"))
    alice "Person27" "-0.117"
    """
    name = plain(name)
    return name if _CONSTANT.fullmatch(name) and not is_variable(name) else quoted(name)


def spell_given(name: str) -> str:
    """A constant as files of facts and answers write it, where a capital means nothing.

    >>> print(spell_given("Person27"), spell_given("-0.117"), spell_given("Old Carl"))
    Person27 -0.117 "Old Carl"
    """
    name = plain(name)
    return name if _GIVEN.fullmatch(name) else quoted(name)


def spell_number(text: str) -> str | None:
    """The one spelling of a number, whichever way it is written; None for what is no number.

    >>> print(spell_number("3.00"), spell_number("+02.50"), spell_number("1e3"), spell_number("-0"), spell_number("x"))
    3 2.5 1000 0 None
    """
    if _WHOLE.fullmatch(text):
        return text  # as most numbers of keys are
    if not _DIGITS.fullmatch(text):
        return None
    number = Decimal(text.strip())
    whole, digits = number.adjusted(), number.normalize(_EXACT)
    if not number:
        return "0"
    return f"{digits:f}" if -_SMALL < whole < _FAR else f"{digits:e}"


def spell_predicate(name: str) -> str:
    """A predicate's name as rules and queries write it.

    >>> print(spell_predicate("AdvisedBy"), spell_predicate("/people/born in"), spell_predicate("not"))
    AdvisedBy "/people/born in" "not"
    """
    return name if _NAME.fullmatch(name) and name not in RESERVED else quoted(name)


def folded(name: str) -> str:
    """What spellings of one name have in common: case, underscores, hyphens and blanks do not count.

    >>> folded("protein_class") == folded("ProteinClass") == folded("protein class")
    True
    """
    return _BETWEEN_WORDS.sub("", name).casefold()


def quoted(name: str) -> str:
    """A name in double quotes, with the escapes of JSON."""
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(name, ensure_ascii=False))
