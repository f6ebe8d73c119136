"""A hook of mkdocs: makes the reference from docstrings and a page of each notebook, so that each is there once."""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PLACES = (
    "possilog",
    "possilog.logic",
    "possilog.data",
    "possilog.matching",
    "possilog.structure",
    "possilog.counting",
    "possilog.weights",
    "possilog.inference",
    "possilog.learning",
    "possilog.marginals",
    "possilog.markov",
    "possilog.evaluation",
    "possilog.report",
    "possilog.errors",
)
"""The public places; each has a page."""

SECTIONS = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages."""
    for place in PLACES:
        content = page(place)
        files.append(File.generated(config, f"reference/{place}.md", content=content))
    for path in sorted(Path(config.docs_dir, "notebooks").glob("*.ipynb")):
        content = notebook_page(json.loads(path.read_text(encoding="utf-8")), path.name)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=content))
    return files


def notebook_page(notebook: dict[str, Any], name: str) -> str:
    """A notebook as a page: its text, its code, and what each cell showed when it was run."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            shown = output.get("data", {}).get("text/html")
            if shown is not None:
                text = "".join(shown).replace("\n", "&#10;")  # a blank line would end the HTML
                parts.append(f'<div class="shown">{text}</div>')
            else:
                parts.append("```text\n" + "".join(output.get("text", ())).rstrip("\n") + "\n```")
    return "\n\n".join([*parts, f"[The notebook itself]({name})"]) + "\n"


def page(place: str) -> str:
    """A page about a module: what it says of itself, and each of its public names."""
    module = import_module(place)
    names = sorted(
        getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")], key=str.lower
    )
    documented = [name for name in names if not name.startswith("_") and is_documented(getattr(module, name))]
    about = text(inspect.getdoc(module) or "")
    return f"# {place}\n\n{about}\n\n" + "\n".join(entry(name, getattr(module, name)) for name in documented)


def is_documented(value: object) -> bool:
    """Functions and classes; other values are said where they are used."""
    return callable(value) and bool(value.__doc__) and str(getattr(value, "__module__", "")).startswith("possilog")


def entry(name: str, value: Any) -> str:
    """A function, or a class with its methods."""
    kind = "class" if inspect.isclass(value) else "function"
    parts = [f"## {name}", "", f"*{kind} of* `{value.__module__}`", "", signature(name, value), text(doc(value))]
    if kind == "class":
        for method, found in sorted(vars(value).items()):
            if method.startswith("_") or not doc(found):
                continue
            called = found.__func__ if isinstance(found, classmethod | staticmethod) else found
            shown = "" if isinstance(called, property) or not callable(called) else signature(method, called)
            parts += [f"### {name}.{method}", "", shown, text(doc(called))]
    return "\n".join(parts) + "\n"


def doc(value: object) -> str:
    """What it says of itself, if it does."""
    found = getattr(value, "__func__", value)
    if not (callable(found) or isinstance(found, property)):
        return ""
    return inspect.cleandoc(found.__doc__ or "")


def signature(name: str, value: Any) -> str:
    """How it is called."""
    try:
        found = str(inspect.signature(value))
    except (TypeError, ValueError):
        return ""
    plain = re.sub(r"<function (\w+) at 0x\w+>", r"\1", re.sub(r"'([\w.\[\], |]+)'", r"\1", found))
    return f"```text\n{name}{plain}\n```\n"


def text(said: str) -> str:
    """A docstring as Markdown: sections become headings, parameters a list, and examples code."""
    first, *rest = SECTIONS.split(said)
    parts = [body(first)]
    for title, content in zip(rest[::2], rest[1::2], strict=True):
        listed = title in ("Parameters", "Returns", "Raises", "Attributes")
        parts += [f"**{title}**", entries(content) if listed else body(content)]
    return "\n\n".join(part for part in parts if part) + "\n"


def entries(content: str) -> str:
    """Names with their types, each above what is said of it."""
    made = []
    for block in re.split(r"\n(?=\S)", content.strip("\n")):
        head, _, about = block.partition("\n")
        name, colon, kind = head.partition(" : ")
        shown = f"`{name}`" + (f": *{marked(kind)}*" if colon else "")
        made.append(f"- {shown}" + (f". {marked(' '.join(textwrap.dedent(about).split()))}" if about.strip() else ""))
    return "\n".join(made)


def body(content: str) -> str:
    """Paragraphs, with examples fenced."""
    made = []
    for block in re.split(r"\n\s*\n", content.strip("\n")):
        dedented = textwrap.dedent(block)
        made.append(f"```pycon\n{dedented}\n```" if ">>> " in dedented else marked(dedented))
    return "\n\n".join(made)


def marked(said: str) -> str:
    """Names in double quotes of code as Markdown has them, and nothing that it would take for a link or a tag."""
    plain = re.sub(r"``(.+?)``", r"`\1`", said)
    pieces = re.split(r"(`[^`]*`)", plain)
    return "".join(
        one if one.startswith("`") else one.replace("<", "&lt;").replace("[", "\\[").replace("*", "\\*")
        for one in pieces
    )
