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
from symgrad.solvers.scipy_methods import Foreign, Polished, foreign
from symgrad.support.arguments import check_all, checked, takes_args
from symgrad.transforms.arguments import check_function

__all__ = ["custom_root", "fixed_point", "root"]


@takes_args
@checked
def root(
    f: Callable[..., Any], x0: Any, *args: Any, method: str = "newton", tol: float = 1e-10, max_steps: int = 100,
    solve: str = "auto",
) -> Any:  # fmt: skip
    """Find x with f(x, *args) = 0. Derivative: dx/dθ = −(∂f/∂x)⁻¹ ∂f/∂θ, by the implicit function theorem.

    The answer is differentiable in args, and in tensors that f takes from outside: in forward and reverse mode, to
    every order, under vmap, compiled, and as a formula by ``sg.derive``, which calls the unknown as f does.

    Args:
        f: f(x, *args), returning as many numbers as x has, in any structure. It cannot branch on values.
        x0: where to start: a number, an array, or nested dicts, lists, tuples and dataclasses of them. The answer
            does not depend on it, and no gradient flows to it.
        args: what f depends on: arrays, numbers, and structures of them.
        method: "newton", with the exact Jacobian, damped; or one of SciPy's: "hybr", "lm", "krylov", ….
        tol: the step, relative to x, that is Newton's last.
        max_steps: the number of Newton's steps.
        solve: how linear systems with the Jacobian are solved: "lu", factorised once for the value and its
            derivatives; or by products, with SciPy's "gmres", "cg", "lsqr"; "auto" takes lu up to 2000 unknowns.

    Returns:
        Tensors in the structure of x0.

    Raises:
        NotConverged: no root was reached; the message has the residual and the steps.
        LinAlgError: the Jacobian is singular at the root, when a derivative is asked for.
        ShapeError: f does not return as many numbers as x has.
        MissingExtra: SciPy is asked for and not installed.

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
    return solved("root", f, x0, args, solver, Way.of("root", solve))


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
        g: g(x, *args), structured like x.
        x0, args, solve: as for ``root``.
        tol: the last step relative to x: 1e-10 of Newton's, 1e-14 of the iteration's.
        method: "newton", or "iterate", x ← g(x), which comes to rest at an attracting point; or one of SciPy's for
            roots.
        max_steps: the number of steps; by default 100 of Newton's, 10 000 of the iteration.

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
    """Give a solver of any kind the derivative of what it solves: conditions(x, *args) = 0.

    ``custom_root(F)(solver)`` is a function of (x0, *args), as the solver is. It calls the solver, with arrays, for
    the value; the derivative is −(∂F/∂x)⁻¹ ∂F/∂θ at what that returned, in every mode and order.

    Keywords are bound as the solver's signature says. Those that the conditions take, by their name or else by their
    place, are arguments; others, such as a tolerance, are the solver's alone, and no derivative is taken by them.

    Args:
        conditions: F(x, *args), returning as many numbers as x has.
        solve, tol: how linear systems with ∂F/∂x are solved, as for ``root``; tol is that of the methods by products.

    Returns:
        A decorator.

    Raises:
        NotConverged: what the solver returned is no root of F, when a derivative is asked for.

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
