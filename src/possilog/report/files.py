"""An experiment's results, written into its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from possilog.evaluation.experiment import Experiment
from possilog.files import AnyPath, told, write_atomically
from possilog.report.page import make_index, make_page, make_plots, make_tables
from possilog.report.side_by_side import latex_table

__all__ = ["write_index", "write_results"]


def write_results(experiment: Experiment, folder: AnyPath) -> None:
    """Write ``results.json``, ``theory.pl``, the tables, the plots and ``index.html``."""
    results = experiment.results
    target = Path(folder)
    for part in (target / "tables", target / "plots"):
        with told(part, "written"):
            part.mkdir(parents=True, exist_ok=True)
    _write(target / "results.json", json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    _write(target / "theory.pl", experiment.learned["theory"])
    if (network := experiment.learned_network["network"]) is not None:
        _write(target / "network.mln", network)
    tables = make_tables(results)
    for table in tables:
        _write(target / "tables" / f"{table.name}.md", f"{table.title}\n\n{table.markdown}\n{table.note}\n")
        _write(target / "tables" / f"{table.name}.tex", table.latex)
        _write(target / "tables" / f"{table.name}.html", table.html)
    name = experiment.data.name
    _write(target / "tables" / "theory.tex", latex_table(experiment.theory, f"The theory learned on {name}."))
    if experiment.data.authors is not None:
        _write(
            target / "tables" / "authors.tex", latex_table(experiment.data.authors, f"The authors' theory for {name}.")
        )
    pictures = {}
    for plot in make_plots(results):
        for ending, content in plot.draw().items():
            write_atomically(target / "plots" / f"{plot.name}.{ending}", content)
            if ending == "svg":
                pictures[plot.name] = content
    _write(target / "index.html", make_page(results, tables, pictures))


def write_index(results: Mapping[str, Mapping[str, Any]], folder: AnyPath) -> Path:
    """Write the page that leads to the pages of several data sets, each in the folder of its name."""
    path = Path(folder) / "index.html"
    _write(path, make_index(results))
    return path


def _write(path: Path, text: str) -> None:
    write_atomically(path, text.encode("utf-8", "backslashreplace"))
