"""A made-up university, with rules planted in its facts, so that learning can be asked to give them back.

The facts are laid layer by layer. When a soft rule's turn comes, the facts of its body are final: each distinct head
that they call for is made true with the rule's reliability, independently of the others. So a rule's confidence is its
reliability but for chance, and no rule spoils another. Two rules speak about their own head (``membership`` and
``exchange``). There some offices or study groups are chosen first, and each of their members has what they share with
the rule's reliability: whatever the others have, that is the chance of each.

What makes the hard rules hold also keeps soft heads possible: first-years have no project, supervisor, office or
course to assist, so none of them stands where a soft rule calls for a head that a hard rule forbids. The confidence
of a planted rule is therefore the same against all false heads and against the non-trivial ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import ceil
from random import Random
from types import MappingProxyType
from typing import TypeVar

from possilog.data.database import Database
from possilog.data.noise import Room, blur
from possilog.data.planting import GrowingFacts, PlantedRule, Row
from possilog.logic import Clause, parse_clause

__all__ = ["HARD", "RELIABILITY", "SOFT", "University", "university"]

PREDICATES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "student": ("person",),
        "professor": ("person",),
        "firstYear": ("student",),
        "candidate": ("student",),
        "employed": ("student",),
        "abroad": ("student",),
        "visiting": ("professor",),
        "tenured": ("professor",),
        "funded": ("project",),
        "officeMate": ("student", "student"),
        "leads": ("professor", "project"),
        "memberOf": ("student", "project"),
        "inGroup": ("student", "group"),
        "supervises": ("professor", "student"),
        "wrote": ("person", "paper"),
        "offered": ("course", "term"),
        "teaches": ("professor", "course", "term"),
        "assists": ("student", "course", "term"),
    }
)

HARD: tuple[Clause, ...] = tuple(
    parse_clause(rule)
    for rule in (
        # Types
        "student(S) :- firstYear(S).",
        "student(S) :- candidate(S).",
        "student(S) :- employed(S).",
        "student(S) :- abroad(S).",
        "student(S) :- officeMate(S, R).",
        "student(S) :- memberOf(S, J).",
        "student(S) :- inGroup(S, G).",
        "student(S) :- supervises(P, S).",
        "student(S) :- assists(S, C, T).",
        "professor(P) :- visiting(P).",
        "professor(P) :- tenured(P).",
        "professor(P) :- leads(P, J).",
        "professor(P) :- supervises(P, S).",
        "professor(P) :- teaches(P, C, T).",
        # Disjointness
        ":- student(X), professor(X).",
        ":- firstYear(S), candidate(S).",
        ":- firstYear(S), officeMate(S, R).",
        ":- firstYear(S), memberOf(S, J).",
        ":- firstYear(S), supervises(P, S).",
        ":- firstYear(S), assists(S, C, T).",
        ":- visiting(P), tenured(P).",
        ":- visiting(P), leads(P, J).",
        ":- visiting(P), supervises(P, S).",
        # Functionality: a project has one leader, a course one teacher at a time, a student one study group
        ":- leads(P, J), leads(Q, J).",
        ":- inGroup(S, G), inGroup(S, H).",
        ":- teaches(P, C, T), teaches(Q, C, T).",
        # Inclusion
        "offered(C, T) :- teaches(P, C, T).",
        "offered(C, T) :- assists(S, C, T).",
        # Symmetry, and irreflexivity: the types do not say it, since P and S are distinct in supervises(P, S)
        "officeMate(S, R) :- officeMate(R, S).",
        ":- officeMate(X, X).",
        ":- supervises(X, X).",
    )
)
"""The planted hard rules: they hold whatever the size, the seed, the reliabilities and the noise."""

SOFT: Mapping[str, Clause] = MappingProxyType(
    {
        "membership": parse_clause("memberOf(S, J) :- officeMate(S, R), memberOf(R, J)."),
        "employment": parse_clause("employed(S) :- memberOf(S, J), funded(J)."),
        "exchange": parse_clause("abroad(S) :- inGroup(S, G), inGroup(R, G), abroad(R)."),
        "tenure": parse_clause("tenured(P) :- leads(P, J)."),
        "supervision": parse_clause("supervises(P, S) :- leads(P, J), memberOf(S, J)."),
        "authorship": parse_clause("wrote(P, A) :- supervises(P, S), wrote(S, A)."),
        "assistance": parse_clause("assists(S, C, T) :- supervises(P, S), teaches(P, C, T)."),
        "candidacy": parse_clause("candidate(S) :- assists(S, C, T)."),
    }
)
"""The planted soft rules by name, in the order in which they are laid."""

RELIABILITY: Mapping[str, float] = MappingProxyType(
    {
        "membership": 0.75,
        "employment": 0.95,
        "exchange": 0.7,
        "tenure": 0.9,
        "supervision": 0.9,
        "authorship": 0.85,
        "assistance": 0.6,
        "candidacy": 0.85,
    }
)
"""How reliable the planted soft rules are unless asked otherwise."""

TERMS = tuple(f"{season}{year}" for year, season in product(range(1, 5), ("spring", "autumn")))
RARE = 0.04
"""The chance of a property for someone of whom no planted rule speaks."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class University:
    """Generated facts, and the rules that were planted in them."""

    database: Database
    hard: tuple[Clause, ...] = field(repr=False)
    soft: tuple[PlantedRule, ...] = field(repr=False)


