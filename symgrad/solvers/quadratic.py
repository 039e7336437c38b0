"""Minima of convex quadratic losses under linear constraints, on all slices of a batch at once.

There the conditions of Karush, Kuhn and Tucker are enough: what meets them is the minimum. They are linear
but for what is active: Newton's steps guess which constraints those are, and mostly end after a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.engine.program import Program
from symgrad.implicit import programs
from symgrad.implicit.conditions import Conditions, EachSlice
from symgrad.implicit.factors import LinearSystem, Record, norms
from symgrad.ops.contract import Einsum
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.scalars import X
from symgrad.support.frozen import frozen

_MOST = 30  # steps, after which the guesses go round in circles
_MET = 1e-13  # residual, relative to the numbers that it is made of
_REGULAR = 1e12  # condition up to which a guess is followed
_CONVEX = 1e-12  # by how much less than 0 rounding makes an eigenvalue


@frozen
class Together:
    """The slices of a problem at once; those that do not get there, or that are no such problem, one by one.

    Attributes:
        each: the slices one by one, by a solver with a ``shape``.
        tol: the step, relative to x, that is the last one.
    """

    each: EachSlice
    tol: float

    def __call__(self, conditions: Conditions, start: Any, thetas: Sequence[Any]) -> Any:
        """Return the answers, one after the other."""
        z, done = np.array(start, np.float64), np.zeros(self.each.size, bool)
        if self.each.conditions.way.slices == 1 and is_quadratic(self.each.solver.shape):
            z, done = self._at_once(conditions, z, thetas)
        for k in np.flatnonzero(~done):
            z[k] = self.each.one(int(k), start, thetas)
        return z

    def _at_once(self, conditions: Conditions, z: Any, thetas: Sequence[Any]) -> tuple[Any, Any]:
        """Return the points that Newton's steps lead to, and which of them are minima."""
        body, operator, many = conditions.body, programs.linearised(conditions.body), self.each.size
        done = np.zeros(many, bool)
        lost = np.array([not is_convex(self.each.solver.shape, self.each.own(k, thetas)) for k in range(many)])
        rest = programs.numbers(body, z, *thetas)
        for _ in range(_MOST):
            matrices = LinearSystem(operator, conditions.way, (z, *thetas), conditions.who, Record()).matrices()
            lost |= np.array([not _is_regular(m) for m in matrices])  # a guess that does not determine the point
            matrices[lost] = np.eye(matrices.shape[1])
            step = np.linalg.solve(matrices, rest.reshape(many, -1, 1)).reshape(z.shape)
            z = np.where(_spread(lost, z), z, z - step)
            rest = programs.numbers(body, z, *thetas)
            done = ~lost & ((norms(step, many) <= self.tol * norms(z, many)) | (norms(rest, many) <= _MET))
            if np.all(done | lost):
                break
        return z, done


def _is_regular(matrix: Any) -> bool:
    return bool(np.all(np.isfinite(matrix)) and np.linalg.cond(matrix) < _REGULAR)


def _spread(flags: Any, z: Any) -> Any:
    return flags.reshape(-1, *(1,) * (z.ndim - 1))


def is_quadratic(shape: Any) -> bool:
    """Whether a problem (``problem.Shape``) has a quadratic loss and linear constraints, whatever θ is."""
    slope = programs.pullback(shape.loss, (0,))
    limits = shape.constraints
    return _is_straight(shape.loss, slope) and (limits is None or _is_straight(limits, limits))


def _is_straight(body: Program, mapping: Program) -> bool:
    """Whether a body is a polynomial in x, and the derivative in x of the mapping depends on x no more."""
    return is_polynomial(body) and not programs.is_read(programs.matrix(programs.linearised(mapping)), 0)


def is_polynomial(body: Program) -> bool:
    """Whether all that results take of the first input goes through sums and products, without kinks or poles."""
    reached = body.depending(body.inputs[:1])
    for v in [body.values[k] for k in body.steps()]:
        moving = [X[i] for i, k in enumerate(v.args) if k in reached]
        if moving and not _keeps_polynomials(v.op, moving):
            return False
    return True


def _keeps_polynomials(op: Op, letters: Sequence[Any]) -> bool:
    if isinstance(op, Map):
        return isinstance(op.payload, sp.Expr) and bool(op.payload.is_polynomial(*letters))
    return op.linear or isinstance(op, Einsum)


def is_convex(shape: Any, thetas: Sequence[Any]) -> bool:
    """Whether the loss curves upwards, at these θ."""
    curvature = programs.matrix(programs.linearised(programs.pullback(shape.loss, (0,))))
    x = np.zeros(shape.shape)
    hessian = programs.numbers(curvature, x, *[thetas[k] for k in shape.losses], 1.0)
    if not np.all(np.isfinite(hessian)):
        return False
    values = np.linalg.eigvalsh(np.reshape(hessian, (x.size, x.size)))
    return bool(values[0] >= -_CONVEX * np.max(np.abs(values)))
