"""Machine code in this process, by LLVM, for the processor it runs on. The optional llvmlite is imported here.

The environment variable SYMGRAD_LLVM_CPU names another processor, as LLVM does: x86-64-v3 for AVX2 only, so that
results are the same on a set of machines.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import threading
import time
from functools import lru_cache
from hashlib import sha256
from typing import Any

import llvmlite
import llvmlite.binding as llvm

from symgrad.compiler.backends.llvm.module import Level, Module
from symgrad.compiler.backends.llvm.text import text
from symgrad.support.forks import hold_while_forking
from symgrad.support.store import opened

# llvmlite's lock around each call of LLVM, whose own locks a child must not find held.
_LOCK: Any = getattr(llvm.ffi.lib, "_lock", None) or threading.RLock()
hold_while_forking(_LOCK)
atexit.register(_LOCK.__enter__)  # LLVM's own end must not meet a thread that compiles

# Gathers and scatters are slower than loads and stores one by one: 1.8 times on an AMD EPYC of 2023.
_TUNING = ",+prefer-no-gather,+prefer-no-scatter"


class Loaded:
    """Machine code in this process; it lives as long as this object."""

    def __init__(self, module: Module, source: str, code: bytes, cached: bool) -> None:
        self.level, self.source, self.cached = module.level, source, cached
        self._engine = _loaded(code)
        for k, address in enumerate(module.links):
            ctypes.c_void_p.from_address(self._engine.get_global_value_address(f"link{k}")).value = address

    def address(self, name: str) -> int:
        """Return the address of a function."""
        return int(self._engine.get_function_address(name))

    def assembly(self) -> str:
        """Return the code as the processor's assembly language."""
        with _LOCK:
            optimised, target = _optimised(self.source, self.level)
            return str(target.emit_assembly(optimised))


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


def assemble(module: Module, cache_after: float | None) -> Loaded:
    """Compile for this processor, or for the one named in SYMGRAD_LLVM_CPU, whose instructions this one has."""
    store = opened(cache_after)
    source = text(module)
    key = _key(source, module.level) if store else {}
    code = store.read(key) if store else None
    with _LOCK:
        if code is not None:
            return Loaded(module, source, code, True)
        start = time.perf_counter()
        code = _compiled(source, module.level)
        spent = time.perf_counter() - start
        made = Loaded(module, source, code, False)
    if store:
        store.write(key, code, spent)
    return made


def _key(source: str, level: Level) -> dict[str, str]:
    """Return what the code of a module depends on."""
    cpu, features = _processor()
    return {
        "backend": "llvm",
        "compiler": f"llvmlite {llvmlite.__version__}, LLVM {'.'.join(map(str, llvm.llvm_version_info))}",
        "processor": f"{llvm.get_process_triple()} {cpu} {features}",
        "level": f"{level.passes} {level.generator}",
        "program": sha256(source.encode()).hexdigest(),
    }


def _compiled(source: str, level: Level) -> bytes:
    """Return the object file of a module."""
    optimised, target = _optimised(source, level)
    return bytes(target.emit_object(optimised))


def _target(generator: int) -> Any:
    cpu, features = _processor()
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=generator, jit=True)


def _optimised(source: str, level: Level) -> tuple[Any, Any]:
    """Return a module after the passes, and what it is compiled for."""
    target = _target(level.generator)
    parsed = llvm.parse_assembly(source, llvm.create_context())  # which goes with the module
    if level.passes:
        tuning = llvm.create_pipeline_tuning_options(speed_level=level.passes)
        tuning.loop_vectorization = tuning.loop_interleaving = tuning.loop_unrolling = True
        tuning.slp_vectorization = False
        builder = llvm.create_pass_builder(target, tuning)
        passes = builder.getModulePassManager()
        try:
            passes.run(parsed, builder)
        finally:
            _freed(passes)
    return parsed, target


def _freed(passes: Any) -> None:
    """Free the passes, 100 kB of them: ``close`` of llvmlite finds a ``_dispose`` first that does nothing."""
    llvm.newpassmanagers.NewPassManager._dispose(passes)
    passes.detach()  # so that no later version frees them again


def _loaded(code: bytes) -> Any:
    """Return the engine that has an object file's functions in memory."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target(0))
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine
