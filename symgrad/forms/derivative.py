"""Derivatives of graphs: from a node to the node of its derivative, by a sweep of the same rules without values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, TRACED, AnyNode, Leaf, Shape, ancestors, has_value, tensor_node
from symgrad.engine import backward
from symgrad.engine import sweep as reverse
from symgrad.engine.dtypes import dtype_of, is_imaginary
from symgrad.engine.record import TensorBase, handle
from symgrad.errors import ArgumentTypeError, GraphError, ShapeError
from symgrad.expression.arguments import by_name, named_leaves
from symgrad.expression.reachability import reachable
from symgrad.forms import names
from symgrad.forms.canon import TermPool, lowered
from symgrad.forms.canon.terms import SUM, Term, value_of
from symgrad.forms.canonical import Canonical, leaf_reading
from symgrad.forms.holomorphic import check_holomorphic, squared
from symgrad.forms.leave_one_out import divided
from symgrad.forms.notations.index import Reading
from symgrad.forms.replay import replayed
from symgrad.implicit.expand import closed, equations, has_answers, shortened, spelled
from symgrad.ops.contract import sum_axes
from symgrad.ops.elementwise.complexes import COMPLEX, conj, imag, real
from symgrad.ops.map import MUL
from symgrad.ops.shape import Expand

_CUT = (
    "derive: the output is made of {name} only through detach() or under no_grad(), where no derivative is taken: its "
    "gradient is cut. Compute it outside of no_grad(), and leave detach() out."
)


class Derivative(NamedTuple):
    """A node to differentiate, linear in its bases; ``forward`` tells how its function is named."""

    root: AnyNode
    forward: Sequence[AnyNode]
    bases: tuple[Leaf, ...] = ()
    check: bool = True
    onward: tuple[AnyNode, ...] = ()  # of a derivative: the first one's root, and the leaves it was differentiated by

    def targets(self, who: str, wrt: Any) -> list[AnyNode]:
        """Return the nodes of its graph that tensors, or their names, stand for; ``who`` asks for them."""
        nodes = [self.root, *self.forward]
        return targets_in(nodes, by_name(who, wrt, named_leaves(nodes)))

    def spelled(self) -> tuple[AnyNode, Sequence[AnyNode]] | None:
        """Return root and forward with a letter for each answer to equations, None where there are no answers."""
        if not has_answers([self.root, *self.forward, *self.onward]):
            return None
        known: dict[AnyNode, AnyNode] = {}
        root, *forward = spelled([self.root, *self.forward], known, multiple)
        return closed(self.root, known) or root, [*forward, *equations(known, multiple)]


MOST_AXES = 64  # of NumPy's arrays
_SHORT = 60  # operations of two formulas, up to which their quotient is tried


def multiple(one: AnyNode, other: AnyNode) -> float | None:
    """Return how many times another node one node is, as formulas; None where it is not a multiple."""
    pool = TermPool()
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
    a, b = [_written(n, [one, other]) for n in (one, other)]
    if b == 0 or sp.count_ops(a) + sp.count_ops(b) > _SHORT:
        return None
    quotient = sp.cancel(sp.nsimplify(a, rational=True) / sp.nsimplify(b, rational=True))
    return float(quotient) if quotient.is_Rational else None


def _written(root: AnyNode, forward: Sequence[AnyNode]) -> sp.Expr:
    naming = names.Naming([root], forward, ())
    canonical = Canonical(root, forward, leaf_reading(naming.inner), ())
    return Reading(canonical.pool, naming.shown).entry(canonical.root, ())


def _parts(t: Term) -> list[tuple[Term, Any]]:
    """Return the terms of a sum with their coefficients."""
    return list(zip(t.args, t.data, strict=True)) if t.kind == SUM else [(t, 1)]


def targets_in(roots: Sequence[AnyNode], wrt: Sequence[Any]) -> list[AnyNode]:
    """Return the nodes to differentiate by; of a leaf that was changed since, as it was when it was used last."""
    nodes = ancestors(list(roots))
    below, open_ = set(nodes), reachable(roots)
    last = {id(n.cell): n for n in nodes if isinstance(n, Leaf) and n.cell is not None}
    targets = []
    for i, x in enumerate(wrt):
        if not isinstance(x, TensorBase):
            raise ArgumentTypeError(f"derive: wrt[{i}] must be a tensor, got {type(x).__name__}.")
        node: Any = tensor_node(x) if tensor_node(x) in below else last.get(id(getattr(tensor_node(x), "cell", None)))
        if node is None and isinstance(tensor_node(x), Leaf) and not has_value(x):  # of another symbol: 0
            targets.append(tensor_node(x))
            continue
        if node is None:
            raise GraphError(f"{backward.UNUSED.format(i=i).split('. ')[0]}. derive: the output does not depend on it.")
        if node not in open_:
            raise GraphError(_CUT.format(name=getattr(node, "title", None) or f"wrt[{i}]"))
        targets.append(node)
    return targets


def differentiated(start: Derivative, targets: Sequence[AnyNode]) -> list[Derivative]:
    """Return the derivatives with respect to each target; an array is contracted with a basis of its shape."""
    start = start._replace(root=divided(start.root))
    seed = basis(start.root) if start.root.shape else number(1.0)
    bases = (*start.bases, tensor_node(seed)) if start.root.shape else start.bases
    axes = max((sum(len(n.shape) for n in (*bases, t)) for t in targets), default=0)
    if axes > MOST_AXES:
        raise ShapeError(f"derive: the derivative has {axes} axes. NumPy's arrays have at most {MOST_AXES}.")
    derivatives = _imaginary(start, seed, targets) if is_imaginary(start.root) else pulled(start.root, seed, targets)
    return [start._replace(root=derivatives[t], bases=bases, onward=_onward(start, t, derivatives[t])) for t in targets]


def _imaginary(start: Derivative, seed: Any, targets: Sequence[AnyNode]) -> dict[AnyNode, AnyNode]:
    """Return derivatives of complex numbers: dy/dz of holomorphic functions, d Re y/dx + i d Im y/dx of real x."""
    derivatives = {}
    for t in targets:
        if is_imaginary(t):
            check_holomorphic(start.root, start.forward[0], t, first=not start.onward)
            with enable_grad():
                derivatives[t] = _as_node(conj(handle(pulled(start.root, seed, [t])[t], None)))
            continue
        with enable_grad():
            y = handle(start.root, None)
            parts = [pulled(tensor_node(part), seed, [t])[t] for part in (real(y), imag(y))]
            derivatives[t] = _as_node(COMPLEX(*[handle(p, None) for p in parts]))
    return derivatives


def _onward(start: Derivative, target: AnyNode, derivative: AnyNode) -> tuple[AnyNode, ...]:
    """Return the way to a derivative: a leaf more, or the derivative itself where the way starts."""
    return (*start.onward, target) if start.onward and isinstance(target, Leaf) else (derivative,)


def repeated(start: Derivative, target: AnyNode, order: int) -> Derivative:
    """Return the derivative of this order by one target."""
    start = start._replace(root=squared(start.root)) if order > 1 and isinstance(target, Leaf) else start
    for k in range(order):
        if k and has_answers([start.root]):
            start = start._replace(root=shortened(start.root, multiple))
        (start,) = differentiated(start, [target])
    return start


def pushed(root: AnyNode, target: AnyNode, v: Any) -> AnyNode:
    """Return J v, shaped like the root: the derivative in u of uᵀJ v, or of Re uᴴJ v."""
    u = basis(root)
    if is_imaginary(root):
        tensor_node(u).dtype = dtype_of(root)
    with enable_grad():
        row = MUL(conj(handle(pulled(root, u, [target])[target], None)), v)
        product = sum_axes(real(row), range(len(target.shape)))  # Re ūᵀ dy
    return pulled(tensor_node(product), number(1.0), [tensor_node(u)])[tensor_node(u)]


def transposed(root: AnyNode, bases: Sequence[Leaf]) -> tuple[AnyNode, tuple[Leaf, ...]]:
    """Return root and bases of a matrix with its axes exchanged; the axes of the bases come first."""
    if len(bases) == 2:
        return root, (bases[1], bases[0])
    if not bases:
        with enable_grad():
            return _as_node(handle(root, None).mT), ()
    if root.shape:  # of uᵀJ, with J·v = ∂(uᵀJ·v)/∂u
        v = basis(root)
        return pulled(root, v, bases)[bases[0]], (tensor_node(v),)
    v = basis_of(bases[0].shape[::-1])
    with enable_grad():
        turned = _as_node(v.mT)
    return replayed([root], {bases[0]: turned})[0], (tensor_node(v),)


def number(value: float) -> Any:
    """Return a constant on the graph."""
    return handle(Leaf(value, (), CONSTANT), None)


def basis(root: AnyNode) -> Any:
    """Return a leaf without a value, shaped like a node."""
    return basis_of(root.shape)


def basis_of(shape: Shape) -> Any:
    """Return a leaf without a value."""
    return handle(Leaf(None, shape, TRACED, None), None)


def pulled(root: AnyNode, seed: Any, targets: Sequence[AnyNode]) -> dict[AnyNode, AnyNode]:
    """Return Jᵀ·seed with respect to each target; of a target that the root does not depend on, zeros."""
    with enable_grad():
        gradients = reverse.sweep([root], [seed], wrt=targets, handle=handle, symbolic=True)
    return {t: _node_of(gradients.get(t), t) for t in targets}


def _node_of(g: Any, target: AnyNode) -> AnyNode:
    if isinstance(g, TensorBase):
        return _as_node(g)
    return _as_node(Expand(target.shape)(number(0.0)))  # sizes may be symbolic


def _as_node(g: Any) -> AnyNode:
    node: AnyNode = tensor_node(g)
    return node
