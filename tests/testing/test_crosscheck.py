"""What ``crosscheck`` says of kinks, of gradients that are cut, of wrong rules, and of the digits of right ones."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.cli.main import main
from symgrad.errors import ArgumentError, CrosscheckError
from symgrad.testing import crosschecks
from symgrad.testing.proofs import certain_digits

check = sg.testing.crosscheck

KINKS = [  # the function, a point at its kink, the operation, the entry
    ("abs", lambda x: sg.abs(x).sum(), [1.0, 0.0], "abs", "x[1] = 0"),
    ("relu", lambda x: sg.relu(x).sum(), [0.0, 1.0], "relu", "x[0] = 0"),
    ("the edge of clamp", lambda x: sg.clamp(x, 0.0, 1.0).sum(), [0.5, 1.0], "clamp", "x[1] = 1"),
    ("a tie", lambda x: sg.amax(x), [2.0, 2.0], "amax", "x[0] = 2"),
    ("a tie of two tensors", lambda x: sg.maximum(x[0], x[1]), [2.0, 2.0], "maximum", "x[0] = 2"),
    ("where", lambda x: sg.where(x > 1, 2 * x, x + 1).sum(), [1.0, 3.0], "where", "x[0] = 1"),
    ("a jump", lambda x: (sg.floor(x) * x).sum(), [0.5, 2.0], "floor", "x[1] = 2"),
    ("the sign", lambda x: sg.sign(x).sum(), [0.0], "sign", "x[0] = 0"),
    ("a norm", lambda x: sg.linalg.norm(x), [0.0, 0.0], "norm", "x[0] = 0"),
    ("equal entries in order", lambda x: sg.sort(x).values[0], [1.0, 1.0], "", "x[0] = 1"),
    ("a median", lambda x: sg.median(x), [1.0, 2.0, 1.0], "median", "x[0] = 1"),
    ("inside other functions", lambda x: sg.exp(sg.abs(sg.sin(x))).sum(), [0.0, 1.0], "abs", "x[0] = 0"),
    ("an order statistic of which no entry alone moves", lambda x: sg.quantile(x, 0.5), [1.0, 0.0, 0.0, 0.0, 0.0],
     "quantile", "x[3] = 0"),
    ("a kink that another cancels", lambda x: (sg.relu(x) - sg.relu(-x)).sum(), [0.0, 1.0], "relu", "x[0] = 0"),
    ("an infinite slope that makes others nan", lambda x: sg.sqrt(x**2), [0.0, 1.0], "sqrt", "x[0] = 0"),
    ("a slope that no rule finds", lambda x: (x * sg.sqrt(sg.abs(x))).sum(), [0.0, 1.0], "abs", "x[0] = 0"),
    ("a loss", lambda x: sg.nn.functional.l1_loss(x, sg.zeros(2)), [0.0, 1.0], "mean of Abs", "x[0] = 0"),
    ("a branch in Python", lambda x: x * 2 if x > 0 else -x, 0.0, "f", "x = 0"),
]  # fmt: skip


@pytest.mark.parametrize(("f", "point", "operation", "where"), [k[1:] for k in KINKS], ids=[k[0] for k in KINKS])
def test_a_kink_is_said_to_be_one(f, point, operation, where):
    report = check(f, np.array(point))
    assert report.ok
    assert "the point is a kink" in str(report)
    assert "agree" not in str(report)
    assert all(operation in kink and f"no derivative at {where}" in kink for kink in report.kinks)


NEAR = [
    ("beside a kink", lambda x: sg.abs(x).sum(), [1e-5, 1.0]),
    ("beside a tie", lambda x: sg.amax(x), [1.0, 1.0 + 1e-5]),
    ("beside a jump", lambda x: (sg.floor(x) * x).sum(), [1 - 1e-5]),
    ("a kink of the slope", lambda x: (sg.relu(x) ** 2).sum(), [0.0, 1.0]),
    ("a kink that does not count", lambda x: (x * sg.abs(x)).sum(), [0.0]),
    ("a power of a kink", lambda x: (sg.abs(x) ** 1.5).sum(), [0.0, 1.0]),
    ("a slope with a kink", sg.nn.functional.softsign, [0.0, 1.0]),
    ("distances from oneself", lambda x: sg.cdist(x, x).sum(), [[0.0, 0.0], [1.0, 2.0]]),
    ("a formula with a pole", lambda x: sg.linalg.norm(x) * x, [0.0, 0.0]),
    ("steep", lambda x: sg.exp(30 * x).sum(), [0.1]),
    ("flat", lambda x: (x**4).sum(), [0.0]),
]


@pytest.mark.parametrize(("f", "point"), [k[1:] for k in NEAR], ids=[k[0] for k in NEAR])
def test_what_has_a_derivative_is_no_kink(f, point):
    report = check(f, np.array(point))
    assert report.ok
    assert report.kinks == ()


class Wrong(sg.autograd.Function):
    """x³, with the slope 3x² of the entries above 1 only."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return sg.where(x > 1, 3 * x**2, 2 * x**2) * g


