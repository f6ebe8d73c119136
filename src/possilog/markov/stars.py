"""Atoms marked with ``*`` in a formula, which stands for the formulas with each of them as it is and negated."""

from __future__ import annotations

from dataclasses import dataclass

from possilog.logic import Atom
from possilog.markov.network import And, Exists, Forall, Iff, Implies, Not, Or, Sentence

__all__ = ["Either", "settled"]


@dataclass(frozen=True, slots=True)
class Either:
    """An atom marked with ``*``; gone when the formula is complete."""

    atom: Atom


def settled(sentence: Sentence | Either, signs: list[bool]) -> Sentence:
    """The sentence in which each ``*``, from left to right, has become its sign; the signs are used up."""
    match sentence:
        case Either(atom):
            return atom if signs.pop(0) else Not(atom)
        case Not(part):
            return Not(settled(part, signs))
        case And(parts):
            return And(tuple(settled(part, signs) for part in parts))
        case Or(parts):
            return Or(tuple(settled(part, signs) for part in parts))
        case Implies(left, right):
            return Implies(settled(left, signs), settled(right, signs))
        case Iff(left, right):
            return Iff(settled(left, signs), settled(right, signs))
        case Exists(variables, part):
            return Exists(variables, settled(part, signs))
        case Forall(variables, part):
            return Forall(variables, settled(part, signs))
        case _:
            return sentence
