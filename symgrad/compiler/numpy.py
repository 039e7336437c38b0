"""The backend ``numpy``: clusters as straight-line ufunc calls that write into reused buffers, block by block.

A cluster larger than a block runs in blocks that stay in the processor's second-level cache. Everything else is the
forward of its operation: matrix products go to BLAS. Imports clusters and backend.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler import trees
from symgrad.compiler.backend import BACKENDS, Kernel, as_result
from symgrad.compiler.clusters import Cluster, clusters
from symgrad.compiler.elements import BOOL, FLOAT64, REDUCE, Elements
from symgrad.compiler.numpysource import UFUNCS, BlockWriter
from symgrad.compiler.program import Program
from symgrad.scalars import SCALARS


def build(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile the program as one Python function of NumPy calls."""
    e = Elements(program, lambda e, v: None)
    stages = clusters(e)
    writer = _Writer(e, stages)
    source = writer.source()
    names = {**_names(), **writer.names}
    scope: dict[str, Any] = {"__builtins__": {"range": range, "min": min, "float": float}, **names}
    exec(compile(source, "<symgrad numpy kernel>", "exec"), scope)
    return Kernel(
        run=_runner(scope["kernel"], writer, program),
        source=source,
        backend="numpy",
        operations=sum(len(s.body) + len(s.reductions) if isinstance(s, Cluster) else 1 for s in stages),
        kernels=len(stages),
        bytes=sum(prod(s) * d.itemsize for s, d in writer.buffers),
        stages={"elements": e.listing, "clusters": lambda: "\n".join(map(str, stages))},
    )


BACKENDS["numpy"] = build


def _names() -> dict[str, Any]:
    """What the source may call."""
    kernels = {f"k_{s.name}": s.numpy for s in SCALARS.values()}
    return {
        **kernels, **{f"u_{k}": u for k, u in UFUNCS.items()}, "empty": np.empty, "copyto": np.copyto,
        "add_up": np.add.reduce, "largest": np.maximum.reduce, "smallest": np.minimum.reduce, "f64": np.float64,
        "f32": np.float32, "inf": np.inf, "nan": np.nan, "broadcast": np.broadcast_to, "asarray": np.asarray,
        "bool_": np.bool_, "where": np.where,
    }  # fmt: skip


class _Writer:
    """The source of the whole program."""

    def __init__(self, e: Elements, stages: Sequence[Any]) -> None:
        self.e, self.stages = e, stages
        self.names: dict[str, Any] = {}
        self.buffers: list[tuple[tuple[int, ...], np.dtype[Any]]] = []
        self.lines: list[str] = []
        self._free: dict[Any, list[str]] = {}
        self._last = self._last_uses()
        self._homes: dict[int, str] = {}

    def _last_uses(self) -> dict[int, int]:
        """The stage that reads a value last, also through views of it."""
        last: dict[int, int] = {}
        for n, stage in enumerate(self.stages):
            read = stage.loads(self.e) if isinstance(stage, Cluster) else self.e.refs(stage)
            for r in read:
                last[r] = n
        # What an operation returns may be a view of what it read.
        for stage in reversed(self.stages):
            if isinstance(stage, int):
                for r in self.e.refs(stage):
                    last[r] = max(last.get(r, 0), last.get(stage, 0), len(self.stages) * (stage in self.e.outputs))
        return last

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
        self.names[f"op{k}"] = self.e.ops[k][0].forward
        e = self.e
        whole = any(e.dtypes[r].kind in "iu" for r in (k, *e.refs(k)))  # numbers among them were written without a dot
        numbers = {r: value for r in e.refs(k) if whole and (value := e.value(r)) is not None}
        args = ", ".join(whole_number(numbers[r]) if r in numbers else self.ref(r) for r in e.refs(k))
        self.lines.append(f"t{k} = op{k}({args})")

    def _cluster(self, n: int, c: Cluster) -> None:
        outputs = set(self.e.outputs)
        for k in c.stored:
            if c.shape != ():
                self.lines.append(f"t{k} = {self._room(k, k in outputs)}")
        self.lines += BlockWriter(self.e, c, self.ref, self.buffer).lines()

    def _room(self, k: int, fresh: bool) -> str:
        """Memory for a stored array: new for a result, else a buffer that nobody reads any more."""
        shape, dtype = self.e.shapes[k], self.e.dtypes[k]
        if fresh:
            return f"empty({shape}, {dtype_name(dtype)})"
        free = self._free.get((shape, dtype))
        name = free.pop() if free else self.buffer(shape, dtype)
        self._homes[k] = name
        return name

    def _release(self, n: int) -> None:
        for k, name in list(self._homes.items()):
            if self._last.get(k, n) <= n:
                self._free.setdefault((self.e.shapes[k], self.e.dtypes[k]), []).append(name)
                del self._homes[k]

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
    return repr(int(value)) if value == int(value) else repr(value)


def dtype_name(dtype: Any) -> str:
    """Return what the source calls a dtype."""
    return {FLOAT64: "f64", BOOL: "bool_"}.get(dtype, "f32")


def _runner(kernel: Callable[..., Any], writer: _Writer, program: Program) -> Callable[[Sequence[Any]], list[Any]]:
    dtypes = [program.values[k].dtype for k in program.outputs]
    shapes = [program.values[k].shape for k in program.outputs]
    scalars = [program.values[k].shape == () and program.values[k].dtype == FLOAT64 for k in program.inputs]
    fresh = [_is_fresh(writer.e, r) for r in writer.e.outputs]
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
        pool.append(buffers)
        return [y if f and s else _owned(y, d, s, f) for y, d, s, f in zip(ys, dtypes, shapes, fresh)]

    return run


def _is_fresh(e: Elements, r: int) -> bool:
    """Whether a result is an array that this call made for itself."""
    return e.kind(r) in ("element", REDUCE)


def _owned(y: Any, dtype: Any, shape: Any, fresh: bool) -> Any:
    return as_result(y if fresh else np.array(np.broadcast_to(y, shape), dtype), dtype)
