"""Machine code of loops against eager ones; and as Python sees it: odd arguments, threads, references, memory."""

from __future__ import annotations

import gc
import sys
import threading
import tracemalloc

import numpy as np
import pytest

import symgrad as sg

pytest.importorskip("llvmlite.binding")


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).uniform(-1, 1, shape)


def parts(result):
    """The tensors or arrays in nested tuples."""
    return [y for part in result for y in parts(part)] if isinstance(result, tuple) else [result]


def arrays(result):
    return [np.asarray(y.detach().numpy() if isinstance(y, sg.Tensor) else y) for y in parts(result)]


def agree(found, expected, tolerance=1e-12):
    for y, z in zip(arrays(found), arrays(expected), strict=True):
        assert (y.shape, y.dtype) == (z.shape, z.dtype)
        np.testing.assert_allclose(y, z, rtol=tolerance, atol=tolerance)


# ------------------------------------------------------------------ loops
H, X, W = numbers(5), numbers(30, 5, seed=1), numbers(5, 5, seed=2) / 2


def recurrent(h, X, W):
    return sg.scan(lambda h, x: (sg.tanh(W @ h + x), (h * h).sum()), h, X)


def there_and_back(h, X, W):
    end, hs = sg.scan(lambda h, x: (sg.tanh(W @ h + x), h), h, X)
    return sg.scan(lambda h, x: (sg.sin(W.T @ h) * x, h[::2]), end, hs, reverse=True)


def several_carries(h, X, W):
    def step(carry, x):
        v, s, M = carry
        return (v * 0.9 + x, s + (v * x).sum(), M @ M * 0.1 + sg.outer(x, v)), (s, M[0])

    return sg.scan(step, (h, h[0], W), X)


def swapped(h, X):
    return sg.scan(lambda c, x: ((c[1], c[0] * 0.9 + x), c[0] * c[1]), (h, h * 2), X)


def nested(h, X, W):
    def outer(c, x):
        end, ys = sg.scan(lambda d, z: (d * z + c.sum() * 0.1, d * d), c.sum() * 0.1, W @ x)
        return sg.sin(c) * end + ys.sum(), end

    return sg.scan(outer, h, X)


def large_angles(h, X):
    return sg.scan(lambda c, x: (sg.sin(c * 1e7) + x, sg.cos(c * 1e12).sum()), h, X)


def without_slices(h, W):
    return sg.scan(lambda c, _: (c - 0.1 * c**3 + 0.1 * (W @ c), c[0]), h, None, length=20)


def by_number(h, W):
    return sg.fori_loop(1, 9, lambda i, c: sg.sin(W @ c) * i + c / i, h)


def with_numbers(h, X):
    return sg.scan(lambda c, x: (c * 0.5 + 2.0 * x + sg.where(x > 0, 1.0, c), (c, x * 0 + 3.0)), h, X)


def unchanged(h, X):
    return sg.scan(lambda c, x: ((c[0], c[1] + x * c[0]), c[0]), (h, h * 2), X)


def solving(h, X, W):
    return sg.scan(lambda c, x: (sg.linalg.solve(W + 3 * sg.eye(5), c) + x, c.sum()), h, X)


def counting(h, X):
    return sg.scan(lambda c, x: (c * 0.5 + x * (x > 0).sum(), (c > x) * 1.0), h, X)


def curvature(h, X, W):
    return sg.hessian(lambda h: (recurrent(h, X, W)[1] ** 2).sum())(h)


def slopes(h, X, W):
    return sg.jacobian(lambda h: recurrent(h, X, W)[0])(h)


def side_by_side(h, X):
    return sg.vmap(lambda a: sg.scan(lambda c, x: (sg.sin(c) * x, c), a, X)[0])(sg.stack([h, -h, h * 2]))


