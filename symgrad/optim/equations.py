"""``scipy.optimize.least_squares`` and ``root`` with Jacobians."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from symgrad.compiler.sparse import sparse_jacobian
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, NotConverged, NotYet, ShapeError
from symgrad.func import grad, jacobian
from symgrad.ops.map import show_shape
from symgrad.optim import implicit_result
from symgrad.optim.limits import flat_bounds, pairs_of, reading
from symgrad.optim.minimize import restored
from symgrad.optim.vectors import Vector, check_derivatives, joined, several
from symgrad.solvers.minima import known_minimum
from symgrad.solvers.public import known_root
from symgrad.support.arguments import checked
from symgrad.support.extras import required
from symgrad.support.progress import Work, long_work

_WITH_JACOBIAN = {"hybr", "lm"}


@checked
def least_squares(
    fun: Callable[..., Any], x0: Any, args: Any = (), *, bounds: Any = None, sparse: bool = False, compile: bool = True,
    progress: bool = True, jac: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """Minimise ½ Σ ρ(fᵢ(x)²) with ``scipy.optimize.least_squares`` and the exact Jacobian of f.

    Args:
        fun: fun(x, *args), a function of tensors that returns the residuals: a tensor of any shape, or a structure.
        x0, args, compile: as in ``minimize``.
        bounds: for one array (lower, upper) as in SciPy; for a structure, the same structure with a pair in place of
            each array.
        sparse: pass the Jacobian as a sparse array, which ``sg.sparse_jacobian`` computes from a few products.
        progress, jac: as in ``minimize``.
        options: SciPy's further arguments: method, loss (ρ), ftol, xtol, gtol, max_nfev, …

    Returns:
        SciPy's ``OptimizeResult``, with ``x`` and ``grad`` in the structure of x0. If a tensor in args requires a
        gradient, x, fun, cost, grad and jac are tensors that are differentiable with respect to args, as for
        ``sg.argmin`` (a sparse jac is omitted), and other arrays are omitted. ``fun`` is one vector, and ``jac`` has a
        row for each residual and a column for each number in x0.

    Raises:
        MissingExtra: if SciPy is not installed.

    >>> t, y = np.array([0.0, 1.0, 2.0]), np.array([4.0, 2.0, 1.0])
    >>> sg.optim.least_squares(lambda p: p[0] * sg.exp(-p[1] * t) - y, [1.0, 0.0]).x.round(4)
    array([4.    , 0.6931])
    """
    check_derivatives("least_squares", jac)
    if implicit_result.is_traced(x0, args):
        return _least_traced(fun, x0, args, bounds, sparse, options)
    optimize, vector = required("least_squares", "scipy", "scipy.optimize"), Vector(x0)
    args, given, residuals = implicit_result.tuple_of(args), implicit_result.without_graphs(args), several(fun, vector)
    follows = implicit_result.is_followed(args) or implicit_result.reach_outside([(residuals, given)], vector)
    values = reading(residuals, compile, plainly=True)
    slopes: Any = sparse_jacobian(residuals) if sparse else reading(jacobian(residuals), compile)
    within = flat_bounds(vector, bounds, optimize)
    with long_work("least_squares", shown=progress) as work:
        solution = optimize.least_squares(
            _counted(lambda z: values(z, *given), work), vector.start, jac=lambda z: slopes(z, *given),
            **({} if within is None else {"bounds": within}), **options,
        )  # fmt: skip
    done = restored(solution, vector, ("x", "grad"))
    if follows:
        done["x"] = x = _least(fun, done["x"], args, _arrays(bounds, vector), options)
        done["fun"], done["cost"] = joined(fun(x, *args)), _half(fun(x, *args))
        done["grad"] = grad(lambda z: _half(fun(z, *args)))(x)
        if not sparse:
            done["jac"] = jacobian(lambda z: residuals(z, *args))(joined(x))
        implicit_result.without_others(done, ("x", "fun", "cost", "grad", *([] if sparse else ["jac"])))
    return done


@checked
def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
    check_finite: bool = True, bounds: Any = None, method: str | None = None, **options: Any,
) -> tuple[Any, Any]:  # fmt: skip
    """Fit f(x, *p) to data by least squares; return p and its covariance, as SciPy does.

    Args:
        f: f(xdata, p₀, p₁, …), of tensors, returning one number for each of ydata.
        xdata: passed to f unchanged.
        ydata: the data, (m,).
        p0: the starting point, (n,); by default the middle of the bounds, or a one for each parameter of f.
        sigma: the standard deviation of each number of ydata, (m,), or their covariance (m, m).
        absolute_sigma: whether sigma is known; if not, the covariance is scaled by the residual variance.
        check_finite: whether to raise an error if the data are not finite.
        bounds: a pair of lower and upper bounds of p.
        method, options: see ``least_squares``.

    Returns:
        p (n,), and its covariance (n, n), (JᵀJ)⁻¹, from the exact Jacobian.

    Raises:
        ArgumentError: if the data are not finite, or, without bounds, fewer than the parameters.

    >>> x = np.linspace(0.0, 1.0, 9)
    >>> p, cov = sg.optim.curve_fit(lambda x, a, b: a * sg.exp(-b * x), x, 3 * np.exp(-2 * x))
    >>> p.round(6)
    array([3., 2.])
    """
    y = np.asarray(ydata, float).ravel()
    if check_finite and not np.isfinite(y).all():
        raise ArgumentError("curve_fit: ydata contains numbers that are not finite. Remove them.")
    start = _first_guess(f, p0, bounds)
    scale = None if sigma is None else np.asarray(sigma, float)
    if scale is not None and scale.shape not in ((), y.shape, y.shape * 2):
        raise ShapeError(
            f"curve_fit: sigma has shape {show_shape(scale.shape)}. Expected {show_shape(y.shape)}, a deviation for "
            f"each of ydata, or {show_shape(y.shape * 2)}, their covariance."
        )
    whiten = np.linalg.inv(np.linalg.cholesky(scale)) if scale is not None and scale.ndim == 2 else None

    def residuals(p: Any) -> Any:
        left = as_tensor(f(xdata, *[p[k] for k in range(len(start))])).reshape(-1) - y
        return left if scale is None else left / scale if whiten is None else as_tensor(whiten) @ left

    _check_start(start, bounds)
    chosen = method or ("trf" if bounds is not None or len(y) < len(start) else "lm")
    solution = least_squares(residuals, start, bounds=bounds, method=chosen, **options)
    if not solution.success:
        raise NotConverged(f"curve_fit: Optimal parameters not found: {solution.message}")
    _, s, vt = np.linalg.svd(solution.jac, full_matrices=False)
    s = s[s > np.finfo(float).eps * max(solution.jac.shape) * s[0]]
    cov = (vt[: len(s)].T / s**2) @ vt[: len(s)]
    if not absolute_sigma:
        cov = cov * (2 * solution.cost / (len(y) - len(start)) if len(y) > len(start) else np.inf)
    return solution.x, cov


def _first_guess(f: Callable[..., Any], p0: Any, bounds: Any) -> Any:
    """Return p0, or a point within the bounds, with as many numbers as f has parameters besides x."""
    start = None if p0 is None else np.atleast_1d(np.asarray(p0, float))
    parameters = list(inspect.signature(f).parameters.values())[1:]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters) and start is not None:
        return start
    if not parameters or parameters[-1].kind is parameters[-1].VAR_POSITIONAL:
        raise ArgumentError(
            f"curve_fit: f{inspect.signature(f)} does not determine the number of parameters. Write f(x, a, b), or "
            "pass the starting point p0=."
        )
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]
    if start is not None and not len(needed) <= len(start) <= len(parameters):
        raise ArgumentError(f"curve_fit: p0 has {len(start)} numbers. f{inspect.signature(f)} takes {len(needed)}.")
    return _inside(bounds, len(parameters)) if start is None else start


def _check_start(start: Any, bounds: Any) -> None:
    """Refuse to start outside of the bounds."""
    low, high = _ends(bounds, len(start))
    for k in np.flatnonzero((start < low) | (start > high))[:1]:
        raise ArgumentError(
            f"curve_fit: p0[{k}] = {start[k]:g} is outside its bounds, {low[k]:g} and {high[k]:g}. Start within them."
        )


def _ends(bounds: Any, n: int) -> tuple[Any, Any]:
    """Return the lower and the upper bounds of n numbers."""
    low, high = (-np.inf, np.inf) if bounds is None else pairs_of(bounds)
    return np.broadcast_to(np.asarray(low, float), n), np.broadcast_to(np.asarray(high, float), n)


def _inside(bounds: Any, n: int) -> Any:
    """Return SciPy's first guess: the middle of two bounds, a number 1 away from a single one, and 1 without any."""
    low, high = _ends(bounds, n)
    is_below, is_above = np.isfinite(low), np.isfinite(high)
    with np.errstate(invalid="ignore"):  # inf - inf, where there is no bound
        return np.select([is_below & is_above, is_below, is_above], [(low + high) / 2, low + 1, high - 1], 1.0)


