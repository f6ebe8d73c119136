"""Small theories with evidence, drawn at random, and what the definitions of inference say about them.

A set of worlds is one large integer, with a bit for each world, so that all worlds are tried at once. The definitions
are those of docs/inference.md, spelled out over ground rules; nothing here is fast but the enumeration.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations, product
from math import comb
from random import Random

from possilog.data import Evidence
from possilog.logic import CERTAIN, Atom, Clause, Constant, Literal, Predicate, Rule, Term, Theory, Variable, Weight

VARIABLES = [Variable(name) for name in "ABC"]
CHOICES = [
    [Predicate("p", 1), Predicate("q", 1), Predicate("r", 2)],
    [Predicate("p", 1), Predicate("q", 1), Predicate("s", 1), Predicate("n", 0)],
    [Predicate("r", 2), Predicate("n", 0), Predicate("p", 1)],
]
WEIGHTS = [Weight.of(text) for text in ("0.1", "0.3", "0.5", "0.7", "0.9")]
MAX_ATOMS = 15


@dataclass(frozen=True)
class Case:
    """A theory and evidence."""

    theory: Theory
    evidence: Evidence

    @property
    def is_horn(self) -> bool:
        return all(rule.clause.is_horn for rule in self.theory)

    @cached_property
    def domain(self) -> list[Constant]:
        atoms = [atom for rule in self.theory for atom in rule.clause.atoms]
        named = {term.name for atom in atoms for term in atom.arguments if isinstance(term, Constant)}
        return [Constant(name) for name in sorted(named | set(self.evidence.facts.constants))]

    @cached_property
    def atoms(self) -> list[Atom]:
        """All ground atoms of the theory's and the evidence's predicates."""
        predicates = {*self.theory.predicates, *(literal.atom.predicate for literal in self.evidence.literals)}
        return [Atom(p, chosen) for p in sorted(predicates) for chosen in product(self.domain, repeat=p.arity)]

    def ground(self, rules: Iterable[Rule], domain: list[Constant] | None = None) -> list[Clause]:
        """All ground rules of some rules."""
        return [clause for rule in rules for clause in ground(rule.clause, self.domain if domain is None else domain)]

    @cached_property
    def denials(self) -> list[Clause]:
        return [Clause((), (atom,)) for atom in self.evidence.denied]

    @cached_property
    def hard(self) -> list[Clause]:
        """The ground hard rules, and what is denied."""
        return self.ground(self.theory.hard) + self.denials

    @cached_property
    def soft(self) -> list[list[Clause]]:
        return [self.ground(stratum.rules) for stratum in self.theory.strata]

    @cached_property
    def weights(self) -> list[Weight]:
        return [CERTAIN, *(stratum.weight for stratum in self.theory.strata)]

    @cached_property
    def facts(self) -> frozenset[Atom]:
        return frozenset(self.evidence.facts)


def ground(clause: Clause, domain: list[Constant]) -> Iterator[Clause]:
    variables = clause.variables
    for chosen in permutations(domain, len(variables)):
        made = clause.substitute(dict(zip(variables, chosen, strict=True)))
        yield Clause(made.head, tuple(dict.fromkeys(made.body)))


# Random cases


def draw_case(seed: int, horn: bool | None = None, crowded: bool = False) -> Case:
    """A case with at most MAX_ATOMS ground atoms; half of them are Horn unless it is said.

    In a crowded one, many soft rules share few weights, and constraints are hard, so that conclusions of one stratum
    conflict.
    """
    random = Random(seed)
    only_horn = random.random() < 0.5 if horn is None else horn
    while True:
        predicates = random.choice(CHOICES)
        names = "abcd"[: random.choice([1, 2, 3, 3, 4])]
        count = random.randint(5, 12) if crowded else random.randint(1, 7)
        rules = [_rule(random, predicates, only_horn, crowded) for _ in range(count)]
        every = [Atom.ground(p.name, chosen) for p in predicates for chosen in product(names, repeat=p.arity)]
        share = random.choice([0.15, 0.3] if crowded else [0.15, 0.3, 0.5])
        given = [Literal(atom) for atom in every if random.random() < share]
        given += [Literal(atom, False) for atom in every if random.random() < 0.08]
        case = Case(Theory(tuple(rules)), Evidence.of(given, random.choice([[], list(names)])))
        if len(case.atoms) <= MAX_ATOMS:
            return case


def _rule(random: Random, predicates: list[Predicate], horn: bool, crowded: bool) -> Rule:
    def atom() -> Atom:
        predicate = random.choice(predicates)
        return predicate(*(term() for _ in range(predicate.arity)))

    def term() -> Term:
        return Constant("a") if random.random() < 0.06 else random.choice(VARIABLES[:size])

    size = random.choice([1, 2, 2, 3])
    heads = random.choice([0, 1, 1, 1] if horn else [0, 1, 1, 2, 2, 3])
    body = random.choice([0, 1, 1, 2, 2, 3]) if heads else random.choice([1, 2, 2, 3])
    clause = Clause(tuple(atom() for _ in range(heads)), tuple(atom() for _ in range(body)))
    hard = random.random() < (0.4 if not crowded else 0.15 if heads else 0.8)
    return Rule(clause, CERTAIN if hard else random.choice(WEIGHTS[:2] if crowded else WEIGHTS))


# All worlds at once


@cache
def column(place: int, atoms: int) -> int:
    """The worlds in which an atom is true, of all worlds over so many atoms."""
    run = 1 << place
    value, length = ((1 << run) - 1) << run, 2 * run
    while length < 1 << atoms:
        value |= value << length
        length *= 2
    return value


class Worlds:
    """All worlds over some ground atoms."""

    def __init__(self, atoms: list[Atom]) -> None:
        self.all = (1 << (1 << len(atoms))) - 1
        self.columns = {atom: column(place, len(atoms)) for place, atom in enumerate(atoms)}

    def models(self, clauses: Iterable[Clause], within: int | None = None) -> int:
        found = self.all if within is None else within
        for clause in clauses:
            holds = 0
            for atom in clause.head:
                holds |= self.columns[atom]
            for atom in clause.body:
                holds |= self.all & ~self.columns[atom]
            found &= holds
        return found

    def having(self, atoms: Iterable[Atom]) -> int:
        return self.models(Clause((atom,)) for atom in atoms)

    def always(self, models: int) -> set[Atom]:
        return {atom for atom, column in self.columns.items() if not models & ~column}

    def never(self, models: int) -> set[Atom]:
        return {atom for atom, column in self.columns.items() if not models & column}


# The global cut


@dataclass(frozen=True)
class Answer:
    """What a definition says."""

    consistent: bool
    kept: int
    added: dict[Atom, Weight]
    excluded: dict[Atom, Weight]
    aside: frozenset[Clause] = frozenset()


def by_definition(case: Case, repair: bool) -> Answer:
    """The global cut, by trying every world."""
    worlds = Worlds(case.atoms)
    given = worlds.having(case.facts)
    aside: frozenset[Clause] = frozenset()
    models = worlds.models(case.hard, given)
    consistent = bool(models)
    if not consistent and not repair:
        return Answer(False, 0, {}, {})
    if not consistent:
        aside = frozenset(set_aside(case, worlds))
        models = worlds.models((clause for clause in case.hard if clause not in aside), given)
    added: dict[Atom, Weight] = {}
    excluded: dict[Atom, Weight] = {}
    kept = 0
    for level, weight in enumerate(case.weights):
        models = worlds.models(case.soft[level - 1], models) if level else models
        if not models:
            break
        kept = level
        for atom in worlds.always(models) - case.facts:
            added.setdefault(atom, weight)
        for atom in worlds.never(models) - set(case.evidence.denied):
            excluded.setdefault(atom, weight)
    return Answer(consistent, kept, added, excluded, aside)


def set_aside(case: Case, worlds: Worlds) -> set[Clause]:
    """The ground hard constraints that repair does without."""
    constraints = {clause for clause in case.hard if not clause.head}
    rules = [clause for clause in case.hard if clause.head]
    certain = worlds.always(worlds.models(rules, worlds.having(case.facts)))
    broken = {clause for clause in constraints if certain.issuperset(clause.body)}
    rest = [clause for clause in case.hard if clause not in broken]
    if worlds.models(rest, worlds.having(case.facts)):
        return broken
    unsettled = [clause for clause in rules if not (case.facts | set(clause.body)).intersection(clause.head)]
    possible = closure(case.facts, [Clause((head,), clause.body) for clause in unsettled for head in clause.head])
    return {clause for clause in constraints if possible.issuperset(clause.body)}


def closure(atoms: Iterable[Atom], rules: Iterable[Clause]) -> set[Atom]:
    """The least superset closed under definite ground rules."""
    found, listed = set(atoms), list(rules)
    grew = True
    while grew:
        new = {clause.head[0] for clause in listed if found.issuperset(clause.body)} - found
        found |= new
        grew = bool(new)
    return found


# Local inference


class Local:
    """Local inference, word by word as the page defines it."""

    def __init__(self, case: Case, joint: str) -> None:
        self.case, self.joint = case, joint
        self.definite = [clause for clause in case.hard if clause.is_definite]
        self.constraints = [clause for clause in case.hard if not clause.head]
        self.known = closure(case.facts, self.definite)
        self.aside = self.broken(self.known)
        self.added = dict.fromkeys(self.known - case.facts, CERTAIN)
        for stratum, weight in zip(case.soft, case.weights[1:], strict=True):
            self.constraints += [clause for clause in stratum if not clause.head]
            before, self.known = self.known, self.stage(stratum)
            self.added |= dict.fromkeys(self.known - before, weight)
            self.higher = [*getattr(self, "higher", []), *stratum]

    def broken(self, atoms: set[Atom]) -> list[Clause]:
        return [clause for clause in self.constraints if atoms.issuperset(clause.body)]

    def newly_broken(self, atoms: set[Atom]) -> list[Clause]:
        """Constraints that some atoms break and what stands does not."""
        return [clause for clause in self.broken(atoms) if not self.known.issuperset(clause.body)]

    def stage(self, stratum: list[Clause]) -> set[Atom]:
        higher = [clause for clause in getattr(self, "higher", []) if not self.known.issuperset(clause.body)]
        soft = [clause for clause in [*stratum, *higher] if clause.is_definite]
        refuted = {
            atom
            for atom in {clause.head[0] for clause in soft} - self.known
            if self.newly_broken(closure(self.known | {atom}, self.definite))
        }
        barred: set[Atom] = set()
        while True:
            allowed = [clause for clause in soft if clause.head[0] not in refuted | barred]
            new = closure(self.known, self.definite + allowed)
            violated = self.newly_broken(new)
            if not violated:
                return new
            responsible = [self.responsible(clause, new, allowed) for clause in violated]
            for atoms in responsible:
                barred |= atoms if self.joint == "bar" else self.fewest(atoms, allowed)

    def responsible(self, constraint: Clause, new: set[Atom], allowed: list[Clause]) -> set[Atom]:
        """The new soft conclusions from which an atom of the constraint follows by hard steps."""
        reached = set(constraint.body) - self.known
        while True:
            more = {
                atom
                for clause in self.definite
                if clause.head[0] in reached and new.issuperset(clause.body)
                for atom in clause.body
            } - self.known
            if more <= reached:
                break
            reached |= more
        return reached & {clause.head[0] for clause in allowed if new.issuperset(clause.body)}

    def fewest(self, atoms: set[Atom], allowed: list[Clause]) -> set[Atom]:
        """Those with the fewest derivations from what stood before the stage."""
        counts = {
            atom: sum(clause.head[0] == atom and self.known.issuperset(clause.body) for clause in allowed)
            for atom in atoms
        }
        return {atom for atom in atoms if counts[atom] == min(counts.values())}


# Fragments


class Fragments:
    """Every set of at most ``width`` constants gets its own cut; a conclusion may need a share of the largest sets."""

    def __init__(self, case: Case, width: int) -> None:
        named = {term for rule in case.theory for atom in rule.clause.atoms for term in atom.arguments}
        always = [constant for constant in case.domain if constant in named]
        self.others = [constant for constant in case.domain if constant not in named]
        self.width = min(width, len(self.others))
        self.speaks: dict[Atom, dict[frozenset[Term], Weight]] = {}
        for size in range(self.width + 1):
            for chosen in combinations(self.others, size):
                domain = {*always, *chosen}
                inside = [item for item in case.evidence.literals if domain.issuperset(item.atom.arguments)]
                fragment = Case(case.theory, Evidence.of(inside, [constant.name for constant in domain]))
                for atom, weight in by_definition(fragment, repair=False).added.items():
                    self.speaks.setdefault(atom, {})[frozenset(chosen)] = weight

    def predicted(self, votes: float | None) -> dict[Atom, Weight]:
        answers = {atom: self.certainty(atom, votes) for atom in self.speaks}
        return {atom: weight for atom, weight in answers.items() if weight is not None}

    def certainty(self, atom: Atom, votes: float | None) -> Weight | None:
        found = self.speaks[atom]
        if votes is None:
            return max(found.values())
        about = set(atom.arguments) & set(self.others)
        needed = max(1.0, votes * comb(len(self.others) - len(about), self.width - len(about)))
        voters = [frozenset(chosen) for chosen in combinations(self.others, self.width) if about.issubset(chosen)]
        for weight in sorted(set(found.values()), reverse=True):
            sure = [chosen for chosen, its in found.items() if its >= weight]
            if sum(any(chosen <= voter for chosen in sure) for voter in voters) >= needed:
                return weight
        return None
