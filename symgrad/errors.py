"""The errors of symgrad. Each is also the builtin that PyTorch or NumPy would raise.

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
    """The graph does not allow the operation: no gradient, freed values, a leaf modified in place."""


class ShapeError(SymgradError, RuntimeError, ValueError):
    """Shapes do not fit together."""


class ArgumentError(SymgradError, ValueError, RuntimeError):
    """An argument has a value that the function does not accept."""


class NumberRangeError(ArgumentError, OverflowError):
    """A Python number lies outside the range of the tensor's dtype."""


class ArgumentTypeError(SymgradError, TypeError, RuntimeError):
    """An argument has a type that the function does not accept. PyTorch's transforms raise RuntimeError for these."""


class DTypeError(SymgradError, RuntimeError, TypeError):
    """A dtype does not allow the operation, such as a gradient for an integer tensor."""


class IndexRangeError(SymgradError, IndexError):
    """An index or a dimension is out of range."""


class ValueNeeded(SymgradError, RuntimeError):
    """An operation needs the value of a symbol, which has none."""


class LinAlgError(SymgradError, np.linalg.LinAlgError, RuntimeError):
    """A matrix is singular, not positive definite, or otherwise not supported by a factorisation."""


class NotConverged(SymgradError, RuntimeError):
    """A solver did not converge; the message contains the residual, the number of steps and a remedy."""


class NotProved(SymgradError, ValueError):
    """A statement was neither proved nor refuted; ``unresolved`` contains the unresolved parts of the box."""

    unresolved: tuple[object, ...] = ()


class SharingError(SymgradError, BufferError):
    """A tensor cannot be exported to another library as requested."""


class NoSuchName(SymgradError, AttributeError):
    """A module does not have a parameter, buffer or submodule with this name."""


class SympyError(ArgumentTypeError, sp.SympifyError):
    """A tensor was passed to a SymPy function, which accepts expressions only."""

    def __init__(self, message: str) -> None:
        sp.SympifyError.__init__(self, message)

    def __str__(self) -> str:
        return str(self.expr)


class PickleError(ArgumentTypeError, pickle.PicklingError):
    """An object, such as a lambda, cannot be pickled; the message suggests an alternative."""


class FormError(SymgradError, ValueError):
    """A closed form cannot be written in the requested notation."""


class CrosscheckError(SymgradError, AssertionError):
    """Two ways to compute the same derivative disagree."""


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
    """A string is not a formula, or contains something that is not allowed in formulas.

    Attributes:
        place: the position of the error in the text, as a start and an end index; None where there is none.
        reason: what is wrong there, without the line that shows it; None where there is no place.
    """

    place: tuple[int, int] | None = None
    reason: str | None = None


class DistributedError(SymgradError, RuntimeError):
    """A distributed computation cannot continue: a scheduler was lost, or a worker has other versions."""


class BlockError(DistributedError):
    """A function raised an error on one block of the data."""


class NanBlockError(BlockError):
    """A function returned nan on one block of the data."""


class MissingExtra(SymgradError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class NotYet(SymgradError, NotImplementedError):
    """A feature that could be implemented but is not yet."""


class NotDifferentiable(SymgradError, RuntimeError):
    """An operation that is not differentiable."""
