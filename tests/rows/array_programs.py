"""Random programs on arrays, from a seed: each step is a function of the values so far, and runs on any tensors.

Everything stays of moderate size, and nothing jumps where a last digit decides.
"""

from __future__ import annotations

import numpy as np

import symgrad as sg

SIZES = [1, 1, 2, 3, 4, 5, 7, 9, 17, 33, 40]
MOST = 20_000  # entries of a value

UNARY = {
    "sin": sg.sin, "cos": sg.cos, "tanh": sg.tanh, "sigmoid": sg.sigmoid, "abs": sg.abs, "atan": sg.atan,
    "asinh": sg.asinh, "erf": sg.erf, "relu": sg.relu, "softplus": sg.nn.functional.softplus, "neg": lambda x: -x,
    "square": lambda x: x * x, "cube": lambda x: x**3, "gauss": lambda x: sg.exp(-x * x),
    "root": lambda x: sg.sqrt(1 + x * x), "power": lambda x: (1.1 + x * x) ** 1.5, "log": lambda x: sg.log(1.5 + x * x),
    "expm1": lambda x: sg.expm1(sg.tanh(x)), "inverse": lambda x: 1 / (1.5 + x * x),
}  # fmt: skip
BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "maximum": sg.maximum,
    "minimum": sg.minimum, "div": lambda a, b: a / (1.5 + b * b), "atan2": lambda a, b: sg.atan2(a, 2 + b * b),
    "marked": lambda a, b: (a > b) * 0.5 + (a > 0.1) * -1.0, "counted": lambda a, b: (a > b).sum() * 0.25 + a,
    "either": lambda a, b: ((a > b) + (b > 0)) * a, "both": lambda a, b: ((a > b) & ~(b > 0.2)) * a - (a <= b) * 1.0,
    "chosen": lambda a, b: sg.where(sg.where(a > b, a > 0, b > 0.3), a, b),
    "masked": lambda a, b: sg.where(b > a, a, 2.0),
}  # fmt: skip
ALONG = {
    "sum": lambda x, axes, keep: x.sum(axes, keepdim=keep), "mean": lambda x, axes, keep: x.mean(axes, keepdim=keep),
    "amax": lambda x, axes, keep: x.amax(axes, keepdim=keep), "amin": lambda x, axes, keep: x.amin(axes, keepdim=keep),
    "var": lambda x, axes, keep: x.var(axes, correction=0, keepdim=keep),
    "logsumexp": lambda x, axes, keep: sg.logsumexp(x, axes, keepdim=keep),
}  # fmt: skip


