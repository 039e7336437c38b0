"""Derivatives that a textbook prints, as a textbook prints them: right, and written so."""

import re

import numpy as np
import pytest
from checks import close
from textbook import formula_tokens, tokens
from written_forms import EXAMINED, TEXTBOOK, differences, of_problem

import symgrad as sg
from symgrad.forms.evaluate import evaluate
from symgrad.forms.evaluate_matrix import evaluate_matrix

SIZES = {"n": 5, "d": 3, "k": 4}
x, a = sg.symbol("x", "n"), sg.symbol("a", "n")
X, w, y = sg.symbol("X", ("n", "d")), sg.symbol("w", "d"), sg.symbol("y", "n")
A, v = sg.symbol("A", ("n", "n")), sg.symbol("v", "n", positive=True)
S, Z = sg.symbol("S", ("n", "n"), symmetric=True), sg.symbol("Z", ("n", "d"))
L = sg.linalg.cholesky(S)
softmax_curvature = "Xᵀ*(diag(p) - p*pᵀ)*X where p = softmax(X*w)"

TABLE = {
    "variance": (x.var(), x, 1, "2*(x - mean(x))/(n - 1)"),
    "Hessian of a variance": (x.var(), x, 2, "2*(I - 1*1ᵀ/n)/(n - 1)"),
    "standard deviation": (x.std(), x, 1, "(x - mean(x))/((n - 1)*std(x))"),
    "variances of columns": (X.var(0).sum(), X, 1, "2*(X - colmean(X))/(n - 1)"),
    "third central moment": (
        ((x - x.mean()) ** 3).mean(), x, 1, "3*((x - mean(x))^⊙2 - ‖x - mean(x)‖²/n)/n",
    ),
    "log cosh loss": (sg.log(sg.cosh(X @ w - y)).sum(), w, 1, "Xᵀ*tanh(X*w - y)"),
    "Hessian of log cosh": (sg.log(sg.cosh(x)).sum(), x, 2, "diag(1 - tanh(x)^⊙2)"),
    "log of the size of a determinant": (sg.log(sg.abs(sg.det(A))), A, 1, "A⁻ᵀ"),
    "log of the size of numbers": (sg.log(sg.abs(x)).sum(), x, 1, "1 ⊘ x"),
    "4-norm": (sg.linalg.vector_norm(x, 4), x, 1, "x^⊙3/‖x‖_4**3"),
    "squared hinge": (
        (sg.clamp(1 - y * (X @ w), min=0) ** 2).sum(), w, 1, "-2*Xᵀ*(y ⊙ relu(1 - (y ⊙ X*w)))",
    ),
    "squared relu": ((sg.relu(A @ x) ** 2).sum(), x, 1, "2*Aᵀ*relu(A*x)"),
    "swish": (x * sg.sigmoid(x), x, 1, "diag(σ(x) ⊙ (1 + x ⊙ (1 - σ(x))))"),
    "Hessian of logsumexp": (sg.logsumexp(X @ w, 0), w, 2, softmax_curvature),
    "softmax of a product": (sg.softmax(A @ x, 0), x, 1, "(diag(p) - p*pᵀ)*A where p = softmax(A*x)"),
    "Hessian of a norm": (
        sg.norm(X @ w - y), w, 2, "Xᵀ*(I/σ - r*rᵀ/σ**3)*X where σ = ‖r‖; r = X*w - y",
    ),
    "direction of a product": (X @ w / sg.norm(X @ w), w, 1, "(I - X*w*wᵀ*Xᵀ/‖X*w‖²)*X/‖X*w‖"),
    "quotient of two forms": ((x @ A @ x) / (v @ v), x, 1, "(A + Aᵀ)*x/‖v‖²"),
    "trace quotient": (
        sg.trace(X.T @ A @ X) / sg.trace(X.T @ X), X, 1, "((A + Aᵀ)*X - 2*sum(X ⊙ A*X)*X/‖X‖_F²)/‖X‖_F²",
    ),
    "independent Gaussian": (
        (x - a) @ sg.inverse(sg.diag(v)) @ (x - a) + sg.logdet(sg.diag(v)), v, 1, "(v - (x - a)^⊙2) ⊘ v^⊙2",
    ),
    "Gaussian loss of given variances": (
        sg.nn.functional.gaussian_nll_loss(x, a, v, eps=0), x, 1, "((x - a) ⊘ v)/n",
    ),
    "powers, by the base": ((v**a).sum(), v, 1, "a ⊙ v^⊙(a - 1)"),
    "powers, by the exponent": ((v**a).sum(), a, 1, "v^⊙a ⊙ log(v)"),
    "powers of any base": ((x**a).sum(), x, 1, "a ⊙ x^⊙(a - 1)"),
    "powers of itself": ((v**v).sum(), v, 1, "v^⊙v ⊙ (1 + log(v))"),
    "powers of two": ((2**x).sum(), x, 1, "log(2)*2^⊙x"),
    "log determinant by a Cholesky factor": (2 * sg.log(sg.diagonal(L)).sum(), S, 1, "S⁻¹"),
    "Mahalanobis distance by substitution": (
        (sg.linalg.solve_triangular(L, x[:, None], upper=False) ** 2).sum(), S, 1, "-S⁻¹*x*xᵀ*S⁻¹",
    ),
    "Gaussian process by a Cholesky factor": (
        x @ sg.cholesky_solve(x[:, None], L)[:, 0] / 2 + sg.log(sg.diagonal(L)).sum(), S, 1,
        "(S⁻¹ - S⁻¹*x*xᵀ*S⁻¹)/2",
    ),
    "Gaussian process, by the data": (x @ sg.cholesky_solve(x[:, None], L)[:, 0] / 2, x, 1, "S⁻¹*x"),
    "Gaussian density": (
        sg.exp(-0.5 * (x - a) @ sg.inverse(S) @ (x - a)), x, 1, "-exp(-(x - a)ᵀ*S⁻¹*(x - a)/2)*S⁻¹*(x - a)",
    ),
    "Gaussian density by its covariance": (
        -0.5 * (x - a) @ sg.inverse(S) @ (x - a), S, 1, "S⁻¹*(x - a)*(x - a)ᵀ*S⁻¹/2",
    ),
    "log gamma": (sg.lgamma(v).sum() + sg.lgamma(v.sum()), v, 1, "digamma(sum(v)) + digamma(v)"),
    "standardised columns": (
        (Z * (X / X.std(0, keepdim=True))).sum(), Z, 1, "X*diag(1 ⊘ std(X, axis=0))",
    ),
}  # fmt: skip

