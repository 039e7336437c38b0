"""Instructions as C: each is a line, a block a label, an innermost loop a ``for`` that C compilers make vector code of.

A sum that may be taken in any order is one of OpenMP's reductions, which need a flag of the compiler and no library;
all other numbers are rounded as written.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection
from typing import NamedTuple

from symgrad.compiler.backends.llvm.instructions import Block, Function, Instruction
from symgrad.compiler.backends.llvm.module import Module

TYPES = {
    "double": "double", "float": "float", "i1": "_Bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t",
    "i64": "int64_t", "ptr": "char *", "void": "void",
    **{f"<{n} x {t}>": f"{t}x{n}" for n in (2, 4, 8, 16) for t in ("double", "float")},
}  # fmt: skip
EXPORT = "symgrad_"  # what the names of functions begin with that are called from outside

_INFIX = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/", "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|",
          "xor": "^", "shl": "<<", "lshr": ">>", "sdiv": "/", "srem": "%"}  # fmt: skip
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_CASTS = {"bitcast", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui", "zext", "sext", "trunc"}
_BUILTIN = {"fma", "sqrt", "fabs", "copysign", "floor", "ceil", "trunc", "rint"}
_FUSED = "@llvm.fmuladd."  # a product that is added, rounded once where the processor does so
_EXTREMES = {"maximum": ">", "minimum": "<"}

_HEAD = """/* Written by symgrad. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define ROUNDED(x) __builtin_assoc_barrier(x) /* else GCC fuses products with sums of alternating signs */
#else
#define ROUNDED(x) (x)
#endif
#define INLINE static inline __attribute__((always_inline))
#define APART static __attribute__((noinline))
#if defined(__clang__)
#define FUSED _Pragma("clang fp contract(fast)")
#define FUSES
#else
#define FUSED
#define FUSES __attribute__((optimize("fp-contract=fast")))
#endif

INLINE int64_t bits_of_double(double x) { int64_t y; memcpy(&y, &x, 8); return y; }
INLINE double double_of_bits(int64_t x) { double y; memcpy(&y, &x, 8); return y; }
INLINE int32_t bits_of_float(float x) { int32_t y; memcpy(&y, &x, 4); return y; }
INLINE float float_of_bits(int32_t x) { float y; memcpy(&y, &x, 4); return y; }
"""
_EXTREME = "INLINE {t} {name}_{k}({t} x, {t} y) {{ return x != x ? x : y != y ? y : x {sign} y ? x : y; }}"
_OTHERS = {"@llvm.x86.sse2.pause": "__builtin_ia32_pause()", "@llvm.aarch64.hint": '__asm__ volatile("yield")'}
_ORDER = {"seq_cst": "__ATOMIC_SEQ_CST", "monotonic": "__ATOMIC_RELAXED"}
_CHANGE = {"add": "fetch_add", "sub": "fetch_sub", "xchg": "exchange_n"}


def translated(module: Module) -> str:
    """Return a module as C, with the function ``symgrad_link`` that is given the addresses of its pointers."""
    names = {f"@{f.name}" for f in module.functions}
    extremes = [
        _EXTREME.format(t=t, k=k, name=name, sign=sign)
        for name, sign in _EXTREMES.items()
        for k, t in (("f64", "double"), ("f32", "float"))
    ]
    vectors = {x.type for f in module.functions for b in f.blocks for x in b.instructions if x.type[0] == "<"}
    parts = [_HEAD, *extremes, *map(_vector, sorted(vectors)), f"static char *links[{max(1, len(module.links))}];"]
    for name, values in module.tables.items():
        parts.append(f"static const int64_t {_name(name)}[] = {{{', '.join(map(str, values))}}};")
    parts += [f"{_head(f)};" for f in module.functions]
    parts += [_Writer(f, names).text() for f in module.functions]
    parts.append(f"EXPORT void {EXPORT}link(char **from) {{ memcpy(links, from, sizeof links); }}")
    return "\n".join(parts) + "\n"


def _vector(type: str) -> str:
    """Return the definition of a vector's type."""
    wide, _, number = type.strip("<>").split(" ")
    size = {"double": 8, "float": 4}[number]
    return f"typedef {number} {TYPES[type]} __attribute__((vector_size({int(wide) * size}), aligned({size})));"


def _head(f: Function) -> str:
    params = [f"{TYPES[p.type]}{' restrict' if p.alone else ''} {_name(p.name)}" for p in f.parameters]
    kind = "INLINE" if "alwaysinline" in f.attributes else "APART" if "noinline" in f.attributes else "static"
    name = f"{kind} {TYPES[f.type]} {_called(f.name)}" if f.internal else f"EXPORT {TYPES[f.type]} {EXPORT}{f.name}"
    return f"{name}({', '.join(params) or 'void'})"


