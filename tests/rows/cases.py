"""The one test table. A row is a function written once for symgrad and torch alike, with inputs for it.

The function takes the library as its first argument; the names are torch's, so the same lines run on both.
Rows stand away from kinks, which have a table of their own. ``test_registry.py`` fails when a public function,
a declared scalar function or an operation has no row here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from array_rows import ROWS as ARRAY_ROWS
from elementwise_rows import ROWS as ELEMENTWISE_ROWS
from kinks import KINKS
from layer_rows import ROWS as LAYER_ROWS
from loss_rows import ROWS as LOSS_ROWS
from piece_rows import ROWS as PIECE_ROWS
from scipy_rows import ROWS as SCIPY_ROWS
from table import (
    SAME,
    Case,
    Kink,
    Row,
    Spec,
    apart,
    between,
    bools,
    evens,
    ints,
    nonzero,
    odds,
    raw,
    real,
    square,
    upright,
)
from window_rows import ROWS as WINDOW_ROWS

from symgrad.ops.reductions.scan import Shift

__all__ = ["CASES", "KINKS", "ROWS", "SAME", "SMOOTH", "Case", "Kink", "Row"]

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row to the table."""
    ROWS.append(Row(name, f, samples, **known))


def flat(L: Any, tensors: Sequence[Any]) -> Any:
    """All entries of several tensors in one vector: how a row with several results returns one."""
    return L.cat([L.reshape(t, (-1,)) for t in tensors])


# fmt: off
# ------------------------------------------------------------------ elementwise, one argument
def unary(name: str, make: Callable[..., Spec], analytic: bool = True, **known: Any) -> None:
    """Add the row of ``L.name(x)``: 0-d, one entry's worth of axes, two, and none at all."""
    shapes = ((), (3,), (2, 3), (0,))
    row(name, lambda L, x: getattr(L, name)(x), *[(make(*s),) for s in shapes], analytic=analytic, **known)


positive = between(0.2, 4.0)
inside = between(-0.9, 0.9)

for _name in ("exp", "expm1", "exp2", "sin", "cos", "sinh", "cosh", "tanh", "asinh", "atan", "square", "neg",
              "clone"):
    unary(_name, real)
for _name in ("log", "log2", "log10", "sqrt", "rsqrt"):
    unary(_name, positive)
for _name in ("asin", "acos", "atanh"):
    unary(_name, inside)
unary("log1p", between(-0.8, 4.0))
unary("tan", between(-1.2, 1.2))
unary("acosh", between(1.1, 4.0))
unary("reciprocal", nonzero)
unary("sigmoid", between(-6.0, 6.0), analytic=False)
for _name in ("softplus", "logsigmoid"):
    unary(_name, between(-6.0, 6.0), analytic=False,
        peer=lambda T, x, _name=_name: getattr(T.nn.functional, _name)(x))
for _name in ("relu", "abs", "sign"):
    unary(_name, nonzero, analytic=False)
for _name in ("floor", "ceil", "trunc", "fix"):
    unary(_name, lambda *s: lambda rng: rng.integers(-3, 3, s) + rng.uniform(0.1, 0.9, s), analytic=False)
unary("round", lambda *s: lambda rng: rng.integers(-3, 3, s) + rng.uniform(-0.4, 0.4, s), analytic=False)
row("round to tenths", lambda L, x: L.round(x, decimals=1) + L.round(x, decimals=-1), (raw([0.12, -3.68, 27.01]),))
row("round halves", lambda L, x: L.round(x), (raw([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5]),), discrete=True)
for _name in ("erf", "erfc"):
    unary(_name, real, analytic=False)
unary("lgamma", between(0.3, 5.0), analytic=False)
unary("digamma", between(0.3, 5.0), analytic=False, peer_rtol=1e-8)  # torch's trigamma has 9 digits
row("gamma family left of 0", lambda L, x: L.lgamma(x) + L.digamma(x), (real(3, lo=-0.8, hi=-0.2),))

# ------------------------------------------------------------------ elementwise, two and three arguments
PAIRS = (((), ()), ((3,), (3,)), ((2, 1), (3,)), ((2, 3), ()), ((0,), (1,)))


def pair(name: str, a: Callable[..., Spec], b: Callable[..., Spec], f: Any = None, **known: Any) -> None:
    """Add the row of ``L.name(a, b)``, with every kind of broadcasting."""
    call = f or (lambda L, x, z: getattr(L, name)(x, z))
    row(name, call, *[(a(*s), b(*t)) for s, t in PAIRS], **known)


for _name in ("add", "sub", "mul", "subtract", "multiply"):
    pair(_name, real, real, analytic=True)
for _name in ("div", "divide", "true_divide"):
    pair(_name, real, nonzero, analytic=True)
pair("atan2", nonzero, nonzero)


def steps(*shape: int) -> Spec:
    """Numbers whose quotient by a number near 1 is no integer."""
    return lambda rng: rng.integers(-3, 3, shape) + rng.uniform(0.35, 0.65, shape)


near_one = between(0.95, 1.05)
pair("remainder", steps, near_one)
pair("fmod", steps, near_one)
pair("x % z", steps, near_one, lambda L, x, z: x % z)
pair("negative divisors", steps, near_one, lambda L, x, z: x % -z + L.fmod(x, -z))
pair("floor_divide", steps, near_one, peer=lambda T, x, z: T.div(x, z, rounding_mode="floor"))
pair("div floor", steps, near_one, lambda L, x, z: L.div(x, z, rounding_mode="floor"))
pair("div trunc", steps, near_one, lambda L, x, z: L.div(x, z, rounding_mode="trunc"))
row("remainder operators with numbers", lambda L, x: x % 2 + 7 % x + x // 2 + 7 // x, (raw([1.3, -2.4, 3.3]),),
    peer=lambda T, x: x % 2 + T.remainder(T.tensor(7.0), x) + T.floor(x / 2) + T.floor(7 / x))
