"""What NumPy and other array libraries do with tensors: universal functions, arrays, DLPack."""

import operator
import re

import numpy as np
import pytest

import symgrad as sg

A = np.array([[1.5, -2.0, 0.5], [3.0, 0.25, -1.0]])
MASK = np.array([[True, False, True], [False, True, True]])
ARGUMENTS = {"arccosh": (A**2 + 1.5,), "arcsin": (A / 4,), "arccos": (A / 4,), "arctanh": (A / 4,)}
INTEGERS = np.array([[3, -2, 7], [0, 5, 1]])
MATRICES = {
    "matmul": (A, A.T), "vecdot": (A, A + 1), "matvec": (A, A[1]), "vecmat": (A[:, 0], A),
}  # fmt: skip
WITHOUT = {"bitwise_count", "frexp", "isnat", "nextafter", "spacing"}
OF_INTEGERS = {"left_shift", "right_shift", "gcd", "lcm"}
UFUNCS = {u.__name__: u for u in vars(np).values() if isinstance(u, np.ufunc)}


def arguments(name, ufunc):
    if name in MATRICES:
        return MATRICES[name]
    if name == "ldexp":
        return A, INTEGERS
    if name in OF_INTEGERS or name.startswith("bitwise") or name == "invert":
        return (INTEGERS, INTEGERS[::-1])[: ufunc.nin]
    if name in ("power", "float_power") or name.startswith(("log", "sqrt")):
        return (abs(A), A[::-1])[: ufunc.nin]
    return ARGUMENTS.get(name, (A, A[::-1].copy())[: ufunc.nin])


def tuples(y):
    return y if isinstance(y, tuple) else (y,)


@pytest.mark.parametrize("name", sorted(UFUNCS.keys() - WITHOUT))
def test_a_ufunc_of_tensors_has_the_values_that_it_has_of_arrays(name):
    ufunc = UFUNCS[name]
    xs = arguments(name, ufunc)
    found, expected = tuples(ufunc(*map(sg.tensor, xs))), tuples(ufunc(*xs))
    assert len(found) == len(expected)
    for y, z in zip(found, expected, strict=True):
        assert isinstance(y, sg.Tensor)
        np.testing.assert_allclose(y.numpy(), z, rtol=2e-15, atol=1e-15, strict=True)


@pytest.mark.parametrize("name", sorted(UFUNCS.keys() & WITHOUT))
def test_a_ufunc_without_a_function_of_symgrad_is_refused(name):
    x = sg.tensor(INTEGERS)
    with pytest.raises(TypeError, match=rf"np\.{name}: symgrad does not record .* x\.detach\(\)\.numpy\(\)"):
        UFUNCS[name](*[x] * UFUNCS[name].nin)


@pytest.mark.parametrize(
    "name", ["expit", "log_expit", "logit", "gammaln", "psi", "ndtr", "erf", "i1", "entr", "xlogy"]
)
def test_ufuncs_of_scipy_are_recorded_too(name):
    ufunc = getattr(pytest.importorskip("scipy.special"), name)
    a = np.array([0.2, 0.5, 0.9])
    x = sg.tensor(a, requires_grad=True)
    y = ufunc(*[x] * ufunc.nin)
    np.testing.assert_allclose(y.detach().numpy(), ufunc(*[a] * ufunc.nin), rtol=1e-13)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), slopes(lambda v: ufunc(*[v] * ufunc.nin), a, 1.0), rtol=1e-7)


PARTS = {
    "add.reduce": lambda x: np.add.reduce(x),
    "add.reduce of an axis": lambda x: np.add.reduce(x, axis=1, keepdims=True),
    "add.reduce of all": lambda x: np.add.reduce(x, axis=None),
    "add.reduce of no axis": lambda x: np.add.reduce(x, axis=()),
    "add.reduce where": lambda x: np.add.reduce(x, where=MASK, initial=2.0),
    "multiply.reduce": lambda x: np.multiply.reduce(x, axis=(0, 1)),
    "multiply.reduce where": lambda x: np.multiply.reduce(x, axis=1, where=MASK),
    "maximum.reduce": lambda x: np.maximum.reduce(x, axis=-1),
    "maximum.reduce where": lambda x: np.maximum.reduce(x, axis=-1, where=MASK, initial=-9.0),
    "minimum.reduce": lambda x: np.minimum.reduce(x),
    "minimum.reduce from": lambda x: np.minimum.reduce(x, initial=0.0),
    "logaddexp.reduce": lambda x: np.logaddexp.reduce(x, axis=1),
    "add.accumulate": lambda x: np.add.accumulate(x),
    "multiply.accumulate": lambda x: np.multiply.accumulate(x, axis=1),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=1),
    "minimum.accumulate": lambda x: np.minimum.accumulate(x, 1),
    "subtract.outer": lambda x: np.subtract.outer(x, A[0]),
    "outer of an array": lambda x: np.multiply.outer(A[0], x),
    "dtype": lambda x: np.add(x, 1, dtype=np.float64, casting="same_kind"),
    "logical_and.reduce": lambda x: np.logical_and.reduce(x > 0, axis=1),
    "logical_or.reduce": lambda x: np.logical_or.reduce(x > 0),
}


