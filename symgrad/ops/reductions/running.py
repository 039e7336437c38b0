"""The running log-sum-exp, whose derivative is a recurrence that never overflows."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.kernels import folded
from symgrad.core.promotion import floating, is_complex
from symgrad.ops.elementwise.complexes import holds_complex, logaddexp
from symgrad.ops.elementwise.declared import exp
from symgrad.ops.elementwise.guards import SHARE, WEIGH
from symgrad.ops.map import MUL, SUB
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reductions.scan import AlongAxis, Recurrence, Shift, _given, _put
from symgrad.ops.shape import Reshape, axis_of
from symgrad.support.frozen import frozen


@frozen
class LogCumSumExp(AlongAxis):
    """y_i = log Σ_{k≤i} exp x_k along the axis."""

    axis: int
    words = ()
    gives = floating
    running = True
    analytic = True
    explained = "running log-sum-exp: each adjoint is shared out by the softmax up to there"
    routine = "rows"

    def forward(self, x: Any) -> Any:
        """Add up in logarithms."""
        if is_complex(x.dtype):
            steps = itertools.accumulate(np.moveaxis(x, self.axis, 0), logaddexp)
            return np.stack(list(steps), self.axis) if np.shape(x)[self.axis] else np.array(x)
        return folded(np.logaddexp.accumulate, x, self.axis)

    def on_symbols(self, x: Any) -> Any:
        return np.frompyfunc(sp.log, 1, 1)(np.add.accumulate(np.frompyfunc(sp.exp, 1, 1)(x), axis=self.axis))

    def vjp(self, i: int, g: Any, y: Any, x: Any) -> Any:
        # x̄_k = exp(x_k - y_k) w_k with w_k = ȳ_k + exp(y_k - y_{k+1}) w_{k+1}: no exponent is above 0
        share, decay = self._factors(y, x)
        return WEIGH(Recurrence(self.axis, reverse=True)(decay, g), share)

    def jvp(self, ts: Sequence[Any], y: Any, x: Any) -> Any:
        # ẏ_k = exp(x_k - y_k) ẋ_k + exp(y_{k-1} - y_k) ẏ_{k-1}
        share, decay = self._factors(y, x)
        return Recurrence(self.axis)(decay, MUL(share, ts[0]))

    def _factors(self, y: Any, x: Any) -> tuple[Any, Any]:
        before = Shift(self.axis)(y)
        if holds_complex(x):
            return exp(SUB(x, y)), exp(SUB(before, y))
        return SHARE(x, y), SHARE(before, y)

    def index(self, idx: Sequence[sp.Expr], p: Any) -> sp.Expr:
        """log Σ exp x_k from the start to i."""
        k = p.fresh()
        return sp.log(p.sum(sp.exp(p(_put(idx, self.axis, k))), [(k, 0, idx[self.axis])]))


def logcumsumexp(x: Any, dim: int | None = None, *, axis: int | None = None) -> Any:
    """Return log Σ_{k≤i} exp x_k along one axis, without overflow.

    Derivative: exp(x_k - y_i) for k ≤ i.

    Args:
        x: tensor of any shape.
        dim, axis: the axis.

    Returns:
        A tensor shaped like x.

    Raises:
        IndexRangeError: if the axis is out of range.

    >>> sg.logcumsumexp(sg.tensor([1000.0, 1000.0]), 0)
    tensor([1000.0000, 1000.6931])
    """
    a = axis_of(_given(LogCumSumExp, dim, axis), len(shape(x)))
    y = LogCumSumExp(a)(x) if shape(x) else Reshape(())(LogCumSumExp(0)(Reshape((1,))(x)))
    return rename(y, "Logcumsumexp")
