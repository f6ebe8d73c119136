"""How many k-subsets of the data, and how many worlds over k constants, satisfy a cut (appendix of the paper)."""

from possilog.counting.count import Count
from possilog.counting.counter import CutCounter
from possilog.counting.data_profile import DataProfile
from possilog.counting.levels import CutLevels, LevelCounts, Levels, ProfileLevels
from possilog.counting.limits import TooLarge
from possilog.counting.strata import StrataCounts, StratumCounts, count_strata
from possilog.counting.world_profile import WorldProfile

__all__ = [
    "Count",
    "CutCounter",
    "CutLevels",
    "DataProfile",
    "LevelCounts",
    "Levels",
    "ProfileLevels",
    "StrataCounts",
    "StratumCounts",
    "TooLarge",
    "WorldProfile",
    "count_strata",
]
