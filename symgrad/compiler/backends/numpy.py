"""The backend ``numpy``: clusters as straight-line ufunc calls that write into reused buffers, block by block.

A cluster larger than a block runs in blocks that stay in the processor's second-level cache. Everything else is the
forward of its operation: matrix products go to BLAS.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import Kernel, as_result, forward_of
from symgrad.compiler.backends.donation import taken_over
from symgrad.compiler.backends.numpysource import UFUNCS, BlockWriter, dtype_name
from symgrad.compiler.backends.shared import made_in_chunks
from symgrad.compiler.passes.assemble import Assemble
from symgrad.compiler.primitives.clusters import Cluster, clusters
from symgrad.compiler.primitives.elements import Elements
from symgrad.core import trees
from symgrad.core.promotion import FLOAT64, is_integer
from symgrad.engine.program import Program
from symgrad.ops.protocol import Op
from symgrad.ops.shape import Reshape
from symgrad.ops.slicing import Slice
from symgrad.scalars import SCALARS
from symgrad.support import threads

_LARGE = 1 << 20  # bytes of an array from which its memory is free, or another's, once nobody reads it any more
_LENT = -1  # the stage of a result whose memory another array has had


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile the program as one Python function of NumPy calls."""
    e = Elements(program)
    stages = clusters(e)
    writer = _Writer(e, stages, program.donated)
    source = writer.source()
    names = {**_names(), **writer.names}
    scope: dict[str, Any] = {"__builtins__": {"range": range, "min": min, "float": float}, **names}
    exec(compile(source, "<symgrad numpy kernel>", "exec"), scope)
    return Kernel(
        run=_runner(scope["kernel"], writer, program),
        source=lambda: source,
        backend="numpy",
        operations=sum(len(s.body) + len(s.reductions) if isinstance(s, Cluster) else 1 for s in stages),
        kernels=len(stages),
        bytes=sum(prod(s) * d.itemsize for s, d in writer.buffers),
        reuses=tuple(writer.reused.values()),
        stages={"elements": e.listing, "clusters": lambda: "\n".join(map(str, stages))},
    )


def _names() -> dict[str, Any]:
    """The functions that the source may call."""
    kernels = {f"k_{s.name}": s.numpy for s in SCALARS.values()}
    return {
        **kernels, **{f"u_{k}": u for k, u in UFUNCS.items()}, "empty": np.empty, "zeros": np.zeros,
        "copyto": np.copyto,
        "add_up": np.add.reduce, "largest": np.maximum.reduce, "smallest": np.minimum.reduce, "f64": np.float64,
        "f32": np.float32, "inf": np.inf, "nan": np.nan, "broadcast": np.broadcast_to, "asarray": np.asarray,
        "bool_": np.bool_, "where": np.where, "share": threads.share,
    }  # fmt: skip


