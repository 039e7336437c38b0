"""Which backend compiles a program."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgrad.compiler.backends import numpy as numpy_backend
from symgrad.compiler.backends import python
from symgrad.compiler.backends.backend import Build, Kernel, Unsuitable, check_axes
from symgrad.compiler.backends.mpmath import backend as mpmath_backend
from symgrad.compiler.backends.pairs import paired
from symgrad.compiler.primitives.pairs import has_complex
from symgrad.compiler.primitives.scalarise import Written
from symgrad.core import trees
from symgrad.engine.program import Program
from symgrad.errors import ArgumentError, ArgumentTypeError, MissingExtra
from symgrad.support.extras import is_installed, needs

SHORT = 400  # scalar operations up to which straight-line Python is at least as fast as kernels on arrays
_WORTH_TRYING = 20 * SHORT  # before zeros and repetitions fold
MOST_ARGUMENTS = 1000  # and results: a compiler's time for a function rises with the square of their number
MOST_DIGITS = 1000  # of the backends mpmath and arb
_PER_STEP, _ENTRIES = 6, 40  # scalar operations for each step on arrays: when arrays are tiny, after and before folding


def check_backend(backend: str) -> None:
    """Refuse a name that no backend has."""
    if not isinstance(backend, str):
        raise ArgumentTypeError(
            f"compile: backend must be a name, got {type(backend).__name__}. Pass options of the decorator by name: "
            "@sg.compile(backend='numpy')."
        )
    names = ["auto", *BACKENDS]
    if backend not in names:
        raise ArgumentError(f"compile: backend={backend!r} is unknown. Expected one of {', '.join(map(repr, names))}.")


def check_digits(name: str, digits: Any) -> None:
    """Refuse a number of digits that is none."""
    if isinstance(digits, bool) or not isinstance(digits, (int, np.integer)):
        raise ArgumentTypeError(f"{name}: digits must be an integer, got {type(digits).__name__}.")
    if not 1 <= digits <= MOST_DIGITS:
        raise ArgumentError(f"{name}: digits={digits}. Expected 1 to {MOST_DIGITS}.")


def _llvm(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile with the backend of the extra, imported on first use."""
    needs("compile: backend='llvm'", "llvm")
    from symgrad.compiler.backends.llvm.backend import build

    return build(program, args, results)


def _c(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile with the C compiler of this machine, which starts programs: imported on first use."""
    from symgrad.compiler.backends.c.backend import build

    return build(program, args, results)


def _arb(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile with Arb's ball arithmetic, of the extra, imported on first use."""
    needs("compile: backend='arb'", "proved")
    from symgrad.compiler.backends.arb import build

    return build(program, args, results)


BACKENDS: dict[str, Build] = {
    "numpy": numpy_backend.build,
    "python": python.build,
    "mpmath": mpmath_backend.build,
    "arb": _arb,
    "llvm": _llvm,
    "c": _c,
}


def build_with(backend: str, program: Program, args: trees.Tree, results: trees.Tree) -> Kernel:
    """Compile with the requested backend, or with the first that suits."""
    check_axes(program, "compile")
    if has_complex(program):
        return paired(lambda real: build_with(backend, real, args, results), program)
    wide = len(program.inputs) + len(program.outputs) > MOST_ARGUMENTS
    if backend == "llvm" or (backend == "auto" and is_installed("llvm") and not wide):
        try:
            return _llvm(program, args, results)
        except Unsuitable:
            if backend == "llvm":
                raise
    if backend != "auto":
        return BACKENDS[backend](program, args, results)
    kernel = _scalars(program, args, results)
    if kernel is None and not wide:
        kernel = _by_c(program, args, results)
    return kernel or numpy_backend.build(program, args, results)


def _by_c(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel | None:
    """Compile with this machine's C compiler; None where there is none, or where it cannot."""
    try:
        return _c(program, args, results)
    except (MissingExtra, Unsuitable):
        return None


def _scalars(program: Program, args: trees.Tree, results: trees.Tree) -> Kernel | None:
    """Write a small program out in Python; None where it stays long."""
    steps = len(program.steps())
    try:
        python.check(program, max(_WORTH_TRYING, _ENTRIES * steps))
    except Unsuitable:
        return None
    written = Written(program)
    return python.finished(program, written) if written.operations() <= max(SHORT, _PER_STEP * steps) else None
