"""Order 10 of a function of 20 operations: `sg.taylor`, nested `grad`, and JAX's jet. Run it: seconds per call."""

from time import perf_counter
from typing import Any

import symgrad as sg

ORDER, NESTED = 10, 5  # nested gradients beyond take too long to wait for


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


def seconds(call: Any) -> float:
    """The shortest of three calls, after one."""
    call()
    found = []
    for _ in range(3):
        start = perf_counter()
        call()
        found.append(perf_counter() - start)
    return min(found)


def main() -> None:
    """Print the table."""
    print(f"sg.taylor, order {ORDER}: {seconds(lambda: sg.taylor(lambda x: function(sg, x), 0.7, ORDER)):.5f}")
    for order in range(1, NESTED + 1):
        print(f"nested sg.grad, order {order}: {seconds(lambda n=order: nested(0.7, n)):.5f}")
    try:
        import jax
        from jax.experimental.jet import jet
    except ImportError:
        return
    series = ([1.0] + [0.0] * (ORDER - 1),)
    print(f"jax jet, order {ORDER}: {seconds(lambda: jet(lambda x: function(jax.numpy, x), (0.7,), series)):.5f}")


if __name__ == "__main__":
    main()
