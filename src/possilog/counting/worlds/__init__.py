"""How many worlds over k constants satisfy some clauses (appendix Model Counting of the paper).

Each method by itself, and ``count_worlds``, which chooses. Problems are split into independent parts first.
"""

from possilog.counting.worlds.formula import Worlds
from possilog.counting.worlds.methods import (
    count_by_cutting_planes,
    count_by_ganak,
    count_by_search,
    count_worlds,
    count_worlds_by_hashing,
)

__all__ = [
    "Worlds",
    "count_by_cutting_planes",
    "count_by_ganak",
    "count_by_search",
    "count_worlds",
    "count_worlds_by_hashing",
]