def test_a_wrong_rule_is_found_beside_a_kink_of_another_entry():
    with pytest.raises(CrosscheckError, match="The rule of an operation"):
        check(lambda x: Wrong.apply(x).sum() + sg.abs(x[0]), np.array([0.0, 0.5]))


@pytest.mark.parametrize("kink", [sg.relu, lambda x: sg.relu(x) - sg.relu(-x), lambda x: x * sg.abs(x)])
def test_a_wrong_rule_is_found_beside_a_kink_of_the_same_entry(kink):
    with pytest.raises(CrosscheckError, match="The rule of an operation"):
        check(lambda x: (Wrong.apply(x + 0.5) + kink(x)).sum() + 0 * sg.median(x), np.array([0.0, 0.25, 0.25, 0.25]))


def test_a_wrong_rule_is_found_by_digits():
    report = check(lambda x: Wrong.apply(x).sum(), np.array([0.5]), digits=30, raise_exception=False)
    right = {w.name: w.agrees for w in report.witnesses}
    assert right["mpmath, 30 digits"]
    assert right["finite differences"]
    assert not right["reverse mode"]


# ------------------------------------------------------------------ gradients that are cut
def frozen(z):
    with sg.no_grad():
        w = sg.exp(z)
    return (w * z).sum()


CUTS = [
    ("detach", lambda z: (z.detach() * z).sum()),
    ("no_grad", frozen),
    ("through NumPy", lambda z: sg.tensor(np.exp(z.detach().numpy())).sum()),
    ("one term through NumPy", lambda z: (z**2 + sg.tensor(np.sin(z.detach().numpy()))).sum()),
]


class Doubled(sg.autograd.Function):
    """A square whose rule forgets the 2, times a factor."""

    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return factor * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return ctx.factor * x * g, None


@pytest.mark.parametrize("factor", [1e12, 1.0, 1e-7, 1e-19, 1e-200])
def test_errors_are_relative_to_the_derivative_however_small(factor):
    report = check(lambda x: Doubled.apply(x, factor), np.array(3.0), raise_exception=False)
    assert [w.name for w in report.witnesses if not w.agrees] == ["finite differences"]
    np.testing.assert_allclose(report.witnesses[-1].error, 1.0, rtol=1e-6)
    assert check(lambda x: factor * x * x + factor * sg.sin(x), np.array(3.0)).ok
    beside = check(lambda x: Doubled.apply(x, factor * 1e-6).sum() + factor, np.array(3.0), raise_exception=False)
    assert not beside.ok


FLAT = {  # slopes that are 0 or nearly so, which no difference is
    "a constant": lambda x: sg.softmax(x, 0).sum(),
    "a sum of deviations": lambda x: sg.nn.functional.layer_norm(x, (3,)).sum(),
    "a power": lambda x: ((x - x.detach()) ** 5).sum(),
    "saturated": lambda x: sg.tanh(40 * x).sum(),
    "at an extremum": lambda x: sg.cos(x - x.detach()).sum(),
    "beside a large value": lambda x: 1 + 1e-9 * x.sum(),
}


