"""Roots, fixed points, minima and integrals, as differentiable functions of their parameters.

The implicit function theorem provides the derivatives of roots, fixed points and minima, whichever method found the
solution.
"""

from symgrad.implicit.operators import cg, gmres, lsqr
from symgrad.solvers.minima import argmin
from symgrad.solvers.public import custom_root, fixed_point, root
from symgrad.solvers.quadrature import dblquad, expectation, quad

__all__ = ["argmin", "cg", "custom_root", "dblquad", "expectation", "fixed_point", "gmres", "lsqr", "quad", "root"]
