"""Mistakes of beginners and of ported programs: one cause and one remedy each, in the words that stand here."""

import math
import re

import numpy as np
import pytest

import symgrad as sg
from symgrad.errors import ValueNeeded

model, x, w = sg.nn.Linear(3, 2), sg.symbol("x"), sg.tensor([1.0, 2.0], requires_grad=True)

MISTAKES = {
    "sg.optim.SGD(model)": "Expected its tensors: model.parameters()",
    "sg.optim.SGD(model.parameters, lr=0.1)": "Expected what the method returns: model.parameters()",
    "sg.nn.utils.clip_grad_norm_(model, 1.0)": "Expected its tensors: model.parameters()",
    "sg.optim.Adam([w], learning_rate=0.1)": "'learning_rate'. Expected some of params, lr, betas",
    "sg.sin('x')": "sin(): an argument must be a tensor, not str. Pass numbers",
    "sg.linalg.inv(None)": "inv(): an argument must be a tensor, not NoneType",
    "sg.add({}, w)": "add(): an argument must be a tensor, not dict",
    "sg.sum(np.array([None]))": "sum(): can't convert np.ndarray of type numpy.object_",
    "model('x')": "Linear(): an argument must be a tensor, not str",
    "sg.derive('sum((X @ w - y)**2)', 'w')": 'parse: without a shape, X and w and y are numbers; pass shapes={"X"',
    "sg.derive('det(A)', 'A')": 'A is a number; pass shapes={"A": ("n", "d")}',
    "sg.grad(w.sum())": "Pass the function first",
    "sg.grad(lambda x: x**2, 2.0)": "takes the point: grad(f)(x)",
    "sg.jacobian(lambda x: x**2, np.ones(2))": "takes the point: jacobian(f)(x)",
    "sg.hessian('x**2')": "Pass the function first",
    "sg.grad(lambda x: x**2)(np.ones(2))": "vjp or jacrev",
    "sg.grad(lambda x: x**2)(2)": "pass floats, such as 2.0",
    "sg.tensor([1, 2], requires_grad=True)": "pass dtype=sg.float64",
    "w.backward()": "pass gradient=",
    "w.numpy()": "Use tensor.detach().numpy()",
    "w.add_(1)": "under no_grad()",
    "w.cuda()": "For a GPU",
    "w.stride()": "Use x.numpy().strides",
    "sg.max(w, w, w)": "write sg.max(sg.max(x, y), z)",
    "w.min(w, w)": "got a tensor for keepdim. Expected True or False",
    "w.__delitem__(0)": "a tensor keeps its shape. Write x[1:]",
    "sg.arange('3')": "arange: got '3'. Expected numbers, or names of sizes such as 'n'",
    "sg.broadcast_shapes(sg.ones(()), 2)": "Expected shapes, such as (2, 3) or x.shape",
    "w.byte()": "Use x.to(sg.uint8)",
    "sg.ones(2, 2).fill_diagonal_(0)": "Use x.diagonal().fill_(0)",
    "sg.ones(2, 2).svd()": "Use sg.linalg.svd(A)",
    "sg.ones(2, 3) @ sg.ones(2, 3)": "Did you mean A.T for the first?",
    "sg.ones(2, 3).reshape(4, 2)": "invalid for input of size 6",
    "sg.cat(sg.ones(2), sg.ones(2))": "Pass a list: cat([x, y])",
    "sg.stack([sg.ones(2), sg.ones(3)])": "use cat",
    "sg.ones(2, 3).sum(2)": "expected to be in range of [-2, 1]",
    "sg.ones(3)[5]": "Expected -3 to 2",
    "bool(sg.ones(2) > 0)": "Use .any(), .all() or sg.where",
    "(sg.ones(2) * 2).sum().backward()": "Make an input with requires_grad=True",
    "sg.tensor(np.array(['a']))": "Convert it first",
    "sg.zeros(2, dtype='flot32')": "Pass sg.float64",
    "sg.nn.functional.cross_entropy(sg.ones(2, 3), sg.ones(2))": "Pass classes as integers",
    "model(sg.ones(2, 5))": "Got input [2, 5] and weight [2, 3]",
    "model.weigth": "Did you mean 'weight'?",
    "sg.value_and_grad(lambda x: None)(1.0)": "Return one tensor",
    "sg.compile(lambda x: x if x > 0 else -x)(1.0)": "sg.where(x > 0, a, b) instead of if",
    "sg.compile(lambda x: float(x) * 2)(1.0)": "Write functions of symgrad",
    "sg.optim.Adam(model.state_dict())": "got a dict with the keys 'weight', 'bias', …. Expected tensors",
    "sg.optim.SGD([*model.named_parameters(), w])": "Got names for 2 of 3. Pass",
    "sg.nn.MSELoss(w, w)": "call it with its inputs: MSELoss(…)(x)",
    "sg.nn.CrossEntropyLoss(w, w)": "call it with its inputs: CrossEntropyLoss(…)(x)",
    "sg.nn.ReLU(w)": "call it with its inputs: ReLU(…)(x)",
    "sg.nn.Flatten(w)": "call it with its inputs: Flatten(…)(x)",
    "sg.nn.init.normal(w)": "Did you mean 'normal_'?",
    "sg.nn.utils.rnn.pad_sequence(w)": "Expected a list of tensors (T, …), as in pad_sequence([x, y])",
    "sg.nn.functional.nll_loss(sg.ones(2, 3), sg.ones(2))": "Pass classes as integers",
    "f'{w:.2f}'": "format one number, such as x.mean()",
    "sg.nn.MSELoss(size_average=False)": 'Write reduction="mean", "sum" or "none"',
    "sg.nn.Hardtanh(min_value=-1)": "Did you mean 'min_val'?",
    "sg.autograd.grad(w.sum(), w, only_inputs=False)": "Call y.backward()",
    "sg.exp(w, out=sg.zeros(3))": "tensors keep their shape. Expected [2]",
    "sg.exp(w, out=sg.zeros(2, dtype=sg.int64))": "float64 can't be cast to out's int64",
    "sg.sum(w, 0, out=3)": "got out=3. Expected a tensor",
    "sg.sort(w, out=sg.zeros(2))": "Expected a tuple of 2 tensors",
    "sg.unravel_index(6, (2, 3))": "Expected 0 to 5",
    "sg.broadcast_shapes((2,), (3,))": "[2] and [3] do not broadcast",
    "sg.compile(lambda x: x * x.item())(1.0)": "and leave item() to the result",
    "sg.compile(lambda x: [1, 2][x])(sg.tensor(1))": "Write sg.tensor(a)[x] for a[x]",
    "sg.compile(lambda x: 1.0 in x)(np.ones(2))": "(x == value).any()",
    "sg.compile(lambda x: f'{x:.2f}')(1.0)": "and leave format() to the result",
    "sg.compile(lambda x: x[x > 0])(np.ones(2))": "Write sg.where(mask, x, 0) for x[mask]",
    "sg.compile(lambda x, n: x[:n])(np.ones(2), sg.tensor(1))": "sg.where(sg.arange(n) < stop, x, 0)",
    "sg.compile(lambda x: x.nonzero())(np.ones(2))": "call it outside of the function",
    "sg.compile(sg.sin, mode='max-autotune')": "there is one mode",
    "sg.compile(sg.sin, dynamic=True)": "each shape has a kernel of its own",
    "sg.vmap(lambda a, b: a + b)(np.ones(2), np.ones(3))": "one common size, got [2, 3]",
    "sg.parse('x^^2')": "a power is **",
    "sg.quad(lambda x, a: a * x, 0, 1, args=2.0)": "Write args=(2.0,)",
    "sg.while_loop(lambda c: c < 3, lambda c: c + 1, 0.0, max_steps=1)": "not ended after max_steps=1",
    "sg.switch(0, [], 1.0)": "Pass at least one function",
    "sg.export(lambda x: x, target='cuda')": "Expected one of 'c', 'jax'",
    "sg.manual_seed('a')": "Expected an integer",
    "next(iter(sg.utils.data.DataLoader(5)))": "Expected a data set",
    "sg.utils.data.DataLoader([1], shuffle=True, sampler=[0])": "Leave shuffle out",
    "sg.einsum('ij,jk', sg.ones(2, 3), sg.ones(2, 3))": "does not broadcast",
    "np.array([w.sum(), 1.0])": "Write sg.stack([a, b]) or sg.tensor([a, b])",
    "sg.optim.Adam([w], capturable=True)": "it is for graphs of CUDA",
    "sg.optim.lr_scheduler.OneCycleLR(sg.optim.SGD([w]), 0.1)": "define either total_steps OR",
    "sg.func.stack_module_state([])": "Expected at least one model",
    "sg.func.functional_call(model, {'weigth': w}, w)": "weight",
    "sg.integrate": "Use sg.quad(f, a, b)",
    "sg.LSTMCell": "Use sg.nn.LSTMCell",
    "sg.MultiheadAttention": "Use sg.nn.MultiheadAttention",
    "sg.minimize": "Use sg.optim.minimize",
    "sg.norm.logpdf": "attribute 'logpdf'",
    "sg.jnp": "NumPy's functions, which take tensors",
    "sg.symbols('x y')": 'sg.symbol("x", "n")',
    "sg.GradScaler()": "numbers keep the precision",
    "sg.distributions.Normal(0, 1)": "Use sg.stats",
    "sg.tensor(1.0).to_dense()": "tensors are dense",
    "sg.optim.minimize(np.ones(2), lambda v: v.sum())": "Pass the function first",
    "sg.ones((2, 3), 'float32')": "a dtype is passed by keyword",
    "sg.zeros(3, 'int64')": "a dtype is passed by keyword",
    "sg.sympify('x')": '{"x": ()}',
    "sg.symbol('s').subs": "Use sg.derive(y, x).subs(x, 2)",
    "sg.derive(__import__('sympy').Symbol('t') ** 2, 't')": "as text: str(e)",
    "sg.optim.SparseAdam([w])": "Use sg.optim.Adam(params)",
    "w.to('mps')": 'sg.export(f, (x,), target="torch")',
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_mistake_is_answered_with_what_to_do(line):
    with pytest.raises(Exception, match=re.escape(MISTAKES[line])):
        eval(line, {"sg": sg, "np": np, "w": w, "model": model})


def test_a_derivative_by_a_symbol_that_does_not_occur_is_zero():
    y = sg.symbol("y", "n")
    assert str(sg.derive(x**2, y)) == "0"
    assert sg.derive(x**2, y).shape == y.shape
    assert str(sg.derive(x**2, [x, y])[1]) == "0"


def grows(x):
    while x.sum() < 10:
        x = x * 2
    return x


def branches(x):
    if x.sum() > 0 and x[0] > 1:
        return x
    return -x


def larger(x):
    return max(x[0], x[1])


def asserts(x):
    assert x.sum() > 0
    return x


def of_math(x):
    return math.sin(x[0])


def rounds(x):
    return x * float(x[0])


def fills(x):
    a = np.zeros(2)
    a[0] = x[0]
    return a.sum()


def repeats(x):
    for _ in range(x[0]):
        x = x + 1
    return x


@pytest.mark.parametrize(
    ("f", "says"),
    [
        (grows, "Write sg.while_loop(condition, body, x) instead of while."),
        (branches, "Write sg.where((x > 0) & (y > 0), a, b) instead of if."),
        (larger, "Write sg.maximum(a, b) for max(a, b)."),
        (asserts, "Take the assert out of the function, and check its result."),
        (of_math, "Write sg.sin(x) for math.sin(x)."),
        (rounds, "Compute with x itself, and leave float() to the result."),
        (fills, "Write sg.stack([a, b]) for an array that is filled entry by entry."),
        (repeats, "Write sg.fori_loop(0, n, body, x) for a loop over range(n)."),
    ],
)
@pytest.mark.parametrize("transform", [sg.compile, sg.vmap])
def test_a_line_that_asks_for_a_value_is_answered_with_its_own_remedy(transform, f, says):
    at = np.ones(2) if transform is sg.compile else np.ones((3, 2))
    with pytest.raises(ValueNeeded) as error:
        transform(f)(at)
    assert str(error.value).endswith(f"has no value. {says}")
