"""Programs in a language of arrays: one assignment a step, for NumPy and for what speaks like it.

What an operation is called is the dialect's business; here is the order, and which steps stand inside their reader's
line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.loops.errors import unsupported
from symgrad.compiler.loops.sizes import size_text
from symgrad.compiler.loops.writers import Words
from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.primitives.decompose import expand
from symgrad.compiler.primitives.elements import ELEMENT, LOAD, REDUCE, Elements, in_words, is_published
from symgrad.compiler.primitives.infix import BINDS, ON_ARRAYS, infix
from symgrad.compiler.primitives.map_steps import steps_of_map
from symgrad.compiler.primitives.payload import replay
from symgrad.core.promotion import is_complex, is_floating, is_integer
from symgrad.engine.program import Program
from symgrad.exports.arrays.dialect import Dialect
from symgrad.ops.contract import Einsum
from symgrad.ops.elementwise.complexes import Imag, Real
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.transforms.loops.op import Scan

WIDE = 64  # characters up to which a step stands inside its reader's line
INFIX = {name: (form, BINDS[name]) for name, form in infix(ON_ARRAYS).items()}
_ATOM = 9
_OPEN_RIGHT = {"sub", "div", "lt", "le", "gt", "ge", "eq", "ne"}  # whose right operand is bracketed at the same level

Write = Callable[["ArrayWriter", Any, list[str], int], str]


class _Number(str):
    """The text of a number, which is not an array."""


def is_view(e: Elements, ref: int) -> bool:
    """Whether a result may share its entries with an argument."""
    op = e.ops[ref][0]
    sums = isinstance(op, Einsum) and len(op.terms) == 1
    return e.kind(ref) == LOAD or sums or isinstance(op, (Real, Imag)) or (isinstance(op, Op) and op.views)


class ArrayWriter:
    """The lines that compute one program."""

    def __init__(
        self, program: Program, dialect: Dialect, words: Words, inputs: Sequence[str], sizes: dict[Any, str],
        minted: int = 0,
    ) -> None:  # fmt: skip
        self.e, self.dialect, self.words, self.sizes = Elements(program, expand, has=dialect.has), dialect, words, sizes
        self.lines: list[str] = []
        self.text: dict[int, tuple[str, int]] = {}
        self._shared: dict[Any, list[str]] = {}
        self._minted = minted
        self._plain: set[int] = set()  # what is made of numbers and sizes alone
        live = self.e.reachable(self.e.outputs)
        self._uses = Counter(chain(self.e.outputs, *map(self.e.refs, live)))
        self._readers = {r: j for j in live for r in self.e.refs(j)}
        for k, ref in enumerate(self.e.inputs):
            self.text[ref] = (inputs[k], _ATOM)
        for k in live:
            if k not in self.text:
                self._step(k)
        self.results = [self.ref(r) for r in self.e.outputs]

    # -------------------------------------------------------------- the list
    def ref(self, k: int, level: int = 0) -> str:
        """Return the text of a value, in brackets where it binds less than ``level``."""
        if k not in self.text:
            self._step(k)
        text, own = self.text[k]
        return text if own >= level else f"({text})"

    def _step(self, k: int) -> None:
        e = self.e
        kind = e.kind(k)
        if e.ops[k][0] in ("const", "size", "number") or (kind == ELEMENT and all(r in self._plain for r in e.refs(k))):
            self._plain.add(k)
        if kind == LOAD:
            self.text[k] = self._load(k)
        elif kind == ELEMENT:
            text, level = self._element(k)
            inner = self._uses[k] == 1 and len(text) <= WIDE and k not in e.outputs and self._read_by_element(k)
            self.text[k] = (text, level) if inner else (self.let(text), _ATOM)
        elif kind == REDUCE:
            op, r = e.ops[k]
            self._check(op.kind, k)
            self.text[k] = (self.let(self.dialect.reduce(op.kind, self.ref(r), op.axes)), _ATOM)
        else:
            self.text[k] = (self.let(self._operation(k)), _ATOM)

    def _read_by_element(self, k: int) -> bool:
        return self.e.kind(self._readers.get(k, k)) in (ELEMENT, REDUCE)

    def let(self, text: str) -> str:
        """Write an assignment, and return the new name."""
        name = self.mint()
        self.lines.append(f"{name} = {text}")
        return name

    def mint(self) -> str:
        """Return a new name."""
        self._minted += 1
        return f"v{self._minted}"

    def together(self, key: Any, count: int, text: str) -> list[str]:
        """Return the names of a call's several results; one call serves all operations with this key."""
        if key not in self._shared:
            names = self._shared[key] = [self.mint() for _ in range(count)]
            self.lines.append(f"{', '.join(names)} = {text}")
        return self._shared[key]

    # -------------------------------------------------------------- what is there from the start
    def _load(self, k: int) -> tuple[str, int]:
        name, *rest = self.e.ops[k]
        if name == "const":
            return self.dialect.number(rest[0]), (_ATOM if np.copysign(1, rest[0]) > 0 else 6)
        if name == "number":
            return self.dialect.complex_number(rest[0]), _ATOM
        if name == "size":
            return self.size(rest[0]), (_ATOM if rest[0].is_Symbol else 4)
        return self.dialect.array(self.e.arrays[k]), _ATOM

    def size(self, n: Any) -> str:
        """Return the text of a size."""
        if not isinstance(n, sp.Expr) or n.is_Integer:
            return str(int(n))
        return size_text(n, self.sizes)

    def shape(self, s: Sequence[Any]) -> str:
        """Return the text of a shape."""
        return f"({', '.join(map(self.size, s))}{',' if len(s) == 1 else ''})"

    def whole(self, k: int) -> str:
        """Return the text of an argument of integers: a number without its dot."""
        value = self.e.value(k)
        return self.ref(k) if value is None or not value.is_integer() else str(int(value))

    def integer(self, k: int, dtype: Any) -> str:
        """Return the text of an argument of integers, a number in this dtype."""
        return self.dialect.cast(self.whole(k), dtype) if k in self._plain else self.ref(k)

    # -------------------------------------------------------------- steps
    def _element(self, k: int) -> tuple[str, int]:
        name, *refs = self.e.ops[k]
        self._check(name, k)
        if name in INFIX:
            form, level = INFIX[name]
            return form.format(*[self.ref(r, at) for r, at in zip(refs, _levels(name, level))]), level
        texts = [self.ref(r) for r in refs]
        numbers = [0.0 if r in self._plain else None for r in refs]
        return self.dialect.element(name, texts, numbers, self.e.dtypes[k]), _ATOM

    def _operation(self, k: int) -> str:
        op, *refs = self.e.ops[k]
        self._check(type(op).__name__, k)
        if isinstance(op, Map):
            return self.elementwise(op, refs, self.e.dtypes[k])
        if isinstance(op, Scan):
            return self._scan(op, refs)
        write: Write | None = self.words.of(op)
        if write is None:
            raise unsupported(op, self.dialect.name)
        whole = any(is_integer(self.e.dtypes[r]) for r in (k, *refs))
        texts = [self.whole(r) if whole else self.ref(r) for r in refs]
        kinds = [self.e.dtypes[k if is_floating(self.e.dtypes[k]) else r] for r in refs]
        args = [self.dialect.cast(t, d) if r in self._plain else t for t, r, d in zip(texts, refs, kinds)]
        return write(self, op, args, k)

    def _check(self, name: str, k: int) -> None:
        """Ask whether the target has an operation for these dtypes; those of its numbers do not count."""
        self.dialect.check(name, [self.e.dtypes[r] for r in (k, *self.e.refs(k)) if r not in self._plain])

    def elementwise(self, op: Map, refs: Sequence[int], dtype: Any) -> str:
        """Return an elementwise operation on integers, say, as one line."""

        def emit(name: str, *args: tuple[str, int]) -> tuple[str, int]:
            if name in INFIX:
                form, level = INFIX[name]
                pairs = zip(args, _levels(name, level))
                return form.format(*[t if own >= at else f"({t})" for (t, own), at in pairs]), level
            if is_published(name) and not self.dialect.has(name):
                return replay(in_words(name), args, emit, const)  # type: ignore[no-any-return]
            numbers = [0.0 if isinstance(t, _Number) else None for t, _ in args]
            return self.dialect.element(name, [t for t, _ in args], numbers, dtype), _ATOM

        def const(value: float) -> tuple[str, int]:
            return _Number(int(value) if float(value).is_integer() else self.dialect.number(value)), _ATOM

        args = [(_Number(self.whole(r)), 6) if r in self._plain else (self.ref(r, _ATOM), _ATOM) for r in refs]
        text, _ = replay(steps_of_map(op), args, emit, const)
        known = is_complex(np.dtype(dtype)) and any(r not in self._plain for r in refs)
        return text if known else self.dialect.cast(text, dtype)

    def _scan(self, op: Scan, refs: Sequence[int]) -> str:
        """A loop: its body as a function of its own, before this one."""
        op.check_bounded()
        d, n, m = self.dialect, op.carries, op.carries + op.xs
        names = [f"v{k}" for k in range(1, len(op.body.arguments) + 1)]
        inner = ArrayWriter(program_of_body(op.body), d, self.words, names, {}, len(names))
        step = d.step_function(names, inner.lines, inner.results)
        args = [d.cast(self.ref(r), op.packed) if r in self._plain else self.ref(r) for r in refs]
        groups = [f"({', '.join(g)}{',' if len(g) == 1 else ''})" for g in (args[:n], args[n:m], args[m:])]
        return f"{d.helper('scan')}({step}, {', '.join(groups)}, {op.length}, {op.reverse}, {d.dtype(op.packed)})"


def _levels(name: str, level: int) -> tuple[int, int]:
    """How tightly the operands of an infix operation must bind to stand without brackets."""
    return (level + (level == 1), level + (name in _OPEN_RIGHT))
