"""``sg.explain`` of arrays: differentials as matrix calculus is taught, and every line of them with its number."""

import functools
import re
import xml.dom.minidom
from pathlib import Path

import numpy as np
import pytest

import symgrad as sg
from symgrad.forms.evaluate_matrix import evaluate_matrix
from symgrad.teach.matrix.symbols import Differential
from symgrad.teach.steps.unicode_text import unicode_text

SOLUTIONS = Path(__file__).parents[1] / "data" / "solutions_matrix.txt"
SIZES = {"n": 3, "d": 2, "k": 4, "m": 5}
SHAPES = {
    "X": "nd", "A": "nn", "B": "nn", "S": "nn", "W": "dk", "V": "mn", "M": "nk", "w": "d", "x": "n", "y": "n",
    "a": "n", "b": "n", "v": "k", "c": "d", "lam": "",
}  # fmt: skip
# a formula of these names, and what it is differentiated by
PROBLEMS = [
    ("sum((X @ w - y)**2)", "w"), ("sum((X @ w - y)**2) + lam*sum(w**2)", "w"), ("logdet(A)", "A"),
    ("trace(X.T @ A @ X)", "X"), ("x @ A @ x", "x"), ("a @ A @ b", "A"), ("trace(inv(A) @ B)", "A"), ("det(A)", "A"),
    ("logdet(X.T @ X)", "X"), ("sum(tanh(X @ w))", "w"), ("sum(log(1 + exp(-(y*(X @ w)))))", "w"),
    ("norm(A @ x - b)", "x"), ("logsumexp(A @ x, 0)", "x"), ("sum((tanh(X @ W) @ v - y)**2)", "W"),
    ("sum(relu(X @ w))", "w"), ("mean((X @ w - y)**2)", "w"), ("var(x)", "x"), ("(x @ A @ x)/(x @ B @ x)", "x"),
    ("sum((A - A @ X @ X.T)**2)", "X"), ("trace(A @ A @ A)", "A"), ("trace(A @ (B*B))", "B"), ("prod(x)", "x"),
    ("sum(where(x > 0.5, x**2, -x))", "x"), ("norm(A)", "A"), ("a @ softmax(A @ x, 0)", "x"),
    ("sum(outer(x, x)*A)", "x"), ("sum(sum(X, 0)**2)", "X"), ("sum(y*(X @ w) - exp(X @ w))", "w"),
    ("trace(X.T @ softmax(X @ X.T, 1) @ X)", "X"), ("sum((A @ x - b)**2) + lam*sum(abs(x))", "lam"),
    ("-sum(M*log_softmax(X @ W, 1))", "W"), ("sum(sigmoid(X @ w)*y)", "w"), ("x @ inv(A) @ x", "A"),
    ("sum(exp(-x**2/2))", "x"), ("log(x @ B @ x)", "x"), ("trace(kron(A, A))", "A"), ("sum(cumsum(x, 0)**2)", "x"),
    ("trace(inv(X.T @ A @ X) @ (X.T @ B @ X))", "X"), ("sum(log(1 + exp(X @ w + lam)))", "lam"),
    ("(a @ x**2.5)**0.4", "x"),
    ("-sum(log(3 - X @ w))", "w"), ("prod(x**a)", "x"), ("-log(sigmoid(a @ x)) - sum(log(sigmoid(A @ x)))", "x"),
    ("sum(where(abs(X @ w - y) <= 0.3, (X @ w - y)**2, abs(X @ w - y)))", "w"),
    ("sum(X*(X - mean(X, 1, keepdim=True)))", "X"),
]  # fmt: skip
JACOBIANS = [("A @ x", "x"), ("softmax(x, 0)", "x"), ("sigmoid(A @ x + b)", "x"), ("V @ relu(A @ x + b)", "x")]


@functools.cache
def leaves(names):
    """Return symbols of sizes with names."""
    return {n: sg.symbol(n, tuple(SHAPES[n]) if SHAPES[n] else ()) for n in names}


