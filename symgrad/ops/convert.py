"""Conversion between dtypes, and cutting off what came before.

Cast is linear: the cotangent is converted back by the leaf that receives it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.modes import get_default_dtype, recording
from symgrad.core.node import CONSTANT, Leaf, Node, is_node, tensor_node
from symgrad.core.promotion import HALF, Kind, is_differentiable, is_discrete, loses_imaginary
from symgrad.errors import DTypeError
from symgrad.ops.map import Entrywise
from symgrad.ops.protocol import Op, rename
from symgrad.support.frozen import frozen

_DISCARDS = "Casting complex values to real discards the imaginary part. Write z.real where that is meant."
_SINGLE = np.dtype(np.float32)  # x may be wider than half precision, in which 1/n of many entries is 0


@frozen
class Cast(Entrywise):
    """The same numbers in another dtype; where it ``refuses`` a gradient that integers lose."""

    to: np.dtype[Any]
    refuses: bool = False
    name = "ToCopy"
    linear = True
    saves = ""
    explained = "a copy in another dtype: the adjoint goes through"
    fuses = True

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return self.to

    def operands(self, *kinds: Kind) -> tuple[None, ...]:
        """As it is: converting is what the operation does."""
        return (None,)

    def __call__(self, *args: Any) -> Any:
        """Apply it, with a word where imaginary parts are lost."""
        own = getattr(args[0], "dtype", None)
        if own is not None and loses_imaginary(own, self.to):
            warnings.warn(_DISCARDS, np.exceptions.ComplexWarning, stacklevel=3)
        return super().__call__(*args)

    def forward(self, x: Any) -> Any:
        array = np.asarray(x)
        return (array.real if loses_imaginary(array.dtype, self.to) else array).astype(self.to)

    def origins(self, x: Any) -> Any:
        """Return the input: every entry stays in place."""
        return x

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        """Hand the cotangent on, of half precision in single; integers and booleans do not move with x."""
        if not is_differentiable(self.to):
            return self._cut()
        return Cast(_SINGLE)(g) if self.to == HALF else g

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """Convert the tangent; integers and booleans have none."""
        return self(ts[0]) if is_differentiable(self.to) else self._cut()

    def _cut(self) -> None:
        if self.refuses:
            raise _loss(self.to)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        entry: sp.Expr = ps[0](idx)
        return entry

    def on_symbols(self, x: Any) -> Any:
        """Symbols have no dtype."""
        return x


def lengthened(x: Any) -> Any:
    """Return x, short integers and booleans as int64, in which PyTorch adds up and multiplies."""
    own = getattr(x, "dtype", None)
    short = own is not None and is_discrete(own) and own.itemsize < 8
    return Cast(np.dtype(np.int64))(x) if short else x


def as_floats(x: Any) -> Any:
    """Return x, integers and booleans in the default dtype."""
    own = getattr(x, "dtype", None)
    return Cast(get_default_dtype())(x) if own is not None and is_discrete(own) else x


def into(v: Any, x: Any) -> Any:
    """Return v as it is written into x; integers cut it; refuse a gradient, which they do not carry, and
    complex numbers for real ones.
    """
    own, to = getattr(v, "dtype", None), np.dtype(getattr(x, "dtype", np.float64))
    if own is not None and loses_imaginary(own, to):
        raise DTypeError(f"got {own} to write into {to}, which has no imaginary parts. Write z.real, or convert x.")
    if own is None or not is_discrete(to):
        return v
    if getattr(v, "requires_grad", False) and recording():
        raise _loss(to)
    return Cast(to, refuses=_moves(tensor_node(v)))(v) if is_differentiable(own) else v


def _moves(node: Any) -> bool:
    """Whether a value moves with some symbol or variable, by a way that neither ``detach`` nor integers interrupt."""
    todo, seen = [node], set()
    while todo:
        node = todo.pop()
        if not is_node(node) or node in seen:
            continue
        seen.add(node)
        if isinstance(node, Leaf):
            if node.level != CONSTANT:
                return True
        elif not (node.op is DETACH or (isinstance(node.op, Cast) and is_discrete(node.op.to))):
            todo += node.inputs
    return False


def _loss(to: np.dtype[Any]) -> DTypeError:
    return DTypeError(
        f"a tensor of {to} got a value that needs a gradient, and would lose it. Make the tensor floating "
        "first, as in a = a.to(sg.float64), or write x.detach()."
    )


def counted(op: Op, x: Any, dtype: Any = None) -> Any:
    """Apply what adds up or multiplies: in the dtype requested; else integers and booleans in int64, as PyTorch."""
    if dtype is None:
        return op(lengthened(x))
    to = np.dtype(dtype)
    y = op(Cast(to)(x))
    return y if not is_discrete(to) else Cast(to)(y)  # NumPy takes long ones for short ones


@frozen
class Detach(Entrywise):
    """Returns its input and has no derivative: how ``detach`` and ``no_grad`` are traced without values."""

    saves = ""
    flat = True
    analytic = True
    shares = True
    not_exportable = "programs leave it out"

    def forward(self, x: Any) -> Any:
        """Return x; arrays of tensors are never written to."""
        return x

    def put(self, x: Any, v: Any) -> Any:
        return v

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        entry: sp.Expr = ps[0](idx)
        return entry

    def __reduce__(self) -> str:
        """There is one."""
        return "DETACH"


DETACH = Detach()


def in_single(f: Callable[..., Any], *xs: Any) -> Any:
    """Return f(*xs), of half precision computed in single and rounded once, as PyTorch does.

    Half precision holds no square of 256, no sum of many entries and no number of them beyond 65504.
    """
    if {x.dtype for x in xs if hasattr(x, "dtype")} != {HALF}:
        return f(*xs)
    y = f(*[Cast(_SINGLE)(x) if hasattr(x, "dtype") else x for x in xs])
    rounded, made = Cast(HALF)(y), getattr(y, "_node", None)
    return rename(rounded, made.rule.name) if isinstance(made, Node) else rounded
