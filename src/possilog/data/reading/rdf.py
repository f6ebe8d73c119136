"""RDF: lines of N-Triples, read here, and Turtle, which rdflib reads.

A triple is a fact of its predicate. IRIs are names without their brackets, blank nodes are names that begin with
``_:``, and of a literal the text counts: its language and type are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from logging import LogRecord, getLogger

from possilog.data.reading.intake import Intake
from possilog.data.reading.text import pieces
from possilog.errors import FormatError, MissingPart, RowError, shortened

__all__ = ["add_rdf", "read_ntriples", "read_turtle"]

_IRI = r"<([^\x00-\x20<>\"{}|^`]*+)>"
_BLANK = r"(_:[\w][\w.\-·]*+(?<!\.))"
_LITERAL = r"\"((?:[^\"\\\n\r]|\\.)*+)\"(?:@[a-zA-Z]++(?:-[a-zA-Z0-9]++)*+|\^\^<[^\x00-\x20<>]*+>)?"
_SPACE = r"[ \t]*+"
_TRIPLE = re.compile(
    rf"{_SPACE}(?:{_IRI}|{_BLANK}){_SPACE}{_IRI}{_SPACE}(?:{_IRI}|{_BLANK}|{_LITERAL}){_SPACE}\.{_SPACE}(?:#.*)?"
)
_NOTHING = re.compile(r"[ \t\r]*+(?:#.*)?")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_SHORT = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", '"': '"', "'": "'", "\\": "\\"}
_LAST = 0x10FFFF
_BATCH = 20_000

_WRONG = (SyntaxError, ValueError, LookupError, TypeError, AttributeError, AssertionError, RecursionError)
"""rdflib says what is wrong by errors of many kinds, and stumbles over some of it."""


def read_ntriples(text: str, source: str, intake: Intake) -> None:
    """Add the facts of a text in N-Triples."""
    for first_line, piece in pieces(text):
        names: list[str] = []
        heads: list[str] = []
        tails: list[str] = []
        lines: list[int] = []
        for line, row in enumerate(piece[:-1].split("\n"), start=first_line):
            found = _TRIPLE.fullmatch(row)
            if found is None:
                if _NOTHING.fullmatch(row):
                    continue
                raise RowError(
                    f"{source}:{line}: {shortened(row)!r} is no triple; a line is <subject> <predicate> <object> ."
                )
            subject, blank, predicate, iri, other_blank, literal = found.groups()
            head = subject if blank is None else blank
            tail = iri if iri is not None else other_blank if literal is None else literal
            for cells, cell in ((names, predicate), (heads, head), (tails, tail)):
                cells.append(_unescaped(cell, source, line) if "\\" in cell else cell)
            lines.append(line)
        if names:
            intake.add(names, [heads, tails], lines, source, missing="")


def _unescaped(text: str, source: str, line: int) -> str:
    def character(found: re.Match[str]) -> str:
        short, long, other = found.groups()
        number = int(short or long, 16) if other is None else 0
        if number > _LAST or 0xD800 <= number < 0xE000 or (other is not None and other not in _SHORT):
            raise RowError(f"{source}:{line}: {found[0]!r} stands for no character; write one that does")
        return _SHORT[other] if other is not None else chr(number)

    return _ESCAPE.sub(character, text)


def read_turtle(text: str, source: str, intake: Intake) -> None:
    """Add the facts of a text in Turtle; needs ``possilog[rdf]``."""
    try:
        from rdflib import Graph
        from rdflib.exceptions import Error
        from rdflib.store import Store
    except ImportError:
        raise MissingPart("Turtle files need rdflib; install it with: pip install 'possilog[rdf]'") from None

    class Passing(Store):
        """Keeps no triples, which would take a kilobyte each, but hands them on."""

        def add(self, triple: tuple[object, object, object], context: object, quoted: bool = False) -> None:
            read.append(_names(triple))
            if len(read) == _BATCH:
                _hand_on(read, source, intake)

    read: list[tuple[str, str, str]] = []
    graph, remarks = Graph(Passing(), bind_namespaces="none"), getLogger("rdflib.term")
    remarks.addFilter(_nothing)  # on IRIs that are odd: names are names
    try:
        graph.parse(data=text, format="turtle")
    except (Error, *_WRONG) as error:
        raise FormatError(f"{source}: it is no Turtle ({shortened(str(error))}); mend it, or write N-Triples") from None
    finally:
        remarks.removeFilter(_nothing)
    _hand_on(read, source, intake)


def _hand_on(read: list[tuple[str, str, str]], source: str, intake: Intake) -> None:
    intake.add_triples(read, source)
    read.clear()


def _nothing(record: LogRecord) -> bool:
    return False


def add_rdf(triples: Iterable[tuple[object, object, object]], source: str, intake: Intake) -> None:
    """Add triples of rdflib."""
    intake.add_triples(map(_names, triples), source)


def _names(triple: tuple[object, object, object]) -> tuple[str, str, str]:
    """The predicate, then its arguments."""
    head, relation, tail = triple
    return _name(relation), _name(head), _name(tail)


def _name(term: object) -> str:
    return f"_:{term}" if type(term).__name__ == "BNode" else str(term)
