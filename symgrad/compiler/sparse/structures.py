"""Several arguments, and structures of arrays, as one vector: its entries are the columns of a sparse derivative."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np

from symgrad import functions as F
from symgrad.core import trees
from symgrad.core.node import Shape
from symgrad.core.promotion import is_floating
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, DTypeError
from symgrad.ops.convert import Cast
from symgrad.ops.protocol import shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat
from symgrad.transforms.arguments import check_results, tensor_result


class Layout(NamedTuple):
    """Where the arrays of some arguments stand in one vector, in the order in which they are flattened."""

    places: tuple[int, ...]
    tree: trees.Tree
    shapes: tuple[Shape, ...]
    dtypes: tuple[np.dtype[Any], ...]

    @classmethod
    def of(cls, places: tuple[int, ...], args: Sequence[Any], name: str) -> tuple[Layout, Any]:
        """Return the layout of these arguments, and their vector."""
        leaves: list[Any] = []
        tree = trees.flatten(tuple([args[k] for k in places]), _is_leaf, leaves)
        arrays = [np.asarray(x._value if isinstance(x, TensorBase) else x) for x in leaves]
        wrong = next((a.dtype for a in arrays if not is_floating(a.dtype)), None)
        if wrong is not None or not arrays:
            raise DTypeError(
                f"{name}: only Tensors of floating point dtype can require gradients. Got "
                f"{wrong or 'a structure without arrays'}; pass floats, such as 2.0."
            )
        layout = cls(places, tree, tuple([a.shape for a in arrays]), tuple([a.dtype for a in arrays]))
        return layout, np.concatenate([a.ravel() for a in arrays])

    def flat(self, fn: Callable[..., Any], name: str) -> Callable[..., Any]:
        """Return fn as a function of the vector and the tuple of the other arguments, with a vector as result."""

        def of_vector(z: Any, others: Sequence[Any], /, **kwargs: Any) -> Any:
            args = list(others)
            for k, part in sorted(zip(self.places, self._parts(z), strict=True)):
                args.insert(k, part)
            return as_vector(fn(*args, **kwargs), name)

        return of_vector

    def _parts(self, z: Any) -> Any:
        edges = pairwise(accumulate([prod(s) for s in self.shapes], initial=0))
        parts = [Reshape(s)(z[a:b]) for (a, b), s in zip(edges, self.shapes, strict=True)]
        leaves = [p if p.dtype == d else Cast(d)(p) for p, d in zip(parts, self.dtypes, strict=True)]
        return trees.unflatten(self.tree, iter(leaves))


def is_numbers(x: Any) -> bool:
    """Whether a part of a structure is an array, a float or a tensor."""
    return isinstance(x, (np.ndarray, np.generic, float, TensorBase))


def _is_leaf(x: Any) -> bool:
    return is_numbers(x) or isinstance(x, int)


def as_vector(result: Any, name: str) -> Any:
    """Return a result, where it is a structure, as the vector of its entries."""
    if not isinstance(result, (tuple, list, dict)) and not trees.is_dataclass(result):
        return tensor_result(result, name)
    leaves: list[Any] = []
    check_results(trees.flatten(result, _is_leaf, leaves), name)
    tensors = [as_tensor(x) for x in leaves]
    if not tensors:
        return tensor_result(result, name)
    dtype = np.result_type(*[t.dtype for t in tensors])
    flat = [Reshape((prod(t.shape),))(t if t.dtype == dtype else Cast(dtype)(t)) for t in tensors]
    return flat[0] if len(flat) == 1 else Cat(0)(*flat)


def zeros_of(x: Any, refuse: Callable[[Any], None]) -> Any:
    """Return a structure with zeros in place of shapes, which are tuples of integers."""
    if type(x) is tuple and all(type(n) is int for n in x):
        refuse(x)
        return np.zeros(x)
    if isinstance(x, dict):
        return {k: zeros_of(v, refuse) for k, v in x.items()}
    return type(x)(zeros_of(v, refuse) for v in x) if type(x) in (list, tuple) else x


def total(multipliers: Any, values: Any, name: str) -> Any:
    """Return λᵀ g, of two structures that are alike."""
    parts: tuple[list[Any], list[Any]] = ([], [])
    trees_of = [trees.flatten(x, _is_leaf, leaves) for x, leaves in zip((multipliers, values), parts, strict=True)]
    shapes = [[shape(x) for x in leaves] for leaves in parts]
    if trees_of[0] != trees_of[1] or (shapes[0] != shapes[1] and len(parts[0]) > 1):
        raise ArgumentError(
            f"{name}: the multipliers have shapes {shapes[0]}. Expected {shapes[1]}, in the structure of g(x)."
        )
    terms = [F.sum(as_tensor(m) * as_tensor(g)) for m, g in zip(*parts, strict=True)]
    return F.sum(F.stack(terms)) if len(terms) > 1 else terms[0]
