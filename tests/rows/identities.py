"""The table of matrix identities: functions with their known gradients, Jacobians and Hessians, and how to read it."""

import json
import re
from pathlib import Path

import numpy as np

import symgrad as sg

IDENTITIES = json.loads((Path(__file__).parents[1] / "data" / "identities.json").read_text("utf-8"))["identities"]
MARKS = {"sym": "symmetric", "spd": "symmetric", "onehot": "onehot", "prob": "simplex", "pos": "positive"}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def expm(x):
    """By the series, of a small matrix."""
    found, term = np.eye(len(x)), np.eye(len(x))
    for k in range(1, 60):
        term = term @ x / k
        found = found + term
    return found


NUMPY = {
    "np": np, "inv": np.linalg.inv, "norm": np.linalg.norm, "sigmoid": sigmoid, "softmax": softmax, "scipy_expm": expm,
}  # fmt: skip


def draw(rng, shape, kind):
    """Return an array of the kind that an identity asks for."""
    normal = rng.normal(size=shape)
    made = {
        "gen": lambda: normal,
        "nonsing": lambda: normal + 2.5 * np.eye(shape[0]),
        "sym": lambda: (normal + normal.T) / 2,
        "spd": lambda: normal @ normal.T + np.eye(shape[0]),
        "pos": lambda: rng.uniform(0.5, 2.0, shape),
        "prob": lambda: softmax(normal),
        "bin": lambda: rng.integers(0, 2, shape).astype(float),
        "pm1": lambda: rng.choice([-1.0, 1.0], shape),
        "onehot": lambda: np.eye(shape[1])[rng.integers(0, shape[1], shape[0])],
    }
    return made[kind]()


def drawn(identity, seed):
    """Return values for the inputs of an identity."""
    rng = np.random.default_rng(seed)
    return {name: draw(rng, tuple(i["shape"]), i["kind"]) for name, i in identity["inputs"].items()}


def known(identity, values):
    """Return the known derivative at these values."""
    env = {**NUMPY, **values}
    for name, text in identity["where"]:
        env[name] = eval(text, env)
    return np.asarray(eval(identity["grad"], env), dtype=float)


def symbolic(identity):
    """Return the function of symbols, and the symbols, marked as the kinds of their values are."""
    leaves = {
        name: sg.symbol(name, tuple(i["shape"]), **({MARKS[i["kind"]]: True} if i["kind"] in MARKS else {}))
        for name, i in identity["inputs"].items()
    }
    sizes = re.sub(r"dtype=\w+\.dtype", "dtype=torch.float64", identity["f"])
    return eval(sizes, {"torch": sg, **leaves}), leaves


def derived(identity):
    """Return the closed form of the derivative."""
    y, leaves = symbolic(identity)
    return sg.derive(y, leaves[identity["wrt"]], order=2 if identity["order"] == "hess" else 1)


def tokens(text):
    """Count names, numbers and signs."""
    return len(re.findall(r"[^\W\d]\w*|\d+\.?\d*|\*\*|[^\s\w]", text))


def known_tokens(identity):
    """Count those of the known form, its definitions included."""
    return tokens(identity["grad"]) + sum(1 + tokens(text) for _, text in identity["where"])
