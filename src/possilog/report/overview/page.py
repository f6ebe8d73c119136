"""The page of a report: one file that needs nothing else. Without JavaScript it lacks search and filters only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files

from possilog.printing import percent, plural
from possilog.report.overview.cards import LONGEST, cells, draw_group, draw_schema, draw_suspect, shown
from possilog.report.overview.pictures import (
    clipped,
    draw_coverage,
    draw_curve,
    draw_errors,
    draw_gains,
    draw_graph,
    draw_reliability,
    draw_sizes,
    draw_strata,
)
from possilog.report.overview.values import Report
from possilog.report.portrait import RuleKind
from possilog.report.portrait.portrait import Group

__all__ = ["READING", "draw_page", "lead", "sections"]

_MANY = 300
_SHORTER = 160
"""Of many rules, each may have so many letters, so that the page stays small."""

READING = """<div class="reading">
<p><b>How to read the numbers.</b> The large percentage is how often a rule's conclusions are true in these facts; the
bar is where that lies, by 95 %.</p>
<p><b>Held out</b> counts conclusions about facts that were hidden from the learner. Trust this most.</p>
<p><b>Adds</b> counts facts that no other rule concludes directly.</p>
<p><b>Hard rules</b> never fail; <b>soft rules</b> mostly hold.</p>
<p><b>Stratum and weight</b> order the rules and settle conflicts between them. A weight of 0.999 does not say that the
rule is right in 999 of 1,000 cases.</p>
</div>"""


def draw_page(report: Report) -> str:
    """The whole file."""
    listed = list(sections(report))
    links = "".join(f'<li><a href="#{name}">{title}{_count(count)}</a></li>' for name, title, count, _ in listed)
    body = "".join(
        f'<section aria-labelledby="{name}"><h2 id="{name}">{title}</h2>{content}</section>'
        for name, title, _, content in listed
    )
    title = shown(report.title, 200)
    many = ' class="many"' if len(report.portrait.rules) > _MANY else ""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="generator" content="possilog">'
        f"<style>{_file('page.css')}</style></head>\n<body{many}>"
        '<a class="skip" href="#rules">To the rules</a><div class="layout">'
        f'<header><h1>{title}</h1><p class="lead">{shown(lead(report))}</p></header>'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav><main>{READING}{body}'
        f"<footer>Made by possilog {shown(version('possilog'))}. This file needs no network.</footer>"
        "</main></div>"
        f"<script>{_file('page.js')}</script></body></html>\n"
    )


@cache
def _file(name: str) -> str:
    return (files("possilog.report.overview") / name).read_text(encoding="utf-8")


def _count(count: int | None) -> str:
    return "" if count is None else f' <span class="count">{count:,}</span>'


def lead(report: Report) -> str:
    """What the report is about, in a line."""
    facts = f"{plural(report.facts, 'fact')} about {plural(report.constants, 'constant')}"
    source = f" ({report.data})" if report.data else ""
    return f"{report.portrait.summary}; beside {facts}{source}."


def sections(report: Report) -> Iterator[tuple[str, str, int | None, str]]:
    """Anchor, title, a number for the contents, and content."""
    yield "glance", "The data at a glance", None, _glance(report)
    yield (
        "schema",
        "What it is about",
        None,
        draw_schema(report.portrait.schema) or _nothing("There are no types and no hard rules."),
    )
    yield "rules", "The rules", len(report.portrait.rules), _rules(report)
    yield "suspects", "Suspects", len(report.suspects.listed) + report.suspects.more, _suspects(report)
    yield "strata", "Strata", None, _strata(report)
    yield "graph", "How rules feed each other", None, _graph(report)
    yield "calibration", "Said and came true", None, _calibration(report)
    yield "size", "Size against quality", None, _size(report)
    if report.test is not None:
        yield "test", "On test facts", None, _test(report)


def _nothing(said: str) -> str:
    return f'<p class="about">{shown(said)}</p>'


def _about(said: str) -> str:
    return f'<p class="about">{said}</p>'


def _glance(report: Report) -> str:
    signatures = report.portrait.schema.signatures
    figures = (
        (f"{report.facts:,}", "facts"),
        (f"{report.constants:,}", "constants"),
        (f"{len(signatures):,}", "predicates"),
        (f"{len(report.portrait.soft):,}", "soft rules"),
        (f"{len(report.portrait.theory.hard_listed):,}", "hard rules"),
        (f"{len(report.suspects.listed) + report.suspects.more:,}", "suspects"),
    )
    listed = "".join(f"<li><b>{number}</b><span>{word}</span></li>" for number, word in figures)
    shown_first = sorted(signatures, key=lambda one: -(one.facts or 0))[:100]
    rows = "".join(f"<li><span>{shown(str(line), 400)}</span><b>{line.facts or 0:,}</b></li>" for line in shown_first)
    more = _nothing(f"and {len(signatures) - 100:,} more predicates") if len(signatures) > 100 else ""
    about = _about("The predicates, with what stands at their places, and how many facts each has.")
    return f'<ul class="figures">{listed}</ul>{about}<ul class="predicates">{rows}</ul>{more}'


# Rules


def _rules(report: Report) -> str:
    portrait = report.portrait
    most = _SHORTER if len(portrait.rules) > _MANY else LONGEST
    others = tuple(
        Group(title, tuple((0, card) for card in portrait.rules if card.kind is kind))
        for kind, title in (
            (RuleKind.HARD, "Hard rules"),
            (RuleKind.DEMOTED, "Demoted: no exception, perhaps by chance"),
        )
    )
    groups = [group for group in (*portrait.groups, *others) if group.rules]
    if not groups:
        return _nothing("There are no rules besides the types.")
    about = _about(
        "By what they conclude, the most reliable first. A rule that only refines another stands indented under it."
    )
    drawn = "".join(
        draw_group(group, place, most, folded=group.rules[0][1].kind is RuleKind.DEMOTED)
        for place, group in enumerate(groups)
    )
    return about + _tools(groups) + drawn + _more("rules")


def _more(kind: str) -> str:
    """Of a long list, a browser shows a part at a time; on paper, and without JavaScript, all of it is there."""
    return f'<button type="button" class="more" id="more-{kind}" hidden>Show more</button>'


def _tools(groups: Sequence[Group]) -> str:
    named = ((place, shown(group.concludes, 60)) for place, group in enumerate(groups))
    heads = "".join(f'<option value="{place}">{name}</option>' for place, name in named)
    kinds = "".join(f"<option>{kind}</option>" for kind in RuleKind)
    least = "".join(f'<option value="{share}">{share} %</option>' for share in (50, 70, 80, 90, 95, 99))
    return (
        '<div class="tools" hidden><label>Search (press /)<input type="search" id="search" autocomplete="off"></label>'
        f'<label>Concludes<select id="head"><option value="">anything</option>{heads}</select></label>'
        f'<label>Kind<select id="kind"><option value="">any</option>{kinds}</select></label>'
        f'<label>Right in at least<select id="least"><option value="0">any share</option>{least}</select></label>'
        '<label class="tick"><input type="checkbox" id="broken"> with exceptions</label>'
        '<button type="button" id="open" aria-pressed="false">Show examples</button>'
        '<button type="button" id="clear">Clear</button></div><p class="found" id="found" role="status"></p>'
    )


# What may be wrong


def _suspects(report: Report) -> str:
    suspects = report.suspects
    if not suspects.listed:
        return _nothing("These facts break no hard rule, and no soft rule that is nearly always right.")
    hard = f"{suspects.hard:,} break a hard rule or a type. " if suspects.hard else ""
    about = (
        "Where these facts break hard rules and strong soft ones: facts that may be missing, and facts that may be "
        f"wrong. {hard}"
        "An exception need not be an error; look at the top of the list first."
    )
    search = (
        '<div class="tools"><label>Search suspects'
        '<input type="search" id="suspect-search" autocomplete="off"></label></div>'
        '<p class="found" id="suspects-found" role="status"></p>'
        if len(suspects.listed) > 5
        else ""
    )
    more = _nothing(f"and {suspects.more:,} more, not listed") if suspects.more else ""
    return _about(about) + search + "".join(map(draw_suspect, suspects.listed)) + _more("suspects") + more


# Pictures


def _drawn(svg: str, label: str) -> str:
    return f'<div class="wide" tabindex="0" role="group" aria-label="{label}">{svg}</div>'


def _strata(report: Report) -> str:
    about = _about(
        "From the hard rules down. In a conflict, what a higher row says stands. A block is a rule; the darker, "
        "the more often it is right."
    )
    return about + draw_strata(report.strata) if report.strata else _nothing("No rules.")


def _graph(report: Report) -> str:
    graph = report.graph
    if not graph.feeds:
        return _nothing("No rule concludes anything from anything.")
    about = "An arrow leads from what is known to what is concluded from it; a broad one stands for many rules."
    left = f" {graph.left_out:,} predicates with the fewest rules are left out." if graph.left_out else ""
    by_target: dict[str, list[str]] = {}
    for feed in graph.feeds:
        by_target.setdefault(feed.target, []).append(f"{clipped(feed.source, 80)} ({feed.rules:,})")
    rows = [(target, ", ".join(sources)) for target, sources in by_target.items()]
    listed = f"<details><summary>The same as a list</summary>{cells(('concluded', 'from (rules)'), rows)}</details>"
    return _about(about + left) + _drawn(draw_graph(graph), "picture of how rules feed each other") + listed


def _calibration(report: Report) -> str:
    found = report.reliability
    if found is None:
        return _nothing("Nothing was measured of these rules, so they state no probabilities; possilog learn measures.")
    on = shown(report.reliability_of)
    off = f"On average they {'were' if report.was_corrected else 'are'} off by {100 * found.error:.1f} points."
    if report.was_corrected:
        about = _about(
            f"How often conclusions came true, against what the counts of their rules promised beforehand; on {on}. On "
            f"the dashed line, they came true as often as was promised. {off} These cases have corrected what is said "
            "since, so that a prediction says of such conclusions what is nearer to what came true."
        )
    else:
        about = _about(
            f"How often conclusions came true, against what was said of them; on {on}. On the dashed line, they came "
            f"true as often as was said. {off}"
        )
    said = "promised" if report.was_corrected else "said"
    rows = [
        (
            f"{100 * one.low:.0f} to {100 * one.low + 10:.0f} %",
            percent(one.said),
            percent(one.came_true),
            f"{one.cases:,}",
        )
        for one in found.tenths
    ]
    table = cells((said, "on average", "came true", "cases"), rows, [1, 2, 3])
    return f'{about}<div class="side">{_drawn(draw_reliability(found, said), "picture of calibration")}{table}</div>'


def _size(report: Report) -> str:
    if report.curve:
        title, drawn = "When the rules were chosen", _gain_by_size(report)
    elif len(report.coverage) < 2:
        return _nothing("There are no soft rules.")
    else:
        title, drawn = "In these facts", _counts_by_size(report)
    if report.test is None or len(report.test.by_size) < 2:
        return drawn
    on_test = _about("The mean gain with the first rules only: right conclusions minus wrong ones.")
    tested = on_test + _drawn(draw_sizes(report.test), "curve of gain by number of rules")
    return _beside((title, drawn), ("On test facts", tested))


def _gain_by_size(report: Report) -> str:
    """The curve that the learner went by."""
    taken = (
        "" if report.taken is None else f" The circle is the size that was taken, {plural(report.taken[0], 'rule')}."
    )
    about = _about(
        "What theories with fewer and with more soft rules gained when they predicted hidden facts, while the rules "
        f"were chosen: right conclusions minus wrong ones, on average.{taken}"
    )
    return about + _drawn(draw_curve(report.curve, report.taken), "curve of gain by number of rules")


def _counts_by_size(report: Report) -> str:
    """Where there is no such curve: what can be counted."""
    about = _about(
        "What the first rules conclude in these facts, directly: how much of it is true, and how much is not."
    )
    key = _key((("ours", "true conclusions"), ("other", "false conclusions")))
    return about + key + _drawn(draw_coverage(report.coverage), "curve of conclusions by number of rules")


def _beside(*parts: tuple[str, str]) -> str:
    """Pictures with a title each, side by side where there is room."""
    return '<div class="side">' + "".join(f"<div><h3>{title}</h3>{drawn}</div>" for title, drawn in parts) + "</div>"


def _key(lines: Sequence[tuple[str, str]]) -> str:
    return (
        '<ul class="key">' + "".join(f'<li class="{kind}"><i></i>{shown(name)}</li>' for kind, name in lines) + "</ul>"
    )


def _test(report: Report) -> str:
    test = report.test
    assert test is not None
    about = _about(
        f"A share of {plural(test.facts, 'test fact')} was given, and the rest predicted, "
        f"{plural(test.repeats, 'time')} at each share. The gain is the number of right conclusions minus that of "
        "wrong ones, which is how far the Hamming error falls below that of the evidence alone."
    )
    key = _key([(kind, model.name) for kind, model in zip(("ours", "other", "third"), test.models, strict=False)])
    curves = _beside(
        ("Gain", _drawn(draw_gains(test), "curve of gain by share")),
        ("Hamming error", _drawn(draw_errors(test), "curve of Hamming error by share")),
    )
    header = ("given", *(f"{model.name}: {part}" for model in test.models for part in ("error", "gain")))
    rows = [
        (
            percent(share),
            *(
                f"{value.mean:.1f}"
                for model in test.models
                for value in (model.summaries[place].error, model.summaries[place].gain)
            ),
        )
        for place, share in enumerate(test.models[0].shares)
    ]
    return about + key + curves + cells(header, rows, range(1, len(header)))
