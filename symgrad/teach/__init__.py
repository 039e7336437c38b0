"""Tools for a class: worked steps, graded answers, exercises, pictures, plots, reports and tables."""

from symgrad.teach.answers.exercises import Exercise, exercises
from symgrad.teach.answers.expected import Slip
from symgrad.teach.answers.grading import At, Grade, grade
from symgrad.teach.answers.slips import SLIPS
from symgrad.teach.answers.topics import TOPICS
from symgrad.teach.explanation import Explanation, explain
from symgrad.teach.notebook.explore import Exploration, explore
from symgrad.teach.pictures.boxes import Arrow, Box
from symgrad.teach.pictures.picture import Graph, graph
from symgrad.teach.plot import plot
from symgrad.teach.report import Report, report
from symgrad.teach.sheets.sheet import Sheet, sheet
from symgrad.teach.steps import lesson
from symgrad.teach.steps.steps import Step
from symgrad.teach.study.approximations import TaylorPolynomial, normal, tangent, taylor_polynomial
from symgrad.teach.study.closed_interval import ClosedInterval, closed_interval
from symgrad.teach.study.newton import Newton, newton
from symgrad.teach.study.related_rates import RelatedRates, related_rates
from symgrad.teach.study.sensitivity import ErrorPropagation, Sensitivity, elasticity, error_propagation, sensitivity
from symgrad.teach.study.several.chain_rule import ChainRule, chain_rule
from symgrad.teach.study.several.critical_points import CriticalPoint, CriticalPoints, critical_points
from symgrad.teach.study.several.lagrange_multipliers import (
    ConstrainedExtremum,
    LagrangeMultipliers,
    lagrange_multipliers,
)
from symgrad.teach.study.several.normal_equations import NormalEquations, normal_equations
from symgrad.teach.study.several.operators import (
    FieldDerivative,
    curl,
    divergence,
    gradient,
    jacobian_determinant,
    laplacian,
)
from symgrad.teach.study.several.surfaces import (
    DirectionalDerivative,
    Hessian,
    TangentPlane,
    directional_derivative,
    hessian,
    tangent_plane,
)
from symgrad.teach.study.study import Study, study
from symgrad.teach.study.variations import Motion, euler_lagrange
from symgrad.teach.table import Row, Table, table

__all__ = [
    "SLIPS", "TOPICS", "Arrow", "At", "Box", "ChainRule", "ClosedInterval", "ConstrainedExtremum", "CriticalPoint",
    "CriticalPoints", "DirectionalDerivative", "ErrorPropagation", "Exercise", "Exploration",
    "Explanation", "FieldDerivative", "Grade",
    "Graph", "Hessian", "LagrangeMultipliers", "Motion", "Newton", "NormalEquations", "RelatedRates",
    "Report", "Row", "Sensitivity", "Sheet", "Slip", "Step", "Study", "Table", "TangentPlane", "TaylorPolynomial",
    "chain_rule", "closed_interval", "critical_points", "curl", "directional_derivative", "divergence", "elasticity",
    "error_propagation", "euler_lagrange", "exercises", "explain", "explore", "grade", "gradient",
    "graph", "hessian",
    "jacobian_determinant", "lagrange_multipliers", "laplacian", "lesson", "newton", "normal", "normal_equations",
    "plot", "related_rates", "report", "sensitivity", "sheet", "study", "table", "tangent", "tangent_plane",
    "taylor_polynomial",
]  # fmt: skip
