"""What NumPy, JAX and PyTorch call things: the words that the writer of arrays asks for. NumPy's are the default.

A helper that is more than a word is a function of the target's library, whose text is put in front.
"""

from __future__ import annotations

import sys
from cmath import isfinite
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from symgrad.compiler.loops.errors import power_of_integers, unsupported
from symgrad.core.promotion import is_discrete
from symgrad.exports.embed import ARRAYS, Embedded, Library
from symgrad.scalars import SCALARS
from symgrad.support.definitions import read

LARGE = 200_000  # entries of constants in one source
DIVISIONS = {"floor_divide", "remainder", "fmod"}


class Dialect:
    """One target's words, and what its source needs in front of the function.

    Attributes:
        name: of the target.
        prefix: of the library's functions.
        library: the module that says what differs from NumPy's words, read as text.
        elements: templates of scalar functions; others are looked for in ``library``.
        kernels: whether a kernel of symgrad's is text that it can run.
        zeros: whether integers divided by zero need help to be 0, as NumPy has them, and negative powers of integers
            do not raise an error.
    """

    name = "numpy"
    prefix = "np"
    library = "symgrad.exports.library.numpy"
    taken: Sequence[str] = ("np",)
    imports: Sequence[str] = ()
    zeros = True
    kernels = True
    elements: ClassVar[dict[str, str]] = {
        "relu": "np.maximum({}, 0.0)", "low": "np.minimum({}, 0.0)", "select": "np.where({}, {}, {})",
        "sqrt": "np.sqrt({})", "round": "np.round({})",
        "clamp": "np.minimum(np.maximum({}, {}), {})",
    }  # fmt: skip

    def __init__(self, taken: Sequence[str]) -> None:
        self.embedded = Embedded([*self.taken, *taken], Library(self.library, self.prefix))
        self.constants: list[str] = []
        self.steps: list[str] = []
        self._known: dict[Any, str] = {}
        self._entries = 0

    # -------------------------------------------------------------- numbers and constants
    def number(self, value: float) -> str:
        """Return the text of a number."""
        if value != value:
            return f"{self.prefix}.nan"
        if value in (float("inf"), float("-inf")):
            return f"{self.prefix}.inf" if value > 0 else f"-{self.prefix}.inf"
        return repr(float(value))

    def complex_number(self, z: complex) -> str:
        """Return the text of a complex number."""
        return repr(z) if isfinite(z) else f"complex({self.number(z.real)}, {self.number(z.imag)})"

    def array(self, value: Any) -> str:
        """Return the name of a constant array."""
        array = np.asarray(value)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._entries += array.size
            if self._entries > LARGE:
                raise too_large(self._entries)
            self._known[key] = f"c{len(self._known) + 1}"
            self.constants.append(f"{self._known[key]} = {self.array_text(array)}")
        return self._known[key]

    def array_text(self, array: Any) -> str:
        """Return an expression that makes a constant array."""
        dtype = self.dtype(array.dtype)
        if not array.size:
            return f"{self.prefix}.zeros({array.shape}, dtype={dtype})"
        return f"{self.prefix}.array({self.entries(array.tolist())}, dtype={dtype})"

    def looked_up(self, x: str) -> str:
        """Return an array as positions that are computed can be looked up in it."""
        return x

    def entries(self, x: Any) -> str:
        """Return nested lists of numbers as text."""
        if isinstance(x, list):
            return f"[{', '.join(map(self.entries, x))}]"
        if isinstance(x, complex):
            return self.complex_number(x)
        return self.number(x) if isinstance(x, float) else repr(x)

    def dtype(self, dtype: Any) -> str:
        """Return what a dtype is called."""
        name = np.dtype(dtype).name
        return f"{self.prefix}.{'bool_' if name == 'bool' else name}"

    # -------------------------------------------------------------- functions
    def has(self, name: str) -> bool:
        """Whether the target has a scalar function: a word for it, one of the library, or its kernel as text."""
        kernel = SCALARS[name].numpy
        places = [place for k in map(read, (self.library, ARRAYS)) for place in (k.defined, k.inside, k.outside)]
        spelled = name in self.elements or any(name in place for place in places)
        return spelled or (self.kernels and (isinstance(kernel, np.ufunc) or _place(kernel) is not None))

    def helper(self, name: str) -> str:
        """Return the name of a function put in front: the target's own, or that written once for all."""
        for module in (self.library, ARRAYS):
            known = read(module)
            if any(name in place for place in (known.defined, known.inside, known.outside)):
                return self.embedded.add(module, name)
        raise unsupported(name, self.name)

    def kernel(self, op: Any, name: str, fields: Sequence[str]) -> str:
        """Return the name of a function of the operation's arguments and fields, put in front."""
        return self.helper(name)

    def element(self, name: str, args: Sequence[str], numbers: Sequence[float | None], dtype: Any) -> str:
        """Return the text of a scalar function of arrays."""
        if name.startswith("cast_"):
            return self.cast(args[0], np.dtype(name.removeprefix("cast_")))
        if name == "select" and None not in numbers[1:] and np.dtype(dtype).name in ("float32", "float16"):
            args = [args[0], *[self.cast(a, np.dtype(dtype)) for a in args[1:]]]  # two numbers would make doubles
        if name == "pow" and self.zeros and is_discrete(np.dtype(dtype)) and numbers[1] is None:
            raise power_of_integers()
        if name in DIVISIONS and self.zeros and is_discrete(np.dtype(dtype)):
            return f"{self.helper('divided')}({self.prefix}.{name}, {', '.join(args)})"
        template = self.elements.get(name)
        return template.format(*args) if template else f"{self.function(name)}({', '.join(args)})"

    def function(self, name: str) -> str:
        """Return the name of a scalar function: NumPy's, or the text of its kernel."""
        if name == "pow":
            return self.helper("power")
        kernel = SCALARS[name].numpy
        if isinstance(kernel, np.ufunc):
            return f"np.{kernel.__name__}"
        place = _place(kernel)
        return self.helper(name) if place is None else self.embedded.add(place.__name__, kernel.__name__)

    def check(self, name: str, kinds: Sequence[Any]) -> None:
        """Raise ExportError where the target lacks an operation on values of these dtypes."""

    def step_function(self, names: Sequence[str], lines: Sequence[str], results: Sequence[str]) -> str:
        """Put the body of a loop in front, and return its name."""
        name = f"step{len(self.steps) + 1}"
        body = [f"    {line}" for line in [*lines, f"return ({', '.join(results)}{',' if len(results) == 1 else ''})"]]
        self.steps.append("\n".join([f"def {name}({', '.join(names)}):", *body]))
        return name

    # -------------------------------------------------------------- words
    def call(self, name: str, *args: Any) -> str:
        """Return a call of the library's function."""
        return f"{self.embedded.word(name)}({', '.join(map(str, args))})"

    def cast(self, x: str, dtype: Any) -> str:
        """Return x in another dtype."""
        return self.call("asarray", x, f"dtype={self.dtype(dtype)}")

    def whole(self, x: str, dtype: Any) -> str:
        """Return floating-point numbers as integers."""
        return self.cast(x, dtype)

    def reduce(self, kind: str, x: str, axes: Sequence[int]) -> str:
        """Return the sum, or the largest or smallest entry, along axes."""
        return self.call(kind, x, f"axis={axes_text(axes)}")

    def reshape(self, x: str, shape: str) -> str:
        """Return the entries of x in another shape."""
        return self.call("reshape", x, shape)

    def expand(self, x: str, shape: str) -> str:
        """Return x repeated."""
        return self.call("broadcast_to", x, shape)

    def einsum(self, spec: str, args: Sequence[str]) -> str:
        """Return a sum of products."""
        terms, output = spec.split("->")
        if len(args) == 1 and sorted(terms) == sorted(output):
            order = tuple(terms.index(c) for c in output)
            return self.transpose(args[0], order)
        return _matmul(terms, output, args) or self.call("einsum", repr(spec), *args)

    def transpose(self, x: str, order: Sequence[int]) -> str:
        """Return x with its axes in another order."""
        return self.call("transpose", x, tuple(order))

    def flip(self, x: str, axes: Sequence[int]) -> str:
        """Return x read backwards along axes."""
        return self.call("flip", x, tuple(axes))

    def cat(self, xs: Sequence[str], axis: int) -> str:
        """Return arrays one after the other."""
        return f"{self.prefix}.concatenate([{', '.join(xs)}], axis={axis})"

    def stack(self, xs: Sequence[str], axis: int) -> str:
        """Return arrays along a new axis."""
        return f"{self.prefix}.stack([{', '.join(xs)}], axis={axis})"

    def eye(self, n: str, m: str, dtype: Any) -> str:
        """Return an identity matrix."""
        return self.call("eye", n, m, f"dtype={self.dtype(dtype)}")

    def index(self, x: str, key: str, part: Any = None, shape: Any = None) -> str:
        """Return some entries of x."""
        return f"{x}[{key}]"

    def result(self, text: str, dtype: Any, view: bool, number: float | None) -> str:
        """Return a result as it is handed out; a view may share its entries with an argument."""
        raise NotImplementedError