row("remainder of integers", lambda L, x, z: flat(L, [x % z, L.fmod(x, z), x // z, L.remainder(x, 2), -7 % z]),
    (ints([5, -5, 5]), ints([3, 3, -3])), discrete=True)
pair("maximum", evens, odds)
pair("minimum", evens, odds)
pair("max of two", evens, odds, lambda L, x, z: L.max(x, z))
pair("min of two", evens, odds, lambda L, x, z: L.min(x, z))
pair("pow", positive, real, analytic=True)
pair("**", positive, real, lambda L, x, z: x**z, analytic=True)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    row(_name, lambda L, x, z, _name=_name: getattr(L, _name)(x, z),
        (raw([1.0, 2.0, 3.0]), raw([1.0, 3.0, 2.0])), (raw([[1.0], [2.0]]), raw(2.0)), discrete=True)
for _name in ("and", "or", "xor"):
    row(f"logical_{_name}", lambda L, x, z, _n=_name: getattr(L, f"logical_{_n}")(x, z),
        (bools([True, True, False, False]), bools([True, False, True, False])), (raw([0.0, 1.5]), raw([[2.0], [0.0]])),
        discrete=True)
    row(f"bitwise_{_name}", lambda L, x, z, _n=_name: getattr(L, f"bitwise_{_n}")(x, z),
        (bools([True, True, False, False]), bools([True, False, True, False])), (ints([6, -3]), ints([[3], [8]])),
        (bools([True, False]), ints([3, 3])), discrete=True)
for _name in ("gcd", "lcm", "bitwise_left_shift", "bitwise_right_shift"):
    row(_name, lambda L, x, z, _n=_name: getattr(L, _n)(x, z), (ints([12, -18]), ints([[3], [4]])), discrete=True)
row("logical_not", lambda L, x: L.logical_not(x), (bools([True, False]),), (raw([0.0, -2.0]),), discrete=True)
row("bitwise_not", lambda L, x: L.bitwise_not(x), (bools([True, False]),), (ints([6, -3]),), discrete=True)
row("operators on booleans", lambda L, p, q: flat(L, [p & q, p | q, p ^ q, ~p, p & True, False | p, True ^ p]),
    (bools([True, True, False, False]), bools([True, False, True, False])), discrete=True)
row("operators on bits", lambda L, p, q: flat(L, [p & q, p | q, p ^ q, ~p, p & 3, 5 | p, 6 ^ p]),
    (ints([6, -3]), ints([3, 8])), discrete=True)
for _name in ("isnan", "isinf", "isfinite"):
    row(_name, lambda L, x, _n=_name: getattr(L, _n)(x), (raw([1.0, nan, inf, -inf]),), (ints([1, 2]),), discrete=True)
row("where on conditions combined", lambda L, x, z: L.where((x > 0) & ~(z > 0) | (z > x), x * z, x**2)
    + L.where((x > 0) ^ (z > 0), x, z) + L.where(L.logical_and(x > 0, z > 0) & L.isfinite(x) | L.isnan(z), x * x, z),
    (apart(6), nonzero(6)))
row("comparison operators", lambda L, x: flat(L, [x < 1, x <= 1, x > 1, x >= 1, x == 1, x != 1]),
    (raw([0.0, 1.0, 2.0]),), discrete=True)

for _p in (1, 2, 3, -1, -2, 0.5, -0.5, 1.5, 2.5, 17, 0):
    row(f"x**{_p}", lambda L, x, _p=_p: x**_p, (positive(),), (positive(2, 3),), (positive(0),),
        analytic=_p != 0)
for _p in (2, 3, -1):
    row(f"negative x**{_p}", lambda L, x, _p=_p: x**_p, (real(3, lo=-2, hi=-0.3),), analytic=True)
row("x**float exponent of a negative base", lambda L, x: x**2.0 + L.pow(x, 3.0), (real(3, lo=-2, hi=-0.3),),
    analytic=True)
row("pow(2, x)", lambda L, x: 2**x + L.pow(0.5, x), (real(),), (real(2, 3),), analytic=True)
row("operators with numbers", lambda L, x: 3 - x * 2 + (1 + x) / 4 + 2 / x - x / 5 + (x - 1) * 0.5 + 2 * (-x),
    (nonzero(),), (nonzero(2, 3),), (nonzero(0),), analytic=True)
row("operators", lambda L, x, z: (x + z) * (x - z) / z + (-x) * (+z), (nonzero(2, 3), nonzero(3)),
    (nonzero(), nonzero()), analytic=True)
row("abs()", lambda L, x: abs(x), (nonzero(3),))
row("functions with numbers", lambda L, x: L.add(x, 2) + L.mul(x, 0.5) + L.sub(x, 1) + L.div(x, 3),
    (real(3),), analytic=True)
row("maximum with itself shifted", lambda L, x: L.maximum(x, x - 1.0) * L.minimum(x, 2 * x + 9), (real(3),))

row("clamp", lambda L, x: L.clamp(x, -0.65, 0.75), (apart(),), (apart(2, 3),), (apart(9),), (apart(0),))
row("clamp min", lambda L, x: L.clamp(x, min=-0.05), (apart(),), (apart(2, 3),))
row("clamp max", lambda L, x: L.clamp(x, max=0.05), (apart(),), (apart(2, 3),))
row("clip to tensors", lambda L, x, lo, hi: L.clip(x, lo, hi),
    (raw([-2.0, 0.3, 2.0, 1.0]), raw([-1.0, -1.1, -1.2, -1.3]), raw([1.0, 1.1, 1.2, 1.3])),
    (raw([[-2.0, 0.0, 2.0], [2.0, 3.0, 0.1]]), raw(-1.0), raw([1.0, 1.1, 1.2])))
row("clip to larger tensors", lambda L, x, lo, hi: L.clip(x, lo, hi),
    (raw([[-2.0], [2.0]]), raw(-1.0), raw([1.0, 1.1, 1.2])), peer=None)  # torch's own backward fails here
row("where", lambda L, c, x, z: L.where(c, x, z),
    (bools([True, False, True]), real(3), real(3)), (bools([[True], [False]]), real(3), real()),
    (bools(True), real(), real(2)), (bools([]), real(0), real(1)))
row("x.where(condition, z)", lambda L, x, z: x.where(x > z, z**2), (apart(4), real(4)))
row("where on a condition of x", lambda L, x: L.where(x > 0, x**2, 3 * x), (apart(5),))
row("masked_fill", lambda L, x, m: L.masked_fill(x, m, 7.0),
    (real(3), bools([True, False, True])), (real(2, 3), bools([False, True, True])))
row("masked_select", lambda L, x, m: L.masked_select(x, m),
    (real(3), bools([True, False, True])), (real(2, 3), bools([[True, False, False], [False, True, True]])))
row("to float32 and back", lambda L, x: (x.to(L.float32) * 2).to(L.float64), (raw([0.5, 1.25, -3.0]),),
    rtol=1e-3, peer_rtol=1e-6)  # rounds to 7 digits: differences see that; torch rounds the cotangent, too

# ------------------------------------------------------------------ shape
row("reshape", lambda L, x: L.reshape(x, (3, -1)), (real(6),), (real(2, 3),), (real(3, 0),), analytic=True)
row("reshape with ones", lambda L, x: L.reshape(x, (1, 3, 1, 2)), (real(3, 2),), analytic=True)
row("reshape to 0-d", lambda L, x: L.reshape(x, ()), (real(1),), (real(1, 1),), analytic=True)
row("view", lambda L, x: x.view(3, 2), (real(6),), (real(2, 3),), analytic=True)
row("flatten", lambda L, x: L.flatten(x), (real(),), (real(2, 3),), (real(2, 0),), analytic=True)
row("flatten some", lambda L, x: L.flatten(x, 1, 2), (real(2, 2, 3),), analytic=True)
row("unflatten", lambda L, x: x.unflatten(0, (2, -1)), (real(4),), (real(4, 2),), analytic=True)
row("ravel", lambda L, x: L.ravel(x), (real(2, 3),), analytic=True)
row("squeeze", lambda L, x: L.squeeze(x), (real(1, 3, 1),), (real(1, 1),), (real(),), analytic=True)
row("squeeze one", lambda L, x: L.squeeze(x, 0), (real(1, 3, 1),), (real(2, 3),), analytic=True)
row("unsqueeze", lambda L, x: L.unsqueeze(x, -1), (real(),), (real(3),), (real(2, 0),), analytic=True)
row("expand", lambda L, x: x.expand(4, -1, 3), (real(2, 1),), (real(2, 3),), analytic=True)
row("broadcast_to", lambda L, x: L.broadcast_to(x, (2, 3)), (real(),), (real(3),), (real(2, 1),),
    analytic=True)
row("tile", lambda L, x: L.tile(x, (2, 3)), (real(2),), (real(2, 2),), analytic=True)
row("repeat", lambda L, x: x.repeat(2, 3), (real(2),), (real(2, 2),), analytic=True)
row("repeat_interleave", lambda L, x: L.repeat_interleave(x, 2, 1), (real(2, 3),), analytic=True)
row("repeat_interleave counts", lambda L, x, n: L.repeat_interleave(x, n, 1), (real(2, 3), ints([2, 0, 1])))
row("repeat_interleave all", lambda L, x: L.repeat_interleave(x, 3), (real(2, 2),), analytic=True)
row("flip", lambda L, x: L.flip(x, (0,)), (real(3),), (real(2, 3),), analytic=True)
row("flip two", lambda L, x: L.flip(x, (0, -1)), (real(2, 2, 3),), analytic=True)
row("roll", lambda L, x: L.roll(x, 2), (real(5),), (real(2, 3),), analytic=True)
row("roll two", lambda L, x: L.roll(x, (1, -1), (0, 1)), (real(2, 3),), analytic=True)
row("permute", lambda L, x: L.permute(x, (2, 0, 1)), (real(2, 3, 2),), analytic=True)
row("transpose", lambda L, x: L.transpose(x, 0, 1), (real(2, 3),), (real(2, 3, 2),), (real(0, 2),),
    analytic=True)
row("swapaxes", lambda L, x: L.swapaxes(x, 0, 2) + L.swapdims(x, 0, 2), (real(2, 3, 2),), analytic=True)
row("movedim", lambda L, x: L.movedim(x, 0, 2) + L.moveaxis(x, (0, 1), (2, 0)), (real(2, 3, 2),),
    analytic=True)
row("t", lambda L, x: L.t(x), (real(2, 3),), (real(3),), analytic=True)
row("T and mT", lambda L, x: x.T @ x + x.mT @ x, (real(2, 3),), analytic=True)

# ------------------------------------------------------------------ joining and splitting
row("cat", lambda L, x, z: L.cat([x, z], 0), (real(2), real(3)), (real(2, 2), real(1, 2)), (real(0), real(2)),
    analytic=True)
row("cat last", lambda L, x, z: L.cat([x, z], -1), (real(2, 2), real(2, 1)), analytic=True)
row("cat with itself", lambda L, x: L.cat([x, x * x, x]), (real(2),), analytic=True)
row("concat, concatenate", lambda L, x, z: L.concat([x, z]) * L.concatenate([z, x]), (real(2), real(3)),
    analytic=True)
row("stack", lambda L, x, z: L.stack([x, z], 1), (real(2), real(2)), (real(2, 3), real(2, 3)),
    (real(0), real(0)), analytic=True)
row("stack of numbers", lambda L, x, z: L.stack([x, z, x]), (real(), real()), analytic=True)
row("hstack", lambda L, x, z: L.hstack([x, z]), (real(2), real(3)), (real(2, 1), real(2, 2)), analytic=True)
row("vstack", lambda L, x, z: L.vstack([x, z]), (real(2), real(2)), (real(2, 2), real(1, 2)), analytic=True)
row("split", lambda L, x: flat(L, [(k + 1) * p for k, p in enumerate(L.split(x, 2))]), (real(5),),
    (real(3, 2),), analytic=True)
row("split in sections", lambda L, x: flat(L, [(k + 1) * p for k, p in enumerate(L.split(x, [1, 2], 1))]),
    (real(2, 3),), analytic=True)
row("one part of a split", lambda L, x: L.split(x, 2)[1], (real(5),), analytic=True)
row("chunk", lambda L, x: flat(L, [(k + 1) * p for k, p in enumerate(L.chunk(x, 3))]), (real(5),),
    analytic=True)
row("unbind", lambda L, x: L.unbind(x, 1)[0] * L.unbind(x, 1)[2], (real(2, 3),), analytic=True)

# ------------------------------------------------------------------ indexing
row("x[1]", lambda L, x: x[1], (real(3),), (real(3, 2),), analytic=True)
row("x[-1, 0]", lambda L, x: x[-1, 0], (real(3, 2),), analytic=True)
row("x[1:]", lambda L, x: x[1:], (real(3),), (real(3, 2),), (real(1),), analytic=True)
row("x[::2]", lambda L, x: x[::2] + x[1::2], (real(6),), (real(4, 2),), analytic=True)
row("x[::-1]", lambda L, x: x[::-1], (real(3),), (real(2, 3),), peer=lambda T, x: T.flip(x, (0,)),
    analytic=True)
row("x[..., None, :2]", lambda L, x: x[..., None, :2], (real(3),), (real(2, 3),), analytic=True)
row("x[:, 1]", lambda L, x: x[:, 1], (real(2, 3),), (real(0, 3),), analytic=True)
row("x[[2, 0, 2]]", lambda L, x: x[[2, 0, 2]], (real(3),), (real(3, 2),), analytic=True)
row("x[range(2), i]", lambda L, x, i: x[range(2), i], (real(3, 2), ints([1, 0])), analytic=True)
row("x[i, j]", lambda L, x, i, j: x[i, j], (real(3, 2), ints([0, 2, 0]), ints([1, 0, 1])), analytic=True)
row("x[:, i]", lambda L, x, i: x[:, i], (real(2, 3), ints([[2, 0], [1, 2]])), (real(2, 3), ints([])),
    analytic=True)
row("x[i, :, j]", lambda L, x, i, j: x[i, :, j], (real(2, 2, 3), ints([0, 1]), ints([2, 2])), analytic=True)
row("x[mask]", lambda L, x, m: x[m], (real(3), bools([True, False, True])),
    (real(2, 2), bools([[False, True], [True, True]])), (real(2, 3), bools([False, True])), analytic=True)
row("select", lambda L, x: L.select(x, 1, -1), (real(2, 3),), analytic=True)
row("narrow", lambda L, x: L.narrow(x, 0, 1, 2), (real(4),), (real(3, 2),), analytic=True)
row("index_select", lambda L, x, i: L.index_select(x, 0, i), (real(3), ints([2, 0, 2])),
    (real(3, 2), ints([1, 1])), analytic=True)
row("gather", lambda L, x, i: L.gather(x, 1, i), (real(2, 3), ints([[0, 0], [2, 1]])), analytic=True)
row("take_along_dim", lambda L, x, i: L.take_along_dim(x, i, 0), (real(3, 2), ints([[0, 2], [2, 2]])),
    analytic=True)
row("scatter", lambda L, x, i, v: L.scatter(x, 1, i, v), (real(2, 3), ints([[0, 2], [1, 0]]), real(2, 2)),
    analytic=True)
row("scatter_add", lambda L, x, i, v: L.scatter_add(x, 0, i, v), (real(3), ints([0, 2, 0]), real(3)),
    (real(2, 2), ints([[0, 0], [0, 1]]), real(2, 2)), analytic=True)
row("index_add", lambda L, x, i, v: L.index_add(x, 0, i, v, alpha=2), (real(3), ints([0, 0]), real(2)),
    (real(3, 2), ints([2, 0, 2]), real(3, 2)), analytic=True)


def written(*statements: tuple[Any, Callable[..., Any]]) -> Callable[..., Any]:
    """A function that runs ``y[key] = value(x, v)`` on a copy of its first input, times itself."""

    def f(L: Any, x: Any, v: Any) -> Any:
        y = x.clone()
        for key, value in statements:
            y[key] = value(x, v)
        return y * y

    return f


row("y[0] = v", written((0, lambda x, v: v)), (real(3), real()), (real(2, 3), real(3)))
row("y[1:, ::2] = v", written(((slice(1, None), slice(None, None, 2)), lambda x, v: v)),
    (real(3, 4), real(2, 2)), (real(3, 4), real()))
row("y[list] = v", written(([2, 0], lambda x, v: v)), (real(3), real(2)), (real(3, 2), real(2)))
row("y[1] = y of x, twice", written((1, lambda x, v: x[0] * v), (0, lambda x, v: x[1])), (real(3), real()))


def in_place(L: Any, x: Any, z: Any) -> Any:
    y = x.clone()
    y += z
    y *= x
    y -= 1
    y /= z
    return y


row("y += z; y *= x; y -= 1; y /= z", in_place, (real(3), nonzero(3)), (real(2, 3), nonzero()), analytic=True)

# ------------------------------------------------------------------ reductions

def along(name: str, make: Callable[..., Spec], f: Any = None, *, empty: bool = True, **known: Any) -> None:
    """Add rows of ``L.name`` over all axes, one, and one kept."""
    call = f or (lambda L, x, *a, **k: getattr(L, name)(x, *a, **k))
    none = [(make(0),)] if empty else []
    row(name, call, (make(),), (make(4),), (make(2, 3),), *none, **known)
    row(f"{name} dim", lambda L, x: call(L, x, 1), (make(2, 3),), (make(2, 3, 2),), **known)
    row(f"{name} keepdim", lambda L, x: call(L, x, 0, keepdim=True), (make(2, 3),), **known)


along("sum", real, analytic=True)
along("mean", real, analytic=True, empty=False)
along("amax", apart, empty=False)
along("amin", apart, empty=False)
row("sum over two", lambda L, x: L.sum(x, (0, -1)), (real(2, 3, 2),), (real(2, 0, 2),), analytic=True)
row("mean over two", lambda L, x: L.mean(x, (0, 2), keepdim=True), (real(2, 3, 2),), analytic=True)
row("amax over two", lambda L, x: L.amax(x, (0, 2)) - L.amin(x, (0, 2)), (apart(2, 3, 2),))
row("max", lambda L, x: L.max(x), (apart(),), (apart(4),), (apart(2, 3),))
row("min", lambda L, x: L.min(x), (apart(4),), (apart(2, 3),))
row("max(dim)", lambda L, x: L.max(x, 1).values, (apart(2, 3),), (apart(2, 3, 2),))
row("min(dim)", lambda L, x: L.min(x, 0, keepdim=True)[0], (apart(2, 3),))
row("index of max(dim)", lambda L, x: L.max(x, 1)[1], (apart(2, 3),), discrete=True)
row("argmax", lambda L, x: L.argmax(x), (apart(4),), (apart(2, 3),), discrete=True)
row("argmin", lambda L, x: L.argmin(x, 1, keepdim=True), (apart(2, 3),), discrete=True)
row("all", lambda L, x: L.all(x), (bools([True, False]),), (bools([]),), (bools([[True], [True]]),),
    discrete=True)
row("any", lambda L, x: L.any(x, 1), (bools([[True, False], [False, False]]),), discrete=True)
row("prod", lambda L, x: L.prod(x), (real(),), (real(4),), (real(2, 2),), (real(0),), (raw([2.0, 0.0, 3.0]),),
    (raw([0.0, 0.0, 3.0]),), analytic=True)
row("prod dim", lambda L, x: L.prod(x, 1), (real(2, 3),), (raw([[0.0, 1.0, 2.0], [0.0, 0.0, 2.0]]),),
    analytic=True)
row("prod keepdim", lambda L, x: L.prod(x, 0, keepdim=True), (real(2, 3),), analytic=True)
row("var", lambda L, x: L.var(x), (real(4),), (real(2, 3),), analytic=True)
row("var dim", lambda L, x: L.var(x, 1, keepdim=True), (real(2, 3),), analytic=True)
row("var correction", lambda L, x: L.var(x, dim=0, correction=0) + L.var(x, dim=0, unbiased=False),
    (real(3, 2),), analytic=True)
row("std", lambda L, x: L.std(x), (real(4),), (real(2, 3),), analytic=True)
row("std dim", lambda L, x: L.std(x, (0, 1), correction=0), (real(2, 3, 2),), analytic=True)
row("var_mean", lambda L, x: flat(L, L.var_mean(x, 1)), (real(2, 3),), analytic=True)
row("std_mean", lambda L, x: flat(L, L.std_mean(x, 0)), (real(3, 2),), analytic=True)
row("cumsum", lambda L, x: L.cumsum(x, 0), (real(),), (real(4),), (real(3, 2),), (real(0),), analytic=True)
row("cumsum last", lambda L, x: L.cumsum(x, -1), (real(2, 3),), analytic=True)
row("cumprod", lambda L, x: L.cumprod(x, 0), (real(),), (real(4),), (real(3, 2),), (real(0),),
    (raw([2.0, 0.0, 3.0, 0.0, 4.0]),), analytic=True)
row("cumprod last", lambda L, x: L.cumprod(x, -1), (real(2, 3),), analytic=True)
for _reverse in (False, True):
    row(f"Shift{', reverse' * _reverse}", lambda L, x, _r=_reverse: Shift(x.ndim - 1, _r)(x), (real(4),),
        (real(2, 3),), peer=lambda T, x, _r=_reverse: T.nn.functional.pad(x, (-1, 1) if _r else (1, -1)),
        analytic=True)
row("logsumexp", lambda L, x: L.logsumexp(x, 0), (real(4),), (real(2, 3),),)
row("logsumexp with factors", lambda L, x, b: L.logsumexp(x, 1, b=b, keepdim=True), (real(2, 3), between(0.2, 2.0)(3)),
    peer=lambda T, x, b: T.log((b * T.exp(x)).sum(1, keepdim=True)))
row("logsumexp with signs", lambda L, x, b: L.logsumexp(x, b=b, return_sign=True)[0], (real(3), nonzero(2, 3)),
    peer=lambda T, x, b: T.log((b * T.exp(x)).sum().abs()))
row("logsumexp over two", lambda L, x: L.logsumexp(x, (0, 2), keepdim=True), (real(2, 2, 2),))
row("softmax", lambda L, x: L.softmax(x, 0), (real(),), (real(4),), (real(2, 3),), (real(0),))
row("softmax last", lambda L, x: L.softmax(x, -1), (real(2, 3),))
row("log_softmax", lambda L, x: L.log_softmax(x, 0), (real(),), (real(4),), (real(2, 3),), (real(0),))
row("log_softmax last", lambda L, x: L.log_softmax(x, -1), (real(2, 3),))
row("norm", lambda L, x: L.norm(x), (real(3),), (real(2, 3),), (real(),))
for _p in (1, 2, 3, inf, -inf, 0.5, 1.5):
    row(f"vector_norm {_p}", lambda L, x, _p=_p: L.linalg.vector_norm(x, _p), (apart(4),), (apart(2, 3),))
row("vector_norm dim", lambda L, x: L.linalg.vector_norm(x, 3, dim=1, keepdim=True), (apart(2, 3),))
row("norm p, dim", lambda L, x: L.norm(x, 1, 0) + L.norm(x, 4, 0), (apart(3, 2),))
row("vector_norm 0", lambda L, x: L.linalg.vector_norm(x, 0), (raw([1.5, -2.0, 0.7]),))

# ------------------------------------------------------------------ products
for _s, _t in (((3,), (3,)), ((2, 3), (3,)), ((2,), (2, 3)), ((2, 3), (3, 2)), ((2, 2, 3), (3, 2)),
               ((2, 3), (2, 3, 2)), ((2, 1, 2, 2), (3, 2, 2)), ((2, 2, 3), (3,)), ((3,), (2, 3, 2)),
               ((2, 0), (0, 3)), ((0, 2), (2, 3)), ((0,), (0,)), ((0, 2, 2), (2, 2))):
    row(f"matmul {list(_s)} {list(_t)}", lambda L, x, z: L.matmul(x, z),
        (real(*_s), real(*_t)), analytic=True)
row("@", lambda L, x, z: x @ z, (real(2, 3), real(3, 2)), (real(3), real(3)), analytic=True)
row("x @ x", lambda L, x: x @ x, (real(3),), (real(2, 2),), analytic=True)
row("dot", lambda L, x, z: L.dot(x, z), (real(3), real(3)), (real(0), real(0)), analytic=True)
row("mv", lambda L, x, z: L.mv(x, z), (real(2, 3), real(3)), analytic=True)
row("mm", lambda L, x, z: L.mm(x, z), (real(2, 3), real(3, 2)), analytic=True)
row("bmm", lambda L, x, z: L.bmm(x, z), (real(2, 2, 3), real(2, 3, 2)), analytic=True)
row("outer", lambda L, x, z: L.outer(x, z), (real(2), real(3)), (real(0), real(2)), analytic=True)
row("inner", lambda L, x, z: L.inner(x, z), (real(3), real(3)), (real(2, 3), real(2, 3)),
    (real(2, 3), real()), analytic=True)
row("kron", lambda L, x, z: L.kron(x, z), (real(2, 2), real(1, 3)), (real(2), real(3)), analytic=True)
for _name, _lists in {"": ([0, 1], [1, 2], [2, 0]), ", implicit": ([5, 1], [1, 2]), ", dots": ([..., 1], [1, 2], [..., 2])}.items():
    row(f"einsum of lists{_name}",
        lambda L, x, z, _lists=_lists: L.einsum(x, _lists[0], z, _lists[1], *_lists[2:]), (real(2, 3), real(3, 4)))
for _spec, _shapes in (
    ("ij,jk->ik", ((2, 3), (3, 2))), ("ii->", ((3, 3),)), ("ii->i", ((3, 3),)), ("ij->ji", ((2, 3),)),
    ("ij->", ((2, 3),)), ("bij,bjk->bik", ((2, 2, 3), (2, 3, 2))), ("i,j->ij", ((2,), (3,))),
    ("i,ij,j->", ((2,), (2, 3), (3,))), ("...i,i->...", ((2, 3), (3,))), ("ij,ij->", ((2, 3), (2, 3))),
    ("iij->ij", ((2, 2, 3),)), ("ij,jk,kl->il", ((2, 2), (2, 2), (2, 2))), ("ij,ik->jk", ((2, 2), (2, 3))),
    ("ijj,j->i", ((2, 3, 3), (3,))),
):
    row(f"einsum {_spec}", lambda L, *xs, _spec=_spec: L.einsum(_spec, *xs), tuple(real(*s) for s in _shapes),
        analytic=True)
row("trace", lambda L, x: L.trace(x), (real(3, 3),), (real(2, 3),), analytic=True)
row("diag of a matrix", lambda L, x: L.diag(x), (real(3, 3),), (real(2, 3),), analytic=True)
row("diag of a vector", lambda L, x: L.diag(x), (real(3),), analytic=True)
row("diag above", lambda L, x: L.diag(x, 1), (real(2),), (real(2, 3),), analytic=True)
row("diagonal", lambda L, x: L.diagonal(x), (real(3, 2),), (real(2, 3, 2),), analytic=True)
row("diagonal below", lambda L, x: L.diagonal(x, -1, 0, 2), (real(3, 2, 3),), analytic=True)
row("diag_embed", lambda L, x: L.diag_embed(x), (real(2),), (real(2, 2),), analytic=True)
row("diag_embed below", lambda L, x: L.diag_embed(x, -1, 0, 1), (real(2),), (real(2, 2),), analytic=True)
row("tril", lambda L, x: L.tril(x), (real(3, 3),), (real(2, 2, 3),), analytic=True)
row("tril above", lambda L, x: L.tril(x, 1), (real(3, 3),), analytic=True)
row("triu", lambda L, x: L.triu(x), (real(3, 3),), (real(2, 3),), analytic=True)
row("triu below", lambda L, x: L.triu(x, -1), (real(3, 3),), analytic=True)
row("eye", lambda L, x: x @ L.eye(3, dtype=x.dtype) + L.eye(2, 3, dtype=x.dtype), (real(2, 3),),
    analytic=True)

# ------------------------------------------------------------------ linear algebra
row("inverse", lambda L, A: L.inverse(A), (square(1, 1),), (square(2, 2),), (square(2, 2, 2),))
row("linalg.inv", lambda L, A: L.linalg.inv(A), (square(3, 3),))
row("linalg.solve", lambda L, A, b: L.linalg.solve(A, b), (square(2, 2), real(2)), (square(2, 2), real(2, 3)),
    (square(2, 2, 2), real(2, 2, 1)), (square(2, 2, 2), real(2, 2)), (square(2, 2), real(2, 2, 1)))
row("linalg.solve right", lambda L, A, b: L.linalg.solve(A, b, left=False), (square(2, 2), real(3, 2)))
for _upper in (False, True):
    row(f"linalg.solve_triangular {'upper' if _upper else 'lower'}",
        lambda L, A, b, _upper=_upper: L.linalg.solve_triangular(A, b, upper=_upper),
        (upright(2, 2), real(2, 2)), (upright(2, 3, 3), real(2, 3, 1)))
row("linalg.solve_triangular unit, right",
    lambda L, A, b: L.linalg.solve_triangular(A, b, upper=True, left=False, unitriangular=True),
    (upright(2, 2), real(3, 2)))
row("det", lambda L, A: L.det(A), (square(1, 1),), (square(2, 2),), (square(3, 3),), (square(2, 2, 2),))
row("linalg.det", lambda L, A: L.linalg.det(A), (square(2, 2),))
row("logdet", lambda L, A: L.logdet(A), (upright(2, 2),), (upright(3, 3),), (upright(2, 2, 2),))
row("slogdet", lambda L, A: flat(L, L.slogdet(A)), (square(2, 2),), (square(3, 3),), (square(2, 2, 2),))
row("linalg.slogdet", lambda L, A: L.linalg.slogdet(A).logabsdet, (square(2, 2),))

row("cholesky", lambda L, A: L.linalg.cholesky((A + A.mT) / 2), (upright(1, 1),), (upright(2, 2),),
    (upright(3, 3),), (upright(2, 2, 2),))
row("cholesky at the top", lambda L, A: L.cholesky(A @ A.mT), (upright(2, 2),),
    peer=lambda T, A: T.linalg.cholesky(A @ A.mT))
row("cholesky upper", lambda L, A: L.linalg.cholesky(A @ A.mT, upper=True), (upright(2, 2),))
for _n in (0, 1, 2, 3, -1, -2):
    row(f"matrix_power {_n}", lambda L, A, _n=_n: L.matrix_power(A, _n), (square(2, 2),), (square(2, 2, 2),),
        analytic=_n >= 0)
row("linalg.matrix_power", lambda L, A: L.linalg.matrix_power(A, 3), (square(2, 2),), analytic=True)
row("linalg.norm", lambda L, A: L.linalg.norm(A), (real(3),), (real(2, 3),))
row("linalg.norm ord", lambda L, A: L.linalg.norm(A, 3, dim=0), (apart(3, 2),))
row("linalg.matrix_norm", lambda L, A: L.linalg.matrix_norm(A), (real(2, 3),), (real(2, 2, 2),))
for _p in (1, -1, inf, -inf):
    row(f"linalg.matrix_norm {_p}", lambda L, A, _p=_p: L.linalg.matrix_norm(A, _p), (nonzero(2, 3),))


def spaced(*shape: int) -> Spec:
    """Matrices whose eigenvalues and singular values are far from each other and from 0."""
    n = min(shape[-2:])
    return lambda rng: rng.uniform(-0.4, 0.4, shape) + np.eye(*shape[-2:]) * np.resize(1.0 + np.arange(n), shape[-1])


def outers(v: Any, weights: Any) -> Any:
    """Σ w_k v_k v_kᵀ: what does not depend on the signs of the columns v_k."""
    return (v * weights[..., None, :]) @ v.mT


row("linalg.eigvalsh", lambda L, A: L.linalg.eigvalsh(A + A.mT), (spaced(1, 1),), (spaced(2, 2),), (spaced(3, 3),),
    (spaced(2, 2, 2),))
row("linalg.eigvalsh upper", lambda L, A: L.linalg.eigvalsh(A + A.mT, UPLO="U"), (spaced(2, 2),))
row("linalg.eigh", lambda L, A: outers(L.linalg.eigh(A + A.mT).eigenvectors, L.linalg.eigh(A + A.mT)[0] ** 3),
    (spaced(1, 1),), (spaced(2, 2),), (spaced(3, 3),), (spaced(2, 2, 2),))
row("eigenvectors", lambda L, A: L.linalg.eigh(A + A.mT)[1] ** 2, (spaced(2, 2),), (spaced(3, 3),),
    (spaced(2, 2, 2),))
row("eigenvectors, upper", lambda L, A: L.linalg.eigh(A + A.mT, "U")[1][:, 0] ** 2, (spaced(2, 2),))
row("largest eigenvalue", lambda L, A: L.linalg.eigvalsh((A + A.mT) / 2)[..., -1], (spaced(2, 2),), (spaced(3, 3),))
row("linalg.svdvals", lambda L, A: L.linalg.svdvals(A), (spaced(1, 1),), (spaced(2, 2),), (spaced(2, 3),),
    (spaced(3, 2),), (spaced(2, 2, 3),))


def from_parts(L: Any, A: Any, full: bool = False) -> Any:
    """U diag(s²) Vᵀ and the squares of U and V."""
    U, S, Vh = L.linalg.svd(A, full_matrices=full)
    k = S.shape[-1]
    return flat(L, [(U[..., :k] * (S**2)[..., None, :]) @ Vh[..., :k, :], U[..., :k] ** 2, Vh[..., :k, :] ** 2])


row("linalg.svd", lambda L, A: from_parts(L, A), (spaced(2, 2),), (spaced(2, 3),), (spaced(3, 2),), (spaced(3, 3),),
    (spaced(2, 3, 2),))
row("linalg.svd full", lambda L, A: from_parts(L, A, full=True), (spaced(2, 2),), (spaced(3, 2),), (spaced(2, 3),))
row("linalg.qr", lambda L, A: flat(L, L.linalg.qr(A)), (spaced(2, 2),), (spaced(3, 2),), (spaced(2, 3),),
    (spaced(2, 3, 2),))
row("linalg.qr, R alone", lambda L, A: L.linalg.qr(A, mode="r")[1], (spaced(3, 2),),
    peer=lambda T, A: T.linalg.qr(A)[1])  # torch refuses to differentiate without Q
row("linalg.qr complete", lambda L, A: L.linalg.qr(A, mode="complete").Q, (spaced(2, 2),), (spaced(2, 3),))
for _name in ("matrix_exp", "linalg.matrix_exp"):
    row(_name, lambda L, A, _n=_name: (L.linalg if "." in _n else L).matrix_exp(A), (real(1, 1),), (real(2, 2),),
        (real(3, 3),), (real(2, 2, 2),))
row("matrix_exp of large entries", lambda L, A: L.matrix_exp(8 * A).sum(), (real(2, 2),), (real(3, 3),))
row("linalg.pinv", lambda L, A: L.linalg.pinv(A), (spaced(2, 2),), (spaced(3, 2),), (spaced(2, 3),),
    (spaced(2, 3, 2),))
row("linalg.pinv, thresholds", lambda L, A: L.linalg.pinv(A + A.mT, atol=0.1, rtol=0.01, hermitian=True), (spaced(2, 2),))
row("pinverse", lambda L, A: L.pinverse(A), (spaced(2, 3),))
row("linalg.matrix_rank", lambda L, A: L.linalg.matrix_rank(A), (raw([[1.0, 2.0], [2.0, 4.0]]),), (spaced(2, 3),),
    (raw([[[1.0, 0.0]], [[0.0, 0.0]]]),), discrete=True)
row("linalg.matrix_rank, threshold", lambda L, A: L.linalg.matrix_rank(A, atol=0.5), (raw([[1.0, 0.0], [0.0, 0.4]]),),
    discrete=True)
row("linalg.lstsq", lambda L, A, b: L.linalg.lstsq(A, b).solution, (spaced(3, 2), real(3, 2)),
    (spaced(2, 3), real(2, 1)), (spaced(2, 3, 2), real(2, 3, 1)))
row("linalg.lstsq of vectors", lambda L, A, b: L.linalg.lstsq(A, b)[0], (spaced(3, 2), real(3)),
    peer=lambda T, A, b: T.linalg.lstsq(A, b[:, None])[0][:, 0])
row("linalg.lstsq residuals", lambda L, A, b: L.linalg.lstsq(A, b).residuals, (spaced(3, 2), real(3, 2)),
    peer=lambda T, A, b: ((A @ T.linalg.lstsq(A, b)[0] - b) ** 2).sum(-2))
for _p in ("nuc", 2, -2):
    row(f"linalg.matrix_norm {_p}", lambda L, A, _p=_p: L.linalg.matrix_norm(A, _p), (spaced(2, 3),),
        (spaced(2, 2, 2),))
row("linalg.norm nuc, dim, keepdim", lambda L, A: L.linalg.norm(A, "nuc", dim=(0, 2), keepdim=True),
    (spaced(2, 3, 2),))
row("norm nuc", lambda L, A: L.norm(A, "nuc"), (spaced(2, 2),))
row("linalg.multi_dot", lambda L, *As: L.linalg.multi_dot(As), (real(2, 3), real(3, 1), real(1, 2)),
    (real(3), real(3, 2), real(2)), analytic=True)
row("linalg.matmul", lambda L, x, z: L.linalg.matmul(x, z), (real(2, 3), real(3)), analytic=True)
row("linalg.diagonal", lambda L, x: L.linalg.diagonal(x, offset=1), (real(2, 3),), analytic=True,
    peer=lambda T, x: T.linalg.diagonal(x, offset=1))
row("linalg.trace", lambda L, x: L.linalg.trace(x), (real(3, 3),), analytic=True,
    peer=lambda T, x: T.trace(x))

# ------------------------------------------------------------------ nn.functional
for _name in ("relu", "sigmoid", "tanh", "logsigmoid", "softplus"):
    row(f"F.{_name}", lambda L, x, _name=_name: getattr(L.nn.functional, _name)(x), (nonzero(),),
        (nonzero(2, 3),))
row("F.softplus beta", lambda L, x: L.nn.functional.softplus(x, 2.0), (real(3),))
row("F.softmax", lambda L, x: L.nn.functional.softmax(x, 1), (real(2, 3),))
row("F.log_softmax", lambda L, x: L.nn.functional.log_softmax(x, 1), (real(2, 3),))
row("F.linear", lambda L, x, W, b: L.nn.functional.linear(x, W, b), (real(3), real(2, 3), real(2)),
    (real(2, 3), real(2, 3), real(2)), (real(2, 1, 3), real(2, 3), real(2)), analytic=True)
row("F.linear without bias", lambda L, x, W: L.nn.functional.linear(x, W), (real(2, 3), real(2, 3)),
    (real(3), real(2, 3)), (real(3), real(3)), analytic=True)

_unit = between(0.1, 0.9)
for _r in ("mean", "sum", "none"):
    for _name in ("mse_loss", "l1_loss"):
        row(f"F.{_name} {_r}",
            lambda L, x, t, _n=_name, _r=_r: getattr(L.nn.functional, _n)(x, t, reduction=_r),
            (evens(), odds()), (evens(3), odds(3)), (evens(2, 3), odds(2, 3)), analytic=_name == "mse_loss")
    row(f"F.binary_cross_entropy {_r}",
        lambda L, p, t, _r=_r: L.nn.functional.binary_cross_entropy(p, t, reduction=_r), (_unit(), _unit()),
        (_unit(3), _unit(3)), (_unit(2, 3), _unit(2, 3)))
    row(f"F.binary_cross_entropy_with_logits {_r}",
        lambda L, z, t, _r=_r: L.nn.functional.binary_cross_entropy_with_logits(z, t, reduction=_r),
        (real(), _unit()), (real(3), _unit(3)), (real(2, 3), _unit(2, 3)))
    row(f"F.binary_cross_entropy_with_logits weight, pos_weight, {_r}",
        lambda L, z, t, w, p, _r=_r: L.nn.functional.binary_cross_entropy_with_logits(
            z, t, weight=w, pos_weight=p, reduction=_r),
        (real(3), _unit(3), _unit(3), _unit(3)), (real(2, 3), _unit(2, 3), _unit(3), _unit(3)), fixed=(2, 3))
    row(f"F.binary_cross_entropy weight, {_r}",
        lambda L, p, t, w, _r=_r: L.nn.functional.binary_cross_entropy(p, t, weight=w, reduction=_r),
        (_unit(2, 3), _unit(2, 3), _unit(3)), fixed=(2,))
    row(f"F.nll_loss {_r}",
        lambda L, x, t, w, _r=_r: L.nn.functional.nll_loss(x, t, weight=w, reduction=_r, ignore_index=1),
        (real(4, 3), ints([2, 0, 1, 2]), _unit(3)), (real(2, 3, 2), ints([[2, 0], [0, 1]]), _unit(3)),
        fixed=(2,))
    row(f"F.cross_entropy {_r}", lambda L, z, t, _r=_r: L.nn.functional.cross_entropy(z, t, reduction=_r),
        (real(2, 3), ints([2, 0])), (real(3), ints(1)), (real(2, 3, 2), ints([[2, 0], [0, 1]])))
    row(f"F.cross_entropy weight, smoothing, {_r}",
        lambda L, z, t, w, _r=_r: L.nn.functional.cross_entropy(
            z, t, weight=w, ignore_index=1, label_smoothing=0.1, reduction=_r),
        (real(4, 3), ints([2, 0, 1, 2]), _unit(3)), fixed=(2,))
    row(f"F.cross_entropy of probabilities, {_r}",
        lambda L, z, t, _r=_r: L.nn.functional.cross_entropy(z, t, reduction=_r),
        (real(2, 3), _unit(2, 3)), (real(3), _unit(3)))

# ------------------------------------------------------------------ several operations together
row("a layer", lambda L, x, W, b: L.tanh(x @ W + b).sum(), (real(2, 3), real(3, 2), real(2)), analytic=True)
row("least squares", lambda L, X, w, y: ((X @ w - y) ** 2).mean(), (real(3, 2), real(2), real(3)),
    analytic=True)
row("Rosenbrock", lambda L, x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(),
    (real(4, lo=-1, hi=1),), analytic=True)
row("Rayleigh quotient", lambda L, x, A: (x @ A @ x) / (x @ x), (nonzero(3), real(3, 3)), analytic=True)
row("Gaussian log density", lambda L, x, A: -0.5 * (x @ L.linalg.solve(A @ A.T, x)) - 0.5 * L.logdet(A @ A.T),
    (real(2), upright(2, 2)))
row("attention", lambda L, q, k, v: L.softmax(q @ k.mT / 2, -1) @ v, (real(2, 2), real(3, 2), real(3, 2)))
row("centred", lambda L, x: (x - x.mean(0, keepdim=True)) / x.std(0, keepdim=True), (real(4, 2),),
    analytic=True)
row("softmax less a detached shift", lambda L, x: L.vmap(
    lambda r: (lambda e: e / e.sum())(L.exp(r - r.detach().sum())))(x), (real(2, 3),))
row("one input used everywhere", lambda L, x: x * x.sum() + L.exp(x).prod() - x[0] * L.outer(x, x)[1],
    (real(2),), analytic=True)

# ------------------------------------------------------------------ loops; torch has none that records
def _cell(L: Any, W: Any) -> Callable[..., Any]:
    return lambda h, x: ((h := L.tanh(W @ h + x)), (h * x).sum())


row("scan", lambda L, h, X, W: flat(L, L.scan(_cell(L, W), h, X)), (real(2), real(3, 2), real(2, 2)),
    (real(2), real(0, 2), real(2, 2)), peer=None, analytic=True)
row("scan reverse", lambda L, c, x: flat(L, L.scan(lambda c, x: (L.sin(c) * x, c * c), c, x, reverse=True)),
    (real(), real(3)), peer=None, analytic=True)
row("scan length", lambda L, c: L.scan(lambda c, _: (c - 0.1 * c**3, None), c, length=4)[0], (real(),), (real(2),),
    peer=None, analytic=True)
row("scan structure",
    lambda L, a, b: flat(L, (lambda end, ys: [end["p"], *ys])(*L.scan(
        lambda c, x: ({"p": c["p"] * x + b, "n": c["n"] + 1}, [c["p"] * c["n"], x]), {"p": 1.0, "n": 0.0}, a))),
    (real(3), real()), peer=None)
row("scan in scan", lambda L, a, X: L.scan(lambda c, r: (L.scan(lambda d, x: (d * a + x * c, None), c, r)[0], None),
                                           1.0, X)[0], (real(), real(2, 2)), peer=None)
row("fori_loop", lambda L, x: L.fori_loop(1, 4, lambda i, c: L.sin(c) * x + i, x), (real(), ), (real(2),),
    peer=None, analytic=True)

ROWS += LOSS_ROWS + LAYER_ROWS + ARRAY_ROWS + ELEMENTWISE_ROWS + PIECE_ROWS + SCIPY_ROWS + WINDOW_ROWS

CASES = [case for r in ROWS for case in r.cases]
SMOOTH = [case for case in CASES if not case.row.discrete]
