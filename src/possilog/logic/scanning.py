"""A text read token by token, for every language that is read here: where it stands, and what is wrong there."""

from __future__ import annotations

import json
import re
from typing import ClassVar, NoReturn

from possilog.errors import LanguageError

__all__ = ["Scanner"]

_SHOWN = 30
_ENDS = {"": "the end of the text", "\n": "the end of the line"}


class Scanner:
    """A position in a text, the token there, and how to say what is wrong with it.

    A language says what is blank (a pattern that also matches nothing) and what a token is; at the end of the text the
    token is empty.
    """

    blank: ClassVar[re.Pattern[str]]
    tokens: ClassVar[re.Pattern[str]]

    def __init__(self, text: str, source: str, *, first_line: int = 1) -> None:
        """Begin at the first token of a text."""
        if not isinstance(text, str):
            raise LanguageError(source, 1, 1, found=f"a {type(text).__name__}", expected="text")
        self.text = text
        self.source = source
        self._first_line = first_line
        self._move(0)

    def _move(self, position: int) -> None:
        """Go to the first token at or after a position."""
        blank = self.blank.match(self.text, position)
        self.position = blank.end() if blank else position
        found = self.tokens.match(self.text, self.position)
        self.token = found[0] if found else ""

    def following(self) -> str:
        """The token after this one."""
        blank = self.blank.match(self.text, self.position + len(self.token))
        found = self.tokens.match(self.text, blank.end()) if blank else None
        return found[0] if found else ""

    def advance(self) -> str:
        """Take the token and go to the next one."""
        token = self.token
        self._move(self.position + len(token))
        return token

    def take(self, token: str) -> bool:
        """Take the token if it is this one."""
        if self.token != token:
            return False
        self.advance()
        return True

    def expect(self, token: str, expected: str) -> None:
        """Take the token, which has to be this one."""
        if not self.take(token):
            self.fail(expected)

    def fail(self, expected: str, *, at: int | None = None) -> NoReturn:
        """Raise the error that names the place, what is there, and what would be right."""
        position = self.position if at is None else at
        line = self.text.count("\n", 0, position) + self._first_line
        column = position - (self.text.rfind("\n", 0, position) + 1) + 1
        token = self.token if at is None else self.text[at : at + _SHOWN + 1].split("\n")[0]
        found = _ENDS.get(token) or json.dumps(token[:_SHOWN]) + ("…" if len(token) > _SHOWN else "")
        raise LanguageError(self.source, line, column, found=found, expected=expected)
