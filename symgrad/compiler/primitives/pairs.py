"""Programs of complex numbers as programs of real ones, so that backends need to know real numbers only.

A complex array of shape s is a real one of shape (*s, 2), as it lies in memory; between the operations it is two, the
real and the imaginary part. What is not written in parts runs its forward on the array as it lies in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.primitives.complexes import Arithmetic, Parts, Unwritten
from symgrad.compiler.primitives.map_steps import steps_of_map
from symgrad.compiler.primitives.payload import replay
from symgrad.compiler.program import Builder
from symgrad.core.node import Shape
from symgrad.core.promotion import FLOAT64, Kind, is_complex, is_discrete, parts
from symgrad.engine.program import CONST, INPUT, Program, Value
from symgrad.ops.contract import Einsum
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import Angle, Complex, Conj, Imag, Magnitude, Real, Sign
from symgrad.ops.elementwise.declared import BINARY
from symgrad.ops.indexing.lookup import DynamicGather, DynamicScatterAdd
from symgrad.ops.keys import ALL
from symgrad.ops.map import ADD, DIV, NEG, SUB, Map
from symgrad.ops.protocol import Op
from symgrad.ops.reductions.scan import Cumsum
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.scatter import ScatterAdd
from symgrad.ops.shape import Expand
from symgrad.ops.shapes.join import Stack
from symgrad.ops.slicing import Slice
from symgrad.scalars import complexes
from symgrad.support.frozen import frozen

_PARTS: dict[Any, np.dtype[Any]] = {
    np.dtype(np.complex64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.float64),
}


def has_complex(program: Program) -> bool:
    """Whether any value that the results need is complex."""
    dtypes = [program.values[k].dtype for k in [*program.live(), *program.inputs]]
    return any([d is not FLOAT64 and is_complex(d) for d in dtypes])


def in_pairs(program: Program) -> Program:
    """Return the program of real numbers: its complex arguments and results have a last axis of two more."""
    made = _Pairs(program).made.program
    made.donated, made.digits, made.cache_after = program.donated, program.digits, program.cache_after
    return made


def as_pairs(z: Any) -> Any:
    """View complex numbers as real ones with a last axis of two more."""
    return np.ascontiguousarray(z).reshape(-1).view(_PARTS[z.dtype]).reshape(*z.shape, 2)


def as_numbers(x: Any, dtype: Any) -> Any:
    """View real numbers with a last axis of two as complex ones."""
    return np.ascontiguousarray(x, _PARTS[dtype]).reshape(-1).view(dtype).reshape(x.shape[:-1])


@frozen
class OnPairs(Op):
    """An operation on complex numbers, of arrays that have real and imaginary parts along a last axis."""

    op: Op
    given: tuple[np.dtype[Any] | None, ...]  # the dtype of each complex input
    to: np.dtype[Any]
    saves = ""
    converts = False
    dense = looped = not_exportable = explained = "made of the operation when a program of complex numbers is compiled"

    def __str__(self) -> str:
        return f"{self.op} of pairs"

    def forward(self, *xs: Any) -> Any:
        """Apply to the complex numbers."""
        zs = [x if d is None else as_numbers(x, d) for x, d in zip(xs, self.given, strict=True)]
        y = np.asarray(self.op.forward(*zs), self.to)
        return as_pairs(y) if is_complex(self.to) else y

    def out_shape(self, *shapes: Shape) -> Shape:
        """With an axis more where the result is complex."""
        shape = self.op.out_shape(*[s if d is None else s[:-1] for s, d in zip(shapes, self.given, strict=True)])
        return (*shape, 2) if is_complex(self.to) else shape

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        """That of the parts."""
        return parts(self.to) if is_complex(self.to) else self.to


class _Pairs:
    """``made``: the program with parts in place of complex values."""

    def __init__(self, program: Program) -> None:
        self.values, self.made = program.values, Builder()
        self.w = Arithmetic(self.made)
        self.places: dict[int, Any] = {}  # by value: its place in ``made``, or its parts
        self.packed: dict[Parts, int] = {}  # arrays that have the parts side by side
        for k in program.inputs:
            self.places[k] = self._input(program.values[k])
        for k in program.live():
            if k not in self.places:
                self.places[k] = self._value(program.values[k])
        self.made.program.outputs = [self._whole(k) for k in program.outputs]

    def _input(self, v: Value) -> Any:
        if not is_complex(v.dtype):
            return self.made.input(v.shape, v.dtype)
        return self._split(self.made.input((*v.shape, 2), parts(v.dtype)), v.shape)

    def _split(self, place: int, shape: Shape) -> Parts:
        """Return the parts of an array that has them side by side."""
        all_ = (ALL,) * len(shape)
        re, im = (self.made.step(Slice((*all_, k)), (place,), shape) for k in (0, 1))
        self.packed[pair := Parts(re, im)] = place
        return pair

    def _whole(self, k: int) -> int:
        """Return the place of a value as one array."""
        v, value = self.values[k], self.places[k]
        if not is_complex(v.dtype):
            return int(value)
        place = self.packed.get(value)
        if place is None:
            both = tuple(self._full(p, v) for p in (value.re, self.w.imag(value)))
            place = self.packed[value] = self.made.step(Stack(len(v.shape)), both, (*v.shape, 2))
        return place

    def _value(self, v: Value) -> Any:
        if v.kind == CONST:
            return self._constant(v)
        assert v.kind != INPUT  # they are there
        if not is_complex(v.dtype) and not any(is_complex(self.values[a].dtype) for a in v.args):
            return self.made.step(v.op, tuple(self.places[a] for a in v.args), v.shape)
        try:
            pair = self._written(v)
        except Unwritten:
            return self._outside(v)
        if not is_complex(v.dtype):
            return self._full(pair.re, v)
        return Parts(self._full(pair.re, v), None if pair.im is None else self._full(pair.im, v))

    def _constant(self, v: Value) -> Any:
        if not is_complex(v.dtype):
            return self.made.const(v.op)
        if v.weak:
            return Parts(self.w.number(v.op.real), self.w.number(v.op.imag) if v.op.imag else None)
        re, im = (np.array(part) for part in (np.real(v.op), np.imag(v.op)))
        return Parts(self.made.const(re), self.made.const(im) if np.any(im) else None)

    def _full(self, place: int, v: Value) -> int:
        """Return a part in the shape and dtype that the program gives to the whole."""
        dtype = parts(v.dtype) if is_complex(v.dtype) else v.dtype
        value = self.made.values[place]
        if value.weak and value.kind == CONST:
            return self.made.const(np.full(v.shape, value.op, dtype)) if v.shape else place
        if value.dtype != dtype:
            place = self.made.step(Cast(dtype), (place,), value.shape)
        return place if value.shape == v.shape else self.made.step(Expand(v.shape), (place,), v.shape)

    def _outside(self, v: Value) -> Any:
        """Run the operation's forward."""
        given = tuple(d if is_complex(d := self.values[a].dtype) else None for a in v.args)
        op = OnPairs(v.op, given, v.dtype)
        args = tuple(self._whole(a) for a in v.args)
        place = self.made.step(op, args, op.out_shape(*[self.made.values[a].shape for a in args]))
        return self._split(place, v.shape) if is_complex(v.dtype) else place

    # -------------------------------------------------------------- what operations are in parts
    def _written(self, v: Value) -> Parts:
        args = [self._parts(a) for a in v.args]
        rule = _RULES.get(type(v.op))
        if rule is not None:
            return rule(self.w, *args)
        if isinstance(v.op, Cast):
            return self._cast(v, args[0])
        if isinstance(v.op, Map):
            return self._replayed(v.op, args)
        if isinstance(v.op, MapTotal):
            return self._total(v, args)
        if isinstance(v.op, Einsum):
            return self._contraction(v.op, args)
        if isinstance(v.op, (DynamicGather, DynamicScatterAdd)):
            return self._at_positions(v.op, args)
        if v.op.rearranges or isinstance(v.op, _LINEAR):
            return self._each(v.op, args)
        raise Unwritten

    def _parts(self, a: int) -> Parts:
        value = self.places[a]
        return value if isinstance(value, Parts) else Parts(value)

    def _cast(self, v: Value, z: Parts) -> Parts:
        if is_discrete(v.dtype):
            raise Unwritten
        return z if is_complex(v.dtype) else Parts(z.re)

    def _replayed(self, op: Map, args: Sequence[Parts]) -> Parts:
        try:
            steps = steps_of_map(op)
        except TypeError as error:  # of a payload with i in it
            raise Unwritten from error
        pair: Parts = replay(steps, args, self.w.emit, self.w.const)
        return pair

    def _total(self, v: Value, args: Sequence[Parts]) -> Parts:
        """Add up real and imaginary parts."""
        op = v.op
        shape = np.broadcast_shapes(*[self.values[a].shape for a in v.args])
        terms = self._replayed(op.map, args)
        letters = "abcdefghijklmnop"[: len(shape)]
        sums = []
        for p in terms:
            if p is not None:
                added = self.w.real(Einsum(f"{letters}->", "Sum"), self._spread(p, shape))
                sums.append(self.w.real(DIV, added, self.w.number(prod(shape))) if op.mean else added)
        return Parts(*sums)

    def _spread(self, place: int, shape: Shape) -> int:
        return place if self.made.values[place].shape == shape else self.made.step(Expand(shape), (place,), shape)

    def _contraction(self, op: Einsum, args: Sequence[Parts]) -> Parts:
        """Of one complex operand its parts; of two the four products, unless they are matrices, which go to BLAS."""
        imaginary = [k for k, z in enumerate(args) if z.im is not None]
        if len(imaginary) > 2 or (len(imaginary) == 2 and self._is_large(op, args)):
            raise Unwritten
        terms = {}
        for pick in _choices(args):
            terms[pick] = self.w.real(op, *[self.w.imag(z) if k else z.re for z, k in zip(args, pick)])
        return _collected(self.w, terms)

    def _is_large(self, op: Einsum, args: Sequence[Parts]) -> bool:
        """Whether it is a product of matrices that is worth a call."""
        sizes = op.sizes([self.made.values[z.re].shape for z in args])
        contracted = set(sizes) - set(op.output)
        return bool(contracted) and max(map(len, op.terms)) > 1 and prod(sizes.values()) > _FEW

    def _at_positions(self, op: Op, args: Sequence[Parts]) -> Parts:
        """Move real and imaginary parts alike; the other arguments are positions."""
        at = [z.re for z in args[1:]]
        re, im = args[0]
        return Parts(self.w.real(op, re, *at), None if im is None else self.w.real(op, im, *at))

    def _each(self, op: Op, args: Sequence[Parts]) -> Parts:
        """Apply to the real parts, and to the imaginary parts."""
        re = self.w.real(op, *[z.re for z in args])
        if all(z.im is None for z in args):
            return Parts(re)
        return Parts(re, self.w.real(op, *[self._imag_of(z) for z in args]))

    def _imag_of(self, z: Parts) -> int:
        if z.im is not None:
            return z.im
        like = self.made.values[z.re]
        return self.made.const(np.zeros(like.shape, like.dtype))


