"""Rows of the test table for layers: normalisation, embedding, attention; collected in cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from table import Row, Spec, between, bools, ints, nonzero, raw, real

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **known))


# fmt: off
_positive = between(0.3, 2.0)
row("F.layer_norm", lambda L, x, w, b: L.nn.functional.layer_norm(x, (3,), w, b), (real(3), real(3), real(3)),
    (real(2, 3), real(3), real(3)))
row("F.layer_norm over two", lambda L, x: L.nn.functional.layer_norm(x, (3, 2), eps=1e-3), (real(2, 3, 2),))
row("F.rms_norm", lambda L, x, w: L.nn.functional.rms_norm(x, (3,), w), (real(3), real(3)), (real(2, 3), real(3)))
row("F.rms_norm eps", lambda L, x: L.nn.functional.rms_norm(x, (2,), eps=0.1), (real(3, 2),))
row("F.group_norm", lambda L, x, w, b: L.nn.functional.group_norm(x, 2, w, b), (real(2, 4), real(4), real(4)),
    (real(1, 2, 3), real(2), real(2)))
row("F.dropout", lambda L, x: L.nn.functional.dropout(x, 0.5, training=False), (real(2, 3),), analytic=True)
row("F.batch_norm training", lambda L, x, w, b: L.nn.functional.batch_norm(x, None, None, w, b, training=True),
    (real(3, 2), real(2), real(2)), (real(2, 2, 2), real(2), real(2)))
row("F.batch_norm of vectors", lambda L, x, m, v, w, b: L.nn.functional.batch_norm(x, m, v, w, b, training=True),
    (real(4, 3), real(3), between(0.5, 2.0)(3), real(3), real(3)),
    (real(3, 1), real(1), between(0.5, 2.0)(1), real(1), real(1)), fixed=(1, 2))
row("F.batch_norm without entries", lambda L, x: L.nn.functional.batch_norm(x, None, None, training=True),
    (raw([]),), (real(0, 3),))
row("F.batch_norm by running statistics", lambda L, x, m, v, w: L.nn.functional.batch_norm(x, m, v, w),
    (real(3, 2), real(2), _positive(2), real(2)), (real(1, 2, 2), real(2), _positive(2), real(2)), fixed=(1, 2))
row("F.instance_norm", lambda L, x, w, b: L.nn.functional.instance_norm(x, weight=w, bias=b),
    (real(2, 2, 3), real(2), real(2)))


def running(name: str, L: Any, x: Any, m: Any, v: Any, **known: Any) -> Any:
    """The running statistics after one batch."""
    m, v = m.detach().clone(), v.detach().clone()
    getattr(L.nn.functional, name)(x, m, v, momentum=0.3, **known)
    return L.cat([m, v])


row("F.batch_norm, running statistics", lambda L, x, m, v: running("batch_norm", L, x, m, v, training=True),
    (raw(np.arange(6.0).reshape(3, 2) ** 2), raw([1.0, 2.0]), raw([1.0, 2.0])), discrete=True)
row("F.instance_norm, running statistics", lambda L, x, m, v: running("instance_norm", L, x, m, v),
    (raw(np.arange(12.0).reshape(2, 2, 3) ** 2), raw([1.0, 2.0]), raw([1.0, 2.0])), discrete=True)

row("F.embedding", lambda L, i, W: L.nn.functional.embedding(i, W), (ints([2, 0, 2]), real(3, 2)),
    (ints([[0, 1], [1, 1]]), real(2, 3)), (ints(1), real(2, 2)), analytic=True)
row("F.embedding padding_idx", lambda L, i, W: L.nn.functional.embedding(i, W, padding_idx=-1) ** 2,
    (ints([0, 1, 0, 1]), real(3, 2)))
row("F.one_hot", lambda L, i: L.nn.functional.one_hot(i), (ints([2, 0]),), (ints([[1, 0]]),), discrete=True)
row("F.one_hot num_classes", lambda L, i: L.nn.functional.one_hot(i, 4), (ints([2, 0]),), (ints(1),), discrete=True)
_qkv = real(2, 2), real(3, 2), real(3, 2)
row("F.scaled_dot_product_attention",
    lambda L, q, k, v: L.nn.functional.scaled_dot_product_attention(q, k, v), _qkv,
    (real(2, 2, 1), real(2, 1, 1), real(2, 1, 3)))
row("F.scaled_dot_product_attention, mask of numbers, scale",
    lambda L, q, k, v, m: L.nn.functional.scaled_dot_product_attention(q, k, v, m, scale=0.3), (*_qkv, real(2, 3)))
row("F.scaled_dot_product_attention, mask",
    lambda L, q, k, v, m: L.nn.functional.scaled_dot_product_attention(q, k, v, m),
    (*_qkv, bools([[True, False, True], [True, True, False]])))
row("F.scaled_dot_product_attention, causal",
    lambda L, q, k, v: L.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), _qkv)
row("F.bilinear", lambda L, x, z, W, b: L.nn.functional.bilinear(x, z, W, b),
    (real(2, 2), real(2, 3), nonzero(2, 2, 3), real(2)), (real(2), real(1), real(1, 2, 1), real(1)), analytic=True)
