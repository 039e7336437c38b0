"""``sg.derive``: the closed form of a derivative, from a sweep of the same rules without values.

It also provides ``backward(mode="symbolic")`` and ``tensor.expr``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

from symgrad.autograd.expand_custom import opened
from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, GRAD, AnyNode, Leaf, ancestors, tensor_node, tensor_value
from symgrad.engine import backward
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, FormError, GraphError, ShapeError
from symgrad.expression.arguments import recorded
from symgrad.expression.models import is_model
from symgrad.forms.closed import ClosedForm
from symgrad.forms.derivative import Derivative, basis, differentiated, pulled, pushed, repeated, targets_in
from symgrad.forms.holomorphic import squared
from symgrad.forms.implicit_functions import ImplicitForms, implicit
from symgrad.forms.joint_forms import ClosedForms, JointForms
from symgrad.forms.notations.index import TooDeep
from symgrad.forms.structured import check_structure, structured
from symgrad.forms.verify import can_be_checked
from symgrad.ops.map import show_shape
from symgrad.support.arguments import checked
from symgrad.tensors.tensor import Tensor

if TYPE_CHECKING:
    from symgrad.nn.modules.module import Module

Differentiable: TypeAlias = "Tensor | ClosedForm | str | list[str] | tuple[str, ...] | Callable[..., Any]"
Several: TypeAlias = "Module | Sequence[Tensor] | list[str] | list[Tensor | str] | tuple[Tensor | str, ...]"
_NO_GRAPH = "derive: the output has no graph. Make an input with requires_grad=True, with name=…, or by sg.symbol."


@overload
def derive(
    y: Differentiable,
    wrt: Tensor | str,
    order: int = 1,
    *,
    shapes: Mapping[str, Any] | None = None,
    cotangent: Any = None,
    tangent: Any = None,
    notation: str | None = None,
    structure: str | None = None,
    verify: bool | None = None,
) -> ClosedForm: ...
@overload
def derive(
    y: Differentiable,
    wrt: Several,
    order: Literal[1] = 1,
    *,
    shapes: Mapping[str, Any] | None = None,
    cotangent: Any = None,
    tangent: Any = None,
    notation: str | None = None,
    structure: str | None = None,
    verify: bool | None = None,
) -> ClosedForms: ...
@overload
def derive(
    y: Differentiable,
    wrt: Several,
    order: int,
    *,
    shapes: Mapping[str, Any] | None = None,
    cotangent: Any = None,
    tangent: Any = None,
    notation: str | None = None,
    structure: str | None = None,
    verify: bool | None = None,
) -> ClosedForms | JointForms: ...
@overload
def derive(y: str | Sequence[str], wrt: str, by: str, /, *, order: int = 1) -> ClosedForm: ...
@overload
def derive(
    y: str | Sequence[str], wrt: list[str] | tuple[str, ...], by: str, /, *, order: int = 1
) -> ImplicitForms: ...
@checked
def derive(
    y: Any,
    wrt: Any,
    *by: Any,
    order: int = 1,
    shapes: Mapping[str, Any] | None = None,
    cotangent: Any = None,
    tangent: Any = None,
    notation: str | None = None,
    structure: str | None = None,
    verify: bool | None = None,
) -> Any:
    """Return the closed form of dy/dwrt.

    Args:
        y: a tensor with a graph; a formula as text, as in ``sg.parse``; a list of texts, the components of a vector
            field; a function of tensors; or the closed form of a derivative, to be differentiated again. For a scalar,
            the result is the gradient, shaped like wrt; for an array, it is the Jacobian, of shape
            y.shape + wrt.shape.
        wrt: the tensor to differentiate with respect to, its name, or a list of them. It need not require a gradient.
            An ``nn.Module`` represents all its parameters, which are called W1, b1, … in the order of the layers.
        by: the order; or, for equations, the independent variable: ``derive("x**2 + y**2 = 25", "y", "x")`` is dy/dx.
            Equations are a text, or a list of texts, and a system needs as many equations as unknowns. Write a curve
            with a parameter as ``"x = cos(t), y = sin(t)"``, and one in polar coordinates as ``"r = 1 + cos(θ)"``.
        order: 2 gives the Hessian of a scalar, of shape wrt.shape + wrt.shape, 3 its third derivatives, and so on.
            For a list of tensors, order 2 gives the blocks H[i][j], with respect to the i-th and then the j-th.
        shapes: the shapes of names in a string, or of a function's parameters; names without a shape are numbers.
        cotangent: u, shaped like y, for the vector-Jacobian product Jᵀu, shaped like wrt.
        tangent: v, shaped like wrt, for the directional derivative J v, shaped like y.
        notation: the layout of matrices of derivatives. By default, a gradient has the shape of wrt, and a Jacobian has
            the shape y.shape + wrt.shape. "numerator" transposes the gradient with respect to a matrix, and
            "denominator" the Jacobian of a vector with respect to a vector.
        structure: the meaning of a gradient with respect to a matrix that is declared ``symmetric``, ``diagonal``, ….
            "ignore", the default, is the gradient G for a general matrix. "project" is the part of G along which such
            a matrix can change, (G + Gᵀ)/2 for a symmetric one. "free" contains the derivatives with respect to the
            independent entries, G + Gᵀ - diag(diag(G)) for a symmetric one.
        verify: True to evaluate the formula at once and compare it with the derivative, None to do so on first use, and
            False never to do so. The comparison requires leaves with values.

    Returns:
        A ``ClosedForm``; for a list, a tuple of closed forms, which prints common intermediates only once.

    Raises:
        GraphError: if a tensor y does not depend on wrt (for a string or a function, the derivative is 0 instead); or y
            depends on it only through ``detach()`` or ``no_grad``.
        ArgumentError: if order is not a positive integer; a layout is unknown, or does not apply to such arrays; a
            structure is requested, but no matrix has one.
        FormError: if the value of the formula differs from the derivative; or, with ``verify=True``, a leaf has no
            value.

    >>> x = sg.symbol("x", "n")
    >>> A = sg.symbol("A", ("n", "n"))
    >>> print(sg.derive(((A @ x)**2).sum(), x))
    2*Aᵀ*A*x
    >>> print(sg.derive("x**2*sin(x)", "x"), "|", sg.derive(lambda x, a: a @ x, "x", shapes={"x": "n", "a": "n"}))
    x*(x*cos(x) + 2*sin(x)) | a
    >>> print(sg.derive("x**2 + y**2 = 25", "y", "x"), "|", sg.derive("x**2 + y**2 = 25", "y", "x", order=2))
    -x/y | -25/y**3
    """
    if by and isinstance(by[0], str):
        _check_equations(y, by, order, shapes, cotangent, tangent, notation, structure)
        return implicit(y, wrt, by[0], order)
    order = _ordered(by, order)
    if isinstance(order, (list, tuple)) and order:
        raise ArgumentError(
            f"derive: of an equation, expected one name to differentiate with respect to. Got {list(order)}. Ask for "
            f"each, as in sg.derive({y!r}, {wrt!r}, {order[0]!r})."
        )
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ArgumentError(f"derive: got order={order!r}. Expected 1 for the gradient, 2 for the Hessian, ….")
    many = isinstance(wrt, (list, tuple)) or is_model(wrt)
    start, targets = _start(y, wrt, shapes, verify is not False)
    forms = _forms(start, targets, many, order, cotangent, tangent)
    if notation is not None:
        _check_notation(notation, order, cotangent, tangent)
        forms = ClosedForms([laid_out(start, t, notation) for t in targets], targets)
    if structure is not None:
        check_structure(structure, targets, start.root.shape, order != 1 or notation or cotangent or tangent)
        forms = ClosedForms([structured(structure, f, t) for f, t in zip(forms, targets, strict=True)], targets)
    if verify:
        _verified(forms.flat)
        _ = forms.where
    return forms if many else forms[0]


def _ordered(by: Sequence[Any], order: int) -> Any:
    """Return the order, which may stand third."""
    if len(by) > 1 or (by and order != 1):
        raise ArgumentTypeError(f"derive: got {[*by]!r} and order={order}. Expected one order, as in derive(y, x, 2).")
    return by[0] if by else order


def _check_equations(y: Any, by: Sequence[Any], order: Any, *others: Any) -> None:
    if len(by) > 1 or any(o is not None for o in others):
        raise ArgumentError(
            "derive: for equations, expected derive(equations, y, x, order=…), without shapes, cotangent, tangent, "
            "notation and structure."
        )
    texts = [y] if isinstance(y, str) else y
    if not isinstance(texts, (list, tuple)) or not texts or not all(isinstance(t, str) for t in texts):
        raise ArgumentTypeError(
            f"derive: with respect to {by[0]!r}, expected equations as text, such as 'x**2 + y**2 = 25'. "
            f"Got {type(y).__name__}; the order of a derivative is a number, as in derive(y, x, 2)."
        )
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ArgumentError(f"derive: got order={order!r}. Expected 1 for the gradient, 2 for the Hessian, ….")


def _forms(start: Derivative, targets: Any, many: bool, order: int, cotangent: Any, tangent: Any) -> Any:
    """Return the derivatives with respect to all targets, or their products with a cotangent or tangent."""
    if cotangent is not None or tangent is not None:
        _check_product(start, many, order, cotangent, tangent)
        return ClosedForms([_product(start, t, cotangent, tangent) for t in targets], targets)
    if many:
        return _nested(start, targets, order)
    return ClosedForms([ClosedForm.of(repeated(start, targets[0], order))], targets)


def _start(y: Any, wrt: Any, shapes: Any, check: bool) -> tuple[Derivative, list[AnyNode]]:
    """Return where the derivative starts, and the nodes that it is by."""
    if isinstance(y, ClosedForm):
        start = y._derivative._replace(check=check)
        return start, start.targets("derive", wrt)
    y, by = recorded("derive", y, wrt, shapes)
    if tensor_node(y) is None:
        raise GraphError(_NO_GRAPH)
    targets = targets_in([tensor_node(y)], by)
    new = opened(tensor_node(y))
    root = new.get(tensor_node(y), tensor_node(y))
    return Derivative(root, [root], (), check), [new.get(t, t) for t in targets]


def _verified(forms: Sequence[ClosedForm]) -> None:
    """Evaluate the forms now, each as it is written with names and, where it is not too long for that, without."""
    for form in forms:
        if not can_be_checked(form):
            missing = [name for name, leaf in zip(form._called.names, form._leaves, strict=True) if leaf.value is None]
            raise FormError(
                f"derive: verify=True needs a value of each leaf; {missing} have none. Use tensors with names."
            )
        _ = form.where
        with suppress(TooDeep):
            _ = form._expr


def expression(t: Tensor) -> Any:
    """Return the closed form of a recorded tensor itself."""
    if tensor_node(t) is None:
        raise GraphError("expr: this tensor was not recorded. Give a leaf a name= or requires_grad=True.")
    root = opened(tensor_node(t)).get(tensor_node(t), tensor_node(t))
    return ClosedForm.of(Derivative(root, [root]))


def _nested(start: Derivative, targets: Sequence[AnyNode], order: int) -> Any:
    """Return the derivatives with respect to all targets, one after the other: of order 2, rows of blocks."""
    leaves = order > 1 and all(isinstance(t, Leaf) for t in targets)
    start = start._replace(root=squared(start.root)) if leaves else start
    derivatives = differentiated(start, targets)
    if order == 1:
        return ClosedForms(list(map(ClosedForm.of, derivatives)), targets)
    return JointForms([_nested(s, targets, order - 1) for s in derivatives], targets)


def _check_product(start: Derivative, many: bool, order: int, cotangent: Any, tangent: Any) -> None:
    if start.bases:
        raise ArgumentError(
            "derive: a product with the derivative of a Jacobian is not a form. Derive the gradient's product, as in "
            "derive(derive(y, x), x, tangent=v), or the derivative without cotangent and tangent."
        )
    if order != 1 or (cotangent is not None and tangent is not None) or (many and tangent is not None):
        raise ArgumentError(
            "derive: expected one of cotangent=u and tangent=v with order=1, and one tensor to differentiate with "
            f"respect to for a tangent. Got order={order}, "
            f"{'both' if cotangent is not None and tangent is not None else 'a list'}."
        )


def _product(start: Derivative, target: AnyNode, cotangent: Any, tangent: Any) -> ClosedForm:
    """Return Jᵀu; or J v, the derivative in u of uᵀJ v."""
    if tangent is None:
        v = _given("cotangent", cotangent, start.root.shape)
        root = pulled(start.root, v, [target])[target]
    else:
        v = _given("tangent", tangent, target.shape)
        root = pushed(squared(start.root) if isinstance(target, Leaf) else start.root, target, v)
    return ClosedForm.of(start._replace(root=root, forward=[*start.forward, tensor_node(v)], onward=()))


# ------------------------------------------------------------------ layouts
NOTATIONS = ("numerator", "denominator")


def _check_notation(notation: str, order: int, cotangent: Any, tangent: Any) -> None:
    if notation not in NOTATIONS:
        raise ArgumentError(f"derive: notation={notation!r} is unknown. Expected one of {list(NOTATIONS)}.")
    if order != 1 or cotangent is not None or tangent is not None:
        raise ArgumentError(
            f"derive: notation={notation!r} is for gradients and Jacobians. Omit it with order=2, whose matrix is "
            "symmetric, and with cotangent and tangent, which return arrays."
        )


def laid_out(start: Derivative, target: AnyNode, notation: str) -> ClosedForm:
    """Return a first derivative with its axes as the layout has them."""
    ranks = (len(start.root.shape), len(target.shape))
    if start.bases or (min(ranks) > 0 and ranks != (1, 1)) or max(ranks) > 2:
        raise ArgumentError(
            f"derive: notation={notation!r} is for a number and a vector or matrix, or for two vectors. Got shape "
            f"{show_shape(start.root.shape)}, differentiated with respect to shape {show_shape(target.shape)}."
        )
    if ranks == (1, 1) and notation == "denominator":
        v = basis(target)
        return ClosedForm(pushed(start.root, target, v), start.forward, (tensor_node(v),), start.check)
    (derivative,) = differentiated(start, [target])
    if (ranks, notation) == ((0, 2), "numerator"):
        return ClosedForm.of(derivative._replace(root=_transposed(derivative.root), onward=()))
    if (ranks, notation) == ((2, 0), "denominator"):
        turned = start._replace(root=_transposed(start.root))
        return ClosedForm.of(differentiated(turned, [target])[0])
    return ClosedForm.of(derivative)


def _transposed(node: AnyNode) -> AnyNode:
    with enable_grad():
        return tensor_node(handle(node, None).mT)  # type: ignore[no-any-return]


def _given(what: str, x: Any, shape: Any) -> Any:
    """Return a tensor that the user gave, on the graph."""
    t = as_tensor(x)
    if t.shape != shape:
        raise ShapeError(f"derive: {what} has shape {show_shape(t.shape)}. Expected {show_shape(shape)}.")
    return t if tensor_node(t) is not None else handle(Leaf(tensor_value(t), t.shape, CONSTANT), None)


def symbolic(t: Tensor, gradient: Any, retain_graph: Any, create_graph: bool, inputs: Any) -> None:
    """Run ``backward(mode="symbolic")``: put the closed form into every leaf's ``.grad_expr``."""
    if tensor_node(t) is None or tensor_node(t).level != GRAD:
        raise GraphError(backward.NO_GRAD)
    if t.shape != () or gradient is not None:
        raise GraphError(
            "grad can be implicitly created only for scalar outputs. mode='symbolic' takes a scalar; "
            "use sg.derive for Jacobians."
        )
    nodes = backward.cells(inputs) if inputs is not None else [
        n for n in ancestors([tensor_node(t)]) if n.level == GRAD and n.cell is not None
    ]  # fmt: skip
    new = opened(tensor_node(t))
    root = new.get(tensor_node(t), tensor_node(t))
    derivatives = differentiated(Derivative(root, [root]), [new.get(n, n) for n in nodes])
    for node, derivative in zip(nodes, derivatives, strict=True):
        node.cell.grad_expr = ClosedForm.of(derivative)  # type: ignore[union-attr]
