"""From tables to predicates. Start at ``finding``, which says what a table becomes; ``predicates`` then makes facts."""

from possilog.data.tables.finding import clean_tables, find_mapping
from possilog.data.tables.predicates import add_tables
from possilog.data.tables.table import ForeignKey, RawTable, TableColumn, coded

__all__ = ["ForeignKey", "RawTable", "TableColumn", "add_tables", "clean_tables", "coded", "find_mapping"]