def _least(fun: Any, x: Any, args: Any, bounds: Any, options: Any, run: Any = None) -> Any:
    """Return where half the sum of squares is least, with its derivative."""
    if options.get("loss", "linear") != "linear":
        raise NotYet("least_squares: the result is differentiable only with loss='linear'. Use sg.argmin with your ρ.")
    return known_minimum("least_squares", lambda x, *a: _half(fun(x, *a)), x, args, pairs_of(bounds), (), run)


def _arrays(bounds: Any, vector: Vector) -> Any:
    """Return (lower, upper) as arrays: lists would be a pair for each number."""
    is_pair = isinstance(bounds, (tuple, list)) and len(bounds) == 2 and vector.single
    return (np.asarray(bounds[0]), np.asarray(bounds[1])) if is_pair else bounds


def _least_traced(fun: Any, x0: Any, args: Any, bounds: Any, sparse: bool, options: Any) -> Any:
    """Return the result for tensors without values: SciPy runs when they have some."""
    args = implicit_result.tuple_of(args)

    def run(start: Any, *given: Any) -> Any:
        result = least_squares(fun, start, given, bounds=bounds, sparse=sparse, compile=False, **options)
        return implicit_result.arrived("least_squares", result)

    x = _least(fun, x0, args, bounds if implicit_result.is_traced(x0) else _arrays(bounds, Vector(x0)), options, run)
    residuals = fun(x, *args)
    done = {"x": x, "fun": joined(residuals), "cost": _half(residuals)}
    return required("least_squares", "scipy", "scipy.optimize").OptimizeResult(done)


