"""Where the code finds the workspace, and the functions of a plan's steps."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from symgrad.compiler.backends.llvm import chunks, loops, scan
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.routines import written
from symgrad.compiler.backends.llvm.steps import Loop, Nest, Routine, Steps, Workspace
from symgrad.compiler.primitives.views import View

_ANY = "nest@any"  # the name of a nest until it is known to be the first of its kind
_HINT = re.compile(r"!llvm\.loop !\d+")  # which every loop has a number of its own for


def places(plan: Steps, space: Workspace, used: Used) -> list[str]:
    """Return the lines that name the workspace's buffers and the constants."""
    lines = [f"  %{b.name} = getelementptr i8, ptr %work, i64 {start}" for b, start in space.offsets.items()]
    lines += [f"  %c{r} = {used.link(array.ctypes.data)}" for r, array in plan.constants.items()]
    return lines


def constants(plan: Steps) -> list[Any]:
    """Return the arrays that the code refers to by address."""
    inner = [c for s in plan.steps if isinstance(s, Loop) for c in constants(s.body)]
    return [*plan.constants.values(), *[s.reporter for s in plan.steps if isinstance(s, Routine) and s.fails], *inner]


def functions(plan: Steps, prefix: str, used: Used) -> tuple[str, list[list[str]]]:
    """Return the functions of all steps, and for each step the lines that call its own; none for one outside.

    What is unrolled repeats nests on other memory. Each is compiled once.
    """
    texts: list[str] = []
    calls: list[list[str]] = []
    known: dict[str, str] = {}  # the names of nests by their text
    for n, step in enumerate(plan.steps):
        name = f"{prefix}{n}"
        if isinstance(step, Nest):
            text = chunks.function(_ANY, _anywhere(step), plan.e, used)[0]
            own = known.setdefault(_HINT.sub("", text), name)
            if own == name:
                texts.append(text.replace(_ANY, name))
            calls.append([f"  call void @{own}({', '.join(f'ptr %{b.name}' for b in loops.buffers_of(step))})"])
        elif isinstance(step, Routine):
            text = written.function(_ANY, step, used)
            own = known.setdefault(_HINT.sub("", text), name)
            if own == name:
                texts.append(text.replace(_ANY, name))
            calls.append(written.call(own, name, step, used))
        elif isinstance(step, Loop):
            texts += [_body(name, step, used), scan.around(name, step, used)]
            calls.append(scan.call(name, step))
        else:
            calls.append([])
    return "\n".join(texts), calls


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


def _body(name: str, loop: Loop, used: Used) -> str:
    """The functions of a loop's body and of its steps."""
    inner, calls = functions(loop.body, f"{name}.", used)
    params = [*[f"ptr %x{k}" for k in range(len(loop.op.body.arguments))]]
    params += [f"ptr %o{k}" for k in range(len(loop.op.body.outputs))]
    lines = [*places(loop.body, Workspace(loop.body), used), *[line for c in calls for line in c], "  ret void"]
    text = "\n".join(lines)
    return f"{inner}\ndefine internal void @{name}.body({', '.join(params)}, ptr %work) {{\n{text}\n}}\n"
