"""Forward or reverse mode: a Jacobian is traced by both, and the shorter program is kept.

Both give the same numbers. Which is shorter depends on what their sweeps share and on the zeros in them, so that the
number of sweeps decides only where it is far apart, or large.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from symgrad.compiler.primitives.scalarise import Written, can_be_written, entries_of
from symgrad.engine.program import Program
from symgrad.transforms.jacobians import at_once, choose_mode, fewer_sweeps

T = TypeVar("T")
MODES = ("forward", "reverse")
_APART = 4  # times as many sweeps that decide without looking
_MOST_SWEEPS = 128  # above, the function is traced once
_MOST_ENTRIES = 20_000  # scalar operations up to which programs are counted as they will be; above they are estimated


class _Chooser:
    """Answers how Jacobians are computed, and notes the answers that might be otherwise."""

    def __init__(self, mode: str | None) -> None:
        self.mode = mode
        self.open: set[str] = set()

    def __call__(self, columns: int, rows: int) -> str:
        few, many = sorted((columns, rows))
        usual = fewer_sweeps(columns, rows)
        if many > _MOST_SWEEPS or many > _APART * few:
            return usual
        answer = self.mode or usual
        self.open.add(answer)
        return answer


def shortest(run: Callable[[], T], program: Callable[[T], Program]) -> T:
    """Run, by every mode where Jacobians leave the choice, and return what has the fewest operations."""
    usual = _Chooser(None)
    candidates = [_run(run, usual)]
    if not usual.open:
        return candidates[0]
    candidates += [_run(run, _Chooser(mode)) for mode in MODES if usual.open != {mode}]
    programs = [program(f) for f in candidates]
    measure = operations if all(map(_is_short, programs)) else _estimate
    lengths = [measure(p) for p in programs]
    return candidates[lengths.index(min(lengths))]


def _run(run: Callable[[], T], chooser: _Chooser) -> T:
    tokens = choose_mode.set(chooser), at_once.set(True)
    try:
        return run()
    finally:
        choose_mode.reset(tokens[0])
        at_once.reset(tokens[1])


def operations(program: Program) -> int:
    """Return the number of scalar operations, once zeros and repetitions are folded."""
    return Written(program).operations()


def _is_short(program: Program) -> bool:
    values = program.values
    writable = all(can_be_written(values[k], [values[a] for a in values[k].args]) for k in program.live())
    return writable and _estimate(program) <= _MOST_ENTRIES


def _estimate(program: Program) -> int:
    return sum(entries_of(program.values[k], program.values) for k in program.live())
