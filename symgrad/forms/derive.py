"""``sg.derive``: the closed form of a derivative, from a sweep of the same rules without values.

Also gives ``backward(mode="symbolic")`` and ``tensor.expr``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, overload

import sympy as sp

from symgrad.autograd.opened import opened
from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, GRAD, TRACED, AnyNode, Leaf, ancestors
from symgrad.engine import backward
from symgrad.engine.dtypes import dtype_of, is_imaginary
from symgrad.engine.record import Core, as_tensor, handle
from symgrad.engine.sweep import sweep
from symgrad.errors import ArgumentError, ArgumentTypeError, FormError, GraphError, ShapeError
from symgrad.expression.given import by_name, named_leaves, recorded
from symgrad.expression.models import is_model
from symgrad.expression.reached import reached
from symgrad.forms.canon import Pool, lowered
from symgrad.forms.canon.terms import SUM, Term, value_of
from symgrad.forms.canonical import leaf_reading
from symgrad.forms.closed import ClosedForm
from symgrad.forms.holomorphic import check_holomorphic, squared
from symgrad.forms.notations.index import TooDeep
from symgrad.forms.others import divided
from symgrad.forms.several import Blocks, ClosedForms
from symgrad.forms.verify import can_be_checked
from symgrad.ops.contract import sum_axes
from symgrad.ops.elementwise.complexes import COMPLEX, conj, imag, real
from symgrad.ops.map import MUL, show_shape
from symgrad.ops.shape import Expand
from symgrad.solvers.opened import closed, equations, has_answers, shortened, spelled
from symgrad.support.arguments import checked
from symgrad.tensors.tensor import Tensor

if TYPE_CHECKING:
    from symgrad.nn.modules.module import Module

Differentiable: TypeAlias = "Tensor | ClosedForm | str | Callable[..., Any]"
Several: TypeAlias = "Module | Sequence[Tensor] | list[str] | list[Tensor | str] | tuple[Tensor | str, ...]"
_NO_GRAPH = "derive: the output has no graph. Make an input with requires_grad=True, with name=…, or by sg.symbol."

_CUT = (
    "derive: the output is made of {name} only through detach() or under no_grad(), where no derivative is taken: its "
    "gradient is cut. Compute it outside of no_grad(), and leave detach() out."
)


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
    verify: bool | None = None,
) -> ClosedForms | Blocks: ...
@checked
def derive(
    y: Any,
    wrt: Any,
    order: int = 1,
    *,
    shapes: Mapping[str, Any] | None = None,
    cotangent: Any = None,
    tangent: Any = None,
    notation: str | None = None,
    verify: bool | None = None,
) -> Any:
    """Return the closed form of dy/dwrt.

    Args:
        y: a tensor with a graph; a formula as text, as ``sg.parse`` reads it; a function of tensors; or the closed
            form of a derivative, to be differentiated once more. A scalar gives the gradient, shaped like wrt; an
            array gives the Jacobian, of shape y.shape + wrt.shape.
        wrt: the tensor to differentiate by, its name, or a list of them. It need not require grad. Or an
            ``nn.Module``: all its parameters, which are called W1, b1, … in the order of its layers, and keep the name.
        order: 2 gives the Hessian of a scalar, of shape wrt.shape + wrt.shape, 3 its third derivatives, and so on.
            Of a list of tensors, order 2 gives the blocks H[i][j], by the i-th and then by the j-th.
        shapes: of the names in a text and of a function's parameters; those that it has not are numbers.
        cotangent: u, shaped like y, for the vector-Jacobian product Jᵀu, shaped like wrt.
        tangent: v, shaped like wrt, for the directional derivative J v, shaped like y.
        notation: the layout of matrices of derivatives. By default a gradient is shaped like wrt and a Jacobian
            y.shape + wrt.shape. "numerator" writes the gradient by a matrix transposed, "denominator" the Jacobian of
            a vector by a vector.
        verify: whether the formula is evaluated and compared with the derivative; now if True, when it is first
            looked at if None, and never if False. It needs leaves with values.

    Returns:
        A ``ClosedForm``; for a list, a tuple of them that prints with common intermediates named once.

    Raises:
        GraphError: a tensor y does not depend on wrt, where a text or a function has the derivative 0; or y depends on
            it only through ``detach()`` or ``no_grad``.
        ArgumentError: order is not a positive integer; a layout is unknown, or says nothing of such arrays.
        FormError: the formula is not the derivative's; or with ``verify=True``, a leaf has no value.

    >>> x = sg.symbol("x", "n")
    >>> A = sg.symbol("A", ("n", "n"))
    >>> print(sg.derive(((A @ x)**2).sum(), x))
    2*Aᵀ*A*x
    >>> print(sg.derive("x**2*sin(x)", "x"), "|", sg.derive(lambda x, a: a @ x, "x", shapes={"x": "n", "a": "n"}))
    x*(x*cos(x) + 2*sin(x)) | a
    """
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise ArgumentError(f"derive: got order={order!r}. Expected 1 for the gradient, 2 for the Hessian, ….")
    many = isinstance(wrt, (list, tuple)) or is_model(wrt)
    start, targets = _start(y, wrt, shapes, verify is not False)
    if cotangent is not None or tangent is not None:
        _check_product(start, many, order, cotangent, tangent)
        found: Any = ClosedForms([_product(start, t, cotangent, tangent) for t in targets], targets)
    elif many:
        found = _nested(start, targets, order)
    else:
        found = ClosedForms([_repeated(start, targets[0], order)], targets)
    if notation is not None:
        _check_notation(notation, order, cotangent, tangent)
        found = ClosedForms([laid_out(start, t, notation) for t in targets], targets)
    if verify:
        _verified(found.flat)
        _ = found.where
    return found if many else found[0]


class _Start(NamedTuple):
    """What is differentiated: a node, linear in bases, of a function of which the naming is told by ``forward``."""

    root: AnyNode
    forward: Sequence[AnyNode]
    bases: tuple[Leaf, ...] = ()
    check: bool = True
    onward: tuple[AnyNode, ...] = ()  # of a derivative: the first one's root, and the leaves it was differentiated by

    def form(self) -> ClosedForm:
        """Return it as a formula; an answer to equations is a letter in it."""
        nodes = [self.root, *self.forward, *self.onward]
        if not has_answers(nodes):
            return ClosedForm(self.root, self.forward, self.bases, self.check, self.onward)
        known: dict[AnyNode, AnyNode] = {}
        root, *forward = spelled([self.root, *self.forward], known, _multiple)
        root = closed(self.root, known) or root
        found = ClosedForm(root, [*forward, *equations(known, _multiple)], self.bases, self.check)
        found._of = self
        return found


def _start(y: Any, wrt: Any, shapes: Any, check: bool) -> tuple[_Start, list[AnyNode]]:
    """Return where the derivative starts, and the nodes that it is by."""
    if isinstance(y, ClosedForm) and isinstance(y._of, _Start):
        nodes = [y._of.root, *y._of.forward]
        return y._of._replace(check=check), _targets(nodes, by_name("derive", wrt, named_leaves(nodes)))
    if isinstance(y, ClosedForm):
        nodes = [y._root, *y._forward]
        by = by_name("derive", wrt, named_leaves(nodes))
        return _Start(y._root, y._forward, y._bases, check, y._onward), _targets(nodes, by)
    y, by = recorded("derive", y, wrt, shapes)
    if y._node is None:
        raise GraphError(_NO_GRAPH)
    targets = _targets([y._node], by)
    new = opened(y._node)
    root = new.get(y._node, y._node)
    return _Start(root, [root], (), check), [new.get(t, t) for t in targets]


MOST_AXES = 64  # of NumPy's arrays
_SHORT = 60  # operations of two formulas, up to which their quotient is tried


def _multiple(one: AnyNode, other: AnyNode) -> float | None:
    """Return how many times another node one node is, as formulas; None where it is no multiple."""
    pool = Pool()
    rules = {id(n) for n in ancestors([one, other]) if isinstance(n, Leaf) and n.title is None}
    terms = lowered(pool, [one, other], leaf_reading(rules))
    a, b = terms[one], terms[other]
    if value_of(a) == 0:
        return 0.0
    parts = dict(_parts(b))
    shared = next(((c, parts[x]) for x, c in _parts(a) if x in parts), None)
    if shared is not None and value_of(pool.sum([(shared[1], a), (-shared[0], b)], a.shape)) == 0:
        return float(shared[0] / shared[1])
    return None if a.shape else _ratio(one, other)


def _ratio(one: AnyNode, other: AnyNode) -> float | None:
    """Return the quotient of two short formulas that are numbers, where letters cancel."""
    a, b = [ClosedForm(n, [one, other], (), False).expr for n in (one, other)]
    if b == 0 or sp.count_ops(a) + sp.count_ops(b) > _SHORT:
        return None
    found = sp.cancel(sp.nsimplify(a, rational=True) / sp.nsimplify(b, rational=True))
    return float(found) if found.is_Rational else None


def _parts(t: Term) -> list[tuple[Term, Any]]:
    """Return the terms of a sum with their coefficients."""
    return list(zip(t.args, t.data, strict=True)) if t.kind == SUM else [(t, 1)]


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
    if t._node is None:
        raise GraphError("expr: this tensor was not recorded. Give a leaf a name= or requires_grad=True.")
    root = opened(t._node).get(t._node, t._node)
    return _Start(root, [root]).form()


def _targets(roots: Sequence[AnyNode], wrt: Sequence[Any]) -> list[AnyNode]:
    """Return the nodes to differentiate by; of a leaf that was changed since, as it was when it was used last."""
    nodes = ancestors(list(roots))
    below, open_ = set(nodes), reached(roots)
    last = {id(n.cell): n for n in nodes if isinstance(n, Leaf) and n.cell is not None}
    found = []
    for i, x in enumerate(wrt):
        if not isinstance(x, Core):
            raise ArgumentTypeError(f"derive: wrt[{i}] must be a tensor, got {type(x).__name__}.")
        node: Any = x._node if x._node in below else last.get(id(getattr(x._node, "cell", None)))
        if node is None:
            raise GraphError(f"{backward.UNUSED.format(i=i).split('. ')[0]}. derive: the output does not depend on it.")
        if node not in open_:
            raise GraphError(_CUT.format(name=getattr(node, "title", None) or f"wrt[{i}]"))
        found.append(node)
    return found


def _differentiated(start: _Start, targets: Sequence[AnyNode]) -> list[_Start]:
    """Return the derivatives by each target: of an array, by a basis of its shape, in which they are linear."""
    start = start._replace(root=divided(start.root))
    seed = _basis(start.root) if start.root.shape else _number(1.0)
    bases = (*start.bases, seed._node) if start.root.shape else start.bases
    axes = max((sum(len(n.shape) for n in (*bases, t)) for t in targets), default=0)
    if axes > MOST_AXES:
        raise ShapeError(f"derive: the derivative has {axes} axes. NumPy's arrays have at most {MOST_AXES}.")
    found = _imaginary(start, seed, targets) if is_imaginary(start.root) else _sweep(start.root, seed, targets)
    return [start._replace(root=found[t], bases=bases, onward=_onward(start, t, found[t])) for t in targets]


def _imaginary(start: _Start, seed: Any, targets: Sequence[AnyNode]) -> dict[AnyNode, AnyNode]:
    """Return derivatives of complex numbers: dy/dz of holomorphic functions, d Re y/dx + i d Im y/dx of real x."""
    found = {}
    for t in targets:
        if is_imaginary(t):
            check_holomorphic(start.root, start.forward[0], t, first=not start.onward)
            with enable_grad():
                found[t] = _as_node(conj(handle(_sweep(start.root, seed, [t])[t], None)))
            continue
        with enable_grad():
            y = handle(start.root, None)
            parts = [_sweep(part._node, seed, [t])[t] for part in (real(y), imag(y))]
            found[t] = _as_node(COMPLEX(*[handle(p, None) for p in parts]))
    return found


def _onward(start: _Start, target: AnyNode, found: AnyNode) -> tuple[AnyNode, ...]:
    """Return the way to a derivative: a leaf more, or the derivative itself where the way starts."""
    return (*start.onward, target) if start.onward and isinstance(target, Leaf) else (found,)


def _repeated(start: _Start, target: AnyNode, order: int) -> ClosedForm:
    """Return the derivative of this order by one target."""
    start = start._replace(root=squared(start.root)) if order > 1 and isinstance(target, Leaf) else start
    for k in range(order):
        if k and has_answers([start.root]):
            start = start._replace(root=shortened(start.root, _multiple))
        (start,) = _differentiated(start, [target])
    return start.form()


def _nested(start: _Start, targets: Sequence[AnyNode], order: int) -> Any:
    """Return the derivatives by all targets, one after the other: of order 2, rows of blocks."""
    leaves = order > 1 and all(isinstance(t, Leaf) for t in targets)
    start = start._replace(root=squared(start.root)) if leaves else start
    found = _differentiated(start, targets)
    if order == 1:
        return ClosedForms([s.form() for s in found], targets)
    return Blocks([_nested(s, targets, order - 1) for s in found], targets)


def _check_product(start: _Start, many: bool, order: int, cotangent: Any, tangent: Any) -> None:
    if start.bases:
        raise ArgumentError(
            "derive: a product with the derivative of a Jacobian is not a form. Derive the gradient's product, as in "
            "derive(derive(y, x), x, tangent=v), or the derivative without cotangent and tangent."
        )
    if order != 1 or (cotangent is not None and tangent is not None) or (many and tangent is not None):
        raise ArgumentError(
            "derive: expected one of cotangent=u and tangent=v with order=1, and one tensor to differentiate by for a "
            f"tangent. Got order={order}, {'both' if cotangent is not None and tangent is not None else 'a list'}."
        )


def _product(start: _Start, target: AnyNode, cotangent: Any, tangent: Any) -> ClosedForm:
    """Return Jᵀu; or J v, the derivative in u of uᵀJ v."""
    root = start.root
    if tangent is None:
        u = _given("cotangent", cotangent, root.shape)
        return ClosedForm(_sweep(root, u, [target])[target], [*start.forward, u._node], (), start.check)
    v = _given("tangent", tangent, target.shape)
    root = squared(root) if isinstance(target, Leaf) else root
    return ClosedForm(_pushed(root, target, v), [*start.forward, v._node], (), start.check)


def _pushed(root: AnyNode, target: AnyNode, v: Any) -> AnyNode:
    """Return J v, shaped like the root: the derivative in u of uᵀJ v, or of Re uᴴJ v."""
    u = _basis(root)
    if is_imaginary(root):
        u._node.dtype = dtype_of(root)
    with enable_grad():
        pulled = MUL(conj(handle(_sweep(root, u, [target])[target], None)), v)
        product = sum_axes(real(pulled), range(len(target.shape)))  # Re ūᵀ dy
    return _sweep(product._node, _number(1.0), [u._node])[u._node]


# ------------------------------------------------------------------ layouts
NOTATIONS = ("numerator", "denominator")


def _check_notation(notation: str, order: int, cotangent: Any, tangent: Any) -> None:
    if notation not in NOTATIONS:
        raise ArgumentError(f"derive: notation={notation!r} is unknown. Expected one of {list(NOTATIONS)}.")
    if order != 1 or cotangent is not None or tangent is not None:
        raise ArgumentError(
            f"derive: notation={notation!r} is for gradients and Jacobians. Leave it out beside order=2, whose matrix "
            "is symmetric, and beside cotangent and tangent, which give arrays."
        )


def laid_out(start: _Start, target: AnyNode, notation: str) -> ClosedForm:
    """Return a first derivative with its axes as the layout has them."""
    ranks = (len(start.root.shape), len(target.shape))
    if start.bases or (min(ranks) > 0 and ranks != (1, 1)) or max(ranks) > 2:
        raise ArgumentError(
            f"derive: notation={notation!r} is for numbers, vectors and matrices of which one is a number, and for "
            f"a vector by a vector. Got shape {show_shape(start.root.shape)} by {show_shape(target.shape)}."
        )
    if ranks == (1, 1) and notation == "denominator":
        v = _basis(target)
        return ClosedForm(_pushed(start.root, target, v), start.forward, (v._node,), start.check)
    (found,) = _differentiated(start, [target])
    if (ranks, notation) == ((0, 2), "numerator"):
        return found._replace(root=_transposed(found.root), onward=()).form()
    if (ranks, notation) == ((2, 0), "denominator"):
        turned = start._replace(root=_transposed(start.root))
        return _differentiated(turned, [target])[0].form()
    return found.form()


def _transposed(node: AnyNode) -> AnyNode:
    with enable_grad():
        return _as_node(handle(node, None).mT)


def _given(what: str, x: Any, shape: Any) -> Any:
    """Return a tensor that the user gave, on the graph."""
    t = as_tensor(x)
    if t.shape != shape:
        raise ShapeError(f"derive: {what} has shape {show_shape(t.shape)}. Expected {show_shape(shape)}.")
    return t if t._node is not None else handle(Leaf(t._value, t.shape, CONSTANT), None)


def _number(value: float) -> Any:
    return handle(Leaf(value, (), CONSTANT), None)


def _basis(root: AnyNode) -> Any:
    return handle(Leaf(None, root.shape, TRACED, None), None)


def _sweep(root: AnyNode, seed: Any, targets: Sequence[AnyNode]) -> dict[AnyNode, AnyNode]:
    with enable_grad():
        found = sweep([root], [seed], wrt=targets, handle=handle, symbolic=True)
    return {t: _node_of(found.get(t), t) for t in targets}


def _node_of(g: Any, target: AnyNode) -> AnyNode:
    if isinstance(g, Core):
        return _as_node(g)
    return _as_node(Expand(target.shape)(_number(0.0)))  # sizes may be symbolic


def _as_node(g: Any) -> AnyNode:
    node: AnyNode = g._node
    return node


def symbolic(t: Tensor, gradient: Any, retain_graph: Any, create_graph: bool, inputs: Any) -> None:
    """Run ``backward(mode="symbolic")``: put the closed form into every leaf's ``.grad_expr``."""
    if t._node is None or t._node.level != GRAD:
        raise GraphError(backward.NO_GRAD)
    if t.shape != () or gradient is not None:
        raise GraphError(
            "grad can be implicitly created only for scalar outputs. mode='symbolic' takes a scalar; "
            "use sg.derive for Jacobians."
        )
    nodes = backward.cells(inputs) if inputs is not None else [
        n for n in ancestors([t._node]) if n.level == GRAD and n.cell is not None
    ]  # fmt: skip
    new = opened(t._node)
    root = new.get(t._node, t._node)
    found = _differentiated(_Start(root, [root]), [new.get(n, n) for n in nodes])
    for node, derivative in zip(nodes, found, strict=True):
        node.cell.grad_expr = derivative.form()  # type: ignore[union-attr]
