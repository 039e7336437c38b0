"""Letters that stand for constants, and those that could: beside others, as in ``k*e**2/r``, e and i are names."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import Any

CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e, "E": math.e, "inf": math.inf, "EulerGamma": 0.5772156649015329}
IMAGINARY = ("i", "I")  # the unit, where nothing is called so
NO_NUMBERS = ("nan", "NaN", "NAN")
MEANINGS = {
    "e": "Euler's number", "E": "Euler's number", "i": "the imaginary unit", "I": "the imaginary unit",
}  # fmt: skip
EITHER = ("e", "i")  # constants or names, as the formula tells
_LETTER = re.compile(r"[^\W\d_]_?\d*")
_COMPLEX = {"conj", "conjugate", "real", "imag", "re", "im", "Re", "Im", "arg", "angle", "abs2", "complex", "polar"}


def letters_as_names(tree: ast.AST) -> set[str]:
    """Return which of e and i are names in a formula: those that stand beside other letters.

    In e^x the e is Euler's number whatever else there is, and in exp(i x) and re(i z) the i is the imaginary unit.

    >>> [sorted(letters_as_names(ast.parse(t))) for t in ("k*e**2/r", "a*e**(k*x)", "i**2*R", "exp(i*x)", "2*e + i")]
    [['e'], [], ['i'], [], []]
    """
    calls = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in calls}
    if not any(_LETTER.fullmatch(name) for name in used - {*CONSTANTS, *IMAGINARY}):
        return set()
    exponents = list(_exponents(tree))
    told = {"e"} if any(_names(node) for node, base in exponents if base == "e") else set()
    told |= {"i"} if any("i" in _names(node) for node, _ in exponents) or _is_complex(tree) else set()
    return {*EITHER} & used - told


_POWERS = ("Pow", "Raised")  # the latter is MATLAB's


def _exponents(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield what e is raised to, and what exp is called with."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp) and _name(node.left) in ("e", "E") and type(node.op).__name__ in _POWERS:
            yield node.right, _name(node.left)
        if isinstance(node, ast.Call) and _called(node) == "exp":
            yield from ((a, "exp") for a in node.args)


def _is_complex(tree: ast.AST) -> bool:
    """Whether a function of complex numbers is called."""
    return any(isinstance(node, ast.Call) and _called(node) in _COMPLEX for node in ast.walk(tree))


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)


def _name(node: Any) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _names(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