def _matmul(terms: str, output: str, args: Sequence[str]) -> str:
    """Return a product of matrices and vectors with @, or nothing where it is none."""
    left, _, right = terms.partition(",")
    if not right or max(len(left), len(right)) > 2 or len(set(left)) < len(left) or len(set(right)) < len(right):
        return ""
    common = set(left) & set(right)
    rest = [*(c for c in left if c not in common), *(c for c in right if c not in common)]
    if len(common) != 1 or "".join(rest) != output:
        return ""
    (c,) = common
    a = args[0] if left[-1] == c else f"{args[0]}.T"
    b = args[1] if right[0] == c else f"{args[1]}.T"
    return f"{a} @ {b}"


def _place(kernel: Any) -> Any:
    """The module that defines a kernel, None where none has it by name."""
    return next((m for m in _scalar_modules() if getattr(m, kernel.__name__, None) is kernel), None)


def _scalar_modules() -> list[Any]:
    """Return the modules that kernels of scalar functions are defined in."""
    return [m for name, m in sorted(sys.modules.items()) if name.startswith("symgrad.scalars.") and m is not None]


def axes_text(axes: Sequence[int]) -> str:
    """Return one axis as a number, several as a tuple."""
    return str(axes[0]) if len(axes) == 1 else str(tuple(axes))


def too_large(count: int) -> Exception:
    """The error for constants that are data."""
    from_here = f"{count} entries of constants, more than {LARGE}"
    return ValueError(f"export: the function has {from_here}. Make the arrays arguments of it.")
