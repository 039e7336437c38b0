"""Grad mode, inference mode and the default dtype. Context variables: right across threads and tasks."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Self, TypeVar

import numpy as np

from symgrad.core.promotion import is_floating
from symgrad.errors import ArgumentTypeError
from symgrad.support.arguments import check_all, checked

__all__ = [
    "enable_grad", "get_default_dtype", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled",
    "no_grad", "set_default_dtype", "set_grad_enabled",
]  # fmt: skip

F = TypeVar("F", bound=Callable[..., Any])

_FLOAT64: np.dtype[Any] = np.dtype(np.float64)
_GRAD: ContextVar[bool] = ContextVar("symgrad_grad_mode", default=True)
_INFERENCE: ContextVar[bool] = ContextVar("symgrad_inference_mode", default=False)
_DTYPE: ContextVar[np.dtype[Any]] = ContextVar("symgrad_default_dtype", default=_FLOAT64)
_VARIABLES: ContextVar[tuple[Any, ...] | None] = ContextVar("symgrad_variables", default=None)
_OPENING: ContextVar[bool] = ContextVar("symgrad_opening", default=False)
_LEAVES: ContextVar[bool] = ContextVar("symgrad_leaves", default=True)


class _Met:
    """Whether anything complex was recorded in this process: until then sweeps need not look for it."""

    met = False


complexes = _Met()
recording = _GRAD.get  # the hot path's name for is_grad_enabled


def is_grad_enabled() -> bool:
    """Return whether operations are recorded."""
    return _GRAD.get()


def is_inference_mode_enabled() -> bool:
    """Return whether ``inference_mode`` is active."""
    return _INFERENCE.get()


def now() -> tuple[bool, bool, np.dtype[Any]]:
    """Return the modes that hold here, for ``go_back``."""
    return _GRAD.get(), _INFERENCE.get(), _DTYPE.get()


def go_back(before: tuple[bool, bool, np.dtype[Any]]) -> None:
    """Let the modes hold that held before."""
    _GRAD.set(before[0])
    _INFERENCE.set(before[1])
    _DTYPE.set(before[2])


def variables() -> tuple[Any, ...] | None:
    """Return the nodes of the variables of all transforms that run here; None where none does."""
    return _VARIABLES.get()


def transformed() -> bool:
    """Return whether a transform that is running may differentiate or map the recorded operations."""
    return _GRAD.get() and _VARIABLES.get() is not None


def making_leaves() -> bool:
    """Tell whether ``requires_grad_()`` may make leaves here: a transform would take them for constants."""
    return _LEAVES.get()


@contextmanager
def transforming(nodes: Iterable[Any], leaves: bool = False) -> Iterator[None]:
    """Run a user's function in a transform: what it computes from these nodes is to be differentiated."""
    tokens = _VARIABLES.set((*(_VARIABLES.get() or ()), *nodes)), _LEAVES.set(leaves and _LEAVES.get())
    try:
        yield
    finally:
        _VARIABLES.reset(tokens[0])
        _LEAVES.reset(tokens[1])


def opens() -> bool:
    """Tell whether custom functions are recorded as the operations that they are made of, with values as without."""
    return _OPENING.get()


@contextmanager
def opening() -> Iterator[None]:
    """Run a user's function, recording every operation, since its record is walked by rules other than the sweeps'."""
    token = _OPENING.set(True)
    try:
        yield
    finally:
        _OPENING.reset(token)


