"""Kernels that are formulas, written once: a function of ``m`` and numbers, with ordinary operators.

``m`` has the declared functions by name, ``sqrt``, ``pow`` and ``where``. With ``ARRAYS`` or ``FLOATS`` it computes; a
compiler runs it on references and so records the steps, for every backend and every export. SymPy would reorder sums.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from symgrad.scalars.declare import SCALARS, Scalar, declare
from symgrad.scalars.gamma import select
from symgrad.scalars.numerics import elementwise, power


def _declared(name: str) -> Scalar:
    if name not in SCALARS:  # inspect and doctest ask for names of their own
        raise AttributeError(name)
    return SCALARS[name]


class _Arrays:
    """Functions of float64 arrays."""

    sqrt = staticmethod(np.sqrt)
    pow = staticmethod(power)
    where = staticmethod(np.where)

    select = staticmethod(select)

    @staticmethod
    def replaced(condition: Any, f: Callable[[Any], Any], x: Any, other: Any) -> Any:
        """f(x) where the condition holds, evaluated there only, else the other number."""
        at = np.flatnonzero(condition)
        other[at] = f(x[at])
        return other

    def __getattr__(self, name: str) -> Callable[..., Any]:  # once a name: what is found is kept
        kernel = _declared(name).numpy
        result: Callable[..., Any] = getattr(kernel, "__wrapped__", kernel)
        self.__dict__[name] = result
        return result


class _Floats:
    """Functions of Python floats; they may raise what ``math`` raises."""

    sqrt = staticmethod(math.sqrt)
    pow = staticmethod(math.pow)

    @staticmethod
    def where(condition: Any, yes: float, no: float) -> float:
        return yes if condition else no

    @staticmethod
    def select(condition: Any, yes: Callable[..., float], no: Callable[..., float], *xs: float) -> float:
        """The one that counts, alone."""
        return yes(*xs) if condition else no(*xs)

    @staticmethod
    def replaced(condition: Any, f: Callable[[float], float], x: float, other: float) -> float:
        return f(x) if condition else other

    def __getattr__(self, name: str) -> Callable[..., Any]:
        scalar = _declared(name)
        result = self.__dict__[name] = scalar.float or (lambda *xs: float(scalar.numpy(*xs)))
        return result


ARRAYS, FLOATS = _Arrays(), _Floats()


def part(name: str, meaning: Any, derivative: Any, formula: Callable[..., Any], orders: int = 0, **options: Any) -> Any:
    """Declare a function that others, or derivatives, are made of; formulas show its meaning.

    Args:
        name: PyTorch's name, or one of symgrad's.
        meaning: as in ``declare``.
        derivative: as in ``declare``.
        formula: the kernel, ``(m, *xs)``.
        orders: how many of its first arguments are integers, such as the order of a derivative.
        options: as in ``declare``.
    """
    kernels = _of_order(formula, orders) if orders else _once(formula)
    return declare(name, meaning, derivative, **{**kernels, "hidden": True, **options})


def _once(formula: Callable[..., Any]) -> dict[str, Any]:
    """Return the kernels that a formula ``(m, *xs)`` stands for."""
    return {"numpy": _lifted(formula), "float": partial(formula, FLOATS), "computed": formula}


def _of_order(formula: Callable[..., Any], count: int) -> dict[str, Any]:
    """Return the kernels of a formula ``(m, n, …, x, …)`` whose first numbers are whole ones, such as an order."""

    @lru_cache(maxsize=64)
    def lifted(*orders: int) -> Callable[..., Any]:
        name = " ".join(map(str, (formula.__name__, *orders)))
        return _lifted(lambda m, *xs: formula(m, *orders, *xs), name)

    def on_array(*given: Any) -> Any:
        return lifted(*map(int, given[:count]))(*given[count:])

    def on_float(*given: Any) -> float:
        return float(formula(FLOATS, *map(int, given[:count]), *given[count:]))

    return {"numpy": on_array, "float": on_float, "computed": formula, "ordered": count}


def _lifted(formula: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    def kernel(*xs: Any) -> Any:
        return formula(ARRAYS, *xs)

    kernel.__name__ = name or formula.__name__
    return elementwise(kernel)


# ------------------------------------------------------------------ what several formulas use
def polynomial(x: Any, coefficients: Any) -> Any:
    """Σₖ cₖ xᵏ."""
    total = coefficients[-1]
    for c in coefficients[-2::-1]:
        total = total * x + c
    return total


def exact_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b rounded, and what it loses (Knuth 1969, §4.2.2)."""
    s = a + b
    v = s - a
    return s, (a - (s - v)) + (b - v)


def exact_product(a: Any, b: Any) -> tuple[Any, Any]:
    """a b rounded, and what it loses (Dekker 1971): nan where a or b times 2²⁷ overflows."""
    p = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def _halves(x: Any) -> tuple[Any, Any]:
    c = x * 134217729.0
    high = c - (c - x)
    return high, x - high


def beside_root(m: Any, x: Any, root: tuple[float, float], half: float, ratio: Any, away: Any) -> Any:
    """A function with a simple zero, given in two parts: t times a polynomial within ``half`` of it, else ``away``."""
    t = (x - root[0]) - root[1]
    return m.replaced(m.abs(t) < half, lambda v: v * polynomial(v, ratio), t, away)
