"""What an experiment's results look like: tables, plots, and one page of HTML that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from possilog.evaluation.bars import measure
from possilog.evaluation.experiment import OURS, cumulative
from possilog.evaluation.plots import Line, Plot
from possilog.evaluation.tables import Table

__all__ = ["make_page", "make_plots", "make_tables"]

Results = Mapping[str, Any]

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 68rem; margin: 2rem auto; padding: 0 1rem; color: #222; }
table { border-collapse: collapse; font-size: 0.85rem; }
td, th { padding: 0.2rem 0.6rem; border-bottom: 1px solid #ddd; }
th { text-align: left; } td { font-variant-numeric: tabular-nums; } .wide { overflow-x: auto; }
.note { color: #555; font-size: 0.85rem; } svg { max-width: 100%; height: auto; } pre { overflow-x: auto; }
.met { color: #17692f; } .missed { color: #a3211b; }
.beside { display: grid; grid-template-columns: 1fr 1fr; gap: 2rem; }
code { font-size: 0.8rem; } .common { background: #e7f5ea; }
"""


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
        _predicates(results),
        _areas(results),
        _sizes(results),
        _readings(results),
        _example(results),
    ]
    bars = measure(results)
    if bars:
        rows = tuple((bar.claim, bar.measured, "yes" if bar.met else "no") for bar in bars)
        tables.insert(0, Table("bars", "What was claimed, and what we got", ("claim", "measured", "met"), rows))
    return tuple(table for table in tables if table.rows)


def _banded(name: str) -> Any:
    def shown(one: Mapping[str, Any]) -> str:
        return f"{one[name]:.1f} ± {one[f'{name}_band'][1] - one[name]:.1f}"

    return shown


def _share(name: str) -> Any:
    return lambda one: "-" if one[name] is None else f"{one[name]:.3f}"


def _by_size(results: Results, name: str, title: str, shown: Any) -> Table:
    header = ("model", *map(str, results["sizes"]))
    rows = tuple((found["model"], *map(shown, found["results"])) for found in results["models"])
    return Table(name, title, header, rows, f"{results['repeats']} evidence sets a size, the same for every model.")


def _paired(results: Results) -> Table:
    def shown(one: Mapping[str, float]) -> str:
        return f"{one['mean']:+.1f} ± {one['high'] - one['mean']:.1f} (p {one['p']:.2g})"

    rows = tuple((name, *map(shown, found)) for name, found in results["paired"].items())
    note = "Pairs have the same evidence; p by random signs. Above 0 we are better."
    return Table(
        "paired", f"Other model's error minus that of {OURS}", ("against", *map(str, results["sizes"])), rows, note
    )


def _predicates(results: Results) -> Table:
    """Right and wrong additions of our model, predicate by predicate."""
    (found,) = (model["results"] for model in results["models"] if model["model"] == OURS)
    names = sorted({name for one in found for name in one["predicates"]})

    def shown(one: Mapping[str, Any], name: str) -> str:
        counts = one["predicates"].get(name)
        return "-" if counts is None else f"{counts['right']:.1f} / {counts['wrong']:.1f}"

    rows = tuple((name, *(shown(one, name) for one in found)) for name in names)
    title = f"Right and wrong additions of {OURS}, by predicate"
    return Table("predicates", title, ("predicate", *map(str, results["sizes"])), rows)


def _areas(results: Results) -> Table:
    areas = results["areas"]
    predicates = sorted({name for found in areas.values() for name in found})
    rows = tuple((name, *(f"{found[name]:.3f}" for found in areas.values())) for name in predicates)
    if rows:
        rows += (("mean", *(f"{fmean(found.values()):.3f}" for found in areas.values())),)
    title = "Area under the precision-recall curve: one predicate is asked for, everything else is given"
    return Table("areas", title, ("predicate", *areas), rows)


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
        (" and ".join(one["holds"]) or "neither", f"{one['weight']:.2f}", "yes" if one["most_probable"] else "")
        for one in results["example"]
    )
    note = (
        "The published network gives Professor(x) the weight 5.11 and Student(x) the weight -5.11: read alone, "
        "somebody is likely a professor and hardly a student. Summed over all formulas it is the other way round."
    )
    header = ("somebody of whom nothing is known is", "sum of weights", "most probable")
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
            {name: Line(sizes, [one["gain"] for one in found], *_band(found)) for name, found in shown.items()},
        ),
        Plot(
            "seconds",
            "Seconds a prediction",
            "evidence, facts",
            "seconds",
            {name: Line(sizes, [one["seconds"] for one in found]) for name, found in shown.items()},
            logarithmic=True,
        ),
    ]
    return (*plots, *_cumulative(results))


