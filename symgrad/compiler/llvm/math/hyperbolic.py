"""sinh, cosh, tanh and their inverses, through expm1 and log1p of |x|."""

from __future__ import annotations

from symgrad.compiler.llvm.math.builder import Value, clip, copysign, magnitude
from symgrad.compiler.llvm.math.exponential import expm1_scaled


def tanh(x: Value) -> Value:
    """tanh |x| = E/(E + 2) with E = exp 2|x| - 1."""
    e = expm1_scaled(clip(magnitude(x) * 2.0, high={"f64": 40.0, "f32": 19.0}[x.kind.name]), 0)
    return copysign(e / (e + 2.0), x)
