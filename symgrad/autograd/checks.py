"""``gradcheck`` and ``gradgradcheck``: PyTorch's comparison with differences, and the symbolic reading as a witness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from symgrad.autograd.context import is_tensor
from symgrad.autograd.expand_custom import opened
from symgrad.core import modes
from symgrad.core.kernels import canonical
from symgrad.core.node import GRAD, TRACED, Leaf, evaluate
from symgrad.core.promotion import is_complex, is_differentiable
from symgrad.engine import backward
from symgrad.engine.record import handle
from symgrad.engine.sweep import push, sweep
from symgrad.errors import ArgumentError, ArgumentTypeError, GradcheckError, NotDifferentiable, NotYet
from symgrad.support.arguments import check_all
from symgrad.support.notices import warn

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

_Func = Callable[..., Any]


class _Settings(NamedTuple):
    eps: float
    atol: float
    rtol: float
    nondet_tol: float


def gradcheck(
    func: _Func, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
    masked: bool | None = None, check_symbolic: bool = True,
) -> bool:  # fmt: skip
    """Compare every entry of ∂func/∂x with central differences, and with the derivative that closed forms use.

    Complex numbers are checked as pairs of real numbers: both parts of the output, with respect to both parts of the
    input.

    Args:
        func: function of tensors that returns a tensor or a tuple of tensors.
        inputs: a tensor or a tuple; those that require grad are checked. They should be float64 or complex128.
        eps: the step of the differences.
        atol, rtol: the derivatives agree if |analytical - numerical| ≤ atol + rtol·|numerical|.
        raise_exception: whether to raise an error if they differ, rather than return False.
        nondet_tol: by how much two runs of backward may differ.
        check_forward_ad, check_backward_ad: which modes are checked.
        check_symbolic: whether the symbolic derivative is checked, which closed forms and compiled functions use.
        check_undefined_grad, check_grad_dtypes, check_batched_grad, check_batched_forward_grad, fast_mode, masked:
            accepted for PyTorch, without effect.

    Returns:
        Whether all agree.

    Raises:
        GradcheckError: if they disagree; the message shows both.
        ArgumentError: if no input requires grad.

    >>> x = sg.tensor([1.0, 2.0], requires_grad=True)
    >>> sg.autograd.gradcheck(lambda x: x**3, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise ArgumentError("Expected at least one of check_forward_ad or check_backward_ad to be True.")
    given = inputs if isinstance(inputs, tuple) else tuple(inputs) if isinstance(inputs, list) else (inputs,)
    modes_checked = (("", _by_reverse, check_backward_ad),
                     ("computed with forward mode ", _by_forward, check_forward_ad),
                     ("of the symbolic reading ", _by_symbols, check_symbolic))  # fmt: skip
    try:
        _check(func, given, _Settings(eps, atol, rtol, nondet_tol), [m[:2] for m in modes_checked if m[2]])
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: _Func, inputs: Any, grad_outputs: Any = None, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_grad_dtypes: bool = False, check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True, fast_mode: bool = False,
    masked: bool = False, check_symbolic: bool = True,
) -> bool:  # fmt: skip
    """Check second derivatives: ``gradcheck`` of (x, v) ↦ Jᵀv, with the same arguments.

    ``grad_outputs`` is v, by default random numbers, the same in every run.
    """
    given = inputs if isinstance(inputs, tuple) else tuple(inputs) if isinstance(inputs, list) else (inputs,)
    vs = _cotangents(func, given) if grad_outputs is None else grad_outputs
    vs = vs if isinstance(vs, tuple) else (vs,)

    def pulled(*args: Any) -> Any:
        xs, seeds = args[: len(given)], args[len(given) :]
        ys, wrt = _outputs(func(*xs)), [x for x in xs if _is_checked(x)]
        gradients = backward.grad(ys, wrt, seeds, create_graph=True, allow_unused=True)
        return tuple(g for g in gradients if g is not None)

    return gradcheck(
        pulled, (*given, *vs), eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, check_symbolic=check_symbolic,
    )  # fmt: skip