def _name(text: str) -> str:
    """Return a local name, or one of a table."""
    return text.lstrip("%@").replace(".", "_")


def _called(name: str) -> str:
    """Return the C name of a function: of the module, or of the C library."""
    return f"sg_{name.removeprefix('sg.').replace('.', '_')}"


class _Writer:
    """The text of one function."""

    def __init__(self, f: Function, functions: Collection[str]) -> None:
        self.f, self.functions = f, functions
        self.lines: list[str] = []
        self.types: dict[str, str] = {}  # of names that are declared at the top
        self.same: dict[str, str] = {}  # names that stand for others
        loops = [_loop(f, k) for k in range(len(f.blocks) - 1)]
        self.loops = {x.head.label: x for x in loops if x is not None}
        self.ends = {x.end.label for x in self.loops.values()}
        self.phis = {b.label: b.phis for b in f.blocks if b.label not in self.loops}

    def text(self) -> str:
        """Return the function."""
        for b in self.f.blocks:
            if b.label:
                self.lines.append(f"{_name(b.label)}_:;")
            if b.label in self.loops:
                self._for(self.loops[b.label])
            elif b.label not in self.ends:
                self._block(b)
        declared = [f"  {t}{'' if t.endswith('*') else ' '}{name};" for name, t in self.types.items()]
        tiles = any(
            x.operands[0].startswith(_FUSED) for b in self.f.blocks for x in b.instructions if x.opcode == "call"
        )
        head = f"FUSES {_head(self.f)}" if tiles else _head(self.f)
        return "\n".join([head, "{", *["FUSED"] * tiles, *declared, *[f"  {line}" for line in self.lines], "}"])

    # -------------------------------------------------------------- blocks
    def _block(self, b: Block) -> None:
        for x in b.instructions:
            if x.opcode == "br":
                self._branch(b.label, x)
            elif x.opcode != "phi":
                self._put(x)

    def _branch(self, label: str, x: Instruction) -> None:
        target, *others = x.targets
        if not others:
            self.lines += self._way(label, target)
            return
        self.lines.append(f"if ({self.value(x.operands[0], 'i1')}) {{")
        self.lines += [f"  {line}" for line in self._way(label, target)]
        self.lines += ["}", *self._way(label, others[0])]

    def _way(self, source: str, target: str) -> list[str]:
        """Return the way from one block to another: assignments, of which all are read before one is written."""
        moves = []
        for phi in self.phis.get(target, ()):
            name, kind = _name(phi.result), TYPES[phi.type]
            self.types[name] = kind
            value = next(v for v, label in phi.choices if label == source)
            moves.append((name, kind, self.value(value, phi.type)))
        lines = [f"{name} = {value};" for name, _, value in moves]
        if len(moves) > 1:
            before = [f"{t} to_{name} = {value};" for name, t, value in moves]
            lines = ["{", *before, *[f"{name} = to_{name};" for name, _, _ in moves], "}"]
        return [*lines, f"goto {_name(target)}_;"]

    def _put(self, x: Instruction) -> None:
        kind, text = self._expression(x)
        if not x.result:
            self.lines.append(f"{text};")
            return
        self.types[_name(x.result)] = TYPES[kind]
        self.lines.append(f"{_name(x.result)} = {text};")

    # -------------------------------------------------------------- loops
    def _for(self, loop: Loop) -> None:
        """Write a loop; what it carries from turn to turn has one name, whether before or after a turn."""
        i = _name(loop.counter.result)
        phis = [p for p in loop.head.phis if p is not loop.counter]
        for phi in phis:
            name = _name(phi.result)
            self.types[name] = TYPES[phi.type]
            self.lines.append(f"{name} = {self.value(loop.enters(phi), phi.type)};")
        sums = loop.sums()
        if len(sums) < sum(p.type != "i64" for p in phis):
            sums = {}  # where more is carried on than can be taken in any order, all is in order
        after = {_name(loop.repeats(p)): _name(p.result) for p in phis}
        into = {new: after[_name(new)] for new in sums}
        body = [line for x in loop.body for line in self._inner(x, into)]
        self.same.update({_name(new): old for new, old in into.items()})
        body += [f"{old} = {new};" for new, old in after.items() if new not in self.same]
        self.same.update(after)
        flags = {_name(p.result): "|" for p in phis if p.type == "i64"}
        lost = self._pragma({into[new]: how for new, how in sums.items()} | flags) if sums else {}
        self.lines.append(f"for (int64_t {i} = {loop.start}; {i} < {loop.stop}; {i}++) {{")
        self.lines += [f"  {line}" for line in body]
        checks = [f'if ({nan}) {name} = __builtin_nan("");' for name, nan in lost.items()]
        self.lines += ["}", *checks, *self._way(loop.end.label, loop.end.instructions[-1].targets[1])]

    def _pragma(self, clauses: dict[str, str]) -> dict[str, str]:
        """Say which sums are taken in any order; return where it is noted that one of extremes met nan."""
        lost = {name: f"{name}_nan" for name, how in clauses.items() if how in ("max", "min")}
        for name, nan in lost.items():
            self.types[nan] = {"double": "int64_t", "float": "int32_t"}[self.types[name]]
            self.lines.append(f"{nan} = {name} != {name};")
        clauses = clauses | dict.fromkeys(lost.values(), "|")
        self.lines.append("#pragma omp simd " + " ".join(f"reduction({how}: {n})" for n, how in clauses.items()))
        return lost

    def _inner(self, x: Instruction, sums: dict[str, str]) -> list[str]:
        """Return the lines of an instruction inside of a loop; a sum is written into what it is added to.

        The largest of a row is found among numbers, and whether nan is there for itself, which is one instruction each.
        """
        old = sums.get(x.result)
        if old is not None and x.opcode == "call":
            new, sign = self.value(x.operands[-1], x.type), _EXTREMES[_intrinsic(x.operands[0])]
            return [f"{old} = {old} {sign} {new} ? {old} : {new};", f"{old}_nan |= {new} != {new};"]
        kind, text = self._expression(x)
        if old is not None:
            return [f"{old} = {text};"]
        return [f"{TYPES[kind]} {_name(x.result)} = {text};" if x.result else f"{text};"]

    # -------------------------------------------------------------- instructions
    def value(self, text: str, kind: str) -> str:
        """Return an operand."""
        if text[0] == "%":
            name = _name(text)
            return self.same.get(name, name)
        if text[0] == "@":
            return f"(char *){_called(text[1:]) if text in self.functions else _name(text)}"
        if text.startswith("0x"):
            return _literal(int(text, 16), kind)
        return {"true": "1", "false": "0", "null": "0"}.get(text) or (f"INT64_C({text})" if kind == "i64" else text)

    def _expression(self, x: Instruction) -> tuple[str, str]:
        """Return the type and the text of an instruction."""
        if x.opcode in _INFIX:
            return x.type, self._infix(x)
        if x.opcode in ("icmp", "fcmp"):
            return "i1", self._compared(x)
        if x.opcode in _CASTS:
            return x.type, self._converted(x)
        if x.opcode == "insertelement":  # a number, until it is spread
            return x.flags[0], self._number(x)
        method, kind = _METHODS[x.opcode]
        return kind or x.type, method(self, x)

    def _values(self, x: Instruction) -> list[str]:
        """Return operands that have the instruction's type."""
        return [self.value(o, x.type) for o in x.operands]

    def _infix(self, x: Instruction) -> str:
        a, b = self._values(x)
        if x.opcode == "fmul":
            return f"ROUNDED({a} * {b})"
        if x.opcode[0] == "f" or x.type == "i1" or x.opcode in ("and", "or", "xor") or "nsw" in x.flags:
            return f"{a} {_INFIX[x.opcode]} {b}"
        t = TYPES[x.type]
        return f"({t})((u{t}){a} {_INFIX[x.opcode]} (u{t}){b})"

    def _compared(self, x: Instruction) -> str:
        (how,), (a, b) = x.flags, self._values(x)
        if how == "uno":
            return f"({a} != {a}) | ({b} != {b})"
        u = f"(u{TYPES[x.type]})" if x.opcode == "icmp" and how[0] == "u" else ""
        return f"{u}{a} {_COMPARE[how if how in _COMPARE else how[1:]]} {u}{b}"

    def _converted(self, x: Instruction) -> str:
        (own,), a = x.flags, self.value(x.operands[0], x.flags[0])
        if x.opcode == "bitcast":
            name = f"bits_of_{own}" if own in ("double", "float") else f"{x.type}_of_bits"
            return f"{name}({a})"
        if x.type == "i1":  # the last bit, where C's boolean is whether there is any
            return f"{a} & 1"
        unsigned = x.opcode in ("uitofp", "zext") and own != "i1"
        through = f"(u{TYPES[own]})" if unsigned else "(uint64_t)" if x.opcode == "fptoui" else ""
        return f"({TYPES[x.type]}){through}{a}"

    def _negated(self, x: Instruction) -> str:
        return f"-{self._values(x)[0]}"

    def _rest(self, x: Instruction) -> str:
        return f"fmod{'f' if x.type == 'float' else ''}({', '.join(self._values(x))})"

    def _select(self, x: Instruction) -> str:
        condition, a, b = x.operands
        if condition == "true":
            return self.value(a, x.type)
        return f"{self.value(condition, 'i1')} ? {self.value(a, x.type)} : {self.value(b, x.type)}"

    def _call(self, x: Instruction) -> str:
        callee, *operands = x.operands
        args = [self.value(o, t) for o, t in zip(operands, x.flags, strict=True)]
        if callee in _OTHERS:
            return _OTHERS[callee]
        if callee.startswith(_FUSED):
            return f"{args[0]} * {args[1]} + {args[2]}"
        if callee.startswith("@llvm.memcpy"):
            return f"memcpy({', '.join(args[:3])})"
        if callee[0] == "%":
            types = ", ".join(TYPES[t] for t in x.flags) or "void"
            name = f"(({TYPES[x.type]} (*)({types})){_name(callee)})"
        elif callee in self.functions:
            name = _called(callee[1:])
        elif callee.startswith("@llvm."):
            name, f = _intrinsic(callee), callee.endswith(".f32")
            name = f"__builtin_{name}{'f' if f else ''}" if name in _BUILTIN else f"{name}_{'f32' if f else 'f64'}"
        else:
            name = callee[1:]
        return f"{name}({', '.join(args)})"

    def _memory(self, place: str, kind: str) -> str:
        return f"({_pointer(kind)}){self.value(place, 'ptr')}"

    def _load(self, x: Instruction) -> str:
        place = x.operands[0]
        if place.startswith("@link"):
            return f"links[{place.removeprefix('@link')}]"
        if x.flags:
            return f"__atomic_load_n({self._memory(place, x.type)}, {_ORDER[x.flags[0]]})"
        return f"*{self._memory(place, x.type)}"

    def _store(self, x: Instruction) -> str:
        into, value = self._memory(x.operands[1], x.type), self.value(x.operands[0], x.type)
        return f"__atomic_store_n({into}, {value}, {_ORDER[x.flags[0]]})" if x.flags else f"*{into} = {value}"

    def _place(self, x: Instruction) -> str:
        start, entries = x.operands
        return f"(char *)({self._memory(start, x.type)} + {self.value(entries, 'i64')})"

    def _changed(self, x: Instruction) -> str:
        """Change a number in memory, and return what it was."""
        (how, order), (place, by) = x.flags, x.operands
        return f"__atomic_{_CHANGE[how]}({self._memory(place, x.type)}, {self.value(by, x.type)}, {_ORDER[order]})"

    def _taken(self, x: Instruction) -> str:
        """Put the second number where the first is; whether it was."""
        place, *numbers = x.operands
        old, new = (self.value(n, x.type) for n in numbers)
        return f"__sync_bool_compare_and_swap({self._memory(place, x.type)}, {old}, {new})"

    def _is_taken(self, x: Instruction) -> str:
        """The second of what a ``cmpxchg`` gives, which is all that is kept."""
        return self.value(x.operands[0], "i1")

    def _alloca(self, x: Instruction) -> str:
        entries = int(x.operands[0]) if x.operands else 1
        size = entries * (1 if x.type == "i8" else 8)
        self.lines.append(f"_Alignas(64) char memory_{_name(x.result)}[{size}];")
        return f"memory_{_name(x.result)}"

    def _number(self, x: Instruction) -> str:
        return self.value(x.operands[0], x.flags[0])

    def _spread(self, x: Instruction) -> str:
        number = self.value(x.operands[0], x.type)
        return f"({TYPES[x.type]}){{{', '.join([number] * int(x.flags[0]))}}}"

    def _lane(self, x: Instruction) -> str:
        return f"{self.value(x.operands[0], x.flags[0])}[{x.operands[1]}]"

    def _ret(self, x: Instruction) -> str:
        return " ".join(["return", *self._values(x)])


