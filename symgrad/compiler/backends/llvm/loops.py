"""A nest as an LLVM function: loops of scalar IR, which LLVM turns into vector code.

Sums are kept in registers along the innermost loop. Where a function of the nest is accurate up to some size of its
argument or quotient only (sin, fmod), the loop also finds whether one was larger, and if so the nest runs again with
the C library.
"""

from __future__ import annotations

from math import prod

from symgrad.compiler.backends.llvm.code import STORED, TYPES, Code, Used, constant, kind_of
from symgrad.compiler.backends.llvm.math import LIMIT
from symgrad.compiler.backends.llvm.memory import Buffer, collapsed
from symgrad.compiler.backends.llvm.steps import FILL, Nest
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.views import View

_SHORT = 8  # an innermost axis below this changes places with a longer one


def function(name: str, nest: Nest, e: Elements, used: Used, bounded: int | None = None) -> tuple[str, list[Buffer]]:
    """Return the IR of ``@name(buffers…)`` and the buffers it takes.

    ``bounded``: of ``@name(buffers…, lo, hi)``, of which this loop runs from lo to hi. Sums that the nest does not
    begin itself are then excluded where the nest may run twice.
    """
    buffers = buffers_of(nest)
    params = ", ".join([*[f"ptr noalias %{b.name}" for b in buffers], *_bounds(bounded)])
    checked = is_checked(nest, e)
    fast = Loops(nest, e, used, libm=False, checked=checked, bounded=bounded).text()
    if not checked:
        return f"define internal void @{name}({params}) noinline {{\n{fast}  ret void\n}}\n", buffers
    slow = Loops(nest, e, used, libm=True, checked=False, bounded=bounded).text()
    texts, calls = _emptied(name, nest, e, used)
    calls.append(call(f"{name}.slow", buffers, bounded))
    text = (
        f"define internal void @{name}.slow({params}) noinline {{\n{slow}  ret void\n}}\n"
        f"define internal void @{name}({params}) noinline {{\n{fast}"
        f"  br i1 %far, label %again, label %done\nagain:\n{''.join(calls)}  br label %done\n"
        "done:\n  ret void\n}\n"
    )
    return "".join(texts) + text, buffers


def is_checked(nest: Nest, e: Elements) -> bool:
    """Whether the nest runs again with the C library where an argument is beyond what its functions are for."""
    return any((e.ops[k][0], kind_of(e.dtypes[k])) in LIMIT for k in nest.body)


def _emptied(name: str, nest: Nest, e: Elements, used: Used) -> tuple[list[str], list[str]]:
    """Functions that put the neutral number back where the quick loop has added to parts of arrays, and their calls."""
    texts, calls = [], []
    for n, (kind, _, view) in enumerate(nest.sums):
        if kind in FILL:  # which the nest itself writes first
            continue
        text, buffers = emptying(f"{name}.empty{n}", kind, view, e, used)
        texts.append(text)
        calls.append(call(f"{name}.empty{n}", buffers))
    return texts, calls


def emptying(name: str, kind: str, view: View, e: Elements, used: Used) -> tuple[str, list[Buffer]]:
    """Return the IR of ``@name(buffers…)`` that writes a sum's neutral number, and the buffers it takes."""
    kept = [(m, s) for m, s in zip(view.shape, view.steps) if s]
    part = view._replace(shape=tuple(m for m, _ in kept), steps=tuple(s for _, s in kept))
    neutral = e.const(FILL[kind.removesuffix(" onto")])
    return function(name, Nest(part.shape, stores=[(neutral, part)]), e, used)


def call(name: str, buffers: list[Buffer], bounded: int | None = None) -> str:
    """Return the line that calls such a function."""
    return f"  call void @{name}({', '.join([*[f'ptr %{b.name}' for b in buffers], *_bounds(bounded)])})\n"


def _bounds(bounded: int | None) -> tuple[str, ...]:
    return () if bounded is None else ("i64 %lo", "i64 %hi")


def buffers_of(nest: Nest) -> list[Buffer]:
    """Return the buffers that a nest reads and writes, in the order in which its function takes them."""
    views = [*nest.loads.values(), *[v for _, v in nest.stores], *[v for _, _, v in nest.sums]]
    return list(dict.fromkeys(v.memory for v in views))


