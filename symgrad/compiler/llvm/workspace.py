"""The workspace of a plan: one block of memory, whose parts are used again. Imports plan and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symgrad.compiler.llvm.memory import Buffer, View
from symgrad.compiler.llvm.plan import Nest, Plan


class Workspace:
    """Offsets of the workspace's buffers: memory is taken again once nobody reads it any more."""

    def __init__(self, plan: Plan) -> None:
        first: dict[Buffer, int] = {}
        last: dict[Buffer, int] = {}
        for n, step in enumerate(plan.steps):
            for b in buffers_of(step):
                first.setdefault(b, n)
                last[b] = n
        self.offsets: dict[Buffer, int] = {}
        self.size = 0
        busy: list[tuple[int, int, int]] = []  # (last step, start, end)
        for b in sorted((b for b in first if b.kind == "w"), key=lambda b: first[b]):
            busy = [x for x in busy if x[0] >= first[b]]
            need = -(-max(1, b.size) * b.dtype.itemsize // 64) * 64
            start = 0
            for _, begin, end in sorted(busy, key=lambda x: x[1]):
                if begin - start >= need:
                    break
                start = max(start, end)
            self.offsets[b] = start
            busy.append((last[b], start, start + need))
            self.size = max(self.size, start + need)


def buffers_of(step: Any) -> list[Buffer]:
    """Return the buffers that a step touches."""
    if isinstance(step, Nest):
        return [v.buffer for v in [*step.loads.values(), *[v for _, v in step.stores], *[v for _, _, v in step.sums]]]
    return [*[a.buffer for a in step.args if isinstance(a, View)], step.result.buffer]


def call(name: str, buffers: Sequence[Buffer]) -> str:
    """Return the call of a nest's function."""
    return f"  call void @{name}({', '.join(f'ptr %{b.name}' for b in buffers)})"


def places(plan: Plan, space: Workspace) -> list[str]:
    """Return the lines that name the workspace's buffers and the constants."""
    lines = [f"  %{b.name} = getelementptr i8, ptr %work, i64 {start}" for b, start in space.offsets.items()]
    for r, array in plan.constants.items():
        lines.append(f"  %c{r} = getelementptr i8, ptr inttoptr (i64 {array.ctypes.data} to ptr), i64 0")
    return lines
