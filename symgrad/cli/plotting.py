"""``symgrad plot``: a formula of one number with its derivative, or of two with contours and gradients."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Container
from pathlib import Path
from typing import Any

from symgrad.cli.arguments import PLOTS
from symgrad.cli.formulas import names_of, read_formula, wanted
from symgrad.cli.output import complain, written_for
from symgrad.cli.words import named
from symgrad.core.node import has_value, tensor_value
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.reader import Expression
from symgrad.support.files import replace_files
from symgrad.support.progress import long_work
from symgrad.teach import plot
from symgrad.teach.writing.page import page


def run_plot(args: argparse.Namespace) -> int:
    """Write a picture of a formula and its derivatives."""
    place = Path(args.output)
    if place.suffix.lower() not in PLOTS:
        raise ArgumentError(f"--output: got {args.output}. Expected a name that ends in {', '.join(PLOTS)}.")
    formula, _ = read_formula(args)
    kept = {name: tensor_value(leaf) for name, leaf in formula.leaves.items() if has_value(leaf)}
    free = _open(formula, kept, wanted(args.wrt))
    over = {**dict.fromkeys(free, (-3.0, 3.0)), **_ranges(args.over, free)}
    tangent = None if args.tangent is None else _point(args.tangent)
    with long_work("drawing"):
        ax = plot(formula, {**kept, **over}, order=args.order, tangent=tangent)
        data = _drawn(ax.figure, place.suffix.lower(), formula.text)
    if replace_files({place: data}):
        complain(f"symgrad plot: replaced {args.output}", args.ascii)
    print(written_for(sys.stdout, args.output, args.ascii))
    return 0


def _open(formula: Expression, kept: Container[str], chosen: list[str]) -> list[str]:
    """Return the one name or two that have no value, which are the axes.

    Raises:
        ParseError: if there are other variables, or none, or if one is an array.
    """
    free = [name for name in names_of(formula) if name not in kept]
    missing = [name for name in free if chosen and name not in chosen]
    if missing or len(free) not in (1, 2):
        got = ", ".join(free) or "none"
        raise ParseError(
            f"which names are to be plotted? Got {got}. Expected one or two; give the others values with --at."
        )
    if formula.value.shape != () or any(formula.leaves[name].shape != () for name in free):
        raise ParseError(
            "expected a scalar function of one or two numbers. Give arrays values with --at, and take a sum."
        )
    return free


def _ranges(texts: list[str], free: list[str]) -> dict[str, tuple[float, float]]:
    """Return the ranges by name; one without a name is that of all."""
    ranges: dict[str, tuple[float, float]] = {}
    for text in texts:
        name, bounds = named(text)
        if name and name not in free:
            raise ParseError(f"--over {name}: expected a name without a value, one of {', '.join(free)}.")
        ranges |= dict.fromkeys([name] if name else free, _range(bounds))
    return ranges


def _range(text: str) -> tuple[float, float]:
    try:
        low, high = (float(part) for part in text.split(":"))
    except ValueError:
        raise ParseError(f"--over: got {text.strip()[:40]!r}. Expected low:high, as in -3:3 or x=-3:3.") from None
    return low, high


def _point(text: str) -> Any:
    try:
        coordinates = [float(part) for part in text.split(",")]
    except ValueError:
        raise ParseError(f"--tangent: got {text.strip()[:40]!r}. Expected a number, or two as in 1,2.") from None
    return coordinates[0] if len(coordinates) == 1 else coordinates


def _drawn(figure: Any, ending: str, title: str) -> str | bytes:
    """Return a figure as a file holds it."""
    made = io.BytesIO()
    figure.savefig(made, format="svg" if ending == ".html" else ending[1:], dpi=150)
    if ending != ".html":
        return made.getvalue()
    svg = made.getvalue().decode("utf-8")
    return page(title, [("Plot", f'<div class="wide" tabindex="0">{svg[svg.index("<svg") :]}</div>')])
