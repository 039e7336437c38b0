"""The canonical form of a derivative's graph, and the rules that make it so."""

from symgrad.forms.canon import functions, islands, kron, moves, pairs, products, sums, symmetric  # noqa: F401  (enter their rules)
from symgrad.forms.canon.lower import lowered
from symgrad.forms.canon.terms import RULES, Pool, Term

__all__ = ["RULES", "Pool", "Term", "lowered"]
