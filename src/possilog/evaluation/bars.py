"""What was claimed, what we got: the bars that this project set itself, measured by an experiment's results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from possilog.evaluation.labels import OURS, Label, Origin, Way
from possilog.evaluation.results import Paired, Results

__all__ = ["Bar", "measure", "measure_speed"]

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


def measure(results: Results) -> tuple[Bar, ...]:
    """The bars of one of the paper's data sets, but for those about time; none for other data."""
    makers: dict[str, Callable[[Results], list[Bar | None]]] = {"uwcse": _uwcse, "yeast": _yeast}
    if results.data not in makers:
        return ()
    return tuple(bar for bar in makers[results.data](results) if bar is not None)


def measure_speed(results: Results) -> tuple[Bar, ...]:
    """The bars about time, which no two runs measure alike."""
    if results.data != "uwcse":
        return ()
    return tuple(bar for bar in (_inference_speed(results), _learning_speed(results)) if bar is not None)


_HARD_RULES = Label(Origin.HARD_RULES)
_PUBLISHED = Label(Origin.PUBLISHED_NETWORK)


def _authors(results: Results) -> list[Label]:
    """The authors' theory with each inference. Calibrated on the training facts it is no longer only theirs."""
    return [label for label in results.models if label.origin is Origin.AUTHORS and label.way is not Way.CALIBRATED]


def _sizes(results: Results, span: tuple[int, int]) -> list[int]:
    return [size for size in results.sizes if span[0] <= size <= span[1]]


def _gain(results: Results, model: Label, size: int) -> float:
    (found,) = (one.gain.mean for one in results.models[model] if one.size == size)
    return found


def _seconds(results: Results, model: Label, span: tuple[int, int]) -> float:
    return sum(one.seconds for one in results.models[model] if span[0] <= one.size <= span[1])


def _uwcse(results: Results) -> list[Bar | None]:
    return [
        _reproduced(results),
        _rises(results),
        _ratio(results, _EARLY, 1.5),
        _ratio(results, _LATE, 1.25),
        *(_never_below(results, label) for label in _authors(results)),
        _never_below(results, _HARD_RULES),
    ]


def _yeast(results: Results) -> list[Bar | None]:
    return [
        _never_worse(results, _HARD_RULES),
        *(_never_worse(results, label) for label in _authors(results)),
        *(_ahead_late(results, label) for label in _authors(results)),
    ]


def _curve(results: Results, way: Way, other: Label) -> tuple[tuple[int, ...], list[int]] | None:
    """The cumulative curve of the authors' theory against another model, if both are there."""
    model, curves = Label(Origin.AUTHORS, way), results.curves
    if model not in curves.errors or other not in curves.errors:
        return None
    return curves.sizes, curves.cumulative(model, other)


def _reproduced(results: Results) -> Bar | None:
    found = _curve(results, Way.GLOBAL, _PUBLISHED)
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


def _rises(results: Results) -> Bar | None:
    found = _curve(results, Way.REPAIRED, Label(Origin.EVIDENCE))
    if found is None:
        return None
    sizes, sums = found
    falls = sum(after < before for before, after in pairwise(sums))
    return Bar(
        "the authors' theory, repaired, against the evidence alone: the curve rises throughout",
        f"{sums[-1]} at {sizes[-1]} facts; it falls at {falls} of {len(sums) - 1} steps",
        falls == 0,
    )


def _ratio(results: Results, span: tuple[int, int], least: float) -> Bar | None:
    if _PUBLISHED not in results.models or not _sizes(results, span):
        return None
    gains = {size: (_gain(results, OURS, size), _gain(results, _PUBLISHED, size)) for size in _sizes(results, span)}
    listed = ", ".join(f"{size}: {ours:.1f} to {theirs:.1f}" for size, (ours, theirs) in gains.items())
    ratios = [ours / theirs for ours, theirs in gains.values() if theirs > 0]
    smallest = f"; smallest ratio {min(ratios):.2f}" if ratios else ""
    return Bar(
        f"our gain is at least {least:g} times the published network's from {span[0]} to {span[1]} facts",
        f"{listed}{smallest}",
        all(ours >= least * max(theirs, 0) for ours, theirs in gains.values()),
    )


def _never_below(results: Results, other: Label) -> Bar:
    """Our mean gain is never smaller."""
    met = all(one.difference.mean >= 0 for one in results.paired[other])
    return Bar(f"our gain is at no size below that of {other}", _worst(results, other), met)


def _never_worse(results: Results, other: Label) -> Bar:
    """Our error is never larger beyond the band of the paired difference."""
    met = all(max([one.difference.mean, *(one.difference.interval or ())]) >= 0 for one in results.paired[other])
    return Bar(f"at no size worse than {other}, beyond the band", _worst(results, other), met)


def _worst(results: Results, other: Label) -> str:
    worst = min(results.paired[other], key=_ahead)
    interval = worst.difference.interval
    band = "" if interval is None else " ({:+.2f} to {:+.2f})".format(*interval)
    return f"least ahead at {worst.size} facts: {_ahead(worst):+.2f}{band}"


def _ahead(paired: Paired) -> float:
    return paired.difference.mean


def _ahead_late(results: Results, other: Label) -> Bar | None:
    late = [one for one in results.paired[other] if one.size >= 3000]
    if not late:
        return None
    listed = ", ".join(f"{one.size}: {_ahead(one):+.1f} (p {one.p:.2g})" for one in late)
    return Bar(f"ahead of {other} from 3000 facts", listed, all(_ahead(one) > 0 for one in late))


def _inference_speed(results: Results) -> Bar | None:
    if _PUBLISHED not in results.models or not _sizes(results, _TIMED):
        return None
    ratio = _seconds(results, _PUBLISHED, _TIMED) / _seconds(results, OURS, _TIMED)
    first, last = _TIMED
    return Bar(
        f"inference at least {_FAST:g} times faster than the published network's exact MAP, {first} to {last} facts",
        f"{ratio:.0f} times",
        ratio >= _FAST,
    )


def _learning_speed(results: Results) -> Bar | None:
    learning = results.learning
    ours, network = learning.theory_cpu_seconds, learning.network_cpu_seconds
    if ours is None:
        return None
    rivals = [("the authors' learner, for structure alone", AUTHORS_SECONDS)]
    if network is not None:
        rivals.append(("the learner of networks" + ("" if learning.network_complete else ", stopped"), network))
    listed = ", ".join(f"{seconds / ours:.1f} times faster than {name} ({seconds:.0f} s)" for name, seconds in rivals)
    return Bar(
        f"learning end to end at least {_FAST:g} times faster in CPU time than one of the rivals",
        f"{ours:.1f} s; {listed}",
        any(seconds >= _FAST * ours for _, seconds in rivals),
    )
