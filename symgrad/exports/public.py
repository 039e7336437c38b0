"""``sg.export``: a function, its derivatives, or a closed form as source that needs no symgrad."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from symgrad.compiler.loops.errors import ExportError
from symgrad.compiler.primitives.pairs import has_complex
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.exports.names import C
from symgrad.exports.request import requested
from symgrad.exports.targets import c, jax, latex, numpy, python, sympy, torch
from symgrad.exports.targets.target import Source, Target
from symgrad.support.arguments import check_all
from symgrad.support.files import replace_files

__all__ = ["TARGETS", "export"]

TARGETS: dict[str, Target] = {
    "c": c.TARGET, "jax": jax.TARGET, "latex": latex.TARGET, "numpy": numpy.TARGET, "python": python.TARGET,
    "sympy": sympy.TARGET, "torch": torch.TARGET,
}  # fmt: skip
MARK = 20  # characters at the head of a file by which one of symgrad's is known


def export(
    fn_or_form: Any,
    args: Any = None,
    *,
    target: str,
    path: Any = None,
    name: str | None = None,
    shapes: Any = None,
    formula: bool = True,
    cmake: bool = False,
    static: bool = False,
) -> str:
    """Return source that computes x ↦ f(x), and whatever derivatives f is made of, without symgrad.

    Args:
        fn_or_form: a function of tensors, such as ``sg.value_and_grad(f)``; a compiled function; a closed form; or a
            ``sg.optim.NLP``, which becomes functions for f, its gradient, g, and the entries of Jacobian and Hessian.
        args: example arguments, a tuple of arrays and structures of them, for their shapes and dtypes. A compiled
            function that was called needs none, a closed form has its own.
        target: "numpy", "python", "c", "jax", "torch", "sympy" or "latex".
        path: a file to write the text to, in place of what it holds; "c" writes a header beside it, in place of one
            that symgrad wrote. All is written, or the old files stay.
        name: what the function is called in the source; by default as it is called.
        shapes: in place of ``args``, a shape for each argument, in order or by name; a size may be a name, as in
            ``{"x": ("n", 3)}``, and is then whatever the arguments have.
        formula: whether the closed forms of short results stand in comments.
        cmake: whether to write a CMakeLists.txt beside the file of the target "c", which makes a static library
            "NAME_c" of it.
        static: whether the source of the target "c" keeps its intermediate arrays in static memory and allocates
            nothing. Such a function is not reentrant, and each size must be a number.

    Returns:
        The source, the same in every run.

    Raises:
        ExportError: the target cannot write an operation of the function, which the message names, or a size has a
            name with ``static=True``.
        ArgumentError: the target is unknown, a shape is none, ``cmake`` has no file of C to build, ``static`` is given
            for a target other than C, or a file beside the source would replace one of yours.
        OSError: the file cannot be written.

    >>> print(sg.export(lambda x: 2 * x, shapes=[(3,)], target="numpy", name="double").splitlines()[-2].strip())
    v2 = v1 * 2.0
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise ArgumentError(f"export: target={target!r} is unknown. Expected one of {', '.join(map(repr, TARGETS))}.")
    if name is not None and not isinstance(name, str):
        raise ArgumentTypeError(f"export: name is a string, got {type(name).__name__}.")
    if cmake and (target != "c" or path is None):
        raise ArgumentError(f"export: cmake=True builds a file of C. Got target={target!r}, path={path!r}; pass both.")
    if static and target != "c":
        raise ArgumentError(f"export: static=True is an option of C. Got target={target!r}; pass target='c'.")
    if isinstance(fn_or_form, Functions):
        source, library = _together(fn_or_form, target, name or "nlp"), name or "nlp"
    else:
        source, library = _one(fn_or_form, args, target, name, shapes, formula, static)
    if path is not None:
        _write(Path(path), c.with_cmake(source, Path(path).name, library) if cmake else source)
    return source.text


def _one(
    fn_or_form: Any, args: Any, target: str, name: str | None, shapes: Any, formula: bool, static: bool
) -> tuple[Source, str]:
    """Return the source of one function, and the function's name in it."""
    asked = TARGETS[target].formulas if formula else 0
    request = requested(fn_or_form, args, shapes, name, asked, TARGETS[target].language)
    if has_complex(request.program) and not TARGETS[target].complexes:
        raise ExportError(
            f"export: the target {target!r} has real numbers only; numpy, python, c, … have complex ones."
        )
    return (c.write_static if static else TARGETS[target].write)(request), request.name


@runtime_checkable
class Functions(Protocol):
    """What is exported as several functions and tables, such as ``sg.optim.NLP``."""

    def exported(self) -> tuple[Mapping[str, tuple[Any, Any]], Mapping[str, Any]]:
        """Return functions with example arguments, and arrays of integers, by the ends of their names."""


def _together(several: Functions, target: str, name: str) -> Source:
    if target != "c":
        raise ExportError(f"export: target={target!r} writes no programs. Use target='c', or export f and g.")
    functions, tables = several.exported()
    requests = [requested(f, args, None, f"{name}_{n}", 0, C) for n, (f, args) in functions.items()]
    return c.write_together(name, requests, {f"{name}_{n}": v for n, v in tables.items()})


def _write(place: Path, source: Source) -> None:
    if place.is_dir():
        raise ArgumentError(f"export: path={str(place)!r} is a folder. Pass the name of a file in it.")
    texts = {place: source.text}
    for suffix, text in source.beside.items():
        beside = place.with_suffix(suffix) if suffix.startswith(".") else place.with_name(suffix)
        if beside == place:
            raise ArgumentError(
                f"export: {place} is the name of the file beside the source. Give path= another ending."
            )
        if beside.is_file() and not beside.read_bytes().startswith(text[:MARK].encode()):
            raise ArgumentError(
                f"export: {beside}, which goes beside {place.name}, exists and was not written by symgrad. Give "
                "another path=, or move that file."
            )
        texts[beside] = text
    replace_files(texts)


check_all(globals(), __all__)
