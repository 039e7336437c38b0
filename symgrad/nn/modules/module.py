"""``nn.Module``: a function with parameters, composed of smaller ones.

The idea is PyTorch's: an attribute is registered according to its type, and every iteration over a model
(parameters, buffers, state, mode, dtype) iterates over its modules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np

from symgrad.core.hooks import OrderedHooks, RemovableHandle
from symgrad.core.journal import changing_items
from symgrad.core.modes import no_grad
from symgrad.core.promotion import is_complex, is_floating, is_symbolic, is_text
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, NoSuchName, ShapeError
from symgrad.nn.modules import forward_hooks
from symgrad.nn.modules.forward_hooks import GLOBAL, ForwardHook, called, registered
from symgrad.nn.parameter import Buffer, Parameter
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.support.namespace import missing_from, near
from symgrad.tensors.tensor import Tensor

Hook = Callable[..., Any]
register_module_forward_pre_hook = forward_hooks.register_module_forward_pre_hook
register_module_forward_hook = forward_hooks.register_module_forward_hook
register_module_full_backward_pre_hook = forward_hooks.register_module_full_backward_pre_hook
register_module_full_backward_hook = forward_hooks.register_module_full_backward_hook
register_module_backward_hook = forward_hooks.register_module_full_backward_hook
register_module_parameter_registration_hook = forward_hooks.register_module_parameter_registration_hook
register_module_buffer_registration_hook = forward_hooks.register_module_buffer_registration_hook
register_module_module_registration_hook = forward_hooks.register_module_module_registration_hook


class Keys(NamedTuple):
    """The keys that ``load_state_dict`` missed in a state, and those that it did not expect."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"Keys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


def _advice(value: Any) -> str:
    """Explain how to turn the value that was passed into a module."""
    if isinstance(value, type):
        return f"Make one of the class: {value.__name__}()."
    if isinstance(value, (list, tuple)):
        return "Unpack the list: nn.Sequential(*layers), or make an nn.ModuleList(layers)."
    if callable(value):
        return "Write the module of the function, as nn.ReLU() for relu, or call the function in forward."
    return "Pass an nn.Module, or None."


