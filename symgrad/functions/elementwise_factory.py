"""How a public function is made of an elementwise operation: its call, and its docstring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.engine.adapters import into
from symgrad.engine.record import TensorBase, apply, as_tensor, binary, unary
from symgrad.ops.elementwise.declared import BINARY, UNARY
from symgrad.ops.elementwise.logic import LOGIC
from symgrad.ops.map import Map
from symgrad.ops.scaling import scaled
from symgrad.scalars import SCALARS, Scalar

F = TypeVar("F", bound=Callable[..., Any])


_ONE = """
    Args:
        input: x, a tensor, array or number of any shape.
        out: a tensor that receives the result.

    Returns:
        A tensor of the same shape.
    """


_TWO = """
    Args:
        input, other: the operands x and other: tensors, arrays or numbers, broadcast against each other.
        out: a tensor that receives the result.

    Returns:
        A tensor of the broadcast shape.
    """


def published(where: str) -> dict[str, Callable[..., Any]]:
    """Return the functions of one and of two tensors that declarations place here, by name."""
    return {s.name: _published(s) for s in SCALARS.values() if s.public == where}


def _published(s: Scalar) -> Callable[..., Any]:
    if s.nargs == 1:
        return of_one(s.name, s.words, s.derivative)
    return of_two(s.name, s.words, f"    {s.note}\n" if s.note else "")


def operands(input: Any, other: Any) -> tuple[Any, Any]:
    """Return both as operations take them: a Python number on either side takes the dtype of the other."""
    other = other if isinstance(other, (TensorBase, int, float, complex)) else as_tensor(other)
    beside = isinstance(other, TensorBase) and type(input) in (int, float, complex)
    return (input if beside or isinstance(input, TensorBase) else as_tensor(input)), other


def applied(op: Map, input: Any, other: Any) -> Any:
    """Apply an operation to two operands."""
    if isinstance(input, TensorBase) and isinstance(other, TensorBase):
        return binary(op, input, other)
    return apply(op, (input, other))


def of_one(name: str, formula: str, derivative: str, note: str = "") -> Callable[..., Any]:
    """A function of one tensor, of the operation with this name."""
    op = UNARY[name]

    def call(input: Any, *, out: Any = None) -> Any:
        y = unary(op, input if isinstance(input, TensorBase) else as_tensor(input))
        return y if out is None else into(out, y, name)

    return _document(call, name, f"{formula}\n\n    Derivative: {derivative}.{note}\n{_ONE}")


def of_two(name: str, formula: str, note: str = "") -> Callable[..., Any]:
    """A function of two tensors."""
    op = BINARY[name]

    def call(input: Any, other: Any, *, out: Any = None) -> Any:
        y = applied(op, *operands(input, other))
        return y if out is None else into(out, y, name)

    return _document(call, name, f"{formula}\n{note}{_TWO}")


def of_two_scaled(name: str, formula: str) -> Callable[..., Any]:
    """A function of two tensors, the second times ``alpha``."""
    op = BINARY[name]

    def call(input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> Any:
        if type(alpha) is not int or alpha != 1:
            other = scaled(as_tensor(input), other if type(other) in (int, float) else as_tensor(other), alpha)
        return into(out, applied(op, *operands(input, other)), name)

    return _document(call, name, f"{formula}\n{_TWO}")


def of_truth(name: str, formula: str, arity: int = 2) -> Callable[..., Any]:
    """A function with booleans, or of bits."""
    apply_to = LOGIC[name]

    def one(input: Any, *, out: Any = None) -> Any:
        return into(out, apply_to(as_tensor(input)), name)

    def two(input: Any, other: Any, *, out: Any = None) -> Any:
        y = apply_to(as_tensor(input), other if isinstance(other, (int, float)) else as_tensor(other))
        return into(out, y, name)

    return _document(one if arity == 1 else two, name, f"{formula}\n{_ONE if arity == 1 else _TWO}")


def returned(words: str) -> str:
    """Return the docstring of a function, from one that begins with the value alone: "The sign of x", "|x|"."""
    return f"Return the {words[4:]}" if words.startswith("The ") else f"Return {words}"


def _document(fn: F, name: str, text: str) -> F:
    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = returned(text)
    return fn
