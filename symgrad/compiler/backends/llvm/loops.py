"""A nest as a function: loops over single numbers, which LLVM turns into vector code.

Sums are kept in registers along the innermost loop. Where a function of the nest is accurate up to some size of its
argument or quotient only (sin, fmod), the loop also finds whether one was larger, and if so the nest runs again with
the C library.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, inf, prod

from symgrad.compiler.backends.llvm.code import STORED, TYPES, Code, Used, kind_of
from symgrad.compiler.backends.llvm.instructions import (
    KEPT,
    MASKED,
    ROLLED,
    Function,
    Instruction,
    Parameter,
    Recorder,
    constant,
    pointers,
)
from symgrad.compiler.backends.llvm.math import LIMIT
from symgrad.compiler.backends.llvm.memory import Buffer, collapsed
from symgrad.compiler.backends.llvm.register_tiles import Tiles
from symgrad.compiler.backends.llvm.steps import FILL, Nest
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.views import View

_SHORT = 8  # an innermost axis below this changes places with a longer one
_LONG = 1024  # bytes that the innermost loop goes through, from which it pays to invert a divisor before it
_THIN = (4, 5, 6, 7, *range(9, 16))  # terms of a product that are written out; 2, 3 and 8 vectors have without shuffles
_WRITTEN_OUT = range(16, 100)  # turns of a loop that LLVM would write out: one that looks for extremes
_SOME = 64  # turns below which it would write out others
_VECTOR = 64  # bytes of the longest vectors


def function(
    name: str, nest: Nest, e: Elements, used: Used, bounded: int | None = None
) -> tuple[list[Function], list[Buffer]]:
    """Return ``@name(buffers…)``, after what it calls, and the buffers it takes.

    ``bounded``: of ``@name(buffers…, lo, hi)``, of which this loop runs from lo to hi. Sums that the nest does not
    begin itself are then excluded where the nest may run twice.
    """
    buffers = buffers_of(nest)
    params = [*pointers([f"%{b.name}" for b in buffers], alone=True), *_bounds(bounded)]
    if nest.tile is not None:
        tiles = Tiles(nest, used, bounded).code_of()
        tiles.give()
        return [tiles.function(name, params, "noinline")], buffers
    checked = is_checked(nest, e)
    fast = Loops(nest, e, used, libm=False, checked=checked, bounded=bounded).code_of()
    if not checked:
        fast.give()
        return [fast.function(name, params, "noinline")], buffers
    slow = Loops(nest, e, used, libm=True, checked=False, bounded=bounded).code_of()
    slow.give()
    functions, calls = _emptied(name, nest, e, used)
    fast.branch("%far", "again", "done")
    fast.label("again")
    fast.lines += [*calls, call(f"{name}.slow", buffers, bounded)]
    fast.go("done")
    fast.label("done")
    fast.give()
    functions += [slow.function(f"{name}.slow", params, "noinline"), fast.function(name, params, "noinline")]
    return functions, buffers


def is_checked(nest: Nest, e: Elements) -> bool:
    """Whether the nest runs again with the C library where an argument is beyond what its functions are for."""
    return any((e.ops[k][0], kind_of(e.dtypes[k])) in LIMIT for k in nest.body)


def _emptied(name: str, nest: Nest, e: Elements, used: Used) -> tuple[list[Function], list[Instruction]]:
    """Functions that put the neutral number back where the quick loop has added to parts of arrays, and their calls."""
    functions, calls = [], []
    for n, (kind, _, view) in enumerate(nest.sums):
        if kind in FILL:  # which the nest itself writes first
            continue
        own, buffers = emptying(f"{name}.empty{n}", kind, view, e, used)
        functions += own
        calls.append(call(f"{name}.empty{n}", buffers))
    return functions, calls


def emptying(name: str, kind: str, view: View, e: Elements, used: Used) -> tuple[list[Function], list[Buffer]]:
    """Return ``@name(buffers…)`` that writes a sum's neutral number, and the buffers it takes."""
    kept = [(m, s) for m, s in zip(view.shape, view.steps) if s]
    part = view._replace(shape=tuple(m for m, _ in kept), steps=tuple(s for _, s in kept))
    neutral = e.const(FILL[kind.removesuffix(" onto")])
    return function(name, Nest(part.shape, stores=[(neutral, part)]), e, used)


def call(name: str, buffers: list[Buffer], bounded: int | None = None) -> Instruction:
    """Return the call of such a function."""
    arguments = [*pointers(f"%{b.name}" for b in buffers), *_bounds(bounded)]
    return Instruction("", "call", "void", (f"@{name}", *[p.name for p in arguments]), tuple(p.type for p in arguments))


def _bounds(bounded: int | None) -> tuple[Parameter, ...]:
    return () if bounded is None else (Parameter("i64", "%lo"), Parameter("i64", "%hi"))


