"""Windows that slide along axes, and convolution.

A window is a Gather of the positions start·stride + offset·dilation; a convolution contracts it with the weights.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.errors import ArgumentError, ShapeError
from symgrad.ops.contract import Einsum
from symgrad.ops.keys import Positions
from symgrad.ops.map import ADD, show_shape
from symgrad.ops.protocol import rename, shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.padding import pad
from symgrad.ops.slicing import Gather

Sizes = int | Sequence[int]
MOST_PARTS = 1_000_000  # of an axis, each a step of its own where they overlap


def each(sizes: Any, dims: int) -> tuple[int, ...]:
    """Return one size per axis, of one number or one per axis."""
    lengths = tuple(sizes) if isinstance(sizes, (tuple, list)) else (sizes,) * dims
    lengths = lengths * dims if len(lengths) == 1 else lengths
    if len(lengths) != dims or not all(n is None or hasattr(n, "__index__") for n in lengths):
        raise ArgumentError(f"got sizes {sizes!r}. Expected integers: one, or one for each of {dims} axes.")
    return lengths


def check_weight(name: str, weight: Any, dims: int) -> None:
    """Raise unless a convolution's weight has an axis for the channels on either side, and one for each of x's."""
    if len(shape(weight)) != dims + 2:
        raise ShapeError(f"{name}: got a weight of shape {show_shape(shape(weight))}. Expected {dims + 2} axes.")


def check_sizes(size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> None:
    """Raise unless windows have entries, and move on."""
    for what, sizes in (("kernel size", size), ("stride", stride), ("dilation", dilation)):
        if any(k < 1 for k in sizes):
            raise ArgumentError(f"{what} must be greater than zero, but got {list(sizes)}. Pass 1 or more.")


def windows(x: Any, size: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Any:
    """(…, n) to (…, m, k) in place of each of the last axes: m windows of k entries."""
    first = len(shape(x)) - len(size)
    for d in range(len(size) - 1, -1, -1):
        n = shape(x)[first + d]
        count = (n - dilation[d] * (size[d] - 1) - 1) // stride[d] + 1
        if count < 1:
            raise ShapeError(
                f"Kernel size can't be greater than actual input size. Got {size[d]} entries, {dilation[d]} apart, on "
                f"an axis of {n} entries with the padding."
            )
        places = np.add.outer(np.arange(count) * stride[d], np.arange(size[d]) * dilation[d])
        x = Gather(((first + d, Positions(places)),), "Unfold")(x)
    return x


def around(x: Any, padding: Sequence[int], value: float = 0.0) -> Any:
    """Pad both sides of each of the last axes."""
    return pad(x, [p for k in reversed(padding) for p in (k, k)], value=value) if any(padding) else x


def batched(x: Any, dims: int, name: str) -> tuple[Any, bool]:
    """Return x as (N, C, …), and whether it came without N."""
    s = shape(x)
    if len(s) not in (dims + 1, dims + 2):
        raise ShapeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{show_shape(s)}. Add or drop axes."
        )
    return (x, False) if len(s) == dims + 2 else (Reshape((1, *s))(x), True)


def drop_batch(y: Any, single: bool) -> Any:
    """Take the axis of the batch away again, where x came without."""
    return Reshape(shape(y)[1:])(y) if single else y


def for_axes(fn: Callable[..., Any]) -> list[Any]:
    """Return a function of some number of axes as three, of one, two and three axes: conv as conv1d, conv2d, conv3d.

    Its documentation is theirs, but for the example, which is of one axis.
    """
    return [_of(fn, dims) for dims in (1, 2, 3)]


def _of(fn: Callable[..., Any], dims: int) -> Any:
    def call(input: Any, *args: Any, **kwargs: Any) -> Any:
        return fn(dims, input, *args, **kwargs)

    signature = inspect.signature(fn)
    call.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])  # type: ignore[attr-defined]
    call.__name__ = call.__qualname__ = f"{fn.__name__.strip('_')}{dims}d"
    call.__module__ = fn.__module__
    example = "\n\n    >>>" if dims > 1 else "\0"
    call.__doc__ = (fn.__doc__ or "").partition(example)[0].rstrip().replace("{axes}", _LAST[dims])
    return call


_LAST = {1: "last axis", 2: "last two axes", 3: "last three axes"}


# ------------------------------------------------------------------ convolution
def _conv(
    dims: int, input: Any, weight: Any, bias: Any = None, stride: Sizes = 1, padding: Sizes | str = 0,
    dilation: Sizes = 1, groups: int = 1,
) -> Any:  # fmt: skip
    """Return y[n, f, i] = Σ W[f, c, k] x[n, c, i·stride + k·dilation] + b[f], with i and k along the {axes}.

    Args:
        input: x (N, C, …) or (C, …).
        weight, bias: W (F, C/groups, K, …), and b (F,).
        stride, dilation: the steps between windows, and within one; one number, or one per axis, like all sizes.
        padding: the number of zeros on either side; 'valid' for none, 'same' to preserve the sizes.
        groups: the number of groups of channels, each with its own filters.

    Returns:
        A tensor (N, F, …) or (F, …).

    Raises:
        ShapeError: if the sizes do not fit.

    >>> sg.nn.functional.conv1d(sg.tensor([[1.0, 2.0, 4.0]]), sg.tensor([[[-1.0, 1.0]]]))
    tensor([[1., 2.]])
    """
    x, single = batched(input, dims, f"conv{dims}d")
    check_weight(f"conv{dims}d", weight, dims)
    steps, gaps, size = each(stride, dims), each(dilation, dims), shape(weight)[2:]
    _check_groups(x, weight, groups)
    check_sizes((1,), steps, gaps)
    y = _filtered(windows(_padded(x, padding, size, steps, gaps), size, steps, gaps), weight, groups)
    y = y if bias is None else ADD(y, Reshape((shape(weight)[0], *(1,) * dims))(bias))
    return rename(drop_batch(y, single), "Convolution")


def _check_groups(x: Any, weight: Any, groups: int) -> None:
    (_, c, *_), (f, each_group, *_) = shape(x), shape(weight)
    if groups < 1:
        raise ArgumentError(f"non-positive groups is not supported, but got {groups}. Pass a divisor of the channels.")
    if f % groups or each_group * groups != c:
        raise ShapeError(
            f"Given groups={groups}, weight of size {show_shape(shape(weight))}, expected input{show_shape(shape(x))} "
            f"to have {each_group * groups} channels, but got {c} channels instead."
        )


def _filtered(x: Any, weight: Any, groups: int) -> Any:
    """Σ W[f, c, k] x[n, c, i, k], of windows and the filters of each group: (n, f, i)."""
    (n, c, *rest), (f, *filters) = shape(x), shape(weight)
    dims = len(rest) // 2
    x = Reshape((n, groups, c // groups, *rest))(x)
    W = Reshape((groups, f // groups, *filters))(weight)
    places, offsets = "hwd"[:dims], "ijk"[:dims]
    pairs = "".join(map("".join, zip(places, offsets, strict=True)))
    y = Einsum.of(f"ngc{pairs},gfc{offsets}->ngf{places}")(x, W)
    return Reshape((n, f, *shape(y)[3:]))(y)


def _padded(x: Any, padding: Any, size: Sequence[int], steps: Sequence[int], gaps: Sequence[int]) -> Any:
    if padding == "valid":
        return x
    if padding != "same":
        return around(x, each(padding, len(size)))
    if any(s != 1 for s in steps):
        raise ArgumentError("padding='same' is not supported for strided convolutions. Pass numbers of zeros.")
    totals = [g * (k - 1) for k, g in zip(size, gaps, strict=True)]
    return pad(x, [p for t in reversed(totals) for p in (t // 2, t - t // 2)])


conv1d, conv2d, conv3d = for_axes(_conv)
