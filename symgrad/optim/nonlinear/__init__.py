"""Nonlinear programs: minimise f(x) subject to bounds on x and on g(x), by solvers from other packages.

blocks → derivatives → problem → solvers → solution; sensitivity makes x and the multipliers functions of parameters.
"""

from symgrad.optim.nonlinear.problem import NLP, nlp
from symgrad.optim.nonlinear.solution import Solution

__all__ = ["NLP", "Solution", "nlp"]
