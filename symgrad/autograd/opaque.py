"""A custom function as an operation of formulas and compiled programs: opaque, named, with derivatives of every order.

The ``Function`` itself comes as an argument.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from symgrad.autograd.context import is_tensor
from symgrad.core import modes
from symgrad.core.journal import unchanged
from symgrad.core.kernels import canonical
from symgrad.core.node import CONSTANT, GRAD, Leaf, Shape
from symgrad.core.promotion import is_differentiable
from symgrad.engine import backward
from symgrad.engine.generator import Refusing, Tape, taping
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import NotDifferentiable
from symgrad.ops.protocol import Op, shape
from symgrad.ops.shape import Expand, each_batched
from symgrad.support.foreign import printable
from symgrad.support.lazy import cached_property

TWICE = "trying to differentiate twice a function that was marked with @once_differentiable"


class Hole:
    """Stands among the arguments of a custom function where its tensors go."""

    def __repr__(self) -> str:
        return "·"


HOLE = Hole()


def template(args: Sequence[Any]) -> tuple[Any, ...]:
    """Return the arguments with holes for the tensors."""
    return tuple(HOLE if is_tensor(a) else a for a in args)


def filled(form: Sequence[Any], tensors: Sequence[Any]) -> list[Any]:
    """Return the arguments with tensors in the holes."""
    rest = iter(tensors)
    return [next(rest) if a is HOLE else a for a in form]


class Opaque(Op):
    """Output ``out`` of a custom function, or for a path of inputs i the vjp of that towards input i, and so on.

    The inputs are (…, g₂, g₁, x₁, x₂, …): for each derivative a cotangent in front.
    """

    saves = "x"
    known: ClassVar[list[Opaque]] = []  # those that NumPy source of formulas refers to, by their place here
    dense = "a function that is not looked into"
    not_exportable = "a function in Python that is not looked into"
    looped = "the function of one slice is all that is known"

    def __init__(self, function: Any, form: tuple[Any, ...], out: int | None, path: tuple[int, ...] = ()) -> None:
        self.function, self.form, self.out, self.path = function, form, out, path
        self.name = function.__name__  # type: ignore[misc]
        self._key = (function, tuple(map(_key, form)), out, path)
        self._shapes: dict[Any, Shape] = {}

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Opaque) and self._key == other._key)

    def __reduce__(self) -> Any:
        return Opaque, (self.function, self.form, self.out, self.path)

    def __str__(self) -> str:
        return f"{self.name}{'′' * len(self.path)}{self._which()}"

    def __repr__(self) -> str:
        if self not in self.known:
            self.known.append(self)
        return f"Opaque.known[{self.known.index(self)}]"

    @cached_property
    def _inner(self) -> Opaque:
        return Opaque(self.function, self.form, self.out, self.path[:-1])

    def forward(self, *xs: Any) -> Any:
        """Run the function, or the backward of it."""
        with modes.no_grad():
            tensor = self.on_tensors([handle(None, canonical(x)) for x in xs])
        return tensor._value

    def on_tensors(self, xs: Sequence[Any]) -> Any:
        """Apply to tensors, recorded where recording is on."""
        if not self.path:
            result = self.function.apply(*filled(self.form, xs))
            return result if self.out is None else result[self.out]
        record = modes.recording()
        with modes.enable_grad():
            variables = [x if record and _flows(x) else _variable(x) for x in xs[1:]]
            with taping(Refusing(self.name, "and is run again for its derivative")):
                y = self._inner.on_tensors(variables)
            wanted = variables[self.path[-1]]
            if not _flows(y):
                return handle(None, canonical(np.zeros(wanted.shape, wanted.dtype)))
            (result,) = backward.grad(
                [y], [wanted], [xs[0]], create_graph=record or len(self.path) > 1, retain_graph=True, materialize=True
            )
        return result

    def out_shape(self, *shapes: Any) -> Shape:
        """The shape of the function's result; of a vjp, that of the input."""
        if self.path:
            return shapes[1 + self.path[-1]]  # type: ignore[no-any-return]
        if shapes not in self._shapes:
            self._shapes[shapes] = self._probed([handle(Leaf(None, s, GRAD), None) for s in shapes]).shape
        return self._shapes[shapes]

    def _probed(self, xs: Sequence[Any]) -> Any:
        with unchanged(), taping(Tape()):
            outputs = self.function._probe(filled(self.form, xs))
        return outputs if self.out is None else outputs[self.out]

    def vjp(self, i: int, g: Any, y: Any, *xs: Any) -> Any:
        # the derivative is the function's backward, and where that is differentiated, its own
        if self.path and self.function._is_once():
            raise NotDifferentiable(f"{TWICE}. It is the backward of {self.name}.")
        if self.path and i == 0:  # linear in its cotangent, at which the derivative is therefore not evaluated
            xs = (_nought(xs[0]), *xs[1:])
        return Opaque(self.function, self.form, self.out, (*self.path, i))(g, *xs)

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """The same of the function of a batch: of slices that stand apart, the derivatives are those of the slices."""
        whole = self.function._of_slices()
        if whole is None:
            return NotImplemented
        return Opaque(whole, self.form, self.out, self.path)(*each_batched(size, xs, flags))

    @property
    def explained(self) -> str:
        """The user's own."""
        return f"the backward that {printable(self.name)} declares"

    def notation(self, write: Any, *args: Any) -> Any:
        """F(x); its derivative F′(g, x), of several inputs with their number, F′0(g, x, y); of outputs, F[1](x)."""
        out = "" if self.out is None else f"[{self.out}]"
        title, marks = self.name.replace("_", r"\_"), ",".join(filter(None, (out, self._which())))
        above = r"\prime " * len(self.path)
        latex = rf"\operatorname{{{title}}}" + (f"_{{{marks}}}" if marks else "")
        latex += f"^{{{above.strip()}}}" if above else ""
        return write.call(f"{self.name}{out}{'′' * len(self.path)}{self._which()}", *args, latex=latex)

    def _which(self) -> str:
        several = sum(a is HOLE for a in self.form) > 1
        return ",".join(map(str, self.path)) if several else ""


def _key(a: Any) -> Any:
    """The key that identifies an argument that is not a tensor."""
    try:
        hash(a)
    except TypeError:
        return type(a), id(a)
    return type(a), a


def _nought(x: Any) -> Any:
    zero = handle(Leaf(0.0, (), CONSTANT), None) if is_tensor(x) else np.zeros(())
    return Expand(shape(x))(zero)


def _flows(x: Any) -> bool:
    return x._node is not None and x._node.level == GRAD


def _variable(x: Any) -> Any:
    if not is_differentiable(np.asarray(x._value).dtype):
        return x
    return handle(Leaf(x._value, np.shape(x._value), GRAD), x._value)


def ones_like(x: Any, error: Exception) -> Any:
    """Return ones in place of a tensor without a value; raise where its sizes are not numbers."""
    if not is_tensor(x) or x._value is not None:
        return x
    if not all(isinstance(n, int) for n in x.shape):
        raise error
    return as_tensor(np.ones(x.shape, x.dtype))
