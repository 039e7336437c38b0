"""Writes to views and through ``.data`` reach the tensor that they were taken from, as PyTorch's do, or are refused.

Nothing shares memory: a view keeps its entries, and can be written to as long as they are those of its base.
"""

import gc
import warnings
import weakref

import numpy as np
import pytest

import symgrad as sg

torch = pytest.importorskip("torch", reason="PyTorch is not installed (pip install --group peers)")

SETUP = """
x = torch.tensor([[1., 2., 3.], [4., 5., 6.]], dtype=torch.float64)
v = torch.tensor([0.5, -1.5, 2.5], dtype=torch.float64)
w = torch.tensor([[1., -2.], [3., 0.5], [7., -4.]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([0.25, 1.25], dtype=torch.float64, requires_grad=True)
((v @ w) * b).sum().backward()
y = w * 2
"""

# Each is run with both libraries; then x, v, w, b, y, gradients, and the slope of y with respect to w are compared.
WRITES = """
x[0].zero_()
x[0].fill_(7)
x[1][2] = 9
x[0, 1].add_(4)
x[0][1].add_(4)
x[:, 1].mul_(2)
x[:, ::2] += 3
x[0] += 1
x[-1] -= v
x[..., 0] *= 5
x[None].add_(1)
x[torch.tensor(1)].zero_()
x.view(-1)[0] = 7
x.view(3, 2)[1].zero_()
x.view(-1)[2:5].zero_()
x.view(6).clamp_(2, 4)
x.view_as(w).sub_(1)
x.reshape(-1)[4] = 8
x.reshape(-1).zero_()
x.view(1, 2, 3)[..., 1].reshape(-1).zero_()
w.data.view(3, 2, 1)[..., 0].view(6).mul_(2)
x.flatten().zero_()
x.flatten()[1] = 3
x.ravel()[1] = 3
x[:, 0].ravel().zero_()
x[:, 0].flatten().zero_()
x.T.contiguous().zero_()
x[1].contiguous().zero_()
x.contiguous()[0] = 5
a = x.T; c = a.reshape(-1); c.zero_()
a = x.T; c = a.view(3, 2); c.zero_()
x.T[0] = 9
x.T[0] += 9
x.T.mul_(3)
x.t()[2].fill_(5)
x.mT[2].fill_(5)
x.transpose(0, 1)[1] = v[:2]
x.permute(1, 0)[1].neg_()
x.swapaxes(0, 1)[1, 0] = 5
x.movedim(0, 1)[1, 0] = 5
x.unsqueeze(0)[0, 1] = v
x.unsqueeze(0).squeeze(0)[1] = v
x.squeeze().add_(1)
x.unflatten(1, (3, 1))[:, 2].zero_()
x.diagonal().fill_(6)
torch.diagonal(x).fill_(6)
torch.diagonal(x, 1)[0] = 6
x.narrow(1, 1, 2).zero_()
torch.narrow(x, 0, 1, 1).zero_()
x.narrow(1, torch.tensor(1), 2).zero_()
x.T.view(3, 1, 2)[1].zero_()
x.select(1, 2).zero_()
torch.select(x, 1, 2).zero_()
x.chunk(2)[1].zero_()
x.split(2, 1)[0].mul_(2)
torch.split(x, 1)[0].mul_(2)
x.unbind(1)[1].mul_(2)
x.tensor_split(2)[1].mul_(2)
x.hsplit(3)[1].mul_(2)
x.expand(1, 2, 3).add_(1)
x.expand_as(x)[0].add_(1)
x.unfold(1, 1, 1).add_(1)
torch.transpose(x, 0, 1)[1].exp_()
torch.reshape(x, (6,))[5] = 1
torch.squeeze(x[None])[1].zero_()
torch.flatten(x)[1] = 2
x.detach().add_(1)
x.detach()[0].zero_()
x.data[0] = v
x.data.zero_()
x[0].data.zero_()
x.data += 1
x.data = x.data * 2
x.data[0] += 1
x.data.view(-1)[1] = 5
x.data.T[1].mul_(2)
x[1].copy_(v)
x[1:].copy_(v)
x[0].sqrt_().add_(1)
x[0].masked_fill_(v > 0, 0.0)
x[0][v > 0] = 0
x[0][[0, 2]] = -1
x[0].index_add_(0, torch.tensor([1]), v[:1])
x[0].normal_(2.0, 0.0)
x[0].uniform_(3.0, 3.0)
x.T[1:].T[0].zero_()
x[x > 2] = 0
x[[0, 1]].zero_()
x[x > 2].zero_()
x.clone()[0].zero_()
(x * 1)[0].zero_()
x.T.reshape(-1).zero_()
x[:, 1:].reshape(-1).zero_()
x[1:].reshape(-1).zero_()
x.repeat(1, 1).zero_()
x.repeat_interleave(1, 0).zero_()
x.roll(0, 0).zero_()
x.flip(0).zero_()
x.diag().zero_()
torch.diag(x).zero_()
torch.tile(x, (1, 1)).zero_()
x.narrow_copy(0, 0, 1).zero_()
torch.nn.functional.pad(x, (0, 0)).zero_()
for row in x: row.mul_(2)
for row in x: row[0] = 3
for column in x.T: column += 1
for part in x.split(1): part.zero_()
for k, part in enumerate(x.unbind(1)): part.fill_(k)
row = x[0]; row += 1; row *= 2; row.zero_(); row[1] = 5
row = x[0]; x[1].zero_(); row.add_(1)
a = x.T; a[0] += 1; x[0, 1] = v[0]; x.T[2].zero_()
a = x.view(-1); c = a[1:3]; c.zero_(); c.add_(1); v.copy_(a[:3])
a = x[0]; c = x[0]; a.zero_(); v.copy_(x[0])
torch.nn.init.zeros_(x[0])
torch.nn.init.constant_(x[:, 1], 3.0)
torch.nn.init.eye_(x[:, :2])
with torch.no_grad(): w[0].fill_(0)
with torch.no_grad(): w[0][1] = 3
with torch.no_grad(): w[0] += 3
with torch.no_grad(): w.T[1] = v
with torch.no_grad(): w.view(-1)[1:3].zero_()
with torch.no_grad(): w += 1; b.zero_()
with torch.no_grad(): w.copy_(w * 2)
torch.nn.init.zeros_(w[0])
torch.nn.init.ones_(w.data)
torch.nn.init.constant_(w.data[1], 2.0)
torch.nn.init.eye_(w.data[:2])
torch.nn.init.uniform_(w.data, 2.0, 2.0)
torch.nn.init.normal_(w[1:].data, 2.0, 0.0)
torch.nn.init.zeros_(b)
w.data.zero_()
w.data[0] = 5
w.data[0, 1] = 5
w.data[0].fill_(5)
w.data.copy_(w.data * 3)
w.data += 1
w.data.mul_(0.9).add_(0.1)
w.data -= 0.1 * w.grad
w.data.sub_(0.1 * w.grad.data)
w.data = w.data - 0.1 * w.grad.data
w.data.normal_(3.0, 0.0)
w.data.uniform_(2.0, 2.0)
w.data.fill_(1).clamp_(0, 0.5)
w.data.T[0] = 1
w.data.view(-1)[0] = 5
w.detach().add_(1)
w.detach()[1].mul_(3)
w.detach().copy_(y)
w[0].detach().zero_()
w[1].data.zero_()
w.grad.zero_()
w.grad.data.zero_()
w.grad.detach().zero_()
w.grad.detach_(); w.grad.zero_()
w.grad[0] = 5
w.grad[0].mul_(3)
w.grad += 1
w.grad.data.clamp_(-1, 1)
w.grad.view(-1)[0] = 7
for p in (w, b): p.data.clamp_(-1, 1)
for p in (w, b): p.data.add_(p.grad.data, alpha=-0.5)
for p in (w, b): p.grad.data.zero_()
for p in (w, b): p.data[:1].zero_()
y[0].zero_()
y[1:].mul_(3)
y[0] += 1
y[0] = y[1] * 2
y.T[1].mul_(v)
y.view(-1)[1] = w[2, 0] * 3
y.view(-1)[1:4].exp_()
y.diagonal().mul_(2)
y.diagonal().copy_(b)
y.data[0] = 5
y.detach().mul_(5)
row = y[0]; row.mul_(b); row += w[1]; z = row.sum(); y[1, 0] = z
a = y.T; a[0] = a[1] * 3; a.mul_(2)
with torch.no_grad(): y[0].zero_()
x[0].copy_(w[:, 0]); y = y + x[0].sum()
x.T[0, 0] = w[0, 0]; y = y * x[0, 0]
x[0] += b[0]; y = y * x[0, 0]
row = y[0]; y.copy_(y.detach() + w - w.detach()); row.mul_(3)
a = x[0]; a += 1; x[1] = a
x[0, 1] = float("nan"); a = x[0]; a.zero_()
""".strip().splitlines()


