"""Random numbers of NumPy's and Python's generators: that a function drew some is seen by their states afterwards."""

from __future__ import annotations

import ctypes
import functools
import random
import sys
import types
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

_MOST_OBJECTS = 2000  # looked through for generators
_CONTAINERS = (list, tuple, set, frozenset)


class _Source(NamedTuple):
    """A generator: what messages call it, and how its state is read and set."""

    name: str
    read: Callable[[], Any]
    write: Callable[[Any], Any]


def _sources(fn: Any) -> list[_Source]:
    """Return the global generators, and those that a function holds."""
    sources = [_Source("random", random.getstate, random.setstate)]
    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "default_generator"):  # it may be in the middle of being imported
        bits = torch.default_generator
        sources.append(
            _Source("torch", lambda: bits.get_state().numpy(), lambda state: bits.set_state(torch.from_numpy(state)))
        )
    numpy = sys.modules.get("numpy.random")  # where it was not loaded, nobody has a generator of its
    if numpy is None:
        return sources
    sources.append(_of_numpy("numpy.random", numpy.mtrand._rand))
    for x in _reached(fn, (random.Random, numpy.Generator, numpy.RandomState)):
        name = f"a {type(x).__module__.partition('.')[0]} {type(x).__name__}"
        sources.append(_Source(name, x.getstate, x.setstate) if isinstance(x, random.Random) else _of_numpy(name, x))
    return sources


def _of_numpy(name: str, x: Any) -> _Source:
    bits = x.bit_generator if hasattr(x, "bit_generator") else x._bit_generator
    if type(bits).__name__ != "MT19937":
        return _Source(name, lambda: bits.state, functools.partial(setattr, bits, "state"))
    address = bits.ctypes.state_address  # its 624 words and the place among them: ``bits.state`` takes 30 times as long

    def write(state: bytes) -> None:
        words = np.frombuffer(state, np.uint32)
        bits.state = {"bit_generator": "MT19937", "state": {"key": words[:-1], "pos": int(words[-1])}}

    return _Source(name, lambda: ctypes.string_at(address, 2500), write)


def _plain(state: Any) -> Any:
    """Return a state that can be compared."""
    if isinstance(state, dict):
        return {k: _plain(v) for k, v in state.items()}
    return state.tobytes() if hasattr(state, "tobytes") else state


def _reached(fn: Any, kinds: tuple[type, ...]) -> Iterator[Any]:
    """Return the objects of these kinds that a function refers to: in its closure, defaults, globals and attributes."""
    ahead, seen = [fn], set[int]()
    while ahead and len(seen) < _MOST_OBJECTS:
        x = ahead.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        if isinstance(x, kinds):
            yield x
        else:
            ahead += _parts(x)


def _parts(x: Any) -> list[Any]:
    if isinstance(x, types.FunctionType):
        cells = [c.cell_contents for c in x.__closure__ or () if _is_filled(c)]
        own = x.__module__ is not None and x.__module__.startswith("symgrad.")
        used = [x.__globals__[n] for n in _names(x.__code__) if n in x.__globals__ and not own]
        return [*cells, *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values(), *used, *vars(x).values()]
    if isinstance(x, types.MethodType):
        return [x.__func__, x.__self__]
    if isinstance(x, functools.partial):
        return [x.func, *x.args, *x.keywords.values()]
    if isinstance(x, dict):
        return list(x.values())
    if isinstance(x, _CONTAINERS):
        return list(x)
    if isinstance(x, (type, types.ModuleType)) or type(x).__module__ in ("builtins", "numpy"):
        return []
    attributes = getattr(x, "__dict__", None)
    methods = [getattr(type(x), name, None) for name in ("__call__", "forward")]
    return [*methods, *(attributes.values() if isinstance(attributes, dict) else ())]


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _names(code: types.CodeType) -> Iterator[str]:
    """Return the names that a function, and those inside of it, look up."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _names(inner)


class Drawn:
    """The generators that a function drew from, and their states before."""

    def __init__(self, fn: Any) -> None:
        self._before = [(source, source.read()) for source in _sources(fn)]

    def close(self) -> None:
        """Keep those that moved."""
        self._before = [(s, state) for s, state in self._before if _plain(s.read()) != _plain(state)]

    @property
    def names(self) -> list[str]:
        """Return the names that messages use for them."""
        return [s.name for s, _ in self._before]

    @contextmanager
    def again(self) -> Iterator[None]:
        """Let the same numbers be drawn inside."""
        now = [(s, s.read()) for s, _ in self._before]
        try:
            for s, state in self._before:
                s.write(state)
            yield
        finally:
            for s, state in now:
                s.write(state)


@contextmanager
def replayed(fn: Any) -> Iterator[Drawn]:
    """Note what a function draws inside, for it to be drawn again."""
    drawn = Drawn(fn)
    yield drawn
    drawn.close()


_ANEW = (
    "Write sg.rand, sg.randn or another of symgrad's functions, which draw anew, or pass the numbers as an argument."
)


@contextmanager
def watched(who: str, fn: Any, advice: str = _ANEW) -> Iterator[None]:
    """Warn of random numbers that a function draws while it is traced, which are the same for ever."""
    with replayed(fn) as drawn:
        yield
    if drawn.names:
        warnings.warn(
            f"{who}: the function draws from {' and '.join(drawn.names)} while it is traced, once and for all. "
            + advice,
            UserWarning,
            stacklevel=_level(),
        )


def _level() -> int:
    """How many calls up the user's code is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("symgrad.", "contextlib")):
        level, frame = level + 1, frame.f_back
    return level
