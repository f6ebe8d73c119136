"""The explorer as people use it: every page at two widths and in both colours, and an argument by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page

from browsing import Opened, chromium, opened, require_readable, require_whole
from exploring import BIRDS, FACTS
from serving import Served, serving

pytestmark = pytest.mark.slow

FLIES = "flies(X) :- bird(X)."
PAGES = (
    "",
    "rules",
    "rules/1",
    "suspects",
    "constants",
    "constant?name=b9",
    "ask",
    "ask?evidence=penguin(a)%0Aflies(a)",
    f"why?atom={quote('sings(b2)')}",
    f"why?atom={quote('swims(b1)')}",
    "what-if",
    f"correct?kind=ban&rule={quote(FLIES)}",
    "history",
    "difference",
    "learn",
    "nowhere",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "birds.pl").write_text(BIRDS, encoding="utf-8")
    (tmp_path / "birds.db").write_text("\n".join(FACTS), encoding="utf-8")
    with serving("birds.pl", "--data", "birds.db", "--time-limit", "60", cwd=tmp_path) as found:
        yield found


def test_every_page_is_readable(browser: Browser, served: Served) -> None:
    """Axe looks at every page once, and by turns at desktop and phone, in the light and in the dark."""
    kinds = [
        opened(browser, served.address, phone=phone, dark=dark) for phone in (False, True) for dark in (False, True)
    ]
    for number, path in enumerate(PAGES):
        for place in (number % 4, (number + 3) % 4):  # both widths, both colours
            kinds[place].page.goto(served.address + path)
            (require_readable if place == number % 4 else require_whole)(_but_for(kinds[place], path))


def accept(page: Page, button: str = "Accept") -> None:
    """Press the button, and come to what was done so far."""
    page.click(f"button:text-is('{button}')")
    page.wait_for_url("**/history")


def _but_for(found: Opened, path: str) -> Opened:
    """A browser complains of an address where nothing is, as it should."""
    if path == "nowhere":
        found.errors = [error for error in found.errors if "404" not in error]
    return found


def test_an_argument(browser: Browser, served: Served, tmp_path: Path) -> None:
    """Look, ask, suppose, correct, undo, save: as an expert would."""
    found = opened(browser, served.address)
    page = found.page
    page.click("nav >> text=Rules")
    page.wait_for_load_state()  # until then nobody listens to what is typed
    page.fill("#search", "swims")
    page.wait_for_function("() => document.querySelectorAll('.rule').length == 1")
    # Ask, and why
    page.click("nav >> text=Ask")
    page.fill("#evidence", "bird(Tweety)\nsmall(Tweety)")
    page.click("text=Conclude")
    page.click("a:has-text('Tweety sings')")
    assert page.locator("svg.proof .concluded").count() == 2
    page.goto(served.address + f"why?atom={quote('swims(b1)')}")
    page.click("text=suppose so")
    page.wait_for_selector("h3.came")
    # What if: a rule is switched off
    page.goto(served.address + "what-if")
    page.locator("fieldset:has-text('Rules to switch off') input").first.check()
    page.wait_for_selector("h3.went")
    # Correct: a mistake is under the cursor, both sides are shown, and then it is accepted
    page.goto(served.address + "correct?kind=add")
    page.fill("#text", "quacks(X) :- duck(X")
    page.wait_for_function("() => document.querySelector('#text-error').textContent.includes('^')")
    page.fill("#text", "0.6 :: quacks(X) :- duck(X)")
    page.click("text=Try it")
    assert "log-likelihood" in page.inner_text("#trial") and "gain on hidden facts" in page.inner_text("#trial")
    accept(page)
    page.goto(served.address + "rules?search=quacks")
    assert "written by somebody" in page.inner_text("main")
    page.goto(served.address + "ask?evidence=bird(Tweety)")
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.click("button[aria-label='flies(Tweety) is wrong']")
    page.goto(served.address + "history")
    assert "mark flies(Tweety) as wrong" in page.inner_text("main")
    page.click("text=Undo")
    page.wait_for_function("() => document.body.innerText.includes('undo: mark flies(Tweety) as wrong')")
    with page.expect_response(lambda response: response.request.method == "POST"):
        page.click("button:has-text('Save')")
    page.wait_for_function("() => document.body.innerText.includes('save')")
    assert "quacks" in (tmp_path / "birds.pl").read_text("utf-8")
    require_whole(found)
    page.close()


def test_by_keyboard_alone(browser: Browser, served: Served) -> None:
    """Search, complete a name, ask, and follow the first conclusion, without a mouse; on a phone's width."""
    found = opened(browser, served.address + "rules", phone=True, dark=True)
    page, press = found.page, found.page.keyboard.press
    press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    press("/")
    page.keyboard.type("sings")
    page.wait_for_function("() => document.querySelectorAll('.rule').length == 1")
    page.goto(served.address + "ask")
    _tab_to(page, "evidence")
    page.keyboard.type("bir")
    page.wait_for_selector("#completions:not([hidden]) li")
    press("ArrowDown")
    press("Enter")
    assert page.input_value("#evidence") == "bird(X)"
    press("Control+a")
    page.keyboard.type("bird(Polly)")
    press("Escape")
    for _ in range(20):
        press("Tab")
        if page.evaluate("document.activeElement.innerText") == "Conclude":
            break
    press("Enter")
    link = page.locator("table.conclusions a").first
    link.wait_for()
    link.focus()
    press("Enter")
    page.wait_for_selector("svg.proof")
    require_whole(found)
    page.close()


def _tab_to(page: Page, name: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == name:
            return
    raise AssertionError(f"the keyboard does not lead to {name}")


def test_what_was_said_stays_when_it_is_learned_again(browser: Browser, served: Served) -> None:
    """Lock, reword and ban, undo and redo, switch a fact off, and learn again; on a phone, in the dark."""
    found = opened(browser, served.address, phone=True, dark=True)
    page = found.page
    for kind, rule, more in (
        ("lock", FLIES, ""),
        ("reword", "sings(X) :- flies(X), small(X).", f"&text={quote('0.8 :: sings(X) :- small(X)')}"),
        ("ban", "bird(X) :- penguin(X).", ""),
    ):
        page.goto(served.address + f"correct?kind={kind}&rule={quote(rule)}{more}")
        page.click("text=Try it")
        accept(page)
    page.click("button:text-is('Undo')")
    page.wait_for_function("() => document.body.innerText.includes('undo: ban')")
    page.click("button:text-is('Redo')")
    page.wait_for_function("() => document.body.innerText.includes('redo: ban')")
    page.goto(served.address + "what-if")
    page.locator("fieldset:has-text('Facts to switch off') input[name=remove]").first.check()
    page.wait_for_selector("fieldset:has-text('Supposed')")
    page.goto(served.address + "learn")
    assert "#lock 0.9 :: flies(X) :- bird(X)." in page.inner_text("main")
    assert "bird(X) :- penguin(X)." in page.inner_text("h2:text-is('What stays out') + ul")
    page.click("button:text-is('Learn again')")
    page.wait_for_selector("button:text-is('Accept it')", timeout=60_000)
    accept(page, "Accept it")
    page.goto(served.address + "rules")
    assert "if X is a bird" in page.inner_text("main") and "if X is a penguin" not in page.inner_text("main")
    page.goto(served.address + "learn")
    page.click("button:text-is('Learn again')")
    page.wait_for_selector("button:text-is('Cancel'), button:text-is('Accept it')", timeout=60_000)
    require_whole(found)
    page.close()