def _band(found: Sequence[Mapping[str, Any]]) -> tuple[list[float], list[float]]:
    return [one["gain_band"][0] for one in found], [one["gain_band"][1] for one in found]


def _cumulative(results: Results) -> Iterable[Plot]:
    errors, sizes = results["curve"]["errors"], results["curve"]["sizes"]
    theories = [name for name in errors if name.startswith(("authors", "ours"))]
    for number, other in enumerate(name for name in errors if name not in theories):
        lines = {name: Line(sizes, cumulative(errors[name], errors[other])) for name in theories}
        title = f"Cumulative error of {other} minus the theory's"
        yield Plot(f"cumulative-{number + 1}", title, "evidence, facts", "sum of differences", lines)


# The page


def make_page(results: Results, tables: Sequence[Table], pictures: Mapping[str, bytes]) -> str:
    """One page of HTML: tables, pictures as SVG inside, and the theories beside each other."""
    learning = results["learning"]
    left_out = "".join(
        f"<p class=note>{html.escape(name)} is left out: {html.escape(reason)}</p>"
        for name, reason in results["left_out"].items()
    )
    parts = [
        f"<h1>possilog on {html.escape(results['data'])}</h1>",
        f"<p>{_told(results)}</p>",
        f"<p class=note>{html.escape(learning['reason'] or '')}</p>{left_out}",
        *(table.html for table in tables if table.name == "bars"),
        *(_inline(svg) for svg in pictures.values()),
        *(table.html for table in tables if table.name != "bars"),
        _beside(results),
        f"<h2>The theory</h2><pre>{html.escape(results['theory'])}</pre>",
    ]
    content = "\n".join(parts).replace("<td>yes</td></tr>", "<td class=met>yes</td></tr>")
    content = content.replace("<td>no</td></tr>", "<td class=missed>no</td></tr>")
    title = html.escape(f"possilog on {results['data']}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n'
        f"<body>\n{content}\n</body>\n</html>\n"
    )


def _told(results: Results) -> str:
    train, test, versions = results["train"], results["test"], results["versions"]
    listed = ", ".join(f"{name} {number}" for name, number in versions.items())
    return html.escape(
        f"Learned from {train['facts']:,} facts about {train['constants']:,} constants, tested on {test['facts']:,} "
        f"facts about {test['constants']:,}; {results['repeats']} evidence sets a size, seed {results['seed']}; "
        f"{listed}."
    )


def _inline(svg: bytes) -> str:
    text = svg.decode()
    return f"<figure>{text[text.index('<svg') :]}</figure>"


def _beside(results: Results) -> str:
    beside = results["beside_the_authors"]
    if beside is None:
        return ""
    soft, hard = beside["soft"], beside["hard"]
    common = [one["ours"] for one in soft["common"]]
    counts = (
        f"Soft rules: {len(common)} in common, {len(soft['ours'])} only ours, {len(soft['authors'])} only theirs. "
        f"Hard rules: {len(hard['common'])} in common, {len(hard['ours'])} only ours, "
        f"{len(hard['authors'])} only theirs."
    )
    columns = "".join(
        f"<div><h3>{title}</h3>{_listed(both, 'common')}{_listed(alone, '')}</div>"
        for title, both, alone in (
            ("ours", common, soft["ours"]),
            ("the authors'", [one["authors"] for one in soft["common"]], soft["authors"]),
        )
    )
    return f"<h2>Our rules beside the authors'</h2><p>{html.escape(counts)}</p><div class=beside>{columns}</div>"


def _listed(rules: Sequence[Mapping[str, str]], kind: str) -> str:
    return "".join(
        f"<p class='{kind}'><code>{html.escape(rule['rule'])}</code> "
        f"<span class=note>{html.escape(rule['weight'])}</span></p>"
        for rule in rules
    )
