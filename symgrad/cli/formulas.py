"""The part that all commands share: the formula with its declared names, read from the arguments."""

from __future__ import annotations

import argparse
import ast
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from symgrad.cli.arguments import MARKS
from symgrad.cli.output import complain
from symgrad.core.node import tensor_node
from symgrad.errors import ParseError
from symgrad.expression.arguments import named_leaves
from symgrad.expression.bounds import MOST_ENTRIES, MOST_INTEGER
from symgrad.expression.reader import Expression, names_in, reading_of, sizes_in
from symgrad.expression.tokens import MOST_SIGNS
from symgrad.tensors.creation import symbol, tensor
from symgrad.tensors.tensor import Tensor
from symgrad.web.equations import Implicit, equation_of, is_equation


def read_formula(args: argparse.Namespace) -> tuple[Expression, list[Tensor]]:
    """Return the formula, and the leaves to differentiate by. Names that are not declared are numbers.

    Raises:
        ParseError: if an argument does not fit its declaration, or has no effect.
    """
    text = formula_text(args.formula)
    shapes = _shapes(args.shape)
    values = _pairs(args.at, "--at", "x=2.5")
    marks = {name: dict.fromkeys(ms, True) for name, ms in _marks(args.assume).items()}
    wrt = wanted(args.wrt)
    leaves: dict[str, Tensor] = {}
    for name in dict.fromkeys([*shapes, *values, *wrt, *marks]):
        sizes = _sizes(shapes.get(name, ""), name)
        leaves[name] = _leaf(name, sizes, values.get(name), marks.get(name, {}), name in shapes)
    reading = reading_of(text, leaves, args.syntax)
    leaves |= {name: symbol(name) for name in names_in(reading, {*leaves, *sizes_in(leaves)})}
    formula = Expression(reading, leaves)
    _ = formula.value  # what has no meaning is said here
    for letter, meaning in formula.constants.items():
        complain(f"{letter} is {meaning} here. For a name, add --shape {letter}=")
    for option, names in (("--at", values), ("--assume", marks)):
        for name in [name for name in names if name not in names_of(formula)]:
            raise ParseError(f"{option} {name}: the formula does not contain {name}. Omit it.")
    return formula, [leaves[name] for name in wrt]


def read_equation(args: argparse.Namespace) -> Implicit | None:
    """Return the equation of a curve, and which of its names depends on which; None of a formula.

    Raises:
        ParseError: if an option does not apply to equations.
    """
    args.formula = formula_text(args.formula)
    names = wanted(args.wrt)
    if args.syntax == "matlab" or not is_equation(args.formula):
        return None
    unused = [option for option in ("shape", "at", "assume") if getattr(args, option)]
    if unused or len(names) > 1:
        raise ParseError(
            f"{args.formula!r} is an equation: expected one name in --wrt, and no --{unused[0] if unused else 'wrt'}."
        )
    return equation_of({"formula": args.formula, "wrt": names[0] if names else None, "order": args.order})


def check_values(given: Sequence[str], needed: Iterable[str]) -> None:
    """Refuse values of some of the names that a number needs: they would do nothing.

    Raises:
        ParseError: if only some of the names have values.
    """
    names = _pairs(given, "--at", "x=2.5")
    missing = [name for name in needed if name not in names]
    if names and missing:
        raise ParseError(
            f"--at: {', '.join(missing)} {'have' if len(missing) > 1 else 'has'} no value, so the result is not a "
            f"number. Add {' '.join(f'{name}=…' for name in missing)}, or omit --at."
        )


def names_of(formula: Expression) -> list[str]:
    """Return the declared names that the formula holds."""
    leaves = named_leaves([tensor_node(formula.value)])
    return [name for name in formula.names if name in leaves]


def formula_text(word: str) -> str:
    """Return a formula; for - what standard input holds.

    Raises:
        ParseError: if that is not text.
    """
    if word.strip() != "-":
        return word
    try:
        return sys.stdin.read(MOST_SIGNS + 1).strip()
    except UnicodeDecodeError:
        raise ParseError("standard input is not text. Expected a formula in UTF-8.") from None


def _shapes(texts: Sequence[str]) -> dict[str, str]:
    return _pairs(texts, "--shape", "X=n,d")


def _marks(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the assumptions about each name."""
    marks: dict[str, list[str]] = {}
    for text in texts:
        name, mark = _pair(text, "--assume", "A=symmetric")
        if mark not in MARKS:
            raise ParseError(f"--assume: {mark!r} is unknown. Expected one of {', '.join(MARKS)}.")
        marks.setdefault(name, []).append(mark)
    return marks


def _pairs(texts: Sequence[str], option: str, example: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for name, value in (_pair(text, option, example) for text in texts):
        if pairs.setdefault(name, value) != value:
            raise ParseError(f"{option} {name}: got {pairs[name]} and {value}. Expected one of them.")
    return pairs


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
        ParseError: if a size, or the product of the sizes, is too large.
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
        raise ParseError(f"--assume {name}: assumptions apply to names without a value. Omit --at {name}.")
    array = _array(value, name)
    if shaped and (len(sizes) != array.ndim or any(isinstance(n, int) and n != m for n, m in zip(sizes, array.shape))):
        raise ParseError(f"--at {name}: got shape {list(array.shape)}, declared as {list(sizes)}.")
    return tensor(array, requires_grad=True, name=name)


def _array(text: str, name: str) -> Any:
    try:
        array = np.asarray(ast.literal_eval(text), dtype=np.float64)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, OverflowError):
        raise ParseError(
            f"--at {name}: got {text[:40]!r}. Expected a number or lists of numbers, as in [1, 2]."
        ) from None
    if array.size > MOST_INTEGER:
        raise ParseError(f"--at {name}: got {array.size} numbers. Expected at most {MOST_INTEGER}.")
    return array