def after(library, statement):
    """All numbers after a statement, by name."""
    names = {"torch": library}
    exec(SETUP + statement, names)
    tensors = {k: names[k] for k in "xvwby"} | {"w.grad": names["w"].grad, "b.grad": names["b"].grad}
    numbers = {k: t.tolist() for k, t in tensors.items()}
    names["w"].grad = None
    (names["y"] * names["v"][1]).sum().backward()
    return numbers | {"slope": names["w"].grad.tolist()}


@pytest.mark.parametrize("statement", WRITES)
def test_a_write_reaches_what_pytorchs_does(statement):
    assert after(sg, statement) == after(torch, statement)


REFUSED = {  # what both libraries refuse
    "x.expand(2, 2, 3).add_(1)": "more than one element of the written-to tensor",
    "v.expand(2, 3).T[0].add_(1)": "more than one element of the written-to tensor",
    "w[0].zero_()": "a view of a leaf Variable that requires grad",
    "w.T[0] += 1": "a view of a leaf Variable that requires grad",
    "w[0] = 1": "a view of a leaf Variable that requires grad",
    "w.view(-1).zero_()": "a view of a leaf Variable that requires grad",
    "w.diagonal().zero_()": "a view of a leaf Variable that requires grad",
}


@pytest.mark.parametrize("statement", REFUSED)
def test_what_pytorch_refuses_is_refused(statement):
    for library in (sg, torch):
        with pytest.raises(RuntimeError, match=REFUSED[statement]):
            after(library, statement)


