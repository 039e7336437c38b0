"""Rows of the test table for operations on arrays: sorting, padding, windows, differences; collected in cases."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any

from table import Row, Spec, apart, bools, evens, ints, odds, raw, real

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **known))


TIES = raw([float(k % 3) for k in range(60)])  # more than sorting by insertion, which is stable, is used for

# fmt: off
row("sort", lambda L, x: L.sort(x).values, (apart(4),), (apart(2, 3),), (apart(),), (apart(3),))
row("sort dim, descending", lambda L, x: L.sort(x, 0, descending=True)[0], (apart(3, 2),))
row("order of sort", lambda L, x: L.sort(x, stable=True).indices, (raw([2.0, 1.0, 2.0, 1.0]),), (ints([3, 1, 2]),),
    discrete=True)
row("argsort", lambda L, x: L.argsort(x, dim=0), (apart(4),), (apart(3, 2),), discrete=True)
row("argsort descending", lambda L, x: L.argsort(x, descending=True), (apart(4),), (apart(2, 3),), discrete=True)
row("argsort of ties", lambda L, x: L.argsort(x, stable=True), (TIES,), discrete=True)
row("argsort of ties, descending", lambda L, x: L.argsort(x, descending=True, stable=True), (TIES,), discrete=True)
row("topk", lambda L, x: L.topk(x, 2).values, (apart(4),), (apart(2, 3),), (apart(3),))
row("topk smallest, dim", lambda L, x: L.topk(x, 1, 0, largest=False).values, (apart(3, 2),))
row("indices of topk", lambda L, x: L.topk(x, 2).indices, (apart(4),), discrete=True)
row("kthvalue", lambda L, x: L.kthvalue(x, 2).values, (apart(3),), (apart(2, 4),))
row("kthvalue keepdim", lambda L, x: L.kthvalue(x, 1, 0, keepdim=True).values, (apart(3, 2),))
row("median", lambda L, x: L.median(x), (apart(3),), (apart(4),), (apart(2, 2),), (apart(),))
row("median dim", lambda L, x: L.median(x, 1).values, (apart(2, 3),), (apart(2, 4),))
row("index of median", lambda L, x: L.median(x, 0, keepdim=True).indices, (apart(3, 2),), discrete=True)
row("cummax", lambda L, x: L.cummax(x, 0).values, (apart(4),), (apart(3, 2),), (apart(),))
row("cummin", lambda L, x: L.cummin(x, -1).values, (apart(4),), (apart(2, 3),))
row("indices of cummax, cummin", lambda L, x: L.cummax(x, 0).indices + 10 * L.cummin(x, 0).indices,
    (raw([1.0, 3.0, 3.0, 0.0, 3.0]),), discrete=True)

row("F.pad", lambda L, x: L.nn.functional.pad(x, (1, 2)), (real(3),), (real(2, 3),), analytic=True)
row("F.pad value, two axes", lambda L, x: L.nn.functional.pad(x, (1, 0, -1, 2), value=3.0), (real(2, 3),))
for _mode in ("reflect", "replicate", "circular"):
    row(f"F.pad {_mode}", lambda L, x, _m=_mode: L.nn.functional.pad(x, (2, 1), mode=_m), (real(1, 4),),
        (real(1, 2, 3),), analytic=True)
row("F.conv1d", lambda L, x, W, b: L.nn.functional.conv1d(x, W, b), (real(1, 2, 4), real(2, 2, 2), real(2)),
    (real(1, 3), real(1, 1, 2), real(1)), analytic=True)
row("F.conv1d stride, padding, dilation, groups",
    lambda L, x, W: L.nn.functional.conv1d(x, W, stride=2, padding=1, dilation=2, groups=2),
    (real(1, 2, 5), real(2, 1, 2)), analytic=True)
row("F.conv1d same", lambda L, x, W: L.nn.functional.conv1d(x, W, padding="same"), (real(1, 1, 3), real(1, 1, 2)),
    analytic=True)
row("F.conv2d", lambda L, x, W, b: L.nn.functional.conv2d(x, W, b, stride=(1, 2), padding=(0, 1)),
    (real(1, 1, 3, 3), real(2, 1, 2, 2), real(2)), analytic=True)
row("F.max_pool1d", lambda L, x: L.nn.functional.max_pool1d(x, 2, stride=1), (apart(1, 2, 3),), (apart(1, 4),))
row("F.max_pool2d", lambda L, x: L.nn.functional.max_pool2d(x, 2, padding=1), (apart(1, 1, 2, 2),))
row("F.avg_pool1d", lambda L, x: L.nn.functional.avg_pool1d(x, 2, stride=1), (real(1, 2, 3),), analytic=True)
row("F.avg_pool2d", lambda L, x: L.nn.functional.avg_pool2d(x, 2, padding=1, count_include_pad=False),
    (real(1, 1, 2, 3),), analytic=True)

row("F.max_pool1d ceil", lambda L, x: L.nn.functional.max_pool1d(x, 2, 2, 1, 1, True), (apart(1, 4),))
row("places of F.max_pool2d", lambda L, x: L.nn.functional.max_pool2d(x, (2, 1), 2, (1, 0), 1, True, True)[1],
    (apart(1, 4, 3),), discrete=True)
row("F.avg_pool1d ceil", lambda L, x: L.nn.functional.avg_pool1d(x, 3, 2, 1, True, False), (real(1, 4),), analytic=True)
row("F.avg_pool2d ceil", lambda L, x: L.nn.functional.avg_pool2d(x, 2, 2, 1, True, True) +
    L.nn.functional.avg_pool2d(x, 2, 2, 1, True, True, 3), (real(1, 3, 2),), analytic=True)
row("gradient", lambda L, x: L.gradient(x, spacing=0.5)[0], (real(4),), (real(3, 2),), analytic=True)
row("gradient at places", lambda L, x, t: L.gradient(x, spacing=(t,), dim=1, edge_order=2)[0],
    (real(1, 4), raw([0.0, 0.5, 2.0, 3.0])), fixed=(1,), analytic=True)
row("diff", lambda L, x: L.diff(x), (real(4),), (real(2, 3),), analytic=True)
row("diff twice, dim, joined", lambda L, x, p, a: L.diff(x, 2, 0, prepend=p, append=a),
    (real(2, 2), real(1, 2), real(1, 2)), analytic=True)
row("dist", lambda L, x, z: L.dist(x, z), (evens(3), odds(3)), (evens(2, 3), odds(3)))


def between_rows(p: float) -> Callable[..., Any]:
    """What torch's cdist is, whose own second derivative is not there for all norms."""
    return lambda T, x, z: T.linalg.vector_norm(x[..., :, None, :] - z[..., None, :, :], p, dim=-1)


row("cdist", lambda L, x, z: L.cdist(x, z), (evens(2, 3), odds(3, 3)), (evens(2, 2, 2), odds(2, 1, 2)),
    peer=between_rows(2))
row("cdist p", lambda L, x, z: L.cdist(x, z, 1.0), (evens(2, 2), odds(1, 2)), peer=between_rows(1))
row("nansum", lambda L, x: L.nansum(x), (real(3),), (real(2, 3),))
row("nansum where some are nan", lambda L, x: L.nansum(x, 0),
    (raw([[1.0, nan], [2.0, 5.0]]),), discrete=True)
row("count_nonzero", lambda L, x: L.count_nonzero(x), (raw([0.0, 2.0, nan]),), (bools([True, False]),), discrete=True)
row("count_nonzero dim", lambda L, x: L.count_nonzero(x, 1), (ints([[0, 2], [1, 1]]),), discrete=True)
