"""Values by name for functions of users. A name that does not exist is an error, which says which names there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symgrad.errors import ArgumentError
from symgrad.support.namespace import near


class Named(dict[str, Any]):
    """A dict whose missing names are errors in the words of the problem; structures take it for a plain dict.

    Args:
        values: by name.
        what: such as "states".
        who: who asks for a name, such as "control: a function".
    """

    def __init__(self, values: Mapping[str, Any] | Iterable[tuple[str, Any]], what: str, who: str) -> None:
        super().__init__(values)
        self.what, self.who = what, who

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "what" not in vars(self):
            raise AttributeError(name)
        raise AttributeError(f"{self.who} asks for .{name}. The {self.what} are a dict: write [{name!r}].")

    def __missing__(self, name: Any) -> Any:
        guess = near(str(name), list(map(str, self))) or "."
        raise ArgumentError(f"{self.who} asks for {name!r}. The {self.what} are {list(self)}{guess}")
