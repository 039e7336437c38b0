"""Programs of a complex matrix, written for symgrad and PyTorch alike: ``program(module, z)``."""

from functools import partial

import numpy as np

RNG = np.random.default_rng(7)
Z = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
W = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
NAMES = [
    "exp", "log", "log2", "log10", "log1p", "expm1", "exp2", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "sigmoid", "sqrt", "rsqrt", "square", "reciprocal",
    "neg", "abs", "angle", "real", "imag", "conj", "sgn", "sum", "mean", "prod", "trace", "triu",
]  # fmt: skip
PROGRAMS = {name: partial(lambda name, m, z: getattr(m, name)(z), name) for name in NAMES}
PROGRAMS |= {
    "z**2": lambda m, z: z**2,
    "z**3.5": lambda m, z: z**3.5,
    "z**-2": lambda m, z: z**-2,
    "z**z": lambda m, z: z**z,
    "z**(1+1j)": lambda m, z: z ** (1 + 1j),
    "2**z": lambda m, z: 2**z,
    "cumprod": lambda m, z: m.cumprod(z, 0),
    "cumsum": lambda m, z: m.cumsum(z, 0),
    "matmul": lambda m, z: z.mH @ z,
    "einsum": lambda m, z: m.einsum("ij,kj->ik", z, z.conj()),
    "index": lambda m, z: z[1:, 0] * 2j,
    "parts": lambda m, z: (z.real**2) * z / (1 + z.abs()),
    "where": lambda m, z: m.where(z.real > 0, z, z * 1j),
    "view_as_real": lambda m, z: m.view_as_real(z) * 2,
    "view_as_complex": lambda m, z: m.view_as_complex(m.view_as_real(z) * m.view_as_real(z)),
    "polar": lambda m, z: m.polar(z.abs(), z.angle() * 2),
    "complex": lambda m, z: m.complex(z.imag**2, z.real) * z,
    "stack": lambda m, z: m.stack([z, z.abs() * (1 + 0j)]),
    "outer": lambda m, z: m.outer(z[0], z[1].conj()),
    "vdot": lambda m, z: m.vdot(z[0], z[1]),
    "kron": lambda m, z: m.kron(z, z),
    "lerp": lambda m, z: m.lerp(z, z * 2j, 0.3),
    "adjoint": lambda m, z: m.adjoint(z) * 2,
    "resolve": lambda m, z: m.resolve_conj(m.resolve_neg(z.conj())) * z.resolve_conj(),
    "physical": lambda m, z: m.conj_physical(z),
}
