"""What the transforms share: the user's function called on variables of its own, and results handed out.

Arguments and results are arrays or structures of them; gradients have the structure of the arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core import modes
from symgrad.core.kernels import canonical
from symgrad.core.node import GRAD, Cell, Leaf, ancestors, has_value, tensor_node, tensor_value
from symgrad.core.promotion import COMPLEX128, is_differentiable
from symgrad.core.trees import LEAF, Static, Tree, along, flatten, unflatten, without_statics
from symgrad.engine.record import TensorBase, apply, as_tensor, handle
from symgrad.engine.sweep import push, sweep
from symgrad.errors import ArgumentError, DTypeError, GraphError, ShapeError, uncovered
from symgrad.ops.convert import Cast
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.ops.value import array_of, is_foreign, to_value
from symgrad.transforms.arguments import Argnums, check_results, pair, positions, statics, tensor_result

_ARRAYS = (TensorBase, np.ndarray, np.generic)


class Own(Cell):
    """The cell of a variable that a transform made; ``live`` counts what runs the user's function with it."""

    __slots__ = ("live",)
    rebindable = True

    def __init__(self) -> None:
        super().__init__()
        self.live = 1


def is_plain(*given: Any) -> bool:
    """Whether results go out as NumPy arrays: no tensors came in, and no other transform is running."""
    return modes.variables() is None and not any(map(has_tensor, given))


def has_tensor(x: Any) -> bool:
    """Whether there is a tensor in a structure."""
    if isinstance(x, (TensorBase, float, np.ndarray)) or x is None:
        return isinstance(x, TensorBase)
    tensors: list[Any] = []
    flatten(x, _is_tensor, tensors)
    return bool(tensors)


def _is_tensor(x: Any) -> bool:
    return isinstance(x, TensorBase)


