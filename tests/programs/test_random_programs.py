"""Random programs against torch: values, gradients and gradients of gradients.

A program is a list of steps on a pool of variables, the same lines for both libraries. What the documentation says to
be different on purpose does not occur:

- results of reading are copied, so that there are no views: a view of torch's changes with its base, one of symgrad's
  does not and refuses to be written to from then on;
- torch runs in-place statements on copies: there what a derivative needs must not be overwritten;
- integers and booleans are brought to the dtype of single precision that they meet, as numbers without axes are to
  each other's: promotion is NumPy's;
- ``x[[0, 0]] += y`` and the like do not write to one place twice: torch differentiates the writes that are lost;
- nan in a derivative of torch's is no number to agree with: the second derivative of a norm at 0, or what is ∞·0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import symgrad as sg

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")

SHAPES = [(), (3,), (2, 3), (1, 3), (2, 1), (3, 3), (2, 1, 3), (0, 3), (1,)]
LATTICE = [-2.0, -1.0, -0.5, 0.0, 0.0, 0.5, 1.0, 1.0, 1.5]  # ties and zeros are common
DTYPES = [np.float64, np.float64, np.float64, np.float32, np.int64, np.bool_]
Step = Callable[[Any, Any, Any, int], Any]


def floating(x: Any) -> bool:
    """Whether a tensor of either library has a gradient in principle."""
    return str(x.dtype).endswith(("float64", "float32"))


def truth(x: Any) -> bool:
    return str(x.dtype).endswith("bool")


def size(x: Any) -> int:
    return int(np.prod(tuple(x.shape)))


def meet(a: Any, b: Any) -> tuple[Any, Any]:
    """Two tensors whose promotion is NumPy's and torch's alike."""
    if a.dtype != b.dtype and (not (a.shape or b.shape) or {str(a.dtype)[-7:], str(b.dtype)[-7:]} & {"float32"}):
        return (a, b.to(a.dtype)) if floating(a) else (a.to(b.dtype), b)
    return a, b


def fit(a: Any, b: Any) -> bool:
    try:
        np.broadcast_shapes(tuple(a.shape), tuple(b.shape))
    except ValueError:
        return False
    return True


def only_floats(f: Callable[[Any, Any], Any]) -> Step:
    return lambda L, a, b, k: f(L, a) if floating(a) else None


def along(f: Callable[[Any, Any, int], Any], empty: bool = False) -> Step:
    """A function along one axis of a tensor of floats."""
    return lambda L, a, b, k: f(L, a, k % a.ndim) if floating(a) and a.ndim and (empty or size(a)) else None


def pair(f: Callable[[Any, Any, Any], Any], any_dtype: bool = False) -> Step:
    """A function of two tensors, broadcast."""

    def step(L: Any, a: Any, b: Any, k: int) -> Any:
        if not fit(a, b) or not (any_dtype or floating(a) or floating(b)):
            return None
        return f(L, *meet(a, b))

    return step


def filled(f: Callable[[Any, Any], Any]) -> Step:
    """A function of all entries, of which there are some."""
    return lambda L, a, b, k: f(L, a) if floating(a) and size(a) else None


def rows(f: Callable[[Any, int], Any]) -> Step:
    """Reading along the first axis."""
    return lambda L, a, b, k: f(a, k) if a.ndim and a.shape[0] else None


def like(L: Any, values: Any) -> Any:
    """An index or a mask."""
    return L.tensor(values)


def masked(L: Any, a: Any, b: Any, k: int) -> Any:
    return a[a > 0] if floating(a) and a.ndim else None


def product(L: Any, a: Any, b: Any, k: int) -> Any:
    if not (floating(a) and a.ndim and b.ndim and a.shape[-1] == b.shape[-min(2, b.ndim)] and fit_batch(a, b)):
        return None
    return L.matmul(a, b.to(a.dtype))


def fit_batch(a: Any, b: Any) -> bool:
    try:
        np.broadcast_shapes(tuple(a.shape)[:-2], tuple(b.shape)[:-2])
    except ValueError:
        return False
    return True


def chosen(L: Any, a: Any, b: Any, k: int) -> Any:
    if not fit(a, b) or not (floating(a) and floating(b)):
        return None
    a, b = meet(a, b)
    return L.where(a > b, a * 2, b)


def logits(L: Any, a: Any, b: Any, k: int) -> Any:
    """log-softmax beside -∞ and the softmax of an infinite logit."""
    if not floating(a) or not a.ndim or a.shape[-1] < 2:
        return None
    mask = like(L, [True] + [False] * (a.shape[-1] - 1))
    bad = float("-inf")
    y = L.where(mask, L.zeros_like(a) + bad, a)
    return [L.softmax(y, -1), L.logsumexp(y, -1), L.log_softmax(y, -1)[..., 1:]][k % 3]


READS: dict[str, Step] = {
    "exp": only_floats(lambda L, a: L.exp(L.clamp(a, -3, 2))),
    "tanh": only_floats(lambda L, a: L.tanh(a)),
    "sigmoid": only_floats(lambda L, a: L.sigmoid(a)),
    "relu": only_floats(lambda L, a: L.relu(a)),
    "abs": only_floats(lambda L, a: abs(a)),
    "sin": only_floats(lambda L, a: L.sin(a)),
    "square": only_floats(lambda L, a: a**2),
    "cube": only_floats(lambda L, a: a**3 / 4),
    "neg": only_floats(lambda L, a: -a),
    "affine": only_floats(lambda L, a: 2 * a - 0.5),
    "log": only_floats(lambda L, a: L.log1p(a * a)),
    "clamp": only_floats(lambda L, a: L.clamp(a, -0.5, 1.0)),
    "gelu": only_floats(lambda L, a: L.nn.functional.gelu(a)),
    "softplus": only_floats(lambda L, a: L.nn.functional.softplus(a)),
    "leaky": only_floats(lambda L, a: L.nn.functional.leaky_relu(a, 0.1)),
    "sign": only_floats(lambda L, a: L.sign(a) + L.floor(a)),
    "power of zero": only_floats(lambda L, a: a**0 + L.pow(2.0, a)),
    "remainder": only_floats(lambda L, a: a % 0.75),
    "add": pair(lambda L, a, b: a + b),
    "sub": pair(lambda L, a, b: a - b if not (truth(a) or truth(b)) else a + b),
    "mul": pair(lambda L, a, b: a * b, any_dtype=True),
    "div": pair(lambda L, a, b: a / (b * b + 1)),
    "maximum": pair(lambda L, a, b: L.maximum(a, b), any_dtype=True),
    "minimum": pair(lambda L, a, b: L.minimum(a, b)),
    "compare": pair(lambda L, a, b: a >= b, any_dtype=True),
    "equal": pair(lambda L, a, b: a == b, any_dtype=True),
    "where": chosen,
    "atan2": pair(lambda L, a, b: L.atan2(a, b * b + 1.5) if floating(a) and floating(b) else None),
    "count": lambda L, a, b, k: a.sum() if not floating(a) else None,
    "as float": lambda L, a, b, k: a.to(L.float64),
    "detach": lambda L, a, b, k: a.detach() * 2 if floating(a) else None,
    "sum": along(lambda L, a, d: a.sum(d), empty=True),
    "mean": along(lambda L, a, d: a.mean(d, keepdim=True)),
    "total": only_floats(lambda L, a: a.sum()),
    "amax": along(lambda L, a, d: L.amax(a, d)),
    "amin": filled(lambda L, a: L.amin(a)),
    "max": along(lambda L, a, d: L.max(a, d, keepdim=True).values),
    "argmax": along(lambda L, a, d: L.argmax(a, d)),
    "prod": along(lambda L, a, d: a.prod(d)),
    "var": along(lambda L, a, d: L.var(a, d, correction=0)),
    "norm": along(lambda L, a, d: L.linalg.vector_norm(a, 2, d)),
    "logsumexp": along(lambda L, a, d: L.logsumexp(a, d)),
    "softmax": along(lambda L, a, d: L.softmax(a, d)),
    "cumsum": along(lambda L, a, d: L.cumsum(a, d)),
    "cumprod": along(lambda L, a, d: L.cumprod(a, d)),
    "sort": along(lambda L, a, d: L.sort(a, dim=d, stable=True).values),
    "logits": logits,
    "matmul": product,
    "first": rows(lambda a, k: a[k % a.shape[0]]),
    "slice": rows(lambda a, k: a[k % 2 :: 2]),
    "last": lambda L, a, b, k: a[..., -1] if a.ndim and a.shape[-1] else None,
    "new axis": lambda L, a, b, k: a[None] if a.ndim < 3 else None,
    "repeats": rows(lambda a, k: a[[0, k % a.shape[0], 0]]),
    "masked": masked,
    "gather": lambda L, a, b, k: L.gather(a, 1, like(L, [[0, 0]])) if a.ndim == 2 and size(a) else None,
    "transposed": lambda L, a, b, k: L.transpose(a, 0, -1).clone() if a.ndim else None,
    "flat": lambda L, a, b, k: a.reshape(-1),
    "flip": lambda L, a, b, k: L.flip(a, (0,)) if a.ndim else None,
    "widened": lambda L, a, b, k: a.expand(2, *a.shape).clone() if a.ndim < 3 else None,
    "joined": lambda L, a, b, k: L.cat([a, b.to(a.dtype), a]) if a.ndim == b.ndim == 1 else None,
    "stacked": lambda L, a, b, k: L.stack([a, b.to(a.dtype)], -1) if a.shape == b.shape and a.ndim < 3 else None,
}  # fmt: skip


def into(a: Any, b: Any) -> bool:
    """Whether b fits into a, which holds floats."""
    return floating(a) and fit(a, b) and np.broadcast_shapes(tuple(a.shape), tuple(b.shape)) == tuple(a.shape)


def add_to(L: Any, a: Any, b: Any, k: int) -> Any:
    if into(a, b):
        a += b.to(a.dtype)


def take_from(L: Any, a: Any, b: Any, k: int) -> Any:
    if into(a, b):
        a -= 0.5 * b.to(a.dtype)


def scale_by(L: Any, a: Any, b: Any, k: int) -> Any:
    if into(a, b):
        a *= b.to(a.dtype)


def set_row(L: Any, a: Any, b: Any, k: int) -> Any:
    if a.ndim and a.shape[0] and into(a[0], b):
        a[k % a.shape[0]] = b.to(a.dtype)


def add_to_row(L: Any, a: Any, b: Any, k: int) -> Any:
    if a.ndim and a.shape[0] and into(a[0], b):
        a[k % a.shape[0]] += b.to(a.dtype)


def set_slice(L: Any, a: Any, b: Any, k: int) -> Any:
    if a.ndim and into(a[..., :1], b):
        a[..., :1] = b.to(a.dtype)


def set_masked(L: Any, a: Any, b: Any, k: int) -> Any:
    if floating(a):
        a[a < 0] = 0.25


def add_repeatedly(L: Any, a: Any, b: Any, k: int) -> Any:
    if floating(a) and a.ndim == 1 and a.shape[0] and floating(b) and tuple(b.shape) == (3,):
        a.index_add_(0, like(L, [0, 0, k % a.shape[0]]), b.to(a.dtype))


def multiply(L: Any, a: Any, b: Any, k: int) -> Any:
    if floating(a):
        a.mul_(1.5)


def activate(L: Any, a: Any, b: Any, k: int) -> Any:
    if floating(a):
        [a.relu_, a.tanh_, a.sigmoid_, a.neg_, a.abs_, a.sin_][k % 6]()


def limit(L: Any, a: Any, b: Any, k: int) -> Any:
    if floating(a):
        a.clamp_(-1.0, 1.0)


WRITES: dict[str, Step] = {
    "+=": add_to, "-=": take_from, "*=": scale_by, "x[k] =": set_row, "x[k] +=": add_to_row, "x[..., :1] =": set_slice,
    "x[mask] =": set_masked, "index_add_": add_repeatedly, "mul_": multiply, "activate_": activate, "clamp_": limit,
}  # fmt: skip
STEPS = READS | WRITES


@st.composite
def inputs(draw: Any) -> list[Any]:
    found = []
    for _ in range(draw(st.integers(1, 4))):
        shape, dtype = draw(st.sampled_from(SHAPES)), draw(st.sampled_from(DTYPES))
        count = int(np.prod(shape))
        values = draw(st.lists(st.sampled_from(LATTICE), min_size=count, max_size=count))
        found.append(np.array(values).reshape(shape).astype(dtype))
    return found


NUMBER = st.integers(0, 11)
PROGRAMS = st.lists(st.tuples(st.sampled_from(list(STEPS)), NUMBER, NUMBER, NUMBER), min_size=1, max_size=12)


def run(L: Any, arrays: list[Any], program: list[Any]) -> tuple[list[Any], list[Any]]:
    """The leaves that have a gradient, and all variables at the end."""
    leaves = [L.tensor(x, dtype=getattr(L, x.dtype.name), requires_grad=x.dtype.kind == "f") for x in arrays]
    pool = [x * 1 if floating(x) else x for x in leaves]
    for name, i, j, k in program:
        a, b = pool[i % len(pool)], pool[j % len(pool)]
        if name in READS:
            y = STEPS[name](L, a, b, k)
            if y is not None and size(y) <= 60:
                pool.append(y.clone())  # no view
        else:
            if L is torch:  # what a derivative needs is overwritten
                a = pool[i % len(pool)] = a.clone()
            STEPS[name](L, a, a.clone() if b is a else b, k)
    return [x for x in leaves if x.requires_grad], pool


def weighed(L: Any, xs: list[Any]) -> Any:
    """A number that depends on all entries of the tensors of floats."""
    total = L.zeros((), dtype=L.float64)
    for n, x in enumerate(xs):
        weights = np.cos(np.arange(size(x)) * 0.7 + n).reshape(tuple(x.shape))
        total = total + (x.to(L.float64) * L.tensor(weights, dtype=L.float64)).sum()
    return total


def derived(L: Any, y: Any, leaves: list[Any]) -> list[Any]:
    """The gradient with a graph of its own, zero where there is none."""
    if not y.requires_grad:
        return [L.zeros_like(x) for x in leaves]
    found = L.autograd.grad(y, leaves, create_graph=True, allow_unused=True)
    return [L.zeros_like(x) if g is None else g for g, x in zip(found, leaves)]


def plain(x: Any) -> Any:
    return x.detach().numpy(force=True) if isinstance(x, torch.Tensor) else x.detach().numpy()


def agree(found: list[Any], expected: list[Any], rtol: float) -> None:
    for x, t in zip(found, expected, strict=True):
        a, b = plain(x), plain(t)
        assert a.shape == b.shape
        assert a.dtype == b.dtype
        known = ~np.isnan(b) if b.dtype.kind == "f" else np.ones(b.shape, bool)
        scale = max(1.0, float(np.max(np.abs(b[known & np.isfinite(b)]), initial=0.0)))
        np.testing.assert_allclose(np.asarray(a)[known], b[known], rtol, rtol * scale)


@settings(
    max_examples=400, derandomize=True, deadline=None, database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)  # fmt: skip
@given(inputs(), PROGRAMS)
def has_torchs_values_and_derivatives(arrays, program):
    ts, expected = run(torch, arrays, program)
    assume(all(torch.isfinite(x).all() and (x.abs() < 1e6).all() for x in expected if floating(x)))
    xs, found = run(sg, arrays, program)
    single = any(x.dtype == torch.float32 for x in expected)
    rtol = 2e-4 if single else 1e-9
    agree(found, expected, rtol)
    if not ts:
        return
    gs = derived(sg, weighed(sg, [x for x in found if floating(x)]), xs)
    ws = derived(torch, weighed(torch, [x for x in expected if floating(x)]), ts)
    assume(all((g.abs() < 1e6).all() for g in ws))
    agree(gs, ws, rtol)
    agree(derived(sg, weighed(sg, gs), xs), derived(torch, weighed(torch, ws), ts), 10 * rtol)


@pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")
def test_random_programs_have_torchs_values_gradients_and_gradients_of_gradients():
    has_torchs_values_and_derivatives()  # called here: of a test of its own Hypothesis reads all sources at the start
