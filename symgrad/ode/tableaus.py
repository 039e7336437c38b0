"""The coefficients of Runge-Kutta methods, and one step of each as a closed program.

A step is (Y, t, h, rtol, atol, *θ) ↦ (Y₁, C, ε): the next state, the polynomial Y + Σᵢ σⁱ Cᵢ in between, and the
estimated error in units of what is allowed. The state Y has the shape (1, n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from symgrad import functions as F
from symgrad.engine.program import Program, Spec
from symgrad.engine.record import as_tensor
from symgrad.implicit import programs
from symgrad.ops.linalg.solving import Solve
from symgrad.support.frozen import frozen

NUMBER = Spec((), np.dtype(np.float64))


@frozen
class Explicit:
    """An explicit method: kᵢ = f(Y + h Σⱼ aᵢⱼ kⱼ, t + cᵢ h), Y₁ = Y + h Σᵢ bᵢ kᵢ.

    Attributes:
        order: that of the error estimate plus one, by which steps are chosen.
        a, b, c: the coefficients of the stages, of the result, and of the times.
        error: those of the error; empty where the method has no estimate.
        dense: row i has the coefficients of σ, σ², … that kᵢ has in between.
    """

    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    error: tuple[float, ...] = ()
    dense: tuple[tuple[float, ...], ...] = ()

    def step(self, field: Program) -> Program:
        """Return one step of y' = field."""

        def rule(y: Any, t: Any, h: Any, rtol: Any, atol: Any, *thetas: Any) -> list[Any]:
            slopes: list[Any] = []
            for row, c in zip(self.a, self.c, strict=True):
                at = y + h * _sum(row, slopes) if row else y
                slopes.append(field(at, t + c * h if c else t, *thetas)[0])
            end = y + h * _sum(self.b, slopes)
            between = F.stack([h * _sum(column, slopes) for column in zip(*self.dense, strict=True)] or [end - y], 0)
            return [end, between, _size(h * _sum(self.error, slopes), y, end, rtol, atol) if self.error else t]

        return programs.once(field, ("step", self), _inputs(field), rule)


@frozen
class Rosenbrock:
    """A linearly implicit method for stiff equations: (I − hγJ) uᵢ = hγ (f(Y + Σⱼ aᵢⱼ uⱼ) + Σⱼ cᵢⱼ uⱼ/h + h dᵢ ∂f/∂t).

    J is the Jacobian ∂f/∂y, computed exactly. The last two stages are added to the result, and the last is its error.
    """

    order: int
    gamma: float
    a: tuple[tuple[float, ...], ...]
    c: tuple[tuple[float, ...], ...]
    times: tuple[float, ...]
    slopes: tuple[float, ...]
    dense: tuple[tuple[float, ...], ...]

    def step(self, field: Program) -> Program:
        """Return one step of y' = field."""

        def rule(y: Any, t: Any, h: Any, rtol: Any, atol: Any, *thetas: Any) -> list[Any]:
            n = y.shape[1]
            jacobian = programs.applied_to_units(programs.linearised(field), (y, t, *thetas))
            part = h * self.gamma
            matrix = as_tensor(np.eye(n)) - part * F.reshape(as_tensor(jacobian), (n, n))
            drift = programs.pushforward(field, (1,))(y, t, *thetas, as_tensor(1.0))[0]
            us: list[Any] = []
            for i, (row, couplings) in enumerate(zip(self.a, self.c, strict=True)):
                at = y + _sum(row, us) if row else y
                right = part * field(at, t + self.times[i] * h, *thetas)[0]
                if couplings:
                    right = right + self.gamma * _sum(couplings, us)
                if self.slopes[i]:
                    right = right + part * h * self.slopes[i] * drift
                us.append(F.reshape(Solve(True)(matrix, F.reshape(right, (n,))), (1, n)))
            end = at + us[-1]
            first, second = (_sum(row, us) for row in self.dense)
            between = F.stack([end - y + first, second - first, -second], 0)
            return [end, between, _size(us[-1], y, end, rtol, atol)]

        return programs.once(field, ("step", self), _inputs(field), rule)


def _inputs(field: Program) -> list[Spec]:
    return [field.arguments[0], field.arguments[1], NUMBER, NUMBER, NUMBER, *field.arguments[2:]]


def _sum(weights: Sequence[float], terms: Sequence[Any]) -> Any:
    """Return Σ wᵢ xᵢ, skipping terms with weight 0."""
    parts = [x if w == 1 else w * x for w, x in zip(weights, terms, strict=False) if w]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _size(error: Any, y: Any, end: Any, rtol: Any, atol: Any) -> Any:
    """The root of the mean square of error/(atol + rtol·max(|Y|, |Y₁|))."""
    allowed = atol + rtol * F.maximum(F.abs(y), F.abs(end))
    return F.sqrt(F.mean((error / allowed) ** 2))


# ------------------------------------------------------------------ the methods
# Dormand, Prince (1980), J. Comput. Appl. Math. 6; in between Shampine (1986), Math. Comp. 46.
DOPRI5 = Explicit(
    order=5,
    a=(
        (),
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    b=(35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    c=(0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1),
    error=(-71 / 57600, 0, 71 / 16695, -71 / 1920, 17253 / 339200, -22 / 525, 1 / 40),
    dense=(
        (1, -8048581381 / 2820520608, 8663915743 / 2820520608, -12715105075 / 11282082432),
        (0, 0, 0, 0),
        (0, 131558114200 / 32700410799, -68118460800 / 10900136933, 87487479700 / 32700410799),
        (0, -1754552775 / 470086768, 14199869525 / 1410260304, -10690763975 / 1880347072),
        (0, 127303824393 / 49829197408, -318862633887 / 49829197408, 701980252875 / 199316789632),
        (0, -282668133 / 205662961, 2019193451 / 616988883, -1453857185 / 822651844),
        (0, 40617522 / 29380423, -110615467 / 29380423, 69997945 / 29380423),
    ),
)

# RODAS of Hairer, Wanner, Solving Ordinary Differential Equations II, section IV.7.
RODAS4 = Rosenbrock(
    order=4,
    gamma=0.25,
    a=(
        (),
        (1.544,),
        (0.9466785280815826, 0.2557011698983284),
        (3.314825187068521, 2.896124015972201, 0.9986419139977817),
        (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950),
        (1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1.0),
    ),
    c=(
        (),
        (-5.6688,),
        (-2.430093356833875, -0.2063599157091915),
        (-0.1073529058151375, -9.594562251023355, -20.47028614809616),
        (7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160),
        (8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054),
    ),
    times=(0, 0.386, 0.21, 0.63, 1, 1),
    slopes=(0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0),
    dense=(
        (10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823, 1.025137723295662),
        (-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386, -6.594389125716872),
    ),
)

EULER = Explicit(1, ((),), (1.0,), (0,))
MIDPOINT = Explicit(2, ((), (1 / 2,)), (0, 1.0), (0, 1 / 2))
RK4 = Explicit(4, ((), (1 / 2,), (0, 1 / 2), (0, 0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0, 1 / 2, 1 / 2, 1))

ADAPTIVE: dict[str, Explicit | Rosenbrock] = {"dopri5": DOPRI5, "rodas4": RODAS4}
FIXED: dict[str, Explicit | Rosenbrock] = {"euler": EULER, "midpoint": MIDPOINT, "rk4": RK4, **ADAPTIVE}
SCIPY = ("RK45", "DOP853", "RK23", "Radau", "BDF", "LSODA")
STIFF = ("Radau", "BDF", "LSODA")
