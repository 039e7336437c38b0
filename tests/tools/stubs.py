"""The stubs of what factories make, written from what is there: ``python tests/tools/stubs.py`` writes them anew.

A checker cannot see through ``exp = public(...)``. Each stub is the list of a module's functions, or of a class's
methods, with the signatures that Python reports; a result noted as ``Any`` is a tensor, as test_types.py observes.
"""

from __future__ import annotations

import builtins
import collections.abc
import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import symgrad as sg
from symgrad.engine.record import TensorBase
from symgrad.tensors.methods_mixin import Mixed

ROOT = Path(sg.__file__).parent
MODULES = {
    "functions/__init__.pyi": sg.functions,
    "fft/__init__.pyi": sg.fft,
    "linalg/__init__.pyi": sg.linalg,
    "signal/__init__.pyi": sg.signal,
    "special/__init__.pyi": sg.special,
    "nn/functional.pyi": sg.nn.functional,
}
METHODS = "tensors/methods_mixin.pyi"

# Tensors, unless one of these arguments is given; then what they return depends on its value.
VARIES = {
    **dict.fromkeys(("max", "min"), ("dim", "keepdim", "other", "axis", "keepdims")),
    **dict.fromkeys(("median", "nanmedian"), ("dim", "keepdim", "axis", "keepdims")),
    **dict.fromkeys(("unique", "unique_consecutive"), ("return_inverse", "return_counts", "dim")),
    **dict.fromkeys(
        [f"{pool}{d}d" for pool in ("max_pool", "adaptive_max_pool") for d in (1, 2, 3)], ("return_indices",)
    ),
    "logsumexp": ("return_sign",),
    "nonzero": ("as_tuple",),
}
# Numbers of Python's or of names, and what NumPy asks for.
UNKNOWN = {
    "__array_function__", "__array_ufunc__", "__dlpack__", "__round__", "item", "nbytes", "nelement", "numel", "size",
    "tolist", "atleast_1d", "atleast_2d", "atleast_3d", "expm_frechet", "lfilter",
}  # fmt: skip
OWN = {"__divmod__": "tuple[Tensor, Tensor]", "__rdivmod__": "tuple[Tensor, Tensor]"}
OVERRIDING = {"__eq__", "__ne__"}  # object says that they return a bool
INHERITED = {"__doc__", "__hash__", "__module__", "__slots__"}
HEAD = '"""{0}"""\n\n# Written by `python tests/tools/stubs.py`; a test compares.\n\n'


class Stub:
    """The text of one stub, and the names that its annotations need."""

    def __init__(self, place: str, title: str, *, indent: str = "") -> None:
        self.place, self.title, self.indent = place, title, indent
        self.lines: list[str] = []
        self.imports: set[str] = set()

    def __str__(self) -> str:
        needed = sorted(self.imports, key=lambda line: (not line.startswith("import"), line))
        return HEAD.format(self.title) + "\n".join([*needed, "", *self.lines]) + "\n"

    # -------------------------------------------------------------- functions
    def function(self, name: str, fn: Any, *, method: bool = False) -> None:
        """Add a function, in two signatures where its result varies."""
        parameters, result = self.signature(name, fn, method)
        flags = VARIES.get(name)
        if flags is None:
            self.definition(name, parameters, result, fn)
            return
        self.imports.add("from typing import overload")
        self.definition(name, [p for p in parameters if p.name not in flags], "Tensor", None, "@overload")
        self.definition(name, parameters, "Any", fn, "@overload")

    def definition(
        self, name: str, parameters: list[inspect.Parameter], result: str, fn: Any, decorator: str = ""
    ) -> None:
        """Write one signature, with the first paragraph of the docstring."""
        shown = str(inspect.Signature(parameters))
        text = "" if fn is None else " ".join((inspect.getdoc(fn) or "").split("\n\n")[0].split())
        mark = "  # type: ignore[override]" if name in OVERRIDING else ""
        body = f"{mark}\n{self.indent}    {quoted(text)}" if text else f" ...{mark}"
        self.lines += [f"{self.indent}{decorator}"] if decorator else []
        self.lines.append(f"{self.indent}def {name}{shown} -> {result}:{body}")

    def signature(self, name: str, fn: Any, method: bool) -> tuple[list[inspect.Parameter], str]:
        """The parameters and the result, each with the annotation that a stub has."""
        found = inspect.signature(fn)
        space = getattr(inspect.unwrap(fn), "__globals__", {})
        parameters = []
        for k, p in enumerate(found.parameters.values()):
            noted = Verbatim(self.annotation(p.annotation, space))
            if method and k == 0:
                p = p.replace(name="self", annotation=p.empty, kind=p.POSITIONAL_OR_KEYWORD)
            else:
                p = p.replace(name="input" if k == 0 and p.name == "x" else p.name, annotation=noted)
            parameters.append(p if p.default is p.empty else p.replace(default=Verbatim(value(p.default))))
        for word in getattr(fn, "words", ()):
            if word not in found.parameters:
                parameters.append(
                    inspect.Parameter(
                        word, inspect.Parameter.KEYWORD_ONLY, default=Verbatim("..."), annotation=Verbatim("Any")
                    )
                )
        parameters.sort(key=lambda p: p.kind)
        result = self.annotation(found.return_annotation, space)
        return parameters, OWN.get(name, of_tensors(name, result))

    # -------------------------------------------------------------- names
    def annotation(self, noted: Any, space: dict[str, Any]) -> str:
        """The annotation as text, whose names are imported."""
        if noted is inspect.Parameter.empty:
            return "Any"
        text = noted if isinstance(noted, str) else noted.__name__ if isinstance(noted, type) else repr(noted)
        text = re.sub(
            r"[A-Za-z_]\w*(?![\w.(])", lambda m: in_full(space.get(m[0], m[0]), m[0]), text.replace("builtins.", "")
        )
        for name in set(re.findall(r"(?<![\w.\"'])[A-Za-z_]\w*", text)):
            self.need(name, {**vars(collections.abc), **space})
        return re.sub(r"(?<![\w.])(bool|int|float)\b", r"builtins.\1", text) if self.indent else text

    def need(self, name: str, space: dict[str, Any]) -> None:
        """Import a name that an annotation uses."""
        if hasattr(builtins, name) or name in ("Any", "Tensor"):
            return
        found = space[name]
        if isinstance(found, ModuleType):
            self.imports.add(f"import {found.__name__} as {name}")
        else:
            self.imports.add(f"from {found.__module__} import {name}")


