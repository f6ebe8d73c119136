"""How many k-subsets of the data, and how many worlds over k constants, satisfy a cut (appendix of the paper)."""

from possilog.counting.count import Count
from possilog.counting.counter import Counter
from possilog.counting.data_profile import DataProfile
from possilog.counting.limits import TooLarge
from possilog.counting.strata import StrataCounts, StratumCounts, count_strata, count_strata_by
from possilog.counting.world_profile import WorldProfile

__all__ = [
    "Count",
    "Counter",
    "DataProfile",
    "StrataCounts",
    "StratumCounts",
    "TooLarge",
    "WorldProfile",
    "count_strata",
    "count_strata_by",
]
