"""Letters that stand for constants, and those that could: beside others, as in ``k*e**2/r``, e and i are names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from symgrad.expression.formula import Attribute, Binary, Call, Formula, Name, walk

CONSTANTS = {"pi": math.pi, "π": math.pi, "e": math.e, "E": math.e, "inf": math.inf, "EulerGamma": 0.5772156649015329}
IMAGINARY = ("i", "I")  # the unit, where nothing is called so
NO_NUMBERS = ("nan", "NaN", "NAN")
MEANINGS = {
    "e": "Euler's number", "E": "Euler's number", "i": "the imaginary unit", "I": "the imaginary unit",
}  # fmt: skip
EITHER = ("e", "i")  # constants or names, as the formula tells
_LETTER = re.compile(r"[^\W\d_]_?\d*")
_COMPLEX = {"conj", "conjugate", "real", "imag", "re", "im", "Re", "Im", "arg", "angle", "abs2", "complex", "polar"}


def letters_as_names(tree: Formula) -> set[str]:
    """Return which of e and i are names in a formula: those that stand beside other letters.

    In e^x the e is Euler's number whatever else there is, and in exp(i x) and re(i z) the i is the imaginary unit.

    >>> from symgrad.expression.grammar import read
    >>> texts = "k*e**2/r", "a*e**(k*x)", "i**2*R", "exp(i*x)", "2*e + i"
    >>> [sorted(letters_as_names(read(t).tree)) for t in texts]
    [['e'], [], ['i'], [], []]
    """
    calls = {id(node.func) for node in walk(tree) if isinstance(node, Call)}
    used = {n.id for n in walk(tree) if isinstance(n, Name) and id(n) not in calls}
    if not any(_LETTER.fullmatch(name) for name in used - {*CONSTANTS, *IMAGINARY}):
        return set()
    exponents = list(_exponents(tree))
    told = {"e"} if any(_names(node) for node, base in exponents if base == "e") else set()
    told |= {"i"} if any("i" in _names(node) for node, _ in exponents) or _is_complex(tree) else set()
    return {*EITHER} & used - told


_POWERS = ("**", "mpower")


def _exponents(tree: Formula) -> Iterator[tuple[Formula, str]]:
    """Yield what e is raised to, and what exp is called with."""
    for node in walk(tree):
        if isinstance(node, Binary) and _name(node.left) in ("e", "E") and node.op in _POWERS:
            yield node.right, _name(node.left)
        if isinstance(node, Call) and _called(node) == "exp":
            yield from ((a, "exp") for a in node.args)


def _is_complex(tree: Formula) -> bool:
    """Whether a function of complex numbers is called."""
    return any(isinstance(node, Call) and _called(node) in _COMPLEX for node in walk(tree))


def _called(node: Call) -> str:
    return node.func.attr if isinstance(node.func, Attribute) else _name(node.func)


def _name(node: Any) -> str:
    return node.id if isinstance(node, Name) else ""


def _names(tree: Formula) -> set[str]:
    return {n.id for n in walk(tree) if isinstance(n, Name)}
