"""Kernels in tiers: a program's steps on arrays compute the first calls, while a thread compiles machine code."""

from __future__ import annotations

import threading
import time
from typing import Any

import numpy as np

from symgrad.compiler.compiled import Compiled
from symgrad.engine.program import Program
from symgrad.errors import SymgradError
from symgrad.implicit.programs import all_numbers
from symgrad.support.extras import is_installed

HOT = 0.1  # seconds that steps take in all before machine code is worth its time


class Tiered:
    """The results of a program: its steps run on arrays one by one until machine code is ready.

    Args:
        program: what is computed.
        backend: "auto" runs in tiers where LLVM is installed; any other is compiled by the first call.
    """

    def __init__(self, program: Program, backend: str = "auto") -> None:
        in_tiers = backend == "auto" and is_installed("llvm")
        self.kernel: Compiled[...] | None = None if in_tiers else Compiled(program, backend)
        self._program, self._spent = program, -1.0  # before the first call, which looks for kernels of the steps

    def __call__(self, *args: Any) -> Any:
        """Return the results, arrays of their own."""
        if self.kernel is not None:
            return self.kernel(*args)
        start = time.perf_counter()
        results = [np.array(y) for y in all_numbers(self._program, *args)]
        before = self._spent
        self._spent = 0.0 if before < 0 else before + time.perf_counter() - start
        if before <= HOT < self._spent:
            threading.Thread(target=self._compile, args=args, daemon=True).start()
        return results

    def _compile(self, *args: Any) -> None:
        """Compile to machine code, and take this kernel from then on."""
        try:
            kernel: Compiled[...] = Compiled(self._program, "auto", tiers=False)
            kernel(*args)
            self.kernel = kernel
        except SymgradError:  # steps go on: they have computed these very arguments
            pass
