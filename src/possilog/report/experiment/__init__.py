"""An experiment, drawn: its tables, its plots and its page."""

from possilog.report.experiment.files import write_index, write_results

__all__ = ["write_index", "write_results"]