LOOPS = {
    "recurrent": (recurrent, H, X, W),
    "one step": (recurrent, H, X[:1].copy(), W),
    "there and back": (there_and_back, H, X, W),
    "several carries": (several_carries, H, X, W),
    "swapped": (swapped, H, X),
    "nested": (nested, H, X, W),
    "large angles": (large_angles, H, X),
    "without slices": (without_slices, H, W),
    "by number": (by_number, H, W),
    "with numbers": (with_numbers, H, X),
    "unchanged": (unchanged, H, X),
    "transposed": (lambda h, X: sg.scan(lambda c, x: (c * 0.5 + x, c), h, X.T), numbers(30), X),
    "without entries": (lambda h, X: sg.scan(lambda c, x: (c * 0.5 + x, c.sum()), h, X), numbers(0), numbers(4, 0)),
    "curvature": (curvature, H[:2], X[:4, :2].copy(), W[:2, :2].copy()),
    "slopes": (slopes, H[:2], X[:4, :2].copy(), W[:2, :2].copy()),
    "side by side": (side_by_side, H, X),
    "solving": (solving, H, X, W),
    "counting": (counting, H, X),
}
FORWARD = {"counting"}  # a carry of integers has no machine code: the loop runs its forward


def with_gradient(f, count):
    """The results of f, and the gradient of a sum of them."""

    def loss(*xs):
        ys = f(*xs)
        return sum((y * (k + 0.5)).sum() for k, y in enumerate(parts(ys))), ys

    return sg.value_and_grad(loss, tuple(range(count)), has_aux=True)


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
@pytest.mark.parametrize("name", LOOPS)
def test_loops_have_the_values_and_gradients_of_eager_ones(name, backend):
    f, *xs = LOOPS[name]
    both = with_gradient(f, len(xs))
    fast, expected = sg.compile(both, backend=backend), both(*map(sg.tensor, xs))
    for _ in range(2):
        agree(fast(*xs), expected)
    native = "Loop(" in fast.lower(*xs).stages.get("nests", "")
    assert native == (backend == "llvm" and name not in FORWARD)


@pytest.mark.parametrize("name", ["recurrent", "there and back", "several carries", "nested", "without slices"])
def test_loops_in_single_precision(name):
    f, *xs = LOOPS[name]
    both, xs = with_gradient(f, len(xs)), [x.astype(np.float32) for x in xs]
    agree(sg.compile(both, backend="llvm")(*xs), both(*map(sg.tensor, xs)), 2e-5)


# ------------------------------------------------------------------ arguments other than expected
def short(s, x):
    return s * x, (x * x).sum() * s


def long(s, x):
    return sg.exp(x) * s, sg.tanh(x).sum(0)


def product(s, x):
    return (x @ x.T) * s, sg.exp(x @ x.T).sum()


FUNCTIONS = {"straight": (short, numbers(3)), "loops": (long, numbers(40, 30)), "mixed": (product, numbers(50, 60))}
functions = pytest.mark.parametrize("name", FUNCTIONS)


def unaligned(x):
    memory = np.zeros(x.nbytes + 1, np.uint8)
    found = memory[1:].view(x.dtype).reshape(x.shape)
    found[...] = x
    return found


ODD = {
    "an integer for a float": (3, lambda x: x),
    "a NumPy float": (np.float64(1.5), lambda x: x),
    "a single": (np.float32(1.5), lambda x: x),
    "an array without axes": (np.array(1.5), lambda x: x),
    "a single without axes": (np.array(1.5, np.float32), lambda x: x),
    "an array for a float": (np.full(1, 1.5), lambda x: x),
    "truth": (True, lambda x: x),
    "columns first": (1.5, np.asfortranarray),
    "backwards": (1.5, lambda x: x[::-1]),
    "with gaps": (1.5, lambda x: np.repeat(x, 2, 0)[::2]),
    "single precision": (1.5, lambda x: x.astype(np.float32)),
    "integers": (1.5, lambda x: (x * 2).astype(np.int64)),
    "other bytes": (1.5, lambda x: x.astype(x.dtype.newbyteorder())),
    "unaligned": (1.5, unaligned),
    "shorter": (1.5, lambda x: x[1:]),
    "another axis": (1.5, lambda x: x[None] if x.ndim == 1 else x[:, :1]),
    "read only": (1.5, lambda x: np.broadcast_to(x, x.shape)),
}


@functions
@pytest.mark.parametrize("kind", ODD)
def test_other_arguments_than_before_are_understood(name, kind):
    f, x = FUNCTIONS[name]
    s, change = ODD[kind]
    fast = sg.compile(f)
    agree(fast(2.5, x), f(2.5, sg.tensor(x)))
    kept = np.array(change(x.copy()))
    expected = f(s, sg.tensor(kept)) if isinstance(s, (bool, int)) else f(sg.tensor(s), sg.tensor(kept))
    for _ in range(2):
        agree(
            fast(s, change(x.copy())), expected, 1e-5 if np.float32 in (kept.dtype, getattr(s, "dtype", 0)) else 1e-12
        )
        agree(fast(2.5, x), f(2.5, sg.tensor(x)))