_METHODS: dict[str, tuple[Callable[[_Writer, Instruction], str], str]] = {  # and what the result is, if not the type
    "fneg": (_Writer._negated, ""), "frem": (_Writer._rest, ""), "select": (_Writer._select, ""),
    "call": (_Writer._call, ""), "load": (_Writer._load, ""), "store": (_Writer._store, "void"),
    "getelementptr": (_Writer._place, "ptr"), "alloca": (_Writer._alloca, "ptr"), "ret": (_Writer._ret, "void"),
    "atomicrmw": (_Writer._changed, ""), "cmpxchg": (_Writer._taken, "i1"), "extractvalue": (_Writer._is_taken, "i1"),
    "shufflevector": (_Writer._spread, ""), "extractelement": (_Writer._lane, ""),
}  # fmt: skip


def _intrinsic(callee: str) -> str:
    """Return the word in LLVM's name of a function."""
    return callee.split(".")[1]


def _pointer(kind: str) -> str:
    return f"{TYPES[kind]}*" if kind == "ptr" else f"{TYPES[kind]} *"


class Loop(NamedTuple):
    """A loop without others inside, in steps of 1; what is computed inside is read inside, unless carried on."""

    head: Block
    end: Block
    counter: Instruction
    test: Instruction

    @property
    def start(self) -> str:
        """The first number."""
        return self.enters(self.counter).lstrip("%")

    @property
    def stop(self) -> str:
        """The number after the last."""
        return self.test.operands[1].lstrip("%")

    def enters(self, phi: Instruction) -> str:
        """Return the value before the first turn."""
        return next(v for v, label in phi.choices if label != self.end.label)

    def repeats(self, phi: Instruction) -> str:
        """Return the value after a turn."""
        return next(v for v, label in phi.choices if label == self.end.label)

    @property
    def counting(self) -> set[str]:
        """The names of the next number, and of whether it is below the end."""
        return {self.test.operands[0], self.test.result}

    @property
    def body(self) -> list[Instruction]:
        """The instructions of a turn, without those that count."""
        lines = [x for b in (self.head, self.end) for x in b.instructions if x.opcode not in ("phi", "br")]
        return [x for x in lines if x.result not in self.counting]

    def sums(self) -> dict[str, str]:
        """Return what is carried on and may be taken in any order, with how OpenMP calls it."""
        carried = {self.repeats(p): p.result for p in self.head.phis if p is not self.counter}
        sums = {x.result: _summed(x, carried[x.result]) for x in self.body if x.result in carried}
        return {name: how for name, how in sums.items() if how}

    def is_apart(self, f: Function) -> bool:
        """Whether nothing else in the function reads what is computed inside."""
        carried = {self.repeats(p) for p in self.head.phis if p is not self.counter}
        inside = {x.result for x in self.body if x.result} - carried | {self.counter.result, *self.counting}
        others = [b for b in f.blocks if b is not self.head and b is not self.end]
        return not any(o in inside for b in others for x in b.instructions for o in x.operands)


