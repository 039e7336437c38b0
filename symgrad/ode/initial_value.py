"""``solve_ivp``: ``odeint`` with the signature of ``scipy.integrate.solve_ivp``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.ode.solve import odeint
from symgrad.support.arguments import checked


class Solution(NamedTuple):
    """The result of ``solve_ivp``: the times (k,), the solution (n, k), and SciPy's fields."""

    t: Any
    y: Any
    success: bool = True
    status: int = 0
    message: str = "The solver successfully reached the end of the integration interval."


@checked
def solve_ivp(
    fun: Callable[..., Any], t_span: Sequence[Any], y0: Any, method: str = "RK45", t_eval: Any = None,
    dense_output: bool = False, events: Any = None, vectorized: bool = False, args: Any = None, *, rtol: float = 1e-8,
    atol: float = 1e-10, max_step: float = np.inf,
) -> Solution:  # fmt: skip
    """Solve y' = fun(t, y, *args), y(t₀) = y0, with SciPy's signature.

    The solution is differentiable with respect to y0, args and the times, like that of ``odeint``.

    Args:
        fun: fun(t, y, *args), which returns the derivative of the vector y.
        t_span: the first and the last time.
        y0: y at the first time, (n,).
        method: a method of SciPy, or of ``odeint``.
        t_eval: the times of the solution, (k,), within t_span; by default its two ends.
        dense_output, events: not supported; pass t_eval, or use ``odeint_event``.
        vectorized: accepted, without effect.
        args: further arguments of fun, a tuple.
        rtol, atol: the tolerances, by default smaller than SciPy's.
        max_step: the length of the longest step.

    Returns:
        A ``Solution`` with t, y and SciPy's ``success``, ``status`` and ``message``.

    Raises:
        ArgumentError: if dense_output or events are requested, or t_eval leaves t_span.
        ArgumentTypeError: if args is not a tuple.

    >>> sg.ode.solve_ivp(lambda t, y, k: -k * y, (0, 1), [1.0], args=(2.0,)).y[0, -1]
    tensor(0.1353)
    """
    if dense_output or events is not None:
        what = "dense_output=True" if dense_output else "events"
        raise ArgumentError(f"solve_ivp: got {what}. Pass the times as t_eval, and use sg.odeint_event for events.")
    if args is not None and not isinstance(args, tuple):
        raise ArgumentTypeError(f"solve_ivp: args must be a tuple. Got {args!r}. Write args=({args!r},).")
    if len(t_span) != 2:
        raise ArgumentError(f"solve_ivp: t_span has {len(t_span)} times. Pass (t₀, t₁), and the others as t_eval.")
    first, last = t_span
    times = [first, last] if t_eval is None else t_eval
    inner = [first, *times] if t_eval is not None and float(np.asarray(times)[0]) != float(first) else times
    if t_eval is not None:
        low, high = sorted((float(first), float(last)))
        if np.any(np.asarray(times) < low) or np.any(np.asarray(times) > high):
            raise ArgumentError("solve_ivp: values in `t_eval` are not within `t_span`. Pass times between its ends.")
    states = odeint(
        lambda y, t, *rest: fun(t, y, *rest), y0, inner, *(args or ()),
        method=method, rtol=rtol, atol=atol, hmax=max_step,
    )  # fmt: skip
    y = as_tensor(states)[len(inner) - len(times) :]
    return Solution(as_tensor(times), y.T)
