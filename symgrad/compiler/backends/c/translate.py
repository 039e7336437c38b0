"""IR as C: an instruction is a line, a block a label, an innermost loop a ``for`` that C compilers make vector code of.

What is read is the text that symgrad writes, not all of LLVM's language. A sum that may be taken in any order is one of
OpenMP's reductions, which need a flag of the compiler and no library; all other numbers are rounded as written.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

TYPES = {
    "double": "double", "float": "float", "i1": "_Bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t",
    "i64": "int64_t", "ptr": "char *", "void": "void",
}  # fmt: skip
EXPORT = "symgrad_"  # what the names of functions begin with that are called from outside

_INFIX = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/", "add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|",
          "xor": "^", "shl": "<<", "lshr": ">>", "sdiv": "/", "srem": "%"}  # fmt: skip
_COMPARE = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BUILTIN = {"fma": "fma", "sqrt": "sqrt", "fabs": "fabs", "copysign": "copysign", "floor": "floor", "ceil": "ceil",
            "trunc": "trunc", "rint": "rint"}  # fmt: skip
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

INLINE int64_t bits_of_double(double x) { int64_t y; memcpy(&y, &x, 8); return y; }
INLINE double double_of_bits(int64_t x) { double y; memcpy(&y, &x, 8); return y; }
INLINE int32_t bits_of_float(float x) { int32_t y; memcpy(&y, &x, 4); return y; }
INLINE float float_of_bits(int32_t x) { float y; memcpy(&y, &x, 4); return y; }
"""
_EXTREME = "INLINE {t} {name}_{k}({t} x, {t} y) {{ return x != x ? x : y != y ? y : x {sign} y ? x : y; }}"
_PAUSE = {"llvm.x86.sse2.pause": "__builtin_ia32_pause()", "llvm.aarch64.hint": '__asm__ volatile("yield")'}
_ORDER = {"seq_cst": "__ATOMIC_SEQ_CST", "monotonic": "__ATOMIC_RELAXED"}
_CHANGE = {"add": "fetch_add", "sub": "fetch_sub", "xchg": "exchange_n"}
_LINE = re.compile(r"(?:%(\S+) = )?(\S+)\s*(.*)")


class Instruction(NamedTuple):
    """``%result = word rest``; without a result it is empty."""

    result: str
    word: str
    rest: str

    @property
    def kind(self) -> str:
        """The type that stands first."""
        return self.rest.split(" ", 1)[0]


class Block(NamedTuple):
    """Instructions under a label; the last leaves it."""

    label: str
    lines: list[Instruction]

    @property
    def phis(self) -> list[Instruction]:
        """What has another value by where the block is entered from."""
        return [x for x in self.lines if x.word == "phi"]


class Function(NamedTuple):
    """The text of a function's first line, and its blocks."""

    internal: bool
    type: str
    name: str
    params: str
    attributes: str
    blocks: list[Block]


def translated(text: str, links: int) -> str:
    """Return a module of IR as C, with the function ``symgrad_link`` that is given the addresses of its pointers."""
    functions = list(_functions(text))
    names, tables = {f.name for f in functions}, re.findall(r"@(\S+) = private constant \[\d+ x i64\] \[(.*)\]", text)
    extremes = [
        _EXTREME.format(t=t, k=k, name=name, sign=sign)
        for name, sign in _EXTREMES.items()
        for k, t in (("f64", "double"), ("f32", "float"))
    ]
    parts = [_HEAD, *extremes, f"static char *links[{max(1, links)}];"]
    parts += [f"static const int64_t {_name(n)}[] = {{{values.replace('i64 ', '')}}};" for n, values in tables]
    parts += [f"{_head(f)};" for f in functions]
    parts += [_Writer(f, names).text() for f in functions]
    parts.append(f"EXPORT void {EXPORT}link(char **from) {{ memcpy(links, from, sizeof links); }}")
    return "\n".join(parts) + "\n"


def _functions(text: str) -> Iterator[Function]:
    """Read the functions that a module defines."""
    head = re.compile(r"define (internal )?(\S+) @(\S+?)\((.*?)\)(.*) \{")
    blocks: list[Block] = []
    start: Sequence[str] = ()
    for line in text.splitlines():
        if not start:
            match = head.fullmatch(line)
            if match:
                start, blocks = match.groups(default=""), [Block("", [])]
        elif line == "}":
            internal, kind, name, params, attributes = start
            yield Function(bool(internal), kind, name, params, attributes, [b for b in blocks if b.lines])
            start = ()
        elif line.endswith(":"):
            blocks.append(Block(line[:-1], []))
        elif line.strip():
            blocks[-1].lines.append(_instruction(line.strip()))


