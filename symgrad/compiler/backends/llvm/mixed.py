"""Programs with operations that run their forward, such as large matrix products: machine code around NumPy calls.

Every buffer of the workspace is a part of one NumPy array, so operations read and write views of it that are made
once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import Kernel, as_result
from symgrad.compiler.backends.llvm import python_api
from symgrad.compiler.backends.llvm.build import Interface
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.instructions import Function, Instruction
from symgrad.compiler.backends.llvm.memory import numpy_view
from symgrad.compiler.backends.llvm.module import LOOPS, ROUTINES, Machine
from symgrad.compiler.backends.llvm.outside import looped, writer
from symgrad.compiler.backends.llvm.plan import Plan
from symgrad.compiler.backends.llvm.steps import Nest, Outside, Workspace, band_memory, singly
from symgrad.compiler.backends.llvm.systems import writers
from symgrad.compiler.backends.llvm.workspace import constants, stretch
from symgrad.compiler.backends.llvm.wrapper import entry
from symgrad.compiler.primitives.views import View

Slice = list[int] | Outside  # steps by number, or one operation


def mixed(
    plan: Plan, interface: Interface, space: Workspace, functions: list[Function], used: Used,
    calls: Sequence[list[Instruction]], stages: dict[str, Callable[[], str]], loops: Mapping[int, Kernel | None], *,
    free: bool,
) -> Kernel:  # fmt: skip
    """Compile the stretches of nests, and return the kernel that runs all parts in order."""
    parts = _parts(plan)
    inputs, outputs = len(interface.inputs), len(interface.outputs)
    floats = [*[a.is_float for a in interface.inputs], *[False] * (outputs + 1)]
    stretches = {f"{n}": [calls[k] for k in part] for n, part in enumerate(parts) if isinstance(part, list)}
    functions += [stretch(f"part{n}", inputs, outputs, plan, used, own, space) for n, own in stretches.items()]
    functions += [entry(f"entry{n}", floats, f"part{n}", used, free=free) for n in stretches]
    machine = interface.machine(used.module(functions, ROUTINES if plan.has_routines() else LOOPS))
    runner = _Runner([_ready(n, part, machine, plan) for n, part in enumerate(parts)], interface, plan, space, loops)
    names = [_name(part, plan) for part in parts]
    return Kernel(
        run=runner.run,
        source=lambda: machine.source,
        backend=interface.backend,
        operations=plan.operations(),
        kernels=len(plan.steps),
        bytes=space.size + band_memory(plan.steps),
        stages={**stages, "assembly": machine.assembly},
        cached=machine.cached,
        profile=lambda args: list(zip(names, runner.times(args), strict=True)),
    )


def _name(part: Slice, plan: Plan) -> str:
    """Return what a part is: an operation and why it is not machine code, or what machine code computes."""
    if not isinstance(part, list):
        return str(part)
    steps = singly([plan.steps[n] for n in part])
    names: dict[str, None] = {}
    for step in steps:
        if isinstance(step, Nest):
            names |= dict.fromkeys([str(plan.e.ops[k][0]) for k in step.body] + [kind for kind, *_ in step.sums])
        else:
            names[type(step.op).__name__] = None
    return f"machine code, {len(steps)} {'loop' if len(steps) == 1 else 'loops'}: {', '.join(names) or 'copies'}"


def _ready(n: int, part: Slice, machine: Machine, plan: Plan) -> Any:
    """Return what runs a part: a function of machine code, or the operation."""
    if not isinstance(part, list):
        return part
    return python_api.as_builtin(machine.address(f"entry{n}"), "kernel", (machine, constants(plan)))


def _parts(plan: Plan) -> list[Slice]:
    parts: list[Slice] = []
    for n, step in enumerate(plan.steps):
        if isinstance(step, Outside):
            parts.append(step)
        elif parts and isinstance(parts[-1], list):
            parts[-1].append(n)
        else:
            parts.append([n])
    return parts


Get = Callable[[Sequence[Any], Sequence[Any]], Any]  # (arguments, results) -> an operand


class _Runner:
    def __init__(
        self,
        calls: Sequence[Any],
        interface: Interface,
        plan: Plan,
        space: Workspace,
        loops: Mapping[int, Kernel | None],
    ) -> None:
        self.interface, self.plan, self.space, self.loops = interface, plan, space, loops
        self.calls = calls
        self.pool: list[tuple[Any, list[tuple[Any, list[Get] | None]]]] = []

    def times(self, args: Sequence[Any]) -> list[float]:
        """Run all parts, and return the seconds that each took."""
        ends = [time.perf_counter()]
        self.run(args, lambda: ends.append(time.perf_counter()))
        return [after - before for before, after in pairwise(ends)]

    def run(self, args: Sequence[Any], ended: Callable[[], None] | None = None) -> list[Any]:
        """Run all parts, and call ``ended`` after each.

        Threads running at the same time have a workspace each: pop and append are atomic.
        """
        try:
            memory, steps = self.pool.pop()
        except IndexError:
            memory = np.empty(max(64, self.space.size), np.uint8)
            steps = self._steps(memory)
        outs = [np.empty(a.shape, a.dtype) for a in self.interface.outputs]
        with np.errstate(all="ignore"):
            for step, getters in steps:
                if getters is None:
                    step(*args, *outs, memory)
                else:
                    step(*[get(args, outs) for get in getters])
                if ended is not None:
                    ended()
        self.pool.append((memory, steps))
        return [y if y.ndim else as_result(y, y.dtype) for y in outs]

    def _steps(self, memory: Any) -> list[tuple[Any, list[Get] | None]]:
        """Return what runs with a workspace, which one call has at a time: so systems may share factors."""
        shared = writers([c for c in self.calls if isinstance(c, Outside)])
        steps: list[tuple[Any, list[Get] | None]] = []
        number = count()
        for c in self.calls:
            if isinstance(c, Outside):
                write = shared.get(next(number)) or self._writer(c)
                operands = [self._getter(v, memory, True) for v in c.args]
                steps.append((write, [*operands, self._getter(c.result, memory, False)]))
            else:
                steps.append((c, None))
        return steps

    def _writer(self, c: Outside) -> Any:
        """How an operation writes its result: a loop step by step, by its kernel."""
        kernel = self.loops.get(id(c))
        return writer(c.op, c.args, c.result) if kernel is None else looped(c.op, kernel)

    def _getter(self, v: Any, memory: Any, read: bool) -> Get:
        """Return how an operand is found: made once, where it lies in the workspace or in a constant."""
        if not isinstance(v, View):
            return lambda args, outs: v
        b, number = v.memory, v.memory.number
        as_number = read and v.shape == () and b.dtype == np.float64
        if b.kind in "cw":
            fixed = numpy_view(v, self._memory_of(v, memory))
            return (lambda args, outs: fixed.item()) if as_number else (lambda args, outs: fixed)
        if b.kind == "o":
            if _straight(v, self.interface.outputs[number].shape) and not as_number:
                return lambda args, outs: outs[number]
            return lambda args, outs: _number_of(numpy_view(v, outs[number]), as_number)
        if _straight(v, self.interface.inputs[number].shape):
            return lambda args, outs: args[number]
        return lambda args, outs: _number_of(numpy_view(v, np.asarray(args[number])), as_number)

    def _memory_of(self, v: View, memory: Any) -> Any:
        b = v.memory
        if b.kind == "c":
            return self.plan.constants[b.number]
        start = self.space.offsets[b]
        return memory[start : start + b.size * b.dtype.itemsize].view(b.dtype)


def _number_of(x: Any, as_number: bool) -> Any:
    return x.item() if as_number else x


def _straight(v: View, shape: tuple[int, ...]) -> bool:
    """Whether a view is all of an array of this shape."""
    return not v.offset and v.shape == shape and v.is_plain
