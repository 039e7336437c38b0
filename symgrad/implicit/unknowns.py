"""What users have, structures of arrays, and what is solved for: one array, or one vector of all their numbers."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core import trees
from symgrad.core.kernels import canonical
from symgrad.core.node import tensor_node
from symgrad.core.promotion import is_bool, is_complex, is_floating
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import TensorBase, as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.implicit import programs
from symgrad.implicit.conditions import Conditions, Letters
from symgrad.implicit.factors import Way
from symgrad.ops.convert import Cast
from symgrad.ops.map import show_shape
from symgrad.ops.value import is_foreign
from symgrad.support.arguments import shown
from symgrad.transforms.tracing import Trace, spec_of

_COMPLEX = "{}: got complex numbers. Pass their real and imaginary parts, as two arrays."


def is_variable(x: Any) -> bool:
    """Whether x is an array, or a number to be found."""
    return (isinstance(x, (TensorBase, np.ndarray, np.number, int, float)) and not isinstance(x, bool)) or is_foreign(x)


def is_parameter(x: Any) -> bool:
    """Whether x is an array that conditions depend on; an integer of Python's is a part of the function."""
    return isinstance(x, (TensorBase, np.ndarray, np.number, float)) or is_foreign(x)


def check_entries(who: str, x0: Any) -> None:
    """Refuse texts in the lists of unknowns, since they are neither arrays nor parts of a structure."""
    for e in x0 if isinstance(x0, (list, tuple)) and not hasattr(x0, "_fields") else ():
        if isinstance(e, (str, bytes)):
            raise ArgumentTypeError(
                f"{who}: got {e!r} in {shown(x0)}. Expected numbers, arrays, or a structure of them."
            )
        check_entries(who, e)


def is_numbers(x: Any) -> bool:
    """Whether x is a list of numbers, which stands for an array as in NumPy."""
    if not isinstance(x, (list, tuple)) or hasattr(x, "_fields") or not x:
        return False
    return all((isinstance(e, (int, float, np.number)) and not isinstance(e, bool)) or is_numbers(e) for e in x)


class Unknown:
    """The place of each array of x0: x0 itself where it is one array, else parts of one vector.

    Attributes:
        start: the tensor that the solver starts from.
    """

    def __init__(self, who: str, x0: Any) -> None:
        check_entries(who, x0)
        leaves: list[Any] = []
        self.tree = trees.flatten(np.array(x0, np.float64) if is_numbers(x0) else x0, is_variable, leaves)
        if not leaves:
            if isinstance(x0, complex):
                raise ArgumentTypeError(_COMPLEX.format(who))
            raise ArgumentError(f"{who}: x0 has no numbers. Pass an array, or a structure of arrays.")
        arrays = [floating(who, as_tensor(x)) for x in leaves]
        self.shapes = [a.shape for a in arrays]
        self.single = len(arrays) == 1
        if not self.single and not all(isinstance(n, int) for s in self.shapes for n in s):
            raise ShapeError(f"{who}: a structure of arrays needs sizes that are numbers. Got {self.shapes}.")
        self.edges = [0, *itertools.accumulate(math.prod(s) for s in self.shapes)] if not self.single else []
        self.start = arrays[0] if self.single else F.cat([F.ravel(a) for a in arrays], 0)

    def blocks(self, title: str) -> Letters:
        """Return the names and shapes of several arrays, where formulas can write all of them as letters."""
        names = labels(self.tree, title)
        if self.single or len({*names}) < len(names) or not all(name.isidentifier() for name in names):
            return ()
        return tuple(zip(names, map(tuple, self.shapes), strict=True))

    def structure(self, z: Any) -> Any:
        """Return the tensor that was solved for in the structure of x0."""
        if self.single:
            return trees.unflatten(self.tree, iter([z]))
        parts = [
            F.reshape(F.narrow(z, 0, a, b - a), s)
            for (a, b), s in zip(itertools.pairwise(self.edges), self.shapes, strict=True)
        ]
        return trees.unflatten(self.tree, iter(parts))

    def beside(self, who: str, x: Any) -> list[Any]:
        """Return the tensors of a value that is structured like x0."""
        tensors = [as_tensor(a) for a in trees.along(self.tree, x, who)]
        for t, s in zip(tensors, self.shapes, strict=True):
            if tuple(t.shape) != tuple(s):
                raise ShapeError(f"{who} has shape {show_shape(t.shape)}. Expected {show_shape(s)}, as the start has.")
        return tensors

    def flat(self, who: str, x: Any) -> Any:
        """Return an answer, structured like x0, as one array."""
        try:
            leaves = trees.along(self.tree, np.array(x, np.float64) if is_numbers(x) else x, f"{who}: the answer")
        except ArgumentTypeError as error:
            raise ArgumentTypeError(f"{error} The solver must return a result with the structure of x0.") from error
        values = [_real(who, a) for a in leaves]
        for v, s in zip(values, self.shapes, strict=True):
            if v.shape != tuple(s):
                raise ShapeError(
                    f"{who}: the solver returned shape {show_shape(v.shape)}. Expected {show_shape(s)}, as the start "
                    "has."
                )
        return values[0] if self.single else np.concatenate([v.ravel() for v in values])

    def arrays(self, z: Any) -> Any:
        """Return an array that was solved for in the structure of x0, as arrays and floats."""
        if self.single:
            parts = [np.asarray(z)]
        else:
            pairs = zip(itertools.pairwise(self.edges), self.shapes, strict=True)
            parts = [np.asarray(z)[a:b].reshape(s) for (a, b), s in pairs]
        return trees.unflatten(self.tree, iter([float(p) if p.ndim == 0 else np.array(p) for p in parts]))


