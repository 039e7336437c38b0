"""``sg.root``, ``sg.fixed_point`` and ``sg.custom_root``."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError
from symgrad.implicit.conditions import Root
from symgrad.implicit.factors import Way, positive, whole
from symgrad.implicit.unknowns import Arguments, Unknown, conditions, title_of
from symgrad.solvers.keywords import Bound
from symgrad.solvers.newton import Iteration, Newton, ScipyRoot, StartIsRoot
from symgrad.solvers.proofs import ProvedRoot
from symgrad.solvers.scipy_methods import Foreign, Polished, foreign
from symgrad.support.arguments import check_all, checked, takes_args
from symgrad.transforms.arguments import check_function

__all__ = ["custom_root", "fixed_point", "root"]


@takes_args
@checked
def root(
    f: Callable[..., Any], x0: Any, *args: Any, method: str = "newton", tol: float = 1e-10, max_steps: int = 100,
    solve: str = "auto", prove: bool = False,
) -> Any:  # fmt: skip
    """Find x with f(x, *args) = 0. Derivative: dx/dθ = −(∂f/∂x)⁻¹ ∂f/∂θ, by the implicit function theorem.

    The root is differentiable with respect to args, and to tensors that f captures: in forward and reverse mode, to
    every order, under ``sg.vmap``, in ``sg.compile``, and as a formula by ``sg.derive``, in which the unknown has the
    name of f's parameter.

    Args:
        f: f(x, *args), which returns as many numbers as x has, in any structure. It cannot branch on values.
        x0: the starting point: a number, an array, or nested dicts, lists, tuples and dataclasses of them. The root
            does not depend on it, and no gradient flows to it.
        args: further arguments of f: arrays, numbers, and structures of them.
        method: "newton", the damped Newton method with the exact Jacobian; or one of SciPy's methods: "hybr", "lm",
            "krylov", ….
        tol: the tolerance: Newton's method ends when a step, relative to x, is smaller.
        max_steps: the maximum number of Newton steps.
        solve: the solver for linear systems with the Jacobian: "lu", factorised once for the value and its derivatives;
            or SciPy's "gmres", "cg" or "lsqr", which use products; "auto" uses "lu" for up to 2000 unknowns.
        prove: whether to prove, with the extra ``proved``, that exactly one root lies within tol of the result: in each
            number, tol is absolute up to 1 and relative above. ``sg.prove.root`` returns a certificate.

    Returns:
        Tensors in the structure of x0.

    Raises:
        NotConverged: if no root was reached; the message shows the residual and the number of steps.
        NotProved: if ``prove=True`` and the proof fails, for example at a double root.
        LinAlgError: if a derivative is requested and the Jacobian is singular at the root.
        ShapeError: if f does not return as many numbers as x has.
        MissingExtra: if SciPy, or python-flint, is requested and not installed.

    >>> a = sg.tensor(2.0, requires_grad=True)
    >>> x = sg.root(lambda x, a: x**2 - a, 1.0, a)
    >>> x.backward()
    >>> x, a.grad
    (tensor(1.4142, grad_fn=<RootBackward0>), tensor(0.3536))
    """
    check_function("root", f)
    positive("root", "tol", tol)
    max_steps = whole("root", "max_steps", max_steps)
    solver = Newton(tol, max_steps) if method == "newton" else ScipyRoot(method, tol, max_steps)
    return solved("root", f, x0, args, ProvedRoot(solver, tol) if prove else solver, Way.of("root", solve))


def _iterating(method: str, tol: float | None, max_steps: int | None) -> Any:
    """Return the solver of a fixed point's equation."""
    if method == "iterate":
        return Iteration(tol or 1e-14, max_steps or 10_000)
    if method == "newton":
        return Newton(tol or 1e-10, max_steps or 100)
    return ScipyRoot(method, tol or 1e-10, max_steps or 100)