@checked
def root(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: str = "hybr", *, tol: float | None = None,
    callback: Callable[..., Any] | None = None, options: Mapping[str, Any] | None = None, compile: bool = True,
    progress: bool = True, jac: Any = None,
) -> Any:  # fmt: skip
    """Solve fun(x) = 0 with ``scipy.optimize.root`` and the exact Jacobian.

    Args:
        fun: fun(x, *args), a function of tensors that returns as many numbers as x0 has, in any structure.
        x0, args, compile: see ``minimize``.
        method: SciPy's name of the method; "hybr" and "lm" use the Jacobian.
        tol, callback, options: as in SciPy.
        progress, jac: see ``minimize``.

    Returns:
        SciPy's ``OptimizeResult``, with ``x`` in the structure of x0. If a tensor in args requires a gradient, x and
        fun are tensors that are differentiable with respect to args, as in ``sg.root``, and the solver's own arrays,
        such as ``fjac``, are omitted. Inside ``sg.compile`` and ``sg.vmap``, the result has x and fun only.

    Raises:
        MissingExtra: if SciPy is not installed.

    >>> sg.optim.root(lambda x: sg.stack([x[0] ** 2 - 4, x[0] * x[1] - 1]), [1.0, 1.0]).x.round(6)
    array([2. , 0.5])
    """
    check_derivatives("root", jac)
    if implicit_result.is_traced(x0, args):
        return _root_traced(fun, x0, args, method, tol, callback, options)
    optimize, vector = required("root", "scipy", "scipy.optimize"), Vector(x0)
    args, given, equations = implicit_result.tuple_of(args), implicit_result.without_graphs(args), several(fun, vector)
    follows = implicit_result.is_followed(args) or implicit_result.reach_outside([(equations, given)], vector)
    values, slopes = reading(equations, compile, plainly=True), reading(jacobian(equations), compile)
    structured = None if callback is None else lambda z, f: callback(vector.structure(z), f)
    with long_work("root", shown=progress) as work:
        solution = optimize.root(
            _counted(lambda z: values(z, *given), work), vector.start, method=method, tol=tol, callback=structured,
            options=options, jac=(lambda z: slopes(z, *given)) if method.lower() in _WITH_JACOBIAN else None,
        )  # fmt: skip
    done = restored(solution, vector, ("x",))
    if follows:
        done["x"] = x = known_root("root", fun, done["x"], args)
        done["fun"] = joined(fun(x, *args))
        implicit_result.without_others(done, ("x", "fun"))
    return done


def _root_traced(fun: Any, x0: Any, args: Any, method: str, tol: Any, callback: Any, options: Any) -> Any:
    """Return the result for tensors without values: SciPy runs when they have some."""
    args = implicit_result.tuple_of(args)

    def run(start: Any, *given: Any) -> Any:
        return implicit_result.arrived("root", root(fun, start, given, method, tol=tol, options=options, compile=False))

    implicit_result.untold("root", callback)
    x = known_root("root", fun, x0, args, run)
    return required("root", "scipy", "scipy.optimize").OptimizeResult(x=x, fun=fun(x, *args))


def _half(residuals: Any) -> Any:
    """Return half the sum of squares."""
    return (joined(residuals) ** 2).sum() / 2


def _counted(residuals: Callable[[Any], Any], work: Work) -> Callable[[Any], Any]:
    """Return residuals whose evaluations are steps of the work."""

    def call(z: Any) -> Any:
        values = implicit_result.known(work.what, residuals(z))
        work.step(f"|f|² = {np.sum(np.square(values)):.6g}")
        return values

    return call
