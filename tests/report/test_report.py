"""The report: what it shows is what was computed, and a browser opens it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from command import run
from hostile import NAMES, hostile
from possilog import Database, Theory, learn, load, parse_theory, write_report
from possilog.report import make_report
from possilog.report.overview.page import draw_page

CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
THEORY = """
#type bird(animal). #type flies(animal). #type wrote(person, book).
0.9 :: flies(X) :- bird(X).
0.8 :: flies(X) :- bird(X), young(X).
0.7 :: :- wrote(X, Y), reads(X, Y).
old(X) :- wrote(X, Y).
"""
FACTS = [
    *(f"bird(b{n})" for n in range(9)),
    *(f"flies(b{n})" for n in range(8)),
    "young(b1)",
    "wrote(ann, emma)",
    "reads(ann, emma)",
    "wrote(emma, tom)",
]


# What it shows


def test_suspects_are_what_breaks_hard_and_strong_rules() -> None:
    found = make_report(parse_theory(THEORY), FACTS).suspects
    texts = {suspect.text: suspect for suspect in found.listed}
    assert texts["flies(b8)"].missing and 0.5 < texts["flies(b8)"].strength < 1
    assert texts["old(ann)"].strength == 1 and not texts["wrote(ann, emma), reads(ann, emma)"].missing
    assert any(suspect.rules == (0,) for suspect in found.listed)  # emma is a person and a book
    strengths = [suspect.strength for suspect in found.listed]
    assert strengths == sorted(strengths, reverse=True)


def test_coverage_counts_each_conclusion_once() -> None:
    points = make_report(parse_theory(THEORY), FACTS).coverage
    assert [(one.rules, one.right, one.wrong) for one in points] == [(0, 0, 0), (1, 8, 1), (2, 8, 1), (3, 8, 1)]


def test_the_graph_has_an_edge_for_each_condition() -> None:
    graph = make_report(parse_theory(THEORY), FACTS).graph
    assert {(feed.source, feed.target, feed.rules) for feed in graph.feeds} == {
        ("bird", "flies", 2),
        ("young", "flies", 1),
        ("wrote", "old", 1),
    }


def test_the_same_report_is_the_same_bytes() -> None:
    one, other = (draw_page(make_report(parse_theory(THEORY), FACTS, FACTS)) for _ in range(2))
    assert one == other


def test_an_empty_theory_and_no_facts() -> None:
    assert "There are no rules" in draw_page(make_report(Theory(), Database.of([])))


def test_the_command_writes_a_page_and_keeps_other_files(tmp_path: Path) -> None:
    theory, page = tmp_path / "t.pl", tmp_path / "r.html"
    theory.write_text("0.9 :: married(X, Y) :- married(Y, X).", encoding="utf-8")
    command = ("report", str(theory), "--data", "village", "--test", "village", "-o", str(page))
    for _ in range(2):
        done = run(*command)
        assert done.returncode == 0, done.stderr
    assert done.stdout == f"{page}: 1 rule, 0 suspects\n" and b"On test facts" in page.read_bytes()
    page.write_text("my own page", encoding="utf-8")
    assert run(*command).returncode == 2 and page.read_text("utf-8") == "my own page"


# In a browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium; .ci/install brings it")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


@dataclass
class Opened:
    """A page that is open, and what it complained about."""

    page: Page
    errors: list[str] = field(default_factory=list)


def opened(browser: Browser, path: Path, *, phone: bool = False, dark: bool = False) -> Opened:
    size: Any = {"width": 390, "height": 844} if phone else {"width": 1280, "height": 900}
    page = browser.new_page(viewport=size, color_scheme="dark" if dark else "light")
    found = Opened(page)
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("console", lambda message: found.errors.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: found.errors.append(dialog.message))
    page.on("request", lambda request: None if request.url.startswith("file:") else found.errors.append(request.url))
    page.goto(path.as_uri())
    return found


CUT_OFF = """() => [...document.querySelectorAll("p, li, h1, h2, h3, td, label, summary, button")]
    .filter((node) => !node.closest("[hidden]") && !node.closest(".wide") && node.scrollWidth > node.clientWidth + 1)
    .map((node) => node.className + ": " + node.textContent.slice(0, 60))"""


def require_readable(found: Opened) -> None:
    """No error, nothing cut off, no serious problem of accessibility."""
    page = found.page
    assert not found.errors
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not page.evaluate(CUT_OFF)
    violations = Axe().run(page).response["violations"]
    serious = [one for one in violations if one["impact"] in ("serious", "critical")]
    assert not serious, json.dumps(serious, indent=1)[:3000]


def require_controls_work(page: Page, rule: str) -> None:
    """Search, filters, examples, links and the keyboard."""
    rules = page.locator(".rule")
    total = rules.count()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type(rule)
    page.wait_for_function("n => document.querySelectorAll('.rule:not([hidden])').length < n", arg=total)
    assert 0 < page.locator(".rule:visible").count() < total
    page.click("#clear")
    assert page.locator(".rule:not([hidden])").count() == total
    page.check("#broken")
    page.wait_for_timeout(150)
    broken = page.locator(".rule:not([hidden])")
    assert all(int(node.get_attribute("data-x") or 0) > 0 for node in broken.all()[:20])
    page.uncheck("#broken")
    page.select_option("#kind", "soft")
    page.select_option("#least", "90")
    page.wait_for_timeout(150)
    assert page.locator(".rule:not([hidden])").count() <= total
    page.click("#clear")
    page.click("#open")
    assert page.locator(".rule:not([hidden]) details[open]").count() > 0
    page.click("#open")
    page.locator("nav a", has_text="Suspects").click()
    assert page.url.endswith("#suspects")


@pytest.fixture(scope="module")
def village(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("village") / "village.html"
    write_report(learn(load("village")).theory, load("village"), path, load("village"), title="The village")
    return path


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize(("phone", "dark"), [(False, False), (False, True), (True, False), (True, True)])
def test_the_village_opens_everywhere(browser: Browser, village: Path, phone: bool, dark: bool) -> None:
    found = opened(browser, village, phone=phone, dark=dark)
    require_readable(found)
    if phone == dark:
        require_controls_work(found.page, "parent")
        found.page.emulate_media(media="print")
        assert not found.page.locator("nav").is_visible()
    assert not found.errors
    found.page.close()


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
def test_two_thousand_rules_with_hostile_names(browser: Browser, tmp_path: Path) -> None:
    theory, facts = hostile(2_000)
    path = tmp_path / "hostile.html"
    report = write_report(theory, facts, path, title=NAMES[0])
    assert sum(len(card.examples) + len(card.counterexamples) for card in report.portrait.rules) > 5_000
    assert path.stat().st_size < 5_000_000
    found = opened(browser, path)
    assert found.page.title() == NAMES[0]
    timing = found.page.evaluate("performance.getEntriesByType('navigation')[0].toJSON()")
    assert timing["loadEventEnd"] < 10_000  # 2 s on a machine that does nothing else
    assert not found.errors and found.page.locator("script").count() == 1
    assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    require_controls_work(found.page, "שלום")
    assert not found.errors
    found.page.close()


@pytest.mark.slow
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("phone", [False, True])
def test_hostile_names_are_accessible_too(browser: Browser, tmp_path: Path, phone: bool) -> None:
    theory, facts = hostile(40)
    path = tmp_path / "hostile.html"
    write_report(theory, facts, path, title=NAMES[1])
    found = opened(browser, path, phone=phone, dark=not phone)
    require_readable(found)
    found.page.close()