CHANGED = "a view of a tensor that has changed since"
STALE = {  # where PyTorch's view would have changed with its base
    "row = x[0]; x.zero_(); row.add_(1)": CHANGED,
    "row = x[0]; x[0, 1] = 9; row[2] = 1": CHANGED,
    "a = x.T; x[1, 1] = 0; a[0].zero_()": CHANGED,
    "a = x.T; row = a[0]; x[1, 2] = 0; row.zero_()": CHANGED,
    "a = x[0]; c = x.view(-1)[1:]; a.zero_(); c.add_(1)": CHANGED,
    "d = w.data; w.data = v; d.zero_()": CHANGED,
    "row = x[0]; x.data = x.to(torch.float32); row.zero_()": CHANGED,
    "row = y[0]; y[0, 0] = 3; row.mul_(2)": CHANGED,
    "v.unfold(0, 2, 1).zero_()": "windows that overlap",
    "torch.einsum('ii->i', x[:, :2]).zero_()": "x.diagonal()",
}


@pytest.mark.parametrize("statement", STALE)
def test_a_write_that_would_be_lost_is_refused_and_changes_nothing(statement):
    names, expected = {"torch": sg}, {"torch": sg}
    *before, _ = statement.split("; ")
    exec(SETUP + "; ".join(before), expected)
    with pytest.raises(RuntimeError, match=STALE[statement]):
        exec(SETUP + statement, names)
    for k in names.keys() & {"x", "v", "w", "y", "row", "a", "c", "d"}:
        assert names[k].tolist() == expected[k].tolist()


def test_an_entry_is_a_number_of_its_own_in_augmented_assignments():
    x = sg.tensor([1.0, 2.0])
    s = x[0]
    s += x[1]
    assert (s.item(), x.tolist()) == (3.0, [1.0, 2.0])
    x[0].add_(x[1])
    assert x.tolist() == [3.0, 2.0]


def test_a_leaf_made_of_a_view_is_a_tensor_of_its_own():
    x = sg.tensor([1.0, 2.0])
    p = x.detach().requires_grad_()
    (p * p).sum().backward()
    sg.optim.SGD([p], lr=0.25).step()
    assert (p.tolist(), x.tolist()) == ([0.5, 1.0], [1.0, 2.0])


@pytest.mark.parametrize(
    "view",
    ["z.real", "z.imag", "z.conj()", "z.mH", "z.mT", "z.H", "z.adjoint()", "z.data.conj()", "z.conj().imag",
     "z[1].conj()", "z.conj_physical()", "z.conj().conj()", "sg.conj(z)"],
)  # fmt: skip
def test_a_part_of_complex_numbers_is_written_to(view):
    both = []
    for library in (sg, torch):
        z = library.tensor([[1.0 + 2.0j, 3.0 - 4.0j], [0.5 - 1.0j, 2.0 + 0.0j]])
        part = eval(view, {"z": z, "sg": library})
        part.mul_(2)
        part[1] = 7
        both.append(z.tolist())
    assert both[0] == both[1]