def parsed(formula):
    names = [n for n in SHAPES if re.search(rf"(?<![\w.]){n}(?!\w)", formula)]
    made = leaves(tuple(names))
    return sg.parse(formula, made).value, made


@functools.cache
def solved(formula, by):
    """Return the explanation of a problem, made once."""
    y, made = parsed(formula)
    return sg.explain(y, made[by])


def golden():
    """Return the formulas of the golden file with their solutions."""
    parts = re.split(r"^# (.*)$", SOLUTIONS.read_text("utf-8"), flags=re.M)[1:]
    return {f.strip(): text.strip("\n") for f, text in zip(parts[::2], parts[1::2], strict=True)}


def explained(asked):
    formula, by, *order = [s.strip() for s in asked.split("|")]
    y, made = parsed(formula)
    return sg.explain(y, made[by], order=int(order[0]) if order else 1)


@pytest.mark.parametrize("asked", golden())
def test_solutions_read_as_a_teacher_writes_them(asked):
    assert str(explained(asked)) == golden()[asked]


def draw(made, by):
    """Return values for leaves, a step for one of them, and both sides of a small step."""
    rng = np.random.default_rng(5)
    at = {n: rng.uniform(0.2, 1.1, [SIZES[s] for s in SHAPES[n]]) for n in made}
    for n in at:
        if SHAPES[n] in ("nn", "dd"):
            at[n] = at[n] + 2 * np.eye(len(at[n]))
    step = rng.standard_normal(at[by].shape)
    return at, step


def numbers_of(found, at, by, step):
    """Yield the lines of df, and of the gradient along the step, with their numbers; names are given their own."""
    known = {**SIZES, **at, f"d{by}": step}

    def number(e):
        sizes = getattr(e, "shape", ())
        shape = [n if isinstance(n, int) else int(n.subs({s: SIZES[s.name] for s in n.free_symbols})) for n in sizes]
        return evaluate_matrix(e, tuple(shape), known)

    is_df = True
    for line in found.lines:
        if line.kind == "pair":
            first, *others = line.parts
            left, right = first.parts
            known[left.name.removesuffix("_i")] = number(right)  # k_i = Π_(j≠i) x_j is told entry by entry
            for d in others:
                name, e = d.parts
                assert isinstance(name, Differential)
                known[name.name] = number(e)
        elif line.kind in ("does", "then"):
            for name, e in (p.parts for p in reversed(line.parts[1:]) if not isinstance(p, str)):
                known[str(name)] = number(e)
            left, *rest = line.parts[0].parts
            is_df = is_df if left is None else isinstance(left, Differential)
            yield from ((line, number(e) if is_df else np.tensordot(number(e), step, np.ndim(step))) for e in rest)


@pytest.mark.parametrize(("formula", "by"), PROBLEMS, ids=[f for f, _ in PROBLEMS])
def test_every_line_of_differentials_has_the_number_of_a_step(formula, by):
    _, made = parsed(formula)
    found = solved(formula, by)
    f = sg.parse(formula, {n: tuple(SIZES[s] for s in SHAPES[n]) for n in made})
    at, step = draw(made, by)
    h = 1e-6
    above, below = (
        float(f(*[v + s * step if n == by else v for n, v in at.items()]).numpy()) for s in (h, -h)
    )  # fmt: skip
    wanted = (above - below) / (2 * h)
    if "operation by operation" not in str(found):
        lines = list(numbers_of(found, at, by, step))
        assert lines
        for line, value in lines:
            assert value == pytest.approx(wanted, rel=2e-4, abs=1e-6), line
    given = {k: v for k, v in {**at, **SIZES}.items() if k in {*found.form.args}}
    assert np.sum(found.form.lambdify()(**given) * step) == pytest.approx(wanted, rel=1e-4, abs=1e-7)
    assert max(map(len, str(found).splitlines())) <= 80


