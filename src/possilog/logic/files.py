"""Theory files, read and written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType

from possilog.errors import LanguageError, TheoryError, shortened
from possilog.files import AnyPath, read_bytes, require_path, wide_encoding, write_atomically
from possilog.logic.clauses import Clause
from possilog.logic.measures import HeldOut
from possilog.logic.parsing import FORMAT, parse_theory
from possilog.logic.poss import looks_like_poss, parse_poss
from possilog.logic.provenance import Provenance
from possilog.logic.rule_files import looks_like_amie, looks_like_anyburl, parse_amie, parse_anyburl
from possilog.logic.theory import Theory
from possilog.logic.tokens import Reader
from possilog.requiring import require_kind

__all__ = ["read_theory", "theory_text", "write_theory"]

Notes = Mapping[Clause, str]

_OTHERS = (looks_like_poss, parse_poss), (looks_like_anyburl, parse_anyburl), (looks_like_amie, parse_amie)
"""How files that are not in our language begin, and how they are read."""


def read_theory(path: AnyPath) -> Theory:
    """Read a theory from a file, in our language or in the authors' ``.poss`` format; or rules of AnyBURL or AMIE.

    Parameters
    ----------
    path : str or path
        A text file in UTF-8.

    Returns
    -------
    Theory
        The rules by descending weight, and the weight of ⊥. Rules of AnyBURL and AMIE are judged rules, for ranking.

    Raises
    ------
    FileError
        If the file cannot be read.
    LanguageError
        If its text is wrong, or there is none; the error says where, and what would be right.
    TheoryError
        If the rules make no theory.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "birds.pl")
    ...     _ = path.write_text("0.9 :: flies(X) :- bird(X).")
    ...     read_theory(path)
    <Theory: 0 hard rules, 1 soft rule in 1 stratum>
    """
    require_path(path, "a theory")
    source = os.fspath(path)
    content = read_bytes(path)
    text = _decode(content, source)
    if not _says_anything(text):  # what the learner writes where it finds no rule says #format
        found = "nothing but comments" if text.strip() else "nothing"
        raise LanguageError(source, 1, 1, found=found, expected="rules, such as 0.9 :: flies(X) :- bird(X).")
    for looks, parse in _OTHERS:
        if looks(text):
            return parse(text, source)
    return parse_theory(text, source)


def write_theory(
    theory: Theory, path: AnyPath, *, provenance: Provenance | None = None, notes: Notes = MappingProxyType({})
) -> None:
    """Write a theory to a file, whole or not at all.

    Parameters
    ----------
    theory : Theory
        What is written, in our language.
    path : str or path
        The file, which is replaced if it is there.
    provenance : Provenance or None
        Where the theory is from; it is written as comments above the rules.
    notes : dict of Clause to str
        Comments after the rules of these clauses.

    Returns
    -------
    None

    Raises
    ------
    FileError
        If the file cannot be written.
    TheoryError
        If what is given is no theory.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "birds.pl")
    ...     write_theory(parse_theory("flies(X) :- bird(X)."), path)
    ...     print(path.read_text(), end="")
    #format 1.
    <BLANKLINE>
    % hard rules
    flies(X) :- bird(X).
    """
    require_path(path, "a theory")
    if not isinstance(theory, Theory):
        raise TheoryError(f"{shortened(repr(theory))} is not a theory; parse_theory makes one of text")
    require_kind("the comments", provenance, Provenance)
    require_kind("the notes", notes, Mapping)
    write_atomically(path, theory_text(theory, provenance, notes or {}).encode("utf-8", "backslashreplace"))


def theory_text(theory: Theory, provenance: Provenance | None, notes: Notes) -> str:
    """What stands in a theory's file: comments say where it is from, and what is noted on its clauses.

    The same theory, provenance and notes always make the same text.
    """
    parts = [str(provenance)] if provenance is not None else []
    # Whoever has an older possilog can read what needs nothing new.
    second = theory.types is not None or theory.measures is not None or theory.demoted or theory.judged
    third = theory.mapping is not None or theory.comparisons
    fourth = theory.aggregate is not None
    fifth = any(rule.held_out != HeldOut() for rule in theory.judged)
    sixth = theory.unlinked != HeldOut()
    seventh = theory.measures is not None and theory.measures.is_of_format_7
    needed = FORMAT if seventh else 6 if sixth else 5 if fifth else 4 if fourth else 3 if third else 2 if second else 1
    return "\n".join([*parts, f"#format {needed}.\n", theory.text(notes)])


def _says_anything(text: str) -> bool:
    """Is anything said there?"""
    blank = Reader.blank.match(text)
    return blank is None or blank.end() < len(text)


def _decode(content: bytes, source: str) -> str:
    wide = wide_encoding(content)
    if wide:
        expected = "text in UTF-8; save the file in that encoding"
        raise LanguageError(source, 1, 1, found=f"text in {wide.upper()}", expected=expected)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        line = before.count(b"\n") + 1
        column = error.start - (before.rfind(b"\n") + 1) + 1
        found = f"the byte 0x{content[error.start]:02x}"
        raise LanguageError(source, line, column, found=found, expected="text in UTF-8") from None
