"""An independent reader of recurrences: it runs what a formula of states says, step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from reader_text import definitions, matrix_value
from reader_trees import Unreadable

_AT = re.compile(r"([^\W\d]\w*)\[(t\+1|t|\d+)\]")


def loop_value(text: str, shape: Sequence[int], arrays: Mapping[str, Any], length: int) -> Any:
    """Return the value of a formula of states with their recurrences, of loops of this many steps."""
    body, defined = definitions(text)
    known: dict[str, Any] = {k: np.asarray(v, dtype=float) for k, v in arrays.items()}
    starts = {m[1]: (int(m[2]), e) for name, e in defined if (m := _AT.fullmatch(name)) and m[2].isdigit()}
    known[""] = {m[1]: e for name, e in defined if (m := _AT.fullmatch(name)) and m[1] not in starts}
    for target in ("t+1", "t"):
        steps = {m[1]: e for name, e in defined if (m := _AT.fullmatch(name)) and m[2] == target and m[1] in starts}
        _run(steps, starts, target == "t+1", known, length)
    return _value(body, 0, known, shape, length)


def _run(
    steps: Mapping[str, str], starts: Mapping[str, Any], forward: bool, known: dict[str, Any], length: int
) -> None:
    """Run recurrences side by side; one may read what another has just given."""
    for letter, e in steps.items():
        at, start = starts[letter]
        first = known[start] if start in known else _value(start, 0, known, _shape(e, known))
        known[letter] = np.full((length + 1, *np.shape(first)), np.nan)
        known[letter][at] = first
    for t in range(length) if forward else range(length - 1, -1, -1):
        for _ in steps:
            for letter, e in steps.items():
                known[letter][t + forward] = _value(e, t, known, known[letter].shape[1:])


def _part(letter: str, t: int, known: Mapping[str, Any]) -> Any:
    """Return what a step computes on its way."""
    e = known[""][letter]
    for shape in ((), _shape(e, known), (3,), (3, 3)):
        try:
            return _value(e, t, known, shape)
        except (Unreadable, ValueError):
            continue
    raise Unreadable(f"a shape for {e}")


def _shape(e: str, known: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the shape of a state: that of the arrays beside it, which here are vectors of one length, or numbers."""
    sizes = [a.shape[0] for k, a in known.items() if k and a.ndim == 2 and a.shape[0] == a.shape[1] and k in e]
    return (sizes[0],) if sizes else ()


def _value(e: str, t: int, known: Mapping[str, Any], shape: Sequence[int], length: int = 0) -> Any:
    """Return the value of a formula at a step; a sum over the steps, or rows, at all of them."""
    total = re.search(r"Sum_\{t=0\.\.(\d+)\} (.*)", e)
    if total:
        values = [_value(total[2], k, known, shape) for k in range(int(total[1]) + 1)]
        return _value(e[: total.start()] + "whole", t, {**known, "whole": np.sum(values, axis=0)}, shape)
    stacked = re.fullmatch(r"rows\((.*)\)", e)
    if stacked:
        return np.stack([_value(stacked[1], k, known, shape[1:]) for k in range(length)])
    given = {k: v for k, v in known.items() if k} | {"t": np.asarray(float(t))}

    def called(m: re.Match[str]) -> str:
        at = {"t": t, "t+1": t + 1}.get(m[2])
        at = int(m[2]) if at is None else at
        name = f"{m[1]}at{at}"
        given[name] = _part(m[1], at, known) if m[1] in known[""] else known[m[1]][at]
        return name

    return np.asarray(matrix_value(_AT.sub(called, e), shape, given))
