"""Derivatives of small vectors, of robots and of physics: printed by their entries, as books do."""

import pickle
from functools import cache

import numpy as np
import pytest
import reader_latex
import reader_mathml
import reader_text
import sympy as sp
from test_reading import NOTATIONS, check
from textbook import tokens
from written_forms import Written, written

import symgrad as sg
from symgrad.errors import FormError
from symgrad.forms.nodes.printers import inside

q, x, p = sg.symbol("q", 2), sg.symbol("x", 3), sg.symbol("p", 3)
u, v = sg.symbol("u", 2), sg.symbol("v", 2)
a, b, c, t, f, g, l1, l2, l3, m1, m2, r, s = (
    sg.symbol(k, ()) for k in ("a", "b", "c", "t", "f", "g", "l1", "l2", "l3", "m1", "m2", "r", "s")
)
A, M = sg.symbol("A", (2, 2)), sg.symbol("M", 3)
sin, cos, stack = sg.sin, sg.cos, sg.stack
turn = stack([stack([cos(t), -sin(t)]), stack([sin(t), cos(t)])])
arm = stack([l1 * cos(q[0]) + l2 * cos(q[0] + q[1]), l1 * sin(q[0]) + l2 * sin(q[0] + q[1])])
rosenbrock = (1 - q[0]) ** 2 + 100 * (q[1] - q[0] ** 2) ** 2
himmelblau = (q[0] ** 2 + q[1] - 11) ** 2 + (q[0] + q[1] ** 2 - 7) ** 2
kinetic = m1 * u[0] ** 2 * l1**2 / 2 + m2 * (u[1] ** 2 * l2**2 + 2 * l1 * l2 * u[0] * u[1] * cos(q[0] - q[1])) / 2

