"""For a class: derivations step by step, pictures of graphs, reports and tables. Imports forms and testing."""

from symgrad.teach.boxes import Arrow, Box
from symgrad.teach.explanation import Explanation, explain
from symgrad.teach.picture import Graph, graph
from symgrad.teach.steps import Step

__all__ = ["Arrow", "Box", "Explanation", "Graph", "Step", "explain", "graph"]
