"""Functions put together from pieces: interpolation, cases, rows, and evenly spaced numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.node import has_value
from symgrad.core.promotion import is_differentiable
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError
from symgrad.numpy_api.reductions import one_axis
from symgrad.numpy_api.table import numpys
from symgrad.ops.shapes.sizes import whole
from symgrad.tensors.ufuncs import in_dtype

numpys("interp")(F.interp)


def _floating(x: Any) -> Any:
    t = as_tensor(x)
    return t if is_differentiable(t.dtype) else t.to(np.float64)


@numpys("piecewise")
def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    t = as_tensor(x)
    masks = [F.broadcast_to(as_tensor(c).to(bool), t.shape) for c in _conditions(t, condlist)]
    cases = list(funclist)
    if len(cases) not in (len(masks), len(masks) + 1):
        raise ArgumentError(
            f"with {len(masks)} condition(s), either {len(masks)} or {len(masks) + 1} functions are expected. "
            f"Got {len(cases)}."
        )
    y = as_tensor(np.zeros(t.shape, t.dtype))
    if len(cases) > len(masks):
        anywhere = masks[0] if len(masks) == 1 else F.stack(masks).any(0)
        masks.append(~anywhere)
    for mask, case in zip(masks, cases, strict=True):
        y = _case(y, t, mask, (lambda z, f=case: f(z, *args, **kw)) if callable(case) else case)
    return y


def _conditions(t: Any, given: Any) -> list[Any]:
    """The conditions one by one; a single one may stand without a list."""
    whole = isinstance(given, (TensorBase, np.ndarray)) and as_tensor(given).shape == t.shape
    single = whole or isinstance(given, (bool, np.bool_))
    return [given] if single or (t.shape and isinstance(given[0], (bool, np.bool_))) else list(given)


def _case(y: Any, t: Any, mask: Any, case: Any) -> Any:
    """y with a case where the mask holds; a function sees the entries there only, unless they are not known."""
    if not callable(case):
        return F.where(mask, in_dtype(case, y.dtype), y)
    if not has_value(t) or not has_value(mask):
        return F.where(mask, in_dtype(case(t), y.dtype), y)
    at = np.flatnonzero(mask.numpy())
    if not len(at):
        return y
    flat = F.ravel(y).clone()
    flat[at] = in_dtype(case(F.ravel(t)[at]), y.dtype)
    return F.reshape(flat, t.shape)


@numpys("apply_along_axis")
def _apply_along_axis(func1d: Callable[..., Any], axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    x = as_tensor(arr)
    k = one_axis(x, axis)
    rest = (*x.shape[:k], *x.shape[k + 1 :])
    rows = F.reshape(F.movedim(x, k, -1), (-1, x.shape[k]))
    stacked = F.stack([as_tensor(func1d(rows[j], *args, **kwargs)) for j in range(rows.shape[0])])
    made = stacked.shape[1:]
    last = range(len(rest), len(rest) + len(made))
    return F.movedim(F.reshape(stacked, (*rest, *made)), tuple(last), tuple(range(k, k + len(made))))


@numpys("linspace")
def _linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None, axis: int = 0
) -> Any:
    a, b, num = _floating(start), _floating(stop), whole(num)
    share = np.linspace(0.0, 1.0, num, endpoint=endpoint)
    share = share.reshape(-1, *[1] * len(np.broadcast_shapes(a.shape, b.shape)))
    common = np.result_type(*[getattr(x, "dtype", x) for x in (start, stop)], 1.0)
    y = F.movedim((a * (1 - share) + b * share).to(common if dtype is None else dtype), 0, axis)
    return (y, (b - a) / max(num - bool(endpoint), 1)) if retstep else y