# function, variable, order, and how it is printed
TABLE = {
    "arm of two links": (arm, q, 1, "[[-l1*sin(q_0) - l2*sin(q_0 + q_1), -l2*sin(q_0 + q_1)], "
                                    "[l1*cos(q_0) + l2*cos(q_0 + q_1), l2*cos(q_0 + q_1)]]"),
    "perspective": (f * x[:2] / x[2], x, 1, "f*[[1, 0, -x_0/x_2], [0, 1, -x_1/x_2]]/x_2"),
    "stereographic projection": (
        x[:2] / (1 - x[2]), x, 1, "[[1, 0, x_0/(1 - x_2)], [0, 1, x_1/(1 - x_2)]]/(1 - x_2)",
    ),
    "polar coordinates": (
        stack([q[0] * cos(q[1]), q[0] * sin(q[1])]), q, 1, "[[cos(q_1), -q_0*sin(q_1)], [sin(q_1), q_0*cos(q_1)]]",
    ),
    "rotation of a vector": (turn @ u, u, 1, "[[cos(t), -sin(t)], [sin(t), cos(t)]]"),
    "rotation by its angle": (turn, t, 1, "[[-sin(t), -cos(t)], [cos(t), -sin(t)]]"),
    "rotated vector by the angle": (turn @ u, t, 1, "[-u_0*sin(t) - u_1*cos(t), u_0*cos(t) - u_1*sin(t)]"),
    "Rosenbrock's Hessian": (rosenbrock, q, 2, "[[1200*q_0**2 - 400*q_1 + 2, -400*q_0], [-400*q_0, 200]]"),
    "Lorenz": (
        stack([s * (x[1] - x[0]), x[0] * (r - x[2]) - x[1], x[0] * x[1] - b * x[2]]), x, 1,
        "[[-s, s, 0], [r - x_2, -1, -x_0], [x_1, x_0, -b]]",
    ),
    "Lotka and Volterra": (
        stack([a * q[0] - b * q[0] * q[1], c * q[0] * q[1] - g * q[1]]), q, 1,
        "[[a - b*q_1, -b*q_0], [c*q_1, c*q_0 - g]]",
    ),
    "pendulum": (stack([q[1], -g * sin(q[0]) / l1 - b * q[1]]), q, 1, "[[0, 1], [-g*cos(q_0)/l1, -b]]"),
    "van der Pol": (
        stack([q[1], b * (1 - q[0] ** 2) * q[1] - q[0]]), q, 1, "[[0, 1], [-2*b*q_0*q_1 - 1, b*(1 - q_0**2)]]",
    ),
    "epidemic": (
        stack([-b * x[0] * x[1], b * x[0] * x[1] - g * x[1], g * x[1]]), x, 1,
        "[[-b*x_1, -b*x_0, 0], [b*x_1, b*x_0 - g, 0], [0, g, 0]]",
    ),
    "Fitzhugh and Nagumo": (
        stack([q[0] - q[0] ** 3 / 3 - q[1] + t, c * (q[0] + a - b * q[1])]), q, 1, "[[1 - q_0**2, -1], [c, -b*c]]",
    ),
    "car": (
        stack([p[0] + t * cos(p[2]), p[1] + t * sin(p[2]), p[2]]), p, 1,
        "[[1, 0, -t*sin(p_2)], [0, 1, t*cos(p_2)], [0, 0, 1]]",
    ),
    "determinant": (A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0], A, 1, "[[A_11, -A_10], [-A_01, A_00]]"),
    "distance and bearing": (
        stack([sg.sqrt(q[0] ** 2 + q[1] ** 2), sg.atan2(q[1], q[0])]), q, 1,
        "[[q_0, q_1], [-q_1/r, q_0/r]]/r where r = sqrt(q_0**2 + q_1**2)",
    ),
    "double pendulum's potential": (
        -(m1 + m2) * g * l1 * cos(q[0]) - m2 * g * l2 * cos(q[1]), q, 1,
        "g*[l1*sin(q_0)*(m1 + m2), l2*m2*sin(q_1)]",
    ),
    "double pendulum's inertia": (
        kinetic, u, 2, "[[l1**2*m1, l1*l2*m2*cos(q_0 - q_1)], [l1*l2*m2*cos(q_0 - q_1), l2**2*m2]]",
    ),
    "Booth's function": (
        (q[0] + 2 * q[1] - 7) ** 2 + (2 * q[0] + q[1] - 5) ** 2, q, 1, "[10*q_0 + 8*q_1 - 34, 8*q_0 + 10*q_1 - 38]",
    ),
    "arm of three links, by running sums": (
        stack([M @ cos(sg.cumsum(p, 0)), M @ sin(sg.cumsum(p, 0))]), p, 1,
        "[[-M_0*sin(p_0) - M_1*sin(p_0 + p_1) - M_2*sin(z), -M_1*sin(p_0 + p_1) - M_2*sin(z), -M_2*sin(z)], "
        "[M_0*cos(p_0) + M_1*cos(p_0 + p_1) + M_2*cos(z), M_1*cos(p_0 + p_1) + M_2*cos(z), M_2*cos(z)]] "
        "where z = p_0 + p_1 + p_2",
    ),
    "two periods": (
        M[0] ** (1 - s) / (1 - s) + b * M[1] ** (1 - s) / (1 - s), M, 1, "[M_0**(-s), b/M_1**s, 0]",
    ),
    "one neuron": (sg.sigmoid(q[0] * t + q[1]), t, 1, None),
    "production": (u[0] ** a * u[1] ** (1 - a), u, 1, None),
}  # fmt: skip
LIMITS = {  # how long others may be
    "spherical coordinates": (
        stack([p[0] * sin(p[1]) * cos(p[2]), p[0] * sin(p[1]) * sin(p[2]), p[0] * cos(p[1])]), p, 1, 36,
    ),
    "arm of three links": (
        stack([l1 * cos(p[0]) + l2 * cos(p[0] + p[1]) + l3 * cos(p.sum()),
               l1 * sin(p[0]) + l2 * sin(p[0] + p[1]) + l3 * sin(p.sum())]), p, 1, 66,
    ),
    "Rosenbrock": (rosenbrock, q, 1, 21),
    "Himmelblau": (himmelblau, q, 1, 36),
    "Himmelblau's Hessian": (himmelblau, q, 2, 28),
    "fit of a Gauss curve": ((p[0] * sg.exp(-((t - p[1]) ** 2) / (2 * p[2] ** 2)) - f) ** 2, p, 1, 50),
    "Michaelis and Menten": ((f - q[0] * t / (q[1] + t)) ** 2, q, 1, 32),
    "bearing of a landmark": (sg.atan2(u[1] - q[1], u[0] - q[0]), u, 1, 22),
    "angle between points": (((turn @ u - v) ** 2).sum(), t, 1, 25),
    "turned camera": (
        f * stack([p[0] * cos(t) + p[2] * sin(t), p[1]]) / (p[2] * cos(t) - p[0] * sin(t)), t, 1, 48,
    ),
    "Brusselator": (stack([a - (b + 1) * q[0] + q[0] ** 2 * q[1], b * q[0] - q[0] ** 2 * q[1]]), q, 1, 22),
    "error of an arm": (((arm - u) ** 2).sum(), q, 1, 68),
}  # fmt: skip
ALL = {**{k: row[:3] for k, row in TABLE.items()}, **{k: row[:3] for k, row in LIMITS.items()}}


