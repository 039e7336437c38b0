"""``sg.parse``: a formula in Python's notation, read without executing it.

What a string may hold is what the grammar and ``listed()`` have; all else is refused with its position. So
``sum((X @ w - y)**2)`` is a formula, and ``__import__('os')`` an error.
"""

from __future__ import annotations

import inspect
import keyword
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ParseError
from symgrad.expression.bounds import Bounds
from symgrad.expression.constants import CONSTANTS, IMAGINARY, MEANINGS, NO_NUMBERS, letters_as_names
from symgrad.expression.evaluation import BARS, PREFIXES, Evaluation, refused
from symgrad.expression.formula import Attribute, Binary, Call, Formula, Name, Tuple, walk
from symgrad.expression.grammar import Reading, comma_in, read
from symgrad.expression.instead import refused_at
from symgrad.expression.matlab import Matlab
from symgrad.expression.matlab_functions import functions_in
from symgrad.expression.matrix_notation import Matrix, Unsigned, products_in, with_signs
from symgrad.expression.tokens import MOST_SIGNS, ONES
from symgrad.expression.words import NEVER_NAMES
from symgrad.support.arguments import checked
from symgrad.support.lazy import cached_property
from symgrad.tensors.creation import symbol
from symgrad.tensors.tensor import Tensor

SYNTAXES = ("python", "matlab", "paper")
_EVALUATIONS: dict[str, type[Evaluation]] = {"python": Evaluation, "matlab": Matlab, "matrix": Matrix}


class Expression:
    """A parsed formula: its text, its leaves, and its value as a tensor of symbols.

    It can be called with arrays, in the order of ``names``, so ``sg.grad``, ``sg.compile`` and ``sg.export`` accept
    it as a function.

    Attributes:
        text: the formula that was parsed.
        names: the declared names, in order.
        leaves: the symbol of each name.
    """

    def __init__(self, reading: Reading, shapes: Mapping[str, Any]) -> None:
        self.reading, self.names = reading, tuple(shapes)
        self.text = " ".join(reading.text.split())
        self.leaves = {name: s if isinstance(s, Tensor) else symbol(name, shape=s) for name, s in shapes.items()}
        self.__name__ = "expression"
        each = inspect.Parameter.POSITIONAL_OR_KEYWORD
        self.__signature__ = inspect.Signature([inspect.Parameter(name, each) for name in self.names])

    @cached_property
    def value(self) -> Tensor:
        """The formula's value, a tensor of its symbols; numbers are computed as far as ``bounds`` allows."""
        return self._evaluated(self.leaves.values(), Bounds(), exact=True)

    @cached_property
    def _evaluation(self) -> type[Evaluation]:
        """What evaluates the formula, as its signs say whose meaning they have; else as the shapes do."""
        return _EVALUATIONS[self.reading.syntax] if self._products is None else Unsigned

    @cached_property
    def _products(self) -> list[Binary] | None:
        return products_in(self.reading, self.leaves)

    @cached_property
    def _sizes(self) -> dict[str, tuple[str, int]]:
        """The array and the axis from which each letter of the formula that is a size is known."""
        used = {node.id for node in walk(self.reading.tree) if isinstance(node, Name)} - {*self.names}
        axes = [(str(n), (name, k)) for name, leaf in self.leaves.items() for k, n in enumerate(leaf.shape)]
        return {n: place for n, place in reversed(axes) if n in used}

    @property
    def signed(self) -> Reading:
        """The formula with @ for each ``*`` that is the product of matrices."""
        return with_signs(self.reading, self._products) if self._products else self.reading

    def __call__(self, /, *arrays: Any, **named: Any) -> Tensor:
        """Return the formula's value at arrays or tensors, in the order of its names or by name."""
        given = {**dict(zip(self.names, arrays, strict=False)), **named}
        count = len(arrays) + len(named)
        if given.keys() != {*self.names} or count != len(self.names):
            taken = ", ".join(self.names) or "no arguments"
            raise ArgumentTypeError(f"the formula {self.text!r} takes {taken}; got {count} arguments")
        return self._evaluated([given[name] for name in self.names], None)

    def bounded(self, *arrays: Any) -> tuple[Tensor, int]:
        """Return the formula's value at arrays, and its approximate cost in additions.

        Raises:
            ParseError: if it is too large, or would take too long; nothing is computed in this case.
        """
        bounds = Bounds()
        return self._evaluated(map(as_tensor, arrays), bounds), bounds.spent

    def _evaluated(self, arrays: Iterable[Any], bounds: Bounds | None, exact: bool = False) -> Tensor:
        text, tree = self.reading.text, self.reading.tree
        given = dict(zip(self.names, arrays, strict=True))
        evaluation = self._evaluation(text, given, bounds, exact, self.reading.paper)
        evaluation.sizes = {n: as_tensor(given[name]).shape[axis] for n, (name, axis) in self._sizes.items()}
        result = evaluation.value(tree)
        if isinstance(result, tuple):
            if isinstance(tree, Tuple) and (comma := comma_in(text)):
                raise refused_at(text, *comma)
            raise refused(text, tree, f"this has {len(result)} parts; take one, as in (…)[0]")
        try:
            value: Tensor = as_tensor(result)
        except Exception as error:  # such as a list of tensors, a word, an ellipsis
            raise refused(text, tree, f"the formula's value is a {type(result).__name__}") from error
        return value

    @property
    def constants(self) -> dict[str, str]:
        """The meanings of the letters e, E, i and I, where they are not names."""
        used = {node.id for node in walk(self.reading.tree) if isinstance(node, Name)} - {*self.names}
        return {letter: meaning for letter, meaning in MEANINGS.items() if letter in used}

    def __repr__(self) -> str:
        constants = f", constants={self.constants}" if self.constants else ""
        return f"parse({self.text!r}, names={self.names}{constants})"


