"""The last step: wrap a body for Python, compile it, and return the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad.compiler.backends.backend import Kernel
from symgrad.compiler.backends.llvm import python_api
from symgrad.compiler.backends.llvm.machine import Level, compile_ir
from symgrad.compiler.backends.llvm.wrapper import Array, only_tuples, positional, wrapper
from symgrad.compiler.program import Program
from symgrad.core import trees


class Interface:
    """What a kernel takes and returns."""

    def __init__(self, program: Program, args: trees.Tree, results: trees.Tree) -> None:
        self.inputs = _arrays(program, program.inputs)
        self.outputs = _arrays(program, program.outputs)
        self.results = results
        self.flat = trees.Branch(tuple, (), (trees.LEAF,) * len(self.outputs))
        self.supported = all(a.dtype in python_api.TYPE_NUMBERS for a in [*self.inputs, *self.outputs])
        self.plain = only_tuples(results) and positional(args)


def _arrays(program: Program, places: Sequence[int]) -> list[Array]:
    return [Array(program.values[k].shape, program.values[k].dtype) for k in places]


def finished(
    text: str,
    interface: Interface,
    level: Level,
    operations: int,
    kernels: int,
    stages: dict[str, Callable[[], str]],
    *,
    bytes: int = 0,
    free: bool = False,
    keep: Any = None,
) -> Kernel:
    """Compile ``@body`` with the functions that Python calls."""
    text += wrapper("flat", interface.inputs, interface.outputs, interface.flat, free)
    if interface.plain:
        text += wrapper("direct", interface.inputs, interface.outputs, interface.results, free)
    machine = compile_ir(text, level)
    kept = (machine, keep)
    run = python_api.as_builtin(machine.address("flat"), "kernel", kept)
    direct = python_api.as_builtin(machine.address("direct"), "kernel", kept) if interface.plain else None
    return Kernel(
        run=lambda xs: run(*xs),
        source=text,
        backend="llvm",
        operations=operations,
        kernels=kernels,
        bytes=bytes,
        direct=direct,
        stages={**stages, "assembly": machine.assembly},
    )
