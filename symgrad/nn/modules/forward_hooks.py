"""Hooks that a call of a module runs before and after ``forward``, for one module and for all modules."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from symgrad.core.hooks import Hook, OrderedHooks, RemovableHandle
from symgrad.errors import ArgumentTypeError
from symgrad.nn.modules.backward_hooks import watched
from symgrad.support.notices import warn

GLOBAL: defaultdict[str, OrderedHooks] = defaultdict(OrderedHooks)  # hooks of all modules


class ForwardHook:
    """A hook of ``forward`` with its options."""

    def __init__(self, hook: Hook, with_kwargs: bool, always_call: bool = False) -> None:
        if not callable(hook):
            raise ArgumentTypeError(f"a hook must be a function, got {type(hook).__name__}. Pass a function.")
        self.hook, self.with_kwargs, self.always_call = hook, with_kwargs, always_call

    def __call__(self, *args: Any) -> Any:
        return self.hook(*args)

    def before(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return the arguments, or what the hook puts in their place."""
        if not self.with_kwargs:
            new = self.hook(module, args)
            return (args if new is None else new if isinstance(new, tuple) else (new,)), kwargs
        new = self.hook(module, args, kwargs)
        if new is None:
            return args, kwargs
        if not isinstance(new, tuple) or len(new) != 2:
            raise ArgumentTypeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {new!r}."
            )
        return new

    def behind(self, module: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """Return the result, or what the hook puts in its place."""
        new = self.hook(module, args, *([kwargs] if self.with_kwargs else []), result)
        return result if new is None else new


def called(module: Any, hooks: dict[str, OrderedHooks], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return ``module.forward(*args, **kwargs)``, with hooks."""
    behind: list[Any] = _each(hooks, "behind")
    result = None
    try:
        for hook in _each(hooks, "before"):
            args, kwargs = hook.before(module, args, kwargs)
        first, last = _each(hooks, "backward before"), _each(hooks, "backward")
        if first or last:
            result = watched(module, first, last, args, lambda *xs: module.forward(*xs, **kwargs))
        else:
            result = module.forward(*args, **kwargs)
        while behind:
            result = behind.pop(0).behind(module, args, kwargs, result)
    except Exception:
        _call_always(behind, module, args, kwargs, result)
        raise
    return result


def _each(hooks: dict[str, OrderedHooks], kind: str) -> list[Any]:
    return [h for found in (GLOBAL, hooks) if kind in found for h in found[kind].each()]


def _call_always(left: list[Any], module: Any, args: Any, kwargs: Any, result: Any) -> None:
    """Call the hooks that also run after an error; an error inside such a hook becomes a warning."""
    for hook in left:
        if hook.always_call:
            try:
                hook.behind(module, args, kwargs, result)
            except Exception as error:
                warn(f"module forward hook with ``always_call=True`` raised an exception that was silenced: {error}")


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, args)`` before ``forward`` of every module."""
    return GLOBAL["before"].add(ForwardHook(hook, False))


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call ``hook(module, args, output)`` after ``forward`` of every module."""
    return GLOBAL["behind"].add(ForwardHook(hook, with_kwargs, always_call))


def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_output)`` before the gradients of any module's inputs are computed."""
    return GLOBAL["backward before"].add(hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, grad_input, grad_output)`` after the gradients of any module's inputs are computed."""
    return GLOBAL["backward"].add(hook)


_REGISTERING: defaultdict[str, OrderedHooks] = defaultdict(OrderedHooks)  # hooks of what modules register


def registered(kind: str, module: Any, name: str, value: Any) -> Any:
    """Return what a module registers under a name, or what the hooks put in its place."""
    for hook in _REGISTERING[kind].each() if _REGISTERING else ():
        new = hook(module, name, value)
        value = value if new is None else new
    return value


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` when any module registers a parameter; it may return a replacement."""
    return _REGISTERING["parameter"].add(hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` when any module registers a buffer; it may return a replacement."""
    return _REGISTERING["buffer"].add(hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` when any module registers a submodule; it may return a replacement."""
    return _REGISTERING["module"].add(hook)
