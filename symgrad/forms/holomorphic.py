"""Derivatives of complex numbers: which results have a dy/dz; and |z|² as z·z̄ before it is differentiated twice."""

from __future__ import annotations

from symgrad.core.modes import complexes, enable_grad
from symgrad.core.node import AnyNode, Node, ancestors, is_node, tensor_node
from symgrad.engine.dtypes import is_imaginary
from symgrad.engine.record import handle
from symgrad.errors import DTypeError
from symgrad.forms.leave_one_out import rewritten
from symgrad.ops.elementwise.complexes import Magnitude, Part, conj, real
from symgrad.ops.map import MUL, Map
from symgrad.scalars import X

_NO_HESSIAN = (
    "derive: a real function of the complex {name} has a gradient, but its Hessian is not a single matrix of complex "
    "numbers: the gradient is not holomorphic. Write {name} as sg.complex(x, y), and differentiate with respect to "
    "x and y."
)
_NOT_HOLOMORPHIC = (
    "derive: the result is complex and no holomorphic function of {name}, for {by} is between them: there is no dy/dz. "
    "Make the result real, as by abs(y)**2 or y.real, which has a gradient; or differentiate with respect to "
    "the real and the imaginary part."
)


def check_holomorphic(root: AnyNode, of: AnyNode, target: AnyNode, first: bool) -> None:
    """Refuse complex results that have parts, moduli or conjugates of z in them: these have no dy/dz.

    Args:
        root: the result; of a derivative that is differentiated again, what was derived.
        of: what the user computed.
        target: z.
        first: whether this is the first derivative; what comes of a holomorphic function is holomorphic.
    """
    name = getattr(target, "title", None) or "z"
    if not first:
        if not is_imaginary(of):
            raise DTypeError(_NO_HESSIAN.format(name=name))
        return
    between: set[AnyNode] = {target}
    for node in ancestors([root]):
        if not isinstance(node, Node) or not any(is_node(p) and p in between for p in node.inputs):
            continue
        between.add(node)
        if isinstance(node.op, Part):
            raise DTypeError(_NOT_HOLOMORPHIC.format(name=name, by=node.op.label.lower()))


def squared(root: AnyNode) -> AnyNode:
    """Return a graph with Re(z·z̄) for |z|²: itself where there is none."""
    if not complexes.met:
        return root
    return rewritten(root, {n: _product(n) for n in ancestors([root]) if _is_square(n)})


def _is_square(n: AnyNode) -> bool:
    squares = isinstance(n, Node) and isinstance(n.op, Map) and n.op.formula == X[0] ** 2
    return squares and isinstance(n.inputs[0], Node) and isinstance(n.inputs[0].op, Magnitude)


def _product(n: AnyNode) -> AnyNode:
    z = handle(n.inputs[0].inputs[0], None)
    with enable_grad():
        node: AnyNode = tensor_node(real(MUL(z, conj(z))))
    return node
