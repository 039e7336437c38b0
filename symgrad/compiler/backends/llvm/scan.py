"""The loop of a scan around its body: carries are copied in, from step to step, and out.

The body is called with pointers: to the carries before and after the step, to slice t of each stacked input, to the
constants, and to where its results lie in the packed vector. A long loop asks now and then whether there was a signal:
after Ctrl-C it ends, and Python has the error.
"""

from __future__ import annotations

from math import prod

from symgrad.compiler.backends.llvm import python_api
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.steps import Loop, carry_bytes
from symgrad.compiler.primitives.views import View

ASKS = 1 << 23  # about how many primitives run between two questions: some 50 ms


def call(name: str, loop: Loop) -> list[str]:
    """Return the lines that call the loop."""
    lines, args = [], []
    for k, v in enumerate([*loop.args, loop.result]):
        lines.append(f"  %{name}.{k} = {_start(v)}")
        args.append(f"ptr %{name}.{k}")
    return [*lines, f"  call void @{name}({', '.join(args)}, ptr %{loop.memory.name})"]


def _start(v: View) -> str:
    return f"getelementptr i8, ptr %{v.memory.name}, i64 {v.offset * v.memory.dtype.itemsize}"


def around(name: str, loop: Loop, used: Used) -> str:
    """Return the function ``@name(inputs…, packed result, memory)``."""
    w = _Writer(name, loop, used)
    w.enter()
    w.step()
    w.leave()
    params = ", ".join([*[f"ptr %x{k}" for k in range(w.inputs)], "ptr %out", "ptr %memory"])
    text = "\n".join(w.lines)
    return f"define internal void @{name}({params}) noinline {{\n{text}\n}}\n"


class _Writer:
    def __init__(self, name: str, loop: Loop, used: Used) -> None:
        self.name, self.op, self.used = name, loop.op, used
        self.every = 1 << max(0, (ASKS // max(1, loop.body.effort())).bit_length() - 1)  # steps between two questions
        self.inputs = len(self.op.body.arguments)
        self.size = self.op.packed.itemsize
        self.bytes = [prod(s.shape) * self.size for s in self.op.body.arguments]
        self.lines: list[str] = []

    def copy(self, to: str, source: str, k: int) -> None:
        """Copy carry k."""
        self.lines.append(f"  call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {source}, i64 {self.bytes[k]}, i1 false)")

    def enter(self) -> None:
        """Lay out the memory, and copy the initial carries into it."""
        self.lines.append("start:")
        start = 0
        for mark in ("before", "after"):
            for k in range(self.op.carries):
                self.lines.append(f"  %{mark}{k} = getelementptr i8, ptr %memory, i64 {start}")
                start += carry_bytes(self.op, k)
        self.lines.append(f"  %work = getelementptr i8, ptr %memory, i64 {start}")
        for k in range(self.op.carries):
            self.copy(f"%before{k}", f"%x{k}", k)
        self.lines.append("  br label %loop")

    def step(self) -> None:
        """Call the body for one slice."""
        op = self.op
        where = f"sub i64 {op.length - 1}, %t" if op.reverse else "add i64 0, %t"
        asks = op.length > self.every
        last = "on" if asks else "loop"
        self.lines += ["loop:", f"  %t = phi i64 [0, %start], [%next, %{last}]", f"  %s = {where}"]
        ins = [self._input(k) for k in range(self.inputs)]
        outs = [f"%after{k}" if k < op.carries else self._output(k) for k in range(len(op.pieces))]
        args = ", ".join(f"ptr {p}" for p in [*ins, *outs, "%work"])
        self.lines.append(f"  call void @{self.name}.body({args})")
        for k in range(op.carries):
            self.copy(f"%before{k}", f"%after{k}", k)
        self.lines += ["  %next = add i64 %t, 1", f"  %more = icmp ult i64 %next, {op.length}"]
        self.lines += self._asking() if asks else []
        self.lines.append("  br i1 %more, label %loop, label %done")

    def _asking(self) -> list[str]:
        """Leave the loop where Python has an error, or a signal that makes one."""
        self.used.asks = True
        names = ("PyGILState_Ensure", "PyErr_Occurred", "PyErr_CheckSignals", "PyGILState_Release")
        ensure, occurred, signals, release = [self.used.link(python_api.functions()[name]) for name in names]
        return [
            f"  %low = and i64 %next, {self.every - 1}",
            "  %due = icmp eq i64 %low, 0",
            "  br i1 %due, label %ask, label %on",
            "ask:",
            *[f"  %f{k} = {link}" for k, link in enumerate((ensure, occurred, signals, release))],
            "  %lock = call i32 %f0()",
            "  %error = call ptr %f1()",
            "  %is.error = icmp ne ptr %error, null",
            "  %signal = call i32 %f2()",
            "  %is.signal = icmp ne i32 %signal, 0",
            "  call void %f3(i32 %lock)",
            "  %stop = or i1 %is.error, %is.signal",
            "  br i1 %stop, label %done, label %on",
            "on:",
        ]

    def _input(self, k: int) -> str:
        if k < self.op.carries:
            return f"%before{k}"
        if k >= self.op.carries + self.op.xs:
            return f"%x{k}"
        self.lines.append(f"  %step{k} = mul i64 %s, {self.bytes[k]}")
        self.lines.append(f"  %in{k} = getelementptr i8, ptr %x{k}, i64 %step{k}")
        return f"%in{k}"

    def _output(self, k: int) -> str:
        piece = self.op.pieces[k]
        row = (piece.stop - piece.start) // self.op.length
        self.lines.append(f"  %row{k} = mul i64 %s, {row * self.size}")
        self.lines.append(f"  %place{k} = add i64 %row{k}, {piece.start * self.size}")
        self.lines.append(f"  %y{k} = getelementptr i8, ptr %out, i64 %place{k}")
        return f"%y{k}"

    def leave(self) -> None:
        """Copy the final carries to the front of the result."""
        self.lines.append("done:")
        for k in range(self.op.carries):
            start = self.op.pieces[k].start * self.size
            self.lines.append(f"  %final{k} = getelementptr i8, ptr %out, i64 {start}")
            self.copy(f"%final{k}", f"%before{k}", k)
        self.lines.append("  ret void")
