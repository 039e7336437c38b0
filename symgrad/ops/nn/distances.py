"""How far apart vectors are: distances and cosines of pairs, of all pairs, and of whole arrays; unit vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.errors import ShapeError
from symgrad.ops.contract import sum_axes
from symgrad.ops.elementwise.declared import CLAMP_MIN
from symgrad.ops.keys import Positions
from symgrad.ops.linalg.norms import vector_norm
from symgrad.ops.map import ADD, DIV, MUL, SUB, broadcast_shapes, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Expand, Reshape, axis_of
from symgrad.ops.slicing import Gather


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """Return ‖x₁ - x₂ + ε‖ₚ over the last axis.

    Args:
        x1, x2: (…, n), broadcast against each other.
        p: the order of the norm.
        eps: ε, added to each entry of the difference.
        keepdim: keep the last axis with length one.

    Returns:
        The distances (…).

    Raises:
        ShapeError: if the shapes do not broadcast.

    >>> sg.nn.functional.pairwise_distance(sg.tensor([[3.0, 4.0]]), sg.tensor([[0.0, 0.0]]))
    tensor([5.0000])
    """
    return vector_norm(ADD(SUB(x1, x2), eps), p, -1, keepdim)


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8, *, axis: int | None = None) -> Any:
    """Return ⟨x₁, x₂⟩ / (max(‖x₁‖, ε) max(‖x₂‖, ε)) along one axis: the cosine of the angle between vectors.

    Args:
        x1, x2: tensors, broadcast against each other.
        dim, axis: the axis of the vectors, in the broadcast shape.
        eps: ε, the smallest length to divide by.

    Returns:
        The cosines, shaped like the inputs without the axis.

    Raises:
        IndexRangeError: if the axis is out of range.

    >>> sg.nn.functional.cosine_similarity(sg.tensor([1.0, 1.0]), sg.tensor([2.0, 0.0]), dim=0)
    tensor(0.7071)
    """
    sizes = broadcast_shapes(shape(x1), shape(x2))
    a = axis_of(dim if axis is None else axis, len(sizes))
    x1, x2 = (x if shape(x) == sizes else Expand(sizes)(x) for x in (x1, x2))
    cosines = MUL(normalize(x1, dim=a, eps=eps), normalize(x2, dim=a, eps=eps))
    return sum_axes(cosines, (a,)) if sizes else cosines


def normalize(input: Any, p: float = 2.0, dim: int = 1, eps: float = 1e-12, *, axis: int | None = None) -> Any:
    """Return x / max(‖x‖ₚ, ε) along one axis.

    Args:
        input: x, a tensor; a number is a vector with one entry.
        p: the order of the norm.
        dim, axis: the axis of the vectors.
        eps: ε, the smallest length to divide by.

    Returns:
        The unit vectors, shaped like x.

    Raises:
        IndexRangeError: if the axis is out of range.

    >>> sg.nn.functional.normalize(sg.tensor([3.0, 4.0]), dim=0)
    tensor([0.6000, 0.8000])
    """
    dim = dim if axis is None else axis
    if not shape(input):  # a vector with one entry, as in PyTorch
        axis_of(dim, 0)
        return DIV(input, CLAMP_MIN(vector_norm(input, p), eps))
    return DIV(input, CLAMP_MIN(vector_norm(input, p, dim, True), eps))


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """Return ‖x - other‖ₚ over all entries.

    Args:
        input, other: tensors, broadcast against each other.
        p: the order of the norm.

    Returns:
        A tensor ().

    >>> sg.dist(sg.tensor([3.0, 4.0]), sg.tensor([0.0, 0.0]))
    tensor(5.)
    """
    return rename(vector_norm(SUB(input, other), p), "Dist")


def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """Return d[i, j] = ‖x₁[i] - x₂[j]‖ₚ, computed from differences, which is accurate for vectors close to each other.

    Args:
        x1: (…, n, k).
        x2: (…, m, k).
        p: the order of the norm.
        compute_mode: accepted and ignored. PyTorch can use ‖x‖² - 2⟨x, z⟩ + ‖z‖² instead, which is faster but cancels.

    Returns:
        The distances (…, n, m). The gradient of a distance 0 is 0.

    Raises:
        ShapeError: if k differs, or an input has fewer than two axes.

    >>> sg.cdist(sg.tensor([[0.0, 0.0]]), sg.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    s, t = shape(x1), shape(x2)
    if len(s) < 2 or len(t) < 2 or s[-1] != t[-1]:
        raise ShapeError(
            "X1 and X2 must have the same number of columns, and at least two dimensions. "
            f"Got X1 {show_shape(s)} and X2 {show_shape(t)}; expected (…, n, k) and (…, m, k)."
        )
    rows, columns = Reshape((*s[:-1], 1, s[-1]))(x1), Reshape((*t[:-2], 1, *t[-2:]))(x2)
    return rename(vector_norm(SUB(rows, columns), p, -1), "Cdist")


def pdist(input: Any, p: float = 2.0) -> Any:
    """Return ‖x[i] - x[j]‖ₚ for all i < j, row by row.

    Args:
        input: x, (n, k).
        p: the order of the norm.

    Returns:
        The distances (n (n - 1)/2,). The gradient of a distance 0 is 0.

    Raises:
        ShapeError: if x is not a matrix.

    >>> sg.nn.functional.pdist(sg.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
    tensor([5.0000, 1.0000, 4.2426])
    """
    s = shape(input)
    if len(s) != 2:
        raise ShapeError(f"pdist only supports 2D tensors, got: {show_shape(s)}. Pass one vector per row.")
    first, second = np.triu_indices(s[0], 1)
    rows = (Gather(((0, Positions(at)),), "IndexSelect")(input) for at in (first, second))
    return rename(vector_norm(SUB(*rows), p, -1), "Pdist")
