"""The target ``c``: C99 that needs the mathematical library alone, with a header beside it.

The lines are those of the target ``python``, translated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from symgrad.compiler.loops.errors import ExportError, unsupported
from symgrad.compiler.loops.programs import LoopWriter, has
from symgrad.compiler.loops.words import WORDS
from symgrad.compiler.primitives.pairs import has_complex, in_pairs
from symgrad.compiler.primitives.views import View, whole
from symgrad.core.promotion import is_complex, is_integer
from symgrad.exports.names import C, identifiers
from symgrad.exports.request import Request
from symgrad.exports.straight import straight
from symgrad.exports.targets.target import Source, Target, results, signature
from symgrad.exports.translate import DOUBLE, Translator
from symgrad.ops.shape import total
from symgrad.support.foreign import comment
from symgrad.support.plain import ascii_source, ascii_text

ON_STACK = 4096  # numbers up to which a function works in memory of its own
LARGE = 1_000_000  # entries of constants
MATH = re.compile(
    r"\b(NAN|INFINITY|HUGE_VAL|(?!sg_|(?:if|for|while|return|sizeof|int|long|double|float|void)\b)[a-z]\w*\()"
)


class Options(NamedTuple):
    """The writer of C.

    Attributes:
        real: the type of numbers, "double" or "float".
        static: whether intermediate arrays lie in static memory.
        ascii: whether comments are in ASCII.
    """

    real: str = DOUBLE
    static: bool = False
    ascii: bool = False

    @property
    def memory(self) -> str:
        """The prefix of the declaration of an intermediate array."""
        return "static " if self.static else ""


class Piece(NamedTuple):
    """A function in C: the functions that it calls, its text, its declaration, and its sizes for the header."""

    helpers: Sequence[str]
    text: str
    declaration: str
    sizes: Mapping[str, int]


class Tables(NamedTuple):
    """What a matrix is besides its entries: arrays of integers, such as its compressed columns, and sizes."""

    arrays: Mapping[str, Any] = MappingProxyType({})
    sizes: Mapping[str, int] = MappingProxyType({})


DEFAULTS, NO_TABLES = Options(), Tables()


def write(r: Request, options: Options = DEFAULTS) -> Source:
    """Return a C function, and its header as a file beside it."""
    return write_together(r.name, [r], options=options)


def write_together(
    name: str, requests: Sequence[Request], tables: Tables = NO_TABLES, options: Options = DEFAULTS
) -> Source:
    """Return functions and tables of integers in one file, and its header."""
    named = sorted({n for r in requests for n in r.sizes.values()})
    if options.static and named:
        raise ExportError(
            f"export: static=True needs a number for each size. Got the names {named}; give numbers in shapes=."
        )
    source = _file(name, [_piece(r, options) for r in requests], tables)
    return plain(source) if options.ascii else source


def plain(source: Source) -> Source:
    """Return a source whose comments are in ASCII; there is nothing else that is not."""
    texts = {ending: _plain(text) for ending, text in source.beside.items()}
    return Source(_plain(source.text), texts)


def _plain(text: str) -> str:
    return ascii_source(text).replace("??", "? ?")  # two would begin a trigraph


def _file(name: str, pieces: Sequence[Piece], tables: Tables) -> Source:
    """Return pieces as a source with its header; what several of them call stands there once."""
    declared = [f"extern const long {n}[];" for n in tables.arrays]
    arrays = [table(n, np.asarray(v), Translator()).removeprefix("static ") for n, v in tables.arrays.items()]
    helpers = list(dict.fromkeys(text for piece in pieces for text in piece.helpers))
    parts = [*helpers, *declared, *arrays, *[piece.text for piece in pieces]]
    head = "\n".join(["/* Written by symgrad. */", *_includes("\n".join(parts))])
    sizes = {**{n: size for p in pieces for n, size in p.sizes.items()}, **tables.sizes}
    declarations = "\n\n".join([*_enumeration(sizes), *[p.declaration for p in pieces], *declared])
    return Source("\n\n".join([head, *parts]) + "\n", {".h": header(name, declarations)})


def _enumeration(sizes: Mapping[str, int]) -> list[str]:
    """Return sizes as constants in C, whose enumerations hold at least numbers of 31 bits."""
    lines = [f"    {name} = {size}" for name, size in sizes.items() if size < 2**31]
    return ["/* Numbers of entries. */\nenum {\n" + ",\n".join(lines) + "\n};"] if lines else []


def _includes(text: str) -> list[str]:
    """Return the lines that include the headers whose names C text uses outside its comments."""
    words = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    words = re.sub(r"^int \w+\(", "", words, flags=re.MULTILINE)  # the functions that are exported
    used = {"<math.h>": MATH.search(words), "<stdlib.h>": re.search(r"\b(calloc|free|size_t)\b", words)}
    return [f"#include {header}" for header, name in used.items() if name]


def _piece(r: Request, options: Options) -> Piece:
    """Return a function, which computes with the parts of complex numbers."""
    taken = [*r.params, *r.sizes.values(), r.name]
    outs = outputs(r)
    real = replace(r, program=in_pairs(r.program)) if has_complex(r.program) else r
    parts = _parts(r, outs, [*taken, *outs])
    inputs = [
        whole(parts.get(p, p), s) if s else View(p, 0, (), ()) for p, s in zip(r.params, real.shapes, strict=True)
    ]
    into = [parts.get(out, out) for out in outs]
    w = LoopWriter(r.sizes, "c", WORDS, [*[v.memory for v in inputs if v.shape], *into])
    _results(w, real, inputs, into)
    for name in w.helpers:
        if not has(name):
            raise unsupported(name, "c")
    if sum(len(t) for t in w.tables.values()) > LARGE:
        raise ExportError(f"export: more than {LARGE} entries of constants. Make the arrays arguments of the function.")
    return _function(r, w, outs, parts, options)


def outputs(r: Request) -> list[str]:
    """Return what the results are called."""
    return identifiers([f"out{k}" for k in range(len(r.program.outputs))], [*r.params, *r.sizes.values(), r.name], C)


def _complex(r: Request, outs: list[str]) -> list[str]:
    """Return the complex arguments and results."""
    named = zip([*r.params, *outs], [*r.program.inputs, *r.program.outputs], strict=True)
    return [name for name, k in named if is_complex(r.program.values[k].dtype)]


def _parts(r: Request, outs: list[str], taken: list[str]) -> dict[str, str]:
    """Return a name for the parts of each complex argument and result, as they lie in memory."""
    names = _complex(r, outs)
    return dict(zip(names, identifiers([f"{n}_parts" for n in names], taken, C), strict=True))


def _results(w: LoopWriter, r: Request, inputs: list[View], outs: list[str]) -> None:
    values = [r.program.values[k] for k in r.program.outputs]
    entries = straight(w, r.program, inputs)
    if entries is not None:
        for out, texts in zip(outs, entries, strict=True):
            for k, text in enumerate(texts):
                w.line(f"{out}[{k}] = {text}")
        return
    views = w.run(r.program, inputs)
    for out, y, v in zip(outs, views, values, strict=True):
        w.copy(y, whole(out, v.shape))


def _prototype(r: Request, outs: list[str], real: str) -> str:
    names = _complex(r, outs)
    kinds = {name: f"{real} _Complex" if name in names else real for name in [*r.params, *outs]}
    args = [
        f"const {kinds[p]} *{p}" if s or p in names else f"{kinds[p]} {p}"
        for p, s in zip(r.params, r.shapes, strict=True)
    ]
    args += [f"long {n}" for n in r.sizes.values()]
    args += [f"{kinds[out]} *{out}" for out in outs]
    return f"int {r.name}({', '.join(args) or 'void'})"


def _sizes(r: Request, outs: list[str]) -> dict[str, int]:
    """Return how many entries each array has, where it is known."""
    values = [r.program.values[k] for k in [*r.program.inputs, *r.program.outputs]]
    known = [(n, v.shape) for n, v in zip([*r.params, *outs], values, strict=True) if v.shape or n in outs]
    return {f"{r.name}_{n}_size": total(s) for n, s in known if all(isinstance(size, int) for size in s)}


def _comment(r: Request, outs: list[str], is_ascii: bool) -> str:
    told = [*signature(r), *[f"{out}: {result}" for out, result in zip(outs, results(r), strict=True)]]
    lines = [f"Computes {r.name}: numbers in rows, one after the other.", ""]
    lines += [f"  {comment(ascii_text(line) if is_ascii else line)}" for line in told]
    lines += ["", "Returns 0; 1 where a matrix is singular or not positive definite; -1 where there is no memory."]
    return "/* " + "\n".join(f"   {line}".rstrip() if k else line for k, line in enumerate(lines)) + "\n*/"


def header(name: str, declarations: str) -> str:
    """Return a header file with these declarations."""
    guard = f"SYMGRAD_OF_{name}"  # as the name is written: f and F are two functions
    return (
        f'/* Written by symgrad. */\n#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n'
        f"{declarations}\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )


def _function(r: Request, w: LoopWriter, outs: list[str], parts: dict[str, str], options: Options) -> Piece:
    t = Translator(real=options.real)
    body = t.block(w.lines, ["status"])
    memory, release = _memory(w, t, options.memory)
    text = "\n".join([*memory, *body])
    kinds = {p: f"{'const ' if p in r.params else ''}{options.real} *" for p in parts}
    views = [f"{kinds[p]}const {q} = ({kinds[p]}){p};" for p, q in parts.items() if _mentions(text, q)]
    text = "\n".join([*views, text])
    unused = [f"(void){p};" for p in [*r.params, *r.sizes.values(), *outs] if not _mentions(text, p)]
    lines = ["long status = 0;"] if w.fails else []
    lines += [*unused, *views, *memory, *body, *release]
    lines.append("return status > 0;" if w.fails else "return 0;")
    tables = [table(name, values, t) for name, values in w.tables.items() if _mentions(text, name)]
    prototype = _prototype(r, outs, options.real)
    declaration = f"{_comment(r, outs, options.ascii)}\n{prototype};"
    function = "\n".join([declaration, "", prototype, "{", *[f"    {x}" for x in [*tables, *lines]], "}"])
    return Piece(t.texts, function, declaration, _sizes(r, outs))


def _mentions(text: str, name: str) -> bool:
    """Whether an identifier occurs in C text."""
    return re.search(rf"\b{name}\b", text) is not None


def _memory(w: LoopWriter, t: Translator, static: str) -> tuple[list[str], list[str]]:
    """Return declarations of the arrays in between: static, on the stack, or all in one piece from the heap."""
    if not w.memory:
        return [], []
    if all(isinstance(n, int) for _, n in w.memory) and (static or sum(n for _, n in w.memory) <= ON_STACK):
        return [f"{static}{t.real} {name}[{max(1, n)}];" for name, n in w.memory], []
    sizes = [t.text(w.size(n)) for _, n in w.memory]
    real = t.real
    lines = [f"{real} *const work = ({real} *)calloc((size_t)(1 + {' + '.join(sizes)}), sizeof({real}));"]
    lines += ["if (!work) {", "    return -1;", "}"]
    start = "work"
    for (name, _), size in zip(w.memory, sizes, strict=True):
        lines.append(f"{real} *const {name} = {start};")
        start = f"{name} + {size}"
    return lines, ["free(work);"]


def table(name: str, values: Any, t: Translator) -> str:
    """Return an array of constants."""
    is_whole = is_integer(values.dtype)
    texts = [str(int(x)) if is_whole else t.number(float(x)) for x in values.tolist()] or ["0"]
    return f"static const {'long' if is_whole else t.real} {name}[] = {{{', '.join(texts)}}};"


TARGET = Target(write, ".c", language=C, complexes=True)
