"""NumPy's universal functions on tensors: calls, ``reduce``, ``accumulate``, ``outer``, ``out=``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.node import GRAD
from symgrad.core.promotion import is_floating
from symgrad.engine.record import TensorBase, apply, as_tensor, handle
from symgrad.errors import ArgumentTypeError, DTypeError
from symgrad.ops.contract import matmul
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import conj, conj_physical
from symgrad.ops.elementwise.declared import BINARY, UNARY, float_power, power, where
from symgrad.ops.elementwise.exponents import ldexp
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.elementwise.signs import heaviside as _heaviside
from symgrad.ops.protocol import shape
from symgrad.ops.reductions.extremes import amax, amin
from symgrad.ops.reductions.reduce import all as all_of
from symgrad.ops.reductions.reduce import any as any_of
from symgrad.ops.reductions.reduce import prod
from symgrad.ops.reductions.reduce import sum as sum_of
from symgrad.ops.reductions.scan import cumprod, cumsum
from symgrad.ops.reductions.softmax import logsumexp
from symgrad.ops.shapes.arrange import mT, reshape
from symgrad.ops.shapes.nested import holds_tensors
from symgrad.ops.sorting.sorting import cummax, cummin
from symgrad.ops.value import check_dtype, check_range

Function = Callable[..., Any]
RENAMED = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg", "absolute": "abs",
    "fabs": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "arctan2": "atan2", "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le",
    "greater": "gt", "greater_equal": "ge", "positive": "clone", "conjugate": "conj_physical", "power": "pow",
    "rint": "round", "invert": "bitwise_not", "left_shift": "bitwise_left_shift",
    "right_shift": "bitwise_right_shift", "degrees": "rad2deg", "radians": "deg2rad",
    "expit": "sigmoid", "log_expit": "logsigmoid", "gammaln": "lgamma", "psi": "digamma",  # of scipy.special
}  # fmt: skip


class Along(NamedTuple):
    """A universal function along axes: the reduction, what it starts from, and the running one."""

    reduce: Function
    start: Any = None
    running: Function | None = None


_ALONG = {
    "add": Along(sum_of, 0, cumsum),
    "multiply": Along(prod, 1, cumprod),
    "maximum": Along(amax, None, lambda x, axis: cummax(x, axis)[0]),
    "minimum": Along(amin, None, lambda x, axis: cummin(x, axis)[0]),
    "logical_and": Along(all_of, True),
    "logical_or": Along(any_of, False),
    "logaddexp": Along(logsumexp),
}

_SPECIAL: dict[str, Function] = {
    "conjugate": lambda x: conj_physical(as_tensor(x)),
    "matmul": matmul,
    "float_power": lambda x, p: float_power(x, p),
    "ldexp": lambda x, n: ldexp(x, n),
    "heaviside": lambda x, v: _heaviside(x, v),
    "divmod": lambda x, y: (apply(BINARY["floor_divide"], (x, y)), apply(BINARY["remainder"], (x, y))),
    "cbrt": lambda x: _cube_root(as_tensor(x)),
    "modf": lambda x: (apply(UNARY["frac"], (x,)), apply(UNARY["trunc"], (x,))),
    "signbit": lambda x: handle(None, np.signbit(as_tensor(x)._known("np.signbit"))),
    "vecdot": lambda x, y: sum_of(conj(as_tensor(x)) * y, -1),
    "matvec": lambda A, x: matmul(A, _column(x))[..., 0],
    "vecmat": lambda x, A: matmul(mT(as_tensor(A)), _column(conj(as_tensor(x))))[..., 0],
}

_IN_PLACE = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "true_divide": "/",
    "power": "**",
    "matmul": "@",
}
_INSTEAD = {"left_shift": "x * 2**n", "right_shift": "x // 2**n"}


def _cube_root(x: Any) -> Any:
    sign = where(x < 0, -1.0, 1.0)  # never 0, so that the slope at 0 is ∞ and not nan
    return (sign * power(sign * x, 1 / 3)).to(x.dtype if is_floating(x.dtype) else np.float64)


def _column(x: Any) -> Any:
    x = as_tensor(x)
    return reshape(x, (*shape(x), 1))


def function_of(name: str) -> Function | None:
    """Return symgrad's function for a universal function; None if there is none."""
    own = RENAMED.get(name, name)
    if name in _SPECIAL:
        return _SPECIAL[name]
    if own == "pow":
        return power
    if own in LOGIC:
        return LOGIC[own]
    op = UNARY.get(own) or BINARY.get(own)
    return _scipys().function_of(name) if op is None else lambda *xs: apply(op, xs)


def _scipys() -> Any:
    """Return SciPy's functions. All are made on the first call, so that the import is faster."""
    from symgrad.tensors import scipys

    return scipys


_known: dict[Any, Function] = {}


def simple_call(ufunc: Any, inputs: tuple[Any, ...]) -> Any:
    """Answer ``ufunc(*inputs)`` without options: the fast path of ``array * tensor``."""
    function = _known.get(ufunc)
    if function is None:
        function = _known[ufunc] = _required(ufunc.__name__)
    return function(*[x if isinstance(x, (TensorBase, int, float)) else as_tensor(x) for x in inputs])


