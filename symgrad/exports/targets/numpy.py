"""The target ``numpy``: a module that imports NumPy alone, and SciPy where it calls SciPy's special functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.compiler.backends.choose import build_with
from symgrad.core.promotion import is_complex, is_differentiable
from symgrad.errors import SymgradError
from symgrad.exports.arrays.dialect import Dialect
from symgrad.exports.embed import computes
from symgrad.exports.request import Request
from symgrad.exports.targets.modules import body, docstring, module
from symgrad.exports.targets.target import Source, Target, paths
from symgrad.scalars import SCALARS
from symgrad.scalars.library.kernels import polynomials
from symgrad.support.definitions import read

SMALL = 24  # entries of examples that stand in a docstring
DIGITS = 12
POLYNOMIALS = polynomials.__name__


def write(r: Request) -> Source:
    """Return a module with one function of arrays."""
    dialect = NumPy([*r.params, r.name, *r.sizes.values()])
    dtypes = [r.program.values[k].dtype for k in r.program.inputs]
    lines = body(r, dialect, [f"np.asarray({p}, dtype={dialect.dtype(d)})" for p, d in zip(r.params, dtypes)])
    text = docstring(r, f"Computes {r.name} on NumPy arrays.", example(r))
    head = ['"""A function and its derivatives for NumPy, written by symgrad."""']
    return Source(module(head, dialect, ['@np.errstate(all="ignore")'], r.name, r.params, [*text, *lines]))


class NumPy(Dialect):
    """The target NumPy and its spelling of every operation."""

    imports = ("import numpy as np",)
    zeros = False

    def kernel(self, op: Any, name: str, fields: Sequence[str]) -> str:
        """Return the operation's own kernel, where that is a function of arrays."""
        if name not in read(self.library).defined and computes(type(op), "forward", fields):
            return self.embedded.method(type(op), "forward", name, fields)
        return self.helper(name)

    def has(self, name: str) -> bool:
        """Whether there is a scalar function: as in every dialect, or as SciPy's."""
        return _scipys(name) is not None or super().has(name)

    def element(self, name: str, args: Sequence[str], numbers: Sequence[float | None], dtype: Any) -> str:
        """Return the text of a scalar function; SciPy's, which keeps no half precision, in its dtype."""
        call = _scipys(name)
        if call is None:
            return super().element(name, args, numbers, dtype)
        self.embedded.imports["import scipy.special"] = None
        if call.startswith(POLYNOMIALS):
            call = call.replace(POLYNOMIALS, self.embedded.add(polynomials.__module__, POLYNOMIALS), 1)
        text = call.format(", ".join(args))
        return text if np.dtype(dtype) == np.float64 else self.cast(text, dtype)

    def result(self, text: str, dtype: Any, view: bool, number: float | None) -> str:
        """Return a result: an array of its own, of its dtype."""
        if number is not None or view:
            return f"np.array({text}, dtype={self.dtype(dtype)})"
        return text


def _scipys(name: str) -> str | None:
    """How a function of SciPy's is called, where SciPy has it."""
    text: str | None = getattr(SCALARS[name].numpy, "written", None) if name in SCALARS else None
    return text


def example(r: Request) -> list[str]:
    """Return a doctest: the function of the example arguments, and its results."""
    if r.sizes or r.examples is None or sum(map(np.size, r.examples)) > SMALL:
        return []
    values = expected(r)
    if values is None:
        return []
    args = ", ".join(_literal(x) for x in r.examples)
    lines = [f">>> y = {r.name}({args})"]
    for place, y in zip(paths(r.results), values, strict=True):
        if np.size(y) and np.size(y) <= SMALL:
            lines += [f">>> bool(np.allclose(y{place}, {_literal(y)}))", "True"]
    return ["", *lines]


def expected(r: Request) -> list[Any] | None:
    """Return what the program computes of the examples, None where there is nothing to show."""
    try:
        kernel = build_with("numpy", r.program, r.results, r.results)
        result = list(kernel.run([np.array(x, copy=True) if np.ndim(x) else x for x in r.examples or ()]))
    except (SymgradError, ValueError, TypeError):
        return None
    return result if all(np.all(np.isfinite(y)) for y in result) else None


def _literal(x: Any) -> str:
    """Return a number, or an array as nested lists."""
    array = np.asarray(x)
    kind = complex if is_complex(array.dtype) else float
    rounded = np.array([kind(f"{v:.{DIGITS}g}") for v in array.ravel()]).reshape(array.shape)
    values = (rounded if is_differentiable(array.dtype) else array).tolist()
    return repr(values) if array.ndim == 0 else f"np.array({values!r})"


TARGET = Target(write, ".py", complexes=True)
