"""``sg.control``: optimal control by transcription into nonlinear programs.

``transcription`` combines ``variables`` and ``schemes``; ``problem`` and ``phases`` solve the program.
``lqr`` computes linear-quadratic regulators.
"""

from typing import TYPE_CHECKING

from symgrad.control.lqr import Regulator, lqr
from symgrad.control.phases import Phases, PhaseTrajectories
from symgrad.control.problem import Problem
from symgrad.control.trajectory import Trajectory
from symgrad.control.variables import Variable
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace

__all__ = ["PhaseTrajectories", "Phases", "Problem", "Regulator", "Trajectory", "Variable", "lqr"]

if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__)


check_all(globals(), __all__)
