"""Random array programs, and every way that symgrad has of reading one: eager, compiled, mapped, in a loop, as source.

A program is drawn step by step on actual arrays, so that every step fits the shapes it meets; lengths of 1 are common.
It is smooth where it is evaluated, and no entry is large, so that all readings agree to rounding.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import symgrad as sg

F = sg.nn.functional
Step = Callable[..., Any]
SIZES = [1, 1, 2, 3, 5]
LARGEST = 400  # entries of an intermediate result

EACH: list[Step] = [
    sg.tanh,
    sg.sin,
    sg.cos,
    sg.sigmoid,
    sg.erf,
    sg.atan,
    sg.sinh,
    F.softplus,
    F.gelu,
    F.silu,
    F.elu,
    sg.special.ndtr,
    lambda a: sg.exp(-a * a),
    lambda a: sg.log(1.5 + a * a),
    lambda a: sg.sqrt(a * a + 0.7),
    lambda a: 1 / (a * a + 1.3),
    lambda a: (a * a + 0.4) ** 0.3,
    lambda a: 2.0 ** (-a),
    lambda a: a**3 / 5,
    lambda a: -0.3 * a,
    lambda a: 2 - a,
    lambda a: sg.where(a > 0.3, a, 0.5 * a + 0.1),
    lambda a: sg.clamp(a, -0.8, 0.9),
    lambda a: sg.abs(a) + a % 1.7,
    lambda a: sg.lgamma(a * a + 1.2),
    lambda a: sg.special.log_ndtr(a),
    lambda a: sg.sinc(a),
    lambda a: sg.expm1(a / 3),
]
TWO: list[Step] = [
    lambda a, b: a + b,
    lambda a, b: a - 2 * b,
    lambda a, b: a * b,
    lambda a, b: a / (b * b + 1.1),
    sg.maximum,
    sg.minimum,
    lambda a, b: sg.atan2(a, b * b + 0.8),
    sg.logaddexp,
    lambda a, b: sg.where(a > b, a * b, b),
    lambda a, b: sg.hypot(a, b * b + 0.6),
    lambda a, b: (a * a + 0.9) ** sg.tanh(b),
]
ALONG: list[Step] = [  # of an array and one of its axes
    lambda a, d: a.sum(d),
    lambda a, d: a.mean(d, keepdim=True),
    lambda a, d: sg.cumsum(a, d),
    lambda a, d: sg.flip(a, (d,)),
    lambda a, d: sg.softmax(a, d),
    lambda a, d: sg.log_softmax(a, d),
    lambda a, d: sg.logsumexp(a, d),
    lambda a, d: sg.amax(a, d),
    lambda a, d: sg.amin(a, d, keepdim=True),
    lambda a, d: a.prod(d),
    lambda a, d: sg.cumprod(a, d),
    lambda a, d: sg.std(a, d, correction=0, keepdim=True) if a.shape[d] > 1 else a,
    lambda a, d: sg.norm(a + 2.5, dim=d),
    lambda a, d: sg.sort(a, dim=d).values,
    lambda a, d: sg.roll(a, 1, d),
    lambda a, d: sg.cummax(a, d).values,
    lambda a, d: sg.narrow(a, d, a.shape[d] - 1, 1),
    lambda a, d: sg.logcumsumexp(a, d),
    lambda a, d: sg.median(a, d).values,
    lambda a, d: a.unfold(d, 1 + a.shape[d] // 2, 1),
    lambda a, d: sg.cat([a, 0.5 * a], d),
    lambda a, d: sg.transpose(a, 0, d),
    lambda a, d: sg.index_select(a, d, np.array([a.shape[d] - 1, 0, 0])),
    lambda a, d: a.unsqueeze(d),
    lambda a, d: sg.gather(a, d, sg.argmax(a, d, keepdim=True)),
    lambda a, d: sg.topk(a, 1, d).values,
    lambda a, d: F.normalize(a + 3, dim=d),
    lambda a, d: sg.stack([a, a * a], d),
    lambda a, d: sg.repeat_interleave(a, 2, d),
    lambda a, d: sg.diff(a, dim=d, prepend=sg.zeros_like(a)),
]
WHOLE: list[Step] = [  # of an array
    lambda a: a.reshape(-1),
    lambda a: a[..., ::2] if a.shape else a,
    lambda a: a[..., [0, -1, 0]] if a.shape else a,
    lambda a: a[None],
    lambda a: a - a.mean(),
    lambda a: sg.stack([a, 2 * a], -1),
    lambda a: a.expand(2, *a.shape),
    lambda a: a.sum() * a,
    lambda a: sg.outer(a.reshape(-1)[:4], a.reshape(-1)[:3]),
    lambda a: F.pad(a, (1, 2)) if a.shape else a,
    lambda a: sg.checkpoint(lambda v: sg.tanh(v) * v)(a),
    lambda a: sg.vmap(lambda v: sg.sin(v).sum() * v)(a) if a.shape else a,
    lambda a: sg.scan(lambda c, v: (0.5 * c + sg.tanh(v), c * v), sg.zeros_like(a[0]), a)[1] if a.shape else a,
    lambda a: sg.fori_loop(0, 3, lambda k, c: sg.sin(c) + 0.1 * a, a),
    lambda a: F.avg_pool1d(a[None], 2, 1) if len(a.shape) == 2 and a.shape[1] > 1 else a,
    lambda a: sg.fft.rfft(a).abs() if a.shape else a,
]
MATRIX: list[Step] = [  # of a square matrix
    lambda a: sg.linalg.det(a / 3 + sg.eye(a.shape[-1])),
    lambda a: sg.inverse(a @ a.mT + 2 * sg.eye(a.shape[-1])),
    sg.tril,
    lambda a: sg.linalg.cholesky(a @ a.mT + 1.5 * sg.eye(a.shape[-1])),
    lambda a: sg.logdet(a @ a.mT + sg.eye(a.shape[-1])),
    lambda a: sg.linalg.solve(a @ a.mT + sg.eye(a.shape[-1]), a),
    sg.trace,
    sg.diagonal,
    lambda a: sg.matrix_exp(a / 4),
]


class Instruction(NamedTuple):
    """A step, the variables it reads, and the axis along which it works where it has one."""

    step: Step
    reads: tuple[int, ...]
    axis: tuple[int, ...] = ()


class RandomProgram:
    """Instructions on a list of variables, which begins with the arguments; the value is a weighted sum of the last."""

    def __init__(self, seed: int, steps: int = 7) -> None:
        self.draw = random.Random(seed)
        rng = np.random.default_rng(seed)
        shapes = [tuple(self.draw.choice(SIZES) for _ in range(self.draw.choice([1, 1, 2, 2, 3]))) for _ in range(2)]
        self.arrays = [rng.normal(size=shape) * 0.7 for shape in shapes]
        self.other_arrays = [rng.normal(size=shape) * 0.7 for shape in shapes]
        self.instructions: list[Instruction] = []
        variables: list[Any] = [sg.tensor(x) for x in self.arrays]
        while len(self.instructions) < steps:
            instruction = self._drawn(variables)
            y = run(instruction, variables)
            if 0 < y.numel() <= LARGEST and bool((sg.abs(y) < 30).all()):
                variables.append(y)
                self.instructions.append(instruction)
        self.weights = [np.cos(0.7 * np.arange(y.numel()) + k).reshape(y.shape) for k, y in enumerate(variables[-3:])]

    def _drawn(self, variables: Sequence[Any]) -> Instruction:
        """Draw an instruction that fits the shapes of the variables; later ones are read more often."""
        draw = self.draw
        k = max(draw.randrange(len(variables)), draw.randrange(len(variables)))
        x, kind = variables[k], draw.random()
        if len(x.shape) > 1 and x.shape[-1] == x.shape[-2] and len(x.shape) == 2 and kind < 0.4:
            return Instruction(draw.choice(MATRIX), (k,))
        if kind < 0.25:
            return Instruction(draw.choice(EACH), (k,))
        if kind < 0.5:
            others = [j for j, y in enumerate(variables) if broadcasts(x.shape, y.shape)]
            return Instruction(draw.choice(TWO), (k, draw.choice(others)))
        if kind < 0.6:
            others = [j for j, y in enumerate(variables) if len(y.shape) == 2 and x.shape and x.shape[-1] == y.shape[0]]
            if others:
                return Instruction(lambda a, b: a @ b, (k, draw.choice(others)))
        if kind < 0.85 and x.shape:
            return Instruction(draw.choice(ALONG), (k,), (draw.randrange(len(x.shape)),))
        return Instruction(draw.choice(WHOLE), (k,))

    def __call__(self, *arguments: Any) -> Any:
        """The value of the program: a number."""
        variables = [sg.as_tensor(x) for x in arguments]
        for instruction in self.instructions:
            variables.append(run(instruction, variables))
        return sum((y * w).sum() for y, w in zip(variables[-3:], self.weights, strict=True))


def run(instruction: Instruction, variables: Sequence[Any]) -> Any:
    """The result of one instruction."""
    return instruction.step(*[variables[k] for k in instruction.reads], *instruction.axis)


def broadcasts(a: Sequence[int], b: Sequence[int]) -> bool:
    """Whether two shapes go together."""
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b)))


# ------------------------------------------------------------------ readings of (value, gradients)
def eager(f: RandomProgram, *arrays: Any) -> tuple[Any, ...]:
    """The reference: reverse mode on recorded tensors."""
    leaves = [sg.tensor(x, requires_grad=True) for x in arrays]
    y = f(*leaves)
    y.backward()
    zero = np.zeros_like
    return y.item(), *[zero(x) if leaf.grad is None else leaf.grad.numpy() for leaf, x in zip(leaves, arrays)]


def slopes(f: Callable[..., Any]) -> Callable[..., Any]:
    """The value and both gradients as a function of the arguments."""

    def value_and_gradients(x: Any, y: Any) -> Any:
        value, gradients = sg.value_and_grad(f, argnums=(0, 1))(x, y)
        return value, *gradients

    return value_and_gradients


def compiled(backend: str) -> Callable[..., Any]:
    """The reading by a backend of the compiler."""
    return lambda f, *arrays: sg.compile(slopes(f), backend=backend)(*arrays)


def mapped(f: RandomProgram, *arrays: Any) -> Any:
    """The second row of a compiled map over two rows."""
    rows = [np.stack([other, x]) for other, x in zip(f.other_arrays, arrays)]
    return [np.asarray(y)[1] for y in sg.compile(sg.vmap(slopes(f)))(*rows)]


def looped(f: RandomProgram, *arrays: Any) -> Any:
    """The last step of a compiled loop whose body takes the gradients."""
    rows = [np.stack([other, x]) for other, x in zip(f.other_arrays, arrays)]

    def steps(*xs: Any) -> Any:
        return sg.scan(lambda c, row: (c, slopes(f)(*row)), 0.0, xs)[1]

    return [np.asarray(y)[1] for y in sg.compile(steps)(*rows)]


def forward(f: RandomProgram, *arrays: Any) -> Any:
    """Forward mode: one column of the Jacobian after the other."""
    return f(*arrays).item(), *[np.asarray(g) for g in sg.func.jacfwd(f, argnums=(0, 1))(*arrays)]


def source(target: str) -> Callable[..., Any]:
    """The reading by exported source of Python or NumPy, which runs without symgrad."""

    def reading(f: RandomProgram, *arrays: Any) -> Any:
        names: dict[str, Any] = {"__name__": "exported"}
        text = sg.export(slopes(f), arrays, target=target, name="f", formula=False)
        exec(compile(text, "<exported>", "exec"), names)
        return names["f"](*arrays)

    return reading


def source_c(f: RandomProgram, *arrays: Any, path: Any) -> Any:
    """The reading by exported C."""
    sg.export(slopes(f), arrays, target="c", name="f", formula=False, path=path)
    return sg.exports.load_c(path)(*arrays)


def second(f: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The product of the Hessian with a direction, reverse over reverse and forward over reverse."""

    def directed(x: Any, y: Any, u: Any) -> Any:
        return (sg.grad(f)(x, y) * u).sum()

    return sg.grad(directed), lambda x, y, u: sg.jvp(lambda x: sg.grad(f)(x, y), (x,), (u,))[1]
