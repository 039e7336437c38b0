"""Kernels of complex numbers: a backend's kernel of the program in pairs, between views of arguments and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from symgrad.compiler.backends.backend import Kernel, Unsuitable, as_result
from symgrad.compiler.primitives.pairs import as_numbers, as_pairs, in_pairs
from symgrad.core.promotion import is_complex
from symgrad.engine.program import Program


def paired(build: Callable[[Program], Kernel], program: Program) -> Kernel:
    """Build the kernel of a program with complex values."""
    if program.digits is not None:
        raise Unsuitable("complex numbers have no digits that can be requested. Use digits=None.")
    real = in_pairs(program)
    kernel = build(real)
    given = [is_complex(program.values[k].dtype) for k in program.inputs]
    wanted = [d if is_complex(d := program.values[k].dtype) else None for k in program.outputs]
    inner = kernel.run

    def pairs_of(args: Sequence[Any]) -> list[Any]:
        return [as_pairs(a) if c else a for a, c in zip(args, given)]

    def run(args: Sequence[Any]) -> list[Any]:
        ys = inner(pairs_of(args))
        return [y if d is None else as_result(as_numbers(y, d), d) for y, d in zip(ys, wanted)]

    stages = {"pairs": lambda: str(real), **kernel.stages}
    timed = kernel.profile
    profile = None if timed is None else lambda args: timed(pairs_of(args))
    return replace(kernel, run=run, direct=None, stages=stages, profile=profile)