def _choices(args: Sequence[Parts]) -> list[tuple[int, ...]]:
    """For each product that the parts have, which part of each operand it takes."""
    choices: list[tuple[int, ...]] = [()]
    for z in args:
        choices = [(*c, k) for c in choices for k in ((0,) if z.im is None else (0, 1))]
    return choices


def _collected(w: Arithmetic, terms: dict[tuple[int, ...], int]) -> Parts:
    """Add up the terms with as many factors i as they have: 1, i, -1."""
    real = [t for pick, t in terms.items() if sum(pick) == 0]
    minus = [t for pick, t in terms.items() if sum(pick) == 2]
    imag = [t for pick, t in terms.items() if sum(pick) == 1]
    re = w.real(SUB, real[0], minus[0]) if minus else real[0]
    im = w.real(ADD, *imag) if len(imag) == 2 else imag[0] if imag else None
    return Parts(re, im)


# ------------------------------------------------------------------ functions that are not holomorphic
def _conj(w: Arithmetic, z: Parts) -> Parts:
    return Parts(z.re, None if z.im is None else w.real(NEG, z.im))


def _imag(w: Arithmetic, z: Parts) -> Parts:
    return Parts(w.imag(z))


_RULES: dict[type, Callable[..., Parts]] = {
    Real: lambda w, z: Parts(z.re), Imag: _imag, Conj: _conj, Complex: lambda w, x, y: Parts(x.re, y.re),
    Magnitude: lambda w, z: Parts(w.magnitude(z)), Sign: lambda w, z: w.formula(complexes.sign, z),
    Angle: lambda w, z: Parts(w.real(BINARY["atan2"], w.imag(z), z.re)),
}  # fmt: skip
_FEW = 1000  # products up to this many are written out
_LINEAR = (ScatterAdd, Assemble, Cumsum)  # beside what moves entries
