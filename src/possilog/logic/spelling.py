"""How names are spelled in the text language: bare where they can be, in double quotes where they must.

In rules and queries a capital or an underscore begins a variable; every other argument is a constant. A predicate is
known by its place, so its name may begin with a capital.
"""

from __future__ import annotations

import json
import re

__all__ = [
    "NAME",
    "NUMBER",
    "RESERVED",
    "folded",
    "is_variable",
    "quoted",
    "spell_constant",
    "spell_given",
    "spell_predicate",
]

NAME = r"\w[\w-]*"
"""A bare name."""

NUMBER = r"\d+\.\d+(?:[eE][+-]?\d+)?(?![\w-])"
"""A bare number with a point; whole numbers are names already."""

RESERVED = frozenset({"false", "true", "not"})
"""Words that mean something else where a predicate could stand."""

_NAME = re.compile(NAME)
_BETWEEN_WORDS = re.compile(r"[_\-\s]")
_CONSTANT = re.compile(f"{NUMBER}|{NAME}")
_GIVEN = re.compile(r"[\w+-][\w.:+-]*")
# What would break a line or cannot be encoded goes into a quoted name as an escape.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def is_variable(name: str) -> bool:
    """Would this argument be read as a variable?

    >>> is_variable("X"), is_variable("_x"), is_variable("alice"), is_variable("7")
    (True, True, False, False)
    """
    return (name[:1].isupper() or name[:1] in ("_", "") or name[:1].istitle()) and _NAME.fullmatch(name) is not None


def spell_constant(name: str) -> str:
    """A constant as rules and queries write it.

    >>> print(spell_constant("alice"), spell_constant("Person27"), spell_constant("-0.117"))
    alice "Person27" "-0.117"
    """
    return name if _CONSTANT.fullmatch(name) and not is_variable(name) else quoted(name)


def spell_given(name: str) -> str:
    """A constant as files of facts and answers write it, where a capital means nothing.

    >>> print(spell_given("Person27"), spell_given("-0.117"), spell_given("Old Carl"))
    Person27 -0.117 "Old Carl"
    """
    return name if _GIVEN.fullmatch(name) else quoted(name)


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