class Program:
    """Steps from a seed, and the points they were made for.

    Args:
        seed: of the random numbers.
        count: of steps.
        dtypes: which the arguments have, one of them each.
        empty: whether axes may be without entries.
    """

    def __init__(self, seed, count, dtypes=(np.float64,), empty=False):
        self.rng, self.dtypes, self.empty = np.random.default_rng(seed), dtypes, empty
        sizes = [self.pick(SIZES + [0] * 2 * empty) for _ in range(3)]
        self.points = [self.point(sizes) for _ in range(self.rng.integers(1, 4))]
        self.whole = self.rng.integers(-2, 4, sizes[2:]), self.rng.uniform(-1, 1, sizes[2:]) > 0
        self.steps = []
        values = [sg.tensor(x) for x in self.points]
        while len(self.steps) < count:
            step = self.step(values)
            found = values[0] if step is None else step(values)
            if step is not None and found.numel() <= MOST:
                self.steps.append(step)
                values.append(found)
        self.outputs = [len(values) - 1, *self.rng.integers(0, len(values), 2).tolist()]
        self.points = [float(x) if x.ndim == 0 and x.dtype == np.float64 else x for x in self.points]

    def __call__(self, *xs):
        values = list(map(sg.as_tensor, xs))
        for step in self.steps:
            values.append(step(values))
        return tuple(values[k] for k in self.outputs)

    def loss(self, *xs):
        """A scalar whose gradient sees every entry of the results, and the results."""
        ys = self(*xs)
        weights = [np.cos(np.arange(y.numel()) + k).reshape(y.shape) for k, y in enumerate(ys)]
        return sum((y * sg.tensor(w)).sum() for y, w in zip(ys, weights, strict=True)), ys

    # -------------------------------------------------------------- choices
    def pick(self, choices):
        """One of a list, the later ones a little more often."""
        weights = np.linspace(1, 2, len(choices))
        return choices[self.rng.choice(len(choices), p=weights / weights.sum())]

    def point(self, sizes):
        shape = [n if self.rng.random() < 0.8 else 1 for n in sizes[self.rng.integers(0, 4) :]]
        return self.rng.uniform(-1.5, 1.5, shape).astype(self.pick(self.dtypes))

    def like(self, values, fits):
        """The position of a value whose shape fits, None where there is none."""
        found = [k for k, v in enumerate(values) if fits(v.shape)]
        return self.pick(found) if found else None

    def step(self, values):
        """A step on a value that is chosen first, None where the kind does not suit it."""
        i = self.like(values, lambda s: True)
        common = [self.unary, self.binary, self.along, self.part]
        kinds = [*common, *common, self.moved, self.joined, self.product, self.overlap, self.written, self.soft,
                 self.whole_numbers, self.cast]  # fmt: skip
        return self.pick(kinds)(values, i, values[i].shape)

    # -------------------------------------------------------------- elementwise
    def unary(self, values, i, s):
        name = self.pick(list(UNARY))
        return lambda v: UNARY[name](v[i])

    def binary(self, values, i, s):
        name, j = self.pick(list(BINARY)), self.like(values, lambda t: broadcast(s, t))
        return lambda v: BINARY[name](v[i], v[j])

    def whole_numbers(self, values, i, s):
        other = sg.tensor(self.pick(self.whole))
        return (lambda v: v[i] * other) if broadcast(s, other.shape) else None

    def cast(self, values, i, s):
        dtype = self.pick(self.dtypes)
        return (lambda v: v[i].to(dtype=dtype)) if len(self.dtypes) > 1 else None

    # -------------------------------------------------------------- along axes
    def along(self, values, i, s):
        axes, keep = tuple(a for a in range(len(s)) if self.rng.random() < 0.6), self.rng.random() < 0.3
        if not axes:
            return None
        name = self.pick(list(ALONG)) if 0 not in s else "sum"
        return lambda v: ALONG[name](v[i], axes, keep)

    def soft(self, values, i, s):
        if not s or 0 in s:
            return None
        name, axis = self.pick(["softmax", "log_softmax", "cumsum"]), int(self.rng.integers(len(s)))
        return lambda v: getattr(sg, name)(v[i], axis)

    def product(self, values, i, s):
        j = self.like(values, lambda t: 0 < len(t) < 3 and len(s) and s[-1] == t[0] and 0 not in (*s, *t))
        if j is None:
            return None
        letters, other = "abcd"[: len(s)], "abcd"[len(s) - 1] + "z" * (len(values[j].shape) - 1)
        kept = [c for c in letters + other[1:] if self.rng.random() < 0.7]
        spec = f"{letters},{other}->{''.join(self.rng.permutation(kept))}"
        scale = 1 / s[-1]
        return lambda v: (sg.einsum(spec, v[i], v[j]) if spec[-1] > "z" or len(kept) % 2 else v[i] @ v[j]) * scale

    # -------------------------------------------------------------- moves
    def part(self, values, i, s):
        key = tuple(self.item(n) for n in s)[: self.rng.integers(1, 5)]
        if self.rng.random() < 0.2:
            key = (None, *key) if self.rng.random() < 0.5 else (..., *[self.item(n) for n in s[-1:]])
        return lambda v: v[i][key]

    def item(self, n):
        keep = 1 - self.empty  # entries that a slice leaves over
        a = int(self.rng.integers(0, max(1, n + 1 - keep)))
        one = [int(self.rng.integers(-n, n))] if n else []
        return self.pick([slice(None), slice(None, None, 2), slice(n - 1 - a, None, -1 - a % 2) if n else slice(None),
                          slice(a, None, 1 + a % 3), slice(None, max(n - a, keep)), *one])  # fmt: skip

    def moved(self, values, i, s):
        n, order = values[i].numel(), [int(a) for a in self.rng.permutation(len(s))]
        divisors = [m for m in (2, 3, 4, 5, 7) if n and n % m == 0]
        ways = [lambda v: v[i].permute(*order), lambda v: v[i].reshape(-1), lambda v: v[i].expand(3, *s),
                lambda v: v[i].reshape(*s[::-1]), *[lambda v, m=m: v[i].reshape(m, n // m) for m in divisors],
                lambda v: sg.flip(v[i], order[:1])]  # fmt: skip
        return self.pick(ways) if s and n else None

    def joined(self, values, i, s):
        name = self.pick(["cat", "stack"] if s else ["stack"])
        axis = int(self.rng.integers(len(s) + (name == "stack")))
        others = [self.like(values, lambda t: t == s or (name == "cat" and but(axis, s) == but(axis, t)))
                  for _ in range(self.rng.integers(1, 4))]  # fmt: skip
        return lambda v: getattr(sg, name)([v[k] for k in (i, *others)], axis)

    def written(self, values, i, s):
        if not s or s[0] < 3:
            return None
        rows = self.rng.integers(0, s[0], 3).tolist()
        ways = [lambda v: v[i][rows], lambda v: assigned(v[i], 1, v[i][0] * 2.0), lambda v: sg.roll(v[i], 1, 0)]
        return self.pick(ways)

    def overlap(self, values, i, s):
        """The gradient of a sum of slices, and the slices' own gradients once more."""
        if not s or s[0] < 3:
            return None
        keys = [slice(int(a), s[0] - 1 + int(a)) for a in self.rng.integers(0, 2, 3)]
        keys[2] = self.pick([slice(None, None, 2), slice(None, None, -1), keys[2]])
        again = self.rng.random() < 0.5

        def step(v):
            terms = [sg.cos(v[i][key]) * (k + 0.5) for k, key in enumerate(keys)]
            g = sg.grad(lambda x: sum((x[key] * t).sum() for key, t in zip(keys, terms, strict=True)))(v[i])
            return g.sum() * 0.01 + sg.cat([terms[0] * sg.tanh(g.mean()), terms[1]]) if again else g

        return step


def broadcast(s, t):
    return all(n == m or 1 in (n, m) for n, m in zip(s[::-1], t[::-1], strict=False))


def but(axis, s):
    """A shape without one axis, and its length."""
    return len(s), *s[:axis], *s[axis + 1 :]


def assigned(x, row, value):
    x = x * 1.0
    x[row] = value
    return x
