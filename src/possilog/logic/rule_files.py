"""Rules of AnyBURL and AMIE: files of lines with a rule and how often it is right, read and written.

AnyBURL writes ``predictions TAB support TAB confidence TAB h(X,Y) <= b(X,A), c(A,Y)``: variables are single capitals,
all else is a constant. AMIE writes ``?a  b  ?c  ?c  d  ?e   => ?a  h  ?e`` and, with tabs between, head coverage,
standard and PCA confidence, positive examples, body size, PCA body size and more; ``?`` begins a variable. Both speak
of predicates with two arguments. Their counts are those of ranking rules; what PCA does not count as false is trivial.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeVar

from possilog.errors import FormatError, LanguageError, shortened
from possilog.logic.atoms import Atom, Constant, Predicate, Term, Variable, variables_of
from possilog.logic.canonical_forms import canonical, forms_beside
from possilog.logic.clauses import Clause
from possilog.logic.measures import Judged
from possilog.logic.theory import Theory, read_from

__all__ = [
    "amie_text",
    "anyburl_text",
    "counted_rules",
    "looks_like_amie",
    "looks_like_anyburl",
    "parse_amie",
    "parse_anyburl",
]

MOST_ATOMS = 1_000

_T = TypeVar("_T")

_ANYBURL_LINE = re.compile(r"\s*\d+\t\d+\t[-+.\deE]+\t[^\n]*<=")
_AMIE_HEADER = "Rule\tHead Coverage\tStd Confidence\tPCA Confidence\tPositive Examples\tBody size\tPCA Body size"
_AMIE_COUNTS = slice(4, 7)
_LONGEST = 100_000
"""Characters of a file that are looked at for the first lines."""

_LETTERS = "XYABCDEFGHIJKLMNOPQRSTUVWZ"


def looks_like_anyburl(text: str) -> bool:
    """Does a text begin as AnyBURL's files do?"""
    return _ANYBURL_LINE.match(text) is not None


def looks_like_amie(text: str) -> bool:
    """Does a text begin as AMIE's files do, or as what AMIE prints, which tells of its work above the rules?"""
    begin = text.lstrip()[:_LONGEST]
    rule, _, numbers = begin.partition("\n")[0].partition("\t")
    is_rule = " => " in rule and re.match(r"[-+.\d]", numbers) is not None
    return is_rule or "\nRule\tHead Coverage\t" in f"\n{begin}"


# Reading


def parse_anyburl(text: str, source: str = "<text>") -> Theory:
    """The rules of AnyBURL, for ranking.

    >>> theory = parse_anyburl("10\\t8\\t0.8\\tspeaks(X,Y) <= bornIn(X,A), language(A,Y)")
    >>> print(theory.judged[0])
    #rank true 8, false 2, nontrivial 2 :: speaks(X, Y) :- bornIn(X, A), language(A, Y).
    """
    return _theory(text, source, _anyburl_rule)


def parse_amie(text: str, source: str = "<text>") -> Theory:
    """The rules of AMIE, for ranking.

    >>> line = "?a  bornIn  ?c  ?c  language  ?b   => ?a  speaks  ?b\\t0.5\\t0.8\\t0.9\\t8\\t10\\t9"
    >>> print(parse_amie(line).judged[0])
    #rank true 8, false 2, nontrivial 1 :: speaks(A, B) :- bornIn(A, C), language(C, B).
    """
    return _theory(text, source, _amie_rule)


def _theory(text: str, source: str, read: Callable[[str], Judged | None]) -> Theory:
    judged = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rule = read(line.removesuffix("\r"))
        except ValueError as error:
            raise LanguageError(source, number, 1, found=f"{shortened(line)!r}", expected=str(error)) from None
        judged += [] if rule is None else [rule]
    with read_from(source):
        return Theory(judged=tuple(judged))


