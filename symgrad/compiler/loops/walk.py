"""The few words of Python that loops and their library are written in, as one walk that every writer goes.

Statements are assignments, calls, loops over ranges, while, if, break and return; what each becomes is a method.
"""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from symgrad.compiler.loops.errors import ExportError
from symgrad.compiler.loops.kernels import kernels
from symgrad.compiler.loops.programs import LIBRARIES, PYTHON
from symgrad.errors import SymgradError
from symgrad.support.definitions import Found

T = TypeVar("T")


class Range(NamedTuple):
    """What a loop's variable goes through: up to the last number, or down to it, which it does not reach."""

    name: str
    first: Any
    last: Any
    down: bool


def range_of(node: ast.For) -> Range:
    """Return what a loop goes through."""
    assert isinstance(node.target, ast.Name)
    assert isinstance(node.iter, ast.Call)
    args: list[ast.expr] = node.iter.args
    first, last = (ast.Constant(0), args[0]) if len(args) == 1 else args[:2]
    return Range(node.target.id, first, last, len(args) == 3)


def definition_of(name: str, module: str) -> Found:
    """Return where a name is defined that a module uses, or a program, whose module is "".

    That is a module of the library, or ``PYTHON``: the words that every language has, and what a program names itself.
    """
    module = module or next((m for m in (PYTHON, *LIBRARIES) if name in kernels(m).defined), PYTHON)
    while module != PYTHON and name not in kernels(module).defined:
        module, name = kernels(module).inside.get(name, Found(PYTHON, name))
    return Found(module, name)


class Walk(ABC, Generic[T]):
    """Writes statements in order; an expression is a value of the writer's."""

    refusal: type[SymgradError] = ExportError  # the error of what it has no words for

    def __init__(self, module: str = "") -> None:
        self.module = module  # whose function is written

    def definition(self, name: str) -> Found:
        """Return where a name is defined that is used here."""
        return definition_of(name, self.module)

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Write statements; a docstring is none."""
        for node in body:
            if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
                self.statement(node)

    def statement(self, node: Any) -> None:
        """Write a statement."""
        if isinstance(node, ast.Assign):
            self.assign(node.targets[0], node.value)
        elif isinstance(node, ast.AnnAssign):
            self.assign(node.target, node.value, ast.unparse(node.annotation))
        elif isinstance(node, ast.Expr):
            self.run(node.value)
        elif isinstance(node, ast.For):
            self.count(node, range_of(node))
        elif isinstance(node, ast.Return):
            self.give(node.value)
        elif isinstance(node, ast.AugAssign):
            self.change(node)
        elif isinstance(node, ast.If):
            self.choose(node)
        elif isinstance(node, ast.While):
            self.repeat(node)
        elif isinstance(node, ast.Break):
            self.leave(node)
        else:
            raise self._refused(node)

    def expression(self, node: Any) -> T:
        """Write an expression, and return its value: by the method that bears the name of its class."""
        method = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self._refused(node)
        value: T = method(node)
        return value

    def _refused(self, node: Any) -> SymgradError:
        return self.refusal(f"there are no words for {type(node).__name__} in loops")

    @abstractmethod
    def assign(self, target: Any, value: Any, kind: str = "") -> None:
        """Give a name or an entry a value; ``kind`` is what a name is annotated with."""

    @abstractmethod
    def change(self, node: ast.AugAssign) -> None:
        """Add to a name or an entry, say."""

    @abstractmethod
    def run(self, node: Any) -> None:
        """Evaluate an expression for what it does."""

    @abstractmethod
    def count(self, node: ast.For, over: Range) -> None:
        """Repeat for each number of a range."""

    @abstractmethod
    def repeat(self, node: ast.While) -> None:
        """Repeat while a condition holds."""

    @abstractmethod
    def choose(self, node: ast.If) -> None:
        """Go one way or the other."""

    @abstractmethod
    def leave(self, node: ast.Break) -> None:
        """Leave the loop around."""

    @abstractmethod
    def give(self, value: Any) -> None:
        """Leave the function, with a value or None."""
