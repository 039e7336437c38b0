"""A structure of arrays as one vector, and back: the name of ``jax.flatten_util``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symgrad import functions as F
from symgrad import tree
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentTypeError, ShapeError
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.tensors.creation import zeros

__all__ = ["ravel_pytree"]


def ravel_pytree(pytree: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return all numbers of a structure as one vector (n,), and the function that puts a vector into the structure.

    Args:
        pytree: nested dicts, lists, tuples and dataclasses of arrays and numbers. Dicts keep the order of their keys.

    Returns:
        The vector, through which gradients pass, and a function of such a vector, whose result has the shapes and
        dtypes of the arrays.

    Raises:
        ArgumentTypeError: if an entry is not a number or array.
        ShapeError: if the length of the vector differs.

    >>> v, unravel = sg.flatten_util.ravel_pytree({"w": sg.ones(2), "b": 3.0})
    >>> v, unravel(2 * v)
    (tensor([1., 1., 3.]), {'w': tensor([2., 2.]), 'b': tensor(6.)})
    """
    leaves, treedef = tree.flatten(pytree)
    for leaf in leaves:
        if isinstance(leaf, str) or callable(leaf):
            raise ArgumentTypeError(f"ravel_pytree: got the entry {leaf!r}. Expected numbers and arrays.")
    parts = [as_tensor(leaf) for leaf in leaves]
    shapes, dtypes, sizes = [p.shape for p in parts], [p.dtype for p in parts], [p.numel() for p in parts]
    vector = F.cat([F.ravel(p) for p in parts]) if parts else zeros(0)

    def unravel(flat: Any) -> Any:
        """Put a vector into the structure."""
        v = as_tensor(flat)
        if v.shape != vector.shape:
            raise ShapeError(
                f"unravel: got shape {show_shape(v.shape)}. Expected {show_shape(vector.shape)}, that of the vector."
            )
        pieces = F.split(v, sizes) if sizes else ()
        return treedef.unflatten(
            F.reshape(p, s).to(d) for p, s, d in zip(pieces, shapes, dtypes, strict=True)
        )  # fmt: skip

    return vector, unravel


__getattr__, __dir__ = namespace(globals(), __all__)

check_all(globals(), __all__)
