"""The kinds of inference, as values: what a prediction was made by, and all that can be chosen about it."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Literal

from possilog.choices import Inference, Joint, OnConflict
from possilog.errors import QueryError, shortened
from possilog.requiring import require_a, require_choice

__all__ = ["ANY", "GLOBAL", "LOCAL", "Fragments", "Global", "How", "Local", "Share", "how_asked", "how_of"]


Share = float | Literal["any"] | None
"""Which share of all facts is known: a number, any, or as it looks."""

ANY: Literal["any"] = "any"


def check_share(share: Share) -> None:
    """Refuse what is no share."""
    if share is None or (isinstance(share, str) and share == ANY):
        return
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise QueryError(f"share is {shortened(repr(share))}, and it is a number between 0 and 1, or 'any'")


class _Kind:
    """Prints what was chosen; of the share, only if somebody said it."""

    __slots__ = ()

    def __repr__(self) -> str:
        assert is_dataclass(self)
        chosen = {one.name: getattr(self, one.name) for one in fields(self)}
        listed = (f"{name}={value!r}" for name, value in chosen.items() if name != "share" or value is not None)
        return f"{type(self).__name__}({', '.join(listed)})"


@dataclass(frozen=True, slots=True, repr=False)
class Global(_Kind):
    """The paper's inference: the lowest cut that is consistent with the evidence, and what it entails.

    Parameters
    ----------
    repair : bool
        Where the evidence itself breaks hard rules: set aside the ground rules that it breaks? Otherwise nothing
        beyond the evidence is predicted.
    negatives : bool
        Say too which atoms are false in every world of the cut? All ground atoms are looked at for that.
    share : float, "any" or None
        The share of all facts that the evidence holds, by which rules that do not pay there are left out; None: as it
        looks; any: no rule is left out. It matters only to theories that carry what was measured.

    Examples
    --------
    >>> Global(repair=True)
    Global(repair=True, negatives=False)
    """

    repair: bool = False
    negatives: bool = False
    share: Share = field(default=None, kw_only=True)

    name: ClassVar = Inference.GLOBAL

    def __post_init__(self) -> None:
        require_a("repair", self.repair, bool)
        require_a("negatives", self.negatives, bool)
        check_share(self.share)


@dataclass(frozen=True, slots=True, repr=False)
class Fragments(_Kind):
    """Inference by fragments: every set of a few constants gets its own cut, and the conclusions are joined.

    Parameters
    ----------
    width : int or None
        The number of constants in a fragment; None for as many as the largest soft rule has variables.
    votes : float or None
        The share of its fragments that a conclusion needs, between 0 and 1; None where one fragment is enough.
    share : float, "any" or None
        The share of all facts that the evidence holds, by which rules that do not pay there are left out; None: as it
        looks; any: no rule is left out. It matters only to theories that carry what was measured.

    Raises
    ------
    QueryError
        If the width is below 1, or the votes are no share.

    Examples
    --------
    >>> Fragments(width=2, votes=0.5)
    Fragments(width=2, votes=0.5)
    >>> Fragments(width=2, share="any")
    Fragments(width=2, votes=None, share='any')
    """

    width: int | None = None
    votes: float | None = None
    share: Share = field(default=None, kw_only=True)

    name: ClassVar = Inference.FRAGMENT

    def __post_init__(self) -> None:
        check_share(self.share)
        if self.width is not None and (not isinstance(self.width, int) or self.width < 1):
            width = shortened(repr(self.width))
            raise QueryError(f"a fragment has at least one constant, and the width is {width}; give a larger one")
        if self.votes is not None and not (isinstance(self.votes, int | float) and 0 <= self.votes <= 1):
            raise QueryError(f"votes is a share between 0 and 1, and not {shortened(repr(self.votes))}")


@dataclass(frozen=True, slots=True, repr=False)
class Local(_Kind):
    """Local inference, the default: every stratum is used wherever it does not conflict.

    Parameters
    ----------
    repair : bool
        Where the evidence itself breaks hard rules: set aside the ground rules that it breaks? Otherwise nothing
        beyond the evidence is predicted.
    joint : Joint or str
        Conclusions of one stage that conflict: ``bar`` all that have a part in it, or those with the ``fewest``
        derivations.
    share : float, "any" or None
        The share of all facts that the evidence holds, by which rules that do not pay there are left out; None: as it
        looks; any: no rule is left out. It matters only to theories that carry what was measured.

    Raises
    ------
    QueryError
        If joint is none of its words, or repair neither true nor false.

    Examples
    --------
    >>> Local(joint="fewest").joint
    <Joint.FEWEST: 'fewest'>
    """

    repair: bool = True
    joint: Joint | str = Joint.BAR
    share: Share = field(default=None, kw_only=True)

    name: ClassVar = Inference.LOCAL

    def __post_init__(self) -> None:
        require_a("repair", self.repair, bool)
        check_share(self.share)
        require_choice("joint", self.joint, Joint)
        object.__setattr__(self, "joint", Joint(self.joint))


How = Global | Fragments | Local
"""How a prediction is made."""

GLOBAL, LOCAL = Global(), Local()

_KINDS: dict[Inference, type[How]] = {kind.name: kind for kind in (Global, Fragments, Local)}

_NAMES = {"repair": "on_conflict"}
"""What the command line calls a choice otherwise."""


def how_of(given: How | str) -> How:
    """A kind of inference; ``global``, ``fragment`` and ``local`` are short for the defaults.

    >>> how_of("fragment")
    Fragments(width=None, votes=None)
    """
    if isinstance(given, How):
        return given
    require_choice("inference", given, Inference, "; or a value as Local()")
    return _KINDS[Inference(given)]()


def how_asked(
    inference: Inference,
    *,
    on_conflict: OnConflict | None = None,
    joint: Joint = Joint.BAR,
    width: int | None = None,
    votes: float | None = None,
    negatives: bool = False,
    share: Share = None,
) -> How:
    """The kind of inference that options ask for, as the command line has them; each may be left as it is.

    >>> how_asked(Inference.GLOBAL, on_conflict=OnConflict.REPAIR)
    Global(repair=True, negatives=False)
    >>> how_asked(Inference.GLOBAL, width=2)
    Traceback (most recent call last):
    possilog.errors.QueryError: width is for fragment inference, and not for global inference; leave width out
    """
    repair = None if on_conflict is None else on_conflict is OnConflict.REPAIR
    asked: dict[str, Any] = {"repair": repair, "joint": joint, "width": width, "votes": votes, "negatives": negatives}
    asked["share"] = share
    kind = _KINDS[inference]
    for choice, value in asked.items():
        if value not in (None, False, Joint.BAR) and not _has(kind, choice):
            those = " and ".join(other.name for other in _KINDS.values() if _has(other, choice))
            name = _NAMES.get(choice, choice)
            raise QueryError(f"{name} is for {those} inference, and not for {inference} inference; leave {name} out")
    return kind(**{choice: value for choice, value in asked.items() if value is not None and _has(kind, choice)})


def _has(kind: type[How], choice: str) -> bool:
    return any(field.name == choice for field in fields(kind))
