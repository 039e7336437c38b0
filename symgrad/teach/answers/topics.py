"""What exercises are made of: for each topic and level, formulas with small numbers filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any


@dataclass(frozen=True)
class Task:
    """What is to be differentiated, by what, how often."""

    of: str
    wrt: str | tuple[str, ...] = "x"
    shapes: Mapping[str, Any] = field(default_factory=dict)
    order: int = 1


Maker = Callable[[Random], Task]
_VECTOR = {"x": "n", "a": "n", "b": "n", "y": "n"}
_MATRIX = {"A": ("n", "n"), **_VECTOR}
_DATA = {"X": ("n", "d"), "w": "d", "y": "n", "lam": ()}
_SQUARE = {"X": ("n", "n"), "A": ("n", "n"), "B": ("n", "n"), "S": ("n", "n")}
_RECTANGLES = {"X": ("n", "d"), "A": ("d", "n"), "B": ("d", "k"), "C": ("k", "n"), "M": ("n", "n")}


def _of(
    *texts: str, wrt: str | tuple[str, ...] = "x", shapes: Mapping[str, Any] | None = None, order: int = 1
) -> Maker:
    """Return what makes a task of one of the texts, with numbers for {a}, {b}, {c} and the exponents {m}, {n}."""

    def made(random: Random) -> Task:
        text = random.choice(texts)
        a, b, c = random.sample(range(2, 10), 3)
        m, n = random.sample(range(2, 7), 2)
        filled = text.format(a=a, b=b, c=c, m=max(m, n), n=min(m, n))
        used = {name: s for name, s in (shapes or {}).items() if name in _words(filled)}
        return Task(filled, wrt, used, order)

    return made


def _words(text: str) -> set[str]:
    return set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())


def _any(*makers: Maker) -> Maker:
    return lambda random: random.choice(makers)(random)


TOPICS: dict[str, tuple[Maker, Maker, Maker]] = {
    "polynomials": (
        _of("{a}*x**{m} + {b}*x", "x**{m} - {a}*x**{n}", "{a}*x**{n} + {b}"),
        _of("{a}*x**{m} - {b}*x**{n} + {c}*x - {n}", "x**{m}/{a} + {b}*x**{n} - x", "{a}*x**4 - {b}*x**3 + x**2 - {c}"),
        _of("x**{m}/{m} - {a}/x + {b}*sqrt(x)", "{a}*x**{n} - {b}/x**{m}", "({a}*x - {b})*(x**{n} + {c})"),
    ),
    "product": (
        _of("x**{n}*sin(x)", "x**{n}*exp(x)", "x**{m}*cos(x)", "exp(x)*sin(x)"),
        _of("({a}*x + {b})*cos(x)", "(x**{n} + {a})*log(x)", "sqrt(x)*exp(x)", "(x**2 - {a}*x)*sin(x)"),
        _of("x**{n}*exp(x)*sin(x)", "x*log(x)*cos(x)", "x**{n}*exp(-{a}*x)", "sin({a}*x)*cos({b}*x)"),
    ),
    "quotient": (
        _of("({a}*x + {b})/(x + {c})", "x/(x**2 + {a})", "x**{n}/(x + {a})"),
        _of("(x**2 - {a})/(x**2 + {b})", "sin(x)/x", "exp(x)/(x + {a})", "log(x)/x**{n}"),
        _of("sin(x)/(1 + cos(x))", "exp(x)/(1 + exp(x))", "(x**2 + {a}*x)/(exp(x) + {b})", "x*sin(x)/(x**2 + {a})"),
    ),
    "chain": (
        _of("({a}*x + {b})**{m}", "sin({a}*x)", "exp({a}*x)", "cos({a}*x + {b})"),
        _of("(x**2 + {a})**{m}", "sin(x**{n})", "log(x**2 + {a})", "sqrt(x**2 + {a})", "exp(-x**2/{a})"),
        _of(
            "exp(sin(x**2))",
            "log(cos({a}*x)**2 + {b})",
            "sin(exp({a}*x))",
            "sqrt(1 + sin(x)**{n})",
            "cos(log(x**2 + {a}))",
        ),
    ),
    "trig": (
        _of("{a}*sin(x) - {b}*cos(x)", "tan(x) + {a}*x", "x - {a}*cos(x)"),
        _of("sin({a}*x)*cos({b}*x)", "sin(x)**{m}", "cos({a}*x)**2", "tan({a}*x)"),
        _of("tan(x**2 + {a})", "cos(x)/(1 + sin(x))", "sin({a}*x)**{m}*cos(x)", "x**2*tan(x)"),
    ),
    "exp-log": (
        _of("exp({a}*x) + {b}*log(x)", "{a}*exp(x) - log(x)", "log({a}*x) + x"),
        _of("x*log(x) - x", "log(x**2 + {a})", "x*exp(-{a}*x)", "log(x)**{n}"),
        _of("log(x)/x", "exp(-x**2/2)", "log((1 + x)/(1 - x))", "log(1 + exp({a}*x))", "exp(x)*log(x**2 + {a})"),
    ),
    "powers": (
        _of("{a}**x", "{a}**x + x**{a}", "x**{m}*{a}**x"),
        _of("x**x", "x**({a}*x)", "{a}**(x**2)"),
        _of("x**sin(x)", "(x**2 + {a})**x", "x**(1/x)", "(1 + exp(x))**x"),
    ),
    "inverse": (
        _of("{a}*atan(x)", "asin(x) + {a}*x", "acos(x)"),
        _of("atan({a}*x)", "asin(x/{a})", "atan(x**2)", "x*acos(x)"),
        _of("x*atan(x) - log(x**2 + 1)/2", "asin(sqrt(x))", "atan(1/x)", "asin(x)/sqrt(1 - x**2)"),
    ),
    "second-derivative": (
        _of("x**{m} - {a}*x**2 + {b}*x", "{a}*sin(x) + {b}*x**3", "exp({a}*x)", order=2),
        _of("x*exp(x)", "x**{n}*log(x)", "sin({a}*x)*x", "log(x**2 + {a})", order=2),
        _of("exp(-x**2/2)", "x/(x**2 + {a})", "exp(-x)*cos({a}*x)", "atan({a}*x)", order=2),
    ),
    "partial": (
        _any(_of("x**{m}*y**{n} + {a}*x", "{a}*x**2 + {b}*x*y - y**2"), _of("x*y**{n} - {a}*y", wrt="y")),
        _any(_of("exp(x*y) + {a}*x", "sin(x*y**2)", "x/(x + y)"), _of("x*log(y) + y**{n}", "x/y", wrt="y")),
        _of("x**{m}*exp({a}*y)", "sin(x*y)", "log(x**2 + {a}*y**2)", "x/(x + y)", wrt=("x", "y"), order=2),
    ),
    "linear": (
        _of("{a}*a @ x", "a @ x + {b}", "sum({a}*a*x)", shapes=_VECTOR),
        _of("a @ A @ x", "b @ A.T @ x", "a @ (A @ x - b)", shapes=_MATRIX),
        _of("a @ X @ b", "trace(A @ X)", wrt="X", shapes={"a": "n", "b": "d", "X": ("n", "d"), "A": ("d", "n")}),
    ),
    "quadratic": (
        _of("{a}*x @ x + b @ x", "sum((x - b)**2)", "x @ x/2", shapes=_VECTOR),
        _of("x @ A @ x", "x @ A @ x/2 - b @ x", shapes=_MATRIX),
        _any(
            _of("(x - b) @ A @ (x - b)", "(x @ x)*(a @ x)", shapes=_MATRIX),
            _of("x @ A @ x", "x @ A.T @ A @ x", wrt="A", shapes=_MATRIX),
        ),
    ),
    "least-squares": (
        _of("sum((w - y)**2)", "sum(({a}*w - y)**2)/2", wrt="w", shapes={"w": "n", "y": "n"}),
        _of("sum((X @ w - y)**2)", "sum((y - X @ w)**2)/2", wrt="w", shapes=_DATA),
        _any(
            _of("sum((X @ w - y)**2) + lam*sum(w**2)", "mean((X @ w - y)**2)", wrt="w", shapes=_DATA),
            _of("sum((X @ w - y)**2)", wrt="X", shapes=_DATA),
        ),
    ),
    "trace": (
        _of("trace(X)", "trace(A @ X)", "trace({a}*X @ A)", wrt="X", shapes=_SQUARE),
        _of("trace(X.T @ M @ X)", "trace(X.T @ X)", "trace(A @ X)", wrt="X", shapes=_RECTANGLES),
        _of("trace(X @ B @ C)", "trace(X @ A @ X @ A)", "trace(A @ X @ X.T @ M @ X)", wrt="X", shapes=_RECTANGLES),
    ),
    "logdet": (
        _of("logdet(X)", "{a}*logdet(X)", "logdet({a}*X)", wrt="X", shapes=_SQUARE),
        _of("trace(S @ X) - logdet(X)", "logdet(X @ X)", "trace(inv(X))", wrt="X", shapes=_SQUARE),
        _of("logdet(A.T @ X @ A)", "trace(A @ inv(X))", "logdet(X) + trace(A @ inv(X))", wrt="X", shapes=_SQUARE),
    ),
    "softmax": (
        _of("logsumexp(x, 0)", "sum(exp(x)) - a @ x", "{a}*logsumexp(x, 0)", shapes=_VECTOR),
        _of("logsumexp(x, 0) - y @ x", "y @ softmax(x, 0)", shapes=_VECTOR),
        _any(
            _of("softmax(x, 0)", "log_softmax(x, 0)", shapes=_VECTOR),
            _of("logsumexp(X @ w, 0) - y @ (X @ w)", wrt="w", shapes=_DATA),
        ),
    ),
}
LEVELS = (1, 2, 3)
