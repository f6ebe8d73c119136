"""The plots of an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from possilog.evaluation.labels import OURS, Label, Origin, Way
from possilog.evaluation.results import Results
from possilog.evaluation.scores import Summary
from possilog.plotting import Dashes, Line, Plot

__all__ = ["make_plots", "make_time_plots"]

_COLOURS = {
    Origin.OURS: "#0b5fa5",
    Origin.AUTHORS: "#d1600a",
    Origin.HARD_RULES: "0.45",
    Origin.PUBLISHED_NETWORK: "#b3261e",
    Origin.LEARNED_NETWORK: "#b45fb0",
    Origin.SYMMETRIC_CLOSURE: "#2f8f4e",
    Origin.DENSITY_TREE: "#a08a10",
}
_WHOLE = "-"
_DASHES: dict[Way | None, Dashes] = {
    Way.GLOBAL: ":",
    Way.REPAIRED: "-.",
    Way.FRAGMENT: "--",
    Way.CALIBRATED: (0, (4, 1, 1, 1, 1, 1)),
}
"""A colour tells whose a model is, and a broken line how it infers."""


def make_plots(results: Results) -> tuple[Plot, ...]:
    """Gains by size, and the paper's figure."""
    gains = {
        str(label): _line(label, results.sizes, [one.gain.mean for one in found], _bands(found))
        for label, found in _shown(results)
    }
    return (
        Plot("gain", "Gain over the evidence alone", "evidence, facts", "gain, facts", gains),
        *_cumulative(results),
    )


def make_time_plots(results: Results) -> tuple[Plot, ...]:
    """Seconds by size."""
    seconds = {
        str(label): _line(label, results.sizes, [one.seconds for one in found]) for label, found in _shown(results)
    }
    return (Plot("seconds", "Seconds per prediction", "evidence, facts", "seconds", seconds, logarithmic=True),)


def _shown(results: Results) -> list[tuple[Label, tuple[Summary, ...]]]:
    return [(label, found) for label, found in results.models.items() if label.origin is not Origin.EVIDENCE]


def _line(model: Label, x: Sequence[float], y: Sequence[float], bands: Sequence[tuple[float, float]] = ()) -> Line:
    """The line of a model: ours is thick, and the bands of broken lines are left out, to see the others."""
    dashes = _DASHES.get(model.way, _WHOLE)
    return Line(x, y, bands if dashes == _WHOLE else (), _COLOURS[model.origin], dashes, 2.5 if model == OURS else 1.3)


def _bands(found: Sequence[Summary]) -> list[tuple[float, float]]:
    return [(one.gain.low, one.gain.high) for one in found if one.gain.interval is not None]


def _cumulative(results: Results) -> Iterator[Plot]:
    curves = results.curves
    theories = [label for label in curves.errors if label.origin.is_theory]
    for number, other in enumerate(label for label in curves.errors if not label.origin.is_theory):
        lines = {str(label): _line(label, curves.sizes, curves.cumulative(label, other)) for label in theories}
        title = f"Cumulative error of {other} minus the theory's"
        yield Plot(f"cumulative-{number + 1}", title, "evidence, facts", "sum of differences", lines)