def test_what_is_written_to_a_conjugate_has_its_slope():
    def f(z):
        y = z * 1
        y.conj()[0].mul_(2j)
        y.mH[1].add_(y.imag[0])
        return (abs(y) ** 2).sum()

    x = np.array([[1.0 + 2.0j, 3.0 - 4.0j], [0.5 - 1.0j, 2.0 + 0.0j]])
    z = torch.tensor(x, requires_grad=True)
    f(z).backward()
    np.testing.assert_allclose(sg.grad(f)(x), z.grad, rtol=1e-14)
    np.testing.assert_allclose(sg.compile(sg.grad(f))(x), z.grad, rtol=1e-14)


@pytest.mark.parametrize(
    "statement", ["z.real = 5", "z.imag = z.real", "z.real += 1", "z[0].imag *= 2", "z.T.real -= z.imag"]
)
def test_parts_of_complex_numbers_are_assigned_to(statement):
    both = []
    for library in (sg, torch):
        w = library.tensor([[1.0 + 2.0j, 3.0 - 4.0j], [0.5 - 1.0j, 2.0 + 0.0j]], requires_grad=True)
        names = {"z": w * 1}
        exec(statement, names)
        (abs(names["z"]) ** 2).sum().backward()
        both.append((names["z"].tolist(), w.grad.tolist()))
    np.testing.assert_allclose(both[0], both[1], rtol=1e-6, atol=1e-6)  # PyTorch's are of single precision


def test_real_numbers_have_no_imaginary_part_to_assign_to():
    x = sg.tensor([1.0])
    with pytest.raises(sg.errors.DTypeError, match="imag: a tensor of float64 has no imaginary part to write to"):
        x.imag = 2.0
    x.real = 3.0
    assert x.tolist() == [3.0]


def test_numpys_conjugate_is_a_copy():
    z = sg.tensor([1.0 + 2.0j])
    np.conj(z)[0] = 5
    assert z.tolist() == [1.0 + 2.0j]


def test_a_statement_writes_once():
    y = sg.rand(3, 2, requires_grad=True) * 2
    y[0] += 1
    assert y.grad_fn.name() == "IndexPutBackward0"
    assert y.grad_fn.next_functions[0][0].name() == "MulBackward0"


def test_a_view_keeps_nothing_alive():
    gc.disable()
    try:
        x = sg.rand(4, requires_grad=True)
        y = x * 2
        base, node = weakref.ref(y), weakref.ref(y.grad_fn)
        views = [y.detach(), y.data[1:], y.detach().T]
        with sg.no_grad():
            views.append(y[1:])
        views[0].add_(1)
        del y
        assert base() is None
        assert node() is None
        views[0].add_(1)
        assert views[0].tolist() == (x * 2 + 2).tolist()
    finally:
        gc.enable()


def test_a_view_of_a_view_that_is_gone_still_knows_its_base():
    x = sg.zeros(2, 3)
    row = x.T.reshape(3, 2, 1)[1].T[0]
    row.add_(sg.tensor([1.0, 2.0]))
    assert x.tolist() == [[0.0, 1.0, 0.0], [0.0, 2.0, 0.0]]


def test_a_view_of_entries_that_lie_apart_is_written_to():
    x = sg.tensor([[1.0, 2.0], [3.0, 4.0]])
    x.T.view(-1)[1] = 7
    assert x.tolist() == [[1.0, 2.0], [7.0, 4.0]]
    x.T.flat[2] = 8
    assert x.tolist() == [[1.0, 8.0], [7.0, 4.0]]


def test_views_of_views_do_not_pile_up():
    x = sg.zeros(2, 3, requires_grad=True)
    d, t = x.detach(), sg.zeros(2, 3)
    for _ in range(10):
        d, t = d.detach(), t.T
    depths = []
    for origin in (d._origin, t._origin):
        depth = 0
        while origin is not None:
            origin, depth = origin[2], depth + 1
        depths.append(depth)
    assert depths == [2, 1]
    d.add_(1)
    assert x.tolist() == [[1.0] * 3] * 2


def many(x):
    y = x * 1
    y[0].mul_(x[1])
    y.T[1].add_(x[:, 0])
    y.view(-1)[2:4].sin_()
    for k in range(2):
        y[k] *= x[0]
    y.diagonal().mul_(3)
    return (y * y).sum()


def own(x):
    x[0].mul_(2)
    x[1] += x[0]
    x.T[2] *= 2
    return (x**2).sum()


def chains(x):
    y = x * 1
    y.view(-1)[1:].mul_(3).add_(1)
    y.T[0][1:].add_(1).mul_(2)
    y.view(3, 2)[1].neg_().add_(x[0, 0])
    v = y.view(-1)[1:]
    v[0] = x[1, 1]
    v[1:] *= 2
    v += 1
    return (y * y).sum()


