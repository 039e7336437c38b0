"""What a target is: a function from a request to text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.compiler.loops.errors import ExportError
from symgrad.core import trees
from symgrad.core.promotion import is_floating
from symgrad.errors import SymgradError
from symgrad.exports.names import PYTHON
from symgrad.exports.request import Form, Request
from symgrad.support.foreign import comment, literal

FORMULA = 60  # operations up to which a formula stands in a source
LONGEST = 240  # characters of a formula in a comment
SHORT = 9  # entries of a constant that is written out in one


class Source(NamedTuple):
    """The text of a target, and of files that go beside it, by their names, or the ends of these, such as ".h"."""

    text: str
    beside: Mapping[str, str] = MappingProxyType({})


class Target(NamedTuple):
    """The writer of a target.

    Attributes:
        write: from the request to the source.
        suffix: of the file's name.
        formulas: the number of operations up to which it asks for formulas.
        language: whose words its names must not be: "python" or "c".
        complexes: whether it writes complex numbers.
    """

    write: Callable[[Request], Source]
    suffix: str
    formulas: int = FORMULA
    language: str = PYTHON
    complexes: bool = False


# ------------------------------------------------------------------ what all targets say of a request
def shape_words(r: Request, shape: tuple[object, ...]) -> str:
    """Return a shape with sizes under the names that they have in the source."""
    sizes = [str(n.xreplace({k: sp.Symbol(v) for k, v in r.sizes.items()})) if isinstance(n, sp.Expr) else str(n)
             for n in shape]  # fmt: skip
    return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def signature(r: Request) -> list[str]:
    """Return a line for each argument: its name and shape."""
    return [f"{p}: {shape_words(r, s)}" for p, s in zip(r.params, r.shapes, strict=True)]


def returned(r: Request) -> list[str]:
    """Return a line for each result: its place, its shape and, where there is one, its formula."""
    return [f"result{place}: {told}" for place, told in zip(paths(r.results), results(r), strict=True)]


def results(r: Request) -> list[str]:
    """Return for each result its shape and, where there is one, its formula."""
    values = [r.program.values[k] for k in r.program.outputs]
    return [shape_words(r, v.shape) + formula_after(r, n) for n, v in enumerate(values)]


def formula_after(r: Request, n: int) -> str:
    """Return `` = formula`` of a result, or nothing."""
    form = r.forms[n] if n < len(r.forms) else None
    if form is None:
        return ""
    try:
        text, told = str(form), "; ".join(constants(r, form))
    except (SymgradError, TypeError, ValueError, RecursionError):
        return ""
    text = comment(f"{text}{'; ' if ' where ' in text else ' where '}{told}" if told else text)
    return f" = {text}" if len(text) <= LONGEST else ""


def constants(r: Request, form: Form) -> list[str]:
    """Return what the letters of a formula stand for that are not arguments: arrays that the function holds."""
    mine = [(form._names[id(leaf)], np.asarray(leaf.value)) for leaf in form._leaves if leaf.title not in r.params]
    return [f"{name} = {_entries(a)}" if a.size <= SHORT else f"{name}: {a.shape}, a constant" for name, a in mine]


def _entries(a: Any) -> str:
    """Return a small array as nested lists."""
    if a.ndim:
        return f"[{', '.join(map(_entries, a))}]"
    return f"{a:.6g}" if is_floating(a.dtype) else str(a)


def paths(tree: trees.Tree, path: str = "") -> Iterator[str]:
    """Yield where each result is found in what the function returns, such as ``[1][0]``."""
    if isinstance(tree, trees.ArrayLeaf):
        yield path
    elif isinstance(tree, trees.ContainerSpec):
        for k, part in enumerate(tree.parts):
            yield from paths(part, f"{path}[{key_text(tree.keys[k]) if issubclass(tree.kind, dict) else k}]")


def key_text(key: object) -> str:
    """Return a key of a result as Python reads it."""
    try:
        return literal(key)
    except TypeError as error:
        raise ExportError(f"export: a key of the result cannot be written: {error}") from None
