"""A program written out entry by entry, as straight-line code.

Long programs are cut into functions, because the code generator's time rises faster than a function's length; what
one function computes and a later one needs goes through memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symgrad.compiler.backends.llvm.code import STORED, Code, Used, kind_of
from symgrad.compiler.backends.llvm.instructions import Function, Instruction, Parameter, Recorder, constant, pointers
from symgrad.compiler.backends.llvm.wrapper import Array
from symgrad.compiler.primitives.elements import Elements
from symgrad.compiler.primitives.scalarise import Written

LONGEST = 1_500  # operations of one function
CUT = 400  # operations of each, where there are more: the code generator's time for them is least from 150 to 500
_STACK = 65_536  # bytes of shared values that fit the stack


def body(written: Written, inputs: Sequence[Array], outputs: Sequence[Array], used: Used) -> list[Function]:
    """Return ``@body(inputs…, outputs…)``, after what it calls."""
    s = written.scalars
    arrays = [*[f"%x{k}" for k in range(len(inputs))], *[f"%o{k}" for k in range(len(outputs))]]
    order = written.needed
    most = LONGEST if len(order) <= LONGEST else CUT
    cuts = [order[n : n + most] for n in range(0, len(order), most)] or [[]]
    home = {k: n for n, part in enumerate(cuts) for k in part}
    shared = _shared(s, order, home)
    targets = _targets(written, home, len(cuts))
    functions, calls = [], Recorder()
    for n, part in enumerate(cuts):
        writer = _Part(written, inputs, outputs, used, shared, home)
        code = writer.code_of(part, targets[n])
        name = "body" if len(cuts) == 1 else f"part{n}"
        own = pointers(arrays if len(cuts) == 1 else [*writer.memory, "%shared"], alone=True)
        functions.append(code.function(name, own))
        calls.call("void", f"@{name}", *[("ptr", p.name) for p in own])
    if len(cuts) > 1:
        functions.append(_whole(pointers(arrays, alone=True), calls.lines, 8 * len(shared)))
    return functions


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


def _whole(parameters: Sequence[Parameter], calls: Sequence[Instruction], size: int) -> Function:
    """The function that calls all parts."""
    code = Recorder()
    with code.memory("%shared", size, _STACK, align=16):
        code.lines += calls
    code.give()
    return code.function("body", parameters)


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

    def code_of(self, part: Sequence[int], targets: Sequence[tuple[int, int, int]]) -> Recorder:
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
        self.code.give()
        return self.code

    def _value(self, r: int) -> tuple[str, str]:
        value = self.values.get(r)
        if value is None:
            name, *rest = self.written.scalars.ops[r]
            if name == "const":
                value = constant(rest[0], "f64"), "f64"
            elif name == "in":
                value = self._load(*self.written.slots[rest[0]])
            else:
                value = self.code.load("double", self.code.place("double", "%shared", self.shared[r])), "f64"
            self.values[r] = value
        return value

    def _share(self, k: int) -> None:
        """Store a value for later functions; a boolean as 0 or 1."""
        place = self.code.place("double", "%shared", self.shared[k])
        self.code.store("double", self.code.number(self.values[k], "f64"), place)

    def _load(self, argument: int, position: int) -> tuple[str, str]:
        kind = kind_of(self.inputs[argument].dtype)
        self.memory[f"%x{argument}"] = None
        return self.code.read(kind, self.code.place(STORED[kind], f"%x{argument}", position)), kind

    def _store(self, place: int, n: int, value: tuple[str, str]) -> None:
        code, kind = self.code, kind_of(self.outputs[place].dtype)
        self.memory[f"%o{place}"] = None
        stored = code.stored(value, kind)
        code.store(STORED[kind], stored, code.place(STORED[kind], f"%o{place}", n))
