"""``sg.testing.assert_close``: PyTorch's, for tensors, arrays, numbers and structures of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from symgrad.core.promotion import is_real
from symgrad.errors import ArgumentError
from symgrad.ops.map import show_shape
from symgrad.ops.value import unitless
from symgrad.support.arguments import check_all
from symgrad.tensors.tensor import Tensor

_TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}  # PyTorch's


def assert_close(
    actual: Any, expected: Any, *, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
    check_dtype: bool = True, msg: str | Callable[[str], str] | None = None,
) -> None:  # fmt: skip
    """Assert that |actual - expected| ≤ atol + rtol |expected|, entry by entry, and that shapes and dtypes are equal.

    Args:
        actual: a tensor, array or number, or a sequence or mapping of these.
        expected: values in the same structure.
        rtol, atol: the tolerances; pass both or neither. The defaults are PyTorch's: 1e-7 and 1e-7 for float64, 1.3e-6
            and 1e-5 for float32, 0 and 0 for integers and booleans; the larger ones if the dtypes differ.
        equal_nan: whether nan equals nan.
        check_dtype: whether dtypes must be equal.
        msg: the error message, or a function that takes the default message and returns another.

    Raises:
        AssertionError: if the values differ; the message says how many entries differ, and where the difference is
            largest.
        ArgumentError: if only one of the tolerances is given.

    >>> sg.testing.assert_close(sg.tensor([1.0, 2.0]), np.array([1.0, 2.0 + 1e-9]))
    >>> sg.testing.assert_close({"w": 1.0}, {"w": 1.5})
    Traceback (most recent call last):
        ...
    AssertionError: at ['w']: not close.
    Mismatched elements: 1 / 1 (100.0%)
    Greatest absolute difference: 0.5 (up to 1e-07 allowed)
    Greatest relative difference: 0.3333333333333333 (up to 1e-07 allowed)
    """
    if (rtol is None) != (atol is None):
        raise ArgumentError(f"rtol and atol must both be specified or both be unspecified. Got {rtol} and {atol}.")
    try:
        _compare(actual, expected, "", (rtol, atol), equal_nan, check_dtype)
    except AssertionError as error:
        if msg is None:
            raise
        raise AssertionError(msg if isinstance(msg, str) else msg(str(error))) from None


def _compare(actual: Any, expected: Any, where: str, tolerances: Any, equal_nan: bool, check_dtype: bool) -> None:
    rest = tolerances, equal_nan, check_dtype
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if set(actual) != set(expected):
            missing, extra = sorted(set(expected) - set(actual), key=str), sorted(set(actual) - set(expected), key=str)
            raise AssertionError(f"{_at(where)}keys differ: {missing} missing, {extra} not expected.")
        for k, value in expected.items():
            _compare(actual[k], value, f"{where}[{k!r}]", *rest)
    elif _is_sequence(expected) and _is_sequence(actual):
        if len(actual) != len(expected):
            raise AssertionError(f"{_at(where)}lengths differ: got {len(actual)}, expected {len(expected)}.")
        for k, (a, b) in enumerate(zip(actual, expected, strict=True)):
            _compare(a, b, f"{where}[{k}]", *rest)
    else:
        _arrays(_array(actual, where), _array(expected, where), where, *rest)


def _is_sequence(x: Any) -> bool:
    return isinstance(x, Sequence) and not isinstance(x, (str, bytes))


def _array(x: Any, where: str) -> np.ndarray[Any, Any]:
    array = np.asarray(x.detach()) if hasattr(x, "detach") else unitless(x)
    if not is_real(array.dtype):
        kind = "tensor" if isinstance(x, Tensor) else type(x).__name__
        raise AssertionError(f"{_at(where)}cannot compare a {kind} of dtype {array.dtype}. Expected numbers.")
    return array


def _arrays(a: Any, b: Any, where: str, tolerances: Any, equal_nan: bool, check_dtype: bool) -> None:
    if a.shape != b.shape:
        raise AssertionError(f"{_at(where)}shapes differ: got {show_shape(a.shape)}, expected {show_shape(b.shape)}.")
    if check_dtype and a.dtype != b.dtype:
        raise AssertionError(f"{_at(where)}dtypes differ: got {a.dtype}, expected {b.dtype}.")
    rtol, atol = _allowed(a, b) if tolerances[0] is None else tolerances
    x, y = a.astype(np.float64), b.astype(np.float64)
    with np.errstate(all="ignore"):
        apart = np.abs(x - y)
        same = (a == b) | (apart <= atol + rtol * np.abs(y)) & np.isfinite(y)
        relative = apart / np.abs(y)
    if equal_nan:
        same = same | (np.isnan(x) & np.isnan(y))
    wrong = ~same
    if not wrong.any():
        return
    count = int(wrong.sum())
    lines = [f"{_at(where)}not close.", f"Mismatched elements: {count} / {a.size} ({100 * count / a.size:.1f}%)"]
    for title, size, most in (("absolute", apart, atol), ("relative", relative, rtol)):
        k = np.unravel_index(np.argmax(np.where(wrong, np.where(np.isnan(size), np.inf, size), -1.0)), a.shape)
        index = f" at index {tuple(map(int, k))}" if a.shape else ""
        lines.append(f"Greatest {title} difference: {float(size[k])}{index} (up to {most:g} allowed)")
    raise AssertionError("\n".join(lines))


def _allowed(a: Any, b: Any) -> tuple[float, float]:
    tolerances = [_TOLERANCES.get(x.dtype.name, (0.0, 0.0)) for x in (a, b)]
    return max(r for r, _ in tolerances), max(t for _, t in tolerances)


def _at(where: str) -> str:
    return f"at {where}: " if where else ""


__all__ = ["assert_close"]


check_all(globals(), __all__)
