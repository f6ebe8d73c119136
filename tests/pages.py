"""What a browser sees of a page."""

from __future__ import annotations

from html.parser import HTMLParser

__all__ = ["Page", "read_page"]


class Page(HTMLParser):
    """The tags and the texts of a page, which holds nothing that a browser would run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag not in ("script", "link", "img", "iframe"), tag
        assert not [name for name, _ in attrs if name.startswith("on") or name == "src"]
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def read_page(text: str) -> Page:
    page = Page()
    page.feed(text)
    page.close()
    return page
