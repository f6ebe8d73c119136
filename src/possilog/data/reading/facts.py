"""Ground atoms, as Alchemy's ``.db`` files and Prolog programs write them.

A line holds ``Pred(Const1, Const2)``, with or without a full stop; a predicate without arguments stands alone or with
``()``. Every argument is a constant, bare or quoted. ``//``, ``%`` and ``#`` begin comments that end with the line, and
``/* */`` encloses others.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat

from possilog.data.reading.intake import Intake
from possilog.data.reading.text import pieces
from possilog.errors import LanguageError, shortened
from possilog.logic import Constant, Literal, Term
from possilog.logic.conditions import read_atom
from possilog.logic.parsing import NEGATIONS
from possilog.logic.spelling import NAME
from possilog.logic.tokens import MAX_ARGUMENTS, Reader

__all__ = ["read_facts", "read_literals"]

# Signs and points belong to bare constants here, though not in rules: a file of facts has numbers, and no arithmetic.
_BARE = r"[\w+-][\w.:+-]*+"
_BARE_CONSTANT = re.compile(_BARE)
# Answer set programs mean several facts by q(1..3), and have statements that begin with the mark of a comment.
_INTERVAL = re.compile(r"[+-]?\w+\.\.[+-]?\w+")
# They also compute: there 3-1 is 2, and 2020-01-05 is 2014. In other files that is a name like any other.
_SUM = re.compile(r"[+-]?\d+(?:[+-]+\d+)+")
_PROGRAMS = ".lp", ".lp.gz"
_DIRECTIVE = re.compile(r"\s*+#(?:const\b[^=]*=|include\s*[\"<]|external\b|script\b)")
_SIMPLE = rf'(?:{_BARE}|"[\w.:+-]*+")'
_BEGINNING = rf"[ \t]*+(?!(?:true|false|not)\b)({NAME}+)\("
_MORE = f"{{0,{MAX_ARGUMENTS - 1}}}+"  # arguments after the first; a longer line is read with care, which refuses it
_END = r"[ \t]*+\)[ \t]*+\.?[ \t]*+"
# A line that is nothing but one simple fact, or any line. Nothing is tried twice (the + after a * or + says so), so no
# line takes long.
_LINE = re.compile(rf"{_BEGINNING}([ \t]*+{_SIMPLE}(?:[ \t]*+,[ \t]*+{_SIMPLE}){_MORE}){_END}\n|(.*)\n")
_NO_DIRECTIVE = "a fact: write out what the program means by this, or put a blank after # if it is a comment"
_ANY_LINE = re.compile(r"()()(.*)\n")
_EXAMPLE = re.compile(r"(pos|neg)\s*+\(\s*+(?=\w[\w-]*+\s*+\()")
_WITHOUT = str.maketrans("", "", ' \t"')

# A line with one fact whose quoted constants hold anything but escapes.
_ARGUMENT = re.compile(rf'[ \t]*+(?:"([^"\\\n]*+)"|({_BARE}))')
_ANY = rf'[ \t]*+(?:"[^"\\\n]*+"|{_BARE})'
_QUOTED_FACT = re.compile(rf"{_BEGINNING}({_ANY}(?:[ \t]*+,{_ANY}){_MORE}){_END}")

# All up to a comment, in one step. A quote that is never closed takes the rest of its line, which is no fact anyway:
# to look for a comment after it would mean to read the line again from every quote.
_QUOTED = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?' r"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
_BEFORE_COMMENT = re.compile(rf"(?:[^\"'/%#]++|/(?!/)|{_QUOTED})*+")
_BEFORE_BLOCK = re.compile(rf"(?:[^\"'/%#]++|/(?![/*])|{_QUOTED}|(?://|%|#).*+)*+")


@dataclass(slots=True)
class _Batch:
    """Facts of one arity: their predicates, all their constants one after the other, and their lines."""

    names: list[str] = field(default_factory=list)
    constants: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)

    def add(self, name: str, constants: list[str], line: int) -> None:
        self.names.append(name)
        self.constants.extend(constants)
        self.lines.append(line)


def read_facts(text: str, source: str, intake: Intake, *, are_false: bool) -> None:
    """Add the facts of a text; negated ones are kept apart, and all of them where it lists what is false."""
    if are_false:
        intake.denied += [literal.atom for literal in read_literals(text, source)]
        return
    for first_line, piece in pieces(_without_blocks(text, source)):
        names, arguments, others = zip(*_lines(piece, source).findall(piece), strict=True)
        lines = range(first_line, first_line + len(names))
        batches = _simple_facts(names, arguments, lines)
        if any(others):
            for line, other in compress(zip(lines, others, strict=True), others):
                _add_with_care(batches, other, line, source, intake)
        for arity, batch in batches.items():
            columns = [batch.constants[place::arity] for place in range(arity)]
            intake.builder.add_columns(batch.names, columns, batch.lines, source)


def _lines(piece: str, source: str) -> re.Pattern[str]:
    """How to cut a piece into lines: where there may be an interval or a sum, every line is read with care."""
    return _ANY_LINE if _may_compute(piece, source) else _LINE


def _may_compute(text: str, source: str) -> bool:
    return ".." in text or (source.endswith(_PROGRAMS) and _SUM.search(text) is not None)


def _simple_facts(names: Sequence[str], arguments: Sequence[str], lines: range) -> dict[int, _Batch]:
    """The facts of those lines that have a name here, taken apart all at once for each arity."""
    batches = {}
    commas = list(map(str.count, arguments, repeat(",")))
    for count in set(compress(commas, names)):
        chosen = [count == other and name != "" for name, other in zip(names, commas, strict=True)]
        constants = ",".join(compress(arguments, chosen)).translate(_WITHOUT).split(",")
        batches[count + 1] = _Batch(list(compress(names, chosen)), constants, list(compress(lines, chosen)))
    return batches


def read_literals(text: str, source: str) -> Iterator[Literal]:
    """All facts of a text, and the negated ones among them: evidence may also say what is false."""
    for number, line in enumerate(_without_blocks(text, source).split("\n"), start=1):
        yield from _literals(line, source, number)


def _add_with_care(batches: dict[int, _Batch], line: str, number: int, source: str, intake: Intake) -> None:
    quoted = _QUOTED_FACT.fullmatch(line) if not _may_compute(line, source) else None
    if quoted:
        constants = [text or bare for text, bare in _ARGUMENT.findall(quoted[2])]
        batches.setdefault(len(constants), _Batch()).add(quoted[1], constants, number)
        return
    for literal in _literals(line, source, number):
        if literal.positive:
            constants = [term.name for term in literal.atom.arguments]
            batches.setdefault(len(constants), _Batch()).add(literal.atom.predicate.name, constants, number)
        else:
            intake.denied.append(literal.atom)


def _literals(line: str, source: str, number: int) -> Iterator[Literal]:
    """The facts of one line; between two of them there is a full stop."""
    fact = line[: _end(_BEFORE_COMMENT, line, 0)]
    if _DIRECTIVE.match(line):
        raise LanguageError(source, number, 1, found=json.dumps(shortened(line.strip())), expected=_NO_DIRECTIVE)
    reader = _FactReader(fact, source, all_constants=True, first_line=number)
    while not reader.at_end():
        example = reader.example()
        negated = example == "neg" or (not example and reader.token in NEGATIONS)
        if negated and not example:
            reader.advance()
        atom = read_atom(reader)
        if example:
            reader.expect(")", "')' after the example")
        yield Literal(atom, not negated)
        if not reader.take(".") and not reader.at_end():
            reader.fail("'.' or the end of the line" if atom.arguments else "'(', '.' or the end of the line")


class _FactReader(Reader):
    """Reads arguments as files of facts spell them."""

    def example(self) -> str:
        """Take the beginning of ``pos(atom)`` or ``neg(atom)``, which tools for inductive logic programming write."""
        found = _EXAMPLE.match(self.text, self.position)
        if not found:
            return ""
        self._move(found.end())
        return found[1]

    def argument(self) -> Term:
        found = _BARE_CONSTANT.match(self.text, self.position)
        if not found:
            return super().argument()
        if _INTERVAL.fullmatch(found[0]):
            self.fail("a constant: write the facts of an interval one by one, or quote it if it is a name")
        if self.source.endswith(_PROGRAMS) and _SUM.fullmatch(found[0]):
            self.fail("a constant: write the number that the program computes, or quote it if it is a name")
        self._move(found.end())
        return Constant(found[0])


def _without_blocks(text: str, source: str) -> str:
    """The text with blanks for ``/* */``, so that lines and columns stay where they are."""
    if "/*" not in text:
        return text
    parts, position = [], 0
    while (start := _end(_BEFORE_BLOCK, text, position)) < len(text):
        end = text.find("*/", start + 2) + 2
        if end < 2:
            line = text.count("\n", 0, start) + 1
            column = start - text.rfind("\n", 0, start)
            raise LanguageError(source, line, column, found="'/*'", expected="'*/' after the comment")
        parts += [text[position:start], re.sub("[^\n]+", _blanks, text[start:end])]
        position = end
    return "".join([*parts, text[position:]])


def _blanks(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _end(beginning: re.Pattern[str], text: str, position: int) -> int:
    """Where what matches at a position ends; it may be empty."""
    found = beginning.match(text, position)
    return found.end() if found else position