@pytest.mark.parametrize("name", FLAT)
def test_slopes_that_vanish_are_no_disagreement(name):
    assert check(FLAT[name], np.array([0.7, 1.9, -1.2])).ok


@pytest.mark.parametrize("seed", range(4))
def test_rounding_of_terms_that_cancel_is_no_disagreement(seed):
    q, k, v = (np.random.default_rng(seed).normal(size=size) for size in [(3, 2, 1), (3, 1, 1), (3, 1, 3)])
    assert check(lambda k: sg.nn.functional.scaled_dot_product_attention(q, k, v), k).ok  # of one key


@pytest.mark.parametrize("factor", [1.0, 1e-12, 1e-200])
@pytest.mark.parametrize("notation", ["index notation", "matrix notation"])
def test_a_wrong_factor_in_a_notation_is_no_rounding(monkeypatch, notation, factor):
    right = crosschecks._NOTATIONS[notation]
    monkeypatch.setitem(crosschecks._NOTATIONS, notation, lambda *args: 1.00001 * right(*args))
    report = check(lambda x: factor * sg.softmax(x, 0), np.array([0.7, 1.9, -1.2]), raise_exception=False)
    assert [w.name for w in report.witnesses if not w.agrees] == [notation]


POLES = {
    "reciprocal": lambda d: (lambda x: 1 / x, d), "reciprocal elsewhere": lambda d: (lambda x: 1 / (x - 1), 1 + d),
    "logarithm": lambda d: (sg.log, d), "square root": lambda d: (sg.sqrt, d), "beyond": lambda d: (sg.log, -d),
    "tangent": lambda d: (sg.tan, np.pi / 2 - d), "logarithm of gamma": lambda d: (sg.lgamma, d - 2),
    "far from 0": lambda d: (sg.sin, 1 / d),
}  # fmt: skip


@pytest.mark.parametrize("name", POLES)
@pytest.mark.parametrize("distance", [1e-4, 1e-6])
def test_readings_that_are_right_beside_a_pole_agree(name, distance):
    f, x = POLES[name](distance)
    report = check(f, np.array(x), raise_exception=False)
    assert report.ok == (name != "beyond")  # where there is no number
    if report.ok:
        assert report.kinks == ()


def test_a_wrong_rule_is_found_beside_a_pole():
    for distance in (1e-3, 1e-4):
        report = check(lambda x: 1 / x + sg.log(x.detach()), np.array(distance), raise_exception=False)
        assert not report.ok