def test_nearly_all_of_them_have_words():
    without = [f for f, by in PROBLEMS if "operation by operation" in str(solved(f, by))]
    assert not without


@pytest.mark.parametrize(("formula", "by"), PROBLEMS[::3], ids=[f for f, _ in PROBLEMS[::3]])
def test_the_last_line_is_no_harder_to_read_than_what_derive_prints(formula, by):
    y, made = parsed(formula)
    found = solved(formula, by)
    first, *_ = [line.parts for line in found.lines if line.kind in ("does", "then")][-1]
    assert len(unicode_text(first.parts[-1])) <= len(str(found.form)) + 6
    assert str(found.form) == str(sg.derive(y, made[by]))


@pytest.mark.parametrize(("formula", "by"), JACOBIANS, ids=[f for f, _ in JACOBIANS])
def test_jacobians_are_read_off_df(formula, by):
    y, made = parsed(formula)
    found = sg.explain(y, made[by])
    assert "df = J·dx gives" in str(found)
    at, step = draw(made, by)
    f = sg.parse(formula, {n: tuple(SIZES[s] for s in SHAPES[n]) for n in made})
    h = 1e-6
    above, below = (f(*[v + s * step if n == by else v for n, v in at.items()]).numpy() for s in (h, -h))
    for _, value in numbers_of(found, at, by, step):
        np.testing.assert_allclose(value, (above - below) / (2 * h), rtol=1e-4, atol=1e-7)


def test_hessians_go_on_from_the_gradient():
    text = str(explained("sum(exp(X @ w)) | w | 2"))
    assert "g(w) = Xᵀ·exp(X·w)" in text
    assert text.splitlines()[-1].split()[:2] == ["H", "="]
    assert "Xᵀ·diag(h)·X" in text


def test_a_norm_is_one_step_and_what_is_met_twice_has_one_name():
    lines = str(explained("sum((X @ w - y)**2) | w")).splitlines()
    assert len(lines) == 6
    text = str(explained("sum(y*(X @ w) - exp(X @ w)) | w"))
    assert text.count("= X·w ") == 1


def test_rows_that_sum_to_one_are_used_where_it_is_said():
    X, W = sg.symbol("X", ("n", "d")), sg.symbol("W", ("d", "k"))
    for Y in (sg.symbol("Y", ("n", "k"), simplex=True), sg.symbol("Y", ("n", "k"), onehot=True)):
        text = str(sg.explain(-(Y * sg.log_softmax(X @ W, 1)).sum(), W))
        assert "rows of Y sum to 1" in text
        assert "tr((P − Y)ᵀ·dZ)" in text
    text = str(sg.explain(-(sg.symbol("Y", ("n", "k")) * sg.log_softmax(X @ W, 1)).sum(), W))
    assert "sum to 1" not in text


def test_cross_products_turn_to_the_other_side():
    x, a = sg.symbol("x", 3), sg.symbol("a", 3)
    text = str(sg.explain((sg.linalg.cross(x, a) ** 2).sum(), x))
    assert "dz = dx × a" in text
    assert "2·(a × z)ᵀ·dx" in text


def test_operations_without_words_have_their_own_differentials():
    A = sg.symbol("A", ("n", "n"))
    text = str(sg.explain(sg.linalg.cholesky(A).sum(), A))
    assert "operation by operation" in text
    assert "dU = chol(A)·" in text
    T = sg.symbol("T", (2, 3, 4))
    assert "G_ijk = 2·T_ijk" in str(sg.explain((T**2).sum(0).sum()))


def test_letters_are_not_those_of_the_user_or_of_derivatives():
    r, g = sg.symbol("r", "n"), sg.symbol("A", ("n", "n"))
    text = str(sg.explain(((g @ r - 1) ** 2).sum(), r))
    assert "g = 2·Aᵀ·" in text
    assert not re.search(r"^  r = ", text, flags=re.M)


