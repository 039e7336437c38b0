"""Every error symgrad raises, each also the builtin that torch or NumPy would raise in its place.

The bottom layer: imports nothing of symgrad. Messages say what failed, what was received, what was
expected and what to do; where torch has a string, its first sentence comes first.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np
import sympy as sp

F = TypeVar("F", bound=Callable[..., Any])


class SymgradError(Exception):
    """Base of all errors raised by symgrad."""


class GraphError(SymgradError, RuntimeError):
    """The graph cannot do what was asked: no gradient here, freed values, a leaf changed in place."""


class ShapeError(SymgradError, RuntimeError, ValueError):
    """Shapes do not fit together."""


class ArgumentError(SymgradError, ValueError, RuntimeError):
    """An argument has a value outside what the function accepts."""


class NumberRangeError(ArgumentError, OverflowError):
    """A Python number lies outside what the tensor's dtype holds."""


class ArgumentTypeError(SymgradError, TypeError):
    """An argument is of a type that the function cannot take."""


class DTypeError(SymgradError, RuntimeError, TypeError):
    """A dtype does not allow the operation, such as an integer tensor that should require grad."""


class IndexRangeError(SymgradError, IndexError):
    """An index or a dimension lies outside the tensor."""


class ValueNeeded(SymgradError, RuntimeError):
    """A number was asked of a tensor that is a symbol and has none."""


class LinAlgError(SymgradError, np.linalg.LinAlgError, RuntimeError):
    """A matrix is singular, not positive definite, or otherwise outside the factorisation's domain."""


class NotConverged(SymgradError, RuntimeError):
    """A solver did not reach an answer; the message has the residual, the steps, and what to do."""


class NotProved(SymgradError, ValueError):
    """A statement is neither certain nor refuted; ``unresolved`` has the parts of the box that are left."""

    unresolved: tuple[object, ...] = ()


class SharingError(SymgradError, BufferError):
    """A tensor cannot be handed to another library as it was asked for."""


class NoSuchName(SymgradError, AttributeError):
    """A module has no part of this name."""


class SympyError(ArgumentTypeError, sp.SympifyError):
    """A tensor was given to a function of SymPy's, which takes expressions."""

    def __init__(self, message: str) -> None:
        sp.SympifyError.__init__(self, message)

    def __str__(self) -> str:
        return str(self.expr)


class PickleError(ArgumentTypeError, pickle.PicklingError):
    """An object cannot be pickled, such as a lambda; the message says what can."""


class FormError(SymgradError, ValueError):
    """A closed form cannot be written in the notation asked for."""


class CrosscheckError(SymgradError, AssertionError):
    """Two readings of the same derivative disagree."""


def shown_as(name: str) -> Callable[[F], F]:
    """Let Python's own errors about arguments call a function by its public name."""

    def rename(fn: F) -> F:
        fn.__name__ = fn.__qualname__ = name
        return fn

    return rename


@contextmanager
def uncovered() -> Iterator[None]:
    """Raise again what a tensor said where NumPy put words of its own before it.

    In ``array[i] = tensor`` it asks for a float, and answers any error by "setting an array element with a sequence".
    """
    try:
        yield
    except ValueError as error:
        said = error.__cause__
        if isinstance(error, SymgradError) or not isinstance(said, (GraphError, ValueNeeded)):
            raise
        raise type(said)(*said.args) from error


class GradcheckError(SymgradError, RuntimeError):
    """``autograd.gradcheck`` found a derivative that differs from its witnesses."""


class ParseError(SymgradError, ValueError):
    """A string is not a formula, or holds what formulas may not hold.

    Attributes:
        place: the position of the error in the text, as a start and an end index; None where there is none.
        reason: what is wrong there, without the line that shows it; None where there is no place.
    """

    place: tuple[int, int] | None = None
    reason: str | None = None


class DistributedError(SymgradError, RuntimeError):
    """A computation on several processes cannot go on: a scheduler was lost, or a worker has other versions."""


class BlockError(DistributedError):
    """A function raised on one block of the data."""


class NanBlockError(BlockError):
    """A function gave nan on one block of the data."""


class MissingExtra(SymgradError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class NotYet(SymgradError, NotImplementedError):
    """symgrad could do this but does not so far."""


class NotDifferentiable(SymgradError, RuntimeError):
    """The operation has no derivative, at any version of symgrad."""
