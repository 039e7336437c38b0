"""A distribution with its parameters, as ``scipy.stats.norm(1, 2)`` is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class Frozen:
    """A distribution with fixed parameters, which its methods do not take as arguments.

    >>> sg.stats.norm(1.0, 2.0).logpdf(1.0)
    tensor(-1.6121)
    """

    def __init__(self, dist: Any, *args: Any, **kwargs: Any) -> None:
        self.dist, self.args, self.kwds = dist, args, kwargs

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{k}={v!r}" for k, v in self.kwds.items())]
        return f"{self.dist!r}({', '.join(given)})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if not callable(method):
            return method

        def call(*first: Any, **words: Any) -> Any:
            return method(*first, *self.args, **self.kwds, **words)

        call.__name__, call.__doc__ = name, method.__doc__
        return call

    def rvs(self, size: Any = None, random_state: Any = None) -> Any:
        """Draw random numbers from the distribution, in a tensor of this size; see the distribution's ``rvs``."""
        given = {} if size is None else {"size": size}
        return self.dist.rvs(*self.args, **given, random_state=random_state, **self.kwds)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self.dist) if not name.startswith("_")]


def is_discrete(distribution: Frozen) -> bool:
    """Whether a distribution, or what it is made of, has probabilities of integers instead of a density."""
    made_of = getattr(distribution.dist, "made_of", None)
    if made_of is None:
        return not hasattr(distribution.dist, "logpdf")
    first = distribution.args[0] if distribution.args else distribution.kwds[made_of]
    return is_discrete(first[0] if isinstance(first, Sequence) else first)
