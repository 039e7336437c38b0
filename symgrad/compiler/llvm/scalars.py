"""A program written out entry by entry, as straight-line LLVM IR. Imports code and scalarise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad.compiler.llvm.code import STORED, Code, Used, constant, kind_of
from symgrad.compiler.llvm.wrapper import Array
from symgrad.compiler.scalarise import Written


def body(written: Written, inputs: Sequence[Array], outputs: Sequence[Array], used: Used) -> str:
    """Return the IR of ``@body(inputs…, outputs…)``."""
    code = Code("v", True, used)
    s = written.scalars
    values: dict[int, tuple[str, str]] = {}
    for k in s.reachable(written.roots()):
        name, *args = s.ops[k]
        if name == "const":
            values[k] = constant(args[0], "f64"), "f64"
        elif name == "in":
            values[k] = _load(code, written.slots[args[0]], inputs)
        else:
            values[k] = code.apply(name, [values[r] for r in args], "f64")
    for place, refs in enumerate(written.outputs):
        _store(code, place, outputs[place].dtype, [values[r] for r in np.ravel(refs).tolist()])
    params = [f"ptr noalias %x{k}" for k in range(len(inputs))] + [f"ptr noalias %o{k}" for k in range(len(outputs))]
    lines = "\n".join(code.lines)
    return f"define internal void @body({', '.join(params)}) {{\n{lines}\n  ret void\n}}\n"


def _load(code: Code, slot: tuple[int, int], inputs: Sequence[Array]) -> tuple[str, str]:
    argument, position = slot
    kind = kind_of(inputs[argument].dtype)
    stored = STORED[kind]
    place = code.set(f"getelementptr {stored}, ptr %x{argument}, i64 {position}")
    value = code.set(f"load {stored}, ptr {place}")
    return (code.set(f"icmp ne i8 {value}, 0"), "i1") if kind == "i1" else (value, kind)


def _store(code: Code, place: int, dtype: Any, values: Sequence[tuple[str, str]]) -> None:
    kind = kind_of(dtype)
    stored = STORED[kind]
    for n, value in enumerate(values):
        text = code.set(f"zext i1 {code.truth(value)} to i8") if kind == "i1" else code.number(value, kind)
        target = code.set(f"getelementptr {stored}, ptr %o{place}, i64 {n}")
        code.line(f"store {stored} {text}, ptr {target}")
