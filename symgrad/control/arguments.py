"""What users pass to control problems: numbers, pairs, names, meshes and functions, and what the functions return."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgrad.core.promotion import is_real
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, ValueNeeded
from symgrad.optim.nonlinear import NLP
from symgrad.support.named import Named
from symgrad.support.namespace import near


def named(what: str, values: Mapping[str, Any]) -> Named:
    """Return values by name for functions of users."""
    return Named(values, what, "control: a function")


@contextmanager
def noted(where: str) -> Iterator[None]:
    """Note on errors in here where they were raised."""
    try:
        yield
    except Exception as error:
        error.add_note(f"It was raised {where}.")
        raise


@dataclass(frozen=True)
class Function:
    """A function of the user's, whose errors have a note that says which it is.

    Attributes:
        name: such as "dynamics".
        fn: the function.
    """

    name: str
    fn: Callable[..., Any]

    def __call__(self, *args: Any) -> Any:
        """Return what the function returns."""
        with noted(f"by {self.name} of a control problem"):
            return self.fn(*args)


def function(words: str, fn: Any, optional: bool = True) -> Any:
    """Return a function that can be called with as many arguments as ``words`` lists, such as "final(x, t, p)"."""
    name = words.partition("(")[0]
    if fn is None and optional:
        return None
    if not callable(fn):
        raise ArgumentTypeError(f"control: {name} must be a function, got {type(fn).__name__}. Expected {words}.")
    try:
        signature = inspect.signature(fn)
    except (ValueError, TypeError):  # it was written in C
        return Function(name, fn)
    try:
        signature.bind(*range(words.count(",") + 1))
    except TypeError:
        raise ArgumentTypeError(f"control: {name} takes {signature}. Expected {words}.") from None
    return Function(name, fn)


def mapping(what: str, values: Any) -> dict[str, Any]:
    """Return a dict by name, empty for None."""
    if values is not None and not isinstance(values, Mapping):
        raise ArgumentTypeError(f"control: got {values!r:.60} for {what}. Expected a dict by name.")
    for name in values or {}:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"control: got the name {name!r} in {what}. Expected a string.")
    return dict(values or {})


def known(what: str, new: Any, own: Mapping[str, Any], why: str = "") -> dict[str, Any]:
    """Return a dict whose names are among those of ``own``."""
    values = mapping(what, new)
    unknown = [name for name in values if name not in own]
    if unknown:
        raise ArgumentError(f"control: solve got {what}={{{unknown[0]!r}: …}}{why}. Expected some of {list(own)}.")
    return values


class ControlProgram(NLP):
    """A nonlinear program whose start is made of a guess."""

    start_name = "guess"


def check_limits(limits: Mapping[str, Any], quantities: Mapping[str, Any], functions: str) -> None:
    """Refuse limits of quantities that the functions do not return."""
    for name in limits:
        if name not in quantities:
            guess = near(name, list(quantities)) or "."
            raise ArgumentError(
                f"control: limits has {name!r}, which {functions} not return. "
                f"Expected some of {list(quantities)}{guess}"
            )


def check_options(solve: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuse keywords that neither solve nor the solver of its nonlinear program has."""
    further = [name for name in inspect.signature(NLP.solve).parameters if name not in ("self", "args", "x0", "start")]
    for name in options:
        if name not in further:
            known = [*[own for own in inspect.signature(solve).parameters if own != "options"], *further]
            guess = near(name, known) or "."
            raise ArgumentTypeError(
                f"control: solve() got an unexpected keyword argument {name!r}. "
                f"Expected some of {', '.join(known)}{guess}"
            )


def value(what: str, v: Any) -> Any:
    """Return a number or an array as a float64 tensor."""
    if not isinstance(v, TensorBase):
        return as_tensor(real(what, v))
    if v._value is None:
        raise ValueNeeded(
            f"control: the {what} has no value here, as sg.compile and sg.vmap trace functions. Solve outside of them."
        )
    return v


def real(what: str, v: Any) -> Any:
    """Return real numbers as a float64 array."""
    try:
        array = np.asarray(v)
    except ValueError:  # lists of unequal length
        array = np.asarray(None)
    if not is_real(array.dtype):
        raise ArgumentTypeError(f"control: got {v!r:.60} for the {what}. Expected real numbers.")
    return array.astype(np.float64)


def number(v: Any) -> Any:
    """Return a tensor or an array as an array."""
    return np.asarray(v.detach()._value if isinstance(v, TensorBase) else v, np.float64)  # type: ignore[attr-defined]


def is_pair(v: Any) -> bool:
    """Whether v is a tuple of two, which stands for bounds."""
    return isinstance(v, tuple) and len(v) == 2


def pair(what: str, v: Any) -> tuple[Any, Any]:
    """Return the ends of a pair, in which None means no bound."""
    if not is_pair(v):
        raise ArgumentError(f"control: got {v!r:.60} for the {what}. Expected a pair (lower, upper); None is no bound.")
    low, high = (-math.inf if v[0] is None else v[0]), (math.inf if v[1] is None else v[1])
    if not np.all(real(what, low) <= real(what, high)):
        raise ArgumentError(f"control: the {what} is {v}: the lower bound is above the upper bound.")
    return low, high


def mesh_of(nodes: Any) -> Any:
    """Return the ends of the intervals as fractions of the time."""
    if isinstance(nodes, (int, np.integer)) and not isinstance(nodes, bool):
        if nodes < 1:
            raise ArgumentError(f"control: got nodes={nodes}. Expected at least one interval.")
        return np.linspace(0.0, 1.0, int(nodes) + 1)
    mesh = real("nodes", nodes)
    if mesh.ndim != 1 or len(mesh) < 2 or mesh[0] != 0.0 or mesh[-1] != 1.0 or not np.all(np.diff(mesh) > 0):
        raise ArgumentError(
            f"control: got nodes={nodes!r:.60}. Expected a number of intervals, or fractions that ascend from 0 to 1."
        )
    return mesh


def result(who: str, v: Any, shape: tuple[int, ...] | None = None) -> Any:
    """Return what a function of the user's returned as a tensor, of this shape where there is one."""
    try:
        tensor = as_tensor(v)
    except (DTypeError, ArgumentTypeError):
        raise ArgumentTypeError(f"control: {who} returned {v!r:.60}. Expected numbers or tensors.") from None
    if shape is not None and tuple(tensor.shape) != shape and not (math.prod(tensor.shape) == math.prod(shape) == 1):
        raise ArgumentError(f"control: {who} returned the shape {tuple(tensor.shape)}. Expected {shape}.")
    return tensor


def results(who: str, values: Any) -> dict[str, Any]:
    """Return what a function of the user's returned by name."""
    if not isinstance(values, Mapping):
        raise ArgumentTypeError(f"control: {who} returned a {type(values).__name__}. Expected a dict by name.")
    return {str(name): v for name, v in values.items()}
