"""Where the code finds the workspace, and the functions of a plan's steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from symgrad.compiler.backends.llvm import bands, chunks, loops, scan
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.instructions import Function, Instruction, Recorder, pointers
from symgrad.compiler.backends.llvm.routines import written
from symgrad.compiler.backends.llvm.steps import Band, Loop, Nest, Routine, Steps, Workspace
from symgrad.compiler.primitives.views import View

_ANY = "nest@any"  # the name of a nest until it is known to be the first of its kind


def places(code: Recorder, plan: Steps, space: Workspace, used: Used) -> None:
    """Append the names of the workspace's buffers and the constants."""
    for b, start in space.offsets.items():
        code.place("i8", "%work", start, name=f"%{b.name}")
    for r, array in plan.constants.items():
        code.load("ptr", used.link(array.ctypes.data), name=f"%c{r}")


def constants(plan: Steps) -> list[Any]:
    """Return the arrays that the code refers to by address."""
    inner = [c for s in plan.steps if isinstance(s, Loop) for c in constants(s.body)]
    return [*plan.constants.values(), *[s.reporter for s in plan.steps if isinstance(s, Routine) and s.fails], *inner]


def functions(plan: Steps, prefix: str, used: Used) -> tuple[list[Function], list[list[Instruction]]]:
    """Return the functions of all steps, and for each step the instructions that call its own; none for one outside.

    What is unrolled repeats nests on other memory. Each is compiled once.
    """
    every: list[Function] = []
    calls: list[list[Instruction]] = []
    known: dict[object, str] = {}  # the names of nests by what their functions are

    alone = sum(isinstance(s, (Nest, Routine)) for s in plan.steps) < 2

    def once(own: list[Function], name: str) -> str:
        first = name if alone else known.setdefault(tuple(f.key for f in own), name)
        if first == name:
            every.extend(f.renamed(_ANY, name) for f in own)
        return first

    for n, step in enumerate(plan.steps):
        name = f"{prefix}{n}"
        if isinstance(step, Nest):
            own = once(chunks.function(_ANY, _anywhere(step), plan.e, used)[0], name)
            calls.append([loops.call(own, loops.buffers_of(step))])
        elif isinstance(step, Routine):
            calls.append(written.call(once(written.functions(_ANY, step, used), name), name, step, used))
        elif isinstance(step, Band):
            more, taken = bands.functions(name, step, plan.e, used)
            every += more
            calls.append([loops.call(name, taken)])
        elif isinstance(step, Loop):
            every += [*_body(name, step, used), scan.around(name, step, used)]
            calls.append(scan.call(name, step))
        else:
            calls.append([])
    return every, calls


def _anywhere(nest: Nest) -> Nest:
    """Return a nest on buffers that are numbered as it meets them: nests alike have the same text, and one function."""
    names = {b: b._replace(kind="a", number=k) for k, b in enumerate(loops.buffers_of(nest))}

    def moved(view: View) -> View:
        return view._replace(memory=names[view.memory])

    return replace(
        nest,
        loads={r: moved(v) for r, v in nest.loads.items()},
        stores=[(r, moved(v)) for r, v in nest.stores],
        sums=[(kind, r, moved(v)) for kind, r, v in nest.sums],
    )


def _body(name: str, loop: Loop, used: Used) -> list[Function]:
    """The functions of a loop's steps and of its body."""
    inner, calls = functions(loop.body, f"{name}.", used)
    body = loop.op.body
    return [*inner, stretch(f"{name}.body", len(body.arguments), len(body.outputs), loop.body, used, calls)]


def stretch(
    name: str, inputs: int, outputs: int, plan: Steps, used: Used, calls: Sequence[Sequence[Instruction]],
    space: Workspace | None = None,
) -> Function:  # fmt: skip
    """Return ``@name(inputs…, outputs…, workspace)``, which makes these calls of a plan's steps."""
    code = Recorder()
    places(code, plan, space or Workspace(plan), used)
    for lines in calls:
        code.lines += lines
    code.give()
    params = [*[f"%x{k}" for k in range(inputs)], *[f"%o{k}" for k in range(outputs)], "%work"]
    return code.function(name, pointers(params))
