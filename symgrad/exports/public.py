"""``sg.export``: a function, its derivatives, or a closed form as source that runs without symgrad."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from symgrad.compiler.loops.errors import ExportError
from symgrad.compiler.primitives.pairs import has_complex
from symgrad.engine.program import Spec
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.exports.names import C
from symgrad.exports.request import Request, requested, shapes_of
from symgrad.exports.targets import c, jax, latex, numpy, osqp, python, sympy, torch
from symgrad.exports.targets.builds import drawn, with_cmake, with_test
from symgrad.exports.targets.target import Source, Target
from symgrad.exports.translate import DOUBLE, FLOAT
from symgrad.support.arguments import check_all
from symgrad.support.files import replace_files

__all__ = ["TARGETS", "export"]

TARGETS: dict[str, Target] = {
    "c": c.TARGET, "jax": jax.TARGET, "latex": latex.TARGET, "numpy": numpy.TARGET, "python": python.TARGET,
    "sympy": sympy.TARGET, "torch": torch.TARGET,
}  # fmt: skip
REALS = {"float64": DOUBLE, "double": DOUBLE, "float32": FLOAT, "float": FLOAT, "single": FLOAT}
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
    dtype: Any = "float64",
    ascii: bool = False,
    test: bool = False,
    qp: str | None = None,
) -> str:
    """Return source code that computes x ↦ f(x), including the derivatives in f, without symgrad.

    Args:
        fn_or_form: a function of tensors, such as ``sg.value_and_grad(f)``; a compiled function; a closed form; for C
            also ``sg.sparse_jacobian(f)`` and ``sg.sparse_hessian(f)``, which write the entries and their positions; or
            a ``sg.optim.NLP``, which becomes functions for f, its gradient, g, and the entries of Jacobian and Hessian.
        args: example arguments, a tuple of arrays and structures of them, for their shapes and dtypes. A compiled
            function that was called needs none, and a closed form has its own.
        target: "numpy", "python", "c", "jax", "torch", "sympy" or "latex".
        path: a file to write the source to; an existing file is replaced. "c" also writes a header next to it, and
            replaces only a header that symgrad wrote. Either all files are written, or the old ones are kept.
        name: the name of the function in the source; by default its own name.
        shapes: instead of ``args``, a shape for each argument, in order or by name. A size may be a name, as in
            ``{"x": ("n", 3)}``; it is then determined by the arguments of each call.
        formula: whether comments contain the closed forms of short results.
        cmake: whether to also write a CMakeLists.txt for the target "c", which builds a static library "NAME_c" and
            runs the test program as "NAME_test".
        static: whether the source of the target "c" keeps its intermediate arrays in static memory and allocates
            nothing. Such a function is not reentrant, and each size must be a number.
        dtype: the precision in which the source of the target "c" computes, "float64" or "float32". Special functions
            that C's library lacks compute in double in both cases, and integers are exact up to 2²⁴ in float32.
        ascii: whether the comments of the target "c" contain only ASCII characters.
        test: whether to write a program beside the file of the target "c", "FILE_test.c", which calls each function at
            the example arguments, or at random ones between ¼ and ¾ if only shapes are known, and exits with status 1
            if a result differs from symgrad's.
        qp: "osqp" writes, beside the file of a ``sg.optim.NLP``, a function NAME_step in C that solves the quadratic
            program of one SQP step, with the solver that OSQP generates for this pattern.

    Returns:
        The source, the same in every run.

    Raises:
        ExportError: if the target cannot write an operation of the function, which the message names; a size has a name
            with ``static=True`` or ``test=True``; or a constant cannot be represented in float32.
        ArgumentError: if the target is unknown, a shape is invalid, an option of C is given for another target,
            ``cmake`` or ``test`` is given without ``path``, or a further file would replace one of yours.
        OSError: if the file cannot be written.

    >>> print(sg.export(lambda x: 2 * x, shapes=[(3,)], target="numpy", name="double").splitlines()[-2].strip())
    v2 = v1 * 2.0
    """
    if not isinstance(target, str) or target not in TARGETS:
        raise ArgumentError(f"export: target={target!r} is unknown. Expected one of {', '.join(map(repr, TARGETS))}.")
    if name is not None and not isinstance(name, str):
        raise ArgumentTypeError(f"export: name must be a string, got {type(name).__name__}.")
    _check(target, path, {"cmake": cmake, "test": test}, {"static": static, "ascii": ascii})
    options = c.Options(_real(dtype, target), static, ascii)
    _check_qp(qp, fn_or_form, path, options)
    if isinstance(fn_or_form, Functions):
        source, requests = _together(fn_or_form, target, name or "nlp", options, path if qp else None)
    elif isinstance(fn_or_form, Entries):
        source, requests = _entries(fn_or_form, args, shapes, target, name, options)
    else:
        source, requests = _one(fn_or_form, args, target, name, shapes, formula, options)
    if path is not None:
        place, called = Path(path), name if isinstance(fn_or_form, Functions) else requests[0].name
        source = with_test(source, place, requests, options) if test else source
        _write(place, with_cmake(source, place, called or "nlp") if cmake else source)
    return source.text


def _check(target: str, path: Any, beside: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise if an option is none, or is not one of the target."""
    for word, value in {**beside, **options}.items():
        if not isinstance(value, bool):
            raise ArgumentTypeError(f"export: {word} must be True or False. Got {value!r}.")
        if value and target != "c":
            raise ArgumentError(f"export: {word}=True is an option of C. Got target={target!r}; pass target='c'.")
    for word, value in beside.items():
        if value and path is None:
            raise ArgumentError(
                f"export: {word}=True writes a file next to the source. Pass the path of the source, path='f.c'."
            )


