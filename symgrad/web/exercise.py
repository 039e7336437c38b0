"""An exercise as a page sends it, read: a formula, what its names stand for, by what to differentiate, how often.

Nothing of it is executed: the formula goes through ``sg.parse``, and values are literals of numbers.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from symgrad.core.promotion import is_bool
from symgrad.errors import ArgumentError, ParseError, SymgradError
from symgrad.expression.arguments import of_letters
from symgrad.expression.constants import IMAGINARY, MEANINGS
from symgrad.expression.formula import Constant, walk
from symgrad.expression.formula import Name as NameInFormula
from symgrad.expression.grammar import Reading
from symgrad.expression.guesses import KINDS, Guess, guessed, wanted
from symgrad.expression.instead import refused_at
from symgrad.expression.reader import Expression, names_in, parse
from symgrad.expression.spelling import spelling
from symgrad.expression.tokens import MOST_SIGNS
from symgrad.tensors.creation import symbol
from symgrad.tensors.structures import STRUCTURES
from symgrad.tensors.tensor import Tensor

MARKS = {
    **{name: name for name in STRUCTURES},
    "positive": "positive",
    "one-hot": "onehot",
    "onehot": "onehot",
    "simplex": "simplex",
}
SAID = {"onehot": "one-hot", "positive_definite": "positive definite"}
MOST_NAMES = 40
MOST_LETTERS = 40  # of a name
MOST_SIZE, MOST_ENTRIES = 1000, 10_000  # along an axis, and of an array
ORDERS = (1, 2, 3)
REMEMBERED = 8  # exercises: a page asks for one many times
SMALL = (3, 2, 4, 5, 6, 7)  # numbers for n, d, … where nothing is said


class Name(NamedTuple):
    """A name of the problem: its kind, shape and assumptions.

    Attributes:
        shape: sizes, numbers or names of them.
        assume: what is assumed of it.
        value: numbers, or None.
        guess: the guess that this comes of, or None.
        typed: the value as it was typed.
    """

    shape: tuple[Any, ...]
    assume: tuple[str, ...] = ()
    value: np.ndarray[Any, Any] | None = None
    guess: Guess | None = None
    typed: str = ""

    @property
    def kind(self) -> str:
        """A number, a vector or a matrix."""
        return KINDS[len(self.shape)]

    def said(self) -> list[str]:
        """Return the assumptions in the page's words."""
        return [SAID.get(mark, mark) for mark in self.assume]


class Exercise(NamedTuple):
    """A formula with all that is known of its names.

    Attributes:
        typed: the formula, as typed.
        formula: the same as it is read: with @ for products of a matrix and a vector.
        spelling: "symgrad", "numpy" or "matlab".
        names: what each name stands for, in the order of the text.
        wrt: by what to differentiate; None where the formula has no names.
        order: how often.
        reading: what the formula says.
        expression: the same of symbols, where its value is known already.
    """

    typed: str
    formula: str
    spelling: str
    names: dict[str, Name]
    wrt: str | None
    order: int
    reading: Reading
    expression: Expression

    def parsed(self, shapes: Mapping[str, Any] | None = None) -> Expression:
        """Return the formula that was read, of symbols; or of names of these shapes.

        Raises:
            ParseError: it is none; says where.
            ArgumentError: it is true or false.
        """
        parsed = self.expression if shapes is None else Expression(self.reading, shapes)
        if is_bool(parsed.value.dtype):
            raise ArgumentError(
                "the formula is true or false, and has no derivative. Write a number, such as where(x < 1, x, 1)."
            )
        return parsed

    def sizes(self) -> dict[str, int]:
        """Return a number for the name of each size: as values have it, else a small one.

        Raises:
            ArgumentError: two values say different things.
        """
        known: dict[str, int] = {}
        for name, n in self.names.items():
            for s, m in zip(n.shape, np.shape(n.value) if n.value is not None else ()):
                if isinstance(s, str) and known.setdefault(s, m) != m:
                    raise ArgumentError(
                        f"{name}: this value has {s} = {m}, and another value has {s} = {known[s]}. Change one of them."
                    )
        every = dict.fromkeys(s for n in self.names.values() for s in n.shape if isinstance(s, str))
        free = iter(SMALL)
        return {s: known[s] if s in known else next(free, SMALL[-1]) for s in every}

    def by(self) -> str:
        """Return by what to differentiate.

        Raises:
            ArgumentError: there is nothing.
        """
        if self.wrt is None:
            raise ArgumentError("the formula contains no name to differentiate with respect to. Write one, such as x.")
        return self.wrt


