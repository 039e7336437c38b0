"""What the teaching functions take: a tensor with a graph, or a function that records one."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, Leaf
from symgrad.core.promotion import is_differentiable, is_signed
from symgrad.engine.generator import once
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from symgrad.expression.arguments import recorded, with_leaves
from symgrad.expression.models import is_model
from symgrad.ops.map import show_shape
from symgrad.ops.value import unitless
from symgrad.tensors.creation import symbol, tensor

_INPUT = "input"  # what PyTorch, and symgrad with it, calls the only argument of a function such as sin
_HOME = str(Path(__file__).parents[1])


class Call(NamedTuple):
    """A call of a user's function: its name, and the counts of nodes before and behind it."""

    name: str
    start: int
    end: int


def output_of(
    who: str, y: Any, wrt: Any, at: Any, calls: list[Call] | None = None, constants: bool = False
) -> tuple[Any, Any]:
    """Return the tensor, and what to differentiate with respect to as tensors or None.

    Args:
        who: the function that was called, for messages.
        y: a tensor, or a function.
        wrt: tensors; names of the function's parameters; a model, for all its parameters; or None.
        at, calls: arguments of the function; takes the calls that it makes.
        constants: whether a function of symbols may be constant, or not be made of some.
    """
    if is_model(wrt):
        return recorded(who, y, wrt)
    if is_model(y) and at is None:
        raise ArgumentTypeError(
            f"{who}: got a model alone. Compute its loss first, loss = criterion(model(X), y), and pass both, as in "
            f"sg.{who}(loss, {'wrt=' if who == 'graph' else ''}model)."
        )
    if isinstance(y, TensorBase):
        if at is not None:
            raise ArgumentError(f"{who}: got at=… and a tensor, whose values are those of its leaves. Omit at=.")
        if y._node is None:
            raise GraphError(
                f"{who}: the output has no graph. Make an input with requires_grad=True, with name=…, or by sg.symbol."
            )
        return y, wrt
    if not callable(y):
        raise ArgumentTypeError(f"{who}: expected a tensor or a function, got {type(y).__name__}.")
    return called(who, y, wrt, at, calls, constants and at is None)


def _with_targets(who: str, y: Any, wrt: Any, leaves: dict[str, Any], constants: bool) -> tuple[Any, Any]:
    """Return a function's result, and those of its arguments that wrt names."""
    if wrt is None:
        return y, [t for t in leaves.values() if t._value is None or t.requires_grad]
    if not isinstance(wrt, (str, list, tuple)):
        raise ArgumentTypeError(
            f"{who}: wrt is {wrt!r:.40}. Of a function, expected names of its arguments, as 'x'; numbers go into at=."
        )
    chosen = [wrt] if isinstance(wrt, str) else list(wrt)
    unknown = [w for w in chosen if w not in leaves]
    if unknown:
        raise ArgumentError(
            f"{who}: wrt has {unknown}, which the function does not take. Expected some of {[*leaves]}."
        )
    targets = [leaves[w] for w in chosen]
    return with_leaves(y, targets) if constants else y, targets


def called(
    who: str, f: Callable[..., Any], wrt: Any, at: Any, calls: list[Call] | None, constants: bool = False
) -> tuple[Any, Any]:
    """Call a function with leaves that are named as its parameters are."""
    names = parameters(who, f, None if at is None else len(_arguments(at)))
    leaves = (
        [symbol(n) for n in names] if at is None else [_leaf(n, x) for n, x in zip(names, _arguments(at), strict=True)]
    )
    with enable_grad(), once(who, f), nullcontext() if calls is None else _noted(calls):
        y = f(*leaves)
    if not isinstance(y, (TensorBase, int, float, np.ndarray, np.generic)):
        raise ArgumentTypeError(
            f"{who}: expected the function to return a tensor, got {type(y).__name__}. Return one tensor."
        )
    y = as_tensor(y)
    if y._node is None and constants:
        y = with_leaves(y, leaves)
    if y._node is None:
        raise GraphError(f"{who}: the function's result does not depend on its arguments. Compute it from them.")
    return _with_targets(who, y, wrt, dict(zip(names, leaves, strict=True)), constants)


def parameters(who: str, f: Callable[..., Any], many: int | None) -> list[str]:
    """Return the names of as many parameters as there are arguments; without arguments, of those without default."""
    try:
        declared = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        declared = []
    names = [p.name for p in declared if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if many is None:
        required = [p.name for p in declared if p.name in names and p.default is p.empty]
        return ["x"] if required == [_INPUT] else required or names[:1] or ["x"]
    if len(names) < many:
        names = ["x"] if many == 1 else [f"x{k}" for k in range(many)]
    return names[:many]


def _arguments(at: Any) -> Sequence[Any]:
    return at if isinstance(at, tuple) else (at,)


def _leaf(name: str, x: Any) -> Any:
    value = np.asarray(x._value) if isinstance(x, TensorBase) else unitless(x)
    if is_signed(value.dtype) and not value.ndim:
        value = value.astype(np.float64)
    return tensor(value, requires_grad=is_differentiable(value.dtype), name=name)


@contextmanager
def _noted(calls: list[Call]) -> Iterator[None]:
    """Note the calls of Python functions outside symgrad, those within before those around."""
    open_: list[tuple[Any, int]] = []

    def note(frame: Any, event: str, _: Any) -> None:
        name, file = frame.f_code.co_name, frame.f_code.co_filename
        if name.startswith("<") or file.startswith(_HOME):
            return
        if event == "call":
            open_.append((frame, _moment()))
        elif event == "return" and open_ and open_[-1][0] is frame:
            calls.append(Call(name, open_.pop()[1], _moment()))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)


def _moment() -> int:
    return Leaf(None, (), CONSTANT).index


def check_number(who: str, y: Any) -> None:
    """Refuse arrays, of which there is no gradient."""
    if y.shape != ():
        raise ShapeError(
            f"grad can be implicitly created only for scalar outputs. {who}: got shape {show_shape(y.shape)}; "
            "explain y.sum(), or pass cotangent=u, shaped like y, for Jᵀu."
        )