def _cotangents(func: _Func, xs: Sequence[Any]) -> tuple[Any, ...]:
    rng = np.random.default_rng(0)
    ys = _outputs(func(*xs))
    return tuple(_leaf(_from_pairs(rng.normal(size=_pairs(y)), y)) for y in ys)


def _check(func: _Func, given: Sequence[Any], s: _Settings, ways: Sequence[tuple[str, Any]]) -> None:
    _check_inputs(given)
    xs = [_leaf(x._value) if _is_checked(x) else x for x in given]
    wrt = [j for j, x in enumerate(xs) if _is_checked(x)]
    with modes.enable_grad():
        results = _all_outputs(func(*xs))
    numerical = [_by_differences(func, xs, j, s.eps) for j in wrt]
    for k, y in enumerate(results):
        if not _is_checked(y):
            if is_differentiable(y.dtype) and any(np.any(n[k]) for n in numerical):
                raise GradcheckError("Numerical gradient for function expected to be zero. No gradient is recorded.")
            continue
        for said, way in ways:
            analytical = _found(way, y, [xs[j] for j in wrt])
            for j, a, n in zip(wrt, analytical, numerical):
                _compare(a, n[k], s, f"Jacobian {said}mismatch for output {k} with respect to input {j}")
            if way is _by_reverse:
                _check_again(y, [xs[j] for j in wrt], analytical, s.nondet_tol)


def _check_inputs(given: Sequence[Any]) -> None:
    if not any(map(_is_checked, given)):
        raise ArgumentError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True. Make one with requires_grad=True."
        )
    for j, x in enumerate(given):
        if _is_checked(x) and x.dtype not in (np.float64, np.complex128):
            warn(
                f"Input #{j} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
            )


def _is_checked(x: Any) -> bool:
    return is_tensor(x) and bool(x.requires_grad)


def _leaf(value: Any) -> Any:
    value = canonical(np.array(value))
    return handle(Leaf(value, np.shape(value), GRAD), value)


def _all_outputs(output: Any) -> tuple[Any, ...]:
    ys: tuple[Any, ...] = tuple(output) if isinstance(output, (tuple, list)) else (output,)
    for y in ys:
        if not is_tensor(y):
            raise ArgumentTypeError(f"gradcheck: expected the function to return tensors, got {type(y).__name__}.")
    return ys


def _outputs(output: Any) -> tuple[Any, ...]:
    return tuple(y for y in _all_outputs(output) if _is_checked(y))


def _found(way: Callable[..., Any], y: Any, xs: Sequence[Any]) -> list[Any]:
    """The Jacobians by one way; none where there is no symbolic reading."""
    try:
        return way(y, xs)  # type: ignore[no-any-return]
    except (NotYet, NotDifferentiable):
        if way is _by_symbols:
            return []
        raise


# ------------------------------------------------------------------ complex numbers as pairs
def _pairs(y: Any) -> tuple[int, ...]:
    """The shape of a tensor with real and imaginary part along a further axis, where it has them."""
    return (*y.shape, 2) if is_complex(y.dtype) else y.shape


def _from_pairs(parts: Any, y: Any) -> Any:
    """Return an array like y of its real and imaginary parts."""
    values = parts[..., 0] + 1j * parts[..., 1] if is_complex(y.dtype) else parts
    return np.asarray(values, y.dtype)


def _like(x: Any, value: Any) -> Any:
    """Return a value, None for zero, as an array of x's shape and dtype."""
    return np.broadcast_to(np.asarray(0.0 if value is None else value, x.dtype), x.shape)


def _in_parts(x: Any) -> Any:
    """Return the numbers of an array in a row, each complex one as its real and imaginary part."""
    x = np.ascontiguousarray(x).ravel()
    return x.view(x.real.dtype) if is_complex(x.dtype) else np.asarray(x, np.float64)