def _loop(f: Function, k: int) -> Loop | None:
    """Return the loop whose body is block k, and whose end is the next one; None where it is none, or is not simple."""
    head, end = f.blocks[k : k + 2]
    last = end.instructions[-1]
    if head.instructions[-1].operands != (end.label,) or last.opcode != "br" or len(last.operands) == 1:
        return None
    test = next((x for x in end.instructions if x.result == last.operands[0]), None)
    if last.targets[0] != head.label or test is None or (test.opcode, test.type, *test.flags) != ("icmp", "i64", "ult"):
        return None
    step, stop = test.operands
    counter = next((p for p in head.phis if (step, end.label) in p.choices), None)
    if counter is None or not (stop == "%hi" or stop.isdigit()):
        return None
    loop = Loop(head, end, counter, test)
    counts = any(x.result == step and x.operands == (counter.result, "1") for x in end.instructions)
    return loop if counts and loop.enters(counter) in ("0", "%lo") and loop.is_apart(f) else None


def _summed(x: Instruction, old: str) -> str:
    """Return how OpenMP calls a sum that goes on with the old one, if it may be taken in any order."""
    if x.opcode == "call" and x.operands[1] == old and x.operands[0].startswith("@llvm."):
        return _intrinsic(x.operands[0])[:3] if _intrinsic(x.operands[0]) in _EXTREMES else ""
    return "+" if "reassoc" in x.flags and x.operands[0] == old else ""


def _literal(bits: int, kind: str) -> str:
    """Return a number exactly."""
    x: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    end = "f" if kind == "float" else ""
    if x != x:
        return f'__builtin_nan{end}("")'
    if abs(x) == float("inf"):
        return f"({'-' if x < 0 else ''}__builtin_inf{end}())"
    return f"({x.hex()}{end})"
