"""NumPy source of array expressions, for SymPy's ``lambdify``: what the nodes' ``_numpycode`` methods write.

1-D arrays stay 1-D: xᵀ*A*x is ``x @ (A @ x)``, x*yᵀ is ``outer(x, y)``. Every text is an atom: bracketed, or a call.
Where ``sympy.cse`` has put a symbol in an array's place, its number of axes is not known, and the code asks the array.
"""

from __future__ import annotations

import keyword
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.errors import FormError
from symgrad.scalars import SCALARS
from symgrad.scalars.declare import Scalar
from symgrad.support.frozen import is_frozen, items

ROW, COLUMN, MATRIX, UNKNOWN = "row", "column", "matrix", "unknown"
Factor = tuple[str, str]  # source and kind


def call(printer: Any, name: str, *args: str) -> str:
    """Write the call of a function by its full name, which the printer imports."""
    return f"{printer._module_format(name)}({', '.join(map(bare, args))})"


def bare(text: str) -> str:
    """Take the brackets off that are around all of a string."""
    depth = 0
    for c in text[:-1]:
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return text
    return text[1:-1] if text.startswith("(") else text


def identifier(name: str) -> str:
    """Return a name that can stand in source; ``lambdify`` puts a symbol in place of any other argument."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise FormError(f"NumPy source: {name!r} is not an identifier. Pass it to lambdify as an argument.")
    return name


def __getattr__(name: str) -> Any:
    """Kernels by the names of their functions, for generated code to import."""
    if name in SCALARS:
        return SCALARS[name].numpy
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def declared(printer: Any, scalar: Scalar, args: Sequence[str]) -> str:
    """Write a declared function as the call of its kernel."""
    own = getattr(scalar.numpy, "__name__", "")
    name = f"numpy.{own}" if getattr(np, own, None) is scalar.numpy else f"{__name__}.{scalar.name}"
    result = list(args)
    while len(result) > scalar.nargs:  # maximum and minimum take any number of arguments
        result[: scalar.nargs] = [call(printer, name, *result[: scalar.nargs])]
    return call(printer, name, *result)


def operation(printer: Any, op: Any, args: Sequence[str]) -> str:
    """Write an operation as itself, called on arrays; by the printer's name for it, where that has one."""
    name = getattr(printer, "operations", {}).get(op)
    if name is not None:
        return f"{name}({', '.join(map(bare, args))})"
    _imported(printer, op)
    return f"{op!r}({', '.join(map(bare, args))})"


def _imported(printer: Any, value: Any) -> None:
    """Have the printer import the classes that a value's representation names."""
    kind = type(value)
    if kind.__module__.startswith("symgrad."):
        printer._module_format(f"{kind.__module__}.{kind.__qualname__}")
    inside = [v for _, v in items(value)] if is_frozen(value) else value
    for v in inside if isinstance(inside, (tuple, list)) else ():
        _imported(printer, v)


def product(printer: Any, factors: Sequence[Factor], rank: int) -> str:
    """Write the matrix product of rows, columns and matrices."""
    if any(kind == UNKNOWN for _, kind in factors):
        upright = [text if kind == MATRIX else _upright(printer, text, kind) for text, kind in factors]
        return f"({' @ '.join(upright)}){('[0, 0]', '[:, 0]', '')[rank]}"
    numbers: list[str] = []
    sides: list[str] = []
    for part in _parts(factors):
        closed = part[0][1] == ROW and part[-1][1] == COLUMN
        (numbers if closed else sides).append(_chained([text for text, _ in part], part[-1][1] == COLUMN))
    if len(sides) == 2:
        sides = [call(printer, "numpy.outer", *sides)]
    texts = [*numbers, *sides]
    return texts[0] if len(texts) == 1 else f"({'*'.join(texts)})"


def _upright(printer: Any, text: str, kind: str) -> str:
    """Return an array as a matrix: a row, a column, or what it is."""
    if kind == ROW:
        return call(printer, "numpy.atleast_2d", text)
    return f"{call(printer, 'numpy.atleast_2d', f'{text}.T')}.T"


def _parts(factors: Sequence[Factor]) -> list[list[Factor]]:
    """Cut a product before each row and after each column."""
    parts: list[list[Factor]] = [[]]
    for f in factors:
        if parts[-1] and (f[1] == ROW or parts[-1][-1][1] == COLUMN):
            parts.append([])
        parts[-1].append(f)
    return parts


def _chained(texts: Sequence[str], from_right: bool) -> str:
    """Write a product so that vectors are multiplied first."""
    if len(texts) == 1:
        return texts[0]
    if not from_right:
        return f"({' @ '.join(texts)})"
    result = texts[-1]
    for text in reversed(texts[:-1]):
        result = f"({text} @ {result})"
    return result
