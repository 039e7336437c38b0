"""The few names in which the problems are written, for each library: its own functions, adapted where it calls them
otherwise or has none. A library is imported only when its names are asked for.
"""

from __future__ import annotations

from functools import reduce
from types import SimpleNamespace
from typing import Any

PLAIN = ("exp", "log", "sin", "cos", "tanh", "sqrt")


def _names(module: Any, **others: Any) -> SimpleNamespace:
    return SimpleNamespace(**{name: getattr(module, name) for name in PLAIN}, **others)


def loop(stack: Any) -> Any:
    """``scan`` for libraries without one: a loop in Python."""

    def scan(step: Any, carry: Any, xs: tuple[Any, ...]) -> Any:
        ys = []
        for row in zip(*xs):
            carry, y = step(carry, row)
            ys.append(y)
        return carry, stack(ys)

    return scan


def symgrad() -> SimpleNamespace:
    """symgrad's names are PyTorch's."""
    import symgrad as sg

    return _names(
        sg,
        sum=sg.sum,
        rfft=sg.fft.rfft,
        mean=sg.mean,
        prod=sg.prod,
        stack=sg.stack,
        concatenate=sg.cat,
        reshape=sg.reshape,
        swap=lambda x: x.mT,
        sigmoid=sg.sigmoid,
        softplus=sg.nn.functional.softplus,
        log_softmax=lambda x: sg.log_softmax(x, 1),
        logsumexp=sg.logsumexp,
        bce_with_logits=sg.nn.functional.binary_cross_entropy_with_logits,
        scan=getattr(sg, "scan", loop(sg.stack)),
    )


def torch() -> SimpleNamespace:
    """PyTorch, eager."""
    import torch as t
    from torch.nn import functional

    return _names(
        t,
        sum=t.sum,
        rfft=t.fft.rfft,
        mean=t.mean,
        prod=t.prod,
        stack=t.stack,
        concatenate=t.cat,
        reshape=t.reshape,
        swap=lambda x: x.mT,
        sigmoid=t.sigmoid,
        softplus=functional.softplus,
        log_softmax=lambda x: t.log_softmax(x, 1),
        logsumexp=t.logsumexp,
        bce_with_logits=functional.binary_cross_entropy_with_logits,
        scan=loop(t.stack),
    )


def jax() -> SimpleNamespace:
    """JAX's NumPy, and what jax.nn has."""
    import jax as j
    import jax.numpy as jnp

    return _names(
        jnp,
        sum=jnp.sum,
        rfft=jnp.fft.rfft,
        mean=jnp.mean,
        prod=jnp.prod,
        stack=jnp.stack,
        concatenate=jnp.concatenate,
        reshape=jnp.reshape,
        swap=lambda x: jnp.swapaxes(x, -1, -2),
        sigmoid=j.nn.sigmoid,
        softplus=j.nn.softplus,
        log_softmax=lambda x: j.nn.log_softmax(x, axis=1),
        logsumexp=lambda x, axis: j.nn.logsumexp(x, axis=axis),
        bce_with_logits=lambda z, y: jnp.mean(jnp.maximum(z, 0.0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z)))),
        scan=j.lax.scan,
    )


def autograd() -> SimpleNamespace:
    """HIPS autograd's NumPy; its logsumexp needs SciPy."""
    import autograd.numpy as anp
    from autograd.scipy.special import logsumexp

    return _names(
        anp,
        sum=anp.sum,
        rfft=anp.fft.rfft,
        mean=anp.mean,
        prod=anp.prod,
        stack=anp.stack,
        concatenate=anp.concatenate,
        reshape=anp.reshape,
        swap=lambda x: anp.swapaxes(x, -1, -2),
        sigmoid=lambda x: 1.0 / (1.0 + anp.exp(-x)),
        softplus=lambda x: anp.logaddexp(0.0, x),
        log_softmax=lambda x: x - logsumexp(x, axis=1, keepdims=True),
        logsumexp=lambda x, axis: logsumexp(x, axis=axis),
        bce_with_logits=lambda z, y: anp.mean(anp.logaddexp(0.0, z) - z * y),
        scan=loop(anp.stack),
    )


def casadi() -> SimpleNamespace:
    """CasADi's symbols: scalar programs only."""
    import casadi as ca

    return _names(
        ca,
        sum=ca.sum1,
        prod=lambda x: reduce(lambda a, b: a * b, ca.vertsplit(x)),
        stack=lambda xs: ca.vertcat(*xs),
    )