@takes_args
@checked
def fixed_point(
    g: Callable[..., Any], x0: Any, *args: Any, method: str = "newton", tol: float | None = None,
    max_steps: int | None = None, solve: str = "auto",
) -> Any:  # fmt: skip
    """Find x with g(x, *args) = x, a ``root`` of x − g(x, *args). Derivative: dx/dθ = (I − ∂g/∂x)⁻¹ ∂g/∂θ.

    Args:
        g: g(x, *args), which returns a result with the structure of x.
        x0, args, solve: see ``root``.
        tol: the relative size of the last step; by default 1e-10 for Newton's method, 1e-14 for the iteration.
        method: "newton"; "iterate" for x ← g(x), which converges to attracting fixed points; or one of SciPy's methods
            for roots.
        max_steps: the maximum number of steps; by default 100 for Newton's method, 10 000 for the iteration.

    >>> sg.fixed_point(lambda x: sg.cos(x), 1.0)
    tensor(0.7391)
    """
    check_function("fixed_point", g)
    if tol is not None:
        positive("fixed_point", "tol", tol)
    if max_steps is not None:
        max_steps = whole("fixed_point", "max_steps", max_steps)
    solver = _iterating(method, tol, max_steps)
    unknown = Unknown("fixed_point", x0)

    def change(x: Any, *rest: Any) -> Any:
        before = [handle(t._node, t._value) for t in unknown.beside("fixed_point: x", x)]  # g may write to x in place
        return [a - b for a, b in zip(before, unknown.beside("fixed_point: g", g(x, *rest)), strict=True)]

    return solved("fixed_point", change, x0, args, solver, Way.of("fixed_point", solve), title_of(g))


def custom_root(
    conditions: Callable[..., Any], *, solve: str = "auto", tol: float = 1e-10
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make a solver for the equations conditions(x, *args) = 0 differentiable.

    ``custom_root(F)(solver)`` is a function of (x0, *args), like the solver, which it calls with arrays. The derivative
    is −(∂F/∂x)⁻¹ ∂F/∂θ at the solver's result, in every mode and to every order.

    Keyword arguments are bound according to the solver's signature. Those that the conditions accept, by name or by
    position, are arguments; others, such as a tolerance, are passed to the solver only, and have no derivative.

    Args:
        conditions: F(x, *args), which returns as many numbers as x has.
        solve, tol: the solver for linear systems with ∂F/∂x, see ``root``; and the tolerance of solvers by products.

    Returns:
        A decorator.

    Raises:
        NotConverged: if a derivative is requested and the result of the solver is not a root of F.

    >>> @sg.custom_root(lambda x, a: x**2 - a)
    ... def square_root(x0, a):
    ...     return a**0.5
    >>> sg.grad(lambda a: square_root(None, a))(4.0)
    0.25
    """
    check_function("custom_root", conditions)
    way = Way.of("custom_root", solve, tol)

    def decorate(solver: Callable[..., Any]) -> Callable[..., Any]:
        check_function("custom_root", solver)
        who, title = getattr(solver, "__name__", "solver").strip("<>"), title_of(conditions)

        @functools.wraps(solver)
        def call(*args: Any, **named: Any) -> Any:
            bound = Bound(who, solver, conditions, args, named)
            x0, args = bound.x0, bound.args
            if x0 is None:
                given = Arguments(args)
                values = [_seen(who, t) for t in given.tensors]
                return solved(
                    who, bound.conditions, bound.solver(None, *given.arrays(values)), args, StartIsRoot(), way, title
                )
            run = Foreign(bound.solver, Unknown(who, x0), Arguments(args))
            return solved(who, bound.conditions, x0, args, run, way, title)

        return call

    return decorate


def _seen(who: str, t: Any) -> Any:
    if t._value is None:
        raise ArgumentError(
            f"{who}: x0 is None, so that the solver itself must tell what the answer looks like; but this function is "
            "traced without values, as by vmap, compile or derive. Pass an x0 that is shaped like the answer."
        )
    return t._value


def solved(
    who: str, f: Callable[..., Any], x0: Any, args: Sequence[Any], solver: Any, way: Way, title: str | None = None
) -> Any:
    """Return the x with f(x, *args) = 0 that a solver finds, in the structure of x0."""
    unknown, given = Unknown(who, x0), Arguments(args)
    system, inputs = conditions(who, f, unknown, given, way, title or title_of(f))
    return unknown.structure(as_tensor(Root(system, solver)(unknown.start.detach(), *inputs)))


def known_root(who: str, f: Callable[..., Any], x: Any, args: Sequence[Any], run: Any = None) -> Any:
    """Return a root that was found already, or that ``run(x, *args)`` finds, in its structure, with its derivative."""
    return solved(who, f, x, args, Polished(foreign(who, run, x, args)), Way())


check_all(globals(), __all__)
