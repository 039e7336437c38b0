"""Rows of the test table for networks on grids: windows of three axes, pools, resampling, bags, alignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from table import Row, Spec, apart, between, ints, nonzero, raw, real

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **known))


# fmt: off
positive = between(0.3, 2.0)
row("F.conv3d", lambda L, x, W, b: L.nn.functional.conv3d(x, W, b, stride=(1, 2, 1), padding=(0, 1, 0)),
    (real(1, 1, 2, 2, 2), real(2, 1, 1, 2, 2), real(2)), analytic=True)
row("F.conv_transpose3d", lambda L, x, W: L.nn.functional.conv_transpose3d(x, W, stride=(1, 2, 1), padding=(0, 1, 0)),
    (real(1, 1, 1, 2, 2), real(1, 2, 1, 2, 1)), analytic=True)
row("F.max_pool3d", lambda L, x: L.nn.functional.max_pool3d(x, 2, stride=1), (apart(1, 2, 3, 2),))
row("F.avg_pool3d", lambda L, x: L.nn.functional.avg_pool3d(x, (1, 2, 2), padding=(0, 1, 0)), (real(1, 1, 2, 2),),
    analytic=True)
row("F.adaptive_avg_pool3d", lambda L, x: L.nn.functional.adaptive_avg_pool3d(x, (1, 2, None)), (real(1, 1, 3, 2),),
    analytic=True)
row("F.adaptive_max_pool1d", lambda L, x: L.nn.functional.adaptive_max_pool1d(x, 3), (apart(1, 2, 5),))
row("F.adaptive_max_pool2d", lambda L, x: L.nn.functional.adaptive_max_pool2d(x, (2, None)), (apart(1, 1, 3, 2),))
row("F.adaptive_max_pool3d", lambda L, x: L.nn.functional.adaptive_max_pool3d(x, (1, 2, 2)), (apart(1, 1, 3, 2),))
row("places of F.adaptive_max_pool2d", lambda L, x: L.nn.functional.adaptive_max_pool2d(x, (2, 3), True)[1],
    (apart(1, 1, 5, 4),), discrete=True)
for _d in (2, 3):
    row(f"F.fractional_max_pool{_d}d", lambda L, x, u, _d=_d: getattr(L.nn.functional, f"fractional_max_pool{_d}d")(
        x, (*(1,) * (_d - 1), 2), output_size=(*(1,) * (_d - 1), 2), _random_samples=u),
        (apart(1, 1, *(2,) * (_d - 1), 4), raw([[[0.3] * _d]])), fixed=(1,))
for _d, _s in ((1, (1, 5)), (2, (1, 3, 2)), (3, (1, 2, 2, 2))):
    row(f"F.lp_pool{_d}d", lambda L, x, _d=_d: getattr(L.nn.functional, f"lp_pool{_d}d")(x, 3, 2, 1), (positive(*_s),))
    row(f"F.max_unpool{_d}d", lambda L, x, _d=_d: getattr(L.nn.functional, f"max_unpool{_d}d")(
        *getattr(L.nn.functional, f"max_pool{_d}d")(x, 2, return_indices=True), 2), (apart(1, *(2,) * (_d - 1), 4),))
row("F.interpolate nearest", lambda L, x: L.nn.functional.interpolate(x, 5), (real(1, 1, 3),), analytic=True)
row("F.interpolate linear", lambda L, x: L.nn.functional.interpolate(x, scale_factor=1.7, mode="linear"),
    (real(1, 2, 3),), analytic=True)
row("F.interpolate bilinear", lambda L, x: L.nn.functional.interpolate(x, (3, 2), mode="bilinear", align_corners=True),
    (real(1, 1, 2, 3),), analytic=True)
row("F.interpolate bicubic", lambda L, x: L.nn.functional.interpolate(x, (2, 3), mode="bicubic"),
    (real(1, 1, 3, 2),), analytic=True)
row("F.interpolate antialias", lambda L, x: L.nn.functional.interpolate(x, (2, 2), mode="bilinear", antialias=True),
    (real(1, 1, 3, 5),), analytic=True, peer=None)  # torch has no second derivative of it
row("F.interpolate area", lambda L, x: L.nn.functional.interpolate(x, 2, mode="area"), (real(1, 1, 3),), analytic=True)
_places = [[[[-0.9, 0.3], [0.2, -0.4]], [[1.1, 0.7], [0.1, 0.6]]]]
row("F.grid_sample", lambda L, x: L.nn.functional.grid_sample(x, L.tensor(_places, dtype=x.dtype), align_corners=False),
    (real(1, 1, 2, 3),), analytic=True)
row("F.affine_grid", lambda L, t: L.nn.functional.affine_grid(t, (1, 1, 2, 3), align_corners=True), (real(1, 2, 3),),
    analytic=True)
row("F.upsample", lambda L, x: L.nn.functional.upsample(x, scale_factor=2), (real(1, 1, 2),), analytic=True)
row("F.pixel_shuffle", lambda L, x: L.nn.functional.pixel_shuffle(x, 2), (real(4, 1, 2),), (real(1, 4, 1, 1),),
    analytic=True)
row("F.pixel_unshuffle", lambda L, x: L.nn.functional.pixel_unshuffle(x, 2), (real(1, 2, 4),), analytic=True)
row("F.channel_shuffle", lambda L, x: L.nn.functional.channel_shuffle(x, 2), (real(1, 4, 2),), analytic=True)
row("F.local_response_norm", lambda L, x: L.nn.functional.local_response_norm(x, 3, 0.5, 0.7, 1.5), (real(1, 3, 2),))
row("F.pdist", lambda L, x: L.nn.functional.pdist(x), (nonzero(3, 2),), peer=lambda T, x: T.stack(
    [T.linalg.vector_norm(x[i] - x[j]) for i in range(3) for j in range(i + 1, 3)]))

row("F.relu in place", lambda L, x: L.nn.functional.relu(x * 2, inplace=True), (apart(3),))
row("F.rrelu", lambda L, x: L.nn.functional.rrelu(x), (apart(3),))
for _d, _s in ((1, (2, 3)), (2, (1, 2, 2, 1)), (3, (1, 2, 1, 2))):
    row(f"F.dropout{_d}d", lambda L, x, _d=_d: getattr(L.nn.functional, f"dropout{_d}d")(x, training=False),
        (real(*_s),), analytic=True)
row("F.alpha_dropout", lambda L, x: L.nn.functional.alpha_dropout(x), (real(3),), analytic=True)
row("F.feature_alpha_dropout", lambda L, x: L.nn.functional.feature_alpha_dropout(x), (real(2, 3),), analytic=True)

_bag = ints([0, 2, 2, 1])
row("F.embedding_bag", lambda L, i, o, W: L.nn.functional.embedding_bag(i, W, o), (_bag, ints([0, 2, 2]), real(3, 2)),
    peer=lambda T, i, o, W: T.stack([W[i[:2]].mean(0), W[0] * 0, W[i[2:]].mean(0)]))
row("F.embedding_bag sum, weights",
    lambda L, i, W, w: L.nn.functional.embedding_bag(i, W, mode="sum", per_sample_weights=w),
    (ints([[0, 2], [2, 2]]), real(3, 2), real(2, 2)), peer=lambda T, i, W, w: (W[i] * w[..., None]).sum(1))
row("F.embedding_bag max", lambda L, i, W: L.nn.functional.embedding_bag(i, W, mode="max", padding_idx=1),
    (ints([[0, 2, 1], [1, 0, 2]]), apart(3, 2)), peer=lambda T, i, W: T.stack([W[[0, 2]].amax(0)] * 2))
row("F.scaled_dot_product_attention, heads",
    lambda L, q, k, v: L.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True),
    (real(2, 1, 2), real(1, 2, 2), real(1, 2, 1)))

row("F.multilabel_margin_loss", lambda L, x, t: L.nn.functional.multilabel_margin_loss(x, t),
    (apart(2, 3), ints([[2, 0, -1], [1, -1, 0]])), peer=None)  # torch has no second derivative of it
row("F.multilabel_soft_margin_loss", lambda L, x, t, w: L.nn.functional.multilabel_soft_margin_loss(x, t, w),
    (real(2, 3), raw(np.eye(3)[:2]), positive(3)), fixed=(1,))
row("F.triplet_margin_with_distance_loss",
    lambda L, a, p, n: L.nn.functional.triplet_margin_with_distance_loss(a, p, n, margin=2.5, swap=True),
    (nonzero(2, 3), nonzero(2, 3), nonzero(2, 3)))
row("F.ctc_loss", lambda L, x, t: L.nn.functional.ctc_loss(x.log_softmax(-1), t, L.tensor([2]), L.tensor([1]), 1),
    (real(2, 1, 2), ints([[0]])), peer=None)  # torch has no second derivative of it
