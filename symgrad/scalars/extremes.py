"""What densities of extreme values are written with: log(1 + cz)/c, which is z for c = 0."""

from __future__ import annotations

from typing import Any

import sympy as sp

from symgrad.scalars.elementary import log1p
from symgrad.scalars.library.simple import log1p_bend
from symgrad.scalars.written import part

log1p_over: Any = part(
    "log1p_over",
    lambda z, c: sp.Piecewise((z, sp.Eq(c, 0)), (sp.log(1 + c * z) / c, True)),
    lambda z, c, y: (1 / (1 + c * z), z**2 * log1p_bend(c * z)),
    lambda m, z, c: m.where(c == 0.0, z, m.log1p(c * z) / m.where(c == 0.0, 1.0, c)),
    core=(0.1, 3.0),
    shown=lambda z, c: log1p(c * z) / c,
)
