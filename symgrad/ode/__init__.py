"""Differential equations whose solutions are differentiable with respect to initial values, times and parameters.

One step of a method is a closed program, and the derivatives of the steps are the derivatives of that program.
"""

from symgrad.ode.event import odeint_event
from symgrad.ode.initial_value import solve_ivp
from symgrad.ode.solve import odeint

__all__ = ["odeint", "odeint_event", "solve_ivp"]
