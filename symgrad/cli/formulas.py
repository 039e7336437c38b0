"""What the commands share: the formula with its declared names, read from the arguments."""

from __future__ import annotations

import argparse
import ast
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.errors import ParseError
from symgrad.expression.bounds import MOST_ENTRIES, MOST_INTEGER
from symgrad.expression.reader import Expression, parse
from symgrad.tensors.creation import symbol, tensor
from symgrad.tensors.tensor import Tensor

MARKS = ("symmetric", "positive", "onehot", "simplex")


def add_formula(parser: argparse.ArgumentParser, such: str = 'such as "sum((X @ w - y)**2)"') -> None:
    """Declare the arguments that a formula needs."""
    parser.add_argument("formula", help=such)
    parser.add_argument(
        "--wrt",
        action="append",
        default=[],
        metavar="NAME[,NAME]",
        help="differentiate by these; a scalar if no shape is given",
    )
    parser.add_argument(
        "--shape",
        action="append",
        default=[],
        metavar="NAME=SIZES",
        help="declare a name: X=n,d is a matrix, y=3 a vector, a= a number; sizes are numbers or names",
    )
    parser.add_argument(
        "--syntax", choices=("python", "matlab"), default="python", help="matlab: x'*A*x, .*, norm(x)^2, A(1,2)"
    )
    parser.add_argument(
        "--at", action="append", default=[], metavar="NAME=VALUE", help="give a name a value: x=2.5 or w=[[1,2],[3,4]]"
    )
    parser.add_argument(
        "--assume", action="append", default=[], metavar="NAME=MARK", help=f"{', '.join(MARKS)}; such as A=symmetric"
    )


def read_formula(args: argparse.Namespace) -> tuple[Expression, list[Tensor]]:
    """Return the formula, and the leaves to differentiate by.

    Raises:
        ParseError: an argument is not as declared.
    """
    shapes = _shapes(args.shape)
    values = dict(_pair(text, "--at", "x=2.5") for text in args.at)
    marks: dict[str, dict[str, bool]] = {}
    for text in args.assume:
        name, mark = _pair(text, "--assume", "A=symmetric")
        if mark not in MARKS:
            raise ParseError(f"--assume: {mark!r} is unknown. Expected one of {', '.join(MARKS)}.")
        marks.setdefault(name, {})[mark] = True
    wrt = wanted(args.wrt)
    leaves: dict[str, Tensor] = {}
    for name in dict.fromkeys([*shapes, *values, *wrt, *marks]):
        sizes = _sizes(shapes.get(name, ""), name)
        leaves[name] = _leaf(name, sizes, values.get(name), marks.get(name, {}), name in shapes)
    found = parse(args.formula, leaves, syntax=args.syntax)
    return found, [leaves[name] for name in wrt]


def _shapes(texts: Sequence[str]) -> dict[str, str]:
    return dict(_pair(text, "--shape", "X=n,d") for text in texts)


def declared_shapes(texts: Sequence[str]) -> dict[str, tuple[Any, ...]]:
    """Return the shape of each name in ``--shape X=n,d --shape w=d``."""
    return {name: _sizes(sizes, name) for name, sizes in _shapes(texts).items()}


def wanted(texts: Sequence[str]) -> list[str]:
    """Return the names in ``--wrt a,b --wrt c``."""
    return list(dict.fromkeys(name.strip() for text in texts for name in text.split(",") if name.strip()))


def _pair(text: str, option: str, example: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip().isidentifier():
        raise ParseError(f"{option}: got {text!r}. Expected NAME=…, such as {option} {example}.")
    return name.strip(), value.strip()


def _sizes(text: str, name: str) -> tuple[Any, ...]:
    sizes: list[Any] = []
    for part in filter(None, (p.strip() for p in text.strip("()[]").split(","))):
        if not (part.isascii() and (part.isdigit() or part.isidentifier())) or len(part) > 9:
            raise ParseError(f"--shape {name}: {part!r} is not a size. Expected a number or a name, as in {name}=n,3.")
        sizes.append(int(part) if part.isdigit() else part)
    check_entries(name, sizes)
    return tuple(sizes)


def check_entries(name: str, sizes: Sequence[Any]) -> None:
    """Refuse a name that would stand for a very large array.

    Raises:
        ParseError: a size, or the product of them, is too large.
    """
    numbers = [n for n in sizes if isinstance(n, int)]
    if max(numbers, default=0) > MOST_INTEGER or math.prod(numbers) > MOST_ENTRIES:
        raise ParseError(
            f"--shape {name}: {math.prod(numbers)} entries are too many. Expected sizes up to {MOST_INTEGER}, up to "
            f"{MOST_ENTRIES} entries; a size may be a name, as in {name}=n."
        )


def _leaf(name: str, sizes: tuple[Any, ...], value: str | None, marks: dict[str, bool], shaped: bool) -> Tensor:
    if value is None:
        return symbol(name, shape=sizes, **marks)
    if marks:
        raise ParseError(f"--assume {name}: what is assumed is for names without a value. Leave out --at {name}.")
    array = _array(value, name)
    if shaped and (len(sizes) != array.ndim or any(isinstance(n, int) and n != m for n, m in zip(sizes, array.shape))):
        raise ParseError(f"--at {name}: got shape {list(array.shape)}, declared as {list(sizes)}.")
    return tensor(array, requires_grad=True, name=name)


def _array(text: str, name: str) -> Any:
    try:
        found = np.asarray(ast.literal_eval(text), dtype=np.float64)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
        raise ParseError(
            f"--at {name}: got {text[:40]!r}. Expected a number or lists of numbers, as in [1, 2]."
        ) from None
    if found.size > MOST_INTEGER:
        raise ParseError(f"--at {name}: got {found.size} numbers. Expected at most {MOST_INTEGER}.")
    return found
