"""Attention: weighted means of values, of one head or of several between linear maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.core.promotion import is_bool
from symgrad.engine.adapters import public
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ShapeError
from symgrad.functions import cat, matmul, where
from symgrad.nn.dropout import dropout
from symgrad.ops.map import show_shape
from symgrad.ops.nn.layers import attention_weights
from symgrad.ops.nn.layers import linear as linear_
from symgrad.ops.protocol import rename
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import zeros

__all__ = ["multi_head_attention_forward", "scaled_dot_product_attention"]


def _check_ranks(query: Any, key: Any, value: Any) -> None:
    for x in (query, key, value):
        if len(x.shape) < 2:
            raise ShapeError(
                "scaled_dot_product_attention: Expected query, key, and value to all be at least 2 dimensional. "
                f"Got {', '.join(show_shape(x.shape) for x in (query, key, value))}."
            )


@public
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
) -> Any:  # fmt: skip
    """Compute scaled dot-product attention, softmax(Q Kᵀ s + M) V with s = 1/√d.

    Args:
        query, key, value: Q (…, l, d), K (…, m, d) and V (…, m, e).
        attn_mask: M, broadcast to (…, l, m): numbers to add, or booleans, False at positions to ignore.
        dropout_p: the probability p that a weight is set to 0; the other weights are divided by 1 - p.
        is_causal: whether each query ignores the positions after its own.
        scale: s, by default 1/√d.
        enable_gqa: whether each head of K and V, of their third axis from the end, serves several heads of Q.

    Returns:
        A tensor (…, l, e). The row of a query whose positions are all masked is 0.

    Raises:
        ArgumentError: if both a mask and is_causal are given.
        ShapeError: if the shapes do not fit.

    >>> one = sg.ones(1, 2)
    >>> sg.nn.functional.scaled_dot_product_attention(one, one, sg.tensor([[5.0]]))
    tensor([[5.]])
    """
    if is_causal and attn_mask is not None:
        raise ArgumentError("Explicit attn_mask should not be set when is_causal=True. Put both into one mask.")
    key, value = as_tensor(key), as_tensor(value)
    _check_ranks(query, key, value)
    key, value = (_per_query_head(query, x) if enable_gqa else x for x in (key, value))
    weights = attention_weights(query, key, attn_mask, is_causal, scale)
    weights = dropout(weights, dropout_p) if dropout_p else weights
    return rename(matmul(weights, value), "ScaledDotProductFlashAttentionForCpu")


def _per_query_head(query: Any, x: Any) -> Any:
    """x with each head as often as there are heads of the query for it."""
    heads, groups = query.shape[-3], x.shape[-3]
    if heads % groups:
        raise ShapeError(f"enable_gqa: got {heads} heads of query and {groups} of key and value. Expected a divisor.")
    return x.repeat_interleave(heads // groups, -3)


def _projected(inputs: Sequence[Any], weights: Sequence[Any], bias: Any) -> Any:
    """Return Q, K and V, by a linear map each."""
    shifts = [None] * 3 if bias is None else as_tensor(bias).chunk(3)
    return (linear_(x, w, b) for x, w, b in zip(inputs, weights, shifts, strict=True))


def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any, in_proj_bias: Any,
    bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float, out_proj_weight: Any, out_proj_bias: Any,
    training: bool = True, key_padding_mask: Any = None, need_weights: bool = True, attn_mask: Any = None,
    use_separate_proj_weight: bool = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
    v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:  # fmt: skip
    """Compute attention in several heads, as ``nn.MultiheadAttention`` does.

    Each head h computes softmax(Q_h K_hᵀ/√d + M) V_h; a linear map is applied to the concatenated heads.

    Args:
        query, key, value: (l, N, E), (m, N, …) and (m, N, …), or all without N.
        embed_dim_to_check, num_heads: E, and the number of heads among which it is divided.
        in_proj_weight, in_proj_bias: (3 E, E) and (3 E,), the stacked maps to Q, K and V; or, with
            use_separate_proj_weight, ``q_proj_weight``, ``k_proj_weight`` and ``v_proj_weight``.
        bias_k, bias_v: (1, 1, E), an additional key and value, or None.
        add_zero_attn: whether to add a key and a value of zeros.
        dropout_p, training: the probability that a weight is set to 0, applied in training only.
        out_proj_weight, out_proj_bias: the map of the concatenated heads.
        key_padding_mask: (N, m), True for keys to ignore; or numbers to add.
        need_weights, average_attn_weights: whether to return the weights, and whether to average them over the heads.
        attn_mask: (l, m) or (N num_heads, l, m), True at positions to ignore; or numbers to add.
        static_k, static_v: (N num_heads, m, E/num_heads), in place of the mapped keys and values.
        is_causal: a hint that attn_mask is causal; the mask itself is still required.

    Returns:
        The result (l, N, E), and the weights: (N, l, m), or (N, num_heads, l, m) without averaging, or None.

    Raises:
        ShapeError: if the sizes do not fit.
        ArgumentError: if is_causal is set without a mask.
    """
    query, key, value = as_tensor(query), as_tensor(key), as_tensor(value)
    single = query.ndim == 2
    if single:
        query, key, value = query[:, None], key[:, None], value[:, None]
        key_padding_mask = None if key_padding_mask is None else as_tensor(key_padding_mask)[None]
    _check_heads(query, key, value, embed_dim_to_check, num_heads, attn_mask, is_causal)
    separate = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected((query, key, value), separate or as_tensor(in_proj_weight).chunk(3), in_proj_bias)
    n = query.shape[1]
    if bias_k is not None:
        k, v = (cat([x, b.expand(1, n, x.shape[2])]) for x, b in ((k, bias_k), (v, bias_v)))
    q, k, v = (_heads(x, num_heads) for x in (q, k, v))
    k, v = (x if given is None else as_tensor(given).reshape(n, num_heads, *given.shape[1:])
            for x, given in ((k, static_k), (v, static_v)))  # fmt: skip
    if add_zero_attn:
        k, v = (cat([x, zeros(n, num_heads, 1, x.shape[3], dtype=x.dtype)], 2) for x in (k, v))
    mask = _merged(attn_mask, key_padding_mask, (n, num_heads, q.shape[2], k.shape[2]), q.dtype)
    weights = attention_weights(q, k, mask, False, None)
    dropped = dropout(weights, dropout_p) if dropout_p and training else weights
    joined = matmul(dropped, v).permute(2, 0, 1, 3).flatten(2)
    y = linear_(joined, out_proj_weight, out_proj_bias)
    seen = (dropped.mean(1) if average_attn_weights else dropped) if need_weights else None
    if single:
        return y[:, 0], None if seen is None else seen[0]
    return y, seen


def _check_heads(query: Any, key: Any, value: Any, size: int, heads: int, mask: Any, causal: bool) -> None:
    shapes = [x.shape for x in (query, key, value)]
    if any(len(s) != 3 for s in shapes):
        raise ShapeError(
            f"For batched (3-D) or unbatched (2-D) `query`, expected `key` and `value` alike, but found "
            f"{', '.join(map(show_shape, shapes))}."
        )
    if query.shape[2] != size or size % heads:
        raise ShapeError(f"was expecting embedding dimension of {size}, divisible by {heads}, but got {shapes[0][2]}.")
    if shapes[1][:2] != shapes[2][:2] or shapes[0][1] != shapes[1][1]:
        raise ShapeError(
            f"sequence and batch sizes of key {shapes[1][:2]} do not match those of value {shapes[2][:2]}, or the "
            f"batch {shapes[0][1]} of query."
        )
    if causal and mask is None:
        raise ArgumentError("Need attn_mask if specifying the is_causal hint. Pass the causal mask, too.")


def _heads(x: Any, heads: int) -> Any:
    """(l, N, E) as (N, heads, l, E/heads)."""
    length, n, size = x.shape
    return x.reshape(length, n, heads, size // heads).permute(1, 2, 0, 3)


def _merged(attn: Any, padding: Any, sizes: tuple[int, ...], dtype: Any) -> Any:
    """Both masks as numbers to add to the scores (N, heads, l, m); keys that were added are examined."""
    n, heads, length, m = sizes
    masks = []
    if attn is not None:
        t = _added(attn, dtype)
        if t.ndim not in (2, 3) or t.shape[-2] != length or (t.ndim == 3 and t.shape[0] != n * heads):
            raise ShapeError(
                f"The shape of attn_mask is {show_shape(t.shape)}, but should be ({length}, {m}) or "
                f"({n * heads}, {length}, {m})."
            )
        masks.append(t if t.ndim == 2 else t.reshape(n, heads, length, t.shape[-1]))
    if padding is not None:
        t = _added(padding, dtype)
        if t.ndim != 2 or t.shape[0] != n:
            raise ShapeError(f"expecting key_padding_mask shape of ({n}, {m}), but got {show_shape(t.shape)}.")
        masks.append(t[:, None, None])
    masks = [cat([t, zeros(*t.shape[:-1], m - t.shape[-1], dtype=dtype)], -1) if t.shape[-1] < m else t for t in masks]
    return sum(masks[1:], masks[0]) if masks else None


def _added(mask: Any, dtype: Any) -> Any:
    mask = as_tensor(mask)
    return where(mask, float("-inf"), zeros((), dtype=dtype)) if is_bool(mask.dtype) else mask


check_all(globals(), __all__)