@pytest.mark.parametrize("f", [many, own, chains])
def test_views_are_written_to_in_all_readings(f):
    x = np.array([[1.5, -2.0, 0.5], [0.7, 1.2, -0.4]])
    z = torch.tensor(x, requires_grad=True)
    y = f(z * 1)
    y.backward()
    close = np.testing.assert_allclose
    close(f(sg.tensor(x)).item(), y.item(), rtol=1e-14)
    close(sg.compile(f)(x), y.item(), rtol=1e-14)
    close(sg.vmap(f)(np.stack([x, x]))[1], y.item(), rtol=1e-14)
    close(sg.grad(f)(x), z.grad, rtol=1e-13)
    close(sg.compile(sg.grad(f))(x), z.grad, rtol=1e-13)
    assert sg.testing.crosscheck(f, x).ok


def test_parts_of_a_symbol_are_written_to_one_after_the_other():
    def f(x):
        y = x * 1
        first, second = y.unbind()
        first.mul_(2)
        second.mul_(3)
        return y

    np.testing.assert_array_equal(sg.compile(f)(np.ones((2, 2))), [[2.0, 2.0], [3.0, 3.0]])


ELSEWHERE = (  # what is written to (4, 3) entries where the second row's last two are not
    lambda y: y.__setitem__(0, 7.0),
    lambda y: y.__setitem__((3, 0), 7.0),
    lambda y: y.__setitem__((1, 0), 7.0),
    lambda y: y.__setitem__((slice(2, None), slice(1, None)), 7.0),
)
THERE = (
    lambda y: y.__setitem__((1, 2), 7.0),
    lambda y: y.__setitem__(1, 7.0),
    lambda y: y.__setitem__((slice(None), 1), 7.0),
    lambda y: y.mul_(2),
)


@pytest.mark.parametrize("write", ELSEWHERE)
def test_a_view_of_a_symbol_is_written_to_after_writes_elsewhere(write):
    def f(x):
        y = x * 1
        part = y[1][1:]
        write(y)
        part.mul_(3)
        return y

    x = np.arange(12.0).reshape(4, 3)
    expected = sg.tensor(x)
    write(expected)
    expected[1, 1:] *= 3
    np.testing.assert_array_equal(sg.compile(f)(x), expected)


@pytest.mark.parametrize("write", THERE)
def test_a_view_of_a_symbol_that_changed_is_refused(write):
    def f(x):
        y = x * 1
        part = y[1][1:]
        write(y)
        part.zero_()
        return y.sum()

    with pytest.raises(RuntimeError, match="a view of a tensor that has changed since"):
        sg.compile(f)(np.ones((4, 3)))


# ------------------------------------------------------------------ what is a view
def is_view(y, xs):
    """Whether a result of symgrad's is an argument, or would be written through to one."""
    origin = getattr(y, "_origin", None)
    if origin is None:
        return any(y is x for x in xs)
    before = [x.detach().clone() for x in xs]
    try:
        y.copy_(~y if y.dtype == bool else y + 1)
    except sg.errors.GraphError:  # of repeated entries
        return True
    return any((x != b).any() for x, b in zip(xs, before, strict=True))


@pytest.mark.slow
def test_results_are_views_where_pytorchs_are():
    import opdb

    wrong = set()
    for op, f in opdb.functions():
        for sample in opdb.samples(op, "float64", 12):
            if not isinstance(sample.input, torch.Tensor) or not sample.input.is_contiguous():
                continue
            args = [opdb.given(a) for a in (sample.input, *sample.args)]
            try:
                with warnings.catch_warnings(action="ignore"):
                    expected = opdb.flat(op.op(sample.input, *sample.args, **sample.kwargs))
                found = opdb.flat(f(*args, **{k: opdb.given(v) for k, v in sample.kwargs.items()}))
            except Exception:
                continue  # compared elsewhere
            places = {t.untyped_storage().data_ptr() for t in (sample.input, *sample.args) if torch.is_tensor(t)}
            tensors = [a for a in args if isinstance(a, sg.Tensor)]
            for y, z in zip(found, expected, strict=False):
                if not isinstance(y, sg.Tensor) or not torch.is_tensor(z) or not z.numel():
                    continue
                if is_view(y, tensors) != (z.untyped_storage().data_ptr() in places):
                    wrong.add(op.name)
    # the first two are tensors of their own, and PyTorch's samples of zero_ write to copies
    assert wrong == {"as_strided", "view_as_complex", "zero_"}
