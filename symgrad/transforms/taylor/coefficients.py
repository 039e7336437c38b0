"""``sg.taylor`` and ``sg.jet``: the series of t ↦ f(x(t))."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import numpy as np

from symgrad.core import modes
from symgrad.core.journal import undoing
from symgrad.core.kernels import canonical
from symgrad.core.node import has_value, tensor_node, tensor_value
from symgrad.core.streams import given
from symgrad.core.trees import LEAF, unflatten
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, NotDifferentiable, ShapeError
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked, shown
from symgrad.transforms.arguments import check_function
from symgrad.transforms.calls import DifferentiatedCall, has_tensor, zeros
from symgrad.transforms.taylor.operations import NodeSeries

MOST = 10_000  # orders: the cost of a product is quadratic in their number


@checked
@undoing
def taylor(f: Callable[..., Any], x: Any, order: int, direction: Any = None) -> list[Any]:
    """Return [f(x), f′(x), f″(x)/2!, …, f⁽ⁿ⁾(x)/n!]: the Taylor coefficients of t ↦ f(x + t·v) at 0.

    All orders are computed in one pass over the recording of f, which propagates series instead of numbers.

    Args:
        f: function of x that returns an array of any shape, or a structure of arrays.
        x: a number or an array.
        order: n, at least 0.
        direction: v, shaped like x; by default, every entry is 1.

    Returns:
        n + 1 coefficients, each structured like f's result.

    Raises:
        ArgumentError: if the order is not an integer, or negative.
        ShapeError: if the direction does not have the shape of x.
        NotDifferentiable: if f has a kink or a jump at x, and therefore no series. With order 1, the convention of the
            gradient applies.

    >>> sg.taylor(sg.exp, 0.0, 3)
    [1.0, 1.0, 0.5, 0.16666666666666666]
    """
    check_function("taylor", f)
    if isinstance(order, bool) or not isinstance(order, (int, np.integer)) or not 0 <= order <= MOST:
        raise ArgumentError(f"taylor: got the order {shown(order)}. Pass an integer from 0 to {MOST}.")
    x = float(x) if type(x) is int else x
    series = [] if order == 0 else [1.0 if direction is None else direction]
    return _SeriesCall("taylor", f, (x,), [series], int(order), direction is None).structured()


def _order_of(primals: Any, series: Any) -> int:
    """Return the length of the series, of which there is one for each primal."""
    lists = (tuple, list)
    if not (isinstance(primals, lists) and isinstance(series, lists) and all(isinstance(s, lists) for s in series)):
        raise ArgumentTypeError("jet: primals are a tuple, series one list per primal: jet(f, (x,), ([x1, x2],)).")
    if len(primals) != len(series):
        raise ArgumentError(f"jet: got {len(primals)} primals and {len(series)} series. Pass one series per primal.")
    orders = {len(s) for s in series}
    if len(orders) != 1 or orders == {0}:
        raise ArgumentError(f"jet: got series of lengths {sorted(orders)}. Pass series of equal length, at least 1.")
    return orders.pop()


@checked
@undoing
def jet(
    fun: Callable[..., Any], primals: Sequence[Any], series: Sequence[Sequence[Any]], *, factorial_scaled: bool = True
) -> tuple[Any, Any]:
    """Return f(x(t)) at t = 0 and its derivatives with respect to t, from those of x, like JAX's ``jet``.

    Args:
        fun: function of the primals returning arrays of any shape, one or a structure of them.
        primals: tuple of arrays, one per argument: x(0).
        series: tuple of one list per primal: x′(0), x″(0), …; all of one length, the order.
        factorial_scaled: whether coefficients are derivatives; if False, they are derivatives divided by k!.

    Returns:
        f(x(0)), and the list of derivatives of f(x(t)) of orders 1, 2, …; where f returns a structure, one with such a
        list in place of each array.

    Raises:
        ArgumentError: if the number of series is not that of primals, or the series differ in length.
        ShapeError: if the shape of a coefficient differs from that of its primal.

    >>> sg.jet(sg.exp, (0.0,), ([1.0, 0.0, 0.0],))
    (1.0, [1.0, 1.0, 1.0])
    """
    check_function("jet", fun)
    order = _order_of(primals, series)
    scale = factorial if factorial_scaled else _one
    return _SeriesCall("jet", fun, tuple(primals), series, order, scale=scale).jet()


def _one(k: int) -> int:
    return 1


def _called(who: str, f: Callable[..., Any], primals: tuple[Any, ...]) -> DifferentiatedCall:
    """Call f at finite arrays of floats."""
    with modes.opening():
        call = DifferentiatedCall(f, primals, {})
    if len(call.xs) != len(primals) or any(tree is not LEAF for tree in call.trees):
        raise ArgumentTypeError(f"{who}: each primal must be an array of floats. Unpack structures inside f.")
    if any(has_value(x) and np.any(np.isinf(tensor_value(x))) for x in call.xs):
        raise ArgumentError(f"{who}: got an infinite point, at which there is no series. Expand f(1/t) about 0.")
    call.returns(who)
    return call


class _SeriesCall:
    """One call of f with series for its arguments."""

    def __init__(
        self, who: str, f: Callable[..., Any], primals: tuple[Any, ...], series: Sequence[Sequence[Any]], order: int,
        spread: bool = False, scale: Callable[[int], int] = _one,
    ) -> None:  # fmt: skip
        self._order, self._scale = order, scale
        self._call = call = _called(who, f, primals)
        call.plain = call.plain and not has_tensor([list(s) for s in series])
        known = {
            tensor_node(x): given([tensor_value(x) if call.plain else x, *self._terms(who, x, s, spread)])
            for x, s in zip(call.xs, series, strict=True)
        }
        graph = NodeSeries(known, call.plain, order=order)
        call._count(1)
        try:
            with np.errstate(all="ignore"), modes.enable_grad():
                live = [tensor_node(y) for y in call.ys if tensor_node(y) is not None]
                streams = dict(zip(live, graph.follow(live), strict=True))
                for k in range(order + 1):
                    graph.at(k)
                self._found = [
                    [self._out(streams.get(tensor_node(y)), y, k) for k in range(order + 1)] for y in call.ys
                ]
            self._check_finite(who)
        finally:
            call._count(-1)

    def _terms(self, who: str, x: Any, series: Sequence[Any], spread: bool) -> list[Any]:
        coefficients = []
        for k, s in enumerate(series, 1):
            t = as_tensor(s)
            if spread:
                t = handle(None, canonical(np.ones(x.shape, x.dtype)))
            if t.shape != x.shape:
                raise ShapeError(
                    f"{who}: the coefficient of order {k} has shape {show_shape(t.shape)}, its primal "
                    f"{show_shape(x.shape)}. Shape each like its primal."
                )
            zero = has_value(t) and tensor_node(t) is None and not np.any(tensor_value(t))
            c = tensor_value(t) if self._call.plain else t
            coefficients.append(None if zero else c if self._scale is _one else c / float(self._scale(k)))
        return coefficients

    def _check_finite(self, who: str) -> None:
        """Refuse coefficients that are none; a first order alone follows the gradient, which may be infinite."""
        known = [tensor_value(x) for x in self._call.xs]
        if self._order < 2 or any(x is None or np.any(np.isnan(x)) for x in known):
            return
        for coefficients in self._found:
            for k, c in enumerate(coefficients):
                if has_value(c) and not np.all(np.isfinite(tensor_value(c))):
                    raise NotDifferentiable(
                        f"{who}: the coefficient of order {k} is not finite: f has no Taylor series here, as sqrt(x) "
                        "has none at 0, or it overflows. Move the point."
                    )

    def _out(self, stream: Any, y: Any, k: int) -> Any:
        if k == 0:
            return y
        c = None if stream is None else stream[k]
        if c is None:
            return zeros(y)
        c = c * float(self._scale(k)) if self._scale(k) != 1 else c
        return c if isinstance(c, TensorBase) else handle(None, canonical(np.asarray(c, y.dtype)))

    def structured(self) -> list[Any]:
        """One structure per order."""
        return [self._call.value([c[k] for c in self._found]) for k in range(self._order + 1)]

    def jet(self) -> tuple[Any, Any]:
        """The value, and a list of coefficients in place of each array."""
        call = self._call
        lists = [[call.out(t) for t in c[1:]] for c in self._found]
        return call.value(call.ys), unflatten(call.tree, iter(lists))
