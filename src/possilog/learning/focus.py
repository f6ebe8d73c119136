"""What a person wants rules about, and what may have a part in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from possilog.data import Database
from possilog.data.splits import keep_predicates
from possilog.errors import QueryError, listed, shortened
from possilog.logic import Predicate
from possilog.structure.columns import MiningSettings

__all__ = ["Focus", "focus_of"]


@dataclass(frozen=True, slots=True)
class Focus:
    """Targets and limits; empty, all is learned about all."""

    targets: tuple[str, ...] = ()
    """Predicates that rules are learned about."""
    exclude: tuple[str, ...] = ()
    """Predicates that have no part in it."""
    only: tuple[str, ...] = ()
    """Predicates that alone have a part in it, besides the targets."""
    min_support: int | None = None
    """The fewest facts that a rule is right about."""
    constants: tuple[str, ...] | None = None
    """Arguments whose values rules may name, as ``carrier.2``; None for those of tables that have few values."""
    no_constants: bool = False
    """May no rule name a value or compare a number?"""
    auto_width: bool = False
    """May a shared value bring a fourth variable into a rule?"""

    def __post_init__(self) -> None:
        if self.min_support is not None and not (isinstance(self.min_support, int) and self.min_support >= 1):
            raise QueryError(f"the minimum support is {self.min_support!r}; give a whole number, 1 or more")
        if self.no_constants and self.constants:
            raise QueryError("constants are asked for and forbidden; leave one of the two out")
        both = next((name for name in self.exclude if name in (*self.targets, *self.only)), None)
        if both is not None:
            raise QueryError(f"{shortened(both)} is asked for and excluded; leave one of the two out")
        for place in self.constants or ():
            if not place.endswith(".2"):
                raise QueryError(
                    f"{place!r} is no place for a constant; write the predicate and its argument: carrier.2"
                )

    @property
    def parameters(self) -> dict[str, object]:
        """What stands in the theory's file."""
        named = {"targets": self.targets, "exclude": self.exclude, "only": self.only, "constants": self.constants}
        shown: dict[str, object] = {name: " ".join(some) for name, some in named.items() if some}
        if self.min_support is not None:
            shown["min support"] = self.min_support
        return shown | ({"constants": "none"} if self.no_constants else {})

    def narrowed(self, database: Database) -> Database:
        """The facts that have a part in it."""
        _known(database, (*self.targets, *self.exclude, *self.only))
        _known(database, (place.removesuffix(".2") for place in self.constants or ()))
        if not (self.exclude or self.only):
            return database
        kept = [p for p in database.predicates if self._is_kept(p)]
        if not kept:
            raise QueryError("nothing is left to learn from; exclude less, or name more with --only")
        return keep_predicates(database, kept) if len(kept) < len(database.predicates) else database

    def _is_kept(self, predicate: Predicate) -> bool:
        if predicate.name in self.targets:
            return True
        return predicate.name not in self.exclude and (not self.only or predicate.name in self.only)

    def predicates(self, database: Database) -> tuple[Predicate, ...]:
        """The targets; none where all predicates are."""
        return tuple(predicate for predicate in _all(database) if predicate.name in self.targets)

    def mining(self, database: Database, width: int | None, body: int, seed: int) -> MiningSettings:
        """The same for rules of columns."""
        named = () if self.no_constants else self.constants
        return MiningSettings(
            targets=self.predicates(database),
            excluded=self.exclude,
            only=self.only,
            constants=named,
            least=self.min_support,
            body=body,
            width=width,
            seed=seed,
        )


def focus_of(
    targets: Sequence[str] | None = (),
    exclude: Sequence[str] | None = (),
    only: Sequence[str] | None = (),
    min_support: int | None = None,
    constants: Sequence[str] | bool | None = None,
) -> Focus:
    """The same as people give it: a single name is one, and ``constants`` may be False."""
    named = None if isinstance(constants, bool) or constants is None else _names(constants)
    return Focus(_names(targets), _names(exclude), _names(only), min_support, named, constants is False)


def _names(given: Sequence[str] | None) -> tuple[str, ...]:
    if given is None or isinstance(given, str):
        return (given,) if given else ()
    names = list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(name, str) for name in names):
        raise QueryError(f"predicates are named by a list of strings, and {shortened(repr(given))} is none")
    return tuple(dict.fromkeys(names))


def _all(database: Database) -> tuple[Predicate, ...]:
    return tuple(dict.fromkeys((*database.predicates, *database.denied_predicates)))


def _known(database: Database, names: Iterable[str]) -> None:
    known = {predicate.name for predicate in _all(database)}
    for name in names:
        if name not in known:
            raise QueryError(f"there are no facts of {name}; the predicates are {listed(sorted(known), 30)}")
