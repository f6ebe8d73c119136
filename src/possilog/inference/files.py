"""Files of sentences, read."""

from __future__ import annotations

import os

from possilog.errors import LanguageError
from possilog.files import AnyPath, read_bytes, require_path
from possilog.inference.words import Words, parse_words

__all__ = ["read_words"]


def read_words(path: AnyPath) -> Words:
    """Read templates of sentences from a file.

    Parameters
    ----------
    path : str or path
        A text file in UTF-8, with lines as ``parse_words`` reads them.

    Returns
    -------
    Words
        How atoms are said.

    Raises
    ------
    FileError
        If the file cannot be read.
    LanguageError
        If a line is no template.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "words.txt")
    ...     _ = path.write_text("bird: {0} has feathers")
    ...     read_words(path)
    <Words: 1 templates>
    """
    require_path(path, "sentences")
    source = os.fspath(path)
    content = read_bytes(path)
    try:
        return parse_words(content.decode("utf-8-sig"), source)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        found = f"the byte 0x{content[error.start]:02x}"
        raise LanguageError(source, line, 1, found=found, expected="text in UTF-8") from None
