"""Which operations are routines, how one is called, and what happens where it finds no result.

A routine that fails (of a singular matrix, of one that is not finite, at a position outside) hands its memory to eager
mode's operation, which raises its error, or says what the result is.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from symgrad.compiler.backends.backend import Unsuitable, forward_of
from symgrad.compiler.backends.llvm import python_api
from symgrad.compiler.backends.llvm.code import Used, kind_of
from symgrad.compiler.backends.llvm.memory import Buffer, numpy_view
from symgrad.compiler.backends.llvm.routines import shared, translate
from symgrad.compiler.backends.llvm.routines.shared import STATUS
from symgrad.compiler.backends.llvm.routines.suitable import effort, read_first
from symgrad.compiler.backends.llvm.steps import Routine
from symgrad.compiler.loops.errors import ExportError
from symgrad.compiler.loops.programs import LoopWriter
from symgrad.compiler.loops.words import WORDS
from symgrad.compiler.primitives.views import View, whole
from symgrad.ops.shape import total

if TYPE_CHECKING:
    from symgrad.compiler.backends.llvm.plan import Plan

_FLOAT64 = np.dtype(np.float64)


class _Writer(LoopWriter):
    """Loops whose positions are integers, and are checked."""

    def __init__(self, plan: Plan) -> None:
        super().__init__({}, "machine code", WORDS)
        self.e, self.views, self.plan = plan.e, {}, plan
        self.line(f"{STATUS} = 0.0")

    def add(self, name: str) -> None:
        """Enter an array."""
        self._arrays.add(name)

    def whole(self, text: str) -> str:
        """Return an integer's name."""
        name = self.mint("p")
        self.line(f"{name}: int = int({text})")
        return name

    def first(self, k: int, axis: int) -> Any:
        """Return how many entries along an axis, the first ones, are read of a value."""
        return read_first(self.e, k, axis)

    def inside(self, text: str, n: Any) -> str:
        """Return a position along an axis of n entries, negative ones from its end; 0 for one outside, which fails."""
        at = self.whole(text)
        self.line(f"{at} = ({at} + {n} if {at} < 0 else {at})")
        self.require(f"{at} >= 0 and {at} < {n}")
        return f"({at} if {at} >= 0 and {at} < {n} else 0)"

    def require(self, condition: str) -> None:
        """Count where a condition fails."""
        self.fails = True
        self.line(f"{STATUS} = {STATUS} + (0.0 if {condition} else 1.0)")

    def finite(self, memory: str, at: str, count: str) -> None:
        """Count where an entry is not finite: eager mode's LAPACK says what becomes of it."""
        self.fails = True
        self.line(f"{STATUS} = {STATUS} + {self.call('zero_if_finite', memory, at, count)}")


def routine(plan: Plan, op: Any, k: int, refs: Sequence[int]) -> Routine | None:
    """Return an operation as a routine, its result placed; None where it has none, or NumPy's is quicker."""
    write, work = WORDS.of(op), effort(plan, op, k, refs)
    if write is None or work is None:
        return None
    w = _Writer(plan)
    arrays: dict[str, tuple[Buffer, int]] = {}
    args = [_argument(w, plan, f"x{n}", r, arrays) for n, r in enumerate(refs)]
    try:
        result = write(w, op, args, k)
    except (ExportError, Unsuitable):
        return None
    if result is None:
        return None
    given = [plan.view(r) if plan.e.value(r) is None else plan.e.value(r) for r in refs]
    view = _placed(w, plan, k, result, arrays)
    for name, size in w.memory:
        if name not in arrays:
            arrays[name] = plan.workspace(int(size), _FLOAT64), 0
    for name, values in w.tables.items():
        arrays[name] = plan.table(values).memory, 0
    scratch = {n: int(size) for n, size in w.memory if n != result.memory}
    return Routine(op, given, view, w.lines, arrays, scratch, w.fails, work)


def _argument(w: _Writer, plan: Plan, name: str, r: int, arrays: dict[str, tuple[Buffer, int]]) -> View:
    value = plan.e.value(r)
    if value is not None:
        return View(w.number(value), 0, (), ())
    view = plan.view(r)
    name = next((n for n, (b, _) in arrays.items() if b == view.memory), name)
    arrays[name] = view.memory, 0
    w.add(name)
    moved = view._replace(memory=name)
    return moved if view.shape else View(w.at(moved, []), 0, (), ())


def _placed(w: _Writer, plan: Plan, k: int, result: View, arrays: dict[str, tuple[Buffer, int]]) -> View:
    """Give the result its memory, or note where it lies already."""
    shape, dtype = plan.e.shapes[k], plan.e.dtypes[k]
    sizes = {name: int(size) for name, size in w.memory}
    if result.memory in arrays:  # a view of an argument
        buffer, _ = arrays[result.memory]
        plan.views[k] = result._replace(memory=buffer)
    elif result.memory in sizes and not (result.is_plain and sizes[result.memory] == total(shape)):
        buffer = plan.workspace(sizes[result.memory], dtype)
        arrays[result.memory] = buffer, 0
        plan.views[k] = result._replace(memory=buffer)
    else:
        target = plan.place(k)
        if not target.is_plain:
            target = plan.views[k] = whole(plan.workspace(prod(shape), dtype), shape)
        name = result.memory if result.memory in sizes else "y"
        arrays[name] = target.memory, target.offset
        if name == "y":
            w.add(name)
            w.line(f"y[0] = {result.memory}")
    return plan.views[k]


