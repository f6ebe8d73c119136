"""The authors' own theory files (``.poss``), read and written.

A file has sections, each after a line of dashes: ``Hard rules:``, then levels ``Level -x`` where x is 1 - λ, and at the
end ``falsity weight: -x``. A line is a clause: the comma is "or", ``!`` is "not", and ``!@alldiff(..)`` is the guard
that every rule of ours has by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from possilog.errors import LanguageError
from possilog.logic.atoms import Atom, Literal
from possilog.logic.clauses import Clause
from possilog.logic.conditions import read_atom
from possilog.logic.parsing import MAX_LITERALS
from possilog.logic.theory import UNWEIGHED, Rule, Theory, read_from
from possilog.logic.tokens import Reader
from possilog.logic.weights import CERTAIN, Weight, shortest

__all__ = ["looks_like_poss", "parse_poss", "poss_text"]

_DASHES = re.compile(r"-{3,}\s*")
_WEIGHT_LINE = re.compile(r"(?P<word>Level|falsity weight:)\s+-?(?P<doubt>\S*)\s*")


def looks_like_poss(text: str) -> bool:
    """Does a text begin as the authors' files do?"""
    return re.match(r"\s*(-{3,}\s*\n|Hard rules:)", text) is not None


def parse_poss(text: str, source: str = "<text>") -> Theory:
    """Read a theory in the authors' format.

    >>> theory = parse_poss('''---------------------
    ... Hard rules:
    ... student(V1), !advisedBy(V1, V2)
    ... ---------------------
    ... Level -4.5E-6
    ... !tempAdvisedBy(V2, V0), Faculty(V0), !@alldiff(V0, V2, V3)
    ...
    ... falsity weight: -0.25
    ... ''')
    >>> print(*theory, theory.falsity, sep="\\n")
    student(V1) :- advisedBy(V1, V2).
    1-4.5e-6 :: Faculty(V0) :- tempAdvisedBy(V2, V0).
    0.75
    """
    rules: list[Rule] = []
    weight, falsity = CERTAIN, UNWEIGHED
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or _DASHES.fullmatch(line):
            continue
        if line.strip() == "Hard rules:":
            weight = CERTAIN
            continue
        found = _WEIGHT_LINE.fullmatch(line)
        if not found:
            rules.append(Rule(_clause(line, source, number), weight))
        elif found["word"] == "Level":
            weight = _weight(found, source, number)
        else:
            falsity = _weight(found, source, number)
    with read_from(source):
        return Theory(tuple(rules), falsity)


def poss_text(theory: Theory) -> str:
    """A theory's rules and weights in the authors' format, which has no place for anything else.

    >>> print(poss_text(parse_poss("Hard rules:\\n!p(X), q(X)\\nLevel -0.1\\nq(X)\\nfalsity weight: -0.5")), end="")
    ---------------------
    Hard rules:
    q(X), !p(X), !@alldiff(X)
    ---------------------
    Level -0.1
    q(X), !@alldiff(X)
    ---------------------
    falsity weight: -0.5
    """
    lines = [_LINE, "Hard rules:", *_clauses(theory.hard)]
    for stratum in theory.strata:
        lines += [_LINE, f"Level -{shortest(stratum.weight.doubt)}", *_clauses(stratum.rules)]
    if theory.falsity != UNWEIGHED:
        lines += [_LINE, f"falsity weight: -{shortest(theory.falsity.doubt)}"]
    return "\n".join(lines) + "\n"


_LINE = "-" * 21


def _clauses(rules: Iterable[Rule]) -> Iterator[str]:
    """The rules without ⊥, which the format cannot say."""
    for clause in (rule.clause for rule in rules if not rule.clause.is_empty):
        literals = [str(literal.atom) if literal.positive else f"!{literal.atom}" for literal in clause.literals]
        guard = [f"!@alldiff({', '.join(map(str, clause.variables))})"] if clause.variables else []
        yield ", ".join([*literals, *guard])


def _weight(found: re.Match[str], source: str, line: int) -> Weight:
    try:
        return Weight.of_doubt(found["doubt"])
    except ValueError:
        column = found.start("doubt") + 1
        shown = f"{found['doubt'][:30]!r}"
        raise LanguageError(source, line, column, found=shown, expected="a number -(1-λ) from -1 to 0") from None


def _clause(line: str, source: str, number: int) -> Clause:
    reader = Reader(line, source, first_line=number)
    literals: list[Literal] = []
    guards: list[tuple[int, Atom]] = []
    while True:
        negated = reader.take("!")
        if negated and reader.take("@"):
            guards.append((reader.position, read_atom(reader)))
        else:
            literals.append(Literal(read_atom(reader), not negated))
        if not reader.take(","):
            break
        if len(literals) + len(guards) == MAX_LITERALS:
            reader.fail(f"at most {MAX_LITERALS} literals in a clause")
    if not reader.at_end():
        reader.fail("',' or the end of the line")
    clause = Clause.of(literals)
    for start, guard in guards:
        # A guard that leaves out a variable would mean something else than object identity.
        if guard.predicate.name != "alldiff" or not set(clause.variables) <= set(guard.variables):
            reader.fail("alldiff over all variables of the clause", at=start)
    return clause