def values(form, seed):
    """Return values of a form's leaves, and of the form."""
    rng = np.random.default_rng(seed)
    drawn = {k: rng.uniform(0.5, 2.0, leaf.shape) for k, leaf in zip(form._called.names, form._leaves, strict=True)}
    return drawn, form.lambdify()(**{k: drawn[k] for k in form.args})


def agrees(got, expected):
    return np.allclose(got, expected, rtol=1e-9, atol=1e-9)


@cache
def derived(name):
    y, by, order = ALL[name]
    return sg.derive(y, by, order=order)


@pytest.mark.parametrize("name", TABLE)
def test_small_arrays_are_printed_by_their_entries(name):
    form, text = derived(name), TABLE[name][3]
    if text is not None:
        assert str(form) == text
    assert "δ" not in str(form)
    assert "scatter" not in str(form)


def test_a_matrix_of_numbers_is_written_out_where_it_has_a_name():
    form = sg.derive(((turn @ u - v) ** 2).sum(), u)
    assert str(form).endswith("= [[cos(t), -sin(t)], [sin(t), cos(t)]]")
    given, expected = values(form, 4)
    check(Written(form, given, {}, form.shape, expected))


X = sg.symbol("X", (3, 2))
GRAVITY = sum(-M[i] * M[j] / sg.norm(X[i] - X[j]) for i, j in [(0, 1), (0, 2), (1, 2)])
SPRINGS = sum((sg.norm(X[i] - X[j]) - l1) ** 2 for i, j in [(0, 1), (1, 2)]) / 2


@pytest.mark.parametrize(
    ("energy", "rows"),
    [(GRAVITY, "stack(η2 + η3, η1 - η3, -(η1 + η2)) where "), (SPRINGS, "stack(η2, η1 - η2, -η1) where ")],
)
def test_forces_on_three_bodies_are_rows(energy, rows):
    form = sg.derive(energy, X)
    assert str(form).startswith(rows)
    given, expected = values(form, 4)
    check(Written(form, given, {}, form.shape, expected))


@pytest.mark.parametrize("name", LIMITS)
def test_entries_are_short(name):
    assert tokens(str(derived(name))) <= LIMITS[name][3]


@pytest.mark.parametrize("name", ALL)
def test_entries_are_read_back(name):
    form = derived(name)
    given, expected = values(form, 3)
    letters = [k.name for k in form._free(())]
    assert agrees(reader_text.index_value(str(form), letters, form.shape, given), expected)
    assert agrees(reader_latex.index_value(form.latex("entries"), letters, form.shape, given), expected)
    assert agrees(reader_mathml.index_value(inside(form.entries()), letters, form.shape, given), expected)


