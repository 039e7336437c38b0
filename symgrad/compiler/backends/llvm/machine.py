"""LLVM IR text to machine code in this process, for the processor it runs on. The optional llvmlite is imported here.

The environment variable SYMGRAD_LLVM_CPU names another processor, as LLVM does: x86-64-v3 for AVX2 only, so that
results are the same on a set of machines.
"""

from __future__ import annotations

import os
import threading
from functools import lru_cache
from typing import Any, NamedTuple

import llvmlite.binding as llvm

from symgrad.support.forks import hold_while_forking

# llvmlite's lock around each call of LLVM, whose own locks a child must not find held.
_LOCK: Any = getattr(llvm.ffi.lib, "_lock", None) or threading.RLock()
hold_while_forking(_LOCK)


class Level(NamedTuple):
    """How much is spent on optimisation: by the passes, which vectorise, and by the code generator."""

    passes: int
    generator: int


LOOPS = Level(3, 2)
_MOST = 1_000  # scalar operations: the generator's time rises faster than the length of straight-line code


def straight_level(operations: int) -> Level:
    """Return how to compile straight-line code, whose operations are shared and folded already."""
    return Level(0, 2 if operations <= _MOST else 0)


# Gathers and scatters are slower than loads and stores one by one: 1.8 times on an AMD EPYC of 2023.
_TUNING = ",+prefer-no-gather,+prefer-no-scatter"


class Machine:
    """Compiled code; it lives as long as this object."""

    def __init__(self, engine: Any, module: Any, target: Any) -> None:
        self._engine, self._module, self._target = engine, module, target

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(self._engine.get_function_address(name))

    def assembly(self) -> str:
        """Return the code as the processor's assembly language."""
        return str(self._target.emit_assembly(self._module))

    def optimised(self) -> str:
        """Return the IR after the passes."""
        return str(self._module)


@lru_cache(maxsize=1)
def _host() -> tuple[str, str]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    flags = llvm.get_host_cpu_features().flatten()
    return llvm.get_host_cpu_name(), flags + _TUNING if "+avx2" in flags else flags


def _processor() -> tuple[str, str]:
    """The processor to compile for, and its features; of one that is named, those that LLVM knows it by."""
    host = _host()
    name = os.environ.get("SYMGRAD_LLVM_CPU")
    return (name, "") if name else host


def compile_ir(text: str, level: Level) -> Machine:
    """Compile IR for this processor, or for the one named in SYMGRAD_LLVM_CPU, whose instructions this one has."""
    with _LOCK:
        return _compiled(text, level)


def _compiled(text: str, level: Level) -> Machine:
    cpu, features = _processor()
    target = llvm.Target.from_default_triple().create_target_machine(
        cpu=cpu, features=features, opt=level.generator, jit=True
    )
    module = llvm.parse_assembly(text)
    if level.passes:
        tuning = llvm.create_pipeline_tuning_options(speed_level=level.passes)
        tuning.loop_vectorization = tuning.loop_interleaving = tuning.loop_unrolling = True
        tuning.slp_vectorization = False
        builder = llvm.create_pass_builder(target, tuning)
        builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, target)
    engine.finalize_object()
    return Machine(engine, module, target)
