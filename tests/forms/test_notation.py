"""How named operations are written in matrix notation, exactly."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.forms.verify import index_value

F = sg.nn.functional

n, d = 4, 3
x, y = (sg.symbol(k, (n,)) for k in "xy")
X, A = sg.symbol("X", (n, d)), sg.symbol("A", (n, n))
S = (A + A.mT) / 2
P, Q, G = sg.symbol("P", ("a", "b")), sg.symbol("Q", ("c", "d")), sg.symbol("G", (8, 9))
B = sg.symbol("B", (2, 3))
NOTATIONS = [
    (sg.linalg.svdvals(X).sum(), X, "svd_U(X)*svd_V(X)ᵀ"),
    (sg.linalg.norm(X, "nuc"), X, "svd_U(X)*svd_V(X)ᵀ"),
    (sg.linalg.svdvals(X)[0], X, "svd_U(X)[:, 0]*svd_V(X)[:, 0]ᵀ"),
    (sg.linalg.eigvalsh(A)[-1], A, "eigh_V(A)[:, -1]*eigh_V(A)[:, -1]ᵀ"),
    (x @ sg.linalg.eigvalsh(A, "U"), A, "eigh_V(A, upper)*diag(x)*eigh_V(A, upper)ᵀ"),
    (sg.trace(sg.matrix_exp(A)), A, "expm(A)ᵀ"),
    (sg.matrix_exp(A).sum(), A, "dexpm(A, 1*1ᵀ)ᵀ"),
    (x @ sg.linalg.lstsq(A, y).solution, y, "A⁺ᵀ*x"),
    (x @ sg.linalg.pinv(A, rtol=0.5) @ y, x, "pinv(A, rtol=0.5)*y"),
    (sg.cumsum(x, 0) @ y, x, "cumsum(y, reverse)"),
    (sg.cumsum(A, 1) @ x @ y, A, "cumsum(y*xᵀ, reverse, axis=1)"),
    (sg.cumprod(x, 0) @ y, x, "recurrence(x, y, reverse, upper) ⊙ cumprod(x, exclusive)"),
    (sg.flip(x, 0) @ y, x, "flip(y)"),
    (sg.amax(x), x, "[x = max(x)]/sum([x = max(x)])"),
    (2 * sg.max(x, 0).values, x, "2*onehot(argmax(x))"),
    (sg.tril(A, 1) @ x @ y, A, "tril(y*xᵀ, 1)"),
    (sg.diag(x, 1)[:n, 1:] @ y @ y, x, "diag(scatter(y*yᵀ, [:4, 1:]), 1)"),
    (sg.cat([x, y]) @ sg.cat([y, 2 * x]), y, "3*x"),
    ((sg.kron(B, A[:, :3]) * sg.symbol("H", (8, 9))).sum(), B, "blockdot(H, A[:, :3])"),
    ((sg.kron(B, X) * G).sum(), X, "blocksum(B, G)"),
    ((sg.kron(B, X) * G).sum(), G, "B ⊗ X"),
    ((sg.kron(P, Q) ** 2).sum(), P, "2*‖Q‖_F²*P"),
    (sg.kron(x, y) @ sg.symbol("g", 16), x, "reshape(g, [4, 4])*y"),
]


@pytest.mark.parametrize(("value", "by", "text"), NOTATIONS, ids=lambda v: v if isinstance(v, str) else "")
def test_gradient_is_written_as(value, by, text):
    form = sg.derive(value, by)
    assert form.has_matrix
    assert str(form.matrix()) == text


def test_latex_tells_the_exponential_of_a_matrix_from_that_of_its_entries():
    assert sg.derive(sg.trace(sg.matrix_exp(A)), A).latex() == r"{e^{A}}^{\top}"
    assert sg.derive(sg.exp(A).sum(), A).latex() == r"\exp\left(A\right)"


_STRIDE_1 = "2*Sum_{m=0..4, n=0..4, p=0..1, q=0..1} K_00pq*x[0, 0, k + m, l + n]*x[0, 0, m + p, n + q]"
_DILATED = "Sum_m {Sum_n {K_00nm if 0 ≤ k - 2*n ≤ 3; 0 otherwise} if 0 ≤ l - 2*m ≤ 3; 0 otherwise}"
_MEANS = "(Sum_{m=0..1, n=0..1} x[0, 0, m + 2*floor(k/2), n + 2*floor(l/2)])/8"
WINDOWS = [
    (lambda x, K: F.conv2d(x, K).sum(), 1, "Sum_{m=0..4, n=0..4} x[0, 0, k + m, l + n]"),
    (lambda x, K: (F.conv2d(x, K) ** 2).sum(), 1, _STRIDE_1),
    (lambda x, K: F.conv2d(x, K, stride=2).sum(), 0, "K[0, 0, remainder(k, 2), remainder(l, 2)]"),
    (lambda x, K: F.conv2d(x, K, dilation=2).sum(), 0, _DILATED),
    (lambda x, K: (F.avg_pool2d(x, 2) ** 2).sum(), 0, _MEANS),
]


@pytest.mark.parametrize(("f", "by", "text"), WINDOWS)
def test_windows_are_written_with_shifted_indices(f, by, text):
    leaves = [sg.symbol("x", (1, 1, 6, 6)), sg.symbol("K", (1, 1, 2, 2))]
    assert str(sg.derive(f(*leaves), leaves[by])) == text


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("by", [0, 1])
def test_the_formula_of_a_convolution_gives_its_gradient(stride, dilation, padding, by):
    rng = np.random.default_rng(0)
    x = sg.tensor(rng.normal(size=(2, 1, 7)), requires_grad=True, name="x")
    K = sg.tensor(rng.normal(size=(3, 1, 2)), requires_grad=True, name="K")
    loss = (F.conv1d(x, K, stride=stride, padding=padding, dilation=dilation) ** 2).sum()
    (expected,) = sg.autograd.grad(loss, (x, K)[by], retain_graph=True)
    np.testing.assert_allclose(index_value(sg.derive(loss, (x, K)[by])), expected.numpy(), rtol=1e-12, atol=1e-12)


def test_a_name_in_letters_of_its_own_needs_no_bracket():
    M = sg.symbol(r"\alpha", (3, 3))
    form = sg.derive(sg.logdet(M), M)
    assert str(form) == r"‹\alpha›⁻ᵀ"
    assert "left(" not in form.latex()