def test_several_tensors_have_a_gradient_each():
    y, made = parsed("sum((X @ w - y)**2)")
    text = str(sg.explain(y, [made["w"], made["X"]]))
    assert "df = g_wᵀ·dw gives" in text
    assert "G_X = 2·r·wᵀ" in text


def test_values_stand_below_the_gradient():
    text = str(sg.explain(lambda x: (x**2).sum(), at=np.array([1.0, 2.0])))
    assert text.splitlines()[-1].split("=")[-1].strip() == "[2, 4]"


@pytest.mark.parametrize(("formula", "by"), PROBLEMS[::5], ids=[f for f, _ in PROBLEMS[::5]])
def test_solutions_are_written_in_every_notation(formula, by):
    found = solved(formula, by)
    xml.dom.minidom.parseString(found.html())
    for text in (found.latex(), found._repr_markdown_(), found._repr_latex_()):
        assert text.count("{") == text.count("}")
    assert found.steps[-1].after is not None


@pytest.mark.parametrize(
    ("formula", "by", "is_said"),
    [
        ("sum(log(1 + exp(-(y*(X @ w)))))", "w", False),
        ("-((1 - sigmoid(x))**2 @ log(sigmoid(x)))", "x", False),
        ("sum(sigmoid(X @ w)*y)", "w", False),
    ],
)
def test_the_identity_of_the_sigmoid_is_said_where_it_is_used(formula, by, is_said):
    assert ("σ(−t) = 1 − σ(t)" in str(solved(formula, by))) == is_said


def test_a_collected_sum_of_minus_signs_has_one_in_front():
    found = str(solved("-(x - a) @ inv(S) @ (x - a)/2 + a @ a", "a"))
    assert "−(−" not in found


def test_a_deep_network_has_its_gradient_in_the_names_of_the_lines():
    """The form without names is as long as the network is deep, and takes long to find."""
    x, A = sg.symbol("x", "n"), sg.symbol("A", ("n", "n"))
    z = x
    for _ in range(8):
        z = sg.tanh(A @ z) + x
    lines = str(sg.explain((z * z).sum(), wrt=x)).splitlines()
    at = lines.index("  df = gᵀ·dx gives, in the names above,")
    assert "tanh(A·" not in "".join(lines[at:])


def test_the_largest_eigenvalue_is_explained_by_its_equation():
    S, x = sg.symbol("S", ("n", "n"), symmetric=True), sg.symbol("x", "n")
    e = sg.explain(sg.linalg.eigvalsh(S)[-1], S)
    text = " ".join(str(e).split())
    assert "f(S) = λ_n(S)" in text
    assert "differentiate both sides: dS·v_n + S·dv_n = dλ_n·v_n + λ_n·dv_n" in text
    assert "df = v_nᵀ·dS·v_n = tr(v_n·v_nᵀ·dS)" in text
    assert "G = v_n·v_nᵀ" in text
    assert "eigh" not in text
    at, step = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.4], [0.1, -0.4, 3.0]]), np.diag([0.5, -1.0, 0.7])
    above, below = (np.linalg.eigvalsh(at + h * step)[-1] for h in (1e-5, -1e-5))
    assert (e.form(S=at) * step).sum() == pytest.approx((above - below) / 2e-5, rel=1e-8)
    several = str(sg.explain(sg.linalg.eigvalsh(sg.diag(x) + S) @ x, S))
    assert "let λ be an eigenvalue of M that is simple" in several
    assert "that is simple" not in str(sg.explain(sg.linalg.eigvalsh(S).prod(), S))


def test_a_multiple_of_a_name_is_named_inside_an_operation():
    text = str(sg.explain("logsumexp(3*v)", "v", shapes={"v": "n"}))
    assert "operation by operation" not in text
    assert "chain rule, ∂(log Σᵢ exp(uᵢ))/∂uⱼ = exp(uⱼ)/Σᵢ exp(uᵢ)" in text
    assert "g = 3·p = 3·softmax(3·v)" in text


