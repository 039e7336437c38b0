"""Programs of arrays: a function per nest, called in order; operations without a nest in between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad.compiler.backends.backend import Kernel, Unsuitable
from symgrad.compiler.backends.llvm.build import Interface, finished
from symgrad.compiler.backends.llvm.code import KNOWN, Used
from symgrad.compiler.backends.llvm.instructions import Function, Instruction, Recorder, pointers
from symgrad.compiler.backends.llvm.mixed import mixed
from symgrad.compiler.backends.llvm.module import LOOPS, ROUTINES
from symgrad.compiler.backends.llvm.plan import Plan
from symgrad.compiler.backends.llvm.python_api import TYPE_NUMBERS
from symgrad.compiler.backends.llvm.steps import Outside, Workspace, band_memory
from symgrad.compiler.backends.llvm.workspace import constants, functions, places
from symgrad.compiler.passes.order import program_of_body
from symgrad.compiler.primitives.decompose import expand
from symgrad.compiler.primitives.elements import Elements
from symgrad.engine.program import Program
from symgrad.transforms.loops.op import Scan

_STACK = 32_768  # bytes of workspace that fit the stack
_KEPT = 4 << 20  # bytes of workspace that are kept for the next call: new memory takes as long as a loop over it
_LONG = 200_000  # primitives from which other threads may run meanwhile


def build(program: Program, interface: Interface) -> Kernel:
    """Compile a program of arrays."""
    e = Elements(program, expand, KNOWN)
    strange = {str(e.dtypes[k]) for k in e.reachable(e.outputs)} - {str(d) for d in TYPE_NUMBERS}
    if strange:
        raise Unsuitable(f"there is no machine code for {sorted(strange)}. Use backend='numpy'.")
    plan = Plan(e)
    space = Workspace(plan)
    used = Used(interface.pool())
    steps, calls = functions(plan, "nest", used)
    stages: dict[str, Callable[[], str]] = {
        "elements": e.listing,
        "nests": lambda: "\n".join(map(repr, plan.steps)),
        "calls": lambda: "\n".join(str(s) for s in plan.steps if isinstance(s, Outside)),
    }
    if space.size > _KEPT or any(isinstance(s, Outside) for s in plan.steps):
        loops = {id(s): _steps_of(s.op, interface) for s in plan.steps if isinstance(s, Outside)}
        return mixed(plan, interface, space, steps, used, calls, stages, loops, free=plan.effort() > _LONG)
    body = _body(interface, plan, space, used, calls)
    return finished(
        [*steps, body], used, interface, ROUTINES if plan.has_routines() else LOOPS, stages,
        bytes=space.size + band_memory(plan.steps), operations=plan.operations(), kernels=len(plan.steps),
        free=plan.effort() > _LONG, keep=constants(plan),
    )  # fmt: skip


def _steps_of(op: Any, interface: Interface) -> Kernel | None:
    """Return the kernel of a step of a loop that is no machine code; None of other operations, or without one."""
    if not isinstance(op, Scan):
        return None
    try:
        program = program_of_body(op.body)
        return build(program, interface.of(program))
    except Unsuitable:
        return None


def _body(
    interface: Interface, plan: Plan, space: Workspace, used: Used, calls: Sequence[Sequence[Instruction]]
) -> Function:
    """The function that makes all calls, in memory of its own."""
    code = Recorder()
    with code.memory("%work", space.size, _STACK):
        places(code, plan, space, used)
        for lines in calls:
            code.lines += lines
    code.give()
    inputs, outputs = range(len(interface.inputs)), range(len(interface.outputs))
    return code.function("body", pointers([*[f"%x{k}" for k in inputs], *[f"%o{k}" for k in outputs]]))
