"""What is asked of tensors: dtypes, equality, places, distinct entries, and tensors made like another."""

import numpy as np
import pytest

import symgrad as sg

nan, inf = float("nan"), float("inf")
X = [[1.0, 0.0, 3.0], [0.0, 2.0, 3.0]]


def same(found, expected):
    """Equal in shape, dtype and entries."""
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (found, expected)], strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy(), strict=True)


@pytest.fixture
def torch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    yield torch
    torch.set_default_dtype(before)


QUESTIONS = {
    "nonzero": lambda L, x: L.nonzero(x),
    "nonzero as_tuple": lambda L, x: L.nonzero(x, as_tuple=True),
    "argwhere": lambda L, x: x.argwhere(),
    "unique": lambda L, x: L.unique(x),
    "unique with all": lambda L, x: x.unique(return_inverse=True, return_counts=True),
    "unique dim": lambda L, x: L.unique(x, return_inverse=True, return_counts=True, dim=1),
    "unique_consecutive": lambda L, x: L.unique_consecutive(x, return_inverse=True, return_counts=True),
    "unique_consecutive dim": lambda L, x: x.unique_consecutive(dim=0),
    "bincount": lambda L, x: L.bincount(x.to(L.int64).reshape(-1), minlength=6),
    "bincount weighted": lambda L, x: x.to(L.int64).reshape(-1).bincount(x.reshape(-1)),
    "new_zeros": lambda L, x: x.new_zeros(2, 3) + x.new_ones((2, 3)) * x.new_full((2, 3), 4.0),
    "new_tensor": lambda L, x: x.to(L.float32).new_tensor([1, 2]),
    "new_empty": lambda L, x: x.new_empty(2, 0, dtype=L.int64),
    "type_as": lambda L, x: x.type_as(L.tensor([1])),
    "sum_to_size": lambda L, x: x.sum_to_size(1, 3) + x.sum_to_size((2, 1)) * x.sum_to_size(3),
    "unravel_index": lambda L, x: L.unravel_index(L.tensor([[0, 5], [3, 11]]), (2, 3, 2)),
    "row_stack": lambda L, x: L.row_stack([x, x[0]]),
    "unfold": lambda L, x: x.unfold(1, 2, 1),
}
ANSWERS = {
    "broadcast_shapes": lambda L, x: tuple(L.broadcast_shapes((2, 1), (3,), (1, 1, 3))),
    "isreal": lambda L, x: (L.isreal(x).tolist(), L.isreal(L.tensor([1 + 0j, 2j, nan])).tolist()),
    "is_tensor": lambda L, x: (L.is_tensor(x), L.is_tensor(2.0)),
    "dtypes": lambda L, x: (x.is_floating_point(), L.is_floating_point(L.tensor([1])), L.is_complex(x), x.is_signed()),
    "sizes": lambda L, x: (L.numel(x), x.nelement(), x.ndimension(), x.element_size(), x.itemsize, x.nbytes),
    "is_same_size": lambda L, x: (x.is_same_size(x + 1), x.is_same_size(x[0]), x.is_contiguous()),
    "equal": lambda L, x: (L.equal(x, x + 0), x.equal(x + 1), x.equal(x[0])),
    "allclose": lambda L, x: (L.allclose(x, x * (1 + 1e-7)), x.allclose(x + 1e-3), x.allclose(x + 1e-3, atol=1e-2)),
    "is_nonzero": lambda L, x: (x[0, 0].is_nonzero(), L.is_nonzero(x[0, 1:2])),
    "can_cast": lambda L, x: (L.can_cast(L.float64, L.float32), L.can_cast(L.float32, L.int64),
                              L.can_cast(L.int64, L.bool)),
    "types": lambda L, x: tuple(str(t).removeprefix("torch.") for t in (
        L.promote_types(L.int64, L.float64), L.result_type(x.to(L.float32), 2.0), L.result_type(x, L.tensor([1])))),
}  # fmt: skip


@pytest.mark.parametrize("name", QUESTIONS)
def test_the_tensor_found_is_that_of_torch(name, torch):
    same(QUESTIONS[name](sg, sg.tensor(X)), QUESTIONS[name](torch, torch.tensor(X)))


@pytest.mark.parametrize("name", ANSWERS)
def test_the_answer_is_that_of_torch(name, torch):
    assert ANSWERS[name](sg, sg.tensor(X)) == ANSWERS[name](torch, torch.tensor(X))


def test_nan_is_equal_to_nan_only_where_asked():
    x = sg.tensor([nan, inf])
    assert not sg.equal(x, x)
    assert not sg.allclose(x, x)
    assert sg.allclose(x, x, equal_nan=True)


