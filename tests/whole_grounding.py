"""What facts and rules say of atoms, by their definition: everything is grounded, and a solver looks for a model."""

from __future__ import annotations

from collections.abc import Sequence

from possilog.data import Database
from possilog.entailment import groundings
from possilog.logic import Atom, Clause, Constant
from possilog.sat import Solver


class ByDefinition:
    """The facts and all ground instances of all rules, over the constants of both, given to a solver."""

    def __init__(self, database: Database, rules: Sequence[Clause]) -> None:
        terms = [term for rule in rules for atom in rule.atoms for term in atom.arguments]
        named = {term.name for term in terms if isinstance(term, Constant)}
        domain = [Constant(name) for name in sorted(named | set(database.constants))]
        self.numbers: dict[Atom, int] = {}
        self.solver = Solver([[self.number(fact)] for fact in database])
        for rule in rules:
            for bindings in groundings(rule, domain):
                literals = [literal.substitute(bindings) for literal in rule.literals]
                self.solver.add(self.number(x.atom) if x.positive else -self.number(x.atom) for x in literals)

    def number(self, atom: Atom) -> int:
        return self.numbers.setdefault(atom, len(self.numbers) + 1)

    def is_consistent(self, *atoms: Atom) -> bool:
        return self.solver.solve([self.number(atom) for atom in atoms])
