"""A closed form as a NumPy function: arguments by position or name, sizes read off them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.core.modes import is_grad_enabled, variables
from symgrad.core.node import AnyNode, Leaf, ancestors, size_symbol
from symgrad.core.pickling import AsFunction
from symgrad.core.promotion import is_complex, is_floating
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.program import Program
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, ShapeError
from symgrad.forms.names import Naming
from symgrad.ops.map import show_shape
from symgrad.ops.resize import solved, told_by
from symgrad.ops.value import to_value
from symgrad.support.lazy import cached_property

_CUT = (
    "closed_form: the argument {!r} requires grad, and the gradient would be lost in a NumPy function. For the "
    "derivative of a form differentiate once more, as in sg.derive(y, x, order=2).lambdify(), or call the program "
    "itself, as in sg.grad(f)(x); pass x.detach() where only the number is meant."
)


class FormFunction(AsFunction):
    """A NumPy function of a form's arguments.

    Attributes:
        args: what it takes by position.
        program: what it computes, as ``sg.compile(f).lower(x).program`` shows it; of a Jacobian, the row of a unit
            vector, which is its first argument.
    """

    def __init__(
        self,
        program: Program,
        root: AnyNode,
        called: Naming,
        args: tuple[str, ...],
        formula: str,
        origin: tuple[Any, Any],
    ) -> None:
        self.program, self._root, self._called, self.args, self._origin = program, root, called, args, origin
        self.__name__ = self.__qualname__ = "closed_form"
        self.__doc__ = f"{formula}\n\nArgs: {', '.join(args)}."

    def __reduce__(self) -> Any:
        return self._origin

    def __repr__(self) -> str:
        return f"closed_form({', '.join(self.args)})"

    def __call__(self, /, *values: Any, **named: Any) -> Any:
        given = self._given(values, named)
        counts = {size_symbol(k): _count(k, given.pop(k)) for k in sorted(self._called.sizes & set(given))}
        for k, v in given.items():
            _check_plain(k, v)
        arrays = {k: _array(k, self._called.mine[k], v) for k, v in given.items()}
        shapes = [self._called.mine[k].shape for k in arrays]
        sizes = solved(shapes, [np.shape(v) for v in arrays.values()], counts)
        leaves = list(zip(self._called.names, self._called.leaves, strict=True))
        for name, leaf in leaves:
            if name not in arrays and leaf.value is None and not self._spare(leaf, sizes):
                raise ArgumentError(
                    f"missing the argument {name!r} of shape {show_shape(leaf.shape)}. Expected {self.args}."
                )
        self._check_uncut({leaf: name for name, leaf in leaves if name not in arrays})
        every = [arrays.get(name, leaf.value) for name, leaf in leaves]
        return _narrowed(self.program.run(every, sizes), [v for v in every if v is not None])

    def _given(self, values: Sequence[Any], named: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments by name."""
        unknown = set(named) - set(self._called.mine) - self._called.sizes
        if unknown or len(values) > len(self.args):
            raise ArgumentError(
                f"expected the arguments {self.args}, got {len(values)} by position and {sorted(named)} by name."
            )
        arguments = dict(zip(self.args, values, strict=False))
        twice = sorted(set(arguments) & set(named))
        if twice:
            raise ArgumentError(f"got the arguments {twice} twice. Pass each by position or by name.")
        return arguments | named

    def _check_uncut(self, own: dict[Leaf, str]) -> None:
        """Refuse to read the numbers of leaves that a transform's variable is, or is computed from."""
        for node in variables() or ():
            if id(node) in self._read:
                for leaf in ancestors([node]):
                    if leaf in own:
                        raise GraphError(_CUT.format(own[leaf]))

    def _spare(self, leaf: Leaf, sizes: dict[Any, int]) -> bool:
        """Whether only the sizes of a leaf are used, and all are known."""
        return id(leaf) not in self._read and told_by([leaf.shape]) <= set(sizes)

    @cached_property
    def _read(self) -> set[int]:
        return set(map(id, ancestors([self._root])))


def _count(name: str, n: Any) -> int:
    if isinstance(n, bool) or not hasattr(n, "__index__") or n < 0:
        raise ArgumentError(f"size {name!r}: got {n!r}. Expected an integer ≥ 0.")
    return int(n)


def _check_plain(name: str, value: Any) -> None:
    """Refuse tensors that a gradient is asked of: a NumPy function passes none on."""
    if isinstance(value, (list, tuple)):
        for entry in value:
            _check_plain(name, entry)
    elif is_grad_enabled() and getattr(value, "requires_grad", False):
        raise GraphError(_CUT.format(name))


def _array(name: str, leaf: Leaf, value: Any) -> Any:
    """Return an argument as an array, after comparing its shape with the leaf's."""
    value = to_value(value.detach().numpy() if hasattr(value, "detach") else value)
    have = np.shape(value)
    if len(have) != len(leaf.shape) or any(
        isinstance(n, int) and n != m for n, m in zip(leaf.shape, have, strict=True)
    ):
        raise ShapeError(f"argument {name!r}: got shape {show_shape(have)}, expected {show_shape(leaf.shape)}.")
    if np.iscomplexobj(value) and not is_complex(dtype_of(leaf)):
        raise ArgumentTypeError(
            f"argument {name!r}: got complex numbers, but the formula has a real symbol there. Derive it with "
            "a complex one, as sg.symbol(name, shape, dtype=complex)."
        )
    return value


def _narrowed(result: Any, arguments: Sequence[Any]) -> Any:
    """Return the result in the arguments' dtype, where that is a narrower float: constants do not widen it."""
    dtype = np.result_type(*arguments) if arguments else np.dtype(np.float64)
    return result if not is_floating(dtype) or dtype == np.float64 else np.asarray(result, dtype)
