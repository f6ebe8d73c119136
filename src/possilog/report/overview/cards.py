"""The parts of a page about rules, types and suspects, as HTML. Every text is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from possilog.escaping import escape_html
from possilog.logic.measures import rests_on
from possilog.printing import plural
from possilog.report.overview.pictures import clipped, interval_bar
from possilog.report.overview.suspects import Suspect
from possilog.report.portrait import RuleCard, RuleKind, SchemaCard
from possilog.report.portrait.cards import NEVER, Instance
from possilog.report.portrait.portrait import Group, brief
from possilog.report.portrait.schema_card import TypeLine

__all__ = ["cells", "draw_group", "draw_rule", "draw_schema", "draw_suspect", "shown"]

LONGEST = 600
"""Letters of a rule or a sentence."""

HERE = "#r"
"""What links to rules begin with, on a page that has all of them."""


def shown(said: str, most: int = LONGEST) -> str:
    """Text as the page shows it: escaped, and not too long."""
    return escape_html(clipped(said, most))


def cells(header: Sequence[str], rows: Iterable[Sequence[str]], numbers: Iterable[int] = ()) -> str:
    """A table; columns of numbers stand to the right."""
    right = set(numbers)

    def row(tag: str, some: Sequence[str]) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        return "".join(
            f"<{tag}{scope}{' class=n' if place in right else ''}>{shown(cell, 400)}</{tag}>"
            for place, cell in enumerate(some)
        )

    body = "".join(f"<tr>{row('td', some)}</tr>" for some in rows)
    return (
        f'<div class="wide" tabindex="0" role="group" aria-label="{shown(header[0])}">'
        f"<table><thead><tr>{row('th', header)}</tr></thead><tbody>{body}</tbody></table></div>"
    )


# Rules


def draw_group(group: Group, place: int, most: int = LONGEST, *, folded: bool = False) -> str:
    """The rules that conclude one thing; they may be folded away until they are asked for."""
    title = "Never together" if group.concludes == NEVER else group.concludes
    cards = "".join(draw_rule(card, depth, most) for depth, card in group.rules)
    count = plural(len(group.rules), "rule")
    if folded:
        cards = f'<details class="fold"><summary>Show {count}</summary>{cards}</details>'
    return (
        f'<section class="group" data-head="{place}" aria-labelledby="g{place}"><h3 id="g{place}">{shown(title, 200)} '
        f'<span class="about">{count}</span></h3>{cards}</section>'
    )


def draw_rule(card: RuleCard, depth: int = 0, most: int = LONGEST, link: str = HERE) -> str:
    """A rule: how often it is right, its sentence and formula, its other numbers, and examples.

    ``link`` is where rules are found, but for their numbers.
    """
    numbers = card.numbers
    confidence = "" if numbers is None or numbers.confidence is None else f' data-c="{100 * numbers.confidence:.4g}"'
    exceptions = numbers.exceptions if numbers is not None else card.violations or 0
    nested = f" d{min(depth, 3)}" if depth else ""
    if numbers is None and not card.counterexamples and not card.rule.clause.head:
        return _draw_constraint(card, most)
    return (
        f'<article class="rule{nested}" id="r{card.number}" data-k="{card.kind}"{confidence} data-x="{exceptions}">'
        f'<div class="gauge">{_rate(card)}</div><div>'
        f'<p class="sentence"><a class="no" href="{link}{card.number}" aria-label="rule {card.number}">'
        f"{card.number}</a>"
        f"{shown(card.sentence, most)}</p>"
        f'<p class="formula">{shown(card.formula, most)}</p>'
        f'<ul class="facts">{"".join(f"<li>{fact}</li>" for fact in _facts(card, link))}</ul>'
        f"{_examples(card, most)}</div></article>"
    )


def _draw_constraint(card: RuleCard, most: int) -> str:
    """A constraint that nothing breaks: there is little to say of it."""
    return (
        f'<article class="rule slim" id="r{card.number}" data-k="{card.kind}" data-x="{card.violations or 0}">'
        f'<p class="sentence"><a class="no" href="#r{card.number}" aria-label="rule {card.number}">{card.number}</a>'
        f'{shown(card.sentence, most)}</p><p class="formula">{shown(card.formula, most)}</p></article>'
    )


def _rate(card: RuleCard) -> str:
    numbers = card.numbers
    if numbers is None or numbers.confidence is None:
        word = {RuleKind.HARD: "always", RuleKind.DEMOTED: "so far"}.get(
            card.kind, "never" if not card.rule.clause.head else "–"
        )
        return f'<p class="rate">{word}</p>'
    low, high = (f"{100 * bound:.0f}" for bound in numbers.interval)
    share = f"{100 * numbers.confidence:.0f} %"
    return f'<p class="rate">{share}<small>{low} to {high} %</small></p>{interval_bar(card)}'


def _facts(card: RuleCard, link: str) -> Iterator[str]:
    """What is known of a rule, in order of importance."""
    numbers = card.numbers
    if numbers is not None:
        yield f"right in <b>{numbers.support:,} of {numbers.cases:,}</b>"
        if numbers.units:
            yield escape_html(rests_on(numbers.units))
        held_out = numbers.held_out
        if held_out is not None and held_out.cases:
            yield f"held out <b>{held_out.right:.0f} of {held_out.cases:,}</b>"
        if numbers.adds is not None:
            wrong = f", {numbers.adds.false:,} wrong" if numbers.adds.false else ""
            yield f"adds <b>{numbers.adds.true:,}</b> to the others{wrong}"
    elif card.violations is not None:
        yield f"broken <b>{plural(card.violations, 'time')}</b>"
    if card.refines is not None:
        yield f'refines <a href="{link}{card.refines}">rule {card.refines}</a>'
    if card.is_kept:
        yield "kept by hand"
    place = f"stratum {card.stratum}, weight {brief(card.rule.weight)}" if card.stratum else str(card.kind)
    yield escape_html(place)


def _examples(card: RuleCard, most: int) -> str:
    if not card.examples and not card.counterexamples:
        return ""
    counts = []
    if card.examples:
        counts.append(plural(len(card.examples), "example"))
    if card.counterexamples:
        counts.append(plural(len(card.counterexamples), "counterexample"))
    short = most if most == LONGEST else 3 * most // 4
    inside = _instances("Examples", "yes", card.examples, short) + _instances(
        "Counterexamples", "no-more", card.counterexamples, short
    )
    return f"<details><summary>{' and '.join(counts)}</summary>{inside}</details>"


def _instances(title: str, kind: str, some: Sequence[Instance], most: int) -> str:
    if not some:
        return ""
    lines = "".join(f"<li>{shown(one.sentence, most)}</li>" for one in some)
    return f'<h4 class="{kind}">{title}</h4><ul class="plain">{lines}</ul>'


# The schema card


def _about_types(schema: SchemaCard) -> Iterator[str]:
    """What the names of types mean."""
    places = {
        f"{line.predicate.name}_{place}": (line.predicate.name, place)
        for line in schema.signatures
        for place in range(1, line.predicate.arity + 1)
    }
    named = next((line.name for line in schema.types if line.name in places), None)
    if named is not None:
        predicate, place = places[named]
        yield f"Types that were found have names from a place: {named} is what stands at place {place} of {predicate}."
    if not all(line.sure for line in schema.types):
        yield "A ? marks a type that chance alone may have kept apart from the others."


def draw_schema(schema: SchemaCard) -> str:
    """Types, signatures, and what never fails."""
    parts = []
    if schema.types:
        parts.append(f'<dl class="types">{"".join(map(_draw_type, schema.types))}</dl>')
        parts += [f'<p class="about">{shown(said)}</p>' for said in _about_types(schema)]
    for title, some in (
        ("What never fails", schema.always),
        ("What never failed, perhaps by chance", schema.may_be_chance),
    ):
        if some:
            lines = "".join(f"<li>{shown(line)}</li>" for line in some[:_SENTENCES])
            more = f"<li>and {len(some) - _SENTENCES:,} more</li>" if len(some) > _SENTENCES else ""
            parts.append(f'<h3>{title}</h3><ul class="plain">{lines}{more}</ul>')
    return "".join(parts)


def _draw_type(line: TypeLine) -> str:
    count = "" if line.constants is None else f" <span>{line.constants:,}</span>"
    examples = f"<small>such as {shown(', '.join(line.examples))}</small>" if line.examples else ""
    doubt = "" if line.sure else " ?"
    return f"<dt>{shown(line.name + doubt, 200)}{count}{examples}</dt><dd>{shown(', '.join(line.places), 2_000)}</dd>"


_SENTENCES = 200


# Suspects


def draw_suspect(suspect: Suspect, link: str = HERE) -> str:
    """What may be wrong, and which rules say so."""
    word = "differs" if suspect.instead else "missing" if suspect.missing else "together"
    tag = f'<span class="tag no-more">{word}</span>'
    strength = "a hard rule" if suspect.strength == 1 else f"right in at least {100 * suspect.strength:.0f} %"
    named = [f'<a href="{link}{number}">rule {number}</a>' if number else "the types" for number in suspect.rules[:6]]
    more = f" and {len(suspect.rules) - 6} more" if len(suspect.rules) > 6 else ""
    return (
        f'<article class="suspect"><p>{tag}<code>{shown(suspect.text, 300)}</code></p>'
        f"<p>{shown(suspect.sentence, 300)}</p>"
        f'<p class="formula">by {", ".join(named)}{more}: {strength}</p></article>'
    )
