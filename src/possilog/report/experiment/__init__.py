"""An experiment, drawn: its tables, its plots and its page."""

from possilog.report.experiment.files import INDEX, write_index, write_results

__all__ = ["INDEX", "write_index", "write_results"]
