"""Hard rules, non-trivial negatives, and beam search for Horn rules (section Structure Learning)."""

from possilog.structure.hard_rules import HardRule, HardRules, find_hard_rules
from possilog.structure.horn import Limits
from possilog.structure.negatives import Negatives, sample_negatives
from possilog.structure.paths.mined import Mined, MinedRule
from possilog.structure.paths.mining import mine
from possilog.structure.ranking import RankedStratum, rank_rules
from possilog.structure.rules import PRESETS, FoundRule, FoundRules, SearchSettings, Skipped, find_rules

__all__ = [
    "PRESETS",
    "FoundRule",
    "FoundRules",
    "HardRule",
    "HardRules",
    "Limits",
    "Mined",
    "MinedRule",
    "Negatives",
    "RankedStratum",
    "SearchSettings",
    "Skipped",
    "find_hard_rules",
    "find_rules",
    "mine",
    "rank_rules",
    "sample_negatives",
]
