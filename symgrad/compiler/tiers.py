"""Kernels in tiers: NumPy computes the first calls, while machine code is compiled in a thread behind them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from symgrad.compiler.compiled import Compiled, compile
from symgrad.errors import SymgradError
from symgrad.support.extras import is_installed

HOT = 0.1  # seconds that NumPy takes in all before machine code is worth its time


class Tiered:
    """A function of one signature: the backend "numpy" answers until machine code is ready.

    Args:
        fn: a function of arrays, as for ``compile``.
        backend: "auto" runs in tiers where LLVM is installed; any other is compiled by the first call.
    """

    def __init__(self, fn: Callable[..., Any], backend: str = "auto") -> None:
        self._in_tiers = backend == "auto" and is_installed("llvm")
        self.kernel: Compiled[...] = compile(fn, "numpy" if self._in_tiers else backend)
        self._spent = -1.0  # before the first call, which traces the function

    def __call__(self, *args: Any) -> Any:
        """Return the function's result, in arrays of its own."""
        if not self._in_tiers:
            return self.kernel(*args)
        start = time.perf_counter()
        result = self.kernel(*args)
        self._spent = 0.0 if self._spent < 0 else self._spent + time.perf_counter() - start
        if self._spent > HOT:
            self._in_tiers = False
            threading.Thread(target=self._compile, args=(self.kernel, args), daemon=True).start()
        return result

    def _compile(self, quick: Compiled[...], args: tuple[Any, ...]) -> None:
        """Compile the program that was traced for the first call, and take its kernel from then on."""
        try:
            program = quick.lower(*args).program
            kernel: Compiled[...] = compile(lambda *xs: program(*xs)[0])
            kernel(*args)
            self.kernel = kernel
        except SymgradError:  # NumPy goes on: it has computed these very arguments
            pass
