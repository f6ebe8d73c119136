"""Pages in Debian's Chromium: opened at two widths, in both colours, and required to be readable."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

__all__ = ["Opened", "chromium", "opened", "require_readable", "require_whole"]

FLAGS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

CUT_OFF = """() => [
    ...[...document.querySelectorAll("p, li, h1, h2, h3, td, dt, dd, label, summary, button")]
        .filter((node) => !node.closest("[hidden], .wide") && node.scrollWidth > node.clientWidth + 1),
    ...[...document.querySelectorAll("svg text")].filter((node) => {
        const [said, drawn] = [node, node.ownerSVGElement].map((one) => one.getBoundingClientRect());
        return said.left < drawn.left - 1 || said.right > drawn.right + 1
            || said.top < drawn.top - 1 || said.bottom > drawn.bottom + 1;
    })]
    .map((node) => node.tagName + "." + node.className + ": " + node.textContent.slice(0, 60))"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("there is no Chromium; .ci/install brings it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Opened:
    """A page that is open, and what it complained about."""

    page: Page
    errors: list[str] = field(default_factory=list)


def opened(browser: Browser, address: str, *, phone: bool = False, dark: bool = False) -> Opened:
    """A page that may load nothing from elsewhere."""
    size: Any = {"width": 390, "height": 844} if phone else {"width": 1280, "height": 900}
    page = browser.new_page(viewport=size, color_scheme="dark" if dark else "light")
    page.set_default_timeout(60_000)  # the machine may be busy
    found = Opened(page)
    own = "file:" if address.startswith("file:") else urljoin(address, "/")
    page.on("pageerror", lambda error: found.errors.append(str(error)))
    page.on("console", lambda message: found.errors.append(message.text) if message.type == "error" else None)
    page.on("dialog", lambda dialog: found.errors.append(dialog.message))
    page.on("request", lambda request: None if request.url.startswith(own) else found.errors.append(request.url))
    page.goto(address)
    return found


def require_readable(found: Opened) -> None:
    """No error, nothing cut off, no serious problem of accessibility."""
    require_whole(found)
    violations = Axe().run(found.page).response["violations"]
    serious = [one for one in violations if one["impact"] in ("serious", "critical")]
    assert not serious, json.dumps(serious, indent=1)[:3000]


def require_whole(found: Opened) -> None:
    """No error, and nothing cut off."""
    assert not found.errors
    assert found.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not found.page.evaluate(CUT_OFF)
