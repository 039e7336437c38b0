"""Function transforms: grad, value_and_grad, vjp, jvp, linearize, hvp, and those in jacobians.py and vmap.py.

Results have the types of the arguments: NumPy arrays, tensors, or structures of arrays. Transforms can be nested.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, TypeVar, overload

from symgrad.core.journal import undoing
from symgrad.core.pickling import RecordedFunction, transform
from symgrad.errors import ArgumentError, ArgumentTypeError, GraphError
from symgrad.functions import stack
from symgrad.ops.elementwise.complexes import conj
from symgrad.support.arguments import check_all, shown
from symgrad.support.namespace import namespace
from symgrad.tensors.tensor import Tensor
from symgrad.transforms.arguments import Argnums, check_argnums, check_function
from symgrad.transforms.calls import DifferentiatedCall, has_tensor, ones
from symgrad.transforms.holomorphic import check_holomorphic, check_real
from symgrad.transforms.jacobians import hessian, jacfwd, jacobian, jacrev
from symgrad.transforms.vmap import vmap

__all__ = [
    "checkpoint", "custom_jvp", "custom_vjp", "functional_call", "grad", "grad_and_value", "hessian", "hvp",
    "jacfwd", "jacobian", "jacrev", "jet", "jvp", "linearize", "replace_all_batch_norm_modules_",
    "stack_module_state", "taylor", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

if TYPE_CHECKING:
    from symgrad.autograd.custom import custom_jvp, custom_vjp
    from symgrad.autograd.recompute import checkpoint
    from symgrad.nn.modules.batchnorm import replace_all_batch_norm_modules_
    from symgrad.transforms.taylor import jet, taylor

_LATER = {  # imported on first use
    "checkpoint": "symgrad.autograd.recompute",
    "custom_jvp": "symgrad.autograd.custom",
    "custom_vjp": "symgrad.autograd.custom",
    "jet": "symgrad.transforms.taylor",
    "replace_all_batch_norm_modules_": "symgrad.nn.modules.batchnorm",
    "taylor": "symgrad.transforms.taylor",
}

P = ParamSpec("P")
R = TypeVar("R")
X = TypeVar("X", bound=Any)  # what is differentiated by, and so the gradient; the bound leaves lambdas unchecked


# ------------------------------------------------------------------ gradients
@overload
def value_and_grad(fn: Callable[Concatenate[X, P], Any]) -> Callable[Concatenate[X, P], tuple[Any, X]]: ...
@overload
def value_and_grad(fn: Callable[P, Any], argnums: Argnums = 0, *, has_aux: bool) -> Callable[P, tuple[Any, Any]]: ...
@overload
def value_and_grad(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: bool
) -> Callable[P, tuple[Any, Any]]: ...
@overload
def value_and_grad(fn: Callable[P, Any], argnums: Argnums, has_aux: bool = False) -> Callable[P, tuple[Any, Any]]: ...
@transform
def value_and_grad(
    fn: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: bool = False
) -> Callable[..., Any]:
    """Return the function x ↦ (f(x), ∇f(x)) for a scalar f.

    Args:
        fn: a function that returns a scalar, or (scalar, aux) with ``has_aux``. Arguments are arrays, or nested dicts,
            lists, tuples and dataclasses of them.
        argnums: the position of the argument to differentiate with respect to; a tuple of positions gives a tuple of
            gradients.
        has_aux: whether fn returns a second value, which is returned unchanged.
        holomorphic: whether fn is a holomorphic function of complex arguments, so that the gradient is its derivative
            dy/dz. If not, the result must be real, and the gradient for z = x + iy is ∂f/∂x + i ∂f/∂y.

    Returns:
        A function with fn's arguments. The gradient has the structure of the argument, with None in place of entries
        without a derivative: integers, strings and None. For NumPy arrays and floats, the results are NumPy arrays and
        floats, as SciPy expects.

    Raises:
        GraphError: if the result is not a scalar.
        DTypeError: if all arguments to differentiate with respect to are integers; if the result is complex without
            ``holomorphic``; or if the result or an argument is real with ``holomorphic``.

    >>> sg.value_and_grad(lambda x: (x**2).sum())(np.array([1.0, 2.0]))
    (5.0, array([2., 4.]))
    >>> sg.value_and_grad(lambda p: p["a"] * p["b"])({"a": 2.0, "b": 3.0})
    (6.0, {'a': 3.0, 'b': 2.0})
    """
    return _both("value_and_grad", fn, argnums, has_aux, holomorphic)


def _both(
    name: str, fn: Callable[..., Any], argnums: Argnums, has_aux: bool, holomorphic: bool = False
) -> Callable[..., Any]:
    """``value_and_grad`` for the transform of this name, which the errors say."""
    check_function(name, fn)
    check_argnums(name, argnums)

    @undoing
    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        run = DifferentiatedCall(fn, args, kwargs, argnums)
        aux = run.split_aux(name) if has_aux else None
        y = run.output(name)
        if y.shape != ():
            raise GraphError(
                f"{name}(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with {len(y.shape)} dims. "
                "Maybe you wanted to use the vjp or jacrev APIs instead?"
            )
        (check_holomorphic if holomorphic else check_real)(name, run.xs, [y])
        cotangents = run.pull([ones(y)])
        gradients = run.each([conj(g) for g in cotangents] if holomorphic else cotangents)
        value = run.out(y)
        return ((value, run.aux(aux)), gradients) if has_aux else (value, gradients)

    return call


@overload
def grad(fn: Callable[Concatenate[X, P], Any]) -> Callable[Concatenate[X, P], X]: ...
@overload
def grad(fn: Callable[P, Any], argnums: Argnums = 0, *, has_aux: bool) -> Callable[P, Any]: ...
@overload
def grad(fn: Callable[P, Any], argnums: Sequence[int]) -> Callable[P, tuple[Any, ...]]: ...
@overload
def grad(
    fn: Callable[P, Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: bool
) -> Callable[P, Any]: ...
@overload
def grad(fn: Callable[P, Any], argnums: Argnums, has_aux: bool = False) -> Callable[P, Any]: ...
@transform
def grad(
    fn: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, holomorphic: bool = False
) -> Callable[..., Any]:
    """Return the function x ↦ ∇f(x) for a scalar f; see ``value_and_grad``.

    >>> sg.grad(sg.grad(lambda x: x**3))(2.0)
    12.0
    >>> sg.grad(lambda z: z**3, holomorphic=True)(1j)
    (-3+0j)
    """
    return _gradient("grad", fn, argnums, has_aux, holomorphic)


def _gradient(
    name: str, fn: Callable[..., Any], argnums: Argnums, has_aux: bool = False, holomorphic: bool = False
) -> Callable[..., Any]:
    both = _both(name, fn, argnums, has_aux, holomorphic)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return call


@overload
def grad_and_value(fn: Callable[Concatenate[X, P], Any]) -> Callable[Concatenate[X, P], tuple[X, Any]]: ...
@overload
def grad_and_value(fn: Callable[P, Any], argnums: Argnums = 0, *, has_aux: bool) -> Callable[P, tuple[Any, Any]]: ...
@overload
def grad_and_value(fn: Callable[P, Any], argnums: Argnums, has_aux: bool = False) -> Callable[P, tuple[Any, Any]]: ...
@transform
def grad_and_value(fn: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Return the function x ↦ (∇f(x), f(x)), in the order of torch.func; see ``value_and_grad``."""
    both = _both("grad_and_value", fn, argnums, has_aux)

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return gradients, value

    return call


