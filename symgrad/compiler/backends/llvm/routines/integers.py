"""Loops with integers beside floating-point numbers: their bodies take and give integers as float64.

That is exact below 2⁵³. An integer that reaches it becomes nan, which stays in a carry; where the result has one, or an
argument is as large, eager mode runs the loop.
"""

from __future__ import annotations

from math import prod
from typing import Any

from symgrad.compiler.backends.llvm.memory import Buffer
from symgrad.compiler.backends.llvm.steps import Loop, Routine
from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.primitives.elements import INT64, Elements
from symgrad.compiler.primitives.views import View
from symgrad.compiler.program import Builder
from symgrad.core.promotion import FLOAT64
from symgrad.ops.convert import Cast
from symgrad.transforms.loops.op import Scan

_EXACT = 2.0**53


def has_integers(op: Scan) -> bool:
    """Whether all that a loop has is float64 or int64, and there are integers."""
    dtypes = {op.packed, *[s.dtype for s in op.body.arguments], *[s.dtype for s in op.body.results]}
    return op.packed == FLOAT64 and dtypes == {FLOAT64, INT64}


def body_of(op: Scan, outer: Elements) -> Elements:
    """Return the body of such a loop on float64 alone."""
    program, out = program_of_body(op.body), Builder()
    place: dict[int, int] = {}
    for k in sorted({*program.inputs, *program.live()}):
        v = program.values[k]
        if k in program.inputs and v.dtype == INT64:
            place[k] = out.step(Cast(INT64), (out.input(v.shape, FLOAT64),), v.shape)
        else:
            place[k] = out.again(v, place)
    for k in program.outputs:
        v = program.values[k]
        out.program.outputs.append(out.step(Cast(FLOAT64), (place[k],), v.shape) if v.dtype == INT64 else place[k])
    e = Elements(out.program, outer.expand, outer.known_names)
    for n, k in enumerate(program.outputs):
        if program.values[k].dtype == INT64:
            small = _is_exact(e, e.outputs[n])
            if n < op.carries and e.inputs[n] >= 0:
                small = e.emit("and", small, _is_exact(e, e.inputs[n]))
            e.outputs[n] = e.in_full(
                e.emit("select", small, e.outputs[n], e.const(float("nan"))), e.shapes[e.outputs[n]]
            )
    return e


def _is_exact(e: Elements, ref: int) -> int:
    return e.emit("lt", e.emit("abs", ref), e.const(_EXACT))


def checked(loop: Loop, given: list[Any]) -> Routine:
    """Return the step that runs the loop in eager mode where it had an integer that is too large."""
    lines, arrays = ["status = 0.0"], {"y": (loop.result.memory, loop.result.offset)}
    for n, (v, spec) in enumerate(zip(given, loop.op.body.arguments, strict=True)):
        if isinstance(v, View):
            arrays[_named(arrays, v.memory, f"x{n}")] = v.memory, 0
        if isinstance(v, View) and spec.dtype == INT64 and v.shape:
            name = _named(arrays, v.memory, f"x{n}")
            lines += _counted(name, 0, v.memory.size)
    for p in loop.op.pieces:
        if p.dtype == INT64:
            lines += _counted("y", p.start, p.stop)
    kinds = [s.dtype.type for s in loop.op.body.arguments]
    given = [v if isinstance(v, View) else kind(v) for v, kind in zip(given, kinds, strict=True)]
    return Routine(loop.op, given, loop.result, lines, arrays, {}, True, prod(loop.result.shape))


def _named(arrays: dict[str, tuple[Buffer, int]], memory: Buffer, name: str) -> str:
    return next((n for n, (b, _) in arrays.items() if b == memory), name)


def _counted(name: str, start: int, stop: int) -> list[str]:
    """The lines that count the entries which are not integers below 2⁵³."""
    test = f"math.fabs({name}[i]) < {_EXACT}"
    return [f"for i in range({start}, {stop}):", f"    status = status + (0.0 if {test} else 1.0)"]
