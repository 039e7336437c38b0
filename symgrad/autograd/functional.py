"""``autograd.functional``: Jacobians, Hessians and products with them of a function at a point, as PyTorch's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from symgrad.autograd.context import is_tensor
from symgrad.core import modes
from symgrad.core.journal import Journal
from symgrad.core.node import reaches
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.support.namespace import namespace
from symgrad.transforms.calls import DifferentiatedCall, ones
from symgrad.transforms.jacobians import by_columns, by_rows

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_Func = Callable[..., Any]


class _FunctionalCall(DifferentiatedCall):
    """The function called on variables of its own; what is asked about the result.

    Results have a graph with ``create_graph``, and wherever a running transform may differentiate or map them again.
    """

    leaves = True

    def __init__(self, name: str, func: _Func, inputs: Any, create_graph: bool, strict: bool) -> None:
        self.name, self.strict = name, strict
        self.one_in = not isinstance(inputs, tuple)
        given = _tensors(inputs, f"The inputs given to {name}", "the given inputs")
        traced = any(x._value is None for x in given)
        record = create_graph or (modes.recording() and (traced or modes.variables() is not None))
        with Journal(), modes.set_grad_enabled(record):
            super().__init__(func, given, {}, tuple(range(len(given))))
        said = f"The outputs of the user-provided function given to {name}"
        self.ys = _tensors(self.result, said, "the given outputs of the user-provided function")
        self.plain = not record and all(y._value is not None for y in self.ys)
        self.one_out = not isinstance(self.result, tuple)
        if strict:
            self.check_used("Output {} of the user-provided function")

    def check_used(self, which: str) -> None:
        """Refuse results that do not depend on anything that requires grad."""
        for i, y in enumerate(self.ys):
            if not y.requires_grad:
                raise GraphError(
                    f"{which.format(i)} does not require gradients. The outputs must be computed in a differentiable "
                    "manner from the input when running in strict mode."
                )

    def check_reached(self, ys: Sequence[Any], which: str) -> None:
        """In strict mode, refuse an input that plays no part in any of the results."""
        roots = [y._node for y in ys if y._node is not None]
        for j, x in enumerate(self.xs):
            if self.strict and not any(reaches(root, [x._node]) for root in roots):
                raise GraphError(
                    f"{which} of the user-provided function is independent of input {j}. This is not allowed in strict "
                    "mode."
                )

    def pulled(self, vs: Sequence[Any], which: str) -> Any:
        """Return Jᵀv for each input; zeros where it plays no part, unless that is refused."""
        self.check_reached(self.ys, which)
        return self.handed_out(self.pull(vs, self._is_plain(vs)), self.one_in)

    def pushed(self, ts: Sequence[Any], single: bool) -> Any:
        """Return J t for each result, by forward mode."""
        self.check_reached(self.ys, "The output")
        return self.handed_out(self.push(ts, self._is_plain(ts)), single)

    def _is_plain(self, ts: Sequence[Any]) -> bool:
        return self.plain and all(t._value is not None for t in ts)

    def number(self) -> Any:
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

    def cut(self, t: Any) -> Any:
        """Return the result as it is: its history is what was requested, and what second derivatives follow."""
        return t

    def turn_to_gradient(self) -> None:
        """Put the gradient of the one number, with its graph, in place of the result."""
        self.check_reached([self.number()], "Output 0")
        self.ys = self.pull([ones(self.number())], False)
        if self.strict:
            self.check_used("The jacobian of the user-provided function with respect to input {}")

    def outputs(self) -> Any:
        """The value that the function returned."""
        return self.handed_out(self.ys, self.one_out)

    def handed_out(self, ts: Sequence[Any], single: bool) -> Any:
        """Hand results out, without history unless that was requested."""
        done = tuple([t.detach() if self.plain else t for t in ts])
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


def _vector(v: Any, like: Sequence[Any], what: str, single: bool) -> list[Any]:
    """Check the vector of a product, None for the number 1; ``single`` where no tuple is expected."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise GraphError(f"The vector v can only be None if {what} a single Tensor with a single element. Pass v.")
        return [ones(like[0])]
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
    run = _FunctionalCall("vjp", func, inputs, create_graph, strict)
    vs = _vector(v, run.ys, "the user-provided function returns", run.one_out)
    return run.outputs(), run.pulled(vs, "The output")


def jvp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and J v, by forward mode; arguments as in ``vjp``, with v shaped like the inputs."""
    run = _FunctionalCall("jvp", func, inputs, create_graph, strict)
    vs = _vector(v, run.xs, "the input to the user-provided function is", run.one_in)
    return run.outputs(), run.pushed(vs, run.one_out)


def vhp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and vᵀH, the Hessian of a number from the left: reverse over reverse."""
    run = _FunctionalCall("vhp", func, inputs, create_graph, strict)
    vs = _vector(v, run.xs, "the input to the user-provided function is", run.one_in)
    value = run.outputs()
    run.turn_to_gradient()
    return value, run.pulled(vs, "The jacobian")


def hvp(func: _Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """Return func(x) and H v, the Hessian of a number from the right: forward over reverse."""
    run = _FunctionalCall("hvp", func, inputs, create_graph, strict)
    vs = _vector(v, run.xs, "the input to the user-provided function is", run.one_in)
    value = run.outputs()
    run.turn_to_gradient()
    return value, run.pushed(vs, run.one_in)


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
        func, inputs, create_graph, strict: as in ``vjp``.
        vectorize: accepted as PyTorch's; the result is the same.
        strategy: "reverse-mode", a sweep for each entry of the outputs, or "forward-mode", one for each of the inputs.

    >>> sg.autograd.functional.jacobian(lambda x: x**2, sg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    run = _FunctionalCall("jacobian", func, inputs, create_graph, strict)
    rows = _matrix(run, _checked(strategy))
    return rows[0] if run.one_out else tuple(rows)


def hessian(
    func: _Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Return ∂²func/∂x² of a number, of shape input + input; tuples [a][b] of several; arguments as in ``jacobian``.

    >>> sg.autograd.functional.hessian(lambda x: (x**3).sum(), sg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    run = _FunctionalCall("hessian", func, inputs, create_graph, strict)
    strategy = _checked(outer_jacobian_strategy)
    run.turn_to_gradient()
    rows = _matrix(run, strategy)
    return rows[0] if run.one_in else tuple(rows)


def _checked(strategy: str) -> str:
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ArgumentError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs '
            f'than inputs, "forward-mode" tends to be more performant. Got {strategy!r}.'
        )
    return strategy


def _matrix(run: _FunctionalCall, strategy: str) -> list[Any]:
    """Return the Jacobian of each result with respect to each input."""
    for k, y in enumerate(run.ys):
        run.check_reached([y], f"Output {k}")
    with modes.set_grad_enabled(not run.plain):
        rows = by_columns(run) if strategy == "forward-mode" else by_rows(run)
    return [run.handed_out(row, run.one_in) for row in rows]


__getattr__, __dir__ = namespace(globals(), __all__)
check_all(globals(), __all__)
