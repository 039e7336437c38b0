"""Enclosures contain what they should: values of random programs and derivatives, and the classics that fool floats."""

import json

import mpmath
import numpy as np
import pytest
from slow_tests import draws

import symgrad as sg

SMOOTH = [sg.sin, sg.cos, sg.exp, sg.tanh, sg.atan, sg.sigmoid, sg.softplus, sg.special.erf, sg.sinh, sg.asinh]
KINKED = [abs, sg.relu, sg.floor, sg.sign, lambda x: sg.where(x > 0.3, x, -1.0 - x), lambda x: x % 0.7]
BINARY = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / (1.5 + b * b)]
CHOICES = [sg.maximum, sg.minimum, lambda a, b: sg.where(a > b, a * 2, b - 1.0)]


def random_program(rng, smooth):
    """A function of a vector of three numbers, of eight operations on earlier values."""
    unary, binary = (SMOOTH, BINARY) if smooth else (SMOOTH + KINKED, BINARY + CHOICES)
    steps = []
    for k in range(8):
        if rng.random() < 0.5:
            steps.append((unary[rng.integers(len(unary))], (int(rng.integers(3 + k)),)))
        else:
            steps.append((binary[rng.integers(len(binary))], tuple(rng.integers(3 + k, size=2).tolist())))

    def f(v):
        values = [v[0], v[1], v[2]]
        for op, args in steps:
            y = op(*[values[a] for a in args])
            values.append(sg.tanh(y) if len(values) % 3 == 0 else y)
        return values[-1] + values[-2]

    return f


def random_box(rng):
    lower = rng.uniform(-2, 2, 3)
    return lower, lower + rng.uniform(0, 1.5, 3) * (rng.random(3) < 0.8)


def assert_inside(values, enclosure):
    """Whether values lie between the bounds, but for their own rounding."""
    values = np.asarray(values)
    slack = 1e-11 * (1 + np.abs(values))
    assert (enclosure.lower <= values + slack).all()
    assert (values - slack <= enclosure.upper).all()


SEEDS = draws(range(2000), first=200)


@pytest.mark.parametrize("seed", SEEDS)
def test_values_of_random_programs_lie_in_their_enclosures(seed):
    rng = np.random.default_rng(seed)
    f, (lower, upper) = random_program(rng, smooth=seed % 2), random_box(rng)
    enclosures = [sg.enclose(f, (lower, upper), order=order, pieces=1 + seed % 3) for order in range(3)]
    for t in [np.zeros(3), np.ones(3), *rng.random((20, 3))]:
        y = f(sg.tensor(np.minimum(lower + t * (upper - lower), upper))).numpy()
        for enclosure in enclosures:
            assert_inside(y, enclosure)


@pytest.mark.parametrize("seed", range(40))
def test_derivatives_of_random_programs_lie_in_their_enclosures(seed):
    rng = np.random.default_rng(seed)
    f, (lower, upper) = random_program(rng, smooth=True), random_box(rng)
    gradient = sg.enclose(f, (lower, upper), derivative=1, order=seed % 2)
    hessian = sg.enclose(f, (lower, upper), derivative=2)
    for t in rng.random((5, 3)):
        x = np.minimum(lower + t * (upper - lower), upper)
        assert_inside(sg.func.jacrev(f)(x), gradient)
        assert_inside(sg.func.hessian(f)(x), hessian)


@pytest.mark.parametrize(
    "f",
    [
        sg.exp, sg.log, sg.sqrt, sg.sin, sg.cos, sg.tan, sg.asin, sg.acos, sg.atan, sg.sinh, sg.cosh, sg.tanh, sg.asinh,
        sg.atanh, sg.expm1, sg.log1p, sg.exp2, sg.log2, sg.log10, sg.special.erf, sg.special.erfc, sg.special.erfinv,
        sg.lgamma, sg.special.i0, sg.special.i1, sg.special.j0, sg.special.j1, sg.sinc, sg.sigmoid, sg.softplus,
        sg.nn.functional.gelu, sg.nn.functional.silu, sg.nn.functional.mish, sg.special.ndtr, sg.rsqrt, sg.square,
        lambda x: x**3, lambda x: x**-2, lambda x: x**0.3, lambda x: 2.0**x, lambda x: x**x,
        lambda x: sg.atan2(x, x - 2),
        lambda x: sg.hypot(x, 2 * x), sg.special.gamma, sg.special.digamma, lambda x: sg.special.polygamma(3, x),
        sg.special.expi, lambda x: sg.special.gammainc(2.0, x), lambda x: sg.special.gammaincc(2.0, x),
        lambda x: sg.special.xlogy(x, x), lambda x: sg.logaddexp(x, 1 - x),
    ],
)  # fmt: skip
def test_elementwise_functions_contain_their_values_tightly(f):
    lower, upper = np.array([0.05, 0.3, 0.7]), np.array([0.06, 0.6, 0.7])
    enclosure = sg.enclose(f, (lower, upper))
    for t in (0.0, 0.25, 0.5, 1.0):
        assert_inside(f(sg.tensor(np.minimum(lower + t * (upper - lower), upper))).numpy(), enclosure)
    assert enclosure.width[2] < 1e-13 * (1 + abs(enclosure.upper[2]))


