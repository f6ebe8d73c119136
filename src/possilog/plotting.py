"""Plots, drawn by matplotlib: as bytes of SVG and PNG, the same for the same numbers, in files and in notebooks."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from possilog.errors import FileError, MissingPart
from possilog.escaping import visible
from possilog.files import AnyPath, write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Dashes", "Line", "Plot", "require_matplotlib"]

Dashes = str | tuple[float, tuple[float, ...]]
"""How a line is broken, in matplotlib's terms."""

_FEW = 20
"""Of fewer points each is shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points, how far off they may be, if that is to be seen, and what they look like, in matplotlib's terms."""

    x: Sequence[float]
    y: Sequence[float]
    bands: Sequence[tuple[float, float]] = ()
    colour: str | None = None
    style: Dashes = "-"
    width: float = 1.5


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines by name, and what is written beside them."""

    name: str
    """For files."""
    title: str
    x_label: str
    y_label: str
    lines: Mapping[str, Line]
    logarithmic: bool = False
    diagonal: bool = False
    """Is the line drawn on which both axes say the same?"""

    def _repr_svg_(self) -> str:
        """In a notebook."""
        return self.draw()["svg"].decode()

    def save(self, path: AnyPath) -> None:
        """Write the picture to a file, .svg or .png."""
        ending = os.path.splitext(os.fspath(path))[1].removeprefix(".").lower()
        if ending not in ("svg", "png"):
            raise FileError(f"{os.fspath(path)}: pictures are written as .svg or .png")
        write_atomically(path, self.draw()[ending])

    def draw(self) -> dict[str, bytes]:
        """The picture in both formats, by the ending of their files."""
        require_matplotlib()
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        with rc_context({"svg.hashsalt": self.name, "svg.fonttype": "none"}):
            figure = Figure(figsize=(9, 4.5), layout="constrained")
            axes = figure.subplots()
            for name, line in self.lines.items():
                (drawn,) = axes.plot(
                    line.x,
                    line.y,
                    label=_plain(name),
                    marker="." if len(line.x) < _FEW else None,
                    color=line.colour,
                    linestyle=line.style,
                    linewidth=line.width,
                )
                if line.bands:
                    low, high = zip(*line.bands, strict=True)
                    axes.fill_between(line.x, low, high, alpha=0.15, color=drawn.get_color(), linewidth=0)
            if self.diagonal:
                axes.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1)
            axes.set(title=_plain(self.title), xlabel=_plain(self.x_label), ylabel=_plain(self.y_label))
            axes.set_yscale("log" if self.logarithmic else "linear")
            axes.grid(alpha=0.3)
            figure.legend(fontsize="small", loc="outside right upper")
            return {ending: _saved(figure, ending) for ending in ("svg", "png")}


def _plain(text: str) -> str:
    """Text that matplotlib takes for no formula."""
    return visible(text).replace("$", r"\$")


def require_matplotlib() -> None:
    """Raise MissingPart where it is not installed."""
    if find_spec("matplotlib") is None:
        raise MissingPart('plots need matplotlib; install it with  pip install "possilog[plots]"')


def _saved(figure: Figure, ending: str) -> bytes:
    content = io.BytesIO()
    metadata = {"Date": None} if ending == "svg" else {"Software": None}
    figure.savefig(content, format=ending, dpi=120, metadata=metadata)
    return content.getvalue()
