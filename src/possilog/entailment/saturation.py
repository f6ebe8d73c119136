"""What hard rules say about the body of a rule: what it implies, and whether it can hold at all.

Two bodies with the same saturation are equivalent given the hard rules, so a search needs to see one of them only
(Pruning hypothesis spaces using learned domain theories, ILP 2017).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, reduce
from operator import or_

from possilog.deadline import NEVER, Deadline
from possilog.logic import Clause
from possilog.logic.atom_space import AtomSpace, bits
from possilog.sat.solver import Solver

__all__ = ["Saturation"]

MOST_KNOWN = 100_000
"""Of so many sets of atoms it is remembered whether they leave a choice open."""


class Saturation:
    """Hard rules, grounded on the variables of an atom space.

    Horn rules are applied by forward chaining. Where rules with several heads have a say, a solver decides.
    """

    def __init__(self, space: AtomSpace, rules: Iterable[Clause], stop: Deadline = NEVER) -> None:
        """Ground some rules; OutOfTime as soon as ``stop`` says so."""
        self._take(space, [pair for rule in stop.each(rules) for pair in space.groundings(rule)], stop)

    def _take(self, space: AtomSpace, ground: list[tuple[int, int]], stop: Deadline) -> None:
        self.space = space
        self._stop = stop
        self.contradictory = False
        """Have the hard rules no model at all?"""
        self.impossible = 0
        """The atoms that no body can have."""
        self._always = 0
        self._derivable = 0
        self._conflicts: dict[int, int] = defaultdict(int)
        self._constraints: dict[int, list[int]] = defaultdict(list)
        self._definite: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._disjunctive: list[tuple[int, int]] = []
        self._ground = ground
        self._switches: dict[Clause, int] = {}
        self._grounded: dict[Clause, list[tuple[int, int]]] = {}
        for body, head in stop.each(self._ground):
            if not body & head:
                self._index(body, head)
        self._choices = _choices(self._ground)
        self._settle(len(space.atoms))

    def __getstate__(self) -> dict[str, object]:
        """All but the solver, which is made anew where it is needed."""
        return {name: value for name, value in vars(self).items() if name != "_solver"} | {"_switches": {}}

    def _index(self, body: int, head: int) -> None:
        """File a ground rule under the atoms of its body."""
        atoms, heads = list(bits(body)), head.bit_count()
        if not atoms and not heads:
            self.contradictory = True
        self._derivable |= head
        if heads > 1:
            self._disjunctive.append((body, head))
        elif heads and not atoms:
            self._always |= head
        elif heads:
            for atom in atoms:
                self._definite[atom].append((body, head))
        elif len(atoms) == 1:
            self.impossible |= body
        elif len(atoms) == 2:
            self._conflicts[atoms[0]] |= 1 << atoms[1]
            self._conflicts[atoms[1]] |= 1 << atoms[0]
        else:
            for atom in atoms:
                self._constraints[atom].append(body)

    def _settle(self, atoms: int) -> None:
        """Find out once what holds always, and which atoms contradict the hard rules by themselves."""
        always = self._close(self._always, list(bits(self._always)))
        self.contradictory = self.contradictory or always is None
        self._always = always or 0
        if always is None:
            self.impossible = (1 << atoms) - 1
        while True:
            more = 0
            for atom in self._stop.each(range(atoms)):
                if not self.impossible >> atom & 1 and self.extend(0, atom) is None:
                    more |= 1 << atom
            if not more:
                return
            self.impossible |= more

    def denying(self, atom: int) -> Saturation:
        """The same where an atom is false. Only rules with several heads make more of that than a contradiction."""
        bit = 1 << atom
        if not any(head & bit for _, head in self._disjunctive):
            return self
        denied = Saturation.__new__(Saturation)
        denied._take(self.space, [(body, head & ~bit) for body, head in self._ground if not body & bit], self._stop)
        return denied

    def conflicts(self, closed: int) -> int:
        """The atoms that contradict one atom of a set."""
        mask = self.impossible
        for atom in bits(closed):
            mask |= self._conflicts.get(atom, 0)
        return mask

    def extend(self, closed: int, atom: int) -> int | None:
        """All that a saturated set and one more atom imply; None where they contradict the hard rules."""
        return self._close(closed | self._always | 1 << atom, [atom])

    def _close(self, result: int, pending: list[int]) -> int | None:
        """Add all that follows; the pending atoms are those whose rules have not been looked at."""
        while pending:
            atom = pending.pop()
            if self.impossible >> atom & 1 or self._conflicts.get(atom, 0) & result:
                return None
            for body in self._constraints.get(atom, ()):
                if body & result == body:
                    return None
            for body, head in self._definite.get(atom, ()):
                if body & result == body and not head & result:
                    result |= head
                    pending.append(head.bit_length() - 1)
        return self._with_choices(result) if self._disjunctive else result

    def _with_choices(self, closed: int) -> int | None:
        """What rules with several heads make of a set that is closed otherwise; None where they forbid it.

        Atoms that no rules link have nothing to do with each other, so each part is settled by itself. Where a part
        breaks no rule it is a model, and says no more.
        """
        result = closed
        for choices in self._choices:
            part = closed & choices.atoms
            if not choices.is_broken(part):
                continue
            if part not in choices.solved:
                choices.solved[part] = self._by_solver(part, choices.atoms)
            more = choices.solved[part]
            if more is None:
                return None
            result |= more
        return result

    def _leaves_open(self, closed: int) -> bool:
        """Has a set the body of a rule with several heads, and none of these?"""
        return any(choices.is_broken(closed & choices.atoms) for choices in self._choices)

    def reduce(self, body: tuple[int, ...]) -> tuple[int, ...]:
        """The body without the atoms that its others imply."""
        for atom in body:
            if self._follows(atom, body):
                return self.reduce(tuple(other for other in body if other != atom))
        return body

    def close(self, body: tuple[int, ...]) -> int:
        """All that some atoms imply, which must not contradict the hard rules."""
        closed = self._always
        for atom in body:
            more = None if closed >> atom & 1 else self.extend(closed, atom)
            closed = closed if more is None else more
        return closed

    def independent(self, most: int) -> list[int]:
        """Some atoms, at most so many, each of which may be true or false whatever the others are.

        There are 2 to the power of their number of worlds at least: what holds in one world is closed under the rules
        with any subset of them. Rules with several heads are satisfied by that one world, or never fire.
        """
        found: list[int] = []
        closed = base = self._some_world()
        open_rules = [(body, head) for body, head in self._disjunctive if not head & base]
        atoms = sorted(range(len(self.space.atoms)), key=lambda atom: self.conflicts(1 << atom).bit_count())
        for atom in self._stop.each(atoms):
            more = None if closed >> atom & 1 else self.extend(closed, atom)
            if more is None or any(body & more == body for body, _ in open_rules):
                continue
            if not any(self._follows(other, (*bits(base), *found, atom)) for other in found):
                found.append(atom)
                closed = more
            if len(found) == most:
                break
        return found

    def _some_world(self) -> int:
        """The atoms of a world, if there is any: the least one, unless rules with several heads have a say."""
        least = self.close(())
        if not self._leaves_open(least):
            return least
        with self._new_solver() as solver:  # the model of one that was asked before depends on what it was asked
            solver.solve()
            return sum(1 << number - 1 for number in solver.model())

    def _follows(self, atom: int, among: tuple[int, ...]) -> bool:
        """Do the others imply an atom?"""
        if not self._derivable >> atom & 1:
            return False
        return bool(self.close(tuple(other for other in among if other != atom)) >> atom & 1)

    def _by_solver(self, closed: int, among: int) -> int | None:
        """The atoms, of some that rules link, that are true in every model of the hard rules in which these are."""
        given = [atom + 1 for atom in bits(closed)]
        if not self._solver.solve(given):
            return None
        doubtful = self._true_among(among & ~closed)
        for place in bits(doubtful):
            if doubtful >> place & 1:
                if self._solver.solve([*given, -place - 1]):
                    doubtful &= self._true_among(doubtful)
                else:
                    closed |= 1 << place
        return closed

    def _true_among(self, among: int) -> int:
        """Of some atoms those that are true in the model just found."""
        return sum(1 << atom - 1 for atom in self._solver.model() if among >> atom - 1 & 1)

    def are_equivalent(self, one: Clause, other: Clause) -> bool:
        """Does each of two rules follow from the other, given the hard rules?"""
        return self._entails(one, other) and self._entails(other, one)

    def _entails(self, premise: Clause, conclusion: Clause) -> bool:
        body, head = self._groundings(conclusion)[0]
        least = None if self.contradictory else self._close(self._always | body, list(bits(body)))
        if least is None:
            return True
        # Most often the least model of the body is one of both, in which the conclusion fails: the solver is not asked.
        if not least & head and not self._leaves_open(least) and not _breaks(least, self._groundings(premise)):
            return False
        broken = [*(atom + 1 for atom in bits(body)), *(-atom - 1 for atom in bits(head))]
        return not self._solver.solve([self._switch(premise), *broken])

    def _groundings(self, rule: Clause) -> list[tuple[int, int]]:
        """A rule on the variables, found once."""
        if rule not in self._grounded:
            self._grounded[rule] = list(self.space.groundings(rule))
        return self._grounded[rule]

    def _switch(self, rule: Clause) -> int:
        """A number to be assumed where the rule shall hold as well."""
        if rule not in self._switches:
            switch = self._switches[rule] = len(self.space.atoms) + len(self._switches) + 1
            for pair in self._groundings(rule):
                self._solver.add([-switch, *_literals(*pair)])
        return self._switches[rule]

    @cached_property
    def _solver(self) -> Solver:
        return self._new_solver()

    def _new_solver(self) -> Solver:
        return Solver(_literals(body, head) for body, head in self._ground)


class _Choices:
    """Rules with several heads whose atoms rules link with each other, and with none besides."""

    def __init__(self, atoms: int, rules: Iterable[tuple[int, int]]) -> None:
        self.atoms = atoms
        self.solved: dict[int, int | None] = {}
        """What is true in every model, of sets that leave a choice open; None where there is no model."""
        self._is_broken: dict[int, bool] = {}
        self._by_last: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for body, head in rules:
            self._by_last[body.bit_length()].append((body, head))

    def is_broken(self, true: int) -> bool:
        """Does a set of these atoms break one of the rules? Searches ask about the same sets again and again."""
        found = self._is_broken.get(true)
        if found is None:
            if len(self._is_broken) == MOST_KNOWN:
                self._is_broken.clear()
            lasts = (0, *(atom + 1 for atom in bits(true)))
            found = self._is_broken[true] = any(_breaks(true, self._by_last.get(last, ())) for last in lasts)
        return found


def _choices(ground: Iterable[tuple[int, int]]) -> list[_Choices]:
    """The ground rules with several heads, those together whose atoms ground rules link."""
    linked: list[int] = []
    several = []
    for body, head in ground:
        if body & head:
            continue
        touched = [atoms for atoms in linked if atoms & (body | head)]
        linked = [atoms for atoms in linked if not atoms & (body | head)]
        linked.append(reduce(or_, touched, body | head))
        if head.bit_count() > 1:
            several.append((body, head))
    return [
        _Choices(atoms, some) for atoms in linked if (some := [(body, head) for body, head in several if head & atoms])
    ]


def _breaks(true: int, ground: Iterable[tuple[int, int]]) -> bool:
    """Does a set of atoms break one of some ground rules?"""
    return any(body & true == body and not head & true for body, head in ground)


def _literals(body: int, head: int) -> list[int]:
    """A ground rule as a clause for the solver, where the atom n has the number n + 1."""
    return [*(-atom - 1 for atom in bits(body)), *(atom + 1 for atom in bits(head))]
