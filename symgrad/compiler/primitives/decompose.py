"""Operations written in smaller ones, as their accurate kernels compute, so that loops can fuse them.

What has no entry here runs its own forward.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.program import Program, Value, from_nodes
from symgrad.core.node import TRACED, Leaf, Shape
from symgrad.engine.record import handle
from symgrad.ops.contract import Einsum, pairwise, sum_axes
from symgrad.ops.map import NEG, SUB, emap
from symgrad.ops.nn.likelihood import CrossEntropy, Likelihood
from symgrad.ops.nn.losses import BinaryCrossEntropy
from symgrad.ops.protocol import Op, shape
from symgrad.ops.reductions.extremes import Extreme, Ties
from symgrad.ops.reductions.softmax import LogSoftmax, LogSumExp, Softmax
from symgrad.ops.reductions.variance import Var
from symgrad.ops.shape import Reshape, total
from symgrad.scalars import X, exp, log, log1p, maximum

Written = Callable[..., Any]
_INFINITY = float("inf")


def _shifted(x: Any, axes: tuple[int, ...]) -> tuple[Any, Any]:
    """x - m and m, the largest entry along the axes."""
    top = Extreme(axes, True)(x)
    return SUB(x, top), top


def _excess(z: Any, axes: tuple[int, ...]) -> Any:
    """log Σ exp z for z ≤ 0 with largest entry 0, through log1p of the sum of the others."""
    others = sum_axes(emap(sp.Piecewise((0, sp.Eq(X[0], 0)), (exp(X[0]), True)), z), axes, True)
    ties = sum_axes(emap(sp.Piecewise((1, sp.Eq(X[0], 0)), (0, True)), z), axes, True)
    return emap(log1p(X[0] + (X[1] - 1)), others, ties)


def _logsumexp(op: LogSumExp, x: Any) -> Any:
    z, top = _shifted(x, op.axes)
    finite = sp.Piecewise((X[0] + X[1], sp.Abs(X[0]) < X[2]), (X[0], True))
    return Reshape(op.out_shape(shape(x)))(emap(finite, top, _excess(z, op.axes), _INFINITY))


def _softmax(op: Softmax, x: Any) -> Any:
    e = emap(exp(X[0]), _shifted(x, op.axes)[0])
    beside = sp.Piecewise((X[0], sp.Eq(X[0], 0)), (X[0] / X[1], True))  # beside ∞, what is finite has no share
    return emap(beside, e, sum_axes(e, op.axes, True))


def _log_softmax(op: LogSoftmax, x: Any) -> Any:
    z, _ = _shifted(x, op.axes)
    return SUB(z, _excess(z, op.axes))


def _likelihood(op: Likelihood, x: Any, t: Any) -> Any:
    terms = emap(sp.Piecewise((0, sp.Eq(X[1], 0)), (X[0], True)) * X[1], x, t)
    return NEG(sum_axes(terms, (op.axis,)))


def _cross_entropy(op: CrossEntropy, x: Any, t: Any) -> Any:
    return _likelihood(op, LogSoftmax((op.axis,))(x), t)


def _ties(op: Ties, x: Any, y: Any) -> Any:
    same = sp.Eq(X[0], X[1]) | (sp.Ne(X[0], X[2]) & sp.Ne(X[1], X[3]))
    mark = emap(sp.Piecewise((1, same), (0, True)), x, y, x, y)  # nan differs from itself
    return emap(X[0] / maximum(X[1], 1), mark, sum_axes(mark, op.axes, True))


def _binary(op: BinaryCrossEntropy, p: Any, t: Any) -> Any:
    yes, no = maximum(log(X[0]), -100), maximum(log1p(-X[0]), -100)
    return NEG(emap(X[1] * yes + (1 - X[1]) * no, p, t))


def _variance(op: Var, x: Any) -> Any:
    n = total([shape(x)[a] for a in op.axes])
    centred = SUB(x, emap(X[0] / X[1], sum_axes(x, op.axes, True), n))
    squares = sum_axes(emap(X[0] ** 2, centred), op.axes, op.keepdim)
    free = n - op.correction
    return emap(X[0] / X[1], squares, free if isinstance(n, sp.Expr) else float(max(free, 0)))


def _many(op: Einsum, *xs: Any) -> Any:
    """A product of many in the order of eager mode."""
    left = list(xs)
    for places, join in pairwise(op, tuple(shape(x) for x in xs)):
        left.append(join(*[left.pop(k) for k in places]))
    return left[0]


_WRITTEN: dict[type[Op], Written] = {
    Einsum: _many,
    LogSumExp: _logsumexp,
    Softmax: _softmax,
    LogSoftmax: _log_softmax,
    Likelihood: _likelihood,
    CrossEntropy: _cross_entropy,
    Ties: _ties,
    BinaryCrossEntropy: _binary,
    Var: _variance,
}


def is_written(op: type[Op]) -> bool:
    """Whether operations of this class are written in others."""
    return op in _WRITTEN


def program_of(v: Value, args: Sequence[Value]) -> Program | None:
    """Return the program of an operation that is written in others, None where it is not."""
    if type(v.op) not in _WRITTEN or v.dtype.kind != "f" or any(0 in a.shape or a.dtype.kind != "f" for a in args):
        return None
    if isinstance(v.op, Einsum) and not _in_steps(v.op, args):
        return None
    return _program(v.op, tuple((a.shape, a.dtype) for a in args))


def _in_steps(op: Einsum, args: Sequence[Value]) -> bool:
    """Whether eager mode contracts these operands one after the other."""
    numbers = all(isinstance(n, int) for a in args for n in a.shape)
    return len(args) > 2 and numbers and len(pairwise(op, tuple(a.shape for a in args))) > 1


def expand(e: Elements, v: Value) -> int | None:
    """Return the steps of an operation that is written in others, None where it is not."""
    program = program_of(v, [e.argument(a) for a in v.args])
    return None if program is None else e.inline(program, [e.places[a] for a in v.args])


@lru_cache(maxsize=512)
def _program(op: Any, specs: tuple[tuple[Shape, Any], ...]) -> Program:
    leaves = [_leaf(*s) for s in specs]
    y = _WRITTEN[type(op)](op, *[handle(leaf, None) for leaf in leaves])
    return from_nodes(leaves, [y._node])


def _leaf(s: Shape, dtype: Any) -> Leaf:
    leaf = Leaf(None, s, TRACED)
    leaf.dtype = np.dtype(dtype)
    return leaf
