"""The weight λ of a rule, kept so exactly that weights which crowd against 1 can be told apart."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from functools import total_ordering

from possilog.errors import LogicError, shortened
from possilog.printing import Printed

__all__ = ["CERTAIN", "DIGITS", "EXPONENT", "Weight", "shortest"]

DIGITS = 1000
"""The most digits that a weight may have in writing."""

EXPONENT = 1000
"""The largest power of ten by which a weight may be scaled in writing."""

# Wide enough that 1 - x is exact for every number within the two limits above.
_EXACT = Context(prec=DIGITS + EXPONENT + 10)

_CROWDED = Decimal("0.01")


@total_ordering
@dataclass(frozen=True, slots=True, repr=False)
class Weight(Printed):
    """A certainty weight λ between 0 and 1 (section Preliminaries), held as 1 - λ.

    ``doubt`` is 1 - λ: the probability that a world which breaks the rule can have at most.

    >>> Weight.parse("0.93").doubt
    Decimal('0.07')
    >>> print(Weight.of_doubt(4.5e-6))
    1-4.5e-6
    >>> Weight.parse("0.5") < Weight.parse("1-4.5e-6") < CERTAIN
    True
    """

    doubt: Decimal

    def __post_init__(self) -> None:
        if not isinstance(self.doubt, Decimal):
            raise LogicError.taking("a weight has its doubt as a Decimal; Weight.of(0.9) makes one", self.doubt)
        if not (self.doubt.is_finite() and 0 <= self.doubt <= 1):
            raise LogicError(f"a weight lies between 0 and 1, and 1 minus {shortened(self.doubt)} does not")
        if self.doubt.adjusted() < -EXPONENT - DIGITS or len(self.doubt.as_tuple().digits) > EXPONENT + DIGITS:
            raise LogicError("a weight has too many digits")

    @classmethod
    def of(cls, certainty: Decimal | float | int | str) -> Weight:
        """The weight λ, as it is written in decimals: the float 0.1 means 0.1."""
        return cls(complement(_decimal(certainty)))

    @classmethod
    def of_doubt(cls, doubt: Decimal | float | int | str) -> Weight:
        """The weight λ that has this 1 - λ."""
        return cls(_decimal(doubt))

    @classmethod
    def parse(cls, text: str) -> Weight:
        """Read ``0.93`` or ``1-4.5e-6``; ValueError where it is neither, or not between 0 and 1."""
        if not isinstance(text, str):
            raise LogicError.taking("a weight is read from text, such as '0.93'", text)
        if text.startswith("1-"):
            return cls.of_doubt(text[2:])
        return cls.of(text)

    @property
    def certainty(self) -> Decimal:
        """λ itself."""
        return complement(self.doubt)

    @property
    def is_certain(self) -> bool:
        """Is it 1, the weight of a hard rule?"""
        return self.doubt == 0

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Weight):
            return NotImplemented
        return self.doubt > other.doubt

    def __float__(self) -> float:
        return float(self.certainty)

    def __str__(self) -> str:
        plain = shortest(self.certainty)
        crowded = self.doubt < _CROWDED and len(plain) > len("0.9999")
        return f"1-{shortest(self.doubt)}" if crowded else plain


def complement(number: Decimal) -> Decimal:
    """1 minus a number, exactly."""
    return _EXACT.subtract(Decimal(1), number)


def _decimal(number: Decimal | float | int | str) -> Decimal:
    """The exact decimal number that is written, within the limits; ValueError otherwise."""
    text = str(number)
    mantissa, _, exponent = text.lower().partition("e")
    try:
        if len(mantissa) > DIGITS or len(exponent) > 6 or abs(int(exponent or 0)) > EXPONENT:
            raise LogicError("a weight has too many digits")
        exact = Decimal(text)
    except LogicError:
        raise
    except (ArithmeticError, ValueError):
        raise LogicError(f"{shortened(repr(number))} is not a number") from None
    if not exact.is_finite():
        raise LogicError(f"{text!r} is not a number")
    return exact


def shortest(number: Decimal) -> str:
    """The shorter of the plain and the scientific way to write a number; the plain one on a tie."""
    if number == 0:
        return "0"
    number = number.normalize(_EXACT)
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    plain = format(number, "f")
    figures = "".join(map(str, digits))
    point = "." + figures[1:] if figures[1:] else ""
    scientific = f"{figures[0]}{point}e{exponent + len(figures) - 1}"
    return plain if len(plain) <= len(scientific) else scientific


CERTAIN = Weight(Decimal(0))
"""λ = 1, the weight of a hard rule."""
