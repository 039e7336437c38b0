"""The target ``latex``: a fragment of a document with the formula of each result."""

from __future__ import annotations

from collections.abc import Iterator

from symgrad.compiler.loops.errors import ExportError, is_solver, unsupported
from symgrad.core import trees
from symgrad.errors import SymgradError
from symgrad.exports.request import Form, Request
from symgrad.exports.targets.target import Source, Target, constants, key_text, shape_words
from symgrad.support.foreign import comment, latex_name

OPERATIONS = 1000  # up to which a formula is written


def write(r: Request) -> Source:
    """Return an aligned list of formulas."""
    for value in r.program.values:
        if is_solver(value.op):
            raise unsupported(value.op, "latex")
    rows = []
    forms = [*r.forms, *[None] * (len(r.program.outputs) - len(r.forms))]
    for place, form in zip(_places(r.results), forms, strict=True):
        if form is None:
            raise ExportError(
                "export: the target 'latex' cannot write the operation list as a formula: a result has none, or one of "
                f"more than {OPERATIONS} operations. Export a function whose result depends on its arguments."
            )
        index = "_".join(place)
        name = latex_name(f"{r.name}_{index}" if index else r.name)
        rows.append(f"    {name} &= {_formula(form)}")
    head = [f"% {r.name}, written by symgrad"]
    head += [f"%   {p}: {shape_words(r, s)}" for p, s in zip(r.params, r.shapes, strict=True)]
    head += [f"%   {comment(line)}" for form in r.forms if form is not None for line in constants(r, form)]
    return Source("\n".join([*dict.fromkeys(head), r"\begin{align*}", " \\\\\n".join(rows), r"\end{align*}"]) + "\n")


def _places(tree: trees.Tree, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the keys and positions that lead to each result."""
    if isinstance(tree, trees.ArrayLeaf):
        yield path
    elif isinstance(tree, trees.ContainerSpec):
        for k, part in enumerate(tree.parts):
            key = tree.keys[k] if issubclass(tree.kind, dict) else k
            yield from _places(part, (*path, "".join(key) if isinstance(key, str) else key_text(key)))


def _formula(form: Form) -> str:
    for kind in ("matrix", "where", "index"):
        try:
            return " ".join(form.latex(kind).split())
        except (SymgradError, TypeError, ValueError, RecursionError) as error:
            last = error
    raise ExportError(f"export: the target 'latex' cannot write the operation list as a formula: {last}") from last


TARGET = Target(write, ".tex", formulas=OPERATIONS)