# ------------------------------------------------------------------ products with the Jacobian
@overload
def vjp(
    fn: Callable[..., R], *primals: Tensor, has_aux: Literal[False] = False
) -> tuple[R, Callable[..., tuple[Tensor, ...]]]: ...
@overload
def vjp(
    fn: Callable[..., Any], *primals: Any, has_aux: Literal[False] = False
) -> tuple[Any, Callable[..., tuple[Any, ...]]]: ...
@overload
def vjp(
    fn: Callable[..., Any], *primals: Any, has_aux: Literal[True]
) -> tuple[Any, Callable[..., tuple[Any, ...]], Any]: ...
@undoing
def vjp(fn: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return f(x) and the function v ↦ Jᵀv.

    Args:
        fn: a function of the primals that returns an array or a structure of arrays, or a pair (this, aux).
        primals: arrays or tensors, or structures of them.
        has_aux: whether fn returns a second value, which is returned unchanged as a third result.

    Returns:
        The value, and a function of v, which has the structure and shape of the value. It returns a tuple with one
        cotangent for each primal.

    Raises:
        ShapeError: if the shape of v is not that of the value.
        ArgumentTypeError: if its structure is not that of the value.

    >>> y, pull = sg.vjp(lambda x: {"double": 2 * x}, np.array([1.0, 2.0]))
    >>> pull({"double": np.ones(2)})
    (array([2., 2.]),)
    """
    check_function("vjp", fn)
    run = DifferentiatedCall(fn, primals, {})
    aux = run.split_aux("vjp") if has_aux else None
    run.returns("vjp")

    def pull(v: Any) -> tuple[Any, ...]:
        plain = run.plain and not has_tensor(v)
        cotangents: tuple[Any, ...] = run.each(run.pull(run.cotangents(v), plain), plain)
        return cotangents

    value, held = run.value(run.ys), RecordedFunction("vjp", pull)
    return (value, held, run.aux(aux)) if has_aux else (value, held)


@overload
def jvp(
    fn: Callable[..., R], primals: Sequence[Tensor], tangents: Sequence[Any], *, has_aux: Literal[False] = False
) -> tuple[R, R]: ...
@overload
def jvp(
    fn: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, has_aux: Literal[False] = False
) -> tuple[Any, Any]: ...
@overload
def jvp(
    fn: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, has_aux: Literal[True]
) -> tuple[Any, Any, Any]: ...
@undoing
def jvp(fn: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any], *, has_aux: bool = False) -> Any:
    """Return f(x) and the product Jt, computed in forward mode.

    Args:
        fn: a function of the primals that returns an array or a structure of arrays, or a pair (this, aux).
        primals: a tuple of arrays or tensors, or structures of them.
        tangents: a tuple with the same structures; None for primals without a derivative, such as integers.
        has_aux: whether fn returns a second value, which is returned unchanged as a third result.

    Raises:
        ShapeError: if the shape of a tangent is not that of its primal.
        ArgumentTypeError: if the structure of a tangent is not that of its primal.

    >>> sg.jvp(sg.sin, (0.0,), (2.0,))
    (0.0, 2.0)
    """
    check_function("jvp", fn)
    if not isinstance(primals, (tuple, list)) or not isinstance(tangents, (tuple, list)):
        raise ArgumentTypeError("jvp: primals and tangents are tuples, one entry per argument: jvp(f, (x,), (t,)).")
    run = DifferentiatedCall(fn, primals, {})
    aux = run.split_aux("jvp") if has_aux else None
    run.returns("jvp")
    run.plain = run.plain and not has_tensor(list(tangents))
    pair = run.value(run.ys), run.value(run.push(run.tangents("jvp", tangents)))
    return (*pair, run.aux(aux)) if has_aux else pair


@overload
def linearize(
    fn: Callable[..., R], *primals: Tensor, has_aux: Literal[False] = False
) -> tuple[R, Callable[..., R]]: ...
@overload
def linearize(
    fn: Callable[..., Any], *primals: Any, has_aux: Literal[False] = False
) -> tuple[Any, Callable[..., Any]]: ...
@overload
def linearize(fn: Callable[..., Any], *primals: Any, has_aux: Literal[True]) -> tuple[Any, Callable[..., Any], Any]: ...
@undoing
def linearize(fn: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """Return f(x) and the function t ↦ Jt, which reuses one recording of fn for every t.

    Args:
        fn: see ``jvp``.
        primals: arrays or tensors, or structures of them.
        has_aux: whether fn returns a second value, which is returned unchanged as a third result.

    Returns:
        The value, and a linear function of one tangent per primal, which can be called repeatedly, differentiated and
        mapped.

    >>> y, tangent = sg.linearize(sg.sin, 0.0)
    >>> tangent(2.0), tangent(3.0)
    (2.0, 3.0)
    """
    check_function("linearize", fn)
    run = DifferentiatedCall(fn, primals, {})
    aux = run.split_aux("linearize") if has_aux else None
    run.returns("linearize")

    def tangent(*tangents: Any) -> Any:
        plain = run.plain and not has_tensor(tangents)
        return run.value(run.push(run.tangents("linearize", tangents), plain), plain)

    value, held = run.value(run.ys), RecordedFunction("linearize", tangent)
    return (value, held, run.aux(aux)) if has_aux else (value, held)


@overload
def hvp(fn: Callable[..., Any], primals: list[Any], tangents: Any) -> tuple[Any, ...]: ...
@overload
def hvp(fn: Callable[..., Any], primals: X, tangents: Any) -> X: ...
def hvp(fn: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """Return H·v, the Hessian of a scalar f at x times a vector, without forming H.

    Args:
        fn: a function of the primals that returns a scalar.
        primals: x, an array, dict or dataclass; or a tuple or list with one entry for each argument of fn.
        tangents: v, with the structure and shape of x.

    Returns:
        H·v, structured like x; a tuple if there are several arguments.
    """
    if not isinstance(primals, (tuple, list)) or hasattr(primals, "_fields"):
        return jvp(_gradient("hvp", fn, 0), (primals,), (tangents,))[1]
    xs, vs = tuple(primals), tuple(tangents)
    return jvp(_gradient("hvp", fn, tuple(range(len(xs)))), xs, vs)[1]


def _merged(dicts: Any) -> dict[str, Any]:
    """Return the tensors of one dict or several by name, of which none may be in two."""
    values: dict[str, Any] = {}
    for tensors in dicts if isinstance(dicts, (tuple, list)) else (dicts,):
        twice = sorted(set(values) & set(tensors))
        if twice:
            raise ArgumentError(f"functional_call: got {twice} in two of the dicts. Give each tensor once.")
        values |= tensors
    return values


@undoing
def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = (), kwargs: Any = None, *, tie_weights: bool = True,
    strict: bool = False,
) -> Any:  # fmt: skip
    """Call an ``nn.Module`` with parameters and buffers other than its own.

    This turns a model into a function of its parameters, to which ``grad``, ``vmap``, ``hvp`` and other transforms
    apply.

    Args:
        module: the model.
        parameter_and_buffer_dicts: tensors by dotted name, as in ``named_parameters``; or several such dicts.
        args, kwargs: the model's argument, or a tuple of them, and its keyword arguments.
        tie_weights: whether one name suffices for a tensor that belongs to the model under several names.
        strict: whether all parameters and buffers must be passed.

    Returns:
        The result of the model. Its own tensors are unchanged; if it updates buffers, it updates the given ones.

    Raises:
        ArgumentError: if the model does not have one of the names; or, with ``strict``, a name is missing.

    >>> model = sg.nn.Linear(2, 1, bias=False)
    >>> loss = lambda p: sg.func.functional_call(model, p, sg.tensor([3.0, 4.0])).sum()
    >>> sg.grad(loss)({"weight": sg.zeros(1, 2)})
    {'weight': tensor([[3., 4.]])}
    """
    if not hasattr(module, "holding"):
        raise ArgumentTypeError(f"functional_call: expected an nn.Module, got {type(module).__name__}.")
    with module.holding(_merged(parameter_and_buffer_dicts), strict, tie_weights):
        return module(*(args if isinstance(args, tuple) else (args,)), **(kwargs or {}))


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Stack the parameters and the buffers of similar models, for ``vmap`` of ``functional_call``.

    Args:
        models: modules with the same parameters.

    Returns:
        Two dicts by dotted name. The stacked parameters are leaves, which require grad if those of the models do.

    >>> models = [sg.nn.Linear(2, 1) for _ in range(3)]
    >>> parameters, buffers = sg.func.stack_module_state(models)
    >>> one = lambda p, x: sg.func.functional_call(models[0], p, (x,))
    >>> sg.vmap(one, in_dims=(0, None))(parameters, sg.ones(2)).shape
    (3, 1)
    """
    if len(models) == 0:
        raise ArgumentError("stack_module_state: Expected at least one model, got 0.")
    if not all(hasattr(m, "named_parameters") for m in models):
        raise ArgumentTypeError(f"stack_module_state: got {shown(models)}. Expected a list of modules.")
    if len({type(m) for m in models}) > 1 or len({m.training for m in models}) > 1:
        raise ArgumentError("stack_module_state: Expected all models to be of the same class, and in the same mode.")

    if len({tuple(p.requires_grad for p in m.parameters()) for m in models}) > 1:
        raise ArgumentError(
            "stack_module_state: Expected each parameter to have the same .requires_grad in all models."
        )

    def stacked(each: Sequence[dict[str, Any]]) -> dict[str, Any]:
        return {k: stack([d[k].detach() for d in each]).requires_grad_(t.requires_grad) for k, t in each[0].items()}

    return stacked([dict(m.named_parameters()) for m in models]), stacked([dict(m.named_buffers()) for m in models])


if not TYPE_CHECKING:  # checkers would take every name for one that there is
    __getattr__, __dir__ = namespace(globals(), __all__, _LATER)


check_all(globals(), __all__)
