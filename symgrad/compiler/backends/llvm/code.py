"""Primitives as instructions on one number: what scalar programs and loops share.

A boolean is an i1; it becomes a number where one is requested.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.compiler.backends.llvm.instructions import Function, Recorder, constant
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


def kind_of(dtype: Any) -> str:
    """Return the kind of number that a dtype holds."""
    return _KINDS[np.dtype(dtype).name]


ZERO = constant(0.0, "f64")


class Used:
    """What code needs besides itself: functions of ``math``, tables, and addresses of this process."""

    def __init__(self, pool: Callable[[], Pool] | None = None) -> None:
        self.pool = pool  # asked where a loop is large
        self.own: set[tuple[str, str]] = set()
        self.asks = False  # whether long loops ask for signals, such as Ctrl-C
        self._tables: dict[str, tuple[int, ...]] = {}
        self._links: dict[int, int] = {}

    def table(self, name: str, values: tuple[int, ...]) -> str:
        """Return where constant integers lie, under a name of the module."""
        self._tables[name] = values
        return f"@{name}"

    def link(self, address: int) -> str:
        """Return where an address of this process is read from."""
        return f"@link{self._links.setdefault(address, len(self._links))}"

    def module(self, functions: Sequence[Function], level: Level) -> Module:
        """Return functions with all that they call."""
        return Module([*definitions(self.own), *functions], level, tuple(self._links), self._tables)


class Code(Recorder):
    """A growing block of instructions; a value is (text, kind)."""

    def __init__(self, prefix: str, libm: bool, used: Used) -> None:
        super().__init__(prefix)
        self.libm, self.used = libm, used

    def convert(self, opcode: str, text: str, own: str, kind: str) -> str:
        """Append a conversion between types of numbers."""
        return self.set(opcode, TYPES[kind], text, flags=(TYPES[own],))

    def compare(self, how: str, kind: str, a: str, b: str) -> str:
        """Append a comparison of two numbers of a kind."""
        return self.set("fcmp" if kind[0] == "f" else "icmp", TYPES[kind], a, b, flags=(how,))

    def number(self, value: tuple[str, str], kind: str) -> str:
        """Return a value as a number of this kind."""
        text, own = value
        if own == kind:
            return text
        if kind[0] in "iu":
            return self._whole(text, own, kind)
        if own[0] in "iu":
            return self.convert("uitofp" if own == "i1" or own[0] == "u" else "sitofp", text, own, kind)
        return self.convert("fpext" if kind == "f64" else "fptrunc", text, own, kind)

    def read(self, kind: str, place: str) -> str:
        """Append the reading of an entry of an array."""
        value = self.load(STORED[kind], place)
        return self.set("icmp", "i8", value, "0", flags=("ne",)) if kind == "i1" else value

    def stored(self, value: tuple[str, str], kind: str) -> str:
        """Return a value as arrays of a kind hold it."""
        if kind == "i1":
            return self.set("zext", "i8", self.truth(value), flags=("i1",))
        return self.number(value, kind)

    def next(self, counter: str) -> None:
        """Append the counter of a loop's next turn."""
        self.set("add", "i64", counter, "1", flags=("nuw", "nsw"), name=f"{counter}.next")

    def _whole(self, text: str, own: str, kind: str) -> str:
        """Return a value as an integer: in 64 bits first, of which a narrow one keeps the last, as NumPy's casts do."""
        if own[0] == "f":
            text = self.convert("fptoui" if kind == "u64" else "fptosi", text, own, "i64")
        elif own not in ("i64", "u64"):
            text = self.convert("zext" if own == "i1" or own[0] == "u" else "sext", text, own, "i64")
        return text if kind in ("i64", "u64") else self.convert("trunc", text, "i64", kind)

    def truth(self, value: tuple[str, str]) -> str:
        """Return a value as an i1: whether it is nonzero."""
        text, own = value
        if own == "i1":
            return text
        return self.compare("ne", own, text, "0") if own[0] in "iu" else self.compare("une", own, text, ZERO)

    def apply(self, name: str, args: list[tuple[str, str]], kind: str) -> tuple[str, str]:
        """Append a primitive and return its result."""
        sign = _ARITHMETIC.get(name)
        if sign is not None and args[0][1] == kind == args[1][1] and kind[0] == "f":  # as most
            return self.set(sign, TYPES[kind], args[0][0], args[1][0]), kind
        if name in ("and", "or", "not"):
            bits = [self.truth(a) for a in args]
            return self.set("xor" if name == "not" else name, "i1", bits[0], (*bits, "true")[1]), "i1"
        if name == "select":
            return self._select(args, kind)
        if name in _COMPARE:
            own = _common(args)
            a, b = (self.number(x, own) for x in args)
            if own == "i64":
                return self.compare(name if name in ("eq", "ne") else f"s{name}", own, a, b), "i1"
            return self.compare(_COMPARE[name], own, a, b), "i1"
        if name == "cast_int64":
            return self._rounded(args[0]), kind
        if name.startswith("cast_"):
            return self.number(args[0], kind), kind
        xs = [self.number(a, kind) for a in args]
        return self._number_of(name, xs, kind), kind

    def _number_of(self, name: str, xs: list[str], kind: str) -> str:
        t = TYPES[kind]
        if kind[0] == "i":
            return self.set("sub", t, "0", xs[0]) if name == "neg" else self.set(_INTEGER[name], t, *xs)
        if name in _ARITHMETIC:
            return self.set(_ARITHMETIC[name], t, *xs)
        if name == "neg":
            return self.set("fneg", t, xs[0])
        library = name in LIBM and (self.libm or name not in FUNCTIONS)
        if self.libm and not library and (name, kind) in LIMIT:
            name = f"{name}.exact"
        if library:
            return self.call(t, f"@{name}{'f' if kind == 'f32' else ''}", *[(t, x) for x in xs])
        self.used.own.add((name, kind))
        return self.call(t, f"@sg.{name}.{kind}", *[(t, x) for x in xs])

    def _rounded(self, x: tuple[str, str]) -> str:
        """Return a number without its fraction as an integer; the lowest one for nan and what none holds, as NumPy."""
        text = self.number(x, "f64")
        size = self.call("double", "@llvm.fabs.f64", ("double", text))
        fits = self.compare("olt", "f64", size, constant(2.0**63, "f64"))
        whole = self.number((self.set("select", "double", fits, text, ZERO), "f64"), "i64")
        return self.set("select", "i64", fits, whole, str(-(2**63)))

    def _select(self, args: list[tuple[str, str]], kind: str) -> tuple[str, str]:
        condition = self.truth(args[0])
        own = "i1" if all(k == "i1" for _, k in args[1:]) else kind
        a, b = (self.truth(x) if own == "i1" else self.number(x, own) for x in args[1:])
        return self.set("select", TYPES[own], condition, a, b), own


def _common(args: list[tuple[str, str]]) -> str:
    """The kind in which values are compared; a number is rounded to the kind of what it meets."""
    kinds = {k for text, k in args if not text.startswith("0x")}
    if "i64" in kinds <= {"i64", "i1"}:
        return "i64"
    return "f32" if "f32" in kinds and "f64" not in kinds else "f64"
