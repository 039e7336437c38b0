"""Recurrent networks: a cell computes one step, and a network applies it along a sequence, in layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from symgrad.core.modes import get_default_dtype, no_grad
from symgrad.engine.generator import tape
from symgrad.engine.record import as_tensor
from symgrad.errors import ArgumentError, ArgumentTypeError, ShapeError
from symgrad.functions import cat, relu, sigmoid, stack, tanh, where
from symgrad.nn import functional as F
from symgrad.nn.modules.module import Module
from symgrad.nn.parameter import Parameter
from symgrad.nn.sequences import PackedSequence, pad_packed, repack
from symgrad.ops.map import show_shape
from symgrad.support.arguments import check_all
from symgrad.tensors.creation import arange, zeros
from symgrad.transforms.loops import scan

State = tuple[Any, ...]  # h, and of an LSTM c


# ------------------------------------------------------------------ one step, of a = W x + b and the states
def _plain(act: Callable[[Any], Any]) -> Callable[..., State]:
    def step(a: Any, state: State, w: Any) -> State:
        return (act(a + F.linear(state[0], w[1], w[3])),)

    return step


def _lstm(a: Any, state: State, w: Any) -> State:
    i, f, g, o = (a + F.linear(state[0], w[1], w[3])).chunk(4, -1)
    c = sigmoid(f) * state[1] + sigmoid(i) * tanh(g)
    h = sigmoid(o) * tanh(c)
    return (h if w[4] is None else F.linear(h, w[4]), c)


def _gru(a: Any, state: State, w: Any) -> State:
    ir, iz, i_n = a.chunk(3, -1)
    hr, hz, hn = F.linear(state[0], w[1], w[3]).chunk(3, -1)
    z, n = sigmoid(iz + hz), tanh(i_n + sigmoid(ir + hr) * hn)
    return (n + z * (state[0] - n),)


_STEPS = {"tanh": (1, _plain(tanh)), "relu": (1, _plain(relu)), "lstm": (4, _lstm), "gru": (3, _gru)}  # gates, step
_KINDS = ("weight_ih", "weight_hh", "bias_ih", "bias_hh", "weight_hr")


class _Recurrent(Module):
    """Base class of cells and networks: weights of gates, drawn from U(-1/√hidden_size, 1/√hidden_size)."""

    kind: ClassVar[str] = ""
    input_size: int
    hidden_size: int

    def _step(self) -> tuple[int, Callable[..., State]]:
        kind = self.kind or self.nonlinearity
        if kind not in _STEPS:
            raise ArgumentError(f"Unknown nonlinearity {kind!r}. Select from 'tanh' or 'relu'.")
        return _STEPS[kind]

    def _register(self, suffix: str, size: int, bias: bool, proj_size: int, dtype: Any) -> None:
        rows, out = self._step()[0] * self.hidden_size, proj_size or self.hidden_size
        shapes: list[tuple[int, ...]] = [(rows, size), (rows, out)]
        shapes += [(rows,), (rows,)] if bias else []
        names = list(_KINDS[: len(shapes)])
        if proj_size:
            shapes, names = [*shapes, (proj_size, self.hidden_size)], [*names, _KINDS[4]]
        for name, shape in zip(names, shapes, strict=True):
            made = Parameter(np.zeros(shape, get_default_dtype() if dtype is None else dtype))
            self.register_parameter(name + suffix, made)

    def _weights(self, suffix: str) -> list[Any]:
        return [self._parameters.get(name + suffix) for name in _KINDS]

    def reset_parameters(self) -> None:
        """Draw new weights."""
        bound = 1 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0.0
        with no_grad():
            for p in self.parameters():
                p.uniform_(-bound, bound)


def _check_size(name: str, hidden_size: Any) -> None:
    if not isinstance(hidden_size, int):
        raise ArgumentTypeError(f"{name}: hidden_size should be of type int, got: {type(hidden_size).__name__}.")
    if hidden_size <= 0:
        raise ArgumentError(f"{name}: hidden_size must be greater than zero. Got {hidden_size}.")


class _Cell(_Recurrent):
    """One step of a recurrent network, from inputs (N, input_size) and states (N, hidden_size) to the next states."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        _check_size(type(self).__name__, hidden_size)
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        self._register("", input_size, bias, 0, dtype)
        self.reset_parameters()

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the next state: h, or (h, c) for an LSTM."""
        input, many = as_tensor(input), self.kind == "lstm"
        if input.ndim not in (1, 2) or input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: Expected input to be (N, {self.input_size}) or ({self.input_size},), "
                f"got {show_shape(input.shape)}."
            )
        shape = (*input.shape[:-1], self.hidden_size)
        state = (zeros(shape, dtype=input.dtype),) * (1 + many) if hx is None else tuple(hx) if many else (hx,)
        for h in state:
            if tuple(h.shape) != shape:
                raise ShapeError(f"{type(self).__name__}: Expected hidden to be {shape}, got {show_shape(h.shape)}.")
        w = self._weights("")
        y = self._step()[1](F.linear(input, w[0], w[2]), state, w)
        return y if many else y[0]

    def extra_repr(self) -> str:
        mode = getattr(self, "nonlinearity", "tanh")
        bias = "" if self.bias else f", bias={self.bias}"
        return f"{self.input_size}, {self.hidden_size}{bias}" + ("" if mode == "tanh" else f", nonlinearity={mode}")


class RNNCell(_Cell):
    """A recurrent cell: h′ = tanh(W x + b + U h + d), or relu instead of tanh."""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        object.__setattr__(self, "nonlinearity", nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)


class LSTMCell(_Cell):
    """An LSTM cell: c′ = σ(f) c + σ(i) tanh g and h′ = σ(o) tanh c′, where (i, f, g, o) = W x + b + U h + d.

    Source: Hochreiter and Schmidhuber 1997, "Long short-term memory".
    """

    kind = "lstm"


class GRUCell(_Cell):
    """A GRU cell: h′ = (1 - z) n + z h, with n = tanh(Wₙ x + bₙ + r (Uₙ h + dₙ)) and (r, z) = σ(W x + b + U h + d).

    Source: Cho et al. 2014, "Learning phrase representations using RNN encoder-decoder".
    """

    kind = "gru"


# ------------------------------------------------------------------ along a sequence
_MODES = ("RNN_TANH", "RNN_RELU", "LSTM", "GRU")


class RNNBase(_Recurrent):
    """Apply a cell along a sequence, in one or more layers, and in both directions if ``bidirectional`` is set.

    Args:
        mode: the kind of cell: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        input_size, hidden_size: the lengths of x_t and of h_t.
        num_layers: the number of layers; each processes the output of the previous one.
        bias: whether the cells have b and d.
        batch_first: whether sequences have the shape (N, T, …) instead of (T, N, …).
        dropout: the probability that an entry between layers is set to 0 in training.
        bidirectional: whether each layer also runs from the end to the start, and concatenates both outputs.
        proj_size: for an LSTM, the length to which h is projected.
        device, dtype: the device, which is the CPU, and the dtype of the parameters, by default the default dtype.

    Call it with x, (T, N, input_size), (T, input_size) or a packed sequence, and the initial states,
    (num_layers · directions, N, hidden_size), by default zeros. It returns the outputs of the last layer and the final
    states of all layers. The states of an LSTM are pairs (h, c).
    """

    def __init__(
        self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        name, (kind, _, nonlinearity) = type(self).__name__, mode.partition("_")
        if mode not in _MODES:
            raise ArgumentError(f"{name}: got mode={mode!r}. Expected one of {', '.join(_MODES)}.")
        object.__setattr__(self, "kind", "" if nonlinearity else kind.lower())
        if nonlinearity:
            self.nonlinearity = nonlinearity.lower()
        _check_size(name, hidden_size)
        if num_layers < 1:
            raise ArgumentError(f"{name}: num_layers must be greater than zero. Got {num_layers}.")
        if isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ArgumentError(f"{name}: dropout should be a number in range [0, 1], got {dropout}.")
        if proj_size and (self.kind != "lstm" or not 0 < proj_size < hidden_size):
            raise ArgumentError(f"proj_size argument is only supported for LSTM, below hidden_size. Got {proj_size}.")
        self.input_size, self.hidden_size, self.num_layers, self.bias = input_size, hidden_size, num_layers, bias
        self.batch_first, self.dropout, self.bidirectional = batch_first, float(dropout), bidirectional
        self.proj_size = proj_size
        for layer, size in enumerate([input_size] + [self._out() * (1 + bidirectional)] * (num_layers - 1)):
            for end in self._ends():
                self._register(f"_l{layer}{end}", size, bias, proj_size, dtype)
        self.reset_parameters()

    def _out(self) -> int:
        return self.proj_size or self.hidden_size

    def _ends(self) -> list[str]:
        return ["", "_reverse"] if self.bidirectional else [""]

    @property
    def all_weights(self) -> list[list[Any]]:
        """Return the parameters of each layer and direction."""
        suffixes = [f"_l{k}{end}" for k in range(self.num_layers) for end in self._ends()]
        return [[w for w in self._weights(s) if w is not None] for s in suffixes]

    def flatten_parameters(self) -> None:
        """Do nothing. In PyTorch, this method compacts the weights in the memory of a GPU."""

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the outputs of the last layer, and the final states of all layers."""
        packed = input if isinstance(input, PackedSequence) else None
        x, lengths = pad_packed(packed) if packed else (as_tensor(input), None)
        single = x.ndim == 2
        if x.ndim not in (2, 3) or x.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: Expected input to be 2D or 3D with input.size(-1) equal to input_size, "
                f"{self.input_size}, got {show_shape(x.shape)}."
            )
        turned = self.batch_first and not single and packed is None
        x = x[:, None] if single else x.transpose(0, 1) if turned else x
        states = self._first(x, hx, single, packed)
        y, last = self._run(x, states, lengths)
        y = y.transpose(0, 1) if turned else y
        if packed:
            y = repack(y, packed)
            back = packed.unsorted_indices
            last = last if back is None else tuple(s.index_select(1, back) for s in last)
        elif single:
            y, last = y[:, 0], tuple(s[:, 0] for s in last)
        return y, last if self.kind == "lstm" else last[0]

    def _first(self, x: Any, hx: Any, single: bool, packed: Any) -> State:
        """Return the initial states, in the order of a packed sequence."""
        many, count = self.kind == "lstm", self.num_layers * len(self._ends())
        shapes = [(count, x.shape[1], n) for n in (self._out(), self.hidden_size)[: 1 + many]]
        if hx is None:
            return tuple(zeros(s, dtype=x.dtype) for s in shapes)
        given = tuple(map(as_tensor, hx)) if many else (as_tensor(hx),)
        states = tuple(h[:, None] if single else h for h in given)
        for h, shape in zip(states, shapes, strict=True):
            if tuple(h.shape) != shape:
                raise ShapeError(f"{type(self).__name__}: Expected hidden size {shape}, got {show_shape(h.shape)}.")
        order = packed.sorted_indices if packed else None
        return states if order is None else tuple(h.index_select(1, order) for h in states)

    def _run(self, x: Any, states: State, lengths: Any) -> tuple[Any, State]:
        step, lasts = self._step()[1], []
        within = None if lengths is None else (lengths > arange(x.shape[0])[:, None])[..., None]
        for layer in range(self.num_layers):
            sides = []
            for back, end in enumerate(self._ends()):
                k = layer * len(self._ends()) + back
                start, w = tuple(s[k] for s in states), self._weights(f"_l{layer}{end}")
                y, last = _walk(step, x, start, w, back == 1, within)
                sides.append(y)
                lasts.append(last)
            x = sides[0] if len(sides) == 1 else cat(sides, -1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                x = F.dropout(x, self.dropout)
        return x, tuple(stack(part) for part in zip(*lasts, strict=True))

    def extra_repr(self) -> str:
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0,
                 "bidirectional": False}  # fmt: skip
        chosen = [f", {k}={getattr(self, k)}" for k, value in usual.items() if getattr(self, k) != value]
        return f"{self.input_size}, {self.hidden_size}{''.join(chosen)}"