def _instruction(line: str) -> Instruction:
    match = _LINE.fullmatch(line)
    assert match is not None  # every line begins with a word
    result, word, rest = match.groups(default="")
    return Instruction(result, word, re.sub(r", !llvm\.loop !\d+$|, align \d+$", "", rest))


def _head(f: Function) -> str:
    params = [p.split() for p in f.params.split(", ") if p]
    texts = [f"{TYPES[p[0]]}{' restrict' if 'noalias' in p else ''} {_name(p[-1])}" for p in params]
    kind = "INLINE" if "alwaysinline" in f.attributes else "APART" if "noinline" in f.attributes else "static"
    name = f"{kind} {TYPES[f.type]} {_called(f.name)}" if f.internal else f"EXPORT {TYPES[f.type]} {EXPORT}{f.name}"
    return f"{name}({', '.join(texts) or 'void'})"


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
        return "\n".join([_head(self.f), "{", *declared, *[f"  {line}" for line in self.lines], "}"])

    # -------------------------------------------------------------- blocks
    def _block(self, b: Block) -> None:
        for x in b.lines[len(b.phis) :]:
            if x.word == "br":
                self._branch(b.label, x.rest)
            else:
                self._put(x)

    def _branch(self, label: str, rest: str) -> None:
        targets = _targets(rest)
        if len(targets) == 1:
            self.lines += [*self._moves(label, targets[0]), f"goto {_name(targets[0])}_;"]
            return
        condition = rest.split(" ")[1].rstrip(",")
        self.lines.append(f"if ({self.value(condition, 'i1')}) {{")
        self.lines += [f"  {line}" for line in [*self._moves(label, targets[0]), f"goto {_name(targets[0])}_;"]]
        self.lines += ["}", *self._moves(label, targets[1]), f"goto {_name(targets[1])}_;"]

    def _moves(self, source: str, target: str) -> list[str]:
        """Return the assignments on the way from one block to another: all are read before one is written."""
        moves = []
        for phi in self.phis.get(target, ()):
            kind = phi.kind
            self.types[_name(phi.result)] = TYPES[kind]
            value = next(v for v, s in _choices(phi) if s == source)
            moves.append((_name(phi.result), TYPES[kind], self.value(value, kind)))
        if len(moves) < 2:
            return [f"{name} = {value};" for name, _, value in moves]
        before = [f"{t} to_{name} = {value};" for name, t, value in moves]
        return ["{", *before, *[f"{name} = to_{name};" for name, _, _ in moves], "}"]

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
            name, first = _name(phi.result), next(v for v, s in _choices(phi) if s != loop.end.label)
            self.types[name] = TYPES[phi.kind]
            self.lines.append(f"{name} = {self.value(first, phi.kind)};")
        after = {_name(v): _name(p.result) for p in phis for v, s in _choices(p) if s == loop.end.label}
        sums = {x.result: how for x in loop.body if (how := _summed(x, after.get(_name(x.result)))) is not None}
        if len(sums) < sum(p.kind != "i64" for p in phis):
            sums = {}  # where more is carried on than can be taken in any order, all is in order
        body = [line for x in loop.body for line in self._inner(x, after if x.result in sums else {})]
        self.same.update({name: after[name] for name in map(_name, sums)})
        body += [f"{old} = {new};" for new, old in after.items() if new not in self.same]
        self.same.update(after)
        flags = {_name(p.result): "|" for p in phis if p.kind == "i64"}
        lost = self._pragma({after[_name(new)]: how for new, how in sums.items()} | flags) if sums else {}
        self.lines.append(f"for (int64_t {i} = {loop.start}; {i} < {loop.stop}; {i}++) {{")
        self.lines += [f"  {line}" for line in body]
        out = _targets(loop.end.lines[-1].rest)[1]
        checks = [f'if ({nan}) {name} = __builtin_nan("");' for name, nan in lost.items()]
        self.lines += ["}", *checks, *self._moves(loop.end.label, out), f"goto {_name(out)}_;"]

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
        name = _name(x.result)
        if name in sums and x.word == "call":
            old, given = sums[name], self.value(x.rest.rpartition(" ")[2].rstrip(")"), x.kind)
            sign = next(sign for word, sign in _EXTREMES.items() if f".{word}." in x.rest)
            return [f"{old} = {old} {sign} {given} ? {old} : {given};", f"{old}_nan |= {given} != {given};"]
        kind, text = self._expression(x)
        if name in sums:
            return [f"{sums[name]} = {text};"]
        return [f"{TYPES[kind]} {name} = {text};" if name else f"{text};"]

    # -------------------------------------------------------------- instructions
    def value(self, text: str, kind: str) -> str:
        """Return an operand."""
        if text[0] == "%":
            name = _name(text)
            return self.same.get(name, name)
        if text[0] == "@":
            return f"(char *){_called(text[1:]) if text[1:] in self.functions else _name(text)}"
        if text.startswith("0x"):
            return _literal(int(text, 16), kind)
        return {"true": "1", "false": "0", "null": "0"}.get(text) or (
            f"INT64_C({text})" if kind == "i64" else f"{text}f" if kind == "float" else text
        )

    def _expression(self, x: Instruction) -> tuple[str, str]:
        """Return the type and the text of an instruction."""
        if x.word in _INFIX:
            return self._infix(x)
        if x.word in ("icmp", "fcmp"):
            return self._compared(x)
        if x.word in ("bitcast", "fpext", "fptrunc", "sitofp", "uitofp", "fptosi", "fptoui", "zext", "sext", "trunc"):
            return self._converted(x)
        return {
            "fneg": self._negated, "select": self._select, "call": self._call, "load": self._load, "store": self._store,
            "frem": self._rest, "getelementptr": self._place, "alloca": self._alloca, "ret": self._ret,
            "atomicrmw": self._changed, "cmpxchg": self._taken, "extractvalue": self._is_taken,
        }[x.word](x)  # fmt: skip

    def _infix(self, x: Instruction) -> tuple[str, str]:
        *flags, kind, rest = _words(x.rest)
        a, b = (self.value(v, kind) for v in rest.split(", "))
        if x.word == "fmul":
            return kind, f"ROUNDED({a} * {b})"
        if x.word[0] == "f" or kind == "i1" or x.word in ("and", "or", "xor") or "nsw" in flags:
            return kind, f"{a} {_INFIX[x.word]} {b}"
        return kind, f"({TYPES[kind]})((u{TYPES[kind]}){a} {_INFIX[x.word]} (u{TYPES[kind]}){b})"

    def _compared(self, x: Instruction) -> tuple[str, str]:
        how, kind, rest = x.rest.split(" ", 2)
        a, b = (self.value(v, kind) for v in rest.split(", "))
        if how == "uno":
            return "i1", f"({a} != {a}) | ({b} != {b})"
        unsigned = x.word == "icmp" and how[0] == "u"
        u = f"(u{TYPES[kind]})" if unsigned else ""
        return "i1", f"{u}{a} {_COMPARE[how if how in _COMPARE else how[1:]]} {u}{b}"

    def _converted(self, x: Instruction) -> tuple[str, str]:
        source, _, kind = x.rest.rpartition(" to ")
        own, text = source.split(" ", 1)
        a = self.value(text, own)
        if x.word == "bitcast":
            name = f"bits_of_{own}" if own in ("double", "float") else f"{kind}_of_bits"
            return kind, f"{name}({a})"
        if kind == "i1":  # the last bit, where C's boolean is whether there is any
            return kind, f"{a} & 1"
        unsigned = x.word in ("uitofp", "zext") and own != "i1"
        through = f"(u{TYPES[own]})" if unsigned else "(uint64_t)" if x.word == "fptoui" else ""
        return kind, f"({TYPES[kind]}){through}{a}"

    def _negated(self, x: Instruction) -> tuple[str, str]:
        kind, a = x.rest.split(" ")
        return kind, f"-{self.value(a, kind)}"

    def _rest(self, x: Instruction) -> tuple[str, str]:
        kind, rest = x.rest.split(" ", 1)
        a, b = (self.value(v, kind) for v in rest.split(", "))
        return kind, f"fmod{'f' if kind == 'float' else ''}({a}, {b})"

    def _select(self, x: Instruction) -> tuple[str, str]:
        condition, a, b = (part.split(" ") for part in x.rest.split(", "))
        kind = a[0]
        if condition[1] == "true":
            return kind, self.value(a[1], kind)
        return kind, f"{self.value(condition[1], 'i1')} ? {self.value(a[1], kind)} : {self.value(b[1], kind)}"

    def _call(self, x: Instruction) -> tuple[str, str]:
        match = re.fullmatch(r"(\S+) ([%@]\S+?)\((.*)\)", x.rest)
        assert match is not None  # all calls are written so
        kind, callee, given = match.groups()
        pairs = [part.split(" ") for part in given.split(", ") if part]
        args = [self.value(p[-1], p[0]) for p in pairs]
        if callee[0] == "%":
            types = ", ".join(TYPES[p[0]] for p in pairs) or "void"
            return kind, f"(({TYPES[kind]} (*)({types})){_name(callee)})({', '.join(args)})"
        return kind, f"{self._callee(callee[1:], args)}"

    def _callee(self, name: str, args: Sequence[str]) -> str:
        if name.startswith("llvm.memcpy"):
            return f"memcpy({', '.join(args[:3])})"
        if name in _PAUSE:
            return _PAUSE[name]
        if name.startswith("llvm."):
            _, word, kind = name.split(".")
            name = f"__builtin_{_BUILTIN[word]}{'f' if kind == 'f32' else ''}" if word in _BUILTIN else f"{word}_{kind}"
        elif "." in name or re.fullmatch(r"(nest|part)\d+|body", name):
            name = _called(name)
        return f"{name}({', '.join(args)})"

    def _load(self, x: Instruction) -> tuple[str, str]:
        kind, rest = x.rest.split(", ptr ")
        if rest.startswith("@link"):
            return kind, f"links[{rest.removeprefix('@link')}]"
        if kind.startswith("atomic "):
            kind, (place, order) = kind.removeprefix("atomic "), rest.split(" ")
            return kind, f"__atomic_load_n(({_pointer(kind)}){self.value(place, 'ptr')}, {_ORDER[order]})"
        return kind, f"*({_pointer(kind)}){self.value(rest, 'ptr')}"

    def _store(self, x: Instruction) -> tuple[str, str]:
        given, place = x.rest.split(", ptr ")
        if given.startswith("atomic "):
            (_, kind, text), (place, order) = given.split(" "), place.split(" ")
            into = f"({_pointer(kind)}){self.value(place, 'ptr')}"
            return "void", f"__atomic_store_n({into}, {self.value(text, kind)}, {_ORDER[order]})"
        kind, text = given.split(" ")
        return "void", f"*({_pointer(kind)}){self.value(place, 'ptr')} = {self.value(text, kind)}"

    def _place(self, x: Instruction) -> tuple[str, str]:
        kind, start, position = x.rest.split(", ")
        n = self.value(position.split(" ")[1], "i64")
        return "ptr", f"(char *)(({_pointer(kind)}){self.value(start.split(' ')[1], 'ptr')} + {n})"

    def _changed(self, x: Instruction) -> tuple[str, str]:
        """``add ptr %place, i64 1 seq_cst``: change a number in memory, and return what it was."""
        how, _, place, kind, by, order = x.rest.replace(",", "").split(" ")
        into = f"({_pointer(kind)}){self.value(place, 'ptr')}"
        return kind, f"__atomic_{_CHANGE[how]}({into}, {self.value(by, kind)}, {_ORDER[order]})"

    def _taken(self, x: Instruction) -> tuple[str, str]:
        """``ptr %place, i64 0, i64 1 seq_cst seq_cst``: put the second number where the first is; whether it was."""
        _, place, kind, old, _, new, *_ = x.rest.replace(",", "").split(" ")
        into = f"({_pointer(kind)}){self.value(place, 'ptr')}"
        return "i1", f"__sync_bool_compare_and_swap({into}, {self.value(old, kind)}, {self.value(new, kind)})"

    def _is_taken(self, x: Instruction) -> tuple[str, str]:
        """``{ i64, i1 } %both, 1``: the second of what a ``cmpxchg`` gives, which is all that is kept."""
        return "i1", self.value(x.rest.split(" ")[-2].rstrip(","), "i1")

    def _alloca(self, x: Instruction) -> tuple[str, str]:
        array = re.match(r"\[(\d+) x (\w+)\]", x.rest)
        size = int(array.group(1)) * (1 if array.group(2) == "i8" else 8) if array else 8
        self.lines.append(f"_Alignas(64) char memory_{_name(x.result)}[{size}];")
        return "ptr", f"memory_{_name(x.result)}"

    def _ret(self, x: Instruction) -> tuple[str, str]:
        kind, _, text = x.rest.partition(" ")
        return "void", f"return {self.value(text, kind)}" if text else "return"


