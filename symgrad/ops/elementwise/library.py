"""SciPy's special functions as operations: of their declarations in ``scalars.library``, by SciPy's names."""

from __future__ import annotations

from functools import partial

from symgrad.ops.map import Map
from symgrad.scalars import SCALARS, Scalar, X
from symgrad.scalars.library import NAMES, TUPLES


def _operation(s: Scalar) -> Map:
    return Map(partial(s.function, *X[: s.nargs]), s.nargs, "".join(w.capitalize() for w in s.name.split("_")))


_PARTS = [part for parts in TUPLES.values() for part in parts]
_OTHERS = ("zeta_s", "riemann", "lambertw", "spherical_jn", "spherical_yn", "spherical_in")
LIBRARY: dict[str, Map] = {name: _operation(SCALARS[name]) for name in (*NAMES, *_PARTS, *_OTHERS)}
