"""Derivatives of loops: a recurrence of states, another of adjoint states, and a sum over the steps."""

import numpy as np
import pytest
from reader_loops import loop_value

import symgrad as sg
from symgrad.errors import FormError
from symgrad.forms.nodes.printers import mathml

N = 5
W, h0, X, b = sg.symbol("W", (3, 3)), sg.symbol("h0", 3), sg.symbol("X", (N, 3)), sg.symbol("b", 3)
a, c, x, V = sg.symbol("a", ()), sg.symbol("c", ()), sg.symbol("x", N), sg.symbol("V", (3, 3))


def rnn(h, x):
    h = sg.tanh(W @ h + x)
    return h, h


def linear(h, x):
    h = W @ h + x
    return h, h


def smoothed(s, x):
    s = a * s + (1 - a) * x
    return s, s


def oscillator(state, _):
    q, p = state
    p = p - 0.1 * a * q
    return (q + 0.1 * p, p), q


def runge_kutta(y, _):
    def f(y):
        return -a * y

    k1 = f(y)
    k2 = f(y + 0.05 * k1)
    return y + 0.1 * k2, None


def order_4(s, _):
    def f(s):
        return sg.tanh(W @ s)

    k1 = f(s)
    k2 = f(s + 0.05 * k1)
    k3 = f(s + 0.05 * k2)
    return s + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + f(s + 0.1 * k3)), None


def gated(h, x):
    u = sg.sigmoid(W @ h + x)
    return (1 - u) * h + u * sg.tanh(x), None


def kalman(state, z):
    m, p = state
    p = 0.9 * p + a
    gain = p / (p + 0.5)
    m = m + gain * (z - m)
    return (m, (1 - gain) * p), m


STEPS = {
    "RNN, by its weights": (
        lambda: ((sg.scan(rnn, h0, X)[0] ** 2).sum(), W),
        "Sum_{t=0..4} η[t]*s[t]ᵀ where λ[t] = Wᵀ*η[t]; λ[5] = 2*s[5]; η[t] = λ[t+1] ⊙ (1 - s[t+1]^⊙2); "
        "s[t+1] = tanh(W*s[t] + X[t]); s[0] = h0",
    ),
    "RNN, by its start": (
        lambda: ((sg.scan(rnn, h0, X)[0] ** 2).sum(), h0),
        "λ[0] where λ[t] = Wᵀ*(λ[t+1] ⊙ (1 - s[t+1]^⊙2)); λ[5] = 2*s[5]; s[t+1] = tanh(W*s[t] + X[t]); s[0] = h0",
    ),
    "RNN, by its inputs": (lambda: ((sg.scan(rnn, h0, X)[1] ** 2).sum(), X), None),
    "RNN with a loss at each step": (lambda: ((sg.scan(rnn, h0, X)[1] ** 2).sum(), W), None),
    "linear system": (
        lambda: ((sg.scan(linear, h0, X)[1] ** 2).sum(), W),
        "Sum_{t=0..4} (λ[t+1] + 2*s[t+1])*s[t]ᵀ where λ[t] = Wᵀ*(λ[t+1] + 2*s[t+1]); λ[5] = 0; "
        "s[t+1] = W*s[t] + X[t]; s[0] = h0",
    ),
    "Horner's scheme": (
        lambda: (sg.scan(lambda s, x: (a * s + x, None), c, x)[0], a),
        "Sum_{t=0..4} h[t]*λ[t+1] where λ[t] = a*λ[t+1]; λ[5] = 1; h[t+1] = a*h[t] + x[t]; h[0] = c",
    ),
    "exponential smoothing": (lambda: (sg.scan(smoothed, c, x)[0], a), None),
    "error of smoothing": (lambda: (((sg.scan(smoothed, c, x)[1] - x) ** 2).sum(), a), None),
    "compound interest": (
        lambda: (sg.scan(lambda s, x: (c * x + s * 0 + s * x, None), c, x)[0], c), None,
    ),
    "Newton's square root": (
        lambda: (sg.fori_loop(0, N, lambda k, y: y - (y * y - a) / (2 * y), c), a), None,
    ),
    "oscillator": (lambda: ((sg.scan(oscillator, (c, a), length=N)[1] ** 2).sum(), c), None),
    "method of Runge and Kutta": (lambda: (sg.scan(runge_kutta, c, length=N)[0] ** 2, c), None),
    "method of Runge and Kutta, of order 4": (lambda: ((sg.scan(order_4, h0, length=N)[0] ** 2).sum(), h0), None),
    "gated unit": (lambda: ((sg.scan(gated, h0, X)[0] ** 2).sum(), W), None),
    "Kalman filter of a number": (lambda: ((sg.scan(kalman, (c, a), x)[1] ** 2).sum(), a), None),
    "counting loop": (
        lambda: (sg.fori_loop(0, N, lambda k, s: s * a + k, c), a),
        "Sum_{t=0..4} h[t]*λ[t+1] where λ[t] = a*λ[t+1]; λ[5] = 1; h[t+1] = a*h[t] + t; h[0] = c",
    ),
    "loop from the end": (
        lambda: (sg.scan(lambda s, x: (a * s + x, None), c, x, reverse=True)[0], a),
        "Sum_{t=0..4} h[t+1]*λ[t] where λ[t+1] = a*λ[t]; λ[0] = 1; h[t] = a*h[t+1] + x[t]; h[5] = c",
    ),
    "power iteration": (lambda: ((sg.scan(lambda v, _: (W @ v, None), h0, length=N)[0] * b).sum(), W), None),
    "filter with a matrix": (
        lambda: ((sg.scan(lambda h, x: (W @ (h - V @ (h - x)), None), h0, X)[0] ** 2).sum(), V), None,
    ),
    "gradient descent": (
        lambda: ((sg.scan(lambda w, _: (w - 0.1 * (W.T @ (W @ w - b)), None), h0, length=N)[0] ** 2).sum(), b), None,
    ),
}  # fmt: skip


