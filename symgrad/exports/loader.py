"""``load_c``: compile an exported C file with the system's compiler, and call it on NumPy arrays."""

from __future__ import annotations

import ctypes
import os
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from symgrad.compiler.backends.c.compiler import Failed, command, compiled, loaded
from symgrad.core.promotion import is_complex, is_real
from symgrad.core.upcalls import UPCALLS
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, MissingExtra, ShapeError
from symgrad.support.arguments import checked
from symgrad.support.files import path_of

DTYPES: dict[str, Any] = {
    "double": np.float64, "float": np.float32, "double _Complex": np.complex128, "float _Complex": np.complex64,
    "long": np.int64,
}  # fmt: skip
SCALARS = {np.float64: ctypes.c_double, np.float32: ctypes.c_float}
FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC")
_LINE = re.compile(r"^   +(\w+): \((.*?)\)(?: =.*)?$", re.MULTILINE)
_PROTOTYPE = re.compile(r"^int (\w+)\((.*)\);$", re.MULTILINE)


def _text_of(path: Path) -> str:
    if path.exists() and not path.is_file():
        raise ArgumentError(f"load_c: {path} is not a file. Expected a file that sg.export wrote.")
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ArgumentError(f"load_c: {path} is not text. Expected a file that sg.export wrote.") from error


def _prototypes(path: Path, text: str) -> dict[str, str]:
    """Return the arguments of each exported function, as in its prototype."""
    prototypes = {m[1]: m[2] for m in _PROTOTYPE.finditer(text)}
    if not prototypes:
        raise ArgumentError(
            f"load_c: {path} is not a file of sg.export: it has no line like 'int f(double x, double *out);'. Expected "
            'what sg.export(…, target="c", path=path) wrote.'
        )
    return prototypes


@checked
def load_c(path: str | os.PathLike[str], name: str | None = None, compiler: str | None = None) -> Callable[..., Any]:
    """Return an exported C function as a function of NumPy arrays.

    Args:
        path: the file that ``sg.export(…, target="c", path=path)`` wrote.
        name: the name of the function, if the file has several.
        compiler: the C compiler's command; by default that of the environment variable CC, or ``cc``, ``gcc`` or
            ``clang``.

    Returns:
        A function of the arrays, in order or by name, which returns the result, or a tuple of results.

    Raises:
        MissingExtra: if there is no C compiler.
        ArgumentError: if the file has no such function.

    >>> f = load_c(path)  # doctest: +SKIP
    """
    path = path_of(path, "load_c")
    text = _text_of(path)
    prototypes = _prototypes(path, text)
    chosen = name or next(iter(prototypes), "")
    if chosen not in prototypes:
        raise ArgumentError(f"load_c: {path} has no exported function {chosen!r}. It has {sorted(prototypes)}.")
    library = _library(path, text, compiler)
    comment = text[: text.index(f"int {chosen}(")].rpartition("/*")[2]
    shapes = {m[1]: [n.strip() for n in m[2].split(",") if n.strip()] for m in _LINE.finditer(comment)}
    return _Loaded(getattr(library, chosen), chosen, prototypes[chosen], shapes)


def _library(path: Path, text: str, compiler: str | None) -> Any:
    """Compile the text, and load what comes of it."""
    first, *rest = (shlex.split(compiler) if compiler else command()) or [""]
    place = shutil.which(first)
    if place is None:
        raise MissingExtra("load_c: no C compiler was found. Install one, or name it: load_c(path, compiler='gcc').")
    try:
        return loaded(compiled(text, [os.path.abspath(place), *rest, *FLAGS]))
    except Failed as error:
        raise ArgumentError(f"load_c: {path} does not compile: {error.told[:400]}") from error


class _Loaded:
    """One function of a library."""

    def __init__(self, function: Any, name: str, arguments: str, shapes: dict[str, list[str]]) -> None:
        self._function, self.__name__, self._shapes = function, name, shapes
        words = [a.strip().split() for a in arguments.split(",") if a.strip() != "void"]
        kinds = [(" ".join(w[:-1]), w[-1].lstrip("*"), w[-1].startswith("*")) for w in words]
        self.sizes = [n for kind, n, _ in kinds if kind == "long"]
        self.outputs = [n for kind, n, pointer in kinds if pointer and not kind.startswith("const")]
        self.inputs = [n for _, n, _ in kinds if n not in self.sizes and n not in self.outputs]
        self.dtypes = {n: DTYPES[kind.removeprefix("const ")] for kind, n, _ in kinds}

    def __call__(self, /, *args: Any, **named: Any) -> Any:
        given = {**dict(zip(self.inputs, args, strict=False)), **named}
        if len(args) > len(self.inputs) or set(given) != set(self.inputs):
            raise ArgumentError(f"{self.__name__}: expected the arguments {self.inputs}, got {sorted(given)}.")
        sizes: dict[str, int] = {}
        values: list[Any] = [self._input(n, given[n], sizes) for n in self.inputs]
        outs = [np.empty([_size(n, sizes) for n in self._shapes[out]], self.dtypes[out]) for out in self.outputs]
        pointers = [_pointer(v) if isinstance(v, np.ndarray) else v for v in values]
        status = self._function(*pointers, *[ctypes.c_long(sizes[n]) for n in self.sizes], *map(_pointer, outs))
        if status:
            raise (MemoryError if status < 0 else LinAlgError)(
                f"{self.__name__}: {'no memory' if status < 0 else 'a matrix is singular, or not positive definite'}."
            )
        results = [y if y.ndim else y.item() for y in outs]
        return results[0] if len(results) == 1 else tuple(results)

    def _input(self, name: str, x: Any, sizes: dict[str, int]) -> Any:
        array = self._numbers(name, x)
        expected = self._shapes[name]
        if array.ndim == len(expected):
            for n, m in zip(expected, array.shape, strict=True):
                if n.isidentifier():
                    sizes.setdefault(n, m)
        if array.ndim != len(expected) or any(_size(n, sizes) != m for n, m in zip(expected, array.shape)):
            raise ShapeError(
                f"{self.__name__}: {name} has shape {list(array.shape)}. Expected ({', '.join(expected)}), {sizes}."
            )
        scalar = None if expected else SCALARS.get(self.dtypes[name])
        return array if scalar is None else scalar(float(array))

    def _numbers(self, name: str, x: Any) -> Any:
        """Return an argument as the array that the function reads."""
        try:
            array = np.asarray(x)
        except ValueError:  # lists of different lengths
            array = np.asarray(None)
        takes_complex = is_complex(np.dtype(self.dtypes[name]))
        if not (is_real(array.dtype) or (takes_complex and is_complex(array.dtype))):
            raise ArgumentTypeError(
                f"{self.__name__}: {name} is {array.dtype.name if is_complex(array.dtype) else type(x).__name__}. "
                f"Expected an array of {'complex' if takes_complex else 'real'} numbers."
            )
        return np.asarray(array, self.dtypes[name], order="C")


def _size(text: str, sizes: dict[str, int]) -> int:
    """Return the number of a size: digits, a name, or a formula of names such as ``n**2 + n``."""
    if text.isdigit():
        return int(text)
    if text in sizes:
        return sizes[text]
    return round(float(UPCALLS["parse"](text, dict.fromkeys(sizes, ()))(*map(float, sizes.values()))))


def _pointer(array: Any) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)
