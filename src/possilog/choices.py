"""Words between which a person chooses, the same in Python and on the command line.

They stand outside the rooms because help has to come at once: who lists them must not load what they choose between.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Aggregate", "Hard", "Inference", "Joint", "OnConflict", "TheoryFormat"]


class Hard(StrEnum):
    """Which clauses without a counterexample are hard rules."""

    EARNED = "earned"
    """Those that chance would not make hold."""
    ALL = "all"
    """Every one, as in the paper."""


class Inference(StrEnum):
    """The kinds of inference, each short for its defaults."""

    GLOBAL = "global"
    FRAGMENT = "fragment"
    LOCAL = "local"


class OnConflict(StrEnum):
    """What to do where the evidence itself breaks hard rules."""

    REPORT = "report"
    """Predict nothing beyond it."""
    REPAIR = "repair"
    """Set aside the ground rules that it breaks."""


class Joint(StrEnum):
    """How local inference settles a conflict between conclusions of one stage."""

    BAR = "bar"
    """All that have a part in it are barred."""
    FEWEST = "fewest"
    """Those of them with the fewest derivations are."""


class Aggregate(StrEnum):
    """How the rules that conclude an atom are taken together, where atoms are ranked."""

    MAXIMUM = "maximum"
    """Their list, best first: the first decides, then the next."""
    NOISY_OR = "noisy-or"
    """The probability that one of them is right, if each is by itself."""
    FADING = "fading"
    """The same, where each counts for less than the one before it: rules that say the same do not add up."""


class TheoryFormat(StrEnum):
    """A language that a theory can be written in."""

    THEORY = "theory"
    """Our own."""
    POSS = "poss"
    """The authors'."""
    ASP = "asp"
    PROLOG = "prolog"
    PROBLOG = "problog"
    PSL = "psl"
    MLN = "mln"
    ANYBURL = "anyburl"
    AMIE = "amie"
    LATEX = "latex"
    JSON = "json"
