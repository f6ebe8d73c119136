"""Plots, drawn by matplotlib: as bytes of SVG and PNG, the same for the same numbers."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from possilog.errors import MissingPart

__all__ = ["Line", "Plot", "load_matplotlib"]

_FEW = 20
"""Of fewer points each is shown."""


@dataclass(frozen=True, slots=True)
class Line:
    """Points, how far off they may be, if that is to be seen, and what they look like, in matplotlib's terms."""

    x: Sequence[float]
    y: Sequence[float]
    bands: Sequence[tuple[float, float]] = ()
    colour: str | None = None
    style: Any = "-"
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

    def draw(self) -> dict[str, bytes]:
        """The picture in both formats, by the ending of their files."""
        figure_class, settings = load_matplotlib()
        with settings({"svg.hashsalt": self.name, "svg.fonttype": "none"}):
            figure = figure_class(figsize=(9, 4.5), layout="constrained")
            axes = figure.subplots()
            for name, line in self.lines.items():
                look = {"color": line.colour, "linestyle": line.style, "linewidth": line.width}
                (drawn,) = axes.plot(line.x, line.y, label=name, marker="." if len(line.x) < _FEW else None, **look)
                if line.bands:
                    low, high = zip(*line.bands, strict=True)
                    axes.fill_between(line.x, low, high, alpha=0.15, color=drawn.get_color(), linewidth=0)
            axes.set(title=self.title, xlabel=self.x_label, ylabel=self.y_label)
            axes.set_yscale("log" if self.logarithmic else "linear")
            axes.grid(alpha=0.3)
            figure.legend(fontsize="small", loc="outside right upper")
            return {ending: _saved(figure, ending) for ending in ("svg", "png")}


def load_matplotlib() -> tuple[Any, Any]:
    """Its figures and its settings; MissingPart where it is not installed."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPart('plots need matplotlib; install it with  pip install "possilog[plots]"') from None
    return Figure, rc_context


def _saved(figure: Any, ending: str) -> bytes:
    content = io.BytesIO()
    metadata = {"Date": None} if ending == "svg" else {"Software": None}
    figure.savefig(content, format=ending, dpi=120, metadata=metadata)
    return content.getvalue()
