"""A term that is linear in a basis leaf, as the array of its coefficients: a Jacobian. Of several, one by one."""

from __future__ import annotations

from symgrad.forms.canon.complexes import CONJ, IM, RE
from symgrad.forms.canon.terms import CALL, FUNCTION, PRODUCT, SUM, Shape, Term, TermPool, below
from symgrad.implicit import programs
from symgrad.implicit.integral import Integral
from symgrad.support.frozen import replace


class NotLinear(Exception):
    """The basis stands inside a function or a named operation."""


def coefficients(pool: TermPool, root: Term, basis: Term) -> Term:
    """Return J with root = Σ J·basis, of shape basis.shape + root.shape; raises NotLinear."""
    jacobians: dict[Term, Term] = {}
    for t in below([root]):
        if t is basis:
            jacobians[t] = _unit(pool, basis)
        elif any(a in jacobians for a in t.args):
            jacobians[t] = _carried(pool, t, jacobians, basis.shape)
    return jacobians[root] if root in jacobians else pool.zero((*basis.shape, *root.shape))


def _unit(pool: TermPool, basis: Term) -> Term:
    """δ over each axis."""
    n = len(basis.shape)
    factors = [(pool.eye(size), (k, n + k)) for k, size in enumerate(basis.shape)]
    return pool.product(factors, range(2 * n), dict(enumerate(basis.shape * 2)))


def _carried(pool: TermPool, t: Term, jacobians: dict[Term, Term], front: Shape) -> Term:
    """Return the coefficients of a term, given its arguments'."""
    if t.kind == SUM:
        return pool.sum([(c, jacobians[a]) for c, a in zip(t.data, t.args, strict=True)], (*front, *t.shape))
    if t.kind == FUNCTION and t.data in (CONJ, RE, IM):  # of a real basis
        return pool.function(t.data, [jacobians[t.args[0]]], (*front, *t.shape))
    if t.kind == CALL and isinstance(t.data, Integral):
        return _under_the_sign(pool, t, jacobians, front)
    if t.kind != PRODUCT or sum(a in jacobians for a in t.args) != 1:
        raise NotLinear(t.kind)
    subs, out, pairs = t.data
    sizes = dict(pairs)
    first = max(sizes, default=-1) + 1
    letters = tuple(range(first, first + len(front)))
    sizes.update(zip(letters, front, strict=True))
    factors = [(jacobians[a], (*letters, *s)) if a in jacobians else (a, s) for a, s in zip(t.args, subs, strict=True)]
    return pool.product(factors, (*letters, *out), sizes)


def _under_the_sign(pool: TermPool, t: Term, jacobians: dict[Term, Term], front: Shape) -> Term:
    """Return the integral of the coefficients, where the integrand is linear in one argument that has some."""
    carried = [k for k, a in enumerate(t.args) if a in jacobians]
    body = t.data.body
    if len(carried) != 1 or carried[0] < 2 or not all(isinstance(n, int) for n in front):
        raise NotLinear("an integral")
    at = carried[0] - 1  # among the inputs of the body, of which x is the first
    if programs.is_read(programs.pushforward(body, (at,)), at):
        raise NotLinear("an integrand")
    for size in reversed(front):
        body = programs.mapped(body, int(size), tuple(k == at for k in range(len(body.inputs))))
    return pool.call(replace(t.data, body=body), [jacobians.get(a, a) for a in t.args], (*front, *t.shape))