def test_digamma_is_the_slope_of_the_gamma_functions_logarithm():
    enclosure = sg.enclose(sg.lgamma, (0.5, 2.0), derivative=1)
    assert_inside(sg.special.digamma(sg.tensor([0.5, 2.0])).numpy(), enclosure)
    assert enclosure.width < 2.4  # that of ψ(2) - ψ(1/2)


def test_rumps_polynomial_at_a_point_has_its_true_value():
    def rump(x, y):
        return 333.75 * y**6 + x**2 * (11 * x**2 * y**2 - y**6 - 121 * y**4 - 2) + 5.5 * y**8 + x / (2 * y)

    enclosure = sg.enclose(rump, [(77617.0, 77617.0), (33096.0, 33096.0)])
    assert enclosure.lower <= -0.827396059946821368141165 <= enclosure.upper
    assert enclosure.width < 1e-15


def test_wilkinsons_polynomial_changes_its_sign_at_each_root():
    def wilkinson(x):
        product = 1.0
        for k in range(1, 21):
            product = product * (x - k)
        return product

    for k in range(1, 21):
        ends = [sg.enclose(wilkinson, (x, x)) for x in (k - 0.25, k + 0.25)]
        assert sorted(np.sign([e.lower for e in ends])) == [-1, 1]
        assert [np.sign(e.lower) for e in ends] == [np.sign(e.upper) for e in ends]
        assert sg.enclose(wilkinson, (float(k), float(k))) == (0.0, 0.0)


def test_griewanks_function_is_not_negative_and_zero_only_near_its_minimum():
    def griewank(v):
        return (v**2).sum() / 4000 - sg.cos(v[0]) * sg.cos(v[1] / sg.sqrt(sg.tensor(2.0))) + 1

    assert sg.enclose(griewank, ([0.5, 0.5], [2.5, 3.5]), pieces=64, order=1).lower > 0
    assert sg.enclose(griewank, ([-1.0, -1.0], [1.0, 1.0]), order=2).lower < 1e-12


@pytest.mark.parametrize(("n", "solution"), [(2, [0.2113248654051871, 0.7886751345948129]),
                                             (3, [0.1464466094067262, 0.5, 0.8535533905932737]),
                                             (4, [0.102672763, 0.4062037628, 0.5937962372, 0.897327237])])  # fmt: skip
def test_chebyquad_may_be_zero_at_its_published_solutions_and_is_not_elsewhere(n, solution):
    def residuals(v):
        before, now = 1.0 + 0 * v, 2 * v - 1
        sums = []
        for k in range(1, n + 1):
            sums.append(now.mean() - (0.0 if k % 2 else -1.0 / (k * k - 1)))
            before, now = now, 2 * (2 * v - 1) * now - before
        return sg.stack(sums)

    x = np.array(solution)
    near = sg.enclose(residuals, (x - 1e-9, x + 1e-9), order=1)
    assert (near.lower <= 0).all()
    assert (near.upper >= 0).all()
    away = sg.enclose(residuals, (x + 0.02, x + 0.03), order=1)
    assert ((away.lower > 0) | (away.upper < 0)).any()


def test_a_float_of_the_program_is_the_float():
    lower, upper = sg.enclose(lambda x: 0.1 * x - x / 10, (1.0, 1.0), bits=128)
    assert lower > 0  # the float 0.1 is above a tenth
    with mpmath.workprec(128):
        assert lower <= mpmath.mpf(0.1) - mpmath.mpf(1) / 10 <= upper


def test_forms_of_higher_order_and_pieces_are_tighter():
    widths = [sg.enclose(lambda x: x * (1 - x), (0.4, 0.6), order=order).width for order in range(3)]
    assert widths[0] > widths[1] > widths[2]
    assert sg.enclose(lambda x: x * x - 2 * x, (0.0, 3.0), pieces=256, order=2).lower > -1.001


