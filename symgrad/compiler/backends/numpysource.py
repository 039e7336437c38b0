"""The NumPy source of one cluster: a ufunc call a primitive, into buffers shared by linear scan."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.backends.shared import cut
from symgrad.compiler.primitives.clusters import Cluster
from symgrad.compiler.primitives.elements import ELEMENT, Elements
from symgrad.compiler.primitives.infix import SIGNS
from symgrad.core.promotion import BOOL, FLOAT64, is_floating
from symgrad.scalars import SCALARS
from symgrad.scalars.numerics import power

BLOCK = 8192  # entries a buffer holds: a handful of buffers fit the second-level cache
SHARED = 4 * BLOCK  # where threads share blocks: each call of NumPy asks for Python's lock again
LEAST_CHUNKS = 8  # for which blocks are made shorter than that
UFUNCS: dict[str, Any] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative, "sqrt": np.sqrt,
    "pow": power, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
    "ne": np.not_equal, "and": np.logical_and, "or": np.logical_or, "not": np.logical_not,
    **{s.name: s.numpy for s in SCALARS.values() if isinstance(s.numpy, np.ufunc)},
}  # fmt: skip
_REDUCE = {"sum": "add_up", "max": "largest", "min": "smallest"}
_JOIN = {"sum": "u_add", "max": "u_maximum", "min": "u_minimum"}
_NUMBERS = ("add", "sub", "mul", "div")


def dtype_name(dtype: Any) -> str:
    """Return what the source calls a dtype."""
    return {FLOAT64: "f64", BOOL: "bool_"}.get(dtype, "f32")


class BlockWriter:
    """Writes one cluster."""

    def __init__(
        self,
        e: Elements,
        c: Cluster,
        ref: Callable[[int], str],
        buffer: Callable[[Any, Any], str],
        number: Callable[[float, Any], str],
    ) -> None:
        self.e, self.c, self.ref, self.buffer, self.number = e, c, ref, buffer, number
        rows = c.shape[0] if c.shape else 1
        size, row = prod(c.shape), max(1, prod(c.shape[1:]))
        work = size * (len(c.body) + len(c.reductions))
        many = len(cut(rows, work)) > 1
        self.step = max(1, min(SHARED, max(BLOCK, size // LEAST_CHUNKS)) // row if many else BLOCK // row)
        self.blocked = bool(c.shape) and rows > self.step and size > 2 * BLOCK
        self.chunks = cut(-(-rows // self.step), work) if self.blocked else []
        self._own: list[str] = []  # buffers of a chunk's own
        self.text: dict[int, str] = {}
        self._views: list[str] = []  # buffers cut to the block
        self._free: dict[Any, list[str]] = {}

    def lines(self) -> list[str]:
        """Return the cluster's lines."""
        c = self.c
        if not c.shape:
            return [f"t{k} = {self._number(k)}" for k in c.body]
        if 0 in c.shape:
            return []
        body = self._reads() + self._body()
        if not self.blocked:
            return body + self._reductions()
        head, start, inside = self._block_reductions()
        loop = ["for i in range(lo, hi, step):", "    j = min(i + step, hi)"]
        loop += [f"    {line}" for line in [*self._buffer_slices(), *body, *inside]]
        if not self.chunks:
            return [*head, *start, f"lo, hi, step = 0, {c.shape[0]}, {self.step}", *loop]
        return [*head, *self._shared([*self._own, *start, *loop])]

    def _shared(self, lines: list[str]) -> list[str]:
        """The loop in chunks, each with buffers and sums of its own; the sums are joined in the chunks' order."""
        n, step = self.c.shape[0], self.step
        edges = [*[a * step for a, _ in self.chunks], n]
        sums = [k for k in self.c.reductions if 0 in self.e.ops[k][0].axes]
        code = [f"parts, step, edges = [None] * {len(self.chunks)}, {step}, {edges}", "def chunk(number):"]
        code += ["    lo, hi = edges[number], edges[number + 1]", *[f"    {line}" for line in lines]]
        code += [f"    parts[number] = [{', '.join(f't{k}' for k in sums)}]", f"share(chunk, {len(self.chunks)})"]
        for m, k in enumerate(sums):
            code += [f"t{k} = parts[0][{m}]", "for part in parts[1:]:"]
            code.append(f"    t{k} = {_JOIN[self.e.ops[k][0].kind]}(t{k}, part[{m}])")
        return code

    # -------------------------------------------------------------- numbers without axes
    def _number(self, k: int) -> str:
        name, *refs = self.e.ops[k]
        args = [self.ref(r) for r in refs]
        if name in _NUMBERS:
            first = f"f64({args[0]})" if self._wide(k) else args[0]
            return f"{first} {SIGNS[name]} {args[1]}"
        return self._call(name, args, "")

    def _wide(self, k: int) -> bool:
        """Whether the first argument is made NumPy's: Python's floats raise where NumPy gives ∞ or nan."""
        name, first, *_ = self.e.ops[k]
        return (name == "div" or self.e.value(first) is not None) and self.e.dtypes[k] == np.float64

    # -------------------------------------------------------------- primitives
    def _reads(self) -> list[str]:
        """Name the arrays that the block reads, cut to the block."""
        lines = []
        for r in self.c.loads(self.e):
            s = self.e.shapes[r]
            weak = self.e.is_weak(r) and any(self.e.dtypes[k] == np.float32 for k in self.c.body)
            text = f"float({self.ref(r)})" if weak else self.ref(r)
            if self.blocked and len(s) == len(self.c.shape) and s[0] == self.c.shape[0]:
                lines.append(f"r{r} = {text}[i:j]")
                text = f"r{r}"
            self.text[r] = text
        return lines

    def _body(self) -> list[str]:
        e, last = self.e, self._last_uses()
        stored = set(self.c.stored)
        lines = []
        for n, k in enumerate(self.c.body):
            name, *refs = e.ops[k]
            args = [self._arg(r, k) for r in refs]
            out = f"t{k}[i:j]" if k in stored and self.blocked else f"t{k}" if k in stored else None
            if out is None:
                # The arguments that end here may lend their buffer: ufuncs read before they write.
                self._release(n, last, refs if name != "select" else ())
                out = self._take(k)
                if name == "select":
                    self._release(n, last, refs)
            else:
                self._release(n, last, refs)
                if self.blocked:
                    lines.append(f"o{k} = {out}")
                    out = f"o{k}"
            lines += self._assign(name, args, out)
            self.text[k] = out
        return lines

    def _arg(self, r: int, k: int | None = None) -> str:
        value = self.e.value(r)
        if value is None:
            return self.text[r]
        # Of numbers, ufuncs take arrays without axes soonest.
        dtype = None if k is None else self.e.dtypes[k]
        return self.ref(r) if dtype is None or not is_floating(dtype) else self.number(value, dtype)

    def _assign(self, name: str, args: list[str], out: str) -> list[str]:
        if name == "select":
            return [f"copyto({out}, {args[2]})", f"copyto({out}, {args[1]}, where={args[0]})"]
        if name.startswith("cast_"):
            return [f"copyto({out}, {args[0]})"]
        if name in UFUNCS:  # NumPy deprecates these two with a third argument by position
            word = "out=" if UFUNCS[name] in (np.maximum, np.minimum) else ""
            return [f"u_{name}({', '.join(args)}, {word}{out})"]
        return [f"{out}[...] = {self._call(name, args, '')}"]

    def _call(self, name: str, args: list[str], out: str) -> str:
        if name == "select":
            return f"({args[1]} if {args[0]} else {args[2]})"
        if name.startswith("cast_"):
            return f"{'f32' if name == 'cast_float32' else 'f64'}({args[0]})"
        return f"{'u' if name in UFUNCS else 'k'}_{name}({', '.join(args)})"

    # -------------------------------------------------------------- buffers
    def _last_uses(self) -> dict[int, int]:
        last = {r: n for n, k in enumerate(self.c.body) for r in self.e.refs(k)}
        for k in self.c.reductions:
            last[self.e.refs(k)[0]] = len(self.c.body)
        return last

    def _release(self, n: int, last: dict[int, int], refs: Any) -> None:
        for r in set(refs):
            name = self.text.get(r, "")
            if last.get(r) == n and name[:1] in ("b", "w") and self.e.kind(r) == ELEMENT:
                self._free.setdefault(self._kind(r), []).append(name)
                self.text[r] = ""

    def _kind(self, k: int) -> Any:
        return self.e.shapes[k], self.e.dtypes[k]

    def _take(self, k: int) -> str:
        free = self._free.get(self._kind(k))
        if free:
            return free.pop()
        s = self.c.shape
        room = (self.step, *s[1:]) if self.blocked else s
        if self.chunks:
            name = f"b_{len(self._own)}"
            self._own.append(f"{name} = empty({room}, {dtype_name(self.e.dtypes[k])})")
        else:
            name = self.buffer(room, self.e.dtypes[k])
        if not self.blocked:
            return name
        self._views.append(name)
        return f"w{name[1:]}"

    def _buffer_slices(self) -> list[str]:
        return [f"w{b[1:]} = {b} if j - i == {self.step} else {b}[:j - i]" for b in self._views]

    # -------------------------------------------------------------- reductions
    def _reductions(self) -> list[str]:
        result = []
        for k in self.c.reductions:
            op, r = self.e.ops[k]
            result.append(f"t{k} = {self._reduced(op.kind, self._arg(r), op.axes)}")
        return result

    def _reduced(self, kind: str, text: str, axes: tuple[int, ...]) -> str:
        where = "None" if len(axes) == len(self.c.shape) else str(axes) if len(axes) > 1 else str(axes[0])
        return f"{_REDUCE[kind]}({text}, {where})"

    def _block_reductions(self) -> tuple[list[str], list[str], list[str]]:
        """Reductions over the first axis accumulate, others fill their rows.

        Returns: what stands before all blocks, before those of a chunk, and in each.
        """
        head: list[str] = []
        start: list[str] = []
        inside: list[str] = []
        for k in self.c.reductions:
            op, r = self.e.ops[k]
            text = self._reduced(op.kind, self._arg(r), op.axes)
            if 0 in op.axes:
                start.append(f"t{k} = None")
                inside.append(f"p = {text}")
                inside.append(f"t{k} = p if i == lo else {_JOIN[op.kind]}(t{k}, p)")
            else:
                head.append(f"t{k} = empty({self.e.shapes[k]}, {dtype_name(self.e.dtypes[k])})")
                inside.append(f"t{k}[i:j] = {text}")
        return head, start, inside
