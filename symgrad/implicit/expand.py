"""Answers in a graph, opened for formulas: the unknown is a letter, and systems are solved with a matrix."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symgrad import functions as F
from symgrad.core.modes import enable_grad
from symgrad.core.node import CONSTANT, TRACED, AnyNode, Leaf, Node, ancestors, is_node, tensor_node
from symgrad.engine.dtypes import dtype_of
from symgrad.engine.program import Spec
from symgrad.engine.record import handle, input_of
from symgrad.errors import SymgradError
from symgrad.implicit import programs
from symgrad.implicit.conditions import OperatorSolve, Root
from symgrad.implicit.lagrange import KktBlocks, letters
from symgrad.ops.map import NEG

_ENTRIES = 16  # up to which vectors are compared entry by entry


def has_answers(roots: Sequence[AnyNode]) -> bool:
    """Whether there is an answer below these nodes."""
    return any(isinstance(n, Node) and _is_answer(n.op) for n in ancestors(list(roots)))


def _is_answer(op: Any) -> bool:
    return isinstance(op, (Root, OperatorSolve)) or hasattr(op, "as_letters")


Same = Callable[[AnyNode, AnyNode], float | None]  # how many times the other one is, as formulas; None if it is not


def spelled(
    roots: Sequence[AnyNode], known: dict[AnyNode, AnyNode], same: Same, told: dict[AnyNode, Any] | None = None
) -> list[AnyNode]:
    """Return the roots with each answer as a leaf of its name, and each system solved with the matrix.

    A right side that is a multiple of the conditions themselves is 0 at the answer, which is the envelope theorem.

    Args:
        roots: the nodes.
        known: remembers what took the place of which node, so that several calls agree.
        same: how many times another node one node is, as a formula.
        told: gets the systems that the envelope theorem solves: by what factor of the multipliers, 0 without.
    """
    for node in ancestors(list(roots)):
        if isinstance(node, Leaf) or node in known:
            continue
        if isinstance(node.op, Root):
            known[node] = _letter(node, known)
        elif isinstance(node.op, OperatorSolve):
            known[node] = _opened(_system(node, known, same, {} if told is None else told), known, same)
        elif hasattr(node.op, "as_letters"):
            known[node] = _again(node.op.as_letters, node, known)
        elif any(is_node(p) and p in known for p in node.inputs):
            known[node] = _again(node.op, node, known)
    return [known.get(r, r) for r in roots]


def _opened(node: AnyNode, known: dict[AnyNode, AnyNode], same: Same) -> AnyNode:
    """Return a node that was made of conditions, with the answers inside of those spelled as well."""
    return spelled([node], known, same)[0] if has_answers([node]) else node


def shortened(root: AnyNode, same: Same) -> AnyNode:
    """Return the graph with what the envelope theorem knows put in: it holds at every θ, so derivatives do too."""
    told: dict[AnyNode, Any] = {}
    spelled([root], {}, same, told)
    new: dict[AnyNode, AnyNode] = {}
    for node in ancestors([root]) if told else []:
        if node in told:
            with enable_grad():
                new[node] = _by_envelope(node, told[node], new)
        elif isinstance(node, Node) and any(is_node(p) and p in new for p in node.inputs):
            new[node] = _again(node.op, node, new)
    return new.get(root, root)


def _by_envelope(node: Any, factor: float, known: Mapping[AnyNode, AnyNode]) -> AnyNode:
    if not factor:
        return input_of(programs.zeros(Spec(node.shape, dtype_of(node))))  # type: ignore[no-any-return]
    at, *thetas = [handle(known.get(p, p), None) if is_node(p) else p for p in node.inputs[1:]]
    scaled = factor * KktBlocks(node.op.conditions, at, thetas).shadow(node.op.transposed)
    return tensor_node(scaled)  # type: ignore[no-any-return]


def _system(node: Node, known: dict[AnyNode, AnyNode], same: Same, told: dict[AnyNode, Any]) -> AnyNode:
    conditions = node.op.conditions
    if conditions is None:  # an operator of the user's, which may have no parameters
        return _again(node.op.written_out, node, known)
    right, at, *thetas = [handle(known.get(p, p), None) if is_node(p) else p for p in node.inputs]
    with enable_grad():
        (left,) = conditions.body(at, *thetas)
        if right.shape == left.shape and same(tensor_node(right), _opened(tensor_node(left), known, same)) is not None:
            told[node] = 0.0
            return _by_envelope(node, 0.0, known)
        if conditions.problem is not None:
            blocks = KktBlocks(conditions, at, thetas)
            a, b = blocks.halves(right)
            slope = handle(_opened(tensor_node(blocks.envelope()), known, same), None)
            factor = _factor(a, slope, same) if same(tensor_node(b), tensor_node(b)) == 0 else None
            if factor is not None:
                told[node] = factor
                return _by_envelope(node, factor, known)
            return tensor_node(blocks.solved(right, node.op.transposed))  # type: ignore[no-any-return]
    return _again(node.op.written_out, node, known)


def _factor(a: Any, b: Any, same: Same) -> float | None:
    """Return how many times b vector a is, also where both are put together of entries."""
    ratio = same(tensor_node(a), tensor_node(b))
    if ratio is not None or a.shape[0] > _ENTRIES:
        return ratio
    each = {same(tensor_node(F.select(a, 0, i)), tensor_node(F.select(b, 0, i))) for i in range(a.shape[0])}
    return each.pop() if len(each) == 1 else None


def closed(node: AnyNode, known: dict[AnyNode, AnyNode]) -> AnyNode | None:
    """Return the answer itself, −A⁻¹·F(0, θ), where the conditions are A·x + F(0, θ); None elsewhere."""
    if not isinstance(node, Node) or not isinstance(node.op, Root):
        return None
    conditions = node.op.conditions
    operator = programs.linearised(conditions.body)
    if programs.is_read(operator, 1):
        return None
    thetas = [handle(known.get(p, p), None) if is_node(p) else p for p in node.inputs[1:]]
    nothing = programs.zeros(conditions.body.arguments[0])
    with enable_grad():
        (left,) = conditions.body(nothing, *thetas)
        solution = OperatorSolve(operator, False, conditions.way).written_out(NEG(left), nothing, *thetas)
    return input_of(solution)  # type: ignore[no-any-return]


def equations(known: dict[AnyNode, AnyNode], same: Same) -> list[AnyNode]:
    """Return the conditions F(x, θ) of the answers that are letters now; formulas print their names."""
    conditions = []
    for node, letter in list(known.items()):
        if isinstance(node, Node) and isinstance(node.op, Root):
            thetas = [handle(known.get(p, p), None) if is_node(p) else p for p in node.inputs[1:]]
            with enable_grad():
                (left,) = node.op.conditions.body(handle(letter, None), *thetas)
            if tensor_node(left) is not None:
                conditions.append(_opened(tensor_node(left), known, same))
    return conditions


def _again(make: Callable[..., Any], node: Node, known: Mapping[AnyNode, AnyNode]) -> AnyNode:
    xs = [handle(known.get(p, p), None) if is_node(p) else p for p in node.inputs]
    with enable_grad():
        tensor = make(*xs)
    tensor_node(tensor).dtype = tensor_node(tensor).dtype or node.dtype
    return tensor_node(tensor)  # type: ignore[no-any-return]


def _letter(node: Node, known: Mapping[AnyNode, AnyNode]) -> AnyNode:
    """Return the leaf that stands for an answer: the same for the same conditions."""
    mine = _key(node, known)
    for other, leaf in known.items():
        if isinstance(other, Node) and isinstance(other.op, Root) and _key(other, known) == mine:
            return leaf
    if node.op.conditions.problem is not None or node.op.conditions.blocks:
        with enable_grad():
            return tensor_node(letters(node.op.conditions, _value(node, known)))  # type: ignore[no-any-return]
    leaf = Leaf(_value(node, known), node.shape, TRACED, node.op.conditions.title)
    leaf.dtype = node.dtype
    return leaf


def _key(answer: Node, known: Mapping[AnyNode, AnyNode]) -> Any:
    """Return what tells answers apart: conditions, solver, start, and the formulas of what these depend on."""
    keys: dict[AnyNode, Any] = {}
    inputs = [known.get(p, p) if is_node(p) else p for p in answer.inputs]
    for node in ancestors([p for p in inputs if is_node(p)]):
        if isinstance(node, Leaf):
            is_constant = node.level == CONSTANT and node.title is None and node.value is not None
            keys[node] = programs.FrozenArray(node.value) if is_constant else id(node)
        else:
            keys[node] = (node.op, *[keys[p] if is_node(p) else repr(p) for p in node.inputs])
    return (answer.op, *[keys[p] if is_node(p) else repr(p) for p in inputs])


def _value(node: Node, known: Mapping[AnyNode, AnyNode]) -> Any:
    """Return the answer where the graph has it, or can find it again; None for one of symbols."""
    if node.saved and node.saved[0] is not None:
        return node.saved[0]
    inputs = [known.get(p, p) if is_node(p) else p for p in node.inputs]
    try:
        values = programs.evaluated([p for p in inputs if is_node(p)])
        return programs.forwarded(node.op, inputs, values)
    except SymgradError:
        return None
