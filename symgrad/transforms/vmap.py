"""vmap: trace the function on one slice without values, then run every operation on the whole batch.

NumPy in, NumPy out; tensors in, tensors out, as for the other transforms.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, ParamSpec

import numpy as np

from symgrad.core import modes
from symgrad.core.journal import undoing
from symgrad.core.node import Leaf, ancestors, has_value, is_node, tensor_node
from symgrad.core.pickling import transform
from symgrad.core.trees import LEAF, Tree, flatten, paths, spread, unflatten
from symgrad.engine.generator import Refusing, Repeated, Tape, taken, taping
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, IndexRangeError, ShapeError
from symgrad.ops.contract import permute
from symgrad.ops.indexing.select import getitem
from symgrad.ops.shape import repeated
from symgrad.ops.shapes.join import Cat
from symgrad.ops.value import is_foreign
from symgrad.support.arguments import check_all
from symgrad.support.foreign_draws import watched
from symgrad.transforms.arguments import check_chunk_size, check_function, check_randomness, check_results
from symgrad.transforms.batching import batch
from symgrad.transforms.calls import cut, is_array, is_plain, is_result, to_numpy, write_back
from symgrad.transforms.tracing import Trace

__all__ = ["vmap"]

P = ParamSpec("P")
_LOOKS = "vmap: the function looks at a value, but is traced once without values, for all slices."


@transform
def vmap(
    fn: Callable[P, Any], in_axes: Any = 0, out_axes: Any = 0, *, in_dims: Any = ..., out_dims: Any = ...,
    randomness: str = "same", chunk_size: int | None = None, axis_size: int | None = None,
) -> Callable[P, Any]:  # fmt: skip
    """Return the function that applies fn to every slice of its arguments: y[b] = f(x[b]).

    Args:
        fn: function of arrays or structures of arrays, which returns arrays or structures of arrays. It is traced once
            without values, so it cannot branch on them; use ``sg.where``.
        in_axes, in_dims: the axis to map over, or a tuple with one entry per argument, each an axis or a structure of
            axes for the arrays in it; None for arguments that are not mapped. Keyword arguments are not mapped.
        out_axes, out_dims: the position of the batch axis in the results: an axis, or a structure of axes; None for a
            result that is the same for all slices, and is returned once.
        randomness: "same" to use the same random numbers for all slices, "different" to draw them for each slice in
            order, "error" to raise an error if fn draws random numbers.
        chunk_size: the number of slices to process together; a small number needs less memory. None for all slices.
        axis_size: the number of slices; required if no argument is mapped.

    Returns:
        A function of the batched arguments. For NumPy arrays, the results are NumPy arrays, unless they depend on a
        captured tensor that requires grad.

    Raises:
        ShapeError: if the mapped axes differ in size.
        ValueNeeded: if fn needs a value.

    >>> sg.vmap(lambda a, b: a @ b)(sg.ones(4, 3), sg.ones(4, 3))
    tensor([3., 3., 3., 3.])
    >>> sg.vmap(lambda p, x: {"y": p["w"] * x}, in_axes=({"w": None}, 0))({"w": 2.0}, np.array([1.0, 2.0]))
    {'y': array([2., 4.])}
    """
    check_function("vmap", fn)
    check_chunk_size("vmap", chunk_size)
    check_randomness("vmap", randomness)
    in_axes = in_axes if in_dims is ... else in_dims
    out_axes = out_axes if out_dims is ... else out_dims

    @undoing
    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        plain = is_plain(*args, *kwargs.values())
        given = _taken(args, in_axes, axis_size)
        with modes.transforming(()):
            slices = _Slices(functools.partial(fn, **kwargs), given, out_axes, randomness)
            results = _in_chunks(slices, given, chunk_size or max(given.size, 1))
        outputs = [cut(y if axis is None else _back(y, axis), set()) for y, axis in zip(results, slices.axes)]
        for k in reversed(slices.written):
            write_back(given.originals[k], outputs.pop(), given.originals)
        done = [to_numpy(y) if plain and tensor_node(y) is None else y for y in outputs]
        return unflatten(slices.tree, iter(done))

    return call


# ------------------------------------------------------------------ arguments
class _Given(NamedTuple):
    """Arguments taken apart: ``arrays`` are the ``originals`` with the batch, the axis of ``axes``, in front."""

    tree: Tree
    originals: list[Any]
    arrays: list[Any]
    axes: list[Any]
    size: int

    @property
    def mapped(self) -> list[bool]:
        """Return, for each array, whether it is mapped."""
        return [axis is not None for axis in self.axes]


def _taken(args: tuple[Any, ...], in_axes: Any, axis_size: int | None) -> _Given:
    leaves: list[Any] = []
    tree = flatten(args, lambda x: is_array(x) or isinstance(x, int), leaves)
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
        raise ArgumentError(
            f"vmap: in_axes has {len(in_axes)} entries for {len(args)} arguments. Give one per argument."
        )
    axes = spread(tree, in_axes, "vmap: in_axes")
    sizes = set() if axis_size is None else {axis_size}
    arrays = []
    for k, (x, axis) in enumerate(zip(leaves, axes, strict=True)):
        held = as_tensor(x) if axis is not None or isinstance(x, np.ndarray) or is_foreign(x) else x
        moved = held if axis is None else _front(held, axis, tree, k)
        if axis is not None:
            sizes.add(moved.shape[0])
        arrays.append(moved)
    if len(sizes) != 1:
        raise ShapeError(
            f"vmap: the mapped axes must have one common size, got {sorted(sizes)}. Map at least one argument."
        )
    return _Given(tree, leaves, arrays, list(axes), int(next(iter(sizes))))


def _front(x: Any, axis: Any, tree: Tree, k: int) -> Any:
    """Move the axis to the front of x, array k of the arguments."""
    if not isinstance(axis, (int, np.integer)):
        raise ArgumentTypeError(f"vmap: got in_axes {axis!r} for {_place(tree, k)}. Expected an int, or None.")
    if not -len(x.shape) <= axis < len(x.shape):
        raise ShapeError(
            f"vmap: got in_axes {axis} for a tensor of shape {list(x.shape)}, {_place(tree, k)}. Expected an axis it "
            "has."
        )
    order = list(range(len(x.shape)))
    order.insert(0, order.pop(axis))
    return x if order == sorted(order) else permute(x, order)


def _place(tree: Tree, k: int) -> str:
    number, _, path = paths(tree)[k][1:].partition("]")
    return f"argument {number}{path}"


# ------------------------------------------------------------------ results
def _back(y: Any, axis: Any) -> Any:
    if not isinstance(axis, (int, np.integer)):
        raise ArgumentError(f"vmap: got out_axes {axis!r}. Expected an int, or None.")
    if not -len(y.shape) <= axis < len(y.shape):
        raise IndexRangeError(
            f"Dimension out of range: vmap got out_axes {axis} for results of shape {list(y.shape[1:])}. "
            f"Expected an axis from {-len(y.shape)} to {len(y.shape) - 1}."
        )
    if axis == 0:
        return y
    order = list(range(1, len(y.shape)))
    order.insert(axis % len(y.shape), 0)
    return permute(y, order)


class _Slices:
    """The function traced on one slice, to be run on many at once.

    Attributes:
        tree: the structure of the result.
        axes: where the batch goes in each of its arrays, and in those arguments that the function changes in place.
        written: the numbers of these arguments.
    """

    def __init__(self, fn: Callable[..., Any], given: _Given, out_axes: Any, randomness: str) -> None:
        self._trace, self._mapped = Trace(), given.mapped
        self._tape = Tape() if randomness == "different" else Refusing("vmap", "which randomness='error' refuses")
        batched = [x for x, m in zip(given.arrays, given.mapped, strict=True) if m]
        slices = self._trace.variables([(x.shape[1:], x.dtype) for x in batched])
        self._variables = [id(tensor_node(s)) for s in slices]
        own = dict(zip([k for k, m in enumerate(given.mapped) if m], slices, strict=True))
        rest = iter(slices)
        leaves = [next(rest) if m else x for x, m in zip(given.arrays, given.mapped, strict=True)]
        ys: list[Any] = []
        with self._trace:
            result = self._called(fn, unflatten(given.tree, iter(leaves)), randomness)
            self.tree = flatten(result, is_result, ys)
            self._ys = [as_tensor(y) for y in ys]
        check_results(self.tree, "vmap")
        if self.tree is LEAF and isinstance(out_axes, (tuple, list)) and len(out_axes) == 1:
            (out_axes,) = out_axes  # as PyTorch allows it for one result
        self.axes = list(spread(self.tree, out_axes, "vmap: out_axes"))
        changed = [k for k, s in own.items() if id(tensor_node(s)) not in self._variables]
        self.written = [k for k in changed if isinstance(given.originals[k], TensorBase)]
        self.axes += [given.axes[k] for k in self.written]
        self._ys += [own[k] for k in self.written]

    def _called(self, fn: Callable[..., Any], args: Any, randomness: str) -> Any:
        """Return what the function makes of one slice; what it draws of others' generators is the same for all."""
        if randomness == "same":
            return self._trace.run(fn, args, _LOOKS)
        with taping(self._tape), watched("vmap", fn):
            result = self._trace.run(fn, args, _LOOKS)
        self._trace.leaves += self._tape.leaves
        return result

    def __call__(self, arrays: Sequence[Any], size: int) -> list[Any]:
        """Compute the results for ``size`` slices, with the batch axis first; with axis None, for one slice."""
        batched = [x for x, m in zip(arrays, self._mapped, strict=True) if m]
        done: dict[int, Any] = dict(zip(self._variables, batched, strict=True))
        if self._tape.draws:
            drawn = taken(Repeated(self._tape.draws, size, reverse=False))
            done |= zip(map(id, self._tape.leaves), drawn, strict=True)
        depends = set(done)
        roots = [tensor_node(y) for y in self._ys if tensor_node(y) is not None]
        for node in ancestors(roots, set(done)):
            flags = [is_node(p) and id(p) in depends for p in node.inputs]
            if id(node) in done or isinstance(node, Leaf) or not any(flags):
                continue
            depends.add(id(node))
            xs = [done[id(p)] if f else self._trace.outside(p) for p, f in zip(node.inputs, flags, strict=True)]
            done[id(node)] = batch(node.op, size, xs, flags)
        outputs = []
        for y, axis in zip(self._ys, self.axes, strict=True):
            if id(tensor_node(y)) in depends:
                if axis is None:
                    raise ArgumentError(
                        "vmap: got out_axes None for a result that differs from slice to slice. Give an axis."
                    )
                outputs.append(done[id(tensor_node(y))])
                continue
            same = y if has_value(y) else self._trace.outside(tensor_node(y))
            outputs.append(same if axis is None else repeated(same, size))
        return outputs


def _in_chunks(slices: _Slices, given: _Given, count: int) -> list[Any]:
    """Run the given number of slices at a time, and join the results."""
    if count >= given.size:
        return slices(given.arrays, given.size)
    parts = []
    for start in range(0, given.size, count):
        stop = min(start + count, given.size)
        some = [getitem(x, slice(start, stop)) if m else x for x, m in zip(given.arrays, given.mapped, strict=True)]
        parts.append(slices(some, stop - start))
    return [ys[0] if axis is None else Cat(0)(*ys) for ys, axis in zip(zip(*parts), slices.axes, strict=True)]


check_all(globals(), __all__)
