"""Files of sentences, read."""

from __future__ import annotations

import os

from possilog.errors import LanguageError
from possilog.files import AnyPath, read_bytes
from possilog.inference.words import Words, parse_words

__all__ = ["read_words"]


def read_words(path: AnyPath) -> Words:
    """Read templates of sentences from a file (see ``parse_words``)."""
    source = os.fspath(path)
    content = read_bytes(path)
    try:
        return parse_words(content.decode("utf-8-sig"), source)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{content[error.start]:02x}"
        raise LanguageError(source, line, 1, found=found, expected="text in UTF-8") from None
