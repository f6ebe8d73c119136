"""What an experiment's results look like: tables, plots, and one page of HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any
from urllib.parse import quote

from possilog.evaluation.bars import measure
from possilog.evaluation.experiment import OURS, cumulative
from possilog.report.plots import Line, Plot
from possilog.report.side_by_side import beside_table
from possilog.report.tables import Table

__all__ = ["headline", "make_index", "make_page", "make_plots", "make_tables"]

Results = Mapping[str, Any]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
h1 { margin-bottom: 0.5rem; } h3 { margin: 2.5rem 0 0.5rem; } .lead { font-size: 1.15rem; } a { color: #0b5fa5; }
table { border-collapse: collapse; font-size: 0.85rem; } .wide { overflow-x: auto; }
td, th { padding: 0.2rem 0.6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: baseline; }
td { font-variant-numeric: tabular-nums; white-space: nowrap; } .bars td, .beside td { white-space: normal; }
.note { color: #555; font-size: 0.85rem; } pre { overflow-x: auto; font-size: 0.8rem; }
figure { margin: 1.5rem 0; } svg { max-width: 100%; height: auto; } nav a { margin-right: 0.8rem; }
.met td:last-child { color: #17692f; } .missed td:last-child { color: #a3211b; font-weight: bold; }
.ours { font-weight: bold; } .common { background: #e7f5ea; }
"""

_COLOURS = {
    "ours": "#0b5fa5",
    "authors": "#d1600a",
    "hard rules only": "0.45",
    "published MLN": "#b3261e",
    "learned MLN": "#b45fb0",
    "symmetric closure": "#2f8f4e",
    "density-estimation tree": "#a08a10",
}
_LINES = {"global": ":", "global, repaired": "-.", "fragment": "--", "calibrated": (0, (4, 1, 1, 1, 1, 1))}
"""A colour tells whose a model is, and a broken line how it infers."""


# Tables


def make_tables(results: Results) -> tuple[Table, ...]:
    """All tables of numbers."""
    tables = [
        _by_size(
            results,
            "gain",
            "Gain: the error of the evidence alone minus the model's, mean and 95 % band",
            _banded("gain"),
        ),
        _by_size(results, "error", "Hamming error against the whole test set, mean and 95 % band", _banded("error")),
        _by_size(results, "precision", "Precision of the added atoms", _share("precision")),
        _by_size(results, "recall", "Recall: the share of the hidden facts that are added", _share("recall")),
        _by_size(results, "milliseconds", "Milliseconds a prediction", lambda one: f"{1000 * one['seconds']:.3g}"),
        _paired(results),
        _predicates(results, "predicates", "Right and wrong additions", _counts),
        _predicates(results, "shares", "Precision and recall", _shares),
        _areas(results),
        _sizes(results),
        _readings(results),
        _example(results),
        beside_table(results["beside_the_authors"] or {}),
    ]
    return tuple(table for table in (_bars(results), *tables) if table.rows)


def _bars(results: Results) -> Table:
    bars = measure(results)
    rows = tuple((bar.claim, bar.measured, "yes" if bar.met else "no") for bar in bars)
    kinds = tuple("met" if bar.met else "missed" for bar in bars)
    return Table("bars", "What was claimed, and what we got", ("claim", "measured", "met"), rows, kinds=kinds)


def _banded(name: str) -> Any:
    def shown(one: Mapping[str, Any]) -> str:
        return f"{one[name]:.1f}{_spread(one[name], one[f'{name}_band'])}"

    return shown


def _spread(mean: float, band: Sequence[float] | None) -> str:
    return "" if band is None else f" ± {band[1] - mean:.1f}"


def _share(name: str) -> Any:
    return lambda one: _three(one[name])


