"""What an operation computes on intervals, and a program's walk.

Elementwise operations are evaluated from their payload. One that only moves, adds and multiplies entries runs its own
``forward`` on object arrays. What has a formula for every entry is evaluated by its formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler.primitives.entries import formulas_of_entries, is_approximation, is_inexact, name_of, only_moves
from symgrad.compiler.primitives.map_steps import meaning_of
from symgrad.core.promotion import is_bool, is_complex, is_floating
from symgrad.engine.program import Program, Value
from symgrad.errors import FormError, NotYet
from symgrad.ops.convert import Cast
from symgrad.ops.elementwise.logic import Test
from symgrad.ops.map import Map
from symgrad.ops.protocol import Op
from symgrad.proved.expressions import Evaluator
from symgrad.proved.interval import Interval, Undefined, floor
from symgrad.proved.tape import Tape, named_undefined
from symgrad.scalars import X
from symgrad.transforms.loops.op import Scan


class Walk:
    """A run of a program on intervals, or on the cells of a tape, which records it.

    ``is_open`` tells whether some condition was left open.
    """

    def __init__(self, tape: Tape | None = None) -> None:
        self.is_open, self.tape = False, tape

    def __call__(self, program: Program, xs: Sequence[Any]) -> list[Any]:
        """Return the results: arrays of intervals, or of integers and booleans that are certain."""
        return program.walk([self._loaded(x) for x in xs], self.step, self._loaded)

    def step(self, v: Value, args: Sequence[Any]) -> Any:
        """Return what a step computes."""
        op = v.op
        if self.tape is not None:
            self.tape.name = name_of(op)
        if is_complex(v.dtype):
            raise _unsuitable(op, "its result is complex.")
        if not is_floating(v.dtype) and not any(map(is_inexact, args)):
            return np.broadcast_to(np.asarray(op(*args)), v.shape)
        try:
            result = self._certain(self._computed(op, args, v), v.dtype)
        except Undefined as error:
            raise error if error.is_named else named_undefined(name_of(op), error) from error
        except NotYet as error:
            raise _unsuitable(op, f"{error}.") from error
        except (FormError, TypeError, AttributeError, ValueError) as error:
            raise _unsuitable(op, str(error)) from error
        return np.broadcast_to(result, v.shape)

    def _computed(self, op: Any, args: Sequence[Any], v: Value) -> Any:
        if isinstance(op, Map):
            return self._elementwise(self._of_places(meaning_of(op), v.args), args)
        if isinstance(op, Cast):
            return args[0] if is_floating(op.to) else self._whole(np.asarray(args[0]), op.to)
        if isinstance(op, Test):
            if self.tape is not None:
                raise NotYet("it asks what a number is")
            return np.frompyfunc(partial(self._test, op.kind), 1, 1)(intervals(args[0]))
        if isinstance(op, Scan):
            return self._scan(op, args)
        if only_moves(op):
            return op.forward(
                *[self.numbers(a) if is_inexact(a) or is_floating(np.asarray(a).dtype) else a for a in args]
            )
        if is_approximation(op):
            raise NotYet("it is computed by a method whose error has no bound")
        return self._by_formulas(op, args)

    def _of_places(self, meaning: Any, places: Sequence[int]) -> Any:
        """The square, where a product's factors are the same value: x·x is not negative. A tape sees that itself."""
        is_square = self.tape is None and meaning == X[0] * X[1] and places[0] == places[1]
        return X[0] ** 2 if is_square else meaning

    def _elementwise(self, meaning: Any, args: Sequence[Any]) -> Any:
        out = np.empty(np.broadcast_shapes(*map(np.shape, args)), dtype=object)
        spread: list[Any] = [np.broadcast_to(self.numbers(a), out.shape) for a in args]
        for at in np.ndindex(out.shape):
            out[at] = self._value(meaning, [a[at] for a in spread])
        return out

    def _value(self, meaning: Any, args: list[Any]) -> Any:
        if self.tape is not None:
            return self.tape.record(meaning, args)
        evaluate = Evaluator(dict(zip(X, args, strict=False)))
        value = evaluate(meaning)
        self.is_open |= evaluate.is_open
        return value

    def _whole(self, x: Any, dtype: Any) -> Any:
        """Integers, cut towards 0, or whether a number is not 0."""
        if is_bool(dtype):
            return self._elementwise(sp.Ne(X[0], X[1]), [x, np.zeros(())])
        return self._elementwise(sp.sign(X[0]) * sp.floor(sp.Abs(X[0])), [x])

    def _fitting(self, integers: Any, dtype: Any) -> Any:
        """Integers that depend on the box, none of which wraps."""
        if self.tape is not None:
            raise NotYet("whether an integer fits depends on the box")
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        if not all(y.lower >= least and y.upper <= most for y in integers.flat):
            raise NotYet(f"an integer may not fit {np.dtype(dtype)}")
        return integers

    def _by_formulas(self, op: Op, args: Sequence[Any]) -> Any:
        """Evaluate the entries' formulas; integers and booleans among the arguments stand in them as they are."""
        arrays = [np.asarray(a) for a in args]
        inexact = [is_inexact(a) or is_floating(a.dtype) for a in arrays]
        exact = tuple(None if i else (a.shape, tuple(a.ravel().tolist())) for a, i in zip(arrays, inexact, strict=True))
        symbols, formulas = formulas_of_entries(op, tuple(a.shape for a in arrays), exact)
        entries = [x for a, i in zip(arrays, inexact, strict=True) if i for x in self.numbers(a).flat]
        known = dict(zip(symbols, entries, strict=True))
        evaluate = Evaluator(known if self.tape is None else {})
        out = np.empty(formulas.shape, dtype=object)
        for at in np.ndindex(formulas.shape):
            e = sp.sympify(formulas[at])
            out[at] = evaluate(e) if self.tape is None else self.tape.formula(e, known)
        self.is_open |= evaluate.is_open
        return out

    def _test(self, kind: str, x: Interval) -> Interval:
        """Whether x is finite or infinite, which an interval with an infinite end leaves open; none contains nan."""
        if kind == "isnan" or x.is_finite or x.is_point:
            return Interval.of(kind != "isnan" and (kind == "isfinite") == x.is_finite)
        self.is_open = True
        return Interval.of(0).hull(Interval.of(1))

    def _scan(self, op: Scan, args: Sequence[Any]) -> Any:
        """Run the loop, step by step."""
        op.check_bounded()
        n, m = op.carries, op.carries + op.xs
        carry, rows, constants = list(args[:n]), args[n:m], list(args[m:])
        stacks = [np.empty(p.shape, dtype=object) for p in op.pieces[n:]]
        for t in op.steps():
            outputs = self(op.body, [*carry, *[np.asarray(x)[t] for x in rows], *constants])
            carry = outputs[:n]
            for stack, y in zip(stacks, outputs[n:], strict=True):
                stack[t] = y if stack.ndim > 1 else np.asarray(y)[()]
        parts = [np.asarray(p, dtype=object).ravel() for p in (*carry, *stacks)]
        return np.concatenate(parts) if parts else np.empty(0, dtype=object)

    # -------------------------------------------------------------- arrays
    def numbers(self, x: Any) -> Any:
        """Return an object array of intervals, or of cells."""
        x = np.asarray(x)
        out = np.empty(x.shape, dtype=object)
        for at in np.ndindex(x.shape):
            out[at] = self._number(x[at])
        return out

    def _number(self, x: Any) -> Any:
        if self.tape is not None:
            return self.tape.cell(x)
        return Evaluator({})(x) if isinstance(x, sp.Basic) else Interval.of(x)

    def _loaded(self, x: Any) -> Any:
        array = np.asarray(x)
        return self.numbers(array) if is_floating(array.dtype) or array.dtype == object else array

    def _certain(self, result: Any, dtype: Any) -> Any:
        """Intervals, or cells; integers and booleans where each is one number."""
        entries = self.numbers(np.asarray(result, dtype=object))
        known = [x if self.tape is None else x.constant for x in entries.flat]
        if is_floating(dtype):
            return entries
        if not all(x is not None and x.is_point and x.is_finite for x in known):
            return entries if is_bool(dtype) else self._fitting(entries, dtype)
        return np.array([int(floor(x).lower.unique_fmpz()) for x in known], dtype).reshape(entries.shape)


def intervals(x: Any) -> Any:
    """Return an object array of intervals."""
    return Walk().numbers(x)


def _unsuitable(op: Op, why: str) -> NotYet:
    return NotYet(f"enclose: the operation {name_of(op)} has no meaning on intervals: {why}")