def _pointer(kind: str) -> str:
    return f"{TYPES[kind]}*" if kind == "ptr" else f"{TYPES[kind]} *"


def _words(rest: str) -> list[str]:
    """Split the flags and the type off the operands."""
    head, _, b = rest.partition(", ")
    *words, a = head.split(" ")
    return [*words, f"{a}, {b}"]


def _targets(rest: str) -> list[str]:
    """Return the labels that a branch goes to."""
    return re.findall(r"label %([^\s,]+)", rest)


def _choices(phi: Instruction) -> list[tuple[str, str]]:
    """Return the values of a phi, and the blocks that they come from."""
    return re.findall(r"\[([^\s,]+), %([^\s\]]+)\]", phi.rest)


class Loop(NamedTuple):
    """A loop without others inside, in steps of 1; what is computed inside is read inside, unless carried on."""

    head: Block
    end: Block
    counter: Instruction
    start: str
    stop: str

    @property
    def body(self) -> list[Instruction]:
        """The instructions of a turn, without those that count."""
        lines = [x for x in [*self.head.lines, *self.end.lines] if x.word not in ("phi", "br")]
        return [x for x in lines if x.result not in _counting(self.end)]


def _counting(end: Block) -> tuple[str, str]:
    """Return the names of the next number, and of whether it is below the end."""
    test = end.lines[-1].rest.split(" ")[1].strip("%,")
    of = next((x.rest for x in end.lines if x.result == test), "")
    match = re.fullmatch(r"ult i64 %(\S+), (\d+|%hi)", of)
    return (match.group(1) if match else ""), test