def test_sum_to_size_is_the_adjoint_of_expand():
    x, u = sg.ones(1, 3, requires_grad=True), sg.tensor(X)
    x.expand(2, 3).backward(u)
    same(x.grad, u.sum_to_size(1, 3))


def test_a_tensor_made_like_another_can_require_a_gradient():
    assert sg.tensor(X).new_zeros(2, requires_grad=True).requires_grad
    with pytest.raises(sg.SymgradError, match="floating point"):
        sg.tensor([1]).new_zeros(2, requires_grad=True)
    with pytest.raises(sg.SymgradError, match="floating point"):
        sg.tensor([1]).new_tensor([2], requires_grad=True)


WRONG = {
    "sum_to_size": (lambda: sg.ones(2, 3).sum_to_size(2), "is not expandable to size"),
    "bincount of floats": (lambda: sg.bincount(sg.ones(2)), "expected integers"),
    "bincount of negatives": (lambda: sg.bincount(sg.tensor([-1])), "1-d non-negative integral inputs"),
    "nonzero of a symbol": (lambda: sg.nonzero(sg.symbol("x", 3)), "this tensor is a symbol"),
    "meshgrid": (lambda: sg.meshgrid(sg.ones(2), indexing="no"), 'indexing must be one of "xy" or "ij"'),
    "meshgrid of matrices": (lambda: sg.meshgrid(sg.ones(2, 2)), "Expected 0D or 1D tensor"),
    "cross": (lambda: sg.linalg.cross(sg.ones(2), sg.ones(2)), "must have length 3"),
    "tensordot": (lambda: sg.tensordot(sg.ones(2, 3), sg.ones(2), 1), "contracted dimensions need to match"),
    "hsplit": (lambda: sg.hsplit(sg.ones(2, 3), 2), "is not divisible by the split_size 2!"),
    "quantile": (lambda: sg.quantile(sg.ones(2), 1.5), r"q values must be in the range \[0, 1\]"),
    "quantile interpolation": (lambda: sg.quantile(sg.ones(2), 0.5, interpolation="no"), "interpolation must be one"),
    "take": (lambda: sg.take(sg.ones(2), [5]), "tried to access index 5 on a tensor of 2 elements"),
    "masked_scatter": (lambda: sg.masked_scatter(sg.ones(2), sg.tensor([True, True]), sg.ones(1)), "as the mask has"),
    "index_copy": (lambda: sg.index_copy(sg.ones(3), 0, [0], sg.ones(2)), "must have same slice shapes"),
    "index_fill": (lambda: sg.index_fill(sg.ones(3), 0, [0], sg.ones(2)), "only supports a 0-dimensional value"),
    "scatter_reduce": (lambda: sg.scatter_reduce(sg.ones(2), 0, [0], sg.ones(1), "no"), "reduce argument must be"),
    "slice_scatter": (lambda: sg.slice_scatter(sg.ones(3), sg.ones(2), 0, 0, 1), "a size equal to the slice of self"),
    "trapezoid": (lambda: sg.trapezoid(sg.ones(3), sg.ones(2)), "one `x` value for each sample point"),
    "rot90": (lambda: sg.rot90(sg.ones(2, 2), 1, (0, 0)), "rotation dims to be different"),
    "lu_solve": (lambda: sg.linalg.lu_solve(sg.eye(2), sg.tensor([1, 2]), sg.ones(3, 1)), "Incompatible shapes of A"),
    "lu without pivots": (lambda: sg.linalg.lu(sg.eye(2), pivot=False), "LU without pivoting is not implemented"),
    "cond": (lambda: sg.linalg.cond(sg.eye(2), 3), "got an invalid norm type: 3"),
    "vander": (lambda: sg.linalg.vander(sg.ones(2), N=1), "N must be greater than 1"),
    "renorm": (lambda: sg.renorm(sg.ones(2, 2), 0, 0, 1.0), "non-positive norm not supported"),
    "unfold": (lambda: sg.ones(2).unfold(0, 3, 1), "maximum size for tensor at dimension 0 is 2 but size is 3"),
    "isclose": (lambda: sg.isclose(sg.ones(2), sg.ones(2), rtol=-1), "rtol must be greater than or equal to zero"),
    "histc": (lambda: sg.histc(sg.ones(2), 0), "bins must be > 0"),
    "searchsorted": (lambda: sg.searchsorted(sg.ones(2), 1.0, right=True, side="left"), "can't be set to opposites"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_gets_torchs_message(name):
    call, message = WRONG[name]
    with pytest.raises(sg.SymgradError, match=message):
        call()
