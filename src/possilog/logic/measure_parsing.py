"""The lines of a theory file about what was measured, read: the parts of them that are no clauses.

People edit these lines. What cannot have been measured is refused here, so that prediction need not ask what it means;
what the learner writes is rounded, and may be off by that.
"""

from __future__ import annotations

from possilog.choices import Aggregate
from possilog.logic.atoms import Predicate
from possilog.logic.measures import HeldOut, Precision
from possilog.logic.tokens import LARGEST, Reader

__all__ = [
    "read_aggregate",
    "read_counts",
    "read_curve",
    "read_dense",
    "read_held_out",
    "read_measured",
    "read_precision",
    "read_shares",
]

ROUNDED = 0.01
"""Right conclusions may be more than there are cases by so much."""


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
    start = reader.position
    right = reader.number()
    reader.expect(",", "','")
    reader.expect("said", "'said' and a number")
    said_at = reader.position
    said = reader.number()
    reader.expect(",", "','")
    reader.expect("of", "'of' and a number")
    cases = reader.whole()
    if not 0 <= right <= cases + ROUNDED:
        reader.fail(f"a number from 0 to {cases}, as there are so many cases", at=start)
    if said < 0:
        reader.fail("a number, 0 or more", at=said_at)
    return HeldOut(right, said, cases)


def read_shares(reader: Reader) -> tuple[float, ...]:
    """Shares of facts."""
    return reader.numbers(0, 1, "a share, from 0 to 1")


def read_gains(reader: Reader) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """What a rule adds at each share, and how much of that is wrong; nothing, or only the first, where that is all."""
    if not reader.take(","):
        return (), ()
    reader.expect("gains", "'gains' and numbers")
    gains = reader.numbers()
    if not reader.take(";"):
        return gains, ()
    reader.expect("errors", "'errors' and numbers")
    return gains, reader.numbers(0, LARGEST, "a number of errors, 0 or more")


def read_measured(
    reader: Reader,
) -> tuple[tuple[int, int, int], int, HeldOut, tuple[float, ...], tuple[float, ...]]:
    """What was measured of a rule, up to the rule: counts, units, held-out cases, gains and errors."""
    counts = read_counts(reader)
    reader.expect(",", "','")
    units = read_units(reader)
    held_out = read_held_out(reader)
    gains, errors = read_gains(reader)
    if reader.token == ";" and not gains:
        reader.fail("'::', or ', gains' and numbers before the errors")
    reader.expect("::", "'::' and the rule that was measured")
    return counts, units, held_out, gains, errors


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