@sg.custom_vjp
def straight_through(x):
    return x * x


straight_through.defvjp(lambda x: (x * x, None), lambda residual, g: (0 * g,))


def without_grad(x):
    with sg.no_grad():
        y = x * x
    return y


def in_a_loop(x):
    return sg.lax.scan(lambda c, t: (c.detach() * t, None), x, sg.stack([x, 1.0 + 0 * x]))[0]


def in_a_loop_of_loops(x):
    return sg.lax.fori_loop(0, 1, lambda i, c: sg.lax.fori_loop(0, 1, lambda j, d: d * c.detach(), c), x)


@pytest.mark.parametrize(
    "square",
    [
        in_a_loop,
        in_a_loop_of_loops,
        straight_through,
        without_grad,
        lambda x: x * x.detach(),
        lambda x: (x * x).detach(),
    ],
)
@pytest.mark.parametrize("order", [1, 2])
def test_forms_use_the_true_derivative_where_a_program_has_another(square, order):
    enclosure = sg.enclose(lambda x: square(x) + x, (1.0, 2.0), order=order)
    assert enclosure.lower <= 2.0
    assert enclosure.upper >= 6.0
    assert sg.enclose(lambda x: x.detach() + x, (1.0, 2.0), derivative=1) == (1.0, 1.0)


def test_open_conditions_take_both_sides():
    assert sg.enclose(lambda x: sg.where(x > 0, x, -1.0), (-1.0, 2.0), order=2) == (-1.0, 2.0)
    assert sg.enclose(abs, (-1.0, 2.0)) == (0.0, 2.0)
    assert sg.enclose(abs, (-1.0, 2.0), derivative=1) == (-1.0, 1.0)
    assert sg.enclose(sg.floor, (0.5, 1.5), order=1) == (0.0, 1.0)
    assert sg.enclose(lambda v: v[sg.argmax(v)], np.array([[0.0, 1.0], [3.0, 4.0]])) == (3.0, 4.0)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: (x > 0.0) * x, lambda x: (x <= 0.5) * 1.0, sg.logical_not, lambda x: x.to(sg.bool) * 2.0, sg.signbit,
        lambda x: ~(x < 0.25) + x, lambda x: ((x > 0) & (x < 1)) * 3.0, lambda x: x.to(sg.int64) * 1.0,
        lambda x: x.to(sg.int8) - x,
    ],
)  # fmt: skip
@pytest.mark.parametrize("order", range(3))
def test_conditions_as_numbers_jump(f, order):
    box = np.array([-1.0, 0.0, 1.0, -1.5]), np.array([1.0, 1.0, 2.0, -1.25])
    enclosure = sg.enclose(f, box, order=order)
    for t in (0.0, 0.3, 0.5, 0.9, 1.0):
        assert_inside(f(sg.tensor(box[0] + t * (box[1] - box[0]))).numpy(), enclosure)
    with pytest.raises(sg.errors.NotProved):
        sg.prove.lipschitz(lambda x: f(x.reshape(1)) + 0.0, (-1.0, 1.0), boxes=50)


def test_an_integer_that_may_not_fit_is_refused():
    for dtype in (sg.uint8, sg.int8, sg.int64):
        with pytest.raises(sg.errors.NotYet, match="may not fit"):
            sg.enclose(lambda x, dtype=dtype: x.to(dtype), (-1e19, 1.0))


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (sg.log, "Log"), (lambda x: 1 / x, "Reciprocal|Div"), (lambda x: x / x, "Div"), (sg.sqrt, "Sqrt"),
        (sg.tan, "Tan"),
        (lambda x: x**0.5, "Pow"), (sg.lgamma, "Lgamma"), (lambda x: sg.where(x > 0, sg.log(x), 0.0), "Log"),
        (sg.asin, "Asin"), (lambda x: sg.linalg.inv(x * sg.eye(2)), "LinalgInv"),
    ],
)  # fmt: skip
def test_an_operation_that_is_undefined_in_the_box_is_named(f, name):
    with pytest.raises(sg.errors.ArgumentError, match=rf"the operation ({name}).* is undefined or unbounded in"):
        sg.enclose(f, (-2.0, 2.0))


def test_operations_without_a_bound_are_refused():
    with pytest.raises(sg.errors.NotYet, match="has no meaning on intervals"):
        sg.enclose(lambda x: sg.quad(lambda t: sg.exp(-t * x), 0.0, 1.0), (0.0, 1.0))
    with pytest.raises(sg.errors.NotYet, match="has no meaning on intervals"):
        sg.enclose(lambda x: sg.root(lambda y: y**3 - x, x), (1.0, 2.0))
    with pytest.raises(sg.errors.NotYet, match="complex"):
        sg.enclose(lambda x: x + 1j, (0.0, 1.0))


