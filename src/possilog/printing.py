"""How things look in Python's own output."""

from __future__ import annotations

from possilog.errors import shortened

__all__ = ["Printed", "percent", "plural"]


class Printed:
    """What prints as one line; in lists and at the prompt, that line with the kind of thing before it.

    >>> class Name(Printed):
    ...     def __str__(self) -> str:
    ...         return "Ann"
    >>> [Name()]
    [<Name: Ann>]
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {shortened(self)}>"


def plural(number: int, one: str, more: str = "") -> str:
    """A number of things, in words.

    >>> plural(1, "rule"), plural(2_000, "rule"), plural(0, "stratum", "strata")
    ('1 rule', '2,000 rules', '0 strata')
    """
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"


def percent(share: float) -> str:
    """A share, in words.

    >>> percent(0.947)
    '95 %'
    """
    return f"{100 * share:.0f} %"
