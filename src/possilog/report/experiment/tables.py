"""The tables of an experiment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from statistics import fmean

from possilog.evaluation.bars import Bar, measure, measure_speed
from possilog.evaluation.labels import OURS
from possilog.evaluation.reading import Reading
from possilog.evaluation.results import Paired, ReadModel, Results
from possilog.evaluation.scores import Additions, Summary
from possilog.report.side_by_side import beside_table
from possilog.report.tables import Table

__all__ = ["make_tables", "make_time_tables"]


def make_tables(results: Results) -> tuple[Table, ...]:
    """All tables that have something to say, but for those about time."""
    return tuple(table for table in _all(results) if table.rows)


def make_time_tables(results: Results) -> tuple[Table, ...]:
    """The tables about time that have something to say."""
    milliseconds = _by_size(
        results, "milliseconds", "Milliseconds per prediction", lambda one: f"{1000 * one.seconds:.3g}"
    )
    return tuple(table for table in (_bars(measure_speed(results)), milliseconds) if table.rows)


def _all(results: Results) -> Iterator[Table]:
    yield _bars(measure(results))
    gain = "Gain: the error of the evidence alone minus the model's, mean and 95 % band"
    yield _by_size(results, "gain", gain, lambda one: str(one.gain))
    yield _by_size(
        results, "error", "Hamming error against the whole test set, mean and 95 % band", lambda one: str(one.error)
    )
    yield _by_size(results, "precision", "Precision of the added atoms", lambda one: _three(one.additions.precision))
    yield _by_size(
        results,
        "recall",
        "Recall: the share of the hidden facts that are added",
        lambda one: _three(one.additions.recall),
    )
    yield _paired(results)
    yield _predicates(results, "predicates", "Right and wrong additions", _counts)
    yield _predicates(results, "shares", "Precision and recall", _shares)
    yield _areas(results)
    yield _sizes(results)
    yield _readings(results)
    yield _example(results)
    if results.beside is not None:
        yield beside_table(results.beside)


def _bars(bars: Sequence[Bar]) -> Table:
    rows = tuple((bar.claim, bar.measured, "yes" if bar.met else "no") for bar in bars)
    kinds = tuple("met" if bar.met else "missed" for bar in bars)
    return Table("bars", "What was claimed, and what we got", ("claim", "measured", "met"), rows, kinds=kinds)


def _three(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _by_size(results: Results, name: str, title: str, shown: Callable[[Summary], str]) -> Table:
    header = ("model", *map(str, results.sizes))
    rows = tuple((str(label), *map(shown, found)) for label, found in results.models.items())
    note = f"{results.repeats} evidence sets per size, the same for every model."
    return Table(name, title, header, rows, note, tuple("ours" if label == OURS else "" for label in results.models))


def _paired(results: Results) -> Table:
    def shown(one: Paired) -> str:
        return f"{one.difference.mean:+.1f}{one.difference.spread} (p {one.p:.2g})"

    rows = tuple((str(label), *map(shown, found)) for label, found in results.paired.items())
    note = "Pairs have the same evidence; p by random signs. Above 0 we are better."
    header = ("against", *map(str, results.sizes))
    return Table("paired", f"Other model's error minus that of {OURS}", header, rows, note)


def _predicates(results: Results, name: str, title: str, shown: Callable[[Additions], str]) -> Table:
    """What our model adds, predicate by predicate."""
    found = results.models[OURS]
    predicates = sorted({predicate for one in found for predicate in one.predicates})

    def cell(one: Summary, predicate: str) -> str:
        return shown(one.predicates[predicate]) if predicate in one.predicates else "-"

    rows = tuple((predicate, *(cell(one, predicate) for one in found)) for predicate in predicates)
    return Table(name, f"{title} of {OURS}, by predicate", ("predicate", *map(str, results.sizes)), rows)


def _counts(one: Additions) -> str:
    return f"{one.right:.1f} / {one.wrong:.1f}"


def _shares(one: Additions) -> str:
    return f"{_three(one.precision)} / {_three(one.recall)}"


def _areas(results: Results) -> Table:
    areas = results.areas
    predicates = sorted({name for found in areas.values() for name in found})
    rows = tuple((name, *(_three(found[name]) for found in areas.values())) for name in predicates)
    if rows:
        rows += (("mean", *(_three(_mean(found.values())) for found in areas.values())),)
    title = "Area under the precision-recall curve: one predicate is asked for, everything else is given"
    return Table("areas", title, ("predicate", *map(str, areas)), rows)


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of those that are known, if any is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _sizes(results: Results) -> Table:
    rows = tuple((str(label), *_size(found)) for label, found in results.readings.items())
    header = ("model", "weighted formulas", "literals", "make claims", "claims followed", "mostly followed", "off by")
    note = (
        "A formula read alone claims that atoms hold; the model follows a claim if it predicts it. Claims followed is "
        "the mean over formulas; off by is the mean difference between that share and the formula's confidence on the "
        "test set."
    )
    return Table("reading", "How much there is to read, and whether it can be read alone", header, rows, note)


def _size(found: ReadModel) -> Iterator[str]:
    agreements = [one.agreement for one in found.formulas if one.agreement is not None]
    gaps = [gap for one in found.formulas if (gap := _gap(one)) is not None]
    yield str(found.size.formulas)
    yield str(found.size.literals)
    yield str(len(agreements))
    yield f"{fmean(agreements):.2f}" if agreements else "-"
    yield f"{sum(value >= 0.5 for value in agreements)} of {len(agreements)}"
    yield f"{fmean(gaps):.2f}" if gaps else "-"


def _gap(one: Reading) -> float | None:
    """How far what the model does is from what is right, if both are known."""
    return None if one.agreement is None or one.confidence is None else abs(one.agreement - one.confidence)


def _readings(results: Results) -> Table:
    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    rows = tuple(
        (str(label), one.formula, one.weight, share(one.confidence), share(one.agreement), str(one.claims))
        for label, found in results.readings.items()
        for one in found.formulas
    )
    header = ("model", "formula", "weight", "right on test", "followed", "claims")
    return Table("formulas", "Every formula read alone", header, rows)


def _example(results: Results) -> Table:
    rows = tuple(
        (
            " and ".join(one.holds) or "neither",
            f"{one.alone:.2f}",
            f"{one.weight:.2f}",
            "yes" if one.most_probable else "",
        )
        for one in results.example
    )
    note = (
        "Read alone are the formulas of a single atom, Student(x) and Professor(x). What the network predicts is what "
        "makes the sum over all formulas largest."
    )
    header = ("somebody of whom nothing is known is", "read alone", "sum of weights", "most probable")
    return Table("example", "The paper's example: weights that mislead", header, rows, note)