def university(
    people: int = 240,
    *,
    reliability: float | Mapping[str, float] | None = None,
    noise: float = 0.0,
    seed: int = 0,
) -> University:
    """Make a university of this many people; all else but the number of terms grows with it.

    ``reliability`` is one number for all soft rules, or numbers for some by name (see ``SOFT``); the others keep theirs
    of ``RELIABILITY``. ``noise`` is the share of each predicate's facts that get lost, and for each of them a false one
    is added where the hard rules leave room: they stay true. Students, professors and the courses on offer stay, and
    first-years and visitors are only lost.

    >>> made = university(240, seed=7)
    >>> made.database
    <Database: 1,668 facts, 18 predicates, 445 constants>
    >>> rule = made.soft[4]
    >>> print(rule.clause, rule.reliability, rule.before)
    supervises(P, S) :- leads(P, J), memberOf(S, J). 0.9 Tally(true=90, false=11)
    """
    if people < 0:
        raise ValueError(f"a university cannot have {people} people; give 0 or more")
    if not 0 <= noise <= 1:
        raise ValueError(f"noise is a share of the facts from 0 to 1, not {noise}")
    wanted = _reliabilities(reliability)
    campus = _Campus(people, wanted, Random(seed))
    before = {name: campus.facts.tally(clause) for name, clause in SOFT.items()}
    blur(campus.facts, campus.rooms(), noise, campus.chance)
    soft = tuple(
        PlantedRule(name, clause, wanted[name], before[name], campus.facts.tally(clause))
        for name, clause in SOFT.items()
    )
    return University(campus.facts.database(), HARD, soft)


def _reliabilities(asked: float | Mapping[str, float] | None) -> dict[str, float]:
    """A reliability for each soft rule."""
    if asked is None or isinstance(asked, Mapping):
        wanted = dict(RELIABILITY) | dict(asked or {})
    else:
        wanted = dict.fromkeys(SOFT, asked)
    for name, value in wanted.items():
        if name not in SOFT:
            raise ValueError(f"no planted rule is called {name!r}; there are {', '.join(SOFT)}")
        if not 0 <= value <= 1:
            raise ValueError(f"the reliability of {name} is a probability from 0 to 1, not {value}")
    return wanted