@checked
def parse(text: str, shapes: Mapping[str, Any] | None = None, *, syntax: str = "python") -> Expression:
    """Read a formula such as ``"sum((X @ w - y)**2)"``, without executing anything.

    A formula may contain numbers, declared names, the constants ``pi``, ``E`` or ``e``, ``inf`` and the imaginary unit
    ``I`` or ``i`` unless it is declared as a name, the operators ``+ - * / // % ** @`` and comparisons, brackets,
    indices, ``.T`` and ``.mT``, ``.H`` of complex matrices, and symgrad's functions, called as functions (``sum(x)``,
    ``linalg.inv(A)``) or as methods (``x.sum()``).

    Args:
        text: the formula.
        shapes: the shape of each name, as numbers and names of sizes, such as
            ``{"X": ("n", "d"), "w": "d", "a": ()}``; or the tensor that the name stands for. A name of a size stands
            for this number in the formula, as in ``sum(x)/n`` and ``eye(n)``.
        syntax: "python"; or "matlab" for ``x'*A*x``, ``.*``, ``./``, ``.^``, indices from 1, ``norm(x)^2``; or "paper"
            for handwritten notation, such as ``2x sin² x`` and ``|x|``, or LaTeX.

    Returns:
        An ``Expression`` with the attributes ``value``, a tensor of symbols, and ``leaves``.

    Raises:
        ParseError: if the text contains something else, is too long or too deeply nested, or is ambiguous. The message
            says where.
        ShapeError: if the shapes do not fit.

    >>> f = sg.parse("sum((X @ w - y)**2)", {"X": ("n", "d"), "w": "d", "y": "n"})
    >>> print(sg.derive(f.value, f.leaves["w"]))
    2*Xᵀ*(X*w - y)
    >>> print(sg.derive(sg.parse("x'*A*x", {"x": "n", "A": ("n", "n")}, syntax="matlab"), "x"))
    (A + Aᵀ)*x
    >>> print(sg.derive(sg.parse("x² sin(2x)", {"x": ()}, syntax="paper"), "x"))
    2*x*(x*cos(2*x) + sin(2*x))
    """
    if syntax not in SYNTAXES:
        raise ArgumentError(f"parse: syntax={syntax!r} is unknown. Expected one of {list(SYNTAXES)}.")
    names = dict(shapes or {})
    expression = Expression(reading_of(text, names, syntax), names)
    _ = expression.value  # what has no meaning is said here
    return expression


def reading_of(text: Any, shapes: Mapping[str, Any], syntax: str = "paper") -> Reading:
    """Return what a string says that has one meaning.

    Raises:
        ParseError: if it is not text, not a formula, or ambiguous.
    """
    if not isinstance(text, str):
        raise ParseError(f"parse: expected a formula as text, got {type(text).__name__}.")
    for name in shapes:
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__") or keyword.iskeyword(name):
            raise ParseError(f"parse: {name!r} cannot be a name. Expected letters, digits and _, such as 'x1'.")
    return read(text, syntax, {name: rank(shape) for name, shape in shapes.items()}).refuse_two_ways()


def rank(shape: Any) -> int:
    """Return the number of axes of a shape as it is declared, or of a tensor."""
    if isinstance(shape, Tensor):
        return len(shape.shape)
    return len(shape) if isinstance(shape, (tuple, list)) else 1


def sizes_in(shapes: Mapping[str, Any]) -> set[str]:
    """Return the letters that are sizes, in shapes or in tensors of symbols.

    >>> sorted(sizes_in({"X": ("n", "d"), "w": "d", "a": (), "b": 3}))
    ['d', 'n']
    """
    each = [s.shape if isinstance(s, Tensor) else s for s in shapes.values()]
    return {str(n) for s in each for n in (s if isinstance(s, (tuple, list)) else (s,)) if not isinstance(n, int)}


def names_in(text: Any, declared: Iterable[str] = (), syntax: str = "python", letters: Iterable[str] = ()) -> list[str]:
    """Return the names in a formula that are neither declared nor constants, and that are not called as functions.

    The letters e and i are names beside other letters, as in ``k*e**2/r``, but for e^x and exp(i*x); so are those that
    ``letters`` has.

    >>> names_in("sum(a*x) + pi*t"), names_in("x'*A*x + b(1)", syntax="matlab")
    (['a', 'x', 't'], ['x', 'A', 'b'])
    """
    if isinstance(text, str):
        text = read(text, syntax, dict.fromkeys(declared, 0))
    if not isinstance(text, Reading):
        return []
    tree = text.tree
    heads = _heads(tree) if text.syntax == "python" else functions_in(tree)
    constants = {*CONSTANTS, *IMAGINARY} - letters_as_names(tree) - {*letters}
    words = {ONES, *constants, *NO_NUMBERS, *NEVER_NAMES, *declared, *heads, BARS.id}
    nodes = [n for n in walk(tree) if isinstance(n, Name) and n.id not in words]
    return list(dict.fromkeys(n.id for n in sorted(nodes, key=lambda n: n.place or (0, 0))))


def _heads(tree: Formula) -> Iterator[str]:
    """Yield the functions that are called, and the modules that a function is taken from, as np of np.exp."""
    for node in walk(tree):
        if isinstance(node, Call) and isinstance(node.func, Name):
            yield node.func.id
        if isinstance(node, Attribute) and isinstance(node.value, Name) and node.value.id in PREFIXES:
            yield node.value.id


__all__ = [
    "MOST_SIGNS", "SYNTAXES", "Expression", "Reading", "names_in", "parse", "rank", "read", "reading_of", "sizes_in",
]  # fmt: skip
