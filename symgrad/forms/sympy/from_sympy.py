"""``sg.from_sympy``: a SymPy expression as a function of tensors, to be differentiated like any other.

Numbers become elementwise operations, matrix expressions become contractions. Axes whose size is written as 1 are
dropped, so that a column n×1 is a vector. The expression is read once, into steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad import functions
from symgrad.core.modes import get_default_dtype
from symgrad.core.promotion import is_floating
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, FormError, ShapeError
from symgrad.forms.sympy.nodes import Env, exact_sizes, kept, value_of
from symgrad.forms.sympy.reader import Reader
from symgrad.ops.map import exact, show_shape
from symgrad.support.arguments import checked


@checked
def from_sympy(expr: Any, args: Any) -> Callable[..., Any]:
    """Return a SymPy expression as a function of tensors.

    Symbols are real numbers. A column n×1 and a row 1×n are vectors of shape (n,): the result drops axes whose size is
    written as 1, and arguments may drop them. Symbolic sizes are taken from the arguments.

    Args:
        expr: an expression, a MatrixExpr, or a matrix, array or nested list of expressions; never a string.
        args: a Symbol or MatrixSymbol, or a sequence of them: the arguments of the function, in this order. A Symbol
            stands for a number or, if expr consists of Symbols only, for an array; such arrays broadcast.

    Returns:
        A function of tensors, arrays or numbers that returns a tensor, with a graph if an argument has one.

    Raises:
        ArgumentTypeError: if expr or args contain something other than SymPy objects and numbers.
        ArgumentError: if a symbol of expr is not among args, or args contains one twice.
        FormError: if expr has a function or a node that symgrad does not know.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> f = sg.from_sympy(sympy.exp(2 * x), [x])
    >>> f(0.0), sg.grad(f)(0.0)
    (tensor(1.), 2.0)
    """
    return SympyFunction(_plain(expr), _arguments(args))


class SympyFunction:
    """The function that ``from_sympy`` returns."""

    def __init__(self, expr: Any, args: Sequence[Any]) -> None:
        self.expr, self.args = expr, tuple(args)
        self._sizes = {n for a in args if isinstance(a, sp.MatrixSymbol) for d in a.shape for n in d.free_symbols}
        self._check_names()
        self._reader = Reader(set(args) | self._sizes)
        try:
            self._result = _nested(expr, self._reader.read)
        except RecursionError as error:
            raise FormError("from_sympy: the expression is nested too deeply. Split it in two functions.") from error
        self._entrywise = not isinstance(expr, list) and not expr.is_Matrix and all(a.is_Symbol for a in args)

    def __reduce__(self) -> Any:
        return SympyFunction, (self.expr, self.args)

    def __repr__(self) -> str:
        return f"<function of ({', '.join(map(str, self.args))}) from {self.expr}>"

    def __call__(self, *values: Any) -> Any:
        """Compute the expression at these values of its arguments."""
        if len(values) != len(self.args):
            raise ArgumentTypeError(
                f"from_sympy: got {len(values)} arguments, expected {len(self.args)}: {self._signature()}."
            )
        env: Env = {}
        for a, value in zip(self.args, values, strict=True):
            env[a] = self._bound(a, _real(value), env)
        with np.errstate(all="ignore"):  # in branches that are not taken
            for key, step in self._reader.steps:
                env[key] = step(env)
            return _gathered(self._result, env)

    def _signature(self) -> str:
        return ", ".join(f"{a} {show_shape(kept(a))}" if a.is_Matrix else str(a) for a in self.args)

    def _bound(self, a: Any, t: Any, env: Env) -> Any:
        """Return the tensor if it fits its letter, and bind the sizes that it tells."""
        if not a.is_Matrix:
            if t.shape and not self._entrywise:
                raise ShapeError(f"from_sympy: {a} must be a number. Got shape {show_shape(t.shape)}. {_EACH}")
            return t
        sizes = _ways(a).get(len(t.shape))
        fits = sizes is not None
        for n, size in zip(sizes or (), t.shape, strict=False):
            expected = env.setdefault(n, size) if n.is_Symbol else n.xreplace(exact_sizes(n, env))
            fits = fits and (expected == size or bool(getattr(expected, "free_symbols", ())))
        if not fits:
            known = ", ".join(f"{n} = {env[n]}" for n in a.shape if n in env)
            raise ShapeError(
                f"from_sympy: {_described(a)} got shape {show_shape(t.shape)}. Expected {show_shape(kept(a))}"
                f"{f', where {known}' if known else ''}."
            )
        return t if sizes == kept(a) else functions.reshape(t, t.shape[: len(kept(a))] if a.shape[1] == 1 else -1)

    def _check_names(self) -> None:
        twice = [a for k, a in enumerate(self.args) if a in self.args[:k]]
        if twice:
            raise ArgumentError(f"from_sympy: {twice[0]} is twice among the arguments. Name each symbol once.")
        sizes = sorted(str(a) for a in self._sizes & set(self.args))
        if sizes:
            raise ArgumentError(f"from_sympy: {sizes} are sizes, read off the arrays. Leave them out of args.")
        free = set().union(*[e.free_symbols for e in _flat(self.expr)])
        unbound = sorted(_described(s) for s in free - set(self.args) - self._sizes)
        if unbound:
            raise ArgumentError(
                f"from_sympy: the expression has {', '.join(unbound)}, the arguments are "
                f"{[_described(a) for a in self.args]}. Add the missing arguments, or substitute numbers for them."
            )


_EACH = "Map over arrays with sg.vmap, or use a MatrixSymbol."


# ------------------------------------------------------------------ what users pass
def _arguments(args: Any) -> list[Any]:
    symbols = list(args) if isinstance(args, (list, tuple, sp.Tuple)) else [args]
    for a in symbols:
        if not isinstance(a, (sp.Symbol, sp.MatrixSymbol)):
            raise ArgumentTypeError(
                f"from_sympy: args has {a!r} of type {type(a).__name__}. Expected SymPy's Symbol or MatrixSymbol."
            )
    return symbols


def _plain(expr: Any) -> Any:
    """Return an expression, or nested lists of them."""
    if isinstance(expr, (list, tuple, sp.Tuple)):
        return [_plain(e) for e in expr]
    if isinstance(expr, (sp.NDimArray, np.ndarray)):
        return _plain(expr.tolist()) if len(expr.shape) else _plain(expr[()])
    if isinstance(expr, sp.MatrixBase):
        return expr.as_immutable()
    if isinstance(expr, (int, float, np.number)):
        return exact(expr)
    if isinstance(expr, sp.Basic):
        return expr
    raise ArgumentTypeError(
        f"from_sympy: got {expr!r} of type {type(expr).__name__}. Expected a SymPy expression; text is never parsed: "
        "build it from sympy.Symbol."
    )


def _flat(e: Any) -> list[Any]:
    return [x for part in e for x in _flat(part)] if isinstance(e, list) else [e]


def _nested(e: Any, read: Callable[[Any], Any]) -> Any:
    return [_nested(part, read) for part in e] if isinstance(e, list) else read(e)


def _described(s: Any) -> str:
    return f"{s} ({' × '.join(map(str, s.shape))})" if s.is_Matrix else str(s)


def _real(value: Any) -> Any:
    """Return the argument as a tensor of real numbers: integers would not be divided exactly."""
    t = as_tensor(value)
    return t if is_floating(t.dtype) else t.to(get_default_dtype())


def _ways(a: Any) -> dict[int, tuple[Any, ...]]:
    """Return the shapes that a matrix's array may have, by their number of axes: of a column [n] and [n, 1]."""
    full = tuple(a.shape)
    return {2: full, len(kept(a)): kept(a)} | ({1: full[:1]} if full[1] == 1 else {})


def _gathered(result: Any, env: Env) -> Any:
    if isinstance(result, list):
        parts = [_gathered(r, env) for r in result]
        return functions.stack(parts) if parts else as_tensor([])
    return value_of(env, result)