def floating(who: str, t: Any) -> Any:
    """Return integers as float64, and others as they are."""
    if is_bool(t.dtype):
        raise ArgumentTypeError(f"{who}: got booleans. Pass numbers.")
    if is_complex(t.dtype):
        raise ArgumentTypeError(_COMPLEX.format(who))
    return t if is_floating(t.dtype) else Cast(np.dtype(np.float64))(t)


def double(x: Any) -> Any:
    """Return a tensor in double precision."""
    t: Any = as_tensor(x)
    return t if t.dtype == np.float64 else Cast(np.dtype(np.float64))(t)


def number(who: str, what: str, x: Any) -> Any:
    """Return a number in double precision, checked."""
    t = floating(who, as_tensor(x))
    if t.shape != ():
        raise ShapeError(f"{who}: {what} has shape {show_shape(t.shape)}. Expected a number.")
    return double(t)


def _real(who: str, x: Any) -> Any:
    """Return an array of what a solver returned."""
    t: Any = as_tensor(x) if is_variable(x) else None
    if t is None or is_complex(t.dtype):
        kind = type(x).__name__ if t is None else t.dtype
        raise ArgumentTypeError(f"{who}: the solver returned {kind}. Expected real numbers, in arrays like x0's.")
    return np.asarray(t._known("x"))


class Arguments:
    """The further arguments of a function, taken apart into tensors.

    Attributes:
        tensors: those that the answer depends on.
    """

    def __init__(self, args: Sequence[Any]) -> None:
        leaves: list[Any] = []
        self.tree = trees.flatten(tuple(args), is_parameter, leaves)
        self.tensors = [as_tensor(a) for a in leaves]

    def put(self, tensors: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments with these tensors."""
        done: tuple[Any, ...] = trees.unflatten(self.tree, iter(tensors))
        return done

    def arrays(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments with these arrays."""
        return self.put([canonical(np.asarray(v)) for v in values])


def flat_result(who: str, y: Any) -> list[Any]:
    """Return what a function gave as tensors, one after the other."""
    leaves: list[Any] = []
    trees.flatten([y], is_variable, leaves)
    if not leaves:
        raise ArgumentTypeError(f"{who}: the function returned {type(y).__name__}. Expected tensors.")
    return [as_tensor(t) for t in leaves]


def joined(parts: Sequence[Any]) -> Any:
    """Return tensors as one: itself where there is one."""
    return parts[0] if len(parts) == 1 else F.cat([F.ravel(t) for t in parts], 0)


def labels(tree: trees.Tree, title: str, inside: bool = False) -> list[str]:
    """Return the name of each array: keys joined by dots, and numbers in brackets behind the title."""
    if isinstance(tree, trees.ArrayLeaf):
        return [title]
    if isinstance(tree, trees.Static):
        return []
    named = tree.keys or getattr(tree.kind, "_fields", ())
    own = [f"{title}.{k}" if inside else str(k) for k in named] or [f"{title}[{k}]" for k in range(len(tree.parts))]
    return [name for label, part in zip(own, tree.parts, strict=True) for name in labels(part, label, True)]


def title_of(f: Callable[..., Any]) -> str:
    """Return what a function calls its first argument."""
    try:
        name = next(iter(inspect.signature(f).parameters), "x")
    except (TypeError, ValueError):
        return "x"
    return name if name.strip("_") else "x"


def traced(
    who: str, f: Callable[..., Any], unknown: Spec, tensors: Sequence[Any]
) -> tuple[Program, list[Any]]:  # fmt: skip
    """Return f(x, *θ) as a body, and all tensors that it depends on: θ, and those that it took from outside."""
    with Trace() as trace:
        variables = trace.variables([unknown, *[spec_of(t) for t in tensors]])
        own = [handle(tensor_node(v), None) for v in variables]  # f may write to its own in place
        y = trace.run(f, own, f"{who}: f is traced once on tensors without values, and looks at one.")
        body, captured = trace.program(variables, [as_tensor(y)])
    return programs.shared(body), [*tensors, *captured]


def conditions(
    who: str, f: Callable[..., Any], unknown: Unknown, args: Arguments, way: Way, title: str
) -> tuple[Conditions, list[Any]]:
    """Return the conditions f(x, *args) = 0, and the tensors that they depend on."""

    def equations(z: Any, *tensors: Any) -> Any:
        result = joined(flat_result(who, f(unknown.structure(z), *args.put(tensors))))
        if result.dtype != z.dtype and is_floating(z.dtype):
            result = Cast(z.dtype)(result)
        return _square(who, result, z)

    body, inputs = traced(who, equations, spec_of(unknown.start), args.tensors)
    return Conditions(body, way, who, title, blocks=unknown.blocks(title)), inputs


def _square(who: str, result: Any, z: Any) -> Any:
    many, wanted = programs.size_of(result), programs.size_of(z)
    if many != wanted:
        raise ShapeError(
            f"{who}: f returns {many} numbers (shape {show_shape(result.shape)}) for {wanted} unknowns (shape "
            f"{show_shape(z.shape)}). Expected one equation for each unknown."
        )
    return result
