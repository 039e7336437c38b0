"""The target ``torch``: a module whose function runs under ``torch.compile``, ``torch.func.vmap`` and autograd.

PyTorch itself is not imported: its library of helpers is read as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from symgrad.compiler.loops.errors import ExportError
from symgrad.core.promotion import is_floating, is_integer
from symgrad.exports.arrays.dialect import Dialect, axes_text
from symgrad.exports.request import Request
from symgrad.exports.targets.modules import body, docstring, module
from symgrad.exports.targets.target import Source, Target
from symgrad.ops.keys import Span
from symgrad.scalars import SCALARS

_SAME = (
    "exp log expm1 log1p exp2 log2 log10 sin cos tan sinh cosh tanh asin acos atan atan2 asinh acosh atanh abs "
    "sign floor ceil trunc round sqrt hypot copysign heaviside fmax fmin maximum minimum logaddexp logaddexp2 "
    "remainder fmod floor_divide sinc sigmoid relu lgamma"
)
_NOT_IN_HALF = {"erfcx", "ndtri", "log_ndtr"}
_NO_ARITHMETIC = {"uint16", "uint32", "uint64"}
_MOVES = {"Reshape", "Expand", "Transpose", "Cat", "Stack", "Cast"}
_SPECIAL = "erf erfc erfcx i0 i0e i1 i1e entr xlogy xlog1py ndtr ndtri log_ndtr"


class Torch(Dialect):
    """The target PyTorch and its spelling of every operation."""

    name, prefix, library = "torch", "torch", "symgrad.exports.library.torch"
    kernels = False
    taken = ("torch", "math")
    imports = ("import torch",)
    elements: ClassVar[dict[str, str]] = {
        **{n: f"torch.{n}({', '.join(['{}'] * (SCALARS[n].nargs if n in SCALARS else 1))})" for n in _SAME.split()},
        **{n: f"torch.special.{n}({', '.join(['{}'] * SCALARS[n].nargs)})" for n in _SPECIAL.split()},
        "select": "torch.where({}, {}, {})", "pow": "torch.pow({}, {})", "low": "torch.clamp({}, max=0.0)",
        "clamp_min": "torch.maximum({}, {})", "clamp_max": "torch.minimum({}, {})",
        "clamp": "torch.minimum(torch.maximum({}, {}), {})", "logsigmoid": "torch.nn.functional.logsigmoid({})",
        "softsign": "torch.nn.functional.softsign({})",
    }  # fmt: skip

    def check(self, name: str, kinds: Sequence[Any]) -> None:
        """Refuse what PyTorch can only move and convert: unsigned integers of more than 8 bits."""
        lacking = [np.dtype(d).name for d in kinds if np.dtype(d).name in _NO_ARITHMETIC]
        if lacking and name not in _MOVES and not name.startswith("cast_"):
            raise ExportError(
                f"export: PyTorch has no arithmetic of {lacking[0]}, which {name} needs. Convert it first, as by "
                "x.to(sg.int64), or choose another target."
            )

    def element(self, name: str, args: Sequence[str], numbers: Sequence[float | None], dtype: Any) -> str:
        """Return a scalar function; of numbers most take tensors only."""
        if name in _NOT_IN_HALF and np.dtype(dtype) == np.float16:
            wide = [a if n is not None else self.cast(a, np.float32) for a, n in zip(args, numbers)]
            return self.cast(self.element(name, wide, numbers, np.float32), dtype)
        known = [n is not None for n in numbers]
        mixed = {"polygamma": True, "select": not all(known[1:]), "pow": not all(known)}
        if mixed.get(name):
            known = [False] * len(args)
        return super().element(name, [self.tensor(a, dtype) if k else a for a, k in zip(args, known)], numbers, dtype)

    def tensor(self, text: str, dtype: Any) -> str:
        """Return a number as a tensor without axes: of the result's dtype, or a long integer."""
        held = np.dtype(dtype)
        name = "int64" if is_integer(held) else held.name if is_floating(held) else "float64"
        return f"torch.tensor({text}, dtype=torch.{name})"

    def function(self, name: str) -> str:
        """Return a function of the library."""
        return self.helper(name)

    def array_text(self, array: Any) -> str:
        """Return an expression that makes a constant array."""
        dtype = self.dtype(array.dtype)
        if not array.size:
            return f"torch.zeros({array.shape}, dtype={dtype})"
        return f"torch.tensor({self.entries(array.tolist())}, dtype={dtype})"

    def dtype(self, dtype: Any) -> str:
        """Return what a dtype is called."""
        return f"torch.{np.dtype(dtype).name}"

    def cast(self, x: str, dtype: Any) -> str:
        """Return x in another dtype."""
        return f"torch.as_tensor({x}, dtype={self.dtype(dtype)})"

    def reduce(self, kind: str, x: str, axes: Sequence[int]) -> str:
        """Return the sum, or the largest or smallest entry, along axes."""
        name = {"sum": "sum", "max": "amax", "min": "amin"}[kind]
        return f"torch.{name}({x}, dim={axes_text(axes)})"

    def transpose(self, x: str, order: Sequence[int]) -> str:
        """Return x with its axes in another order."""
        return f"torch.permute({x}, {tuple(order)})"

    def cat(self, xs: Sequence[str], axis: int) -> str:
        """Return arrays one after the other."""
        return f"torch.cat([{', '.join(xs)}], dim={axis})"

    def stack(self, xs: Sequence[str], axis: int) -> str:
        """Return arrays along a new axis."""
        return f"torch.stack([{', '.join(xs)}], dim={axis})"

    def index(self, x: str, key: str, part: Any = None, shape: Any = None) -> str:
        """Return some entries of x; PyTorch's slices do not go backwards."""
        spans = [i for i in part.items if isinstance(i, Span)] if part is not None else []
        if not any(isinstance(i.step, int) and i.step < 0 for i in spans):
            return f"{x}[{key}]"
        items = [f"slice({', '.join(map(repr, i))})" if isinstance(i, Span) else repr(i) for i in part.items]
        return f"{self.helper('part')}({x}, ({', '.join(items)},))"

    def result(self, text: str, dtype: Any, view: bool, number: float | None) -> str:
        """Return a result: a tensor of its own."""
        if number is not None:
            return self.cast(text, dtype)
        return f"torch.clone({text})" if view else text


def write(r: Request) -> Source:
    """Return a module with one function of tensors."""
    dialect = Torch([*r.params, r.name, *r.sizes.values()])
    dtypes = [r.program.values[k].dtype for k in r.program.inputs]
    lines = body(r, dialect, [f"torch.as_tensor({p}, dtype={dialect.dtype(d)})" for p, d in zip(r.params, dtypes)])
    text = docstring(r, f"Computes {r.name} on tensors.")
    head = ['"""A function and its derivatives for PyTorch, written by symgrad."""']
    return Source(module(head, dialect, [], r.name, r.params, [*text, *lines]))


TARGET = Target(write, ".py", complexes=True)
