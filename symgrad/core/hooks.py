"""Hooks: functions of the user's that a backward calls on its way, kept on the node whose gradient they look at.

``LIVE`` holds what a sweep must look out for; while it is empty, sweeps run without a question per node.
``record`` says through ``convert_gradients`` how gradients are shown to hooks as tensors.
"""

from __future__ import annotations

import itertools
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from symgrad.core.journal import changing_hooks
from symgrad.errors import ArgumentTypeError, GraphError

Hook = Callable[..., Any]
LIVE: dict[int, None] = {}  # ids of the Hooks that are alive; any entry makes sweeps look at every node
_number = itertools.count().__next__
_Wrap = Callable[[Any], Any]
_wrap: _Wrap
_unwrap: Callable[[Any, Any, str], Any]


def convert_gradients(wrap: _Wrap, unwrap: Callable[[Any, Any, str], Any]) -> None:
    """Show gradients to hooks by ``wrap``, and take what they return by ``unwrap``. Used once."""
    global _wrap, _unwrap
    _wrap, _unwrap = wrap, unwrap


class RemovableHandle:
    """A registered hook: ``remove()`` removes it, and so does the end of a ``with`` block."""

    def __init__(self, hooks: OrderedHooks) -> None:
        self.id = _number()
        self._hooks = weakref.ref(hooks)

    def remove(self) -> None:
        """Remove the hook; further calls have no effect."""
        hooks = self._hooks()
        if hooks is not None:
            changing_hooks(hooks)
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


class OrderedHooks(dict[int, Hook]):
    """Hooks by number, in the order of registration; a dict that can be referred to weakly."""

    __slots__ = ("__weakref__",)

    def add(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Register a hook behind the others, or before them."""
        if not callable(hook):
            raise ArgumentTypeError(f"a hook must be a function, got {type(hook).__name__}. Pass a function.")
        handle = RemovableHandle(self)
        changing_hooks(self)
        others = dict(self) if prepend else {}
        if prepend:
            self.clear()
        self[handle.id] = hook
        self.update(others)
        return handle

    def each(self) -> list[Hook]:
        return list(self.values())


class Hooks:
    """The hooks of one node.

    Attributes:
        tensor: of the gradient with respect to the node's output, before anything else looks at it.
        before: of the cotangents that the node's rule is about to be given.
        behind: of the cotangents that the rule returned.
        accumulated: of a leaf whose ``.grad`` was added to; and the leaf's handle, referred to weakly.
    """

    __slots__ = ("accumulated", "before", "behind", "owner", "tensor")

    def __init__(self) -> None:
        self.tensor, self.before, self.behind = OrderedHooks(), OrderedHooks(), OrderedHooks()
        self.accumulated = OrderedHooks()
        self.owner: Callable[[], Any] = lambda: None
        LIVE[id(self)] = None

    def __del__(self) -> None:
        LIVE.pop(id(self), None)

    def on_gradient(self, g: Any) -> Any:
        """Let the tensor's hooks look at its gradient, and replace it by what they return, or in place."""
        for hook in self.tensor.each():
            shown = _wrap(g)
            returned = hook(shown)
            g = _unwrap(shown if returned is None else returned, g, _name(hook))
        return g

    def on_entry(self, g: Any) -> Any:
        """Let the node's prehooks look at the tuple of its cotangents, which is of one; None stands for zero."""
        for hook in self.before.each():
            shown = (_shown(g),)
            returned = hook(shown)
            (new,) = _tuple(shown if returned is None else returned, 1, hook)
            g = _replaced(new, g, hook)
        return g

    def on_exit(self, g: Any, pulled: list[Any]) -> list[Any]:
        """Let the node's hooks look at the cotangents of its inputs, None for those without."""
        for hook in self.behind.each():
            shown = tuple(map(_shown, pulled))
            returned = hook(shown, (_wrap(g),))
            new = _tuple(shown if returned is None else returned, len(pulled), hook)
            pulled = [_replaced(n, d, hook) for n, d in zip(new, pulled)]
        return pulled

    def on_accumulated(self, leaf: Any) -> None:
        """Tell that the leaf's ``.grad`` is up to date; ``leaf()`` makes a handle where the user's own is gone."""
        for hook in self.accumulated.each():
            owner = self.owner()
            returned = hook(leaf() if owner is None else owner)
            if returned is not None:
                raise GraphError(
                    f"post accumulate grad hooks should return None, got {type(returned).__name__}. Set x.grad instead."
                )


class _Ending(threading.local):
    """What hooks have asked to be called at the end of the sweep that called them, sweeps inside it apart."""

    def __init__(self) -> None:
        self.sweeps: list[list[Callable[[], None]]] = []


_ENDING = _Ending()


def at_end_of_sweep(fn: Callable[[], None]) -> None:
    """Let a hook have a function called once the sweep that calls it is through."""
    _ENDING.sweeps[-1].append(fn)


@contextmanager
def sweeping() -> Iterator[None]:
    """Run a sweep, and then what its hooks requested."""
    _ENDING.sweeps.append([])
    try:
        yield
    except BaseException:
        _ENDING.sweeps.pop()
        raise
    for fn in _ENDING.sweeps.pop():
        fn()


def hooks_of(holder: Any) -> Hooks | None:
    """Return the hooks of a node or a cell, None where there are none."""
    return getattr(holder, "hooks", None)


def hooks_on(holder: Any) -> Hooks:
    """Return the hooks of a node or a cell, made if there are none."""
    hooks = hooks_of(holder)
    if hooks is None:
        hooks = holder.hooks = Hooks()
    return hooks


def _name(hook: Hook) -> str:
    return getattr(hook, "__name__", type(hook).__name__)


def _shown(g: Any) -> Any:
    """Return what hooks are shown of a cotangent: a tensor of their own, which they may change in place."""
    return None if g is None else _wrap(g)


def _replaced(new: Any, g: Any, hook: Hook) -> Any:
    """Return what a hook puts in place of g: None, which is zero, or a tensor in place of one."""
    if new is not None and g is None:
        raise GraphError(
            f"can't replace a None gradient with a non-None value. Hook '{_name(hook)}' got None for an input that "
            "needs no gradient; return None for it."
        )
    return None if new is None else _unwrap(new, g, _name(hook))


def _tuple(answer: Any, count: int, hook: Hook) -> Sequence[Any]:
    values: Sequence[Any] = answer if isinstance(answer, (tuple, list)) else (answer,)
    if len(values) != count:
        raise GraphError(
            f"hook '{_name(hook)}' returned an incorrect number of values (got {len(values)}, but expected {count}). "
            "Return one for each, or None instead of the tuple to leave them as they are."
        )
    return values
