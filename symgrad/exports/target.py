"""What a target is: a function from a request to text, registered under its name. Imports names and request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import sympy as sp

from symgrad import trees
from symgrad.errors import SymgradError
from symgrad.exports.names import comment
from symgrad.exports.request import Request

FORMULA = 60  # operations up to which a formula stands in a source
LONGEST = 240  # characters of a formula in a comment


class Source(NamedTuple):
    """The text of a target, and of files that go beside it, by the ends of their names."""

    text: str
    beside: Mapping[str, str] = MappingProxyType({})


class Target(NamedTuple):
    """How a target is written.

    Attributes:
        write: from the request to the source.
        suffix: of the file's name.
        formulas: the number of operations up to which it asks for formulas.
    """

    write: Callable[[Request], Source]
    suffix: str
    formulas: int = FORMULA


TARGETS: dict[str, Target] = {}


def target(
    name: str, suffix: str, formulas: int = FORMULA
) -> Callable[[Callable[[Request], Source]], Callable[[Request], Source]]:
    """Register a target under its name."""

    def register(write: Callable[[Request], Source]) -> Callable[[Request], Source]:
        TARGETS[name] = Target(write, suffix, formulas)
        return write

    return register


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
    values = [r.program.values[k] for k in r.program.outputs]
    places = list(paths(r.results))
    found = []
    for n, v in enumerate(values):
        place = f"result{places[n]}" if places[n] else "result"
        found.append(f"{place}: {shape_words(r, v.shape)}" + formula_after(r, n))
    return found


def formula_after(r: Request, n: int) -> str:
    """Return `` = formula`` of a result, or nothing."""
    form = r.forms[n] if n < len(r.forms) else None
    if form is None:
        return ""
    try:
        text = comment(str(form))
    except (SymgradError, TypeError, ValueError, RecursionError):
        return ""
    return f" = {text}" if len(text) <= LONGEST else ""


def paths(tree: trees.Tree, path: str = "") -> Iterator[str]:
    """Yield where each result is found in what the function returns, such as ``[1][0]``."""
    if isinstance(tree, trees.Leaf):
        yield path
    elif isinstance(tree, trees.Branch):
        for k, part in enumerate(tree.parts):
            key = ascii(tree.keys[k]) if issubclass(tree.kind, dict) else k
            yield from paths(part, f"{path}[{key}]")
