"""Pages of HTML that need nothing else, and what they are made of. Text is escaped here; parts are HTML already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from urllib.parse import quote

from possilog.escaping import escape_html

__all__ = ["document", "figure", "heading", "link", "navigation", "paragraph", "preformatted", "table"]


def document(title: str, *parts: str) -> str:
    """A whole page: its title, the style sheet of all our pages, and its parts."""
    content = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{escape_html(title)}</title>\n'
        f'<meta name="viewport" content="width=device-width"><style>\n{_style()}</style></head>\n'
        f"<body>\n<h1>{escape_html(title)}</h1>\n{content}\n</body>\n</html>\n"
    )


@cache
def _style() -> str:
    return (files("possilog.report") / "style.css").read_text(encoding="utf-8")


def heading(text: str, anchor: str) -> str:
    """A heading that links can name."""
    return f'<h3 id="{escape_html(anchor)}">{escape_html(text)}</h3>'


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph; the style sheet may tell it by its kind.

    >>> paragraph("5 < 6", "note")
    '<p class="note">5 &lt; 6</p>'
    """
    return f"<p{_class(kind)}>{escape_html(text)}</p>"


def preformatted(text: str) -> str:
    """Text with its lines as they are."""
    return f"<pre>{chr(10).join(map(escape_html, text.split(chr(10))))}</pre>"


def link(text: str, path: str = "", anchor: str = "") -> str:
    """A link to a file beside the page, or to an anchor.

    >>> link("other facts", "other facts/index.html"), link("rules", anchor="rules")
    ('<a href="other%20facts/index.html">other facts</a>', '<a href="#rules">rules</a>')
    """
    beside = quote(path.lstrip("/"))  # two slashes would make a host of a name
    address = f"{beside}#{quote(anchor)}" if anchor else beside
    return f'<a href="{escape_html(address)}">{escape_html(text)}</a>'


def navigation(anchors: Iterable[str]) -> str:
    """Links to the headings of the page."""
    return f"<nav>{' '.join(link(anchor, anchor=anchor) for anchor in anchors)}</nav>"


def figure(svg: bytes) -> str:
    """A picture, inside the page."""
    text = svg.decode()
    return f"<figure>{text[text.index('<svg') :]}</figure>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "", row_kinds: Sequence[str] = ()) -> str:
    """A table; the style sheet may tell it, and its rows, by their kinds."""
    kinds = row_kinds or ("",) * len(rows)
    body = "\n".join(_row(row, "td", kind) for row, kind in zip(rows, kinds, strict=True))
    return (
        f'<div class="wide"><table{_class(kind)}>\n<thead>{_row(header, "th")}</thead>\n'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(cells: Sequence[str], tag: str, kind: str = "") -> str:
    return f"<tr{_class(kind)}>" + "".join(f"<{tag}>{escape_html(cell)}</{tag}>" for cell in cells) + "</tr>"


def _class(kind: str) -> str:
    return f' class="{escape_html(kind)}"' if kind else ""
