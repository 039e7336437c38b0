"""``minimize`` of a loss over data in blocks: one of our methods, Dask's sums, and a file to resume from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from symgrad._version import __version__
from symgrad.distributed import hvp, value_and_grad
from symgrad.distributed.blocks import Blocks, blocks_of
from symgrad.distributed.scheduler import kept
from symgrad.errors import ArgumentError, NanBlockError
from symgrad.optim.descents import METHODS, Method, Problem, State, advanced, method_named
from symgrad.optim.vectors import Vector, scalar
from symgrad.support.extras import needs
from symgrad.utils.saving import load, save, target


class Result(dict[str, Any]):
    """What ``minimize`` found, with SciPy's names: x, fun, jac, nit, nfev, nhev, success, status, message."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"{name}: not among {list(self)}.") from None


def minimize_over(
    loss: Callable[..., Any], x0: Any, data: Any, method: Any, options: dict[str, Any], reduce: str,
    checkpoint: Any, callback: Callable[[State], None], compile: bool,
) -> tuple[Vector, Result]:  # fmt: skip
    """Return the vector of x0, and the least that was found; see ``minimize``."""
    needs("minimize with data", "dask")
    chosen, vector = method_named(method), Vector(x0)
    settings = _settings(chosen, options)
    blocks = kept(blocks_of("minimize", data if isinstance(data, tuple) else (data,)))
    fun = scalar(loss, vector)
    both, product = value_and_grad(fun, 0, reduce, compile=compile), hvp(fun, reduce, compile=compile)  # type: ignore[arg-type]
    problem = Problem(lambda x: both.on((x,), blocks), lambda x, v: product.on((x, v), blocks))  # type: ignore[attr-defined]
    belongs = _belongs(vector, chosen, settings, reduce, blocks)
    file = None if checkpoint is None else _File(checkpoint, belongs, chosen, vector.start.shape)
    state = _first(problem, vector.start, both, blocks, file)
    while not state.message:
        before, state = state, advanced(problem, state, chosen, settings)
        if file:
            file.write(state)
        if state.steps == before.steps:
            break
        try:
            callback(state)
        except StopIteration:
            return vector, _result(state, "The callback ended it.", False)
    return vector, _result(state, state.message, state.success)


def _settings(method: Method, options: dict[str, Any] | None) -> dict[str, Any]:
    given = options or {}
    unknown = sorted(set(given) - set(method.options))
    if unknown:
        raise ArgumentError(f"minimize: got options {unknown}. Expected some of {sorted(method.options)}.")
    return {**method.options, **given}


def _first(problem: Problem, start: Any, both: Any, blocks: Blocks, file: _File | None) -> State:
    """Return the state to go on from: the file's, if the loss is there what it was; else that at x0."""
    saved = file.read() if file else None
    x = start if saved is None else saved.x
    try:
        value, gradient = both.on((x,), blocks)
    except NanBlockError as error:
        raise NanBlockError(f"minimize: at the first point, {error}") from None
    if saved is None:
        return State(x, float(value), np.asarray(gradient))
    if saved.value != value or saved.gradient.tobytes() != np.asarray(gradient).tobytes():
        raise ArgumentError(
            f"minimize: the checkpoint {file} has loss {saved.value!r} where it is {value!r} now. It belongs to "
            "another loss or other data: give another file, or delete it to start again."
        )
    return saved


def _result(state: State, message: str, success: bool) -> Result:
    return Result(
        x=state.x, fun=state.value, jac=state.gradient, nit=state.steps, nfev=state.evaluations, nhev=state.products,
        success=success, status=0 if success else 1, message=message,
    )  # fmt: skip


# ------------------------------------------------------------------ the file
def _belongs(vector: Vector, method: Method, settings: dict[str, Any], reduce: str, blocks: Blocks) -> dict[str, Any]:
    """What a file must agree with, so that going on from it is going on."""
    start = hashlib.sha256(vector.start.tobytes() + repr(vector.shapes).encode()).hexdigest()
    name = next(k for k, m in METHODS.items() if m is method)
    edges = None if blocks.edges is None else list(blocks.edges)
    return {"method": name, "options": settings, "reduce": reduce, "x0": start, "edges": edges, "version": __version__}


class _File:
    """A checkpoint, replaced as a whole after each step."""

    def __init__(self, path: Any, belongs: dict[str, Any], method: Method, shape: tuple[int, ...]) -> None:
        self.path, self.belongs = target(path, "minimize: checkpoint"), belongs
        self._method, self._shape = method, shape

    def __str__(self) -> str:
        return str(self.path)

    def write(self, state: State) -> None:
        save({**self.belongs, "state": asdict(state)}, self.path)

    def read(self) -> State | None:
        if not self.path.exists():
            return None
        saved = load(self.path)
        wrong = [k for k in self.belongs if not isinstance(saved, dict) or not _is_equal(saved.get(k), self.belongs[k])]
        if wrong:
            raise ArgumentError(
                f"minimize: the checkpoint {self.path} is of another run: {', '.join(wrong)} differ. Give another "
                "file, or delete it to start again."
            )
        if not self._is_state(saved.get("state")):
            raise ArgumentError(
                f"minimize: the checkpoint {self.path} holds no state of {self.belongs['method']} with "
                f"{self._shape[0]} numbers. Give another file, or delete it to start again."
            )
        return State(**saved["state"])

    def _is_state(self, saved: Any) -> bool:
        """Whether all fields of a state are there, and are what the method goes on from."""
        if not isinstance(saved, dict) or saved.keys() != {f.name for f in fields(State)}:
            return False
        counts, memory = [saved[k] for k in ("steps", "evaluations", "products")], saved["memory"]
        return (
            all(self._is_point(saved[k]) for k in ("x", "gradient"))
            and all(type(n) is int and n >= 0 for n in counts)
            and (type(saved["value"]), type(saved["message"]), type(saved["success"])) == (float, str, bool)
            and isinstance(memory, dict)
            and (not memory or memory.keys() == {*self._method.memory})
            and all(self._is_memory(k, v) for k, v in memory.items())
            and len({len(v) for v in memory.values() if isinstance(v, list)}) <= 1
        )

    def _is_point(self, x: Any) -> bool:
        return isinstance(x, np.ndarray) and x.dtype == np.float64 and x.shape == self._shape

    def _is_memory(self, name: str, x: Any) -> bool:
        if name in ("y", "s"):
            return isinstance(x, list) and all(self._is_point(v) for v in x)
        return isinstance(x, (int, float)) and not isinstance(x, bool) and 0 < x < np.inf


def _is_equal(a: Any, b: Any) -> bool:
    """Whether two values are equal; arrays, which save has in no such place, are not."""
    try:
        return bool(a == b)
    except ValueError:
        return False
