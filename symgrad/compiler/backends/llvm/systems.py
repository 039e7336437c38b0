"""Systems of equations with one matrix, as a value and its derivatives solve: LAPACK factorises the matrix once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from symgrad.compiler.backends.backend import forward_of
from symgrad.compiler.backends.llvm.steps import Outside
from symgrad.compiler.primitives.views import View
from symgrad.ops.linalg.solving import Solve
from symgrad.ops.linalg.substitution import is_lower, is_upper


@lru_cache(maxsize=1)
def _routines() -> dict[str, tuple[Any, Any]]:
    """SciPy's ``getrf`` and ``getrs`` by dtype; none without SciPy."""
    try:
        from scipy.linalg import lapack
    except ImportError:
        return {}
    return {"float64": (lapack.dgetrf, lapack.dgetrs), "float32": (lapack.sgetrf, lapack.sgetrs)}


class Factors:
    """The factors of a matrix, which the first of its systems computes at each call."""

    def __init__(self, factorise: Any, substitute: Any) -> None:
        self.factorise, self.substitute = factorise, substitute
        self.factors: tuple[Any, Any] | None = None  # none where eager mode solves: substitutes, or raises its error

    def writer(self, op: Solve, *, first: bool) -> Callable[..., None]:
        """Return how a system writes its solution."""
        forward = forward_of(op)

        def write(a: Any, b: Any, out: Any) -> None:
            if first:
                self.factors = self._of(a)
            if self.factors is None:
                np.copyto(out, forward(a, b))
            else:
                np.copyto(out, self.substitute(*self.factors, b, trans=int(op.transposed))[0])

        return write

    def _of(self, a: Any) -> tuple[Any, Any] | None:
        if is_lower(a) or is_upper(a):
            return None
        lu, pivots, failed = self.factorise(a)
        return None if failed else (lu, pivots)


def writers(steps: Sequence[Outside]) -> dict[int, Callable[..., None]]:
    """Return how the systems that share a matrix write their solutions, by their numbers among the steps."""
    by_matrix: dict[View, list[int]] = {}
    for n, step in enumerate(steps):
        if isinstance(step.op, Solve) and all(isinstance(v, View) for v in step.args):
            a, b = step.args
            if len(a.shape) == 2 and b.shape == step.result.shape and 0 not in b.shape:
                by_matrix.setdefault(a, []).append(n)
    made = {}
    for a, numbers in by_matrix.items():
        routines = _routines().get(a.memory.dtype.name)
        dtypes = {v.memory.dtype for n in numbers for v in (*steps[n].args, steps[n].result)}
        if len(numbers) < 2 or routines is None or len(dtypes) > 1:
            continue
        factors = Factors(*routines)
        made.update({n: factors.writer(steps[n].op, first=n == numbers[0]) for n in numbers})
    return made