def in_full(found: Any, name: str) -> str:
    """What an alias stands for, such as int | Sequence[int]; other names as they are."""
    alias = isinstance(found, types.UnionType)
    return re.sub(r"(collections\.abc|typing)\.", "", repr(found)) if alias else name


def of_tensors(name: str, result: str) -> str:
    """What a function returns, where ``Any`` is a tensor unless it is known not to be."""
    private = name.startswith("_") and not name.startswith("__")
    return result if private or name in UNKNOWN or result.startswith("np.") else result.replace("Any", "Tensor")


class Verbatim(str):
    """Text that a signature shows as it is."""

    __repr__ = str.__str__


def value(default: Any) -> str:
    """A default as a stub shows it: a literal, or three dots."""
    return repr(default) if isinstance(default, (bool, int, float, str, type(None))) else "..."


def quoted(text: str) -> str:
    """A docstring."""
    text = text.replace("\\", "\\\\").replace('"""', "'''")
    return f'"""{text}{" " if text.endswith(chr(34)) else ""}"""'


# ------------------------------------------------------------------ modules and classes
def of_module(place: str, module: ModuleType) -> str:
    """The stub of a module's public functions; classes are imported from where they are."""
    stub = Stub(place, (module.__doc__ or "").split("\n")[0])
    stub.imports |= {"from typing import Any", "from symgrad.tensors.tensor import Tensor"}
    names = list(module.__all__)
    stub.lines += ["__all__ = [", *[f'    "{n}",' for n in names], "]", ""]
    for name in names:
        found = getattr(module, name)
        if isinstance(found, ModuleType):
            stub.imports.add(f"from {module.__name__} import {name} as {name}")
        elif isinstance(found, type):
            stub.imports.add(f"from {found.__module__} import {found.__qualname__} as {name}")
        else:
            stub.function(name, found)
    return str(stub)


def of_methods(cls: type, base: type) -> str:
    """The stub of a class whose methods come from its bases, down to one that checkers can read themselves."""
    stub = Stub(METHODS, "What a tensor can do beside differentiating.", indent="    ")
    stub.imports |= {"import builtins", "from typing import Any", "from symgrad.tensors.tensor import Tensor"}
    stub.need(base.__name__, {base.__name__: base})
    stub.lines.append(f"class {cls.__name__}({base.__name__}):")
    for name, found in members(cls, base):
        if isinstance(found, property):
            result = stub.annotation(inspect.signature(found.fget).return_annotation, found.fget.__globals__)
            stub.lines += ["    @property", f"    def {name}(self) -> {of_tensors(name, result)}: ..."]
            if found.fset is not None:
                stub.lines += [f"    @{name}.setter", f"    def {name}(self, value: Any) -> None: ..."]
        elif callable(found):
            stub.function(name, found, method=True)
        else:
            stub.lines.append(
                f"    {name}: {'builtins.' * (type(found).__name__ in dir(builtins))}{type(found).__name__}"
            )
    return str(stub)


def members(cls: type, base: type) -> Iterator[tuple[str, Any]]:
    """What the class has beyond its base, in alphabetical order."""
    found: dict[str, Any] = {}
    for c in cls.__mro__[: cls.__mro__.index(base)]:
        for name, member in vars(c).items():
            if name not in INHERITED:
                found.setdefault(name, member)
    return iter(sorted(found.items()))


def stubs() -> dict[Path, str]:
    """The text of each stub, by its place."""
    found = {ROOT / place: of_module(place, module) for place, module in MODULES.items()}
    return {**found, ROOT / METHODS: of_methods(Mixed, TensorBase)}


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