class _Campus:
    """The facts in the making, and who may take which part in them without breaking a hard rule."""

    def __init__(self, people: int, reliability: Mapping[str, float], chance: Random) -> None:
        self.facts = GrowingFacts(PREDICATES)
        self.chance = chance
        self.reliability = reliability
        everyone = _names("person", people)
        chance.shuffle(everyone)  # so that a name says nothing about its bearer
        self.professors, self.students = _cut(everyone, people // 4)
        visitors, self.regulars = _cut(self.professors, len(self.professors) // 5)
        beginners, self.seniors = _cut(self.students, len(self.students) // 4)
        self.projects = _names("project", people // 6 if self.regulars else 0)
        self.papers = _names("paper", 2 * people // 5)
        self.courses = _names("course", people // 8)
        self._state("student", self.students)
        self._state("professor", self.professors)
        self._state("visiting", visitors)
        self._state("firstYear", beginners)
        self._study()
        self._fill_offices_and_projects()
        self._supervise()
        self._write()
        self._teach()

    # The layers, each on what lies below it

    def _study(self) -> None:
        """Lay inGroup and abroad: from some study groups, each member goes abroad with the rule's reliability."""
        bunches = self._bunches(self._portion(self.students, 0.7), 3, 5)
        groups = dict(zip(_names("group", len(bunches)), bunches, strict=True))
        for group, members in groups.items():
            for student in members:
                self.facts.add("inGroup", student, group)
        for group in self._portion(list(groups), 0.4):
            self._state("abroad", self._some(groups[group], self.reliability["exchange"]))
        self._scatter("abroad", self.students, known=self.facts.rows("inGroup"))

    def _fill_offices_and_projects(self) -> None:
        """Lay officeMate, leads, funded, memberOf, and what follows from being in a project."""
        leaders = self._portion(self.regulars, 0.6)
        for number, project in enumerate(self.projects):
            leader = leaders[number] if number < len(leaders) else self.chance.choice(leaders)
            self.facts.add("leads", leader, project)
        self._state("funded", self._portion(self.projects, 0.5))
        self._plant("tenure")
        self._join_projects()
        self._plant("employment")
        self._scatter("tenured", self.regulars, known=self.facts.rows("leads"))
        self._scatter("employed", self.students, known=self.facts.rows("memberOf"))

    def _join_projects(self) -> None:
        """Lay officeMate and memberOf: to most offices belongs a project, which each in it joins with reliability."""
        sharing, alone = _cut(self.seniors, 4 * len(self.seniors) // 5)
        for office in self._bunches(sharing, 2, 4):
            for mates in permutations(office, 2):
                self.facts.add("officeMate", *mates)
            if self.projects and self._happens(0.9):
                project = self.chance.choice(self.projects)
                for student in self._some(office, self.reliability["membership"]):
                    self.facts.add("memberOf", student, project)
        # Those without office mates are free to be in two projects: were one the most, hard rules would hide errors.
        for student in self._some(alone, 0.5):
            for project in self.chance.sample(self.projects, min(len(self.projects), self.chance.randint(1, 2))):
                self.facts.add("memberOf", student, project)

    def _supervise(self) -> None:
        self._plant("supervision")
        called_for = set(self.facts.heads(SOFT["supervision"]))
        members = {student for student, _ in self.facts.rows("memberOf")}
        # Without these, whom a professor supervises would all but give away who is in which project.
        for student in self.seniors if self.regulars else ():
            professor = self.chance.choice(self.regulars)
            if self._happens(0.1 if student in members else 0.6) and (professor, student) not in called_for:
                self.facts.add("supervises", professor, student)

    def _write(self) -> None:
        for paper in self.papers:
            if self.professors and self._happens(0.1):
                authors = [self.chance.choice(self.professors)]
            else:
                authors = self.chance.sample(self.students, min(len(self.students), self.chance.randint(1, 3)))
            for author in authors:
                self.facts.add("wrote", author, paper)
        self._plant("authorship")

    def _teach(self) -> None:
        for course in self.courses:
            for term in self.chance.sample(TERMS, 3):
                self.facts.add("offered", course, term)
                if self.professors and self._happens(0.9):
                    self.facts.add("teaches", self.chance.choice(self.professors), course, term)
        self._plant("assistance")
        called_for = set(self.facts.heads(SOFT["assistance"]))
        for course, term in self._some(self.facts.rows("offered"), RARE if self.seniors else 0.0):
            student = self.chance.choice(self.seniors)
            if (student, course, term) not in called_for:
                self.facts.add("assists", student, course, term)
        self._plant("candidacy")
        self._scatter("candidate", self.seniors, known=self.facts.rows("assists"))

    # The ways in which facts come about

    def _plant(self, name: str) -> None:
        """Make each head that a soft rule calls for true with the rule's reliability."""
        rule = SOFT[name]
        for head in self._some(self.facts.heads(rule), self.reliability[name]):
            self.facts.add(rule.head[0].predicate.name, *head)

    def _scatter(self, name: str, people: Sequence[str], known: Iterable[Row]) -> None:
        """Give a property to a few of those of whom no planted rule speaks."""
        spoken_of = {row[0] for row in known}
        self._state(name, self._some([person for person in people if person not in spoken_of], RARE))

    def _state(self, name: str, constants: Iterable[str]) -> None:
        for constant in constants:
            self.facts.add(name, constant)

    def _happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    def _some(self, things: Iterable[_T], probability: float) -> list[_T]:
        return [thing for thing in things if self._happens(probability)]

    def _bunches(self, people: list[str], least: int, most: int) -> list[list[str]]:
        """Put people together; the last ones may be fewer."""
        bunches = []
        while people:
            bunch, people = _cut(people, self.chance.randint(least, most))
            bunches.append(bunch)
        return bunches

    def _portion(self, things: Sequence[str], share: float) -> list[str]:
        """Like ``_some``, but always as many: what is drawn seldom should not vary much from seed to seed."""
        return self.chance.sample(things, ceil(share * len(things)))

    # What noise may do

    def rooms(self) -> dict[str, Room]:
        """The false facts that the hard rules leave room for; predicates that others rest on stay as they are."""
        students, seniors, regulars = _rows(self.students), _rows(self.seniors), _rows(self.regulars)
        projects, offered = _rows(self.projects), self.facts.rows("offered")
        return {
            "firstYear": Room([]),
            "visiting": Room([]),
            "candidate": Room([seniors]),
            "employed": Room([students]),
            "abroad": Room([students]),
            "tenured": Room([regulars]),
            "funded": Room([projects]),
            "officeMate": Room([seniors, seniors], symmetric=True),
            "leads": Room([regulars, projects], key=(1,)),
            "memberOf": Room([seniors, projects]),
            "inGroup": Room([students, sorted({row[1:] for row in self.facts.rows("inGroup")})], key=(0,)),
            "supervises": Room([regulars, seniors]),
            "wrote": Room([_rows(self.students + self.professors), _rows(self.papers)]),
            "teaches": Room([_rows(self.professors), offered], key=(1, 2)),
            "assists": Room([seniors, offered]),
        }


def _names(kind: str, count: int) -> list[str]:
    return [f"{kind}{number}" for number in range(1, count + 1)]


def _cut(things: list[str], size: int) -> tuple[list[str], list[str]]:
    return things[:size], things[size:]


def _rows(constants: Iterable[str]) -> list[Row]:
    return [(constant,) for constant in constants]