def test_differentials_of_log_det_and_var_have_reasons():
    assert "Jacobi's formula" in str(sg.explain("log(det(X))", "X", shapes={"X": ("n", "n")}))
    assert "Σ uᵢ = 0" in str(sg.explain("var(v)", "v", shapes={"v": "n"}))


def test_a_norm_has_no_derivative_at_zero_and_the_lesson_says_so():
    shapes = {"A": ("m", "n"), "x": "n", "b": "m"}
    assert "This holds where A·x − b is not 0." in str(sg.explain("norm(A@x - b)", "x", shapes=shapes))
    assert "holds" not in str(sg.explain("norm(b)*sum(x)", "x", shapes=shapes))


def test_a_line_that_only_turns_a_product_around_is_left_out():
    shapes = {"W": ("k", "n"), "x": "n", "y": "k"}
    text = str(sg.explain("-sum(y*log(softmax(W@x)))", "W", shapes=shapes))
    assert "(yᵀ·1)·pᵀ·dz" in text
    assert "(1ᵀ·y)·pᵀ·dz" not in text


def test_means_of_differentials_have_a_reason_with_their_size():
    text = str(sg.explain("mean((v - mean(v))**3)", "v", shapes={"v": "k"}))
    assert "mean(a ⊙ b) = aᵀ·b/k" in text
    assert "mean(a) = 1ᵀ·a/k" in text


def test_a_quadratic_form_beside_a_linear_one_is_written_term_by_term():
    shapes = {"A": ("n", "n"), "x": "n", "b": "n"}
    assert "f(x) = xᵀ·A·x − 2·bᵀ·x " in str(sg.explain("x @ A @ x - 2*b @ x", "x", shapes=shapes))
    assert "f(w) = yᵀ·(M·w − y) " in str(
        sg.explain("y @ (M @ w - y)", "w", shapes={"M": ("n", "d"), "w": "d", "y": "n"})
    )


@pytest.mark.parametrize(
    ("f", "law", "gradient"),
    [
        ("sum(kron(X, B))", "sum(A ⊗ C) = sum(A)·sum(C):", "G = sum(B)·1·1ᵀ"),
        ("sum(kron(X, B)**2)", "‖A ⊗ C‖_F² = ‖A‖_F²·‖C‖_F²:", "G = 2·‖B‖_F²·X"),
        ("trace(kron(X, B) @ kron(B, X))", "tr(A ⊗ C) = tr(A)·tr(C)", "2·tr(X·B)·Bᵀ"),
        ("trace(kron(X, B))", "tr(A ⊗ C) = tr(A)·tr(C)", "G = tr(B)·I"),
        ("logdet(kron(X, B))", "det(A ⊗ C) = det(A)ˡ·det(C)ᵏ", "G = n·X⁻ᵀ"),
        ("trace(expm(X))", "L(M, I) = exp(M)", "= exp(X)ᵀ"),
    ],
)
def test_laws_of_kronecker_products_and_exponentials_are_quoted(f, law, gradient):
    text = str(sg.explain(f, "X", shapes={"X": ("n", "n"), "B": ("n", "n")}))
    assert law in text
    assert gradient in text
    assert "operation by operation" not in text