def _real(dtype: Any, target: str) -> str:
    """Return C's type for a dtype."""
    name = str(getattr(dtype, "name", None) or getattr(dtype, "__name__", dtype)).removeprefix("torch.")
    if name not in REALS:
        raise ArgumentError(f"export: dtype={dtype!r} is not supported in C. Expected 'float64' or 'float32'.")
    if REALS[name] != DOUBLE and target != "c":
        raise ArgumentError(
            f"export: dtype={name!r} is an option of C. Got target={target!r}, which computes in the dtypes of the "
            "arguments; pass arrays of this dtype."
        )
    return REALS[name]


def _one(
    fn_or_form: Any, args: Any, target: str, name: str | None, shapes: Any, formula: bool, options: c.Options
) -> tuple[Source, list[Request]]:
    """Return the source of one function, and what was requested."""
    asked, language = TARGETS[target].formulas if formula else 0, TARGETS[target].language
    request = requested(fn_or_form, args, shapes, name, asked, language, options.real == FLOAT)
    if has_complex(request.program) and not TARGETS[target].complexes:
        raise ExportError(
            f"export: the target {target!r} supports real numbers only; numpy, python, c, … support complex ones."
        )
    source = c.write(request, options) if target == "c" else TARGETS[target].write(request)
    return source, [request]


@runtime_checkable
class Functions(Protocol):
    """An object that is exported as several functions and tables, such as ``sg.optim.NLP``."""

    def exported(self) -> tuple[Mapping[str, tuple[Any, Any]], Mapping[str, Any]]:
        """Return functions with example arguments, and arrays of integers, by the ends of their names."""

    def ends(self) -> tuple[Any, Any]:
        """Return the lower and the upper ends of the constraints, followed by the bounds."""


@runtime_checkable
class Entries(Protocol):
    """An object that is exported as the entries of a matrix and their positions, such as ``sg.sparse_jacobian(f)``."""

    def entries_by_columns(self, args: tuple[Any, ...]) -> tuple[Any, Any, Any, tuple[int, int]]:
        """Return a function of the arguments with the entries, the columns' starts, the rows, and the shape."""