def slopes(f, x, u, h=1e-6):
    """The gradient of Σ u f(x) by central differences."""
    out = np.zeros_like(x)
    for k in np.ndindex(x.shape):
        e = np.zeros_like(x)
        e[k] = h
        out[k] = np.sum(u * (np.asarray(f(x + e)) - np.asarray(f(x - e)))) / (2 * h)
    return out


def weights(shape):
    return np.random.default_rng(7).uniform(0.5, 1.5, shape)


@pytest.mark.parametrize("name", PARTS)
def test_methods_of_ufuncs_have_numpys_values_and_the_right_gradient(name):
    f = PARTS[name]
    x = sg.tensor(A, requires_grad=True)
    y, expected = f(x), f(A)
    np.testing.assert_allclose(y.detach().numpy(), expected, rtol=1e-14, strict=True)
    if y.requires_grad:
        u = weights(y.shape)
        (y * u).sum().backward()
        np.testing.assert_allclose(x.grad.numpy(), slopes(f, A, u), rtol=1e-7, atol=1e-8)
    else:
        assert y.dtype == bool


def written(out, x):
    np.add(x, 1.0, out=out)
    return out


REFUSED = {
    "no such function": (lambda x: np.spacing(x), r"np\.spacing: .* Use operations of symgrad,"),
    "no such function of scipy": (
        lambda x: pytest.importorskip("scipy.special").modfresnelp(x), r"scipy\.special\.modfresnelp: the results",
    ),
    "no such reduction": (lambda x: np.arctan2.reduce(x), r"np\.arctan2\.reduce: .* Use sg\.atan2,"),
    "no start": (lambda x: np.maximum.reduce(x, where=MASK), r"np\.maximum\.reduce: .* Use sg\.maximum,"),
    "no such running one": (lambda x: np.logaddexp.accumulate(x), r"np\.logaddexp\.accumulate: .* Use sg\.logaddexp"),
    "at": (lambda x: np.add.at(x, [0], 1.0), r"np\.add\.at: .* Use x\[index\] \+= v, or sg\.index_add,"),
    "reduceat": (lambda x: np.add.reduceat(x, [0, 1]), r"np\.add\.reduceat: .* Use sg\.add"),
    "where": (lambda x: np.add(x, 1.0, where=MASK), r"np\.add: where= leaves .* Use sg\.where"),
    "output an array": (lambda x: np.subtract(x, 1.0, out=np.zeros(A.shape)), r"Write c = np\.subtract\(…\)\.$"),
    "array changed in place": (lambda x: operator.iadd(np.ones(A.shape), x), "Write a = a .t instead of a .= t"),
    "matrix": (lambda x: np.matrix(A) * x, r"np\.matrix multiplies by matrix product"),
    "masked array": (lambda x: x * np.ma.array(A, mask=MASK), "tensors have no mask"),
    "array of objects": (lambda x: A.astype(object) * x, r"can't convert np\.ndarray of type numpy\.object_"),
    "structured array": (lambda x: np.zeros(3, dtype=[("a", float)]) + x, r"can't convert np\.ndarray of type"),
    "text": (lambda x: np.array(["a", "b", "c"]) + x, r"can't convert np\.ndarray of type numpy\.str"),
    "dates": (lambda x: np.add(x, np.datetime64("2020-01-01")), r"can't convert np\.ndarray of type numpy\.datetime64"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_what_numpy_cannot_record_is_refused_with_what_to_use_instead(name):
    call, text = REFUSED[name]
    text = text.replace("a .t", r"a \+ t").replace("a .= t", r"a \+= t")
    with pytest.raises(TypeError, match=text):
        call(sg.tensor(A, requires_grad=True))


def test_an_array_takes_in_the_numbers_of_a_tensor_without_gradient():
    a = A.copy()
    a += sg.tensor(A)
    np.testing.assert_array_equal(a, 2 * A)
    np.testing.assert_array_equal(np.multiply(sg.tensor(A), 2.0, out=a), 2 * A)
    a[0] = sg.tensor(A[1])
    np.testing.assert_array_equal(a[0], A[1])


def test_an_output_that_is_a_tensor_stands_for_the_result():
    x = sg.tensor(A, requires_grad=True)
    y = x * 2
    assert np.multiply(y, x, out=y) is y
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 4 * A)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        np.add(x, 1.0, out=x)
    with sg.no_grad():
        np.add(x, 1.0, out=x)
    np.testing.assert_array_equal(x.detach().numpy(), A + 1)
    assert x.is_leaf
    with pytest.raises(TypeError, match="out=: got int64, expected float64"):
        np.add(x, 1.0, out=sg.ones(2, 3, dtype=sg.int64))


MIXED = {
    "array * tensor": (lambda x: A * x, lambda x: A * x),
    "array @ tensor": (lambda x: A.T @ x, lambda x: A.T @ x),
    "float64 + tensor": (lambda x: np.float64(2.0) + x, lambda x: 2.0 + x),
    "float32 * tensor": (lambda x: np.float32(2.0) * x, lambda x: 2.0 * x),
    "int64 - tensor": (lambda x: np.int64(2) - x, lambda x: 2 - x),
    "bool_ * tensor": (lambda x: np.bool_(True) * x, lambda x: x),
    "float64 / tensor": (lambda x: np.float64(2.0) / x, lambda x: 2.0 / x),
    "abs(tensor) ** array": (lambda x: abs(x) ** A, lambda x: abs(x) ** A),
    "array % tensor": (lambda x: A % (x + 0.1), lambda x: A % (x + 0.1)),
    "numpy integer as index": (lambda x: x[np.int64(1), np.uint8(2)], lambda x: x[1, 2]),
    "array of integers as index": (lambda x: x[:, np.array([0, 0, 2])], lambda x: x[:, [0, 0, 2]]),
    "array of booleans as index": (lambda x: x[MASK], lambda x: x[MASK]),
}


@pytest.mark.parametrize("name", MIXED)
def test_arrays_and_their_scalars_meet_tensors_on_either_side(name):
    ours, numpys = MIXED[name]
    x = sg.tensor(A, requires_grad=True)
    y = ours(x)
    assert isinstance(y, sg.Tensor)
    np.testing.assert_allclose(y.detach().numpy(), numpys(A), rtol=1e-15, strict=True)
    u = weights(y.shape)
    (y * u).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), slopes(numpys, A, u), rtol=1e-6, atol=1e-7)


