"""Rules about one thing at a time: what its columns say, followed along keys, as tables have it.

The beam search looks at any body over variables. Where facts come from tables, most of what is worth saying names a
value or compares a number: ``late(F) :- carrier(F, "EV"), delay(F, D), D >= 15.`` Such conditions are sets of rows, and
conjunctions of them are counted, exactly and by the thousand, as products of matrices.
"""

from possilog.structure.columns.mining import ColumnRule, MiningSettings, mine_columns, mine_trees
from possilog.structure.columns.things import Things, functional, only_one

__all__ = ["ColumnRule", "MiningSettings", "Things", "functional", "mine_columns", "mine_trees", "only_one"]
