"""A derivative step by step, as data: every step is a forward operation or one rule of derive's own sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from symgrad.core.node import AnyNode, Leaf, is_node
from symgrad.core.pickling import written
from symgrad.errors import FormError
from symgrad.forms.closed import ClosedForm
from symgrad.forms.nodes.arrays import ArrayExpr
from symgrad.forms.nodes.matrices import Plus
from symgrad.ops.map import Map
from symgrad.support.lazy import cached_property
from symgrad.teach.steps.brief import brief
from symgrad.teach.steps.tape import Pull, Tape
from symgrad.teach.steps.words import Rule, rule

START = Rule("the start: the output's derivative with respect to itself")
COMPLEX = Rule("the start, and what an adjoint of complex numbers is")
GIVEN = Rule("the start: the cotangent that was given")
PATHS = Rule("sum over the paths: what arrives along each is added")
NO_PATH = Rule("nothing arrives: every rule on the way has derivative 0")


@dataclass(frozen=True, eq=False)
class Step:
    """One step of a derivation.

    Attributes:
        number: the number of the step, counted from 1.
        kind: "forward", or "backward".
        name: the quantity that is computed, as a symbol: u, or du/dx.
        operation: the operation of the step in terms of names: the right-hand side of u = x².
        about: the name of the result of that operation: the left-hand side of u = x².
        rule: the rule in words and, for rules of calculus, as a formula; None for forward steps.
        local: for elementwise operations, the derivative of this operation with respect to this input.
        adjoint: the closed form of the incoming adjoint.
        handed: the outgoing adjoint, in terms of names.
        result: the closed form of the result, in terms of the leaves.
        value: the value of the result, or None if a leaf has no value.
        shape: the shape of the result.
        inputs: the name and the shape of each input.
        path: the number of this path to the input, and the number of all paths to it.
        alone: whether no other input of the operation receives an adjoint.
    """

    number: int
    kind: str
    name: Any
    operation: Any
    about: Any
    rule: Rule | None
    local: Any
    adjoint: ClosedForm | None
    handed: Any
    result: ClosedForm
    value: Any
    shape: tuple[Any, ...]
    inputs: tuple[tuple[Any, tuple[Any, ...]], ...]
    path: tuple[int, int] = (1, 1)
    alone: bool = True

    def __repr__(self) -> str:
        return f"Step({self.number}, {self.kind}, {self.name} = {self._written()}, shape={list(self.shape)})"

    def _written(self) -> Any:
        try:
            return self.result
        except FormError:
            return self.handed


class Derivation:
    """The steps from the leaves to the output and back to the targets.

    Attributes:
        tape: the graph.
        targets: the nodes to differentiate with respect to.
        forms: the closed form for each of them, as ``sg.derive`` gave it.
        steps: all steps.
    """

    def __init__(self, tape: Tape, targets: Sequence[Any], cotangent: Any) -> None:
        self.tape, self.cotangent = tape, cotangent
        self.forms, self._pulls = tape.derive(targets, cotangent)
        for form in self.forms:
            form._beside = frozenset(tape.names.values())
        self.targets: tuple[AnyNode, ...] = self.forms.targets
        forward = [n for n in tape.nodes if not isinstance(n, Leaf)]
        self._values = self._evaluated()
        self._number = 0
        self._forms: dict[AnyNode, ClosedForm] = {}
        self.steps: list[Step] = [*map(self._forward, forward), *self._backward()]

    def packed(self) -> tuple[Any, bool]:
        """Return what it is made from, as it is pickled."""
        given = [] if self.cotangent is None else [self.cotangent._node]
        return written([self.tape.root, *given, *self.targets]), bool(given)

    def _evaluated(self) -> dict[AnyNode, Any]:
        """Return the numbers of all that is shown, computed at once."""
        nodes = [*self.tape.nodes, *(form._root for form in self.forms)]
        for pull in self._pulls:
            nodes.extend(n for n in (pull.adjoint, pull.given) if n is not None)
        return dict(zip(nodes, self.tape.values(nodes), strict=True))

    def value(self, node: AnyNode) -> Any:
        """Return the number of a node of the graph or of the derivative, None where it is not known."""
        return self._values.get(node)

    def _form(self, node: AnyNode) -> ClosedForm:
        if node not in self._forms:
            self._forms[node] = self._made(node)
        return self._forms[node]

    def _made(self, node: AnyNode) -> ClosedForm:
        forward = [self.tape.root]
        if self.cotangent is not None:
            forward.append(self.cotangent._node)
        return ClosedForm(node, forward, check=False)

    def _next(self) -> int:
        self._number += 1
        return self._number

    # ---------------------------------------------------------------- forward
    def _forward(self, node: Any) -> Step:
        tape = self.tape
        symbol, formula = tape.symbol(node), tape.formula(node)
        return Step(
            number=self._next(), kind="forward", name=symbol, operation=formula, about=symbol, rule=None, local=None,
            adjoint=None, handed=formula, result=ClosedForm(node, [node], check=False),
            value=self.value(node), shape=node.shape, inputs=self._inputs(node),
        )  # fmt: skip

    def _inputs(self, node: Any) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
        shown = dict.fromkeys(p for p in node.inputs if is_node(p) and p in self.tape.names)
        return tuple((self.tape.symbol(p), p.shape) for p in shown)

    # ---------------------------------------------------------------- backward
    def _backward(self) -> Iterator[Step]:
        yield self._start()
        many = Counter(p.source for p in self._pulls if p.given is not None)
        met: Counter[AnyNode] = Counter()
        whole = {t: form for t, form in zip(self.targets, self.forms, strict=True)}
        for pull in self._pulls:
            source = pull.source
            if pull.given is None:
                continue
            met[source] += 1
            last = many[source] == 1 and source in whole
            yield self._pulled(pull, whole.get(source) if last else None, (met[source], many[source]))
            if met[source] == many[source] > 1:
                yield self._added(source, whole.get(source))
        for target, form in whole.items():
            if not many[target] and target is not self.tape.root:
                yield self._bare(target, NO_PATH, form)

    def _start(self) -> Step:
        root = self.tape.root
        chosen = next((form for t, form in zip(self.targets, self.forms, strict=True) if t is root), None)
        seed = next((p.adjoint for p in self._pulls if p.node is root), None)
        if chosen is None and seed is not None:
            chosen = self._form(seed)
        return self._bare(root, self._why_it_starts, chosen or self.forms[0])

    @property
    def _why_it_starts(self) -> Rule:
        if self.cotangent is not None:
            return GIVEN
        return COMPLEX if self.tape.imaginary else START

    def _bare(self, node: AnyNode, why: Rule, form: ClosedForm) -> Step:
        """Return a step that follows from no operation."""
        return Step(
            number=self._next(), kind="backward", name=self.tape.adjoint(node), operation=None, about=None, rule=why,
            local=None, adjoint=None, handed=None, result=form, value=self.value(form._root), shape=node.shape,
            inputs=(),
        )  # fmt: skip

    def _pulled(self, pull: Pull, whole: ClosedForm | None, path: tuple[int, int]) -> Step:
        tape, node = self.tape, pull.node
        active = tuple(i for i, p in enumerate(node.inputs) if is_node(p) and p in tape.names and p in self._moving)
        unit = node is tape.root and self.cotangent is None
        elementwise = isinstance(node.op, Map)
        local = tape.local(pull, unit=True) if elementwise and not tape.imaginary else None
        handed = local if unit and local is not None else tape.local(pull, unit=unit)
        return Step(
            number=self._next(), kind="backward", name=tape.adjoint(pull.source), operation=tape.formula(node),
            about=tape.symbol(node), rule=rule(node, active), local=local, adjoint=self._form(pull.adjoint),
            handed=handed, result=whole or self._form(pull.given or pull.adjoint),
            value=self.value(pull.given or pull.adjoint), shape=pull.source.shape,
            inputs=(*self._others(pull), (tape.adjoint(node), node.shape)), path=path, alone=len(active) == 1,
        )  # fmt: skip

    @cached_property
    def _moving(self) -> set[AnyNode]:
        """The nodes that an adjoint reaches."""
        return {p.source for p in self._pulls}

    def _others(self, pull: Pull) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
        shown = dict.fromkeys(
            p for p in pull.node.inputs if is_node(p) and p in self.tape.names and p is not pull.source
        )
        return tuple((self.tape.symbol(p), p.shape) for p in shown)

    def _added(self, source: AnyNode, whole: ClosedForm | None) -> Step:
        node = next((p.adjoint for p in self._pulls if p.node is source), None)
        form = whole if whole is not None else self._form(node) if node is not None else self.forms[0]
        return Step(
            number=self._next(), kind="backward", name=self.tape.adjoint(source), operation=None, about=None,
            rule=PATHS, local=None, adjoint=None, handed=self._sum(source), result=form, value=self.value(form._root),
            shape=source.shape, inputs=(),
        )  # fmt: skip

    def _sum(self, source: AnyNode) -> Any:
        """Return the sum of what arrived, before it is simplified; None where it is not a sum of arrays."""
        given = [p.given for p in self._pulls if p.source is source and p.given is not None]
        parts = [brief(self._form(node)) for node in given]
        if any(p is None for p in parts):
            return None
        if not source.shape:
            return sp.Add(*parts, evaluate=False)
        return Plus.of(parts, source.shape) if all(isinstance(p, ArrayExpr) for p in parts) else None