OVERFLOWING = {
    "value": (lambda x: sg.exp(x), [800.0, 1.0]), "difference": (lambda x: sg.exp(x) - sg.exp(x), [800.0, 1.0]),
    "inner value": (lambda x: sg.log(sg.exp(x)), [800.0, 1.0]), "slope": (lambda x: sg.exp(2 * x), [354.8, 1.0]),
    "quotient": (lambda x: sg.exp(x) / (1 + sg.exp(x)), [800.0, 1.0]), "pole": (lambda x: 1 / x, [0.0, 1.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERFLOWING)
def test_what_is_not_finite_does_not_agree(name):
    f, x = OVERFLOWING[name]
    with np.errstate(all="ignore"), pytest.raises(CrosscheckError, match="f or its derivative is not finite at these"):
        check(f, np.array(x))


@pytest.mark.parametrize("f", [c[1] for c in CUTS], ids=[c[0] for c in CUTS])
def test_a_cut_gradient_is_not_blamed_on_a_rule(f):
    with pytest.raises(CrosscheckError, match="The gradient was cut between z and the result") as error:
        check(f, np.array([0.5, 2.0]))
    assert "rule of an operation" not in str(error.value)


def test_a_cut_names_the_input_as_the_function_does():
    def f(weights, bias):
        return (weights * bias.detach() + bias).sum()

    with pytest.raises(CrosscheckError, match="cut between bias and the result"):
        check(f, np.array([1.0, 2.0]), np.array([0.5, 0.25]))


# ------------------------------------------------------------------ digits
def test_errors_are_in_ulps_of_the_true_gradient():
    report = check(lambda x: sg.softplus(x).sum(), np.array([-800.0, -30.0, 1.5]), digits=40)
    found = {w.name: w.ulps for w in report.witnesses}
    assert found["reverse mode"] <= 4
    assert found["finite differences"] > 4
    assert "ulp" in str(report)
    exact = next(w.value for w in report.witnesses if w.name == "mpmath, 40 digits")
    assert abs(float(exact[2]) - 1 / (1 + np.exp(-1.5))) < 1e-15


def test_digits_see_a_kink_that_differences_step_over():
    report = check(lambda x: sg.abs(x).sum(), np.array([0.0]), digits=20)
    assert report.ok
    assert "kink" in str(report)


def test_of_large_inputs_some_entries_are_computed():
    report = check(lambda x, y: (sg.sin(x) * y).sum(), np.linspace(0, 1, 40), np.ones(40), digits=20)
    assert report.ok
    assert [w.value.shape for w in report.witnesses if w.name.startswith("mpmath")] == [(16,), (16,)]


def test_an_operation_without_meaning_leaves_the_witness_out():
    report = check(lambda a: sg.linalg.svd(a).U.abs().sum(), np.array([[1.0], [2.0]]), digits=20, raise_exception=False)
    assert any("SingularVectors" in w.missing for w in report.witnesses)


def test_the_command_line_has_digits_and_kinks(capsys):
    assert main(["check", "logsumexp(x, 0)", "--shape", "x=3", "--digits", "30"]) == 0
    assert "mpmath, 30 digits" in capsys.readouterr().out
    assert main(["check", "sum(abs(x - x))", "--shape", "x=2"]) == 0


def test_a_kink_beside_the_point_is_not_said_to_be_at_it():
    beside = str(sg.testing.crosscheck(lambda z: sg.abs(z).sum() + 1e6, np.array([1e-9, 1.0])))
    assert "no derivative" not in beside
    assert "abs has one within 2e-08 of z[0] = 1e-09" in beside
    there = str(sg.testing.crosscheck(lambda z: sg.abs(z).sum(), np.array([0.0, 1.0])))
    assert "abs has no derivative at z[0] = 0" in there


def test_report_is_a_table_without_empty_columns():
    report = sg.testing.crosscheck(lambda x: (x**3).sum(), np.array([1.0, 2.0]))
    head, *rows = str(report).splitlines()[1:]
    assert head.split("  ")[1:2] == ["input"]
    starts = [head.index(name) for name in ("input", "found by", "error", "verdict")]
    assert len(rows) == len(report.witnesses)
    for row, witness in zip(rows, report.witnesses, strict=True):
        cells = [row[a:b].strip() for a, b in zip(starts, [*starts[1:], None], strict=True)]
        assert cells[:2] + cells[3:] == [str(witness.input), witness.name, witness.verdict]
        assert float(cells[2]) == pytest.approx(witness.error, rel=0.1)
    assert "ulp" not in head
    kink = sg.testing.crosscheck(lambda x: sg.abs(x).sum(), np.array([0.0]))
    assert str(kink).splitlines()[1].split() == ["input", "found", "by", "verdict"]
    page = kink._repr_html_()
    assert page.count("<tr>") == 1 + len(kink.witnesses)
    assert "<td>kink: abs has no derivative at x[0] = 0</td>" in page


class SmallWrong(sg.autograd.Function):
    """x₀² and 1e-9·x₁², whose second slope is half of what it should be."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return sg.stack([x[0] ** 2, 1e-9 * x[1] ** 2])

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return sg.stack([2 * x[0] * g[0], 1e-9 * x[1] * g[1]])


@pytest.mark.parametrize("f", [SmallWrong.apply, lambda x: SmallWrong.apply(x).sum()])
def test_a_small_entry_is_measured_by_itself(f):
    report = sg.testing.crosscheck(f, np.array([1.3, 0.7]), raise_exception=False)
    assert [w.name for w in report.witnesses if not w.agrees] == ["finite differences"]


ROUNDED = {  # entries that differences or terms see through rounding only
    "a zero by cancelling": (lambda x: sg.softmax(x, 0), [0.0, 1.0, 30.0]),
    "beside large ones": (lambda x: (sg.tensor([1.0, 1e-12, 1e12]) * x**2).sum(), [1.0, 2.0, 3.0]),
    "at extrema": (lambda x: sg.cos(x).sum(), [0.0, np.pi / 2, np.pi, 1e-9]),
    "at huge arguments": (lambda x: sg.sin(x).sum(), [1e15, 1.0]),
    "beside a branch point": (sg.sqrt, [1e-8, 1.0]),
    "beside a pole": (sg.log, [1e-6, 1.0]),
    "of a normalisation": (lambda x: sg.nn.functional.layer_norm(x, (4,)), [0.1, 0.2, 1e4, -3.0]),
}


@pytest.mark.parametrize("name", ROUNDED)
def test_rounding_is_no_disagreement(name):
    f, x = ROUNDED[name]
    assert sg.testing.crosscheck(f, np.array(x)).ok


def test_wrong_rules_are_found_where_differences_need_small_steps():
    class Wrong(sg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return sg.sin(1e5 * x)

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 1e5 * sg.cos(1e5 * x) * (1 + 1e-4)

    assert not sg.testing.crosscheck(Wrong.apply, np.array([0.3]), raise_exception=False).ok


@pytest.mark.parametrize("f", [lambda x: (x * sg.rand(3)).sum(), lambda x: sg.nn.functional.dropout(x).sum()])
def test_a_random_function_is_called_random(f):
    with pytest.raises(ArgumentError, match=r"crosscheck: f returned two different results .* sg.manual_seed\(0\)"):
        sg.testing.crosscheck(f, np.ones(3))

    def seeded(x):
        sg.manual_seed(0)
        return f(x)

    assert sg.testing.crosscheck(seeded, np.ones(3)).ok


# ------------------------------------------------------------------ certain digits
@pytest.mark.parametrize("f", [
    lambda x: (sg.softplus(x) * x).sum(),
    lambda x: sg.linalg.solve(sg.diag(x) + 1, x),
    lambda x: sg.lgamma(x).sum() * sg.exp(-x),
])  # fmt: skip
def test_digits_that_balls_contain_are_said_to_be_proved(f):
    pytest.importorskip("flint")
    report = check(f, np.array([0.7, 1.9]), digits=30)
    assert report.proved in (14, 15, 16)
    assert f"proved to {report.proved} digits at this point" in str(report)


def test_exact_gradients_are_proved_to_all_digits():
    pytest.importorskip("flint")
    assert check(lambda x: (x**3).sum(), np.array([2.0, 1.5]), digits=25).proved == 25


def test_a_reading_is_proved_to_no_more_digits_than_it_has():
    pytest.importorskip("flint")
    f, x = lambda x: sg.exp(x).sum(), np.array([0.3, -2.0])
    for places in (3, 6, 9):
        reading = np.exp(x) * (1 + 0.9 * 10.0**-places)
        assert certain_digits(f, [x], 0, reading, 30) == places
    for reading in (np.exp(x) * [1, -1], np.full(2, np.nan), np.zeros(2), np.exp(x)[:1]):
        assert certain_digits(f, [x], 0, reading, 30) is None


@pytest.mark.parametrize(("f", "x"), [
    (lambda x: sg.abs(x).sum(), [0.0, 1.0]),  # a kink
    (lambda x: sg.softplus(x).sum(), [-800.0, 1.0]),  # below the smallest float64
    (lambda x: (sg.exp(x) - sg.exp(x)).sum() + x[0], [0.3, 1.0]),  # a ball around 0
])  # fmt: skip
def test_nothing_is_proved_where_no_digit_is_certain(f, x):
    pytest.importorskip("flint")
    report = check(f, np.array(x), digits=20, raise_exception=False)
    assert report.proved is None
    assert "proved" not in str(report)


def test_without_digits_nothing_is_proved():
    assert check(lambda x: (x**3).sum(), np.array([2.0])).proved is None
