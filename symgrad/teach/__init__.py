"""For a class: derivations step by step, pictures of graphs, reports and tables. Imports forms and testing."""

from symgrad.teach.explanation import Explanation, explain
from symgrad.teach.steps import Step

__all__ = ["Explanation", "Step", "explain"]
