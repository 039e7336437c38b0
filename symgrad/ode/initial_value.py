"""``scipy.integrate.solve_ivp``'s signature on ``odeint``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError
from symgrad.ode.solve import odeint
from symgrad.support.arguments import checked


class Solution(NamedTuple):
    """What ``solve_ivp`` returns: the times (k,), the solution (n, k), and SciPy's fields."""

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
    """Solve y' = fun(t, y, *args), y(t₀) = y0, with SciPy's signature: ``odeint`` with the time first.

    The solution is differentiable in y0, args and times, as that of ``odeint``.

    Args:
        fun: fun(t, y, *args), returning the derivative of the vector y.
        t_span: the first and the last time.
        y0: y at the first time, (n,).
        method: SciPy's, or one of ``odeint``'s.
        t_eval: the times of the solution, (k,), in t_span; by default its two ends.
        dense_output, events: refused; pass t_eval, and see ``odeint_event``.
        vectorized: accepted, and of no effect.
        args: what else fun takes, a tuple.
        rtol, atol: the accuracy, finer than SciPy's by default.
        max_step: the length of the longest step.

    Returns:
        t, y and SciPy's ``success``, ``status`` and ``message``.

    Raises:
        ArgumentError: dense_output or events are asked for, or t_eval leaves t_span.
        ArgumentTypeError: args is no tuple.

    >>> sg.ode.solve_ivp(lambda t, y, k: -k * y, (0, 1), [1.0], args=(2.0,)).y[0, -1]
    tensor(0.1353)
    """
    if dense_output or events is not None:
        what = "dense_output=True" if dense_output else "events"
        raise ArgumentError(f"solve_ivp: got {what}. Pass the times as t_eval; events are found by sg.odeint_event.")
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