def call(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Answer ``ufunc(*inputs)`` or ``ufunc.method(*inputs)``."""
    name = ufunc.__name__
    given = {k: v for k, v in kwargs.items() if v is not None}
    out = given.pop("out", (None,))
    if any(isinstance(x, np.ndarray) for x in out):
        return _into_array(ufunc, method, inputs, kwargs)
    dtype = given.pop("dtype", None)
    given = {k: v for k, v in given.items() if k not in ("casting", "order", "subok")}
    xs = [_operand(x, dtype) for x in inputs] if method != "at" else []
    if method == "__call__" and "where" in given:
        raise ArgumentTypeError(f"np.{name}: where= leaves entries undefined. Use sg.where(mask, …, x).")
    if method == "__call__" and not given:
        result = _required(name)(*xs)
    elif method == "outer" and not given:
        result = _outer(_required(name), *map(as_tensor, xs))
    elif method == "reduce":
        result = reduced(name, as_tensor(xs[0]), **{**given, "axis": kwargs.get("axis", 0)})
    elif method == "accumulate":
        result = _accumulated(name, as_tensor(xs[0]), **given)
    else:
        raise _refusal(name, method)
    return result if out[0] is None else _into_tensor(out[0], result)


def _operand(x: Any, dtype: Any) -> Any:
    if dtype is not None:
        return apply(Cast(check_dtype(dtype)), (as_tensor(x),))
    return x if isinstance(x, (int, float)) else as_tensor(x)


def _required(name: str) -> Function:
    function = function_of(name)
    if function is None:
        raise _refusal(name, "__call__")
    return function


def _refusal(name: str, method: str) -> ArgumentTypeError:
    """Say which function to use for a call that tensors do not take."""
    shown = f"{'np' if hasattr(np, name) else 'ufunc'}.{name}{'' if method == '__call__' else f'.{method}'}"
    why = _scipys().REFUSED.get(name)
    if why is not None:
        return ArgumentTypeError(f"scipy.special.{name}: {why}. Call it on x.detach().numpy() for plain numbers.")
    own = _INSTEAD.get(name, "operations of symgrad") if function_of(name) is None else f"sg.{RENAMED.get(name, name)}"
    if (name, method) == ("add", "at"):
        own = "x[index] += v, or sg.index_add"
    return ArgumentTypeError(
        f"{shown}: symgrad does not record this call. Use {own}, or x.detach().numpy() for plain numbers."
    )


def _outer(function: Function, a: Any, b: Any) -> Any:
    return function(reshape(a, (*shape(a), *[1] * len(shape(b)))), b)


def in_dtype(value: Any, dtype: Any) -> Any:
    """Return the tensor of a value in a dtype, which must hold Python's numbers; arrays wrap, as NumPy's do."""
    if not isinstance(value, (TensorBase, np.ndarray, np.generic)) and not holds_tensors(value):
        check_range(value, np.dtype(dtype))
    return as_tensor(value).to(dtype)


def reduced(name: str, x: Any, *, axis: Any, keepdims: bool = False, initial: Any = None, where: Any = True) -> Any:
    """Answer ``ufunc.reduce`` of a tensor; a mask leaves out entries, ``initial`` is one more."""
    along = _ALONG.get(name)
    if along is None or (where is not True and initial is None and along.start is None):
        raise _refusal(name, "reduce")
    if where is not True:
        x = masked(where, x, along.start if along.start is not None else initial)
    axes = tuple(range(len(shape(x)))) if axis is None else axis
    y = along.reduce(x, axes, keepdims) if axes != () else x != 0 if name.startswith("logical") else x
    return y if initial is None else _required(name)(y, in_dtype(initial, y.dtype))


def masked(mask: Any, x: Any, value: Any) -> Any:
    """Return x where the mask holds, and a number elsewhere."""
    return where(as_tensor(mask), x, value)


def _accumulated(name: str, x: Any, *, axis: int = 0) -> Any:
    along = _ALONG.get(name)
    if along is None or along.running is None:
        raise _refusal(name, "accumulate")
    return along.running(x, axis)


def _into_tensor(out: Any, result: Any) -> Any:
    """``out=t``: t stands for the result from now on, as after an in-place statement."""
    if out._value is not None and not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise DTypeError(
            f"out=: got {out.dtype}, expected {result.dtype}, the dtype of the result. Pass such a tensor."
        )
    return out.copy_(result)


def _into_array(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``a += t``: plain numbers are written into the array, a history would be lost."""
    if any(
        isinstance(x, TensorBase) and (x._value is None or (x._node is not None and x._node.level == GRAD))
        for x in inputs
    ):
        own = any(x is kwargs["out"][0] for x in inputs)
        sign = _IN_PLACE.get(ufunc.__name__)
        raise ArgumentTypeError(
            f"np.{ufunc.__name__}: a NumPy array cannot hold the result, its gradient would be lost. "
            + (
                f"Write a = a {sign} t instead of a {sign}= t."
                if own and sign
                else f"Write c = np.{ufunc.__name__}(…)."
            )
        )
    plain = [x.numpy() if isinstance(x, TensorBase) else x for x in inputs]  # type: ignore[attr-defined]
    return getattr(ufunc, method)(*plain, **kwargs)