SCALE = 2.0


def test_a_program_is_recorded_once_and_what_it_captures_is_read_anew(monkeypatch):
    shift, weights = 1.0, np.array([1.0, 2.0])
    f = lambda x: SCALE * x * weights.sum() + shift
    options = [{}, {"derivative": 1}, {"order": 2}]
    before = [sg.enclose(f, (1.0, 2.0), **o) for o in options]
    with monkeypatch.context() as patch:
        patch.setattr("symgrad.proved.enclosure._recorded", lambda *_, **__: pytest.fail("recorded again"))
        assert [sg.enclose(f, (1.0, 2.0), **o) for o in options] == before
        assert sg.enclose(lambda y: SCALE * y * weights.sum() + shift, (1.0, 2.0)) == before[0]
    shift = 10.0
    assert sg.enclose(f, (1.0, 2.0)) == (16.0, 22.0)
    weights[0] = 3.0
    assert sg.enclose(f, (1.0, 2.0)) == (20.0, 30.0)
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    assert [sg.enclose(f, (1.0, 2.0), **o) for o in options] == [(30.0, 50.0), (20.0, 20.0), (30.0, 50.0)]


def test_constants_have_the_bits_of_each_call():
    slope = lambda bits: sg.enclose(sg.special.erf, (1.0, 1.0), derivative=1, bits=bits)
    assert slope(53).width > slope(300).width  # of 2/√π exp(-x²)


def test_arguments_and_results_have_their_structure():
    box = {"a": ([0.0, 1.0], [1.0, 2.0]), "b": (-1.0, 1.0)}
    result = sg.enclose(lambda d: {"y": d["a"] * d["b"], "n": (d["b"], 3)}, box)
    assert result["y"].lower.tolist() == [-1.0, -2.0]
    assert result["n"] == ((-1.0, 1.0), (3.0, 3.0))
    assert json.dumps(sg.enclose(lambda x, y: x * y, [(0.0, 1.0), (2.0, 3.0)])) == "[0.0, 3.0]"
    by_x, by_y = sg.enclose(
        lambda x, y: x @ y, [([0.0, 1.0], [1.0, 1.0]), np.array([[2.0, 3.0], [4.0, 5.0]])], derivative=1
    )
    assert by_x.upper.tolist() == [3.0, 5.0]
    assert by_y.lower.tolist() == [0.0, 1.0]
    assert sg.enclose(lambda a: sg.linalg.solve(a, sg.ones(2)), (np.eye(2), 2 * np.eye(2))).lower.tolist() == [
        0.25,
        0.25,
    ]


@pytest.mark.parametrize(
    ("box", "options", "message"),
    [
        (3, {}, "a box must be"), ((2.0, 1.0), {}, "lower one first"), ((0.0, np.nan), {}, "finite"),
        (([0.0, 1.0], [1.0]), {}, "shapes"), (np.ones((2, 3)), {}, "last size"), (("a", "b"), {}, "numbers"),
        ((0.0, 1.0), {"order": 3}, "order must be"), ((0.0, 1.0), {"pieces": 0}, "pieces must be"),
        ((0.0, 1.0), {"derivative": True}, "derivative must be"), ((0.0, 1.0), {"bits": 2.5}, "bits must be"),
    ],
)  # fmt: skip
def test_bad_boxes_and_options_say_what_is_expected(box, options, message):
    with pytest.raises(sg.errors.SymgradError, match=message):
        sg.enclose(lambda x: x, box, **options)


@pytest.mark.parametrize("draw", [np.random.rand, np.random.default_rng(0).normal, lambda: sg.rand(())])
def test_random_numbers_are_refused(draw):
    for statement in (sg.enclose, sg.prove.positive):
        with pytest.raises(sg.errors.GraphError, match="enclose: the function draws"):
            statement(lambda x: x + draw(), (0.0, 1.0))


def test_a_constant_at_which_a_formula_has_cases_leaves_nothing_open():
    """The slope of v⁰ is 0·v⁻¹, for which the exponent 0 is a case of its own, the same in the whole box."""
    box = (np.full(2, -3.0), np.full(2, 3.0))
    found = sg.prove.all_roots(lambda v: sg.stack([v[0] ** 2 + v[1] ** 2 - 2 * v[1] ** 0, v[0] - v[1]]), box)
    assert found.is_complete
    assert len(found.zeros) == 2
