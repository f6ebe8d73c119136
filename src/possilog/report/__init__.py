"""What people look at: theories told in words, tables, plots, and pages that need nothing else.

Everything that comes from data or from a person is escaped here, once: names may hold whatever they like.
"""

from possilog.report.converting import Converted, convert
from possilog.report.differences import TheoryDifference, compare_theories
from possilog.report.overview.making import make_report, write_report
from possilog.report.overview.values import Report
from possilog.report.portrait import Portrait, portray

__all__ = [
    "Converted",
    "Portrait",
    "Report",
    "TheoryDifference",
    "compare_theories",
    "convert",
    "make_report",
    "portray",
    "write_report",
]
