"""SciPy's special functions as operations: of their declarations in ``scalars.library``, by SciPy's names."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from symgrad.core.promotion import FLOAT64, complexes, is_complex
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.complexes import complex_of
from symgrad.ops.map import Map
from symgrad.scalars import SCALARS, Scalar, X
from symgrad.scalars.library import COMPLEX, NAMES, TUPLES


def _operation(s: Scalar) -> Map:
    return Map(partial(s.function, *X[: s.nargs]), s.nargs, "".join(w.capitalize() for w in s.name.split("_")))


_PARTS = [part for parts in TUPLES.values() for part in parts]
_OTHERS = (*COMPLEX, "zeta_s", "riemann", "lambertw", "spherical_jn", "spherical_yn", "spherical_in", "spherical_kn")
LIBRARY: dict[str, Map] = {name: _operation(SCALARS[name]) for name in (*NAMES, *_PARTS, *_OTHERS)}


def complex_result(name: str, *xs: Any) -> Any:
    """Declare a function of SciPy's with complex results, whose last argument may be real."""
    z = xs[-1]
    dtype = getattr(z, "dtype", None)
    of_complex = complexes(np.result_type(dtype, np.float32) if dtype is not None else FLOAT64)
    return LIBRARY[name](*xs[:-1], z if dtype is not None and is_complex(dtype) else Cast(of_complex)(z))


def kelvin(x: Any) -> tuple[Any, ...]:
    """ber x + i bei x, ker x + i kei x, and their derivatives."""
    pairs = (("ber", "bei"), ("ker", "kei"), ("berp", "beip"), ("kerp", "keip"))
    return tuple(complex_of(LIBRARY[a](x), LIBRARY[b](x)) for a, b in pairs)
