"""A theory in the languages of other systems, and what these cannot say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from possilog.choices import TheoryFormat
from possilog.data import Database, Evidence
from possilog.errors import FormatError, QueryError, listed
from possilog.files import AnyPath
from possilog.inference.taken import evidence_of, theory_of
from possilog.logic import Atom, Clause, Judged, Literal, Rule, Theory, canonical
from possilog.logic.files import theory_text
from possilog.logic.poss import poss_text
from possilog.logic.rule_files import amie_text, anyburl_text, counted_rules
from possilog.markov.asp import export_asp
from possilog.markov.comparing import spelled_out
from possilog.markov.export import export_problog, export_psl
from possilog.markov.from_theory import export_mln
from possilog.markov.programs import respelled, said_otherwise, unsaid
from possilog.markov.prolog import export_prolog
from possilog.printing import plural
from possilog.report.side_by_side import constraints, latex_table
from possilog.requiring import require_single

__all__ = ["Converted", "convert", "first_lines", "theory_json"]

_Given = Evidence | Database | AnyPath | Iterable[Atom | Literal | str]

_WITH_EVIDENCE: dict[TheoryFormat, Callable[[Theory, _Given | None], str]] = {
    TheoryFormat.ASP: export_asp,
    TheoryFormat.PROLOG: export_prolog,
    TheoryFormat.PROBLOG: export_problog,
    TheoryFormat.PSL: export_psl,
}
_NAMED = 10
"""Rules that a remark names."""

_COMMENTS = {
    TheoryFormat.ASP: "% ",
    TheoryFormat.PROLOG: "% ",
    TheoryFormat.PROBLOG: "% ",
    TheoryFormat.PSL: "// ",
    TheoryFormat.MLN: "// ",
    TheoryFormat.LATEX: "% ",
}


@dataclass(frozen=True, slots=True, repr=False)
class Converted:
    """A theory in another language. It prints as the text."""

    text: str
    remarks: tuple[str, ...]
    """What the language cannot say; where it has comments, the text begins with these."""

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        lines = plural(self.text.count("\n"), "line")
        return f"<Converted: {lines}, {plural(len(self.remarks), 'remark')}>"


def convert(theory: Theory | AnyPath, to: TheoryFormat | str, evidence: _Given | None = None) -> Converted:
    """Write a theory in another language.

    Parameters
    ----------
    theory : Theory, or the path of a file with one
        What is written.
    to : str
        The language: ``theory`` (ours), ``poss`` (the authors'), ``asp``, ``prolog``, ``problog``, ``psl``, ``mln``,
        ``anyburl``, ``amie``, ``latex`` or ``json``.
    evidence : Evidence, Database, path of a file, or atoms; or None
        Facts that are written with the rules, for ``asp``, ``prolog``, ``problog`` and ``psl``.

    Returns
    -------
    Converted
        The text, and remarks on what it does not say.

    Raises
    ------
    QueryError
        If the language is unknown, or has no place for evidence.
    TheoryError
        If rules have no weights yet.

    Examples
    --------
    >>> from possilog.logic import parse_theory
    >>> print(convert(parse_theory("0.9 :: flies(X) :- bird(X)."), "poss").text, end="")
    ---------------------
    Hard rules:
    ---------------------
    Level -0.1
    flies(X), !bird(X), !@alldiff(X)
    """
    taken = theory_of(theory)
    require_single(to=to)
    if to not in list(TheoryFormat):
        raise QueryError(f"theories are written as {', '.join(TheoryFormat)}, and not as {to!r}; choose one of these")
    target = TheoryFormat(to)
    if target in (TheoryFormat.ANYBURL, TheoryFormat.AMIE):
        return _rule_lines(taken, target, evidence)
    if target in _WITH_EVIDENCE:
        text = _WITH_EVIDENCE[target](taken, evidence)
    elif evidence is not None:
        raise QueryError(f"{target} has no place for evidence; leave it out, or choose {', '.join(_WITH_EVIDENCE)}")
    else:
        text = _text(taken, target)
    return Converted(text, (*_leading(text, _COMMENTS.get(target)), *_silent(taken, target)))


def _text(theory: Theory, target: TheoryFormat) -> str:
    if target is TheoryFormat.THEORY:
        return theory_text(theory, None, {})
    if target is TheoryFormat.JSON:
        return _json_text(theory)
    theory.require_weights()
    if target is TheoryFormat.POSS:
        return poss_text(spelled_out(theory, Evidence(Database.of([])), ())[0])
    return export_mln(theory) if target is TheoryFormat.MLN else _latex(theory)


def _leading(text: str, sign: str | None) -> Iterator[str]:
    """The comments that a text begins with."""
    for line in text.splitlines():
        if sign is None or not line.startswith(sign):
            return
        yield line.removeprefix(sign)


def _silent(theory: Theory, target: TheoryFormat) -> Iterator[str]:
    """What a language without comments does not say."""
    if target is TheoryFormat.POSS:
        yield from (*said_otherwise(theory), *unsaid(theory))


def _latex(theory: Theory) -> str:
    remarks = [
        "A theory of possilog, as the paper's tables print them.",
        f"{constraints(theory)} are counted, not shown; weights are λ1, λ2, ... from the lowest.",
        *unsaid(theory),
    ]
    return "".join(f"% {remark}\n" for remark in remarks) + latex_table(theory, "A theory.")


# Lines of rules


def _rule_lines(theory: Theory, target: TheoryFormat, evidence: _Given | None) -> Converted:
    """The rules whose counts are known, for AnyBURL or AMIE; facts say how many heads there are."""
    facts = Database.of([]) if evidence is None else evidence_of(evidence).facts
    counts = {predicate: facts.count(predicate) for predicate in facts.predicates}

    def write(rules: Sequence[Judged]) -> str:
        chosen = Theory(judged=tuple(rules))
        return anyburl_text(chosen) if target is TheoryFormat.ANYBURL else amie_text(chosen, counts)

    fitting, unfit = [], []
    counted = _plainly_spelled([*counted_rules(theory)])
    for rule in counted:
        try:
            write([rule])
        except FormatError:
            unfit.append(str(rule.clause))
        else:
            fitting.append(rule)
    known = {canonical(rule.clause) for rule in counted_rules(theory)}
    uncounted = [str(rule.clause) for rule in theory if canonical(rule.clause) not in known]
    remarks = ["only rules with counts are written, without weights and strata"]
    if evidence is not None:
        remarks.append("the facts of the evidence are not written")
    elif target is TheoryFormat.AMIE:
        remarks.append("head coverage is 0, as no evidence says how many heads there are")
    if unfit:
        remarks.append(f"not carried, as atoms need two arguments and plain names: {listed(unfit, _NAMED)}")
    if uncounted:
        remarks.append(f"not carried, as they have no counts or not one head: {listed(uncounted, _NAMED)}")
    return Converted(write(fitting), tuple(remarks))


def _plainly_spelled(rules: Sequence[Judged]) -> list[Judged]:
    """The rules with the constants of tables as people spell them."""
    clauses = respelled(Theory(tuple(Rule(rule.clause) for rule in rules)), Evidence(Database.of([])))[0]
    return [replace(rule, clause=plain.clause) for rule, plain in zip(rules, clauses, strict=True)]


# JSON


def theory_json(theory: Theory) -> dict[str, Any]:
    """All of a theory in JSON's terms."""
    types, measures = theory.types, theory.measures
    return {
        "possilog": "theory",
        "rules": [_rule_json(rule) for rule in theory],
        "falsity": {"weight": str(theory.falsity), "pinned": theory.falsity_pinned},
        "types": None if types is None else {p.name: list(names) for p, names in types.signatures},
        "unsure_types": [] if types is None else list(types.unsure),
        "unplaced": [_clause_json(clause) | {"lock": clause in theory.locked} for clause in theory.unplaced],
        "judged": [str(rule) for rule in theory.judged],
        "aggregate": None if theory.aggregate is None else str(theory.aggregate),
        "unlinked": str(theory.unlinked) if theory.unlinked.cases else None,
        "banned": [_clause_json(clause) for clause in theory.banned],
        "tables": [] if theory.mapping is None else list(theory.mapping.lines),
        "measures": [] if measures is None else list(measures.lines),
        "text": str(theory),
    }


def _rule_json(rule: Rule) -> dict[str, Any]:
    return _clause_json(rule.clause) | {"weight": str(rule.weight), "hard": rule.is_hard, "keep": str(rule.keep)}


def _clause_json(clause: Clause) -> dict[str, Any]:
    return {"rule": str(clause), "head": list(map(str, clause.head)), "body": list(map(str, clause.body))}


def _json_text(theory: Theory) -> str:
    """A line for each part, so that the file can be compared with another."""
    parts = (f"{json.dumps(name)}: {_lines(value)}" for name, value in theory_json(theory).items())
    return "{" + ",\n ".join(parts) + "}\n"


def _lines(value: object) -> str:
    if isinstance(value, list) and value:
        return "[\n  " + ",\n  ".join(json.dumps(item, ensure_ascii=False) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def first_lines() -> Mapping[TheoryFormat, str]:
    """How files begin that were written here, but for plain lines of rules."""
    others = [target for target in TheoryFormat if target not in (TheoryFormat.ANYBURL, TheoryFormat.AMIE)]
    return {target: convert(Theory(), target).text.partition("\n")[0] for target in others}
