"""The operation Scan: a body run once for each slice of its inputs, and its derivatives, which are Scans again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.kernels import ARITHMETIC, canonical
from symgrad.core.node import Node, Shape, tensor_node
from symgrad.core.promotion import Kind, is_complex, is_floating, is_integer
from symgrad.core.streams import Stream, given
from symgrad.engine.program import Program, Spec
from symgrad.errors import ArgumentError, NotDifferentiable, NotYet, ShapeError
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import real
from symgrad.ops.indexing.select import getitem
from symgrad.ops.map import show_shape
from symgrad.ops.protocol import Op, Traced, shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import Cat
from symgrad.support.lazy import cached_property
from symgrad.transforms.loops.batch import batched
from symgrad.transforms.loops.linear import Derived, pullback, pushforward
from symgrad.transforms.loops.series import Expanded, expanded, patterns

_WHOLE = 2**53  # integers up to this are exact in float64
UNBOUNDED = 2**62  # the length of a loop that runs until it ends by itself


class PackedResult(NamedTuple):
    """Where a result lies in the packed vector, its shape there, and its dtype once it is taken out."""

    start: int
    stop: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Scan(Op):
    """(c, y_t) = body(c, x_t, k) for t = 0, 1, …, length - 1; in reverse from the last t to the first.

    The inputs are the initial carries c, then the arrays x of which x_t is a slice along the first axis, then the
    constants k. A node has one output: the result is a vector, the final carries and then the stacked y, each
    flattened, one after the other.

    Attributes:
        body: the program of one step. Its inputs are the carries, the slices x_t, and the constants; its outputs
            are the carries and the y_t.
        carries, xs, consts: how many inputs of each kind there are.
        length: the number of steps.
        reverse: whether the steps run from the last slice to the first; y_t stays in place of x_t.
        kept: the carries whose values before each step are the last of the y, in this order: a derivative reads
            them there instead of running the loop again.
        until: the carry that ends the loop, before the step at which none of its entries is 0: further steps would
            leave all carries as they are, and nobody reads what they would stack, so they may run or not. They do
            where carries are kept. Such a loop has a derivative if it stacks nothing else.
        pieces: for each output of the body, where it lies in the packed result.
        packed, size: dtype and number of entries of the packed result.
    """

    name = "Scan"
    analytic = True
    converts = False  # the body converts what it must
    explained = "a loop: the adjoint runs through its steps backwards"
    dense = "a loop too long to follow step by step"

    def __init__(
        self, body: Program, carries: int, xs: int, length: int, reverse: bool, kept: tuple[int, ...], until: int | None
    ) -> None:
        self.body, self.carries, self.xs, self.length, self.reverse = body, carries, xs, length, reverse
        self.kept, self.until = kept, until
        self.consts = len(body.arguments) - carries - xs
        self.pieces = _pieces(body.results, carries, length)
        self.size = self.pieces[-1].stop if self.pieces else 0
        self.packed = np.result_type(*[p.dtype for p in self.pieces]) if self.pieces else np.dtype(np.float64)
        self._key = (body, carries, xs, length, reverse, kept, until)
        self._keeping: dict[tuple[int, ...], Scan] = {}

    @staticmethod
    def of(
        body: Program, carries: int, xs: int, length: int, reverse: bool = False, kept: tuple[int, ...] = (),
        until: int | None = None,
    ) -> Scan:  # fmt: skip
        """Return the operation; one object for equal ones, so that kernels and derivatives are made once."""
        return _shared(Scan(body, carries, xs, length, reverse, kept, until))

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Scan) and self._key == other._key)

    def __reduce__(self) -> Any:
        return Scan.of, self._key

    def __repr__(self) -> str:
        body = "; ".join(self.body.lines())
        numbers = f"{self.carries}, {self.xs}, {self.length}, {self.reverse}, {self.kept}, {self.until}"
        return f"Scan({numbers}, {{{body}}})"

    @property
    def is_bounded(self) -> bool:
        """Whether the number of steps is known ahead."""
        return self.length < UNBOUNDED

    @property
    def ending(self) -> int | None:
        """The carry ``until``, or None where all steps run."""
        return None if self.kept else self.until

    def check_bounded(self) -> None:
        """Raise NotYet where the number of steps is not known ahead."""
        if not self.is_bounded:
            raise NotYet(
                "while_loop: the number of steps is unknown, but reverse mode, formulas, and source for NumPy, JAX and "
                "PyTorch need a bound on it. Pass max_steps=, or use forward mode."
            )

    def steps(self) -> range:
        """Return the numbers of the slices in the order of the steps."""
        return range(self.length - 1, -1, -1) if self.reverse else range(self.length)

    def __call__(self, *args: Any) -> Any:
        y = super().__call__(*args)
        if isinstance(y, Traced) and isinstance(tensor_node(y), Node):
            tensor_node(y).dtype = self.packed
        return y

    # -------------------------------------------------------------- the value
    def forward(self, *values: Any) -> Any:
        try:
            return self._run(values, self.packed, True)
        except ARITHMETIC:  # of Python numbers, which raise where NumPy gives nan or inf; or a true error
            return self._run(values, self.packed, False)

    def on_symbols(self, *values: Any) -> Any:
        """Run the loop on expressions."""
        self.check_bounded()
        return self._run(values, np.dtype(object), False)

    def _run(self, values: Sequence[Any], dtype: np.dtype[Any], fast: bool) -> Any:
        m = self.carries + self.xs
        if is_complex(dtype) or any(np.iscomplexobj(v) for v in values):
            dtype, fast = np.result_type(dtype, np.complex64), False
        step = self.body.bind(m, [canonical(v) for v in values[m:]], None if fast else self.body.operations)
        return self.stepped(step, values[:m], dtype)

    def stepped(self, step: Callable[..., Sequence[Any]], values: Sequence[Any], dtype: np.dtype[Any]) -> Any:
        """Run the loop with a function of the carries and of one slice of each x; its constants are in the function."""
        n = self.carries
        packed = np.empty(self.size, dtype)
        carry = [v if dtype.hasobject else canonical(v) for v in values[:n]]
        rows = [_rows(x) for x in values[n:]]
        stacks = [packed[p.start : p.stop].reshape(p.shape) for p in self.pieces[n:]]
        ending = self.ending
        for t in self.steps():
            if ending is not None and np.all(carry[ending]):
                break
            results = step(*carry, *[x[t] for x in rows])
            carry = results[:n]  # type: ignore[assignment]
            for stack, y in zip(stacks, results[n:]):
                stack[t, ...] = y  # so that an array without axes, of symbols say, gives its entry
        for p, c in zip(self.pieces, carry):
            packed[p.start : p.stop] = np.ravel(c)
        self._check_whole(packed)
        return packed

    def _check_whole(self, packed: Any) -> None:
        """Refuse integers that became floating-point numbers and are too large for it."""
        for p in self.pieces if is_floating(packed.dtype) else ():
            whole = is_integer(p.dtype) and p.dtype.itemsize == 8
            if whole and np.any(np.abs(packed[p.start : p.stop]) >= _WHOLE):
                raise ArgumentError(
                    f"scan: an integer reaches {_WHOLE}; beside floating-point results they are exact up to there. "
                    "Count in floats, or in a loop of its own."
                )

    def out_shape(self, *shapes: Shape) -> Shape:
        for k, (s, spec) in enumerate(zip(shapes, self.body.arguments, strict=True)):
            expected = (self.length, *spec.shape) if self.carries <= k < self.carries + self.xs else spec.shape
            if s != expected:
                raise ShapeError(
                    f"scan: input {k} has shape {show_shape(s)}. Expected {show_shape(expected)}, with which the body "
                    "was traced."
                )
        return (self.size,)

    def dtype(self, *kinds: Kind) -> np.dtype[Any]:
        return self.packed

    # -------------------------------------------------------------- results out of the packed vector
    def piece(self, packed: Any, k: int) -> Any:
        """Return output k of the body, final or stacked, out of the packed result or of its cotangent."""
        p = self.pieces[k]
        part = packed if shape(packed) == (p.stop - p.start,) else getitem(packed, slice(p.start, p.stop))
        part = part if shape(part) == p.shape else Reshape(p.shape)(part)
        part = part if is_complex(p.dtype) else real(part)
        return part if p.dtype == self.packed else Cast(p.dtype)(part)

    def keeping(self, carries: Sequence[int]) -> Scan:
        """Return the loop that also stacks the values of these carries before each step."""
        if set(carries) <= set(self.kept) or not self.is_bounded:
            return self
        key = tuple(carries)
        if key not in self._keeping:
            outputs = self.body.outputs[: len(self.body.outputs) - len(self.kept)]
            body = self.body.returning((*outputs, *key))
            self._keeping[key] = Scan.of(body, self.carries, self.xs, self.length, self.reverse, key, self.until)
        return self._keeping[key]

    def batched(self, size: int, xs: Sequence[Any], flags: Sequence[bool]) -> Any:
        """Return one loop whose body works on the whole batch."""
        return batched(self, size, xs, flags)

    # -------------------------------------------------------------- derivatives
    @cached_property
    def needed(self) -> tuple[int, ...]:
        """The carries whose values before each step a derivative reads; none where there is no derivative."""
        wanted = self._floats(range(len(self.body.arguments)))
        try:
            return pullback(self.body, self.carries, self.xs, wanted).carries_read
        except (NotImplementedError, NotDifferentiable):
            return ()

    def _floats(self, which: Sequence[int]) -> tuple[int, ...]:
        return tuple(i for i in which if self.body.arguments[i].is_float)

    def keeps(self, active: tuple[int, ...], count: int) -> tuple[bool, tuple[bool, ...]]:
        """Keep the inputs, and the result where it holds the carries."""
        return bool(self.kept), (True,) * count

    def vjps(self, which: Sequence[int], g: Any, y: Any, *xs: Any) -> list[Any]:
        # c̄ ← (∂c'/∂c)ᵀ c̄ + (∂y_t/∂c)ᵀ ȳ_t runs the other way; each constant adds up, each x̄_t is stacked
        wanted = self._floats(which)
        if not wanted or not self._floats_out:
            return [None for _ in which]
        self.check_bounded()
        loop = pullback(self.body, self.carries, self.xs, wanted)
        seeds = [self.piece(g, k) if s.is_float else None for k, s in enumerate(self.body.results)]
        op, packed = self._derived(loop, not self.reverse, seeds, y, xs)
        cotangents = {i: op.piece(packed, at) for i, at in loop.places.items()}
        return [cotangents.get(i) for i in which]

    def jvp(self, ts: Sequence[Any], y: Any, *xs: Any) -> Any:
        """ċ ← ∂c'/∂c ċ + ∂c'/∂x ẋ_t + ∂c'/∂k k̇, beside the carries."""
        wanted = self._floats([i for i, t in enumerate(ts) if t is not None])
        if not wanted or not self._floats_out:
            return None
        if not self.is_bounded:  # values before each step are not stacked: tangents go along with them
            return self.series(y, [given([x, t]) for x, t in zip(xs, ts, strict=True)], wanted, 1)[1]
        loop = pushforward(self.body, self.carries, self.xs, wanted, self.packed)
        return self._derived(loop, self.reverse, ts, y, xs)[1]

    def series(self, y: Any, xs: Sequence[Any], active: Sequence[int], order: int | None) -> Any:
        """Run one loop over the coefficients of all orders; where they are not known ahead, one for each order."""
        wanted, loops = self._floats(active), {}

        def follow(k: int) -> Any:
            most = k if order is None else order
            if most not in loops:
                loops[most] = self._expanded(xs, wanted, most)
            loop, op, packed = loops[most]
            parts = [self._part(op, packed, p, loop.places.get((i, k))) for i, p in enumerate(self.pieces)]
            return None if all(t is None for t in parts) else self._joined(parts)

        return Stream(follow, [y]) if wanted and self._floats_out else given([y])

    def _expanded(self, xs: Sequence[Any], wanted: tuple[int, ...], order: int) -> tuple[Expanded, Scan, Any]:
        m = self.carries + self.xs
        known = patterns(xs, [i for i in wanted if i >= self.carries], order)
        loop = expanded(self.body, self.carries, self.xs, known, order)
        starts = [self.body.arguments[i].zeros() if xs[i][j] is None else xs[i][j] for i, j in loop.moving]
        along, fixed = ([xs[i][j] for i, j in places] for places in (loop.along, loop.fixed))
        x0 = [x[0] for x in xs]
        inputs = [*x0[: self.carries], *starts, *x0[self.carries : m], *along, *x0[m:], *fixed, *loop.extra]
        counts = self.carries + len(starts), self.xs + len(along)
        op = Scan.of(loop.body, *counts, self.length, self.reverse, until=self.until)
        return loop, op, op(*inputs)

    def _part(self, op: Scan, packed: Any, piece: PackedResult, at: int | None) -> Any:
        return None if at is None else Reshape((piece.stop - piece.start,))(op.piece(packed, at))

    def _joined(self, parts: Sequence[Any]) -> Any:
        """Pack coefficients of the outputs, None for zeros."""
        zeros = [np.zeros(p.stop - p.start, self.packed) for p in self.pieces]
        coefficients = [z if t is None else t for t, z in zip(parts, zeros, strict=True)]
        coefficients = [t if t.dtype == self.packed else Cast(self.packed)(t) for t in coefficients]
        return coefficients[0] if len(coefficients) == 1 else Cat(0)(*coefficients)

    @cached_property
    def _floats_out(self) -> bool:
        return any(s.is_float for s in self.body.results)

    def _derived(self, loop: Derived, reverse: bool, seeds: Sequence[Any], y: Any, xs: Sequence[Any]) -> Any:
        """Run a derived loop; ``seeds`` are the cotangents of the outputs, or the tangents of the inputs."""
        assert self.until is None or len(self.pieces) == self.carries + len(self.kept)
        full = self.keeping(loop.carries_read)
        if full is not self:
            y = full(*xs)
        first = len(full.pieces) - len(full.kept)

        def read(kind: str, k: int) -> Any:
            if kind == "seed":
                return seeds[k]
            return full.piece(y, first + full.kept.index(k)) if kind == "carry" else xs[k]

        inits = [s.zeros() if k is None or seeds[k] is None else seeds[k] for k, s in loop.inits]
        op = Scan.of(loop.body, len(loop.inits), len(loop.slices), self.length, reverse)
        return op, op(*inits, *[read(*r) for r in loop.slices], *[read(*r) for r in loop.shared], *loop.extra)


def _pieces(results: Sequence[Spec], carries: int, length: int) -> tuple[PackedResult, ...]:
    pieces, start = [], 0
    for k, spec in enumerate(results):
        sizes = spec.shape if k < carries else (length, *spec.shape)
        stop = start + int(np.prod(sizes))
        pieces.append(PackedResult(start, stop, sizes, spec.dtype))
        start = stop
    return tuple(pieces)


def _rows(x: Any) -> Any:
    """Return x such that x[t] is the slice of step t, for arrays and for recorded tensors."""
    if x.ndim > 1 or x.dtype.hasobject:
        return x
    return x.tolist() if x.dtype == np.float64 else [x[t, ...] for t in range(len(x))]


@lru_cache(maxsize=1024)
def _shared(op: Scan) -> Scan:
    return op
