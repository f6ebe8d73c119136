"""What the learner is asked for, and what it chooses by itself from the size of the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import comb
from typing import Any

import numpy as np

from possilog.choices import Hard
from possilog.data import Database
from possilog.errors import QueryError
from possilog.learning.focus import Focus
from possilog.logic import Predicate
from possilog.requiring import require_a, require_choice, require_number, require_single, require_whole
from possilog.structure.horn import Limits
from possilog.structure.rules import SearchSettings, preset_settings
from possilog.structure.search import hard_rule_variables, searchable

__all__ = ["OBJECTIVES", "SMOOTHING", "Settings", "learnable", "settings_for"]

AUTO = "auto"
"""A width: that of the search, and a fourth variable where things share a value."""

OBJECTIVES = ("prediction", "likelihood")

SMOOTHING = 0.001
"""So many times every world counts as seen where rules are learned to predict: no soft rule becomes certain."""

_MANY_PREDICATES = 30
"""With more predicates than this, worlds and clauses are so many that rules are kept smaller."""

_MOST_UNARY = 11_000_000
"""With more clauses of so many unary literals than this, hard rules about what single things are have fewer: searching
them takes seconds, each time that something is learned, and most of those that hold do so by chance."""

_MANY_FACTS = 50_000
"""With more facts than this, rules are kept smaller."""

_MANY_WALKS = 1e8
"""With more walks of three steps than this, from fact to fact, paths of three atoms take long to count."""

GRAPH = "graph"
"""The preset for facts that are taken as a graph, whatever their number."""

RULES_PER_HEAD = 10

_HARD_LITERALS = 2

_RANK_RULES = 300

_MANY_TO_RELEARN = 3_000
"""With more facts than this, the data are cut into parts once, not twice."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a theory is learned. ``settings_for`` chooses them from the data."""

    objective: str = "prediction"
    """prediction: only rules that pay in simulated prediction; likelihood: the paper's recipe."""
    width: int = 3
    """k, the number of constants in a fragment."""
    hard: Hard | str = Hard.EARNED
    """earned: only clauses that chance would not make hold are hard rules; all: every one without a counterexample."""
    hard_literals: int = _HARD_LITERALS
    hard_unary_literals: int = 5
    hard_variables: int | None = None
    search: SearchSettings = field(default_factory=SearchSettings)
    max_rules: int | str | None = None
    """The most soft rules; ``knee`` for as many as the curve of held-out likelihood says."""
    rank_rules: int = _RANK_RULES
    """The most further rules that the theory carries for ranking."""
    rules_per_head: int | str | None = None
    """The most rules of each relation, or ``all``, where facts are taken as a graph; None where they are not."""
    conjunctions: bool = False
    """May a rule of a graph have two paths?"""
    mined: bool = False
    """Are the candidates path rules, of which all are counted, and not searched for?"""
    parts: int = 3
    """Into how many parts the data are cut, to hold one out after the other."""
    splits: int = 2
    """How often the data are cut that way, each time differently."""
    starts: int = 1
    """How often the search for an ordering begins anew."""
    smoothing: float = SMOOTHING
    """How many times every world counts as seen, so that no soft rule becomes certain."""
    seed: int = 0
    focus: Focus = field(default_factory=Focus)
    """What rules are wanted about."""

    def __post_init__(self) -> None:
        require_choice("the objective", self.objective, OBJECTIVES)
        require_choice("hard", self.hard, Hard)
        if self.max_rules is not None and str(self.max_rules) != "knee":
            require_whole("max_rules", self.max_rules, 0, ", or 'knee'")
        if self.rules_per_head is not None and str(self.rules_per_head) != "all":
            require_whole("rules_per_head", self.rules_per_head, 1, ", or 'all'")
        require_a("search", self.search, SearchSettings)
        require_a("focus", self.focus, Focus)
        if self.hard_variables is not None:
            require_whole("hard_variables", self.hard_variables, 1)
        for name in ("width", "hard_literals", "hard_unary_literals", "parts", "splits", "starts"):
            require_whole(name, getattr(self, name), 1)
        for name in ("rank_rules", "seed"):
            require_whole(name, getattr(self, name))
        for name in ("conjunctions", "mined"):
            require_a(name, getattr(self, name), bool)
        require_whole("body", self.search.limits.body, 1)
        require_number("smoothing", self.smoothing)

    @property
    def parameters(self) -> Mapping[str, object]:
        """What stands in the theory's file."""
        limits = self.search.limits
        shown: dict[str, object] = {"objective": self.objective, "width": self.width, "hard": self.hard}
        if self.rules_per_head is not None:
            shown = {"preset": GRAPH, "rules per head": self.rules_per_head, "body": limits.body}
        else:
            shown["hard rules"] = f"up to {self.hard_literals} literals ({self.hard_unary_literals} if unary)"
            beam = {"beam": limits.beam, "repeats": limits.repeats}
            shown |= {"body": limits.body} | ({"candidates": "all path rules"} if self.mined else beam)
            shown |= {"negatives": self.search.negatives, "smoothing": f"{self.smoothing:g}"}
        if self.max_rules is not None:
            shown["max rules"] = self.max_rules
        return shown | self.focus.parameters

    @property
    def as_json(self) -> dict[str, Any]:
        """All of it, so that two runs can be told apart."""
        return asdict(self)


