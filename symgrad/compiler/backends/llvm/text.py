"""Modules in LLVM's language. What is called and not defined is declared, as its call says."""

from __future__ import annotations

from collections.abc import Callable

from symgrad.compiler.backends.llvm.instructions import KEPT, MASKED, ROLLED, Function, Instruction, Parameter
from symgrad.compiler.backends.llvm.module import Module

_CASTS = ("bitcast", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui", "zext", "sext", "trunc")
_EFFECTS = ("@malloc", "@free")  # functions of the C library that do more than compute a number
_VECTORS = (1, 2, 4)  # of a turn
_HINTS = {MASKED: "!9000, !9001", KEPT: "!9001, !9002"} | {f"{ROLLED} {n}": f"!9001, !{9002 + n}" for n in _VECTORS}
_ALIGNED = {"double>": ", align 8", "float>": ", align 4"}  # of vectors, by the end of their type
_METADATA = (
    '!9000 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}',
    '!9001 = !{!"llvm.loop.unroll.disable"}',
    '!9002 = !{!"llvm.loop.vectorize.enable", i1 false}',
    *[f'!{9002 + n} = !{{!"llvm.loop.interleave.count", i32 {n}}}' for n in _VECTORS],
)


def text(module: Module) -> str:
    """Return a module in LLVM's language."""
    w = _Writer()
    functions = [w.function(f) for f in module.functions]
    tables = [
        f"@{name} = private constant [{len(values)} x i64] [{', '.join(f'i64 {n}' for n in values)}]"
        for name, values in module.tables.items()
    ]
    links = [f"@link{k} = global ptr null" for k in range(len(module.links))]
    hints = [f"!{n} = distinct !{{!{n}, {_HINTS[hint]}}}" for n, hint in enumerate(w.hints, 1)]
    defined = {f"@{f.name}" for f in module.functions}
    declared = [line for name, line in sorted(w.declarations.items()) if name not in defined]
    return "\n".join([*declared, *tables, *links, *functions, *(_METADATA if hints else ()), *hints, ""])


class _Writer:
    def __init__(self) -> None:
        self.hints: list[str] = []  # of loops that carry one, which have numbers
        self.declarations: dict[str, str] = {}  # of all that is called, by its name
        self.forms: dict[str, Callable[[Instruction], str]] = {
            "call": self._call, "br": self._br, "load": _load, "store": _store, "getelementptr": _place,
            "select": _select, "phi": _phi, "alloca": _alloca, "atomicrmw": _changed, "cmpxchg": _exchanged,
            "extractvalue": _extracted, "insertelement": _first, "shufflevector": _spread, "extractelement": _lane,
            **dict.fromkeys(_CASTS, _converted),
        }  # fmt: skip

    def function(self, f: Function) -> str:
        """Return a function."""
        forms, lines = self.forms, []
        for label, instructions in f.blocks:
            if label:
                lines.append(f"{label}:")
            for x in instructions:
                result, opcode, type, operands, flags = x
                if opcode in forms:
                    words = forms[opcode](x)
                else:  # as most
                    words = f"{' '.join([opcode, *flags, type])} {', '.join(operands)}"
                lines.append(f"  {result} = {words}" if result else f"  {words}")
        kind = f"internal {f.type}" if f.internal else f.type
        body = "\n".join(lines)
        return f"define {kind} @{f.name}({', '.join(map(_parameter, f.parameters))}) {f.attributes} {{\n{body}\n}}"

    def _call(self, x: Instruction) -> str:
        _, _, type, (callee, *arguments), types = x
        if callee[0] == "@" and callee not in self.declarations:
            pure = "" if callee in _EFFECTS or callee.startswith("@llvm.") else " nounwind willreturn memory(none)"
            self.declarations[callee] = f"declare {type} {callee}({', '.join(types)}){pure}"
        return f"call {type} {callee}({', '.join(map(' '.join, zip(types, arguments, strict=True)))})"

    def _br(self, x: Instruction) -> str:
        hint = ""
        if x.flags:
            self.hints.append(x.flags[0])
            hint = f", !llvm.loop !{len(self.hints)}"
        if len(x.operands) == 1:
            return f"br label %{x.operands[0]}{hint}"
        condition, yes, no = x.operands
        return f"br i1 {condition}, label %{yes}, label %{no}{hint}"


def _parameter(p: Parameter) -> str:
    return f"{p.type} noalias {p.name}" if p.alone else f"{p.type} {p.name}"


def _converted(x: Instruction) -> str:
    return f"{x.opcode} {x.flags[0]} {x.operands[0]} to {x.type}"


def _load(x: Instruction) -> str:
    _, _, type, (place,), flags = x
    return (
        f"load atomic {type}, ptr {place} {flags[0]}, align 8" if flags else f"load {type}, ptr {place}{_aligned(type)}"
    )


def _store(x: Instruction) -> str:
    _, _, type, (value, place), flags = x
    if flags:
        return f"store atomic {type} {value}, ptr {place} {flags[0]}, align 8"
    return f"store {type} {value}, ptr {place}{_aligned(type)}"


def _aligned(type: str) -> str:
    return _ALIGNED[type.split(" ")[-1]] if type[0] == "<" else ""


def _place(x: Instruction) -> str:
    _, _, type, (start, entries), (index,) = x
    return f"getelementptr {type}, ptr {start}, {index} {entries}"


def _select(x: Instruction) -> str:
    condition, a, b = x.operands
    return f"select i1 {condition}, {x.type} {a}, {x.type} {b}"


def _phi(x: Instruction) -> str:
    return f"phi {x.type} {', '.join(f'[{value}, %{label}]' for value, label in x.choices)}"


def _alloca(x: Instruction) -> str:
    type = f"[{x.operands[0]} x {x.type}]" if x.operands else x.type
    return f"alloca {type}, align {x.flags[0]}" if x.flags else f"alloca {type}"


def _changed(x: Instruction) -> str:
    how, order = x.flags
    return f"atomicrmw {how} ptr {x.operands[0]}, {x.type} {x.operands[1]} {order}"


def _exchanged(x: Instruction) -> str:
    place, old, new = x.operands
    return f"cmpxchg ptr {place}, {x.type} {old}, {x.type} {new} {' '.join(x.flags)}"


def _extracted(x: Instruction) -> str:
    return f"extractvalue {{ {x.type}, i1 }} {x.operands[0]}, {x.operands[1]}"


def _first(x: Instruction) -> str:
    return f"insertelement {x.type} poison, {x.flags[0]} {x.operands[0]}, i64 0"


def _spread(x: Instruction) -> str:
    return f"shufflevector {x.type} {x.operands[0]}, {x.type} poison, <{x.flags[0]} x i32> zeroinitializer"


def _lane(x: Instruction) -> str:
    return f"extractelement {x.flags[0]} {x.operands[0]}, i64 {x.operands[1]}"
