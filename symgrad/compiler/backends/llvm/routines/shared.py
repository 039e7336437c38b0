"""A routine whose outermost loop has turns of their own, as matrices of a batch are: threads share its chunks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.routines import translate
from symgrad.compiler.backends.llvm.steps import Routine

STATUS = "status"  # the variable that counts what failed
_LEAST = 1 << 16  # primitives of a routine that is worth it
_GRAIN = 1 << 14  # about how many a chunk has
_MOST = 64  # chunks
_STACK = 1 << 15  # entries of scratch that a chunk has for itself
_LOOP = re.compile(r"for (\w+) in range\((\d+)\):")


@dataclass(frozen=True)
class Chunks:
    """How many turns the loop has, and how many of them a chunk."""

    turns: int
    length: int

    @property
    def count(self) -> int:
        """How many chunks there are."""
        return -(-self.turns // self.length)


def chunks_of(step: Routine) -> Chunks | None:
    """Return how a routine is cut; None where its turns meet, or where it is small."""
    loops = [n for n, line in enumerate(step.lines) if not line.startswith(" ")]
    if step.op.accumulates or step.work < _LEAST or loops != [0, 1] or sum(step.scratch.values()) > _STACK:
        return None
    match = _LOOP.fullmatch(step.lines[1])
    if match is None or int(match[2]) < 2:
        return None
    turns = int(match[2])
    length = max(-(-turns * _GRAIN // step.work), -(-turns // _MOST))
    return Chunks(turns, length) if length < turns else None


def function(name: str, step: Routine, kinds: Mapping[str, str], used: Used, chunks: Chunks) -> str:
    """Return ``@name.range``, which runs some turns, and ``@name.chunk``, which finds its own."""
    first, loop, *rest = step.lines
    lines = [first, loop.replace(f"range({chunks.turns})", "range(lo, hi)"), *rest]
    after = [f"  %count = load double, ptr %v.{STATUS}", "  store double %count, ptr %status", "  ret void"]
    text = translate.function(f"{name}.range", lines, kinds, used, after, "ptr %status", ["lo", "hi"], step.scratch)
    arrays = [n for n in kinds if n not in step.scratch]
    chunk = []
    for m, n in enumerate([*arrays, "status"]):
        chunk += [f"  %at{m} = getelementptr ptr, ptr %context, i64 {m}", f"  %a.{n} = load ptr, ptr %at{m}"]
    chunk += [
        f"  %lo = mul nuw nsw i64 %number, {chunks.length}",
        f"  %next = add nuw nsw i64 %lo, {chunks.length}",
        f"  %whole = icmp ult i64 %next, {chunks.turns}",
        f"  %hi = select i1 %whole, i64 %next, i64 {chunks.turns}",
        "  %own = getelementptr double, ptr %a.status, i64 %number",
        f"  call void @{name}.range({''.join(f'ptr %a.{n}, ' for n in arrays)}i64 %lo, i64 %hi, ptr %own)",
        "  ret void",
    ]
    body = "\n".join(chunk)
    return f"{text}define internal void @{name}.chunk(ptr %context, i64 %number) {{\n{body}\n}}\n"


def run(name: str, step: Routine, kinds: Mapping[str, str], used: Used, chunks: Chunks) -> list[str]:
    """Return the lines that have all chunks run, and add up as ``%status`` what failed."""
    assert used.pool is not None  # else nothing is cut
    pool = used.pool()
    pool.start()
    arrays = [*[f"a.{n}" for n in kinds if n not in step.scratch], "statuses"]
    lines = [f"  %statuses = alloca [{chunks.count} x double]", f"  %context = alloca [{len(arrays)} x ptr]"]
    for m, n in enumerate(arrays):
        lines += [f"  %at{m} = getelementptr ptr, ptr %context, i64 {m}", f"  store ptr %{n}, ptr %at{m}"]
    lines += [f"  %pool = {used.link(pool.memory)}", f"  %share = {used.link(pool.share)}"]
    lines.append(f"  call void %share(ptr %pool, ptr @{name}.chunk, ptr %context, i64 {chunks.count})")
    if not step.fails:
        return lines
    total = "0.0"
    for c in range(chunks.count):
        lines += [f"  %s{c} = getelementptr double, ptr %statuses, i64 {c}", f"  %d{c} = load double, ptr %s{c}",
                  f"  %{'status' if c == chunks.count - 1 else f't{c}'} = fadd double {total}, %d{c}"]  # fmt: skip
        total = f"%t{c}"
    return lines