@pytest.mark.parametrize(
    ("formula", "by", "shapes", "reason"),
    [
        ("det(A @ X)", "X", {"A": ("n", "n"), "X": ("n", "n")}, "for square matrices, det(B·C) = det(B)·det(C)"),
        ("norm(x)**2", "x", {"x": "n"}, "d‖u‖² = 2·uᵀ·du"),
        ("norm(X)", "X", {"X": ("n", "k")}, "d‖M‖_F = tr(Mᵀ·dM)/‖M‖_F"),
        ("norm(x - a)", "x", {"x": "n", "a": "n"}, "d‖u‖ = uᵀ·du/‖u‖"),
        ("sum((A @ X)**2)", "X", {"A": ("m", "n"), "X": ("n", "k")}, "d‖M‖_F² = 2·tr(Mᵀ·dM)"),
        ("log(x @ x)", "x", {"x": "n"}, "log′(t) = 1/t"),
        ("tanh(A @ x)", "x", {"A": ("m", "n"), "x": "n"}, "tanh′(t) = 1 − tanh²(t)"),
        ("sum(x**3)", "x", {"x": "n"}, "(t³)′ = 3·t²"),
        ("log(1 + exp(-y*(w @ x)))", "w", {"w": "n", "x": "n"}, "(log(1 + exp(t)))′ = σ(t)"),
        ("trace(B @ expm(X))", "X", {"B": ("n", "n"), "X": ("n", "n")}, "tr(N·L(M, E)) = tr(L(M, N)·E)"),
    ],
)
def test_laws_of_determinants_and_lengths_are_quoted(formula, by, shapes, reason):
    assert reason in str(sg.explain(formula, by, shapes=shapes))


@pytest.mark.parametrize(
    ("formula", "by", "shapes", "where"),
    [
        ("(x @ A @ x)/(x @ x)", "x", {"A": ("n", "n"), "x": "n"}, "This holds where x is not 0."),
        ("det(X.T @ X)", "X", {"X": ("n", "k")}, "This holds where Xᵀ·X is invertible."),
        ("1/(1 + x @ x)", "x", {"x": "n"}, ""),
        ("solve(A, b)", "b", {"A": ("n", "n"), "b": "n"}, "This holds where A is invertible."),
        ("X @ inv(X.T @ X) @ X.T @ y", "y", {"X": ("n", "k"), "y": "n"}, "This holds where Xᵀ·X is invertible."),
        ("logdet(A)", "A", {"A": ("n", "n")}, "This holds where det(A) is positive."),
        ("sum(x**2)**0.25", "x", {"x": "n"}, "This holds where x is not 0."),
        ("-sum(log(b - A @ x))", "x", {"A": ("m", "n"), "x": "n", "b": "m"}, "where b − A·x has positive entries."),
        ("max(x)", "x", {"x": "n"}, "g = [x = max(x)] n This holds where x has only one largest entry."),
        ("min(A @ x)", "x", {"A": ("m", "n"), "x": "n"}, "This holds where A·x has only one smallest entry."),
        ("median(x)", "x", {"x": "n"}, "This holds where x has only one entry that is its median."),
        ("log(abs(det(A)))", "A", {"A": ("n", "n")}, "n×n This holds where A is invertible."),
        ("norm(x, 3)", "x", {"x": "n"}, "n This holds where ‖x‖_3 is not 0."),
        ("norm(x, inf)", "x", {"x": "n"}, "This holds where |x| has only one largest entry."),
    ],
)
def test_a_lesson_of_arrays_says_where_it_holds(formula, by, shapes, where):
    text = " ".join(str(sg.explain(formula, by, shapes=shapes)).split())
    assert where in text
    assert where or "This holds" not in text


def test_what_is_positive_definite_needs_no_condition():
    X, P = sg.symbol("X", ("m", "n")), sg.symbol("P", ("n", "n"), positive_definite=True)
    a, lam = sg.symbol("a", "n"), sg.symbol("lam")
    assert "This holds" not in str(sg.explain(sg.logdet(X.T @ X + P), X))
    assert "This holds" not in str(sg.explain(a @ sg.linalg.inv(X.T @ X + 2 * P) @ a, X))
    assert "Xᵀ·X + lam·P is invertible" in str(sg.explain(a @ sg.linalg.inv(X.T @ X + lam * P) @ a, X))