def buffers_of(nest: Nest) -> list[Buffer]:
    """Return the buffers that a nest reads and writes, in the order in which its function takes them."""
    return list(dict.fromkeys(v.memory for v in nest.views))


class Loops:
    """A nest's loops: ``dims``, and the steps of what is read, stored and summed along them."""

    def __init__(
        self, nest: Nest, e: Elements, used: Used, *, libm: bool, checked: bool, bounded: int | None = None
    ) -> None:
        self.nest, self.e = nest, e
        self.code = Code("v", libm, used)
        self.checked, self.bounded = checked, bounded
        self.keys = list(nest.loads)
        self.dims, self.strides = _loops_of(nest, [v.steps for v in nest.views])
        n = len(self.keys)
        self.loaded = dict(zip(self.keys, self.strides[:n]))
        self.stored = self.strides[n : n + len(nest.stores)]
        self.summed = self.strides[n + len(nest.stores) :]

    # -------------------------------------------------------------- structure
    def code_of(self) -> Recorder:
        """Return the function's instructions, up to its end."""
        empty = 0 in self.nest.dims
        if self.nest.sums or not empty:
            self._fills()
        if not empty:
            self._loops()
        elif self.checked:
            self.code.set("or", "i1", "false", "false", name="%far")
        return self.code

    def _fills(self) -> None:
        """Put the neutral number where results are added into."""
        c = self.code
        c.go("fill0")
        c.label("fill0")
        for n, (kind, _, view) in enumerate(self.nest.sums):
            size = prod(m for m, s in zip(view.shape, view.steps) if s)
            if kind not in FILL or view.memory.size == 0:
                c.go(f"fill{n + 1}")
            else:
                self._fill(n, f"%{view.memory.name}", kind_of(view.memory.dtype), FILL[kind], size)
            c.label(f"fill{n + 1}")

    def _fill(self, n: int, memory: str, own: str, number: float, size: int) -> None:
        c, t = self.code, TYPES[own]
        first, end = "0", str(size)
        if self.bounded is not None and self.nest.sums[n][2].memory.kind != "p":  # which a chunk has for itself
            each = str(size // self.dims[self.bounded])
            first, end = (c.set("mul", "i64", x, each, flags=("nuw", "nsw")) for x in ("%lo", "%hi"))
        c.go(f"fill{n}.loop")
        c.label(f"fill{n}.loop")
        c.phi("i64", first, f"fill{n}", f"%f{n}.next", f"fill{n}.loop", name=f"%f{n}")
        c.store(t, constant(number, own), c.place(t, memory, f"%f{n}"))
        c.next(f"%f{n}")
        more = c.compare("ult", "i64", f"%f{n}.next", end)
        c.branch(more, f"fill{n}.loop", f"fill{n + 1}")

    def _loops(self) -> None:
        depth = len(self.dims)
        before = f"fill{len(self.nest.sums)}"
        for a in range(depth):
            self._enter(a, before)
            before = f"loop{a}"
        if not depth:
            self._open_sums()
        beyond = self._body(depth)
        for a in range(depth - 1, -1, -1):
            beyond = self._repeat(a, beyond)
        if not depth:
            self._close_sums()
        if self.checked:
            self.code.set("icmp", "i64", beyond, "0", flags=("ne",), name="%far")

    def _enter(self, a: int, before: str) -> None:
        """Begin a loop after the block ``before``."""
        c, inner = self.code, a == len(self.dims) - 1
        if inner:
            self._open_sums()
        c.go(f"loop{a}")
        c.label(f"loop{a}")
        c.phi("i64", "%lo" if a == self.bounded else "0", before, f"%i{a}.next", f"end{a}", name=f"%i{a}")
        if self.checked:
            start = "0" if a == 0 else f"%far{a - 1}"
            c.phi("i64", start, before, f"%far{a}.next", f"end{a}", name=f"%far{a}")
        for n, _ in self._kept() if inner else ():
            c.phi(self._sum_type(n), f"%s{n}.start", before, f"%s{n}.next", f"end{a}", name=f"%s{n}")

    def _repeat(self, a: int, beyond: str) -> str:
        """End a loop's turn; return whether a checked argument was beyond its limit so far."""
        c = self.code
        c.go(f"end{a}")
        c.label(f"end{a}")
        if self.checked:
            beyond = c.set("or", "i64", beyond, "0", name=f"%far{a}.next")
        c.next(f"%i{a}")
        more = c.compare("ult", "i64", f"%i{a}.next", "%hi" if a == self.bounded else str(self.dims[a]))
        c.branch(more, f"loop{a}", f"out{a}", self._hint(a))
        c.label(f"out{a}")
        if a == len(self.dims) - 1:
            self._close_sums()
        return beyond

    def _hint(self, a: int) -> str:
        """How LLVM treats a short innermost loop, which it would write out before it sees vectors."""
        n, inside = self.dims[a], len(self.dims) > 1
        if _is_thin(self.nest, self.dims, self.strides):
            return KEPT if a == len(self.dims) - 2 else ""
        if a < len(self.dims) - 1 or n >= _WRITTEN_OUT.stop:
            return ""
        adds = len(self._kept()) < len(self.nest.sums)
        if inside and 4 < n < _SOME and n % 8 and not adds:  # a load does not see what a masked store has just written
            return MASKED
        if n in _WRITTEN_OUT and any(not kind.startswith("sum") for _, (kind, _, _) in self._kept()):
            return f"{ROLLED} 4"
        wide = _VECTOR // max(v.memory.dtype.itemsize for v in self.nest.views)
        count = next((m for m in (4, 2) if n % (m * wide) == 0), 1)
        whole = inside and n in _WRITTEN_OUT and n < _SOME and not self.nest.at and (not adds or n == count * wide)
        return f"{ROLLED} {count}" if whole else ""

    # -------------------------------------------------------------- sums
    def _kept(self) -> list[tuple[int, tuple[str, int, View]]]:
        """The sums that stay in a register along the innermost loop."""
        return [(n, s) for n, s in enumerate(self.nest.sums) if self._stays(n)]

    def _stays(self, n: int) -> bool:
        """Whether a sum has one place all along the innermost loop, if there is a loop."""
        return self.nest.onto is None and (not self.dims or self.summed[n][-1] == 0)

    def _sum_kind(self, n: int) -> str:
        own = kind_of(self.nest.sums[n][2].memory.dtype)
        wide = own == "f32" and not self.nest.product and bool(self.dims) and self._stays(n)
        return "f64" if wide else own

    def _sum_type(self, n: int) -> str:
        return TYPES[self._sum_kind(n)]

    def _open_sums(self) -> None:
        for n, (_, _, view) in self._kept():
            place = self._address(view, self.summed[n], outer=True)
            own = kind_of(view.memory.dtype)
            start = self.code.load(TYPES[own], place)
            if self._sum_kind(n) != own:
                start = self.code.number((start, own), "f64")
            self.code.set("select", self._sum_type(n), "true", start, start, name=f"%s{n}.start")

    def _close_sums(self) -> None:
        for n, (_, _, view) in self._kept():
            place = self._address(view, self.summed[n], outer=True)
            own = kind_of(view.memory.dtype)
            value = self.code.number((f"%s{n}.next", self._sum_kind(n)), own)
            self.code.store(TYPES[own], value, place)

    def _add_up(self, n: int, value: tuple[str, str]) -> None:
        kind, _, view = self.nest.sums[n]
        own = self._sum_kind(n)
        t, x = TYPES[own], self.code.number(value, own)
        if any(m == n for m, _ in self._kept()):
            start = f"%s{n}" if self.dims else f"%s{n}.start"
            self._joined(kind, own, start, x, f"%s{n}.next")
            return
        place = self._further(self.nest.onto, view, self._address(view, self.summed[n]))
        before = self.code.load(t, place)
        self.code.store(t, self._joined(kind, own, before, x), place)

    def _joined(self, kind: str, own: str, a: str, b: str, name: str | None = None) -> str:
        t = TYPES[own]
        if kind.startswith("sum"):
            return self.code.set("fadd", t, a, b, flags=("reassoc",), name=name)
        extreme = "maximum" if kind.startswith("max") else "minimum"
        return self.code.call(t, f"@llvm.{extreme}.{own}", (t, a), (t, b), name=name)

    # -------------------------------------------------------------- one entry
    def _body(self, depth: int) -> str:
        """Compute one entry; return whether a checked argument was beyond its limit so far, as an integer."""
        values: dict[int, tuple[str, str]] = {}
        beyond = f"%far{depth - 1}" if depth else "0"
        for k in self.nest.body:
            name, *refs = self.e.ops[k]
            if name == "div" and self._divides_many(refs[1]):
                name = "ratio"
            args = [self._value(r, values) for r in refs]
            kind = kind_of(self.e.dtypes[k])
            if self.checked and (name, kind) in LIMIT:
                beyond = self._check(args, kind, LIMIT[name, kind], beyond)
            values[k] = self.code.apply(name, args, "f64" if kind == "i1" else kind)
        for (r, view), steps in zip(self.nest.stores, self.stored):
            self._store(self._value(r, values), view, steps)
        for n, (_, r, _) in enumerate(self.nest.sums):
            self._add_up(n, self._product(values) if self.nest.product else self._value(r, values))
        return beyond

    def _divides_many(self, r: int) -> bool:
        """Whether a divisor is the same all along a long innermost loop, or a number other than a power of two."""
        value = self.e.value(r)
        if value is not None:
            return 0 < abs(value) < inf and abs(frexp(value)[0]) != 0.5
        if not self.dims or r not in self.loaded or r in self.nest.at or self.loaded[r][-1]:
            return False
        each: int = self.nest.loads[r].memory.dtype.itemsize
        return self.dims[-1] * each >= _LONG

    def _check(self, args: list[tuple[str, str]], kind: str, limit: float, beyond: str) -> str:
        """Remember whether an |argument|, or |quotient| of two, was beyond the limit; nan needs no second run."""
        c = self.code
        arg = args[0] if len(args) == 1 else c.apply("div", args, kind)
        size = c.call("double", "@llvm.fabs.f64", ("double", c.number(arg, "f64")))
        more = c.compare("ogt", "f64", size, constant(limit, "f64"))
        return c.set("or", "i64", beyond, c.convert("zext", more, "i1", "i64"))

    def _product(self, values: dict[int, tuple[str, str]]) -> tuple[str, str]:
        first, *rest = [self._value(r, values) for r in self.nest.product]
        for other in rest:
            first = self.code.apply("mul", [first, other], first[1])
        return first

    def _value(self, r: int, values: dict[int, tuple[str, str]]) -> tuple[str, str]:
        value = values.get(r)
        if value is None:
            number = self.e.value(r) if r >= 0 and r not in self.nest.loads else None
            value = (constant(number, "f64"), "f64") if number is not None else self._load(r)
            if number is None:
                values[r] = value
        return value

    def _load(self, r: int) -> tuple[str, str]:
        view = self.nest.loads[r]
        kind = kind_of(view.memory.dtype)
        place = self._further(self.nest.at.get(r), view, self._address(view, self.loaded[r]))
        return self.code.read(kind, place), kind

    def _further(self, at: int | None, view: View, place: str) -> str:
        """Return the place further on, where the load of a position is given."""
        if at is None:
            return place
        position, own = self._load(at)
        return self.code.place(STORED[kind_of(view.memory.dtype)], place, position, index=TYPES[own])

    def _store(self, value: tuple[str, str], view: View, steps: list[int]) -> None:
        kind = kind_of(view.memory.dtype)
        stored = self.code.stored(value, kind)
        self.code.store(STORED[kind], stored, self._address(view, steps))

    def _address(self, view: View, steps: list[int], outer: bool = False) -> str:
        """Return the place of the current entry; ``outer`` leaves out the innermost loop."""
        c, position = self.code, str(view.offset)
        for a, s in enumerate(steps[: len(steps) - outer]):
            if s:
                step = f"%i{a}" if s == 1 else c.set("mul", "i64", f"%i{a}", str(s), flags=("nsw",))
                position = step if position == "0" else c.set("add", "i64", position, step, flags=("nsw",))
        kind = STORED[kind_of(view.memory.dtype)]
        return c.place(kind, f"%{view.memory.name}", position)


def row_loop(nest: Nest) -> tuple[int, int]:
    """Return the loop that runs over the first axis, of two entries or more, and how many turns each of them has."""
    dims, strides = collapsed(nest.dims, [v.steps for v in nest.views])
    return _order(dims, strides).index(0), dims[0] // nest.dims[0]


def _loops_of(nest: Nest, steps: Sequence[Sequence[int]]) -> tuple[list[int], list[list[int]]]:
    """Return the loops of a nest, and the steps along them; those of tiles are in order."""
    if nest.tile is not None:
        return list(nest.dims), [list(s) for s in steps]
    dims, strides = collapsed(nest.dims, steps)
    as_they_are = nest.edges is not None or _is_thin(nest, dims, strides)
    order = range(len(dims)) if as_they_are else _order(dims, strides)
    return [dims[k] for k in order], [[row[k] for k in order] for row in strides]


def _is_thin(nest: Nest, dims: Sequence[int], strides: Sequence[Sequence[int]]) -> bool:
    """Whether each sum of a product has a few terms, which LLVM writes out: rows in vectors take shuffles for that."""
    return bool(nest.product) and len(dims) > 1 and dims[-1] in _THIN and strides[-1][-1] == 0


def _order(dims: Sequence[int], strides: Sequence[Sequence[int]]) -> list[int]:
    """Where the last axis is short, put the one innermost that runs through memory in the smallest steps."""
    order = list(range(len(dims)))
    long = [a for a, n in enumerate(dims) if n >= 2 * _SHORT]
    if len(dims) < 2 or dims[-1] >= _SHORT or not long:
        return order
    a = min(long, key=lambda k: (sum(abs(row[k]) for row in strides), -dims[k]))
    return [k for k in order if k != a] + [a]
