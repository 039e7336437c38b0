"""What a module answers about its names: which it shows, and which was meant by one that it lacks."""

from __future__ import annotations

import importlib
import opcode
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symgrad.support.neighbours import folded, instead, misspelt, option, sentence


def missing(module: str, name: str, names: Iterable[str], why: str = "") -> AttributeError | ImportError:
    """The error for a name that a module lacks: what that is called here, or the nearest that there is.

    In ``from module import name`` it is an ImportError, because Python leaves out the words of an AttributeError there.
    """
    if name.startswith("_"):  # Python asks every module for some of these
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    in_place = [f"{name}_"] if f"{name}_" in {*names} else []  # as init.normal, which is older than init.normal_
    why = why or near(name, in_place) or instead(name, module) or near(name, names) or misspelt(name)
    if _is_import(sys._getframe(2)) and f"{module}.{name}" not in sys.modules:
        return ImportError(f"cannot import name {name!r} from {module!r}{why}", name=module)
    return AttributeError(f"module {module!r} has no attribute {name!r}{why}")


def _is_import(frame: Any) -> bool:
    """Whether a frame runs the part of ``from module import name`` that reads the name."""
    return opcode.opname[frame.f_code.co_code[frame.f_lasti]] == "IMPORT_FROM" if frame.f_lasti >= 0 else False


class MissingModules:
    """The last of Python's finders: it says what to use for a module that a neighbour has, and symgrad lacks.

    Python asks it only where every other finder found nothing, and it answers for names in the table alone.
    """

    @staticmethod
    def find_spec(fullname: str, path: Any = None, target: Any = None) -> None:
        """Raise ModuleNotFoundError with the sentence of the table, or return None."""
        above, _, name = fullname.rpartition(".")
        why = sentence(name) if above.partition(".")[0] == "symgrad" else ""
        if why:
            raise ModuleNotFoundError(f"No module named {fullname!r}{why}", name=fullname)


def missing_from(thing: Any, name: str) -> AttributeError:
    """The error for a name that a module of a network, or an optimiser, lacks."""
    public = () if name.startswith("_") else [n for n in dir(thing) if not n.startswith("_")]
    why = near(name, public) or sentence(name)
    return AttributeError(f"{type(thing).__name__!r} object has no attribute {name!r}{why}")


def keyword(said: str, names: Iterable[str]) -> str:
    """Return what to write for an argument that a function lacks, of which Python's message tells; else nothing."""
    name = said.partition("unexpected keyword argument '")[2].partition("'")[0]
    return option(name) or near(name, names).removeprefix(".")


def near(name: str, names: Iterable[str]) -> str:
    """Return the question whether the nearest of the names was meant; nothing where none is near.

    Of a name of two or three letters, one of the same letters: sin for sni.
    """
    names = list(names)
    same = [n for n in names if folded(n) == folded(name)]
    turned = same or [n for n in names if 1 < len(n) == len(name) <= 3 and sorted(n) == sorted(name)]
    import difflib  # for errors only: others start sooner without it

    matches = turned or difflib.get_close_matches(name, names, 1, 0.7 if len(name) > 3 else 0.8)
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
