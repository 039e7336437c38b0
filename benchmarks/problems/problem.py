"""What a benchmark problem states: its inputs, its function written for any module, and what people write by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

WIDE = ("-mprefer-vector-width=512",)
FAST = ("-ffast-math", *WIDE)  # lets gcc take the vector functions of libmvec


@dataclass(frozen=True)
class Problem:
    """A function and the derivative that is wanted of it.

    Args:
        name: as in the table.
        inputs: makes the arrays, always the same ones; the first ``wrt`` of them are differentiated.
        program: takes the names of a library (see ``names``) and gives the function of the inputs.
        hand: the same result in hand-written NumPy.
        kind: gradient (value and gradients of a scalar), jacobian, or batched (a Jacobian for every row).
        source: the file of hand-written C, if there is one; ``sizes`` are its macros, ``flags`` more for its compiler.
        scalar: small enough for symbols: CasADi's SX takes part.
        outputs: of one result of the function, for a Jacobian.
        compile_only: what counts is the time to the first result.
        rtol: to which all must agree.
    """

    name: str
    inputs: Callable[[], tuple[Any, ...]]
    program: Callable[[Any], Callable[..., Any]]
    hand: Callable[..., Any]
    kind: Literal["gradient", "jacobian", "batched"] = "gradient"
    wrt: int = 1
    source: str = ""
    sizes: Mapping[str, int] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    scalar: bool = False
    outputs: int = 1
    compile_only: bool = False
    rtol: float = 1e-9

    @property
    def argnums(self) -> int | tuple[int, ...]:
        """The positions to differentiate by: one is a number, several a tuple."""
        return 0 if self.wrt == 1 else tuple(range(self.wrt))