@functions
def test_a_wrong_number_of_arguments_is_an_error_as_before(name):
    f, x = FUNCTIONS[name]
    fast = sg.compile(f)
    fast(2.5, x)
    for given in [(), (2.5,), (2.5, x, x)]:
        with pytest.raises(TypeError, match="positional argument"):
            fast(*given)


# ------------------------------------------------------------------ threads
@pytest.mark.parametrize("size", [4, 300])
@functions
def test_eight_threads_at_once(name, size):
    f, x = FUNCTIONS[name]
    x = np.resize(x, (size, size) if x.ndim == 2 else (size * size,))
    fast, wrong = sg.compile(f, backend="llvm"), []
    expected = [arrays(f(k + 0.5, sg.tensor(x + k))) for k in range(8)]
    start = threading.Barrier(8)

    def work(k):
        start.wait()
        for _ in range(10):
            for y, z in zip(arrays(fast(k + 0.5, x + k)), expected[k], strict=True):
                if not np.allclose(y, z, rtol=1e-10, atol=0):
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_other_threads_run_during_a_long_call():
    fast = sg.compile(lambda x: sum((sg.sin(x * (k + 1)) * sg.exp(-x * x)).sum() for k in range(40)), backend="llvm")
    x, turns, done = numbers(1_000_000), [], threading.Event()
    fast(x)

    def count():
        while not done.wait(1e-4):
            turns.append(None)

    other = threading.Thread(target=count)
    other.start()
    before = len(turns)
    fast(x)
    during = len(turns) - before
    done.set()
    other.join()
    assert during > 3


# ------------------------------------------------------------------ references and memory
def grown(call, repeats=500):
    """The bytes that are held after many calls and were not before, and references won by NotImplemented and None."""
    for _ in range(50):
        call()
    gc.collect()
    tracemalloc.start()
    try:
        call()
        before = tracemalloc.get_traced_memory()[0], sys.getrefcount(NotImplemented), sys.getrefcount(None)
        for _ in range(repeats):
            call()
        after = tracemalloc.get_traced_memory()[0], sys.getrefcount(NotImplemented), sys.getrefcount(None)
    finally:
        tracemalloc.stop()
    return [b - a for a, b in zip(before, after, strict=True)]


@functions
def test_calls_leave_nothing_behind(name):
    f, x = FUNCTIONS[name]
    fast, small, scalar = sg.compile(f, backend="llvm"), x[1:].copy(), 2.5
    single = x.astype(np.float32)
    references = [sys.getrefcount(a) for a in (x, small, single, scalar)]
    calls = [lambda: fast(scalar, x), lambda: (fast(scalar, x), fast(scalar, small)), lambda: fast(scalar, x[::-1]),
             lambda: (fast(scalar, single), fast(3, x))]  # fmt: skip
    for call in calls:
        held, refused, nothing = grown(call)
        assert held < 10_000  # a number a call would be more
        assert abs(refused) < 100
        assert abs(nothing) < 100
    assert [sys.getrefcount(a) for a in (x, small, single, scalar)] == references


def test_results_have_one_reference():
    tuple_of = sg.compile(lambda x: (x * 2, sg.exp(x), x.sum()), backend="llvm")(numbers(700))
    fresh = (np.zeros(3), np.zeros(3), 0.5 + len(tuple_of))
    assert [sys.getrefcount(y) for y in tuple_of] == [sys.getrefcount(y) for y in fresh]
    assert sys.getrefcount(tuple_of) == sys.getrefcount(fresh)
    assert all(y.flags.owndata and y.flags.writeable for y in tuple_of[:2])


def test_kernels_of_many_signatures_are_freed():
    def kernel(k):
        return sg.compile(lambda x: sg.exp(x * k), backend="llvm")

    x, kept = numbers(700), []
    for k in range(3):
        fast = kernel(k + 0.5)
        kept.append(fast(x))
        del fast
        gc.collect()
    for k, y in enumerate(kept):
        np.testing.assert_allclose(y, np.exp(x * (k + 0.5)), rtol=1e-14)
