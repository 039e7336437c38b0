"""Rewrites of whole formulas: powers of matrices, softmax however it was written, distributions, norms of rows."""

import numpy as np
import pytest
from test_reading import NOTATIONS, check
from written_forms import written

import symgrad as sg

SIZES = {"n": 4, "d": 3, "k": 2}
_RNG = np.random.default_rng(7)


def symbol(name, axes="", **marks):
    return sg.symbol(name, tuple(axes), **marks)


def drawn(leaf):
    """Values that fit what is known of a leaf."""
    shape = tuple(SIZES.get(str(n), n) for n in leaf.shape)
    a = _RNG.normal(size=shape)
    if "positive" in leaf.assumptions:
        return _RNG.uniform(0.5, 2, shape)
    return a @ a.T + np.eye(len(a)) if "symmetric" in leaf.assumptions else a


def with_values(form):
    """A form with values for its arrays."""
    leaves = dict(zip(form._called.names, form._leaves, strict=True))
    used = {str(n) for leaf in leaves.values() for n in leaf.shape} & set(SIZES)
    return written(form, {name: drawn(leaf) for name, leaf in leaves.items()}, {n: SIZES[n] for n in used})


x, v, A, X = symbol("x", "n"), symbol("v", "n"), symbol("A", "nn"), symbol("X", "nn")
S = symbol("S", "nn", symmetric=True)
power, trace, inv = sg.linalg.matrix_power, sg.trace, sg.inverse
POWERS = {
    "trace of a power": (trace(power(X, 5)), X, "5*(X⁴)ᵀ", r"5 \left(X^{4}\right)^{\top}"),
    "of a symmetric matrix": (trace(power(S, 3)), S, "3*S²", "3 S^{2}"),
    "trace of an inverse": (trace(inv(X)), X, "-(X⁻²)ᵀ", r"-\left(X^{-2}\right)^{\top}"),
    "of an inverse of a sum": (trace(inv(A @ X + S)), X, "-((A*X + S)⁻²*A)ᵀ", None),
    "between vectors": (x @ power(A, 3) @ v, v, "(A³)ᵀ*x", None),
    "beside the matrix itself": (x @ power(A, 2) @ x, x, "(A² + (A²)ᵀ)*x", None),
    "of a product": (trace(power(A @ X, 2)), X, "2*(A*X*A)ᵀ", None),
}


@pytest.mark.parametrize("name", POWERS)
def test_equal_matrices_beside_each_other_are_a_power(name):
    y, wrt, text, latex = POWERS[name]
    form = sg.derive(y, wrt)
    assert str(form) == text
    assert latex is None or form.latex() == latex
    check(with_values(form), NOTATIONS)


def test_powers_of_matrices_go_to_sympy_and_back():
    M, at = symbol("M", (3, 3)), _RNG.normal(size=(3, 3))
    form = sg.derive(trace(power(M, 4)) + trace(inv(M)), M)
    e = form.to_sympy()
    assert str(e) == "-M.T**(-2) + 4*M.T**3"
    np.testing.assert_allclose(sg.from_sympy(e, sorted(e.free_symbols, key=str))(at), form.lambdify()(at), rtol=1e-9)
