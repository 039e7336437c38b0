"""The canonical form of a derivative's graph, and the rules that make it so."""

from symgrad.forms.canon import (
    complexes,
    crosses,
    distances,
    distinctions,
    exchange,
    fourier,
    functions,
    islands,
    kron,
    laplacians,
    likes,
    moves,
    normal,
    pairs,
    powers,
    products,
    rows,
    softmaxes,
    spreads,
    sums,
    symmetric,
)
from symgrad.forms.canon.lower import lowered
from symgrad.forms.canon.terms import RULES, Pool, Term, enter_rules

__all__ = ["RULES", "Pool", "Term", "lowered"]

# rules are tried in this order, those of a module as they stand there
enter_rules(
    complexes, fourier, crosses, exchange, distances, laplacians, rows, spreads, islands, products, powers, functions,
    softmaxes, normal, kron, moves, pairs, distinctions, likes, sums, symmetric,
)  # fmt: skip