@pytest.mark.parametrize(
    ("f", "order", "last"),
    [
        ("u @ expm(t*A) @ v", 1, "g = uᵀ·A·Z·v = uᵀ·A·exp(t·A)·v number"),
        ("u @ expm(A*t) @ v", 2, "g = uᵀ·A²·Z·v = uᵀ·A²·exp(t·A)·v number"),
        ("expm(-t*A) @ v", 1, "f′ = −A·Z·v = −A·exp(−t·A)·v n"),
        ("trace(expm(t*A))", 1, "g = tr(A·Z) = tr(A·exp(t·A)) number"),
        ("u + t**2*v", 1, "f′ = 2·t·v n"),
    ],
)
def test_curves_have_their_derivative_by_a_number(f, order, last):
    shapes = {n: s for n, s in {"A": ("n", "n"), "u": "n", "v": "n", "t": ()}.items() if n in f.replace("expm", "")}
    text = " ".join(str(sg.explain(f, "t", shapes=shapes, order=order)).split())
    assert text.endswith(last)
    assert "L(" not in text


def test_a_gradient_by_a_structured_matrix_is_one_of_a_general_matrix_and_its_part_is_told():
    P, A = sg.symbol("P", ("n", "n"), positive_definite=True), sg.symbol("A", ("n", "n"))
    text = str(sg.explain(sg.logdet(P) - sg.trace(A @ P), P))
    assert "f(P) = log(det(P)) − tr(A·P)                P n×n positive definite, A n×n" in text
    assert "df = tr(Gᵀ·dP) gives, as Pᵀ = P,\n  G = P⁻¹ − Aᵀ " in text
    assert "P⁻¹ − A =" not in text
    assert "(G + Gᵀ)/2 = P⁻¹ − (A + Aᵀ)/2" in text
    D, x = sg.symbol("D", ("n", "n"), diagonal=True), sg.symbol("x", "n")
    text = str(sg.explain(x @ sg.linalg.inv(D) @ x, D))
    assert "D n×n diagonal" in text
    assert "∂f/∂D_ii = −x_i²/D_ii²" in text
    S = sg.symbol("S", ("n", "n"), symmetric=True)
    assert "counts" not in str(sg.explain(x @ S @ x, S))


def test_terms_that_are_equal_are_added_and_a_reason_is_given_once():
    S, x = sg.symbol("S", ("n", "n"), symmetric=True), sg.symbol("x", "n")
    text = str(sg.explain(x @ S @ x / 2, x))
    assert "= xᵀ·S·dx aᵀ·b = bᵀ·a; Sᵀ = S" in " ".join(text.split())


def test_numbers_of_all_eigenvalues_are_numbers_of_the_matrix():
    S = sg.symbol("S", ("n", "n"), symmetric=True)
    values = sg.linalg.eigvalsh(S)
    for f, law, gradient in (
        ((values**2).sum(), "Σ λᵢ² = tr(", "G = 2·S"),
        ((values**2).sum(), "where λ(S) has the eigenvalues λ₁ ≤ … ≤ λ_n of S", "G = 2·S"),
        (sg.log(values).sum(), "This holds where λ(S) has positive entries.", "= S⁻¹"),
        (sg.exp(values).sum(), "Σ exp(λᵢ) = tr(exp(", "G = exp(S)"),
        ((values**3).sum(), "Σ λᵢᵏ = tr(", "G = 3·"),
    ):
        text = str(sg.explain(f, S))
        assert law in text
        assert gradient in text
        assert "operation by operation" not in text


def test_a_trace_is_written_in_the_order_in_which_it_was_typed():
    shapes = {"A": ("n", "n"), "X": ("m", "n")}
    assert "f(X) = tr(A·Xᵀ·X) " in str(sg.explain("trace(A @ X.T @ X)", "X", shapes=shapes))
    assert "f(X) = tr(X·A·Xᵀ) " in str(sg.explain("trace(X @ A @ X.T)", "X", shapes=shapes))


