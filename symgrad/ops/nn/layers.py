"""Layers of a few operations each: linear, bilinear, embedding, one-hot rows, the weights of attention."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from symgrad.core.node import Shape
from symgrad.core.promotion import is_bool
from symgrad.errors import ArgumentError, IndexRangeError, ShapeError
from symgrad.ops.contract import LETTERS, Einsum, mT
from symgrad.ops.contract import matmul as _matmul
from symgrad.ops.convert import DETACH, Cast
from symgrad.ops.elementwise.declared import BINARY, where
from symgrad.ops.indexing.lookup import lookup
from symgrad.ops.keys import Positions, integers, is_unknown
from symgrad.ops.map import ADD, MUL, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.reductions.extremes import Extreme
from symgrad.ops.reductions.softmax import Softmax
from symgrad.ops.shape import Reshape, total
from symgrad.ops.shapes.sizes import whole
from symgrad.ops.slicing import Gather


def _without_gradient(rows: Any, at: Any, padding_idx: int, n: Any) -> Any:
    """Return rows of which those at one index get no gradient."""
    if not -n <= padding_idx < n:
        raise ArgumentError(f"padding_idx must be within num_embeddings. Got {padding_idx} for {n} rows.")
    return rename(where((at != padding_idx % n)[..., None], rows, DETACH(rows)), "Embedding")


def embedding(input: Any, weight: Any, padding_idx: int | None = None) -> Any:
    """Return the rows of the weight at the indices: y[i] = W[input[i]].

    Args:
        input: integer tensor, any shape.
        weight: W, (n, d).
        padding_idx: a row that receives no gradient.

    Returns:
        A tensor (*input.shape, d). The gradients of repeated rows are added.

    Raises:
        IndexRangeError: if an index lies outside 0..n-1.
        ShapeError: if the weight is not a matrix.

    >>> sg.nn.functional.embedding(sg.tensor([1, 0]), sg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[3., 4.],
            [1., 2.]])
    """
    if len(shape(weight)) != 2:
        raise ShapeError(f"'weight' must be 2-D. Got shape {show_shape(shape(weight))}; pass one row per index.")
    if is_unknown(input):
        at, rows = input, rename(lookup(weight, ((0, input),)), "Embedding")
    else:
        at = integers(input, "embedding")
        if np.any(np.asarray(at) < 0):
            raise IndexRangeError(f"embedding: got index {np.min(at)}. Pass indices from 0 to {shape(weight)[0] - 1}.")
        rows = Gather(((0, Positions(at)),), "Embedding")(weight)
    return rows if padding_idx is None else _without_gradient(rows, at, padding_idx, shape(weight)[0])


def one_hot(input: Any, num_classes: int = -1) -> Any:
    """Return a tensor with a new last axis, which is 1 at the class and 0 elsewhere.

    Args:
        input: classes, an integer tensor of any shape.
        num_classes: the number of classes; -1 for one more than the largest class.

    Returns:
        An integer tensor (*input.shape, num_classes).

    Raises:
        ArgumentError: if a class is negative, or not less than num_classes.

    >>> sg.nn.functional.one_hot(sg.tensor([2, 0]))
    tensor([[0, 0, 1],
            [1, 0, 0]])
    """
    num_classes = whole(num_classes)
    if not (is_unknown(input) and num_classes > 0):
        num_classes = _count_of(integers(input, "one_hot"), num_classes)
    column = Reshape((*shape(input), 1))(input)
    return Cast(np.dtype(np.int64))(BINARY["eq"](column, np.arange(num_classes)))


def _count_of(classes: Any, num_classes: int) -> int:
    """Return the number of classes, after checking them."""
    if num_classes == -1:
        if classes.size == 0:
            raise ArgumentError("Can not infer total number of classes from empty tensor. Pass num_classes.")
        num_classes = int(classes.max()) + 1
    if classes.size and classes.min() < 0:
        raise ArgumentError(f"Class values must be non-negative. Got {classes.min()}.")
    if classes.size and classes.max() >= num_classes:
        raise ArgumentError(f"Class values must be smaller than num_classes. Got {classes.max()} of {num_classes}.")
    return num_classes


def attention_weights(query: Any, key: Any, mask: Any, is_causal: bool, scale: float | None) -> Any:
    """softmax(Q Kᵀ s + M), s = 1/√d: what attention looks at; 0 in a row that may look nowhere."""
    scores = MUL(_matmul(query, mT(key)), 1 / sqrt(shape(query)[-1] or 1) if scale is None else scale)
    mask = np.tri(*shape(scores)[-2:], dtype=bool) if is_causal else mask
    if mask is None:
        return _softmax(scores)
    if not is_bool(getattr(mask, "dtype", np.asarray(0.0).dtype)):
        return _softmax_of_rows(ADD(scores, mask))
    return where(mask, _softmax(where(mask, scores, float("-inf"))), 0.0)


def _softmax_of_rows(scores: Any) -> Any:
    """The softmax along rows; 0 in a row that is -∞ all along, where the softmax has no value."""
    known = getattr(scores, "_value", scores)
    rows = (len(shape(scores)) - 1,)
    if 0 in shape(scores) or (known is not None and not np.any(np.all(np.isneginf(known), axis=-1))):
        return _softmax(scores)
    seen = BINARY["ne"](Extreme(rows, True)(scores), float("-inf"))
    return where(seen, _softmax(where(seen, scores, 0.0)), 0.0)


def _softmax(scores: Any) -> Any:
    return Softmax((len(shape(scores)) - 1,))(scores)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """Return x₁ᵀ Wₖ x₂ + bₖ for each k.

    Args:
        input1, input2: x₁ (…, n) and x₂ (…, m).
        weight: W (p, n, m).
        bias: b (p,).

    Returns:
        A tensor (…, p).

    Raises:
        ShapeError: if the sizes do not fit.

    >>> sg.nn.functional.bilinear(sg.ones(1, 2), sg.ones(1, 3), sg.ones(4, 2, 3)).shape
    (1, 4)
    """
    s1, s2, w = shape(input1), shape(input2), shape(weight)
    if len(w) != 3 or not s1 or s1[:-1] != s2[:-1] or (s1[-1], s2[-1]) != w[1:]:
        raise ShapeError(
            f"bilinear(): got input1 {show_shape(s1)}, input2 {show_shape(s2)} and weight {show_shape(w)}. "
            "Expected (…, n), (…, m) and (p, n, m)."
        )
    lead = LETTERS[3 : len(s1) + 2]
    y = Einsum.of(f"{lead}a,cab,{lead}b->{lead}c")(input1, weight, input2)
    return y if bias is None else ADD(y, bias)


def linear(input: Any, weight: Any, bias: Any = None) -> Any:
    """Return X Wᵀ + b along the last axis.

    Args:
        input: X (…, n).
        weight: W (m, n), or (n,) for one output without an axis.
        bias: b (m,), or () with a weight (n,).

    Returns:
        A tensor (…, m), or (…) with a weight (n,).

    Raises:
        ShapeError: if n differs, or weight has more than two axes.

    >>> sg.nn.functional.linear(sg.ones(2, 3), sg.ones(4, 3)).shape
    (2, 4)
    """
    p, q = shape(input), shape(weight)
    if not p or len(q) not in (1, 2) or p[-1] != q[-1]:
        raise ShapeError(_misfit(p, q))
    lead = LETTERS[2 : len(p) + 1]
    out = "a" if len(q) == 2 else ""
    name = {1: "Squeeze" if out else "Dot", 2: "Mm" if out else "Mv"}.get(len(p), "View")
    y = Einsum.of(f"{lead}b,{out}b->{lead}{out}", name)(input, weight)
    if bias is None:
        return y
    _check_bias(shape(y), shape(bias))
    return rename(ADD(y, bias), {2: "Addmm"}.get(len(p), "View"))


def _check_bias(s: Shape, bias: Shape) -> None:
    for back, (n, m) in enumerate(zip(s[::-1], bias[::-1]), 1):
        if m not in (1, n):
            raise ShapeError(
                f"The expanded size of the tensor ({n}) must match the existing size ({m}) at non-singleton "
                f"dimension {len(s) - back}.  Target sizes: {show_shape(s)}.  "
                f"Tensor sizes: {show_shape(bias)}. Pass a bias of shape {show_shape(s[-1:])}."
            )
    if len(bias) > len(s):
        raise ShapeError(f"linear: bias {show_shape(bias)} has more axes than the output {show_shape(s)}.")


def _misfit(p: Shape, q: Shape) -> str:
    rows = total(p[:-1]) if p else 1
    if len(q) == 2 and p:
        text = f"mat1 and mat2 shapes cannot be multiplied ({rows}x{p[-1]} and {q[1]}x{q[0]})"
    else:
        text = "size mismatch"
    return f"{text}. Got input {show_shape(p)} and weight {show_shape(q)}; expected (…, n) and (m, n)."
