"""Loops as books write them: each state by a recurrence, the adjoint states by another, the gradient as a sum over t.

The body of each loop is lowered for one step; its states are letters with a step behind them, ``h[t]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from symgrad.core.node import AnyNode, Leaf, Node, ancestors, is_node, is_outside
from symgrad.engine import program
from symgrad.forms import names
from symgrad.forms.canon import Term, TermPool
from symgrad.forms.canon.lower import lower
from symgrad.forms.canon.numbers import number
from symgrad.forms.canon.terms import FUNCTION, LEAF, NAMED, POWER, PRODUCT, SUM, Shape, below, split, value_of
from symgrad.forms.canonical import leaf_reading
from symgrad.forms.evaluate_matrix import matrix_function
from symgrad.forms.nodes.matrices import ArraySymbol
from symgrad.forms.nodes.moments import STEP, Moment, MomentNumber, OverSteps, Stacked
from symgrad.forms.notations.letters import NoMatrix
from symgrad.forms.notations.matrix import MatrixReading
from symgrad.forms.where import Definition, Named
from symgrad.ops.convert import Cast
from symgrad.ops.keys import Span
from symgrad.ops.shape import Reshape
from symgrad.ops.slicing import Slice
from symgrad.transforms.loops.op import Scan

SHORT = 5  # cost of what needs no letter of its own
LONG = 120  # cost of a step beyond which it is not a formula to read


def _counts(value: Any) -> bool:
    """Whether an array counts the steps."""
    a = np.asarray(value)
    return a.ndim == 1 and len(a) > 1 and a.dtype != object and np.array_equal(a, a[0] + np.arange(len(a)))


class NoRecurrence(Exception):
    """A loop that is not written as a recurrence."""


def recurrences(
    roots: Sequence[AnyNode], forward: Sequence[AnyNode], called: Callable[[], names.Naming]
) -> Recurrences | None:
    """Return derivatives of loops by recurrences; None where there is no loop, or one that is not written so."""
    if not any(isinstance(n, Node) and isinstance(n.op, Scan) for n in ancestors(list(roots))):
        return None
    try:
        return Recurrences(roots, forward, called())
    except NoRecurrence:
        return None


class LoopForms:
    """One loop on its way: the letters of its states, and each output of its body for one step."""

    def __init__(self, op: Scan, place: int) -> None:
        self.op, self.letters = op, [f"{place}.{k}" for k in range(op.carries)]
        self.before, self.after = (STEP + 1, STEP) if op.reverse else (STEP, STEP + 1)
        if not op.is_bounded:
            raise NoRecurrence("a loop without a bound on its steps")
        self.start, self.end = (op.length, 0) if op.reverse else (0, op.length)
        self.starts: list[Term] = []
        self.outputs: list[Term] = []
        self.sums: dict[int, Term] = {}  # of a state that only adds up: what is added


class Recurrences(Named):
    """Derivatives of loops, as formulas of states, and the recurrences of these; raises NoRecurrence."""

    def __init__(self, roots: Sequence[AnyNode], forward: Sequence[AnyNode], called: names.Naming) -> None:
        self._pool, self._leaf = TermPool(), leaf_reading(called.inner)
        self._names: dict[Any, str] = dict(called.shown)
        self._mint = names.Mint(called.taken)
        self._moments: dict[str, tuple[str, Any, Shape]] = {}
        self._whole: dict[Any, tuple[LoopForms, int, Shape]] = {}  # leaves that stand for what a loop gives
        self._loops: list[LoopForms] = []
        self._shown: dict[str, str] = {}  # letters of states
        self._order: list[str] = []  # of all letters, those of a step before those of its states
        self._parts: dict[str, Term] = {}  # what other letters stand for, at each step
        self._counts: dict[Any, int] = {}  # of arrays 0, 1, 2, … from outside, where they start
        self._clocks: dict[str, int] = {}  # names that stand for the step itself and a number
        self._own = {id(n.op) for n in ancestors(list(forward)) if isinstance(n, Node)}
        self._found: dict[AnyNode, Any] = {}  # terms; of a loop, itself; of a part of its vector, where it lies
        for node in ancestors(list(roots)):
            self._found[node] = self._read(node)
        self.matrix, self.indices = True, []
        try:
            self._roots = [self._joined(self._term(self._found[r], r.shape)) for r in roots]
            self.bodies = [self._written(t) for t in self._roots]
            self.definitions = self._defined()
        except NoMatrix as error:
            raise NoRecurrence(str(error)) from None

    # -------------------------------------------------------------- reading the graph
    def _read(self, node: AnyNode) -> Any:
        if isinstance(node, Leaf):
            if is_outside(node) and _counts(node.value):
                self._counts[id(node)] = int(node.value[0])
            return self._leaf(self._pool, node)
        inputs = [self._found[p] if is_node(p) else self._pool.constant(number(p)) for p in node.inputs]
        if isinstance(node.op, Scan):
            return self._loop(
                node.op, [self._term(a, getattr(p, "shape", ())) for a, p in zip(inputs, node.inputs, strict=True)]
            )
        (first, *_) = inputs or [None]
        if isinstance(first, (LoopForms, tuple)) and len(inputs) == 1:
            part = self._part(first, node)
            if part is not None:
                return part
        args = [self._term(a, getattr(p, "shape", ())) for a, p in zip(inputs, node.inputs, strict=True)]
        return lower(node.op, self._pool, node.shape, args)

    def _part(self, whole: Any, node: Node) -> Any:
        """Return where a part of a loop's vector lies, or the same in another shape; None of other operations."""
        if isinstance(node.op, Slice) and isinstance(whole, LoopForms) and len(node.op.items) == 1:
            (item,) = node.op.items
            if isinstance(item, Span) and item.step in (None, 1):
                return whole, int(item.start or 0), int(whole.op.size if item.stop is None else item.stop)
        return whole if isinstance(node.op, (Reshape, Cast)) else None

    def _term(self, reading: Any, shape: Shape) -> Term:
        """Return the term that was read; of a part of a loop's vector, what lies there."""
        if isinstance(reading, Term):
            return reading
        loop, start, stop = reading if isinstance(reading, tuple) else (reading, 0, reading.op.size)
        for k, piece in enumerate(loop.op.pieces):
            if (piece.start, piece.stop) == (start, stop) and piece.shape == tuple(shape):
                return self._piece(loop, k, piece.shape)
        raise NoRecurrence("a part of a loop's result that is not one of its outputs")

    def _piece(self, loop: LoopForms, k: int, shape: Shape) -> Term:
        if k < loop.op.carries and k not in loop.sums:
            return self._moment(loop.letters[k], loop.end, shape)
        key = ("whole", id(loop), k)
        self._names[key] = f"⟨{self._loops.index(loop)} {k}⟩"
        self._whole[self._names[key]] = (loop, k, shape)
        return self._pool.leaf(key, shape)

    def _moment(self, letter: str, at: Any, shape: Shape) -> Term:
        key = ("moment", letter, at)
        self._names[key] = f"{letter}⟨{at}⟩"
        self._moments[self._names[key]] = (letter, at, shape)
        return self._pool.leaf(key, shape)

    def _loop(self, op: Scan, inputs: list[Term]) -> LoopForms:
        loop = LoopForms(op, len(self._loops))
        pool, n, m = self._pool, op.carries, op.carries + op.xs
        now = [self._moment(c, loop.before, op.body.arguments[k].shape) for k, c in enumerate(loop.letters)]
        xs, env, often = [*now, *[self._row(a) for a in inputs[n:m]], *inputs[m:]], list[Term](), self._used_again(op)
        for k, v in enumerate(op.body.values):
            if v.kind != program.STEP:
                env.append(xs[v.op] if v.kind == program.INPUT else pool.constant(number(v.op)))
                continue
            t = lower(v.op, pool, v.shape, [env[a] for a in v.args])
            env.append(self._part_of_a_step(t, loop) if k in often and t.cost >= SHORT else t)
        loop.starts, loop.outputs = inputs[:n], [env[k] for k in op.body.outputs]
        if any(t.cost > LONG for t in loop.outputs):
            raise NoRecurrence("a long step")
        for k in range(n):
            added = self._added(loop.outputs[k], now[k])
            others = [t for m, t in enumerate(loop.outputs) if m != k]
            if added is not None and value_of(loop.starts[k]) == 0 and now[k] not in below(others):
                loop.sums[k] = added
        states = [k for k in range(n) if k not in loop.sums]
        called = self._called(id(op) not in self._own, len(states))
        self._order += called
        self._shown.update(zip([loop.letters[k] for k in states], called, strict=True))
        known = {loop.outputs[k]: self._known(loop, k) for k in states if loop.outputs[k].kind != LEAF}
        loop.outputs = [known.get(t, t) for t in loop.outputs]
        self._loops.append(loop)
        return loop

    def _used_again(self, op: Scan) -> set[int]:
        """Return the values of a body that several of its steps read, but for the new states."""
        uses = Counter(a for v in op.body.values for a in set(v.args)) + Counter(set(op.body.outputs))
        return {k for k, n in uses.items() if n > 1} - set(op.body.outputs[: op.carries])

    def _part_of_a_step(self, t: Term, loop: LoopForms) -> Term:
        """Return a letter for what a step computes and reads several times."""
        if t.kind == NAMED or split(t)[1].kind in (LEAF, NAMED):
            return t
        adjoint = id(loop.op) not in self._own
        letter = self._mint.names("ηεω" if adjoint else "uvw")[0]
        self._parts[letter] = t
        self._order.append(letter)
        return self._pool.named(self._moment(letter, STEP, t.shape).data[0], t)

    def _known(self, loop: LoopForms, k: int) -> Term:
        """Have the new value of a state called by its letter, also where it is computed again."""
        t = loop.outputs[k]
        return self._pool.named(self._moment(loop.letters[k], loop.after, t.shape).data[0], t)

    def _added(self, after: Term, before: Term) -> Term | None:
        """Return what a step adds to a state that it does not look at otherwise."""
        rest = self._pool.sum([(1, after), (-1, before)], after.shape)
        return None if before in below([rest]) or rest is after else rest

    def _called(self, adjoint: bool, many: int) -> list[str]:
        """Return letters for states: h, or h1, h2, …, and λ for adjoint ones."""
        for letter in "λμν" if adjoint else "":
            letters = [letter] if many == 1 else [f"{letter}{k}" for k in range(1, many + 1)]
            if not self._mint.used & {letter, *letters}:
                self._mint.used.update([letter, *letters])
                return letters
        return self._mint.names("pq" if adjoint else "hsz", many) if many else []

    def _row(self, t: Term) -> Term:
        """Return entry t along the first axis."""
        pool, shape = self._pool, t.shape[1:]
        value = value_of(t)
        if value is not None:
            return pool.constant(value, shape)
        if t.kind == LEAF and t.data[0] in self._counts:
            key = ("clock", t.data[0])
            self._names[key] = f"⟨{self._names[t.data[0]]}⟩"
            self._clocks[self._names[key]] = self._counts[t.data[0]]
            return pool.leaf(key, ())
        if t.kind == LEAF:
            loop, k, _ = self._whole.get(self._names[t.data[0]], (None, 0, ()))
            return self._moment(self._names[t.data[0]], STEP, shape) if loop is None else loop.outputs[k]
        if t.kind == SUM:
            return pool.sum([(c, self._row(a)) for c, a in zip(t.data, t.args, strict=True)], shape)
        if t.kind == POWER:
            return pool.power(self._row(t.args[0]), t.data)
        if t.kind == FUNCTION:
            return pool.function(t.data, [self._row(a) if a.shape else a for a in t.args], shape)
        if t.kind == PRODUCT:
            subs, out, sizes = t.data
            first = out[0]
            if all(first not in s[1:] for s in subs):
                factors = [
                    (self._row(a), s[1:]) if s[:1] == (first,) else (a, s) for a, s in zip(t.args, subs, strict=True)
                ]
                return pool.product(factors, out[1:], {k: n for k, n in sizes if k != first})
        raise NoRecurrence("rows of something else")

    def _joined(self, t: Term) -> Term:
        """Return a sum of sums over the same steps as one."""
        parts = [self._whole.get(self._names.get(a.data[0], "")) if a.kind == LEAF else None for a in t.args]
        loops = {id(p[0]): p[0] for p in parts if p is not None and p[1] in p[0].sums}
        if t.kind != SUM or len(parts) < 2 or None in parts or len(loops) != 1:
            return t
        (loop,) = loops.values()
        k = max(loop.sums) + 1
        inside = [(c, loop.sums[p[1]]) for c, p in zip(t.data, parts, strict=True) if p is not None]
        loop.sums[k] = self._pool.sum(inside, t.shape)
        return self._piece(loop, k, t.shape)

    # -------------------------------------------------------------- writing
    def _written(self, t: Term) -> Any:
        """Return a term in matrix notation, in which states and sums over steps are what they are."""
        return self._dressed(MatrixReading(self._pool, self._names).expr(t))

    def _dressed(self, e: Any) -> Any:
        new: dict[Any, Any] = {}
        for a in e.atoms(ArraySymbol, sp.Symbol):
            if a.name in self._moments:
                letter, at, shape = self._moments[a.name]
                new[a] = (Moment if shape else MomentNumber).of(self._shown.get(letter, letter), at, shape)
            elif a.name in self._clocks:
                new[a] = STEP + self._clocks[a.name]
            elif a.name in self._whole:
                new[a] = self._over(*self._whole[a.name])
        return e.xreplace(new)

    def _over(self, loop: LoopForms, k: int, shape: Shape) -> Any:
        if k in loop.sums:
            return OverSteps.of(self._written(loop.sums[k]), 0, loop.op.length - 1, shape)
        return Stacked.of(self._written(loop.outputs[k]), shape)

    def _defined(self) -> list[Definition]:
        """Return the recurrences of the states in use, and where they start: those that others use first."""
        states = {self._shown.get(c, c): (p, k) for p in self._loops for k, c in enumerate(p.letters)}
        definitions: dict[str, list[Definition]] = {}
        open_ = list(self._used(self.bodies))
        while open_:
            letter = open_.pop(0)
            if letter in self._parts and letter not in definitions:
                part = self._parts[letter]
                at = (Moment if part.shape else MomentNumber).of(letter, STEP, part.shape)
                definitions[letter] = [Definition(at, self._written(part))]
                open_ += self._used([definitions[letter][0].expr])
            if letter in definitions or letter not in states:
                continue
            loop, k = states[letter]
            out = loop.outputs[k]
            inside = out.args[0] if out.kind == NAMED else out
            name = (Moment if inside.shape else MomentNumber).of
            definitions[letter] = [
                Definition(name(letter, loop.start, inside.shape), self._written(loop.starts[k])),
                Definition(name(letter, loop.after, inside.shape), self._written(inside)),
            ]
            open_ += self._used([d.expr for d in definitions[letter]])
        return [d for letter in self._order if letter in definitions for d in definitions[letter]]

    def _used(self, formulas: Iterable[Any]) -> list[str]:
        return list(
            dict.fromkeys(str(a.args[0]) for e in formulas for a in sp.preorder_traversal(e) if isinstance(a, Moment))
        )

    # -------------------------------------------------------------- values
    @property
    def steps(self) -> int:
        """How many steps all loops have together."""
        return sum(loop.op.length for loop in self._loops)

    def value(self, arrays: Mapping[str, Any], k: int = 0) -> Any:
        """Return what the k-th formula says, the recurrences run step by step."""
        known = {name: np.asarray(a) for name, a in arrays.items()}
        for loop in self._loops:
            self._run(loop, known)
        return self._function(self._roots[k])(None, known)

    def _run(self, loop: LoopForms, known: dict[str, Any]) -> None:
        """Run one loop, with known arrays by name, whose first axis is that of the states."""
        inside = [t.args[0] if t.kind == NAMED else t for t in loop.outputs]
        states = [k for k in range(loop.op.carries) if k not in loop.sums]
        stacks = range(loop.op.carries, len(inside))
        for k in states:
            known[loop.letters[k]] = np.full((loop.op.length + 1, *inside[k].shape), np.nan)
            known[loop.letters[k]][loop.start] = self._function(loop.starts[k])(None, known)
        steps = {k: self._function(inside[k]) for k in [*states, *stacks]}
        added = {k: self._function(t) for k, t in loop.sums.items()}
        totals: dict[int, list[Any]] = {k: [] for k in [*added, *stacks]}
        for t in range(loop.op.length)[:: -1 if loop.op.reverse else 1]:
            for k in states * len(states):  # a new state may be computed from another
                known[loop.letters[k]][int(loop.after.subs(STEP, t))] = steps[k](t, known)
            for k in totals:
                totals[k].append((added.get(k) or steps[k])(t, known))
        for name, (owner, k, _) in self._whole.items():
            if owner is loop:
                rows = totals[k][:: -1 if loop.op.reverse else 1]
                known[name] = np.sum(rows, axis=0) if k in added else np.stack(rows)

    def _function(self, t: Term) -> Callable[[int | None, Mapping[str, Any]], Any]:
        """Return a term as a function of the step and of the known arrays."""
        e = MatrixReading(self._pool, self._names).expr(t)
        f, needed = matrix_function(e), {a.name for a in e.free_symbols}
        parts = {n: self._function(self._parts[self._moments[n][0]]) for n in needed if self._is_part(n)}

        def value(step: int | None, known: Mapping[str, Any]) -> Any:
            here = dict(known) | {name: step + n for name, n in self._clocks.items() if step is not None}
            here |= {name: part(step, known) for name, part in parts.items()}
            for name in needed & self._moments.keys() - parts.keys():
                letter, at, _ = self._moments[name]
                place = sp.sympify(at) if step is None else sp.sympify(at).subs(STEP, step)
                here[name] = known[letter][int(place)]
            return f(t.shape, here)

        return value

    def _is_part(self, name: str) -> bool:
        return name in self._moments and self._moments[name][0] in self._parts