def _anyburl_rule(line: str) -> Judged:
    cells = line.split("\t", 3)
    if len(cells) < 4 or "<=" not in cells[3]:
        raise ValueError("predictions, support, confidence and a rule like h(X,Y) <= b(X,A), c(A,Y), with tabs between")
    covered, true = _whole(cells[0]), _whole(cells[1])
    head, _, body = cells[3].partition("<=")
    atoms = [_anyburl_atom(part) for part in _few(re.split(r"(?<=\)),\s", body.strip())) if part]
    return _judged(_anyburl_atom(head), atoms, true, covered, covered)


def _anyburl_atom(text: str) -> Atom:
    """An atom; names are written as they are, so the commas and parentheses of a name are told from others by a guess.

    A variable is one capital, which no comma belongs to.
    """
    relation, _, inside = text.strip().partition("(")
    inside = inside.removesuffix(")") if inside.endswith(")") else ""
    if re.match("[A-Z],.", inside, re.DOTALL):
        arguments = [inside[0], inside[2:]]
    elif re.fullmatch(".,[A-Z]", inside[-3:], re.DOTALL):
        arguments = [inside[:-2], inside[-1]]
    else:
        arguments = inside.split(",", 2)
    if not relation or len(arguments) != 2 or not all(arguments):
        raise ValueError("atoms like r(X,Y), with two arguments each")
    return Predicate(relation, 2)(*map(_anyburl_term, arguments))


def _anyburl_term(name: str) -> Term:
    return Variable(name) if re.fullmatch("[A-Z]", name) else Constant(name)


def _amie_rule(line: str) -> Judged | None:
    rule, *cells = line.split("\t")
    if "=>" not in rule:
        # Above the rules AMIE says what it does, and below them how long it took.
        if len(cells) > 2 and rule.strip() != "Rule":
            raise ValueError("a rule like  ?a  b  ?c   => ?a  h  ?c")
        return None
    body, _, head = rule.partition("=>")
    numbers = cells[_AMIE_COUNTS.start - 1 : _AMIE_COUNTS.stop - 1]
    if len(numbers) < 2:
        raise ValueError("head coverage, two confidences, positive examples and body size after the rule, with tabs")
    true, covered = _whole(numbers[0]), _whole(numbers[1])
    pca = _whole(numbers[2]) if len(numbers) > 2 and re.fullmatch(r"\s*\d+(?:\.0*)?\s*", numbers[2]) else covered
    heads = _amie_atoms(head)
    if len(heads) != 1:
        raise ValueError("one atom after =>")
    return _judged(heads[0], _amie_atoms(body), true, covered, pca)


def _amie_atoms(text: str) -> list[Atom]:
    terms = re.split(r"\s{2,}", text.strip()) if text.strip() else []
    if len(terms) % 3:
        terms = text.split()
    if len(terms) % 3:
        raise ValueError("atoms of three words each, with two blanks between")
    triples = zip(terms[0::3], terms[1::3], terms[2::3], strict=True)
    return [Predicate(relation, 2)(_amie_term(one), _amie_term(two)) for one, relation, two in _few(triples)]


def _amie_term(word: str) -> Term:
    name = re.fullmatch(r"\?_?([A-Za-z]\w*)", word)
    return Variable(name[1][0].upper() + name[1][1:]) if name else Constant(word)


def _few(parts: Iterable[_T]) -> list[_T]:
    listed = list(parts)
    if len(listed) > MOST_ATOMS:
        raise ValueError(f"at most {MOST_ATOMS} atoms in a body")
    return listed


def _whole(text: str) -> int:
    found = re.fullmatch(r"\s*(\d{1,18})(?:\.0*)?\s*", text)
    if found is None:
        raise ValueError("a whole number of predictions")
    return int(found[1])


def _judged(head: Atom, body: list[Atom], true: int, covered: int, guarded: int) -> Judged:
    if not true <= guarded <= covered:
        raise ValueError("at most as many true predictions as there are any")
    return Judged(Clause((head,), tuple(body)), true, covered - true, guarded - true)


# Writing


