"""What the transforms share: the user's function called on variables of its own, and results handed out.

Imports engine and below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from symgrad import modes
from symgrad.engine import sweep
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError
from symgrad.kernels import canonical
from symgrad.node import GRAD, Cell, Leaf, ancestors
from symgrad.ops.convert import Cast
from symgrad.ops.map import IDENTITY
from symgrad.ops.value import to_value
from symgrad.record import Core, apply, as_tensor, handle

Argnums = int | Sequence[int]


class _Own(Cell):
    """The cell of a variable that a transform made; ``live`` while the transform runs the user's function."""

    __slots__ = ("live",)

    def __init__(self) -> None:
        super().__init__()
        self.live = True


_INSIDE: ContextVar[bool] = ContextVar("symgrad_inside_transform", default=False)


# ------------------------------------------------------------------ arguments in and out
class Call:
    """One call of a user's function with some arguments made differentiable."""

    def __init__(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], argnums: Argnums) -> None:
        self.single = isinstance(argnums, int)
        self.numbers = positions(argnums, len(args))
        # Inside another transform even a constant point may be followed by something to differentiate.
        self.plain = not _INSIDE.get() and not any(isinstance(a, Core) for a in args)
        self.xs = [variable(args[k]) for k in self.numbers]
        full = list(args)
        for k, x in zip(self.numbers, self.xs, strict=True):
            full[k] = x
        token = _INSIDE.set(True)
        try:
            with modes.enable_grad():
                self.result = fn(*full, **kwargs)
        finally:
            _INSIDE.reset(token)
            self._finish()

    def _finish(self) -> None:
        """From here on no result can be followed back to these variables but by this transform."""
        for x in self.xs:
            if isinstance(x._node.cell, _Own):
                x._node.cell.live = False

    def output(self, what: str) -> Any:
        """The result as one tensor."""
        return tensor_result(self.result, what)

    def pull(self, y: Any, seed: Any) -> list[Any]:
        """The cotangents of the variables, with a graph where tensors came in."""
        wrt = [x._node for x in self.xs]
        if y._node is None:
            return [zeros(x) for x in self.xs]
        with np.errstate(all="ignore"), modes.enable_grad():
            if self.plain:
                found = sweep([y._node], [canonical(seed._value)], wrt=wrt)
            else:
                found = sweep([y._node], [seed], wrt=wrt, handle=handle, symbolic=y._value is None)
        return [self._gradient(found.get(x._node), x) for x in self.xs]

    def _gradient(self, g: Any, x: Any) -> Any:
        if g is None:
            return zeros(x)
        if isinstance(g, Core):
            found: Any = g
            if found.dtype != x.dtype:
                found = apply(Cast(x.dtype), (g,))
            return cut(found, {id(v._node) for v in self.xs})
        return handle(None, canonical(np.asarray(g, dtype=x.dtype)))

    def out(self, t: Any) -> Any:
        """Hand a result out: NumPy if NumPy came in."""
        return to_numpy(t) if self.plain else cut(t, {id(v._node) for v in self.xs})

    def each(self, ts: Sequence[Any]) -> Any:
        """Hand out one result per differentiated argument."""
        done = tuple(self.out(t) for t in ts)
        return done[0] if self.single else done


def check_argnums(name: str, argnums: Any) -> None:
    """Refuse at once what is no position: mostly the point itself, passed to the transform."""
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    if not isinstance(numbers, (tuple, list)) or not all(isinstance(k, int) for k in numbers):
        raise ArgumentTypeError(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}. Count from 0; "
            f"{name}(f) returns a function, which takes the point: {name}(f)(x)."
        )
    if not numbers:
        raise ArgumentError("argnums must be non-empty. Name at least one position.")


def positions(argnums: Argnums, count: int) -> tuple[int, ...]:
    """Return the positions counted from the front; each once, and each in range."""
    numbers = (argnums,) if isinstance(argnums, int) else argnums
    for k in numbers:
        if not -count <= k < count:
            raise ArgumentError(
                f"Got argnum={k}, but only {count} positional inputs. Pass those you differentiate by position."
            )
    places = tuple(k % count for k in numbers)
    if len(set(places)) < len(places):
        raise ArgumentError(f"argnums elements must be unique, got {places}. Name each position once.")
    return places


def variable(x: Any) -> Any:
    """A handle of its own on x, so that this transform differentiates by it and by nothing else."""
    if isinstance(x, Core) and x._node is not None and (x._node.level == GRAD or x._value is None):
        return apply(IDENTITY, (x,))
    value = x._value if isinstance(x, Core) else to_value(x)
    if np.asarray(value).dtype.kind != "f":
        raise DTypeError(
            f"only Tensors of floating point dtype can require gradients. Got {np.asarray(value).dtype}; "
            "pass floats, such as 2.0."
        )
    return handle(Leaf(value, np.shape(value), GRAD, getattr(getattr(x, "_node", None), "title", None), _Own()), value)


def tensor_result(y: Any, what: str) -> Any:
    """Return the function's result as a tensor."""
    if isinstance(y, Core):
        return y
    if isinstance(y, (int, float, np.ndarray, np.generic)):
        return as_tensor(y)
    raise ArgumentTypeError(
        f"{what}: expected the function to return a tensor, got {type(y).__name__}. Return one tensor."
    )


def pair(result: Any) -> tuple[Any, Any]:
    """Check that a result is (output, aux)."""
    if not isinstance(result, tuple) or len(result) != 2:
        raise ArgumentTypeError(
            "grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True. "
            f"Got {type(result).__name__}."
        )
    return result


def cut(t: Any, own: set[int]) -> Any:
    """Drop the history of a result that nobody outside can follow: of this transform's and finished ones' leaves."""
    if t._node is None or t._node.level != GRAD:
        return t
    leaves = [n for n in ancestors([t._node]) if isinstance(n, Leaf) and n.level == GRAD]
    return t if any(id(n) not in own and _can_be_followed(n) for n in leaves) else handle(None, t._value)


def _can_be_followed(leaf: Leaf) -> bool:
    return leaf.cell.live if isinstance(leaf.cell, _Own) else True


def zeros(x: Any) -> Any:
    """Return the gradient of what does not depend on x."""
    return handle(None, canonical(np.zeros(x.shape, x.dtype)))


def to_numpy(t: Any) -> Any:
    """Return a tensor's value as a float or an array of its own."""
    value = t._value
    return value if type(value) is float else np.array(value) if value.ndim else value[()]


def ones(y: Any) -> Any:
    """Return the cotangent of a sum."""
    return handle(None, canonical(np.ones(y.shape, y.dtype)))
