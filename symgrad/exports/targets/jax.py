"""The target ``jax``: a module whose function runs under ``jax.jit``, ``jax.vmap`` and JAX's own transforms.

JAX itself is not imported: its library of helpers is read as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from symgrad.core.promotion import is_integer
from symgrad.exports.arrays.dialect import Dialect
from symgrad.exports.request import Request
from symgrad.exports.targets.modules import body, docstring, module
from symgrad.exports.targets.target import Source, Target
from symgrad.scalars import SCALARS

_SAME = (
    "exp log expm1 log1p exp2 log2 log10 sin cos tan sinh cosh tanh abs sign floor ceil trunc round sqrt hypot "
    "copysign heaviside fmax fmin maximum minimum logaddexp logaddexp2 remainder fmod floor_divide sinc i0"
)
_NOT_IN_HALF = {"ndtr", "ndtri", "log_ndtr"}
_SPECIAL = "erf erfc i0e i1 i1e entr xlogy xlog1py ndtri log_ndtr"


class Jax(Dialect):
    """JAX's words: NumPy's, under another name."""

    name, prefix, library = "jax", "jnp", "symgrad.exports.library.jax"
    kernels = False
    taken = ("jax", "jnp", "special")
    imports = ("import jax", "import jax.numpy as jnp")
    elements: ClassVar[dict[str, str]] = {
        **{n: f"jnp.{n}({', '.join(['{}'] * (SCALARS[n].nargs if n in SCALARS else 1))})" for n in _SAME.split()},
        **{n: f"jax.scipy.special.{n}({', '.join(['{}'] * SCALARS[n].nargs)})" for n in _SPECIAL.split()},
        "asin": "jnp.arcsin({})", "acos": "jnp.arccos({})", "atan": "jnp.arctan({})", "atan2": "jnp.arctan2({}, {})",
        "asinh": "jnp.arcsinh({})", "acosh": "jnp.arccosh({})", "atanh": "jnp.arctanh({})",
        "select": "jnp.where({}, {}, {})", "pow": "jnp.power({}, {})",
        "relu": "jnp.maximum({}, 0.0)", "low": "jnp.minimum({}, 0.0)", "clamp_min": "jnp.maximum({}, {})",
        "clamp_max": "jnp.minimum({}, {})", "clamp": "jnp.minimum(jnp.maximum({}, {}), {})",
        "sigmoid": "jax.nn.sigmoid({})", "softplus": "jax.nn.softplus({})", "logsigmoid": "jax.nn.log_sigmoid({})",
        "softsign": "jax.nn.soft_sign({})", "lgamma": "jax.scipy.special.gammaln({})",
        "ndtr": "jax.scipy.special.ndtr({})", "gamma": "jax.scipy.special.gamma({})",
    }  # fmt: skip

    long = False  # whether a constant is an integer of more than 32 bits

    def element(self, name: str, args: Sequence[str], numbers: Sequence[float | None], dtype: Any) -> str:
        """Return a scalar function; JAX has some in single precision and wider only."""
        if name in _NOT_IN_HALF and np.dtype(dtype) == np.float16:
            wide = [a if n is not None else self.cast(a, np.float32) for a, n in zip(args, numbers)]
            return self.cast(super().element(name, wide, numbers, np.float32), dtype)
        return super().element(name, args, numbers, dtype)

    def function(self, name: str) -> str:
        """Return a function of the library."""
        return self.helper(name)

    def array_text(self, array: Any) -> str:
        """Return an expression that makes a constant array; NumPy's, so that it is not a traced value."""
        self.embedded.imports["import numpy as np"] = None
        if is_integer(array.dtype) and array.size and not np.array_equal(array, array.astype(np.int32)):
            self.long = True
        return NUMPY.array_text(array)

    def looked_up(self, x: str) -> str:
        """Return an array of JAX's: NumPy's constants take no traced positions."""
        return f"jnp.asarray({x})" if x in self._known.values() else x

    def cast(self, x: str, dtype: Any) -> str:
        """Return x in another dtype."""
        return f"jnp.asarray({x}, dtype={self.dtype(dtype)})"

    def whole(self, x: str, dtype: Any) -> str:
        """Return floating-point numbers as integers: through long ones, because XLA stops at the ends of a dtype."""
        return self.cast(self.cast(x, np.int64), dtype)

    def dtype(self, dtype: Any) -> str:
        """Return what a dtype is called; float64 is what JAX is set to compute in."""
        name = super().dtype(dtype)
        return {"jnp.float64": "float", "jnp.complex128": "complex", "jnp.int64": "int"}.get(name, name)

    def result(self, text: str, dtype: Any, view: bool, number: float | None) -> str:
        """Return a result; JAX's arrays are never changed."""
        return text if number is None else self.cast(text, dtype)


NUMPY = Dialect(())
_LONG = "The function has integers of more than 32 bits: call jax.config.update('jax_enable_x64', True) first."


def write(r: Request) -> Source:
    """Return a module with one function of arrays."""
    dialect = Jax([*r.params, r.name, *r.sizes.values()])
    dtypes = [r.program.values[k].dtype for k in r.program.inputs]
    lines = body(r, dialect, [f"jnp.asarray({p}, dtype={dialect.dtype(d)})" for p, d in zip(r.params, dtypes)])
    if dialect.long:
        lines = ["if not jax.config.jax_enable_x64:", f"    raise ValueError({_LONG!r})", *lines]
    text = docstring(r, f"Computes {r.name} on JAX arrays, in the precision that JAX is set to.")
    head = ['"""A function and its derivatives for JAX, written by symgrad."""']
    return Source(module(head, dialect, [], r.name, r.params, [*text, *lines]))


TARGET = Target(write, ".py", complexes=True)
