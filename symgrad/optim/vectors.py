"""What SciPy wants, one vector of float64, and what users have: arrays in any structure."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core import trees
from symgrad.core.pairs import in_parts, of_parts
from symgrad.core.promotion import is_bool, is_complex, is_floating
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, SymgradError
from symgrad.implicit.unknowns import check_entries, is_numbers
from symgrad.ops.value import is_foreign


class Vector:
    """The place of each array of x0 in one vector."""

    def __init__(self, x0: Any) -> None:
        check_entries("x0", x0)
        self.given: list[Any] = []
        self.tree = trees.flatten(np.array(x0, np.float64) if is_numbers(x0) else x0, is_variable, self.given)
        whole = [_value(x) for x in self.given]
        if not any(v.size for v in whole):
            raise ArgumentError(f"x0: got no numbers in {type(x0).__name__}. Pass arrays, or a structure of arrays.")
        values = [in_parts(v) for v in whole]
        self.complex: list[Any] = [v.dtype if is_complex(v.dtype) else None for v in whole]
        self.shapes = [v.shape for v in values]
        self.edges = [0, *itertools.accumulate(math.prod(s) for s in self.shapes)]
        self.dtypes = [v.dtype if is_floating(v.dtype) else np.dtype(np.float64) for v in values]
        self.start = np.concatenate([v.ravel().astype(np.float64) for v in values])

    @property
    def single(self) -> bool:
        """Whether x0 is one array."""
        return isinstance(self.tree, trees.ArrayLeaf)

    def tensors(self, z: Any) -> Any:
        """Return the vector as the structure of tensors that the user's function takes."""
        parts = [
            F.reshape(F.narrow(z, 0, a, b - a) if len(self.shapes) > 1 else z, s)
            for (a, b), s in zip(itertools.pairwise(self.edges), self.shapes, strict=True)
        ]
        whole = [p if c is None else F.view_as_complex(p) for p, c in zip(parts, self.complex, strict=True)]
        return trees.unflatten(self.tree, iter(whole))

    def structure(self, z: Any) -> Any:
        """Return the vector as x0 was: arrays for arrays, tensors for tensors, floats for numbers."""
        return trees.unflatten(self.tree, iter([self._like(k, part) for k, part in enumerate(self._parts(z))]))

    def pairs(self, low: Any, high: Any) -> Any:
        """Return two vectors as a structure of pairs of arrays."""
        return trees.unflatten(self.tree, zip(self._parts(low), self._parts(high), strict=True))

    def _parts(self, z: Any) -> list[Any]:
        flat = np.asarray(z, np.float64).ravel()
        return [flat[a:b].reshape(s) for (a, b), s in zip(itertools.pairwise(self.edges), self.shapes, strict=True)]

    def _like(self, k: int, part: Any) -> Any:
        given, value = self.given[k], np.array(part, self.dtypes[k])
        value = value if self.complex[k] is None else of_parts(value, self.complex[k])
        if isinstance(given, TensorBase):
            return as_tensor(value)
        return value.item() if isinstance(given, (int, float, complex)) else value

    def flat(self, g: Any) -> Any:
        """Return a structure like x0 as one vector."""
        leaves: list[Any] = []
        trees.flatten(g, is_variable, leaves)
        return np.concatenate([in_parts(_value(x)).ravel() for x in leaves]).astype(np.float64)


def is_variable(x: Any) -> bool:
    """Whether x is an array, or a number to be found."""
    return (
        isinstance(x, (TensorBase, np.ndarray, np.number, int, float, complex)) and not isinstance(x, bool)
    ) or is_foreign(x)


def _value(x: Any) -> Any:
    given: Any = as_tensor(x)
    given._check_kept("optim")
    value = np.asarray(given._known("x0"))
    if is_bool(value.dtype):
        raise ArgumentTypeError("x0: got booleans. Pass numbers.")
    return value


# ------------------------------------------------------------------ the user's function
def plain(args: Sequence[Any]) -> tuple[Any, ...]:
    """Return further arguments with arrays for tensors."""
    leaves: list[Any] = []
    tree = trees.flatten(tuple(args), is_tensor_like, leaves)
    done: tuple[Any, ...] = trees.unflatten(tree, iter([np.asarray(_value(x)) for x in leaves]))
    return done


