"""A call of a compiled function as one node of the graph, whose derivatives are compiled functions again.

Several results are one vector, of which each is a part, so that the function runs once and is pulled back once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.core.kernels import canonical
from symgrad.core.node import Shape
from symgrad.core.promotion import Kind, is_complex, is_differentiable
from symgrad.engine.program import Program
from symgrad.engine.record import as_tensor
from symgrad.errors import ShapeError
from symgrad.func import jvp, vjp
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import conj, real
from symgrad.ops.indexing.select import getitem
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat


class Call(Op):
    """The floating-point results of a compiled function of arrays: the one, or all in one vector.

    Attributes:
        run: the kernel, from the list of arrays to the list of all results.
        leaves: the function itself, from tensors to the list of all results.
        derive: compiles a function of tensors.
    """

    name = "Compiled"
    saves = "x"
    converts = False
    dense = "a compiled function is not looked into"
    looped = "a compiled function takes arrays of one shape"
    not_exportable = "a compiled function is not looked into"
    analytic = True  # its derivatives are those of the function
    explained = "the derivative of a compiled function, compiled as well"

    def __init__(
        self,
        program: Program,
        run: Callable[[Sequence[Any]], Sequence[Any]],
        leaves: Callable[..., Sequence[Any]],
        derive: Callable[[Any], Any],
    ) -> None:
        self.run, self.leaves, self.derive = run, leaves, derive
        self.inputs = [program.values[k].shape for k in program.inputs]
        results = [program.values[k] for k in program.outputs]
        self.which = [k for k, v in enumerate(results) if is_differentiable(v.dtype)]
        self.shapes = [results[k].shape for k in self.which]
        self.dtypes = [results[k].dtype for k in self.which]
        self.joint = np.result_type(*self.dtypes) if self.which else np.dtype(np.float64)
        self.plans: dict[Any, Any] = {}
        self._derived: dict[Any, Any] = {}

    # -------------------------------------------------------------- the operation
    def forward(self, *xs: Any) -> Any:
        """Run the kernel."""
        ys = self.run(xs)
        if len(self.which) == 1:
            return canonical(ys[self.which[0]])
        return np.concatenate([np.ravel(ys[k]).astype(self.joint) for k in self.which])

    def out_shape(self, *shapes: Shape) -> Shape:
        """The signature for which the function was compiled."""
        for k, (given, expected) in enumerate(zip(shapes, self.inputs, strict=True)):
            if given != expected:
                raise ShapeError(
                    f"compiled function: array {k} has shape {show_shape(given)}. Expected {show_shape(expected)}, for "
                    "which it was compiled."
                )
        return self.shapes[0] if len(self.which) == 1 else (sum(map(prod, self.shapes)),)

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """The dtype that fits all results."""
        return self.joint

    def parts(self, y: Any) -> list[Any]:
        """Return each result out of the operation's."""
        if len(self.which) == 1:
            return [y]
        pieces, start = [], 0
        for s, dtype in zip(self.shapes, self.dtypes, strict=True):
            part = Reshape(s)(getitem(y, slice(start, start + prod(s))))
            part = part if is_complex(dtype) else real(part)
            pieces.append(part if part.dtype == dtype else Cast(dtype)(part))
            start += prod(s)
        return pieces

    def _joined(self, *xs: Any) -> Any:
        """The function itself, on tensors, with the operation's result."""
        outputs = self.leaves(*xs)
        ys = [as_tensor(outputs[k]) for k in self.which]
        if len(ys) == 1:
            return ys[0]
        flat = [Reshape((prod(s),))(y) for y, s in zip(ys, self.shapes, strict=True)]
        return Cat(0)(*[y if d == self.joint else Cast(self.joint)(y) for y, d in zip(flat, self.dtypes, strict=True)])

    # -------------------------------------------------------------- derivatives
    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        """x̄ = Jᵀ ȳ, compiled."""
        return list(self._of("pull", tuple(which), self._pull)(g, *xs))

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """ẏ = J ẋ, compiled."""
        which = tuple(k for k, t in enumerate(ts) if t is not None)
        return self._of("push", which, self._push)(*[ts[k] for k in which], *xs)

    def _of(self, kind: str, which: tuple[int, ...], make: Callable[..., Any]) -> Any:
        call = self._derived.get((kind, which))
        return call or self._derived.setdefault((kind, which), self.derive(make(which)))

    def _pull(self, which: tuple[int, ...]) -> Callable[..., Any]:
        """The pullback of cotangents as rules have them, which are not conjugated."""

        def pullback(g: Any, *xs: Any) -> Any:
            cotangents = vjp(self._along(which, xs), *[xs[k] for k in which])[1](conj(g))
            return tuple([conj(d) for d in cotangents])

        return pullback

    def _push(self, which: tuple[int, ...]) -> Callable[..., Any]:
        def pushforward(*given: Any) -> Any:
            ts, xs = given[: len(which)], given[len(which) :]
            return jvp(self._along(which, xs), [xs[k] for k in which], ts)[1]

        return pushforward

    def _along(self, which: tuple[int, ...], xs: Sequence[Any]) -> Callable[..., Any]:
        """The function of some of its arrays."""

        def of(*some: Any) -> Any:
            full = list(xs)
            for k, x in zip(which, some, strict=True):
                full[k] = x
            return self._joined(*full)

        return of