def test_matrix_notation_stays_where_it_is_shorter():
    B = sg.symbol("B", (2, 2))
    assert str(sg.derive(B @ q, q)) == "B"
    assert str(sg.derive(q @ B @ q, q)) == "(B + Bᵀ)*q"
    assert "q_0" not in str(sg.derive(q / sg.norm(q), q))


def test_entries_can_be_asked_for():
    form = sg.derive((q @ q) ** 2, q)
    assert str(form) == "4*‖q‖²*q"
    assert str(form.entries()) == "4*(q_0**2 + q_1**2)*[q_0, q_1]"
    assert form.latex("entries") == r"4 \left(q_{0}^{2} + q_{1}^{2}\right) \begin{bmatrix} q_{0} \\ q_{1} \end{bmatrix}"
    assert form.latex() == r"4 \left\lVert q \right\rVert^{2} q"


def test_entries_of_a_named_size_are_refused():
    y = sg.symbol("y", "n")
    with pytest.raises(FormError, match="sizes must be numbers"):
        sg.derive(y @ y, y).entries()
    with pytest.raises(FormError, match="two axes at most"):
        sg.derive(turn @ A, A).entries()


def test_several_derivatives_share_the_names_of_their_entries():
    E = sg.sqrt(q[0] ** 2 + q[1] ** 2 + 1) * (l1 - l2)
    assert str(sg.derive(E, [q, l1])) == (
        "d/dq = (l1 - l2)*[q_0, q_1]/r\nd/dl1 = r\nwhere r = sqrt(q_0**2 + q_1**2 + 1)"
    )


def test_entries_are_an_expression_of_sympys():
    form = sg.derive(f * x[:2] / x[2], x)
    e = form.expr
    assert {s.name for s in e.free_symbols} == {"f", "x_0", "x_1", "x_2"}
    assert pickle.loads(pickle.dumps(e)) == e
    given, expected = values(form, 1)
    by_name = {"f": float(given["f"]), **{f"x_{k}": value for k, value in enumerate(given["x"])}}
    names = sorted(e.free_symbols, key=str)
    assert agrees(sp.lambdify(names, e, modules="numpy")(*[by_name[s.name] for s in names]), expected)
    assert str(form.to_sympy()[0, 2]) == "-f*x[0, 0]/x[2, 0]**2"
    there = sg.from_sympy(form.to_sympy(), [sp.Symbol("f"), sp.MatrixSymbol("x", 3, 1)])
    assert agrees(there(given["f"], given["x"].reshape(3, 1)).numpy(), expected)


def test_a_wrong_table_is_found_out(monkeypatch):
    at = sg.tensor([0.3, 0.4, 0.5], requires_grad=True, name="x")
    good = str(sg.derive(at[:2] / at[2], at))
    assert good.startswith("[[1, 0, -x_0/x_2]")
    monkeypatch.setattr("symgrad.forms.notations.tables.simplified", lambda e: 2 * e)
    with pytest.raises(FormError, match="does not have the value"):
        _ = sg.derive(at[:2] / at[2], at).entries()


