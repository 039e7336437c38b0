"""A program on numbers as a list of instructions, which are run on one box after another without the program's arrays.

An instruction is recorded once, however many entries of arrays need it; sums with a constant zero and products with a
constant one are not recorded at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from symgrad.errors import NotYet
from symgrad.proved.expressions import FUNCTIONS, Evaluator
from symgrad.proved.interval import Interval, Undefined, integer_power
from symgrad.proved.inverses import inverse, meet
from symgrad.scalars import X

_Rule = Callable[..., Any]
_DIRECT: dict[Any, _Rule] = {
    X[0] + X[1]: operator.add,
    X[0] - X[1]: operator.sub,
    X[0] * X[1]: operator.mul,
    X[0] / X[1]: operator.truediv,
    -X[0]: operator.neg,
}


def _rule(meaning: Any) -> _Rule | None:
    if isinstance(meaning, sp.Pow) and meaning.base == X[0] and meaning.exp.is_Integer:
        return partial(integer_power, n=int(meaning.exp))
    return FUNCTIONS.get(type(meaning)) if meaning.args == (X[0],) else _DIRECT.get(meaning)


class Instruction(NamedTuple):
    """What computes a value of earlier ones: a rule of intervals, or the meaning of a whole expression.

    ``inverse`` narrows the earlier ones by the value, where that is known.
    """

    rule: _Rule | None
    meaning: Any
    places: tuple[int, ...]
    name: str
    inverse: _Rule | None = None


class Cell:
    """A number of the program: the place of its value, or the value itself where it is a constant."""

    __slots__ = ("constant", "place", "tape")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, tape: Tape, place: int, constant: Interval | None = None) -> None:
        self.tape, self.place, self.constant = tape, place, constant

    def _refuse(self, other: Any = None) -> Any:
        raise NotYet("it compares numbers that stand for a whole interval")

    __bool__ = __float__ = __int__ = __index__ = __complex__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse

    def is_number(self, n: int) -> bool:
        """Whether it is this constant."""
        c = self.constant
        return c is not None and bool(c.lower == n and c.upper == n)

    def __neg__(self) -> Cell:
        return self.tape.record(-X[0], [self])

    def __pos__(self) -> Cell:
        return self

    def __add__(self, other: Any) -> Any:
        return self._combined(other, X[0] + X[1])

    def __radd__(self, other: Any) -> Any:
        return self._combined(other, X[0] + X[1])

    def __mul__(self, other: Any) -> Any:
        return self._combined(other, X[0] * X[1])

    def __rmul__(self, other: Any) -> Any:
        return self._combined(other, X[0] * X[1])

    def __sub__(self, other: Any) -> Any:
        return self._combined(other, X[0] - X[1])

    def __rsub__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self.tape.cell(other) - self

    def __truediv__(self, other: Any) -> Any:
        return self._combined(other, X[0] / X[1])

    def __rtruediv__(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self.tape.cell(other) / self

    def __abs__(self) -> Cell:
        return self.tape.record(sp.Abs(X[0]), [self])

    def __pow__(self, other: Any) -> Any:
        return self._combined(other, X[0] ** X[1])

    def _combined(self, other: Any, meaning: Any) -> Any:
        return NotImplemented if isinstance(other, np.ndarray) else self.tape.record(meaning, [self, other])


class Tape:
    """The instructions of a program on numbers.

    Args:
        inputs: how many numbers the program takes.
        folds: whether a product with a constant zero is zero. It is in derivatives, whose function has been evaluated;
            in a function it could hide that a factor is undefined.
    """

    def __init__(self, inputs: int, folds: bool) -> None:
        self.folds, self.inputs = folds, [Cell(self, k) for k in range(inputs)]
        self.code: list[Instruction] = []
        self.outputs: list[Cell] = []
        self.name = ""
        self._places: dict[Any, Cell] = {}
        self._constants = set[int]()

    # -------------------------------------------------------------- recording
    def cell(self, x: Any) -> Cell:
        """Return a number as a cell."""
        if isinstance(x, Cell):
            return x
        return Cell(self, -1, Evaluator({})(x) if isinstance(x, sp.Basic) else Interval.of(x))

    def record(self, meaning: Any, args: Sequence[Any]) -> Cell:
        """Return the cell of an expression, whose slots stand for these arguments."""
        cells = [self.cell(a) for a in args]
        if isinstance(meaning, (sp.Add, sp.Mul)) and meaning not in _DIRECT:
            return self.formula(meaning, dict(zip(X, cells, strict=False)))
        if meaning == X[0] * X[1] and cells[0].constant is None and cells[0].place == cells[1].place:
            meaning, cells = X[0] ** 2, cells[:1]  # which is not negative
        simple = self._folded(meaning, cells)
        if simple is not None:
            return simple
        if all(c.constant is not None for c in cells):
            known: dict[Any, Any] = dict(zip(X, [c.constant for c in cells], strict=False))
            value = Evaluator(known)(meaning)
            return Cell(self, -1, value)
        key = (meaning, *[c.place if c.constant is None else _named(c.constant) for c in cells])
        if key not in self._places:
            places = tuple(self._place(c) for c in cells)
            self._places[key] = self._append(Instruction(_rule(meaning), meaning, places, self.name, inverse(meaning)))
        return self._places[key]

    def formula(self, e: Any, cells: dict[Any, Cell]) -> Cell:
        """Return the cell of a formula of symbols; parts that formulas share are recorded once."""
        e = sp.sympify(e)
        if e not in cells:
            cells[e] = self._formula(e, cells)
        return cells[e]

    def _formula(self, e: Any, cells: dict[Any, Cell]) -> Cell:
        if not e.free_symbols:
            return self.cell(e)
        if isinstance(e, (sp.Add, sp.Mul)):
            step = operator.add if isinstance(e, sp.Add) else operator.mul
            return reduce(step, [self.formula(a, cells) for a in e.args])
        if isinstance(e, sp.Pow) and e.exp.is_Integer:
            return self.record(X[0] ** e.exp, [self.formula(e.base, cells)])
        symbols = sorted(e.free_symbols, key=str)
        return self.record(e.xreplace(dict(zip(symbols, X, strict=False))), [cells[s] for s in symbols])

    def _folded(self, meaning: Any, cells: list[Cell]) -> Cell | None:
        if meaning == X[0] + X[1]:
            return cells[1] if cells[0].is_number(0) else cells[0] if cells[1].is_number(0) else None
        if meaning == X[0] * X[1]:
            zeros = [c for c in cells if self.folds and c.is_number(0)]
            others = [b for a, b in zip(cells, cells[::-1], strict=True) if a.is_number(1)]
            return next(iter(zeros + others), None)
        return cells[0] if meaning == X[0] or (meaning == X[0] - X[1] and cells[1].is_number(0)) else None

    def _place(self, c: Cell) -> int:
        if c.constant is None:
            return c.place
        key = _named(c.constant)
        if key not in self._places:
            value = c.constant
            self._places[key] = self._append(Instruction(lambda: value, None, (), self.name))
            self._constants.add(self._places[key].place)
        return self._places[key].place

    def _append(self, instruction: Instruction) -> Cell:
        self.code.append(instruction)
        return Cell(self, len(self.inputs) + len(self.code) - 1)

    # -------------------------------------------------------------- running
    def run(self, xs: Sequence[Interval]) -> tuple[list[Any], bool]:
        """Return the values of the outputs on a box, and whether some condition was left open there."""
        values, is_open = self._forward(xs)
        return self._outputs(values), is_open

    def solved(self, xs: Sequence[Interval]) -> tuple[list[Interval], bool]:
        """Return a part of a box in which all points lie whose outputs are 0, and whether some condition was left open.

        Raises ``Empty`` where there is none, and ``Undefined`` where an output is undefined somewhere in the box.
        """
        values, is_open = self._forward(xs)
        self._outputs(values)
        changed = set[int]()
        for c in self.outputs:
            zero = Interval.of(0)
            if c.constant is None:
                values[c.place] = meet(values[c.place], zero)
                changed.add(c.place)
            else:
                meet(c.constant, zero)
        for place in range(len(values) - 1, len(xs) - 1, -1):
            if place in changed:
                self._backward(place, values, changed)
        return values[: len(xs)], is_open

    def _backward(self, place: int, values: list[Any], changed: set[int]) -> None:
        """Narrow the arguments of an instruction by its result."""
        step = self.code[place - len(self.inputs)]
        args = [values[p] for p in step.places]
        if step.inverse is None or any(isinstance(a, Undefined) for a in args):
            return
        try:
            parts = step.inverse(values[place], *args)
        except Undefined:
            return
        for p, part in zip(step.places, parts, strict=True):
            old = values[p]
            if part.lower > old.lower or part.upper < old.upper:
                values[p] = meet(old, part)
                changed.add(p)

    def _outputs(self, values: list[Any]) -> list[Any]:
        outputs = [c.constant if c.constant is not None else values[c.place] for c in self.outputs]
        for value in outputs:
            if isinstance(value, Undefined):
                raise value
        return outputs

    def _forward(self, xs: Sequence[Interval]) -> tuple[list[Any], bool]:
        values: list[Any] = list(xs)
        undefined: set[int] = set()
        is_open = False
        for rule, meaning, places, name, _ in self.code:
            args = [values[p] for p in places]
            try:
                if rule is None:
                    constants = [x for x, p in zip(X, places, strict=False) if p in self._constants]
                    at = Evaluator(dict(zip(X, args, strict=False)), constants)
                    values.append(at(meaning))
                    is_open |= at.is_open
                elif undefined and not undefined.isdisjoint(places):
                    undefined.add(len(values))
                    values.append(next(values[p] for p in places if p in undefined))
                else:
                    values.append(rule(*args))
            except Undefined as error:  # which is none where a choice among cases takes another value
                undefined.add(len(values))
                values.append(error if error.is_named else named_undefined(name, error))
        return values, is_open


def named_undefined(name: str, error: Undefined) -> Undefined:
    """Return the error that says which operation is undefined."""
    new = Undefined(
        f"enclose: the operation {name} is undefined or unbounded in the box: {error}. Choose a box on which it is "
        "defined."
    )
    new.is_named = True
    return new


def _named(x: Interval) -> tuple[Any, ...]:
    """What tells constants apart."""
    return tuple(tuple(map(int, end.man_exp())) if end.is_finite() else float(end) for end in (x.lower, x.upper))