def _three(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _by_size(results: Results, name: str, title: str, shown: Any) -> Table:
    header = ("model", *map(str, results["sizes"]))
    rows = tuple((found["model"], *map(shown, found["results"])) for found in results["models"])
    note = f"{results['repeats']} evidence sets a size, the same for every model."
    return Table(name, title, header, rows, note, tuple("ours" if row[0] == OURS else "" for row in rows))


def _paired(results: Results) -> Table:
    def shown(one: Mapping[str, Any]) -> str:
        return f"{one['mean']:+.1f}{_spread(one['mean'], one['band'])} (p {one['p']:.2g})"

    rows = tuple((name, *map(shown, found)) for name, found in results["paired"].items())
    note = "Pairs have the same evidence; p by random signs. Above 0 we are better."
    return Table(
        "paired", f"Other model's error minus that of {OURS}", ("against", *map(str, results["sizes"])), rows, note
    )


def _predicates(results: Results, name: str, title: str, shown: Callable[[Mapping[str, Any]], str]) -> Table:
    """What our model adds, predicate by predicate."""
    (found,) = (model["results"] for model in results["models"] if model["model"] == OURS)
    predicates = sorted({predicate for one in found for predicate in one["predicates"]})

    def cell(one: Mapping[str, Any], predicate: str) -> str:
        return shown(one["predicates"][predicate]) if predicate in one["predicates"] else "-"

    rows = tuple((predicate, *(cell(one, predicate) for one in found)) for predicate in predicates)
    return Table(name, f"{title} of {OURS}, by predicate", ("predicate", *map(str, results["sizes"])), rows)


def _counts(one: Mapping[str, Any]) -> str:
    return f"{one['right']:.1f} / {one['wrong']:.1f}"


def _shares(one: Mapping[str, Any]) -> str:
    return f"{_three(one['precision'])} / {_three(one['recall'])}"


def _areas(results: Results) -> Table:
    areas = results["areas"]
    predicates = sorted({name for found in areas.values() for name in found})
    rows = tuple((name, *(_three(found[name]) for found in areas.values())) for name in predicates)
    if rows:
        rows += (("mean", *(_three(_mean(found.values())) for found in areas.values())),)
    title = "Area under the precision-recall curve: one predicate is asked for, everything else is given"
    return Table("areas", title, ("predicate", *areas), rows)


def _mean(values: Iterable[float | None]) -> float | None:
    """The mean of those that are known, if any is."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _sizes(results: Results) -> Table:
    rows = []
    for name, found in results["readings"].items():
        size, formulas = found["size"], found["formulas"]
        agreements = [one["agreement"] for one in formulas if one["agreement"] is not None]
        gaps = [abs(one["agreement"] - one["confidence"]) for one in formulas if _is_read(one)]
        rows.append(
            (
                name,
                str(size["formulas"]),
                str(size["literals"]),
                str(len(agreements)),
                f"{fmean(agreements):.2f}" if agreements else "-",
                f"{sum(value >= 0.5 for value in agreements)} of {len(agreements)}",
                f"{fmean(gaps):.2f}" if gaps else "-",
            )
        )
    header = ("model", "weighted formulas", "literals", "make claims", "claims followed", "mostly followed", "off by")
    note = (
        "A formula read alone claims that atoms hold; the model follows a claim if it predicts it. Claims followed is "
        "the mean over formulas; off by is the mean difference between that share and the formula's confidence on the "
        "test set."
    )
    return Table("reading", "How much there is to read, and whether it can be read alone", header, tuple(rows), note)


def _is_read(one: Mapping[str, Any]) -> bool:
    return one["agreement"] is not None and one["confidence"] is not None


def _readings(results: Results) -> Table:
    def share(value: float | None) -> str:
        return "-" if value is None else f"{value:.2f}"

    rows = tuple(
        (name, one["formula"], one["weight"], share(one["confidence"]), share(one["agreement"]), str(one["claims"]))
        for name, found in results["readings"].items()
        for one in found["formulas"]
    )
    header = ("model", "formula", "weight", "right on test", "followed", "claims")
    return Table("formulas", "Every formula read alone", header, rows)


def _example(results: Results) -> Table:
    rows = tuple(
        (
            " and ".join(one["holds"]) or "neither",
            f"{one['alone']:.2f}",
            f"{one['weight']:.2f}",
            "yes" if one["most_probable"] else "",
        )
        for one in results["example"]
    )
    note = (
        "Read alone are the formulas of a single atom, Student(x) and Professor(x). What the network predicts is what "
        "makes the sum over all formulas largest."
    )
    header = ("somebody of whom nothing is known is", "read alone", "sum of weights", "most probable")
    return Table("example", "The paper's example: weights that mislead", header, rows, note)


# Plots


def make_plots(results: Results) -> tuple[Plot, ...]:
    """Gains and seconds by size, and the paper's figure."""
    models = {found["model"]: found["results"] for found in results["models"]}
    sizes = results["sizes"]
    shown = {name: found for name, found in models.items() if name != "evidence only"}
    plots = [
        Plot(
            "gain",
            "Gain over the evidence alone",
            "evidence, facts",
            "gain, facts",
            {name: _line(name, sizes, [one["gain"] for one in found], _bands(found)) for name, found in shown.items()},
        ),
        Plot(
            "seconds",
            "Seconds a prediction",
            "evidence, facts",
            "seconds",
            {name: _line(name, sizes, [one["seconds"] for one in found]) for name, found in shown.items()},
            logarithmic=True,
        ),
    ]
    return (*plots, *_cumulative(results))


def _line(model: str, x: Sequence[float], y: Sequence[float], bands: Sequence[tuple[float, float]] = ()) -> Line:
    """The line of a model: ours is thick, and the bands of broken lines are left out, to see the others."""
    whose, _, inference = model.partition(", ")
    style = _LINES.get(inference, "-")
    return Line(x, y, bands if style == "-" else (), _COLOURS[whose], style, 2.5 if model == OURS else 1.3)


def _bands(found: Sequence[Mapping[str, Any]]) -> list[tuple[float, float]]:
    return [tuple(one["gain_band"]) for one in found if one["gain_band"] is not None]


def _cumulative(results: Results) -> Iterable[Plot]:
    errors, sizes = results["curve"]["errors"], results["curve"]["sizes"]
    theories = [name for name in errors if name.startswith(("authors", "ours"))]
    for number, other in enumerate(name for name in errors if name not in theories):
        lines = {name: _line(name, sizes, cumulative(errors[name], errors[other])) for name in theories}
        title = f"Cumulative error of {other} minus the theory's"
        yield Plot(f"cumulative-{number + 1}", title, "evidence, facts", "sum of differences", lines)


# The page


def make_page(results: Results, tables: Sequence[Table], pictures: Mapping[str, bytes]) -> str:
    """One page of HTML: tables, pictures as SVG inside, and the theories beside each other."""
    notes = [
        *_about_learning(results["learning"]),
        *(f"{name} is left out: {reason}" for name, reason in results["left_out"].items()),
    ]
    links = "".join(f'<a href="#{table.name}">{table.name}</a> ' for table in tables)
    return _document(
        f"possilog on {results['data']}",
        f"<p class=lead>{html.escape(headline(results))}</p>",
        f"<p>{html.escape(_told(results))}</p>",
        *(f"<p class=note>{html.escape(note)}</p>" for note in notes),
        f'<nav>{links}<a href="#theory">theory</a></nav>',
        *(table.html for table in tables if table.name == "bars"),
        *(_inline(svg) for svg in pictures.values()),
        *(table.html for table in tables if table.name != "bars"),
        f"<h3 id=theory>The theory</h3><pre>{html.escape(results['theory'])}</pre>",
    )


def _about_learning(learning: Mapping[str, Any]) -> Iterable[str]:
    if learning["reason"] is not None:
        yield f"Our theory: {learning['reason']}."
    if learning["network_cpu_seconds"] is not None and not learning["network_complete"]:
        yield "The learned MLN: time was up before its learner was done, so another run may find another network."


def make_index(results: Mapping[str, Results]) -> str:
    """One page that leads to the pages of several data sets, with a line about each."""
    lines = [
        f'<h3><a href="{quote(name)}/index.html">{html.escape(name)}</a></h3><p>{html.escape(headline(found))}</p>'
        for name, found in results.items()
    ]
    return _document("possilog, several data sets", *lines)


def headline(results: Results) -> str:
    """How far we are ahead, in a line."""
    gains = {found["model"]: fmean(one["gain"] for one in found["results"]) for found in results["models"]}
    others = [name for name in gains if name != "evidence only" and not name.startswith("ours")]
    best = max(others, key=gains.__getitem__)
    bars = measure(results)
    claims = f" {sum(bar.met for bar in bars)} of {len(bars)} claims hold." if bars else ""
    return (
        f"Our theory gains {gains[OURS]:.1f} facts a prediction, on average over all sizes of evidence; the best other "
        f"model, {best}, {gains[best]:.1f}.{claims}"
    )


def _document(title: str, *parts: str) -> str:
    content = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{html.escape(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n<h1>{html.escape(title)}</h1>\n{content}\n</body>\n</html>\n"
    )


def _told(results: Results) -> str:
    train, test, versions = results["train"], results["test"], results["versions"]
    seconds = results["learning"]["theory_cpu_seconds"]
    learned = "" if seconds is None else f" in {seconds:.1f} s of CPU time"
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    return (
        f"Learned from {train['facts']:,} facts about {train['constants']:,} constants{learned}, tested on "
        f"{test['facts']:,} facts about {test['constants']:,}; {results['repeats']} evidence sets a size, seed "
        f"{results['seed']}; {listed}."
    )


def _inline(svg: bytes) -> str:
    text = svg.decode()
    return f"<figure>{text[text.index('<svg') :]}</figure>"
