"""Ordinary programs, from README, the tutorial, the guides and the examples, in which a checker finds no fault.

``assert_type`` says what the checker must have inferred; at run time it does nothing, and the file runs as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_type

import numpy as np

import symgrad as sg
import symgrad.nn.functional as F

# ------------------------------------------------------------------ the tutorial
x = sg.ones(5, name="x")
y = sg.zeros(3, name="y")
w = sg.randn(5, 3, requires_grad=True, name="W")
b = sg.randn(3, requires_grad=True, name="b")
z = sg.matmul(x, w) + b
loss = sg.nn.functional.binary_cross_entropy_with_logits(z, y)
assert_type(z, sg.Tensor)
assert_type(loss, sg.Tensor)
assert loss.grad_fn is not None
loss.backward()
assert w.grad is not None
assert_type(w.grad, sg.Tensor)
print(w.grad.numpy().shape, loss.item(), w.shape, w.dtype, z.expr)

form = sg.derive((sg.matmul(x, w) + b).sum(), w)
assert_type(form, sg.ClosedForm)
print(form, form.index("i", "j"), form.latex(), form.args)
gradient = form.lambdify()
print(gradient(), gradient(b=np.zeros(3)))
dw, db = sg.derive((sg.matmul(x, w) + b).sum(), [w, b])
assert_type(dw, sg.ClosedForm)

X, Y = sg.symbol("X", ("n", "p")), sg.symbol("Y", ("n", "k"))
W, c = sg.symbol("W", ("p", "k")), sg.symbol("c", "k")
print(sg.derive(F.binary_cross_entropy_with_logits(X @ W + c, Y), W))

with sg.no_grad():
    z = sg.matmul(x, w) + b
print(z.requires_grad, (x * 2).detach().requires_grad)


# ------------------------------------------------------------------ operators, indexing, methods
t = sg.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)
assert_type(t, sg.Tensor)
assert_type(-t + 1, sg.Tensor)
assert_type(2 * t - t / 3, sg.Tensor)
assert_type(1 / (1 + t**2), sg.Tensor)
assert_type(t @ t.T, sg.Tensor)
assert_type(t[0], sg.Tensor)
assert_type(t[:, None, ...], sg.Tensor)
assert_type(t > 0, sg.Tensor)
assert_type((t > 0) & (t < 3), sg.Tensor)
assert_type(abs(t), sg.Tensor)
assert_type(t.exp().sum(dim=0, keepdim=True), sg.Tensor)
assert_type(t.reshape(4).cumsum(0), sg.Tensor)
assert_type(t.view(-1), sg.Tensor)
assert_type(t.max(), sg.Tensor)
assert_type(t.clamp(min=0.0), sg.Tensor)
assert_type(t.detach().clone(), sg.Tensor)
assert_type(t.var(ddof=1), sg.Tensor)
assert_type(t.to(sg.float32), sg.Tensor)
assert_type(float(t.detach().sum()), float)
assert_type(len(t), int)
assert_type(t.ndim, int)
assert_type(t.detach().numpy(), np.ndarray[Any, Any])
for row in t:
    assert_type(row, sg.Tensor)
values, indices = t.sort(dim=1)
assert_type(values, sg.Tensor)
assert_type(t.topk(1).indices, sg.Tensor)
largest, where = t.max(dim=1)
print(largest, where, t.sum().item() > 1, t.tolist())
with sg.no_grad():
    t -= 0.1 * t
    t.mul_(2).add_(1, alpha=2)
    t[0, 0] = 5.0

# ------------------------------------------------------------------ functions and their namespaces
assert_type(sg.exp(sg.sin(2.0)), sg.Tensor)
assert_type(sg.where(t > 0, t, 0.0), sg.Tensor)
assert_type(sg.cat([t, t], dim=1), sg.Tensor)
assert_type(sg.stack([sg.tensor(1.0), sg.tensor(2.0)]), sg.Tensor)
assert_type(sg.einsum("ij,jk->ik", t, t), sg.Tensor)
assert_type(sg.softmax(t, dim=1), sg.Tensor)
assert_type(sg.absolute(t), sg.Tensor)
assert_type(sg.sum(input=t), sg.Tensor)
assert_type(sg.special.erfcx(t), sg.Tensor)
assert_type(sg.special.xlog1py(t, 2.0), sg.Tensor)
assert_type(sg.linalg.solve(t, sg.eye(2)), sg.Tensor)
assert_type(sg.linalg.svd(t).S, sg.Tensor)
sign, logdet = sg.linalg.slogdet(t)
assert_type(logdet, sg.Tensor)
first, second = sg.chunk(t, 2)
assert_type(first, sg.Tensor)
assert_type(F.softplus(t, beta=2), sg.Tensor)
assert_type(F.cross_entropy(t, sg.tensor([0, 1]), reduction="sum"), sg.Tensor)
assert_type(sg.allclose(t, t), bool)
assert_type(sg.arange(3, dtype=sg.float64), sg.Tensor)
assert_type(sg.randint(0, 3, (2,)), sg.Tensor)


# ------------------------------------------------------------------ transforms
def rosenbrock(x: Any) -> sg.Tensor:
    """The banana-shaped valley."""
    return sg.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def weighted(x: sg.Tensor, weight: float = 1.0, *, power: int = 2) -> sg.Tensor:
    """A sum of powers."""
    return weight * (x**power).sum()


def two_layers(p: dict[str, sg.Tensor], x: sg.Tensor) -> sg.Tensor:
    """A loss whose parameters are a structure."""
    return (sg.tanh(x @ p["a"]) @ p["b"]).sum()


slope = sg.grad(weighted)
assert_type(slope(t, 2.0, power=3), sg.Tensor)
parameters = {"a": sg.ones(2, 2), "b": sg.ones(2, 1)}
assert_type(sg.grad(two_layers)(parameters, t)["a"], sg.Tensor)
assert_type(sg.value_and_grad(two_layers)(parameters, t)[1], dict[str, sg.Tensor])
assert_type(sg.func.grad_and_value(weighted)(t, power=3)[0], sg.Tensor)
assert_type(sg.grad(two_layers, argnums=(0, 1))(parameters, t), tuple[Any, ...])
assert_type(sg.grad(slope)(sg.tensor(2.0), 3.0), sg.Tensor)
assert_type(sg.grad(sg.compile(weighted))(t), sg.Tensor)
dp, aux = sg.grad(lambda p, scale: ((p["a"] * scale).sum(), scale), has_aux=True)(parameters, 2.0)
print(dp["a"], aux, sg.value_and_grad(lambda x, y: (x**2).sum() + y)(np.ones(2), 3.0)[1].shape)
assert_type(sg.vjp(weighted, t)[1](sg.tensor(1.0)), tuple[sg.Tensor, ...])
assert_type(sg.jvp(weighted, (t,), (t,)), tuple[sg.Tensor, sg.Tensor])
assert_type(sg.linearize(weighted, t)[1](t), sg.Tensor)
assert_type(sg.hvp(weighted, t, t), sg.Tensor)
value, g = sg.value_and_grad(rosenbrock)(np.ones(4))
print(value, g, sg.grad(sg.grad(lambda x: x**3))(2.0))
print(sg.grad(lambda p: p["a"] * p["b"])({"a": 2.0, "b": 3.0}))
print(sg.hessian(rosenbrock)(np.ones(3)), sg.jacobian(lambda x: x**2)(np.array([1.0, 2.0])))
print(sg.vmap(lambda a, b: a @ b)(sg.ones(4, 3), sg.ones(4, 3)))
print(sg.jvp(sg.sin, (0.0,), (2.0,)), sg.hvp(rosenbrock, np.ones(3), np.ones(3)).shape)
out, pull = sg.vjp(lambda x: {"double": 2 * x}, np.array([1.0, 2.0]))
print(out["double"], pull({"double": np.ones(2)})[0])
fast = sg.compile(sg.value_and_grad(rosenbrock))
print(fast(np.array([1.0, 2.0, 3.0])), fast.source, fast.stats)


@sg.compile(backend="numpy")
def halved(x: Any) -> Any:
    """Half of it."""
    return x / 2


@sg.checkpoint
def layer(x: sg.Tensor) -> sg.Tensor:
    """A layer that is computed again."""
    return sg.tanh(x)


print(halved(np.ones(2)), sg.export(rosenbrock, np.ones(3), target="numpy").count("\n"))
assert_type(layer(t), sg.Tensor)
total, steps = sg.scan(lambda carry, x: (carry + x, carry), sg.tensor(0.0), sg.ones(3))
print(total, steps, sg.fori_loop(0, 3, lambda i, x: x * 2, sg.tensor(1.0)))
(dx,) = sg.autograd.grad((t**2).sum(), t)


# ------------------------------------------------------------------ training
@dataclass
class Layer:
    """Weights and biases."""

    weight: sg.Tensor
    bias: sg.Tensor

    def __call__(self, x: sg.Tensor) -> sg.Tensor:
        """A linear map and a rectifier."""
        return F.relu(x @ self.weight + self.bias)


class Square(sg.autograd.Function):
    """x², with a rule of its own."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        """x²."""
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        """2x g."""
        (x,) = ctx.saved_tensors
        return 2 * x * g


def train(model: Callable[[sg.Tensor], sg.Tensor], parameters: list[sg.Tensor], data: sg.Tensor) -> float:
    """A few steps of Adam."""
    optimizer = sg.optim.Adam(parameters, lr=1e-2)
    found = sg.tensor(0.0)
    for _ in range(3):
        optimizer.zero_grad()
        found = F.mse_loss(model(data), sg.zeros_like(data))
        found.backward()
        optimizer.step()
    return float(found.detach())


generator = np.random.default_rng(0)
one = Layer(sg.tensor(generator.normal(size=(3, 3)), requires_grad=True), sg.zeros(3, requires_grad=True))
assert_type(train(one, [one.weight, one.bias], sg.ones(4, 3)), float)
print(Square.apply(sg.tensor(2.0)))
report = sg.testing.crosscheck(lambda x: (x**2).sum(), np.array([1.0, 2.0]))
assert report.ok
print(sg.explain((t**2).sum(), t), sg.is_grad_enabled())
graded = sg.grade("2*x", of="x**2", wrt="x")
said: str = graded.hint if graded.at is None else str(graded.at.answer)
practice: str = sg.exercises("chain", level=2, seed=1)[0].grade("2*x").hint
sg.set_printoptions(precision=4)
print(np.sin(t.detach()), np.asarray(t.detach()) + 1, sg.from_numpy(np.ones(2)) * np.ones(2))