def read(data: Any) -> Exercise:
    """Return the exercise of what a page sent.

    Raises:
        ParseError: the formula is none; says where.
        ArgumentError: something else is not as expected; says what.
    """
    if not isinstance(data, dict):
        raise ArgumentError(f"the exercise is a {type(data).__name__}. Expected an object with a formula.")
    formula = data.get("formula")
    if not isinstance(formula, str):
        raise ArgumentError("there is no formula. Expected text, such as x**2*sin(x).")
    if len(formula) > MOST_SIGNS:
        raise ArgumentError(f"the formula has {len(formula)} characters, more than {MOST_SIGNS}. Name its parts.")
    if not formula.strip():
        raise ParseError("there is no formula yet. Type one, such as x**2*sin(x).")
    try:
        return _remembered(formula, json.dumps(data, sort_keys=True, default=repr))
    except RecursionError:
        raise ArgumentError("the exercise is nested too deep. Expected an object with a formula.") from None


@lru_cache(maxsize=REMEMBERED)
def _remembered(formula: str, data: str) -> Exercise:
    """Return an exercise; what a page asks of one formula in turn is read once."""
    return _read(formula, json.loads(data))


def _read(formula: str, data: Mapping[str, Any]) -> Exercise:
    """Return the exercise of a formula."""
    given, wrt = _names(data.get("names")), data.get("wrt")
    if isinstance(wrt, str) and wrt in MEANINGS:
        given.setdefault(wrt, Name((), guess=Guess((), "the formula is differentiated with respect to it")))
    known = ({wrt: ()} if isinstance(wrt, str) and wrt.isidentifier() else {}) | {k: n.shape for k, n in given.items()}
    reading = of_letters(formula, known)
    used = names_in(reading, (), letters=given)
    _refuse_the_imaginary_unit(reading, used)
    kept = {name: given[name] for name in used if name in given}
    leaves = {name: _leaf(name, n) for name, n in kept.items()}
    guesses, expression = guessed(reading, leaves)
    names = {name: kept[name] if name in kept else Name(guesses[name].shape, guess=guesses[name]) for name in used}
    if expression is None:
        expression = Expression(reading, {name: _leaf(name, n) for name, n in names.items()})
    reading = expression.signed
    order = check_order(data.get("order"))
    return Exercise(formula, reading.text, spelling(formula), names, _by(wrt, names), order, reading, expression)


def _refuse_the_imaginary_unit(reading: Reading, names: Sequence[str]) -> None:
    for node in walk(reading.tree):
        imaginary = isinstance(node, Constant) and isinstance(node.value, complex)
        if imaginary or (isinstance(node, NameInFormula) and node.id in IMAGINARY and node.id not in names):
            place = (node.place or (0, 1))[1] - 1
            unit = f"{reading.text[place]} is the imaginary unit here"
            raise refused_at(reading.text, place, f"{unit}, and the page is for real numbers; call it otherwise")


def _by(wrt: Any, names: Mapping[str, Name]) -> str | None:
    if wrt is None or wrt == "":
        return wanted([name for name in names if names[name].value is None]) or wanted(names)
    if not isinstance(wrt, str) or wrt not in names:
        known = ", ".join(names) or "none"
        raise ArgumentError(f"wrt: there is no {_short(wrt)} in the formula. Expected one of its names: {known}.")
    return wrt


def check_order(order: Any) -> int:
    """Return how often to differentiate: once where nothing is said."""
    value = 1 if order is None else order
    if type(value) is not int or value not in ORDERS:
        raise ArgumentError(f"order: got {_short(order)}. Expected 1, 2 or 3.")
    return value


def _names(data: Any) -> dict[str, Name]:
    """Return what was said of names."""
    if data is None:
        return {}
    if not isinstance(data, dict) or len(data) > MOST_NAMES:
        raise ArgumentError(f"names: expected an object of at most {MOST_NAMES} names.")
    return {_checked(name): _name(name, said) for name, said in data.items() if said is not None}


def _checked(name: str) -> str:
    if len(name) > MOST_LETTERS or not name.isidentifier():
        raise ArgumentError(f"names: {_short(name)} cannot be a name. Expected letters, digits and _, such as x1.")
    return name


