"""The target ``c``: C99 that needs the mathematical library alone, with a header beside it.

The lines are those of the target ``python``, translated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from symgrad.exports.translate import Translator
from symgrad.support.foreign import comment

ON_STACK = 4096  # numbers up to which a function works in memory of its own
LARGE = 1_000_000  # entries of constants
MATH = re.compile(r"\b(NAN|INFINITY|HUGE_VAL|(?!sg_|(?:if|for|while|return|sizeof|int|long|double|void)\b)[a-z]\w*\()")


class Piece(NamedTuple):
    """A function in C: the functions that it calls, its text, and its declaration."""

    helpers: Sequence[str]
    text: str
    declaration: str


def write(r: Request) -> Source:
    """Return a C function, and its header as a file beside it."""
    return _file(r.name, [_piece(r)])


def write_static(r: Request) -> Source:
    """Return a C function whose intermediate arrays lie in static memory, and its header."""
    if r.sizes:
        raise ExportError(
            f"export: static=True needs a number for each size. Got the names {sorted(r.sizes.values())}; "
            "give numbers in shapes=."
        )
    return _file(r.name, [_piece(r, "static ")])


def write_together(name: str, requests: Sequence[Request], tables: Mapping[str, Any]) -> Source:
    """Return several functions and tables of integers in one file, and its header.

    Arrays in between lie in static memory: nothing is allocated, and one call runs at a time.
    """
    t = Translator()
    arrays = [_table(n, np.asarray(v), t).removeprefix("static ") for n, v in tables.items()]
    declared = [f"extern const long {n}[];" for n in tables]
    return _file(name, [_piece(r, "static ") for r in requests], declared, arrays)


def with_cmake(source: Source, file: str, name: str) -> Source:
    """Return a source with a CMakeLists.txt beside it, which makes a static library of its file."""
    lines = [
        "# Written by symgrad.", "cmake_minimum_required(VERSION 3.10)", f"project({name} C)",
        f"add_library({name}_c STATIC [==[{file}]==])", f"set_target_properties({name}_c PROPERTIES C_STANDARD 99)",
        f'target_include_directories({name}_c PUBLIC "${{CMAKE_CURRENT_SOURCE_DIR}}")', "if(UNIX)",
        f"  target_link_libraries({name}_c PUBLIC m)", "endif()",
    ]  # fmt: skip
    return source._replace(beside={**source.beside, "CMakeLists.txt": "\n".join(lines) + "\n"})


def _file(name: str, pieces: Sequence[Piece], declared: Sequence[str] = (), tables: Sequence[str] = ()) -> Source:
    """Return pieces as a source with its header; what several of them call stands there once."""
    helpers = list(dict.fromkeys(text for piece in pieces for text in piece.helpers))
    parts = [*helpers, *([*declared, *tables] if tables else []), *[piece.text for piece in pieces]]
    head = "\n".join(["/* Written by symgrad. */", *_includes("\n".join(parts))])
    header = _header(name, "\n\n".join([*[p.declaration for p in pieces], *declared]))
    return Source("\n\n".join([head, *parts]) + "\n", {".h": header})


def _includes(text: str) -> list[str]:
    """Return the lines that include the headers whose names C text uses outside its comments."""
    words = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    words = re.sub(r"^int \w+\(", "", words, flags=re.MULTILINE)  # the functions that are exported
    used = {"<math.h>": MATH.search(words), "<stdlib.h>": re.search(r"\b(calloc|free|size_t)\b", words)}
    return [f"#include {header}" for header, name in used.items() if name]


def _piece(r: Request, memory: str = "") -> Piece:
    """Return a function, which computes with the parts of complex numbers."""
    taken = [*r.params, *r.sizes.values(), r.name]
    outs = identifiers([f"out{k}" for k in range(len(r.program.outputs))], taken, C)
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
    prototype = _prototype(r, outs)
    return _function(r, w, prototype, outs, parts, memory)


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


def _prototype(r: Request, outs: list[str]) -> str:
    names = _complex(r, outs)
    kinds = {name: "double _Complex" if name in names else "double" for name in [*r.params, *outs]}
    args = [
        f"const {kinds[p]} *{p}" if s or p in names else f"double {p}" for p, s in zip(r.params, r.shapes, strict=True)
    ]
    args += [f"long {n}" for n in r.sizes.values()]
    args += [f"{kinds[out]} *{out}" for out in outs]
    return f"int {r.name}({', '.join(args) or 'void'})"


def _comment(r: Request, outs: list[str]) -> str:
    lines = [f"Computes {r.name}: numbers in rows, one after the other.", ""]
    lines += [f"  {comment(line)}" for line in signature(r)]
    lines += [f"  {out}: {comment(told)}" for out, told in zip(outs, results(r), strict=True)]
    lines += ["", "Returns 0; 1 where a matrix is singular or not positive definite; -1 where there is no memory."]
    return "/* " + "\n".join(f"   {line}".rstrip() if k else line for k, line in enumerate(lines)) + "\n*/"


def _header(name: str, declarations: str) -> str:
    guard = f"SYMGRAD_OF_{name}"  # as the name is written: f and F are two functions
    return (
        f'/* Written by symgrad. */\n#ifndef {guard}\n#define {guard}\n\n#ifdef __cplusplus\nextern "C" {{\n#endif\n\n'
        f"{declarations}\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n"
    )


def _function(r: Request, w: LoopWriter, prototype: str, outs: list[str], parts: dict[str, str], static: str) -> Piece:
    t = Translator()
    body = t.block(w.lines, ["status"])
    memory, release = _memory(w, t, static)
    text = "\n".join([*memory, *body])
    views = [
        f"{'const ' if p in r.params else ''}double *const {q} = ({'const ' if p in r.params else ''}double *){p};"
        for p, q in parts.items()
        if _mentions(text, q)
    ]
    text = "\n".join([*views, text])
    unused = [f"(void){p};" for p in [*r.params, *r.sizes.values(), *outs] if not _mentions(text, p)]
    lines = ["int status = 0;"] if w.fails else []
    lines += [*unused, *views, *memory, *body, *release]
    lines.append("return status > 0;" if w.fails else "return 0;")
    tables = [_table(name, values, t) for name, values in w.tables.items() if _mentions(text, name)]
    declaration = f"{_comment(r, outs)}\n{prototype};"
    function = "\n".join([declaration, "", prototype, "{", *[f"    {x}" for x in [*tables, *lines]], "}"])
    return Piece(t.texts, function, declaration)


def _mentions(text: str, name: str) -> bool:
    """Whether an identifier occurs in C text."""
    return re.search(rf"\b{name}\b", text) is not None


def _memory(w: LoopWriter, t: Translator, static: str) -> tuple[list[str], list[str]]:
    """Return declarations of the arrays in between: static, on the stack, or all in one piece from the heap."""
    if not w.memory:
        return [], []
    if all(isinstance(n, int) for _, n in w.memory) and (static or sum(n for _, n in w.memory) <= ON_STACK):
        return [f"{static}double {name}[{max(1, n)}];" for name, n in w.memory], []
    sizes = [t.text(w.size(n)) for _, n in w.memory]
    lines = [f"double *const work = (double *)calloc((size_t)(1 + {' + '.join(sizes)}), sizeof(double));"]
    lines += ["if (!work) {", "    return -1;", "}"]
    start = "work"
    for (name, _), size in zip(w.memory, sizes, strict=True):
        lines.append(f"double *const {name} = {start};")
        start = f"{name} + {size}"
    return lines, ["free(work);"]


def _table(name: str, values: Any, t: Translator) -> str:
    whole_numbers = is_integer(values.dtype)
    texts = [str(int(x)) if whole_numbers else _number(float(x)) for x in values.tolist()] or ["0"]
    return f"static const {'long' if whole_numbers else 'double'} {name}[] = {{{', '.join(texts)}}};"


def _number(x: float) -> str:
    if x != x:
        return "NAN"
    return repr(x) if abs(x) != float("inf") else "INFINITY" if x > 0 else "-INFINITY"


TARGET = Target(write, ".c", language=C, complexes=True)
