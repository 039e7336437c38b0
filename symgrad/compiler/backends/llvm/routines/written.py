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
from symgrad.compiler.backends.llvm.code import ZERO, Used, kind_of
from symgrad.compiler.backends.llvm.instructions import Function, Instruction, Recorder, pointers
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
        self.places: dict[str, tuple[Buffer, int]] = {}
        self.line(f"{STATUS} = 0.0")

    def add(self, name: str) -> None:
        """Enter an array."""
        self._arrays.add(name)

    def sharing(self, key: Any, shape: Sequence[Any]) -> tuple[View, bool]:
        """Return memory that other routines read as well; theirs, where one of them has written it already."""
        if key not in self.plan.factors:
            return super().sharing(key, shape)
        view, name = self.plan.factors[key], self.mint("f")
        self.places[name] = view.memory, 0
        self.add(name)
        return view._replace(memory=name), False

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
        self.line(f"{STATUS} = ({STATUS} if {condition} else 1.0)")

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
    arrays = w.places
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
    plan.factors |= {key: v._replace(memory=arrays[v.memory][0]) for key, v in w.shared.items()}
    later = {result.memory, *[v.memory for v in w.shared.values()]}
    scratch = {n: int(size) for n, size in w.memory if n not in later}
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
def functions(name: str, step: Routine, used: Used) -> list[Function]:
    """Return the function ``@name(arrays…)`` of a routine, after those that it calls."""
    kinds = {n: kind_of(b.dtype) for n, (b, _) in step.arrays.items()}
    chunks = shared.chunks_of(step) if used.pool is not None else None
    used.asks = used.asks or step.fails
    code = Recorder()
    if chunks:
        shared.run(code, name, step, kinds, used, chunks)
    if step.fails:
        if not chunks:
            code.load("double", f"%v.{STATUS}", name="%status")
        _failing(code, name, kinds)
    code.give()
    report = [_report(name, used)] if step.fails else []
    more = pointers(["%reporter"] if step.fails else [])
    if chunks is None:
        return [*report, *translate.functions(name, step.lines, kinds, used, code.blocks, more)]
    params = [*pointers([f"%a.{n}" for n in kinds], alone=True), *more]
    ranged = shared.functions(name, step, kinds, used, chunks)
    return [*report, *ranged, code.function(name, params, "noinline")]


def _failing(code: Recorder, name: str, kinds: Mapping[str, str]) -> None:
    """Append what has the failure reported where there was one."""
    code.set("fcmp", "double", "%status", ZERO, flags=("une",), name="%fails")
    code.branch("%fails", "report", "fine")
    code.label("report")
    code.room("ptr", len(kinds), name="%pointers")
    for m, n in enumerate(kinds):
        code.store("ptr", f"%a.{n}", code.place("ptr", "%pointers", m, name=f"%place{m}"))
    code.call("void", f"@{name}.report", ("ptr", "%pointers"), ("ptr", "%reporter"))
    code.go("fine")
    code.label("fine")


def call(own: str, name: str, step: Routine, used: Used) -> list[Instruction]:
    """Return the instructions that call a routine."""
    code, places = Recorder(), []
    for n, (b, offset) in step.arrays.items():
        place = f"%{b.name}"
        if offset:
            place = code.place("i8", place, offset * b.dtype.itemsize, name=f"%{name}.{n}")
        places.append(place)
    if step.fails:
        places.append(code.load("ptr", used.link(reporter(step).address), name=f"%{name}.reporter"))
    code.call("void", f"@{own}", *[("ptr", p) for p in places])
    return code.lines


def _report(name: str, used: Used) -> Function:
    """The function that has Python run the operation, and sets the error that it raises."""
    names = ("PyGILState_Ensure", "PyErr_Occurred", "PyErr_SetObject", "PyGILState_Release")
    links = [used.link(python_api.functions()[n]) for n in names]
    code = Recorder()
    ensure, occurred, set_error, release = [code.load("ptr", x, name=f"%f{k}") for k, x in enumerate(links)]
    code.call("i32", ensure, name="%lock")
    code.call("ptr", occurred, name="%before")
    code.set("icmp", "ptr", "%before", "null", flags=("eq",), name="%clear")
    code.branch("%clear", "ask", "out")
    code.label("ask")
    code.call("ptr", "%reporter", ("ptr", "%pointers"), name="%error")
    code.set("icmp", "ptr", "%error", "null", flags=("eq",), name="%none")
    code.branch("%none", "out", "set")
    code.label("set")
    code.load("ptr", code.place("i8", "%error", 8, name="%at"), name="%kind")
    code.call("void", set_error, ("ptr", "%kind"), ("ptr", "%error"))
    code.go("out")
    code.label("out")
    code.call("void", release, ("i32", "%lock"))
    code.give()
    return code.function(f"{name}.report", pointers(["%pointers", "%reporter"]), "noinline")


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
