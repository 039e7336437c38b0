"""Differential equations: solutions that are differentiable in where they start, in times and in parameters.

One idea carries the room: a step of the method is a closed program. Derivatives of the steps are its derivatives.
"""

from symgrad.ode.event import odeint_event
from symgrad.ode.initial_value import solve_ivp
from symgrad.ode.solve import odeint

__all__ = ["odeint", "odeint_event", "solve_ivp"]
