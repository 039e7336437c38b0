"""A problem: a function, by what it is differentiated, and points at which its derivative is known.

Points lie where the function and its derivative are finite real numbers; so a logarithm gets positive numbers
only. Their entries are short binary fractions, which floats hold exactly: at the same points values are computed in
floats for all slips at once, and to 50 digits for the verdict.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from symgrad.compiler import compile
from symgrad.compiler.backends.backend import Unsuitable
from symgrad.errors import ArgumentError, ArgumentTypeError, LinAlgError, ParseError, SymgradError
from symgrad.expression.bounds import Bounds
from symgrad.expression.constants import CONSTANTS, letters_as_names
from symgrad.expression.evaluation import refused
from symgrad.expression.formula import Attribute, Binary, Formula, List, Name
from symgrad.expression.grammar import Reading, check_depth, read
from symgrad.expression.guesses import with_products
from symgrad.expression.reader import Expression
from symgrad.expression.reader import names_in as names_of
from symgrad.expression.vectors import as_vector
from symgrad.expression.words import LETTERS
from symgrad.forms import derive
from symgrad.forms.closed import ClosedForm
from symgrad.func import vjp, vmap
from symgrad.support.lazy import cached_property
from symgrad.teach.answers.from_matlab import has_signs_of_matlab, in_python
from symgrad.teach.answers.trees import names_in, parts, replaced, value_of, with_bars
from symgrad.teach.answers.values import ONE, Values, function_named
from symgrad.tensors.creation import ones_like, symbol, tensor
from symgrad.tensors.structures import conforming
from symgrad.tensors.tensor import Tensor

DIGITS = 50
MOST_DEEP = 25  # of a problem, all of whose slips are evaluated
SIZES = ((3, 2, 4, 5, 6, 7), (2, 4, 3, 6, 5, 7))  # of n, d, …, in turn: two cases, no two of them equal
EQUAL = 3  # what all sizes are where shapes are made to fit
_NICE = (2, 0.5, 3, -2, 1.5, -0.5, 0.75, -1.25, 5, 0.25, -3, 0.125, 10, -0.875, 1.0625, 7.5, -7, 0.03125, 20.5, -10.5)
_BESIDE = (0.5, -0.5, 0.125, -0.125, 1.5, -1.5)  # of numbers in the text, where a domain may end
TRIED, KEPT = 160, 12  # points
_STEP = 1e-7  # to both sides of a point, to see whether the derivative jumps there
MOST_EXPONENT = 30  # of a formula whose derivative is written out
MOST_SUSPECTS, MOST_CASES = 4, 12
_NEAR = 1e-6
REMEMBERED = 64  # problems: a class answers the same one many times
Points = list[dict[str, Any]]
PART = "·u"
WAYS = ("signs", "matlab", "products", "python")  # in which an answer with arrays is read: as its signs tell, …


def problem(of: Any, path: Sequence[str], shapes: Mapping[str, Any], syntax: str = "paper") -> Problem:
    """Return a problem; one that was met lately is not worked out again."""
    try:
        return _remembered(of, tuple(path), tuple((name, _frozen(s)) for name, s in shapes.items()), syntax)
    except TypeError:  # a tensor among the shapes, or another kind of text
        return Problem(of, path, shapes, syntax)


def _frozen(s: Any) -> Any:
    if isinstance(s, Tensor):
        raise TypeError(s)
    return tuple(s) if isinstance(s, list) else s


@functools.lru_cache(maxsize=REMEMBERED)
def _remembered(of: str, path: tuple[str, ...], shapes: tuple[tuple[str, Any], ...], syntax: str) -> Problem:
    return Problem(of, path, dict(shapes), syntax)


class Problem:
    """A derivative to be found.

    Args:
        of: the function, as text.
        path: the names by which it is differentiated, in turn.
        shapes: of names that stand for arrays; all others are numbers.
        syntax: the notation of the function, and of answers that can be read in it, as of ``sg.parse``.

    Attributes:
        names: the shape of each name; sizes may be SymPy symbols.
        letters: the names of sizes.
        has_powers: whether X^2 of a square matrix is X X in answers, and not the squares of its entries.
    """

    def __init__(self, of: Any, path: Sequence[str], shapes: Mapping[str, Any], syntax: str = "paper") -> None:
        self.syntax = syntax
        self.path = tuple(LETTERS.get(name, name) for name in path)
        self.leaves = {name: s if isinstance(s, Tensor) else symbol(name, shape=s) for name, s in shapes.items()}
        for name in self.path:
            self.leaves.setdefault(_checked(name), symbol(name))
        marks = [leaf._node.assumptions for leaf in self.leaves.values()]
        self.is_rounded = any("orthogonal" in known for known in marks)  # entries of these are no floats
        reading = _signed(read(_text(of), syntax, self.ranks).refuse_two_ways(), self.leaves)
        check_depth(reading.text, reading.tree, MOST_DEEP)
        self.text, self.tree = reading.text, in_python(reading, self.ranks)
        if not self.has_arrays:
            self.tree = with_bars(self.tree, "abs")
        self.letters = _letters(self.leaves.values())
        constants = {*CONSTANTS} - letters_as_names(self.tree)
        for name in sorted(names_in(self.tree) - {*self.leaves, *self.letters, *constants}):
            if _is_letter(name):
                self.leaves[name] = symbol(name)
        self._seen: dict[bool, list[Case]] = {}
        self.has_powers, self.way = False, "signs"

    def _shapes(self) -> dict[str, Any]:
        return {name: leaf.shape for name, leaf in self.leaves.items()}

    @property
    def names(self) -> dict[str, Any]:
        """The shape of each name."""
        return self._shapes()

    @property
    def ranks(self) -> dict[str, int]:
        """The number of axes of each name."""
        return {name: len(leaf.shape) for name, leaf in self.leaves.items()}

    @property
    def has_arrays(self) -> bool:
        """Whether any name stands for an array."""
        return any(self._shapes().values())

    def read(self, text: Any) -> Reading:
        """Return what an answer says, its operators with Python's meaning.

        Raises:
            ParseError: if the answer is not a formula.
        """
        if not isinstance(text, str):
            raise ParseError(f"grade: expected a formula as text, got {type(text).__name__}.")
        spelling = self._read(text)
        dash = next((p for p in parts(spelling.tree) if isinstance(p, Attribute)), None)
        if dash is not None and not self.has_arrays:
            raise refused(text, dash, "work the derivative out: an answer has no dash ′ in it")
        return spelling

    def _read(self, text: str) -> Reading:
        known = {**self.ranks, **dict.fromkeys(self.letters, 0)}
        signs = self.syntax == "matlab" or has_signs_of_matlab(text, arrays=self.has_arrays)
        if self.way == "matlab" or (self.way == "signs" and signs):
            with contextlib.suppress(ParseError):  # it may be read as all other answers are, bx' as b times x'
                formula = read(text, "paper", known, meaning="matlab", answer=True)
                tree = in_python(formula, self.ranks)
                if not self.unknown(tree):
                    return replace(formula, tree=tree)
        formula = read(text, "paper", known, meaning="python", answer=True)
        if isinstance(self.tree, List):  # then answers are vectors too
            formula = replace(formula, tree=as_vector(formula.tree, known, starred=True, least=1))
        if self.way == "products":
            formula = with_products(formula, self._shapes())
        return replace(formula, tree=in_python(formula, known))

    def with_name(self, name: str, axes: int) -> Problem:
        """Return the same problem with one more name, of so many axes, to read answers with."""
        problem = copy.copy(self)
        problem.leaves = {**self.leaves, name: symbol(name, shape=("n", "m", "l", "k")[:axes])}
        return problem

    def with_powers(self) -> Problem:
        """Return the same problem, in whose answers X^2 is the power of a matrix."""
        problem = copy.copy(self)
        problem.has_powers = True
        return problem

    def read_as(self, way: str) -> Problem:
        """Return the same problem, whose answers are read in one of ``WAYS``."""
        formula = copy.copy(self)
        formula.way = way
        return formula

    @property
    def known(self) -> set[str]:
        """The names that have a meaning in the problem: its own, and those of sizes."""
        return {*self.leaves, *self.letters}

    def unknown(self, tree: Formula) -> list[str]:
        """Return the names of an answer that the problem has not."""
        constants = {*CONSTANTS} - ({"E"} if self.has_arrays else set())  # which may be meant for the identity
        names = names_in(tree) - {*self.known, *constants}
        return sorted(filter(_is_letter, names))

    @cached_property
    def form(self) -> ClosedForm | None:
        """The closed form of the derivative, where there is one."""
        if len(set(self.path)) > 1 or any(abs(v) > MOST_EXPONENT for v in _exponents(self.tree)):
            return None
        try:
            f = Values(self.text, self.leaves, {}, exact=True).tensor(self.tree)
            return derive(f, self.leaves[self.path[0]], len(self.path))
        except Exception:  # of any kind: the form is shown beside the verdict, and decides nothing
            return None

    @cached_property
    def printed(self) -> str | None:
        """The form as it is printed."""
        try:
            return None if self.form is None else str(self.form)
        except Exception:  # as above
            return None

    def cases(self, equal: bool = False) -> list[Case]:
        """Return the points, for each choice of sizes; ``equal`` where all sizes are the same.

        Raises:
            ArgumentError: if there are no points at which the problem has a derivative.
        """
        if equal not in self._seen:
            choices = [dict.fromkeys(self.letters, EQUAL)] if equal else [dict(zip(self.letters, s)) for s in SIZES]
            cases = [Case(self, sizes) for sizes in (choices if self.letters else choices[:1])]
            cases = [case for case in cases if case.points]
            if not cases:
                raise ArgumentError(
                    f"grade: {self.text!r} has no finite derivative with respect to {', '.join(self.path)} at any "
                    "point that was tried. Check the formula, and the shapes."
                )
            self._seen[equal] = cases
        return self._seen[equal]


class Case:
    """The problem with numbers for sizes: its points, and the values there of anything that its names make."""

    def __init__(self, problem: Problem, sizes: Mapping[str, int]) -> None:
        self.problem, self.sizes = problem, sizes
        by_symbol = {sp.Symbol(k): v for k, v in sizes.items()}
        self.shapes = {name: tuple(_size(n, by_symbol) for n in leaf.shape) for name, leaf in problem.leaves.items()}
        tried = self._tried()
        self._exact: dict[int, Any] = {}
        self._check(tried)
        defined = self._defined(tried)
        good = [p for p, is_kink in zip(defined, self._kinks(defined)) if not is_kink] or defined
        self.points = _spread(good, KEPT if not problem.has_arrays else 5)
        self.spare = [p for p in good if not any(p is q for q in self.points)]
        self.truth = self.floats([self.derivative], self.points)[0] if self.points else np.zeros(0)
        if problem.has_arrays:
            self._keep_what_floats_tell()

    def _keep_what_floats_tell(self) -> None:
        """Drop the points at which floats are noise: AᵀXA has no inverse where A has more columns than rows."""
        kept = [k for k, p in enumerate(self.points) if self._is_told(p, self.truth[k])]
        if len(kept) < len(self.points):
            self.points, self.truth = [self.points[k] for k in kept], self.truth[kept]

    def _is_told(self, p: Mapping[str, Any], truth: Any) -> bool:
        try:
            exact = self.exact_truth(p).astype(float)
        except Unsuitable:
            return True  # floats are all there is
        except (SymgradError, ArithmeticError):
            return False
        return bool(np.allclose(exact, truth, rtol=_NEAR, atol=_NEAR))

    def _check(self, tried: Points) -> None:
        """Read the problem once at these sizes, within bounds, so that what has no meaning is said."""
        failure: ParseError | None = None
        for p in tried[:4]:
            try:
                self.values(self.leaves(p), Bounds()).tensor(self.problem.tree)
            except ParseError as error:
                if not isinstance(error.__cause__, LinAlgError):
                    raise
                failure = error  # a matrix that happens to be singular
            else:
                return
        assert failure is not None  # narrows the type: each point returned or failed
        raise failure

    def _defined(self, tried: Points) -> Points:
        """The points at which the function and its derivative are finite."""
        try:
            both = self.floats([self.value, self.derivative], tried)
        except SymgradError:  # of a singular matrix, say
            return [p for p in tried if len(tried) > 1 and self._defined([p])]
        return [p for k, p in enumerate(tried) if all(np.isfinite(y[k]).all() for y in both)]

    def _kinks(self, points: Points) -> list[bool]:
        """Whether the derivative jumps at a point: there it has no value, and no answer is wrong for its own."""
        if self.problem.has_arrays or not points:
            return [False] * len(points)
        moved = [
            [{n: v + s * _STEP * (1 + abs(v)) * (1 + j / 3) for j, (n, v) in enumerate(p.items())} for p in points]
            for s in (-1, 1)
        ]
        try:
            below, above = (self.floats([self.derivative], ps)[0] for ps in moved)
        except SymgradError:
            return [False] * len(points)
        with np.errstate(all="ignore"):
            jump, size = np.abs(above - below), np.maximum(np.abs(above), np.abs(below))
            return [bool(np.any((j > 1e-3) & (j > 1e-2 * s))) for j, s in zip(jump, size)]

    @staticmethod
    def leaves(point: Mapping[str, Any]) -> dict[str, Any]:
        """The tensors at a point, with ``ONE``."""
        return {**{name: tensor(np.asarray(v, float)) for name, v in point.items()}, ONE: tensor(np.ones(()))}

    def values(self, leaves: Mapping[str, Any], bounds: Bounds | None = None, text: str = "") -> Values:
        """Return what evaluates trees at these leaves."""
        return Values(text or self.problem.text, leaves, self.sizes, bounds)

    def value(self, leaves: Mapping[str, Any]) -> Tensor:
        """The value of the function in this case."""
        return self.values(leaves).tensor(self.problem.tree)

    def derivative(self, leaves: Mapping[str, Any]) -> Tensor:
        """The derivative by each name of the path in turn, the last one's axes last."""
        return self.derived(leaves, self.problem.path)

    def derived(self, leaves: Mapping[str, Any], path: Sequence[str], tree: Formula | None = None) -> Tensor:
        """The derivative by other names than the problem's, or of another formula."""
        f: Callable[[Mapping[str, Any]], Any] = self.value
        if tree is not None:
            f = lambda leaves: self.values(leaves).tensor(tree)
        for name in path:
            f = _derived(f, name)
        derivative: Tensor = f(leaves)
        return derivative

    def by_part(self, leaves: Mapping[str, Any], part: Formula) -> Tensor:
        """The function's derivative by a part of its formula, which counts as a name of its own."""
        opened = self.problem.tree
        for same in [p for p in parts(opened) if p == part]:
            opened = replaced(opened, same, Name(PART))
        inner = self.values(leaves).tensor(part)
        return _jacobian(lambda u: self.values({**leaves, PART: u}).tensor(opened), inner, leaves[ONE])

    @property
    def shape(self) -> tuple[int, ...]:
        """The derivative's shape."""
        return tuple(self.truth.shape[1:])

    # -------------------------------------------------------------- values
    def floats(self, functions: Sequence[Callable[[Mapping[str, Any]], Any]], points: Points) -> list[Any]:
        """Return the values of functions of the leaves at all points, in floats: an array for each."""
        return self.floats_of(lambda given: [f(given) for f in functions], points)

    def floats_of(self, function: Callable[[Mapping[str, Any]], list[Any]], points: Points) -> list[Any]:
        """Return the values of a function of the leaves that makes a list of tensors."""
        names = list(self.shapes)

        def together(*leaves: Any) -> list[Any]:
            return function({**dict(zip(names, leaves)), ONE: tensor(np.ones(()))})

        with np.errstate(all="ignore"):
            stacked = [np.stack([np.asarray(p[name], float) for p in points]) for name in names]
            return [np.asarray(y) for y in vmap(together)(*stacked)]

    def suspects(self, f: Callable[[Mapping[str, Any]], Any], tree: Formula | None) -> Points:
        """Return some points at which floats say that f is not the derivative, of all points that there are.

        A formula of cases has pieces: points lie beside its numbers too.
        """
        points, name = list(self.spare), self.problem.path[0]
        if tree is not None and not self.shapes[name]:
            least = 0 if "positive" in self.problem.leaves[name]._node.assumptions else -math.inf
            beside = [s * v + b for v in _numbers(tree)[-MOST_CASES:] for s in (1, -1) for b in _BESIDE[:2]]
            points += [{**self.points[0], name: v} for v in beside if v > least]
        if not points:
            return []
        try:
            value, truth, mine = self.floats([self.value, self.derivative, f], points)
        except SymgradError:
            return []
        suspects = []
        with np.errstate(all="ignore"):
            for k, p in enumerate(points):
                if np.isfinite(value[k]).all() and np.isfinite(truth[k]).all():
                    near = mine[k].shape == truth[k].shape and np.allclose(mine[k], truth[k], rtol=_NEAR, atol=_NEAR)
                    suspects += [] if near else [p]
        return [p for p, is_kink in zip(suspects, self._kinks(suspects)) if not is_kink][:MOST_SUSPECTS]

    def exactly(self, f: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
        """Return the function of a point that computes to 50 digits: an object array.

        It raises an Unsuitable where there are no such values.
        """
        names = list(self.shapes)
        program = compile(
            lambda one, *leaves: f({**dict(zip(names, leaves)), ONE: one}), backend="mpmath", digits=DIGITS
        )

        def at(p: Mapping[str, Any]) -> Any:
            leaves = [np.asarray(p[name], float) for name in names]
            return np.asarray(program(np.ones(()), *leaves), dtype=object)

        return at

    def exact_truth(self, p: Mapping[str, Any]) -> Any:
        """The derivative's value at a point, to 50 digits; those at the points kept are computed once."""
        if not any(p is q for q in self.points):
            return self._exactly_derived(p)
        if id(p) not in self._exact:
            self._exact[id(p)] = self._exactly_derived(p)
        return self._exact[id(p)]

    @cached_property
    def _exactly_derived(self) -> Callable[[Mapping[str, Any]], Any]:
        return self.exactly(self.derivative)

    def direction(self, k: int) -> str | None:
        """The name of the direction of the k-th derivative; None by a number."""
        return f"·d{k}" if self.shapes[self.problem.path[k]] else None

    def of_trees(self, trees: Sequence[Whole | Formula | None]) -> list[Any]:
        """Return the values at all points of derivatives in directions, put together from all directions.

        None stands for zero, and for what has no value in the result.
        """
        try:
            return self._of_trees(trees)
        except SymgradError:  # of one of them: it inverts a matrix that is singular at a point
            if len(trees) < 2:
                return [None] * len(trees)
            half = len(trees) // 2
            return [*self.of_trees(trees[:half]), *self.of_trees(trees[half:])]

    def _of_trees(self, trees: Sequence[Whole | Formula | None]) -> list[Any]:
        failed: set[int] = set()
        arrays = [(name, d) for k, name in enumerate(self.problem.path) if (d := self.direction(k)) is not None]
        wholes = [k for k, tree in enumerate(trees) if isinstance(tree, Whole)]

        def values(given: Mapping[str, Any], chosen: Sequence[int]) -> list[Any]:
            evaluated, tensors = self.values(given), []
            for k in chosen:
                try:
                    tree = trees[k]
                    tree = tree.tree if isinstance(tree, Whole) else tree
                    tensors.append(given[ONE] * 0.0 if tree is None else evaluated.tensor(tree))
                except SymgradError:
                    failed.add(k)
                    tensors.append(given[ONE] * 0.0)
            return tensors

        moving = [k for k in range(len(trees)) if k not in wholes]

        def together(given: Mapping[str, Any]) -> list[Any]:
            def along(*directions: Any) -> list[Any]:
                moved = dict(zip((d for _, d in arrays), directions))
                return values({**given, **moved}, moving)

            f: Any = along
            for k in range(len(arrays)):  # the last direction outermost
                f = vmap(f, in_dims=tuple(0 if j == k else None for j in range(len(arrays))))
            units = [np.eye(math.prod(self.shapes[n])).reshape(-1, *self.shapes[n]) for n, _ in arrays]
            return [*f(*units), *values(given, wholes)] if moving else values(given, wholes)

        given = self.floats_of(together, self.points)
        order = [*moving, *wholes]
        results: list[Any] = [None] * len(trees)
        for k, y in zip(order, given):
            results[k] = None if k in failed else self._assembled(y, len(arrays)) if k not in wholes else y
        return results

    def _assembled(self, y: Any, directions: int) -> Any:
        """Axes of directions, the last one first, put behind those of the function, each with its own shape."""
        for k in range(directions):
            y = np.moveaxis(y, directions - k, -1)
        return y.reshape(len(y), *self.shape) if y.size == len(y) * math.prod(self.shape) else y

    # -------------------------------------------------------------- points
    def _tried(self) -> Points:
        rng = np.random.default_rng(20)
        numbers = _numbers(self.problem.tree)
        count = TRIED if not self.problem.has_arrays else 20
        return [
            {
                name: _entries(rng, s, k, j, numbers, self.problem.leaves[name]._node.assumptions)
                for j, (name, s) in enumerate(self.shapes.items())
            }
            for k in range(count)
        ]


class Whole(Formula):
    """A tree that is a whole derivative, and no move in a direction."""

    fields = ("tree",)
    tree: Formula | None


def _derived(f: Callable[[Mapping[str, Any]], Any], name: str) -> Callable[[Mapping[str, Any]], Any]:
    return lambda leaves: _jacobian(lambda w: f({**leaves, name: w}), leaves[name], leaves[ONE])


def _jacobian(f: Callable[[Any], Any], w: Tensor, one: Any) -> Tensor:
    """∂f/∂w, the axes of w last. Its seed is made of ``one``: of a constant's, a third would be folded into a float."""
    y, back = vjp(f, w)
    if not y.shape:
        gradient: Tensor = back(one * ones_like(y))[0]
        return gradient
    if not math.prod(y.shape):
        raise ArgumentError("grade: the formula is an array without entries. Give sizes that are at least 1.")
    units = one * tensor(np.eye(math.prod(y.shape)).reshape(-1, *y.shape))
    rows: Tensor = vmap(lambda u: back(u)[0])(units)
    return rows.reshape(*y.shape, *w.shape)


def _numbers(tree: Formula) -> list[float]:
    """The numbers of a string, beside which a domain may end."""
    magnitudes = {abs(float(v)) for part in parts(tree) if (v := value_of(part)) is not None}
    return sorted(v for v in magnitudes if v < 1e9)


def _exponents(tree: Formula) -> list[float]:
    powers = [p for p in parts(tree) if isinstance(p, Binary) and p.op == "**"]
    return [float(v) for p in powers if (v := value_of(p.right)) is not None]


def _entries(
    rng: np.random.Generator, shape: tuple[int, ...], k: int, j: int, numbers: Sequence[float], marks: frozenset[str]
) -> Any:
    """The k-th value to be tried of the j-th name."""
    if not shape:
        choices = [*_NICE, *(s * c + b for c in numbers for s in (1, -1) for b in _BESIDE)]
        value = choices[(k + 3 * j) % len(choices)] if k < len(choices) else _random(rng, k)
        return abs(value) if "positive" in marks else value
    x = rng.integers(1, 24, shape) / 16 * rng.choice((-1, 1), shape)
    if k % 3 == 1 or "positive" in marks:
        x = abs(x)
    square = len(shape) == 2 and shape[0] == shape[1]
    if square and (k % 3 == 2 or (k % 3 == 1 and "symmetric" in marks)):
        x = x @ x.T / 4 + np.eye(shape[0])
        if "symmetric" not in marks:  # positive definite, and not symmetric
            skew = np.triu(rng.integers(1, 8, shape) / 32, 1)
            x = x + skew - skew.T
    elif square and k % 3 == 1:
        x = x / 8 + 2 * np.eye(shape[0])
    x = conforming(x, marks)
    if marks & {"onehot", "simplex"}:
        rows = np.zeros(shape)
        rows[..., k % shape[-1]] = 1 if "onehot" in marks else 0.5
        rows[..., (k + 1) % shape[-1]] += 0 if "onehot" in marks else 0.5
        return rows
    return x


def _random(rng: np.random.Generator, k: int) -> float:
    wide = (1.0, 4.0, 1.0, 30.0)[k % 4]
    x = math.ceil(rng.uniform(0, 1) * wide * 1024) / 1024
    return x if k % 3 else -x


def _spread(points: Points, count: int) -> Points:
    """Some of the points: the first ones, which are nice, and others from all over, so that both signs are there."""
    if len(points) <= count:
        return points
    first = count // 2
    rest = points[first:]
    step = len(rest) / (count - first)
    return [*points[:first], *(rest[int(k * step)] for k in range(count - first))]


def _size(n: Any, sizes: Mapping[Any, int]) -> int:
    if isinstance(n, int):
        return n
    return int(sp.sympify(n).subs({s: sizes.get(sp.Symbol(s.name), EQUAL) for s in n.free_symbols}))


def _signed(reading: Reading, leaves: Mapping[str, Any]) -> Reading:
    """Return a formula with @ for products of matrices; its names without a shape are numbers."""
    numbers = dict.fromkeys(names_of(reading, leaves), ())
    return Expression(reading, {**numbers, **leaves}).signed


def _letters(leaves: Any) -> list[str]:
    return list(
        dict.fromkeys(s.name for x in leaves for n in x.shape if isinstance(n, sp.Basic) for s in n.free_symbols)
    )


def _is_letter(name: str) -> bool:
    """Whether a name is meant as a number's. A function without its argument, as in sin*x, is refused elsewhere."""
    return len(name) <= 2 or function_named(name) is None


def _text(of: Any) -> str:
    if isinstance(of, Expression):
        return of.text
    if isinstance(of, sp.Basic):
        return str(of)
    if not isinstance(of, str):
        raise ArgumentTypeError(f"grade: of={type(of).__name__}. Expected the function as text, such as 'x**2*sin(x)'.")
    return of


def _checked(name: Any) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        raise ParseError(f"grade: wrt={name!r} is not a name. Expected one such as 'x', or a list of names.")
    return name
