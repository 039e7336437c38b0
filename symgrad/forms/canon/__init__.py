"""The canonical form of a derivative's graph, and the rules that make it so."""

from symgrad.forms.canon import (
    broadcast,
    collect,
    complexes,
    elementwise_subterms,
    functions,
    pair_symmetry,
    pairs,
    piecewise,
    powers,
    products,
    reshape_rules,
    rows,
    sums,
    symmetric,
)
from symgrad.forms.canon.lower import lowered
from symgrad.forms.canon.patterns import (
    bessel,
    cross_products,
    distances,
    fourier,
    kronecker,
    laplacians,
    normal,
    orthogonal,
    softmax,
    triangles,
)
from symgrad.forms.canon.terms import RULES, Term, TermPool, enter_rules

__all__ = ["RULES", "TermPool", "Term", "lowered"]

# rules are tried in this order, those of a module as they stand there
enter_rules(
    complexes, fourier, cross_products, pair_symmetry, distances, laplacians, rows, broadcast, elementwise_subterms,
    triangles, orthogonal, bessel, products, powers, functions, softmax, normal, kronecker, reshape_rules, pairs,
    piecewise, collect, sums, symmetric,
)  # fmt: skip
