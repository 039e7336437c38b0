"""The pictures of the documentation, drawn whenever it is built: a function each, its docstring the alternative text.

A function returns a figure of matplotlib's or the text of an SVG. Pictures have no background, and the pages turn their
light and dark around where the reader's page is dark.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import matplotlib
from matplotlib.figure import Figure

FILES = ("graphs", "functions", "optimisers", "statistics", "signals", "robots", "sparsity", "speed", "programs")
COLOURS = ["#2f7fc1", "#d9691d", "#2c9c69", "#8e5bb5", "#b8860b", "#808890"]
STYLE = {
    "axes.edgecolor": "#606870",
    "axes.facecolor": "none",
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "legend.frameon": False,
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "symgrad",
}


def canvas(rows: int = 1, columns: int = 1, *, size: tuple[float, float] = (6.4, 3.8), **more: Any) -> Any:
    """A figure and its axes, of this size in inches."""
    figure = Figure(figsize=size)
    return figure, figure.subplots(rows, columns, **more)


def pictures() -> dict[str, Callable[[], Any]]:
    """Every picture by its name, in the order of the files and within a file in that of the text."""
    found: dict[str, Callable[[], Any]] = {}
    for file in FILES:
        module = importlib.import_module(f"pictures.{file}")
        own = [f for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__]
        found |= {f.__name__: f for f in own if not f.__name__.startswith("_") and not inspect.signature(f).parameters}
    return found
