"""Gradients with respect to matrices that are declared symmetric, diagonal, triangular, skew or orthogonal."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.cli.arguments import MARKS, STRUCTURED
from symgrad.errors import ArgumentError, ShapeError
from symgrad.forms.structured import WAYS
from symgrad.teach.steps.unicode_text import unicode_text
from symgrad.tensors.creation import _ASSUMPTIONS
from symgrad.tensors.structures import STRUCTURES, conforming, with_implied

RNG = np.random.default_rng(3)
x, y = sg.symbol("x", "n"), sg.symbol("y", "n")
FREE = {  # the entries that can be chosen, and the matrix of a change of one of them
    "symmetric": (lambda i, j: i <= j, lambda e: e + e.T - np.diag(np.diag(e))),
    "diagonal": (lambda i, j: i == j, lambda e: e),
    "lower": (lambda i, j: i >= j, lambda e: e),
    "upper": (lambda i, j: i <= j, lambda e: e),
    "skew": (lambda i, j: i < j, lambda e: e - e.T),
}
FREE["positive_definite"] = FREE["symmetric"]


def declared(mark):
    return sg.symbol("A", ("n", "n"), **{mark: True})


def loss(A):
    return ((A @ x - y) ** 2).sum() + sg.exp(x @ A @ y)


def values(form, A):
    every = {"A": A, "x": np.array([0.5, -0.3, 0.2, 0.7]), "y": np.array([0.1, 0.6, -0.4, 0.3])}
    return np.asarray(form(**{name: every[name] for name in form.args}))


def number(A):
    v, w = np.array([0.5, -0.3, 0.2, 0.7]), np.array([0.1, 0.6, -0.4, 0.3])
    return ((A @ v - w) ** 2).sum() + np.exp(v @ A @ w)


def made(mark):
    return conforming(RNG.uniform(-1, 1, (4, 4)), with_implied([mark]))


def slope(A, step, h=1e-5):
    return (number(A + h * step) - number(A - h * step)) / (2 * h)


@pytest.mark.parametrize("mark", FREE)
def test_free_entries_have_the_derivatives_of_a_change_of_one_of_them(mark):
    A, (is_free, change) = made(mark), FREE[mark]
    gradient = values(sg.derive(loss(symbol := declared(mark)), symbol, structure="free"), A)
    for i, j in np.ndindex(4, 4):
        if is_free(i, j):
            unit = np.zeros((4, 4))
            unit[i, j] = 1
            assert gradient[i, j] == pytest.approx(slope(A, change(unit)), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("mark", STRUCTURES)
def test_projection_lies_in_the_tangent_space_and_gives_every_slope_in_it(mark):
    A = made(mark)
    gradient = values(sg.derive(loss(symbol := declared(mark)), symbol, structure="project"), A)
    if mark == "orthogonal":
        steps = [A @ (k - k.T) for k in RNG.standard_normal((3, 4, 4))]
        np.testing.assert_allclose(A.T @ gradient + gradient.T @ A, 0, atol=1e-12)
    else:
        mark = "symmetric" if mark == "positive_definite" else mark
        steps = [conforming(k, [mark]) for k in RNG.standard_normal((3, 4, 4))]
        np.testing.assert_allclose(conforming(gradient, [mark]), gradient, atol=1e-12)
    for step in steps:
        assert (gradient * step).sum() == pytest.approx(slope(A, step), rel=1e-7, abs=1e-8)


@pytest.mark.parametrize(
    ("mark", "project", "free"),
    [
        ("symmetric", "(x*yᵀ + y*xᵀ)/2", "x*yᵀ + y*xᵀ - diag(x ⊙ y)"),
        ("positive_definite", "(x*yᵀ + y*xᵀ)/2", "x*yᵀ + y*xᵀ - diag(x ⊙ y)"),
        ("diagonal", "diag(x ⊙ y)", "diag(x ⊙ y)"),
        ("lower", "tril(x*yᵀ)", "tril(x*yᵀ)"),
        ("upper", "triu(x*yᵀ)", "triu(x*yᵀ)"),
        ("skew", "(x*yᵀ - y*xᵀ)/2", "x*yᵀ - y*xᵀ"),
    ],
)
def test_formulas_of_a_bilinear_form(mark, project, free):
    A = declared(mark)
    assert str(sg.derive(x @ A @ y, A)) == str(sg.derive(x @ A @ y, A, structure="ignore")) == "x*yᵀ"
    assert str(sg.derive(x @ A @ y, A, structure="project")) == project
    assert str(sg.derive(x @ A @ y, A, structure="free")) == free


def test_text_and_lists_have_structures_too():
    S = sg.symbol("S", ("n", "n"), symmetric=True)
    form = sg.derive("trace(S @ A)", "S", shapes={"S": S, "A": ("n", "n")}, structure="project")
    assert str(form) == "(A + Aᵀ)/2"
    of_matrix, of_vector = sg.derive(x @ S @ y, [S, x], structure="free")
    assert (str(of_matrix), str(of_vector)) == ("x*yᵀ + y*xᵀ - diag(x ⊙ y)", "S*y")


def test_skew_matrices_are_the_negatives_of_their_transposes():
    K = declared("skew")
    assert str((K + K.T).expr) == str(sg.derive(x @ K @ x, x)) == str(sg.trace(K).expr) == "0"


def test_triangles_of_declared_triangles_are_these():
    L, D = declared("lower"), declared("diagonal")
    assert str((L @ L).tril().expr) == "A²"
    assert str(D.tril().expr) == str(D.T.expr) == "A"


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda S: sg.linalg.eigvalsh(S).sum(), "I"),
        (lambda S: (sg.linalg.eigvalsh(S) ** 2).sum(), "2*S"),
        (lambda S: sg.log(sg.linalg.eigvalsh(S)).sum(), "S⁻¹"),
        (lambda S: (sg.linalg.eigvalsh(S) ** 3).sum(), "3*S²"),
        (lambda S: (1 / sg.linalg.eigvalsh(S)).sum(), "-S⁻²"),
        (
            lambda S: sg.linalg.eigvalsh(S)[-1] - sg.linalg.eigvalsh(S)[0],
            "eigh_V(S)[:, -1]*eigh_V(S)[:, -1]ᵀ - eigh_V(S)[:, 0]*eigh_V(S)[:, 0]ᵀ",
        ),
        (
            lambda S: sg.linalg.eigvalsh(S)[-1] / sg.linalg.eigvalsh(S)[0],
            "(eigh_V(S)[:, -1]*eigh_V(S)[:, -1]ᵀ - eigvalsh(S)[-1]*eigh_V(S)[:, 0]*eigh_V(S)[:, 0]ᵀ/eigvalsh(S)[0])"
            "/eigvalsh(S)[0]",
        ),
    ],
)
def test_functions_of_eigenvalues_have_matrices_as_gradients(f, expected):
    S = sg.symbol("S", ("n", "n"), symmetric=True)
    form = sg.derive(f(S), S)
    assert str(form) == expected
    at = made("positive_definite")
    gradient = sg.grad(f)(at)
    np.testing.assert_allclose(form(S=at) if form.args else np.eye(4), (gradient + gradient.T) / 2, rtol=1e-7)


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"symmetric", "lower"}, "got lower and symmetric together"),
        ({"orthogonal", "positive_definite"}, "got orthogonal and positive_definite together"),
        ({"diagonal", "positive"}, "got diagonal and positive together"),
    ],
)
def test_assumptions_that_do_not_go_together_are_refused(marks, message):
    with pytest.raises(ArgumentError, match=message):
        sg.symbol("A", ("n", "n"), **dict.fromkeys(marks, True))


@pytest.mark.parametrize("mark", STRUCTURES)
def test_structures_are_of_square_matrices(mark):
    with pytest.raises(ShapeError, match="needs a square matrix"):
        sg.symbol("A", ("n", "m"), **{mark: True})


@pytest.mark.parametrize(
    ("f", "mark", "options", "message"),
    [
        (lambda A: x @ A @ x, "symmetric", {"structure": "half"}, "'half' is unknown. Expected one of"),
        (lambda A: A @ x, "symmetric", {"structure": "project"}, r"Got an output of shape \[n\]"),
        (lambda A: x @ A @ x, "symmetric", {"structure": "free", "order": 2}, "is for the gradient of a scalar"),
        (lambda A: x @ A @ x, "positive", {"structure": "free"}, "whose structure is declared"),
        (lambda A: x @ A @ x, "orthogonal", {"structure": "free"}, "can be chosen freely. Use structure='project'"),
    ],
)  # fmt: skip
def test_what_has_no_structure_is_refused(f, mark, options, message):
    A = declared(mark)
    with pytest.raises(ArgumentError, match=message):
        sg.derive(f(A), A, **options)


def test_command_line_has_the_words_of_the_library():
    assert set(MARKS) == _ASSUMPTIONS - {"hermitian"}
    assert STRUCTURED == WAYS


@pytest.mark.parametrize(("mark", "answer"), [("diagonal", "2*A.T"), ("skew", "-2*A.T"), ("lower", "2*tril(A)")])
def test_answers_are_graded_with_matrices_of_the_structure(mark, answer):
    assert sg.grade(answer, "trace(A.T @ A)", "A", shapes={"A": declared(mark)}).right
    assert not sg.grade(answer, "trace(A.T @ A)", "A", shapes={"A": ("n", "n")}).right


@pytest.mark.parametrize(
    ("f", "answer", "right"),
    [
        ("trace(A.T @ B)", "B", True),
        ("trace(A.T @ B)", "A @ A.T @ B", True),
        ("trace(A.T @ A)", "2*inv(A).T", True),
        ("trace(A)", "A @ A.T", True),
        ("trace(A.T @ B @ A)", "(B + B.T) @ A", True),
        ("trace(A.T @ B @ A)", "2*B @ A", False),
        ("trace(A.T @ B)", "B.T", False),
        ("trace(A)", "A", False),
    ],
)
def test_answers_with_orthogonal_matrices_are_compared_at_such(f, answer, right):
    shapes = {"A": declared("orthogonal"), "B": ("n", "n")}
    assert sg.grade(answer, f, "A", shapes=shapes if "B" in f else {"A": shapes["A"]}).right == right


@pytest.mark.parametrize(
    ("mark", "part"), [("orthogonal", "P = G − A·(Aᵀ·G + Gᵀ·A)/2 of G:"), ("skew", "P = (G − Gᵀ)/2 of G:")]
)
def test_explanations_end_in_the_part_of_the_gradient_along_the_structure(mark, part):
    A = declared(mark)
    e = sg.explain(loss(A), A)
    assert part in " ".join(str(e).split())
    at, projected = made(mark), sg.derive(loss(A), A, structure="project")
    assert unicode_text(e.steps[-1].after) == unicode_text(projected._expr)
    assert str(e.form) == str(sg.derive(loss(B := sg.symbol("A", ("n", "n"))), B))
    step = made("skew") if mark == "skew" else at @ made("skew")
    assert (values(projected, at) * step).sum() == pytest.approx(slope(at, step), rel=1e-7)


def test_eigenvectors_of_complex_matrices_stay():
    H = sg.symbol("H", ("n", "n"), dtype=np.complex128, symmetric=True)
    V = sg.linalg.eigh(H).eigenvectors
    assert "eigh_V" in str((V @ V.T).expr)


def test_product_of_the_eigenvalues_is_the_determinant():
    S = sg.symbol("S", ("n", "n"), symmetric=True)
    product = sg.linalg.eigvalsh(S).prod()
    form = sg.derive(product, S)
    assert (str(product.expr), str(form)) == ("det(S)", "det(S)*S⁻¹")
    at = made("symmetric")
    expected = sg.grad(lambda S: sg.linalg.eigvalsh(S).prod())(at)
    np.testing.assert_allclose(form(S=at), (expected + expected.T) / 2, rtol=1e-9)


@pytest.mark.parametrize(
    ("f", "mark", "expected"),
    [
        (lambda A: A.tril() + A.triu() - sg.diag(sg.diag(A)), None, "A"),
        (lambda A: A.tril(-1) + A.triu(), None, "A"),
        (lambda A: A.tril() + A.tril().T, "symmetric", "A + diag(diag(A))"),
        (lambda A: A.inverse().tril(), "lower", "A⁻¹"),
        (lambda A: A.inverse().triu(), "lower", "diag(1 ⊘ diag(A))"),
        (lambda A: sg.diag(A.inverse()), "upper", "1 ⊘ diag(A)"),
        (lambda A: sg.diag(A.inverse() @ A.inverse()), "lower", "1 ⊘ diag(A)^⊙2"),
        (lambda A: sg.diag(A @ A), "upper", "diag(A^⊙2)"),
    ],
)
def test_triangles_and_inverses_of_triangles_combine(f, mark, expected):
    A = sg.symbol("A", ("n", "n"), **({mark: True} if mark else {}))
    at = made(mark or "symmetric") + 3 * np.eye(4)
    w = sg.symbol("w", f(A).shape)
    form = sg.derive((f(A) * w).sum(), w)
    assert str(form) == expected
    np.testing.assert_allclose(form(A=at), f(sg.tensor(at)).numpy(), atol=1e-12)