def _entries(
    matrix: Entries, args: Any, shapes: Any, target: str, name: str | None, options: c.Options
) -> tuple[Source, list[Request]]:
    if target != "c":
        raise ExportError(f"export: target={target!r} has no sparse matrices. Use target='c', or the dense transform.")
    if (args is None) == (shapes is None):
        raise ArgumentTypeError(
            "export: expected example arguments or shapes=, one of the two. Write sg.export(J, (x,), …)."
        )
    args = _points(matrix, shapes) if args is None else args if isinstance(args, tuple) else (args,)
    fn, starts, rows, (height, width) = matrix.entries_by_columns(args)
    request = requested(fn, args, None, name, 0, C, options.real == FLOAT)
    tables = c.Tables(
        {f"{request.name}_columns": starts, f"{request.name}_rows": rows},
        {f"{request.name}_height": height, f"{request.name}_width": width},
    )
    return c.write_together(request.name, [request], tables, options), [request]


def _points(matrix: Entries, shapes: Any) -> tuple[Any, ...]:
    """Return arguments of these shapes, at which the pattern is found."""
    sizes = shapes_of(matrix, shapes)
    named = sorted({str(n) for shape in sizes for n in shape if not isinstance(n, int)})
    if named:
        raise ExportError(
            f"export: the pattern of a sparse derivative needs a number for each size. Got the names {named}; give "
            "numbers in shapes=."
        )
    return tuple(drawn([Spec(shape, np.dtype(np.float64)) for shape in sizes]))


def _check_qp(qp: Any, fn_or_form: Any, path: Any, options: c.Options) -> None:
    if qp is None:
        return
    if qp != "osqp":
        raise ArgumentError(f"export: qp={qp!r} is unknown. Expected 'osqp' or None.")
    if not isinstance(fn_or_form, Functions) or path is None:
        raise ArgumentError("export: qp='osqp' writes files next to that of a sg.optim.NLP. Pass an NLP, and path=.")
    if options.real == FLOAT:
        raise ArgumentError("export: qp='osqp' computes in double precision. Omit dtype='float32'.")


def _together(
    several: Functions, target: str, name: str, options: c.Options, with_qp: Any
) -> tuple[Source, list[Request]]:
    if target != "c":
        raise ExportError(
            f"export: target={target!r} does not support nonlinear programs. Use target='c', or export f and g."
        )
    functions, tables = several.exported()
    is_single = options.real == FLOAT
    requests = [requested(f, args, None, f"{name}_{n}", 0, C, is_single) for n, (f, args) in functions.items()]
    named = c.Tables({f"{name}_{n}": v for n, v in tables.items()})
    source = c.write_together(name, requests, named, options._replace(static=True))
    if with_qp is not None:
        files = osqp.step(name, Path(with_qp).stem, dict(zip(functions, requests, strict=True)), tables, several.ends())
        step = Source("", files)
        source = source._replace(beside={**source.beside, **(c.plain(step) if options.ascii else step).beside})
    return source, requests


def _write(place: Path, source: Source) -> None:
    if place.is_dir():
        raise ArgumentError(f"export: path={str(place)!r} is a folder. Pass the name of a file in it.")
    texts = {place: source.text}
    for suffix, text in source.beside.items():
        beside = place.with_suffix(suffix) if suffix.startswith(".") else place.parent / suffix
        if beside == place:
            raise ArgumentError(
                f"export: {place} is the name of the file next to the source. Give path= another suffix."
            )
        if beside.is_file() and not beside.read_bytes().startswith(text[:MARK].encode()):
            raise ArgumentError(
                f"export: {beside}, which belongs to {place.name}, exists and was not written by symgrad. Give "
                "another path=, or move that file."
            )
        texts[beside] = text
    for folder in {file.parent for file in texts} - {place.parent}:  # of another library's source
        folder.mkdir(parents=True, exist_ok=True)
    replace_files(texts)


check_all(globals(), __all__)
