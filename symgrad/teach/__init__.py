"""For a class: derivations step by step, answers graded, exercises, pictures, plots, reports and tables."""

from symgrad.teach.answers.exercises import Exercise, exercises
from symgrad.teach.answers.grading import At, Grade, grade
from symgrad.teach.answers.slips import SLIPS
from symgrad.teach.answers.topics import TOPICS
from symgrad.teach.explanation import Explanation, explain
from symgrad.teach.pictures.boxes import Arrow, Box
from symgrad.teach.pictures.picture import Graph, graph
from symgrad.teach.plot import plot
from symgrad.teach.report import Report, report
from symgrad.teach.steps import lesson
from symgrad.teach.steps.steps import Step
from symgrad.teach.table import Row, Table, table

__all__ = [
    "SLIPS", "TOPICS", "Arrow", "At", "Box", "Exercise", "Explanation", "Grade", "Graph", "Report", "Row", "Step",
    "Table", "exercises", "explain", "grade", "graph", "lesson", "plot", "report", "table",
]  # fmt: skip
