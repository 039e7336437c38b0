"""The base of PyTorch's optimisers: groups of parameters with options, the state of each parameter, saving both.

To write an optimiser, define one method on arrays, ``advance``.
"""

from __future__ import annotations

import copy
import functools
import inspect
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypedDict

import numpy as np

from symgrad.core import modes
from symgrad.core.hooks import Hook, OrderedHooks, RemovableHandle
from symgrad.core.journal import is_gradient_written
from symgrad.core.kernels import canonical
from symgrad.core.pairs import in_parts, of_parts
from symgrad.core.promotion import is_complex, is_differentiable, is_floating, is_integer
from symgrad.engine.generator import Reading, check_untraced, is_traced_for_calls, taken
from symgrad.engine.record import as_tensor, handle
from symgrad.errors import ArgumentError, ArgumentTypeError, DTypeError, GraphError, NotYet, ShapeError
from symgrad.functions import sqrt
from symgrad.support.arguments import check_values
from symgrad.support.namespace import missing_from
from symgrad.tensors.inplace import rebind
from symgrad.tensors.tensor import Tensor

Group = dict[str, Any]
State = dict[str, Any]


class TorchOptions(TypedDict, total=False):
    """PyTorch's options that select how a GPU computes a step; they have no effect here."""

    foreach: bool | None
    fused: bool | None
    capturable: bool
    differentiable: bool


_DEFAULTS: dict[str, Any] = {"foreach": None, "fused": None, "capturable": False, "differentiable": False}
_REFUSED = {"capturable": "it is for graphs of CUDA, and steps run on the CPU; leave it out"}
_STEPS = {"before": OrderedHooks(), "after": OrderedHooks()}  # hooks of every optimiser


