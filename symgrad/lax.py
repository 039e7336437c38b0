"""jax.lax's names that have a twin here: loops and branches, and the elementary functions under JAX's spelling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad import functions as F
from symgrad.engine.record import as_tensor
from symgrad.errors import ShapeError
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import arange
from symgrad.transforms import loops
from symgrad.transforms.loops import scan

_LOOPS = ("associative_scan", "cond", "fori_loop", "scan", "stop_gradient", "switch", "while_loop")
_SAME = (
    "abs", "acos", "acosh", "add", "asin", "asinh", "atan", "atan2", "atanh", "bitwise_and", "bitwise_not",
    "bitwise_or", "bitwise_xor", "ceil", "conj", "cos", "cosh", "cumsum", "cumprod", "cummax", "cummin", "digamma",
    "div", "eq", "erf", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt", "imag", "le", "lgamma", "log", "log1p",
    "lt", "mul", "ne", "neg", "polygamma", "pow", "real", "reciprocal", "rsqrt", "sign", "sin", "sinh",
    "sort", "sqrt", "square", "squeeze", "sub", "tan", "tanh",
)  # fmt: skip
_RENAMED = {
    "logistic": "sigmoid", "select": "where", "max": "maximum", "min": "minimum", "rem": "fmod", "erf_inv": "erfinv",
    "is_finite": "isfinite", "dot": "matmul", "rev": "flip", "transpose": "permute", "expand_dims": "unsqueeze",
}  # fmt: skip
_TWINS = {name: getattr(F, _RENAMED.get(name, name)) for name in (*_SAME, *_RENAMED)}
globals().update(_TWINS, **{name: getattr(loops, name) for name in _LOOPS})

__all__ = [*_LOOPS, *_TWINS, "clamp", "concatenate", "convert_element_type", "dynamic_slice",
           "dynamic_update_slice", "map", "top_k"]  # fmt: skip


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Return f of each slice of xs along the first axis, stacked: one loop, of which a slice at a time is computed.

    >>> sg.lax.map(lambda x: x**2, sg.tensor([1.0, 2.0]))
    tensor([1., 4.])
    """
    return scan(lambda carry, x: (carry, f(x)), None, xs)[1]


def clamp(min: Any, x: Any, max: Any) -> Any:
    """Return x, or the bound that it is beyond."""
    return F.clamp(as_tensor(x), min, max)


def concatenate(operands: Sequence[Any], dimension: int) -> Any:
    """Join arrays along an axis."""
    return F.cat(list(operands), dimension)


def convert_element_type(operand: Any, new_dtype: Any) -> Any:
    """Convert to a dtype."""
    return as_tensor(operand).to(new_dtype)


def top_k(operand: Any, k: int) -> Any:
    """Return the k largest entries along the last axis, and where they are."""
    return F.topk(as_tensor(operand), k)


def _start(index: Any, size: int, length: int) -> Any:
    """A place moved so that a slice of this length fits, as JAX does."""
    return F.clamp(as_tensor(index), 0, size - length)


def _places(x: Any, start_indices: Sequence[Any], sizes: Sequence[int]) -> tuple[Any, ...]:
    """Where the entries of the slice are, axis by axis."""
    if not len(start_indices) == len(sizes) == x.ndim:
        raise ShapeError(
            f"dynamic_slice: got {len(start_indices)} places and {len(sizes)} sizes for a tensor of shape "
            f"{show_shape(x.shape)}. Expected {x.ndim} of each."
        )
    if any(k > n for k, n in zip(sizes, x.shape, strict=True)):
        raise ShapeError(
            f"dynamic_slice: got sizes {[*sizes]} for shape {show_shape(x.shape)}. Expected no larger ones."
        )
    rows = [_start(i, n, k) + arange(k) for i, n, k in zip(start_indices, x.shape, sizes, strict=True)]
    return tuple(r.reshape([-1 if j == axis else 1 for j in range(len(rows))]) for axis, r in enumerate(rows))


def dynamic_slice(operand: Any, start_indices: Sequence[Any], slice_sizes: Sequence[int]) -> Any:
    """Return the slice of these sizes that begins at a place, which may be computed; moved inside where it is not.

    >>> sg.lax.dynamic_slice(sg.arange(5.0), (sg.tensor(1),), (3,))
    tensor([1., 2., 3.])
    """
    x = as_tensor(operand)
    return x[_places(x, start_indices, slice_sizes)]


def dynamic_update_slice(operand: Any, update: Any, start_indices: Sequence[Any]) -> Any:
    """Return operand with a slice that begins at a place, which may be computed, replaced by update."""
    x, u = as_tensor(operand), as_tensor(update)
    return x.at[_places(x, start_indices, u.shape)].set(u)


__getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
