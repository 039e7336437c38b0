"""ldl_factor and ldl_solve: LAPACK's compact form, as PyTorch returns it, and its systems."""

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import NotDifferentiable, NotYet, ShapeError

RNG = np.random.default_rng(3)


def symmetric(*batch, n, dtype=np.float64):
    A = RNG.normal(size=(*batch, n, n)).astype(dtype)
    if A.dtype.kind == "c":
        A = A + 1j * RNG.normal(size=A.shape)
    return A + np.swapaxes(A, -1, -2)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_factors_are_lapacks_and_systems_are_solved(n, dtype):
    A, B = symmetric(3, n=n, dtype=dtype), RNG.normal(size=(3, n, 2)).astype(dtype)
    A[..., : n - 1, :1] *= 1e-3  # needs blocks of two, and rows from below
    A[..., :1, :] = np.swapaxes(A[..., :1], -1, -2)
    LD, pivots = sg.linalg.ldl_factor(A)
    assert (LD.dtype, pivots.dtype) == (dtype, np.int32)
    X = sg.linalg.ldl_solve(LD, pivots, B)
    close = {"rtol": 1e-2, "atol": 1e-3} if dtype == np.float32 else {"rtol": 1e-8, "atol": 1e-8}
    np.testing.assert_allclose(A @ X.numpy(), B, **close)
    torch = pytest.importorskip("torch")
    theirs = torch.linalg.ldl_factor(torch.tensor(A))
    np.testing.assert_array_equal(pivots, theirs.pivots)
    np.testing.assert_allclose(LD.numpy(), theirs.LD.numpy(), **close)


def test_the_derivative_is_of_the_right_side_alone():
    A, B = symmetric(n=4), sg.tensor(RNG.normal(size=(4, 2)), requires_grad=True)
    factors = sg.linalg.ldl_factor(A)
    assert sg.autograd.gradcheck(lambda B: sg.linalg.ldl_solve(*factors, B), (B,), check_forward_ad=True)
    with pytest.raises(NotDifferentiable, match=r"Use sg.linalg.solve\(A, B\)"):
        sg.grad(lambda A: sg.linalg.ldl_factor(A).LD.sum())(A)
    with pytest.raises(NotDifferentiable, match="with respect to LD"):
        sg.grad(lambda LD: sg.linalg.ldl_solve(LD, factors.pivots, B).sum())(factors.LD.numpy())


def test_it_is_compiled_and_batched():
    def solve(A, B):
        return sg.linalg.ldl_solve(*sg.linalg.ldl_factor(A), B)

    A, B = symmetric(3, n=4), RNG.normal(size=(3, 4, 1))
    np.testing.assert_allclose(sg.compile(solve)(A, B), np.linalg.solve(A, B))
    np.testing.assert_allclose(sg.vmap(solve)(A, B), np.linalg.solve(A, B))


def test_what_does_not_fit_is_refused():
    with pytest.raises(ShapeError, match="square"):
        sg.linalg.ldl_factor(np.ones((2, 3)))
    with pytest.raises(ShapeError, match="Expected 2 rows"):
        sg.linalg.ldl_solve(np.eye(2), np.array([1, 2]), np.ones((3, 1)))
    for solve in (sg.linalg.ldl_solve, sg.linalg.lu_solve):
        for pivots in (1, 1.0, [1], [1, 2, 3]):
            with pytest.raises(ShapeError, match="Expected 2 in the last axis, one for each row"):
                solve(sg.eye(2), sg.tensor(pivots), sg.ones(2, 1))
    with pytest.raises(NotYet, match="hermitian"):
        sg.linalg.ldl_factor(np.eye(2) + 0j, hermitian=True)
