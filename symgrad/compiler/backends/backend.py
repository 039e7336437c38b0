"""What a backend is: a function from a program to a kernel, which ``choose`` has under its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from symgrad.core import trees
from symgrad.engine.program import Program
from symgrad.errors import SymgradError
from symgrad.ops.protocol import Op, failed

MOST_AXES = 32


class Unsuitable(SymgradError):
    """A backend cannot take this program; ``auto`` then asks the next."""


def check_axes(program: Program, what: str) -> None:
    """Refuse arrays with more axes than NumPy goes through at once."""
    most = max([len(v.shape) for v in program.values], default=0)
    if most > MOST_AXES:
        raise Unsuitable(f"{what}: an array has {most} axes. Expected at most {MOST_AXES}; reshape it, or run eagerly.")


@dataclass
class Kernel:
    """Compiled code.

    Attributes:
        run: flat list of arguments (arrays of the program's dtypes, contiguous; floats for 0-d float64) to the list of
            results in the same form; every result is new.
        source: returns what was compiled, as text; what is not needed for the first call may be written by then only.
        direct: the whole call from the user's positional arguments to the structured result, where the backend has
            one; it returns NotImplemented for arguments of another kind.
        reuses: positions of arguments that ``run`` overwrites: their memory holds results.
        stages: what ``lower`` shows: the stage's name, and how to write it out.
        cached: whether the machine code was found on disk.
        profile: the same as run, which returns what each part is and the seconds it took; None of a kernel in one part.
    """

    run: Callable[[Sequence[Any]], Sequence[Any]]
    source: Callable[[], str]
    backend: str
    operations: int
    kernels: int
    bytes: int = 0
    direct: Callable[..., Any] | None = None
    reuses: tuple[int, ...] = ()
    stages: dict[str, Callable[[], str]] = field(default_factory=dict)
    cached: bool = False
    profile: Callable[[Sequence[Any]], list[tuple[str, float]]] | None = None


Build = Callable[[Program, trees.Tree, trees.Tree], Kernel]


def forward_of(op: Op) -> Callable[..., Any]:
    """Return the forward of an operation that fails as eager mode does, of integers that a dtype does not hold, say."""

    def forward(*xs: Any) -> Any:
        try:
            return op.forward(*xs)
        except SymgradError:
            raise
        except (OverflowError, ValueError) as error:
            raise failed(op, error) from error

    return forward


def as_result(value: Any, dtype: Any) -> Any:
    """Bring a result to what the eager transforms hand out: a float, a NumPy scalar, or an array."""
    if type(value) is float and dtype == np.float64:
        return value
    array = np.asarray(value, dtype)
    if array.ndim == 0:
        return float(array) if array.dtype == np.float64 else array[()]
    return array