def _walk(step: Callable[..., State], x: Any, state: State, w: Any, back: bool, within: Any) -> tuple[Any, State]:
    """Apply the steps along a sequence. After the end of a shorter sequence, the state is constant and the output is 0.

    While a program is traced, the steps form one loop, whose compilation time does not depend on the length.
    """

    def one(state: State, row: Any) -> tuple[State, Any]:
        new = step(row[0], state, w)
        if within is None:
            return new, new[0]
        return tuple(where(row[1], n, s) for n, s in zip(new, state, strict=True)), where(row[1], new[0], 0.0)

    inputs = F.linear(x, w[0], w[2])  # of all steps at once
    rows = (inputs,) if within is None else (inputs, within)
    if tape() is not None and x.shape[0] > _UNROLLED:
        last, y = scan(one, state, rows, reverse=back)
        return y, last
    ys: list[Any] = [None] * x.shape[0]
    taken = list(zip(*[r.unbind(0) for r in rows], strict=True))
    for t in reversed(range(len(ys))) if back else range(len(ys)):
        state, ys[t] = one(state, taken[t])
    return stack(ys), state


_UNROLLED = 16  # steps that are written out in programs


class RNN(RNNBase):
    """A recurrent layer: h_t = tanh(W x_t + b + U h_{t-1} + d), or relu instead of tanh. See RNNBase for the arguments.

    >>> y, h = sg.nn.RNN(3, 4, num_layers=2)(sg.zeros(5, 1, 3))
    >>> y.shape, h.shape
    ((5, 1, 4), (2, 1, 4))
    """

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, nonlinearity: str = "tanh", bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        if nonlinearity not in ("tanh", "relu"):
            raise ArgumentError(f"Unknown nonlinearity {nonlinearity!r}. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first, dropout,
                         bidirectional, 0, device, dtype)  # fmt: skip


class LSTM(RNNBase):
    """Apply LSTMCell along a sequence. See RNNBase for the arguments."""

    kind = "lstm"

    def __init__(self, input_size: int, hidden_size: int, *args: Any, **options: Any) -> None:
        super().__init__("LSTM", input_size, hidden_size, *args, **options)


class GRU(RNNBase):
    """Apply GRUCell along a sequence. See RNNBase for the arguments."""

    kind = "gru"

    def __init__(self, input_size: int, hidden_size: int, *args: Any, **options: Any) -> None:
        super().__init__("GRU", input_size, hidden_size, *args, **options)


__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell"]


check_all(globals(), __all__)