# ------------------------------------------------------------------ cross products
k, n, w = sg.symbol("k", 3), sg.symbol("n", 3), sg.symbol("w", 3)
J, Q = sg.symbol("J", (3, 3)), sg.symbol("Q", 4)
axis = Q[1:]
turned = x * cos(t) + sg.cross(k, x) * sin(t) + k * (k @ x) * (1 - cos(t))
by_quaternion = x + 2 * Q[0] * sg.cross(axis, x) + 2 * sg.cross(axis, sg.cross(axis, x))
CROSSES = {
    "product, by the second": (sg.cross(k, x), x, 1, "skew(k)"),
    "product, by the first": (sg.cross(x, k), x, 1, "-skew(k)"),
    "square": ((sg.cross(x, k) ** 2).sum(), x, 1, "2*(‖k‖²*x - (xᵀ*k)*k)"),
    "square, twice": ((sg.cross(x, k) ** 2).sum(), x, 2, "2*(‖k‖²*I - k*kᵀ)"),
    "length": (sg.norm(sg.cross(x, k)), x, 1, "(‖k‖²*x - (xᵀ*k)*k)/‖x × k‖"),
    "volume": (k @ sg.cross(n, x), x, 1, "k × n"),
    "force of a magnetic field": (w @ sg.cross(x, k), x, 1, "k × w"),
    "double product": (sg.cross(k, sg.cross(n, x)), x, 1, "n*kᵀ - (kᵀ*n)*I"),
    "double product with itself": (sg.cross(x, sg.cross(x, k)), k, 1, "x*xᵀ - ‖x‖²*I"),
    "double product around": (sg.cross(x, sg.cross(k, x)), x, 1, "2*k*xᵀ - (xᵀ*k)*I - x*kᵀ"),
    "Rodrigues, by the vector": (turned, x, 1, "sin(t)*skew(k) + (1 - cos(t))*k*kᵀ + cos(t)*I"),
    "Rodrigues, by the angle": (turned, t, 1, "sin(t)*((xᵀ*k)*k - x) + cos(t)*(k × x)"),
    "Euler's equations": (sg.cross(w, J @ w), w, 1, "skew(w)*J - skew(J*w)"),
    "torque": ((sg.cross(x, k) * sg.cross(n, k)).sum(), x, 1, "‖k‖²*n - (kᵀ*n)*k"),
    "quaternion, by the vector": (
        by_quaternion, x, 1, "2*Q[1:]*Q[1:]ᵀ + (1 - 2*‖Q[1:]‖²)*I + 2*Q[0]*skew(Q[1:])",
    ),
    "quaternion": (by_quaternion, Q, 1, None),
    "Coriolis and centrifugal": (sg.cross(w, sg.cross(w, x)) + 2 * sg.cross(w, n), w, 1, None),
    "sum of two": ((sg.cross(k, x) + sg.cross(n, x)) @ w, x, 1, None),
    "with itself": (sg.cross(x, x) @ k + x @ x, x, 1, "2*x"),
}  # fmt: skip


UNTOLD = ("quaternion", "quaternion, by the vector")  # nothing but [k + 1] has the index k, so its range is not told


@pytest.mark.parametrize("name", CROSSES)
def test_cross_products_are_vector_algebra(name):
    y, by, order, text = CROSSES[name]
    form = sg.derive(y, by, order=order)
    assert text is None or str(form) == text
    given, expected = values(form, 5)
    told = [k for k in NOTATIONS if name not in UNTOLD or "index" not in k]
    check(Written(form, given, {}, form.shape, expected), told)