class _Writer:
    """The source of the whole program."""

    def __init__(self, e: Elements, stages: Sequence[Any], donated: Collection[int]) -> None:
        self.e, self.stages = e, stages
        self.names: dict[str, Any] = {}
        self.buffers: list[tuple[tuple[int, ...], np.dtype[Any]]] = []
        self.lines: list[str] = []
        self._free: dict[Any, list[str]] = {}
        self._last = self._last_uses()
        self._dropped = self._ends()
        self.reused = taken_over(e, stages, self._last, donated)
        self._homes: dict[int, list[tuple[int, str]]] = {}  # by the stage after which they are free
        self._lenders = self._results()
        self._numbers: dict[Any, str] = {}

    def _last_uses(self) -> dict[int, int]:
        """The stage that reads a value last, also through views of it."""
        last: dict[int, int] = {}
        outputs = set(self.e.outputs)
        for n, stage in enumerate(self.stages):
            read = stage.loads(self.e) if isinstance(stage, Cluster) else self.e.refs(stage)
            for r in read:
                last[r] = n
        # What an operation returns may be a view of what it read.
        for stage in reversed(self.stages):
            if isinstance(stage, int):
                for r in self.e.refs(stage):
                    last[r] = max(last.get(r, 0), last.get(stage, 0), len(self.stages) * (stage in outputs))
        return last

    def _ends(self) -> dict[int, list[int]]:
        """Return for each stage the large results of operations that nobody reads after it."""
        ends: dict[int, list[int]] = {}
        outputs = set(self.e.outputs)
        for k, n in self._last.items():
            if k not in outputs and isinstance(self.e.ops[k][0], Op) and self._is_large(k):
                ends.setdefault(n, []).append(k)
        return ends

    def _results(self) -> dict[int, int]:
        """Return the large results that clusters write, with their stages: before, other arrays have their memory."""
        written = {k: n for n, c in enumerate(self.stages) if isinstance(c, Cluster) for k in c.stored}
        return {k: written[k] for k in self.e.outputs if k in written and k not in self.reused and self._is_large(k)}

    def _is_large(self, k: int) -> bool:
        return prod(self.e.shapes[k]) * self.e.dtypes[k].itemsize >= _LARGE

    def source(self) -> str:
        """Return the function's text."""
        for n, stage in enumerate(self.stages):
            if isinstance(stage, Cluster):
                self._cluster(n, stage)
            else:
                self._operation(stage)
            self._release(n)
        e = self.e
        outs = ", ".join(self.ref(r) for r in e.outputs)
        inputs = ", ".join(f"x{k}" for k in range(len(e.inputs)))
        buffers = "".join(f", b{k}" for k in range(len(self.buffers)))
        head = f"def kernel({inputs}{buffers}):" if inputs else f"def kernel({buffers[2:]}):"
        return "\n".join([head, *[f"    {line}" for line in self.lines], f"    return [{outs}]"]) + "\n"

    def ref(self, r: int) -> str:
        """Return the text of a value."""
        value = self.e.value(r)
        if value is not None:
            return number(value)
        name = self.e.ops[r][0]
        if name == "in":
            return f"x{self.e.ops[r][1]}"
        if name == "array":
            self.names[f"c{r}"] = self.e.arrays[r]
            return f"c{r}"
        return f"t{r}"

    def _operation(self, k: int) -> None:
        e = self.e
        op, *refs = e.ops[k]
        whole = any(is_integer(e.dtypes[r]) for r in (k, *refs))  # numbers among them were written without a dot
        numbers = {r: value for r in refs if whole and (value := e.value(r)) is not None}
        args = [whole_number(numbers[r]) if r in numbers else self.ref(r) for r in refs]
        forward = forward_of(op) if whole else op.forward
        forward = made_in_chunks(op, forward, [e.shapes[r] for r in refs], e.shapes[k], e.dtypes[k])
        self.lines += self._moved(op, k, args) or [f"t{k} = {self._named(f'op{k}', forward)}({', '.join(args)})"]

    def _named(self, name: str, value: Any) -> str:
        self.names[name] = value
        return name

    def _number(self, value: float, dtype: Any) -> str:
        """Name a number as an array without axes."""
        name = self._numbers.setdefault((repr(value), dtype), f"n{len(self._numbers)}")
        return self._named(name, np.array(value, dtype))

    def _moved(self, op: Any, k: int, args: Sequence[str]) -> list[str] | None:
        """Operations that move entries, in NumPy's own words."""
        has_axes = any(self.e.shapes[r] for r in self.e.refs(k)[:1])  # what has none may be Python's number
        if isinstance(op, Slice) and has_axes:
            return [f"t{k} = {args[0]}[{self._named(f'key{k}', op.key)}]"]
        if isinstance(op, Reshape) and has_axes:
            return [f"t{k} = {args[0]}.reshape({op.to})"]
        if not isinstance(op, Assemble):
            return None
        make = "empty" if op.covers else "zeros"
        lines = [f"t{k} = {make}({op.to}, {dtype_name(self.e.dtypes[k])})"]
        for n, (part, arg, again) in enumerate(zip(op.parts, args, op.overlaps, strict=True)):
            key = self._named(f"key{k}_{n}", part.key)
            lines.append(f"t{k}[{key}] {'+=' if again else '='} {arg}")
        return lines

    def _cluster(self, n: int, c: Cluster) -> None:
        outputs = set(self.e.outputs)
        for k in c.stored:
            if c.shape != () and self._lenders.pop(k, n) >= 0:
                self.lines.append(f"t{k} = {self._room(n, k, k in outputs)}")
        self.lines += BlockWriter(self.e, c, self.ref, self.buffer, self._number).lines()

    def _room(self, n: int, k: int, fresh: bool) -> str:
        """Memory for a stored array: new for a result, else a buffer that nobody reads any more."""
        shape, dtype = self.e.shapes[k], self.e.dtypes[k]
        if k in self.reused:
            return f"x{self.reused[k]}"
        if fresh:
            return f"empty({shape}, {dtype_name(dtype)})"
        lender = self._lender(k)
        if lender is not None:
            return f"t{lender}"
        free = self._free.get((shape, dtype))
        name = free.pop() if free else self.buffer(shape, dtype)
        self._homes.setdefault(self._last.get(k, n), []).append((k, name))
        return name

    def _lender(self, k: int) -> int | None:
        """Return a result whose memory a value has, and make that: it is written after the value is read last."""
        shape, dtype = self.e.shapes[k], self.e.dtypes[k]
        for r, stage in self._lenders.items():
            if (self.e.shapes[r], self.e.dtypes[r]) == (shape, dtype) and k in self._last and self._last[k] < stage:
                self._lenders[r] = _LENT
                self.lines.append(f"t{r} = empty({shape}, {dtype_name(dtype)})")
                return r
        return None

    def _release(self, n: int) -> None:
        for k, name in self._homes.pop(n, ()):
            self._free.setdefault((self.e.shapes[k], self.e.dtypes[k]), []).append(name)
        self.lines += [f"t{k} = None" for k in self._dropped.get(n, ())]

    def buffer(self, shape: tuple[int, ...], dtype: Any) -> str:
        """Return the name of a new buffer."""
        self.buffers.append((shape, dtype))
        return f"b{len(self.buffers) - 1}"


