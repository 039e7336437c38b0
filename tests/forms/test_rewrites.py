"""Rewrites of whole formulas: powers of matrices, softmax however it was written, distributions, norms of rows."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from checks import close
from test_reading import NOTATIONS, check
from written_forms import differences, of_problem, written

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
    if "onehot" in leaf.assumptions:
        return np.eye(shape[1])[_RNG.integers(0, shape[1], shape[0])]
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


# ------------------------------------------------------------------ regressions, as books write their scores
Z, Y, W = symbol("Z", "nd"), symbol("Y", "nd"), symbol("W", "dd")
w, y, q = symbol("w", "d"), symbol("y", "n"), symbol("q", "n")
p, r, s = symbol("p", "n", positive=True), symbol("r", positive=True), symbol("s", positive=True)
Ndtr, mu = sg.special.ndtr, sg.exp(Z @ w)
bell = sg.exp(-(v**2) / 2) / (2 * math.pi) ** 0.5
SCORES = {
    "probit": (sg.special.log_ndtr(q * (Z @ w)).sum(), w, "Zᵀ*(q ⊙ φ(u) ⊘ Φ(u)) where u = q ⊙ Z*w"),
    "normal distribution function": (Ndtr(Z @ w).sum(), w, "Zᵀ*φ(Z*w)"),
    "the same by erf": ((1 + sg.erf(Z @ w / 2**0.5)).sum() / 2, w, "Zᵀ*φ(Z*w)"),
    "erf alone": (sg.erf(v / 2**0.5).sum(), v, "sqrt(2)*exp(-v^⊙2/2)/sqrt(pi)"),
    "by erf, from above": ((1 - sg.erf(v / 2**0.5)).sum(), v, "-2*φ(v)"),
    "normal density": (bell.sum(), v, "-(v ⊙ φ(v))"),
    "expected improvement": ((v * Ndtr(v) + bell).sum(), v, "Φ(v)"),
    "gelu": ((Y * sg.nn.functional.gelu(Z @ W)).sum(), W, "Zᵀ*(Y ⊙ (Φ(Z*W) + φ(Z*W) ⊙ Z*W))"),
    "Poisson": ((y * sg.log(mu) - mu).sum(), w, "Zᵀ*(y - exp(Z*w))"),
    "gamma": ((-y / mu - sg.log(mu)).sum(), w, "Zᵀ*(y ⊘ exp(Z*w) - 1)"),
    "inverse Gaussian": (-((p - mu) ** 2 / (2 * mu**2 * p)).sum(), w, "Zᵀ*((p - exp(Z*w)) ⊘ exp(2*Z*w))"),
    "negative binomial": (
        (y * sg.log(mu / (mu + r)) + r * sg.log(r / (mu + r))).sum(), w, "r*Zᵀ*((y - μ) ⊘ (μ + r)) where μ = exp(Z*w)",
    ),
    "Student's t": (sg.log(1 + (Z @ w - y) ** 2 / s).sum(), w, "2*Zᵀ*(r ⊘ (s + r^⊙2)) where r = Z*w - y"),
    "Geman and McClure": (
        ((Z @ w - y) ** 2 / (1 + (Z @ w - y) ** 2)).sum(), w, "2*Zᵀ*(r ⊘ (1 + r^⊙2)^⊙2) where r = Z*w - y",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCORES)
def test_score_is_written_as_in_a_book(name):
    y, wrt, text = SCORES[name]
    form = sg.derive(y, wrt)
    assert str(form) == text
    check(with_values(form), NOTATIONS)


# ------------------------------------------------------------------ softmax, as it is written by hand
u, c, B = symbol("u", "n"), symbol("c", "n"), symbol("B", "nd")
onehot = symbol("P", "nd", onehot=True)


def rows(z):
    e = sg.exp(z)
    return e / e.sum(1, keepdim=True)


def entries(z):
    return sg.exp(z) / sg.exp(z).sum()


largest = sg.amax(B, 1, True)
SOFTMAXES = {
    "Jacobian": (entries(u), u, 1, "diag(p) - p*pᵀ where p = softmax(u)"),
    "the largest subtracted": (entries(u - u.max()), u, 1, "diag(p) - p*pᵀ where p = softmax(u)"),
    "cross entropy of rows": (-(onehot * sg.log(rows(B))).sum(), B, 1, "softmax(B) - P"),
    "rows, the largest subtracted": (-(onehot * sg.log(rows(B - largest))).sum(), B, 1, "softmax(B) - P"),
    "columns": (sg.log(sg.exp(B).sum(0)).sum(), B, 1, "softmax(Bᵀ)ᵀ"),
    "log of a sum": (sg.log(sg.exp(u - u.max()).sum()) + u.max(), u, 1, "softmax(u)"),
    "its Hessian": (
        sg.log(sg.exp(Z @ w).sum()), w, 2, "Zᵀ*(diag(p) - p*pᵀ)*Z where p = softmax(Z*w)",
    ),
    "shifted by a number": (
        (c * sg.softmax(u + v - sg.logsumexp(v, 0), 0)).sum(), u, 1,
        "p ⊙ (c - cᵀ*p) where p = softmax(u + v)",
    ),
    "log of a mixture": (sg.logsumexp(u + v - sg.logsumexp(v, 0), 0), v, 1, "softmax(u + v) - softmax(v)"),
    "attention": (
        (Y * (rows(B @ Z.T) @ Y)).sum(), B, 1,
        "(P ⊙ (Y*Yᵀ - (Y ⊙ P*Y)*1*1ᵀ))*Z where P = softmax(B*Zᵀ)",
    ),
    "Boltzmann": (
        (c * entries(-r * c)).sum(), r, 1, "cᵀ*(softmax(-r*c) ⊙ (cᵀ*softmax(-r*c) - c))",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SOFTMAXES)
def test_softmax_is_recognised(name):
    y, wrt, order, text = SOFTMAXES[name]
    form = sg.derive(y, wrt, order=order)
    assert str(form) == text
    check(with_values(form), NOTATIONS)


# ------------------------------------------------------------------ normalised rows and columns
def normalised(a, axis):
    return (a - a.mean(axis, keepdim=True)) / sg.sqrt(a.var(axis, keepdim=True, correction=0) + 0.1)


LINES = {
    "centred rows": (((B - B.mean(1, keepdim=True)) ** 2).sum(), "2*(B - rowmean(B))"),
    "centred columns": (((B - B.mean(0)) ** 2).sum(), "2*(B - colmean(B))"),
    "layer norm": (
        (Z * normalised(B, 1)).sum(),
        "diag(1 ⊘ σ)*(Z - (H ⊙ rowmean(Z ⊙ H)) - rowmean(Z)) where H = diag(1 ⊘ σ)*(B - rowmean(B)); "
        "σ = sqrt(var(B, correction=0, axis=1) + 0.1)",
    ),
    "layer norm with weights": (
        (Z * (normalised(B, 1) * w)).sum(),
        "diag(1 ⊘ σ)*(Δ - (H ⊙ rowmean(H ⊙ Δ)) - rowmean(Δ)) where Δ = Z*diag(w); H = diag(1 ⊘ σ)*(B - rowmean(B)); "
        "σ = sqrt(var(B, correction=0, axis=1) + 0.1)",
    ),
    "batch norm": (
        (Z * normalised(B, 0) * w).sum(),
        "(Z - (H ⊙ colmean(Z ⊙ H)) - colmean(Z))*diag(w ⊘ σ) where H = (B - colmean(B))*diag(1 ⊘ σ); "
        "σ = sqrt(var(B, correction=0, axis=0) + 0.1)",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_means_of_rows_and_columns_have_a_name(name):
    y, text = LINES[name]
    form = sg.derive(y, B)
    assert str(form) == text
    check(with_values(form), NOTATIONS)


# ------------------------------------------------------------------ products of entries, Kronecker products
M, N, D = symbol("M", (2, 2)), symbol("N", (3, 3)), symbol("D", (3, 3))
g = symbol("g", "n", positive=True)
kron = sg.kron
PRODUCTS = {
    "of positive numbers": (sg.prod(p), p, "prod(p) ⊘ p"),
    "of any numbers": (sg.prod(u), u, "cumprod(u, exclusive) ⊙ cumprod(u, reverse, exclusive)"),
    "of squares and one": (sg.prod(1 + u**2), u, "2*prod(r)*(u ⊘ r) where r = 1 + u^⊙2"),
    "Stone and Geary": (r * sg.prod((u - p) ** c), u, "r*prod((u - p)^⊙c)*(c ⊘ (u - p))"),
    "logarithm": (sg.log(sg.prod(u)), u, "1 ⊘ u"),
    "Cobb and Douglas": (r * sg.prod(p**u), p, "r*prod(p^⊙u)*(u ⊘ p)"),
    "their logarithm": (sg.log(sg.prod(p**u)), p, "u ⊘ p"),
    "power times its base": ((p**u * p).sum(), p, "p^⊙u ⊙ (u + 1)"),
    "trace": (trace(kron(N, N)), N, "2*tr(N)*I"),
    "trace of two": (trace(kron(M, N @ D)), N, "tr(M)*Dᵀ"),
    "trace of a product": (trace(kron(M, N) @ kron(M, D)), N, "tr(M²)*Dᵀ"),
    "determinant": (sg.det(kron(M, N)), N, "2*det(M)**3*det(N)**2*N⁻ᵀ"),
    "log determinant": (sg.logdet(kron(M, N)), N, "2*N⁻ᵀ"),
    "Kronecker sum": (trace(kron(N, sg.eye(3)) + kron(sg.eye(3), N)), N, "6*I"),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_product_is_written_as_in_a_book(name):
    y, wrt, text = PRODUCTS[name]
    form = sg.derive(y, wrt)
    assert str(form) == text
    check(with_values(form), NOTATIONS)


def test_gradient_of_a_product_is_right_where_an_entry_is_zero():
    form = sg.derive(sg.prod(u), u)
    np.testing.assert_array_equal(form.lambdify()(np.array([2.0, 0.0, 3.0])), [0.0, 6.0, 0.0])


# ------------------------------------------------------------------ quotients and traces
F, G, V = symbol("F", "nd", positive=True), symbol("G", "dn", positive=True), symbol("V", "nn", positive=True)
E, Q, t = symbol("E", "nn", symmetric=True), symbol("Q", "nn", symmetric=True), symbol("t", positive=True)
q1 = symbol("q", "d", positive=True)
QUOTIENTS = {
    "ratio of bilinear forms": (
        (u @ Y @ w) / (c @ Y @ w), Y, "(u - (uᵀ*Y*w)*c/(cᵀ*Y*w))*wᵀ/(cᵀ*Y*w)",
    ),
    "Sharpe ratio": ((u @ c) / sg.sqrt(c @ Q @ c), c, "(u - (uᵀ*c)*Q*c/α)/sqrt(α) where α = cᵀ*Q*c"),
    "rows of length 1": (
        (Y * Z / sg.sqrt((Z**2).sum(1, keepdim=True))).sum(), Z,
        "diag(1 ⊘ sqrt(Z^⊙2*1))*(Y - diag((Z ⊙ Y)*1 ⊘ Z^⊙2*1)*Z)",
    ),
    "divergence of Kullback and Leibler": (
        (F @ G - V * sg.log(F @ G)).sum(), F, "(1 - (V ⊘ F*G))*Gᵀ",
    ),
    "logarithm of a product": (sg.log((F @ q1) * (Z @ q1)).sum(), q1, "Zᵀ*(1 ⊘ Z*q) + Fᵀ*(1 ⊘ F*q)"),
    "chi squared": (((V - F @ G) ** 2 / (F @ G)).sum(), G, "Fᵀ*(1 - (V^⊙2 ⊘ (F*G)^⊙2))"),
    "trace of a product with a power": (trace(A @ power(X, 3)), X, "(X*(X*A + A*X) + A*X²)ᵀ"),
    "a product that is a factor": (
        (sg.sigmoid(Z @ W) * (Z @ W)).sum(), W, "Zᵀ*(σ(Z*W) ⊙ (1 + (1 - σ(Z*W)) ⊙ Z*W))",
    ),
    "trace of an inverse": ((E * sg.inverse(Q)).sum() * t, t, "tr(E*Q⁻¹)"),
    "length of a product": ((u @ A.T @ A @ u) * t, t, "‖A*u‖²"),
    "number before a difference": (
        (w @ Y.T @ Y @ w - s) ** 2, Y, "4*(‖Y*w‖² - s)*Y*w*wᵀ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", QUOTIENTS)
def test_quotient_is_written_as_in_a_book(name):
    y, wrt, text = QUOTIENTS[name]
    form = sg.derive(y, wrt)
    assert str(form) == text
    check(with_values(form), NOTATIONS)


# ------------------------------------------------------------------ names for what is repeated
l0 = symbol("l", "n", positive=True)
REPEATED = {
    "labels of a probit": (
        sg.special.log_ndtr((2 * y - 1) * (Z @ w)).sum(), w, 1,
        "Zᵀ*(r ⊙ φ(u) ⊘ Φ(u)) where u = r ⊙ Z*w; r = 2*y - 1",
    ),
    "curvature of logsumexp": (
        sg.logsumexp(Z @ w, 0), w, 2, "Zᵀ*(diag(p) - p*pᵀ)*Z where p = softmax(Z*w)",
    ),
    "scores of attention": (
        (Y * (sg.softmax(B @ Z.T / 2, 1) @ Y)).sum(), B, 1,
        "(P ⊙ (Y*Yᵀ - (Y ⊙ P*Y)*1*1ᵀ))*Z/2 where P = softmax(B*Zᵀ/2)",
    ),
    "springs": (
        (v**2 * (sg.sqrt((B**2).sum(1)) - l0) ** 2).sum() / 2, B, 1,
        "diag(v^⊙2 ⊙ (1 - (l ⊘ sqrt(B^⊙2*1))))*B",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REPEATED)
def test_what_is_repeated_has_a_name(name):
    y, wrt, order, text = REPEATED[name]
    form = sg.derive(y, wrt, order=order)
    assert str(form) == text
    check(with_values(form), NOTATIONS)


# ------------------------------------------------------------------ further problems of statistics and learning
RELATIVES = json.loads((Path(__file__).parents[1] / "data" / "relatives.json").read_text("utf-8"))


@pytest.mark.parametrize("problem", RELATIVES, ids=[p["name"] for p in RELATIVES])
def test_relatives_of_textbook_problems_are_printed_so(problem):
    found = of_problem(problem)
    assert str(found.form) == problem["printed"]
    np.testing.assert_allclose(found.expected, differences(problem), rtol=1e-5, atol=1e-6)
    check(found, ["shown"])


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (lambda x, a: sg.prod(x), "prod(p)*((1 ⊘ p)*(1 ⊘ p)ᵀ - diag(1 ⊘ p^⊙2))"),
        (lambda x, a: sg.prod(x) ** (1 / x.shape[0]), "prod(p)**(1/n)*((1 ⊘ p)*(1 ⊘ p)ᵀ/n - diag(1 ⊘ p^⊙2))/n"),
        (lambda x, a: sg.prod(x**a), "prod(p^⊙u)*((u ⊘ p)*(u ⊘ p)ᵀ - diag(u ⊘ p^⊙2))"),
    ],
    ids=["product", "geometric mean", "Cobb and Douglas"],
)
def test_curvature_of_a_product_is_written_with_quotients(f, text):
    form = sg.derive(f(p, u), p, order=2)
    assert str(form) == text
    rng = np.random.default_rng(1)
    given = {"p": rng.uniform(0.5, 2, 3), "u": rng.normal(size=3)}
    expected = sg.func.hessian(lambda x: f(x, given["u"]))(sg.tensor(given["p"]))
    close(form.lambdify()(**{k: given[k] for k in form.args}), expected.numpy(), 1e-12)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ((s * sg.log(r) - sg.lgamma(s) + s * sg.log(p)).sum(), "n*(log(r) - digamma(s)) + sum(log(p))"),
        ((sg.lgamma(p + s) - sg.lgamma(s) + s * sg.log(p)).sum(), "sum(log(p) + digamma(p + s)) - n*digamma(s)"),
        ((sg.exp(s * p) - sg.sin(s * p)).sum() + sg.log(p + s).sum(), None),
    ],
    ids=["gamma", "two sums", "three"],
)
def test_sums_over_observations_are_one_sum(y, text):
    form = str(sg.derive(y, s))
    assert form == text if text else form.count("sum(") <= 1


@pytest.mark.parametrize(
    ("f", "text"),
    [
        (sg.nn.functional.gelu, "(Φ(Z) + Z ⊙ φ(Z)) ⊙ ((Z ⊙ Φ(Z))*W - y)*Wᵀ"),
        (sg.nn.functional.silu, "σ(Z) ⊙ (1 + Z ⊙ (1 - σ(Z))) ⊙ ((Z ⊙ σ(Z))*W - y)*Wᵀ"),
    ],
    ids=["gelu", "silu"],
)
def test_what_goes_into_an_activation_has_a_name_where_it_stands_five_times(f, text):
    X, V, W, y = (sg.symbol(name, tuple(axes)) for name, axes in zip("XVWy", ("nd", "dh", "hk", "nk"), strict=True))
    assert str(sg.derive(((f(X @ V) @ W - y) ** 2).sum(), V)) == f"2*Xᵀ*({text}) where Z = X*V"


def test_curvature_of_a_rayleigh_quotient_has_each_term_once():
    A = sg.symbol("A", ("n", "n"), symmetric=True)
    form = sg.derive((u @ A @ u) / (u @ u), u, order=2)
    assert str(form) == "2*(A + (2*(2*r*u - w)*uᵀ - (uᵀ*w)*I - 2*u*wᵀ)/α)/α where r = uᵀ*w/α; w = A*u; α = ‖u‖²"


n, d = sg.symbol("M", ("n", "d")).shape
V = sg.symbol("V", ("n", "d"))


@pytest.mark.parametrize(
    ("factor", "text"),
    [
        (d**0.5, "2*sqrt(d)*V"),
        (1 / d**0.5, "2*V/sqrt(d)"),
        (0.5 * n, "n*V"),
        (n**1.5, "2*n**(3/2)*V"),
        (1.0 * n, "2*n*V"),
    ],
    ids=["root", "over a root", "half", "power", "one"],
)
def test_sizes_have_exact_numbers_beside_them(factor, text):
    assert str(sg.derive(factor * (V**2).sum(), V)) == text


@pytest.mark.parametrize(
    ("y", "text"),
    [
        ((u**2 / p).sum(), "2*u ⊘ p"), (-3 * sg.log(p).sum(), "-3 ⊘ p"), (r * sg.log(p).sum(), "r ⊘ p"),
        (-r * sg.log(p).sum() + p.sum(), "1 - (r ⊘ p)"), (-sg.log(p).sum(), "-(1 ⊘ p)"),
        ((u**2 / p).mean(), "2*(u ⊘ p)/n"),
    ],
    ids=["number", "number over all", "symbol over all", "difference", "sign", "mean"],
)  # fmt: skip
def test_a_number_times_a_quotient_has_no_brackets(y, text):
    form = sg.derive(y, u if "u" in text else p)
    assert str(form) == text
    assert form.latex().count("left(") == text.count("(")
