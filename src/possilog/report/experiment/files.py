"""An experiment's results, written into its folder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from possilog.evaluation.experiment import Experiment
from possilog.evaluation.results import Results
from possilog.files import AnyPath, safe_name, told, write_atomically
from possilog.plotting import Plot
from possilog.report.experiment.page import make_index, make_page, make_times_page
from possilog.report.experiment.plots import make_plots, make_time_plots
from possilog.report.experiment.tables import make_tables, make_time_tables
from possilog.report.side_by_side import latex_table
from possilog.report.tables import Table

__all__ = ["INDEX", "write_index", "write_results"]

INDEX = "index.html"
"""The page that leads to those of several data sets."""


def write_results(experiment: Experiment, folder: AnyPath) -> None:
    """Write ``results.json``, ``theory.pl``, the tables, the plots and ``index.html``.

    What is about time goes into the folder ``times``. All else is the same for the same data, settings and seed.
    """
    results, name, authors = experiment.results, experiment.data.name, experiment.data.authors
    target = Path(folder)
    for part in (target / "tables", target / "plots", target / "times"):
        with told(part, "written"):
            part.mkdir(parents=True, exist_ok=True)
    _write_json(target / "results.json", results.as_json)
    _write(target / "theory.pl", experiment.found_theory.theory)
    if (network := experiment.found_network.network) is not None:
        _write(target / "network.mln", network)
    tables = make_tables(results)
    _write_tables(tables, target / "tables")
    _write(target / "tables" / "theory.tex", latex_table(experiment.theory, f"The theory learned on {name}."))
    if authors is not None:
        _write(target / "tables" / "authors.tex", latex_table(authors, f"The authors' theory for {name}."))
    _write(target / "index.html", make_page(results, tables, _write_plots(make_plots(results), target / "plots")))
    _write_times(results, target / "times")


def _write_times(results: Results, folder: Path) -> None:
    _write_json(folder / "times.json", results.times)
    tables = make_time_tables(results)
    _write_tables(tables, folder)
    pictures = _write_plots(make_time_plots(results), folder)
    _write(folder / "index.html", make_times_page(results, tables, pictures))


def _write_tables(tables: Iterable[Table], folder: Path) -> None:
    for table in tables:
        for ending, content in (("md", table.markdown), ("tex", table.latex), ("html", table.html)):
            _write(folder / f"{safe_name(table.name)}.{ending}", content)


def _write_plots(plots: Iterable[Plot], folder: Path) -> dict[str, bytes]:
    """Gives the pictures that a page can hold, by their names."""
    pictures = {}
    for plot in plots:
        drawn = plot.draw()
        for ending, content in drawn.items():
            write_atomically(folder / f"{safe_name(plot.name)}.{ending}", content)
        pictures[plot.name] = drawn["svg"]
    return pictures


def write_index(results: Mapping[str, Results], folder: AnyPath) -> Path:
    """Write the page that leads to the pages of several data sets, each in the folder that it is given with."""
    path = Path(folder) / INDEX
    _write(path, make_index(results))
    return path


def _write_json(path: Path, content: object) -> None:
    _write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def _write(path: Path, text: str) -> None:
    write_atomically(path, text.encode("utf-8", "backslashreplace"))