def number(value: float) -> str:
    """Return a number's text."""
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "(-inf)"
    return repr(value)


def whole_number(value: float) -> str:
    """Return a number's text, without a dot where it is whole."""
    return repr(int(value)) if value.is_integer() else number(value)


def _runner(kernel: Callable[..., Any], writer: _Writer, program: Program) -> Callable[[Sequence[Any]], list[Any]]:
    wanted = [(program.values[k].dtype, program.values[k].shape) for k in program.outputs]
    scalars = [program.values[k].shape == () and program.values[k].dtype == FLOAT64 for k in program.inputs]
    constants = {id(c) for c in writer.names.values()}
    reused = tuple(writer.reused.values())
    pool: list[list[Any]] = []

    def run(args: Sequence[Any]) -> list[Any]:
        # Threads running at the same time take different buffers: pop and append are atomic.
        try:
            buffers = pool.pop()
        except IndexError:
            buffers = [np.empty(s, d) for s, d in writer.buffers]
        xs = [np.float64(a) if s else a for a, s in zip(args, scalars)]
        with np.errstate(all="ignore"):
            ys = kernel(*xs, *buffers)
        taken = {*map(id, xs), *map(id, buffers), *constants}
        given = {id(xs[p]) for p in reused}
        result = [_owned(y, d, s, taken, given) for y, (d, s) in zip(ys, wanted)]
        pool.append(buffers)
        return result

    return run


def _owned(y: Any, dtype: Any, shape: Any, taken: set[int], given: set[int]) -> Any:
    """Return a result as an array of its own: itself, unless it is a view, or somebody else's array."""
    if id(y) in given:
        given.remove(id(y))
        return y
    if type(y) is np.ndarray and y.base is None and y.dtype == dtype and y.shape == shape and id(y) not in taken:
        taken.add(id(y))
        return y if shape else as_result(y, dtype)
    return as_result(y if not shape else np.array(np.broadcast_to(y, shape), dtype), dtype)