# ------------------------------------------------------------------ code
def function(name: str, step: Routine, used: Used) -> str:
    """Return the function ``@name(arrays…)`` of a routine."""
    kinds = {n: kind_of(b.dtype) for n, (b, _) in step.arrays.items()}
    chunks = shared.chunks_of(step) if used.pool is not None else None
    used.asks = used.asks or step.fails
    lines = shared.run(name, step, kinds, used, chunks) if chunks else []
    if step.fails:
        status = [f"  %status = load double, ptr %v.{STATUS}"] if not chunks else []
        lines += [*status, *_failing(name, kinds), "fine:"]
    lines.append("  ret void")
    report = _report(name, used) if step.fails else ""
    more = "ptr %reporter" if step.fails else ""
    if chunks is None:
        return report + translate.function(name, step.lines, kinds, used, lines, more)
    params = ", ".join([*[f"ptr noalias %a.{n}" for n in kinds], *([more] if more else [])])
    text = "\n".join(lines)
    head = f"define internal void @{name}({params}) noinline {{\n{text}\n}}\n"
    return report + shared.function(name, step, kinds, used, chunks) + head


def _failing(name: str, kinds: Mapping[str, str]) -> list[str]:
    """The lines that have the failure reported where there was one."""
    lines = [
        "  %fails = fcmp une double %status, 0.0",
        "  br i1 %fails, label %report, label %fine",
        "report:",
        f"  %pointers = alloca [{len(kinds)} x ptr]",
    ]
    for m, n in enumerate(kinds):
        lines += [f"  %place{m} = getelementptr ptr, ptr %pointers, i64 {m}", f"  store ptr %a.{n}, ptr %place{m}"]
    return [*lines, f"  call void @{name}.report(ptr %pointers, ptr %reporter)", "  br label %fine"]


def call(own: str, name: str, step: Routine, used: Used) -> list[str]:
    """Return the lines that call a routine."""
    lines, args = [], []
    for n, (b, offset) in step.arrays.items():
        place = f"%{b.name}"
        if offset:
            place = f"%{name}.{n}"
            lines.append(f"  {place} = getelementptr i8, ptr %{b.name}, i64 {offset * b.dtype.itemsize}")
        args.append(f"ptr {place}")
    if step.fails:
        lines.append(f"  %{name}.reporter = {used.link(reporter(step).address)}")
        args.append(f"ptr %{name}.reporter")
    return [*lines, f"  call void @{own}({', '.join(args)})"]


def _report(name: str, used: Used) -> str:
    """The function that has Python run the operation, and sets the error that it raises."""
    names = ("PyGILState_Ensure", "PyErr_Occurred", "PyErr_SetObject", "PyGILState_Release")
    links = [used.link(python_api.functions()[n]) for n in names]
    lines = [
        *[f"  %f{k} = {link}" for k, link in enumerate(links)],
        "  %lock = call i32 %f0()",
        "  %before = call ptr %f1()",
        "  %clear = icmp eq ptr %before, null",
        "  br i1 %clear, label %ask, label %out",
        "ask:",
        "  %error = call ptr %reporter(ptr %pointers)",
        "  %none = icmp eq ptr %error, null",
        "  br i1 %none, label %out, label %set",
        "set:",
        "  %at = getelementptr i8, ptr %error, i64 8",
        "  %kind = load ptr, ptr %at",
        "  call void %f2(ptr %kind, ptr %error)",
        "  br label %out",
        "out:",
        "  call void %f3(i32 %lock)",
        "  ret void",
    ]
    text = "\n".join(lines)
    return f"define internal void @{name}.report(ptr %pointers, ptr %reporter) noinline {{\n{text}\n}}\n"


class Reporter:
    """What machine code calls with a routine's arrays: runs the operation on them, and returns the error or null."""

    def __init__(self, step: Routine) -> None:
        self.step = step
        self._errors: dict[int, BaseException] = {}
        self._call = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(self._run)
        self.address = ctypes.cast(self._call, ctypes.c_void_p).value or 0

    def _run(self, pointers: int) -> int | None:
        step = self.step
        try:
            places = (ctypes.c_void_p * len(step.arrays)).from_address(pointers)
            memory = {b: _array(b, p, offset) for (b, offset), p in zip(step.arrays.values(), places, strict=True)}
            xs = [numpy_view(a, memory[a.memory]) if isinstance(a, View) else a for a in step.args]
            with np.errstate(all="ignore"):
                value = forward_of(step.op)(*[x if np.ndim(x) else np.asarray(x)[()] for x in xs])
            np.copyto(numpy_view(step.result, memory[step.result.memory]), value)
        except BaseException as error:
            self._errors[threading.get_ident()] = error  # lives until this thread's machine code has set it
            return id(error)
        return None


def _array(b: Buffer, pointer: int, offset: int) -> Any:
    """Return the entries of a buffer, of which a pointer is given to one that is so far from its beginning."""
    size = max(1, b.size) * b.dtype.itemsize
    start = pointer - offset * b.dtype.itemsize
    return np.frombuffer(memoryview((ctypes.c_char * size).from_address(start)), b.dtype)


def reporter(step: Routine) -> Reporter:
    """Return a routine's reporter, one for each."""
    if step.reporter is None:
        step.reporter = Reporter(step)
    made: Reporter = step.reporter
    return made
