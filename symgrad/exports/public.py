"""``sg.export``: a function, its derivatives, or a closed form as source that needs no symgrad. Imports the targets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.exports import c, jax, latex, numpy, python, sympy, torch  # noqa: F401  registers the targets
from symgrad.exports.request import requested
from symgrad.exports.target import TARGETS

__all__ = ["export"]


def export(
    fn_or_form: Any,
    args: Any = None,
    *,
    target: str,
    path: Any = None,
    name: str | None = None,
    shapes: Any = None,
    formula: bool = True,
) -> str:
    """Return source that computes x ↦ f(x), and whatever derivatives f is made of, without symgrad.

    Args:
        fn_or_form: a function of tensors, such as ``sg.value_and_grad(f)``; a compiled function; or a closed form.
        args: example arguments, a tuple of arrays and structures of them, for their shapes and dtypes. A compiled
            function that was called needs none, a closed form has its own.
        target: "numpy", "python", "c", "jax", "torch", "sympy" or "latex".
        path: a file to write the text to; "c" writes a header beside it.
        name: what the function is called in the source; by default as it is called.
        shapes: in place of ``args``, a shape for each argument, in order or by name; a size may be a name, as in
            ``{"x": ("n", 3)}``, and is then whatever the arguments have.
        formula: whether the closed forms of short results stand in comments.

    Returns:
        The source, the same in every run.

    Raises:
        ExportError: the target cannot write an operation of the function; the message names it.
        ArgumentError: the target is unknown, or a shape is none.

    >>> print(sg.export(lambda x: 2 * x, shapes=[(3,)], target="numpy", name="double").splitlines()[-2].strip())
    v2 = v1 * 2.0
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise ArgumentError(f"export: target={target!r} is unknown. Expected one of {', '.join(map(repr, TARGETS))}.")
    if name is not None and not isinstance(name, str):
        raise ArgumentTypeError(f"export: name is a text, got {type(name).__name__}.")
    asked = TARGETS[target].formulas if formula else 0
    source = TARGETS[target].write(requested(fn_or_form, args, shapes, name, asked))
    if path is not None:
        place = Path(path)
        place.write_text(source.text, encoding="utf-8")
        for suffix, text in source.beside.items():
            place.with_suffix(suffix).write_text(text, encoding="utf-8")
    return source.text