def register_optimizer_step_pre_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` before each step of every optimiser."""
    return _STEPS["before"].add(hook)


def register_optimizer_step_post_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(optimizer, args, kwargs)`` after each step of every optimiser."""
    return _STEPS["after"].add(hook)


def check_stepping() -> None:
    """Raise an error for a step while a function is traced."""
    check_untraced("step()", "Call it outside of the compiled function")


class Optimizer:
    """Base class of optimisers. The method ``advance`` computes the step of a parameter from its gradient and state.

    Args:
        params: tensors, or one dict per group, with the tensors as ``"params"`` and options for the group. Pairs of a
            name and a tensor, as in ``model.named_parameters()``, are accepted in place of tensors; the group then
            contains ``"param_names"``.
        defaults: the default options of all groups.

    Raises:
        ArgumentTypeError: if a parameter is not a tensor, or the parameters are in an unordered container.
        ArgumentError: if there are no parameters, one occurs twice, or one is the result of an operation.
    """

    _torchs: tuple[str, ...] = ("foreach", "capturable", "differentiable")  # what PyTorch's groups have of TorchOptions

    def __init__(
        self, params: Iterable[Any], defaults: Mapping[str, Any], torchs: Mapping[str, Any] | None = None
    ) -> None:
        self._refuse(torchs or {})
        self.differentiable = bool((torchs or {}).get("differentiable"))  # whether steps are recorded
        self._hooks: defaultdict[str, OrderedHooks] = defaultdict(OrderedHooks)
        if hasattr(params, "named_parameters"):
            raise ArgumentTypeError(
                f"{type(self).__name__}: got params={type(params).__name__}. Expected its tensors: model.parameters()."
            )
        if isinstance(params, (Tensor, np.ndarray)):
            raise ArgumentTypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"{_typename(params)}. Put it into a list: [x]."
            )
        shown = {} if torchs is None else {k: torchs.get(k, _DEFAULTS[k]) for k in self._torchs}
        self.defaults, self.stepped = {**defaults, **shown}, False
        self.state: defaultdict[Any, State] = defaultdict(dict)
        self.param_groups: list[Group] = []
        groups = _listed(params)
        if not groups:
            raise ArgumentError("optimizer got an empty parameter list. Pass the tensors to optimise.")
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def _refuse(self, torchs: Mapping[str, Any]) -> None:
        """Refuse options of PyTorch's that would change something, and options of nobody's."""
        name = type(self).__name__
        for option, value in torchs.items():
            if option not in TorchOptions.__annotations__:
                raise ArgumentTypeError(
                    f"{name}() got an unexpected keyword argument {option!r}. Expected some of "
                    f"{', '.join(k for k in inspect.signature(type(self)).parameters if k != 'torchs')}."
                )
            if value and option in _REFUSED:
                raise ArgumentError(f"{name}: got {option}={value!r}: {_REFUSED[option]}.")

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in vars(cls):  # a step of its own is hooked as well
            cls.step = hooked_step(vars(cls)["step"])  # type: ignore[method-assign]

    def __getattr__(self, name: str) -> Any:
        raise missing_from(self, name)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k != "_hooks"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        vars(self).update(state, _hooks=defaultdict(OrderedHooks))

    def register_step_pre_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(self, args, kwargs)`` before each step; it may return a pair of new args and kwargs."""
        return self._hooks["before"].add(hook)

    def register_step_post_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(self, args, kwargs)`` after each step."""
        return self._hooks["after"].add(hook)

    def register_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(self)`` before ``state_dict``."""
        return self._hooks["saving"].add(hook, prepend)

    def register_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(self, state_dict)`` after ``state_dict``; if it returns a dict, this dict is used instead."""
        return self._hooks["saved"].add(hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(self, state_dict)`` before ``load_state_dict``; if it returns a dict, this dict is loaded."""
        return self._hooks["loading"].add(hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call ``hook(self)`` after ``load_state_dict``."""
        return self._hooks["loaded"].add(hook, prepend)

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for k, group in enumerate(self.param_groups):
            lines += [f"Parameter Group {k}", *[f"    {n}: {group[n]}" for n in sorted(group) if n != "params"]]
        return "\n".join([*lines, ")"])

    def add_param_group(self, param_group: Group) -> None:
        """Add a group of parameters, ``param_group["params"]``, with its options."""
        if not isinstance(param_group, dict):
            raise ArgumentTypeError(
                f"param_group must be a dict, but got {type(param_group)}. Write {{'params': [x], 'lr': 0.1}}."
            )
        if "params" not in param_group:
            raise ArgumentError(
                f"param_group must have 'params', but got {[*param_group]}. Write {{'params': [x], 'lr': 0.1}}."
            )
        names, params = _named(_ordered(param_group["params"]))
        group = {**self.defaults, **param_group, "params": params, **({"param_names": names} if names else {})}
        for p in group["params"]:
            _check_parameter(p, self.differentiable)
        ids = [id(p) for p in group["params"]]
        if len(set(ids)) < len(ids):
            raise ArgumentError("optimizer contains a parameter group with duplicate parameters. Pass each once.")
        if {id(p) for g in self.param_groups for p in g["params"]} & set(ids):
            raise ArgumentError("some parameters appear in more than one parameter group. Pass each in one of them.")
        self._check_options(group)
        self.param_groups.append(group)

    def _check_options(self, group: Group) -> None:
        check_values(type(self).__init__, {k: v for k, v in group.items() if k != "params"})
        self._check(group)

    def _check(self, group: Group) -> None:
        """Raise an error for invalid options."""

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set the gradients of all parameters to None, or to zero."""
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none or p.grad is not None:
                    p.grad = None if set_to_none else handle(None, canonical(np.zeros(p.shape, p.dtype)))

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Perform one step for every parameter that has a gradient.

        Args:
            closure: a function that recomputes the loss and its gradients; it is called first.

        Returns:
            The result of the closure, or None.
        """
        traced = is_traced_for_calls()
        if not traced:
            check_stepping()
        loss = None
        if closure is not None:
            with modes.enable_grad():
                loss = closure()
        if traced and not any(p.grad is not None for group in self.param_groups for p in group["params"]):
            check_untraced("step()", "Call backward() in the function, too")
        recorded = self.differentiable and modes.is_grad_enabled()
        with modes.set_grad_enabled(recorded), np.errstate(all="ignore"):
            for group in self.param_groups:
                update = functools.partial(self._trace, options=_read_anew(group)) if traced else self._update
                update = self._record if recorded else update
                for p in group["params"]:
                    if p.grad is not None:
                        update(p, group)
        return loss

    def _update(self, p: Any, group: Group) -> None:
        if not self.state[p]:
            self.state[p].update(self.begin(in_parts(p._value), group))
        g = in_parts(p.grad._known("step()"))
        x = self.advance(in_parts(p._value), -g if group["maximize"] else g, group, self.state[p])
        rebind(p, handle(None, canonical(of_parts(x, p.dtype))))

    def _record(self, p: Any, group: Group) -> None:
        """Update a parameter by recorded operations, so that the step is differentiable."""
        name = type(self).__name__
        if p.is_leaf and p.requires_grad:
            raise GraphError(
                f"{name}: a step with differentiable=True would change a leaf that requires grad. Pass p.clone(), and "
                "set its .grad."
            )
        if is_complex(p.dtype):
            raise NotYet(f"{name}: steps of complex parameters are not recorded. Omit differentiable=True.")
        if not self.state[p]:
            self.state[p].update(self.begin(np.asarray(p.detach()), group))
        x = self.advance(p.clone(), -p.grad if group["maximize"] else p.grad, group, self.state[p])
        rebind(p, as_tensor(x))

    def _trace(self, p: Any, group: Group, options: Group) -> None:
        """Update a parameter and its state in place, of which a traced function takes note."""
        name = type(self).__name__
        if p.grad._value is not None and not is_gradient_written(p._node.cell):
            raise GraphError(
                f"{name}: step() of a gradient that was computed outside of the compiled function, and would stay the "
                "same. Call backward() in the function, too."
            )
        if is_complex(p.dtype):
            raise NotYet(f"{name}: steps of complex parameters are not compiled. Call step() outside of the function.")
        state = self.state[p]
        if not state:
            state.update(self.first_state(np.zeros(p.shape, p.dtype), group))
        following = dict(state)
        x = self.advance(p.detach(), -p.grad if group["maximize"] else p.grad, options, following)
        for key, value in following.items():
            if value is not state[key]:
                rebind(state[key], value)
        rebind(p, as_tensor(x))

    def begin(self, x: Any, group: Group) -> State:
        """Return the state of a parameter like x before the first step."""
        return {}

    def first_state(self, x: Any, group: Group) -> State:
        """Return the state from which the first step of a compiled function starts."""
        return self.begin(x, group)

    def advance(self, x: Any, g: Any, group: Group, state: State) -> Any:
        """Return the parameter after one step, given its gradient g. Complex parameters are pairs of real numbers."""
        raise NotImplementedError

    def state_dict(self) -> dict[str, Any]:
        """Return options and state as dicts. Parameters are numbered in the order of the groups."""
        for hook in self._hooks["saving"].each():
            hook(self)
        number: dict[int, int] = {}
        for group in self.param_groups:
            for p in group["params"]:
                number.setdefault(id(p), len(number))
        groups = [{**g, "params": [number[id(p)] for p in g["params"]]} for g in self.param_groups]
        saved = {"state": {number.get(id(p), p): s for p, s in self.state.items()}, "param_groups": groups}
        for hook in self._hooks["saved"].each():
            saved = saved if (returned := hook(self, saved)) is None else returned
        return saved

    def _check_groups(self, loaded: Sequence[Mapping[str, Any]]) -> None:
        """Raise unless the groups of a state are as many and as large as this optimiser's."""
        if len(loaded) != len(self.param_groups):
            raise ArgumentError(
                f"loaded state dict has a different number of parameter groups. Got {len(loaded)}, expected "
                f"{len(self.param_groups)}."
            )
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(loaded, self.param_groups, strict=True)):
            raise ArgumentError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group. "
                "Make the optimiser with the parameters it was saved with."
            )

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Load a copy of a state that ``state_dict`` returned. If there is an error, the optimiser does not change.

        Raises:
            ArgumentError: if the groups differ in number or size, or the optimiser does not have an option or a state.
            ShapeError: if the shape of a state differs from that of its parameter.
            ArgumentTypeError: if a state is complex or not an array, or if state_dict is not the state of an optimiser.
        """
        for hook in self._hooks["loading"].each():
            state_dict = state_dict if (returned := hook(self, state_dict)) is None else returned
        loaded, states = _parts_of(state_dict)
        self._check_groups(loaded)
        groups = [self._merged(group, options) for group, options in zip(self.param_groups, loaded, strict=True)]
        owner = {k: (p, g) for g, old in zip(groups, loaded, strict=True) for k, p in zip(old["params"], g["params"])}
        if len(owner) < sum(len(g["params"]) for g in groups) or not states.keys() <= owner.keys():
            raise ArgumentError(
                f"load_state_dict: states {list(states)} of parameters {list(owner)}. Expected the numbers that "
                "state_dict() gives, each once."
            )
        state = {owner[k][0]: self._restored(k, *owner[k], s) for k, s in states.items()}
        for group, new in zip(self.param_groups, groups, strict=True):
            group.update(new)
        self.state = defaultdict(dict, state)
        for hook in self._hooks["loaded"].each():
            hook(self)

    def _merged(self, group: Group, options: Mapping[str, Any]) -> Group:
        """Return a group with the options that were loaded."""
        new = {**group, **copy.deepcopy({k: v for k, v in options.items() if k != "params"})}
        wrong = [k for k, v in group.items() if k not in ("params", "param_names") and not is_like(v, new[k])]
        if wrong:
            raise ArgumentError(
                f"load_state_dict: the option {wrong[0]} is {new[wrong[0]]!r}. Expected one like {group[wrong[0]]!r}."
            )
        self._check_options(new)
        return new

    def _restored(self, number: int, p: Any, group: Group, state: Mapping[str, Any]) -> State:
        """Return the state of a parameter in the shapes and dtypes that a first step makes."""
        x = in_parts(np.zeros(p.shape, p.dtype))
        made = self.begin(x, group)
        with np.errstate(all="ignore"):
            self.advance(x, x, group, made)
        entries = {k: v for k, v in state.items() if v is not None}
        if entries and not made.keys() <= entries.keys():
            raise refused_state(number, entries, made)
        likes = {k: made.get(k, handle(None, x if getattr(v, "ndim", 0) else 0.0)) for k, v in entries.items()}
        return {
            k: restored(f"{k!r} of parameter {number}", v, likes[k]._value)
            if isinstance(likes[k], Tensor) and (k in made or is_array(v))
            else copy.deepcopy(v)
            for k, v in entries.items()
        }


def hooked_step(step: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method ``step`` that calls the hooks of its optimiser, and those of all, before and after."""

    @functools.wraps(step)
    def call(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        self.stepped = True
        if not (self._hooks or _STEPS["before"] or _STEPS["after"]):
            return step(self, *args, **kwargs)
        for hook in [*_STEPS["before"].each(), *self._hooks["before"].each()]:
            returned = hook(self, (self, *args), kwargs)
            if returned is not None:
                (_, *args), kwargs = returned
        result = step(self, *args, **kwargs)
        for hook in [*self._hooks["after"].each(), *_STEPS["after"].each()]:
            hook(self, (self, *args), kwargs)
        return result

    return call


Optimizer.step = hooked_step(Optimizer.step)  # type: ignore[method-assign]


def _parts_of(state_dict: Any) -> tuple[list[Any], dict[Any, Any]]:
    """Return the groups and the states of what should be a state, whose numbers are not read yet."""
    if isinstance(state_dict, Mapping):
        groups, states = state_dict.get("param_groups"), state_dict.get("state")
        are_groups = isinstance(groups, list) and all(
            isinstance(g, Mapping) and isinstance(g.get("params"), list) and {*map(type, g["params"])} <= {int}
            for g in groups
        )
        if are_groups and isinstance(states, Mapping) and all(isinstance(s, Mapping) for s in states.values()):
            return groups, dict(states)  # type: ignore[return-value]
    raise ArgumentTypeError(
        f"load_state_dict: this {type(state_dict).__name__} is not the state of an optimiser. Expected the result of "
        "state_dict(): a dict of param_groups and state."
    )


def is_like(old: Any, new: Any) -> bool:
    """Return whether an option can replace another one: a number a number, or a tuple one of the same length."""
    if isinstance(old, (tuple, list)):
        same = isinstance(new, (tuple, list)) and (isinstance(old, list) or len(new) == len(old))
        may_lack = any(v is None for v in old)
        return same and all((v is None and may_lack) or is_like(0.0, v) for v in new)
    if isinstance(old, bool) or old is None or isinstance(old, str):
        return new is None or isinstance(new, (bool, np.bool_, str))
    value = getattr(new, "_value", new)
    is_number = isinstance(value, (int, float, np.generic, np.ndarray)) and not isinstance(value, bool)
    return is_number and np.shape(value) in ((), (1,)) and _is_real(np.asarray(value))


def _is_real(x: np.ndarray[Any, Any]) -> bool:
    """Whether an array has real numbers; booleans are none."""
    return is_integer(x.dtype) or is_floating(x.dtype)


def is_array(x: Any) -> bool:
    """Whether x is a tensor or an array, of any library."""
    return hasattr(x, "__array__")


def restored(name: str, value: Any, like: Any) -> Any:
    """Return a loaded array or number as a tensor of the state, in the shape and dtype of another one.

    Raises:
        ArgumentTypeError: if it is complex, or not a number.
        ShapeError: if its shape differs.
    """
    value = value.detach() if hasattr(value, "detach") else value
    array = np.asarray(value if is_array(value) or isinstance(value, (int, float)) else None)
    if not _is_real(array):
        kind = array.dtype if is_array(value) else type(value).__name__
        raise ArgumentTypeError(f"load_state_dict: the state {name} is of {kind}. Expected real numbers.")
    if array.shape != np.shape(like):
        raise ShapeError(
            f"load_state_dict: the state {name} has shape {list(array.shape)}. Expected {list(np.shape(like))}."
        )
    return kept(array.astype(np.asarray(like).dtype))


def refused_state(number: int, state: Mapping[str, Any], expected: Iterable[str]) -> ArgumentError:
    """Return the error of a state that is of another optimiser."""
    return ArgumentError(
        f"load_state_dict: parameter {number} has the state {sorted(map(str, state))}. Expected {sorted(expected)}: "
        "load it into an optimiser like the one that it was saved of."
    )


def _ordered(params: Any) -> list[Any]:
    if isinstance(params, Tensor):
        return [params]
    if isinstance(params, (set, frozenset)):
        raise ArgumentTypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    if not isinstance(params, Iterable) or isinstance(params, (str, bytes)):
        raise ArgumentTypeError(f"params must be a tensor, or a list of tensors, but got {params!r}. Write [x, y].")
    return list(params)


def _listed(params: Iterable[Any]) -> list[Any]:
    """Return the parameters of an optimiser as a list; a dict that is not a group is refused."""
    if isinstance(params, Mapping):
        raise ArgumentTypeError(
            f"optimizer: got a dict with the keys {', '.join(map(repr, [*params][:3]))}, …. Expected tensors, which "
            "state_dict() only copies: pass model.parameters(), or list(tensors.values()) of a dict of your own."
        )
    return list(params)


def _named(params: list[Any]) -> tuple[list[str], list[Any]]:
    """Return the names of parameters, as of ``model.named_parameters()``, and the parameters; without names none."""
    pairs = [p for p in params if isinstance(p, tuple) and len(p) == 2 and isinstance(p[0], str)]
    if pairs and len(pairs) < len(params):
        raise ArgumentError(
            f"all optimizer params should be with/without names. Got names for {len(pairs)} of {len(params)}. Pass "
            "model.named_parameters() or model.parameters()."
        )
    return ([name for name, _ in pairs], [p for _, p in pairs]) if pairs else ([], params)


def _check_parameter(p: Any, differentiable: bool) -> None:
    if not isinstance(p, Tensor):
        raise ArgumentTypeError(
            f"optimizer can only optimize Tensors, but one of the params is {_typename(p)}. "
            "Use sg.tensor(…, requires_grad=True)."
        )
    if not (p.is_leaf or p.retains_grad or differentiable):
        raise ArgumentError("can't optimize a non-leaf Tensor. Pass the leaves that it was computed of.")
    p._known("optimizer")
    if not is_differentiable(p.dtype):
        raise DTypeError(f"optimizer: parameters must be floating-point tensors. Got {p.dtype}; use x.to(sg.float64).")


def _typename(x: Any) -> str:
    kind = type(x)
    return "symgrad.Tensor" if isinstance(x, Tensor) else f"{kind.__module__}.{kind.__name__}".removeprefix("builtins.")


def _read_anew(group: Group) -> Group:
    """Return a group whose rates and momenta a compiled function reads at every call; others are part of its trace."""
    read = [k for k in ("lr", "betas", "momentum") if k in group and not is_zero(group[k])]
    held = {k: v for k, v in group.items() if k not in (*read, "params")}

    def rates() -> list[Any]:
        values = [v for k in read for v in (group[k] if isinstance(group[k], (tuple, list)) else [group[k]])]
        return [np.float64(number("lr", v)) for v in values]

    values = iter(taken(Reading(rates, lambda: all(group[k] == v for k, v in held.items()))))
    traced: Group = {k: (next(values), next(values)) if k == "betas" else next(values) for k in read}
    return {**group, **traced}


def is_zero(value: Any) -> bool:
    """Whether an option is 0; one that is read anew is not."""
    return not isinstance(value, (Tensor, tuple, list)) and value == 0


def kept(value: Any) -> Any:
    """Return an array as a tensor of the state."""
    return value if isinstance(value, Tensor) else handle(None, canonical(value))


def read(state: State, name: str) -> Any:
    """Return a tensor of the state as an array; as it is while a function is traced, and where it has a history."""
    t = state[name]
    return t if t._value is None or t.requires_grad or is_traced_for_calls() else np.asarray(t._value)


def count(state: State, name: str = "step") -> Any:
    """Return a tensor of one number of the state as that number."""
    t = read(state, name)
    return t if isinstance(t, Tensor) else t.item()


def root(x: Any) -> Any:
    """Return the square root of a number or a tensor."""
    return sqrt(x) if isinstance(x, Tensor) else math.sqrt(x)


def number(name: str, value: Any) -> Any:
    """Return an option that may be a tensor or an array of one element."""
    if not isinstance(value, (Tensor, np.ndarray)):
        return value
    if math.prod(value.shape) != 1:
        raise ArgumentError(f"Tensor {name} must be 1-element. Got shape {list(value.shape)}.")
    is_open = isinstance(value, Tensor) and (value._value is None or (value.requires_grad and modes.is_grad_enabled()))
    return value if is_open else value.item()


def check_at_least_zero(what: str, value: Any) -> None:
    """Refuse a negative option, or nan."""
    if not value >= 0:
        raise ArgumentError(f"Invalid {what}: {value}. Expected a number ≥ 0.")
