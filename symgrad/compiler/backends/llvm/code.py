"""Primitives as LLVM instructions on one number: what scalar programs and loops share.

A boolean is an i1; it becomes a number where one is asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from symgrad.compiler.backends.llvm.math import FUNCTIONS, LIMIT, definitions
from symgrad.compiler.backends.llvm.module import Level, Module
from symgrad.compiler.backends.llvm.pool import Pool
from symgrad.compiler.primitives.elements import TRUTH

_SIZES = (8, 16, 32, 64)
TYPES = {"f64": "double", "f32": "float", "i1": "i1", **{f"{s}{n}": f"i{n}" for n in _SIZES for s in "iu"}}
STORED = {**TYPES, "i1": "i8"}
_KINDS = {"float64": "f64", "float32": "f32", "bool": "i1", **{f"{w}{n}": f"{w[0]}{n}" for n in _SIZES
                                                                for w in ("int", "uint")}}  # fmt: skip
_ARITHMETIC = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
_INTEGER = {"add": "add", "sub": "sub", "mul": "mul"}  # which wrap around
_COMPARE = {"lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge", "eq": "oeq", "ne": "une"}
# What the C library computes for single numbers; loops use the branch-free functions of ``math``.
LIBM = frozenset({
    "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin",
    "acos", "atan", "atan2", "asinh", "acosh", "atanh", "erf", "erfc", "pow",
})  # fmt: skip
# The primitives that there is code for.
KNOWN = TRUTH | {"select", "neg", "cast_float32", "cast_float64"} | set(_ARITHMETIC) | LIBM | set(FUNCTIONS)

_INTRINSICS = (
    "declare double @llvm.fabs.f64(double)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    *[f"declare {t} @llvm.{name}.{k}({t}, {t})" for k, t in (("f64", "double"), ("f32", "float"))
      for name in ("maximum", "minimum")],
)  # fmt: skip

_HINT = (
    '!9000 = !{!"llvm.loop.vectorize.predicate.enable", i1 true}', '!9001 = !{!"llvm.loop.unroll.disable"}',
    '!9002 = !{!"llvm.loop.vectorize.enable", i1 false}',
)  # fmt: skip


def kind_of(dtype: Any) -> str:
    """Return the kind of number that a dtype holds."""
    return _KINDS[np.dtype(dtype).name]


def constant(value: float, kind: str) -> str:
    """Return a number's text, exactly."""
    if kind == "f32":
        with np.errstate(over="ignore"):
            value = float(np.float32(value))
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


class Used:
    """What code needs besides itself: functions of ``math`` and of the C library, and addresses of this process."""

    def __init__(self, pool: Callable[[], Pool] | None = None) -> None:
        self.pool = pool  # asked where a loop is large
        self.own: set[tuple[str, str]] = set()
        self.libm: set[tuple[str, str]] = set()
        self._hints: list[str] = []  # of loops that carry one
        self.asks = False  # whether long loops ask for signals, such as Ctrl-C
        self._links: dict[int, int] = {}

    def masked(self) -> str:
        """Return a new loop's hint that it is short: to be vectorised with masks, without a scalar rest."""
        return self._hinted("!9000, !9001")

    def kept(self) -> str:
        """Return a new loop's hint that it stays one, neither unrolled nor vectorised, which would take long."""
        return self._hinted("!9001, !9002")

    def _hinted(self, hints: str) -> str:
        self._hints.append(hints)
        return f", !llvm.loop !{len(self._hints)}"

    def link(self, address: int) -> str:
        """Return the instruction that reads an address of this process."""
        return f"load ptr, ptr @link{self._links.setdefault(address, len(self._links))}"

    def module(self, functions: str, level: Level) -> Module:
        """Return functions with all that they call."""
        links = "".join(f"@link{k} = global ptr null\n" for k in range(len(self._links)))
        return Module(f"{self.text()}{links}{functions}", level, tuple(self._links))

    def text(self) -> str:
        """Return what the module defines and declares for them."""
        text = f"{_declarations(self.libm)}\n{definitions(sorted(self.own))}\n"
        text += "\n".join(line for line in _INTRINSICS if line not in text) + "\n"
        hints = [f"!{n} = distinct !{{!{n}, {words}}}" for n, words in enumerate(self._hints, 1)]
        return "\n".join([text, *_HINT, *hints, ""])


