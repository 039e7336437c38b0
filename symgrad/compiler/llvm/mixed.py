"""Programs with operations that run their forward, such as large matrix products: machine code around NumPy calls.

Every buffer of the workspace is a part of one NumPy array, so operations read and write views of it that are made
once. Imports workspace, build and outside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from symgrad.compiler.backend import Kernel, as_result
from symgrad.compiler.llvm import python_api
from symgrad.compiler.llvm.build import Interface
from symgrad.compiler.llvm.machine import LOOPS, compile_ir
from symgrad.compiler.llvm.memory import View, numpy_view
from symgrad.compiler.llvm.outside import writer
from symgrad.compiler.llvm.plan import Outside, Plan, Workspace
from symgrad.compiler.llvm.workspace import constants, places
from symgrad.compiler.llvm.wrapper import entry

Part = list[int] | Outside  # steps by number, or one operation


def mixed(
    plan: Plan,
    interface: Interface,
    space: Workspace,
    text: str,
    calls: Sequence[list[str]],
    stages: dict[str, Callable[[], str]],
) -> Kernel:
    """Compile the stretches of nests, and return the kernel that runs all parts in order."""
    parts = _parts(plan)
    floats = [*[a.is_float for a in interface.inputs], *[False] * (len(interface.outputs) + 1)]
    for n, part in enumerate(parts):
        if isinstance(part, list):
            text += _stretch(n, part, interface, plan, space, calls) + entry(f"entry{n}", floats, f"part{n}")
    machine = compile_ir(text, LOOPS)
    ready = [
        python_api.as_builtin(machine.address(f"entry{n}"), "kernel", (machine, constants(plan)))
        if isinstance(part, list)
        else part
        for n, part in enumerate(parts)
    ]
    runner = _Runner(ready, interface, plan, space)
    return Kernel(
        run=runner.run,
        source=text,
        backend="llvm",
        operations=plan.operations(),
        kernels=len(plan.steps),
        bytes=space.size,
        stages={**stages, "assembly": machine.assembly},
    )


def _parts(plan: Plan) -> list[Part]:
    found: list[Part] = []
    for n, step in enumerate(plan.steps):
        if isinstance(step, Outside):
            found.append(step)
        elif found and isinstance(found[-1], list):
            found[-1].append(n)
        else:
            found.append([n])
    return found


def _stretch(
    n: int, steps: list[int], interface: Interface, plan: Plan, space: Workspace, calls: Sequence[list[str]]
) -> str:
    params = [f"ptr %x{k}" for k in range(len(interface.inputs))]
    params += [f"ptr %o{k}" for k in range(len(interface.outputs))]
    lines = [*places(plan, space), *[line for k in steps for line in calls[k]], "  ret void"]
    return f"define internal void @part{n}({', '.join([*params, 'ptr %work'])}) {{\n" + "\n".join(lines) + "\n}\n"


class _Runner:
    def __init__(self, calls: Sequence[Any], interface: Interface, plan: Plan, space: Workspace) -> None:
        self.interface, self.plan, self.space = interface, plan, space
        self.calls = [(c, None) if not isinstance(c, Outside) else (writer(c.op), (*c.args, c.result)) for c in calls]
        self.pool: list[tuple[Any, list[Any]]] = []

    def run(self, args: Sequence[Any]) -> list[Any]:
        """Run all parts. Threads running at the same time have a workspace each: pop and append are atomic."""
        try:
            memory, prepared = self.pool.pop()
        except IndexError:
            memory = np.empty(max(64, self.space.size), np.uint8)
            prepared = [views and [self._prepared(v, memory) for v in views] for _, views in self.calls]
        outs = [np.empty(a.shape, a.dtype) for a in self.interface.outputs]
        with np.errstate(all="ignore"):
            for (step, views), ready in zip(self.calls, prepared):
                if views is None:
                    step(*args, *outs, memory)
                else:
                    *xs, out = [self._now(v, r, args, outs) for v, r in zip(views, ready)]
                    step(*[x.item() if _is_number(x) else x for x in xs], out)
        self.pool.append((memory, prepared))
        return [as_result(y, y.dtype) for y in outs]

    def _prepared(self, v: Any, memory: Any) -> Any:
        """Return the view of the workspace or of a constant; None for what differs from call to call."""
        if not isinstance(v, View):
            return v
        b = v.buffer
        if b.kind == "c":
            return numpy_view(v, self.plan.constants[b.number])
        if b.kind != "w":
            return None
        start = self.space.offsets[b]
        return numpy_view(v, memory[start : start + b.size * b.dtype.itemsize].view(b.dtype))

    def _now(self, v: Any, ready: Any, args: Sequence[Any], outs: Sequence[Any]) -> Any:
        if ready is not None:
            return ready
        b = v.buffer
        source = np.asarray((args if b.kind == "x" else outs)[b.number])
        if not v.offset and v.shape == source.shape and _straight(v):
            return source
        return numpy_view(v, source)


def _is_number(x: Any) -> bool:
    return type(x) is np.ndarray and x.ndim == 0 and x.dtype == np.float64


def _straight(v: View) -> bool:
    return v.strides == tuple(prod(v.shape[a + 1 :]) for a in range(len(v.shape)))
