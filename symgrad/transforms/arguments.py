"""What transforms are given and must refuse: arguments that are not there, or no functions; odd results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.trees import LEAF, Static, Tree, steps_of
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.ops.value import is_foreign

Argnums = int | Sequence[int]


def check_argnums(name: str, argnums: Any) -> None:
    """Refuse argnums that are not positions: most often the point itself, passed to the transform."""
    numbers = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    if not all(isinstance(k, (int, np.integer)) for k in numbers):
        raise ArgumentTypeError(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}. Count from 0; "
            f"{name}(f) returns a function, which takes the point: {name}(f)(x)."
        )
    if not numbers:
        raise ArgumentError("argnums must be non-empty. Name at least one position.")
    if len(set(numbers)) < len(numbers):
        raise _repeated(numbers)


def check_function(name: str, fn: Any) -> None:
    """Refuse what cannot be called."""
    if not callable(fn):
        raise ArgumentTypeError(f"{name}: expected a function, got {type(fn).__name__}. Pass the function first.")


def _repeated(places: Any) -> ArgumentError:
    return ArgumentError(f"argnums elements must be unique, got {tuple(places)}. Name each position once.")


def positions(argnums: Argnums, count: int) -> tuple[int, ...]:
    """Return the positions counted from the front; each once, and each in range."""
    numbers = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    for k in numbers:
        if not -count <= k < count:
            raise ArgumentError(
                f"Got argnum={k}, but only {count} positional inputs. Pass the arguments of argnums by position."
            )
    places = tuple(int(k) % count for k in numbers)
    if len(set(places)) < len(places):
        raise _repeated(places)
    return places


def check_results(tree: Tree, what: str) -> None:
    """Refuse results that are not tensors. None is let through inside of a structure."""
    for path, value in statics(tree):
        if value is not None or not path:
            where = f" at result{path}" if path else ""
            raise ArgumentTypeError(
                f"{what}: expected the function to return a tensor, got {type(value).__name__}{where}. Return tensors, "
                "numbers, or nested dicts, lists, tuples and dataclasses of them."
            )


def statics(tree: Tree, where: str = "") -> list[tuple[str, Any]]:
    """Return the values of a structure that are not arrays, and their places."""
    if isinstance(tree, Static):
        return [(where, tree.value)]
    steps = [] if tree is LEAF else zip(steps_of(tree), tree.parts)  # type: ignore[arg-type, union-attr]
    return [pair for step, part in steps for pair in statics(part, where + step)]


def tensor_result(y: Any, what: str) -> Any:
    """Return the function's result as a tensor."""
    if isinstance(y, (TensorBase, int, float, np.ndarray, np.generic)) or is_foreign(y):
        return as_tensor(y)
    raise ArgumentTypeError(
        f"{what}: expected the function to return a tensor, got {type(y).__name__}. Return one tensor"
        f"{', or pass has_aux=True for a pair (output, aux)' if isinstance(y, tuple) and len(y) == 2 else ''}."
    )


def pair(name: str, result: Any) -> tuple[Any, Any]:
    """Check that a result is (output, aux)."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise ArgumentTypeError(
            f"{name}(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True. "
            f"Got {type(result).__name__}."
        )
    return result


def check_chunk_size(name: str, chunk_size: Any) -> None:
    """Refuse a chunk size that is not a positive integer."""
    if chunk_size is not None and (not isinstance(chunk_size, int) or chunk_size < 1):
        raise ArgumentError(f"{name}: `chunk_size` should be greater than 0, got {chunk_size!r}. Pass an int, or None.")


def check_randomness(name: str, randomness: Any) -> None:
    """Refuse other behaviours than PyTorch's three."""
    if randomness not in ("error", "same", "different"):
        raise ArgumentError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. {name} got {randomness!r}."
        )
