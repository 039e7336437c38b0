"""From payload to callable: Python source by two printers, one for arrays, one for Python floats.

Kernels are built on first use and cached by payload; arguments are minted here, so
no name a user chose is ever part of generated source.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from itertools import repeat
from typing import Any

import numpy as np
import sympy as sp
from sympy.printing.numpy import NumPyPrinter
from sympy.printing.pycode import PythonCodePrinter

from symgrad.scalars import BY_FUNCTION, Scalar
from symgrad.scalars.numerics import power
from symgrad.scalars.quotients import folded as with_numbers
from symgrad.scalars.quotients import stepwise

Kernel = Callable[..., Any]
_FLOAT64 = np.dtype(np.float64)


def _public(module: Any) -> dict[str, Any]:
    return {name: vars(module)[name] for name in module.__all__ if name in vars(module)}


# What generated source calls. SymPy's "numpy" is ``from numpy import *``, which loads f2py and numpy.testing: that
# takes several times as long as a first short derivative.
NUMPY_NAMES = {"numpy": np, **_public(np), **_public(np.linalg)}
_MATH_NAMES = {"math": math, **{name: v for name, v in vars(math).items() if not name.startswith("_")}}
ARITHMETIC = (ValueError, OverflowError, ZeroDivisionError)  # what math raises where NumPy gives nan or inf
_RELATION = {
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}


class _Declared:
    """Print a declared function as a call of its kernel, by the declaration's name."""

    def _print(self: Any, expr: Any, **kwargs: Any) -> Any:
        """Declared functions come ahead of what SymPy's printers have methods for."""
        return self._print_Function(expr) if type(expr) in BY_FUNCTION else super()._print(expr, **kwargs)  # type: ignore[misc]

    def source(self: Any, e: Any) -> str:
        """Return an expression as source; SymPy's ``doprint`` first loads its syntax trees, which takes longer."""
        self._not_supported: set[Any] = set()
        self._number_symbols: set[Any] = set()
        text = str(self._print(e))
        if self._not_supported:
            raise TypeError(f"no kernel is declared for {sorted(map(str, self._not_supported))}")
        return text

    def _print_Function(self: Any, e: sp.Function) -> str:
        scalar = BY_FUNCTION.get(type(e))
        if scalar is None:
            raise TypeError(f"no kernel is declared for {type(e).__name__}; declare it in symgrad.scalars")
        return str(self._call(scalar.name, [self._print(a) for a in e.args], scalar.nargs))

    def _call(self, name: str, args: list[str], nargs: int) -> str:
        while len(args) > nargs:  # Max and Min take any number of arguments
            args = [f"k_{name}({', '.join(args[:nargs])})", *args[nargs:]]
        return f"k_{name}({', '.join(args)})"

    def emptyPrinter(self: Any, e: Any) -> str:
        return str(self._print_Function(e))


class _ArrayPrinter(_Declared, NumPyPrinter):
    """Payload as NumPy source."""

    def _print_Pow(self, e: sp.Pow, **kwargs: Any) -> str:
        if e.exp.is_number:
            return str(super()._print_Pow(e, **kwargs))
        return f"k_power({self._print(e.base)}, {self._print(e.exp)})"

    def _print_Piecewise(self, e: sp.Piecewise) -> str:
        *head, (last, _) = e.args
        text = str(self._print(last))
        for value, condition in reversed(head):
            text = f"where({self._print(condition)}, {self._print(value)}, {text})"
        return text

    def _print_Relational(self, e: Any) -> str:
        return f"{_RELATION[e.rel_op]}({self._print(e.lhs)}, {self._print(e.rhs)})"

    def _print_And(self, e: Any) -> str:
        return "(" + " & ".join(self._print(a) for a in sorted(e.args, key=sp.default_sort_key)) + ")"

    def _print_Or(self, e: Any) -> str:
        return "(" + " | ".join(self._print(a) for a in sorted(e.args, key=sp.default_sort_key)) + ")"


class _FloatPrinter(_Declared, PythonCodePrinter):
    """Payload as Python source on floats."""

    def _print_Pow(self, e: sp.Pow, **kwargs: Any) -> str:
        base, power = self._print(e.base), e.exp
        if power == sp.Rational(1, 2):
            return f"sqrt({base})"
        if power == -sp.Rational(1, 2):
            return f"(1/sqrt({base}))"
        if power == -1:
            return f"(1/({base}))"
        if power.is_Integer:
            return f"(({base})**{int(power)})"
        return f"power({base}, {self._print(power)})"  # ** would turn negative bases complex

    def _print_Piecewise(self, e: sp.Piecewise) -> str:
        *head, (last, _) = e.args
        text = self._branch(last)
        for value, condition in reversed(head):
            text = f"({self._branch(value)} if {self._print(condition)} else {text})"
        return text

    def _branch(self, e: sp.Expr) -> str:
        return f"{int(e)}.0" if e.is_Integer else self._print(e)


@lru_cache(maxsize=1)
def _printers() -> tuple[Any, Any]:
    settings = {"fully_qualified_modules": False, "inline": True, "allow_unknown_functions": True}
    return _ArrayPrinter(settings), _FloatPrinter(settings)


def _array_names(called: list[Scalar]) -> dict[str, Any]:
    return {f"k_{s.name}": s.numpy for s in called} | {"k_power": power}


