"""``sg.quad``, ``sg.dblquad`` and ``sg.expectation``: integrals with derivatives for limits and parameters."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.core.promotion import is_floating
from symgrad.engine.program import Spec
from symgrad.engine.record import TensorBase, as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, NotConverged, ShapeError
from symgrad.implicit.factors import positive, whole
from symgrad.implicit.integral import Accuracy, Integral
from symgrad.implicit.unknowns import Arguments, flat_result, floating, number, title_of, traced
from symgrad.ops.linalg.solving import cholesky
from symgrad.ops.map import show_shape, sum_terms
from symgrad.solvers.proofs import ProvedIntegral
from symgrad.solvers.subintervals import End, infinite, split
from symgrad.support.arguments import check_all, checked, takes_args
from symgrad.transforms.arguments import check_function
from symgrad.transforms.vmap import vmap

__all__ = ["dblquad", "expectation", "quad"]

_MOST_NODES = 10**6
_SOME = 8  # nodes in a direction, of which
_MAIN = 0.6  # is more of the mean than one gives where f is smooth


@takes_args
@checked
def quad(
    f: Callable[..., Any], a: Any, b: Any, *args: Any, order: int | None = None, rtol: float = 1e-10,
    atol: float = 1e-12, limit: int = 200, points: Sequence[Any] = (), prove: bool = False,
) -> Any:  # fmt: skip
    """Integrate: ∫ₐᵇ f(x, *args) dx. Derivative: f(b)·b′ − f(a)·a′ + ∫ₐᵇ ∂f/∂θ dx, Leibniz's rule.

    The integral is differentiable with respect to a, b, args, and tensors that f captures: in forward and reverse mode,
    to every order, under ``sg.vmap`` and in ``sg.compile``.

    Args:
        f: f(x, *args) of a number x, which returns a tensor of any shape. Each entry is integrated. It cannot branch on
            values.
        a, b: the limits, numbers; ``±math.inf`` too. An infinite limit has derivative 0.
        args: further arguments of f: arrays, numbers, and structures of them.
        order: None integrates adaptively by Gauss–Kronrod rules, with SciPy's ``quad`` (``quad_vec`` for arrays). A
            number uses the Gauss–Legendre rule with this many nodes instead. It is exact for polynomials of degree
            2·order − 1, compiles to machine code, and can be exported, but does not estimate the error. Infinite ranges
            are mapped to [−1, 1].
        rtol, atol: the requested accuracy, relative to the value and absolute.
        limit: the maximum number of intervals.
        points: where f has kinks, jumps or narrow peaks: numbers, which may depend on the differentiated variables. The
            range is split there; points outside of it are ignored. Without them, peaks are searched for where a
            part of f is 0 or has an extremum, such as x - m in a density around m. If f is 0 wherever it was evaluated,
            a warning is issued.
        prove: whether to prove, with the extra ``proved``, that the integral over each piece of the range is within
            atol + rtol·|value| of the result, in each entry. Derivatives are not proved.

    Returns:
        A tensor of the shape that f returns.

    Raises:
        NotConverged: if the integral diverges, f is not finite, or the accuracy was not reached.
        NotProved: if ``prove=True`` and the proof fails, for example because f is unbounded inside the range.
        NotDifferentiable: if a derivative is requested and f, or ∂f/∂θ at a kink of f, has a jump that moves with the
            differentiated variable and is not among the points. Rules with ``order`` do not check this.
        ShapeError: if a limit is not a number.
        MissingExtra: if SciPy is not installed, unless ``order`` is given.

    >>> a = sg.tensor(2.0, requires_grad=True)
    >>> y = sg.quad(lambda x, a: sg.exp(-a * x), 0.0, math.inf, a)
    >>> y.backward()
    >>> y, a.grad
    (tensor(0.5000, grad_fn=<IntegralBackward0>), tensor(-0.2500))
    """
    check_function("quad", f)
    low, high = (number("quad", f"the limit {name}", x) for name, x in (("a", a), ("b", b)))
    if order is not None:
        if prove:
            raise ArgumentError("quad: prove=True checks the adaptive integral. Leave out order=.")
        return _fixed_pieces(f, (a, low), (b, high), points, args, whole("quad", "order", order))
    for name, value in (("rtol", rtol), ("atol", atol)):
        positive("quad", name, value)
    limit, proof = whole("quad", "limit", limit), ProvedIntegral(rtol, atol) if prove else None
    ends = split("quad", (a, low), (b, high), points)
    if any(isinstance(p, TensorBase) for p in points):  # they may move
        how = Accuracy(rtol, atol, limit, split=True, proof=proof)
        return sum_terms([_piece(f, p, q, args, how) for p, q in itertools.pairwise(ends)])
    how = Accuracy(rtol, atol, limit, watched=not len(points), proof=proof)
    given = Arguments(args)

    def integrand(x: Any, *tensors: Any) -> Any:
        return _one("quad", f(x, *given.put(tensors)))

    parts = [(p[1], q[1]) for p, q in itertools.pairwise(ends)]
    return sum_terms([_adaptive(integrand, p, q, given.tensors, how, title_of(f)) for p, q in parts])


def _adaptive(f: Callable[..., Any], a: Any, b: Any, tensors: Sequence[Any], how: Accuracy, letter: str) -> Any:
    body, inputs = traced("quad", f, Spec((), np.dtype(np.float64)), tensors)
    return as_tensor(Integral(body, how, letter)(a, b, *inputs))


def _piece(f: Callable[..., Any], p: End, q: End, args: Sequence[Any], how: Accuracy) -> Any:
    """∫ₚ^q f dx = (q − p) ∫₀¹ f(p + (q − p) t) dt: what breaks at p or q stays at an end when these move."""
    given = Arguments(args)
    start, stop = (infinite(x) for x, _ in (p, q))
    if start or stop:  # ∫ₚ^∞ f dx = ∫₀^∞ f(p + t) dt
        sign, end = (stop, p[1]) if stop else (start, q[1])
        along = lambda t, end, *rest: _one("quad", f(end + sign * t, *given.put(rest)))
        integral = _adaptive(along, as_tensor(0.0), as_tensor(math.inf), [end, *given.tensors], how, title_of(f))
        return integral if sign * (1 if stop else -1) > 0 else -integral
    within = lambda t, p, q, *rest: _one("quad", f(p + (q - p) * t, *given.put(rest)))
    ends = [p[1], q[1], *given.tensors]
    return (q[1] - p[1]) * _adaptive(within, as_tensor(0.0), as_tensor(1.0), ends, how, title_of(f))


@takes_args
@checked
def dblquad(
    f: Callable[..., Any], a: Any, b: Any, gfun: Any, hfun: Any, *args: Any, order: int | None = None,
    rtol: float = 1e-9, atol: float = 1e-11,
) -> Any:  # fmt: skip
    """Compute the double integral ∫ₐᵇ ∫ f(y, x, *args) dy dx, with y from gfun(x) to hfun(x), like SciPy's ``dblquad``.

    Args:
        f: f(y, x, *args), with the inner variable first.
        a, b: the limits of x.
        gfun, hfun: the limits of y: numbers, or functions of x.
        args, order, rtol, atol: see ``quad``; ``order`` is the number of nodes in each direction.

    Raises:
        The errors of ``quad``.

    >>> sg.dblquad(lambda y, x: x * y, 0.0, 1.0, 0.0, lambda x: x)
    tensor(0.1250)
    """
    check_function("dblquad", f)

    def inner(x: Any, *rest: Any) -> Any:
        low, high = (g(x) if callable(g) else g for g in (gfun, hfun))
        return quad(
            lambda y, x, *rest: f(y, x, *rest), low, high, x, *rest, order=order, rtol=rtol / 10, atol=atol / 10
        )

    return quad(inner, a, b, *args, order=order, rtol=rtol, atol=atol)


def _check_moments(mean: Any, cov: Any) -> None:
    """Raise unless mean and cov are those of a normal distribution, as far as their values are known."""
    if mean.ndim > 1 or cov.shape != mean.shape * 2:
        raise ShapeError(
            f"expectation: got a mean of shape {show_shape(mean.shape)} and cov of shape {show_shape(cov.shape)}. "
            "Expected numbers, or (d,) and (d, d)."
        )
    if not mean.ndim and cov._value is not None and cov._value < 0:
        raise ArgumentError(f"expectation: the variance is {cov._value:g}. Expected a number that is not negative.")
    if cov._value is not None and cov.ndim and not np.allclose(cov._value, np.swapaxes(cov._value, 0, 1)):
        raise ArgumentError("expectation: cov is not symmetric. Expected a covariance matrix.")


def expectation(f: Callable[..., Any], mean: Any, cov: Any, *args: Any, order: int = 32) -> Any:
    """Return the mean of f(X, *args) for a normal X by Gauss–Hermite quadrature: Σₖ wₖ f(μ + L zₖ) with Σ = L Lᵀ.

    The result is differentiable with respect to mean, cov and args, because the nodes depend on them.

    Args:
        f: f(x, *args), which returns a tensor of any shape.
        mean: μ, a number, or a vector (d,).
        cov: Σ: the variance σ² of a number, or a symmetric positive definite matrix (d, d) for a vector.
        args: further arguments of f.
        order: the number of nodes in each direction, orderᵈ in total.

    Returns:
        A tensor of the shape that f returns.

    Raises:
        ShapeError: if the shapes of mean and cov do not fit.
        ArgumentError: if there would be more than a million nodes.
        LinAlgError: if cov is not positive definite.
        NotConverged: if f is not finite at a node.

    The rule is exact for polynomials of degree below 2·order, and accurate only for smooth f. If f has a kink or a
    jump, like an option's payoff, the error is a few percent; integrate f times the density with ``sg.quad`` and
    points= instead. symgrad warns if f is 0 at all nodes, or if one node contributes most of the mean.

    Source: Abramowitz and Stegun, 25.4.46.

    >>> sg.expectation(lambda x: x**2, 1.0, 4.0)
    tensor(5.)
    """
    check_function("expectation", f)
    order = whole("expectation", "order", order)
    mean, cov = (floating("expectation", as_tensor(t)) for t in (mean, cov))
    d = mean.shape[0] if mean.ndim else 1
    _check_moments(mean, cov)
    if order**d > _MOST_NODES:
        raise ArgumentError(f"expectation: {order}^{d} nodes are more than {_MOST_NODES}. Pass a smaller order.")
    nodes, weights = _hermite(order, d)
    spread = as_tensor(nodes) @ cholesky(cov).mT if mean.ndim else F.sqrt(cov) * as_tensor(nodes[:, 0])
    values = vmap(lambda x: _one("expectation", f(x, *args)))(mean + spread)
    if values._value is not None:
        _check_nodes(np.abs(np.reshape(values._value, (len(weights), -1))), weights, order)
    return F.tensordot(as_tensor(weights), values, 1)


def _check_nodes(sizes: Any, weights: Any, order: int) -> None:
    """Refuse values that are not finite, and warn of what so few nodes cannot see."""
    if not np.all(np.isfinite(sizes)):
        raise NotConverged("expectation: f is not finite at some of the nodes. Check where it is defined.")
    terms = weights[:, None] * sizes
    largest, total = np.max(terms, axis=0, initial=0.0), np.sum(terms, axis=0)
    if order >= _SOME and np.any((largest > _MAIN * total) | (total == 0)):
        warnings.warn(
            f"expectation: f is 0 at all {len(weights)} nodes, or one node gives most of the mean: if f has a narrow "
            "peak, the nodes miss it. Pass a larger order=, or take sg.quad of f times the density.",
            stacklevel=2,
        )


# ------------------------------------------------------------------ rules with fixed nodes
def _fixed_pieces(f: Callable[..., Any], a: End, b: End, points: Sequence[Any], args: Sequence[Any], order: int) -> Any:
    """The rule on each piece between the points."""
    ends = split("quad", a, b, points)
    return sum_terms([_fixed(f, p, q, args, order) for p, q in itertools.pairwise(ends)])


def _fixed(f: Callable[..., Any], a: End, b: End, args: Sequence[Any], order: int) -> Any:
    """Gauss and Legendre's rule on [a, b]; on infinite ranges of t in [−1, 1]."""
    t, w = map(as_tensor, np.polynomial.legendre.leggauss(order))
    below, above = (infinite(x) for x, _ in (a, b))
    low, high = a[1], b[1]
    if below * above > 0:  # from ∞ to ∞, or from −∞ to −∞
        raise ArgumentError("quad: both limits are the same infinity.")
    if below and above:  # x = t/(1 − t²)
        at, slope = t / (1 - t**2), (1 + t**2) / (1 - t**2) ** 2
        slope = slope if above > 0 else -slope
    elif above or below:  # x = a ± (1 + t)/(1 − t)
        sign, start = (above, low) if above else (below, high)
        at, slope = start + sign * (1 + t) / (1 - t), 2 / (1 - t) ** 2
        slope = slope * sign if above else slope * -sign
    else:
        half = (high - low) / 2
        at, slope = (low + high) / 2 + half * t, half
    return _weighed(lambda x: _one("quad", f(x, *args)), at, w * slope)


def _weighed(f: Callable[[Any], Any], at: Any, weights: Any) -> Any:
    """Σₖ wₖ f(xₖ), all nodes at once."""
    return F.tensordot(weights, vmap(f)(at), 1)


@cache
def _hermite(order: int, d: int) -> tuple[Any, Any]:
    """The nodes (orderᵈ, d) and weights of the standard normal distribution."""
    z, w = np.polynomial.hermite_e.hermegauss(order)
    grids = np.meshgrid(*[z] * d, indexing="ij")
    weights = np.meshgrid(*[w / math.sqrt(2 * math.pi)] * d, indexing="ij")
    return np.stack([g.ravel() for g in grids], 1), np.prod(weights, axis=0).ravel()


# ------------------------------------------------------------------ what users pass
def _one(who: str, y: Any) -> Any:
    """The tensor that an integrand returns, in floating point."""
    tensors = flat_result(who, y)
    if len(tensors) != 1:
        raise ArgumentTypeError(f"{who}: f returned {len(tensors)} tensors. Expected one: stack them.")
    return tensors[0] if is_floating(tensors[0].dtype) else floating(who, tensors[0])


check_all(globals(), __all__)
