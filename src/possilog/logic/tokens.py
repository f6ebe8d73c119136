"""Our own language, token by token: names, terms, weights and numbers."""

from __future__ import annotations

import json
import re

from possilog.logic.atoms import Constant, Term, Variable
from possilog.logic.scanning import Scanner
from possilog.logic.spelling import NAME, NUMBER, TYPE_MARK, is_variable
from possilog.logic.weights import DIGITS, Weight

__all__ = ["LARGEST", "MAX_ARGUMENTS", "Reader"]

MAX_ARGUMENTS = 1_000

LARGEST = 1e12
"""No number of a theory file is larger: sums and products of such numbers are exact enough, and never infinite."""

# As long as a weight may be, and no longer: what is not a weight must not be read to the end of the text at every rule.
_WEIGHT = re.compile(rf"((?:1[ \t]*-[ \t]*)?[0-9.][0-9.eE+-]{{0,{DIGITS + 10}}})\s*::")
_NUMBER = re.compile(r"-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?")
_BOUND = re.compile(r"\d{4}-\d\d-\d\d(?![\w-])|-?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?(?!\w)")
_FRESH = re.compile(r"\b_[0-9]+\b")


class Reader(Scanner):
    """Our own language, token by token."""

    blank = re.compile(r"(?:\s|%[^\n]*+)*+")
    # What has been matched of a quoted name is never matched again in another way (*+), or a long one would take for
    # ever.
    tokens = re.compile(
        rf'{NUMBER}|{NAME}|#\w+|"(?:[^"\\\n]++|\\.)*+"|' r"'(?:[^'\\\n]++|\\.)*+'|::|:-|\\\+|>=|=<|<=|[^\s\w]"
    )

    def __init__(self, text: str, source: str, *, all_constants: bool = False, first_line: int = 1) -> None:
        super().__init__(text, source, first_line=first_line)
        self._all_constants = all_constants
        self._fresh: set[str] | None = None

    def at_end(self) -> bool:
        """Is nothing left?"""
        return not self.token

    def weight(self) -> Weight | None:
        """Take a weight and its ``::`` if they are here."""
        found = _WEIGHT.match(self.text, self.position)
        if not found:
            return None
        try:
            weight = Weight.parse(re.sub(r"[ \t]", "", found[1]))
        except ValueError:
            self.fail("a weight from 0 to 1, like 0.93 or 1-4.5e-6")
        self._move(found.end())
        return weight

    def number(self) -> float:
        """Take a number; -0 is 0."""
        found = _NUMBER.match(self.text, self.position)
        if not found:
            self.fail("a number")
        number = float(found[0]) + 0.0
        if abs(number) > LARGEST:
            self.fail(f"a number of at most {LARGEST:,.0f}")
        self._move(found.end())
        return number

    def bound(self) -> str:
        """Take what constants are compared with: a number or a date, bare or quoted."""
        if self.token[:1] in ('"', "'"):
            return self.name("a number or a date")
        found = _BOUND.match(self.text, self.position)
        if not found:
            self.fail("a number or a date, like 15, -0.5 or 2013-01-05")
        self._move(found.end())
        return found[0]

    def whole(self) -> int:
        """Take a whole number, 0 or more."""
        start = self.position
        number = self.number()
        if number != int(number) or number < 0:
            self.fail("a whole number, 0 or more", at=start)
        return int(number)

    def numbers(self, least: float = -LARGEST, most: float = LARGEST, expected: str = "") -> tuple[float, ...]:
        """Take some numbers with commas between them, each between two others."""
        found: list[float] = []
        while not found or self.take(","):
            start = self.position
            found.append(self.number())
            if not least <= found[-1] <= most:
                self.fail(expected, at=start)
            if len(found) > MAX_ARGUMENTS:
                self.fail(f"at most {MAX_ARGUMENTS} numbers")
        return tuple(found)

    def name(self, expected: str) -> str:
        """Take a name, bare or quoted."""
        token = self.token
        if token[:1] in ('"', "'") and len(token) > 1:
            name = self._unquoted(token)
        elif token[:1] == "_" or token[:1].isalnum():
            name = token
        elif token in ('"', "'"):
            self.fail("a name with its closing quote on the same line")
        else:
            self.fail(expected)
        if TYPE_MARK in name:
            self.fail("a name without U+FDD0, which no text holds")
        self.advance()
        return name

    def _unquoted(self, token: str) -> str:
        inner = token[1:-1] if token[0] == '"' else token[1:-1].replace("\\'", "'").replace('"', '\\"')
        if "\\" not in inner:
            return inner
        try:
            return str(json.loads(f'"{inner}"', strict=False))
        except ValueError:
            self.fail('a quoted name whose escapes are those of JSON, like "a \\"b\\" \\u00e9"')

    def argument(self) -> Term:
        """Take a variable or a constant."""
        quoted = self.token[:1] in ('"', "'")
        kinds = "a constant or a quoted constant"
        name = self.name(f"an argument: {kinds if self._all_constants else 'a variable, ' + kinds}")
        if quoted or self._all_constants or not is_variable(name):
            return Constant(name)
        return Variable(self._fresh_name() if name == "_" else name)

    def _fresh_name(self) -> str:
        """Each ``_`` is a variable of its own; it gets a name that the text does not use."""
        if self._fresh is None:
            self._fresh = set(_FRESH.findall(self.text))
        number = len(self._fresh) + 1
        while f"_{number}" in self._fresh:
            number += 1
        self._fresh.add(f"_{number}")
        return f"_{number}"