# ------------------------------------------------------------------ sums over pairs
N, K = sg.symbol("N", ("n", "d")), sg.symbol("K", ("m", "d"))
S, U = sg.symbol("S", ("n", "n"), symmetric=True), sg.symbol("U", ("n", "n"))
z, e, y = sg.symbol("z", "n"), sg.symbol("e", ()), sg.symbol("y", "m")
d2, e2 = ((N[:, None, :] - N[None, :, :]) ** 2).sum(-1), ((N[:, None, :] - K[None, :, :]) ** 2).sum(-1)
d1 = z[:, None] - z[None, :]
length = sg.sqrt(d2 + e)
PAIRS = {  # function, variable, most signs
    "radial basis": (sg.exp(-d2 / (2 * e**2)).sum(), N, 26),
    "quadratic form of a kernel": (z @ sg.exp(-e * d2) @ z, N, 23),
    "width of a kernel": (sg.exp(-d2 / (2 * e**2)).sum(), e, 23),
    "gravity": (-(S / length).sum() / 2, N, 22),
    "gravity of masses": (-(z[:, None] * z[None, :] / length).sum() / 2, N, 26),
    "Coulomb": ((z[:, None] * z[None, :] / length).sum() / 2, N, 26),
    "weights that are not symmetric": (-(U / length).sum(), N, 24),
    "Lennard and Jones": (2 * ((d2 + e) ** -6 - (d2 + e) ** -3).sum(), N, 30),
    "springs": ((S * (length - a) ** 2).sum() / 2, N, 24),
    "Morse": (((1 - sg.exp(-b * (length - a))) ** 2).sum() / 2, N, 35),
    "Laplacian": ((S * d2).sum() / 2, N, 7),
    "Laplacian of any weights": ((U * d2).sum() / 2, N, 11),
    "scaling": (((S - length) ** 2).sum(), N, 28),
    "neighbour embedding": (-(S * sg.log(1 / (1 + d2))).sum() + sg.log((1 / (1 + d2)).sum()), N, 31),
    "mean discrepancy": (sg.exp(-d2).mean() - 2 * sg.exp(-e2).mean(), N, 42),
    "two sets": (sg.exp(-e2 / 2).sum(), N, 19),
    "kernel of two sets": (z @ sg.exp(-e2) @ y, N, 22),
    "distances of two sets": (sg.sqrt(e2 + e).sum(), N, 22),
    "numbers": ((S * d1**2).sum(), z, 10),
    "sizes of differences": (sg.abs(d1).sum(), z, 9),
    "bells": (sg.exp(-(d1**2)).sum(), z, 20),
    "Kuramoto": ((S * sg.cos(d1)).sum(), z, 12),
    "ranks": ((S * sg.nn.functional.softplus(-d1)).sum(), z, 18),
}  # fmt: skip
WRITTEN = {
    "gravity": "(diag(A*1) - A)*N where A = S ⊘ (cdist(N, N)^⊙2 + e)^⊙(3/2)",
    "Laplacian": "2*(diag(S*1) - S)*N",
    "Laplacian of any weights": "(diag((U + Uᵀ)*1) - Uᵀ - U)*N",
    "sizes of differences": "2*sign(z*1ᵀ - 1*zᵀ)*1",
}


@pytest.mark.parametrize("name", PAIRS)
def test_sums_over_pairs_are_one_sum(name):
    f, by, most = PAIRS[name]
    form = sg.derive(f, by)
    assert tokens(str(form)) <= most
    assert name not in WRITTEN or str(form) == WRITTEN[name]
    rng, sizes = np.random.default_rng(2), {"n": 4, "d": 2, "m": 3}
    leaves = zip(form._called.names, form._leaves, strict=True)
    given = {k: rng.uniform(0.5, 2, [sizes.get(str(n), n) for n in leaf.shape]) for k, leaf in leaves}
    if "S" in given:
        given["S"] = given["S"] + given["S"].T
    check(written(form, given, {k: sizes[str(k)] for k in map(str, form._called.sizes)}))


def test_a_known_matrix_is_seen_to_be_symmetric():
    known, other = sg.tensor([[2.0, 1.0], [1.0, 3.0]]), sg.tensor([[2.0, 1.0], [0.0, 3.0]])
    assert str(sg.derive(q @ known @ q, q)) == "2*A*q"
    assert str(sg.derive(q @ other @ q, q)) == "(A + Aᵀ)*q"


@pytest.mark.parametrize("text", ["(x > 1)*x**2", "x**2*(x > 0) + (x < 1)*x", "2**(x > 1)*x", "exp((x > 1)*x)"])
def test_conditions_in_arithmetic_are_one_or_zero_in_scalars(text):
    form = sg.derive(text, "x")
    for point in (-0.5, 0.5, 2.0):
        assert float(form.scalar().subs({"x": point})) == pytest.approx(float(form.lambdify()(point)))
