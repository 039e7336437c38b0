"""Derivatives of a function of 20 operations: `sg.taylor`, nested `grad`, and JAX's jet, in milliseconds of a call."""

from time import perf_counter
from typing import Any

import symgrad as sg

ORDERS, NESTED = (3, 4, 5, 10), 5  # nested gradients beyond take too long to wait for


def function(m: Any, x: Any) -> Any:
    """Twenty operations."""
    y = m.sin(x) * m.exp(-x) + m.log(1 + x * x)
    z = m.tanh(y) / m.sqrt(2 + m.cos(x))
    return m.exp(m.sin(z * y)) + m.tanh(z) * x - y / (1 + z * z)


def nested(x: float, order: int) -> float:
    """The derivative of that order by gradients of gradients."""

    def f(x: Any) -> Any:
        return function(sg, x)

    for _ in range(order):
        f = sg.grad(f)
    return float(f(x))


def milliseconds(call: Any) -> str:
    """The shortest of three calls, after one."""
    call()
    times = []
    for _ in range(3):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return f"{1e3 * min(times):.2f}"


def of_jax(order: int) -> str:
    """JAX's Taylor mode, where it is installed."""
    try:
        import jax
        from jax.experimental.jet import jet
    except ImportError:
        return "–"
    series = ([1.0] + [0.0] * (order - 1),)
    return milliseconds(lambda: jet(lambda x: function(jax.numpy, x), (0.7,), series))


def main() -> None:
    """Print the table."""
    rows = {
        "`sg.taylor`": lambda n: milliseconds(lambda: sg.taylor(lambda x: function(sg, x), 0.7, n)),
        "nested `sg.grad`": lambda n: milliseconds(lambda: nested(0.7, n)) if n <= NESTED else "–",
        "`jax.experimental.jet`": of_jax,
    }
    print(f"| computed by | {' | '.join(f'order {n}' for n in ORDERS)} |\n|---|{'---:|' * len(ORDERS)}")
    for name, of in rows.items():
        print(f"| {name} | {' | '.join(map(of, ORDERS))} |", flush=True)


if __name__ == "__main__":
    main()
