"""The meaning of a formula in index notation: every index is an axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from reader_functions import CONSTANTS, DECOMPOSED, ELEMENTWISE, NUMBERS, REDUCED, compare
from reader_matrices import Matrices
from reader_trees import Tree, Unreadable, Untold, tree


def written_out(e: Any) -> bool:
    """Whether a formula has all entries of an array in it, with a number in front or not."""
    return isinstance(e, Tree) and (e.kind == "beside" or (e.kind in "*/negative" and any(map(written_out, e.parts))))


class Entries:
    """The meaning of a formula in index notation: every index is an axis."""

    def __init__(self, arrays: Mapping[str, Any], sizes: Mapping[str, int] | None = None) -> None:
        self.arrays = {k: np.asarray(v, dtype=float) for k, v in arrays.items()}
        self.arrays.update({k: np.asarray(float(v)) for k, v in (sizes or {}).items() if k not in self.arrays})
        self._names_in: dict[int, frozenset[str]] = {}  # by identity: the formula outlives its reading

    def array(self, e: Tree, indices: Sequence[str], shape: Sequence[int]) -> Any:
        """Return the array of the entries at these indices."""
        env = {
            k: np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(shape))])
            for axis, (k, n) in enumerate(zip(indices, shape, strict=True))
        }
        with np.errstate(all="ignore"):
            found = np.asarray(self.value(e, env), dtype=float)
            return np.reshape(found, shape) if written_out(e) else np.broadcast_to(found, tuple(shape))

    def define(self, name: str, letters: Sequence[str], e: Tree) -> None:
        """Give a name to the array whose entry at these letters this is; its sizes follow from the formula."""
        if name in self.arrays:
            raise Unreadable(f"{name!r} has two meanings")
        with np.errstate(all="ignore"):
            self.arrays[name] = self.array_of(e, letters, {})

    def value(self, e: Tree, env: Mapping[str, Any]) -> Any:
        """Return the value of a part, with an axis for each index in use."""
        kind, parts = e
        if kind == "number":
            return parts[0]
        if kind == "name":
            return self._name(parts[0], env)
        if kind in ("Sum", "Prod"):
            return self._over(e, env)
        if kind == "beside":
            return np.array([self.value(p, env) for p in parts], dtype=float)
        if kind == "part" and parts[0].kind == "name":
            return self._at(e.parts[0].parts[0], [self.value(p, env) for p in parts[1:]], e.parts[0].kind)
        if kind == "call" and parts[0] == "Piecewise":
            found: Any = np.nan
            for value, condition in reversed(parts[1:]):
                found = np.where(self.value(condition, env), self.value(value, env), found)
            return found
        if kind in ("relation", "logic"):
            a, b = (self.value(p, env) for p in parts[1:])
            if kind == "relation":
                return compare(parts[0], a, b)
            return np.logical_and(a, b) if parts[0] == "&" else np.logical_or(a, b)
        if kind in ("entry", "part"):
            return self._entry(parts[0], parts[1:], env)
        if kind == "call" and (parts[0] in NUMBERS or parts[0] in REDUCED) and len(parts) == 2:
            return self._entry(e, (), env)
        if kind == "call":
            return self._call(parts[0], [self.value(p, env) for p in parts[1:]])
        values = [self.value(p, env) for p in parts]
        return _ENTRY[kind](*values)

    # -------------------------------------------------------------- functions of whole arrays
    def _entry(self, call: Tree, places: Sequence[Tree], env: Mapping[str, Any]) -> Any:
        """Return an entry of a named function, computed anew for each value of the outer indices."""
        outer = {k: np.asarray(v) for k, v in env.items() if k in self._names(call)}
        given = np.broadcast_arrays(*outer.values(), *[np.asarray(self.value(p, env)) for p in places], 0)
        values = np.stack([np.ravel(v) for v in given], -1)[:, : len(outer)]
        distinct, which = np.unique(values, axis=0, return_inverse=True)
        wholes = np.stack([self._whole(call, dict(zip(outer, map(int, row), strict=True))) for row in distinct])
        at = [np.clip(np.ravel(p), 0, n - 1) for p, n in zip(given[len(outer) : -1], wholes.shape[1:], strict=True)]
        return wholes[(np.ravel(which), *at)].reshape(given[-1].shape)

    def _names(self, e: Any) -> frozenset[str]:
        """Return the names in a part, and the signs that they are made of."""
        if isinstance(e, str):
            return frozenset((e, *e))
        if not isinstance(e, tuple):
            return frozenset()
        found = self._names_in.get(id(e))
        if found is None:
            found = self._names_in[id(e)] = frozenset().union(*map(self._names, e))
        return found

    def _whole(self, e: Tree, env: Mapping[str, int], size: int | None = None) -> Any:
        """Return a whole array: a name, a named function of whole arrays, or an entry whose free letters are axes."""
        kind, parts = e
        if kind == "brackets":
            return self._whole(parts[0], env)
        if kind == "entries":
            return self.array_of(parts[0], parts[1], env)
        if kind == "name" and self.arrays.get(parts[0], np.zeros(())).ndim:
            return self.arrays[parts[0]]
        if kind in ("⁻¹", "⁻ᵀ", "ᵀ"):
            a = self._whole(parts[0], env)
            return a.T if kind == "ᵀ" else np.linalg.inv(a.T if kind == "⁻ᵀ" else a)
        whole = kind == "call" and (parts[0] in _OF_ARRAYS or parts[0] in NUMBERS or parts[0] in REDUCED)
        if whole:
            a = self._whole(parts[1], env, 3 if parts[0] == "skew" else None)
            column = a[:, None] if a.ndim == 1 else a
            found = Matrices({})._of_array(parts[0], column, (), {})
            plain = np.ndim(found) == 0 or parts[0] in (*DECOMPOSED, "skew")
            return np.asarray(found) if plain else np.reshape(found, a.shape)
        return self.array_of(e, self._axes_of(e, env), env, size)

    def array_of(self, e: Tree, letters: Sequence[str], env: Mapping[str, int], size: int | None = None) -> Any:
        """Return the array of an entry with these letters as its axes."""
        sizes = [self._last(e, k, env) + 1 if size is None else size for k in letters]
        outer = {k: np.asarray(v).reshape((1,) * len(letters)) for k, v in env.items() if k not in letters}
        own = {
            k: np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(letters))])
            for axis, (k, n) in enumerate(zip(letters, sizes, strict=True))
        }
        return np.array(np.broadcast_to(np.asarray(self.value(e, {**outer, **own}), dtype=float), sizes))

    def _axes_of(self, e: Tree, env: Mapping[str, Any]) -> list[str]:
        """Return the letters that nothing binds, in the order in which index letters are given."""
        free = self._free(e) - set(env)
        return sorted(free, key=lambda k: (len(k), _ORDER.find(k[0]), k))

    def _free(self, e: Any) -> set[str]:
        if not isinstance(e, tuple):
            return set()
        if not isinstance(e, Tree):
            return {k for p in e for k in self._free(p)}
        kind, parts = e
        if kind in ("Sum", "Prod"):
            return (self._free(parts[0]) | self._free(parts[1:])) - {k for k, *_ in parts[1:]}
        if kind == "name":
            if parts[0] in self.arrays or parts[0] in CONSTANTS:
                return set()
            head, _, places = str(parts[0]).rpartition("_")
            return {c for c in (places if head else parts[0]) if c.isalpha()}
        if kind in ("entry", "part") and kind == "entry":
            return self._free(parts[1:])  # the letters of the argument are its own
        if kind == "part" and parts[0].kind == "name":
            return self._free(parts[1:])
        if kind == "call" and (parts[0] in NUMBERS or parts[0] in REDUCED):
            return set()
        return {k for p in parts for k in self._free(p)}

    def _call(self, name: str, values: Sequence[Any]) -> Any:
        if name in ("Eq", "Ne"):
            return compare("=" if name == "Eq" else "!=", *values)
        if name in ("max", "min", "Max", "Min", "maximum", "minimum"):
            return (np.maximum if name.lower().startswith("max") else np.minimum)(*values)
        if name == "where":
            return np.where(np.asarray(values[0]) != 0, *values[1:])
        if name == "KroneckerDelta":
            return np.equal(*values) * 1.0
        if name not in ELEMENTWISE:
            raise Unreadable(f"a function {name!r} of entries")
        return ELEMENTWISE[name](*[np.asarray(v, dtype=float) for v in values])

    def _name(self, name: str, env: Mapping[str, Any]) -> Any:
        if name in env:
            return env[name]
        if name in self.arrays:
            if self.arrays[name].ndim:
                raise Unreadable(f"{name} without indices")
            return self.arrays[name]
        head, _, places = name.rpartition("_")
        if head == "δ" or head in self.arrays:
            return self._at(head, [int(c) if c.isdigit() else self._name(c, env) for c in places], "name")
        if name in CONSTANTS:
            return CONSTANTS[name]
        raise Unreadable(f"nothing is called {name!r}")

    def _at(self, head: str, places: Sequence[Any], kind: str) -> Any:
        if kind != "name":
            raise Unreadable("an entry of something without a name")
        if head == "δ":
            return np.equal(*places) * 1.0
        a = self.arrays[head]
        if a.ndim != len(places):
            raise Unreadable(f"{head} with {len(places)} indices")
        found = [np.clip(np.asarray(p).astype(int), 0, n - 1) for p, n in zip(places, a.shape, strict=True)]
        return a[tuple(found)]

    def _over(self, e: Tree, env: Mapping[str, Any]) -> Any:
        body, *limits = e.parts
        inner = {k: np.asarray(v)[..., *[None] * len(limits)] for k, v in env.items()}
        inside: Any = True
        for axis, (k, low, high) in enumerate(limits):
            if k in env or k in self.arrays:
                raise Unreadable(f"the index {k} has two meanings")
            first = 0 if low is None else np.asarray(self.value(low, inner))
            last = self._last(body, k, env) if high is None else np.asarray(self.value(high, inner))
            at = np.arange(int(np.min(first)), int(np.max(last)) + 1)
            inner[k] = at.reshape([-1 if a == axis else 1 for a in range(len(limits))])
            inside = inside & (inner[k] >= first) & (inner[k] <= last)
        total = np.sum if e.kind == "Sum" else np.prod
        found = np.where(inside, self.value(body, inner), 0.0 if e.kind == "Sum" else 1.0)
        return total(found, axis=tuple(range(-len(limits), 0)))

    def _last(self, body: Any, k: str, env: Mapping[str, Any]) -> int:
        """Return the end of the axis of the array that has the index as it is, or that has another of this range."""
        found = set(self._axes(body, k)) or {n for same in self._alike(body, k) for n in self._range(body, same, env)}
        if len(found) != 1:
            raise Untold(f"the range of {k} is not told: {found or 'no axis'}")
        return int(found.pop()) - 1

    def _range(self, body: Any, same: str | Tree, env: Mapping[str, Any]) -> list[int]:
        """Return how far an index runs: one of outside, or of this body, or the one that a sum binds."""
        if isinstance(same, Tree):
            return [n for k, *_ in same.parts[1:] for n in self._axes(same.parts[0], k)]
        return [int(np.max(env[same])) + 1] if same in env else self._axes(body, same)

    def _alike(self, e: Any, k: str) -> list[Any]:
        """Return the indices that stand beside this one in a δ, and sums that it ends."""
        if not isinstance(e, tuple) or (isinstance(e, Tree) and e.kind in _BOUND and k in {m for m, *_ in e.parts[1:]}):
            return []
        found = [p for part in e for p in self._alike(part, k)]
        if not isinstance(e, Tree):
            return found
        if e.kind in _BOUND and any(tree("name", k) in limits for _, *limits in e.parts[1:]):
            found.append(e)
        places = []
        if e.kind == "name" and e.parts[0].startswith("δ_"):
            places = list(e.parts[0][2:])
        elif e.kind == "part" and e.parts[0] == tree("name", "δ"):
            places = [p.parts[0] for p in e.parts[1:] if p.kind == "name"]
        return [*found, *[p for p in places if p != k]] if k in places else found

    def _axes(self, e: Any, k: str) -> list[int]:
        if not isinstance(e, tuple):
            return []
        if isinstance(e, Tree) and e.kind in ("Sum", "Prod") and k in {name for name, *_ in e.parts[1:]}:
            return []
        if isinstance(e, Tree) and (e.kind == "entry" or (e.kind == "part" and e.parts[0].kind != "name")):
            return self._of_entry(e, k)
        if isinstance(e, Tree) and e.kind == "name":
            head, _, places = str(e.parts[0]).rpartition("_")
            if head in self.arrays and e.parts[0] not in self.arrays:
                return [n for c, n in zip(places, self.arrays[head].shape, strict=False) if c == k]
            return []
        if (
            isinstance(e, Tree)
            and e.kind == "part"
            and e.parts[0].kind == "name"
            and e.parts[0].parts[0] in self.arrays
        ):
            shape = self.arrays[e.parts[0].parts[0]].shape
            own = [n for p, n in zip(e.parts[1:], shape, strict=False) if p == tree("name", k)]
            return own + [n for p in e.parts[1:] for n in self._axes(p, k)]
        return [n for p in (e.parts if isinstance(e, Tree) else e) for n in self._axes(p, k)]

    def _of_entry(self, e: Tree, k: str) -> list[int]:
        """Return the size of an axis of a whole array: here all are square, or as long as their argument."""
        call, *places = e.parts
        if call.kind == "call" and call.parts[0] == "skew":
            return [3] * (tree("name", k) in places)
        inside = call
        while inside.kind in ("⁻¹", "⁻ᵀ", "ᵀ", "brackets") or (inside.kind == "call" and inside.parts[0] in _OF_ARRAYS):
            inside = inside.parts[1 if inside.kind == "call" else 0]
        if tree("name", k) not in places:
            return []
        if inside.kind == "name" and inside.parts[0] in self.arrays:
            return [self.arrays[inside.parts[0]].shape[places.index(tree("name", k))]]
        letters = self._axes_of(inside, {})
        return self._axes(inside, letters[min(places.index(tree("name", k)), len(letters) - 1)])


_BOUND = ("Sum", "Prod")
_ORDER = "klmnpqrstuvij"  # of the letters of axes
_OF_ARRAYS = ("skew", "softmax", "log_softmax", "chol", "tril", "triu", "cumsum", "flip", "expm", *DECOMPOSED)
_ENTRY: dict[str, Callable[..., Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "negative": np.negative,
    "**": lambda a, b: np.asarray(a, dtype=float) ** b, "brackets": lambda a: a, "not": np.logical_not,
    "truth": lambda a: 1.0 * np.asarray(a),
}  # fmt: skip
