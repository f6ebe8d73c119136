"""Every error that possilog raises, in one tree.

::

    PossilogError
    ├── FileError          a file that cannot be read or written
    ├── LanguageError      text that is not a theory, a rule, a query or an atom
    ├── DataError          facts that cannot be taken or written as they are
    │   ├── ArityError     one predicate with two arities
    │   ├── RowError       a line or row of the wrong shape
    │   ├── EncodingError  bytes that are not the text they should be
    │   └── FormatError    a file or object whose format is unknown or cannot hold the facts
    ├── MissingPart        something optional is not installed
    ├── QueryError         a question that cannot be asked of this data
    ├── RemoteError        a database server or a cluster that does not answer, or refuses
    └── TheoryError        rules and weights that make no theory
        └── LogicError     what makes no term, atom, clause, rule or weight; also a ValueError

    DataWarning            facts that were taken, or left out, with a remark
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

__all__ = [
    "LONGEST_MESSAGE",
    "ArityError",
    "DataError",
    "DataWarning",
    "EncodingError",
    "FileError",
    "FormatError",
    "LanguageError",
    "LogicError",
    "MissingPart",
    "PossilogError",
    "QueryError",
    "RemoteError",
    "RowError",
    "TheoryError",
    "listed",
    "represented",
    "shortened",
]

_LONGEST = 100
LONGEST_MESSAGE = 4_000
"""Characters, of one thing in a message and of a whole message."""


class PossilogError(Exception):
    """The root: catch this to catch whatever possilog says no to. No message is long, whatever it is about."""

    def __str__(self) -> str:
        return shortened(super().__str__(), LONGEST_MESSAGE)


class FileError(PossilogError):
    """A file that cannot be read or written."""


class LanguageError(PossilogError):
    """Text that does not belong to the language, with its place and what would be right.

    >>> print(LanguageError("theory.pl", 3, 14, found="')'", expected="an argument"))
    theory.pl:3:14: found ')', expected an argument
    """

    def __init__(self, source: str, line: int, column: int, *, found: str, expected: str) -> None:
        super().__init__(f"{source}:{line}:{column}: found {found}, expected {expected}")
        self.source = source
        self.line = line
        self.column = column
        self.found = found
        self.expected = expected

    def __reduce__(self) -> tuple[object, ...]:
        # Keyword arguments do not survive the default pickling of exceptions; workers send errors home.
        return (_language_error, (self.source, self.line, self.column, self.found, self.expected))


def _language_error(source: str, line: int, column: int, found: str, expected: str) -> LanguageError:
    return LanguageError(source, line, column, found=found, expected=expected)


class DataError(PossilogError):
    """Facts that cannot be taken or written as they are."""


class ArityError(DataError):
    """One predicate with two arities."""


class RowError(DataError):
    """A line or row of the wrong shape."""


class EncodingError(DataError):
    """Bytes that are not the text they should be."""


class FormatError(DataError):
    """A file or object whose format is unknown, or cannot hold the facts."""


class MissingPart(PossilogError):
    """Something optional that is not installed; the message says how to install it."""


class QueryError(PossilogError):
    """A question that cannot be asked of this data."""


class RemoteError(PossilogError):
    """A database server or a cluster that does not answer, or refuses."""


class TheoryError(PossilogError):
    """Rules and weights that make no theory."""


class LogicError(TheoryError, ValueError):
    """What makes no term, atom, clause, rule or weight; Python programs may also expect a ValueError there."""

    @classmethod
    def taking(cls, what: str, given: object) -> LogicError:
        """The error for something of another kind: what is taken, and what was given instead."""
        return cls(f"{what}, and not {shortened(repr(given))}")


class DataWarning(UserWarning):
    """Facts that were taken, or left out, with a remark: counted, with the first place."""

    def __str__(self) -> str:
        return shortened(super().__str__(), LONGEST_MESSAGE)


def listed(items: Iterable[object], most: int = 3) -> str:
    """The first few, and how many more: no message grows with what it is about.

    >>> listed(["a", "b"]), listed(range(9_999))
    ('a, b', '0, 1, 2 and 9,996 more')
    """
    rest = iter(items)
    said = ", ".join(shortened(item) for item in islice(rest, most))
    more = sum(1 for _ in rest)
    return f"{said} and {more:,} more" if more else said


def represented(thing: object) -> str:
    """How a value is written, shortened; it may have more levels inside each other than Python can write.

    >>> represented(["a", 1])
    "['a', 1]"
    """
    try:
        return shortened(repr(thing))
    except RecursionError:
        return f"a {type(thing).__name__} of too many levels"


def shortened(thing: object, longest: int = _LONGEST) -> str:
    """How something reads, with the middle left out where it is long.

    >>> shortened("a" * 1_000, 10)
    'aaaaa…aaaaa (990 characters left out)'
    """
    text = str(thing)
    left_out = len(text) - longest
    if left_out <= 0:
        return text
    return f"{text[: longest // 2]}…{text[-(longest // 2) :]} ({left_out:,} characters left out)"