class Loops:
    """A nest's loops: ``dims``, and the steps of what is read, stored and summed along them."""

    def __init__(
        self, nest: Nest, e: Elements, used: Used, *, libm: bool, checked: bool, bounded: int | None = None
    ) -> None:
        self.nest, self.e = nest, e
        self.code = Code("v", libm, used)
        self.checked, self.bounded = checked, bounded
        self.keys = list(nest.loads)
        views = [*nest.loads.values(), *[v for _, v in nest.stores], *[v for _, _, v in nest.sums]]
        dims, strides = collapsed(nest.dims, [v.steps for v in views])
        self.dims, self.strides = (dims, strides) if nest.edges is not None else _reordered(dims, strides)
        n = len(self.keys)
        self.loaded = dict(zip(self.keys, self.strides[:n]))
        self.stored = self.strides[n : n + len(nest.stores)]
        self.summed = self.strides[n + len(nest.stores) :]

    # -------------------------------------------------------------- structure
    def text(self) -> str:
        """Return the function's blocks, up to its end."""
        if 0 in self.nest.dims and not self.nest.sums:
            return self._end()
        self.code.line("br label %fill0")
        self._fills()
        if 0 in self.nest.dims:
            return "\n".join(self.code.lines) + "\n" + ("  %far = or i1 false, false\n" if self.checked else "")
        self._loops()
        return "\n".join(self.code.lines) + "\n"

    def _end(self) -> str:
        return "  %far = or i1 false, false\n" if self.checked else ""

    def _label(self, name: str) -> None:
        self.code.lines.append(f"{name}:")

    def _fills(self) -> None:
        """Put the neutral number where results are added into."""
        c = self.code
        self._label("fill0")
        for n, (kind, _, view) in enumerate(self.nest.sums):
            size = prod(m for m, s in zip(view.shape, view.steps) if s)
            if kind not in FILL or view.memory.size == 0:
                c.line(f"br label %fill{n + 1}")
                self._label(f"fill{n + 1}")
                continue
            own = kind_of(view.memory.dtype)
            t = TYPES[own]
            c.line(f"br label %fill{n}.loop")
            self._label(f"fill{n}.loop")
            c.line(f"%f{n} = phi i64 [0, %fill{n}], [%f{n}.next, %fill{n}.loop]")
            place = c.set(f"getelementptr {t}, ptr %{view.memory.name}, i64 %f{n}")
            c.line(f"store {t} {constant(FILL[kind], own)}, ptr {place}")
            c.line(f"%f{n}.next = add nuw nsw i64 %f{n}, 1")
            more = c.set(f"icmp ult i64 %f{n}.next, {size}")
            c.line(f"br i1 {more}, label %fill{n}.loop, label %fill{n + 1}")
            self._label(f"fill{n + 1}")

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
            self.code.line(f"%far = icmp ne i64 {beyond}, 0")

    def _enter(self, a: int, before: str) -> None:
        """Begin a loop after the block ``before``."""
        c, inner = self.code, a == len(self.dims) - 1
        if inner:
            self._open_sums()
        c.line(f"br label %loop{a}")
        self._label(f"loop{a}")
        c.line(f"%i{a} = phi i64 [{'%lo' if a == self.bounded else 0}, %{before}], [%i{a}.next, %end{a}]")
        if self.checked:
            start = "0" if a == 0 else f"%far{a - 1}"
            c.line(f"%far{a} = phi i64 [{start}, %{before}], [%far{a}.next, %end{a}]")
        for n, _ in self._kept() if inner else ():
            c.line(f"%s{n} = phi {self._sum_type(n)} [%s{n}.start, %{before}], [%s{n}.next, %end{a}]")

    def _repeat(self, a: int, beyond: str) -> str:
        """End a loop's turn; return whether a checked argument was beyond its limit so far."""
        c = self.code
        c.line(f"br label %end{a}")
        self._label(f"end{a}")
        if self.checked:
            c.line(f"%far{a}.next = or i64 {beyond}, 0")
            beyond = f"%far{a}.next"
        c.line(f"%i{a}.next = add nuw nsw i64 %i{a}, 1")
        more = c.set(f"icmp ult i64 %i{a}.next, {'%hi' if a == self.bounded else self.dims[a]}")
        c.line(f"br i1 {more}, label %loop{a}, label %out{a}{self._hint(a)}")
        self._label(f"out{a}")
        if a == len(self.dims) - 1:
            self._close_sums()
        return beyond

    def _hint(self, a: int) -> str:
        """A short innermost loop, that are not an integer number of vectors, runs faster with masks.

        Not where it adds to memory: what a masked store has written is not at hand for the next load.
        """
        n = self.dims[a]
        short = a == len(self.dims) - 1 and 4 < n < 64 and n % 8 and len(self.dims) > 1
        return self.code.used.masked() if short and len(self._kept()) == len(self.nest.sums) else ""

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
            start = self.code.set(f"load {TYPES[own]}, ptr {place}")
            if self._sum_kind(n) != own:
                start = self.code.number((start, own), "f64")
            self.code.line(f"%s{n}.start = {_same(start, self._sum_type(n))}")

    def _close_sums(self) -> None:
        for n, (_, _, view) in self._kept():
            place = self._address(view, self.summed[n], outer=True)
            own = kind_of(view.memory.dtype)
            value = self.code.number((f"%s{n}.next", self._sum_kind(n)), own)
            self.code.line(f"store {TYPES[own]} {value}, ptr {place}")

    def _add_up(self, n: int, value: tuple[str, str]) -> None:
        kind, _, view = self.nest.sums[n]
        own = self._sum_kind(n)
        t, x = TYPES[own], self.code.number(value, own)
        if any(m == n for m, _ in self._kept()):
            start = f"%s{n}" if self.dims else f"%s{n}.start"
            self.code.line(f"%s{n}.next = {_joined(kind, t, own, start, x)}")
            return
        place = self._further(self.nest.onto, view, self._address(view, self.summed[n]))
        before = self.code.set(f"load {t}, ptr {place}")
        self.code.line(f"store {t} {self.code.set(_joined(kind, t, own, before, x))}, ptr {place}")

    # -------------------------------------------------------------- one entry
    def _body(self, depth: int) -> str:
        """Compute one entry; return whether a checked argument was beyond its limit so far, as an integer."""
        values: dict[int, tuple[str, str]] = {}
        beyond = f"%far{depth - 1}" if depth else "0"
        for k in self.nest.body:
            name, *refs = self.e.ops[k]
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

    def _check(self, args: list[tuple[str, str]], kind: str, limit: float, beyond: str) -> str:
        """Remember whether an |argument|, or |quotient| of two, was beyond the limit; nan needs no second run."""
        c = self.code
        arg = args[0] if len(args) == 1 else c.apply("div", args, kind)
        size = c.set(f"call double @llvm.fabs.f64(double {c.number(arg, 'f64')})")
        more = c.set(f"fcmp ogt double {size}, {constant(limit, 'f64')}")
        flag = c.set(f"zext i1 {more} to i64")
        return c.set(f"or i64 {beyond}, {flag}")

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
        value = self.code.set(f"load {STORED[kind]}, ptr {place}")
        return (self.code.set(f"icmp ne i8 {value}, 0"), kind) if kind == "i1" else (value, kind)

    def _further(self, at: int | None, view: View, place: str) -> str:
        """Return the place further on, where the load of a position is given."""
        if at is None:
            return place
        position, own = self._load(at)
        return self.code.set(
            f"getelementptr {STORED[kind_of(view.memory.dtype)]}, ptr {place}, {TYPES[own]} {position}"
        )

    def _store(self, value: tuple[str, str], view: View, steps: list[int]) -> None:
        c, kind = self.code, kind_of(view.memory.dtype)
        text = c.set(f"zext i1 {c.truth(value)} to i8") if kind == "i1" else c.number(value, kind)
        c.line(f"store {STORED[kind]} {text}, ptr {self._address(view, steps)}")

    def _address(self, view: View, steps: list[int], outer: bool = False) -> str:
        """Return the place of the current entry; ``outer`` leaves out the innermost loop."""
        c, position = self.code, str(view.offset)
        for a, s in enumerate(steps[: len(steps) - outer]):
            if s:
                step = f"%i{a}" if s == 1 else c.set(f"mul nsw i64 %i{a}, {s}")
                position = step if position == "0" else c.set(f"add nsw i64 {position}, {step}")
        kind = STORED[kind_of(view.memory.dtype)]
        return c.set(f"getelementptr {kind}, ptr %{view.memory.name}, i64 {position}")


def _same(value: str, type: str = "double") -> str:
    """An instruction that hands a value on under another name."""
    return f"select i1 true, {type} {value}, {type} {value}"


def _joined(kind: str, t: str, own: str, a: str, b: str) -> str:
    if kind.startswith("sum"):
        return f"fadd reassoc {t} {a}, {b}"
    return f"call {t} @llvm.{'maximum' if kind.startswith('max') else 'minimum'}.{own}({t} {a}, {t} {b})"


def _reordered(dims: list[int], strides: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Where the last axis is short, put the one innermost that runs through memory in the smallest steps."""
    long = [a for a, n in enumerate(dims) if n >= 2 * _SHORT]
    if len(dims) < 2 or dims[-1] >= _SHORT or not long:
        return dims, strides
    a = min(long, key=lambda k: (sum(abs(row[k]) for row in strides), -dims[k]))
    order = [k for k in range(len(dims)) if k != a] + [a]
    return [dims[k] for k in order], [[row[k] for k in order] for row in strides]
