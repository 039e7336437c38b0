"""Mistakes that a checker reports, each on a line that ends in ``# wrong``; test_types.py compares the lines.

Nothing here is run.
"""

from typing import Any

import numpy as np

import symgrad as sg
import symgrad.nn.functional as F

t = sg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)

# ------------------------------------------------------------------ misspelt names
sg.softmx(t, dim=0)  # wrong
sg.linalg.sovle(t, t)  # wrong
sg.special.erfxc(t)  # wrong
sg.nn.functional.reluu(t)  # wrong
print(sg.nn.functionl)  # wrong
F.crossentropy(t, t)  # wrong
sg.optim.Adamm([t])  # wrong
sg.testing.croscheck(abs, 1.0)  # wrong
sg.derivative(t.sum(), t)  # wrong
sg.autograd.gard(t.sum(), t)  # wrong
sg.func.jacrew(abs)  # wrong
sg.utils.chekpoint(abs)  # wrong
t.smu()  # wrong
print(t.requiresgrad)  # wrong
t.exp().smu()  # wrong
(t + 1).bakward()  # wrong
sg.exp(t).nmupy()  # wrong
print(sg.linalg.svd(t).sigma)  # wrong
print(t.sort().order)  # wrong
print(sg.derive(t.sum(), t).latx())  # wrong
print(sg.compile(sg.exp).soruce)  # wrong

# ------------------------------------------------------------------ wrong calls
sg.tensor()  # wrong
sg.tensor([1.0], grad=True)  # wrong
sg.tensor([1.0], requires_grad="yes")  # wrong
sg.zeros(2, 3, dtyp=sg.float32)  # wrong
sg.exp()  # wrong
sg.exp(t, t)  # wrong
sg.sum(t, dimension=0)  # wrong
sg.softmax(t, dim="rows")  # wrong
sg.matmul(t)  # wrong
sg.special.erfcx(t, 2)  # wrong
sg.linalg.solve(t)  # wrong
F.mse_loss(t)  # wrong
F.softplus(t, slope=2)  # wrong
t.sum(dimension=0)  # wrong
t.exp(2)  # wrong
t.backward(retain=True)  # wrong
t.topk(largest=False)  # wrong
sg.derive(t.sum())  # wrong
sg.derive(t.sum(), t, order="second")  # wrong
sg.optim.Adam()  # wrong
sg.optim.Adam([t], rate=1e-3)  # wrong
sg.compile(sg.exp, backnd="numpy")  # wrong
sg.scan(sg.exp)  # wrong
sg.manual_seed("zero")  # wrong


# ------------------------------------------------------------------ wrong results, and wrong arguments of a transform
def loss(w: sg.Tensor, weight: float = 1.0) -> sg.Tensor:
    """A function with annotations."""
    return weight * (w**2).sum()


number: float = loss(t)  # wrong
text: str = sg.derive(t.sum(), t)  # wrong
array: np.ndarray[Any, Any] = sg.exp(t)  # wrong
sg.grad(loss)()  # wrong
sg.grad(loss)(t).smu()  # wrong
sg.grad(loss)(w=t)  # wrong
sg.grad(sg.grad(loss))(t, weigth=2.0)  # wrong
sg.value_and_grad(loss)(t)[1].smu()  # wrong
sg.grad(loss, argnums=(0, 1))(t).sum()  # wrong
sg.hessian(loss)(t, weigth=2.0)  # wrong
sg.hvp(loss, t, t).smu()  # wrong
sg.jvp(loss, (t,), (t,))[1].smu()  # wrong
sg.grad(loss)(t, weigth=2.0)  # wrong
sg.value_and_grad(loss)(t, 1.0, 2.0)  # wrong
sg.jacobian(loss)("t")  # wrong
sg.vmap(loss)(t, "heavy")  # wrong
sg.compile(loss)(t, weigth=2.0)  # wrong
sg.checkpoint(loss)(t).smu()  # wrong
value, gradient, rest = sg.value_and_grad(loss)(t)  # wrong