def _loop(f: Function, k: int) -> Loop | None:
    """Return the loop whose body is block k, and whose end is the next one; None where it is none, or is not simple."""
    head, end = f.blocks[k : k + 2]
    last = end.lines[-1].rest
    if head.lines[-1].rest != f"label %{end.label}" or not last.startswith("i1") or not head.phis:
        return None
    if _targets(last)[0] != head.label:
        return None
    step, test = _counting(end)
    counter = next((p for p in head.phis if (f"%{step}"[1:], end.label) in [(v[1:], s) for v, s in _choices(p)]), None)
    start = "" if counter is None else next(v for v, s in _choices(counter) if s != end.label)
    if counter is None or start not in ("0", "%lo"):
        return None
    if not any(x.result == step and x.rest.endswith(f" %{counter.result}, 1") for x in end.lines):
        return None
    stop = next(x.rest.rsplit(" ", 1)[1] for x in end.lines if x.result == test)
    loop = Loop(head, end, counter, start.lstrip("%"), stop.lstrip("%"))
    carried = {v for p in head.phis for v, s in _choices(p) if s == end.label and p is not counter}
    inside = {f"%{x.result}" for x in loop.body if x.result} - carried | {f"%{step}", f"%{test}", f"%{counter.result}"}
    read = {n for b in f.blocks if b is not head and b is not end for x in b.lines
            for n in re.findall(r"%[\w.]+", x.rest)}  # fmt: skip
    return None if inside & read else loop


def _summed(x: Instruction, old: str | None) -> str | None:
    """Return how OpenMP calls a sum of what a loop carries, which may be taken in any order; None where it is none."""
    if old is None or f"%{old}," not in x.rest.replace(".", "_"):
        return None
    return "+" if "reassoc" in x.rest else next((n[:3] for n in _EXTREMES if f"@llvm.{n}." in x.rest), None)


def _literal(bits: int, kind: str) -> str:
    """Return a number exactly."""
    x: float = struct.unpack("<d", struct.pack("<Q", bits))[0]
    end = "f" if kind == "float" else ""
    if x != x:
        return f'__builtin_nan{end}("")'
    if abs(x) == float("inf"):
        return f"({'-' if x < 0 else ''}__builtin_inf{end}())"
    return f"({x.hex()}{end})"
