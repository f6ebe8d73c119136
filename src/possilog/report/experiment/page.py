"""The page of an experiment, and the page that leads to several: HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

from possilog.evaluation.bars import measure
from possilog.evaluation.labels import OURS, Origin
from possilog.evaluation.results import LearningCost, Results
from possilog.report import html
from possilog.report.tables import Table

__all__ = ["headline", "make_index", "make_page", "make_times_page"]


def make_page(results: Results, tables: Sequence[Table], pictures: Mapping[str, bytes]) -> str:
    """One page: tables, pictures as SVG inside, and the theory."""
    return html.document(
        f"possilog on {results.data}",
        html.paragraph(headline(results), "lead"),
        html.paragraph(_told(results)),
        *(html.paragraph(note, "note") for note in _notes(results)),
        f"<p>{html.link('How long it took', 'times/index.html')}</p>",
        html.navigation([*(table.name for table in tables), "theory"]),
        *(table.html for table in tables if table.name == "bars"),
        *map(html.figure, pictures.values()),
        *(table.html for table in tables if table.name != "bars"),
        html.heading("The theory", "theory") + html.preformatted(results.theory),
    )


def make_times_page(results: Results, tables: Sequence[Table], pictures: Mapping[str, bytes]) -> str:
    """How long it took, by itself, since no two runs take the same time."""
    return html.document(
        f"possilog on {results.data}, how long it took",
        *(html.paragraph(line) for line in _took(results.learning)),
        *map(html.figure, pictures.values()),
        *(table.html for table in tables),
    )


def _took(learning: LearningCost) -> Iterator[str]:
    if learning.theory_cpu_seconds is not None:
        yield f"Learning our theory took {learning.theory_cpu_seconds:.1f} s of CPU time."
    if learning.network_cpu_seconds is not None:
        yield f"Learning the MLN took {learning.network_cpu_seconds:.1f} s of CPU time."


def _notes(results: Results) -> Iterator[str]:
    yield from _about_learning(results.learning)
    for label, reason in results.left_out.items():
        yield f"{label} is left out: {reason}"


def _about_learning(learning: LearningCost) -> Iterator[str]:
    if learning.reason is not None:
        yield f"Our theory: {learning.reason}."
    if learning.network_cpu_seconds is not None and not learning.network_complete:
        cut = "by a number of clauses in a quick experiment, or by time, and then another run may find another network"
        yield f"The learned MLN: its learner was cut short, {cut}."


def make_index(results: Mapping[str, Results]) -> str:
    """One page that leads to the pages of several data sets, by their folders, with a line about each."""
    lines = [
        f"<h3>{html.link(found.data, f'{folder}/index.html')}</h3>{html.paragraph(headline(found))}"
        for folder, found in results.items()
    ]
    return html.document("possilog, several data sets", *lines)


def headline(results: Results) -> str:
    """How far we are ahead, in a line."""
    gains = {label: fmean(one.gain.mean for one in found) for label, found in results.models.items()}
    others = [label for label in gains if label.origin not in (Origin.EVIDENCE, Origin.OURS)]
    best = max(others, key=gains.__getitem__)
    bars = measure(results)
    claims = f" {sum(bar.met for bar in bars)} of {len(bars)} claims hold." if bars else ""
    return (
        f"Our theory gains {gains[OURS]:.1f} facts per prediction, on average over all sizes of evidence; the best "
        f"other model, {best}, {gains[best]:.1f}.{claims}"
    )


def _told(results: Results) -> str:
    train, test = results.train, results.test
    listed = ", ".join(f"{name} {number}" for name, number in results.versions.items())
    return (
        f"Learned from {train.facts:,} facts about {train.constants:,} constants, tested on "
        f"{test.facts:,} facts about {test.constants:,}; {results.repeats} evidence sets per size, seed "
        f"{results.seed}; {listed}."
    )
