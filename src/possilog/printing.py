"""How things look in Python's own output."""

from __future__ import annotations

from possilog.errors import shortened

__all__ = ["Printed"]


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
