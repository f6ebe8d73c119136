"""The lines of a theory file about what was measured, read: the parts of them that are no clauses."""

from __future__ import annotations

from possilog.choices import Aggregate
from possilog.logic.atoms import Predicate
from possilog.logic.measures import HeldOut, Precision
from possilog.logic.tokens import Reader

__all__ = ["read_aggregate", "read_counts", "read_curve", "read_dense", "read_held_out", "read_precision", "read_units"]


def read_aggregate(reader: Reader) -> Aggregate:
    """How the rules of an atom are taken together, where atoms are ranked."""
    words = ", ".join(Aggregate)
    start = reader.position
    word = reader.name(f"one of {words}")
    if word not in list(Aggregate):
        reader.fail(f"one of {words}", at=start)
    reader.expect(".", "'.'")
    return Aggregate(word)


def read_dense(reader: Reader) -> tuple[tuple[float, ...], float]:
    """How much is said of each thing at each share, and how much that counts."""
    numbers = reader.numbers()
    reader.expect(";", "',' or ';'")
    reader.expect("weight", "'weight' and a number")
    weight = reader.number()
    reader.expect(".", "'.'")
    return numbers, weight


def read_curve(reader: Reader) -> tuple[tuple[tuple[int, float], ...], int]:
    """Numbers of soft rules with what these gain, and the number that was taken."""
    sizes: list[tuple[int, float]] = []
    while not sizes or reader.take(","):
        sizes.append((reader.whole(), reader.number()))
    reader.expect(";", "',' or ';'")
    reader.expect("taken", "'taken' and a number")
    taken = reader.whole()
    reader.expect(".", "'.'")
    return tuple(sizes), taken


def read_precision(reader: Reader) -> Precision:
    """How often what is said of a predicate came true."""
    name = reader.name("a predicate's name")
    reader.expect("/", "'/' and the number of its arguments")
    arity = reader.whole()
    reader.expect(",", "','")
    held_out = read_held_out(reader)
    reader.expect(".", "'.'")
    return Precision(Predicate(name, arity), held_out)


def read_held_out(reader: Reader) -> HeldOut:
    """Conclusions about facts that were held out."""
    reader.expect("right", "'right' and a number")
    right = reader.number()
    reader.expect(",", "','")
    reader.expect("said", "'said' and a number")
    said = reader.number()
    reader.expect(",", "','")
    reader.expect("of", "'of' and a number")
    return HeldOut(right, said, reader.whole())


def read_units(reader: Reader) -> int:
    """On how many things the true heads rest, where that is said."""
    if not reader.take("units"):
        return 0
    units = reader.whole()
    reader.expect(",", "','")
    return units


def read_counts(reader: Reader) -> tuple[int, int, int]:
    """True, false and nontrivial heads."""
    counts: list[int] = []
    for word in ("true", "false", "nontrivial"):
        if counts:
            reader.expect(",", "','")
        reader.expect(word, f"'{word}' and a number")
        counts.append(reader.whole())
    return counts[0], counts[1], counts[2]