# ------------------------------------------------------------------ arguments in and out
class DifferentiatedCall:
    """One call of a user's function with some arguments made differentiable.

    Attributes:
        xs: the variables, one for each floating-point array in these arguments.
        trees: the structure of each of these arguments around its variables.
        ys: the tensors of the result, once ``returns`` has looked at it.
        tree: its structure.
    """

    ys: list[Any]
    tree: Tree
    leaves = False  # whether the function may make leaves of what it was given, as PyTorch allows in some places

    def __init__(
        self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], argnums: Argnums | None = None
    ) -> None:
        self.single = argnums is not None and not isinstance(argnums, (tuple, list))
        self.numbers = tuple(range(len(args))) if argnums is None else positions(argnums, len(args))
        self.plain = is_plain(*args, *kwargs.values())
        self.xs: list[Any] = []
        self.trees = []
        full, originals, own = list(args), list[Any](), list[Any]()
        for k in self.numbers:
            tree, leaves = _taken(args[k], k, required=argnums is not None)
            xs = list(map(variable, leaves))
            # Handles of its own: the function may rebind them by statements in place.
            given = [handle(tensor_node(x), tensor_value(x)) for x in xs]
            full[k] = given[0] if tree is LEAF else unflatten(tree, iter(given))
            self.trees.append(tree)
            self.xs += xs
            originals += leaves
            own += given
        if not self.xs and args and argnums is None:
            variable(args[0])  # raises
        self._variables = frozenset([id(tensor_node(x)) for x in self.xs])
        self._cells = [tensor_node(x).cell for x in self.xs if isinstance(tensor_node(x).cell, Own)]
        self._run(fn, full, kwargs)
        for original, x, changed in zip(originals, self.xs, own, strict=True):
            if is_written_to(x, changed):
                write_back(original, self.cut(changed), originals)

    def _run(self, fn: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Record the call of the function with variables in place of its arguments."""
        try:
            with uncovered(), modes.transforming([tensor_node(x) for x in self.xs], self.leaves), modes.enable_grad():
                self.result = fn(*args, **kwargs)
        finally:
            self._count(-1)

    def _count(self, step: int) -> None:
        """Once the function has run, no result can be followed back to these variables but by this transform.

        While its sweeps run they can: rules may call the user's functions again, with transforms in them.
        """
        for cell in self._cells:
            cell.live += step

    # -------------------------------------------------------------- the result
    def returns(self, what: str) -> None:
        """Take the result apart."""
        self.ys = []
        self.tree = flatten(self.result, is_result, self.ys)
        check_results(self.tree, what)
        self.ys = [as_tensor(y) for y in self.ys]
        if any(not has_value(y) for y in self.ys):
            self.plain = False

    def output(self, what: str) -> Any:
        """The result as one tensor."""
        y = tensor_result(self.result, what)
        if not has_value(y):
            self.plain = False
        self.ys, self.tree = [y], LEAF
        return y

    def split_aux(self, name: str) -> Any:
        """Take the second result off, and return it as it goes out."""
        self.result, aux = pair(name, self.result)
        return aux

    # -------------------------------------------------------------- sweeps
    def pull(self, seeds: Sequence[Any], plain: bool | None = None) -> list[Any]:
        """The cotangents of the variables for cotangents of the results, with a graph where tensors came in."""
        plain = self.plain if plain is None else plain
        live = [(y, s) for y, s in zip(self.ys, seeds) if tensor_node(y) is not None and s is not None]
        if not live:
            return [zeros(x) for x in self.xs]
        roots, wrt = [tensor_node(y) for y, _ in live], [tensor_node(x) for x in self.xs]
        self._count(1)
        try:
            with np.errstate(all="ignore"), modes.enable_grad():
                if plain:
                    cotangents = sweep(roots, [canonical(tensor_value(s)) for _, s in live], wrt=wrt)
                else:
                    symbolic = any(not has_value(y) for y, _ in live)
                    cotangents = sweep(roots, [s for _, s in live], wrt=wrt, handle=handle, symbolic=symbolic)
        finally:
            self._count(-1)
        return [self._gradient(cotangents.get(tensor_node(x)), x) for x in self.xs]

    def _gradient(self, g: Any, x: Any) -> Any:
        if g is None:
            return zeros(x)
        if isinstance(g, TensorBase):
            own = handle(tensor_node(g), tensor_value(g))
            return self.cut(own if own.dtype == x.dtype else apply(Cast(x.dtype), (own,)))
        return handle(None, canonical(np.asarray(g, dtype=x.dtype)))

    def push(self, tangents: Sequence[Any], plain: bool | None = None) -> list[Any]:
        """The tangents of the results for tangents of the variables, None for zero."""
        plain = self.plain if plain is None else plain
        live = [tensor_node(y) for y in self.ys if tensor_node(y) is not None]
        given = {tensor_node(x): tensor_value(t) if plain else t for x, t in zip(self.xs, tangents) if t is not None}
        symbolic = any(not has_value(y) for y in self.ys)
        self._count(1)
        try:
            with np.errstate(all="ignore"), modes.enable_grad():
                pushed = dict(zip(live, push(live, given, handle, record=not plain, symbolic=symbolic)))
        finally:
            self._count(-1)
        return [_tangent(pushed.get(tensor_node(y)), y) for y in self.ys]

    # -------------------------------------------------------------- handing out
    def out(self, t: Any, plain: bool | None = None) -> Any:
        """Hand a result out: NumPy if NumPy came in."""
        if (self.plain if plain is None else plain) and has_value(t):
            return to_numpy(t)
        return self.cut(t)

    def cut(self, t: Any) -> Any:
        """Drop the history of a result that leads to this transform's variables only."""
        return cut(t, self._variables)

    def value(self, ts: Sequence[Any], plain: bool | None = None) -> Any:
        """Return values in the structure of the result."""
        return unflatten(self.tree, iter([self.out(t, plain) for t in ts]))

    def aux(self, x: Any) -> Any:
        """Hand out the second result; what has no tensors goes as it is."""
        tensors: list[Any] = []
        tree = flatten(x, _is_tensor, tensors)
        return unflatten(tree, iter([self.out(t) for t in tensors])) if tensors else x

    def each(self, ts: Sequence[Any], plain: bool | None = None) -> Any:
        """Hand out one result per variable, structured like the arguments."""
        return self.arranged([self.out(t, plain) for t in ts])

    def arranged(self, values: Sequence[Any]) -> Any:
        """Put one thing per variable in the places of the variables; None where an argument has no derivative."""
        rest = iter(values)
        done = tuple([next(rest) if tree is LEAF else unflatten(without_statics(tree), rest) for tree in self.trees])
        return done[0] if self.single else done

    # -------------------------------------------------------------- what users give for a derivative
    def cotangents(self, v: Any) -> list[Any]:
        """Return v, structured like the result, as tensors of the same shapes."""
        seeds = [as_tensor(s) for s in along(self.tree, v, "vjp: the cotangent")]
        for k, (y, s) in enumerate(zip(self.ys, seeds)):
            if s.shape != y.shape:
                raise ShapeError(
                    f"Mismatch in shape: grad_output[{k}] has a shape of torch.Size({show_shape(s.shape)}) and "
                    f"output[{k}] has a shape of torch.Size({show_shape(y.shape)}). They must be the same."
                )
        return seeds

    def tangents(self, who: str, given: Sequence[Any]) -> list[Any]:
        """Return tangents, structured like the arguments, as tensors of the same shapes."""
        if len(given) != len(self.trees):
            raise ArgumentError(
                f"{who}: got {len(self.trees)} primals and {len(given)} tangents. Pass one tangent per primal."
            )
        leaves = [t for k, tree in enumerate(self.trees) for t in along(tree, given[k], f"{who}: tangent {k}")]
        ts = [as_tensor(t) for t in leaves]
        for x, t in zip(self.xs, ts, strict=True):
            if x.shape != t.shape:
                raise ShapeError(
                    "Trying to set a forward gradient that has a different size than that of the original Tensor, "
                    f"this is not supported. Tensor is of size {show_shape(x.shape)} while the given forward gradient "
                    f"is of size {show_shape(t.shape)}."
                )
        return ts


def _tangent(tangent: Any, y: Any) -> Any:
    if tangent is None:
        return zeros(y)
    t: Any = tangent if isinstance(tangent, TensorBase) else handle(None, canonical(tangent))
    return t if t.shape == y.shape else apply(IDENTITY, (t + zeros(y),))


# ------------------------------------------------------------------ what is written to arguments
def write_back(x: Any, own: Any, given: Sequence[Any]) -> None:
    """Write to one of the tensors that were given what a function wrote in place to the one that stood for it.

    What stood for a number or an array is the function's own.

    Raises:
        GraphError: if the same tensor was passed twice and modified through only one of the arguments.
    """
    if not isinstance(x, TensorBase):
        return
    if sum(t is x for t in given) > 1:
        raise GraphError(
            "the function changes an argument in place, and the same tensor was passed for another argument. Pass "
            "x.clone() for one of them."
        )
    x.copy_(own)  # type: ignore[attr-defined]


def is_written_to(before: Any, own: Any) -> bool:
    """Whether a handle was changed in place since it was made of ``before``; without a value, it has another node."""
    known = has_value(before) and has_value(own)
    return tensor_value(own) is not tensor_value(before) if known else tensor_node(own) is not tensor_node(before)


# ------------------------------------------------------------------ variables
def is_array(x: Any) -> bool:
    """Whether x is one array of an argument: a tensor, array or float, or a list of nothing but numbers."""
    return isinstance(x, (*_ARRAYS, float, complex)) or (type(x) is list and _extent(x) is not None) or is_foreign(x)


def _extent(x: Any) -> tuple[int, ...] | None:
    """The shape of a nested list of numbers, None for anything else."""
    if type(x) is not list:
        return () if isinstance(x, (int, float, np.number)) else None
    sizes = {_extent(v) for v in x}
    inner = sizes.pop() if len(sizes) == 1 else None
    return None if inner is None else (len(x), *inner)


def _is_variable(x: Any) -> bool:
    if isinstance(x, (float, complex)):
        return True
    return is_array(x) and is_differentiable(_dtype(x))


def _dtype(x: Any) -> np.dtype[Any]:
    """The dtype of an array of an argument."""
    dtype: np.dtype[Any] = x.dtype if isinstance(x, _ARRAYS) else array_of(x).dtype  # type: ignore[union-attr]
    return dtype


def is_result(x: Any) -> bool:
    """Whether x is one array of a result."""
    return isinstance(x, (*_ARRAYS, int, float, sp.Expr)) or is_foreign(x)


def _taken(x: Any, k: int, required: bool) -> tuple[Tree, list[Any]]:
    """Take an argument apart into arrays and the structure around them. Integers and the like are part of that."""
    leaves: list[Any] = [x] if type(x) is float else []
    tree = LEAF if type(x) is float else flatten(x, _is_variable, leaves)
    if required and not leaves:
        if isinstance(tree, Static) and x is not None:
            variable(x)  # raises
        numbers = [(p, v) for p, v in statics(tree) if isinstance(v, (*_ARRAYS, int)) or is_foreign(v)]
        if numbers:
            raise DTypeError(_no_gradient(numbers[0][1], f" at argument {k}{numbers[0][0]}" * (type(x) is not list)))
    return tree, leaves


def _no_gradient(value: Any, where: str = "") -> str:
    return (
        f"only Tensors of floating point dtype can require gradients. Got {_dtype(value)}{where}; pass floats, such as "
        "2.0."
    )


def variable(x: Any) -> Any:
    """A handle of its own on x, so that this transform differentiates by it and by nothing else."""
    flows = isinstance(x, TensorBase) and tensor_node(x) is not None and tensor_node(x).level == GRAD
    if isinstance(x, TensorBase) and (not has_value(x) or (flows and modes.recording())):
        return IDENTITY(x)
    value = tensor_value(x) if isinstance(x, TensorBase) else to_value(x)
    if not is_differentiable(np.asarray(value).dtype):
        raise DTypeError(_no_gradient(value))
    return handle(Leaf(value, np.shape(value), GRAD, getattr(getattr(x, "_node", None), "title", None), Own()), value)


# ------------------------------------------------------------------ values
def cut(t: Any, own: Set[int]) -> Any:
    """Drop the history of a result that nobody outside can follow: of this transform's and finished ones' leaves."""
    if tensor_node(t) is None or tensor_node(t).level != GRAD or not has_value(t):
        return t
    leaves = [n for n in ancestors([tensor_node(t)]) if isinstance(n, Leaf) and n.level == GRAD]
    return t if any(id(n) not in own and _can_be_followed(n) for n in leaves) else handle(None, tensor_value(t))


def _can_be_followed(leaf: Leaf) -> bool:
    return leaf.cell.live > 0 if isinstance(leaf.cell, Own) else True


def zeros(x: Any) -> Any:
    """Return the gradient of what does not depend on x."""
    return handle(None, canonical(np.zeros(x.shape, x.dtype)))


def to_numpy(t: Any) -> Any:
    """Return a tensor's value as a number or an array of its own; in double precision numbers are Python's."""
    value = tensor_value(t) if has_value(t) else t._known("an array")
    if type(value) is float:
        return value
    if value.ndim:
        return np.array(value)
    return value.item() if value.dtype == COMPLEX128 else value[()]


def ones(y: Any) -> Any:
    """Return the cotangent of a sum."""
    return handle(None, canonical(np.ones(y.shape, y.dtype)))
