"""What a module answers about its names: which it shows, and which was meant by one that it lacks."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symgrad.support.neighbours import instead


def missing(module: str, name: str, names: Iterable[str], why: str = "") -> AttributeError:
    """The error for a name that a module lacks: what that is called here, or the nearest that there is."""
    if name.startswith("_"):  # Python asks every module for some of these
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    why = why or instead(name, module) or near(name, names)
    return AttributeError(f"module {module!r} has no attribute {name!r}{why}")


def near(name: str, names: Iterable[str]) -> str:
    """Return the question whether the nearest of the names was meant; nothing where none is near.

    Of a name of two or three letters, one of the same letters: sin for sni.
    """
    turned = [n for n in names if 1 < len(n) == len(name) <= 3 and sorted(n) == sorted(name)]
    import difflib  # for errors only: others start sooner without it

    matches = turned or difflib.get_close_matches(name, [*names], 1, 0.7 if len(name) > 3 else 0.8)
    return f". Did you mean {matches[0]!r}?" if matches else ""


def shown(module: dict[str, Any], names: Iterable[str]) -> list[str]:
    """What ``dir`` lists of a module: its public names, and those that Python gives to every module."""
    return sorted({*names, *[n for n in module if n.startswith("__")]})


def namespace(
    module: dict[str, Any], names: Sequence[str], later: Mapping[str, str] | None = None
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` of a module, given its ``globals()`` and its public names.

    ``later`` has the names that stand in modules above, and says in which.
    """
    elsewhere = later or {}

    def absent(name: str) -> Any:
        if name not in elsewhere:
            raise missing(module["__name__"], name, names)
        value = module[name] = getattr(importlib.import_module(elsewhere[name]), name)
        return value

    return absent, lambda: shown(module, names)
