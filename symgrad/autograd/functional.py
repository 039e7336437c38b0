"""``autograd.functional``: Jacobians, Hessians and products with them of a function at a point, as torch's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from symgrad.autograd.context import is_tensor
from symgrad.core import modes
from symgrad.core.journal import Journal
from symgrad.core.kernels import canonical
from symgrad.engine import backward
from symgrad.engine.record import apply, handle
from symgrad.engine.sweep import push
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError, uncovered
from symgrad.ops.map import IDENTITY, show_shape
from symgrad.ops.shape import Reshape
from symgrad.ops.shapes.join import stack

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_Func = Callable[..., Any]


class _Run:
    """The function called on variables of its own; what is asked about the result."""

    def __init__(self, name: str, func: _Func, inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.create_graph, self.strict = name, create_graph, strict
        self.one_in = not isinstance(inputs, tuple)
        given = _tensors(inputs, f"The inputs given to {name}", "the given inputs")
        self.xs = [apply(IDENTITY, (x,)) if create_graph and x.requires_grad else _leaf(x) for x in given]
        with Journal(), uncovered(), modes.transforming([x._node for x in self.xs]), modes.enable_grad():
            outputs = func(*self.xs)
        said = f"The outputs of the user-provided function given to {name}"
        self.ys = _tensors(outputs, said, "the given outputs of the user-provided function")
        self.one_out = not isinstance(outputs, tuple)
        if strict:
            self._check_used(self.ys, "Output {} of the user-provided function")

    def _check_used(self, ys: Sequence[Any], which: str) -> None:
        for i, y in enumerate(ys):
            if not y.requires_grad:
                raise GraphError(
                    f"{which.format(i)} does not require gradients. The outputs must be computed in a differentiable "
                    "manner from the input when running in strict mode."
                )

    def pull(self, ys: Sequence[Any], vs: Sequence[Any], record: bool, which: str = "The output") -> list[Any]:
        """Return Σ Jᵀv for each input; zeros where it plays no part, unless that is refused."""
        pairs = [(y, v) for y, v in zip(ys, vs) if y.requires_grad]
        found: Sequence[Any] = [None] * len(self.xs)
        if pairs:
            found = backward.grad(
                [y for y, _ in pairs], self.xs, [v for _, v in pairs],
                retain_graph=True, create_graph=record, allow_unused=True,
            )  # fmt: skip
        return [self._present(g, x, j, which) for j, (g, x) in enumerate(zip(found, self.xs))]

    def _present(self, g: Any, x: Any, j: int, which: str) -> Any:
        if g is None and self.strict:
            raise GraphError(
                f"{which} of the user-provided function is independent of input {j}. This is not allowed in "
                "strict mode."
            )
        return _zeros(x) if g is None else g

    def push(self, ys: Sequence[Any], ts: Sequence[Any], record: bool) -> list[Any]:
        """Return J t for each output, by forward mode."""
        tangents = {x._node: t if record else canonical(t._value) for x, t in zip(self.xs, ts)}
        live = [y for y in ys if y._node is not None]
        with np.errstate(all="ignore"), modes.enable_grad():
            found = dict(zip(map(id, live), push([y._node for y in live], tangents, handle, record=record)))
        out = []
        for y in ys:
            t = found.get(id(y))
            if t is None and self.strict:
                raise GraphError(
                    "The output of the user-provided function is independent of the inputs. This is not allowed in "
                    "strict mode."
                )
            out.append(_zeros(y) if t is None else t if is_tensor(t) else handle(None, canonical(t)))
        return out

    def single(self) -> Any:
        """The one number that the function returns."""
        if not self.one_out:
            raise GraphError(f"The function given to {self.name} should return a single Tensor. Add its results up.")
        (y,) = self.ys
        if y.numel() != 1:
            raise GraphError(
                f"The Tensor returned by the function given to {self.name} should contain a single element. Got shape "
                f"{show_shape(y.shape)}; sum it up."
            )
        return y

    def gradient(self, y: Any) -> list[Any]:
        """Return the gradient of a number, with its graph."""
        return self.pull([y], [_ones(y)], True)

    def outputs(self) -> Any:
        """What the function returned."""
        return self.out(self.ys, self.one_out)

    def out(self, ts: Sequence[Any], single: bool) -> Any:
        """Hand results out, without history unless that was asked for."""
        done = tuple(t if self.create_graph else t.detach() for t in ts)
        return done[0] if single else done


def _tensors(given: Any, said: str, short: str) -> list[Any]:
    ts = given if isinstance(given, tuple) else (given,)
    for i, t in enumerate(ts):
        if not is_tensor(t):
            where = f"the value at index {i} of {short}" if isinstance(given, tuple) else short
            raise ArgumentTypeError(
                f"{said} must be either a Tensor or a tuple of Tensors but {where} has type {type(t)}. Use "
                "sg.as_tensor(…)."
            )
    return list(ts)


def _leaf(x: Any) -> Any:
    return x.detach().requires_grad_()


def _zeros(x: Any) -> Any:
    return handle(None, canonical(np.zeros(x.shape, x.dtype)))


def _ones(x: Any) -> Any:
    return handle(None, canonical(np.ones(x.shape, x.dtype)))


def _vector(v: Any, like: Sequence[Any], what: str, single: bool) -> list[Any]:
    """Check the vector of a product, None for the number 1; ``single`` where no tuple is expected."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise GraphError(f"The vector v can only be None if {what} a single Tensor with a single element. Pass v.")
        return [_ones(like[0])]
    vs = _tensors(v, "The vector v", "v")
    if len(vs) != len(like):
        if single:
            raise GraphError(f"The given v should contain a single Tensor. Got a tuple of {len(vs)}.")
        raise GraphError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
    for i, (a, b) in enumerate(zip(vs, like)):
        if a.shape != b.shape:
            which = "v" if single else f"Entry {i} in v"
            raise GraphError(
                f"{which} has invalid size: should be torch.Size({show_shape(b.shape)}) but got "
                f"torch.Size({show_shape(a.shape)}). They must be the same."
            )
    return vs


