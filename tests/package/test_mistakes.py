"""Mistakes of beginners and of ported programs: one cause and one remedy each, in the words that stand here."""

import re

import numpy as np
import pytest

import symgrad as sg

model, x, w = sg.nn.Linear(3, 2), sg.symbol("x"), sg.tensor([1.0, 2.0], requires_grad=True)

MISTAKES = {
    "sg.optim.SGD(model)": "Expected its tensors: model.parameters()",
    "sg.optim.SGD(model.parameters, lr=0.1)": "Expected a list or a tuple",
    "sg.optim.Adam([w], learning_rate=0.1)": "'learning_rate'. Expected some of params, lr, betas",
    "sg.sin('x')": 'sg.symbol("x")',
    "sg.derive('sum((X @ w - y)**2)', 'w')": 'shapes={"X": ("n", "d")}',
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
    "sg.compile(lambda x: float(x) * 2)(1.0)": "leave float(), item() and numpy()",
    "sg.compile(sg.sin, mode='max-autotune')": "there is one mode",
    "sg.compile(sg.sin, dynamic=True)": "each shape has a kernel of its own",
    "sg.vmap(lambda a, b: a + b)(np.ones(2), np.ones(3))": "one common size, got [2, 3]",
    "sg.parse('x^^2')": "a power is **",
    "sg.quad(lambda x, a: a * x, 0, 1, args=2.0)": "Write args=(2.0,)",
    "sg.while_loop(lambda c: c < 3, lambda c: c + 1, 0.0, max_steps=1)": "not over after max_steps=1",
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
