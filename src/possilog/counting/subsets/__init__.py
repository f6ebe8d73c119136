"""How many k-subsets of the data satisfy a cut, by each method of the paper's appendix, and by Karp and Luby's."""

from possilog.counting.subsets.cascade import Effort, count_subsets
from possilog.counting.subsets.hashing import count_by_hashing
from possilog.counting.subsets.karp_luby import count_by_karp_luby
from possilog.counting.subsets.listing import count_by_listing
from possilog.counting.subsets.problem import SubsetProblem
from possilog.counting.subsets.sampling import count_by_sampling

__all__ = [
    "Effort",
    "SubsetProblem",
    "count_by_hashing",
    "count_by_karp_luby",
    "count_by_listing",
    "count_by_sampling",
    "count_subsets",
]
