"""A program written out entry by entry, as straight-line LLVM IR.

Long programs are cut into functions, because the code generator's time rises faster than a function's length; what
one function computes and a later one needs goes through memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symgrad.compiler.backends.llvm.code import STORED, Code, Used, constant, kind_of
from symgrad.compiler.backends.llvm.wrapper import Array
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.scalarise import Written

LONGEST = 1_500  # operations of one function
CUT = 400  # operations of each, where there are more: the code generator's time for them is least from 150 to 500
_STACK = 65_536  # bytes of shared values that fit the stack


def body(written: Written, inputs: Sequence[Array], outputs: Sequence[Array], used: Used) -> str:
    """Return the IR of ``@body(inputs…, outputs…)``."""
    s = written.scalars
    params = [f"ptr noalias %x{k}" for k in range(len(inputs))] + [f"ptr noalias %o{k}" for k in range(len(outputs))]
    order = written.needed
    most = LONGEST if len(order) <= LONGEST else CUT
    cuts = [order[n : n + most] for n in range(0, len(order), most)] or [[]]
    home = {k: n for n, part in enumerate(cuts) for k in part}
    shared = _shared(s, order, home)
    targets = _targets(written, home, len(cuts))
    texts, calls = [], []
    for n, part in enumerate(cuts):
        writer = _Part(written, inputs, outputs, used, shared, home)
        lines = writer.lines(part, targets[n], n)
        name = "body" if len(cuts) == 1 else f"part{n}"
        own = params if len(cuts) == 1 else [f"ptr noalias {p}" for p in [*writer.memory, "%shared"]]
        texts.append(f"define internal void @{name}({', '.join(own)}) {{\n{lines}\n  ret void\n}}\n")
        calls.append(f"  call void @{name}({', '.join(own).replace(' noalias', '')})")
    if len(cuts) > 1:
        texts.append(_whole(params, calls, 8 * len(shared)))
    return "\n".join(texts)


def _shared(s: Elements, order: Sequence[int], home: dict[int, int]) -> dict[int, int]:
    """Number the values that another function than their own needs."""
    slots: dict[int, int] = {}
    for k in order:
        for r in s.ops[k][1:]:
            if home.get(r, home[k]) != home[k] and r not in slots:
                slots[r] = len(slots)
    return slots


def _targets(written: Written, home: dict[int, int], parts: int) -> list[list[tuple[int, int, int]]]:
    """For each function, the entries of results it stores: (result, position, reference)."""
    targets: list[list[tuple[int, int, int]]] = [[] for _ in range(parts)]
    for place, refs in enumerate(written.outputs):
        for n, r in enumerate(np.ravel(refs).tolist()):
            targets[home.get(r, parts - 1)].append((place, n, r))
    return targets


def _whole(params: Sequence[str], calls: Sequence[str], size: int) -> str:
    """The function that calls all parts."""
    heap = size > _STACK
    take = f"call ptr @malloc(i64 {size})" if heap else f"alloca [{max(8, size)} x i8], align 16"
    lines = [f"  %shared = {take}", *calls]
    lines += ["  call void @free(ptr %shared)"] if heap else []
    declared = "declare ptr @malloc(i64)\ndeclare void @free(ptr)\n" if heap else ""
    text = "\n".join([*lines, "  ret void"])
    return f"{declared}define internal void @body({', '.join(params)}) {{\n{text}\n}}\n"


class _Part:
    """One of the functions that a long program is cut into."""

    def __init__(
        self,
        written: Written,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        used: Used,
        shared: dict[int, int],
        home: dict[int, int],
    ) -> None:
        self.written, self.inputs, self.outputs = written, inputs, outputs
        self.shared, self.home = shared, home
        self.code = Code("v", True, used)
        self.values: dict[int, tuple[str, str]] = {}
        self.memory: dict[str, None] = {}  # the arguments and results that it reads and writes

    def lines(self, part: Sequence[int], targets: Sequence[tuple[int, int, int]], own: int) -> str:
        """Return the function's instructions."""
        ops = self.written.scalars.ops
        for k in part:
            name, *refs = ops[k]
            kind = "f32" if name == "cast_float32" else "f64"
            self.values[k] = self.code.apply(name, [self._value(r) for r in refs], kind)
            if k in self.shared:
                self._share(k)
        for place, n, r in targets:
            self._store(place, n, self._value(r))
        return "\n".join(self.code.lines)

    def _value(self, r: int) -> tuple[str, str]:
        value = self.values.get(r)
        if value is None:
            name, *rest = self.written.scalars.ops[r]
            if name == "const":
                value = constant(rest[0], "f64"), "f64"
            elif name == "in":
                value = self._load(*self.written.slots[rest[0]])
            else:
                place = self.code.set(f"getelementptr double, ptr %shared, i64 {self.shared[r]}")
                value = self.code.set(f"load double, ptr {place}"), "f64"
            self.values[r] = value
        return value

    def _share(self, k: int) -> None:
        """Store a value for later functions; a boolean as 0 or 1."""
        place = self.code.set(f"getelementptr double, ptr %shared, i64 {self.shared[k]}")
        self.code.line(f"store double {self.code.number(self.values[k], 'f64')}, ptr {place}")

    def _load(self, argument: int, position: int) -> tuple[str, str]:
        kind = kind_of(self.inputs[argument].dtype)
        self.memory[f"%x{argument}"] = None
        place = self.code.set(f"getelementptr {STORED[kind]}, ptr %x{argument}, i64 {position}")
        value = self.code.set(f"load {STORED[kind]}, ptr {place}")
        return (self.code.set(f"icmp ne i8 {value}, 0"), "i1") if kind == "i1" else (value, kind)

    def _store(self, place: int, n: int, value: tuple[str, str]) -> None:
        code, kind = self.code, kind_of(self.outputs[place].dtype)
        self.memory[f"%o{place}"] = None
        text = code.set(f"zext i1 {code.truth(value)} to i8") if kind == "i1" else code.number(value, kind)
        target = code.set(f"getelementptr {STORED[kind]}, ptr %o{place}, i64 {n}")
        code.line(f"store {STORED[kind]} {text}, ptr {target}")
