"""What was claimed, what we got: the bars that this project set itself, measured by an experiment's results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from possilog.evaluation.experiment import OURS, cumulative

__all__ = ["Bar", "measure"]

AUTHORS_SECONDS = 393.0
"""How long the authors' learner took for the structure alone, on UWCSE."""

_EARLY, _LATE = (10, 300), (400, 700)
_TIMED = (50, 500)
_FAST = 20.0


@dataclass(frozen=True, slots=True)
class Bar:
    """A claim, what was measured, and whether the claim holds."""

    claim: str
    measured: str
    met: bool


def measure(results: Mapping[str, Any]) -> tuple[Bar, ...]:
    """The bars of one of the paper's data sets; none for other data."""
    makers: dict[str, Callable[[_Results], list[Bar | None]]] = {"uwcse": _uwcse, "yeast": _yeast}
    if results["data"] not in makers:
        return ()
    return tuple(bar for bar in makers[results["data"]](_Results(results)) if bar is not None)


class _Results:
    """Results, by model and size."""

    def __init__(self, results: Mapping[str, Any]) -> None:
        self.all = results
        self.of = {found["model"]: {one["size"]: one for one in found["results"]} for found in results["models"]}

    def sizes(self, span: tuple[int, int]) -> list[int]:
        return [size for size in self.all["sizes"] if span[0] <= size <= span[1]]

    @property
    def authors(self) -> list[str]:
        """The authors' theory with each inference. Calibrated on the training facts it is no longer only theirs."""
        return [name for name in self.of if name.startswith("authors") and not name.endswith("calibrated")]

    def gain(self, model: str, size: int) -> float:
        return float(self.of[model][size]["gain"])

    def paired(self, model: str) -> dict[int, Mapping[str, Any]]:
        return {one["size"]: one for one in self.all["paired"][model]}

    def seconds(self, model: str, span: tuple[int, int]) -> float:
        return sum(float(self.of[model][size]["seconds"]) for size in self.sizes(span))


def _uwcse(results: _Results) -> list[Bar | None]:
    return [
        _reproduced(results),
        _rises(results),
        _ratio(results, _EARLY, 1.5),
        _ratio(results, _LATE, 1.25),
        *(_never_below(results, name) for name in results.authors),
        _never_below(results, "hard rules only"),
        _inference_speed(results),
        _learning_speed(results),
    ]


def _yeast(results: _Results) -> list[Bar | None]:
    return [
        _never_worse(results, "hard rules only"),
        *(_never_worse(results, name) for name in results.authors),
        *(_ahead_late(results, name) for name in results.authors),
    ]


def _curve(results: _Results, model: str, other: str) -> tuple[list[int], list[int]] | None:
    errors = results.all["curve"]["errors"]
    if model not in errors or other not in errors:
        return None
    return results.all["curve"]["sizes"], cumulative(errors[model], errors[other])


def _reproduced(results: _Results) -> Bar | None:
    found = _curve(results, "authors, global", "published MLN")
    if found is None:
        return None
    sizes, sums = found
    peak = sizes[sums.index(max(sums))]
    measured = f"highest at {peak} facts ({max(sums)}), {sums[-1]} at {sizes[-1]}"
    return Bar(
        "the authors' theory against the published network: the curve rises until about 250 facts, then falls",
        measured,
        150 <= peak <= 350 and sums[-1] < max(sums),
    )


def _rises(results: _Results) -> Bar | None:
    found = _curve(results, "authors, global, repaired", "evidence only")
    if found is None:
        return None
    sizes, sums = found
    falls = sum(after < before for before, after in pairwise(sums))
    return Bar(
        "the authors' theory, repaired, against the evidence alone: the curve rises throughout",
        f"{sums[-1]} at {sizes[-1]} facts; it falls at {falls} of {len(sums) - 1} steps",
        falls == 0,
    )


def _ratio(results: _Results, span: tuple[int, int], least: float) -> Bar | None:
    if "published MLN" not in results.of or not results.sizes(span):
        return None
    gains = {size: (results.gain(OURS, size), results.gain("published MLN", size)) for size in results.sizes(span)}
    listed = ", ".join(f"{size}: {ours:.1f} to {theirs:.1f}" for size, (ours, theirs) in gains.items())
    ratios = [ours / theirs for ours, theirs in gains.values() if theirs > 0]
    smallest = f"; smallest ratio {min(ratios):.2f}" if ratios else ""
    return Bar(
        f"our gain is at least {least:g} times the published network's from {span[0]} to {span[1]} facts",
        f"{listed}{smallest}",
        all(ours >= least * max(theirs, 0) for ours, theirs in gains.values()),
    )


def _never_below(results: _Results, other: str) -> Bar:
    """Our mean gain is never smaller."""
    met = all(one["mean"] >= 0 for one in results.all["paired"][other])
    return Bar(f"our gain is at no size below that of {other}", _worst(results, other), met)


def _never_worse(results: _Results, other: str) -> Bar:
    """Our error is never larger beyond the band of the paired difference."""
    met = all(max([one["mean"], *(one["band"] or ())]) >= 0 for one in results.all["paired"][other])
    return Bar(f"at no size worse than {other}, beyond the band", _worst(results, other), met)


def _worst(results: _Results, other: str) -> str:
    size, worst = min(results.paired(other).items(), key=lambda item: item[1]["mean"])
    band = "" if worst["band"] is None else " ({:+.2f} to {:+.2f})".format(*worst["band"])
    return f"least ahead at {size} facts: {worst['mean']:+.2f}{band}"


def _ahead_late(results: _Results, other: str) -> Bar | None:
    late = {size: one for size, one in results.paired(other).items() if size >= 3000}
    if not late:
        return None
    listed = ", ".join(f"{size}: {one['mean']:+.1f} (p {one['p']:.2g})" for size, one in late.items())
    return Bar(f"ahead of {other} from 3000 facts", listed, all(one["mean"] > 0 for one in late.values()))


def _inference_speed(results: _Results) -> Bar | None:
    if "published MLN" not in results.of or not results.sizes(_TIMED):
        return None
    ratio = results.seconds("published MLN", _TIMED) / results.seconds(OURS, _TIMED)
    first, last = _TIMED
    return Bar(
        f"inference at least {_FAST:g} times faster than the published network's exact MAP, {first} to {last} facts",
        f"{ratio:.0f} times",
        ratio >= _FAST,
    )


def _learning_speed(results: _Results) -> Bar | None:
    learning = results.all["learning"]
    ours, network = learning["theory_cpu_seconds"], learning["network_cpu_seconds"]
    if ours is None:
        return None
    rivals = [("the authors' learner, for structure alone", AUTHORS_SECONDS)]
    if network is not None:
        rivals.append(("the learner of networks" + ("" if learning["network_complete"] else ", stopped"), network))
    listed = ", ".join(f"{seconds / ours:.1f} times faster than {name} ({seconds:.0f} s)" for name, seconds in rivals)
    return Bar(
        f"learning end to end at least {_FAST:g} times faster in CPU time than one of the rivals",
        f"{ours:.1f} s; {listed}",
        any(seconds >= _FAST * ours for _, seconds in rivals),
    )