class Module:
    """The base class of models. Assign parameters and modules as attributes in ``__init__``; compute in ``forward``.

    >>> class Line(sg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.slope = sg.nn.Parameter([2.0])
    ...     def forward(self, x):
    ...         return self.slope * x
    >>> model = Line()
    >>> model(sg.tensor([3.0]))
    tensor([6.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in model.named_parameters()]
    ['slope']
    """

    training: bool
    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, Module | None]
    _transient: set[str]
    _hooks: defaultdict[str, OrderedHooks]  # by when they are called

    def __init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "training", True)
        for registry in ("_parameters", "_buffers", "_modules"):
            set_(self, registry, {})
        set_(self, "_transient", set())
        set_(self, "_hooks", defaultdict(OrderedHooks))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result. Every subclass defines this method."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function. Define forward(self, x).'
        )

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        if self._hooks or GLOBAL:
            return called(self, self._hooks, args, kwargs)
        return self.forward(*args, **kwargs)

    # -------------------------------------------------------------- attributes
    def __setattr__(self, name: str, value: Any) -> None:
        if "_modules" not in self.__dict__:
            if isinstance(value, (Parameter, Module)):
                kind = "parameters" if isinstance(value, Parameter) else "module"
                raise AttributeError(
                    f"cannot assign {kind} before Module.__init__() call. Call super().__init__() first."
                )
            object.__setattr__(self, name, value)
            return
        changing_items(self)
        if isinstance(value, Parameter):
            self._forget(name, self._parameters)
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            self._forget(name, self._modules)
            self.add_module(name, value)
        elif isinstance(value, Buffer):
            self._forget(name, self._buffers)
            self.register_buffer(name, value, value.persistent)
        else:
            self._assign(name, value)

    def _assign(self, name: str, value: Any) -> None:
        """Put a plain value where a registered one may stand: only its own kind or None replaces that."""
        for kind, registry in (("parameter", self._parameters), ("child module", self._modules)):
            if name in registry:
                if value is not None:
                    raise ArgumentTypeError(
                        f"cannot assign {type(value).__name__!r} as {kind} {name!r}. Expected None or a "
                        f"{'nn.Parameter' if kind == 'parameter' else 'nn.Module'}; del model.{name} frees the name."
                    )
                registry[name] = None
                return
        if name in self._buffers:
            if value is not None and not isinstance(value, Tensor):
                raise ArgumentTypeError(f"cannot assign {type(value).__name__!r} as buffer {name!r}. Use sg.tensor(…).")
            self._buffers[name] = value
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name: str, registry: dict[str, Any]) -> None:
        """Free a name for a registry, in which it keeps its place."""
        for other in (self.__dict__, self._parameters, self._buffers, self._modules):
            if other is not registry:
                other.pop(name, None)

    def __getattr__(self, name: str) -> Any:
        for registry in ("_parameters", "_buffers", "_modules"):
            entries = self.__dict__.get(registry, {})
            if name in entries:
                return entries[name]
        if name.startswith("_") or "_modules" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise missing_from(self, name)

    def __delattr__(self, name: str) -> None:
        changing_items(self)
        for registry in (self._parameters, self._buffers, self._modules):
            if name in registry:
                del registry[name]
                self._transient.discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._modules})

    def _check_name(self, kind: str, name: Any, registry: Mapping[str, Any]) -> None:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{kind} name should be a string. Got {type(name).__name__}.")
        if "." in name or not name:
            raise ArgumentError(f"{kind} name can't be empty or contain '.'. Got {name!r}.")
        taken = (self.__dict__, self._parameters, self._buffers, self._modules)
        if name not in registry and (hasattr(type(self), name) or any(name in names for names in taken)):
            raise ArgumentError(f"attribute {name!r} already exists. Choose another name for the {kind}.")

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Register a parameter under a name, as an assignment does; None reserves the name."""
        self._check_name("parameter", name, self._parameters)
        if param is not None and not isinstance(param, Parameter):
            raise ArgumentTypeError(
                f"cannot assign {type(param).__name__!r} as parameter {name!r}. Use nn.Parameter(…)."
            )
        changing_items(self)
        self._parameters[name] = registered("parameter", self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a tensor that is part of the state but not learned, such as a running mean.

        Args:
            name: the name of the attribute.
            tensor: its value, or None.
            persistent: whether ``state_dict`` includes it.
        """
        self._check_name("buffer", name, self._buffers)
        if tensor is not None and not isinstance(tensor, Tensor):
            raise ArgumentTypeError(f"cannot assign {type(tensor).__name__!r} as buffer {name!r}. Use sg.tensor(…).")
        changing_items(self)
        self._buffers[name] = registered("buffer", self, name, tensor)
        (self._transient.discard if persistent else self._transient.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Register a module under a name, as an assignment does."""
        self._check_name("module", name, self._modules)
        if module is not None and not isinstance(module, Module):
            raise ArgumentTypeError(f"{type(module).__name__} is not a Module subclass. {_advice(module)}")
        changing_items(self)
        self._modules[name] = registered("module", self, name, module)

    register_module = add_module

    # -------------------------------------------------------------- walks
    def named_modules(self, memo: set[int] | None = None, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """Iterate over all modules with their dotted names, this one first. A shared module occurs once."""
        seen = set() if memo is None else memo
        if id(self) in seen:
            return
        seen.add(id(self))
        yield prefix, self
        for name, child in self._modules.items():
            if child is not None:
                yield from child.named_modules(seen, f"{prefix}.{name}" if prefix else name)

    def modules(self) -> Iterator[Module]:
        """Iterate over all modules, this one first."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Iterate over the direct submodules, with their names."""
        seen: dict[int, None] = {}
        for name, child in self._modules.items():
            if child is not None and id(child) not in seen:
                seen[id(child)] = None
                yield name, child

    def children(self) -> Iterator[Module]:
        """Iterate over the direct submodules."""
        return (child for _, child in self.named_children())

    def _named(self, registry: str, prefix: str, recurse: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        for path, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for name, value in getattr(module, registry).items():
                if value is not None and id(value) not in seen:
                    seen.add(id(value))
                    yield f"{path}.{name}" if path else name, value

    def named_parameters(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Iterate over all parameters with their dotted names. A shared parameter occurs once."""
        return self._named("_parameters", prefix, recurse)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Iterate over all parameters, for example to pass them to an optimiser."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(self, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Iterate over all buffers with their dotted names."""
        return self._named("_buffers", prefix, recurse)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Iterate over the buffers of the module and of its submodules."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """Return the module with a dotted name; ``""`` is this module."""
        module: Any = self
        for step in target.split(".") if target else []:
            child = module._modules.get(step)
            if child is None:
                raise NoSuchName(f"{type(module).__name__} has no attribute `{step}`{near(step, module._modules)}")
            module = child
        return module  # type: ignore[no-any-return]

    def get_parameter(self, target: str) -> Parameter:
        """Return the parameter with a dotted name."""
        found: Parameter = self._owned(target, "parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """Return the buffer with a dotted name."""
        found: Tensor = self._owned(target, "buffer")
        return found

    def _owned(self, target: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        owner = self.get_submodule(path)
        table = getattr(owner, f"_{kind}s")
        if table.get(name) is None:
            raise NoSuchName(f"{type(owner).__name__} has no {kind} `{name}`{near(name, table)}")
        return table[name]

    def apply(self, fn: Callable[[Module], Any]) -> Self:
        """Call ``fn(module)`` for every module, children first, and return this module."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # -------------------------------------------------------------- mode and dtype
    def train(self, mode: bool = True) -> Self:
        """Set the mode of all modules. Dropout and batch normalisation behave differently in training."""
        if not isinstance(mode, bool):
            raise ArgumentError(f"training mode is expected to be boolean. Got {mode!r}.")
        for module in self.modules():
            changing_items(module)
            object.__setattr__(module, "training", mode)
        return self

    def eval(self) -> Self:
        """Set evaluation mode, like ``train(False)``."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of all parameters; False freezes them."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zero."""
        for p in self.parameters():
            if p.grad is not None:
                p.grad = None if set_to_none else p.grad * 0

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers in place, as in ``model.to(sg.float32)``. The device is "cpu".

        The parameters remain the same objects, so an optimiser that was created before remains valid.
        """
        as_tensor(0.0).to(*args, **kwargs)  # errors come also of a model without parameters
        with no_grad():
            for t in [*self.parameters(), *self.buffers()]:
                if is_floating(t.dtype):
                    _rewrite(t, t.detach().to(*args, **kwargs))
        return self

    def double(self) -> Self:
        """Convert to float64."""
        return self.to(np.dtype(np.float64))

    def float(self) -> Self:
        """Convert to float32."""
        return self.to(np.dtype(np.float32))

    def half(self) -> Self:
        """Convert to float16."""
        return self.to(np.dtype(np.float16))

    def cpu(self) -> Self:
        """Return the model. All tensors are on the CPU."""
        return self

    def cuda(self, device: Any = None) -> Self:
        """Raise an error, because the device does not exist."""
        return self.to("cuda")

    # -------------------------------------------------------------- state
    def state_dict(
        self, *, destination: dict[str, Any] | None = None, prefix: str = "", keep_vars: bool = False
    ) -> dict[str, Any]:
        """Return a dict of parameters and persistent buffers by dotted name.

        Args:
            destination: a dict to add them to, which is returned.
            prefix: a prefix for each name.
            keep_vars: whether to return the parameters themselves. By default, their current values are returned,
                which later steps do not change.
        """
        state: dict[str, Any] = {} if destination is None else destination
        for hook in self._hooks["saving"].each() if self._hooks else ():
            hook(self, prefix, keep_vars)
        state.update({name: t if keep_vars else t.detach() for name, t in self._own_state(prefix)})
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._hooks["saved"].each() if self._hooks else ():
            new = hook(self, state, prefix, {})
            state = state if new is None else new
        return state

    def _own_state(self, prefix: str = "") -> Iterator[tuple[str, Any]]:
        for name, t in self._parameters.items():
            if t is not None:
                yield prefix + name, t
        for name, b in self._buffers.items():
            if b is not None and name not in self._transient:
                yield prefix + name, b

    def _state(self, prefix: str = "") -> Iterator[tuple[str, Any]]:
        yield from self._own_state(prefix)
        for name, child in self._modules.items():
            if child is not None:
                yield from child._state(f"{prefix}{name}.")

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> Keys:
        """Load the values of a state. If there is an error, the model does not change.

        Args:
            state_dict: tensors or arrays by dotted name, as returned by ``state_dict``, or by PyTorch's.
            strict: whether names must match exactly.

        Returns:
            The missing and the unexpected names, both empty with ``strict``.

        Raises:
            ShapeError: if a shape differs, or if a value is complex but the model is real.
            ArgumentError: if names differ, with ``strict``.
        """
        if not isinstance(state_dict, Mapping):
            raise ArgumentTypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        state_dict, errors = self._before_loading(state_dict, strict)
        own = dict(self._state())
        keys = Keys([k for k in own if k not in state_dict], [k for k in state_dict if k not in own])
        values = {k: as_tensor(_array(k, state_dict[k])) for k in own if k in state_dict}
        wrong = _mismatches(values, own)
        hooks = [(m, hook) for m in self.modules() if m._hooks for hook in m._hooks["loaded"].each()]
        if hooks and not wrong:  # they see the values, and may take names out of the keys
            self._load(own, values)
            for module, hook in hooks:
                hook(module, keys)
        told = (_listed("Unexpected", keys.unexpected_keys) + _listed("Missing", keys.missing_keys)) if strict else []
        _refuse(f"Error(s) in loading state_dict for {type(self).__name__}:", told + errors, wrong)
        if not hooks:
            self._load(own, values)
        return keys

    def _load(self, own: Mapping[str, Any], values: Mapping[str, Any]) -> None:
        with no_grad():
            for k, v in values.items():
                own[k].copy_(v)

    def _before_loading(self, state_dict: Mapping[str, Any], strict: bool) -> tuple[Mapping[str, Any], list[str]]:
        """Let hooks change a copy of the state; return it, and the errors that they tell."""
        hooks = [(p, m, h) for p, m in self.named_modules() if m._hooks for h in m._hooks["loading"].each()]
        state, errors = dict(state_dict) if hooks else state_dict, list[str]()
        for path, module, hook in hooks:
            hook(module, state, f"{path}." if path else "", {}, strict, [], [], errors)
        return state, errors

    @contextmanager
    def holding(self, values: Mapping[str, Any], strict: bool = False, tied: bool = False) -> Iterator[None]:
        """Replace parameters and buffers, given by dotted name, by other tensors inside the block."""
        places: dict[str, tuple[dict[str, Any], str]] = {}
        for path, module in self.named_modules():
            changing_items(module)
            for registry in (module._parameters, module._buffers):
                places |= {f"{path}.{name}" if path else name: (registry, name) for name in registry}
        unknown = [k for k in values if k not in places]
        missing = [k for k, (registry, name) in places.items() if k not in values and registry[name] is not None]
        if unknown or (strict and missing):
            what = f"unexpected {unknown}" if unknown else f"missing {missing}"
            hint = near(str(unknown[0]), places) if unknown else ""
            raise ArgumentError(
                f"functional_call: {what} among the parameters and buffers of {type(self).__name__}{hint}"
            )
        if tied:
            held = {k: registry[name] for k, (registry, name) in places.items()}
            same = {id(held[k]): value for k, value in values.items() if held[k] is not None}
            values = {**values, **{k: same[id(t)] for k, t in held.items() if id(t) in same and k not in values}}
        before = {k: places[k][0][places[k][1]] for k in values}
        try:
            for k, value in values.items():
                places[k][0][places[k][1]] = value if isinstance(value, Tensor) else as_tensor(value)
            yield
        finally:
            for k, value in before.items():
                places[k][0][places[k][1]] = value

    # -------------------------------------------------------------- hooks, printing
    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args)`` before ``forward``; its result, unless it is None, replaces args.

        Args:
            hook: the function.
            prepend: whether to call it before the existing hooks.
            with_kwargs: whether to call ``hook(module, args, kwargs)``, which returns a pair (args, kwargs) or None.
        """
        return self._hooks["before"].add(ForwardHook(hook, with_kwargs), prepend)

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call ``hook(module, args, output)`` after ``forward``; its result, unless it is None, replaces the output.

        Args:
            hook: the function.
            prepend: whether to call it before the existing hooks.
            with_kwargs: whether to call ``hook(module, args, kwargs, output)``.
            always_call: whether to call it even if ``forward`` raises an error.
        """
        return self._hooks["behind"].add(ForwardHook(hook, with_kwargs, always_call), prepend)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_output)`` before the gradients of the module's inputs are computed.

        Its result, unless it is None, replaces grad_output.
        """
        return self._hooks["backward before"].add(hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(module, grad_input, grad_output)`` after the gradients of the module's inputs are computed.

        Its result, unless it is None, replaces grad_input.
        """
        return self._hooks["backward"].add(hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, prefix, keep_vars)`` before the module adds its values to ``state_dict``."""
        return self._hooks["saving"].add(hook)

    def register_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, state_dict, prefix, metadata)`` after the module has added its values."""
        return self._hooks["saved"].add(hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call a hook that changes the state before it is loaded.

        Its arguments are module, state_dict, prefix, metadata, strict, missing_keys, unexpected_keys and error_msgs.
        """
        return self._hooks["loading"].add(hook)

    def register_load_state_dict_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(module, keys)`` after loading, with the missing and unexpected keys, which it may change."""
        return self._hooks["loaded"].add(hook)

    def extra_repr(self) -> str:
        """Return the text to print between the parentheses of the module's representation."""
        return ""

    def __repr__(self) -> str:
        inside = [line for line in [self.extra_repr()] if line]
        children = [f"({name}): " + repr(child).replace("\n", "\n  ") for name, child in self._modules.items()]
        if not children:
            return f"{type(self).__name__}({''.join(inside)})"
        return f"{type(self).__name__}(\n  " + "\n  ".join(inside + children) + "\n)"


def _mismatches(values: Mapping[str, Any], own: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with values that have another kind of numbers, or shape, than the model's."""
    wrong = [
        f"complex values for {k}: copying {v.dtype} from checkpoint, the current model has {own[k].dtype}."
        for k, v in values.items()
        if is_complex(v.dtype) and not is_complex(own[k].dtype)
    ]
    return wrong + [
        f"size mismatch for {k}: copying a param with shape {show_shape(v.shape)} from checkpoint, the shape in "
        f"current model is {show_shape(own[k].shape)}."
        for k, v in values.items()
        if v.shape != own[k].shape
    ]


def _refuse(title: str, names: list[str], mismatches: list[str]) -> None:
    """Raise where there are names or values that do not fit."""
    if names or mismatches:
        kind = ShapeError if mismatches else ArgumentError
        raise kind("\n\t".join([title, *names, *mismatches]))


def _listed(what: str, names: list[str]) -> list[str]:
    return [f"{what} key(s) in state_dict: {', '.join(map(repr, names))}."] if names else []


def _array(name: str, value: Any) -> np.ndarray[Any, Any]:
    """A value of a state as an array: a tensor of ours or of others, an array, a number."""
    value = value.detach() if hasattr(value, "detach") else value
    array = np.asarray(value if hasattr(value, "__array__") or isinstance(value, (int, float)) else None)
    if is_symbolic(array.dtype) or is_text(array.dtype):
        kind = array.dtype if hasattr(value, "__array__") else type(value).__name__
        raise ArgumentTypeError(f"load_state_dict: {name!r} is a {kind}. Expected a tensor or an array.")
    return array


def _rewrite(t: Tensor, new: Tensor) -> None:
    """Give a tensor another dtype where it is: whoever holds it sees the change."""
    gradient = t.grad
    t.grad = None
    t.data = new
    if gradient is not None:
        t.grad = gradient.detach().to(t.dtype)


__all__ = ["Keys", "Module"]


check_all(globals(), __all__)
