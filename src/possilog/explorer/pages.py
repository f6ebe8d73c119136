"""Pages: what is to be seen of a view. Templates escape every text; what the report draws is drawn by the report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from possilog.explorer.drawing import draw_proof
from possilog.explorer.exploration import Exploration
from possilog.logic import Keep, Rule, canonical
from possilog.printing import percent, plural
from possilog.report.overview.cards import cells, draw_rule, draw_suspect, shown
from possilog.report.overview.page import READING, lead, sections
from possilog.report.overview.values import Report
from possilog.report.portrait import RuleCard
from possilog.report.portrait.portrait import brief

__all__ = ["Frame", "Moment", "draw", "fill"]

RULES = "/rules/"
"""Where a rule is found, but for its number."""

_LISTED = {"rules", "suspects"}
"""Sections of the report that have pages of their own."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a page has around it, as long as what it shows is true."""

    title: str
    path: str
    """Of the page that is open."""
    token: str
    """What a form has to send back, so that it is known to be one of ours."""
    carried: tuple[tuple[str, str], ...] = ()
    """The evidence of the page, for links to other questions about it."""

    def slot(self, name: str) -> str:
        """Where something comes that is filled in last; nobody who does not know the token can write it."""
        return f"[{self.token} {name}]"


@dataclass(frozen=True, slots=True)
class Moment:
    """What every edit changes on every page, so that pages can be kept without it."""

    revision: int
    undo: int = 0
    """The number of the edit that can be undone; 0 where there is none."""
    redo: int = 0
    learning: str = ""
    """What is being learned, if anything is."""


def draw(template: str, frame: Frame, view: Any, here: Exploration | None = None, remarks: Sequence[str] = ()) -> bytes:
    """A whole page, but for what ``fill`` puts in."""
    page = _environment().get_template(f"{template}.html")
    helpers: dict[str, Any] = {}
    if here is not None:
        helpers = {"here": here, "words": here.words, "number_of": _Numbers(here)}
        helpers["report_sections"] = lambda: here.remembered("sections", lambda: _sections(here.report))
    return page.render(view=view, frame=frame, remarks=remarks, **helpers).encode("utf-8", "backslashreplace")


def fill(page: bytes, frame: Frame, moment: Moment) -> bytes:
    """The page with where the exploration stands at this moment."""
    turn = _environment().get_template("turn.html").render(frame=frame, moment=moment)
    filled = page.replace(frame.slot("turn").encode(), turn.encode())
    return filled.replace(frame.slot("revision").encode(), str(moment.revision).encode())


class _Numbers:
    """The numbers of rules, by which pages link to them."""

    def __init__(self, here: Exploration) -> None:
        self._here = here

    def __call__(self, rule: Rule) -> int:
        found = self._here.remembered("numbers", self._all)
        return found.get(canonical(rule.clause), 0)

    def _all(self) -> dict[Any, int]:
        return {canonical(card.rule.clause): card.number for card in self._here.portrait.rules}


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("possilog.explorer"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"shown": _shown, "percent": percent}
    made.filters |= {"brief": brief, "address": _address}
    made.globals |= {
        "NAVIGATION": NAVIGATION,
        "READING": Markup(READING),
        "cells": lambda *given: Markup(cells(*given)),
        "draw_proof": lambda proof, words: Markup(draw_proof(proof, words)),
        "draw_rule": _rule,
        "draw_suspect": lambda suspect: Markup(draw_suspect(suspect, RULES)),
        "is_kept": lambda rule: rule.keep is not Keep.FREE,
        "lead": lead,
        "plural": plural,
    }
    return made


def _shown(text: object, most: int = 600) -> Markup:
    return Markup(shown(str(text), most))


NAVIGATION = (
    ("/", "Overview"),
    ("/rules", "Rules"),
    ("/suspects", "Suspects"),
    ("/constants", "Constants"),
    ("/ask", "Ask"),
    ("/what-if", "What if"),
    ("/correct", "Correct"),
    ("/history", "History"),
    ("/learn", "Learn again"),
)
"""The pages, as the menu has them."""


def _rule(card: RuleCard, depth: int = 0) -> Markup:
    return Markup(draw_rule(card, depth, link=RULES))


def _sections(report: Report) -> list[tuple[str, str, Markup]]:
    """What the report shows, but for what has pages of its own."""
    return [(name, title, Markup(content)) for name, title, _, content in sections(report) if name not in _LISTED]


def _address(path: str, carried: Sequence[tuple[str, str]] = (), **query: Any) -> str:
    """An address with a query; what is empty is left out, and lists are repeated."""
    pairs = [
        (name, one)
        for name, value in query.items()
        for one in (value if isinstance(value, list | tuple) else [value])
        if one not in ("", None)
    ]
    pairs = [*carried, *pairs]
    return f"{path}?{urlencode(pairs)}" if pairs else path
