"""Arrays of pairs, such as x_i - x_j and its norm: exchanging the two of a pair changes the sign, or nothing.

Both sums of a pairwise gradient, over the first of each pair and over the second, become one.
"""

from __future__ import annotations

import sympy as sp

from symgrad.forms.canon.terms import FUNCTION, PRODUCT, Draft, rule


@rule(PRODUCT)
def pairs_are_turned(d: Draft) -> bool:
    """Σ_k w_ki (x_k - x_i) is -Σ_k w_ik (x_i - x_k), for a symmetric w: the bound index stands second."""
    for n, (f, s) in enumerate(d.factors):
        if len(s) < 2 or f.shape[0] != f.shape[1]:
            continue
        if s[0] != s[1] and _place(d, s[0]) <= _place(d, s[1]):
            continue
        parity = d.pool.parity(f)
        if s[0] == s[1] and parity == -1:
            d.coef = sp.S.Zero
            return True
        if s[0] != s[1] and (parity == -1 or (parity == 1 and len(s) > 2)):
            d.factors[n] = (f, (s[1], s[0], *s[2:]))
            d.coef *= parity
            return True
    return False


@rule(PRODUCT)
def function_of_pairs_is_turned(d: Draft) -> bool:
    """f(x_k - x_i) is f(-(x_i - x_k)), with the bound index second."""
    for n, (f, s) in enumerate(d.factors):
        if f.kind != FUNCTION or len(f.args) != 1 or len(s) < 2 or s[0] == s[1] or d.pool.parity(f.args[0]) != -1:
            continue
        if _place(d, s[0]) > _place(d, s[1]):
            opposite = d.pool.sum([(-1, f.args[0])], f.shape)
            d.factors[n] = (d.pool.function(f.data, [opposite], f.shape), (s[1], s[0], *s[2:]))
            return True
    return False


def _place(d: Draft, k: int) -> int:
    return d.out.index(k) if k in d.out else len(d.out)
