"""The words of a language for operations: functions that write each, by the classes of the operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from symgrad.ops.protocol import Op

Write = TypeVar("Write", bound=Callable[..., Any])


class Words:
    """The writers of operations.

    >>> words = Words()
    >>> @words(Op)
    ... def _(writer, op, args, reference): ...
    """

    def __init__(self, *parts: Words) -> None:
        self._of: dict[type[Op], Any] = {kind: write for part in parts for kind, write in part._of.items()}

    def __call__(self, *kinds: type[Op]) -> Callable[[Write], Write]:
        """Enter how operations of these classes are written."""

        def enter(write: Write) -> Write:
            self._of.update(dict.fromkeys(kinds, write))
            return write

        return enter

    def of(self, op: Any) -> Any:
        """Return how an operation is written: as its class says, or the one that it has its forward from."""
        return self.of_class(type(op))

    def of_class(self, kind: type[Op]) -> Any:
        """Return how operations of a class are written."""
        known = next((c for c in kind.__mro__ if c in self._of), None)
        return self._of[known] if known is not None and kind.forward is known.forward else None