def values(form):
    rng = np.random.default_rng(3)
    given = {k: rng.uniform(0.3, 0.9, leaf.shape) for k, leaf in zip(form._called.names, form._leaves, strict=True)}
    return given, form.lambdify()(**{k: given[k] for k in form.args})


@pytest.mark.parametrize("name", STEPS)
def test_loop_is_written_as_recurrences(name):
    make, text = STEPS[name]
    form = sg.derive(*make())
    shown = str(form)
    assert "scan(" not in shown
    assert text is None or shown == text
    given, expected = values(form)
    np.testing.assert_allclose(loop_value(shown, form.shape, given, N), expected, rtol=1e-9, atol=1e-12)


def test_recurrences_in_latex_and_on_pages():
    form = sg.derive(*STEPS["RNN, by its weights"][0]())
    assert (
        form.latex()
        == form.latex("where")
        == (
            r"\sum_{t=0}^{4} \eta_{t} s_{t}^{\top},\quad \lambda_{t} = W^{\top} \eta_{t},\quad "
            r"\lambda_{5} = 2 s_{5},\quad \eta_{t} = \lambda_{t+1} \odot \left(1 - s_{t+1}^{\odot 2}\right),\quad "
            r"s_{t+1} = \tanh\left(W s_{t} + X_{t}\right),\quad s_{0} = h_{0}"
        )
    )
    for e in [form.body, *[d.expr for d in form.where], *[d.name for d in form.where]]:
        assert "<mtext>" not in mathml(e)


def test_recurrences_are_checked_at_the_values_of_leaves(monkeypatch):
    start, factor = (sg.tensor(v, requires_grad=True, name=k) for k, v in (("c", 0.5), ("a", 0.9)))
    y = sg.scan(lambda s, x: (factor * s + x, None), start, sg.tensor([1.0, 2.0, 3.0], name="x"))[0]
    assert str(sg.derive(y, factor)).startswith("Sum_{t=0..2} h[t]*λ[t+1] where ")
    monkeypatch.setattr("symgrad.forms.recurrences.Recurrences.value", lambda self, arrays, k=0: np.array(1.0))
    with pytest.raises(FormError, match="does not have the value"):
        str(sg.derive(y, factor))


def test_several_derivatives_share_their_recurrences():
    text = str(sg.derive((sg.scan(linear, h0, X)[0] ** 2).sum(), [W, h0]))
    assert text == (
        "d/dW = Sum_{t=0..4} λ[t+1]*s[t]ᵀ\nd/dh0 = λ[0]\nwhere λ[t] = Wᵀ*λ[t+1]\n      λ[5] = 2*s[5]\n"
        "      s[t+1] = W*s[t] + X[t]\n      s[0] = h0"
    )


def test_loop_that_is_no_recurrence_keeps_its_name():
    y = sg.scan(lambda h, x: (sg.sort(h, 0).values * x, None), h0, X)[0]
    assert sg.derive((y**2).sum(), h0).lambdify() is not None
    assert str(sg.derive((y**2).sum(), h0))