# ------------------------------------------------------------------ the witnesses, as matrices (input, output)
def _by_differences(func: _Func, xs: Sequence[Any], j: int, eps: float) -> list[Any]:
    """(f(x + ε e) - f(x - ε e)) / 2ε, one row for each entry of x, for each output."""
    x = np.array(xs[j]._value)

    def at(step: Any) -> list[Any]:
        moved = np.asarray(x + step)
        with modes.enable_grad():  # for functions that ask for gradients inside
            ys = _all_outputs(func(*[_moved(z, moved if k == j else None) for k, z in enumerate(xs)]))
        return [_in_parts(y._value) for y in ys]

    table = [[(u - d) / (2 * eps) for u, d in zip(at(eps * e), at(-eps * e))] for e in map(np.asarray, _basis(xs[j]))]
    count = len(table[0]) if table else 0
    return [np.array([row[k] for row in table]) for k in range(count)]


def _moved(x: Any, value: Any) -> Any:
    return _leaf(x._value if value is None else value) if _is_checked(x) else x


def _basis(y: Any) -> Any:
    """The units, and i times each where the numbers are complex."""
    to = _pairs(y)
    size = int(np.prod(to))
    return [canonical(_from_pairs(e, y)) for e in np.eye(size).reshape(size, *to)]


def _columns(rows: Sequence[Sequence[Any]], xs: Sequence[Any]) -> list[Any]:
    """Stack the rows of each Jacobian as columns."""
    return [np.stack([_in_parts(r[j]) for r in rows], 1) for j in range(len(xs))]


def _by_reverse(y: Any, xs: Sequence[Any]) -> list[Any]:
    rows = []
    for e in _basis(y):
        gradients = backward.grad([y], xs, [handle(None, e)], retain_graph=True, materialize=True)
        rows.append([g._value for g in gradients])
    return _columns(rows, xs)


def _by_forward(y: Any, xs: Sequence[Any]) -> list[Any]:
    jacobians = []
    for x in xs:
        with np.errstate(all="ignore"), modes.enable_grad():
            ts = [push([y._node], {x._node: e}, handle, record=False)[0] for e in _basis(x)]
        jacobians.append(np.stack([_in_parts(_like(y, t)) for t in ts]))
    return jacobians


def _by_symbols(y: Any, xs: Sequence[Any]) -> list[Any]:
    new = opened(y._node)
    seed = handle(Leaf(None, y.shape, TRACED), None)
    if is_complex(y.dtype):
        seed._node.dtype = y.dtype
    wrt = [x._node for x in xs]
    with modes.enable_grad():
        cotangents = sweep([new.get(y._node, y._node)], [seed], wrt=wrt, handle=handle, symbolic=True)
    roots = [cotangents[p]._node if cotangents.get(p) is not None else None for p in wrt]
    rows = []
    with np.errstate(all="ignore"):
        for e in _basis(y):
            values = iter(evaluate([r for r in roots if r is not None], {id(seed._node): e}))
            rows.append([_like(x, None if r is None else next(values)) for r, x in zip(roots, xs)])
    return _columns(rows, xs)


# ------------------------------------------------------------------ the report
def _compare(a: Any, n: Any, s: _Settings, said: str) -> None:
    if not np.allclose(a, n, s.rtol, s.atol):
        raise GradcheckError(f"{said},\nnumerical:{_shown(n)}\nanalytical:{_shown(a)}\n")


def _shown(matrix: Any) -> str:
    return repr(handle(None, np.asarray(matrix, np.float64)))


def _check_again(y: Any, xs: Sequence[Any], jacobians: Sequence[Any], tolerance: float) -> None:
    for a, b in zip(jacobians, _by_reverse(y, xs)):
        if not np.array_equal(a, b, equal_nan=True) and not np.all(np.abs(a - b) <= tolerance):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient. The tolerance for "
                f"nondeterminism was {tolerance}."
            )


check_all(globals(), __all__)
