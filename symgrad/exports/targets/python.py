"""The target ``python``: a module that imports ``math`` alone, on numbers and nested lists of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symgrad.compiler.loops.errors import ExportError, unsupported
from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import LIBRARIES, PYTHON, LoopWriter
from symgrad.compiler.loops.words import WORDS
from symgrad.compiler.primitives.pairs import has_complex, in_pairs
from symgrad.compiler.primitives.views import View, whole
from symgrad.core.promotion import is_bool, is_complex, is_discrete
from symgrad.exports.embed import Embedded
from symgrad.exports.request import Request
from symgrad.exports.straight import straight
from symgrad.exports.targets.modules import docstring, structured
from symgrad.exports.targets.target import Source, Target

LARGE = 200_000  # entries of constants


def write(r: Request) -> Source:
    """Return a module with one function of numbers and lists; it computes with the parts of complex numbers."""
    real = replace(r, program=in_pairs(r.program)) if has_complex(r.program) else r
    inputs = [whole(f"v{k}", s) if s else View(f"v{k}", 0, (), ()) for k, s in enumerate(real.shapes, 1)]
    w = LoopWriter(r.sizes, "python", WORDS, [v.memory for v in inputs if v.shape])
    w.start(len(inputs))
    kept = [r.program.values[k].dtype for k in r.program.outputs]
    results = [_whole(t, d, s) for t, d, s in zip(_results(w, real, inputs), kept, _shapes(real), strict=True)]
    given = [is_complex(r.program.values[k].dtype) for k in r.program.inputs]
    flat = [_parts(p, len(s)) if c else _flat(p, len(s)) for p, s, c in zip(r.params, r.shapes, given, strict=True)]
    start = [f"{v.memory} = {text}" for v, text in zip(inputs, flat, strict=True)]
    start += _sizes(r)
    start += [f"{name} = [0.0] * ({w.size(n)})" for name, n in w.memory]
    start += ["status = 0"] if w.fails else []
    failed = ["if status:", '    raise ZeroDivisionError("a matrix is singular, or not positive definite")']
    lines = [*docstring(r, f"Computes {r.name} on numbers and nested lists of them."), *start, *w.lines]
    lines += failed if w.fails else []
    lines.append(f"return {structured(r.results, iter(results))}")
    return Source(_module(r, w, lines))


def _shapes(r: Request) -> list[tuple[Any, ...]]:
    return [r.program.values[k].shape for k in r.program.outputs]


def _whole(text: str, dtype: Any, shape: tuple[Any, ...]) -> str:
    """Return complex numbers of lists of two parts, of real ones the text itself."""
    if not is_complex(dtype):
        return text
    return f"complex(*{text})" if len(shape) == 1 else _deep("complex", text, len(shape) - 1, "*")


def _parts(name: str, depth: int) -> str:
    """Return nested lists of complex numbers as one list of real and imaginary parts in turn."""
    if depth == 0:
        return f"[float({name}.real), float({name}.imag)]"
    loops = " ".join(f"for e{k} in {f'e{k - 1}' if k > 1 else name}" for k in range(1, depth + 1))
    return f"[float(t) {loops} for t in (e{depth}.real, e{depth}.imag)]"


def _results(w: LoopWriter, r: Request, inputs: list[View]) -> list[str]:
    """Write the program, and return the texts of its results."""
    values = [r.program.values[k] for k in r.program.outputs]
    entries = straight(w, r.program, inputs)
    if entries is not None:
        flat = [e if v.shape else e[0] for e, v in zip(entries, values, strict=True)]
        return [_kind(_listed(w, f, v.shape), v) for f, v in zip(flat, values, strict=True)]
    views = w.run(r.program, inputs)
    texts = []
    for y, v in zip(views, values, strict=True):
        if not v.shape:
            texts.append(_kind(w.at(y, []), v))
            continue
        plain = w.settled(y)
        texts.append(_kind(f"{w.call('nested', plain.memory, _shape(w, v.shape))}", v))
    return texts


def _listed(w: LoopWriter, entries: Any, shape: Any) -> str:
    if not shape:
        return str(entries)
    if len(shape) == 1:
        return f"[{', '.join(entries)}]"
    return w.call("nested", f"[{', '.join(entries)}]", _shape(w, shape))


def _kind(text: str, v: Any) -> str:
    """Return a result as integers or booleans where it holds them."""
    if not is_discrete(v.dtype):
        return text
    kind = "bool" if is_bool(v.dtype) else "int"
    return f"{kind}({text})" if not v.shape else _deep(kind, text, len(v.shape))


def _deep(kind: str, text: str, depth: int, star: str = "") -> str:
    inner = "e" if depth == 1 else f"e{depth}"
    of_one = f"{kind}({star}{inner})" if depth == 1 else _deep(kind, inner, depth - 1, star)
    return f"[{of_one} for {inner} in {text}]"


def _shape(w: LoopWriter, shape: Any) -> str:
    return f"({', '.join(map(w.size, shape))},)"


def _flat(name: str, depth: int) -> str:
    """Return nested lists as one list."""
    if depth == 0:
        return f"float({name})"
    loops = " ".join(f"for e{k} in {f'e{k - 1}' if k > 1 else name}" for k in range(1, depth + 1))
    return f"[float(e{depth}) {loops}]"


def _sizes(r: Request) -> list[str]:
    """Return assignments that read sizes with names off the arguments."""
    lines: dict[Any, str] = {}
    for name, shape in zip(r.params, r.shapes, strict=True):
        for axis, n in enumerate(shape):
            if n in r.sizes and n not in lines:
                lines[n] = f"{r.sizes[n]} = len({name}{'[0]' * axis})"
    return list(lines.values())


def _module(r: Request, w: LoopWriter, lines: list[str]) -> str:
    embedded = Embedded(["math", *r.params, r.name, *r.sizes.values()], reader=kernels)
    for name in w.helpers:
        add(embedded, name, w.target)
    if sum(len(t) for t in w.tables.values()) > LARGE:
        raise ExportError(f"export: more than {LARGE} entries of constants. Make the arrays arguments of the function.")
    embedded.imports["import math"] = None
    tables = [f"{name} = ({''.join(f'{_number(x)}, ' for x in t.tolist())})" for name, t in w.tables.items()]
    blocks = ['"""A function and its derivatives in plain Python, written by symgrad."""\n\n'
              + "\n".join(sorted(embedded.imports))]  # fmt: skip
    blocks += ["\n".join(tables)] if tables else []
    blocks += embedded.texts
    inner = "\n".join(f"    {line}" if line else "" for line in lines)
    blocks.append(f"def {r.name}({', '.join(r.params)}):\n{inner}")
    return "\n\n\n".join(blocks) + "\n"


def add(embedded: Embedded, name: str, target_name: str) -> str:
    """Add a helper from the library that has it."""
    for library in (PYTHON, *LIBRARIES):
        if name in kernels(library).defined:
            return embedded.add(library, name)
    raise unsupported(name, target_name)


def _number(x: Any) -> str:
    if isinstance(x, int):
        return str(x)
    return (
        "math.nan"
        if x != x
        else ("math.inf" if x > 0 else "-math.inf")
        if x in (float("inf"), -float("inf"))
        else repr(x)
    )


TARGET = Target(write, ".py", complexes=True)