def test_comparison_with_arrays_gives_truth_values_as_a_tensor():
    for found in (operator.lt(A, sg.tensor(A[0])), np.less(A, sg.tensor(A[0])), np.float64(1.0) < sg.tensor(A[0])):
        assert isinstance(found, sg.Tensor)
        assert found.dtype == bool


# ------------------------------------------------------------------ DLPack
def test_dlpack_hands_a_copy_to_other_libraries():
    x = sg.tensor(A)
    there = np.from_dlpack(x)
    there_shares = np.shares_memory(there, x._value)
    np.testing.assert_array_equal(there, A)
    assert not there_shares
    assert x.__dlpack_device__() == np.ones(1).__dlpack_device__()
    torch = pytest.importorskip("torch")
    assert torch.from_dlpack(x).tolist() == A.tolist()


def test_from_dlpack_takes_in_a_copy_of_what_other_libraries_have():
    a = A.copy()
    x = sg.from_dlpack(a)
    a[0] = 0
    assert x.tolist() == A.tolist()
    assert sg.from_dlpack(x).tolist() == A.tolist()
    torch = pytest.importorskip("torch")
    y = sg.from_dlpack(torch.tensor(A, dtype=torch.float32))
    assert y.dtype == sg.float32
    assert not y.requires_grad


DLPACK = {
    "requires grad": (
        lambda: np.from_dlpack(sg.ones(2, requires_grad=True)),
        BufferError, "Can't export tensors that require gradient, use tensor.detach()",
    ),
    "no copy": (lambda: sg.ones(2).__dlpack__(copy=False), BufferError, "copy=False is not possible"),
    "symbol": (lambda: sg.symbol("x", 2).__dlpack__(), RuntimeError, "this tensor is a symbol"),
    "not an array": (lambda: sg.from_dlpack(3), TypeError, "from_dlpack: got int. Expected an object with __dlpack__"),
}  # fmt: skip


@pytest.mark.parametrize("name", DLPACK)
def test_what_dlpack_cannot_hand_over_is_refused(name):
    call, kind, text = DLPACK[name]
    with pytest.raises(kind, match=re.escape(text)):
        call()