def is_tensor_like(x: Any) -> bool:
    """Whether x is an array of any kind."""
    return isinstance(x, (TensorBase, np.ndarray)) or is_foreign(x)


def tensors_in(args: Sequence[Any]) -> tuple[Any, ...]:
    """Return further arguments with tensors for arrays."""
    leaves: list[Any] = []
    tree = trees.flatten(tuple(args), is_tensor_like, leaves)
    done: tuple[Any, ...] = trees.unflatten(tree, iter([as_tensor(x) for x in leaves]))
    return done


def scalar(fun: Callable[..., Any], vector: Vector) -> Callable[..., Any]:
    """Return fun as a function of the vector, with its one number as a float64."""

    def call(z: Any, *args: Any) -> Any:
        value = fun(vector.tensors(as_tensor(z)), *tensors_in(args))
        if isinstance(value, (float, np.floating)):
            raise ArgumentTypeError(
                "minimize: the function returned a float, which has no derivative: float() and .item() leave the "
                "graph. Expected a tensor; return it as it is."
            )
        y = _result(value)
        if math.prod(y.shape) != 1:
            raise ArgumentError(f"minimize: the function returned shape {list(y.shape)}. Expected one number; sum it.")
        return F.reshape(y, ())

    return call


def several(fun: Callable[..., Any], vector: Vector) -> Callable[..., Any]:
    """Return fun as a function of the vector, with all numbers that it returns in one vector."""

    def call(z: Any, *args: Any) -> Any:
        return joined(fun(vector.tensors(as_tensor(z)), *tensors_in(args)))

    return call


def joined(structure: Any) -> Any:
    """Return the numbers of a structure as one vector."""
    leaves: list[Any] = []
    trees.flatten(structure, is_variable, leaves)
    parts = [F.ravel(_result(y)) for y in leaves]
    return parts[0] if len(parts) == 1 else F.cat(parts, 0)


def _result(y: Any) -> Any:
    if not is_variable(y):
        raise ArgumentTypeError(f"the function returned {type(y).__name__}. Expected a tensor or a number.")
    t = as_tensor(y)
    if is_complex(t.dtype):
        raise ArgumentTypeError(f"the function returned {t.dtype}. Expected real numbers, such as abs(y) or y.real.")
    return t if t.dtype == np.float64 else t.to(np.float64)


class Checked:
    """A kernel that is compared with eager mode at its calls number 1, 2, 4, 8, …, and given up where they differ.

    A function that cannot be traced, that draws random numbers or reads what changes outside has no kernel.
    """

    def __init__(self, eager: Callable[..., Any], kernel: Callable[..., Any] | None) -> None:
        self.eager, self.kernel, self.calls = eager, kernel, 0

    def __call__(self, *args: Any) -> Any:
        """Return what eager mode returns."""
        if self.kernel is None:
            return self.eager(*args)
        self.calls += 1
        computed = self._from_kernel(args)
        if computed is not None and self.calls & (self.calls - 1):
            return computed
        expected = self.eager(*args)
        if computed is None or not _agree(computed, expected):
            self.kernel = None
        return expected

    def _from_kernel(self, args: tuple[Any, ...]) -> Any:
        """Return the kernel's result; None where there is none, which may be the fault of fun: eager mode tells."""
        kernel: Any = self.kernel
        try:
            return kernel(*args)
        except (SymgradError, TypeError, ValueError, RuntimeError, AttributeError, LookupError, ArithmeticError):
            return None


def _agree(actual: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return all(map(_agree, actual, expected))
    size = float(np.max(np.abs(expected), initial=0.0, where=np.isfinite(expected)))
    return bool(np.allclose(actual, expected, rtol=1e-9, atol=1e-9 * size, equal_nan=True))


def check_derivatives(who: str, jac: Any = None, hess: Any = None, hessp: Any = None) -> None:
    """Accept SciPy's derivatives, which are not called; refuse ``jac=True``, with which fun returns two values."""
    for name, value in (("jac", jac), ("hess", hess), ("hessp", hessp)):
        if value is True:
            raise ArgumentError(
                f"{who}: with {name}=True fun returns its value and its derivative. Leave {name} out and return the "
                "value: symgrad computes the derivative."
            )
