"""The loop of a scan around its body: carries are copied in, from step to step, and out.

The body is called with pointers: to the carries before and after the step, to slice t of each stacked input, to the
constants, and to where its results lie in the packed vector. A loop that ends early looks at the carry that says so
before each step. A long loop asks now and then whether there was a signal:
after Ctrl-C it ends, and Python has the error.
"""

from __future__ import annotations

from math import prod

from symgrad.compiler.backends.llvm import python_api
from symgrad.compiler.backends.llvm.code import TYPES, Used, kind_of
from symgrad.compiler.backends.llvm.instructions import Function, Instruction, Recorder, constant, pointers
from symgrad.compiler.backends.llvm.steps import Loop, carry_bytes
from symgrad.compiler.primitives.views import View

ASKS = 1 << 23  # about how many primitives run between two questions: some 50 ms


def call(name: str, loop: Loop) -> list[Instruction]:
    """Return the instructions that call the loop."""
    code = Recorder()
    starts = [_start(code, v, f"%{name}.{k}") for k, v in enumerate([*loop.args, loop.result])]
    code.call("void", f"@{name}", *[("ptr", start) for start in [*starts, f"%{loop.memory.name}"]])
    return code.lines


def _start(code: Recorder, v: View, name: str) -> str:
    return code.place("i8", f"%{v.memory.name}", v.offset * v.memory.dtype.itemsize, name=name)


def around(name: str, loop: Loop, used: Used) -> Function:
    """Return the function ``@name(inputs…, packed result, memory)``."""
    w = _Writer(name, loop, used)
    w.enter()
    w.step()
    w.leave()
    return w.function(name, pointers([*[f"%x{k}" for k in range(w.inputs)], "%out", "%memory"]), "noinline")


class _Writer(Recorder):
    def __init__(self, name: str, loop: Loop, used: Used) -> None:
        super().__init__(label="start")
        self.name, self.op, self.used = name, loop.op, used
        self.every = 1 << max(0, (ASKS // max(1, loop.body.effort())).bit_length() - 1)  # steps between two questions
        self.inputs = len(self.op.body.arguments)
        self.size = self.op.packed.itemsize
        self.bytes = [prod(s.shape) * self.size for s in self.op.body.arguments]

    def copy(self, to: str, source: str, k: int) -> None:
        """Copy carry k."""
        arguments = ("ptr", to), ("ptr", source), ("i64", str(self.bytes[k])), ("i1", "false")
        self.call("void", "@llvm.memcpy.p0.p0.i64", *arguments)

    def enter(self) -> None:
        """Lay out the memory, and copy the initial carries into it."""
        start = 0
        for mark in ("before", "after"):
            for k in range(self.op.carries):
                self.place("i8", "%memory", start, name=f"%{mark}{k}")
                start += carry_bytes(self.op, k)
        self.place("i8", "%memory", start, name="%work")
        for k in range(self.op.carries):
            self.copy(f"%before{k}", f"%x{k}", k)
        self.go("loop")

    def step(self) -> None:
        """Call the body for one slice."""
        op = self.op
        asks = op.length > self.every
        self.label("loop")
        self.phi("i64", "0", "start", "%next", "on" if asks else "loop" if op.ending is None else "run", name="%t")
        if op.ending is not None:
            self._looking(op.ending)
        self.set(*("sub", "i64", str(op.length - 1)) if op.reverse else ("add", "i64", "0"), "%t", name="%s")
        ins = [self._input(k) for k in range(self.inputs)]
        outs = [f"%after{k}" if k < op.carries else self._output(k) for k in range(len(op.pieces))]
        self.call("void", f"@{self.name}.body", *[("ptr", p) for p in [*ins, *outs, "%work"]])
        for k in range(op.carries):
            self.copy(f"%before{k}", f"%after{k}", k)
        self.set("add", "i64", "%t", "1", name="%next")
        self.set("icmp", "i64", "%next", str(op.length), flags=("ult",), name="%more")
        if asks:
            self._asking()
        self.branch("%more", "loop", "done")

    def _looking(self, k: int) -> None:
        """Go on to the step where an entry of carry k, which ends the loop, is 0."""
        kind = kind_of(self.op.packed)
        self.go("any")
        self.label("any")
        self.phi("i64", "0", "loop", "%entry.next", "none", name="%entry")
        flag = self.load(TYPES[kind], self.place(TYPES[kind], f"%before{k}", "%entry", name="%flag.at"), name="%flag")
        self.set("fcmp", TYPES[kind], flag, constant(0.0, kind), flags=("oeq",), name="%goes")
        self.branch("%goes", "run", "none")
        self.label("none")
        self.set("add", "i64", "%entry", "1", name="%entry.next")
        self.set("icmp", "i64", "%entry.next", str(self.bytes[k] // self.size), flags=("ult",), name="%entry.more")
        self.branch("%entry.more", "any", "done")
        self.label("run")

    def _asking(self) -> None:
        """Leave the loop where Python has an error, or a signal that makes one."""
        self.used.asks = True
        names = ("PyGILState_Ensure", "PyErr_Occurred", "PyErr_CheckSignals", "PyGILState_Release")
        links = [self.used.link(python_api.functions()[name]) for name in names]
        self.set("and", "i64", "%next", str(self.every - 1), name="%low")
        self.set("icmp", "i64", "%low", "0", flags=("eq",), name="%due")
        self.branch("%due", "ask", "on")
        self.label("ask")
        ensure, occurred, signals, release = [self.load("ptr", x, name=f"%f{k}") for k, x in enumerate(links)]
        self.call("i32", ensure, name="%lock")
        self.call("ptr", occurred, name="%error")
        self.set("icmp", "ptr", "%error", "null", flags=("ne",), name="%is.error")
        self.call("i32", signals, name="%signal")
        self.set("icmp", "i32", "%signal", "0", flags=("ne",), name="%is.signal")
        self.call("void", release, ("i32", "%lock"))
        self.set("or", "i1", "%is.error", "%is.signal", name="%stop")
        self.branch("%stop", "done", "on")
        self.label("on")

    def _input(self, k: int) -> str:
        if k < self.op.carries:
            return f"%before{k}"
        if k >= self.op.carries + self.op.xs:
            return f"%x{k}"
        step = self.set("mul", "i64", "%s", str(self.bytes[k]), name=f"%step{k}")
        return self.place("i8", f"%x{k}", step, name=f"%in{k}")

    def _output(self, k: int) -> str:
        piece = self.op.pieces[k]
        row = (piece.stop - piece.start) // self.op.length
        self.set("mul", "i64", "%s", str(row * self.size), name=f"%row{k}")
        at = self.set("add", "i64", f"%row{k}", str(piece.start * self.size), name=f"%place{k}")
        return self.place("i8", "%out", at, name=f"%y{k}")

    def leave(self) -> None:
        """Copy the final carries to the front of the result."""
        self.label("done")
        for k in range(self.op.carries):
            start = self.op.pieces[k].start * self.size
            self.copy(self.place("i8", "%out", start, name=f"%final{k}"), f"%before{k}", k)
        self.give()