# ------------------------------------------------------------------ products
def vjp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and Jᵀv.

    Args:
        func: function of tensors returning a tensor or a tuple of them.
        inputs: a tensor or a tuple of them; the result is shaped like it.
        v: shaped like the outputs; None where these are one number.
        create_graph: give the results a graph, to differentiate them again.
        strict: refuse outputs that do not depend on an input, instead of giving zeros.

    >>> sg.autograd.functional.vjp(lambda x: x**2, sg.tensor([1.0, 2.0]), sg.tensor([1.0, 10.0]))[1]
    tensor([ 2., 40.])
    """
    run = _Run("vjp", func, inputs, create_graph, strict)
    vs = _vector(v, run.ys, "the user-provided function returns", run.one_out)
    return run.outputs(), run.out(run.pull(run.ys, vs, create_graph), run.one_in)


def jvp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and J v, by forward mode; arguments as for ``vjp``, with v shaped like the inputs."""
    run = _Run("jvp", func, inputs, create_graph, strict)
    vs = _vector(v, run.xs, "the input to the user-provided function is", run.one_in)
    return run.outputs(), run.out(run.push(run.ys, vs, create_graph), run.one_out)


def vhp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and vᵀH, the Hessian of a number from the left: reverse over reverse."""
    run = _Run("vhp", func, inputs, create_graph, strict)
    vs = _vector(v, run.xs, "the input to the user-provided function is", run.one_in)
    gradient = run.gradient(run.single())
    return run.outputs(), run.out(run.pull(gradient, vs, create_graph, "The jacobian"), run.one_in)


def hvp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and H v, the Hessian of a number from the right: forward over reverse."""
    run = _Run("hvp", func, inputs, create_graph, strict)
    vs = _vector(v, run.xs, "the input to the user-provided function is", run.one_in)
    gradient = run.gradient(run.single())
    return run.outputs(), run.out(run.push(gradient, vs, create_graph), run.one_in)


# ------------------------------------------------------------------ matrices
def jacobian(
    func: _Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Return ∂func/∂x, of shape output + input; nested tuples [output][input] where there are several.

    Args:
        func, inputs, create_graph, strict: as for ``vjp``.
        vectorize: accepted as torch's; the result is the same.
        strategy: "reverse-mode", a sweep for each entry of the outputs, or "forward-mode", one for each of the inputs.

    >>> sg.autograd.functional.jacobian(lambda x: x**2, sg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    run = _Run("jacobian", func, inputs, create_graph, strict)
    rows = _matrix(run, run.ys, _checked(strategy, strict))
    done = tuple(run.out(row, run.one_in) for row in rows)
    return done[0] if run.one_out else done


def hessian(
    func: _Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return ∂²func/∂x² of a number, of shape input + input; tuples [a][b] of several; arguments as for ``jacobian``.

    >>> sg.autograd.functional.hessian(lambda x: (x**3).sum(), sg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    run = _Run("hessian", func, inputs, create_graph, strict)
    strategy = _checked(outer_jacobian_strategy, strict)
    gradient = run.gradient(run.single())
    if strict:
        run._check_used(gradient, "The jacobian of the user-provided function with respect to input {}")
    done = tuple(run.out(row, run.one_in) for row in _matrix(run, gradient, strategy))
    return done[0] if run.one_in else done


def _checked(strategy: str, strict: bool) -> str:
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ArgumentError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            f'than inputs, "forward-mode" tends to be more performant. Got {strategy!r}.'
        )
    return strategy


def _matrix(run: _Run, ys: Sequence[Any], strategy: str) -> list[list[Any]]:
    """Return the Jacobian of each output by each input."""
    if strategy == "forward-mode":
        return _by_columns(run, ys)
    found = []
    for k, y in enumerate(ys):
        rows = [run.pull([y], [e], run.create_graph, f"Output {k}") for e in _basis(y)]
        found.append([_assembled([r[j] for r in rows], y, x, 0) for j, x in enumerate(run.xs)])
    return found


def _by_columns(run: _Run, ys: Sequence[Any]) -> list[list[Any]]:
    found: list[list[Any]] = [[] for _ in ys]
    for j, x in enumerate(run.xs):
        still = [_zeros(z) for z in run.xs]
        columns = [run.push(ys, [*still[:j], e, *still[j + 1 :]], run.create_graph) for e in _basis(x)]
        for k, y in enumerate(ys):
            found[k].append(_assembled([c[k] for c in columns], y, x, len(y.shape)))
    return found


def _basis(t: Any) -> list[Any]:
    size = int(np.prod(t.shape))
    return [handle(None, canonical(e)) for e in np.eye(size, dtype=t.dtype).reshape(size, *t.shape)]


def _assembled(parts: list[Any], y: Any, x: Any, axis: int) -> Any:
    sizes = (*y.shape, *x.shape)
    return Reshape(sizes)(stack(parts, axis)) if parts else handle(None, np.zeros(sizes, x.dtype))
