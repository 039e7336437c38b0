"""Python modules that hold one function: header, helpers, signature, docstring, body, results in their structure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symgrad.core import trees
from symgrad.exports.arrays.dialect import Dialect
from symgrad.exports.arrays.operations import WORDS
from symgrad.exports.arrays.programs import ArrayWriter, is_view
from symgrad.exports.request import Request
from symgrad.exports.targets.target import key_text, returned, signature
from symgrad.support.foreign import docstring as quoted
from symgrad.support.foreign import literal


def structured(tree: trees.Tree, values: Iterator[str]) -> str:
    """Return an expression that puts results into their structure; containers of other kinds are tuples."""
    if isinstance(tree, trees.ArrayLeaf):
        return next(values)
    if isinstance(tree, trees.Static):
        return literal(tree.value) if isinstance(tree.value, (bool, int, str)) else "None"
    parts = [structured(p, values) for p in tree.parts]
    if issubclass(tree.kind, dict):
        return f"{{{', '.join(f'{key_text(k)}: {p}' for k, p in zip(tree.keys, parts, strict=True))}}}"
    if tree.kind is list:
        return f"[{', '.join(parts)}]"
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def docstring(r: Request, first: str, more: Sequence[str] = ()) -> list[str]:
    """Return the lines of the function's docstring."""
    lines = ["", "Args:"]
    lines += [f"    {line}" for line in signature(r)] or ["    none"]
    lines += ["", "Returns:"]
    lines += [f"    {line}" for line in returned(r)]
    return [f'"""{quoted(first)}', *map(quoted, [*lines, *more]), '"""']


def size_lines(r: Request, values: Sequence[str]) -> list[str]:
    """Return assignments that read the sizes with names off the arguments."""
    lines: dict[Any, str] = {}
    for name, shape in zip(values, r.shapes, strict=True):
        for axis, n in enumerate(shape):
            if n in r.sizes and n not in lines:
                lines[n] = f"{r.sizes[n]} = {name}.shape[{axis}]"
    return list(lines.values())


def body(r: Request, dialect: Dialect, convert: Sequence[str]) -> list[str]:
    """Return the function's lines: arguments as arrays, sizes, steps, and the return."""
    names = [f"v{k}" for k in range(1, len(r.params) + 1)]
    start = [f"{v} = {text}" for v, text in zip(names, convert, strict=True)]
    writer = ArrayWriter(r.program, dialect, WORDS, names, r.sizes, len(names))
    e = writer.e
    results = [dialect.result(t, e.dtypes[k], is_view(e, k), e.value(k)) for t, k in zip(writer.results, e.outputs)]
    return [*start, *size_lines(r, names), *writer.lines, f"return {structured(r.results, iter(results))}"]


def module(
    head: Sequence[str], dialect: Dialect, decorators: Sequence[str], name: str, params: Sequence[str],
    lines: Sequence[str],
) -> str:  # fmt: skip
    """Return the text of the module."""
    e = dialect.embedded
    imports = sorted({*dialect.imports, *e.imports}, key=lambda t: (t.startswith("from"), t))
    blocks = ["\n".join([*head, "", *imports])]
    blocks += ["\n".join(dialect.constants)] if dialect.constants else []
    blocks += [*e.texts, *dialect.steps]
    inner = "\n".join(f"    {line}" if line else "" for line in lines)
    blocks.append("\n".join([*decorators, f"def {name}({', '.join(params)}):", inner]))
    return "\n\n\n".join(blocks) + "\n"
