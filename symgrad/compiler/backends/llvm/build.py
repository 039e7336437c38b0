"""The last step: wrap a body for Python, compile it, and return the kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any

from symgrad.compiler.backends.backend import Kernel
from symgrad.compiler.backends.llvm import python_api
from symgrad.compiler.backends.llvm.code import Used
from symgrad.compiler.backends.llvm.instructions import Function
from symgrad.compiler.backends.llvm.module import Assemble, Level, Machine, Module
from symgrad.compiler.backends.llvm.pool import Pool, available, pool
from symgrad.compiler.backends.llvm.wrapper import Array, only_tuples, positional, wrapper
from symgrad.core import trees
from symgrad.engine.program import Program


class Interface:
    """What a kernel takes and returns, and what compiles it."""

    def __init__(
        self, backend: str, assemble: Assemble, program: Program, args: trees.Tree, results: trees.Tree
    ) -> None:
        self.backend, self._assemble, self._cache_after = backend, assemble, program.cache_after
        self._describe(program)
        self.results = results
        self.plain = only_tuples(results) and positional(args)

    def _describe(self, program: Program) -> None:
        self.inputs = _arrays(program, program.inputs)
        self.outputs = _arrays(program, program.outputs)
        self.flat = trees.ContainerSpec(tuple, (), (trees.LEAF,) * len(self.outputs))
        self.supported = all(a.dtype in python_api.TYPE_NUMBERS for a in [*self.inputs, *self.outputs])

    def of(self, program: Program) -> Interface:
        """Return the interface of another program, such as the step of a loop, which takes and returns flat lists."""
        other = copy(self)
        other._describe(program)
        other.plain = False
        return other

    def pool(self) -> Callable[[], Pool] | None:
        """Return what gives the threads that share large loops, where there are any."""
        return partial(pool, self._assemble, self._cache_after) if available() else None

    def machine(self, module: Module) -> Machine:
        """Compile a module."""
        return self._assemble(module, self._cache_after)


def _arrays(program: Program, places: Sequence[int]) -> list[Array]:
    return [Array(program.values[k].shape, program.values[k].dtype) for k in places]


def finished(
    functions: Sequence[Function],
    used: Used,
    interface: Interface,
    level: Level,
    stages: dict[str, Callable[[], str]],
    *,
    free: bool = False,
    keep: Any = None,
    **counts: Any,
) -> Kernel:
    """Compile ``@body`` with the functions that Python calls; ``counts`` are the kernel's own."""
    results = {"flat": interface.flat, **({"direct": interface.results} if interface.plain else {})}
    wrappers = [wrapper(n, interface.inputs, interface.outputs, t, used, free=free) for n, t in results.items()]
    machine = interface.machine(used.module([*functions, *wrappers], level))
    kept = (machine, keep)
    run = python_api.as_builtin(machine.address("flat"), "kernel", kept)
    direct = python_api.as_builtin(machine.address("direct"), "kernel", kept) if interface.plain else None
    return Kernel(
        run=lambda xs: run(*xs),
        source=lambda: machine.source,
        backend=interface.backend,
        direct=direct,
        stages={**stages, "assembly": machine.assembly},
        cached=machine.cached,
        **counts,
    )
