"""The straight list of steps that every target writes, from the compiler's elements.

Sizes without a number are values like others; how often a step is read decides what is written into its reader.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Callable
from typing import Any

import sympy as sp

from symgrad.compiler.primitives.decompose import expand
from symgrad.compiler.primitives.elements import LOAD, Elements
from symgrad.compiler.primitives.payload import replay, steps_of
from symgrad.compiler.primitives.scalar import TRUTH
from symgrad.core.promotion import FLOAT64, is_complex
from symgrad.engine.program import Program, Value
from symgrad.ops.contract import Einsum
from symgrad.ops.elementwise.complexes import Imag, Real
from symgrad.ops.map import broadcast_shapes
from symgrad.ops.protocol import Op
from symgrad.ops.reductions.total import MapTotal
from symgrad.ops.shape import total
from symgrad.scalars import SCALARS

_COMPARE: dict[str, Any] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": operator.not_,
}  # fmt: skip


def is_published(name: str) -> bool:
    """Whether a step is a function that a target may lack: one that users are given, or one of complex numbers."""
    return name in SCALARS and (SCALARS[name].public not in ("", "ops") or SCALARS[name].parts is not None)


def in_words(name: str) -> Any:
    """The steps of what a declared function means, for a target that has no such function."""
    return steps_of(SCALARS[name].meaning, SCALARS[name].nargs)


class Steps(Elements):
    """The steps of a program, and their uses.

    ``has`` says which scalar functions the target has; of another the meaning is written.
    """

    def __init__(self, program: Program, has: Callable[[str], bool]) -> None:
        self.has = has
        super().__init__(program, expand)
        self.live = self.reachable(self.outputs)
        self.uses = Counter(r for k in self.live for r in self.refs(k))
        self.uses.update(self.outputs)

    def size(self, n: Any) -> int:
        """Return the reference of a size as a number."""
        if not isinstance(n, sp.Expr) or n.is_Integer:
            return self.const(int(n))
        return self.place(("size", n), (), FLOAT64)

    def _constant(self, v: Value) -> int:
        if v.shape == () and is_complex(v.dtype):
            return self.place(("number", complex(v.op)), (), v.dtype)
        return self.size(v.op) if isinstance(v.op, sp.Expr) else super()._constant(v)

    def emit(self, name: str, *refs: int) -> int:
        """Return the reference of a primitive; what numbers alone decide is known."""
        if is_published(name) and not self.has(name):
            meaning = in_words(name)
            if all(op[0] != name for op in meaning.ops):  # else it means itself, and the target says what it lacks
                return int(replay(meaning, refs, self.emit, self.const))
        values = [self.value(r) for r in refs] if name in TRUTH else [None]
        if None not in values:
            return self.const(float(_COMPARE[name](*values)))
        if name in ("and", "or"):
            for known, other in ((values[0], refs[1]), (values[-1], refs[0])):
                if known is not None:
                    return other if bool(known) is (name == "and") else self.const(float(name == "or"))
        return super().emit(name, *refs)

    def kind(self, ref: int) -> str:
        """Return what a step is; a size and a complex number are there from the start."""
        return LOAD if self.ops[ref][0] in ("size", "number") else super().kind(ref)

    def _total(self, op: MapTotal, args: Any, v: Value) -> int:
        sizes = broadcast_shapes(*[self._program.values[a].shape for a in v.args])
        if all(isinstance(n, int) for n in sizes):
            return super()._total(op, args, v)
        terms = self.in_full(self.terms(op, args, v), sizes)
        added = self.reduce("sum", terms, tuple(range(len(sizes))), v)
        return self.emit("div", added, self.size(total(sizes))) if op.mean else added

    def is_view(self, ref: int) -> bool:
        """Whether a result may share its entries with an argument."""
        op = self.ops[ref][0]
        sums = isinstance(op, Einsum) and len(op.terms) == 1
        parts = isinstance(op, (Real, Imag))
        return self.kind(ref) == LOAD or sums or parts or (isinstance(op, Op) and op.views)
