"""The core axes of an operation, in NumPy's notation for generalised ufuncs: ``(m,n),(n,k)->(m,k)``.

Each group names the last axes of one input, or of the result; what stands in front are loops. One group for several
inputs holds for each of them. A letter says no more than that axes of one letter have one size.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple


class Signature(NamedTuple):
    """The core axes of the inputs and of the result, by letter."""

    inputs: tuple[tuple[str, ...], ...]
    result: tuple[str, ...]

    @property
    def entrywise(self) -> bool:
        """Whether entries are taken one by one, and the inputs broadcast."""
        return not (any(self.inputs) or self.result)

    def of(self, count: int) -> tuple[tuple[str, ...], ...]:
        """The core axes of each of the given number of inputs."""
        return self.inputs * count if len(self.inputs) == 1 else self.inputs


@lru_cache(maxsize=256)
def read(text: str) -> Signature:
    """Return what a signature says.

    >>> from symgrad.ops.signature import read
    >>> read("(m,n),(n,k)->(m,k)").result
    ('m', 'k')
    """
    inputs, _, result = text.partition("->")
    return Signature(_groups(inputs), _groups(result)[0])


def _groups(text: str) -> tuple[tuple[str, ...], ...]:
    groups = text.removeprefix("(").removesuffix(")").split("),(")
    return tuple(tuple(g.split(",")) if g else () for g in groups)