@pytest.mark.parametrize(
    ("formula", "by", "shapes", "lines"),
    [
        ("prod(1 + x)", "x", {"x": "n"}, ["f(x) = Π_i (x_i + 1)", "∂f/∂x_i = Π_(j≠i) (x_j + 1)"]),
        ("var(X @ w)", "w", {"X": ("m", "n"), "w": "n"}, ["var(u) = Σ (uᵢ − mean(u))²/(m − 1)"]),
        ("sum(lgamma(x))", "x", {"x": "n"}, ["= sum(log(Γ(x)))", "ψ(t)", "g = ψ(x)"]),
        ("sum(relu(x))", "x", {"x": "n"}, ["relu(t) = max(0, t)", "This holds where x has no entry 0."]),
        ("b @ x + x @ A @ x", "x", {"A": ("n", "n"), "x": "n", "b": "n"}, ["f(x) = bᵀ·x + xᵀ·A·x "]),
        ("(a @ x)/norm(x)", "x", {"a": "n", "x": "n"}, ["quotient rule", "This holds where x is not 0."]),
        ("logsumexp(x)", "x", {"x": "n"}, ["f(x) = log(sum(exp(x)))", "softmax(u)ᵢ = exp(uᵢ)/Σⱼ exp(uⱼ)"]),
    ],
)
def test_functions_and_signs_of_programs_are_written_as_mathematics(formula, by, shapes, lines):
    text = " ".join(str(sg.explain(formula, by, shapes=shapes)).split())
    assert not [line for line in lines if line.strip() not in text]
    assert "cumprod" not in text


@pytest.mark.parametrize("seed", range(2))
def test_entries_of_a_diagonal_gradient_have_the_numbers_of_a_step(seed):
    D, A, x = sg.symbol("D", (3, 3), diagonal=True), sg.symbol("A", (3, 3)), sg.symbol("x", 3)
    assert "∂f/∂D_ii = A_ii + x_i² + 1/D_ii" in str(sg.explain(sg.logdet(D) + sg.trace(A @ D) + x @ D @ x, D))
    rng = np.random.default_rng(seed)
    d, a, v = rng.uniform(0.5, 2, 3), rng.standard_normal((3, 3)), rng.standard_normal(3)

    def f(d):
        return np.log(np.prod(d)) + np.trace(a @ np.diag(d)) + v @ np.diag(d) @ v

    steps = 1e-6 * np.eye(3)
    slopes = [(f(d + h) - f(d - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(np.diag(a) + 1 / d + v**2, slopes, rtol=1e-6)


def test_a_size_in_a_formula_is_a_letter_of_the_lesson():
    lines = str(sg.explain("logdet(A @ A.T + s*eye(n))/n", "A", shapes={"A": ("n", "n")})).splitlines()
    assert "G = 2·R⁻¹·A/n = 2·(A·Aᵀ + s·I)⁻¹·A/n" in " ".join(lines)
    lines = str(sg.explain("sum((x - a)**2)/n", "x", shapes={"x": "n"})).splitlines()
    assert lines[-1].startswith("  g = 2·z/n = 2·(x − a)/n")


@pytest.mark.parametrize(
    ("formula", "condition"),
    [
        ("sum(max(0, 1 - y*(X @ w)))", "1 − (y ⊙ X·w) has no entry 0"),
        ("sum(minimum(w, 1))", "w − 1 has no entry 0"),
        ("maximum(w @ a, w @ w)", "wᵀ·a − ‖w‖² is not 0"),
        ("max(0, 1 - w @ a)", "1 − wᵀ·a is not 0"),
        ("relu(w @ a)", "wᵀ·a is not 0"),
        ("abs(w @ a)", "wᵀ·a is not 0"),
    ],
)
def test_a_lesson_of_arrays_tells_where_a_maximum_has_a_kink(formula, condition):
    text = str(sg.explain(formula, "w", shapes={"X": ("m", "n"), "y": "m", "w": "n", "a": "n"}))
    assert text.splitlines()[-1] == f"  This holds where {condition}."
