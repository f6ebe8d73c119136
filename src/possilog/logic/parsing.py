"""The text language, read: theories, rules, clauses, queries and atoms.

::

    theory   = [ "#format" number "." ] { statement "." }
    statement = rule | [ "#lock" ] "?" "::" clause | "#ban" [ weight "::" ] clause | type | measure | mapping
    rule     = [ "#lock" | "#pin" ] [ weight "::" | "#demoted" ] clause
    type     = "#type" name [ "(" [ "~" ] name { "," [ "~" ] name } ")" ]
    measure  = ( "#shares" | "#seen" | "#added" | "#given" ) numbers
             | "#dense" numbers ";" "weight" number
             | "#curve" number number { "," number number } ";" "taken" number
             | "#faultless" held-out | ( "#certain" | "#list" ) name "/" number "," held-out
             | "#measured" counts [ "," "units" number ] "," held-out [ "," "gains" numbers [ ";" "errors" numbers ] ]
               "::" clause
             | "#rank" counts [ "," held-out ] "::" clause | "#unlinked" held-out
             | "#aggregate" ( "maximum" | "noisy-or" | "fading" )
    numbers  = number { "," number }
    counts   = "true" number "," "false" number "," "nontrivial" number
    held-out = "right" number "," "said" number "," "of" number
    weight   = number | "1-" number
    clause   = "false" | [ head ] [ ":-" body ]
    head     = atom { ";" atom }           body = "true" | condition { "," condition }
    query    = literal { "," literal }     literal = [ "not" | "!" | "~" | "\\+" | "¬" ] condition
    atom     = name [ "(" [ argument { "," argument } ] ")" ]
    condition = atom | argument ( ">=" | "<" | ">" | "=<" | "<=" ) ( number | date | variable )
              | variable "=" variable | "|" variable "-" variable "|" "=<" number

``%`` begins a comment that ends with the line. There is no nesting, and every loop moves forward, so that no input can
exhaust the stack; the two limits below keep a senseless one from exhausting memory.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from possilog.choices import Aggregate
from possilog.errors import TheoryError
from possilog.logic.atoms import Atom, Literal, Predicate
from possilog.logic.canonical_forms import canonical
from possilog.logic.clauses import Clause, Query
from possilog.logic.conditions import SIGNS, read_atom, read_condition
from possilog.logic.mapping_parsing import MAPPING_WORDS, MappingDraft
from possilog.logic.measure_parsing import (
    read_aggregate,
    read_counts,
    read_curve,
    read_dense,
    read_held_out,
    read_measured,
    read_precision,
    read_shares,
)
from possilog.logic.measures import NOTHING_HELD_OUT, HeldOut, Judged, Measured, Measures, Precision
from possilog.logic.theory import DEMOTED, UNWEIGHED, Keep, Rule, Theory, read_from
from possilog.logic.tokens import MAX_ARGUMENTS, Reader
from possilog.logic.types import Types
from possilog.logic.weights import CERTAIN

__all__ = ["FORMAT", "parse_atom", "parse_clause", "parse_query", "parse_rule", "parse_theory"]

FORMAT = 7
"""The newest format of theory files that is read here. The second has types, demoted and judged rules, and measures;
the third says how tables are read; the fourth, how ranking takes rules together; the fifth, what held-out facts say of
the rules that only ranking uses; the sixth, what of them is about constants that no fact links; the seventh, how much
is said of each thing, on how many things rules rest, and what theories of other sizes gain."""

MAX_LITERALS = 10_000


_T = TypeVar("_T")


def parse_theory(text: str, source: str = "<text>") -> Theory:
    """Read a theory; the inverse of ``str(theory)``.

    Parameters
    ----------
    text : str
        Rules, each with a full stop; ``docs/language.md`` has the language.
    source : str
        What errors call the text, such as the name of a file.

    Returns
    -------
    Theory
        The rules by descending weight, and the weight of ⊥.

    Raises
    ------
    LanguageError
        If the text is wrong; it says where, and what would be right.
    TheoryError
        If the rules make no theory, as where one is banned and yet there.

    Examples
    --------
    >>> theory = parse_theory('''
    ...     student(S) :- advisedBy(S, P).       % hard rule
    ...     :- student(X), professor(X).         % hard constraint
    ...     0.93 :: advisedBy(S, P) :- publication(T, S), publication(T, P), professor(P).
    ...     0.40 :: false.                       % the certainty of ⊥
    ... ''')
    >>> len(theory.hard), len(theory.strata), str(theory.falsity)
    (2, 1, '0.4')
    """
    reader = Reader(text, source)
    _check_format(reader)
    draft = _Draft()
    while not reader.at_end():
        _statement(reader, draft)
    with read_from(source):
        return draft.theory()


class _Draft:
    """The statements of a theory, as they are read."""

    def __init__(self) -> None:
        self.rules: list[Rule] = []
        self.unplaced: list[Clause] = []
        self.banned: list[Clause] = []
        self.locked: list[Clause] = []
        self.falsity: Rule | None = None
        self.signatures: list[tuple[Predicate, tuple[str, ...]]] = []
        self.unsure: list[str] = []
        self.tables: dict[str, tuple[float, ...]] = {}
        self.dense: tuple[tuple[float, ...], float] = (), 0.0
        self.curve: tuple[tuple[tuple[int, float], ...], int] = (), 0
        self.faultless: HeldOut | None = None
        self.precisions: dict[str, dict[Predicate, Precision]] = {"#certain": {}, "#list": {}}
        self.measured: dict[Clause, Measured] = {}
        self.mapped = MappingDraft()
        self.judged: list[Judged] = []
        self.aggregate: Aggregate | None = None
        self.unlinked: HeldOut | None = None

    def theory(self) -> Theory:
        lowest = Rule(Clause(), UNWEIGHED) if self.falsity is None else self.falsity
        measures = None
        faultless = self.faultless or NOTHING_HELD_OUT
        certain, lists = (tuple(found.values()) for found in self.precisions.values())
        if any((self.tables, certain, self.measured, faultless.cases, lists, self.dense[0], self.curve[0])):
            shares, seen, added, given = (self.tables.get(word, ()) for word in _TABLES)
            listed = tuple(self.measured.values()), certain, faultless, given, lists
            measures = Measures(shares, seen, added, *listed, *self.dense, *self.curve)
        return Theory(
            tuple(self.rules),
            lowest.weight,
            tuple(self.unplaced),
            tuple(self.banned),
            tuple(self.locked),
            lowest.keep is Keep.PINNED,
            Types(tuple(self.signatures), tuple(dict.fromkeys(self.unsure))) if self.signatures else None,
            measures,
            self.mapped.mapping(),
            tuple(self.judged),
            self.aggregate,
            self.unlinked or NOTHING_HELD_OUT,
        )


_SHARES = ("#shares", "#seen")
_TABLES = (*_SHARES, "#added", "#given")
_WORDS = (
    *(
        "#lock",
        "#pin",
        "#ban",
        "#demoted",
        "#type",
        "#dense",
        "#curve",
        "#faultless",
        "#certain",
        "#list",
        "#measured",
        "#rank",
        "#aggregate",
        "#unlinked",
    ),
    *(*_TABLES, *MAPPING_WORDS),
)


def _statement(reader: Reader, draft: _Draft) -> None:
    start = reader.position
    if reader.take("#ban"):
        reader.weight()  # what the rule weighed before it was banned does not matter
        draft.banned.append(_ended(reader, _clause(reader)))
    elif reader.take("#type"):
        _type(reader, draft)
    elif reader.token in MAPPING_WORDS:
        draft.mapped.statement(reader)
    elif reader.token in _TABLES:
        word = reader.advance()
        if word in draft.tables:
            reader.fail(f"one line {word} in a theory", at=start)
        draft.tables[word] = read_shares(reader) if word in _SHARES else reader.numbers()
        reader.expect(".", "',' or '.'")
    elif reader.take("#dense"):
        if draft.dense[0]:
            reader.fail("one line #dense in a theory", at=start)
        draft.dense = read_dense(reader)
    elif reader.take("#curve"):
        if draft.curve[0]:
            reader.fail("one line #curve in a theory", at=start)
        draft.curve = read_curve(reader)
    elif reader.take("#faultless"):
        draft.faultless = _once(reader, "#faultless", draft.faultless, start)
    elif reader.token in ("#certain", "#list"):
        word = reader.advance()
        found = read_precision(reader)
        if draft.precisions[word].setdefault(found.predicate, found) is not found:
            reader.fail(f"one line {word} about {found.predicate}", at=start)
    elif reader.take("#measured"):
        measured = _measured(reader)
        if draft.measured.setdefault(canonical(measured.clause), measured) is not measured:
            reader.fail("one line #measured for each rule", at=start)
    elif reader.take("#aggregate"):
        if draft.aggregate is not None:
            reader.fail("one line #aggregate in a theory", at=start)
        draft.aggregate = read_aggregate(reader)
    elif reader.take("#unlinked"):
        draft.unlinked = _once(reader, "#unlinked", draft.unlinked, start)
    elif reader.take("#rank"):
        counts = read_counts(reader)
        held_out = read_held_out(reader) if reader.take(",") else NOTHING_HELD_OUT
        reader.expect("::", "'::' and the rule that is ranked by")
        draft.judged.append(Judged(_ended(reader, _clause(reader)), *counts, held_out))
    else:
        _rule_statement(reader, draft, start)


def _once(reader: Reader, word: str, before: HeldOut | None, start: int) -> HeldOut:
    """What was held out of all rules, where nothing was said of that before."""
    if before is not None:
        reader.fail(f"one line {word} in a theory", at=start)
    found = read_held_out(reader)
    reader.expect(".", "'.'")
    return found


def _rule_statement(reader: Reader, draft: _Draft, start: int) -> None:
    keep = _keep(reader)
    if keep is not Keep.PINNED and reader.take("?"):
        reader.expect("::", "'::' and the rule to be placed")
        draft.unplaced.append(_ended(reader, _clause(reader)))
        draft.locked += draft.unplaced[-1:] if keep is Keep.LOCKED else []
        return
    rule = _weighted(reader, keep)
    _ended(reader, rule.clause)
    if not (rule.clause.is_empty and not rule.is_hard):
        draft.rules.append(rule)
    elif rule.keep is Keep.LOCKED:
        reader.fail("a rule: ⊥ has its place; #pin keeps its weight", at=start)
    elif draft.falsity is None:
        draft.falsity = rule
    else:
        reader.fail("one weight of ⊥ for the whole theory", at=start)


def _type(reader: Reader, draft: _Draft) -> None:
    name = reader.name("a predicate's name")
    types: list[str] = []
    if reader.take("("):
        while not types or reader.take(","):
            unsure = reader.take("~")
            types.append(reader.name("the name of a type"))
            draft.unsure += types[-1:] if unsure else []
            if len(types) > MAX_ARGUMENTS:
                reader.fail(f"at most {MAX_ARGUMENTS} arguments of a predicate")
        reader.expect(")", "',' or ')'")
    reader.expect(".", "'(' or '.'")
    draft.signatures.append((Predicate(name, len(types)), tuple(types)))


def _measured(reader: Reader) -> Measured:
    counts, units, held_out, gains, errors = read_measured(reader)
    return Measured(_ended(reader, _clause(reader)), *counts, held_out, gains, errors, units)


def parse_rule(text: str, source: str = "<rule>") -> Rule:
    """Read one rule with or without a weight; the full stop may be left out.

    Parameters
    ----------
    text : str
        A rule such as ``0.9 :: flies(X) :- bird(X)``.
    source : str
        What errors call the text, such as the name of a file.

    Returns
    -------
    Rule
        The clause with its weight, which is 1 where none is written.

    Raises
    ------
    LanguageError
        If the text is wrong; it says where, and what would be right.

    Examples
    --------
    >>> print(parse_rule("1-4.5e-6 :: student(S) :- advisedBy(S, P)."))
    1-4.5e-6 :: student(S) :- advisedBy(S, P).
    """
    return _whole(Reader(text, source), _rule, "',' or the end of the rule")


def parse_clause(text: str, source: str = "<clause>") -> Clause:
    """Read one clause without a weight; the full stop may be left out.

    Parameters
    ----------
    text : str
        A clause such as ``flies(X) :- bird(X)``, or ``:- bird(X), bat(X)``.
    source : str
        What errors call the text, such as the name of a file.

    Returns
    -------
    Clause
        The clause as it was written.

    Raises
    ------
    LanguageError
        If the text is wrong; it says where, and what would be right.

    Examples
    --------
    >>> print(parse_clause("flies(X) :- bird(X)"))
    flies(X) :- bird(X).
    """
    return _whole(Reader(text, source), _clause, "',' or the end of the clause")


def parse_query(text: str, source: str = "<query>") -> Query:
    """Read a conjunction of literals; the full stop may be left out.

    Parameters
    ----------
    text : str
        Atoms and negated atoms with commas between them.
    source : str
        What errors call the text, such as the name of a file.

    Returns
    -------
    Query
        The question, which a ``Matcher`` answers.

    Raises
    ------
    LanguageError
        If the text is wrong; it says where, and what would be right.

    Examples
    --------
    >>> print(parse_query("R(X,Y), not P(Y)"))
    R(X, Y), not P(Y)
    """
    return _whole(Reader(text, source), _query, "',' or the end of the query")


def parse_atom(text: str, source: str = "<atom>") -> Atom:
    """Read an atom that is asked about: every argument is a constant, however it is spelled.

    Parameters
    ----------
    text : str
        An atom such as ``advisedBy(Ann, Bob)``.
    source : str
        What errors call the text, such as the name of a file.

    Returns
    -------
    Atom
        The ground atom.

    Raises
    ------
    LanguageError
        If the text is wrong; it says where, and what would be right.

    Examples
    --------
    >>> parse_atom("advisedBy(Person27, Person5)").is_ground
    True
    """
    return _whole(Reader(text, source, all_constants=True), read_atom, "the end of the atom")


def _whole(reader: Reader, part: Callable[[Reader], _T], expected: str) -> _T:
    """Read one thing, an optional full stop, and then nothing more."""
    result = part(reader)
    reader.take(".")
    if not reader.at_end():
        reader.fail(expected)
    return result


def _check_format(reader: Reader) -> None:
    """Take the number of the format, if it is given. What follows a newer one may look like anything."""
    if not reader.take("#format"):
        return
    if not re.fullmatch("[1-9][0-9]{0,8}", reader.token):
        reader.fail(f"the number of a format of theory files, like {FORMAT}")
    if int(reader.token) > FORMAT:
        raise TheoryError(
            f"{reader.source}: it is in format {reader.token} of theory files, and this possilog knows no format above "
            f"{FORMAT}; install a newer possilog"
        )
    reader.advance()
    reader.expect(".", "'.'")


def _ended(reader: Reader, clause: Clause) -> Clause:
    """Take the full stop after a clause."""
    reader.expect(".", "',' or '.'" if clause.body else "':-', ';' or '.'")
    return clause


def _rule(reader: Reader) -> Rule:
    return _weighted(reader, _keep(reader))


def _weighted(reader: Reader, keep: Keep) -> Rule:
    weight = DEMOTED if reader.take("#demoted") else reader.weight()
    return Rule(_clause(reader), CERTAIN if weight is None else weight, keep)


def _keep(reader: Reader) -> Keep:
    for keep in (Keep.LOCKED, Keep.PINNED):
        if reader.take(f"#{keep}"):
            return keep
    if reader.token.startswith("#") and reader.token != "#demoted":
        reader.fail(f"a rule, or one of {', '.join(_WORDS)}; #format comes first of all")
    return Keep.FREE


def _clause(reader: Reader) -> Clause:
    if reader.token == ":-":
        head: tuple[Atom, ...] = ()
    elif reader.take("false"):
        head = ()
    else:
        head = _atoms(reader, ";", _positive_atom)
    if not reader.take(":-") or reader.take("true"):
        return Clause(head)
    return Clause(head, _atoms(reader, ",", _positive_condition, len(head)))


def _atoms(reader: Reader, separator: str, read: Callable[[Reader], Atom], before: int = 0) -> tuple[Atom, ...]:
    atoms: list[Atom] = []
    while not atoms or reader.take(separator):
        atoms.append(read(reader))
        if before + len(atoms) > MAX_LITERALS:
            reader.fail(f"at most {MAX_LITERALS} literals in a clause")
    return tuple(atoms)


NEGATIONS = ("not", "!", "~", "¬", "\\+")
"""The signs that negate an atom."""


def _positive_atom(reader: Reader) -> Atom:
    if reader.token == "|" or reader.following() in SIGNS:
        reader.fail("an atom: a comparison stands in the body; write ':- ...' with the opposite comparison instead")
    return read_atom(_without_negation(reader))


def _positive_condition(reader: Reader) -> Atom:
    return read_condition(_without_negation(reader))


def _without_negation(reader: Reader) -> Reader:
    if reader.token in NEGATIONS:
        reader.fail(
            "an atom without negation: write a negated condition as one more alternative of the head, after ';'"
        )
    return reader


def _query(reader: Reader) -> Query:
    literals = [_literal(reader)]
    while reader.take(","):
        literals.append(_literal(reader))
        if len(literals) > MAX_LITERALS:
            reader.fail(f"at most {MAX_LITERALS} literals in a query")
    return Query(tuple(literals))


def _literal(reader: Reader) -> Literal:
    negated = reader.token in NEGATIONS
    if negated:
        reader.advance()
    return Literal(read_condition(reader), not negated)