def _name(name: str, said: Any) -> Name:
    if not isinstance(said, dict):
        raise ArgumentError(f"{name}: expected an object with kind, shape, assume and value.")
    shape = _shape(name, said.get("kind"), said.get("shape"))
    assume = said.get("assume") or []
    if not isinstance(assume, list) or any(not isinstance(a, str) or a not in MARKS for a in assume):
        raise ArgumentError(f"{name}: assume is {_short(assume)}. Expected some of {', '.join(MARKS)}.")
    value = said.get("value")
    if value is None or (isinstance(value, str) and not value.strip()):
        return Name(shape, tuple(dict.fromkeys(MARKS[a] for a in assume)))
    array = _array(name, value)
    if said.get("kind") is None and not shape:
        shape = tuple(array.shape)
    _check_value(name, shape, array)
    return Name(shape, tuple(dict.fromkeys(MARKS[a] for a in assume)), array, typed=str(value))


def _shape(name: str, kind: Any, sizes: Any) -> tuple[Any, ...]:
    sizes = [] if sizes is None else sizes
    if not isinstance(sizes, list) or len(sizes) > len(KINDS) - 1:
        raise ArgumentError(f"{name}: shape is {_short(sizes)}. Expected up to two sizes, such as n and d.")
    if kind is not None and (not isinstance(kind, str) or kind not in KINDS):
        raise ArgumentError(f"{name}: kind is {_short(kind)}. Expected one of {', '.join(KINDS)}.")
    axes = len(sizes) if kind is None else KINDS.index(kind)
    if len(sizes) != axes:
        raise ArgumentError(f"{name}: a {kind} has {axes} sizes, got {len(sizes)}.")
    shape = tuple(_size(name, s) for s in sizes)
    if math.prod(n for n in shape if isinstance(n, int)) > MOST_ENTRIES:
        raise ArgumentError(f"{name}: more than {MOST_ENTRIES} entries. A size may be a name, such as n.")
    return shape


def _size(name: str, size: Any) -> int | str:
    if isinstance(size, int) and not isinstance(size, bool):
        size = str(size)
    if isinstance(size, str) and re.fullmatch(r"[0-9]{1,4}", size.strip()) and 1 <= int(size) <= MOST_SIZE:
        return int(size)
    if isinstance(size, str) and re.fullmatch(r"[A-Za-z]\w{0,8}", size.strip()):
        return size.strip()
    raise ArgumentError(f"{name}: {_short(size)} is no size. Expected a number from 1 to {MOST_SIZE}, or a name.")


def _array(name: str, value: Any) -> np.ndarray[Any, Any]:
    """Return numbers of text, which is read as formulas are: 2.5, pi/2, [1, 2], [[1, 2], [3, 4]]."""
    text = str(value)
    if len(text) > MOST_SIGNS:
        raise ArgumentError(f"{name}: its value has {len(text)} characters, more than {MOST_SIGNS}.")
    try:
        array = np.asarray(_numbers(text).value.numpy(), dtype=np.float64)
    except SymgradError as error:
        raise ArgumentError(
            f"{name}: its value is {_short(text)}. Expected a number or lists of numbers, such as 2.5 or [1, 2]. "
            f"{getattr(error, 'reason', None) or ''}".rstrip()
        ) from None
    if not 0 < array.size <= MOST_SIZE or array.ndim > len(KINDS) - 1 or not np.isfinite(array).all():
        raise ArgumentError(f"{name}: its value has {array.size} numbers. Expected up to {MOST_SIZE}, all finite.")
    return array


def _numbers(text: str) -> Expression:
    """Return numbers as programs write them, with lists of one; else as people do."""
    try:
        return parse(text, {})
    except ParseError:
        return parse(text, {}, syntax="paper")


def _check_value(name: str, shape: tuple[Any, ...], value: np.ndarray[Any, Any]) -> None:
    if len(shape) != value.ndim or any(isinstance(n, int) and n != m for n, m in zip(shape, value.shape)):
        raise ArgumentError(
            f"{name}: its value has shape {list(value.shape)}, declared as {list(map(str, shape))}. Change one of them."
        )


def _leaf(name: str, said: Name) -> Tensor:
    return symbol(name, shape=said.shape, **dict.fromkeys(said.assume, True))


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
