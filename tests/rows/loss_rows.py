"""Rows of the test table for losses and distances; collected in cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from table import Row, Spec, apart, between, evens, ints, nonzero, odds, raw, real

ROWS: list[Row] = []


def row(name: str, f: Callable[..., Any], *samples: tuple[Spec, ...], **known: Any) -> None:
    """Add a row."""
    ROWS.append(Row(name, f, samples, **known))


# fmt: off
_unit = between(0.1, 0.9)
_positive = between(0.3, 2.0)
_signs, _table = raw([1.0, -1.0, -1.0]), raw([[1.0, -1.0, -1.0], [-1.0, 1.0, 1.0]])
for _r in ("mean", "sum", "none"):
    row(f"F.smooth_l1_loss {_r}", lambda L, x, t, _r=_r: L.nn.functional.smooth_l1_loss(x, t, reduction=_r, beta=0.7),
        (evens(), odds()), (evens(4), odds(4)), (evens(2, 3), odds(2, 3)))
    row(f"F.huber_loss {_r}", lambda L, x, t, _r=_r: L.nn.functional.huber_loss(x, t, reduction=_r, delta=0.8),
        (evens(4), odds(4)), (evens(2, 3), odds(2, 3)))
    row(f"F.kl_div {_r}", lambda L, x, t, _r=_r: L.nn.functional.kl_div(x, t, reduction=_r), (real(3), _unit(3)),
        (real(2, 3), _unit(2, 3)))
    row(f"F.gaussian_nll_loss {_r}",
        lambda L, x, t, v, _r=_r: L.nn.functional.gaussian_nll_loss(x, t, v, reduction=_r),
        (real(3), real(3), _positive(3)), (real(2, 3), real(2, 3), _positive(2, 1)),
        (real(2, 3), real(2, 3), _positive(2)))
    row(f"F.poisson_nll_loss {_r}", lambda L, x, t, _r=_r: L.nn.functional.poisson_nll_loss(x, t, reduction=_r),
        (real(3), _positive(3)), (real(2, 3), _positive(2, 3)))
    row(f"F.hinge_embedding_loss {_r}",
        lambda L, x, t, _r=_r: L.nn.functional.hinge_embedding_loss(x, t, margin=0.6, reduction=_r),
        (apart(3), _signs), (apart(2, 3), _table), fixed=(1,))
    row(f"F.margin_ranking_loss {_r}",
        lambda L, a, b, t, _r=_r: L.nn.functional.margin_ranking_loss(a, b, t, margin=0.1, reduction=_r),
        (evens(3), odds(3), _signs), (evens(2, 3), odds(2, 3), _table), fixed=(2,))
    row(f"F.soft_margin_loss {_r}", lambda L, x, t, _r=_r: L.nn.functional.soft_margin_loss(x, t, reduction=_r),
        (real(3), _signs), (real(2, 3), _table), fixed=(1,))
    row(f"F.triplet_margin_loss {_r}",
        lambda L, a, p, n, _r=_r: L.nn.functional.triplet_margin_loss(a, p, n, reduction=_r),
        (nonzero(2, 3), nonzero(2, 3), nonzero(2, 3)))
    row(f"F.cosine_embedding_loss {_r}",
        lambda L, a, b, t, _r=_r: L.nn.functional.cosine_embedding_loss(a, b, t, margin=-0.9, reduction=_r),
        (nonzero(3, 2), nonzero(3, 2), _signs), fixed=(2,))
row("F.cosine_embedding_loss of vectors", lambda L, a, b, t: L.nn.functional.cosine_embedding_loss(a, b, t),
    (nonzero(3), nonzero(3), ints(1)))
row("F.smooth_l1_loss beta 0", lambda L, x, t: L.nn.functional.smooth_l1_loss(x, t, beta=0.0), (evens(3), odds(3)))
row("F.kl_div batchmean, log_target",
    lambda L, x, t: L.nn.functional.kl_div(x, t, reduction="batchmean", log_target=True), (real(2, 3), real(2, 3)))
row("F.kl_div of zeros", lambda L, x, t: L.nn.functional.kl_div(x, t, reduction="sum"),
    (real(3), raw([0.0, 0.3, 0.7])), fixed=(1,))
row("F.gaussian_nll_loss full", lambda L, x, t, v: L.nn.functional.gaussian_nll_loss(x, t, v, full=True, eps=1e-3),
    (real(3), real(3), _positive(3)))
row("F.poisson_nll_loss of rates, full",
    lambda L, x, t: L.nn.functional.poisson_nll_loss(x, t, log_input=False, full=True),
    (_positive(4), raw([0.0, 1.0, 2.0, 5.0])), fixed=(1,))
row("F.triplet_margin_loss swap, p", lambda L, a, p, n: L.nn.functional.triplet_margin_loss(a, p, n, 2.5, 3, swap=True),
    (nonzero(2, 3), nonzero(2, 3), nonzero(2, 3)))
row("F.pairwise_distance", lambda L, a, b: L.nn.functional.pairwise_distance(a, b), (evens(3), odds(3)),
    (evens(2, 3), odds(2, 3)), (evens(2, 3), odds(3)))
row("F.pairwise_distance p, keepdim", lambda L, a, b: L.nn.functional.pairwise_distance(a, b, 3, keepdim=True),
    (evens(2, 3), odds(2, 3)))
row("F.cosine_similarity", lambda L, a, b: L.nn.functional.cosine_similarity(a, b), (nonzero(2, 3), nonzero(2, 3)),
    (nonzero(2, 3), nonzero(1, 3)), (nonzero(2, 3, 2), nonzero(2, 3, 2)))
row("F.cosine_similarity of vectors", lambda L, a, b: L.nn.functional.cosine_similarity(a, b, dim=-1),
    (nonzero(3), nonzero(3)))
row("F.normalize", lambda L, x: L.nn.functional.normalize(x), (nonzero(2, 3),), (nonzero(2, 3, 2),))
row("F.normalize p, dim", lambda L, x: L.nn.functional.normalize(x, 1, dim=0), (nonzero(3),), (nonzero(2, 3),))