class _Mode:
    """Context manager and decorator that sets context variables and puts them back."""

    def __init__(self, *, grad: bool, inference: bool | None = None) -> None:
        self._grad, self._inference = grad, inference
        self._before: list[tuple[bool, bool]] = []

    # A KeyboardInterrupt is raised behind a call, or at the first step of a method. Wherever one comes in
    # ``__enter__``, nothing has changed; in ``__exit__``, all is put back, but for one at the very first step.
    def __enter__(self) -> Self:
        before = self._now()
        inference = before[1] if self._inference is None else self._inference
        try:
            _INFERENCE.set(inference)
            _GRAD.set(self._grad)
            self._before += [before]  # an instruction, no call
            return self
        except BaseException:
            _INFERENCE.set(before[1])
            _GRAD.set(before[0])
            raise

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            _GRAD.set(self._before[-1][0])
        finally:
            try:
                _INFERENCE.set(self._before[-1][1])
            finally:
                del self._before[-1]

    def _now(self) -> tuple[bool, bool]:
        return _GRAD.get(), _INFERENCE.get()

    def _copy(self) -> _Mode:
        return _Mode(grad=self._grad, inference=self._inference)

    def __call__(self, fn: F) -> F:
        """Decorate a function; of a generator or coroutine function, every resumption runs in this mode."""
        if inspect.isgeneratorfunction(fn):
            return self._wrap_generator(fn)  # type: ignore[return-value]
        if inspect.iscoroutinefunction(fn):
            return self._wrap_coroutine(fn)  # type: ignore[return-value]

        @functools.wraps(fn)
        def inside(*args: Any, **kwargs: Any) -> Any:
            before = _GRAD.get(), _INFERENCE.get()
            try:
                _INFERENCE.set(before[1] if self._inference is None else self._inference)
                _GRAD.set(self._grad)
                return fn(*args, **kwargs)
            finally:  # written out, since an interrupt can come before the first step of an ``__exit__``
                try:
                    _GRAD.set(before[0])
                finally:
                    _INFERENCE.set(before[1])

        return inside  # type: ignore[return-value]

    def _wrap_generator(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def inside(*args: Any, **kwargs: Any) -> Any:
            mode = self._copy()
            with mode:
                generator = fn(*args, **kwargs)
            send, payload = generator.send, None
            while True:
                try:
                    with mode:
                        item = send(payload)
                        mode._grad, mode._inference = _GRAD.get(), _INFERENCE.get()  # a with block may be open inside
                except StopIteration as stop:
                    return stop.value
                try:
                    payload = yield item
                    send = generator.send
                except GeneratorExit:
                    with mode:
                        generator.close()
                    raise
                except BaseException as error:
                    payload, send = error, generator.throw

        return inside

    def _wrap_coroutine(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        # A coroutine is resumed as a generator is: by send, throw and close.
        resumed: Callable[..., Awaitable[Any]] = types.coroutine(self._wrap_generator(fn))

        @functools.wraps(fn)
        async def inside(*args: Any, **kwargs: Any) -> Any:
            return await resumed(*args, **kwargs)

        return inside


class _Switch(_Mode):
    """A mode that is a decorator without brackets, too."""

    def __new__(cls, fn: Callable[..., Any] | None = None) -> Any:
        mode = super().__new__(cls)
        if fn is None:
            return mode
        mode.__init__()  # type: ignore[misc]
        return mode(fn)


class no_grad(_Switch):
    """Disable the recording of operations, as a context manager or decorator. Results do not require a gradient."""

    def __init__(self) -> None:
        super().__init__(grad=False)


class enable_grad(_Switch):
    """Enable the recording of operations, also inside ``no_grad``, as a context manager or decorator."""

    def __init__(self) -> None:
        super().__init__(grad=True)


class set_grad_enabled(_Mode):
    """Enable or disable the recording of operations, immediately, or inside a ``with`` block."""

    def __init__(self, mode: bool) -> None:
        super().__init__(grad=bool(mode))
        self._previous = _GRAD.get()
        _GRAD.set(self._grad)

    def __enter__(self) -> Self:
        try:
            return super().__enter__()
        except BaseException:
            _GRAD.set(self._previous)
            raise

    def _now(self) -> tuple[bool, bool]:
        return self._previous, _INFERENCE.get()

    def __call__(self, fn: F) -> F:
        _GRAD.set(self._previous)
        return super().__call__(fn)


class inference_mode(_Mode):
    """Disable the recording of operations, like ``no_grad``; in symgrad the two are equivalent."""

    def __new__(cls, mode: Any = True) -> Any:
        made = super().__new__(cls)
        if not callable(mode):
            return made
        made.__init__()  # type: ignore[misc]
        return made(mode)

    def __init__(self, mode: bool = True) -> None:
        super().__init__(grad=not mode, inference=bool(mode))


@checked
def set_default_dtype(dtype: Any) -> None:
    """Set the dtype of tensors that are created from Python floats: float64 (the default) or float32.

    Raises:
        ArgumentTypeError: if the dtype is not floating point.
    """
    chosen = np.dtype(dtype)
    if not is_floating(chosen):
        raise ArgumentTypeError(
            f"only floating-point types are supported as the default type. Got {chosen}; pass sg.float64 or sg.float32."
        )
    _DTYPE.set(chosen)


def get_default_dtype() -> np.dtype[Any]:
    """Return the dtype of tensors made from Python floats."""
    return _DTYPE.get()


check_all(globals(), ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled"])
