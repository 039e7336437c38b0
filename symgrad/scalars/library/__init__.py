"""SciPy's special functions: meaning and derivative are declared here, the kernel is SciPy's universal function.

A file for each family. ``TUPLES`` has the functions with several results, and ``REFUSED`` those without a derivative.
"""

from __future__ import annotations

from typing import Any

from symgrad.scalars.declare import SCALARS
from symgrad.scalars.library import besselkind, betas, gammas, integrals, polynomials, simple, skewed
from symgrad.scalars.library.named import NAMES

EVERY = SCALARS  # with this room's functions, once it is imported

__all__ = [
    "COMPLEX", "EVERY", "NAMES", "REFUSED", "TUPLES", "besselkind", "betas", "gammas", "integrals", "polynomials",
    "simple", "skewed",
]  # fmt: skip

# SciPy's universal functions with several results, each with the declared functions that they are.
TUPLES: dict[str, tuple[str, ...]] = {
    "airy": ("ai", "aip", "bi", "bip"), "airye": ("aie", "aiep", "bie", "biep"),
    "sici": ("si", "ci"), "shichi": ("shi", "chi"), "fresnel": ("fresnels", "fresnelc"),
    "ellipj": ("jacobi_sn", "jacobi_cn", "jacobi_dn", "jacobi_am"),
    "itj0y0": ("itj0", "ity0"), "iti0k0": ("iti0", "itk0"), "it2j0y0": ("it2j0", "it2y0"),
    "it2i0k0": ("it2i0", "it2k0"), "itairy": ("itai", "itbi", "itain", "itbin"),
    **{name: (name, f"{name}p") for name in polynomials.PAIRS},
}  # fmt: skip

_NO_FORMULA = "no derivative is declared"
# SciPy's functions with complex results, also of real numbers.
COMPLEX = ("hankel1", "hankel1e", "hankel2", "hankel2e", "wofz")

# Why a call with a tensor is refused.
REFUSED: dict[str, str] = {
    **dict.fromkeys(("modfresnelm", "modfresnelp"), "the results are complex numbers"),
    **dict.fromkeys(
        (
            "chndtridf", "ncfdtr", "ncfdtri", "ncfdtridfd", "ncfdtridfn", "ncfdtrinc", "nctdtridf", "nctdtrinc",
            "nctdtrit", "smirnov", "smirnovi", "obl_ang1_cv", "obl_rad1_cv", "obl_rad2_cv", "pro_ang1_cv",
            "pro_rad1_cv", "pro_rad2_cv", "pro_rad2", "obl_rad2", "pro_cv", "obl_cv", "mathieu_a", "mathieu_b",
        ),
        _NO_FORMULA,
    ),
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """The class of a declared function, by the name under which it is pickled."""
    scalar = SCALARS.get(name)
    if scalar is None or not scalar.library:
        raise AttributeError(f"module 'symgrad.scalars.library' has no attribute {name!r}")
    return scalar.function
