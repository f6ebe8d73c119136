"""What programs for other systems have in common: names, conditions, and what is said of what they cannot carry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations

from possilog.data import Database, Evidence
from possilog.errors import TheoryError
from possilog.files import AnyPath
from possilog.logic import Atom, Clause, Constant, Keep, Literal, Predicate, Rule, Theory, Variable
from possilog.logic.spelling import plain, type_of
from possilog.markov.comparing import spelled_out
from possilog.markov.domain import consistent

__all__ = [
    "ALWAYS",
    "PROLOG_WORDS",
    "THINGS",
    "Given",
    "conditions_of",
    "constants_of",
    "falsity_remarks",
    "mentioned",
    "needs_things",
    "plainly_named",
    "prepared",
    "quoted_atom",
    "renamings",
    "require_theory",
    "respelled",
    "said_otherwise",
    "titled",
    "unbound",
    "unsaid",
    "unused",
]

THINGS = Predicate("is a constant of the theory or the evidence", 1)
"""For variables that only the head of a rule has; other languages get a short name for it."""

ALWAYS = Predicate("is nobody", 1)
"""True of nobody: a condition for rules without variables, which PSL does not have either."""

PROLOG_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        all all_or_none arg atom atom_number atomic between call call_external call_in_scope call_nc callable clause
        cmd_args compare compound consult create_scope dbreference evidence fail false find_scope findall float forall
        functor ground integer is is_list length load_external mod module nl nocache nonvar not number numbervars once
        plus possible primitive query rational rdiv rem sample_uniform1 simple sort subquery subquery_in_scope
        subsumes_chk subsumes_term succ true try_call unknown use_module var varnumbers xor
        """,
    )
)
"""What means something else to ProbLog than a predicate of the user."""


Given = Evidence | Database | AnyPath | Iterable[Atom | Literal | str] | None
"""The forms in which evidence may be given with a theory."""


def prepared(theory: Theory, evidence: Given) -> tuple[Theory, Evidence]:
    """A theory with weights, and consistent evidence; comparisons are predicates with facts, constants are readable."""
    require_theory(theory).require_weights()
    given = consistent(evidence)
    return respelled(*spelled_out(theory, given, constants_of(theory, given)))


def respelled(theory: Theory, given: Evidence) -> tuple[Theory, Evidence]:
    """Both with the constants of tables as people spell them; where two are spelled alike, their types are added."""
    names = sorted({*constants_of(theory, given), *given.facts.constants})
    if not any(map(type_of, names)):
        return theory, given
    alike = Counter(map(plain, names))
    spelled: dict[str, str] = {}
    taken = set(alike)
    for name in names:
        spelled[name] = plain(name)
        if type_of(name) and alike[plain(name)] > 1:
            spelled[name] = unused(f"{plain(name)}_{type_of(name)}", taken)
            taken.add(spelled[name])

    def atom(one: Atom) -> Atom:
        named = (Constant(spelled[term.name]) if isinstance(term, Constant) else term for term in one.arguments)
        return one.predicate(*named)

    def clause(one: Clause) -> Clause:
        return Clause(tuple(map(atom, one.head)), tuple(map(atom, one.body)))

    rules = tuple(replace(rule, clause=clause(rule.clause)) for rule in theory.rules)
    known = Evidence(
        Database.of(map(atom, given.facts), [spelled[name] for name in given.facts.constants]),
        tuple(map(atom, given.denied)),
    )
    return Theory(rules, theory.falsity), known


def titled(title: str, lines: Iterable[str]) -> list[str]:
    """Lines under a title; without lines, nothing."""
    listed = list(lines)
    return [title, *listed] if listed else []


def require_theory(given: object) -> Theory:
    """What is given, if it is a theory."""
    if not isinstance(given, Theory):
        raise TheoryError(f"a {type(given).__name__} was given instead of a Theory; read_theory('t.pl') gives one")
    return given


def falsity_remarks(theory: Theory, left_out: Iterable[Rule], why: str) -> Iterator[str]:
    """What is said of the weight of ⊥, and of rules that are left out."""
    yield f"⊥ has weight {theory.falsity}; that is not carried."
    for rule in left_out:
        yield f"not carried, as {why}: {rule}"


def unsaid(theory: Theory) -> Iterator[str]:
    """What is said of the parts of a theory that only our own language has.

    >>> from possilog.logic import parse_theory
    >>> print(*unsaid(parse_theory("0.9 :: late(F) :- snow(F). #rank true 9, false 1, nontrivial 0 :: late(F).")))
    Further rules, which only put answers in order (#rank), are not carried: 1.
    """
    if theory.measures is not None:
        yield "What was measured of the rules is not carried: all of them are used, whatever is known."
    if theory.judged:
        yield f"Further rules, which only put answers in order (#rank), are not carried: {len(theory.judged):,}."
    if theory.mapping is not None:
        yield "How tables are read as facts (#table, #column) is not carried."
    if any(rule.keep is not Keep.FREE for rule in theory) or theory.banned or theory.falsity_pinned:
        yield "What is locked, pinned or banned is not carried."


def said_otherwise(theory: Theory, *, types: bool = False) -> Iterator[str]:
    """What is said of comparisons, and of types where a language has none."""
    if require_theory(theory).comparisons:
        yield "Comparisons are predicates of which facts have to be given; those about the evidence are written."
    if theory.types is not None and theory.types.tell_apart and not types:
        yield "Types are written as the constraints that they stand for."


def renamings(names: Mapping[Predicate, str]) -> Iterator[str]:
    """Which names stand for others."""
    return (
        f"{name} stands for {p}" for p, name in sorted(names.items()) if name != p.name and p not in (THINGS, ALWAYS)
    )


def mentioned(theory: Theory, given: Evidence) -> set[Predicate]:
    """The predicates of a theory and of evidence."""
    return {*theory.predicates, *given.facts.predicates, *(atom.predicate for atom in given.denied)}


def unbound(clause: Clause) -> list[Variable]:
    """Variables of the head that the body lacks."""
    inside = {variable for atom in clause.body for variable in atom.variables}
    return [variable for variable in clause.variables if variable not in inside]


def needs_things(theory: Theory) -> bool:
    """Has a rule variables that its body leaves open?"""
    return any(unbound(rule.clause) for rule in theory)


def constants_of(theory: Theory, given: Evidence) -> list[str]:
    """The constants of both, by name."""
    atoms = [*given.facts, *given.denied, *(atom for rule in theory for atom in rule.clause.atoms)]
    return sorted({term.name for atom in atoms for term in atom.arguments if isinstance(term, Constant)})


def plainly_named(clause: Clause) -> Clause:
    """The clause with variables that other languages can read."""
    plain = all(re.fullmatch("[A-Z][A-Za-z0-9]*", variable.name) for variable in clause.variables)
    return clause if plain else clause.substitute({v: Variable(f"X{i}") for i, v in enumerate(clause.variables)})


def conditions_of(clause: Clause, spell: Callable[[Atom], str], differ: str) -> list[str]:
    """The body, constants for unbound variables, and that the variables differ."""
    things = [Atom(THINGS, (variable,)) for variable in unbound(clause)]
    pairs = combinations(clause.variables, 2)
    return [*map(spell, (*clause.body, *things)), *(differ.format(one, other) for one, other in pairs)]


def unused(name: str, taken: Container[str]) -> str:
    """The name, made longer until it is free."""
    while name in taken:
        name += "_"
    return name


def quoted_atom(name: str) -> str:
    """A name as Prolog writes it."""
    if re.fullmatch("[a-z][A-Za-z0-9_]*", name) and name not in PROLOG_WORDS:
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