def anyburl_text(theory: Theory) -> str:
    """The theory's rules with counts, as AnyBURL writes them; FormatError for a name that it could not read back.

    >>> anyburl_text(parse_anyburl("10\\t8\\t0.8\\tspeaks(X,Y) <= bornIn(X,A), language(A,Y)"))
    '10\\t8\\t0.8\\tspeaks(X,Y) <= bornIn(X,A), language(A,Y)\\n'
    """
    return "".join(f"{_anyburl_line(rule)}\n" for rule in counted_rules(theory))


def amie_text(theory: Theory, facts: Mapping[Predicate, int] = MappingProxyType({})) -> str:
    """The theory's rules with counts, as AMIE writes them; head coverage needs the number of facts of each predicate.

    >>> amie_text(parse_anyburl("10\\t8\\t0.8\\ts(X,Y) <= b(X,A), l(A,Y)")).split("\\n")[1]
    '?a  b  ?c  ?c  l  ?b   => ?a  s  ?b\\t0\\t0.8\\t0.8\\t8\\t10\\t10'
    """
    return "".join(f"{line}\n" for line in (_AMIE_HEADER, *(_amie_line(rule, facts) for rule in counted_rules(theory))))


def counted_rules(theory: Theory) -> Iterator[Judged]:
    """All definite rules of a theory whose counts are known, each once: soft ones by what was measured, then others."""
    seen: set[Clause] = set()
    form = forms_beside(rule.clause for rule in theory.rules)
    measured = [] if theory.measures is None else [theory.measures.measured(rule.clause) for rule in theory.soft]
    found = [Judged(one.clause, one.true, one.false, one.nontrivial) for one in measured if one is not None]
    for rule in (*found, *theory.judged):
        if rule.clause.is_definite and form(rule.clause) not in seen:
            seen.add(form(rule.clause))
            yield rule


def _anyburl_line(rule: Judged) -> str:
    names = dict(zip(variables_of(rule.clause.atoms), _LETTERS, strict=False))
    head, *body = (_anyburl_spelled(atom, names) for atom in rule.clause.atoms)
    covered = rule.true + rule.false
    line = f"{covered}\t{rule.true}\t{_confidence(rule.true, covered)}\t{head} <= {', '.join(body)}"
    return _checked(line, rule, parse_anyburl)


def _anyburl_spelled(atom: Atom, names: Mapping[Variable, str]) -> str:
    terms = (names.get(term, "?") if isinstance(term, Variable) else term.name for term in atom.arguments)
    return f"{atom.predicate.name}({','.join(terms)})"


def _amie_line(rule: Judged, facts: Mapping[Predicate, int]) -> str:
    names = {variable: f"?{_letter(number)}" for number, variable in enumerate(variables_of(rule.clause.atoms))}
    head, *body = ("  ".join(_amie_words(atom, names)) for atom in rule.clause.atoms)
    covered, guarded = rule.true + rule.false, rule.true + rule.nontrivial
    of_head = _confidence(rule.true, facts.get(rule.clause.head[0].predicate, 0))
    numbers = (of_head, _confidence(rule.true, covered), _confidence(rule.true, guarded), rule.true, covered, guarded)
    return _checked("\t".join([f"{'  '.join(body)}   => {head}", *map(str, numbers)]), rule, parse_amie)


def _amie_words(atom: Atom, names: Mapping[Variable, str]) -> list[str]:
    first, *others = (names[term] if isinstance(term, Variable) else term.name for term in atom.arguments)
    return [first, atom.predicate.name, *others]


def _letter(number: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[number] if number < 26 else f"v{number}"


def _confidence(true: int, covered: int) -> str:
    return f"{true / covered if covered else 0:.6g}"


def _checked(line: str, rule: Judged, parse: Callable[[str], Theory]) -> str:
    """A line that is read back as it was meant; names with commas, blanks and the like may not be."""
    try:
        (found,) = parse(line).judged
    except (LanguageError, ValueError):
        found = None
    if found is None or canonical(found.clause) != canonical(rule.clause):
        raise FormatError(
            f"the format cannot hold the rule {shortened(str(rule.clause))}: it has predicates with two arguments and "
            "plain names; leave the rule out, or write a theory file"
        )
    return line
