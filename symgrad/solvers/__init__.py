"""Answers to problems as functions of what the problems depend on: roots, fixed points, minima, integrals.

One idea carries the first three: where conditions determine the unknown, the implicit function theorem gives its
derivative, whichever way it was found.
"""

from symgrad.implicit.operators import cg, gmres, lsqr
from symgrad.solvers.minima import argmin
from symgrad.solvers.public import custom_root, fixed_point, root
from symgrad.solvers.quadrature import dblquad, expectation, quad

__all__ = ["argmin", "cg", "custom_root", "dblquad", "expectation", "fixed_point", "gmres", "lsqr", "quad", "root"]
