"""For a class: derivations step by step, pictures of graphs, reports and tables."""

from symgrad.teach.explanation import Explanation, explain
from symgrad.teach.pictures.boxes import Arrow, Box
from symgrad.teach.pictures.picture import Graph, graph
from symgrad.teach.report import Report, report
from symgrad.teach.steps.steps import Step
from symgrad.teach.table import Row, Table, table

__all__ = [
    "Arrow", "Box", "Explanation", "Graph", "Report", "Row", "Step", "Table", "explain", "graph", "report", "table",
]  # fmt: skip
