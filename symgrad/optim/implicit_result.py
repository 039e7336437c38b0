"""What SciPy finds, as a function of what it depends on: which arguments are followed, and results without values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.core import modes, trees
from symgrad.core.node import GRAD
from symgrad.core.promotion import is_bool, is_integer
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, NotConverged, NotYet
from symgrad.optim.vectors import Vector, is_tensor_like, plain


def tuple_of(args: Any) -> tuple[Any, ...]:
    """Return further arguments, one or a tuple, as a tuple."""
    return args if isinstance(args, tuple) else (args,)


def without_graphs(args: Any) -> tuple[Any, ...]:
    """Return further arguments as arrays, without their graphs: the answer has its derivative."""
    leaves: list[Any] = []
    tree = trees.flatten(tuple_of(args), is_tensor_like, leaves)
    cut = [x.detach() if isinstance(x, TensorBase) else x for x in leaves]  # type: ignore[attr-defined]
    return plain(trees.unflatten(tree, iter(cut)))


def is_followed(*args: Any) -> bool:
    """Whether someone may ask for a derivative with respect to one of these arguments, or for its formula."""
    nodes = [x._node for x in _tensors(args) if x._node is not None]
    named = any(n.level < GRAD and getattr(n, "title", None) for n in nodes)
    return modes.is_grad_enabled() and (named or any(n.level == GRAD for n in nodes))


def is_traced(*args: Any) -> bool:
    """Whether an argument is a tensor without a value, as in functions that are compiled or mapped."""
    return any(x._value is None for x in _tensors(args))


def _tensors(args: Any) -> list[Any]:
    leaves: list[Any] = []
    trees.flatten(args, is_tensor_like, leaves)
    return [x for x in leaves if isinstance(x, TensorBase)]


def reach_outside(calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]], vector: Vector) -> bool:
    """Whether functions, each with its arguments, take from outside what a running transform differentiates by."""
    if modes.variables() is None:
        return False
    results = [f(as_tensor(vector.start), *args) for f, args in calls]
    return any(y._value is not None and y._is_followed() for y in results)


def known(who: str, value: Any) -> Any:
    """Return what the user's function gave as an array, or refuse what has no value."""
    if value is None or getattr(value, "dtype", None) == np.dtype(object):
        raise ArgumentError(
            f"{who}: the function takes a captured tensor that has no value here, as sg.compile or sg.vmap traces "
            "it. Pass it in args, or take sg.root or sg.argmin."
        )
    return value


def untold(who: str, callback: Any) -> None:
    """Refuse a callback where a function is traced."""
    if callback is not None:
        raise NotYet(f"{who}: callback is not called in functions that are compiled or mapped. Omit it.")


def arrived(who: str, result: Any) -> Any:
    """Return SciPy's x; in a traced function nobody can look whether it converged."""
    if not result.success and "precision loss" not in str(result.message):
        raise NotConverged(
            f"{who}: SciPy did not converge: {' '.join(str(result.message).split()).rstrip('.')}. Start closer to "
            "the solution, or allow more steps."
        )
    return result.x


def without_others(result: Any, names: Sequence[str]) -> Any:
    """Leave out the arrays of a result that depend on the arguments and are not followed: nobody takes 0 for them."""
    for name in set(result) - set(names):
        value = result[name]
        is_told = value is None or isinstance(value, (bool, int, float, str, np.generic))
        dtype = getattr(value, "dtype", np.dtype(float))
        if not is_told and not (is_integer(dtype) or is_bool(dtype)):
            del result[name]
    return result
