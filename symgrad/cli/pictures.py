"""``symgrad graph`` and ``symgrad table``: what a formula computes, as a picture and in numbers."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from symgrad.cli.formulas import check_values, names_of, read_formula, wanted
from symgrad.cli.output import ascii_html, complain, written_for
from symgrad.cli.words import named
from symgrad.core.node import has_value, tensor_value
from symgrad.errors import ArgumentError, ParseError
from symgrad.expression.reader import Expression
from symgrad.support.files import replace_files
from symgrad.support.plain import ascii_text
from symgrad.support.progress import long_work
from symgrad.teach import graph, table
from symgrad.teach.pictures.picture import Graph
from symgrad.teach.writing.page import page

MOST_POINTS = 1000


def _page(picture: Graph, title: str) -> str:
    return page(title, [("Graph", f'<div class="wide" tabindex="0">{picture.to_svg()}</div>')])


WRITERS: dict[str, Callable[[Graph, str], str]] = {
    ".svg": lambda picture, title: picture.to_svg(),
    ".html": _page,
    ".dot": lambda picture, title: picture.to_dot(),
    ".mmd": lambda picture, title: picture.to_mermaid(),
}


def run_graph(args: argparse.Namespace) -> int:
    """Print the graph, or write its picture to a file."""
    ending = Path(args.output).suffix.lower() if args.output else ".mmd"
    if ending not in WRITERS:
        raise ArgumentError(f"--output: got {args.output}. Expected a name that ends in {', '.join(WRITERS)}.")
    formula, wrt = read_formula(args)
    check_values(args.at, names_of(formula))
    if args.adjoints == "number" and not args.at:
        raise ParseError("--adjoints number: there are no numbers. Give each name one, as in --at x=2.")
    with long_work("drawing"):
        picture = graph(formula.value, wrt=wrt or None, adjoints=args.adjoints)
        text = WRITERS[ending](picture, formula.text)
    if args.output is None:
        print(written_for(sys.stdout, text, args.ascii))
    else:
        write(args, text)
    return 0


def write(args: argparse.Namespace, text: str) -> None:
    """Write a file, and say which one it replaced."""
    if replace_files({Path(args.output): text}):
        complain(f"symgrad {args.command}: replaced {args.output}", args.ascii)


def run_table(args: argparse.Namespace) -> int:
    """Print f and f′ at points."""
    name, f = one_variable(args)
    with long_work("computing"):
        values = table(f, points(args.over, name))
        text = values._repr_html_() if args.html else str(values)
    print(written_for(sys.stdout, text, args.ascii, ascii_html if args.html else ascii_text))
    return 0


def one_variable(args: argparse.Namespace) -> tuple[str, Callable[..., Any]]:
    """Return the name of the formula's variable, and the formula as a function of it; other names have values.

    Raises:
        ParseError: if there is not exactly one variable, or if it is not a number.
    """
    formula, _ = read_formula(args)
    given = {name for name, leaf in formula.leaves.items() if has_value(leaf)}
    free = [name for name in names_of(formula) if name not in given]
    chosen = wanted(args.wrt) or free
    if len(chosen) != 1:
        raise ParseError(
            f"with respect to which name? Got {', '.join(chosen) or 'none'}. Name one with --wrt, and give the others "
            "values with --at."
        )
    name = chosen[0]
    if name in given:
        raise ParseError(f"--at {name}: the points of {name} are given by --over. Omit it.")
    missing = [other for other in free if other != name]
    if missing:
        raise ParseError(f"{missing[0]} has no value. Give it one, as in --at {missing[0]}=1.")
    if formula.leaves[name].shape != () or formula.value.shape != ():
        raise ParseError("expected a scalar function of one number. Take a sum, or an entry, as in x[0].")
    return name, _of_one(formula, name)


def _of_one(formula: Expression, name: str) -> Callable[..., Any]:
    def f(x: Any) -> Any:
        return formula(*[x if other == name else tensor_value(leaf) for other, leaf in formula.leaves.items()])

    f.__signature__ = inspect.Signature([inspect.Parameter(name, inspect.Parameter.POSITIONAL_ONLY)])  # type: ignore[attr-defined]
    return f


def points(text: str, name: str) -> list[float]:
    """Return the points in ``0,1,2.5`` or ``first:last:count``.

    >>> points("0:2:5", "x"), points("x=1,2", "x")
    ([0.0, 0.5, 1.0, 1.5, 2.0], [1.0, 2.0])

    Raises:
        ParseError: if these are not points, or there are too many.
    """
    other, body = named(text)
    if other and other != name:
        raise ParseError(f"--over {other}: the name without a value is {name}.")
    first, *rest = body.split(":")
    try:
        numbers = [float(p) for p in first.split(",")] if not rest else _between(first, *rest)
    except (TypeError, ValueError):
        raise ParseError(
            f"--over: got {text.strip()[:40]!r}. Expected 0,1,2.5 or first:last:count, as in 0:2:5."
        ) from None
    if not 0 < len(numbers) <= MOST_POINTS or not np.isfinite(numbers).all():
        raise ParseError(f"--over: expected 1 to {MOST_POINTS} numbers, all finite.")
    return numbers


def _between(first: str, last: str, count: str = "5") -> list[float]:
    number = int(count)
    return [float(x) for x in np.linspace(float(first), float(last), number if number <= MOST_POINTS else 0)]