def settings_for(
    database: Database,
    *,
    preset: str | None = None,
    objective: str = "prediction",
    width: int | str | None = None,
    body: int | None = None,
    max_rules: int | str | None = None,
    hard: Hard | str | None = None,
    rank_rules: int | None = None,
    rules_per_head: int | str | None = None,
    conjunctions: bool = False,
    seed: int = 0,
    focus: Focus | None = None,
) -> Settings:
    """Settings for some data: the authors' for a preset, otherwise by the number of predicates and facts.

    >>> from possilog.data.bundled import load
    >>> chosen = settings_for(load("village"))
    >>> chosen.width, chosen.search.limits.body, chosen.search.limits.beam
    (3, 3, 100)
    """
    require_single(objective=objective, preset=preset, width=width)
    focus = Focus() if focus is None else focus
    if width == AUTO:
        width, focus = None, replace(focus, auto_width=True)
    if isinstance(width, str):
        raise QueryError(f"width is {width!r}; give a whole number, 1 or more, or {AUTO!r}")
    as_graph = (
        preset == GRAPH or rules_per_head is not None or (preset is None and _is_large_graph(database, objective))
    )
    search = SearchSettings(_limits(database, focus)) if preset in (None, GRAPH) else preset_settings(preset)
    limits = replace(search.limits, body=_path_atoms(database)) if as_graph else search.limits
    limits = replace(limits, width=limits.width if width is None else width, body=limits.body if body is None else body)
    if focus.min_support is not None:
        limits = replace(limits, min_support=focus.min_support)
    return Settings(
        objective=objective,
        width=limits.width,
        hard=_which_are_hard(hard, preset, objective),
        hard_unary_literals=_hard_unary_literals(database),
        hard_variables=_hard_variables(learnable(database.predicates, limits.width), limits.width),
        search=replace(search, limits=limits, seed=seed),
        max_rules=max_rules,
        rank_rules=_RANK_RULES if rank_rules is None else rank_rules,
        rules_per_head=RULES_PER_HEAD if as_graph and rules_per_head is None else rules_per_head,
        conjunctions=conjunctions,
        mined=preset is None and width is None and _is_mined(database, objective),
        # Where likelihood does not choose the rules but only orders them, more starts found nothing better.
        starts=1 if objective == "prediction" else 3,
        smoothing=SMOOTHING if objective == "prediction" else 0.0,
        splits=1 if len(database) > _MANY_TO_RELEARN else 2,
        seed=seed,
        # What nobody says the width of may have a fourth variable, where things share a value.
        focus=replace(focus, auto_width=focus.auto_width or (bool(database.types) and width is None)),
    )


def _which_are_hard(said: Hard | str | None, preset: str | None, objective: str) -> Hard | str:
    """The authors' settings, and their recipe, are about all clauses without a counterexample."""
    if objective == "likelihood" and said == Hard.EARNED:
        raise QueryError(
            "with the objective likelihood, all rules without exception are hard; leave hard out, or say all"
        )
    if said is not None:
        return said
    return Hard.EARNED if preset in (None, GRAPH) and objective == "prediction" else Hard.ALL


def _is_graph(database: Database, objective: str) -> bool:
    """Are all facts binary, and are they to be predicted?"""
    binary = all(predicate.arity == 2 for predicate in database.predicates)
    return binary and objective == "prediction" and not database.types


def _is_large_graph(database: Database, objective: str) -> bool:
    """Are there too many facts for anything but path rules, and are all facts binary?"""
    return len(database) > _MANY_FACTS and _is_graph(database, objective)


def _path_atoms(database: Database) -> int:
    """Paths have three atoms, unless there are many facts, and very many walks of three steps."""
    columns = [database.rows(predicate) for predicate in database.predicates if predicate.arity == 2]
    degree = np.bincount(np.concatenate([np.empty((2, 0), np.int64), *columns], axis=1).ravel()).astype(np.float64)
    walks = sum(float(degree[first] @ degree[second]) for first, second in columns)
    return 2 if len(database) > _MANY_FACTS and walks > _MANY_WALKS else 3


def _is_mined(database: Database, objective: str) -> bool:
    """Are there so many predicates that a search keeps one rule of each length? Path rules can all be counted."""
    return len(database.predicates) > _MANY_PREDICATES and _is_graph(database, objective)


def _limits(database: Database, focus: Focus) -> Limits:
    """Rules of three variables and three conditions; smaller ones where there are many predicates or facts."""
    if len(database.predicates) > _MANY_PREDICATES or len(database) > _MANY_FACTS:
        is_column = bool(database.types) and len(focus.targets) == 1  # soon searched, however many others there are
        return Limits(width=3, body=3 if is_column else 2, beam=50, repeats=1)
    return Limits(repeats=3)


def _hard_unary_literals(database: Database) -> int:
    """How many literals hard rules about what single things are have: fewer where there are too many such clauses."""
    unary = sum(predicate.arity == 1 for predicate in database.predicates)
    few = [size for size in range(3, 6) if comb(unary, size) << size <= _MOST_UNARY]
    return max(few, default=2)


def learnable(predicates: Sequence[Predicate], width: int) -> tuple[Predicate, ...]:
    """The predicates that rules are learned about: those with very many arguments are left out."""
    return searchable(predicates, width, _HARD_LITERALS, _hard_variables)


def _hard_variables(predicates: Sequence[Predicate], width: int) -> int | None:
    """As ``hard_rule_variables`` has it, unless there are many predicates: then the rules have the width."""
    return width if len(predicates) > _MANY_PREDICATES else hard_rule_variables(predicates, width)
