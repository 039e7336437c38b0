"""How named operations are written in matrix notation, exactly."""

import pytest

import symgrad as sg

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