LATEX = {
    "log gamma": r"\psi\left(\operatorname{sum}\left(v\right)\right) + \psi\left(v\right)",
    "powers of two": r"\log\left(2\right) 2^{\odot x}",
    "powers, by the base": r"a \odot v^{\odot \left(a - 1\right)}",
}


def values(form, seed):
    rng = np.random.default_rng(seed)
    drawn = {}
    for leaf, name in zip(form._leaves, form.args, strict=True):
        shape = tuple(SIZES.get(str(n), n) for n in leaf.shape)
        known = set(leaf.assumptions)
        drawn[name] = rng.uniform(0.5, 2.0, shape) if "positive" in known else rng.normal(size=shape)
        if "symmetric" in known:
            drawn[name] = drawn[name] @ drawn[name].T + np.eye(len(drawn[name]))
    return drawn


@pytest.mark.parametrize(("y", "wrt", "order", "text"), TABLE.values(), ids=TABLE)
def test_derivative_is_printed_as_in_a_textbook(y, wrt, order, text):
    form = sg.derive(y, wrt, order=order)
    assert str(form) == text
    if form.args:  # else the sizes have no values
        given = values(form, 1)
        expected = form.lambdify()(**given)
        close(evaluate_matrix(form.expr, expected.shape, {**given, **SIZES}), expected, 1e-9)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (sg.cumsum(x, 0), "[i ≥ j]"),
        (sg.cumsum(x, 0) * a, "a_i*[i ≥ j]"),
        (sg.cumsum(x**2, 0), "2*x_j*[i ≥ j]"),
        (sg.cumsum(A @ x, 0), "Sum_k A_kj*[i ≥ k]"),
    ],
)
def test_jacobian_of_a_running_sum_has_a_bracket(y, text):
    form = sg.derive(y, x)
    assert str(form) == text
    rng = np.random.default_rng(1)
    given = {
        name: rng.normal(size=(5,) * len(leaf.shape))
        for name, leaf in zip(form._called.names, form._leaves, strict=True)
    }
    expected = form.lambdify()(**given) if given else np.tril(np.ones((5, 5)))
    close(evaluate(form.expr, form._free(()), (5, 5), {**given, **SIZES}), expected, 1e-12)


@pytest.mark.parametrize("name", LATEX)
def test_latex_is_as_in_a_textbook(name):
    y, wrt, order, _ = TABLE[name]
    assert sg.derive(y, wrt, order=order).latex() == LATEX[name]


def test_powers_of_arrays_go_to_sympy_and_back():
    form = sg.derive((v**a).sum(), a)
    e = form.to_sympy()
    given = values(form, 1)
    f = sg.from_sympy(e, sorted(e.free_symbols, key=str))
    close(f(given["a"], given["v"]), form.lambdify()(**given), 1e-12)


# ------------------------------------------------------------------ the table of problems
TIE = re.compile(r"; [^;{}]+ if \w+ = [^;{}]+(?=;)")  # books leave out where the two sides of a kink meet
LONGER = {  # than the limit drawn from the book's form: no longer than this
    "huber": 9, "rmsnorm_mat": 16, "gelu_mlp": 18, "spring_net": 16, "robot2": 30, "cobb_prod": 7, "c40 tan^2 sec": 8,
}  # fmt: skip
WITH_DEFINITIONS = {  # the same with what stands after ``where``, which books leave out
    "probit_ndtr": 21, "negbin_w": 15, "lmm_tau": 22, "t_reg": 16, "attn_K": 26, "layernorm_mat": 44,
    "batchnorm_mat": 39, "rmsnorm_mat": 35, "gelu_mlp": 23, "tsne_like": 20, "lj_pairs": 30, "bs_delta": 22,
    "j_simplexproj": 10, "h_sharpe": 32, "h_invquad": 22,
}  # fmt: skip


@pytest.mark.parametrize("problem", [*TEXTBOOK, *EXAMINED], ids=lambda p: p["name"])
def test_a_problem_is_right_and_no_longer_than_the_book_allows(problem):
    found = of_problem(problem)
    close(found.expected, differences(problem), 1e-5)
    text, name, limit = TIE.sub("", str(found.form)), problem["name"], problem["limit_tokens"]
    assert formula_tokens(text) <= LONGER.get(name, limit), text
    assert tokens(text) <= WITH_DEFINITIONS.get(name, LONGER.get(name, limit)), text


def test_the_list_of_longer_forms_is_true():
    limits = {p["name"]: p["limit_tokens"] for p in TEXTBOOK}
    assert all(limits[name] < most for name, most in {**LONGER, **WITH_DEFINITIONS}.items())
    assert len(LONGER) <= 0.05 * len(limits)
