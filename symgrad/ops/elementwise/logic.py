"""Booleans, bits and integers: and, or, xor, not, shifts, gcd, lcm, the tests for nan and ∞. None has a derivative.

On booleans these are elementwise operations with a formula; on integers they work on the bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import tensor_node
from symgrad.core.promotion import Kind, is_bool, is_floating, is_integer, truths
from symgrad.errors import DTypeError
from symgrad.ops.map import Entrywise, Map
from symgrad.ops.protocol import refused
from symgrad.scalars import X
from symgrad.support.frozen import frozen


def _true(k: int) -> Any:
    return sp.Ne(X[k], 0)


def _xor() -> Any:
    p, q = _true(0), _true(1)
    return sp.Or(sp.And(p, sp.Not(q)), sp.And(sp.Not(p), q))


LOGICAL: dict[str, Map] = {
    "and": Map(lambda: sp.And(_true(0), _true(1)), 2, "LogicalAnd"),
    "or": Map(lambda: sp.Or(_true(0), _true(1)), 2, "LogicalOr"),
    "xor": Map(_xor, 2, "LogicalXor"),
    "not": Map(lambda: sp.Not(_true(0)), 1, "LogicalNot"),
}


_NUMPYS = {"bitwise_not": "invert", "bitwise_left_shift": "left_shift", "bitwise_right_shift": "right_shift"}
INTEGERS = ("bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm")


@frozen
class Bits(Entrywise):
    """A NumPy function of integers, by PyTorch's name: bitwise_and, bitwise_not, bitwise_left_shift, gcd, …"""

    kind: str
    saves = ""
    flat = True

    @property
    def label(self) -> str:
        """BitwiseAnd and the like."""
        return "".join(part.capitalize() for part in self.kind.split("_"))

    def forward(self, *xs: Any) -> Any:
        if self.kind in INTEGERS:
            self.dtype(*[np.asarray(x).dtype for x in xs])
        return np.asarray(getattr(np, _NUMPYS.get(self.kind, self.kind))(*xs))

    def on_symbols(self, *xs: Any) -> Any:
        return np.frompyfunc(lambda *vs: sp.Integer(int(self.forward(*map(int, vs)))), len(xs), 1)(*xs)

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        result = super().dtype(*kinds)
        if self.kind in INTEGERS and not is_integer(result):
            raise DTypeError(f"{self.label}: got {result}. Expected integers; convert by x.to(sg.int64).")
        if is_floating(result):
            raise refused(self, TypeError(f"floating-point numbers, {result}, have no bits to join"))
        return result


@frozen
class Test(Bits):
    """isnan, isinf or isfinite. In a formula, where letters are real numbers, the answer is known."""

    __test__ = False  # not one of pytest's
    gives = truths
    decides = True
    analytic = True

    @property
    def label(self) -> str:
        """Isnan and the like."""
        return self.kind.capitalize()

    def on_symbols(self, *xs: Any) -> Any:
        return np.full(np.shape(xs[0]), self._known(), dtype=object)

    def index(self, idx: Sequence[sp.Expr], *ps: Any) -> sp.Expr:
        return self._known()

    def _known(self) -> Any:
        return sp.true if self.kind == "isfinite" else sp.false


def bitwise(name: str, *xs: Any) -> Any:
    """Apply and, or, xor, not or a shift: to booleans as such, to integers bit by bit.

    Raises:
        DTypeError: if an argument holds floating-point numbers.
    """
    return (LOGICAL[name] if name in LOGICAL and all(map(_is_truth, xs)) else Bits(f"bitwise_{name}"))(*xs)


def _is_truth(x: Any) -> bool:
    """Whether x is known to hold booleans; of a symbol with a name it is assumed, unless it stands for integers."""
    if isinstance(x, bool):
        return True
    if getattr(x, "_value", x) is None and x.name is not None:
        return tensor_node(x).dtype is None or not is_integer(tensor_node(x).dtype)
    dtype = getattr(x, "dtype", None)
    return dtype is not None and is_bool(dtype)


# By PyTorch's names.
LOGIC: dict[str, Callable[..., Any]] = (
    {f"logical_{name}": op for name, op in LOGICAL.items()}
    | {f"bitwise_{name}": partial(bitwise, name) for name in LOGICAL}
    | {kind: Test(kind) for kind in ("isnan", "isinf", "isfinite")}
)
LOGIC |= {kind: Bits(kind) for kind in INTEGERS}