def _float_names(called: list[Scalar]) -> dict[str, Any]:
    names = {f"k_{s.name}": s.float or _on_float(s.numpy) for s in called}
    return {**names, "sqrt": math.sqrt, "power": math.pow, "pi": math.pi}


def _on_float(kernel: Kernel) -> Kernel:
    return lambda *xs: float(kernel(*xs))


@lru_cache(maxsize=8192)
def array_kernel(body: Any, args: tuple[sp.Symbol, ...]) -> Kernel:
    """Return the payload (or tuple of payloads) as a function of arrays."""
    kernel = _build(body, args, _array_names, NUMPY_NAMES, _printers()[0])
    return _entry_by_entry(kernel, body, args) if _calls_python(body) else kernel


@lru_cache(maxsize=8192)
def float_kernel(body: Any, args: tuple[sp.Symbol, ...]) -> Kernel:
    """Return the payload as a function of Python floats; it may raise one of ``ARITHMETIC``."""
    return _build(body, args, _float_names, _MATH_NAMES, _printers()[1])


_SMALL = 8  # entries up to which a loop over floats beats kernels that are written in NumPy calls


def _calls_python(body: Any) -> bool:
    """Whether a payload calls a kernel of ours, several NumPy calls long, that has a version on floats."""
    called = _called(body)
    return any(not isinstance(s.numpy, np.ufunc) for s in called) and all(s.float is not None for s in called)


def _called(body: Any) -> list[Scalar]:
    """The declared functions of a payload or of several."""
    bodies = body if isinstance(body, (tuple, sp.Tuple)) else (body,)
    kinds = {type(e) for b in bodies for e in sp.preorder_traversal(b)}
    return [BY_FUNCTION[kind] for kind in kinds if kind in BY_FUNCTION]


def _entry_by_entry(kernel: Kernel, body: Any, args: tuple[sp.Symbol, ...]) -> Kernel:
    """Run short vectors of float64 entry by entry, all else through the array kernel."""
    entry = float_kernel(body, args)
    many = isinstance(body, (tuple, sp.Tuple))

    def run(*xs: Any) -> Any:
        columns, size = [], -1
        for x in xs:
            # an unpickled array has another dtype object, which is equal
            if type(x) is np.ndarray and x.ndim == 1 and x.size <= _SMALL and x.dtype == _FLOAT64:
                size = x.size if size < 0 else size
                if x.size != size:
                    return kernel(*xs)
                columns.append(x.tolist())
            elif type(x) is float:
                columns.append(repeat(x))
            else:
                return kernel(*xs)
        try:
            rows = list(map(entry, *columns)) if size > 0 else None
        except ARITHMETIC:
            rows = None
        if rows is None:
            return kernel(*xs)
        return tuple(np.array(c) for c in zip(*rows, strict=True)) if many else np.array(rows, _FLOAT64)

    return run


def _build(
    body: Any, args: tuple[sp.Symbol, ...], names: Callable[[list[Scalar]], dict[str, Any]], module: dict[str, Any],
    printer: Any,
) -> Kernel:  # fmt: skip
    minted = sp.symbols(f"v0:{len(args)}", real=True)
    rename = dict(zip(args, minted, strict=True))
    many = isinstance(body, (tuple, sp.Tuple))
    results = [stepwise(with_numbers(b)).xreplace(rename) for b in (body if many else (body,))]
    space = {**module, **names(_called(tuple(results)))}
    steps: Any = ()
    if len(results) > 1 or any(map(_is_long, results)):
        steps, results = sp.cse(results)
    texts = [printer.source(e) for e in results]
    lines = [f"{name} = {printer.source(e)}" for name, e in steps]
    lines.append(f"return ({''.join(f'{t}, ' for t in texts)})" if many else f"return {texts[0]}")
    text = "".join(f"\n    {line}" for line in lines)
    exec(compile(f"def kernel({', '.join(map(str, minted))}):{text}", "<kernel>", "exec"), space)
    kernel: Kernel = space["kernel"]
    return kernel


def _is_long(body: sp.Expr) -> bool:
    """Whether a payload has more than four operations; SymPy's own count imports its tensors, a tenth of a second."""
    return sum(max(len(e.args) - 1, 1) for e in sp.preorder_traversal(body) if e.args) > 4


_WIDER = {np.dtype(np.float16): np.dtype(np.float32), np.dtype(np.float32): np.dtype(np.float64)}


def folded(method: Callable[..., Any], x: Any, axis: Any, **options: Any) -> Any:
    """Reduce or accumulate an array by a ufunc's method: half precision in single and single in double, as PyTorch.

    One after the other, single precision loses a digit for every tenfold number of entries, and half stops at 2048.
    """
    wide = _WIDER.get(x.dtype)
    if wide is None:
        return method(x, axis=axis, **options)
    with np.errstate(over="ignore"):
        return method(x, axis=axis, dtype=wide, **options).astype(x.dtype)


def canonical(value: Any) -> Any:
    """Bring a NumPy result to the two kinds of value a tensor holds: a float (0-d float64) or an ndarray."""
    if type(value) is float:
        return value
    array = np.asarray(value)
    return float(array) if array.ndim == 0 and array.dtype == np.float64 else array