class Code:
    """A growing block of instructions; a value is (text, kind)."""

    def __init__(self, prefix: str, libm: bool, used: Used, indent: str = "  ") -> None:
        self.prefix, self.libm, self.used, self.indent = prefix, libm, used, indent
        self.lines: list[str] = []
        self.count = 0

    def set(self, text: str) -> str:
        """Append an instruction and return its result's name."""
        self.count += 1
        name = f"%{self.prefix}{self.count}"
        self.lines.append(f"{self.indent}{name} = {text}")
        return name

    def line(self, text: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"{self.indent}{text}")

    def number(self, value: tuple[str, str], kind: str) -> str:
        """Return a value as a number of this kind."""
        text, own = value
        if own == kind:
            return text
        if kind[0] in "iu":
            return self._whole(text, own, kind)
        if own[0] in "iu":
            unsigned = own == "i1" or own[0] == "u"
            return self.set(f"{'uitofp' if unsigned else 'sitofp'} {TYPES[own]} {text} to {TYPES[kind]}")
        return self.set(f"{'fpext' if kind == 'f64' else 'fptrunc'} {TYPES[own]} {text} to {TYPES[kind]}")

    def _whole(self, text: str, own: str, kind: str) -> str:
        """Return a value as an integer: in 64 bits first, of which a narrow one keeps the last, as NumPy's casts do."""
        if own[0] == "f":
            text = self.set(f"{'fptoui' if kind == 'u64' else 'fptosi'} {TYPES[own]} {text} to i64")
        elif own not in ("i64", "u64"):
            unsigned = own == "i1" or own[0] == "u"
            text = self.set(f"{'zext' if unsigned else 'sext'} {TYPES[own]} {text} to i64")
        return text if kind in ("i64", "u64") else self.set(f"trunc i64 {text} to {TYPES[kind]}")

    def truth(self, value: tuple[str, str]) -> str:
        """Return a value as an i1: whether it is nonzero."""
        text, own = value
        if own == "i1":
            return text
        return self.set(f"icmp ne {TYPES[own]} {text}, 0" if own[0] in "iu" else f"fcmp une {TYPES[own]} {text}, 0.0")

    def apply(self, name: str, args: list[tuple[str, str]], kind: str) -> tuple[str, str]:
        """Append a primitive and return its result."""
        sign = _ARITHMETIC.get(name)
        if sign is not None and args[0][1] == kind == args[1][1] and kind[0] == "f":  # as most
            return self.set(f"{sign} {TYPES[kind]} {args[0][0]}, {args[1][0]}"), kind
        if name in ("and", "or", "not"):
            bits = [self.truth(a) for a in args]
            return self.set(f"{'xor' if name == 'not' else name} i1 {bits[0]}, {(*bits, 'true')[1]}"), "i1"
        if name == "select":
            return self._select(args, kind)
        if name in _COMPARE:
            own = _common(args)
            a, b = (self.number(x, own) for x in args)
            if own == "i64":
                return self.set(f"icmp {name if name in ('eq', 'ne') else f's{name}'} i64 {a}, {b}"), "i1"
            return self.set(f"fcmp {_COMPARE[name]} {TYPES[own]} {a}, {b}"), "i1"
        if name == "cast_int64":
            return self._rounded(args[0]), kind
        if name.startswith("cast_"):
            return self.number(args[0], kind), kind
        xs = [self.number(a, kind) for a in args]
        return self._number_of(name, xs, kind), kind

    def _number_of(self, name: str, xs: list[str], kind: str) -> str:
        t = TYPES[kind]
        if kind[0] == "i":
            return self.set(f"sub {t} 0, {xs[0]}" if name == "neg" else f"{_INTEGER[name]} {t} {xs[0]}, {xs[1]}")
        if name in _ARITHMETIC:
            return self.set(f"{_ARITHMETIC[name]} {t} {xs[0]}, {xs[1]}")
        if name == "neg":
            return self.set(f"fneg {t} {xs[0]}")
        library = name in LIBM and (self.libm or name not in FUNCTIONS)
        if self.libm and not library and (name, kind) in LIMIT:
            name = f"{name}.exact"
        (self.used.libm if library else self.used.own).add((name, kind))
        own = f"@{name}{'f' if kind == 'f32' else ''}" if library else f"@sg.{name}.{kind}"
        return self.set(f"call {t} {own}({', '.join(f'{t} {x}' for x in xs)})")

    def _rounded(self, x: tuple[str, str]) -> str:
        """Return a number without its fraction as an integer; the lowest one for nan and what none holds, as NumPy."""
        text = self.number(x, "f64")
        size = self.set(f"call double @llvm.fabs.f64(double {text})")
        fits = self.set(f"fcmp olt double {size}, {constant(2.0**63, 'f64')}")
        whole = self.number((self.set(f"select i1 {fits}, double {text}, double {constant(0.0, 'f64')}"), "f64"), "i64")
        return self.set(f"select i1 {fits}, i64 {whole}, i64 {-(2**63)}")

    def _select(self, args: list[tuple[str, str]], kind: str) -> tuple[str, str]:
        condition = self.truth(args[0])
        own = "i1" if all(k == "i1" for _, k in args[1:]) else kind
        a, b = (self.truth(x) if own == "i1" else self.number(x, own) for x in args[1:])
        return self.set(f"select i1 {condition}, {TYPES[own]} {a}, {TYPES[own]} {b}"), own


def _common(args: list[tuple[str, str]]) -> str:
    """The kind in which values are compared; a number is rounded to the kind of what it meets."""
    kinds = {k for text, k in args if not text.startswith("0x")}
    if "i64" in kinds <= {"i64", "i1"}:
        return "i64"
    return "f32" if "f32" in kinds and "f64" not in kinds else "f64"


def _declarations(used: set[tuple[str, str]]) -> str:
    """Return the declarations of the C library's functions that are used."""
    lines = []
    for name, kind in sorted(used):
        t = TYPES[kind]
        count = 2 if name in ("pow", "atan2") else 1
        own = f"{name}{'f' if kind == 'f32' else ''}"
        lines.append(f"declare {t} @{own}({', '.join([t] * count)}) nounwind willreturn memory(none)")
    return "\n".join(lines)
